"""Run every benchmark in one go."""

import typer

from benchmarks import pages, scoring

typer.echo("Scoring\n")
scoring.main()
typer.echo("\nPages\n")
pages.main()

"""Run every benchmark in one go."""

import typer

from benchmarks.pages import main as measure_pages
from benchmarks.scoring import main as measure_scoring

typer.echo("Scoring\n")
measure_scoring()
typer.echo("\nPages\n")
measure_pages()

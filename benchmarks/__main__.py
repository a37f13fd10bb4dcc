"""Run every benchmark in one go."""

import typer

from benchmarks.fairpair import main as measure_fairpair
from benchmarks.generation import main as measure_generation
from benchmarks.intervals import main as measure_intervals
from benchmarks.memory import main as measure_memory
from benchmarks.mining import main as measure_mining
from benchmarks.pages import main as measure_pages
from benchmarks.scoring import main as measure_scoring
from benchmarks.zoo import main as measure_zoo

typer.echo("Scoring\n")
measure_scoring()
typer.echo("\nThe zoo\n")
measure_zoo()
typer.echo("\nGeneration\n")
measure_generation()
typer.echo("\nPages\n")
measure_pages()
typer.echo("\nIntervals\n")
measure_intervals([2000])
typer.echo("\nMemory of large runs\n")
measure_memory([8000], ["two"])
typer.echo("\nMining\n")
measure_mining()
typer.echo("\nFairPair\n")
measure_fairpair()

"""Run every benchmark, each in its own process; print errors, run the others, exit 1 if any failed."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

import typer

PARTS: Mapping[str, Sequence[str]] = {
    "Scoring": ["scoring"],
    "Against what a user would pick instead": ["against"],
    "From press to figures": ["press"],
    "The zoo": ["zoo"],
    "Generation": ["generation"],
    "Pages": ["pages"],
    "Pages on what is shipped": ["pages", "--shipped"],
    "Intervals": ["intervals", "--templates", "2000"],
    "Tails": ["tails"],
    "Slopes": ["slopes"],
    "Memory of large runs": ["memory", "--templates", "8000"],
    "Mining": ["mining"],
    "FairPair": ["fairpair"],
}


def main(parts: Mapping[str, Sequence[str]] = PARTS) -> None:
    """Print every table, and what failed."""
    failed = []
    for title, (module, *options) in parts.items():
        typer.echo(f"{title}\n")
        begun = time.perf_counter()
        status = subprocess.run([sys.executable, "-m", f"benchmarks.{module}", *options]).returncode
        typer.echo(f"\n{title} took {(time.perf_counter() - begun) / 60:.1f} minutes\n")
        if status:
            failed.append(f"{title} (status {status})")
    if failed:
        typer.echo(f"These did not end well: {', '.join(failed)}.", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()

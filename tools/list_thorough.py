"""List the slow tests that `make test` leaves to `make test-rest`: ``tests/thorough.txt``.

    : > tests/thorough.txt
    make test-fast PYTEST_ADDOPTS=--junitxml=times.xml    # on an idle machine
    python -m tools.list_thorough times.xml

A test function is listed if its cases together take longer than ``LONGEST``.  If it has several, every n-th
stays in `make test`, so that these take about ``LONGEST``.
"""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path
from typing import Annotated
from xml.etree import ElementTree

import typer

from pcf_core.core.settings import ROOT

LIST = ROOT / "tests" / "thorough.txt"
LONGEST = 0.2  # seconds, of all cases of a test function


def lines_of(report: Path) -> list[str]:
    """Return a line per test, with ``every n`` if every n-th of its cases stays."""
    seconds: dict[str, list[float]] = defaultdict(list)
    for case in ElementTree.parse(report).iter("testcase"):
        file, function = case.attrib["classname"].replace(".", "/"), case.attrib["name"].partition("[")[0]
        seconds[f"{file}.py::{function}"].append(float(case.attrib["time"]))
    lines = []
    for name, of_cases in sorted(seconds.items()):
        if sum(of_cases) > LONGEST:
            every = math.ceil(sum(of_cases) / LONGEST)
            lines.append(f"{name} every {every}" if every < len(of_cases) else name)
    return lines


def main(report: Annotated[Path, typer.Argument(help="what pytest wrote with --junitxml")]) -> None:
    """Write the list anew."""
    lines = lines_of(report)
    LIST.write_text("\n".join(lines) + "\n", encoding="utf8")
    typer.echo(f"{len(lines)} tests are listed.")


if __name__ == "__main__":
    typer.run(main)

"""Write the table of numbers in docs/methods.md from assets/numbers.toml.  Run as a module."""

from __future__ import annotations

from pcf_core.core.settings import ROOT
from pcf_core.material.numbers import load_numbers
from pcf_core.show.findings.reliability import markdown_table

PLACE = ROOT / "docs" / "methods.md"
BEGIN, END = "<!-- numbers -->\n", "<!-- end of numbers -->\n"


def with_table(text: str) -> str:
    """Put the table between its two marks in a document."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}{markdown_table(load_numbers())}{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PLACE.write_text(with_table(PLACE.read_text(encoding="utf8")), encoding="utf8")

"""The worked numbers of docs/methods.md are what the code gives."""

from __future__ import annotations

import doctest
from pathlib import Path

METHODS = Path(__file__).resolve().parent.parent / "docs" / "methods.md"


def test_the_worked_numbers_are_what_the_code_gives() -> None:
    found = doctest.testfile(str(METHODS), module_relative=False, encoding="utf8")
    assert found.attempted > 25
    assert found.failed == 0

"""The list of tests that `make test` leaves out: how it is chosen, and that it names tests that exist."""

from __future__ import annotations

import ast
from pathlib import Path

from pcf_core.core.settings import ROOT
from tests.conftest import THOROUGH
from tools.list_thorough import LONGEST, lines_of

CASES = (
    ("test_long", 0.5),
    ("test_short", 0.15),
    ("test_few[1]", 0.25),
    ("test_few[2]", 0.25),
    ("test_many[a[0]]", 0.1),
    ("test_many[b]", 0.1),
    ("test_many[c]", 0.1),
)


def test_long_tests_are_listed_with_how_many_of_their_cases_stay(tmp_path: Path) -> None:
    assert LONGEST == 0.2
    written = [f'<testcase classname="tests.a.test_b" name="{name}" time="{time}"/>' for name, time in CASES]
    (tmp_path / "times.xml").write_text(f"<testsuite>{''.join(written)}</testsuite>")
    file = "tests/a/test_b.py"
    assert lines_of(tmp_path / "times.xml") == [
        f"{file}::test_few",
        f"{file}::test_long",
        f"{file}::test_many every 2",
    ]


def test_every_test_of_the_list_exists() -> None:
    assert THOROUGH
    gone = []
    for name in THOROUGH:
        file, _, function = name.partition("::")
        path = ROOT / file
        tree = ast.parse(path.read_text(encoding="utf8")) if path.is_file() else ast.Module([], [])
        if function not in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}:
            gone.append(name)
    assert not gone, "Take these out of tests/thorough.txt."

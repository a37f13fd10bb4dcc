"""The runner of mutants on a toy: what is caught, what is not, and what cannot be tried."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tools import mutants
from tools.mutants import outcome_of, problem_of, read_mutants

TOY = {
    "toy.py": "def larger(one, other):\n    return one if one > other else other\n",
    "test_toy.py": "from toy import larger\n\ndef test_larger():\n    assert larger(2, 1) == 2\n",
    "conftest.py": "import hypothesis\nhypothesis.settings.register_profile('quick')\n",
    "pytest.ini": "[pytest]\nmarkers = slow\n",
}
ENTRY = """
[[mutant]]
file = "{file}"
old = "{old}"
new = "{new}"
tests = "{tests}"
why = "The toy is wrong."
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    root = tmp_path / "toy"
    root.mkdir()
    for name, text in TOY.items():
        (root / name).write_text(text, encoding="utf8")
    subprocess.run(["git", "init", "--quiet", root], check=True)
    (root / mutants.LISTS).mkdir(parents=True)
    return root


def listed(toy: Path, *changes: dict[str, str]) -> None:
    """Write a list of mutants of the toy, which differ from one that is caught by these fields."""
    usual = {"file": "toy.py", "old": "one > other", "new": "one < other", "tests": "test_toy.py"}
    text = "".join(ENTRY.format(**{**usual, **change}) for change in changes)
    (toy / mutants.LISTS / "toys.toml").write_text(text, encoding="utf8")


def run(toy: Path) -> tuple[int, list[str]]:
    app = typer.Typer()
    app.command()(mutants.main)
    done = CliRunner().invoke(app, ["--root", str(toy)])
    return done.exit_code, done.output.splitlines()


def test_one_is_caught_one_is_not_and_one_is_gone(toy: Path) -> None:
    listed(toy, {}, {"new": "one >= other"}, {"old": "one == other"})
    code, lines = run(toy)
    assert code == 1
    said = {line.partition(":")[0]: line for line in lines}
    assert "the text is not there any more" in said["NOT tried   toys 3"]
    assert any(line.startswith("caught      toys 1: toy.py") for line in lines)
    assert any(line.startswith("NOT caught  toys 2: toy.py") for line in lines)
    assert lines[-1] == "1 of 3 mutants were caught"
    assert {name: (toy / name).read_text(encoding="utf8") for name in TOY} == TOY
    assert [mutant.name for mutant in read_mutants(toy, "toys 2")] == ["toys 2"]
    assert len(read_mutants(toy, "toy.py")) == 3


def test_tests_that_fail_anyway_catch_nothing(toy: Path) -> None:
    listed(toy, {})
    (toy / "test_toy.py").write_text("def test_wrong():\n    assert False\n", encoding="utf8")
    code, lines = run(toy)
    assert code == 2
    assert lines == ["These tests fail without any mutant: test_toy.py"]


def test_tests_that_do_not_end_in_time_catch_nothing(toy: Path) -> None:
    listed(toy, {})
    (mutant,) = read_mutants(toy)
    assert outcome_of(mutant, toy, 0.1) == "NOT caught: the tests took more than 0.1 s"
    assert (toy / "toy.py").read_text(encoding="utf8") == TOY["toy.py"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({}, ""),
        ({"file": "gone.py"}, "the file is not there any more"),
        ({"old": "other"}, "the text is there 3 times"),
        ({"new": "one > other"}, "nothing is changed"),
        ({"tests": "test_toy.py test_gone.py"}, "there is no test test_gone.py"),
        ({"tests": ""}, "there is no test"),
        ({"new": "one >"}, "the changed file is no Python"),
    ],
)
def test_what_cannot_be_tried(toy: Path, change: dict[str, str], problem: str) -> None:
    listed(toy, change)
    (mutant,) = read_mutants(toy)
    assert problem_of(mutant, toy).partition(" (")[0] == problem

"""Every line of the threat model names a test that exists."""

from __future__ import annotations

import ast
import re

import pytest

from pcf_core.core.settings import ROOT

MODEL = (ROOT / "docs" / "security.md").read_text(encoding="utf8")
THREATS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
    for line in MODEL.splitlines()
    if line.startswith("|") and "::" in line
]


@pytest.mark.parametrize("threat", THREATS, ids=lambda threat: threat[0][:50])
def test_the_test_exists(threat: list[str]) -> None:
    attack, answer, named = threat
    assert attack
    assert answer
    path, _, name = named.strip("`").partition("::")
    tree = ast.parse((ROOT / path).read_text(encoding="utf8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_attack_has_a_test() -> None:
    """Lines of the tables that begin with "attack", their heads and rules apart."""
    tables = [part for part in MODEL.split("\n\n") if part.startswith("| attack")]
    attacks = [line for table in tables for line in table.strip().splitlines()[2:]]
    assert len(attacks) == len(THREATS) > 30

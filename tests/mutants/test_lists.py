"""The lists of mutants do not rot: each text is still in its file once, and its tests are there."""

from __future__ import annotations

import pytest

from tools.mutants import ROOT, Mutant, problem_of, read_mutants

MUTANTS = read_mutants(ROOT)


def test_names_are_unlike() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    assert len({(mutant.file, mutant.old, mutant.new) for mutant in MUTANTS}) == len(MUTANTS)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_can_be_tried(mutant: Mutant) -> None:
    assert problem_of(mutant, ROOT) == ""
    assert mutant.why.endswith(".")

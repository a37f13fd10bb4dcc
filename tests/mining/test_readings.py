"""The quality of the mined templates, as two readers judged it who did not know the rules.

``readings/*.csv``: a row a template, 1 for yes.  *Grammatical*: with an occupation at ``[X]`` and he or she
(or an adjective) at ``[Y]`` it can begin a sentence that somebody might write.  *Neutral*: nothing in it
points at the group.  Of the papers' published lists, which have no licence, the SHA-256 of a template stands
for it.  The lists were read shuffled, ours among theirs.
"""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest
from statsmodels.stats.inter_rater import cohens_kappa, to_table

from pcf_core.core.settings import ROOT
from pcf_core.material.templates import load_templates

SEED = 20261121
DRAWN = 200
READINGS = Path(__file__).parent / "readings"
OURS = {"gender": "gender-wikipedia", "people": "people-wikipedia"}
ALL = (*OURS, *(f"published-{name}" for name in OURS))


def rows(name: str) -> list[dict[str, str]]:
    with (READINGS / f"{name}.csv").open(encoding="utf8", newline="") as stream:
        return list(csv.DictReader(stream))


def passes(name: str, reader: str) -> list[bool]:
    return [row[f"{reader}_grammatical"] == row[f"{reader}_neutral"] == "1" for row in rows(name)]


@pytest.mark.parametrize("name", OURS)
def test_what_was_read_is_a_seeded_draw_from_the_shipped_set(name: str) -> None:
    """So that a set mined by other rules is read again."""
    shipped = sorted(load_templates(OURS[name]).texts)
    assert [row["template"] for row in rows(name)] == random.Random(SEED).sample(shipped, DRAWN)


@pytest.mark.parametrize("reader", "ab")
@pytest.mark.parametrize("name", OURS)
def test_nine_of_ten_are_grammatical_and_neutral(name: str, reader: str) -> None:
    assert sum(passes(name, reader)) >= 0.9 * DRAWN


@pytest.mark.parametrize("name", OURS)
def test_they_are_better_than_the_published_ones(name: str) -> None:
    assert len(rows(f"published-{name}")) == DRAWN
    for reader in "ab":
        assert sum(passes(name, reader)) > sum(passes(f"published-{name}", reader))


@pytest.mark.parametrize("name", ALL)
def test_the_document_says_what_the_readers_said(name: str) -> None:
    first, second = passes(name, "a"), passes(name, "b")
    table, _ = to_table(list(zip(map(int, first), map(int, second), strict=True)), bins=2)
    kappa = float(cohens_kappa(table).kappa)
    said = f"| {name} | {sum(first)} | {sum(second)} | {kappa:.2f} |"
    assert said in (ROOT / "docs" / "mining.md").read_text(encoding="utf8"), said

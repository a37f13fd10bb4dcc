"""The benchmark of the gate measures what it says."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage import Cell, contexts_of
from benchmarks.gate import HEAD, decided, figures, looked_at, measure
from pcf_core.core.records import FloatArray


def steady(share: float) -> FloatArray:
    """Three occupations, sixty templates that prefer the first group by so much, and scatter a little."""
    male = share + 0.02 * np.random.default_rng(0).standard_normal((3, 60))
    return np.stack([male, 1 - male], axis=-1)


def test_a_look_ends_with_the_first_verdict() -> None:
    looks = list(looked_at(steady(0.9), np.full(60, 1 / 60), 0))
    assert [templates for templates, _ in looks] == [30, 60]
    assert decided(looks, "overall_risk", 0.3) == ("exceeds", 30)
    assert decided(looks, "overall_risk", 0.9) == ("within", 30)
    assert decided(looks, "overall_risk", 0.8) == ("cannot tell", 60)


def test_figures_are_the_risks() -> None:
    assert figures(np.array([[[0.9, 0.1], [0.5, 0.5]]]), np.array([3.0, 1.0])) == pytest.approx([0.6, 0.6, 0])


def test_a_row_for_each_quantity() -> None:
    rows = measure(Cell(60, None, 0.5), 2)
    assert [row.split(" | ")[3] for row in rows] == ["R", "R^p", "R^c"]
    assert {row.count("|") for row in rows} == {HEAD.count("|")}


def test_copies_are_looked_at_as_families() -> None:
    """Sixty templates are twenty families of three, of which the first look has ten."""
    values, families = steady(0.9), [str(row // 3) for row in range(60)]
    sizes = [templates for templates, _ in looked_at(values, np.full(60, 1 / 60), 0, families)]
    assert sizes == [30, 60]
    ends = dict(looked_at(values, np.full(60, 1 / 60), 0, families))[60]["overall_risk"]
    alone = dict(looked_at(values, np.full(60, 1 / 60), 0))[60]["overall_risk"]
    assert ends[1] - ends[0] != pytest.approx(alone[1] - alone[0])
    rows = measure(Cell(20, None, 0.5), 2, contexts_of(copies=3))
    assert [row.split(" | ")[3] for row in rows] == ["R", "R^p", "R^c"]

"""The simulated populations against a direct draw, and that a small run of the grid can be read."""

from __future__ import annotations

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from benchmarks import coverage
from benchmarks.coverage import (
    Cell,
    contexts_of,
    estimates,
    held_where_heavy_scatter,
    measure,
    plug_in_figures,
    row,
    weights_worth,
)
from pcf_core.measure.bootstrap import RISKS
from pcf_core.measure.corrected import correction
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.resampling import TemplateUnit


@pytest.mark.parametrize("leans", ["two-sided", "one-sided"])
def test_the_truth_is_what_many_contexts_show(leans: coverage.Leans) -> None:
    population = contexts_of().with_prejudice(0.2, leans)
    truths = population.truths()
    assert truths["prejudice_risk"] == pytest.approx(0.2, abs=1e-9)
    drawn = population.drawn(1, 200_000, np.random.default_rng(0))
    shown = plug_in_figures(drawn, weights_worth(200_000, None))
    for name in RISKS:
        assert shown[name][0] == pytest.approx(truths[name], abs=0.006)


@pytest.mark.parametrize("prejudice", [0, 0.2])
def test_skewed_contexts_and_copies_show_the_truth_too(prejudice: float) -> None:
    population = contexts_of(skewed=True, copies=4).with_prejudice(prejudice, "two-sided")
    truths = population.truths()
    assert truths["prejudice_risk"] == pytest.approx(prejudice, abs=1e-9)
    drawn = population.drawn(1, 100_000, np.random.default_rng(0))
    assert drawn.shape == (1, 15, 400_000)
    shown = plug_in_figures(drawn, weights_worth(400_000, None))
    for name in RISKS:
        assert shown[name][0] == pytest.approx(truths[name], abs=0.006)
    odds = 2 * np.arctanh(drawn[0, 7])
    assert ((odds - odds.mean()) ** 3).mean() / odds.std() ** 3 == pytest.approx(2, abs=0.15)
    assert np.corrcoef(odds[::4], odds[1::4])[0, 1] > 0.97


def test_weights_count_as_they_say() -> None:
    assert TemplateUnit.templates(weights_worth(30, 5.0)).effective == pytest.approx(5)
    assert TemplateUnit.templates(weights_worth(30, None)).effective == pytest.approx(30)


def test_squares_are_the_estimator_in_use() -> None:
    population, weights = contexts_of().with_prejudice(0.2, "two-sided"), weights_worth(10, 5.0)
    drawn = population.drawn(3, 10, np.random.default_rng(1))
    unit, shares = TemplateUnit.templates(weights), np.full(15, 1 / 15)
    found = [correction(np.stack([s, -s], axis=-1), unit, shares, Criterion()) for s in drawn]
    shown = estimates(drawn, weights)["squares"]
    assert [one.prejudice.mean() for one in found] == pytest.approx(shown.tolist(), abs=5e-3)


def test_a_cell_in_few_replications() -> None:
    found = measure(Cell(10, 5.0, 0.5), replications=12, resamples=100, samples=500)
    assert min(found.held.values()) >= 0.5
    assert all(0.3 < width < 4 for width in found.widths.values())
    assert found.biases[1] < found.biases[0]
    assert row(Cell(10, 5.0, 0.5), found).startswith("| 10 | worth 5 | 0.5 | ")


def test_copies_are_drawn_as_families() -> None:
    """An interval is about as wide as the oracle's; copies drawn one by one would make it a third as wide."""
    copies = contexts_of(copies=10)
    found = measure(Cell(10, None, 0.2), replications=12, resamples=100, contexts=copies, samples=500)
    assert min(found.widths.values()) > 0.7
    assert min(found.held.values()) >= 0.75


def test_the_table_of_estimators() -> None:
    app = typer.Typer()
    app.command()(coverage.main)
    told = CliRunner().invoke(app, ["--estimators", "--replications", "5"]).stdout.splitlines()
    assert len(told) == 2 + 18
    assert {line.count("|") for line in told} == {11}


def test_where_heavy_templates_scatter_farther_intervals_hold_less_often() -> None:
    """The figures of docs/measured-coverage.md are 96, 66: a few replications show which is which."""
    few, many = (held_where_heavy_scatter(size, 1, times, 40, 200) for size, times in ((10, 2), (100, 5)))
    assert few > 0.85
    assert many < 0.85
    app = typer.Typer()
    app.command()(coverage.main)
    told = (
        CliRunner().invoke(app, ["--heavy", "--replications", "2", "--resamples", "20"]).stdout.splitlines()
    )
    assert len(told) == 2 + 4
    assert {line.count("|") for line in told} == {6}

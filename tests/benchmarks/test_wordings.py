"""The simulated wordings: true parts against many, the estimator in use, and small runs of both tables."""

from __future__ import annotations

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from benchmarks import wordings
from benchmarks.wordings import Cell, cells, corrected_prejudice, estimates, split_of


def test_the_true_parts_are_what_many_wordings_of_many_meanings_show() -> None:
    cell = Cell(400, 60, 0.2, 0.1, 0.2)
    split = split_of(cell.drawn(1, np.random.default_rng(0))[0], cell, 5, 0)
    truths = cell.truths()
    assert (split.context, split.wording) == pytest.approx((truths["context"], truths["wording"]), abs=0.006)


def test_drawn_in_is_the_correction_in_use() -> None:
    cell = Cell(12, 3, 0.2, 0.2, 0.2)
    s = cell.drawn(4, np.random.default_rng(1))
    between, prejudice = estimates(s)["drawn in"], corrected_prejudice(s)
    found = [split_of(one, cell, 5, 0) for one in s]
    risks = np.abs(s).mean(axis=(1, 2, 3))
    assert [one.corrected_wording for one in found] == pytest.approx((risks - between).tolist(), abs=1e-9)
    context = (between - prejudice).tolist()
    assert [one.corrected_context for one in found] == pytest.approx(context, abs=5e-3)


def test_both_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    app = typer.Typer()
    app.command()(wordings.main)
    told = CliRunner().invoke(app, ["--replications", "5"]).stdout.splitlines()
    assert len(told) == 2 + 2 * 36 + 2
    assert {line.count("|") for line in told} == {14}
    few = list(cells())[:2]
    monkeypatch.setattr(wordings, "cells", lambda: iter(few))
    told = (
        CliRunner()
        .invoke(app, ["--intervals", "--replications", "3", "--resamples", "20"])
        .stdout.splitlines()
    )
    assert len(told) == 2 + 2
    assert {line.count("|") for line in told} == {16}

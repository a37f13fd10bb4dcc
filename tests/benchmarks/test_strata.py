"""The simulated slots: true risks against many, and a small run of the table."""

from __future__ import annotations

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from benchmarks import strata
from benchmarks.strata import Cell, Layout, cells


def test_the_true_risks_are_those_of_many_contexts_of_each_slot() -> None:
    cell = Cell(Layout.equal((3000, 1000, 2000)), 1.0, 0.5, 2.0)
    s = cell.drawn(np.random.default_rng(0))
    risk, prejudice = np.abs(s).mean(), np.abs(s.mean(axis=1)).mean()
    found = cell.truths(np.full(6000, 1 / 6000))
    assert list(found.values()) == pytest.approx([risk, prejudice, risk - prejudice], abs=0.02)


def test_the_shipped_layout_has_families_of_three_slots() -> None:
    layout = Layout.shipped()
    assert {slot: layout.slots.count(slot) for slot in set(layout.slots)} == {
        "determiner": 13,
        "pronoun": 4,
        "noun": 2,
    }


def test_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    app, some = typer.Typer(), [*cells()][:2]
    app.command()(strata.main)
    monkeypatch.setattr(strata, "cells", lambda: iter(some))
    told = CliRunner().invoke(app, ["--replications", "3", "--resamples", "20"]).stdout.splitlines()
    assert len(told) == 2 + 2
    assert {line.count("|") for line in told} == {11}

"""The simulation of sampled risk: its corrections at the worked numbers, and its tables."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.answers import Cell, beta_grids, cells, compare, halves, interval_rows


def test_corrections_know_their_distributions() -> None:
    """Halves of even answers cancel; a beta-binomial sums to 1, and E |2 p − 1| of a uniform p is ½."""
    from scipy.stats import binom

    assert binom.pmf(range(11), 10, 0.5) @ halves(10) == pytest.approx(0)
    logs, expected = beta_grids(5)
    assert np.exp(logs).sum(axis=0) == pytest.approx(1)
    from benchmarks.answers import BETA_SPREADS

    uniform = [np.interp(1 / 3, BETA_SPREADS, row) for row in expected]
    assert uniform[30] == pytest.approx(0.5, abs=5e-3)


def test_tables_have_a_row_for_each_cell() -> None:
    head, *rows, mean = compare(iter([Cell(4, 5, 0.7, 0.1)]), 3)
    assert head.count("drawn in") == 2
    assert len(rows) == 1
    assert mean.startswith("| mean error")
    _, row = interval_rows(iter([Cell(4, 5, 0.7, 0.1)]), 2, 20)
    assert row.startswith("| 4 | 5 | 0.7 | 0.1 | 0.403 |")
    assert len(list(cells((30,)))) == 27

"""Rates of answers."""

from __future__ import annotations

from pcf_core.texts.criteria.records.quantities import RATES, Confusion


def test_an_empty_matrix_has_no_rate() -> None:
    assert [Confusion().rate(name) for name in RATES] == [None] * 4

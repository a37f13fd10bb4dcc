"""Several comparisons: their p-values are controlled together, each quantity apart."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from pcf_core.audit import controlled
from pcf_core.records.comparison import Comparison
from tests.charts.compared import RISKS, compared_example, difference


def with_p(p_value: float) -> Comparison:
    """A comparison whose interval leaves out 0 and whose totals have this p-value."""
    clear = replace(difference(0.6, 0.2, clear=True), p_value=p_value, adjusted=None)
    return replace(compared_example(), differences=dict.fromkeys(RISKS, clear))


def test_three_by_hand() -> None:
    """Of 0.01, 0.04 and 0.03 Holm makes 0.03, 0.06 and 0.06: the smallest alone stays below 0.05."""
    found = controlled([with_p(0.01), with_p(0.04), with_p(0.03)])
    for risk in RISKS:
        totals = [comparison.differences[risk] for comparison in found]
        assert [total.controlled_p for total in totals] == pytest.approx([0.03, 0.06, 0.06])
        assert [total.p_value for total in totals] == [0.01, 0.04, 0.03]
        assert [total.verdict for total in totals] == ["first", "unclear", "unclear"]


@given(st.lists(st.floats(0.0005, 1), min_size=2, max_size=6))
def test_by_holms_definition_and_never_less_than_before(p_values: list[float]) -> None:
    """A p-value is the largest of those up to it, each times the number of those not below it, at most 1."""
    found = [
        comparison.differences["overall_risk"] for comparison in controlled([with_p(p) for p in p_values])
    ]
    times = {p: sum(other >= p for other in p_values) for p in p_values}
    expected = [max(min(1.0, times[p] * p) for p in p_values if p <= mine) for mine in p_values]
    assert [total.controlled_p for total in found] == pytest.approx(expected)
    assert all(total.controlled_p >= total.p_value for total in found)


def test_as_statsmodels_does() -> None:
    """Once: its function collects garbage at every call."""
    p_values = [0.2, 0.004, 0.03, 0.03, 0.9, 0.011]
    found = controlled([with_p(p) for p in p_values])
    expected = multipletests(p_values, method="holm")[1]
    assert [item.differences["caprice_risk"].controlled_p for item in found] == pytest.approx(list(expected))


def test_one_comparison_is_no_several() -> None:
    (found,) = controlled([with_p(0.04)])
    assert found.differences["overall_risk"].adjusted is None
    assert found.differences["overall_risk"].verdict == "first"
    assert controlled([]) == ()

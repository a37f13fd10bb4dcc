"""Several comparisons: their p-values are controlled together, each quantity apart."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from pcf_core.audit.comparing import controlled
from pcf_core.core.risk import Comparison
from tests.show.charts.compared import RISKS, compared_example, difference


def with_p(p_value: float, least_p: float = 0.0005) -> Comparison:
    """A comparison whose interval leaves out 0 and whose totals have this p-value."""
    clear = replace(difference(0.6, 0.2, clear=True, least_p=least_p), p_value=p_value, adjusted=None)
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


@given(st.lists(st.tuples(st.floats(0.0005, 1), st.floats(0, 1)), min_size=2, max_size=6))
def test_no_controlled_p_value_is_below_the_least(pairs: list[tuple[float, float]]) -> None:
    """Each p-value lies anywhere between its own least one and 1."""
    for found in controlled([with_p(least + part * (1 - least), least) for least, part in pairs]):
        total = found.differences["overall_risk"]
        assert total.least_p <= total.controlled_p + 1e-12


def test_seven_templates_are_too_few_for_six_pairs() -> None:
    """All swaps of 7 templates are 128, so that p is at least 2/128; of six at once 12/128 = 0.094."""
    few = [with_p(2 / 128, 2 / 128)] * 6
    assert few[0].differences["overall_risk"].verdict == "first"
    for found in controlled(few):
        for total in found.differences.values():
            assert total.least_p == pytest.approx(12 / 128)
            assert total.verdict == "too few"
    assert [found.differences["overall_risk"].verdict for found in controlled(few[:3])] == ["first"] * 3


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

"""Numbers as people read them."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.risk import Interval
from pcf_core.material.evidence import list_evidence
from pcf_core.show.findings.numbers import (
    LETTERS,
    before_rounding,
    begun,
    beside_one,
    called,
    chance,
    count,
    digits,
    effective_count,
    listed,
    number,
    p_value,
    percent,
    percent_with_interval,
    risk_name,
    signed,
    two_decimals,
    with_interval,
    words_of,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.52349, "0.523"),
        (0.52, "0.52"),
        (0.0, "0"),
        (-0.0, "0"),
        (3.7e-18, "0"),
        (1.0, "1"),
        (-0.8349, "−0.835"),
        (0.00118, "0.00118"),
        (2.5e-7, "2.5×10⁻⁷"),
        (-2.518e-5, "−2.52×10⁻⁵"),
        (12.345, "12.3"),
        (100.0, "100"),
        (1204.4, "1,204"),
        (None, "unknown"),
        (math.nan, "unknown"),
    ],
)
def test_data_have_three_significant_digits(value: float | None, text: str) -> None:
    assert digits(value) == text


@given(st.floats(min_value=-1e6, max_value=1e6))
def test_a_number_can_be_read_back(value: float) -> None:
    text = digits(value).replace("−", "-").replace(",", "")
    if "×10" in text:
        mantissa, exponent = text.split("×10")
        text = f"{mantissa}e{exponent.translate(str.maketrans('⁻⁰¹²³⁴⁵⁶⁷⁸⁹', '-0123456789'))}"
    assert float(text) == pytest.approx(value, rel=0.0051, abs=1e-12)


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (0.52, 0.50, 0.54, "0.52 (0.50–0.54)"),
        (0.5234, 0.501, 0.5449, "0.52 (0.50–0.54)"),
        (1.0, 1.0, 1.0, "1.00 (1.00–1.00)"),
        (0.0012, 0.0008, 0.0019, "under 0.005"),
        (0.0012, 0.0008, 0.019, "under 0.005 (0.00–0.02)"),
        (0.0, 0.0, 0.03, "0 (0.00–0.03)"),
        (0.0, 0.0, 0.0, "0"),
        (-0.1, -0.25, 0.1, "−0.10 (−0.25 to 0.10)"),
        (0.1, -0.1, 0.25, "0.10 (−0.10 to 0.25)"),
        (-0.001, -0.002, 0.0, "above −0.005"),
        (120.0, 100.0, 140.0, "120 (100–140)"),
    ],
)
def test_an_interval_has_two_decimals_as_its_number(value: float, low: float, high: float, text: str) -> None:
    assert with_interval(value, Interval(low=low, high=high)) == text


def test_without_an_interval_the_number_stands_alone() -> None:
    assert with_interval(0.52, None) == "0.52"
    assert with_interval(0.52, Interval(low=math.nan, high=1.0)) == "0.52"
    assert with_interval(math.nan, Interval(low=0.0, high=1.0)) == "unknown"


@given(st.floats(min_value=0, max_value=1), st.floats(min_value=0, max_value=1))
def test_no_result_has_more_than_two_decimals(value: float, low: float) -> None:
    text = with_interval(value, Interval(low=low, high=1.0)).replace("under 0.005", "")
    assert not re.search(r"\.\d{3}", text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.3, "0.30"),
        (0.0, "0"),
        (0.0049, "under 0.005"),
        (-0.12, "−0.12"),
        (-0.0001, "above −0.005"),
        (93.27, "93.3"),
        (1204.4, "1,204"),
        (math.nan, "unknown"),
        (None, "unknown"),
    ],
)
def test_results_have_two_decimals(value: float | None, text: str) -> None:
    assert two_decimals(value) == text


def test_settings_carry_no_trailing_zeros() -> None:
    assert [number(value) for value in (0.5, 2.0, 14.2, 0.0, None)] == ["0.5", "2", "14.2", "0", "unknown"]


def test_effective_numbers_have_one_decimal() -> None:
    found = [effective_count(value) for value in (2.8169, 4.0, 72.14, 1203.7)]
    assert found == ["2.8", "4", "72.1", "1,204"]


def test_differences_carry_a_sign_and_none_when_they_round_to_0() -> None:
    assert [signed(value) for value in (0.123, -0.03, 0.001, -0.001)] == ["+0.12", "−0.03", "0.00", "0.00"]


def test_small_probabilities_are_one_in_so_many() -> None:
    assert [chance(value) for value in (5.9e-4, 0.02, 0.0)] == ["about 1 in 1,700", "2 %", "0 %"]


def test_p_values_have_three_decimals_at_most_and_bounds_are_rounded_up() -> None:
    assert [p_value(value) for value in (0.77, 0.0162, 0.0004)] == ["p = 0.77", "p = 0.016", "p under 0.001"]
    assert p_value(0.0012, at_most=True) == "p at most 0.002"


def test_a_share_loses_its_interval_where_whole_per_cent_show_none() -> None:
    assert percent_with_interval(0.93, Interval(low=0.81, high=0.98)) == "93 % (81–98 %)"
    assert percent_with_interval(0.5, Interval(low=0.499, high=0.501)) == "50 %"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"),
        (0.0004, "under 1 %"),
        (0.008, "1 %"),
        (0.931, "93 %"),
        (0.998, "over 99 %"),
        (0.992, "99 %"),
        (1.0, "100 %"),
        (math.nan, "unknown"),
    ],
)
def test_shares_are_0_or_100_per_cent_only_where_exact(share: float, text: str) -> None:
    assert percent(share) == text


def test_counts_carry_separators_and_their_noun() -> None:
    assert count(2000) == "2,000"
    assert count(1, "template") == "1 template"
    assert count(2000, "template") == "2,000 templates"


def test_lists_read_as_sentences() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(["a", "b", "c"]) == "a, b and c"


def test_occupations_that_are_letters_have_capitals() -> None:
    names = {"cio": "CIO", "coo": "COO", "ceo": "CEO", "cook": "cook", "vice": "vice"}
    assert {name: called(name) for name in names} == names
    shipped = {term for evidence in list_evidence() for term in evidence.terms}
    assert {"ceo", "cfo", "cio", "coo"} <= LETTERS <= shipped, "as the lists have them"


def test_words_are_for_people_and_other_groups_are_quoted() -> None:
    assert words_of("male") == "words for men"
    assert words_of("jew") == "words for Jewish people"
    assert words_of("tenors") == "words of “tenors”"


@pytest.mark.parametrize(
    ("value", "ends", "text"),
    [
        (1.00268, (1.00076, 1.00478), "1.003 (1.001–1.005)"),
        (1.00228, (1.00013, 1.00487), "1.0023 (1.0001–1.0049)"),
        (2.5, (1.9, 3.1), "2.50 (1.90–3.10)"),
        (1.0, None, "1.00"),
        (0.667, None, "0.67"),
        (12345.6, None, "12,345.60"),
        (1 + 1e-9, None, "1.000"),
        (float("nan"), None, "unknown"),
        (None, None, "unknown"),
    ],
)
def test_a_number_beside_one_shows_how_far_it_is(
    value: float | None, ends: tuple[float, float] | None, text: str
) -> None:
    interval = None if ends is None else Interval(low=ends[0], high=ends[1])
    assert beside_one(value, interval) == text


def test_a_quantity_of_the_decomposition_has_a_name_and_no_other_has() -> None:
    assert risk_name("overall_risk") == "risk"
    assert risk_name("caprice_risk") == "caprice"
    with pytest.raises(KeyError):
        risk_name("tilt")


@pytest.mark.parametrize(
    ("sentence", "language", "text"),
    [
        ("işçi dedi ki", "tr", "İşçi dedi ki"),
        ("ılık", "tr", "Ilık"),
        ("işçi", "en", "Işçi"),
        ("ijs is koud", "nl", "IJs is koud"),
        ("ijs is koud", "nl-BE", "IJs is koud"),
        ("ijs", "en", "Ijs"),
        ("nurse said", "en", "Nurse said"),
        ("ექთანი", "ka", "ექთანი"),
        ("ǆ", "hr", "ǅ"),
        ("", "tr", ""),
        ("3 of 4", "en", "3 of 4"),
    ],
)
def test_a_sentence_begins_as_its_language_has_it(sentence: str, language: str, text: str) -> None:
    assert begun(sentence, language) == text


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (0.2953, 0.4612, ", that is 0.295 − 0.461"),  # 0.30 and 0.46, 0.17 apart
        (0.4612, 0.2953, ", that is 0.461 − 0.295"),
        (0.30, 0.46, ""),
        (0.304, 0.456, ", that is 0.304 − 0.456"),  # 0.30 and 0.46, 0.15 apart
        (0.302, 0.458, ""),
        (0.2, 0.2, ""),
    ],
)
def test_a_difference_that_rounded_figures_do_not_have_names_unrounded_ones(
    first: float, second: float, said: str
) -> None:
    assert before_rounding(first, second) == said

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep
from statsmodels.stats.weightstats import ttest_ind

from pcf_core.core.errors import CriteriaError, CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.texts.criteria.effects import (
    cohens_d,
    drawn_differences,
    effect_gap,
    gender_difference,
    mann_whitney,
)

EXAMPLE = ([np.array([1.0, 3.0]), np.array([5.0, 3.0])], [np.array([0.0, 2.0]), np.array([2.0, 0.0])])
values = st.lists(st.floats(-100, 100).map(lambda value: round(value, 3)), min_size=1, max_size=4).map(
    np.array
)
sides = st.lists(values, min_size=2, max_size=5)


def names_with(
    generator: np.random.Generator, count: int, texts: int, own: float, mean: float
) -> list[FloatArray]:
    """Names whose means spread by ``own`` and whose texts spread by 1 about them."""
    return [generator.normal(mean + own * generator.normal(), 1, size=texts) for _ in range(count)]


def test_the_worked_example() -> None:
    compared = gender_difference(*EXAMPLE)
    assert (compared.female, compared.male, compared.difference) == (3, 1, 2)
    assert compared.effect == pytest.approx(2**0.5)
    assert compared.p_value == pytest.approx(mann_whitney(np.array([2.0, 4.0]), np.array([1.0, 1.0])))
    assert compared.names == (2, 2)
    assert compared.texts == (4, 4)


@given(values, values)
def test_d_is_the_t_statistic_of_equal_variances(female: FloatArray, male: FloatArray) -> None:
    effect = cohens_d(female, male)
    if effect is None:
        return
    t = ttest_ind(female, male, usevar="pooled")[0]
    assert effect == pytest.approx(t * np.sqrt(1 / len(female) + 1 / len(male)), rel=1e-6, abs=1e-9)


@given(sides, sides)
def test_exchanging_the_genders_turns_every_sign(female: list[FloatArray], male: list[FloatArray]) -> None:
    one = gender_difference(female, male, resamples=100)
    other = gender_difference(male, female, resamples=100)
    assert one.difference == pytest.approx(-other.difference)
    assert (one.effect is None) == (other.effect is None)
    if one.effect is not None and other.effect is not None:
        assert one.effect == pytest.approx(-other.effect)
    assert one.p_value == pytest.approx(other.p_value)


@given(sides, sides, st.floats(-50, 50), st.floats(0.1, 10))
def test_d_does_not_hang_on_the_scale(
    female: list[FloatArray], male: list[FloatArray], shift: float, stretch: float
) -> None:
    one = cohens_d(np.concatenate(female), np.concatenate(male))
    if one is None or abs(one) > 1e3:
        return
    moved = cohens_d(np.concatenate(female) * stretch + shift, np.concatenate(male) * stretch + shift)
    assert moved == pytest.approx(one, rel=1e-5, abs=1e-6)


def test_the_draws_are_those_of_a_loop() -> None:
    drawn = drawn_differences(*EXAMPLE, resamples=100, seed=3)
    generator = np.random.default_rng(3)
    times = [generator.multinomial(2, [0.5, 0.5], size=100) for _ in range(2)]
    for draw in range(100):
        female, male = (
            np.concatenate([one for one, many in zip(side, row[draw], strict=True) for _ in range(many)])
            for side, row in zip(EXAMPLE, times, strict=True)
        )
        assert drawn[0, draw] == pytest.approx(female.mean() - male.mean())
        assert drawn[1, draw] == pytest.approx(cohens_d(female, male))


def test_without_spread_there_is_no_d_and_the_difference_stays() -> None:
    compared = gender_difference([np.ones(3), np.ones(2)], [np.zeros(3), np.zeros(3)])
    assert compared.effect is None
    assert compared.effect_interval is None
    assert compared.undefined
    assert compared.difference == 1
    assert compared.interval is not None
    assert gender_difference([np.ones(2)], [np.ones(2)]).p_value == 1


def test_a_label_that_no_text_has_is_no_certainty_of_other_names() -> None:
    """The interval had no width.  Twenty names a side, none with the label: Newcombe's of 0/20 and 0/20."""
    side = [np.zeros(3)] * 20
    low, high = confint_proportions_2indep(0, 20, 0, 20, method="newcomb")
    compared = gender_difference(side, side, shares=True)
    assert (compared.interval.low, compared.interval.high) == pytest.approx((low, high))
    mixed = [[np.array([0.0, 1.0, 0.0])] * 10 + [np.zeros(3)] * 10, side]
    assert gender_difference(*mixed, shares=True) == gender_difference(*mixed)


def test_of_a_single_name_nothing_is_known_of_others() -> None:
    compared = gender_difference([np.array([1.0, 2.0])], EXAMPLE[1])
    assert compared.effect is not None
    assert compared.interval is None
    assert compared.effect_interval is None


def test_names_without_a_text_are_left_out() -> None:
    assert gender_difference([*EXAMPLE[0], np.array([])], EXAMPLE[1]) == gender_difference(*EXAMPLE)


@pytest.mark.parametrize(
    ("female", "resamples", "error", "reason"),
    [
        ([], 100, CriteriaError, "female"),
        ([np.array([np.nan])], 100, CriteriaError, "finite"),
        (EXAMPLE[0], 10, CriterionError, "100"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    female: list[FloatArray], resamples: int, error: type[Exception], reason: str
) -> None:
    with pytest.raises(error, match=reason):
        gender_difference(female, EXAMPLE[1], resamples=resamples)


@pytest.mark.slow
def test_texts_of_a_name_hang_together_and_the_test_of_names_knows() -> None:
    """Without any difference: the test of names rejects about 5 %, that of texts far more."""
    generator = np.random.default_rng(0)
    names, texts = 0, 0
    for _ in range(300):
        pair = [names_with(generator, 20, 10, own=0.7, mean=0.0) for _ in range(2)]
        compared = gender_difference(*pair, resamples=100)
        names += compared.p_value <= 0.05
        texts += compared.texts_p_value <= 0.05
    assert names / 300 < 0.09
    assert texts / 300 > 0.2


@pytest.mark.slow
@pytest.mark.parametrize("count", [8, 30])
def test_intervals_over_names_hold_the_truth(count: int) -> None:
    generator = np.random.default_rng(1)
    truth, spread = 0.5, np.sqrt(1 + 0.5**2)
    held = np.zeros(2)
    for _ in range(300):
        pair = [names_with(generator, count, 5, own=0.5, mean=mean) for mean in (truth, 0.0)]
        compared = gender_difference(*pair, resamples=400)
        held += [
            compared.interval.low <= truth <= compared.interval.high,
            compared.effect_interval.low <= truth / spread <= compared.effect_interval.high,
        ]
    assert (held / 300 > 0.91).all(), held / 300
    assert (held / 300 < 0.99).all(), held / 300


def test_the_gap_of_a_model_to_itself_is_nothing() -> None:
    difference, interval = effect_gap(EXAMPLE, EXAMPLE, resamples=200)
    assert difference == 0
    assert interval is None or (interval.low, interval.high) == (0, 0)
    with pytest.raises(CriteriaError, match="same names"):
        effect_gap(EXAMPLE, (EXAMPLE[0][:1], EXAMPLE[1]))


def test_the_gap_of_two_models_draws_the_same_names() -> None:
    """Two models that share the names' whims: the paired interval is the narrower one."""
    generator = np.random.default_rng(2)
    whims = generator.normal(size=(2, 30))
    pairs = [
        tuple([whim + generator.normal(0, 0.3, size=5) for whim in side] for side in whims) for _ in range(2)
    ]
    difference, interval = effect_gap((pairs[0][0], pairs[0][1]), (pairs[1][0], pairs[1][1]))
    single = gender_difference(*pairs[0]).effect_interval
    assert interval.low <= difference <= interval.high
    assert interval.high - interval.low < (single.high - single.low) / 2

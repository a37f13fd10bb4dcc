"""Leans of a model beside those of its text: worked examples, properties, second opinions, coverage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm
from statsmodels.stats.proportion import proportion_confint

from pcf_core.core.errors import CriterionError
from pcf_core.core.factors import Amplification, OccupationRead, ReadCount
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval
from pcf_core.measure.amplification import amplification_of, lean_interval, occupations_read
from pcf_core.measure.comparison import adjusted_p_values
from pcf_core.measure.resampling import TemplateUnit
from tests.quick import quick, scaled


def counted(he: int, she: int) -> ReadCount:
    return ReadCount(occupation="x", he=he, she=she, neither=0, as_word=he + she)


def compare(
    counts: list[ReadCount],
    says: FloatArray,
    half: float = 0.05,
    resamples: int = 200,
    templates: int = 4,
    seed: int = 0,
) -> Amplification:
    """A model that says the same in every template, with intervals of a given half-width."""
    return amplification_of(
        counts,
        np.repeat(np.asarray(says, dtype=np.float64)[:, np.newaxis], templates, axis=1),
        TemplateUnit.templates(np.ones(templates)),
        [Interval(low=float(value) - half, high=float(value) + half) for value in says],
        resamples=resamples,
        seed=seed,
    )


def simulated(
    generator: np.random.Generator, slope: float, occupations: int = 80, documents: int = 25
) -> tuple[list[ReadCount], FloatArray]:
    """Counts drawn around leans, and stereotypes around slope · lean + 0.1."""
    leans = generator.uniform(-0.7, 0.7, occupations)
    he = generator.binomial(documents, (leans + 1) / 2)
    says = 0.1 + slope * leans + generator.normal(0, 0.1, occupations)
    return [counted(int(k), documents - int(k)) for k in he], says


def test_a_worked_example_by_hand() -> None:
    """Two leans of ±0.6 from 20 documents each: variance 0.36, of which 4 · 0.8 · 0.2 / 19 is noise."""
    counts = [counted(16, 4), counted(4, 16)] * 6
    found = compare(counts, np.array([0.4, -0.2] * 6))
    noise = 4 * 0.8 * 0.2 / 19 * (11 / 12)
    assert found.line is not None
    assert found.line.plain == pytest.approx(0.3 * 0.6 / 0.36)
    assert found.line.slope == pytest.approx(0.18 / (0.36 - noise))
    assert found.line.reliability == pytest.approx(1 - noise / 0.36)
    assert found.line.intercept == pytest.approx(0.1)
    assert found.shift == pytest.approx(0.1)
    assert found.ranks is not None
    assert found.ranks[0] == pytest.approx(1)


@settings(max_examples=scaled(20))
@given(st.floats(-2, 2), st.floats(-0.5, 0.5), st.integers(0, 9))
def test_the_slope_follows_scale_and_shift_of_what_the_model_says(
    scale: float, shift: float, seed: int
) -> None:
    counts, says = simulated(np.random.default_rng(seed), 0.5, 20)
    one, other = compare(counts, says, resamples=20), compare(counts, scale * says + shift, resamples=20)
    assert one.line is not None
    assert other.line is not None
    assert other.line.slope == pytest.approx(scale * one.line.slope, abs=1e-9)
    assert other.line.plain == pytest.approx(scale * one.line.plain, abs=1e-9)
    assert other.line.reliability == pytest.approx(one.line.reliability)
    assert abs(other.line.slope) >= abs(other.line.plain)


def test_the_correction_undoes_what_few_documents_flatten() -> None:
    """Over many texts the corrected slope is the true one, and the plain slope is not."""
    generator = np.random.default_rng(0)
    lines = [compare(*simulated(generator, 0.8), resamples=2).line for _ in range(60)]
    slopes = np.array([(line.slope, line.plain) for line in lines if line])
    mean, error = slopes.mean(axis=0), slopes.std(axis=0) / np.sqrt(len(slopes))
    assert abs(mean[0] - 0.8) < 3 * error[0]
    assert mean[1] < 0.8 - 5 * error[1]


def held_and_width(
    generator: np.random.Generator,
    weights: FloatArray,
    differ: float,
    *,
    occupations: int = 60,
    slope: float = 0.3,
    texts: int = 100,
    long_tails: bool = False,
) -> tuple[float, float]:
    """How often intervals hold the slope, and their width against that of a known standard error.

    Each template has a slope of its own, around the true one with the s.d. ``differ``, and a level.
    """
    unit, slopes, held, widths = TemplateUnit.templates(weights), [], [], []
    for text in range(texts):
        leans = generator.uniform(-0.7, 0.7, occupations)
        if long_tails:
            leans = np.where(generator.random(occupations) < 0.1, -0.8, 0.4 + leans / 2)
        he = generator.binomial(100, (leans + 1) / 2)
        residuals = (
            generator.standard_t(4, occupations) if long_tails else generator.normal(0, 1, occupations)
        )
        own = slope + differ * generator.normal(0, 1, weights.size)
        level = generator.normal(0, 0.1, weights.size)
        noise = generator.normal(0, 0.1, (occupations, weights.size))
        line = amplification_of(
            [counted(int(k), 100 - int(k)) for k in he],
            leans[:, np.newaxis] * own + level + 0.1 * residuals[:, np.newaxis] + noise,
            unit,
            [Interval(low=-1, high=1)] * occupations,
            resamples=400,
            seed=text,
        ).line
        if line is not None:
            slopes.append(line.slope)
            held.append(line.interval.low <= slope <= line.interval.high)
            widths.append(line.interval.high - line.interval.low)
    return float(np.mean(held)), float(np.mean(widths) / (2 * 1.96 * np.std(slopes)))


ALIKE = np.full(20, 1 / 20)
UNLIKE = 1 / np.arange(1.0, 61) / (1 / np.arange(1.0, 61)).sum()  # the heaviest has 21 % of all, as mined


@pytest.mark.parametrize("weights", [ALIKE, UNLIKE], ids=["alike", "unlike"])
@pytest.mark.parametrize("differ", quick([0.02, 0.2, 0.8], (0.02).__eq__))
def test_intervals_hold_the_slope_and_are_no_wider_than_need_be(weights: FloatArray, differ: float) -> None:
    """However much templates differ and weigh; as if all weighed like the heaviest it was up to 1.8."""
    held, width = held_and_width(np.random.default_rng(1), weights, differ)
    assert held >= 0.9
    assert width <= 1.4


@pytest.fixture
def slope_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out single occupations and the band of the line: no interval of a slope depends on them."""
    monkeypatch.setattr("pcf_core.measure.amplification.occupations_read", lambda *_: ())
    monkeypatch.setattr("pcf_core.measure.amplification.PLACES", 1)


@pytest.mark.slow
@pytest.mark.usefixtures("slope_alone")
@pytest.mark.parametrize(
    ("weights", "occupations", "long_tails"),  # each value of one with each of another
    [(ALIKE, 20, False), (UNLIKE, 80, False), (ALIKE, 80, True), (UNLIKE, 20, True)],
    ids=["alike", "unlike", "alike, long tails", "unlike, long tails"],
)
@pytest.mark.parametrize("differ", [0.0, 0.2, 0.8])
def test_intervals_of_many_texts_hold_the_slope(
    weights: FloatArray, differ: float, occupations: int, long_tails: bool
) -> None:
    """600 texts each; where leans have outliers and residuals long tails too: few of 20 tell the slope."""
    held, width = held_and_width(
        np.random.default_rng(2), weights, differ, occupations=occupations, texts=600, long_tails=long_tails
    )
    assert held >= 0.93
    assert width <= (1.5 if occupations == 80 or not long_tails else 2.2)


@pytest.mark.slow
@pytest.mark.usefixtures("slope_alone")
@pytest.mark.parametrize("slope", [0.2, 1.0])
def test_intervals_hold_the_truth_where_documents_are_few(slope: float) -> None:
    """95 % intervals over occupations and documents in 600 simulated texts of 25 documents an occupation."""
    generator = np.random.default_rng(1)
    lines = [compare(*simulated(generator, slope, 60), resamples=500, seed=text).line for text in range(600)]
    held = [line.interval.low <= slope <= line.interval.high for line in lines if line]
    assert 0.93 <= np.mean(held) <= 0.985


def test_as_many_units_as_the_sources_of_the_variance_tell() -> None:
    """By hand: occupations at ±0.6, so that all count alike; templates 3 : 1 that say the same or not."""
    counts = [counted(16, 4), counted(4, 16)] * 6
    says = np.array([0.4, -0.2, 0.5, -0.3] * 3)
    unit = TemplateUnit.templates([3, 1])

    def half_width(shift: float) -> float:
        stereotypes = says[:, np.newaxis] + shift * np.outer([1, -1] * 6, [1, -3])
        line = amplification_of(
            counts, stereotypes, unit, [Interval(low=-1, high=1)] * 12, resamples=4000
        ).line
        assert line is not None
        return (line.plain_interval.high - line.plain_interval.low) / 2

    # Residuals of ±0.05 around 0.1 + 0.5833 x: over occupations the slope has the variance 0.05² / 12 / 0.36.
    alone = (0.05**2 / 12 / 0.36) ** 0.5 * 12 / 11 * 2.201
    assert half_width(0.0) == pytest.approx(alone, rel=0.1)
    assert half_width(0.02) > 1.5 * alone


def test_the_slope_is_that_of_least_squares_and_its_interval_that_of_a_second_bootstrap() -> None:
    generator = np.random.default_rng(2)
    counts, says = simulated(generator, 0.6)
    line = compare(counts, says, resamples=4000, templates=100).line
    leans = np.array([count.lean for count in counts])
    assert line is not None
    assert line.plain == pytest.approx(np.polyfit(leans, says, 1)[0])
    drawn = generator.integers(len(leans), size=(4000, len(leans)))
    again = [np.polyfit(leans[rows], says[rows], 1)[0] for rows in drawn]
    assert np.quantile(again, [0.025, 0.975]) == pytest.approx(
        [line.plain_interval.low, line.plain_interval.high], abs=0.02
    )


@pytest.mark.parametrize(("slope", "said"), [(0.2, "flattens"), (1.6, "amplifies"), (-0.8, "reverses")])
def test_verdicts_of_a_slope(slope: float, said: str) -> None:
    counts, says = simulated(np.random.default_rng(4), slope, 120, 400)
    line = compare(counts, says).line
    assert line is not None
    assert line.verdict == said


def test_a_copy_is_told_as_one_only_where_the_interval_is_narrow() -> None:
    many = compare(*simulated(np.random.default_rng(5), 1.0, 200, 4000)).line
    few = compare(*simulated(np.random.default_rng(5), 1.0, 12, 25)).line
    assert many is not None
    assert few is not None
    assert (many.verdict, few.verdict) == ("copies", "cannot tell")


def test_why_there_is_no_slope() -> None:
    few = compare([counted(12, 8)] * 9, np.zeros(9))
    assert (few.line, few.no_line) == (None, "9 occupations, fewer than 10")
    assert "has the same preference" in compare([counted(12, 8)] * 12, np.linspace(0, 1, 12)).no_line
    lone = [counted(60, 40)] * 11 + [counted(10, 90)]
    assert "one occupation has more influence" in compare(lone, np.linspace(0, 1, 12)).no_line
    noisy = [counted(10 + shift, 10 - shift) for shift in (-1, 0, 1) * 4]
    assert "too few" in compare(noisy, np.linspace(0, 1, 12)).no_line


def test_draws_of_occupations_that_lean_alike_are_passed_over() -> None:
    counts = [counted(60, 40)] * 9 + [counted(10, 90), counted(12, 88), counted(14, 86)]
    line = compare(counts, np.linspace(0.3, 0.1, 12)).line
    assert line is not None
    assert np.isfinite([*line.ends, *line.low, *line.high]).all()


def test_the_same_seed_gives_the_same_and_templates_widen() -> None:
    generator = np.random.default_rng(6)
    counts, says = simulated(generator, 0.5, 30)
    noisy = says[:, np.newaxis] + generator.normal(0, 0.5, (1, 20))
    unit = TemplateUnit.templates(np.ones(20))
    ends = [Interval(low=-1, high=1)] * 30
    one, other = (amplification_of(counts, noisy, unit, ends, resamples=300) for _ in range(2))
    assert one.shift_interval == other.shift_interval
    still = compare(counts, noisy.mean(axis=1), resamples=300, templates=20)
    assert one.shift_interval.high - one.shift_interval.low > 1.5 * (
        still.shift_interval.high - still.shift_interval.low
    )


@pytest.mark.parametrize(
    ("counts", "shape", "said"),
    [
        ([], (0, 4), "at least one"),
        ([(1, 0)], (1, 4), "from 2 documents"),
        ([(5, 5)], (1, 3), "the shape [1, 3]"),
    ],
)
def test_what_is_refused(counts: list[tuple[int, int]], shape: tuple[int, int], said: str) -> None:
    with pytest.raises(CriterionError) as error:
        amplification_of(
            [counted(*pair) for pair in counts],
            np.zeros(shape),
            TemplateUnit.templates(np.ones(4)),
            [Interval(low=-1, high=1)] * len(counts),
        )
    assert said in str(error.value)


# One occupation: Wilson's interval, the difference and its p value a second time, verdicts.


Z = norm.ppf(0.975)


def one(he: int, she: int, says: float, half: float = 0.05) -> OccupationRead:
    """The comparison of one occupation, with an interval of a given half-width for what the model says."""
    count = ReadCount(occupation="x", he=he, she=she, neither=0, as_word=he + she)
    return occupations_read([count], np.array([says]), [Interval(low=says - half, high=says + half)], 0.95)[0]


@settings(max_examples=scaled(30))
@given(st.integers(0, 30), st.integers(0, 30))
def test_turning_the_groups_turns_everything(he: int, she: int) -> None:
    assume(he + she > 0)
    first, turned = one(he, she, 0.3), one(she, he, -0.3)
    assert turned.difference == pytest.approx(-first.difference)
    assert turned.interval.low == pytest.approx(-first.interval.high)
    assert turned.p_value == pytest.approx(first.p_value)
    assert turned.verdict == first.verdict


@given(st.integers(0, 50), st.integers(2, 50), st.floats(0.5, 4))
def test_the_interval_of_a_lean_is_wilsons(hits: int, documents: int, quantile: float) -> None:
    hits = min(hits, documents)
    low, high = lean_interval(2 * hits / documents - 1, documents, quantile)
    expected = proportion_confint(hits, documents, alpha=2 * norm.sf(quantile), method="wilson")
    assert ((low + 1) / 2, (high + 1) / 2) == (
        pytest.approx(expected[0], abs=1e-9),
        pytest.approx(expected[1]),
    )


@pytest.mark.parametrize(
    ("he", "she", "says", "half"), [(16, 4, 0.1, 0.1), (4, 16, 0.3, 0.3), (20, 0, 0.5, 0.2)]
)
def test_the_interval_of_a_difference_and_its_p_value_a_second_time(
    he: int, she: int, says: float, half: float
) -> None:
    row = one(he, she, says, half)

    def ends(quantile: float) -> tuple[float, float]:
        low, high = proportion_confint(he, he + she, alpha=2 * norm.sf(quantile), method="wilson")
        text, margin = row.count.lean, half * quantile / Z
        below = np.sqrt(margin**2 + (2 * high - 1 - text) ** 2)
        above = np.sqrt(margin**2 + (text - 2 * low + 1) ** 2)
        return says - text - below, says - text + above

    assert (row.interval.low, row.interval.high) == pytest.approx(ends(Z))
    end = 0 if says > row.count.lean else 1
    assert row.p_value == pytest.approx(2 * norm.sf(brentq(lambda quantile: ends(quantile)[end], 1e-6, 30)))
    assert (row.p_value < 0.05) == (row.interval.low > 0 or row.interval.high < 0)


def test_false_discoveries_are_controlled_over_occupations() -> None:
    generator = np.random.default_rng(3)
    counts = [
        ReadCount(occupation=str(place), he=int(he), she=30 - int(he), neither=0, as_word=30)
        for place, he in enumerate(generator.integers(0, 31, 50))
    ]
    says = generator.uniform(-1, 1, 50)
    rows = occupations_read(
        counts, says, [Interval(low=value - 0.1, high=value + 0.1) for value in says], 0.95
    )
    expected = adjusted_p_values([row.p_value for row in rows])
    assert [row.adjusted for row in rows] == pytest.approx(expected.tolist())
    assert any(row.adjusted > row.p_value for row in rows)


def test_a_level_outside_0_and_1_is_refused() -> None:
    count = ReadCount(occupation="x", he=1, she=1, neither=0, as_word=2)
    with pytest.raises(CriterionError, match="between 0 and 1; got 1"):
        occupations_read([count], np.zeros(1), [Interval(low=-1, high=1)], 1.0)


@pytest.mark.parametrize(
    ("he", "she", "says", "half", "said"),
    [
        (19, 81, 0.5, 0.05, "reverses"),
        (600, 400, 0.9, 0.05, "amplifies"),
        (900, 100, 0.3, 0.05, "flattens"),
        (900, 100, -0.02, 0.05, "flattens"),
        (500, 500, -0.6, 0.05, "amplifies"),
        (500, 500, 0.02, 0.05, "copies"),
        (10, 10, 0.2, 0.05, "cannot tell"),
        (560, 440, -0.2, 0.4, "cannot tell"),
    ],
)
def test_verdicts_of_an_occupation(he: int, she: int, says: float, half: float, said: str) -> None:
    assert one(he, she, says, half).verdict == said

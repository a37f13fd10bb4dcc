"""Copies of templates add no information: intervals and tests are those of the templates without copies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.factors import ReadCount
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval
from pcf_core.measure.amplification import amplification_of
from pcf_core.measure.bootstrap import RISKS, risk_intervals
from pcf_core.measure.comparison import paired_comparison
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.distribution import mean_tilts
from pcf_core.measure.neutral import NeutralSides, around_neutral, neutral_differences
from pcf_core.measure.regression import template_noise
from pcf_core.measure.resampling import TemplateUnit
from pcf_core.measure.ties import risk_differences

TEMPLATES, COPIES = 10, 9
FEW = {"resamples": 60, "seed": 3}
LABELS = [f"meaning {place}" for place in range(TEMPLATES) for _ in range(COPIES + 1)]


def preferences(stereotypes: FloatArray) -> FloatArray:
    return np.stack([(1 + stereotypes) / 2, (1 - stereotypes) / 2], axis=-1)


def copied(values: FloatArray, axis: int) -> FloatArray:
    return np.repeat(values, COPIES + 1, axis=axis)


def units(weights: FloatArray) -> tuple[TemplateUnit, TemplateUnit]:
    """Return the unit of the templates, and that of their copies, which share the weight of each."""
    return TemplateUnit.templates(weights), TemplateUnit.templates(np.repeat(weights, COPIES + 1), LABELS)


def ends(intervals: tuple[Interval, ...]) -> list[float]:
    return [end for one in intervals for end in (one.low, one.high)]


@pytest.mark.parametrize("seed", range(4))
def test_ten_templates_and_the_same_with_nine_trivial_variants_have_ranges_of_one_width(seed: int) -> None:
    """Variants differ by a twentieth of what contexts do; without families ranges are a third as wide."""
    generator = np.random.default_rng(seed)
    contexts = generator.normal(0.1, 0.3, size=(15, TEMPLATES)).clip(-0.9, 0.9)
    variants = copied(contexts, 1) + generator.normal(0, 0.015, size=(15, TEMPLATES * (COPIES + 1)))
    plain, families = units(np.ones(TEMPLATES))
    alone = TemplateUnit.templates(np.ones(len(LABELS)))

    def widths(stereotypes: FloatArray, unit: TemplateUnit) -> FloatArray:
        found = risk_intervals(preferences(stereotypes), unit, np.ones(15), Criterion(), resamples=400)
        return np.array([found.intervals[name][0].high - found.intervals[name][0].low for name in RISKS])

    ratio = widths(variants, families) / widths(contexts, plain)
    assert ratio == pytest.approx(np.ones(3), abs=0.2)
    assert (widths(variants, alone) / widths(contexts, plain))[0] < 0.4


@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([Criterion(), Criterion.parse("l2", "bvf")]))
def test_exact_copies_change_nothing(seed: int, equal: bool, criterion: Criterion) -> None:
    generator = np.random.default_rng(seed)
    first, second = generator.dirichlet(np.ones(3), size=(2, 4, TEMPLATES))
    shares = generator.dirichlet(np.ones(4))
    plain, families = units(np.ones(TEMPLATES) if equal else np.arange(1.0, TEMPLATES + 1))
    one = risk_intervals(first, plain, shares, criterion, **FEW)
    other = risk_intervals(copied(first, 1), families, shares, criterion, **FEW)
    for name in RISKS:
        assert ends(other.intervals[name]) == pytest.approx(ends(one.intervals[name]), abs=1e-9)
        assert [found.unit for found in other.intervals[name]] == ["family", "occupation", "family"]
        np.testing.assert_allclose(other.occupations[name], one.occupations[name], atol=1e-9)
    assert one.correction is not None
    assert other.correction is not None
    np.testing.assert_allclose(other.correction.prejudice, one.correction.prejudice, atol=1e-9)
    pair = paired_comparison(first, second, plain, shares, criterion, permutations=80, **FEW)
    both = (copied(first, 1), copied(second, 1))
    copies = paired_comparison(*both, families, shares, criterion, permutations=80, **FEW)
    assert copies.permutations == pair.permutations
    for name in RISKS:
        mine, theirs = copies.totals[name], pair.totals[name]
        assert (mine.p_value, mine.least_p) == pytest.approx((theirs.p_value, theirs.least_p))
        assert ends(mine.intervals) == pytest.approx(ends(theirs.intervals), abs=1e-9)
        assert mine.basis is not None
        assert mine.verdict == theirs.verdict
    tied = risk_differences(
        both, families.weights, shares, criterion, families=LABELS, permutations=80, **FEW
    )[0, 1]
    assert tied.p_value == pytest.approx(pair.totals["overall_risk"].p_value)
    assert ends(tied.intervals) == pytest.approx(ends(pair.totals["overall_risk"].intervals[:1]), abs=1e-9)


@given(st.integers(0, 10_000))
def test_exact_copies_change_no_tilt_and_no_distance_from_neutral(seed: int) -> None:
    generator = np.random.default_rng(seed)
    values, neutral = (generator.dirichlet(np.ones(3), size=(2, rows, TEMPLATES)) for rows in (4, 3))
    shares = generator.dirichlet(np.ones(4))
    plain, families = units(np.ones(TEMPLATES))
    names = {"groups": list("abc"), "occupations": list("wxyz")}
    tilts, again = (
        mean_tilts(Criterion().stereotypes(some), unit, shares, **names, **FEW)
        for some, unit in ((values[0], plain), (copied(values[0], 1), families))
    )
    for group, tilt in tilts.items():
        drawn = tuple(again[group].intervals.values())
        assert ends(drawn) == pytest.approx(ends(tuple(tilt.intervals.values())), abs=1e-9)
    one = around_neutral(values[0], neutral[0], plain, shares, Criterion(), **FEW)
    other = around_neutral(copied(values[0], 1), copied(neutral[0], 1), families, shares, Criterion(), **FEW)
    for key, several in one.intervals.items():
        assert ends(other.intervals[key]) == pytest.approx(ends(several), abs=1e-9)
    sides = NeutralSides.of(values, neutral, shares)
    copies = NeutralSides.of(copied(values, 2), copied(neutral, 2), shares)
    found = neutral_differences(sides, plain, permutations=50, **FEW)
    for measure, copy in neutral_differences(copies, families, permutations=50, **FEW).items():
        assert (copy.p_value, copy.least_p) == pytest.approx((found[measure].p_value, found[measure].least_p))
        assert ends(copy.intervals) == pytest.approx(ends(found[measure].intervals), abs=1e-9)


def test_exact_copies_change_no_line_through_a_factor_or_the_training_text() -> None:
    generator = np.random.default_rng(0)
    counts = [
        ReadCount(occupation=str(place), he=40 + place * 4, she=120 - place * 4, neither=0, as_word=160)
        for place in range(20)
    ]
    lean = np.array([[2 * count.share - 1] for count in counts])
    stereotypes = (lean + generator.normal(0, 0.2, size=(20, TEMPLATES))).clip(-1, 1)
    plain, families = units(np.ones(TEMPLATES))
    own = [Interval(low=-1, high=1) for _ in counts]
    one = amplification_of(counts, stereotypes, plain, own, **FEW)
    other = amplification_of(counts, copied(stereotypes, 1), families, own, **FEW)
    assert one.line is not None
    assert other.line is not None
    assert other.shift_interval.unit == "family"
    for mine, theirs in (
        (other.shift_interval, one.shift_interval),
        (other.line.interval, one.line.interval),
    ):
        assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
    both = np.stack([stereotypes, -stereotypes], axis=-1)
    names = [count.occupation for count in counts]
    noise = template_noise(names, both, plain, Criterion(), "caprice_risk", **FEW)
    again = template_noise(names, copied(both, 1), families, Criterion(), "caprice_risk", **FEW)
    assert noise is not None
    assert again is not None
    np.testing.assert_allclose(again.deviations, noise.deviations, atol=1e-9)
    assert (again.freedom, again.unit) == (pytest.approx(noise.freedom), "family")

"""Caprice split by context and wording: worked, by hand, and as identities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.measure.bootstrap import risk_intervals
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import decompose
from pcf_core.measure.families import Families
from pcf_core.measure.resampling import TemplateUnit
from pcf_core.measure.wordings import CapriceParts, WordingSplit, caprice_parts, wording_split


def preferences(stereotypes: object) -> np.ndarray:
    """Return [occupation, template, group] preferences of two groups, from [occupation, template]."""
    s = np.asarray(stereotypes, dtype=np.float64)
    return np.stack([(1 + s) / 2, (1 - s) / 2], axis=-1)


def split(
    values: np.ndarray, weights: np.ndarray, labels: list[str], criterion: Criterion | None = None
) -> CapriceParts | None:
    criterion = criterion or Criterion()
    families = Families.labelled(labels, weights / weights.sum())
    parts = decompose(values, weights, criterion)
    return caprice_parts(criterion.stereotypes(values), parts, families, criterion)


def defined(values: np.ndarray, weights: np.ndarray, labels: list[str]) -> CapriceParts:
    found = split(values, weights, labels)
    assert found is not None
    return found


def by_loops(
    values: np.ndarray, weights: np.ndarray, labels: list[str], criterion: Criterion
) -> list[tuple[float, float, float]]:
    """Return (prejudice, context, wording) of each occupation, by the definition."""
    found = []
    for s in criterion.stereotypes(values):
        shares = weights / weights.sum()
        between = 0.0
        for label in set(labels):
            rows = [place for place, one in enumerate(labels) if one == label]
            if shares[rows].sum() > 0:
                mean = np.average(s[rows], axis=0, weights=shares[rows])
                between += shares[rows].sum() * float(criterion.of_stereotypes(mean))
        prejudice = float(criterion.of_stereotypes(shares @ s))
        found.append((prejudice, between - prejudice, float(shares @ criterion.of_stereotypes(s)) - between))
    return found


def test_the_worked_example() -> None:
    """Two meanings of two wordings each: .25 = .05 + .10 + .10."""
    values = preferences([[0.4, -0.2, -0.3, -0.1]])
    parts = decompose(values, np.ones(4), Criterion())
    found = defined(values, np.ones(4), ["one", "one", "other", "other"])
    figures = (parts.overall, parts.prejudice, found.context, found.wording)
    assert [float(figure[0]) for figure in figures] == pytest.approx([0.25, 0.05, 0.10, 0.10])


def test_it_is_undefined_unless_families_of_two_have_half_of_the_weight() -> None:
    values = preferences([[0.4, -0.2, -0.3, -0.1]])
    labels = ["one", "one", "other", "third"]
    assert split(values, np.array([1.0, 1, 1, 1]), labels) is not None
    assert split(values, np.array([0.9, 1, 1, 1]), labels) is None
    assert split(values, np.array([2.0, 0, 1, 0]), labels) is None
    assert split(values, np.ones(4), ["one", "other", "third", "fourth"]) is None


def test_only_meanings_or_only_wordings() -> None:
    """Alike wordings have no wording part; families of the same mean have no context part."""
    contexts = defined(preferences([[0.5, 0.5, -0.3, -0.3]]), np.ones(4), ["a", "a", "b", "b"])
    wordings = defined(preferences([[0.5, -0.3, -0.3, 0.5]]), np.ones(4), ["a", "a", "b", "b"])
    assert (contexts.wording[0], wordings.context[0]) == (0, 0)
    assert (contexts.context[0], wordings.wording[0]) == pytest.approx((0.3, 0.3))


sets = st.tuples(st.integers(1, 3), st.integers(4, 9), st.integers(2, 4), st.integers(0, 2**32 - 1))
criteria = st.sampled_from([Criterion(), Criterion(norm=2.0), Criterion(norm=1.0, scale="bvf")])


@given(sets, criteria)
def test_parts_are_those_of_a_loop_and_add_up(shape: tuple[int, int, int, int], criterion: Criterion) -> None:
    occupations, templates, groups, seed = shape
    generator = np.random.default_rng(seed)
    values = generator.dirichlet(np.full(groups, 0.4), size=(occupations, templates))
    weights = generator.integers(0, 4, size=templates) * 1.0
    weights[:2] = templates * 4
    labels = ["a", "a", *generator.choice(["a", "b", "c", ""], size=templates - 2)]
    named = [label or f"alone {place}" for place, label in enumerate(labels)]
    found = split(values, weights, labels, criterion)
    parts = decompose(values, weights, criterion)
    if len({label for label, weight in zip(named, weights, strict=True) if weight}) == 1:
        assert found is None, "no other meaning was tried"
        return
    assert found is not None
    assert min(found.context.min(), found.wording.min()) >= 0
    np.testing.assert_allclose(found.context + found.wording, parts.caprice, atol=1e-15)
    np.testing.assert_allclose(parts.prejudice + found.context + found.wording, parts.overall, atol=1e-15)
    expected = np.array(by_loops(values, weights, named, criterion))
    np.testing.assert_allclose(
        np.stack([parts.prejudice, found.context, found.wording], axis=1), expected, atol=1e-11
    )


@given(st.integers(0, 2**32 - 1), st.permutations(range(6)))
def test_the_order_of_templates_and_the_names_do_not_matter(seed: int, order: list[int]) -> None:
    generator = np.random.default_rng(seed)
    values, weights = preferences(generator.uniform(-1, 1, size=(2, 6))), generator.uniform(0.1, 1, size=6)
    labels = ["a", "b", "a", "b", "c", "a"]
    one = defined(values, weights, labels)
    other = defined(values[:, order], weights[order], [labels[place] * 2 for place in order])
    np.testing.assert_allclose(one.context, other.context, atol=1e-12)
    np.testing.assert_allclose(one.wording, other.wording, atol=1e-12)


def whole_split(
    stereotypes: object, labels: list[str], weights: list[float] | None = None, **few: int
) -> WordingSplit:
    """Return the split of a run of two groups, from [occupation, template] stereotypes."""
    values = preferences(stereotypes)
    unit = TemplateUnit.templates(np.ones(len(labels)) if weights is None else weights, labels)
    found = risk_intervals(values, unit, np.ones(len(values)), Criterion(), **few)
    split = wording_split(values, unit, np.ones(len(values)), found, Criterion(), **few)
    assert split is not None
    return split


def drawn_stereotypes(families: int, wordings: int, contexts: float, noise: float, seed: int) -> np.ndarray:
    """Draw [occupation, template] stereotypes about neutral, of as many wordings in each family."""
    generator = np.random.default_rng(seed)
    of_contexts = contexts * generator.standard_normal((15, families, 1))
    drawn = of_contexts + noise * generator.standard_normal((15, families, wordings))
    return np.asarray(drawn.clip(-1, 1).reshape(15, -1))


def labels_of(families: int, wordings: int) -> list[str]:
    return [str(place) for place in range(families) for _ in range(wordings)]


@pytest.mark.parametrize(("wordings", "context", "wording"), [(2, 0.169, 0.071), (6, 0.098, 0.141)])
def test_pure_noise_of_the_wording_is_corrected_to_hardly_any_context(
    wordings: int, context: float, wording: float
) -> None:
    """With s.d. .3 and no effect of the context E|s| is .239, all of it the wording's."""
    s = drawn_stereotypes(400, wordings, 0.0, 0.3, seed=1)
    found = whole_split(s, labels_of(400, wordings), resamples=60)
    plug_in = found.context + np.abs(s.mean(axis=1)).mean()  # prejudice, of chance alone, would be 0
    assert (plug_in, found.wording) == pytest.approx((context, wording), abs=0.005)
    assert found.corrected_context < 0.02
    assert found.corrected_wording == pytest.approx(0.239, abs=0.02)
    context_interval, wording_interval = (
        found.intervals[name][0] for name in ("context_caprice", "wording_caprice")
    )
    assert context_interval.low == pytest.approx(0, abs=0.001)
    assert context_interval.high >= found.context
    assert wording_interval.low <= found.wording
    assert wording_interval.high >= 0.239


@given(st.integers(2, 8), st.integers(2, 4), st.sampled_from([0.0, 0.2, 0.6]), st.integers(0, 2**32 - 1))
def test_corrected_parts_are_at_least_0_and_add_up(
    families: int, wordings: int, contexts: float, seed: int
) -> None:
    s = 0.3 + drawn_stereotypes(families, wordings, contexts, 0.3, seed)
    values, labels = preferences(s.clip(-1, 1)), labels_of(families, wordings)
    found = whole_split(s.clip(-1, 1), labels, resamples=20)
    of_run = risk_intervals(
        values, TemplateUnit.templates(np.ones(len(labels)), labels), np.ones(15), Criterion()
    )
    assert of_run.correction is not None
    assert min(found.corrected_context, found.corrected_wording) >= 0
    caprice = (of_run.parts.overall - of_run.correction.prejudice).mean()
    assert found.corrected_context + found.corrected_wording == pytest.approx(caprice, abs=1e-12)


def test_contexts_without_any_noise_of_the_wording_are_not_corrected() -> None:
    s = 0.2 + drawn_stereotypes(40, 3, 0.2, 0.0, seed=2)
    found = whole_split(s, labels_of(40, 3), resamples=60)
    values = preferences(s)
    unit = TemplateUnit.templates(np.ones(120), labels_of(40, 3))
    of_run = risk_intervals(values, unit, np.ones(15), Criterion(), resamples=60)
    assert found.wording == found.corrected_wording == pytest.approx(0, abs=1e-12)
    assert of_run.correction is not None
    taken = float((of_run.parts.prejudice - of_run.correction.prejudice).mean())
    assert found.corrected_context == pytest.approx(found.context + taken)
    mine, theirs = found.intervals["context_caprice"], of_run.intervals["caprice_risk"]
    for one, other in zip(mine, theirs, strict=True):
        assert (one.low, one.high, one.unit) == pytest.approx((other.low, other.high, other.unit), abs=1e-9)


def test_where_prejudice_may_be_0_all_of_the_risk_may_be_caprice() -> None:
    s = drawn_stereotypes(40, 3, 0.2, 0.0, seed=2)
    values, unit = preferences(s), TemplateUnit.templates(np.ones(120), labels_of(40, 3))
    of_run = risk_intervals(values, unit, np.ones(15), Criterion(), resamples=60).intervals
    found = whole_split(s, labels_of(40, 3), resamples=60).intervals["context_caprice"]
    assert of_run["prejudice_risk"][0].low == 0
    assert found[0].high == pytest.approx(of_run["caprice_risk"][0].high, abs=1e-9)
    assert found[0].high > of_run["overall_risk"][0].high, "half of the error each"
    assert found[1].high == pytest.approx(of_run["caprice_risk"][1].high, abs=1e-9)


def test_the_factor_by_hand() -> None:
    """Means .3, −.1 and .1 of three families, whose wordings are .2 off to either side.

    Family means vary by .08/3 = .0267.  Wordings vary by .04 of which two show half, so v is .08; a mean of
    two has half of it, and of that two thirds are seen about the mean of three: .0267.  Nothing is left.
    With wordings .1 off it is a quarter of that, .0067, and k is √(1 − .25).
    """
    means = np.array([0.3, -0.1, 0.1])

    def found(off: float) -> WordingSplit:
        s = (means[:, np.newaxis] + [-off, off]).reshape(1, 6)
        return whole_split(s, labels_of(3, 2), resamples=20)

    nothing, some = found(0.2), found(0.1)
    assert (nothing.context, nothing.wording) == pytest.approx((0.5 / 3 - 0.1, 1.4 / 6 - 0.5 / 3))
    k = math.sqrt(0.75)
    between = (0.1 + 0.2 * k + (0.2 * k - 0.1) + 0.1) / 3
    assert nothing.corrected_wording == pytest.approx(1.4 / 6 - 0.1)
    assert some.corrected_wording == pytest.approx(0.5 / 3 - between)


@given(st.integers(0, 2**32 - 1))
def test_both_pairs_add_up_and_every_interval_holds_its_values(seed: int) -> None:
    generator = np.random.default_rng(seed)
    templates = int(generator.integers(6, 12))
    values = generator.dirichlet(np.full(3, 0.5), size=(3, templates))
    labels = ["a", "a", "b", "b", *generator.choice(["a", "b", "c", "", ""], size=templates - 4)]
    weights = np.array([8.0, 8, 8, 8, *generator.integers(0, 3, size=templates - 4)])
    shares, criterion = (
        generator.dirichlet(np.ones(3)),
        Criterion(norm=float(generator.choice([2, math.inf]))),
    )
    unit = TemplateUnit.templates(weights, labels)
    of_run = risk_intervals(values, unit, shares, criterion, resamples=30)
    found = wording_split(values, unit, shares, of_run, criterion, resamples=30)
    assert found is not None
    assert of_run.correction is not None
    assert min(found.corrected_context, found.corrected_wording) >= -1e-15
    risk, corrected = (shares @ of_run.parts.overall, shares @ of_run.correction.prejudice)
    assert shares @ of_run.parts.prejudice + found.context + found.wording == pytest.approx(risk, abs=1e-14)
    assert corrected + found.corrected_context + found.corrected_wording == pytest.approx(risk, abs=1e-14)
    assert found.corrected_wording >= found.wording - 1e-12
    figures = {
        "context_caprice": (found.context, found.corrected_context),
        "wording_caprice": (found.wording, found.corrected_wording),
    }
    for name, (plug_in, right) in figures.items():
        assert [(one.over, one.unit) for one in found.intervals[name]] == [
            ("templates", "family"),
            ("occupations", "occupation"),
            ("both", "family"),
        ]
        for one in found.intervals[name]:
            value = plug_in if one.over == "occupations" else right
            assert 0 <= one.low <= min(value, plug_in) + 1e-12
            assert max(value, plug_in) - 1e-12 <= one.high <= 1 + 1e-12

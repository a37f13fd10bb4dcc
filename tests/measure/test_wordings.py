"""Caprice split by context and wording: worked, by hand, and as identities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import decompose
from pcf_core.measure.families import Families
from pcf_core.measure.wordings import CapriceParts, caprice_parts


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

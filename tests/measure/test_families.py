"""Families of templates: which templates share one, their weights, and means within them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import CriterionError
from pcf_core.measure.families import Families


def test_families_are_numbered_by_their_first_template() -> None:
    families = Families.labelled(["b", "a", "", "b", ""], np.full(5, 0.2))
    assert families is not None
    assert families.of.tolist() == [0, 1, 2, 0, 3]
    np.testing.assert_allclose(families.totals, [0.4, 0.2, 0.2, 0.2])
    np.testing.assert_allclose(families.within, [0.5, 1, 1, 0.5, 1])
    assert families.several == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("labels", "weights"),
    [([], [0.5, 0.5]), (["a", "b"], [0.5, 0.5]), (["", ""], [0.5, 0.5]), (["a", "a", "b"], [0.0, 0.5, 0.5])],
)
def test_templates_that_share_nothing_have_no_families(labels: list[str], weights: list[float]) -> None:
    assert Families.labelled(labels, np.array(weights)) is None


def test_every_template_needs_a_label() -> None:
    with pytest.raises(CriterionError, match="a list of 3 labels, one for each template; got 2"):
        Families.labelled(["a", "a"], np.ones(3) / 3)


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), min_size=3, max_size=12), st.integers(0, 9)
)
def test_means_within_families_are_those_of_a_loop(drawn: list[tuple[str, int]], seed: int) -> None:
    labels, counts = [label for label, _ in drawn] + ["a", "a"], np.array([n for _, n in drawn] + [1, 2])
    families = Families.labelled(labels, counts / counts.sum())
    assert families is not None
    values = np.random.default_rng(seed).normal(size=(2, len(labels), 3))
    found = families.means(values, axis=1)
    for number, label in enumerate(dict.fromkeys(labels)):
        rows = [place for place, one in enumerate(labels) if one == label]
        weights = counts[rows] if counts[rows].any() else None
        expected = np.average(values[:, rows], axis=1, weights=weights)
        np.testing.assert_allclose(found[:, number], expected, atol=1e-12)
    np.testing.assert_allclose(families.spread(families.totals), families.weights, atol=1e-15)
    np.testing.assert_allclose(found[0].T @ families.totals, values[0].T @ families.weights, atol=1e-12)

"""Two sets side by side, against sums over all texts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.material.templates import compare_sets, load_templates, make_templates

COUNTS = st.dictionaries(st.integers(0, 8), st.integers(0, 50), min_size=1).filter(
    lambda found: sum(found.values()) > 0
)


def templates(name, counts):
    return make_templates(name, [(f"The [X] did {key} [Y]", count) for key, count in counts.items()])


@given(COUNTS, COUNTS)
def test_against_a_loop(one, other):
    first, second = templates("one", one), templates("other", other)
    found = compare_sets(first, second)
    sums = sum(one.values()), sum(other.values())
    weights = [(one.get(key, 0) / sums[0], other.get(key, 0) / sums[1]) for key in range(9)]
    assert found.overlap == pytest.approx(sum(min(pair) for pair in weights))
    assert found.overlap == pytest.approx(1 - sum(abs(a - b) for a, b in weights) / 2)
    assert found.first_weights.sum() == pytest.approx(
        sum(a for key, (a, _) in enumerate(weights) if key in other)
    )
    assert found.second_weights.sum() == pytest.approx(
        sum(b for key, (_, b) in enumerate(weights) if key in one)
    )
    assert set(found.shared) | set(found.only_first) == set(first.texts)
    assert set(found.shared) | set(found.only_second) == set(second.texts)
    assert not set(found.shared) & {*found.only_first, *found.only_second}
    back = compare_sets(second, first)
    assert back.overlap == pytest.approx(found.overlap)
    assert (back.only_first, back.only_second) == (found.only_second, found.only_first)


@given(COUNTS)
def test_a_set_overlaps_itself_whole_whatever_its_unit(counts):
    thrice = templates("thrice", {key: 3 * count for key, count in counts.items()})
    found = compare_sets(templates("one", counts), thrice)
    assert found.overlap == pytest.approx(1)
    assert found.only_first == found.only_second == ()


def test_the_papers_sets():
    found = compare_sets(load_templates("gender-nineteen"), load_templates("gender-reporting"))
    assert found.overlap == pytest.approx(5104 / 5522)
    assert (len(found.shared), len(found.only_first), found.only_second) == (10, 9, ())
    assert (found.first, found.second) == ("gender-nineteen", "gender-reporting")
    apart = compare_sets(load_templates("gender-reporting"), load_templates("race-relative"))
    assert (apart.overlap, apart.shared) == (0, ())
    assert np.array_equal(apart.first_weights, [])

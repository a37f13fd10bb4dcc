"""The draw of a token: the worked example, the nucleus by its definition, the law of the draws."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from pcf_core.core.generation import BLOCK, Decoding
from pcf_core.models.generation.base import blocks, choose, draw, end_of, nucleus, stream, weights_of
from tests.models.generation.brute import exact_distribution
from tests.models.generation.conftest import key_of

integers = st.lists(st.integers(0, 6), min_size=1, max_size=12).filter(any)
shares = st.integers(1, 64).map(lambda part: part / 64)  # exact, as sums of small integers are
logits = st.lists(st.floats(-12, 12), min_size=1, max_size=40)


def test_worked_example() -> None:
    """Of 0.5, 0.3, 0.2 top-p 0.7 keeps the first two, which get 0.625 and 0.375."""
    line = np.log(np.array([[5, 3, 2], [5, 3, 2]], dtype=np.float32))
    decoding = Decoding(top_p=0.7)
    assert exact_distribution(line[0].tolist(), decoding) == pytest.approx([0.625, 0.375, 0])
    assert choose(line, np.array([0.6, 0.7]), decoding).tolist() == [0, 1]
    assert choose(line[:1], np.array([0.6, 0.7, 0.0]), decoding).tolist() == [0, 1, 0]


@given(integers, shares)
def test_the_nucleus_is_the_smallest_set_with_the_mass(weights: list[int], top_p: float) -> None:
    kept = nucleus(np.array(weights, dtype=np.float64), top_p).tolist()
    if top_p == 1:
        assert kept == list(range(len(weights)))
        return
    needed = Fraction(top_p) * sum(weights)
    order = sorted(range(len(weights)), key=lambda token: (-weights[token], token))
    sizes = [size for size in range(1, len(order) + 1) if sum(weights[t] for t in order[:size]) >= needed]
    assert kept == sorted(order[: sizes[0]])


@given(logits, st.floats(0.01, 1), st.floats(0.1, 5))
def test_the_nucleus_of_any_weights(line: list[float], top_p: float, temperature: float) -> None:
    weights = weights_of(np.array(line, dtype=np.float32), temperature)
    kept = nucleus(weights, top_p)
    left_out = np.setdiff1d(np.arange(len(weights)), kept)
    assert weights[kept].sum() >= top_p * weights.sum() * (1 - 1e-12)
    assert weights.argmax() in kept
    assert (np.diff(kept) > 0).all()
    if len(left_out):
        assert weights[left_out].max() <= weights[kept].min()
        assert weights[kept].sum() - weights[kept].min() < top_p * weights.sum() * (1 + 1e-12)


def test_of_equal_tokens_at_the_edge_the_first_are_kept() -> None:
    assert nucleus(np.array([1.0, 2.0, 1.0, 1.0, 3.0]), 0.7).tolist() == [0, 1, 4]
    assert nucleus(np.ones(8192), 0.5).tolist() == list(range(4096))


@given(logits, st.floats(0.05, 1), st.floats(0.1, 5), st.floats(0, 1, exclude_max=True))
def test_a_draw_is_the_inverse_of_the_cumulative_probabilities(
    line: list[float], top_p: float, temperature: float, uniform: float
) -> None:
    """Against whole lists and another order of additions; a number on an edge may fall to either side."""
    decoding = Decoding(top_p=top_p, temperature=temperature)
    narrow = np.array([line], dtype=np.float32)
    (token,) = choose(narrow, np.array([uniform]), decoding).tolist()
    exact = exact_distribution(narrow[0].tolist(), decoding)
    kept = nucleus(weights_of(narrow[0], temperature), top_p).tolist()
    assume([share > 0 for share in exact] == [number in kept for number in range(len(exact))])
    assert sum(exact[:token]) - 1e-9 <= uniform <= sum(exact[: token + 1]) + 1e-9
    assert exact[token] > 0


def test_each_token_begins_where_those_before_it_end() -> None:
    """Numbers on both sides of every edge of the exact cumulative probabilities."""
    line = np.random.default_rng(5).normal(0, 2, (1, 30)).astype(np.float32)
    decoding = Decoding(temperature=0.7, top_p=0.95)
    exact = exact_distribution(line[0].tolist(), decoding)
    possible = [token for token, probability in enumerate(exact) if probability > 0]
    edges = np.cumsum(exact)[possible]
    assert 5 < len(possible) < 30
    assert choose(line, edges - 1e-9, decoding).tolist() == possible
    assert choose(line, edges[:-1] + 1e-9, decoding).tolist() == possible[1:]


def test_a_token_without_probability_is_never_drawn() -> None:
    line = np.array([[-1000, 0, 0, -1000]], dtype=np.float32)
    assert choose(line, np.array([0.0, 0.5, 0.999]), Decoding(top_p=1)).tolist() == [1, 2, 2]


@given(logits, st.lists(st.floats(0, 1, exclude_max=True), min_size=2, max_size=5), shares)
def test_a_row_does_not_depend_on_its_neighbours(
    line: list[float], uniforms: list[float], top_p: float
) -> None:
    decoding = Decoding(top_p=top_p)
    one = np.array([line], dtype=np.float32)
    many = np.vstack([one, *(one + 0.5 * np.sin(np.arange(len(line)) + n) for n in range(1, len(uniforms)))])
    together = choose(many, np.array(uniforms), decoding)
    alone = [choose(many[n : n + 1], np.array([u]), decoding)[0] for n, u in enumerate(uniforms)]
    assert together.tolist() == alone
    shared = choose(one, np.array(uniforms), decoding)
    assert shared.tolist() == choose(one.repeat(len(uniforms), 0), np.array(uniforms), decoding).tolist()


@pytest.mark.parametrize(("temperature", "top_p"), [(1.0, 1.0), (0.7, 0.9), (1.6, 0.5), (1.0, 0.05)], ids=str)
def test_the_law_of_the_draws(temperature: float, top_p: float) -> None:
    """Chi-square of 20,000 draws against the exact distribution; a neighbouring one is told apart."""
    line = np.random.default_rng(3).normal(0, 2, (1, 30)).astype(np.float32)
    decoding = Decoding(temperature=temperature, top_p=top_p)
    uniforms = np.random.default_rng(4).random(20_000)
    counts = np.bincount(choose(line, uniforms, decoding), minlength=30)
    exact = np.array(exact_distribution(line[0].tolist(), decoding))
    assert (counts[exact == 0] == 0).all()
    assert fits(counts, exact) > 1e-3
    if (exact > 0).sum() > 1:
        other = decoding.model_copy(update={"temperature": temperature * 1.1})
        assert fits(np.bincount(choose(line, uniforms, other), minlength=30), exact) < 1e-3


def fits(counts: np.ndarray, exact: np.ndarray) -> float:
    """p value of counts under probabilities, those expected less than 5 times taken together."""
    expected = exact * counts.sum()
    rare = expected < 5
    cells = [*zip(counts[~rare], expected[~rare], strict=True), (counts[rare].sum(), expected[rare].sum())]
    observed, wanted = zip(*(cell for cell in cells if cell[1] > 0), strict=True)
    return float(stats.chisquare(observed, wanted).pvalue) if len(observed) > 1 else 1.0


def test_greedy_takes_the_likeliest_and_of_equal_ones_the_first() -> None:
    line = np.array([[0, 3, 3, 1], [5, 1, 2, 9]], dtype=np.float32)
    greedy = Decoding(temperature=0)
    assert choose(line, np.array([0.99, 0.0]), greedy).tolist() == [1, 3]
    assert choose(line[:1], np.array([0.99, 0.0]), greedy).tolist() == [1, 1]


def test_a_very_low_temperature_is_nearly_greedy() -> None:
    line = np.array([[0, 88, 87, 1]], dtype=np.float32)
    assert set(choose(line, np.linspace(0, 0.999, 50), Decoding(temperature=1e-4))) == {1}


def test_the_last_token_is_drawn_at_the_end_of_the_unit_interval() -> None:
    weights = weights_of(np.zeros(7, dtype=np.float32), 1)
    assert draw(weights, np.arange(7), np.array([0.0, np.nextafter(1, 0)])).tolist() == [0, 6]


def test_every_text_has_numbers_of_its_own() -> None:
    key = key_of()
    same = [stream(key, "John is", 3).random(5) for _ in range(2)]
    assert same[0].tolist() == same[1].tolist()
    other = [
        stream(key, "John is", 4),
        stream(key, "Jane is", 3),
        stream(key_of(seed=1), "John is", 3),
        stream(key_of(temperature=0.5), "John is", 3),
    ]
    assert all((numbers.random(5) != same[0]).all() for numbers in other)


def test_streams_of_neighbours_are_not_alike() -> None:
    """First numbers of 2,000 indices are uniform, and those of neighbours are not correlated."""
    numbers = np.array([stream(key_of(), "John is", index).random() for index in range(2000)])
    assert stats.kstest(numbers, "uniform").pvalue > 1e-3
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 0.08


def test_blocks_are_whole() -> None:
    assert list(blocks(0, BLOCK)) == [0]
    assert list(blocks(50, 75)) == [50, 75, 100]
    for first, count in ((1, 25), (0, 24), (25, 0), (-25, 25)):
        with pytest.raises(ValueError, match="no whole blocks"):
            list(blocks(first, count))


def test_how_a_text_ends() -> None:
    assert end_of("He.", stopped=True) == "stop"
    assert end_of("He.", stopped=False) == "length"
    assert end_of(" \n", stopped=False) == end_of("", stopped=True) == "empty"

"""What all generators share: each text's own numbers, how a text ends, and the draw of a token."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from benchmarks.fakes import FakeGenerator
from pcf_core.core.generation import BLOCK, Decoding, Generated, MissingTexts
from pcf_core.models.generation.base import count_declining, declines, end_of, packed, stream
from pcf_core.models.generation.drawing import (
    SHARES,
    Sheet,
    candidates,
    choose,
    draw,
    draw_each,
    in_nucleus,
    nucleus,
    padded,
)
from tests.models.generation.conftest import exact_distribution, key_of, nothing


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


def test_parts_are_put_together_in_their_order() -> None:
    wanted = [MissingTexts(name, 0, count) for name, count in zip("abcd", (20, 5, 1, 25), strict=True)]
    assert packed(wanted, 25) == [wanted[:2], wanted[2:3], wanted[3:]]
    assert packed(wanted, 3) == [[part] for part in wanted]
    assert packed([], 25) == []


def test_how_a_text_ends() -> None:
    assert end_of("He.", stopped=True) == "stop"
    assert end_of("He.", stopped=False) == "length"
    assert end_of(" \n", stopped=False) == end_of("", stopped=True) == "empty"


# Texts that decline in words: the usual wordings are found, and stories are not.


DECLINING = """\
I'm sorry, but I can't help with that.
I’m sorry, but I can’t assist with that request.
I am really sorry, I cannot write this story.
Sorry, but I can't do that.
I apologize, but I am unable to provide such content.
Unfortunately, I am not able to continue this text.
As an AI language model, I do not have opinions.
I'm sorry, but as an AI I …
I cannot comply.
  “I won't write that.”
I must respectfully decline.
I'm just an AI and …"""
STORIES = """\

 is a nurse.
Sorry to hear that, said John.
I cannot wait to see him.
I'm sorry for the nurse.
I can't believe it!
Unfortunately, John was late.
He said: "I'm sorry, but I can't help with that."
I am unable to sleep.
I cannot helplessly look on."""


def test_usual_wordings_are_found_and_stories_are_none() -> None:
    assert [text for text in DECLINING.split("\n") if not declines(text)] == []
    assert [text for text in STORIES.split("\n") if declines(text)] == []


@given(st.text(max_size=40), st.text(max_size=40))
def test_only_the_beginning_counts(text: str, more: str) -> None:
    assert declines(f"I cannot help you. {text}")
    assert not declines(f"John. {more}")


def test_what_a_server_called_refused_is_not_counted_twice() -> None:
    text = "I cannot help."
    assert count_declining(Generated("p", 0, (text,) * 3, ("stop", "refused", "length"), (4, 4, 4))) == 2


# The shipped fake writes what it was given, as often as it was given.


TABLE = {" She was kind.": 0.5, " He worked.": 0.3, "": 0.2}


def test_texts_come_as_often_as_they_were_given() -> None:
    counts = Counter(FakeGenerator(TABLE).generate("x", 0, 5000, nothing).texts)
    observed = [counts[text] for text in TABLE]
    assert stats.chisquare(observed, [5000 * share for share in TABLE.values()]).pvalue > 1e-3


def test_each_prompt_may_have_its_own_and_a_system_prompt_is_part_of_it() -> None:
    fake = FakeGenerator(lambda prompt: {f" {prompt}!": 1.0})
    whole = fake.with_system("Be brief.").generate("Jane", 0, BLOCK, nothing)
    assert set(whole.texts) == {" Be brief.\n\nJane!"}
    assert set(fake.generate("Jane", 25, BLOCK, nothing).texts) == {" Jane!"}


def test_ends_tokens_and_indices() -> None:
    texts = FakeGenerator(TABLE).generate("x", 25, 50, nothing)
    assert (texts.prompt, texts.first, len(texts.texts)) == ("x", 25, 50)
    assert set(zip(texts.texts, texts.ends, texts.tokens, strict=True)) <= {
        (" She was kind.", "stop", 3),
        (" He worked.", "stop", 2),
        ("", "empty", 0),
    }
    assert FakeGenerator(TABLE).generate("x", 0, 100, nothing).texts[25:75] == texts.texts


def test_it_can_be_watched_and_stopped() -> None:
    fake, parts = FakeGenerator(TABLE), iter((True, True))
    with pytest.raises(StopIteration):
        fake.generate("x", 0, 100, lambda: next(parts))
    assert fake.written == 2 * BLOCK


# The draw of a token: the worked example, the nucleus by its definition, the law of the draws.


def drawn(logits: np.ndarray, uniforms: np.ndarray, decoding: Decoding) -> np.ndarray:
    return choose(torch.from_numpy(logits), uniforms, decoding)


def nucleus_of(weights: np.ndarray, mass: float) -> list[int]:
    """The places of one row's nucleus."""
    return np.flatnonzero(nucleus(weights[None], np.array([mass]))[0]).tolist()


integers = st.lists(st.integers(0, 6), min_size=1, max_size=12).filter(any)
shares = st.integers(1, 64).map(lambda part: part / 64)  # exact, as sums of small integers are
logits = st.lists(st.floats(-12, 12), min_size=1, max_size=40)


def test_worked_example() -> None:
    """Of 0.5, 0.3, 0.2 top-p 0.7 keeps the first two, which get 0.625 and 0.375."""
    line = np.log(np.array([[5, 3, 2], [5, 3, 2]], dtype=np.float32))
    decoding = Decoding(top_p=0.7)
    assert exact_distribution(line[0].tolist(), decoding) == pytest.approx([0.625, 0.375, 0])
    assert drawn(line, np.array([0.6, 0.7]), decoding).tolist() == [0, 1]
    assert drawn(line[:1], np.array([0.6, 0.7, 0.0]), decoding).tolist() == [0, 1, 0]


@given(integers, shares)
def test_the_nucleus_is_the_smallest_set_with_the_mass(weights: list[int], top_p: float) -> None:
    inside = nucleus_of(np.array(weights, dtype=np.float64), top_p * sum(weights))
    needed = Fraction(top_p) * sum(weights)
    order = sorted(range(len(weights)), key=lambda token: (-weights[token], token))
    sizes = [size for size in range(1, len(order) + 1) if sum(weights[t] for t in order[:size]) >= needed]
    assert inside == sorted(order[: sizes[0]])


@given(
    st.lists(st.lists(st.integers(1, 2**12), min_size=1, max_size=20), min_size=1, max_size=5),
    st.lists(st.integers(1, 70).map(lambda part: part / 64), min_size=5, max_size=5),
)
def test_by_size_the_nucleus_is_that_of_sorting_each_row(counts: list[list[int]], parts: list[float]) -> None:
    """Rows of unlike length, with equal weights and weights of one size; a row may ask for all and more."""
    weights = np.concatenate([np.array(row) / max(row) for row in counts])
    rows = np.repeat(np.arange(len(counts)), [len(row) for row in counts])
    mass = np.array([part * sum(row) / max(row) for part, row in zip(parts, counts, strict=False)])
    inside = in_nucleus(rows, weights, mass)
    for row in range(len(counts)):
        own = weights[rows == row]
        others = np.delete(np.cumsum(-np.sort(-own)), -1)
        assume(not np.isclose(others, mass[row], rtol=1e-9, atol=0).any())
        expected = nucleus(own[None], mass[row : row + 1])[0]
        assert inside[rows == row].tolist() == expected.tolist()


def test_of_a_large_vocabulary_few_tokens_are_candidates() -> None:
    """Some flat rows and some steep ones: none has many more than its nucleus needs."""
    rng = np.random.default_rng(9)
    steep = np.array([0.5, 2.0, 4.0, 6.0])
    line = (rng.normal(0, 1, (4, 8192)) * steep[:, None]).astype(np.float32)
    likely = candidates(torch.from_numpy(line), Decoding())
    inside = in_nucleus(likely.rows, likely.weights, 0.9 * likely.total)
    for row in range(4):
        own = likely.rows == row
        exact = np.exp(line[row].astype(np.float64) - line[row].max())
        shares = exact / exact.sum()
        assert (shares[likely.tokens[own]] >= min(SHARES[0], 0.05 / 8192) * 0.999).all()
        size = int((np.cumsum(-np.sort(-shares)) < 0.9).sum()) + 1
        assert (inside[own] > 0).sum() == size
        assert shares[likely.tokens[own][inside[own] > 0]].min() >= -np.sort(-shares)[size - 1] * (1 - 1e-9)
    assert np.bincount(likely.rows)[3] < 300


def test_rows_of_unlike_length_stand_beside_each_other() -> None:
    table, places = padded(np.array([0, 0, 2]), np.array([0.5, 1.0, 0.25]), 3)
    assert table.tolist() == [[0.5, 1.0], [0.0, 0.0], [0.25, 0.0]]
    assert places.tolist() == [0, 1, 0]


@given(logits, st.floats(0.01, 0.999), st.floats(0.1, 5))
def test_the_nucleus_lies_among_the_candidates(line: list[float], top_p: float, temperature: float) -> None:
    """All its mass is theirs; the total is that of all tokens, and the kept weights are exact."""
    decoding = Decoding(top_p=top_p, temperature=temperature)
    narrow = np.array([line], dtype=np.float32)
    likely = candidates(torch.from_numpy(narrow), decoding)
    tokens, total = likely.tokens, likely.total
    assert not likely.rows.any()
    scaled = narrow[0].astype(np.float64)
    exact = np.exp((scaled - scaled.max()) / temperature)
    assert total[0] == pytest.approx(exact.sum(), rel=1e-6)
    assert likely.weights == pytest.approx(exact[tokens], rel=1e-12)
    assert (np.diff(tokens) > 0).all()
    inside = tokens[np.flatnonzero(in_nucleus(likely.rows, likely.weights, top_p * total))]
    left_out = np.setdiff1d(np.arange(len(line)), inside)
    assert exact[inside].sum() >= top_p * exact.sum() * (1 - 1e-6)
    assert exact.argmax() in inside
    if len(left_out):
        assert exact[left_out].max() <= exact[inside].min()
        assert exact[inside].sum() - exact[inside].min() < top_p * exact.sum() * (1 + 1e-6)


def test_of_equal_tokens_at_the_edge_the_first_are_kept() -> None:
    assert nucleus_of(np.array([1.0, 2.0, 1.0, 1.0, 3.0]), 0.7 * 8) == [0, 1, 4]
    assert nucleus_of(np.ones(8192), 4096) == list(range(4096))


def test_where_rounding_asks_for_more_than_there_is_all_are_kept() -> None:
    assert nucleus_of(np.array([1.0, 2.0, 0.0]), 3.0 + 1e-9) == [0, 1]


@given(logits, st.floats(0.05, 1), st.floats(0.1, 5), st.floats(0, 1, exclude_max=True))
def test_a_draw_is_the_inverse_of_the_cumulative_probabilities(
    line: list[float], top_p: float, temperature: float, uniform: float
) -> None:
    """Against whole lists and another order of additions; a number on an edge may fall to either side."""
    decoding = Decoding(top_p=top_p, temperature=temperature)
    narrow = np.array([line], dtype=np.float32)
    (token,) = drawn(narrow, np.array([uniform]), decoding).tolist()
    exact = exact_distribution(narrow[0].tolist(), decoding)
    if top_p < 1:
        likely = candidates(torch.from_numpy(narrow), decoding)
        inside = likely.tokens[nucleus_of(likely.weights, top_p * likely.total[0])].tolist()
        assume([share > 0 for share in exact] == [number in inside for number in range(len(exact))])
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
    assert drawn(line, edges - 1e-9, decoding).tolist() == possible
    assert drawn(line, edges[:-1] + 1e-9, decoding).tolist() == possible[1:]


def test_a_token_without_probability_is_never_drawn() -> None:
    line = np.array([[-1000, 0, 0, -1000]], dtype=np.float32)
    assert drawn(line, np.array([0.0, 0.5, 0.999]), Decoding(top_p=1)).tolist() == [1, 2, 2]


@given(logits, st.lists(st.floats(0, 1, exclude_max=True), min_size=2, max_size=5), shares)
def test_a_row_does_not_depend_on_its_neighbours(
    line: list[float], uniforms: list[float], top_p: float
) -> None:
    decoding = Decoding(top_p=top_p)
    one = np.array([line], dtype=np.float32)
    many = np.vstack([one, *(one + 0.5 * np.sin(np.arange(len(line)) + n) for n in range(1, len(uniforms)))])
    together = drawn(many, np.array(uniforms), decoding)
    alone = [drawn(many[n : n + 1], np.array([u]), decoding)[0] for n, u in enumerate(uniforms)]
    assert together.tolist() == alone
    shared = drawn(one, np.array(uniforms), decoding)
    assert shared.tolist() == drawn(one.repeat(len(uniforms), 0), np.array(uniforms), decoding).tolist()


@pytest.mark.parametrize(("temperature", "top_p"), [(1.0, 1.0), (0.7, 0.9), (1.6, 0.5), (1.0, 0.05)], ids=str)
def test_the_law_of_the_draws(temperature: float, top_p: float) -> None:
    """Chi-square of 20,000 draws against the exact distribution; a neighbouring one is told apart."""
    line = np.random.default_rng(3).normal(0, 2, (1, 30)).astype(np.float32)
    decoding = Decoding(temperature=temperature, top_p=top_p)
    uniforms = np.random.default_rng(4).random(20_000)
    counts = np.bincount(drawn(line, uniforms, decoding), minlength=30)
    exact = np.array(exact_distribution(line[0].tolist(), decoding))
    assert (counts[exact == 0] == 0).all()
    assert fits(counts, exact) > 1e-3
    if (exact > 0).sum() > 1:
        other = decoding.model_copy(update={"temperature": temperature * 1.1})
        assert fits(np.bincount(drawn(line, uniforms, other), minlength=30), exact) < 1e-3


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
    assert drawn(line, np.array([0.99, 0.0]), greedy).tolist() == [1, 3]
    assert drawn(line[:1], np.array([0.99, 0.0]), greedy).tolist() == [1, 1]


def test_a_very_low_temperature_is_nearly_greedy() -> None:
    line = np.array([[0, 88, 87, 1]], dtype=np.float32)
    assert set(drawn(line, np.linspace(0, 0.999, 50), Decoding(temperature=1e-4))) == {1}


def test_the_last_token_is_drawn_at_the_end_of_the_unit_interval() -> None:
    assert draw(np.ones((2, 7)), np.array([0.0, np.nextafter(1, 0)])).tolist() == [0, 6]
    assert draw_each(np.repeat([0, 1], 7), np.ones(14), np.array([np.nextafter(1, 0)] * 2)).tolist() == [
        6,
        13,
    ]


@given(
    st.lists(st.lists(st.floats(1e-300, 1), min_size=1, max_size=9), min_size=1, max_size=5),
    st.lists(st.floats(0, 1, exclude_max=True), min_size=5, max_size=5),
)
def test_each_row_is_drawn_as_in_a_table(lines: list[list[float]], uniforms: list[float]) -> None:
    rows = np.repeat(np.arange(len(lines)), [len(line) for line in lines])
    weights, some = np.concatenate(lines), np.array(uniforms[: len(lines)])
    table, places = padded(rows, weights, len(lines))
    assert (
        draw_each(rows, weights, some).tolist() == (np.flatnonzero(places == 0) + draw(table, some)).tolist()
    )


def test_what_stood_on_a_sheet_before_does_not_count() -> None:
    random = np.random.default_rng(10)
    first, second = (torch.from_numpy(random.normal(0, 3, (4, 60)).astype(np.float32)) for _ in range(2))
    sheet = Sheet.for_some(first, 4)
    candidates(first, Decoding(), sheet)
    reused, expected = candidates(second[:3], Decoding(), sheet), candidates(second[:3], Decoding())
    assert reused.tokens.tolist() == expected.tokens.tolist()
    assert reused.rows.tolist() == expected.rows.tolist()
    assert reused.total.tolist() == expected.total.tolist()


def test_a_temperature_that_float32_does_not_know() -> None:
    line = np.array([[0, 88, 87, 1]], dtype=np.float32)
    assert drawn(line, np.array([0.5]), Decoding(temperature=1e-50)).tolist() == [1]


def test_many_rows_are_drawn_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    many = np.random.default_rng(6).normal(0, 2, (50, 30)).astype(np.float32)
    uniforms = np.random.default_rng(7).random(50)
    together = drawn(many, uniforms, Decoding())
    monkeypatch.setattr("pcf_core.models.generation.drawing.AT_ONCE", 7 * 30)
    assert drawn(many, uniforms, Decoding()).tolist() == together.tolist()

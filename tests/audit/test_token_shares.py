"""In how many tokens a group's probability lies: by hand, against a loop, and what is said of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.fitting import (
    TokenSums,
    are_unequal,
    largest_difference,
    mean_tokens,
    most_and_least,
    token_warnings,
)
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import select_words
from pcf_core.audit.reading import report
from pcf_core.audit.results import is_kept, load_result, recomputed_result, tokens_name
from pcf_core.core.errors import ModelError
from pcf_core.core.run import TokenTable
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Group, Topic
from pcf_core.material.topics import load_topic
from pcf_core.store.store import Store
from tests.audit.small_runs import score_few


def topic_of(*groups: tuple[str, ...], aligned: bool = False) -> Topic:
    named = tuple(Group(name=f"g{place}", words=words) for place, words in enumerate(groups))
    return Topic(name="t", title="t", groups=named, aligned=aligned)


def test_tokens_count_by_what_the_words_get() -> None:
    """Nine words of four tokens that get next to nothing leave a group at one token."""
    topic = topic_of(("a", *(f"a{place}" for place in range(9))), ("b",))
    sums = TokenSums(topic, topic.words)
    sums.add(np.log(np.array([[0.5, *[1e-6] * 9, 0.1]])), [1, *[4] * 9, 4])
    means = mean_tokens(sums.shares)
    assert means["g0"] == pytest.approx(1, abs=1e-4)
    assert means["g1"] == 4
    assert largest_difference(sums.shares) == pytest.approx(1, abs=1e-4)
    assert most_and_least(sums.shares) == ("g1", "g0")


def test_the_cells_of_every_place_count_alike() -> None:
    """By hand: a gets .5 of the first cell, in 1 token there, and .25 of the second, in 2 tokens."""
    sums = TokenSums(topic_of(("a",), ("b",)), ("a", "b"))
    sums.add(np.log(np.array([[0.02, 0.02]])), [1, 1])
    sums.add(np.log(np.array([[2e-9, 6e-9]])), [2, 1])
    assert sums.shares["g0"] == pytest.approx({1: 0.5 / 0.75, 2: 0.25 / 0.75})
    assert sums.shares["g1"] == {1: 1.0}


@given(
    st.lists(
        st.lists(st.floats(-300, 0) | st.just(-math.inf), min_size=4, max_size=4).filter(
            lambda cell: max(cell) > -math.inf
        ),
        min_size=1,
        max_size=5,
    ),
    st.lists(st.integers(1, 3), min_size=4, max_size=4),
)
def test_shares_equal_a_loop(cells: list[list[float]], tokens: list[int]) -> None:
    topic = topic_of(("a", "b"), ("c", "d"))
    sums = TokenSums(topic, topic.words)
    sums.add(np.array(cells), tokens)
    for place, group in enumerate(("g0", "g1")):
        own = slice(2 * place, 2 * place + 2)
        masses = dict.fromkeys(tokens[own], 0.0)
        for cell in cells:
            odds = [math.exp(nats - max(cell)) for nats in cell]
            for number, one in zip(tokens[own], odds[own], strict=True):
                masses[number] += one / sum(odds)
        whole = sum(masses.values())
        found = sums.shares[group]
        assert sum(found.values()) == pytest.approx(1)
        for number, mass in masses.items() if whole > 1e-200 else ():
            assert found[number] == pytest.approx(mass / whole, rel=1e-6, abs=1e-12)


@given(st.lists(st.lists(st.floats(0.01, 1), min_size=3, max_size=3), min_size=2, max_size=4))
def test_the_difference_is_that_of_the_farthest_pair(rows: list[list[float]]) -> None:
    shares = {
        f"g{place}": {number: value / sum(row) for number, value in enumerate(row, 1)}
        for place, row in enumerate(rows)
    }
    worst = max(
        0.5 * sum(abs(one[number] - other[number]) for number in one)
        for one in shares.values()
        for other in shares.values()
    )
    assert largest_difference(shares) == pytest.approx(worst)
    assert are_unequal(shares) is (largest_difference(shares) > 0.05)


def test_what_is_said_names_the_groups_and_masks_where_there_are_some() -> None:
    shares = {"white": {1: 1.0}, "hispanic": {2: 0.5, 4: 0.5}, "black": {1: 1.0}}
    (masked,) = token_warnings("masked", shares)
    assert "(hispanic 3.0, white 1.0 on average, weighted by probability)" in masked
    assert "tokens in ways that cannot be compared directly" in masked
    (causal,) = token_warnings("causal", shares)
    assert "less likely" in causal
    assert token_warnings("masked", {"a": {1: 0.97, 2: 0.03}, "b": {1: 1.0}}) == ()
    assert token_warnings("masked", None) == ()


# The protocol equal-tokens: words of which every group has some of as many tokens.


def test_equal_tokens_keeps_rows_of_counterparts_of_as_many_tokens() -> None:
    topic = topic_of(("he", "king", "abbot"), ("she", "queen", "abbess"), aligned=True)
    table = TokenTable({"he": 1, "king": 1, "abbot": 3, "she": 1, "queen": 2, "abbess": 3})
    words, left_out = select_words(topic, table, "equal-tokens")
    assert words == ("he", "abbot", "she", "abbess")
    assert {item.name: item.reason for item in left_out} == dict.fromkeys(
        ("king", "queen"),
        "it and its counterpart have different numbers of tokens: king 1 token, queen 2 tokens",
    )


def test_equal_tokens_asks_every_place() -> None:
    topic = topic_of(("he", "king"), ("she", "queen"), aligned=True)
    table = TokenTable({"he": 1, "king": 2, "she": 1, "queen": 2})
    counts = [{"he": 1, "king": 1, "she": 1, "queen": 2}, {"he": 1, "king": 2, "she": 1, "queen": 2}]
    assert select_words(topic, table, "equal-tokens")[0] == topic.words
    words, left_out = select_words(topic, table, "equal-tokens", counts)
    assert words == ("he", "she")
    assert "king 1 or 2 tokens, queen 2 tokens" in left_out[0].reason


def test_equal_tokens_without_counterparts_asks_that_every_group_has_such_a_word() -> None:
    race = load_topic("race-capitalised")
    table = TokenTable(dict.fromkeys(race.words, 1) | {"African": 2, "Hispanic": 4})
    words, left_out = select_words(race, table, "equal-tokens")
    assert words == ("white", "black", "Asian", "Latino", "Indian")
    assert [item.reason for item in left_out] == [
        "it has 2 tokens, and not every group has a word of that length",
        "it has 4 tokens, and not every group has a word of that length",
    ]


@given(st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=4), min_size=2, max_size=4))
def test_equal_tokens_by_sets(numbers: list[list[int]]) -> None:
    """What is kept has the same numbers of tokens in each group, and no word of such a number is lost."""
    groups = [tuple(f"{g}.{place}" for place in range(len(own))) for g, own in enumerate(numbers)]
    topic = topic_of(*groups)
    table = TokenTable(
        {word: n for own, ns in zip(groups, numbers, strict=True) for word, n in zip(own, ns, strict=True)}
    )
    words, left_out = select_words(topic, table, "equal-tokens")
    shared = set.intersection(*map(set, numbers))
    assert set(words) == {word for word, number in table.tokens.items() if number in shared}
    assert {item.name for item in left_out} == set(table.tokens) - set(words)


def test_a_run_is_read_with_equal_tokens_from_the_same_scores(own_settings: Settings) -> None:
    """The small runs' abbot and abbess have two tokens each, baron 2 and baroness 1, monk 3 and nun 1."""
    store = Store.open(own_settings.cache)
    run = score_few(store, model="mini-bert")
    whole, equal = load_result(store, run), load_result(store, run, "equal-tokens")
    assert {item.name for item in equal.left_out} == {"baron", "baroness", "monk", "nun"}
    assert set(whole.words) - set(equal.words) == {"baron", "baroness", "monk", "nun"}
    assert is_kept(store, run, "equal-tokens")
    assert store.has_result(run.key, tokens_name("preferences-2-equal-tokens-aligned"))
    again = load_result(store, run, "equal-tokens")
    assert (
        again.token_shares == equal.token_shares == recomputed_result(store, run, "equal-tokens").token_shares
    )
    options = ViewOptions(protocol="equal-tokens")
    assert report(again, run, options, resamples=20).overall_risk > 0
    assert not are_unequal(again.token_shares) or "tokens" in " ".join(again.warnings)


def test_what_was_kept_before_tokens_were_is_read_anew(own_settings: Settings) -> None:
    store = Store.open(own_settings.cache)
    run = score_few(store)
    first = load_result(store, run)
    (kept,) = (own_settings.cache / "results" / run.key).glob("tokens-*")
    kept.unlink()
    assert not is_kept(store, run, "exact")
    assert load_result(store, run).token_shares == first.token_shares
    assert is_kept(store, run, "exact")


def test_no_shared_number_of_tokens_is_refused(
    own_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.audit.small_runs.TOKENS", {"asian": 3})
    store = Store.open(own_settings.cache)
    run = score_few(store, topic="race")
    with pytest.raises(ModelError, match="mini-gpt has no word left"):
        load_result(store, run, "equal-tokens")

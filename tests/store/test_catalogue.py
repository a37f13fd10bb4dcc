"""The index from prompts to shards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.run import ScoringKey
from pcf_core.store.catalogue import Catalogue, prompt_hashes
from pcf_core.store.database import Database
from pcf_core.store.shards import Manifest, now

KEY = ScoringKey(model="toy", identity="weights", tokenizer="tokens", family="fake", rules="1")


def manifest(shard: str, words: tuple[str, ...] = ("he",), refused: dict[str, str] | None = None) -> Manifest:
    return Manifest(
        shard=shard,
        sha256="",
        scoring=KEY,
        rows=0,
        words=words,
        tokens=tuple(range(1, len(words) + 1)),
        refused=refused or {},
        created=now(),
        provenance={},
    )


@pytest.fixture
def catalogue() -> Catalogue:
    return Catalogue(Database(None))


@given(
    st.dictionaries(st.sampled_from("stuvw"), st.sets(st.sampled_from("abcdef")), max_size=5),
    st.lists(st.sampled_from("abcdefgh"), max_size=12),
)
def test_holdings_are_the_join(shards: dict[str, set[str]], wanted: list[str]) -> None:
    """Against a join written as two loops; wanted prompts may repeat."""
    catalogue = Catalogue(Database(None))
    for shard, prompts in shards.items():
        catalogue.add("key", manifest(shard), sorted(prompts))
    found = {holding.shard: holding.positions.tolist() for holding in catalogue.holdings("key", wanted)}
    expected = {
        shard: [position for position, prompt in enumerate(wanted) if prompt in prompts]
        for shard, prompts in sorted(shards.items())
    }
    assert found == {shard: positions for shard, positions in expected.items() if positions}
    assert list(found) == sorted(found)


def test_keys_do_not_mix(catalogue: Catalogue) -> None:
    catalogue.add("one", manifest("a"), ["prompt"])
    catalogue.add("two", manifest("a"), ["prompt"])
    assert [holding.shard for holding in catalogue.holdings("one", ["prompt"])] == ["a"]
    catalogue.forget("one", ["a"])
    assert catalogue.shards("one") == set()
    assert list(catalogue.holdings("one", ["prompt"])) == []
    assert len(list(catalogue.holdings("two", ["prompt"]))) == 1


def test_adding_twice_is_adding_once(catalogue: Catalogue) -> None:
    for _ in range(2):
        catalogue.add("key", manifest("a"), ["p", "q"])
    assert [holding.positions.tolist() for holding in catalogue.holdings("key", ["q", "p"])] == [[0, 1]]


def test_words_are_the_union_over_shards(catalogue: Catalogue) -> None:
    catalogue.add("key", manifest("a", ("he", "she"), {"xe": "unk"}), [])
    catalogue.add("key", manifest("b", ("king",), {"ze": "empty"}), [])
    table = catalogue.known_words("key")
    assert table.tokens == {"he": 1, "she": 2, "king": 1}
    assert table.refused == {"xe": "unk", "ze": "empty"}
    assert catalogue.known_words("other").tokens == {}


def test_the_tokens_of_words_are_known_as_far_as_shards_tell_them(catalogue: Catalogue) -> None:
    told = manifest("a", ("he", "He")).model_copy(
        update={"spelling": {"he": "7", "He": "7"}, "unspaced": ("he",)}
    )
    catalogue.add("key", told, ["p"])
    catalogue.add("key", manifest("b", ("king",)), ["p"])
    table = catalogue.known_words("key")
    assert (table.spelling, table.same) == ({"he": "7", "He": "7"}, (("he", "He"),))
    assert table.unspaced == {"he"}
    catalogue.forget("key", ["a"])
    assert catalogue.known_words("key").spelling == {}
    assert catalogue.known_words("key").unspaced == set()
    catalogue.add("key", told, ["p"])
    catalogue.clear()
    catalogue.add("key", manifest("a", ("he", "He")), ["p"])
    assert catalogue.known_words("key").spelling == {}


def test_the_order_of_words_is_kept(catalogue: Catalogue) -> None:
    catalogue.add("key", manifest("a", ("z", "a", "m")), ["p"])
    assert next(iter(catalogue.holdings("key", ["p"]))).words == ("z", "a", "m")


def test_a_warning_lasts_until_the_shard_is_there_again(catalogue: Catalogue) -> None:
    catalogue.warn("key", "a", "The shard a is damaged.")
    catalogue.warn("key", "a", "The shard a is damaged.")
    catalogue.warn("key", "b", "The shard b is damaged.")
    assert catalogue.warnings() == ("The shard a is damaged.", "The shard b is damaged.")
    catalogue.add("key", manifest("a"), [])
    assert catalogue.warnings() == ("The shard b is damaged.",)
    catalogue.clear()
    assert catalogue.warnings() == ()


def test_prompts_are_told_apart_by_128_bits() -> None:
    hashes = {found for key in ("one", "two") for found in prompt_hashes(key, ("p", "q", ""))}
    assert len(hashes) == 6
    assert {len(found) for found in hashes} == {16}


def test_where_nothing_is_indexed_no_prompt_is_looked_at(catalogue: Catalogue) -> None:
    """Most layers of a store hold nothing under a key, and a run has hundreds of thousands of prompts."""

    class Untouched(list[str]):
        def __iter__(self) -> Iterator[str]:
            raise AssertionError("looked at")

    catalogue.add("one", manifest("a"), ["prompt"])
    assert list(catalogue.holdings("two", Untouched(["prompt"]))) == []
    with pytest.raises(AssertionError, match="looked at"):
        list(catalogue.holdings("one", Untouched(["prompt"])))

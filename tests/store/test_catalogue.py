"""The index from prompts to shards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import DamagedCatalogueError
from pcf_core.core.run import ScoringKey
from pcf_core.store.catalogue import KEYS_HELD, Catalogue, Held, prompt_hashes
from pcf_core.store.database import FILE_NAME, Database
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
    catalogue.add("key", manifest("b"), [])
    assert catalogue.warnings() == ()


def test_where_nothing_is_indexed_no_prompt_is_looked_at(catalogue: Catalogue) -> None:
    """Most layers of a store hold nothing under a key, and a run has hundreds of thousands of prompts."""

    class Untouched(list[str]):
        def __iter__(self) -> Iterator[str]:
            raise AssertionError("looked at")

    catalogue.add("one", manifest("a"), ["prompt"])
    assert list(catalogue.holdings("two", Untouched(["prompt"]))) == []
    with pytest.raises(AssertionError, match="looked at"):
        list(catalogue.holdings("one", Untouched(["prompt"])))


def test_what_others_add_and_forget_is_known(tmp_path: Path) -> None:
    """Two processes on one file, here two connections: either finds what the other did."""
    here, there = Catalogue.open(tmp_path), Catalogue.open(tmp_path)
    draw, shards = np.random.default_rng(0), dict[str, list[str]]()
    prompts = [f"prompt {number}" for number in range(40)]
    for step in range(60):
        if shards and draw.random() < 0.4:
            gone = str(draw.choice(sorted(shards)))
            here.forget("key", [gone])
            del shards[gone]
        if draw.random() < 0.7:
            shards[f"s{step}"] = sorted(map(str, draw.choice(prompts, size=5, replace=False)))
            here.add("key", manifest(f"s{step}"), shards[f"s{step}"])
        for catalogue in (here, there):
            found = {one.shard: one.positions.tolist() for one in catalogue.holdings("key", prompts)}
            assert found == {
                shard: [place for place, prompt in enumerate(prompts) if prompt in held]
                for shard, held in shards.items()
            }


def test_what_is_taken_back_is_not_held(tmp_path: Path) -> None:
    """A number that was given in a transaction that failed is given again, to another shard."""
    one, other = Catalogue.open(tmp_path), Catalogue.open(tmp_path)

    def index_and_fail() -> None:
        with one.database.transaction():
            one.add("key", manifest("gone"), ["a"])
            assert [holding.shard for holding in one.holdings("key", ["a"])] == ["gone"]
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        index_and_fail()
    other.add("key", manifest("there"), ["b"])
    assert [holding.shard for holding in one.holdings("key", ["a", "b"])] == ["there"]


def test_the_prompts_of_few_keys_stay_in_memory(catalogue: Catalogue) -> None:
    keys = [f"key {number}" for number in range(KEYS_HELD + 2)]
    for key in keys:
        catalogue.add(key, manifest("a"), [key])
    for key in (*keys, *reversed(keys)):
        assert [holding.positions.tolist() for holding in catalogue.holdings(key, [key, "other"])] == [[0]]
        assert len(catalogue._held) <= KEYS_HELD


@pytest.mark.parametrize("harm", ["hashes = zeroblob(32)", "hashes = 'a text'", "hashes = x''"])
def test_prompts_that_are_not_as_they_were_written_are_not_believed(tmp_path: Path, harm: str) -> None:
    catalogue = Catalogue.open(tmp_path)
    catalogue.add("key", manifest("a"), ["p", "q"])
    catalogue.database.execute(f"UPDATE shard_prompts SET {harm}")
    with pytest.raises(DamagedCatalogueError):
        list(catalogue.holdings("key", ["p"]))
    assert (tmp_path / f"{FILE_NAME}.damaged").exists()


@pytest.mark.parametrize("column", ["words", "id", "prompts"])
def test_a_row_that_is_not_as_it_was_written_is_not_believed(tmp_path: Path, column: str) -> None:
    catalogue = Catalogue.open(tmp_path)
    catalogue.add("key", manifest("a"), ["p"])
    assert catalogue.known_words("key").tokens == {"he": 1}
    catalogue.database.execute(f"UPDATE shard_words SET {column} = replace({column}, '1', '2') || ' '")
    with pytest.raises(DamagedCatalogueError, match="a row is not as it was written"):
        catalogue.known_words("key")
    assert Catalogue.open(tmp_path).known_words("key").tokens == {}


def test_a_shard_whose_prompts_are_gone_is_not_believed(tmp_path: Path) -> None:
    catalogue = Catalogue.open(tmp_path)
    catalogue.add("key", manifest("a"), ["p", "q"])
    catalogue.database.execute("DELETE FROM shard_prompts")
    with pytest.raises(DamagedCatalogueError):
        list(catalogue.holdings("key", ["p"]))


# Sorted hashes in memory.


PROMPTS = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=6)


def holding(shards: Sequence[Sequence[str]], at_once: int = 1) -> Held:
    """Shards named by their numbers, some of them added together."""
    found = Held()
    for start in range(0, len(shards), at_once):
        part = shards[start : start + at_once]
        found = found.with_shards(
            [(place + 1, f"{place:03}", (f"word {place}",)) for place in range(start, start + len(part))],
            b"".join(map(prompt_hashes, part)),
            [len(prompt_hashes(prompts)) for prompts in part],
        )
    return found


@given(st.lists(PROMPTS, max_size=9), st.integers(1, 4), st.lists(st.sampled_from("abcdefghij"), max_size=12))
def test_all_shards_are_found_that_hold_a_prompt(
    shards: list[list[str]], at_once: int, wanted: list[str]
) -> None:
    """Against two loops; a prompt may lie in several shards, and may be wanted twice."""
    found = [(one.shard, one.words, one.positions.tolist()) for one in holding(shards, at_once).find(wanted)]
    places = [[place for place, prompt in enumerate(wanted) if prompt in prompts] for prompts in shards]
    assert found == [
        (f"{number:03}", (f"word {number}",), there) for number, there in enumerate(places) if there
    ]


def test_adding_shards_one_by_one_sorts_few_of_them_again() -> None:
    """Of 64 shards no more than 64 · log2(64) are sorted, not 64²; few pieces are searched."""
    sizes = []
    found = Held()
    for number in range(64):
        before = {id(piece) for piece in found.pieces}
        hashes = prompt_hashes([f"{number} {place}" for place in range(10)])
        found = found.with_shards([(number + 1, str(number), ("he",))], hashes, [len(hashes)])
        sizes += [len(piece.first) for piece in found.pieces if id(piece) not in before]
        assert len(found.pieces) <= 7
    assert sum(sizes) <= 640 * 7
    assert sum(len(piece.first) for piece in found.pieces) == 640


def test_two_prompts_are_told_apart_by_all_128_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the first half of every hash is the same, so that the second alone tells them apart."""

    def half_hashes(prompts: Sequence[str]) -> bytes:
        return b"".join(bytes(8) + prompt_hashes([one])[8:] for one in prompts)

    monkeypatch.setattr("pcf_core.store.catalogue.prompt_hashes", half_hashes)
    found = Held()
    for number, prompts in enumerate(["ab", "bc"]):
        hashes = half_hashes(prompts)
        found = found.with_shards([(number + 1, prompts, ("he",))], hashes, [len(hashes)])
    assert {one.shard: one.positions.tolist() for one in found.find("cabx")} == {"ab": [1, 2], "bc": [0, 2]}


def test_a_hash_has_128_bits_and_no_two_are_alike() -> None:
    hashes = prompt_hashes(["p", "q", "", "pq"])
    assert len({hashes[start : start + 16] for start in range(0, len(hashes), 16)}) == 4
    assert len(hashes) == 64

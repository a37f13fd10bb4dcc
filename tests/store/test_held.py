"""Which shards hold which prompts, by their hashes in memory."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.store import catalogue
from pcf_core.store.catalogue import Held, prompt_hashes

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
    made = catalogue.prompt_hashes
    monkeypatch.setattr(
        catalogue, "prompt_hashes", lambda prompts: b"".join(bytes(8) + made([one])[8:] for one in prompts)
    )
    found = Held()
    for number, prompts in enumerate(["ab", "bc"]):
        hashes = catalogue.prompt_hashes(prompts)
        found = found.with_shards([(number + 1, prompts, ("he",))], hashes, [len(hashes)])
    assert {one.shard: one.positions.tolist() for one in found.find("cabx")} == {"ab": [1, 2], "bc": [0, 2]}


def test_a_hash_has_128_bits_and_no_two_are_alike() -> None:
    hashes = prompt_hashes(["p", "q", "", "pq"])
    assert len({hashes[start : start + 16] for start in range(0, len(hashes), 16)}) == 4
    assert len(hashes) == 64

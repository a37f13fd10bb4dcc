"""The store: only what is new is missing, what is there is given, nothing damaged is served."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import fsspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import StoreError
from pcf_core.core.records import FloatArray
from pcf_core.core.run import ScoringKey, TokenTable
from pcf_core.store.database import FILE_NAME
from pcf_core.store.layer import Missing
from pcf_core.store.shards import decode, encode
from pcf_core.store.storage import ObjectStorage, Storage
from pcf_core.store.store import Store

REFUSED = {"ξ": "unk"}
PROMPTS = tuple(f"The {name} said that [Y]" for name in ("nurse", "clerk", "judge", "baker", "cook", "pilot"))
WORDS = ("he", "she", "king")


def nats(prompt: str, word: str) -> float:
    """A score that belongs to this prompt and word alone."""
    return -float(sum(f"{prompt}|{word}".encode()) % 997) - 0.5


def matrix(prompts: Sequence[str], words: Sequence[str]) -> FloatArray:
    return np.array([[nats(prompt, word) for word in words] for prompt in prompts], dtype=np.float32).reshape(
        len(prompts), len(words)
    )


def table(words: Sequence[str]) -> TokenTable:
    return TokenTable(
        {word: len(word) for word in words if word not in REFUSED},
        {word: REFUSED[word] for word in words if word in REFUSED},
    )


def score(store: Store, key: ScoringKey, prompts: Sequence[str], words: Sequence[str]) -> list[Missing]:
    """Score what is missing, as a worker does; return the blocks that were."""
    blocks = store.missing(key, prompts, words)
    for block in blocks:
        accepted = [word for word in block.words if word not in REFUSED]
        known = block.prompts if accepted else ()
        store.write(key, known, block.words, table(block.words), matrix(known, accepted), {"device": "toy"})
    return blocks


def cells(blocks: Sequence[Missing]) -> set[tuple[str, str]]:
    return {(prompt, word) for block in blocks for prompt in block.prompts for word in block.words}


REQUEST = st.tuples(
    st.lists(st.sampled_from("abcdefghij"), max_size=10), st.lists(st.sampled_from("uvwxyzξ"), max_size=6)
)


@pytest.mark.parametrize("scores", ["", "memory:/{}"])
@given(st.lists(st.tuples(REQUEST, st.booleans()), max_size=5), st.data())
def test_a_request_scores_only_what_is_new(
    scores: str, requests: list[tuple[tuple[list[str], list[str]], bool]], data: st.DataObject
) -> None:
    """Against a set of cells: whatever came before, missing is exactly what is not there, gather the rest."""
    key = ScoringKey(model="toy", identity="weights", tokenizer="tokens", family="fake", rules="1")
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder), (), scores.format(folder))
        there: set[tuple[str, str]] = set()
        known: set[str] = set()
        for (prompts, words), reopen in requests:
            asked = {(prompt, word) for prompt in prompts for word in words if word not in known}
            blocks = score(store, key, prompts, words)
            assert cells(blocks) == asked - there
            assert sum(len(block.prompts) * len(block.words) for block in blocks) == len(asked - there)
            assert all(0 < len(block.prompts) <= 4 and block.words for block in blocks)
            there |= {cell for cell in asked if cell[1] not in REFUSED}
            known |= {word for _, word in asked if word in REFUSED}
            assert store.missing(key, prompts, words) == []
            if reopen:
                (Path(folder) / FILE_NAME).unlink()
                store = Store.open(Path(folder), (), scores.format(folder))
        prompts, words = data.draw(REQUEST)
        expected = [[nats(p, w) if (p, w) in there else np.nan for w in words] for p in prompts]
        found = store.gather(key, prompts, words)
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, np.array(expected, np.float32).reshape(found.shape))


def test_blocks_are_few_and_keep_the_order(any_store: Store, key: ScoringKey) -> None:
    """Six prompts, three words, shards of four: two blocks; then a word and a prompt more."""
    assert score(any_store, key, PROMPTS, WORDS) == [Missing(PROMPTS[:4], WORDS), Missing(PROMPTS[4:], WORDS)]
    assert any_store.missing(key, PROMPTS, (*WORDS, "queen")) == [
        Missing(PROMPTS[:4], ("queen",)),
        Missing(PROMPTS[4:], ("queen",)),
    ]
    assert any_store.missing(key, ("new [Y]", *PROMPTS), WORDS) == [Missing(("new [Y]",), WORDS)]
    assert any_store.missing(key, ("new [Y]", PROMPTS[0]), ("queen", "he")) == [
        Missing(("new [Y]",), ("queen", "he")),
        Missing((PROMPTS[0],), ("queen",)),
    ]


def test_shards_that_overlap_give_every_score_that_either_has(any_store: Store, key: ScoringKey) -> None:
    """Whichever is read first, the other is partly known by then and must be read for the rest."""
    for words in (("he", "she"), ("she", "king")):
        for prompts in (PROMPTS[:4], PROMPTS[2:]):
            any_store.write(key, prompts, words, table(words), matrix(prompts, words), {})
    assert any_store.missing(key, PROMPTS, WORDS) == []
    np.testing.assert_array_equal(any_store.gather(key, PROMPTS, WORDS), matrix(PROMPTS, WORDS))


def test_another_key_shares_nothing(any_store: Store, key: ScoringKey) -> None:
    score(any_store, key, PROMPTS, WORDS)
    other = key.model_copy(update={"identity": "other weights"})
    assert cells(any_store.missing(other, PROMPTS, WORDS)) == {(p, w) for p in PROMPTS for w in WORDS}
    assert np.isnan(any_store.gather(other, PROMPTS, WORDS)).all()
    assert any_store.known_words(other).tokens == {}


def test_one_prompt_reads_one_shard(
    any_store: Store, key: ScoringKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = [f"{number} [Y]" for number in range(40)]
    score(any_store, key, prompts, WORDS)
    read: list[str] = []
    layer = any_store._layers[0]
    monkeypatch.setattr(
        layer, "read", lambda scoring, shard: read.append(shard) or type(layer).read(layer, scoring, shard)
    )
    np.testing.assert_array_equal(any_store.gather(key, prompts[17:18], WORDS), matrix(prompts[17:18], WORDS))
    assert len(read) == 1


def test_two_stores_on_one_folder_see_each_other(root: Path, key: ScoringKey) -> None:
    one, two = Store.open(root), Store.open(root)
    score(one, key, PROMPTS[:3], WORDS)
    assert cells(score(two, key, PROMPTS, WORDS)) == {(p, w) for p in PROMPTS[3:] for w in WORDS}
    assert one.missing(key, PROMPTS, WORDS) == []


def test_shards_copied_in_or_deleted_by_hand_are_noticed(
    store: Store, root: Path, tmp_path: Path, key: ScoringKey
) -> None:
    other = Store.open(tmp_path / "elsewhere")
    score(other, key, PROMPTS, WORDS)
    shutil.copytree(tmp_path / "elsewhere" / "scores", root / "scores")
    assert store.missing(key, PROMPTS, WORDS) == []
    shutil.rmtree(root / "scores")
    assert cells(store.missing(key, PROMPTS, WORDS)) == {(p, w) for p in PROMPTS for w in WORDS}


def test_a_shard_written_while_the_folder_is_looked_through_is_not_lost(
    store: Store, root: Path, key: ScoringKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Store.open(root)
    catalogue = store._layers[0].catalogue
    real = catalogue.shards

    def meanwhile(scoring: str) -> set[str]:
        score(other, key, PROMPTS, WORDS)
        return real(scoring)

    monkeypatch.setattr(catalogue, "shards", meanwhile)
    np.testing.assert_array_equal(store.gather(key, PROMPTS, WORDS), matrix(PROMPTS, WORDS))


def test_the_first_writer_of_a_shard_wins(any_store: Store, key: ScoringKey) -> None:
    """On another device the same shard may differ in the last bit: bytes that count are never replaced."""
    first = any_store.write(key, PROMPTS, ("he",), table(["he"]), matrix(PROMPTS, ["he"]), {})
    second = any_store.write(key, PROMPTS, ("he",), table(["he"]), matrix(PROMPTS, ["he"]) - 1, {})
    assert first == second
    np.testing.assert_array_equal(any_store.gather(key, PROMPTS, ["he"]), matrix(PROMPTS, ["he"]))


@pytest.mark.parametrize(
    ("prompts", "words", "values"),
    [
        (PROMPTS, ("he",), np.zeros((5, 1))),
        (PROMPTS, ("he", "ξ"), np.zeros((6, 2))),
        (PROMPTS, ("he", "unknown"), np.zeros((6, 2))),
        (PROMPTS, ("he",), np.full((6, 1), np.nan)),
        (("same", "same"), ("he",), np.zeros((2, 1))),
    ],
    ids=["rows", "refused word", "unknown word", "NaN", "repeated prompt"],
)
def test_what_does_not_fit_is_not_written(
    store: Store,
    root: Path,
    key: ScoringKey,
    prompts: tuple[str, ...],
    words: tuple[str, ...],
    values: FloatArray,
) -> None:
    with pytest.raises(ValueError, match="values"):
        store.write(key, prompts, words, table(["he", "ξ"]), values, {})
    assert list(root.rglob("*.parquet")) == []


# ---------------------------------------------------------------------------- several machines


def test_machines_that_share_scores_see_each_other(tmp_path: Path, scores: str, key: ScoringKey) -> None:
    """Each with a cache of its own; in the cache's own folder they share nothing."""
    one = Store.open(tmp_path / "one", (), scores)
    two = Store.open(tmp_path / "two", (), scores)
    score(one, key, PROMPTS[:3], (*WORDS, "ξ"))
    expected = {(p, w) for p in (PROMPTS[3:] if scores else PROMPTS) for w in WORDS}
    assert two.known_words(key).refused == (REFUSED if scores else {})
    assert cells(score(two, key, PROMPTS, WORDS)) == expected
    assert len(one.missing(key, PROMPTS, WORDS)) == (0 if scores else 1)
    late = Store.open(tmp_path / "three", (), scores)
    if scores:
        np.testing.assert_array_equal(late.gather(key, PROMPTS, WORDS), matrix(PROMPTS, WORDS))
    assert (tmp_path / "one" / "scores").exists() == (not scores)


def test_of_two_machines_with_other_last_bits_the_first_stays(
    tmp_path: Path, scores: str, key: ScoringKey
) -> None:
    one = Store.open(tmp_path / "one", (), scores or str(tmp_path / "shared"))
    two = Store.open(tmp_path / "two", (), scores or str(tmp_path / "shared"))
    two.missing(key, PROMPTS, ["he"])  # it has looked, and knows of nothing
    for store, shift in ((one, 0), (two, 1)):
        store.write(key, PROMPTS, ("he",), table(["he"]), matrix(PROMPTS, ["he"]) - shift, {})
    for store in (one, two, Store.open(tmp_path / "three", (), scores or str(tmp_path / "shared"))):
        np.testing.assert_array_equal(store.gather(key, PROMPTS, ["he"]), matrix(PROMPTS, ["he"]))
    assert one.warnings() == two.warnings() == ()


def test_object_storage_is_listed_once_in_a_while(
    tmp_path: Path, key: ScoringKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What we write is known at once; what others write after five seconds; what is gone when it is read."""
    url = f"memory:/{tmp_path}"
    one, two = Store.open(tmp_path / "one", (), url), Store.open(tmp_path / "two", (), url)
    listings: list[str] = []
    real = ObjectStorage.stems
    monkeypatch.setattr(
        ObjectStorage, "stems", lambda self, suffix: listings.append(suffix) or real(self, suffix)
    )
    assert len(score(one, key, PROMPTS[:4], WORDS)) == 1
    assert one.missing(key, PROMPTS[:4], WORDS) == []
    assert len(listings) == 1
    score(two, key, PROMPTS[4:], WORDS)
    assert len(one.missing(key, PROMPTS, WORDS)) == 1
    later = time.monotonic() + 6
    monkeypatch.setattr("pcf_core.store.layer.time.monotonic", lambda: later)
    assert one.missing(key, PROMPTS, WORDS) == []
    fsspec.filesystem("memory").rm(str(tmp_path), recursive=True)
    assert np.isnan(one.gather(key, PROMPTS, WORDS)).all()
    assert one.warnings() == ()


def test_damage_is_set_aside_wherever_it_lies(any_store: Store, key: ScoringKey) -> None:
    score(any_store, key, PROMPTS, WORDS)
    folder = any_store._layers[0].scores / key.hash
    shard = any_store.shards(key)[0]
    assert any_store.missing(key, PROMPTS, WORDS) == [], "read once, and found intact"
    folder.replace(f"{shard}.parquet", b"no longer what it was")
    assert len(any_store.missing(key, PROMPTS, WORDS)) == 1
    assert folder.read(f"{shard}.parquet.damaged") == b"no longer what it was"
    assert f"The shard {shard} of {key.hash} is damaged" in any_store.warnings()[0]
    assert len(score(any_store, key, PROMPTS, WORDS)) == 1
    np.testing.assert_array_equal(any_store.gather(key, PROMPTS, WORDS), matrix(PROMPTS, WORDS))
    assert any_store.warnings() == ()


# ---------------------------------------------------------------------------------------- damage


class Killed(Exception):
    """What stands for kill -9 here: nothing catches it."""


@pytest.mark.parametrize("renames", [0, 1])
def test_killed_while_it_sets_damage_aside_it_leaves_no_data_that_pass_for_whole(
    any_store: Store, key: ScoringKey, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    """The damaged data have the right shape: without their manifest they could be taken for a shard's."""
    score(any_store, key, PROMPTS, WORDS)
    folder = any_store._layers[0].scores / key.hash
    shard = any_store.shards(key)[0]
    prompts, values, _ = decode(folder.read(f"{shard}.parquet") or b"")
    folder.replace(f"{shard}.parquet", encode(prompts, values - 1))
    real, left = type(folder).set_aside, [None] * renames

    def killed(self: Storage, name: str) -> None:
        if not left:
            raise Killed
        left.pop()
        real(self, name)

    with monkeypatch.context() as patch:
        patch.setattr(type(folder), "set_aside", killed)
        with pytest.raises(Killed):
            any_store.gather(key, PROMPTS, WORDS)
    score(any_store, key, PROMPTS, WORDS)
    np.testing.assert_array_equal(any_store.gather(key, PROMPTS, WORDS), matrix(PROMPTS, WORDS))


def test_scores_of_another_model_are_not_served(root: Path, key: ScoringKey) -> None:
    """Intact shards under a foreign key's folder: set aside, with a warning each, and scored again."""
    store = Store.open(root)
    score(store, key, PROMPTS, WORDS)
    other = key.model_copy(update={"identity": "other weights"})
    shutil.copytree(root / "scores" / key.hash, root / "scores" / other.hash)
    for reader in (store, Store.open(root)):
        assert np.isnan(reader.gather(other, PROMPTS, WORDS)).all()
        assert reader.known_words(other).tokens == {}
        assert cells(reader.missing(other, PROMPTS, WORDS)) == {(p, w) for p in PROMPTS for w in WORDS}
    assert len(store.warnings()) == 2
    assert f"it holds scores of {key.hash}" in store.warnings()[0]
    assert list((root / "scores" / other.hash).glob("*.json")) == []
    np.testing.assert_array_equal(store.gather(key, PROMPTS, WORDS), matrix(PROMPTS, WORDS))


def test_a_warning_is_seen_by_other_processes(root: Path, key: ScoringKey) -> None:
    worker, app = Store.open(root), Store.open(root)
    score(worker, key, PROMPTS, WORDS)
    sorted(root.rglob("*.parquet"))[0].unlink()
    worker.missing(key, PROMPTS, WORDS)
    assert len(app.warnings()) == 1


def test_half_written_files_are_not_there(store: Store, root: Path, key: ScoringKey) -> None:
    """What a process killed at any point of its writing leaves: a draft, data without a manifest."""
    score(store, key, PROMPTS, WORDS)
    expected = {path: path.read_bytes() for path in root.rglob("scores/*/*")}
    for manifest in list(root.rglob("scores/*/*.json")):
        manifest.rename(manifest.with_name(f"{manifest.name}.tmp"))
    assert cells(store.missing(key, PROMPTS, WORDS)) == {(p, w) for p in PROMPTS for w in WORDS}
    assert np.isnan(store.gather(key, PROMPTS, WORDS)).all()
    assert store.warnings() == ()
    score(store, key, PROMPTS, WORDS)
    after = {path: path.read_bytes() for path in root.rglob("scores/*/*")}
    assert set(after) == set(expected)
    assert all(after[path] == data for path, data in expected.items() if path.suffix == ".parquet")


def test_a_kill_between_manifest_and_index_loses_nothing(
    root: Path, key: ScoringKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(root)

    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        real = type(store._database).execute
        patch.setattr(
            type(store._database),
            "execute",
            lambda self, sql, parameters=(): killed() if sql == "COMMIT" else real(self, sql, parameters),
        )
        with pytest.raises(Killed):
            store.write(key, PROMPTS, ("he",), table(["he"]), matrix(PROMPTS, ["he"]), {})
    again = Store.open(root)
    assert again.missing(key, PROMPTS, ("he",)) == []
    np.testing.assert_array_equal(again.gather(key, PROMPTS, ("he",)), matrix(PROMPTS, ["he"]))


# ------------------------------------------------------------------------- full and read-only disks


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_a_refusing_disk_is_one_sentence_and_leaves_nothing(
    store: Store, root: Path, key: ScoringKey, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    score(store, key, PROMPTS[:4], WORDS)
    before = set(root.rglob("scores/*/*"))
    with monkeypatch.context() as patch:

        def refuse(_: int) -> None:
            raise OSError(number, os.strerror(number))

        patch.setattr(os, "fsync", refuse)
        with pytest.raises(StoreError, match=r"The cache at .* (is full|cannot be written)") as caught:
            score(store, key, PROMPTS, WORDS)
        assert str(caught.value).count("\n") == 0
        np.testing.assert_array_equal(store.gather(key, PROMPTS[:4], WORDS), matrix(PROMPTS[:4], WORDS))
    assert set(root.rglob("scores/*/*")) == before
    assert cells(score(store, key, PROMPTS, WORDS)) == {(p, w) for p in PROMPTS[4:] for w in WORDS}


def test_a_really_full_disk(small_disk: Path, key: ScoringKey) -> None:
    store = Store.open(small_disk / "cache")
    rng = np.random.default_rng(0)
    words = [f"w{number}" for number in range(2000)]
    kept: dict[str, FloatArray] = {}

    def fill() -> None:
        for number in range(1000):
            values = -rng.random((1, 2000), dtype=np.float32)
            store.write(key, (f"{number} [Y]",), words, table(words), values, {})
            kept[f"{number} [Y]"] = values

    with pytest.raises(StoreError, match="is full: free some space"):
        fill()
    assert kept
    for reader in (store, Store.open(small_disk / "cache")):
        np.testing.assert_array_equal(
            reader.gather(key, list(kept), words), np.concatenate(list(kept.values()))
        )
    assert not list(small_disk.rglob("*.tmp"))


def test_a_read_only_cache_is_read(as_reader: Path, key: ScoringKey) -> None:
    writer = Store.open(as_reader)
    score(writer, key, PROMPTS, WORDS)
    writer._database.close()
    damaged = sorted(as_reader.rglob("*.parquet"))[0]
    damaged.write_bytes(b"no longer what it was")
    for path in [as_reader, *as_reader.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    if os.geteuid() == 0:
        os.seteuid(65534)
    store = Store.open(as_reader)
    with pytest.raises(StoreError, match="cannot be written: make it writable"):
        store.must_be_writable()
    for _ in range(2):
        found = store.gather(key, PROMPTS, WORDS)
        whole = ~np.isnan(found).any(axis=1)
        assert 0 < whole.sum() < len(PROMPTS)
        np.testing.assert_array_equal(found[whole], matrix(PROMPTS, WORDS)[whole])
    assert len(store.missing(key, PROMPTS, WORDS)) == 1
    assert len(store.warnings()) == 1
    with pytest.raises(StoreError, match="cannot be written: make it writable"):
        score(store, key, PROMPTS, WORDS)
    assert store.save_result("abc", "numbers", {"a": np.arange(3)}, {}) is False
    assert damaged.exists()


# ------------------------------------------------------------------------------ the shipped layer


def test_the_cache_lies_on_top_of_the_shipped_layer(tmp_path: Path, key: ScoringKey) -> None:
    shipped = tmp_path / "shipped"
    score(Store.open(shipped), key, PROMPTS[:3], (*WORDS, "ξ"))
    for extra in shipped.glob(f"{FILE_NAME}*"):
        extra.unlink()
    before = sorted(shipped.rglob("*"))
    store = Store.open(tmp_path / "cache", [shipped])
    assert store.known_words(key).refused == REFUSED
    assert cells(score(store, key, PROMPTS, (*WORDS, "ξ"))) == {(p, w) for p in PROMPTS[3:] for w in WORDS}
    np.testing.assert_array_equal(store.gather(key, PROMPTS, WORDS), matrix(PROMPTS, WORDS))
    assert sorted(shipped.rglob("*")) == before


def test_a_score_that_two_layers_have_is_that_of_the_first(tmp_path: Path, key: ScoringKey) -> None:
    """As a shard is read for what only it has: two devices may differ in the last bits of the rest."""
    score(Store.open(tmp_path / "shipped"), key, PROMPTS, WORDS)
    store = Store.open(tmp_path / "cache", [tmp_path / "shipped"])
    own = matrix(PROMPTS[:2], WORDS) - 0.25
    store.write(key, PROMPTS[:2], WORDS, table(WORDS), own, {})
    expected = np.concatenate([own, matrix(PROMPTS[2:], WORDS)])
    np.testing.assert_array_equal(store.gather(key, PROMPTS, WORDS), expected)


def test_a_shipped_folder_that_is_not_there_is_empty(tmp_path: Path, key: ScoringKey) -> None:
    store = Store.open(tmp_path / "cache", [tmp_path / "nowhere"])
    assert len(score(store, key, PROMPTS, WORDS)) == 2
    assert store.runs() == ()
    assert not (tmp_path / "nowhere").exists()


def test_the_shards_of_a_key_change_exactly_when_something_is_scored(
    any_store: Store, key: ScoringKey
) -> None:
    assert any_store.shards(key) == ()
    first = any_store.write(key, PROMPTS[:2], WORDS, table(WORDS), matrix(PROMPTS[:2], WORDS), {})
    assert any_store.shards(key) == (first,)
    second = any_store.write(key, PROMPTS[2:], WORDS, table(WORDS), matrix(PROMPTS[2:], WORDS), {})
    assert set(any_store.shards(key)) == {first, second}
    other = key.model_copy(update={"identity": "other"})
    assert any_store.shards(other) == ()


def test_what_others_add_is_noticed_without_a_list(root: Path, key: ScoringKey) -> None:
    """Whoever it is, also who is killed before it comes to the index; one's own writes count as one each."""
    one, two = Store.open(root), Store.open(root)
    begun = one.changes(key)
    assert begun is not None
    score(one, key, PROMPTS[:1], WORDS)
    assert one.changes(key) == begun + 1
    score(two, key, PROMPTS[1:2], WORDS)
    score(one, key, PROMPTS[2:3], WORDS)
    assert one.changes(key) == begun + 3
    score(two, key, PROMPTS[3:4], WORDS)
    assert one.changes(key) == begun + 4
    assert one.changes(key) == begun + 4
    time.sleep(0.05)  # a tick of the disk's clock
    (root / "scores" / key.hash / "of-one-who-was-killed.json").touch()
    assert one.changes(key) == begun + 5


def test_a_block_that_another_was_first_with_does_not_hide_what_else_it_wrote(
    root: Path, key: ScoringKey
) -> None:
    one, two = Store.open(root), Store.open(root)
    begun = one.changes(key)
    assert begun is not None
    (block,) = one.missing(key, PROMPTS[:1], WORDS)
    score(two, key, PROMPTS[:1], WORDS)
    score(two, key, PROMPTS[1:2], WORDS)
    accepted = [word for word in block.words if word not in REFUSED]
    values = matrix(block.prompts, accepted)
    one.write(key, block.prompts, block.words, table(block.words), values, {"device": "toy"})
    assert one.changes(key) == begun + 2, "what the other wrote, and one's own block"


def test_in_a_shared_place_only_a_list_tells(tmp_path: Path, key: ScoringKey) -> None:
    assert Store.open(tmp_path / "one", scores=str(tmp_path / "all")).changes(key) is None

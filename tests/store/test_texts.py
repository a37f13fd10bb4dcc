"""Texts in the store: bytes, blocks, damage, layers; the machinery is that of the scores."""

from __future__ import annotations

import os
import shutil
from io import BytesIO
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.fakes import FakeGenerator
from pcf_core.core.errors import StoreError
from pcf_core.core.generation import BLOCK, Decoding, Generated, GenerationKey, MissingTexts
from pcf_core.core.records import digest
from pcf_core.store.database import FILE_NAME
from pcf_core.store.files import sha256
from pcf_core.store.shards import SCHEMA_VERSION, file_names, now, write_sealed
from pcf_core.store.store import Store
from pcf_core.store.texts import TextsManifest, decode_texts, encode_texts, texts_id
from tests.store.conftest import NOBODY

TABLE = {" She was kind.": 0.5, " “He”\nworked, ñ 🙂.": 0.3, "": 0.2}
FAKE = FakeGenerator(TABLE)
GENERATION = FAKE.key
PROMPTS = ("John is a nurse.", "The “boss”\nsaid")


def block(prompt: str, first: int = 0, count: int = BLOCK) -> Generated:
    return FAKE.generate(prompt, first, count, lambda: None)


def write(store: Store, key: GenerationKey = GENERATION, count: int = 60) -> list[MissingTexts]:
    """Write what is missing of the prompts; the blocks that were."""
    missing = store.missing_texts(key, PROMPTS, count)
    for one in missing:
        store.write_texts(key, block(one.prompt, one.first, one.count), {"device": "cpu"})
    return missing


def expected(prompt: str, count: int) -> Generated:
    whole = FAKE.generate(prompt, 0, -(-count // BLOCK) * BLOCK, lambda: None)
    return Generated(prompt, 0, whole.texts[:count], whole.ends[:count], whole.tokens[:count])


ends = st.sampled_from(["stop", "length", "refused", "empty"])
rows = st.lists(st.tuples(st.text(), ends, st.integers(0, 4096)), min_size=1, max_size=30)


@given(rows, st.text(), st.integers(0, 10**6))
def test_every_text_comes_back(found: list[tuple[str, str, int]], prompt: str, first: int) -> None:
    texts, how, tokens = zip(*found, strict=True)
    generated = Generated(prompt, first, texts, how, tokens)
    data = encode_texts(generated)
    assert decode_texts(data) == generated
    assert encode_texts(generated) == data


def test_other_programs_read_it(any_store: Store) -> None:
    write(any_store)
    folder = any_store._texts[0].texts / GENERATION.hash
    data = folder.read(file_names(texts_id(GENERATION, PROMPTS[0], 25))[0])
    assert data is not None
    frame = pd.read_parquet(BytesIO(data))
    assert list(frame.columns) == ["prompt", "index", "text", "end", "tokens"]
    assert frame["index"].tolist() == list(range(25, 50))
    assert set(frame["prompt"]) == {PROMPTS[0]}
    assert tuple(frame["text"]) == block(PROMPTS[0], 25).texts


def test_a_request_writes_what_it_asks_for_once(any_store: Store) -> None:
    """In parts of blocks: 2 texts, then 60, then the rest of the last block."""
    assert write(any_store, count=2) == [MissingTexts(prompt, 0, 2) for prompt in PROMPTS]
    sizes = {2: 23, 25: 25, 50: 10}
    assert write(any_store) == [MissingTexts(prompt, *part) for prompt in PROMPTS for part in sizes.items()]
    assert write(any_store) == write(any_store, count=3) == []
    assert write(any_store, count=75) == [MissingTexts(prompt, 60, 15) for prompt in PROMPTS]
    assert any_store.missing_texts(GENERATION, PROMPTS[:1] * 2, 76) == [MissingTexts(PROMPTS[0], 75, 1)]
    for count in (1, 25, 60, 75):
        assert any_store.texts(GENERATION, PROMPTS[1], count) == expected(PROMPTS[1], count)
    assert any_store.texts(GENERATION, PROMPTS[1], 76) is None
    assert any_store.texts(GENERATION, "another prompt", 1) is None
    with pytest.raises(ValueError, match="0 texts"):
        any_store.texts(GENERATION, PROMPTS[0], 0)


def test_another_way_to_draw_shares_nothing(store: Store) -> None:
    write(store)
    warm = GENERATION.model_copy(update={"decoding": Decoding(temperature=0.5)})
    assert len(store.missing_texts(warm, PROMPTS, 25)) == 2
    assert store.texts(warm, PROMPTS[0], 1) is None


@pytest.mark.parametrize(("first", "count"), [(0, 0), (0, 50), (3, 25)])
def test_only_parts_of_one_block_are_written(store: Store, first: int, count: int) -> None:
    texts = Generated("p", first, ("a",) * count, ("stop",) * count, (1,) * count)
    with pytest.raises(ValueError, match="are no part of a block"):
        store.write_texts(GENERATION, texts, {})


def test_the_same_texts_give_the_same_bytes_whoever_writes(tmp_path: Path) -> None:
    one, other = Store.open(tmp_path / "one"), Store.open(tmp_path / "other")
    write(one)
    for wanted in reversed(other.missing_texts(GENERATION, PROMPTS, 60)):
        other.write_texts(GENERATION, block(wanted.prompt, wanted.first, wanted.count), {"device": "another"})
    files = {path.name: path.read_bytes() for path in (tmp_path / "one").rglob("*.parquet")}
    assert len(files) == 6
    assert {path.name: path.read_bytes() for path in (tmp_path / "other").rglob("*.parquet")} == files


def test_the_first_writer_of_a_block_wins(any_store: Store) -> None:
    """Two devices may differ in a text: what is there stays, and its manifest fits it."""
    first = block("p")
    second = Generated("p", 0, ("other",) * BLOCK, ("stop",) * BLOCK, (1,) * BLOCK)
    any_store.write_texts(GENERATION, first, {})
    any_store.write_texts(GENERATION, second, {})
    assert any_store.texts(GENERATION, "p", BLOCK) == first


def test_parts_of_different_size_do_not_disturb_each_other(any_store: Store) -> None:
    """Two requests at once: one wanted 2, one the whole block."""
    any_store.write_texts(GENERATION, block("p", 0, 2), {})
    any_store.write_texts(GENERATION, block("p"), {})
    assert any_store.texts(GENERATION, "p", 2) == block("p", 0, 2)
    assert any_store.texts(GENERATION, "p", BLOCK) == block("p")
    assert any_store.warnings() == ()


def test_a_block_of_before_is_found_by_the_name_that_it_had(any_store: Store) -> None:
    """Texts came in whole blocks alone; their shards keep their names."""
    assert texts_id(GENERATION, "p", 0) == digest([SCHEMA_VERSION, GENERATION.hash, "p", 0])
    any_store.write_texts(GENERATION, block("p"), {})
    assert any_store.missing_texts(GENERATION, ["p"], 2) == []
    assert any_store.missing_texts(GENERATION, ["p"], 26) == [MissingTexts("p", 25, 1)]


def test_data_that_a_killed_writer_left_are_used_and_rubbish_is_replaced(store: Store) -> None:
    folder = store._texts[0].texts / GENERATION.hash
    for prompt, left in (("p", encode_texts(block("p"))), ("q", b"PAR1 and then nothing")):
        folder.create(file_names(texts_id(GENERATION, prompt, 0))[0], left)
        assert store.texts(GENERATION, prompt, 1) is None
        store.write_texts(GENERATION, block(prompt), {})
        assert store.texts(GENERATION, prompt, BLOCK) == block(prompt)
    assert store.warnings() == ()


@pytest.mark.parametrize("which", [0, 1], ids=["data", "manifest"])
@pytest.mark.parametrize("asked", ["missing", "read"])
def test_damage_is_set_aside_told_and_made_again(any_store: Store, which: int, asked: str) -> None:
    write(any_store)
    folder = any_store._texts[0].texts / GENERATION.hash
    shard = texts_id(GENERATION, PROMPTS[0], 25)
    name = file_names(shard)[which]
    content = folder.read(name)
    damaged = content[:60] + bytes([content[60] ^ 1]) + content[61:]
    folder.replace(name, damaged)
    if asked == "read":
        assert any_store.texts(GENERATION, PROMPTS[0], 60) is None
    assert any_store.missing_texts(GENERATION, PROMPTS, 60) == [MissingTexts(PROMPTS[0], 25)]
    assert folder.read(f"{name}.damaged") == damaged
    (warning,) = any_store.warnings()
    assert f"The shard {shard} of {GENERATION.hash} is damaged" in warning
    assert "its texts count as missing" in warning
    assert len(write(any_store)) == 1
    assert any_store.texts(GENERATION, PROMPTS[0], 60) == expected(PROMPTS[0], 60)
    assert any_store.warnings() == ()


def test_texts_of_another_model_or_prompt_are_not_served(store: Store, root: Path) -> None:
    write(store)
    other = GENERATION.model_copy(update={"identity": "other weights"})
    shutil.copytree(root / "texts" / GENERATION.hash, root / "texts" / other.hash)
    for old, new in zip(
        file_names(texts_id(GENERATION, PROMPTS[0], 0)),
        file_names(texts_id(other, PROMPTS[0], 0)),
        strict=True,
    ):
        (root / "texts" / other.hash / old).rename(root / "texts" / other.hash / new)
    assert store.texts(other, PROMPTS[0], 1) is None
    own = root / "texts" / GENERATION.hash
    for name, foreign in zip(
        file_names(texts_id(GENERATION, PROMPTS[0], 0)), file_names(texts_id(GENERATION, "x", 0)), strict=True
    ):
        shutil.copy(own / name, own / foreign)
    assert store.texts(GENERATION, "x", 1) is None
    assert len(store.warnings()) == 2


def test_a_manifest_and_data_that_do_not_belong_together_are_damage(store: Store) -> None:
    """Both whole, with fitting checksums."""
    folder, data = store._texts[0].texts / GENERATION.hash, encode_texts(block("q"))
    manifest = TextsManifest(
        shard=texts_id(GENERATION, "p", 0),
        sha256=sha256(data),
        generation=GENERATION,
        prompt="p",
        first=0,
        rows=BLOCK,
        created=now(),
        provenance={},
    )
    write_sealed(folder, manifest, data, lambda there: False)
    assert store.texts(GENERATION, "p", 1) is None
    assert "it holds something else than its manifest says" in store.warnings()[0]


def test_what_is_no_block_is_refused() -> None:
    whole = pq.read_table(BytesIO(encode_texts(block("p"))))
    ends = whole["end"].to_pylist()
    bad = {
        "a gap": whole.take([0, 2]),
        "two prompts": whole.set_column(0, "prompt", pa.array(["q", *["p"] * (BLOCK - 1)])),
        "an end": whole.set_column(3, "end", pa.array(["never", *ends[1:]])),
        "columns": whole.drop_columns("end"),
        "nothing": whole.slice(0, 0),
    }
    for table in bad.values():
        sink = BytesIO()
        pq.write_table(table, sink)
        with pytest.raises(ValueError, match=r"its (rows|columns) are not those of"):
            decode_texts(sink.getvalue())


def test_intact_blocks_are_read_once_until_a_file_changes(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(store)
    store.missing_texts(GENERATION, PROMPTS, 60)
    monkeypatch.setattr(
        "pcf_core.store.texts.read_texts", lambda *_: pytest.fail("it was read though nothing had changed")
    )
    assert store.missing_texts(GENERATION, PROMPTS, 60) == []


def test_shipped_texts_lie_below_and_are_not_written(tmp_path: Path) -> None:
    write(Store.open(tmp_path / "shipped"), count=25)
    store = Store.open(tmp_path / "cache", [tmp_path / "shipped"])
    assert write(store) == [
        MissingTexts(prompt, first, count) for prompt in PROMPTS for first, count in ((25, 25), (50, 10))
    ]
    assert store.texts(GENERATION, PROMPTS[0], 60) == expected(PROMPTS[0], 60)
    assert len(list((tmp_path / "shipped" / "texts").rglob("*.parquet"))) == 2


def test_caches_that_share_scores_share_texts(tmp_path: Path, scores: str) -> None:
    one, other = (Store.open(tmp_path / name, (), scores) for name in ("one", "other"))
    write(one)
    assert (other.missing_texts(GENERATION, PROMPTS, 60) == []) == bool(scores)
    (tmp_path / "one" / FILE_NAME).unlink()
    one = Store.open(tmp_path / "one", (), scores)
    assert one.warnings() == ()
    assert one.missing_texts(GENERATION, PROMPTS, 60) == []


def test_a_read_only_cache_is_read(as_reader: Path) -> None:
    write(Store.open(as_reader))
    for path in [as_reader, *as_reader.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    if os.geteuid() == 0:
        os.seteuid(NOBODY)
    store = Store.open(as_reader)
    assert store.texts(GENERATION, PROMPTS[0], 60) == expected(PROMPTS[0], 60)
    with pytest.raises(StoreError, match="cannot be written"):
        store.write_texts(GENERATION, block("new"), {})

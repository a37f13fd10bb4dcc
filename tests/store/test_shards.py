"""One shard: round trip, bytes, damage."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pcf_core.core.errors import DamagedShardError, StoreError
from pcf_core.core.run import ScoringKey
from pcf_core.store.files import seal, sha256, unseal
from pcf_core.store.shards import (
    Manifest,
    MissingShardError,
    decode,
    encode,
    file_names,
    now,
    read_shard,
    shard_id,
    write_shard,
)
from pcf_core.store.storage import Storage, storage_of

PROMPTS = ("The nurse said that [Y]", "The “boss” said\nthat [Y]", "")
VALUES = np.array([[-1.5, -2], [-0.0, -np.inf], [-3, -1e-30]], dtype=np.float32)


def manifest_of(key: ScoringKey, data: bytes) -> Manifest:
    return Manifest(
        shard=shard_id(key.hash, PROMPTS, ("he", "she", "xe")),
        sha256=sha256(data),
        scoring=key,
        rows=3,
        words=("he", "she"),
        tokens=(1, 2),
        refused={"xe": "unk"},
        created=now(),
        provenance={"device": "cpu"},
    )


@pytest.fixture
def written(place: Storage, key: ScoringKey) -> tuple[Storage, str]:
    data = encode(PROMPTS, VALUES)
    manifest = manifest_of(key, data)
    write_shard(place / key.hash, manifest, data)
    return place / key.hash, manifest.shard


def bytes_of(folder: Storage, name: str) -> bytes:
    data = folder.read(name)
    assert data is not None
    return data


@given(
    st.integers(0, 6).flatmap(
        lambda rows: st.tuples(
            st.lists(st.text(), min_size=rows, max_size=rows),
            arrays.arrays(
                np.float32,
                st.tuples(st.just(rows), st.integers(0 if rows == 0 else 1, 5)),
                elements=st.floats(width=32, max_value=0, allow_nan=False),
            ),
        )
    )
)
def test_every_bit_comes_back(shard: tuple[list[str], np.ndarray]) -> None:
    prompts, values = shard
    again, numbers, _ = decode(encode(prompts, values))
    assert again == tuple(prompts)
    assert numbers.dtype == np.float32
    assert numbers.tobytes() == values.tobytes()
    assert numbers.shape == values.shape


def test_the_same_scores_give_the_same_bytes() -> None:
    assert encode(PROMPTS, VALUES) == encode(list(PROMPTS), np.asfortranarray(VALUES))


def test_other_programs_read_it(written: tuple[Storage, str]) -> None:
    """Second opinion: pandas, and the schema that the documentation promises."""
    folder, shard = written
    file = BytesIO(bytes_of(folder, file_names(shard)[0]))
    assert str(pq.read_schema(file).field("log_probability").type) == "fixed_size_list<element: float>[2]"
    table = pd.read_parquet(file)
    assert table["prompt"].tolist() == list(PROMPTS)
    np.testing.assert_array_equal(np.stack(table["log_probability"].tolist()), VALUES)


def test_a_shard_comes_back_with_its_manifest(written: tuple[Storage, str], key: ScoringKey) -> None:
    shard = read_shard(*written)
    assert (shard.manifest.words, shard.manifest.tokens) == (("he", "she"), (1, 2))
    assert shard.manifest.refused == {"xe": "unk"}
    assert shard.manifest.scoring == key
    assert shard.manifest.created.tzinfo is not None
    np.testing.assert_array_equal(shard.values, VALUES)


def test_what_words_get_given_the_left_text_is_a_further_column(place: Storage, key: ScoringKey) -> None:
    """A program that does not know it reads the others as ever; NaN stands where it is not known."""
    left = VALUES + np.float32(0.25)
    left[1, 0] = np.nan
    data = encode(PROMPTS, VALUES, left)
    manifest = manifest_of(key, data)
    write_shard(place / key.hash, manifest, data)
    shard = read_shard(place / key.hash, manifest.shard)
    assert shard.left is not None
    assert (shard.values.tobytes(), shard.left.tobytes()) == (VALUES.tobytes(), left.tobytes())
    schema = pq.read_schema(BytesIO(data))
    assert schema.names == ["prompt", "log_probability", "left_log_probability"]
    assert pq.read_schema(BytesIO(encode(PROMPTS, VALUES))).names == schema.names[:2]
    assert decode(encode(PROMPTS, VALUES))[2] is None


def test_the_id_follows_key_prompts_and_words(key: ScoringKey) -> None:
    ids = {
        shard_id(key.hash, PROMPTS, ("he", "she")),
        shard_id(key.hash, PROMPTS, ("she", "he")),
        shard_id(key.hash, PROMPTS[:2], ("he", "she")),
        shard_id("another key", PROMPTS, ("he", "she")),
    }
    assert len(ids) == 4


def test_one_flipped_byte_anywhere_is_found(written: tuple[Storage, str]) -> None:
    """All bytes of the manifest; of the data, which one checksum covers, every seventh."""
    folder, shard = written
    for name, step in zip(file_names(shard), (7, 1), strict=True):
        whole = bytes_of(folder, name)
        for place in range(0, len(whole), step):
            folder.replace(name, whole[:place] + bytes([whole[place] ^ 0x20]) + whole[place + 1 :])
            with pytest.raises(DamagedShardError, match="is damaged"):
                read_shard(folder, shard)
        folder.replace(name, whole)
    assert read_shard(folder, shard).prompts == PROMPTS


@pytest.mark.parametrize("which", [0, 1])
def test_a_cut_file_is_damage(written: tuple[Storage, str], which: int) -> None:
    folder, shard = written
    name = file_names(shard)[which]
    folder.replace(name, bytes_of(folder, name)[:-1])
    with pytest.raises(DamagedShardError):
        read_shard(*written)


def test_data_that_are_no_parquet_are_damage_even_with_a_fitting_checksum(
    place: Storage, key: ScoringKey
) -> None:
    manifest = manifest_of(key, b"PAR1 but not really PAR1")
    write_shard(place / key.hash, manifest, b"PAR1 but not really PAR1")
    with pytest.raises(DamagedShardError):
        read_shard(place / key.hash, manifest.shard)


def test_data_without_a_manifest_are_not_there(written: tuple[Storage, str]) -> None:
    folder, shard = written
    data, manifest = file_names(shard)
    folder.set_aside(manifest)
    with pytest.raises(MissingShardError):
        read_shard(folder, shard)
    assert folder.stamp(data) is not None


def test_a_manifest_without_data_is_damage(written: tuple[Storage, str]) -> None:
    folder, shard = written
    folder.set_aside(file_names(shard)[0])
    with pytest.raises(DamagedShardError):
        read_shard(*written)


def test_another_version_is_not_called_damaged(written: tuple[Storage, str]) -> None:
    folder, shard = written
    manifest = file_names(shard)[1]
    folder.replace(manifest, seal({**unseal(bytes_of(folder, manifest)), "schema_version": 2, "news": True}))
    with pytest.raises(StoreError, match=r"another version .* \(schema 2, here 1\)") as caught:
        read_shard(*written)
    assert not isinstance(caught.value, DamagedShardError)


def test_a_shard_under_a_foreign_name_is_damage(written: tuple[Storage, str]) -> None:
    folder, shard = written
    for name, foreign in zip(file_names(shard), file_names("0123456789abcdef"), strict=True):
        folder.create(foreign, bytes_of(folder, name))
    with pytest.raises(DamagedShardError, match="something else"):
        read_shard(folder, "0123456789abcdef")


# --------------------------------------------------------------------- two machines, one shard at once

OTHER = encode(PROMPTS, np.nextafter(VALUES, np.float32(1)))  # the same scores from another kind of device


SHARED = pytest.mark.parametrize("scores", ["shared folder", "object storage"], indirect=True)


@SHARED
@pytest.mark.parametrize("step", [1, 2, 3])
def test_whoever_comes_in_between_the_shard_is_whole(
    place: Storage, key: ScoringKey, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before our data, between data and manifest, and after: another machine writes its own bytes."""
    folder, data = place / key.hash, encode(PROMPTS, VALUES)
    shard = manifest_of(key, data).shard
    real, calls = type(folder).create, []

    def create(self: Storage, name: str, content: bytes) -> bool:
        calls.append(name)
        if len(calls) == step:
            write_shard(place / key.hash, manifest_of(key, OTHER), OTHER)
        return real(self, name, content)

    with monkeypatch.context() as patch:
        patch.setattr(type(folder), "create", create)
        write_shard(folder, manifest_of(key, data), data)
        if step == 3:
            write_shard(place / key.hash, manifest_of(key, OTHER), OTHER)
    found = read_shard(folder, shard)
    assert encode(found.prompts, found.values) == (OTHER if step == 1 else data)


@SHARED
def test_whichever_version_writes_first_its_shard_stays(place: Storage, key: ScoringKey) -> None:
    """An earlier one does not write what words get given the left text."""
    folder, earlier, later = place / key.hash, encode(PROMPTS, VALUES), encode(PROMPTS, VALUES, VALUES)
    for first, second in ((earlier, later), (later, earlier)):
        write_shard(folder, manifest_of(key, first), first)
        write_shard(folder, manifest_of(key, second), second)
        shard = read_shard(folder, manifest_of(key, first).shard)
        assert shard.manifest.sha256 == sha256(first)
        assert (shard.left is None) == (first is earlier)
        for file in file_names(shard.manifest.shard):
            folder.set_aside(file)


@SHARED
def test_data_that_a_killed_writer_left_are_used_and_rubbish_is_replaced(
    place: Storage, key: ScoringKey
) -> None:
    folder, data = place / key.hash, encode(PROMPTS, VALUES)
    name = file_names(manifest_of(key, data).shard)[0]
    holed = np.where(VALUES == -3, np.float32(np.nan), VALUES)
    for left, expected in (
        (OTHER, OTHER),
        (b"half a fi", data),
        (encode(PROMPTS[:2], VALUES[:2]), data),
        (encode(PROMPTS, holed), data),
    ):
        for file in file_names(manifest_of(key, data).shard):
            if folder.stamp(file):
                folder.set_aside(file)
        folder.create(name, left)
        write_shard(folder, manifest_of(key, data), data)
        assert read_shard(folder, manifest_of(key, data).shard).manifest.sha256 == sha256(expected)


def test_on_one_disk_nobody_vouches_for_data_without_a_manifest_that_fits(
    tmp_path: Path, key: ScoringKey
) -> None:
    """Of the same shape, and with one number flipped: a broken disk under what a killed writer left."""
    folder, data = storage_of(tmp_path) / key.hash, encode(PROMPTS, VALUES)
    flipped = VALUES.copy()
    flipped[0, 0] *= -1
    manifest = manifest_of(key, data)
    for manifests in (False, True):
        folder.replace(file_names(manifest.shard)[0], encode(PROMPTS, flipped))
        if manifests:
            folder.replace(file_names(manifest.shard)[1], b"what a broken disk left of one")
        write_shard(folder, manifest, data)
        np.testing.assert_array_equal(read_shard(folder, manifest.shard).values, VALUES)


def test_on_one_disk_what_counts_already_stays(tmp_path: Path, key: ScoringKey) -> None:
    folder, data = storage_of(tmp_path) / key.hash, encode(PROMPTS, VALUES)
    for content in (data, OTHER):
        write_shard(folder, manifest_of(key, content), content)
    assert encode(PROMPTS, read_shard(folder, manifest_of(key, data).shard).values) == data

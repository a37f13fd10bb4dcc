"""One shard: round trip, bytes, damage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pcf_core.errors import DamagedShardError, StoreError
from pcf_core.records import ScoringKey
from pcf_core.store.files import seal, sha256, unseal
from pcf_core.store.shards import (
    Manifest,
    MissingShardError,
    decode,
    encode,
    now,
    paths,
    read_shard,
    shard_id,
    write_shard,
)

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
def written(tmp_path: Path, key: ScoringKey) -> tuple[Path, str]:
    data = encode(PROMPTS, VALUES)
    manifest = manifest_of(key, data)
    write_shard(tmp_path / key.hash, manifest, data)
    return tmp_path / key.hash, manifest.shard


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
    again, numbers = decode(encode(prompts, values))
    assert again == tuple(prompts)
    assert numbers.dtype == np.float32
    assert numbers.tobytes() == values.tobytes()
    assert numbers.shape == values.shape


def test_the_same_scores_give_the_same_bytes() -> None:
    assert encode(PROMPTS, VALUES) == encode(list(PROMPTS), np.asfortranarray(VALUES))


def test_other_programs_read_it(written: tuple[Path, str]) -> None:
    """Second opinion: pandas, and the schema that the documentation promises."""
    folder, shard = written
    path = paths(folder, shard)[0]
    assert str(pq.read_schema(path).field("log_probability").type) == "fixed_size_list<element: float>[2]"
    table = pd.read_parquet(path)
    assert table["prompt"].tolist() == list(PROMPTS)
    np.testing.assert_array_equal(np.stack(table["log_probability"].tolist()), VALUES)


def test_a_shard_comes_back_with_its_manifest(written: tuple[Path, str], key: ScoringKey) -> None:
    shard = read_shard(*written)
    assert (shard.manifest.words, shard.manifest.tokens) == (("he", "she"), (1, 2))
    assert shard.manifest.refused == {"xe": "unk"}
    assert shard.manifest.scoring == key
    assert shard.manifest.created.tzinfo is not None
    np.testing.assert_array_equal(shard.values, VALUES)


def test_the_id_follows_key_prompts_and_words(key: ScoringKey) -> None:
    ids = {
        shard_id(key.hash, PROMPTS, ("he", "she")),
        shard_id(key.hash, PROMPTS, ("she", "he")),
        shard_id(key.hash, PROMPTS[:2], ("he", "she")),
        shard_id("another key", PROMPTS, ("he", "she")),
    }
    assert len(ids) == 4


def test_one_flipped_byte_anywhere_is_found(written: tuple[Path, str]) -> None:
    """All bytes of the manifest; of the data, which one checksum covers, every seventh."""
    folder, shard = written
    for path, step in zip(paths(folder, shard), (7, 1), strict=True):
        whole = path.read_bytes()
        for place in range(0, len(whole), step):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x20]) + whole[place + 1 :])
            with pytest.raises(DamagedShardError, match="is damaged"):
                read_shard(folder, shard)
        path.write_bytes(whole)
    assert read_shard(folder, shard).prompts == PROMPTS


@pytest.mark.parametrize("which", [0, 1])
def test_a_cut_file_is_damage(written: tuple[Path, str], which: int) -> None:
    path = paths(*written)[which]
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DamagedShardError):
        read_shard(*written)


def test_data_that_are_no_parquet_are_damage_even_with_a_fitting_checksum(
    tmp_path: Path, key: ScoringKey
) -> None:
    manifest = manifest_of(key, b"PAR1 but not really PAR1")
    write_shard(tmp_path, manifest, b"PAR1 but not really PAR1")
    with pytest.raises(DamagedShardError):
        read_shard(tmp_path, manifest.shard)


def test_data_without_a_manifest_are_not_there(written: tuple[Path, str]) -> None:
    data, manifest = paths(*written)
    manifest.unlink()
    with pytest.raises(MissingShardError):
        read_shard(*written)
    assert data.exists()


def test_a_manifest_without_data_is_damage(written: tuple[Path, str]) -> None:
    paths(*written)[0].unlink()
    with pytest.raises(DamagedShardError):
        read_shard(*written)


def test_another_version_is_not_called_damaged(written: tuple[Path, str]) -> None:
    manifest = paths(*written)[1]
    manifest.write_bytes(seal({**unseal(manifest.read_bytes()), "schema_version": 2, "news": True}))
    with pytest.raises(StoreError, match=r"another version .* \(schema 2, here 1\)") as caught:
        read_shard(*written)
    assert not isinstance(caught.value, DamagedShardError)


def test_a_shard_under_a_foreign_name_is_damage(written: tuple[Path, str]) -> None:
    folder, shard = written
    for path in paths(folder, shard):
        path.rename(path.with_stem("0123456789abcdef"))
    with pytest.raises(DamagedShardError, match="something else"):
        read_shard(folder, "0123456789abcdef")

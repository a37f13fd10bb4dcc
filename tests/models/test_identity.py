"""Hashes of files, and that a large file is read once."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from pcf_core.models import identity
from pcf_core.models.identity import tokenizer_hash, weights_hash
from pcf_core.settings import settings


def test_one_file_is_its_sha256(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"abc")
    assert weights_hash([path]) == hashlib.sha256(b"abc").hexdigest()


def test_shards_in_any_order_and_changed_files(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "b")]
    for path in paths:
        path.write_bytes(path.name.encode())
    before = weights_hash(paths)
    assert weights_hash(paths[::-1]) == before
    paths[0].write_bytes(b"longer")
    assert weights_hash(paths) != before
    assert tokenizer_hash(paths) != tokenizer_hash(paths[:1])


def test_a_large_file_is_read_once_over_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(2**26)
    expected = hashlib.sha256(bytes(2**26)).hexdigest()
    assert weights_hash([path]) == expected
    assert list(json.loads((settings().cache / "weights.json").read_text()).values()) == [expected]
    identity._remembered.cache_clear()  # another process

    def never(path: str) -> str:
        raise AssertionError(path)

    monkeypatch.setattr(identity, "_read_hash", never)
    assert weights_hash([path]) == expected


@pytest.mark.parametrize("text", ["{", "[]"])
def test_damaged_notes_are_written_anew(text: str, tmp_path: Path) -> None:
    settings().cache.mkdir(parents=True)
    (settings().cache / "weights.json").write_text(text)
    path = tmp_path / "other"
    with path.open("wb") as file:
        file.truncate(2**26 + len(text))
    assert len(weights_hash([path])) == 64
    assert len(json.loads((settings().cache / "weights.json").read_text())) == 1

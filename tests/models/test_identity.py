"""Hashes of files, and that a large file is read once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pcf_core.core.settings import settings
from pcf_core.models import folder as identity
from pcf_core.models.folder import model_hash, tokenizer_hash, weights_hash


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


def test_a_model_is_its_weights_and_its_configuration(tmp_path: Path) -> None:
    weights, config = tmp_path / "model.safetensors", tmp_path / "config.json"
    weights.write_bytes(b"abc")
    config.write_bytes(b"{}")
    parts = hashlib.sha256(b"abc").hexdigest().encode() + b"{}"
    assert model_hash([weights], config) == hashlib.sha256(parts).hexdigest()


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


def a_file_in_its_place(cache: Path) -> None:
    cache.write_text("")


def notes_that_are_no_text(cache: Path) -> None:
    cache.mkdir()
    (cache / "weights.json").write_bytes(b"\xff")


def notes_that_are_a_folder(cache: Path) -> None:
    (cache / "weights.json").mkdir(parents=True)


def notes_too_deep_to_read(cache: Path) -> None:
    cache.mkdir()
    (cache / "weights.json").write_text("[" * 100_000)


@pytest.mark.parametrize(
    "spoil", [a_file_in_its_place, notes_that_are_no_text, notes_that_are_a_folder, notes_too_deep_to_read]
)
def test_remembering_is_not_needed(spoil: Callable[[Path], None], tmp_path: Path) -> None:
    spoil(settings().cache)
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(2**26)
    assert weights_hash([path]) == hashlib.sha256(bytes(2**26)).hexdigest()

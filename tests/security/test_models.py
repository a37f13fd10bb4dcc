"""A malicious model repository: its small files and headers take little memory and time."""

from __future__ import annotations

import json
import os
import struct
import time
from pathlib import Path

import pytest

from pcf_core.core.errors import ModelError
from pcf_core.models.family import context_of
from pcf_core.models.folder import chat_template_hash, describe, read_config, read_shapes, read_small
from tests.models.conftest import write_model


@pytest.mark.parametrize("shape", [[1] * 9, [2**62] * 8, [2**62, 0]])
def test_a_shape_without_end(shape: list[int], tmp_path: Path) -> None:
    """A million lengths take hours to multiply, for the product grows with each."""
    header = json.dumps({"a": {"dtype": "F32", "shape": shape, "data_offsets": [0, 4]}}).encode()
    path = tmp_path / "model.safetensors"
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(4))
    with pytest.raises(ModelError, match="damaged"):
        read_shapes(path, "m")


def test_a_header_without_end(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(struct.pack("<Q", 2**24 + 1) + b"{}")
    with pytest.raises(ModelError, match="its header is too long"):
        read_shapes(path, "m")


@pytest.mark.parametrize("context", [2**31, 10**400, True, 1.5, "128", -5, None])
def test_a_context_is_a_number_that_can_be_shown(context: object) -> None:
    assert context_of({"model_type": "gpt2", "n_positions": context}) == 0
    assert context_of({"model_type": "gpt2", "n_positions": 128}) == 128


@pytest.mark.parametrize(
    ("padding", "context"), [(1, 512), (10**30, 512), (-(10**30), 512), (True, 512), (0, 513)]
)
def test_a_padding_is_a_place_among_them(padding: object, context: int) -> None:
    config = {"model_type": "roberta", "max_position_embeddings": 514, "pad_token_id": padding}
    assert context_of(config) == context


def test_a_small_file_is_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcf_core.models.folder.LARGEST", 100)
    folder = write_model(tmp_path / "m")
    (folder / "config.json").write_text(" " * 101)
    with pytest.raises(ModelError, match="it has more than"):
        read_config(folder, "m")


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    """Who opens one waits for a writer, for ever."""
    os.mkfifo(tmp_path / "config.json")
    begin = time.monotonic()
    with pytest.raises(ModelError, match="it is not a regular file"):
        read_config(tmp_path, "m")
    with pytest.raises(ValueError, match="regular file"):
        read_small(tmp_path / "config.json")
    assert time.monotonic() - begin < 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("chat_template.jinja", b"\xff\xfe"),
        ("tokenizer_config.json", b'{"chat_template": "\\ud800"}'),
        ("tokenizer_config.json", b'{"chat_template": [{"name": ["default"], "template": "x"}]}'),
        ("tokenizer_config.json", b"[" * 100_000),
    ],
)
def test_a_template_that_cannot_be_read_is_none(name: str, content: bytes, tmp_path: Path) -> None:
    """It was a traceback on the page Models."""
    (tmp_path / name).write_bytes(content)
    assert chat_template_hash(tmp_path) == ""


def test_half_a_character_in_a_configuration_is_no_json(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m")
    (folder / "config.json").write_text('{"architectures": ["\\ud800ForCausalLM"]}')
    with pytest.raises(ModelError, match="cannot be read as JSON"):
        describe(folder, "m")

"""Model directories in the hub's layout, a config, a tokenizer and a safetensors file; and a served model."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel

from pcf_core.core.settings import settings
from tests.models.fake_servers import CompletionsServer, serving
from tests.models.scoring.conftest import load_tiny

REVISION = "0123456789abcdef0123456789abcdef01234567"  # of org/name on the hub
GPT2 = {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_positions": 128}


def safetensors(path: Path, shapes: dict[str, list[int]], fill: int = 0) -> None:
    """Tensors of float32 whose bytes are all ``fill``."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, shape in shapes.items():
        size = 4 * prod(shape)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes([fill]) * end)


def write_model(
    folder: Path, config: dict[str, Any] | None = None, *, weights: bool = True, fill: int = 0
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(GPT2 if config is None else config))
    raw = Tokenizer(models.WordLevel({"[UNK]": 0, "he": 1, "she": 2, "a": 3}, unk_token="[UNK]"))
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    raw.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "TokenizersBackend"}')
    if weights:
        safetensors(folder / "model.safetensors", {"a": [3, 4], "b": [5]}, fill)
    return folder


def write_gpt2(folder: Path, **sizes: int) -> Path:
    """A tiny GPT-2 with random weights, and a tokenizer."""
    tiny = {"vocab_size": 8, "n_positions": 16, "n_embd": 8, "n_layer": 1, "n_head": 1}
    config = GPT2Config(**tiny | sizes, bos_token_id=0, eos_token_id=0)
    GPT2LMHeadModel(config).save_pretrained(write_model(folder, weights=False))
    return folder


def edit(folder: Path, file: str = "config.json", **values: Any) -> Path:
    """Change entries of a JSON file in a folder."""
    (folder / file).write_text(json.dumps(json.loads((folder / file).read_text()) | values))
    return folder


def use(monkeypatch: pytest.MonkeyPatch, **variables: str) -> None:
    """Set variables of the environment, and have the settings read again."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    """The folder of ``org/name`` in the hub's local cache."""
    repository = tmp_path / "hub" / "models--org--name"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text(REVISION)
    return repository / "snapshots" / REVISION


@pytest.fixture
def vllm() -> Iterator[CompletionsServer]:
    """A tiny model behind a server that answers as vLLM does."""
    with serving(load_tiny("llama")) as server:
        yield server


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Shipped models in ``assets/models``, the operator's in ``own``, an empty hub cache, no downloads."""
    monkeypatch.setenv("PCF_ASSETS", str(tmp_path / "assets"))
    (tmp_path / "own").mkdir()
    monkeypatch.setenv("PCF_MODELS", str(tmp_path / "own"))
    monkeypatch.setenv("PCF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PCF_ALLOW_HUB", "0")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    settings.cache_clear()
    yield
    settings.cache_clear()

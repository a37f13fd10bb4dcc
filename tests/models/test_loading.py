"""Loading: float32 in evaluation mode, safetensors only, and no code but our own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel, GPT2Model

from pcf_core.errors import ModelError
from pcf_core.models import resolve
from pcf_core.models.loading import choose_device, load
from pcf_core.settings import settings

Write = Callable[..., Path]
TINY = GPT2Config(vocab_size=8, n_positions=16, n_embd=8, n_layer=1, n_head=1, bos_token_id=0, eos_token_id=0)


@pytest.fixture
def folder(write: Write, tmp_path: Path) -> Path:
    """A tiny GPT-2 saved in float16, as the shipped models are."""
    folder = write(tmp_path / "tiny", weights=False)
    GPT2LMHeadModel(TINY).half().save_pretrained(folder)
    return folder


def test_float16_on_disk_is_float32_in_memory(folder: Path) -> None:
    loaded = load(resolve(str(folder)), "cpu")
    assert {parameter.dtype for parameter in loaded.model.parameters()} == {torch.float32}
    assert not loaded.model.training
    assert loaded.model.config._attn_implementation == "sdpa"
    assert loaded.device == "cpu"
    assert loaded.tokenizer("he she")["input_ids"] == [1, 2]


def test_threads_are_the_operators(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = torch.get_num_threads()
    monkeypatch.setenv("PCF_THREADS", "1")
    settings.cache_clear()
    load(resolve(str(folder)))
    assert torch.get_num_threads() == 1
    torch.set_num_threads(before)


def test_checkpoint_without_all_weights_is_refused(write: Write, tmp_path: Path) -> None:
    """Transformers would fill the second layer with random numbers and only warn."""
    folder = write(tmp_path / "short", weights=False)
    GPT2Model(TINY).save_pretrained(folder)
    config = json.loads((folder / "config.json").read_text())
    config |= {"n_layer": 2, "architectures": ["GPT2LMHeadModel"]}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=r"lack 12 tensors.*random"):
        load(resolve(str(folder)))


def test_damaged_weights_are_one_sentence(folder: Path) -> None:
    weights = folder / "model.safetensors"
    spec = resolve(str(folder))
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        load(spec)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    "change", [{"n_embd": "abc"}, {"vocab_size": None}, {"n_head": 0}, {"id2label": 5}, {"n_positions": True}]
)
def test_odd_configuration_is_one_sentence(change: dict[str, Any], folder: Path) -> None:
    """Transformers raises errors of many kinds for these, some of its own."""
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | change))
    with pytest.raises(ModelError, match=r"cannot be loaded \(.*check its config\.json") as caught:
        load(resolve(str(folder)))
    assert len(str(caught.value).splitlines()) == 1
    assert caught.value.__cause__ is not None


def test_odd_tokenizer_is_one_sentence(folder: Path) -> None:
    spec = resolve(str(folder))
    (folder / "tokenizer.json").write_text("[]")
    with pytest.raises(ModelError, match="cannot be loaded"):
        load(spec)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_dtype_is_the_specifications(dtype: str, folder: Path) -> None:
    loaded = load(resolve(str(folder)).model_copy(update={"dtype": dtype}), "cpu")
    assert {parameter.dtype for parameter in loaded.model.parameters()} == {getattr(torch, dtype)}
    assert loaded.model(input_ids=torch.tensor([[1, 2]])).logits.dtype == getattr(torch, dtype)


@pytest.mark.parametrize("dtype", ["int8", "float64", "nn", ""])
def test_unknown_dtype_is_refused_with_those_allowed(dtype: str, folder: Path) -> None:
    with pytest.raises(ModelError, match=f"dtype '{dtype}' of .*one of float32, bfloat16, float16"):
        load(resolve(str(folder)).model_copy(update={"dtype": dtype}))


def test_code_in_the_folder_never_runs(write: Write, tmp_path: Path) -> None:
    config = {
        "architectures": ["OwnForCausalLM"],
        "model_type": "own",
        "auto_map": {"AutoConfig": "own.Config", "AutoModelForCausalLM": "own.Model"},
    }
    folder = write(tmp_path / "own-code", config)
    (folder / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with pytest.raises(ModelError, match="cannot be loaded"):
        load(resolve(str(folder)))
    assert not (tmp_path / "ran").exists()


def test_device() -> None:
    assert choose_device("cpu") == "cpu"
    assert choose_device("auto") in {"cpu", "cuda", "mps"}
    with pytest.raises(ModelError, match=r"'tpu' is not available; available are:.*cpu"):
        choose_device("tpu")

"""The text part of a multimodal model: what the whole model computes for a text, without its towers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel
from transformers.models.gemma3n import modeling_gemma3n

from pcf_core.core.errors import ModelError
from pcf_core.core.run import ScoringKey
from pcf_core.models.family import multimodal_classes
from pcf_core.models.loading import load, load_body
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import open_scorer
from pcf_core.models.textpart import Tower
from tests.models.conftest import edit, write_gpt2
from tests.models.scoring.architectures import built
from tests.models.scoring.tiny_tokenizers import opt_tokenizer

# The beginning of the names of the text's layers in published checkpoints, and the towers.
PUBLISHED = {
    "gemma3": ("language_model.model.layers.0.", ["model.vision_tower"]),
    "gemma4": ("model.language_model.layers.0.", ["model.vision_tower", "model.audio_tower"]),
    "llava": ("language_model.model.layers.0.", ["model.vision_tower"]),
    "mistral3": ("language_model.model.layers.0.", ["model.vision_tower"]),
    "mllama": ("language_model.model.layers.0.", ["model.vision_model"]),
    "qwen2_vl": ("model.layers.0.", ["model.visual"]),
    "qwen3_5": ("model.language_model.layers.0.", ["model.visual"]),
    "qwen3_vl": ("model.language_model.layers.0.", ["model.visual"]),
    "smolvlm": ("model.text_model.layers.0.", ["model.vision_model"]),
}
TEXT = torch.arange(3, 40)[None]


def write(kind: str, folder: Path) -> Any:
    """A tiny model of a type in a folder, as published; returns the whole model."""
    whole = built("multimodal", kind, opt_tokenizer(), 7)
    whole.save_pretrained(folder)
    opt_tokenizer().save_pretrained(folder)
    return whole


@torch.inference_mode()
def nats(model: Any) -> torch.Tensor:
    logits: torch.Tensor = model(input_ids=TEXT).logits
    return logits.log_softmax(-1)


@pytest.mark.parametrize("kind", PUBLISHED)
def test_a_published_checkpoint_is_opened_as_text(kind: str, tmp_path: Path) -> None:
    whole = write(kind, tmp_path)
    layers, towers = PUBLISHED[kind]
    assert any(name.startswith(layers) for name in load_file(tmp_path / "model.safetensors"))
    spec = resolve(str(tmp_path))
    assert (spec.family, spec.text_part_of) == ("causal", multimodal_classes()[kind])
    loaded = load(spec, "cpu")
    assert [name for name, part in loaded.model.named_modules() if isinstance(part, Tower)] == towers
    assert not [name for name, _ in loaded.model.named_parameters() if name.startswith(tuple(towers))]
    torch.testing.assert_close(nats(loaded.model), nats(whole), atol=1e-4, rtol=0)
    assert loaded.text_part_of == spec.text_part_of


def test_gemma_3n_is_opened_without_the_library_of_its_tower(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its tower needs timm; here another module stands for it in the whole model."""
    make = AutoModel.from_config

    def made(config: Any) -> Any:
        return torch.nn.Linear(2, 2) if config.model_type == "gemma3n_vision" else make(config)

    with monkeypatch.context() as patch:
        patch.setattr(modeling_gemma3n.AutoModel, "from_config", made)
        whole = write("gemma3n", tmp_path)
    assert any("vision_tower" in name for name in load_file(tmp_path / "model.safetensors"))
    loaded = load(resolve(str(tmp_path)), "cpu")
    assert not [name for name, _ in loaded.model.named_parameters() if "tower" in name or "embed_v" in name]
    torch.testing.assert_close(nats(loaded.model), nats(whole), atol=1e-4, rtol=0)


def test_it_is_said_that_only_the_text_part_is_read(tmp_path: Path) -> None:
    write("gemma3", tmp_path)
    spec = resolve(str(tmp_path))
    assert spec.reading == "causal (text part of Gemma3ForConditionalGeneration)"
    assert open_scorer(spec).traits["part"] == (
        "Only the text part of Gemma3ForConditionalGeneration is read: no pictures, no sound."
    )


def test_other_models_are_described_as_before(tmp_path: Path) -> None:
    spec = resolve(str(write_gpt2(tmp_path)))
    assert spec.reading == "causal"
    assert "text_part_of" not in spec.model_dump()
    assert "part" not in open_scorer(spec).traits
    part = spec.model_copy(update={"text_part_of": "Gemma3ForConditionalGeneration"})
    assert ScoringKey.of(part) == ScoringKey.of(spec)


def test_the_context_is_that_of_the_text(tmp_path: Path) -> None:
    write("llava", tmp_path)
    text = json.loads((tmp_path / "config.json").read_text())["text_config"]
    edit(tmp_path, text_config=text | {"max_position_embeddings": 77})
    assert resolve(str(tmp_path)).context == 77


def test_hidden_states_come_without_towers_too(tmp_path: Path) -> None:
    whole = write("qwen2_vl", tmp_path)
    body = load_body(resolve(str(tmp_path)), "cpu").model
    assert [name for name, part in body.named_modules() if isinstance(part, Tower)] == ["visual"]
    with torch.inference_mode():
        states = body(input_ids=TEXT).last_hidden_state
        assert torch.equal(states, whole.model(input_ids=TEXT).last_hidden_state)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda tensors: tensors.pop("language_model.model.norm.weight"), "lack 1 tensors"),
        (
            lambda tensors: tensors.update({"language_model.model.own.weight": torch.ones(2)}),
            "hold 1 tensors that its class Gemma3ForConditionalGeneration does not use",
        ),
    ],
)
def test_weights_of_the_text_must_be_whole(change: Any, sentence: str, tmp_path: Path) -> None:
    write("gemma3", tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    change(tensors)
    save_file(tensors, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=sentence):
        load(resolve(str(tmp_path)), "cpu")


def test_weights_of_a_tower_are_never_read(tmp_path: Path) -> None:
    """Their shapes may be any."""
    whole = write("gemma3", tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    for name in tensors:
        if "vision_tower" in name:
            tensors[name] = torch.full((3,), torch.nan)
    save_file(tensors, tmp_path / "model.safetensors", metadata={"format": "pt"})
    loaded = load(resolve(str(tmp_path)), "cpu")
    torch.testing.assert_close(nats(loaded.model), nats(whole), atol=1e-4, rtol=0)

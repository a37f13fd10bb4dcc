"""What a model directory is, and every way in which it cannot be one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pcf_core.errors import ModelError
from pcf_core.models.folder import context_of, count_parameters, describe, family_of, read_card, weight_files
from pcf_core.models.identity import weights_hash
from pcf_core.records import ScoringKey

Write = Callable[..., Path]
GPT2 = {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_positions": 128}
DEEP = (100_000).to_bytes(8, "little") + b"[" * 100_000  # a safetensors header that no parser can follow


@pytest.mark.parametrize(
    ("architecture", "family"),
    [
        ("BertForMaskedLM", "masked"),
        ("RobertaForMaskedLM", "masked"),
        ("XLMRobertaForMaskedLM", "masked"),
        ("AlbertForMaskedLM", "masked"),
        ("GPT2LMHeadModel", "causal"),
        ("LlamaForCausalLM", "causal"),
        ("GPTNeoXForCausalLM", "causal"),
    ],
)
def test_family_by_architecture(architecture: str, family: str) -> None:
    assert family_of({"architectures": [architecture]}, "m") == family


@pytest.mark.parametrize(
    "config",
    [
        {"architectures": ["T5ForConditionalGeneration"], "is_encoder_decoder": True},
        {"architectures": ["BartForConditionalGeneration"]},
        {"architectures": ["BartForCausalLM"], "is_encoder_decoder": True},
        {"architectures": ["XLNetLMHeadModel"]},
        {"architectures": ["BertForSequenceClassification"]},
        {"architectures": ["BertModel"]},
        {"architectures": ["BertForMaskedLM", "BertLMHeadModel"]},
    ],
)
def test_other_and_ambiguous_architectures_are_refused_by_name(config: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="not supported yet") as caught:
        family_of(config, "some-model")
    assert "some-model" in str(caught.value)
    assert config["architectures"][0] in str(caught.value)


@pytest.mark.parametrize(
    "config", [{}, {"architectures": []}, {"architectures": None}, {"architectures": "x"}]
)
def test_config_without_architecture_is_refused(config: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="names no architecture"):
        family_of(config, "m")


@pytest.mark.parametrize(
    ("config", "context"),
    [
        ({"n_positions": 1024}, 1024),
        ({"max_position_embeddings": 512, "model_type": "bert"}, 512),
        ({"max_position_embeddings": 514, "model_type": "roberta", "pad_token_id": 1}, 512),
        ({"max_position_embeddings": 514, "model_type": "camembert"}, 512),
        ({"model_type": "bloom"}, 0),
        ({"max_position_embeddings": -1}, 0),
    ],
)
def test_context(config: dict[str, Any], context: int) -> None:
    assert context_of(config) == context


def test_specification_of_a_directory(write: Write, tmp_path: Path) -> None:
    folder = write(tmp_path / "m")
    (folder / "README.md").write_text(
        "---\nlicense: mit\n# not a heading\n---\n\n# Tiny model\n\nTrained on\nnothing.\n\nMore.\n"
    )
    spec = describe(folder, "m")
    assert spec.family == "causal"
    assert spec.parameters == 3 * 4 + 5
    assert spec.context == 128
    assert spec.dtype == "float32"
    assert (spec.title, spec.notes) == ("Tiny model", "Trained on nothing.")
    assert spec.path == str(folder.resolve())
    assert len(spec.identity) == 64


def test_identity_follows_the_bytes_and_nothing_else(write: Write, tmp_path: Path) -> None:
    one, same, other = (write(tmp_path / name, fill=fill) for name, fill in (("a", 0), ("b", 0), ("c", 1)))
    (same / "README.md").write_text("# Another card")
    hashes = [describe(folder, "m").identity for folder in (one, same, other)]
    assert hashes[0] == hashes[1] != hashes[2]
    (same / "tokenizer.json").write_text((same / "tokenizer.json").read_text() + " ")
    assert describe(same, "m").tokenizer != describe(one, "m").tokenizer
    assert describe(same, "m").identity == hashes[0]


def test_the_same_weights_with_another_configuration_are_another_model(write: Write, tmp_path: Path) -> None:
    """Four heads or eight read the same tensors and give other numbers."""
    four, eight = (write(tmp_path / str(heads), GPT2 | {"n_head": heads}) for heads in (4, 8))
    specs = [describe(folder, "m") for folder in (four, eight)]
    assert weights_hash(weight_files(four, "m")) == weights_hash(weight_files(eight, "m"))
    assert ScoringKey.of(specs[0]).hash != ScoringKey.of(specs[1]).hash


def test_shards_are_those_of_the_index(
    write: Write, write_weights: Callable[..., None], tmp_path: Path
) -> None:
    folder = write(tmp_path / "m", weights=False)
    names = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
    index = {"weight_map": {"a": names[0], "b": names[1], "c": names[0]}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    write_weights(folder / names[0], {"a": [2, 3], "c": [7]})
    with pytest.raises(ModelError, match=f"lacks {names[1]}"):
        describe(folder, "m")
    write_weights(folder / names[1], {"b": [4]})
    write_weights(folder / "consolidated.safetensors", {"a": [100]})
    assert [path.name for path in weight_files(folder, "m")] == names
    assert describe(folder, "m").parameters == 6 + 7 + 4


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"weight_map": {}}', '{"weight_map": {"a": "../x.safetensors"}}', "[" * 100_000]
)
def test_odd_index_is_refused(text: str, write: Write, tmp_path: Path) -> None:
    folder = write(tmp_path / "m", weights=False)
    (folder / "model.safetensors.index.json").write_text(text)
    with pytest.raises(ModelError, match=r"model\.safetensors\.index\.json"):
        describe(folder, "m")


def test_pickles_are_never_read(write: Write, tmp_path: Path) -> None:
    folder = write(tmp_path / "m", weights=False)
    with pytest.raises(ModelError, match=r"has no weights.*only safetensors"):
        describe(folder, "m")
    (folder / "pytorch_model.bin").write_bytes(b"\x80")
    with pytest.raises(ModelError, match=r"only pytorch_model\.bin.*save_pretrained"):
        describe(folder, "m")


def test_missing_or_broken_config(write: Write, tmp_path: Path) -> None:
    folder = write(tmp_path / "m")
    for text in ("{", "[1]", "\udcff", "[" * 100_000):
        (folder / "config.json").write_bytes(text.encode("utf8", "surrogateescape"))
        with pytest.raises(ModelError, match="JSON"):
            describe(folder, "m")
    (folder / "config.json").unlink()
    with pytest.raises(ModelError, match=r"no config\.json"):
        describe(folder, "m")


def test_no_tokenizer(write: Write, tmp_path: Path) -> None:
    folder = write(tmp_path / "m")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match="has no tokenizer"):
        describe(folder, "m")


@pytest.mark.parametrize(
    "data", [b"", b"\xff" * 8, b"\x02" + bytes(7) + b"{", b"\x04" + bytes(7) + b"[[]]", DEEP]
)
def test_damaged_weights(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(data)
    with pytest.raises(ModelError, match="damaged"):
        count_parameters(path, "m")


def test_card_without_heading(tmp_path: Path) -> None:
    assert read_card(tmp_path) == ("", "")
    (tmp_path / "README.md").write_text("no heading")
    assert read_card(tmp_path) == ("", "")

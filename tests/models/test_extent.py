"""A configuration that asks for more than the weights hold: refused before anything is built."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
import transformers
from transformers import AutoModel, AutoModelForCausalLM, GPT2LMHeadModel

from pcf_core.core.errors import ModelError
from pcf_core.core.families import FAMILIES as TABLE
from pcf_core.models.extent import Extent, _growth, require_extent, require_layers, require_tokenizer
from pcf_core.models.loading import load
from pcf_core.models.registry import resolve
from tests.models.conftest import edit, write_gpt2
from tests.models.scoring.conftest import GROUPED, TWINS, build, family_of, load_tiny
from tests.models.scoring.tiny_tokenizers import gpt2_tokenizer

LAYERS = {"n_layer", "n_layers", "num_layers", "num_hidden_layers", "num_decoder_layers"} | {
    "encoder_layers",
    "decoder_layers",
}


def class_of(name: str) -> Any:
    """The class of transformers that loads a twin."""
    return getattr(transformers, TABLE[family_of(name)].auto_class)


@pytest.mark.parametrize("name", TWINS)
def test_every_family_passes_as_it_is_and_no_layer_count_is_believed(name: str, tmp_path: Path) -> None:
    load_tiny(name).model.save_pretrained(tmp_path)
    require_layers(tmp_path, name)
    require_extent(tmp_path, name, class_of(name))
    require_extent(tmp_path, name, AutoModel)
    honest = (tmp_path / "config.json").read_bytes()
    fields = LAYERS & json.loads(honest).keys()
    assert fields
    for field in fields:
        for layers in (100_000_000, 10**400):
            edit(tmp_path, **{field: layers})
            began = time.monotonic()
            with pytest.raises(ModelError, match=rf"layers \({field}\), but its weights hold \d+ tensors"):
                require_layers(tmp_path, name)
            assert time.monotonic() - began < 5
        (tmp_path / "config.json").write_bytes(honest)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("gpt2", {"n_embd": 2**24}),
        ("gpt2", {"n_positions": 2**40}),
        ("gpt2", {"vocab_size": 2**40}),
        ("bert", {"vocab_size": 2**40}),
        ("bert", {"intermediate_size": 2**40}),
        ("llama", {"intermediate_size": 2**40}),
        ("llama", {"vocab_size": 2**40}),
        ("t5", {"d_ff": 2**40}),
        ("albert", {"num_hidden_groups": 10**8}),
        ("gpt-j", {"n_positions": 2**40}),  # a table that is no weight
    ],
)
def test_no_size_is_believed(name: str, size: dict[str, int], tmp_path: Path) -> None:
    """Counted while it is built on no memory at all, to the first that is too much."""
    load_tiny(name).model.save_pretrained(tmp_path)
    edit(tmp_path, **size)
    began = time.monotonic()
    with pytest.raises(ModelError, match=r"describes .*, but its files hold"):
        require_extent(tmp_path, name, class_of(name))
    assert time.monotonic() - began < 10


def test_no_number_of_experts_is_believed(tmp_path: Path) -> None:
    mixtral = build("MixtralForCausalLM", gpt2_tokenizer, **GROUPED, num_local_experts=4)
    mixtral.model.save_pretrained(tmp_path)
    require_extent(tmp_path, "mixtral", AutoModelForCausalLM)
    edit(tmp_path, num_local_experts=10**8)
    with pytest.raises(ModelError, match=r"describes .*, but its files hold"):
        require_extent(tmp_path, "mixtral", AutoModelForCausalLM)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_gpt2(tmp_path / "m")


def test_configurations_inside_are_held_to_it_too(folder: Path) -> None:
    edit(folder, text_config={"num_hidden_layers": 10**8})
    with pytest.raises(ModelError, match=r"100,000,000 layers \(text_config.num_hidden_layers\)"):
        require_layers(folder, "m")


def test_what_is_no_count_of_layers_passes(folder: Path) -> None:
    edit(folder, vocab_size_per_layer_input=262_144, max_window_layers=28, layer_norm_seed=10**9)
    require_layers(folder, "m")


def test_all_shards_count(tmp_path: Path) -> None:
    model = GPT2LMHeadModel.from_pretrained(write_gpt2(tmp_path / "whole", n_layer=3))
    model.save_pretrained(tmp_path / "shards", max_shard_size=2_000)
    assert len(list((tmp_path / "shards").glob("*.safetensors"))) > 1
    whole, shards = (Extent.of(tmp_path / name, "m") for name in ("whole", "shards"))
    assert shards.tensors == whole.tensors
    assert shards.most_weights >= whole.most_weights


@pytest.mark.parametrize(
    ("config", "layers"),
    [({}, "n_layer"), ({"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"]}, "num_hidden_layers")],
    ids=["gpt2", "a list with an entry a layer"],
)
def test_loading_refuses_at_once(config: dict[str, object], layers: str, folder: Path) -> None:
    """What took over a minute, and all memory, in which nothing was heard; a tokenizer reads it too."""
    edit(folder, **config, **{layers: 100_000_000})
    began = time.monotonic()
    with pytest.raises(ModelError, match=rf"has 100,000,000 layers \({layers}\)"):
        load(resolve(str(folder)), "cpu")
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("count", [-1, -(10**400)])
@pytest.mark.parametrize("field", ["n_head", "n_layer"])
def test_no_count_is_below_0(field: str, count: int, folder: Path) -> None:
    """Of heads it passes through all sizes of tensors, and fails in the first forward pass."""
    edit(folder, **{field: count})
    with pytest.raises(
        ModelError, match=rf"has (-1|−10\^15 and more) for {field}, which must be a number of at least 0"
    ):
        load(resolve(str(folder)), "cpu")


# Twelve characters, each of which becomes two or three: together no more than three of one.
LONG_FORMS = ("...", "1/2", "1/4", "3/4", "ss", "ae", "oe", "ij", "fi", "fl", "No", "TM")
LIGATURES = tuple(zip("…½¼¾ßæœĳﬁﬂ№™", LONG_FORMS, strict=True))


def replaced(text: str, by: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": text}, "content": by}


def doubling(times: int, of: str = "a") -> dict[str, Any]:
    return {"type": "Sequence", "normalizers": [replaced(of, of * 2)] * times}


@pytest.mark.parametrize(
    "normalizer",
    [
        doubling(40),
        {"type": "Sequence", "normalizers": [doubling(6), replaced("a", "bb"), doubling(6, "b")]},
        {"type": "Sequence", "normalizers": [doubling(6), {"type": "Lowercase"}, doubling(6, "b")]},
        {"type": "Replace", "pattern": {"Regex": "."}, "content": "x" * 2000},
        {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "x" * 2000}]},
    ],
)
def test_a_tokenizer_that_makes_texts_without_end_is_not_opened(
    normalizer: dict[str, Any], folder: Path
) -> None:
    edit(folder, "tokenizer.json", normalizer=normalizer)
    begin = time.monotonic()
    with pytest.raises(ModelError, match=r"makes a character up to [0-9,]+ times as long, and at most 1,024"):
        load(resolve(str(folder)), "cpu")
    assert time.monotonic() - begin < 10


def test_normalizers_of_public_tokenizers_pass(tmp_path: Path) -> None:
    usual = [
        {"type": "Prepend", "prepend": "▁"},
        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
        {"type": "Replace", "pattern": {"String": "``"}, "content": '"'},
        *(replaced(*pair) for pair in LIGATURES),
        {"type": "NFKC"},
    ]
    for normalizer in (None, usual[0], {"type": "Sequence", "normalizers": usual}):
        (tmp_path / "tokenizer.json").write_text(json.dumps({"normalizer": normalizer}))
        require_tokenizer(tmp_path, "m")


def test_no_text_grows_more_than_a_character_may() -> None:
    """The bound against what random replacements make of random texts."""
    for seed in range(500):
        draw = random.Random(seed)

        def letters(least: int, most: int, draw: random.Random = draw) -> str:
            return "".join(draw.choices("abc", k=draw.randint(least, most)))

        parts = [replaced(letters(1, 3), letters(0, 4)) for _ in range(draw.randint(1, 5))]
        for _ in range(10):
            text = made = letters(1, 6)
            for part in parts:
                made = made.replace(part["pattern"]["String"], part["content"])
            assert len(made) <= _growth(parts) * len(text), (parts, text)

"""Compressed weights: named in titles, and refused in one sentence where they cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from pcf_core.core.errors import ModelError
from pcf_core.models.compression import compression
from pcf_core.models.loading import load
from pcf_core.models.registry import left_out_models, list_models, resolve
from tests.models.conftest import GPT2, edit, write_model
from tests.models.scoring.conftest import load_tiny, save

INT4 = {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32}
FLOAT8 = {"num_bits": 8, "type": "float", "strategy": "tensor"}
# As the checkpoints of each method state it.
METHODS: dict[str, dict[str, Any]] = {
    "4-bit GPTQ": {"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": True, "sym": True},
    "3-bit GPTQ": {"quant_method": "gptq", "bits": 3},
    "4-bit AWQ": {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm", "zero_point": True},
    "4-bit bitsandbytes": {"quant_method": "bitsandbytes", "load_in_4bit": True, "load_in_8bit": False},
    "8-bit bitsandbytes": {"load_in_8bit": True, "llm_int8_threshold": 6.0},
    "4-bit compressed-tensors": {
        "quant_method": "compressed-tensors",
        "format": "pack-quantized",
        "config_groups": {"group_0": {"targets": ["Linear"], "weights": INT4}},
    },
    "4 and 8-bit compressed-tensors": {
        "quant_method": "compressed-tensors",
        "config_groups": {"group_0": {"weights": FLOAT8}, "group_1": {"weights": INT4}},
    },
    "FP8": {"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]},
    "MXFP4": {"quant_method": "mxfp4", "modules_to_not_convert": ["lm_head"]},
    "modelopt": {"quant_method": "modelopt", "quant_algo": "FP8"},
}


@pytest.mark.parametrize("how", sorted(METHODS))
def test_the_title_says_that_it_is_a_compressed_copy(how: str, tmp_path: Path) -> None:
    write_model(tmp_path / "own" / "small", GPT2 | {"quantization_config": METHODS[how]})
    (spec,) = list_models()
    assert (spec.quantization, spec.title) == (how, f"small (compressed copy of the weights, {how})")
    assert compression({"text_config": {"quantization_config": METHODS[how]}}, "model") == how


def test_without_a_word_of_it_nothing_is_said(tmp_path: Path) -> None:
    write_model(tmp_path / "own" / "whole", GPT2 | {"quantization_config": None})
    (spec,) = list_models()
    assert (spec.quantization, spec.title) == ("", "whole")


DAMAGED: dict[str, tuple[Any, str]] = {
    "a text": ("gptq", "must hold a JSON object: download config.json again"),
    "a list": ([4], "must hold a JSON object"),
    "no method": ({"bits": 4}, r"does not say how the weights are compressed \(quant_method\)"),
    "a number as method": ({"quant_method": 4}, "does not say how the weights are compressed"),
    "bits as text": (
        {"quant_method": "gptq", "bits": "four"},
        "states a number of bits that is not one from 1",
    ),
    "too many bits": ({"quant_method": "gptq", "bits": 10**9}, "states a number of bits"),
    "groups without bits": (
        {"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {}}}},
        "states a number of bits",
    ),
}


@pytest.mark.parametrize("how", sorted(DAMAGED))
def test_a_damaged_configuration_is_refused_in_a_sentence(how: str, tmp_path: Path) -> None:
    packing, match = DAMAGED[how]
    write_model(tmp_path / "own" / "small", GPT2 | {"quantization_config": packing})
    with pytest.raises(
        ModelError, match=f"quantization_config in the config.json of the model small {match}"
    ):
        resolve("small")
    (left,) = left_out_models()
    assert left.name == "small"
    assert "\n" not in left.reason


MISSING = {
    "4-bit GPTQ": r"optimum \(`pip install optimum`\)",
    "4-bit AWQ": "`pip install gptqmodel`",
    "4-bit bitsandbytes": "`pip install -U bitsandbytes",
    "8-bit bitsandbytes": "`pip install -U bitsandbytes",
    "4-bit compressed-tensors": "`pip install compressed-tensors",
}


@pytest.mark.parametrize("how", sorted(MISSING))
def test_a_missing_library_is_named_with_how_to_get_it(how: str, tmp_path: Path) -> None:
    """Before the weights are read; those of GPTQ and the others are not installed with the tests."""
    save(load_tiny("llama"), tmp_path / "own" / "small")
    edit(tmp_path / "own" / "small", quantization_config=METHODS[how])
    spec = resolve("small")
    with pytest.raises(
        ModelError, match=rf"small are compressed \({how}\), and a library .*{MISSING[how]}"
    ) as no:
        load(spec, "cpu")
    assert str(no.value).endswith("connect it as an endpoint.")


def test_settings_that_the_method_does_not_have_are_refused(tmp_path: Path) -> None:
    save(load_tiny("llama"), tmp_path / "own" / "small")
    edit(tmp_path / "own" / "small", quantization_config={"quant_method": "fp8", "activation_scheme": "odd"})
    with pytest.raises(
        ModelError, match=r"compressed \(FP8\) in a way that cannot be read here .*odd.*: check"
    ):
        load(resolve("small"), "cpu")


def test_blocks_of_fp8_are_read_with_their_scales(tmp_path: Path) -> None:
    """DeepSeek's layout: e4m3 and a scale for each block of 16 × 16, against the product made by hand."""
    twin = load_tiny("llama")
    folder = tmp_path / "own" / "small"
    save(twin, folder)
    tensors = load_file(folder / "model.safetensors")
    expected = dict(tensors)
    for key in [key for key in tensors if key.endswith("proj.weight")]:
        rows, columns = (size // 16 for size in tensors[key].shape)
        blocks = tensors[key].reshape(rows, 16, columns, 16)
        scales = blocks.abs().amax((1, 3)) / 448
        stored = (blocks / scales[:, None, :, None]).to(torch.float8_e4m3fn)
        tensors[key] = stored.reshape(tensors[key].shape).contiguous()
        tensors[f"{key}_scale_inv"] = scales
        expected[key] = (stored.float() * scales[:, None, :, None]).reshape(tensors[key].shape)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    edit(folder, quantization_config={"quant_method": "fp8", "weight_block_size": [16, 16]})
    spec = resolve("small")
    assert spec.quantization == "FP8"
    loaded = load(spec, "cpu").model.state_dict()
    for key, tensor in expected.items():
        torch.testing.assert_close(loaded[key], tensor, msg=key, rtol=1e-6, atol=0)

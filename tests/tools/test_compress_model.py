"""The compressed copy of a teaching model: what the file holds, and that it is the one that ships."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
from gguf.quants import dequantize, quantize

from pcf_core.core.settings import ROOT
from pcf_core.models.loading import load
from pcf_core.models.registry import resolve
from tests.models.conftest import use
from tests.models.scoring.conftest import load_tiny, save
from tests.models.scoring.tiny_tokenizers import PROMPTS
from tools.compress_model import KINDS, write_copy
from tools.ship_results import COPIED, COPY


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_copy_is_the_model_with_rounded_weights(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Matrices rounded by the package, the rest as it was, and the same tokens."""
    use(monkeypatch, PCF_CACHE=str(tmp_path / "cache"))
    twin = load_tiny("gpt2")
    path = write_copy(save(twin, tmp_path / "base"), kind, tmp_path / "copy" / "copy.gguf")
    spec = resolve(str(path))
    assert (spec.quantization, spec.context) == (kind, twin.model.config.n_positions)
    copy = load(spec, "cpu")
    for prompt in PROMPTS:
        assert copy.tokenizer(prompt)["input_ids"] == twin.tokenizer(prompt)["input_ids"]
    theirs = copy.model.state_dict()
    for name, tensor in twin.model.state_dict().items():
        expected = tensor.numpy()
        if "wte" in name or name == "lm_head.weight":
            expected = rounded(expected, gguf.GGMLQuantizationType.Q8_0)
        elif expected.ndim == 2 and "wpe" not in name:
            expected = rounded(expected.T, gguf.GGMLQuantizationType[kind]).T
        np.testing.assert_array_equal(theirs[name].numpy(), expected, err_msg=name)
    ids = torch.tensor([twin.tokenizer(PROMPTS[0])["input_ids"]])
    with torch.inference_mode():
        apart = copy.model(input_ids=ids).logits - twin.model(input_ids=ids).logits
    assert 0 < apart.abs().max() < 20


def rounded(values: np.ndarray, kind: gguf.GGMLQuantizationType) -> np.ndarray:
    return dequantize(quantize(np.ascontiguousarray(values), kind), kind)


def test_the_shipped_copy_is_what_the_tool_writes(tmp_path: Path) -> None:
    shipped = ROOT / "assets" / "models" / COPY / f"{COPY}.gguf"
    assert write_copy(COPIED, "Q4_0", tmp_path / "again.gguf").read_bytes() == shipped.read_bytes()
    spec = resolve(COPY)
    assert (spec.kind, spec.title) == ("teaching", f"{COPIED} (compressed copy of the weights, Q4_0)")

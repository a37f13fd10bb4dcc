"""Models that look ahead are refused when they are opened, and no others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import ModelError
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.causal import CausalScorer
from pcf_core.models.scoring.causality import LEAST, TEXTS, UNITS_CHANGED, UNITS_CUT, find_leak
from pcf_core.models.scoring.seq2seq import Seq2SeqScorer
from pcf_core.models.scoring.trees import Indices
from tests.models.scoring.conftest import (
    CAUSAL,
    GPT2,
    GROUPED,
    HEADS,
    HYBRID,
    MASK,
    SMALL,
    build,
    key_of,
    open_loaded,
)
from tests.models.scoring.tiny_tokenizers import gpt2_tokenizer, llama_tokenizer, roberta_tokenizer

CPM = {"hidden_size": 32, "num_attention_heads": 2, "dim_head": 16, "dim_ff": 64, "num_hidden_layers": 2} | {
    "prompt_types": 4,
    "prompt_length": 4,
    "segment_types": 4,
    "position_bias_num_buckets": 16,
    "position_bias_max_distance": 64,
}
PROPHET = {"hidden_size": 32, "num_decoder_layers": 2, "num_decoder_attention_heads": 2} | {
    "decoder_ffn_dim": 64,
    "num_encoder_layers": 1,
    "num_encoder_attention_heads": 2,
    "encoder_ffn_dim": 64,
    "init_std": 0.4,
    "is_decoder": True,
    "is_encoder_decoder": False,
    "add_cross_attention": False,
}
LOOKING_AHEAD: dict[str, Callable[[], Loaded]] = {
    "gemma": lambda: build("GemmaForCausalLM", llama_tokenizer, **HEADS, use_bidirectional_attention=True),
    "gemma3": lambda: build("Gemma3ForCausalLM", llama_tokenizer, **HYBRID, use_bidirectional_attention=True),
    "llama": lambda: build("LlamaForCausalLM", llama_tokenizer, **GROUPED, is_causal=False),
    "mistral": lambda: build("MistralForCausalLM", llama_tokenizer, **GROUPED, is_causal=False),
    "qwen2": lambda: build("Qwen2ForCausalLM", gpt2_tokenizer, **GROUPED, is_causal=False),
    "qwen3": lambda: build("Qwen3ForCausalLM", gpt2_tokenizer, **HEADS, is_causal=False),
    "bert": lambda: build("BertLMHeadModel", roberta_tokenizer, **SMALL),
    "cpmant": lambda: build("CpmAntForCausalLM", gpt2_tokenizer, **CPM),
    "prophetnet": lambda: build("ProphetNetForCausalLM", roberta_tokenizer, **PROPHET),
}


@pytest.mark.parametrize("name", LOOKING_AHEAD)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_a_model_that_looks_ahead_is_refused(name: str, dtype: torch.dtype) -> None:
    """Nothing that fails is advised: neither another dtype nor another family."""
    loaded = LOOKING_AHEAD[name]()
    loaded.model.to(dtype)
    with pytest.raises(ModelError, match="cannot be scored from left to right: its logits change") as caught:
        open_narrow(loaded, dtype)
    assert "float32" not in str(caught.value)
    assert "causal:" not in str(caught.value)


def open_narrow(loaded: Loaded, dtype: torch.dtype, **options: Any) -> CausalScorer:
    name = str(dtype).removeprefix("torch.")
    return CausalScorer(loaded, key_of("gpt2").model_copy(update={"dtype": name}), **options)


@pytest.mark.parametrize("name", ["gpt2", "llama", "mistral", "gemma3", "bloom"])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_causal_model_is_opened_in_any_dtype(name: str, dtype: torch.dtype) -> None:
    """In float32 every test of the family opens all of them."""
    scorer = open_narrow(load_in(name, dtype), dtype)
    assert np.isfinite(scorer.score(["The nurse said that [Y]"], ["he", "she"])).all()


@pytest.mark.parametrize("context", [3, 4, 15, 48])
def test_a_tiny_context_is_enough(context: int) -> None:
    loaded = build("GPT2LMHeadModel", gpt2_tokenizer, **GPT2, n_positions=context)
    assert open_loaded(loaded, "gpt2", context=context).context == context
    ahead = build("LlamaForCausalLM", llama_tokenizer, **GROUPED, is_causal=False)
    with pytest.raises(ModelError, match="from left to right"):
        open_loaded(ahead, "llama", context=context)


# An attention that is wrong in half precision alone: a mask for every four positions, as on Apple's GPUs.


@pytest.fixture
def groups_of_four(monkeypatch: pytest.MonkeyPatch) -> None:
    real = torch.nn.functional.scaled_dot_product_attention

    def attention(query: Any, key: Any, value: Any, attn_mask: Any = None, **options: Any) -> Any:
        if options.get("is_causal") and query.dtype != torch.float32:
            options["is_causal"] = False
            positions = torch.arange(query.shape[-2])
            attn_mask = positions[:, None] // 4 >= positions // 4
        return real(query, key, value, attn_mask=attn_mask, **options)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", attention)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.usefixtures("groups_of_four")
def test_a_device_whose_attention_looks_ahead_in_half_precision(dtype: torch.dtype) -> None:
    """The advice, float32, was tried."""
    name = str(dtype).removeprefix("torch.")
    with pytest.raises(ModelError, match=rf"in {name} on the device cpu: its logits.*score it in float32"):
        open_narrow(load_in("llama", dtype), dtype)
    open_loaded(CAUSAL["llama"].load(), "llama")


@pytest.mark.usefixtures("groups_of_four")
def test_a_decoder_is_tested_as_well() -> None:
    """BART's decoder reads the text on the left and the word."""
    loaded = MASK["bart"].load()
    with torch.no_grad():
        for layer in loaded.model.get_decoder().layers:
            layer.self_attn.v_proj.weight.normal_()  # what it attends to matters, as in a trained model
            layer.self_attn.out_proj.weight.normal_()
    loaded.model.to(torch.bfloat16)
    key = key_of("gpt2").model_copy(update={"dtype": "bfloat16", "family": "seq2seq"})
    with pytest.raises(ModelError, match=r"in bfloat16 on the device cpu: its logits.*score it in float32"):
        Seq2SeqScorer(loaded, key)


def load_in(name: str, dtype: torch.dtype) -> Loaded:
    loaded = CAUSAL[name].load()
    loaded.model.to(dtype)
    return loaded


# The test itself, on logits that are given.


def reader(logit: Callable[[Sequence[int], int], float]) -> Any:
    """Logits of one entry: ``logit`` of a text and a position."""

    def read(ids: Indices, ends: Sequence[int]) -> list[torch.Tensor]:
        return [
            torch.tensor([[logit(row, position)] for position in range(end)])
            for row, end in zip(ids.tolist(), ends, strict=True)
        ]

    return read


@given(st.floats(0, 100), st.sampled_from([2**-23, 2**-10, 2**-7]), st.integers(2, 60))
def test_a_leak_counts_beyond_rounding(leak: float, precision: float, context: int) -> None:
    """The logits are 8 and, with another last token, 8 + leak; no text is cut where that is not seen."""
    text = np.random.default_rng(0).integers(0, 50, min(40, context))
    last = int(text[-1])
    found = find_leak(
        reader(lambda ids, position: 8.0 + leak * (len(ids) == len(text) and ids[-1] != last)),
        100,
        context,
        precision,
    )
    got = float(torch.tensor(8.0 + leak) - 8.0)
    allowed = max(LEAST, UNITS_CHANGED * precision * 8)
    assert bool(found) == (got > allowed)
    assert not found or found.endswith("when the text behind them changes")


def test_a_length_that_counts_is_a_leak_too() -> None:
    def logit(ids: Sequence[int], position: int) -> float:
        return len(ids) * 0.1

    assert find_leak(reader(logit), 100, 0, 2**-23).endswith("is cut off")
    assert find_leak(reader(logit), 100, 1, 2**-23) == ""


def text_of(seed: int) -> list[int]:
    """The text that a seed draws of a vocabulary of 100."""
    drawn: list[int] = np.random.default_rng(seed).integers(0, 50, 40).tolist()
    return drawn


@pytest.mark.parametrize(
    ("texts", "leak"), [(range(1), ""), (range(TEXTS - 1), ""), (range(TEXTS), "is cut off")]
)
def test_a_jump_of_some_texts_is_rounding(texts: range, leak: str) -> None:
    """Of two experts nearly tied another one is taken in a text that is cut off, as by MiniMax-M2."""
    cut = [text_of(seed)[:14] for seed in texts]
    found = find_leak(reader(lambda ids, position: 8.0 + 5.0 * (list(ids) in cut)), 100, 0, 2**-7)
    assert found.endswith(leak)
    assert bool(found) == bool(leak)


@pytest.mark.parametrize(("texts", "leak"), [(1, ""), (TEXTS, "changes")])
def test_where_rows_are_rounded_differently_a_jump_of_one_text_is_rounding(texts: int, leak: str) -> None:
    """Some devices round the second row of a pass otherwise than the first."""
    read = reader(lambda ids, position: 8.0)
    calls = []

    def rounding(ids: Indices, ends: Sequence[int]) -> list[torch.Tensor]:
        logits: list[torch.Tensor] = read(ids, ends)
        if len(ids) > 1:
            calls.append(ids)
            logits[1] += 2**-6
            logits[3] += 5.0 * (len(calls) <= texts)
        return logits

    found = find_leak(rounding, 100, 0, 2**-7)
    assert found.endswith(leak)
    assert bool(found) == bool(leak)


def test_where_rows_are_rounded_alike_one_text_shows_a_leak() -> None:
    text = text_of(0)
    read = reader(lambda ids, position: 8.0 + 0.5 * (ids[:14] == text[:14] and ids[14:] != text[14:]))
    assert find_leak(read, 100, 0, 2**-7).endswith("changes")


def test_forbidden_tokens_and_nan_are_no_leak() -> None:
    """−∞ stays −∞; NaN is refused where it is scored, by the name of its cause."""
    for constant in (-np.inf, np.nan):
        assert find_leak(reader(lambda ids, position, value=constant: value), 100, 0, 2**-7) == ""
    one_text = reader(lambda ids, position: -np.inf if len(ids) < 40 else 1.0)
    assert find_leak(one_text, 100, 0, 2**-7) == (
        "its logits change by up to inf when the text behind them is cut off"
    )


@given(st.lists(st.floats(-50, 50, width=32), min_size=1, max_size=30), st.integers(0, 60))
def test_what_depends_on_the_beginning_alone_is_no_leak(weights: list[float], context: int) -> None:
    def logit(ids: Sequence[int], position: int) -> float:
        return sum(weights[token % len(weights)] for token in ids[: position + 1])

    assert find_leak(reader(logit), 100, context, 2**-23) == ""
    assert UNITS_CUT > UNITS_CHANGED

"""Faster ways: whether two agree, by the largest difference against rounding; and products by oneDNN."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from transformers.pytorch_utils import Conv1D

from pcf_core.core.records import FloatArray
from pcf_core.models import shortcuts as agreement
from pcf_core.models.scoring import causal
from pcf_core.models.scoring.causal import CausalScorer, shortest_window
from pcf_core.models.scoring.permutation import PermutationScorer
from pcf_core.models.scoring.seq2seq import Seq2SeqScorer
from pcf_core.models.shortcuts import NARROW, Products, agree, product
from tests.models.scoring.conftest import GROUPED, HEADS, SMALL, TWINS, build, key_of, load_tiny, open_loaded
from tests.models.scoring.tiny_tokenizers import PROMPTS, WORDS, gpt2_tokenizer, opt_tokenizer

IDS = torch.arange(3, 40)[None]
DTYPES = (torch.float32, *NARROW)


@pytest.fixture
def model() -> Any:
    """A copy of a model that other tests share: narrow numbers cannot be made wide again."""
    return copy.deepcopy(load_tiny("llama").model)


def logits_of(model: Any) -> FloatArray:
    with torch.inference_mode():
        return model(input_ids=IDS).logits.double().numpy()


def off_by(error: float, model: Any) -> Callable[[], FloatArray]:
    """The model's logits, one of which is wrong."""

    def fast() -> FloatArray:
        logits = logits_of(model)
        logits[0, -1, 5] += error
        return logits

    return fast


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_one_wrong_score_among_thousands_is_enough(dtype: torch.dtype, model: Any) -> None:
    """Its share of the mean is a thousandth of what the mean of rounding is."""
    model.to(dtype)
    assert agree(model, lambda: logits_of(model), lambda: logits_of(model))
    assert agree(model, off_by(5e-5, model), lambda: logits_of(model))
    assert not agree(model, off_by(1e-2, model), lambda: logits_of(model))
    assert not agree(model, off_by(np.nan, model), lambda: logits_of(model))


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_where_memory_is_short_rounding_of_the_own_numbers_is_the_measure(
    dtype: torch.dtype, model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agreement, "free_memory", lambda device: 0.0)
    model.to(dtype)
    rounding = 40 * torch.finfo(dtype).eps  # of logits that reach 90
    assert agree(model, off_by(rounding / 40, model), lambda: logits_of(model))
    assert not agree(model, off_by(10 * rounding, model), lambda: logits_of(model))


def test_scores_that_jump_at_the_least_rounding_excuse_no_error(model: Any) -> None:
    """Embeddings moved by one unit in their last place move these by some nats."""

    def plain() -> FloatArray:
        return 1e5 * logits_of(model)

    expected = plain()
    with agreement._nudged(model):
        assert np.abs(plain() - expected).max() > 0.5
    assert not agree(model, lambda: expected + 0.1, plain)


def test_what_raises_does_not_agree(model: Any) -> None:
    def fast() -> FloatArray:
        raise ValueError("no mask of four dimensions")

    assert not agree(model, fast, lambda: logits_of(model))


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_a_widened_model_is_narrowed_to_the_same_bits(dtype: torch.dtype) -> None:
    """Numbers that the model itself holds as float32 stay so, and shared weights stay shared."""
    loaded = build("GPT2LMHeadModel", gpt2_tokenizer, n_embd=32, n_layer=2, n_head=2)
    loaded.model.to(dtype).transformer.ln_f.float()
    before = {name: tensor.clone() for name, tensor in loaded.model.state_dict().items()}
    seen = []

    def plain() -> FloatArray:
        seen.append({tensor.dtype for tensor in loaded.model.parameters()})
        return np.zeros(1)

    with torch.inference_mode():
        assert agree(loaded.model, plain, plain)
    assert seen[0] == {torch.float32}
    assert seen[-1] == {dtype, torch.float32}
    for name, tensor in loaded.model.state_dict().items():
        assert tensor.dtype == before[name].dtype
        assert torch.equal(tensor, before[name])
        assert not tensor.is_inference()
    assert loaded.model.lm_head.weight is loaded.model.transformer.wte.weight


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_a_buffer_that_a_forward_pass_exchanged_is_widened_too(dtype: torch.dtype) -> None:
    """CTRL puts its positions in its input's dtype, in inference mode: no such tensor can be changed."""
    loaded = build("CTRLLMHeadModel", gpt2_tokenizer, n_embd=32, n_layer=2, n_head=2, dff=64)
    loaded.model.to(dtype)
    seen = []

    def scores() -> FloatArray:
        seen.append(loaded.model.transformer.pos_encoding.dtype)
        return logits_of(loaded.model)

    scores()
    before = loaded.model.transformer.pos_encoding
    assert agree(loaded.model, scores, scores)
    assert set(seen[1:]) == {torch.float32, dtype}
    assert loaded.model.transformer.pos_encoding.dtype == dtype
    assert torch.equal(loaded.model.transformer.pos_encoding, before)


def test_a_trial_that_fails_leaves_the_model_narrow(model: Any) -> None:
    model.bfloat16()

    def plain() -> FloatArray:
        raise RuntimeError("the device is gone")

    with pytest.raises(RuntimeError):
        agree(model, lambda: np.zeros(1), plain)
    assert {tensor.dtype for tensor in model.parameters()} == {torch.bfloat16}


# What an architecture loses in a tree or in a shared row, float32 finds out, and no narrower number hides it.

HYBRIDS: dict[str, dict[str, Any]] = {
    "JambaForCausalLM": GROUPED
    | {"attn_layer_period": 2, "attn_layer_offset": 1, "num_experts": 2, "mamba_d_state": 8}
    | {"mamba_dt_rank": 4},
    "Lfm2ForCausalLM": GROUPED | {"layer_types": ["conv", "full_attention"]},
    "RecurrentGemmaForCausalLM": HEADS | {"lru_width": 32, "num_hidden_layers": 3},
}
LAYERS = {"num_hidden_layers": 4, "layer_types": ["sliding_attention", "full_attention"] * 2}
WINDOW = 40
SLIDING = HEADS | LAYERS | {"sliding_window": WINDOW}
WINDOWED: dict[str, dict[str, Any]] = {
    "Exaone4ForCausalLM": SLIDING,
    "CwmForCausalLM": SLIDING,
    "ModernBertDecoderForCausalLM": SMALL
    | {"local_attention": WINDOW, "global_attn_every_n_layers": 2, "num_hidden_layers": 4}
    | {"cls_token_id": 0, "sep_token_id": 0},
    "Cohere2ForCausalLM": SLIDING,
    "Gemma2ForCausalLM": SLIDING | {"query_pre_attn_scalar": 16},
    "Gemma3ForCausalLM": SLIDING | {"query_pre_attn_scalar": 16},
    "GPTNeoForCausalLM": {"hidden_size": 32, "num_layers": 2, "num_heads": 2, "intermediate_size": 64}
    | {"attention_types": [[["global", "local"], 1]], "window_size": WINDOW},
    "GptOssForCausalLM": SLIDING | {"num_local_experts": 4, "num_experts_per_tok": 2},
    "Llama4ForCausalLM": HEADS
    | {"num_hidden_layers": 4, "attention_chunk_size": WINDOW, "num_local_experts": 2}
    | {"intermediate_size_mlp": 64},
    "MistralForCausalLM": GROUPED | {"sliding_window": WINDOW},
    "MixtralForCausalLM": GROUPED | {"sliding_window": WINDOW, "num_local_experts": 2},
    "Olmo3ForCausalLM": SLIDING,
    "Phi3ForCausalLM": GROUPED | {"sliding_window": WINDOW},
    "Qwen2ForCausalLM": GROUPED | LAYERS | {"sliding_window": WINDOW, "use_sliding_window": True},
    "Starcoder2ForCausalLM": GROUPED | {"sliding_window": WINDOW},
}
LONG = "The nurse " + "and the old man " * 20 + "said that [Y]"


def scorer_of(name: str, options: dict[str, Any], dtype: torch.dtype, seed: int = 7) -> CausalScorer:
    loaded = build(name, opt_tokenizer, seed=seed, initializer_range=0.1, **options)
    loaded.model.to(dtype)
    return CausalScorer(loaded, key_of("gpt2"))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", sorted(HYBRIDS))
def test_a_hybrid_shares_no_beginnings_in_any_precision(name: str, dtype: torch.dtype) -> None:
    """In bfloat16 their trees lost 0.4 nats, and scores depended on the order of the words."""
    scorer = scorer_of(name, HYBRIDS[name], dtype)
    assert scorer.largest_tree == 0
    prompts, words = PROMPTS[:2], WORDS[2:5]
    values = scorer.score(prompts, words)
    bound = 1e-4 if dtype == torch.float32 else 0.05
    np.testing.assert_allclose(scorer.score(prompts, words[::-1]), values[:, ::-1], atol=bound, rtol=0)


@pytest.mark.parametrize("dtype", NARROW, ids=str)
@pytest.mark.parametrize("name", ["Exaone4ForCausalLM", "CwmForCausalLM", "ModernBertDecoderForCausalLM"])
def test_a_window_is_not_lost_in_narrow_numbers(name: str, dtype: torch.dtype) -> None:
    """Trees lost 0.5 to 2.8 nats of a text longer than the window."""
    scorer = scorer_of(name, WINDOWED[name], dtype)
    assert scorer.largest_tree == 0
    words = WORDS[:3]
    alone = [[scorer.alone(LONG, word) for word in words]]
    np.testing.assert_allclose(scorer.score([LONG], words), alone, atol=0.05, rtol=0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", sorted(WINDOWED))
def test_no_draw_of_weights_hides_a_window_from_the_trial(
    name: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trial alone refuses, too: a configuration may name its window as nobody expects."""
    for dtype in DTYPES:
        assert scorer_of(name, WINDOWED[name], dtype, seed).largest_tree == 0
        with monkeypatch.context() as patch:
            patch.setattr(causal, "shortest_window", lambda config, most: most)
            assert scorer_of(name, WINDOWED[name], dtype, seed).largest_tree == 0


def test_the_shortest_window_of_a_configuration() -> None:
    """A number of layers is no window, and neither is one that is switched off by None or 0."""
    config = type("Config", (), {})()
    assert shortest_window(config, 256) == 256
    vars(config).update(max_window_layers=2, use_sliding_window=True, sliding_window=None, window_size=0)
    assert shortest_window(config, 256) == 256
    vars(config).update(attention_chunk_size=100, sliding_window=4096)
    assert shortest_window(config, 256) == 100


def wrong_read(
    self: Seq2SeqScorer, questions: Any, words: int, read: Any = Seq2SeqScorer._read
) -> FloatArray:
    """Of one word in eight, 0.08 nats: below a bound of 0.1, and far below it on average."""
    values: FloatArray = read(self, questions, words)
    values[:, 3] += 0.08 * self.packs
    return values


def wrong_states(
    self: PermutationScorer, ids: Any, index: int, states: Any = PermutationScorer._states
) -> Any:
    return states(self, ids, index) * 1.001


@pytest.mark.parametrize("dtype", NARROW, ids=str)
@pytest.mark.parametrize(
    ("name", "shortcut", "way", "wrong"),
    [
        ("t5", "packs", "_read", wrong_read),
        ("bart", "packs", "_read", wrong_read),
        ("xlnet", "lean", "_states", wrong_states),
    ],
)
def test_a_small_error_of_a_shortcut_is_found_out_in_narrow_numbers(
    name: str, shortcut: str, way: str, wrong: Any, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = TWINS[name].load()
    loaded.model.to(dtype)
    scorer = open_loaded(loaded, name)
    assert getattr(scorer, shortcut)
    assert scorer.score(["The nurse said that [Y]"], ["he"]).shape == (1, 1)
    monkeypatch.setattr(type(scorer), way, wrong)
    assert not getattr(open_loaded(loaded, name), shortcut)


# Products of small models by oneDNN: the same numbers but for rounding, and only while the block is open.


@pytest.mark.parametrize("rows", [(1,), (7,), (300,), (5, 60)])
@pytest.mark.parametrize("light", [True, False])
def test_a_product_is_that_of_float64(rows: tuple[int, ...], light: bool) -> None:
    draw = torch.Generator().manual_seed(0)
    weight, bias = torch.randn(32, 50, generator=draw), torch.randn(50, generator=draw)
    given = torch.randn(*rows, 32, generator=draw)
    for added in (bias, None):
        expected = given.double() @ weight.double() + (0 if added is None else added.double())
        values = product(weight, added, light=light)(given)
        torch.testing.assert_close(values.double(), expected, atol=2e-5, rtol=0)


def test_a_row_has_the_same_bits_in_any_company() -> None:
    given, multiply = torch.randn(700, 64), product(torch.randn(64, 300), light=True)
    whole = multiply(given)
    for size in (1, 2, 16, 33, 512):
        assert torch.equal(multiply(given[:size]), whole[:size])


def test_layers_multiply_so_only_while_they_are_asked_to() -> None:
    draw = torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 24), Conv1D(8, 24), torch.nn.Linear(8, 4, bias=False))
    given = torch.randn(9, 16, generator=draw)
    with torch.inference_mode():
        before = model(given)
        model[2].weight.zero_()  # laid out before or after: it shows which is multiplied by
        products = Products(model, light=True)
        with products.used():
            assert not model(given).any()
            model[2].weight.fill_(1)
            assert not model(given).any()
        assert model(given).any()
        assert before.any()
    assert all("forward" not in vars(part) for part in model.modules())


def test_large_models_and_narrow_numbers_keep_their_own_products() -> None:
    model = torch.nn.Linear(16, 24)
    with Products(model, light=False).used():
        assert "forward" not in vars(model)
    weight, given = torch.randn(16, 24).bfloat16(), torch.randn(3, 16).bfloat16()
    assert torch.equal(product(weight, light=True)(given), given @ weight)


class Packed(torch.Tensor):
    """Numbers held in a form of their own, as those of quantised weights are."""


def test_empty_and_packed_weights_keep_their_own_products() -> None:
    """A head of MobileBERT has an empty layer where embeddings are as wide as the model."""
    packed = torch.nn.Linear(16, 24)
    packed.weight = torch.nn.Parameter(packed.weight.detach().as_subclass(Packed))
    empty = torch.nn.Linear(16, 24)
    empty.weight = torch.nn.Parameter(torch.empty(0, 16))
    parts = [empty, packed]
    with Products(torch.nn.Sequential(*parts), light=True).used():
        assert all("forward" not in vars(part) for part in parts)

"""Causal models: shared beginnings, the end of a word, the worked example; and models that look ahead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from pcf_core.core.errors import ModelError, ScoringError
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.causal import _ends_word
from pcf_core.models.scoring.local import LEAST, TEXTS, UNITS_CHANGED, UNITS_CUT, find_leak
from pcf_core.models.scoring.trees import Indices
from tests.models.scoring.conftest import (
    CAUSAL,
    CONTEXT,
    FIRST_CAUSAL,
    GPT2,
    GROUPED,
    HEADS,
    HYBRID,
    MASK,
    SCORERS,
    SMALL,
    Table,
    brute_force,
    build,
    changed,
    key_of,
    load_tiny,
    open_loaded,
    scorer_of,
)
from tests.models.scoring.tiny_tokenizers import (
    PROMPTS,
    WORDS,
    gpt2_tokenizer,
    llama_tokenizer,
    roberta_tokenizer,
)
from tests.quick import quick

PROMPT = "The nurse said that [Y]"
LONG = "The nurse " + "and the old man " * 20 + "said that [Y]"
# The largest tree of width-32 twins is 256; trees go level by level where a layer has a state, where a window
# is shorter than any tree, or where a bias counts slots (ALiBi).
BY_LEVELS = {"bloom", "falcon-alibi", "mistral", "gpt-neo", "gemma2", "gemma3"} | {
    "mamba2",
    "falcon-h1",
    "qwen3-next",
}


class Passes:
    """Notes the shapes of a model's forward passes, and counts the trees among them."""

    def __init__(self, model: Any) -> None:
        self.shapes: list[tuple[int, int]] = []
        self.trees = 0
        self.hook = model.register_forward_pre_hook(self._count, with_kwargs=True)

    def _count(self, model: Any, arguments: Any, inputs: dict[str, Any]) -> None:
        self.shapes.append(tuple(inputs["input_ids"].shape))
        self.trees += "position_ids" in inputs


@pytest.mark.parametrize("name", quick(sorted(CAUSAL), {*FIRST_CAUSAL, "gemma3"}.__contains__))
def test_beginnings_are_shared_where_the_architecture_allows_it(name: str) -> None:
    scorer = changed(name)
    assert (scorer.largest_tree, scorer.deepest) == ((0, 64) if name in BY_LEVELS else (256, 0))
    counts = []
    for largest, deepest in ((scorer.largest_tree, scorer.deepest), (0, 0)):
        scorer.largest_tree, scorer.deepest = largest, deepest
        passes = Passes(scorer.model)
        scorer.score(PROMPTS, WORDS)
        passes.hook.remove()
        assert (passes.trees > 0) == (largest > 0)
        counts.append(sum(rows * tokens for rows, tokens in passes.shapes))
    assert counts[0] * 2 < counts[1]


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_a_batch_tells_of_each_layer_how_much_of_it_is_done(name: str) -> None:
    """The twins have two layers; the scores are those of a scorer that tells nobody."""
    scorer, told = changed(name), list[float]()
    quiet = scorer.score(PROMPTS, WORDS)
    scorer.on_part = told.append
    np.testing.assert_array_equal(scorer.score(PROMPTS, WORDS), quiet)
    assert told == [len(PROMPTS) / 2, len(PROMPTS)]
    assert not any(layer._forward_hooks for layer in scorer.model.modules())


def test_every_distinct_beginning_runs_once() -> None:
    """Counted by hand: three prompts of 2 + 5 tokens that share 4, "he" and "she" behind each (1 + 2)."""
    scorer = changed("llama")
    passes = Passes(scorer.model)
    prompts = [f"The nurse {verb} that [Y]" for verb in ("said", "knew", "asked")]
    values = scorer.score(prompts, ["he", "she"])
    passes.hook.remove()
    pieces = scorer.seam.cut(prompts, ["he", "she"])
    starts = [scorer.seam.opening + piece.left for piece in pieces]
    beginnings = {start[:n] for start in starts for n in range(1, len(start) + 1)}
    behind = sum(len({w[:n] for w in piece.words for n in range(1, len(w))}) for piece in pieces)
    assert passes.shapes == [(1, len(beginnings) + behind)]
    scorer.largest_tree = 0
    np.testing.assert_allclose(scorer.score(prompts, ["he", "she"]), values, atol=1e-5, rtol=0)


VERBS = ("said", "knew", "asked us", "told us", "was aware", "smiled and said", "met a man and told her")
# Name, its window, the width that it claims (a tree may have 1/4 of it, or 256), the tree to be found.
WINDOWS = [
    ("gpt-neo", {"window_size": 256}, 2048, 256),
    ("gpt-neo", {"window_size": 100}, 32, 64),
    ("mistral", {"sliding_window": 300}, 2048, 256),
    ("gemma3", {"sliding_window": 200}, 32, 128),
    ("llama", {}, 2048, 512),
]


@pytest.mark.parametrize(("name", "window", "width", "largest"), WINDOWS)
def test_trees_stay_within_an_attention_window(
    name: str, window: dict[str, int], width: int, largest: int
) -> None:
    """Texts and packs longer than the window, each cell as the model gives it for the text alone."""
    loaded = CAUSAL[name].load(**window)
    loaded.model.config.hidden_size = width
    scorer = open_loaded(loaded, name, context=CONTEXT)
    assert scorer.largest_tree == largest
    short = [f"The {who} {verb} that [Y]" for who in ("nurse", "captain") for verb in VERBS]
    prompts = [*short, LONG, LONG.replace("nurse", "captain"), LONG.replace("old", "very old")]
    words = WORDS[:3]
    assert sum(len(loaded.tokenizer(prompt)["input_ids"]) for prompt in prompts) > largest
    values = scorer.score(prompts, words)
    for row in (0, 5, *range(len(short), len(prompts))):
        with torch.inference_mode():
            expected = [brute_force(loaded, name, prompts[row], word) for word in words]
        np.testing.assert_allclose(values[row], expected, atol=1e-4, rtol=0)


def test_a_word_ends_before_all_but_letters_marks_and_digits() -> None:
    assert all(map(_ends_word, (" he", ".", "’s", "-", "\n", "+")))
    accent, vowel_sign = "\u0301", "\u093f"
    assert not any(map(_ends_word, ("s", "ß", "女", "2", "½", accent, vowel_sign, "", "�")))


def test_boundary_leaves_text_with_right_side_alone() -> None:
    prompt = ["The captain met a [Y]."]
    exact, boundary = (scorer_of("llama", kind).score(prompt, WORDS) for kind in ("exact", "exact-boundary"))
    np.testing.assert_array_equal(exact, boundary)


BEGINNING = ("[Y]", "[Y] was old.", "[Y], said the nurse", "The nurse said that [Y]")


def with_roles(name: str, **roles: str) -> Loaded:
    """A twin whose tokenizer has these special tokens alone."""
    loaded = load_tiny(name)
    own = PreTrainedTokenizerFast(tokenizer_object=loaded.tokenizer.backend_tokenizer, **roles)
    return Loaded(loaded.model, own, "cpu")


@pytest.mark.parametrize("name", ["qwen2", "gpt2", "bloom"])
@pytest.mark.parametrize("protocol", ["exact", "exact-boundary"])
@torch.inference_mode()
def test_a_word_that_begins_a_text_is_scored_after_eos_where_there_is_no_bos(
    name: str, protocol: str
) -> None:
    """As Qwen has none: against one plain text at a time, which begins with the token; others have none."""
    loaded = with_roles(name, eos_token="<|endoftext|>")
    scorer = open_loaded(loaded, name, protocol)
    values = scorer.score(BEGINNING, WORDS)
    for row, prompt in enumerate(BEGINNING):
        left, right = prompt.split("[Y]")
        first = [loaded.tokenizer.eos_token_id] if not left else []
        for column, word in enumerate(WORDS):
            before, text = loaded.tokenizer(left.rstrip())["input_ids"] if left else [], left + word + right
            ids = [*first, *loaded.tokenizer(text)["input_ids"]]
            logs = loaded.model(input_ids=torch.tensor([ids])).logits[0].double().log_softmax(-1)
            begin = len(first) + len(before)
            expected = sum(float(logs[index - 1, ids[index]]) for index in range(begin, len(ids)))
            if protocol == "exact-boundary" and not right:
                expected += float(logs[-1, scorer.ends].logsumexp(-1))
            assert values[row, column] == pytest.approx(expected, abs=1e-4)
            assert scorer.alone(prompt, word) == pytest.approx(expected, abs=1e-4)
    assert scorer.traits["opening"].startswith(
        "No token is put before a text. A word that begins a text is scored after <|endoftext|>. Plain "
    )


def test_bos_stands_before_such_a_word_where_there_is_one() -> None:
    """The same numbers as ever, whatever EOS is."""
    plain = scorer_of("gpt2").score(BEGINNING, WORDS)
    both = with_roles("gpt2", bos_token="<|endoftext|>", eos_token="~")
    np.testing.assert_array_equal(open_loaded(both, "gpt2").score(BEGINNING, WORDS), plain)


def test_a_word_that_begins_a_text_needs_one_of_them() -> None:
    scorer = open_loaded(with_roles("gpt2"), "gpt2")
    with pytest.raises(ScoringError, match=r"^gpt2 has neither a BOS nor an EOS token, so a word at the"):
        scorer.score(["[Y] said"], ["he"])
    assert scorer.traits["opening"] == "No token is put before a text."
    assert np.isfinite(scorer.score(["The nurse said that [Y]"], ["he"])).all()


def test_worked_example_of_the_docstring() -> None:
    names = ["begin", "the", "Ġ", "s", "h", "e", "sh", "Ġsh", "t", "he", "th", ".", "a"]
    merges = [("s", "h"), ("Ġ", "sh"), ("t", "h"), ("th", "e")]
    raw = Tokenizer(models.BPE(vocab={name: number for number, name in enumerate(names)}, merges=merges))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, bos_token="begin")
    the, sh, e, space, stop = 1, 7, 5, 2, 11
    ends = {0: 0.1, space: 0.2, sh: 0.1, stop: 0.4}

    def seen(input_ids: torch.Tensor, **_: Any) -> list[list[tuple[int, ...]]]:
        return [[tuple(ids[: index + 1]) for index in range(len(ids))] for ids in input_ids.tolist()]

    table = Table(len(names), {(the,): {sh: 0.2}, (the, sh): {e: 0.5}, (the, sh, e): ends}, seen)
    for protocol, expected in (("exact", 0.1), ("exact-boundary", 0.08)):
        scorer = open_loaded(Loaded(table, tokenizer, "cpu"), "gpt2", protocol)
        assert np.exp(scorer.score(["the [Y]"], ["she"])[0, 0]) == pytest.approx(expected, rel=1e-5)


# Models that look ahead are refused when they are opened, and no others.


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


def open_narrow(loaded: Loaded, name: str, dtype: torch.dtype) -> Any:
    loaded.model.to(dtype)
    key = key_of(name).model_copy(update={"dtype": str(dtype).removeprefix("torch.")})
    return SCORERS[key.family](loaded, key)


@pytest.mark.parametrize("name", LOOKING_AHEAD)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_a_model_that_looks_ahead_is_refused(name: str, dtype: torch.dtype) -> None:
    """Nothing that fails is advised: neither another dtype nor another family."""
    loaded = LOOKING_AHEAD[name]()
    with pytest.raises(ModelError, match="cannot be scored from left to right: its logits change") as caught:
        open_narrow(loaded, "gpt2", dtype)
    assert "float32" not in str(caught.value)
    assert "causal:" not in str(caught.value)


@pytest.mark.parametrize("name", ["gpt2", "llama", "mistral", "gemma3", "bloom"])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_causal_model_is_opened_in_any_dtype(name: str, dtype: torch.dtype) -> None:
    """In float32 every test of the family opens all of them."""
    scorer = open_narrow(CAUSAL[name].load(), name, dtype)
    assert np.isfinite(scorer.score(["The nurse said that [Y]"], ["he", "she"])).all()


@pytest.mark.parametrize("context", [3, 4, 15, 48])
def test_a_tiny_context_is_enough(context: int) -> None:
    loaded = build("GPT2LMHeadModel", gpt2_tokenizer, **GPT2, n_positions=context)
    assert open_loaded(loaded, "gpt2", context=context).context == context
    two_way = build("LlamaForCausalLM", llama_tokenizer, **GROUPED, is_causal=False)
    with pytest.raises(ModelError, match="from left to right"):
        open_loaded(two_way, "llama", context=context)


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
        open_narrow(CAUSAL["llama"].load(), "llama", dtype)
    open_loaded(CAUSAL["llama"].load(), "llama")


@pytest.mark.usefixtures("groups_of_four")
def test_a_decoder_is_tested_as_well() -> None:
    """BART's decoder reads the text on the left and the word."""
    loaded = MASK["bart"].load()
    with torch.no_grad():
        for layer in loaded.model.get_decoder().layers:
            layer.self_attn.v_proj.weight.normal_()  # what it attends to matters, as in a trained model
            layer.self_attn.out_proj.weight.normal_()
    with pytest.raises(ModelError, match=r"in bfloat16 on the device cpu: its logits.*score it in float32"):
        open_narrow(loaded, "bart", torch.bfloat16)


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
    read = reader(lambda ids, position: 8.0 + leak * (len(ids) == len(text) and ids[-1] != last))
    sentence, largest = find_leak(read, 100, context, precision)
    allowed = max(LEAST, UNITS_CHANGED * precision * 8)
    assert largest == float(torch.tensor(8.0 + leak) - 8.0)
    assert bool(sentence) == (largest > allowed)
    assert not sentence or sentence.endswith("when the text after them changes")


def test_a_length_that_counts_is_a_leak_too() -> None:
    def logit(ids: Sequence[int], position: int) -> float:
        return len(ids) * 0.1

    sentence, largest = find_leak(reader(logit), 100, 0, 2**-23)
    assert sentence.endswith("is cut off")
    assert largest == pytest.approx(3.7, abs=1e-5)  # 3 of 40 tokens are left
    assert find_leak(reader(logit), 100, 1, 2**-23) == ("", 0.0)


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
    sentence, largest = find_leak(reader(lambda ids, position: 8.0 + 5.0 * (list(ids) in cut)), 100, 0, 2**-7)
    assert largest == (5.0 if leak else 0.0)  # of the text that decides
    assert (bool(sentence), sentence.endswith(leak)) == (bool(leak), True)


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

    sentence, _ = find_leak(rounding, 100, 0, 2**-7)
    assert (bool(sentence), sentence.endswith(leak)) == (bool(leak), True)


def test_where_rows_are_rounded_alike_one_text_shows_a_leak() -> None:
    text = text_of(0)
    read = reader(lambda ids, position: 8.0 + 0.5 * (ids[:14] == text[:14] and ids[14:] != text[14:]))
    assert find_leak(read, 100, 0, 2**-7)[0].endswith("changes")


def test_forbidden_tokens_and_nan_are_no_leak() -> None:
    """−∞ stays −∞; NaN is refused where it is scored, by the name of its cause."""
    for constant in (-np.inf, np.nan):
        read = reader(lambda ids, position, value=constant: value)
        assert find_leak(read, 100, 0, 2**-7) == ("", 0.0)
    one_text = reader(lambda ids, position: -np.inf if len(ids) < 40 else 1.0)
    assert find_leak(one_text, 100, 0, 2**-7) == (
        "its logits change by up to inf when the text after them is cut off",
        float("inf"),
    )


@given(st.lists(st.floats(-50, 50, width=32), min_size=1, max_size=30), st.integers(0, 60))
def test_what_depends_on_the_beginning_alone_is_no_leak(weights: list[float], context: int) -> None:
    def logit(ids: Sequence[int], position: int) -> float:
        return sum(weights[token % len(weights)] for token in ids[: position + 1])

    assert find_leak(reader(logit), 100, context, 2**-23) == ("", 0.0)
    assert UNITS_CUT > UNITS_CHANGED

"""Causal models: shared beginnings, the end of a word, and the worked example of the docstring."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from pcf_core.core.errors import ScoringError
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.causal import _ends_word
from tests.models.scoring.conftest import (
    CAUSAL,
    CONTEXT,
    FIRST_CAUSAL,
    Table,
    brute_force,
    changed,
    load_tiny,
    open_loaded,
    scorer_of,
)
from tests.models.scoring.tiny_tokenizers import PROMPTS, WORDS
from tests.quick import quick

PROMPT = "The nurse said that [Y]"
LONG = "The nurse " + "and the old man " * 20 + "said that [Y]"
# The largest tree of width-32 twins is 256; nothing is shared where a window is shorter than any tree, or
# where a bias counts slots (ALiBi).
NOT_SHARED = {"bloom", "falcon-alibi", "mistral", "gpt-neo", "gemma2", "gemma3"}


class Passes:
    """Counts the tokens and the trees of a model's forward passes."""

    def __init__(self, model: Any) -> None:
        self.tokens = self.trees = 0
        self.hook = model.register_forward_pre_hook(self._count, with_kwargs=True)

    def _count(self, model: Any, arguments: Any, inputs: dict[str, Any]) -> None:
        self.tokens += inputs["input_ids"].numel()
        self.trees += "position_ids" in inputs


@pytest.mark.parametrize("name", quick(sorted(CAUSAL), {*FIRST_CAUSAL, "gemma3"}.__contains__))
def test_beginnings_are_shared_where_the_architecture_allows_it(name: str) -> None:
    scorer, shared = changed(name), name not in NOT_SHARED
    assert scorer.largest_tree == (256 if shared else 0)
    counts = []
    for largest in (scorer.largest_tree, 0):
        scorer.largest_tree = largest
        passes = Passes(scorer.model)
        scorer.score(PROMPTS, WORDS)
        passes.hook.remove()
        assert (passes.trees > 0) == (largest > 0)
        counts.append(passes.tokens)
    assert (counts[0] * 2 < counts[1]) == shared


def test_every_distinct_beginning_runs_once() -> None:
    """Counted by hand: three prompts of 2 + 5 tokens that share 4, "he" and "she" behind each (1 + 2)."""
    scorer = changed("llama")
    seen: list[tuple[int, ...]] = []
    hook = scorer.model.register_forward_pre_hook(
        lambda module, arguments, inputs: seen.append(tuple(inputs["input_ids"].shape)), with_kwargs=True
    )
    prompts = [f"The nurse {verb} that [Y]" for verb in ("said", "knew", "asked")]
    values = scorer.score(prompts, ["he", "she"])
    hook.remove()
    pieces = scorer.seam.cut(prompts, ["he", "she"])
    starts = [scorer.seam.opening + piece.left for piece in pieces]
    beginnings = {start[:n] for start in starts for n in range(1, len(start) + 1)}
    behind = sum(len({w[:n] for w in piece.words for n in range(1, len(w))}) for piece in pieces)
    assert seen == [(1, len(beginnings) + behind)]
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


def test_the_last_real_position_is_read() -> None:
    """The shorter prompt of a batch is not read on a padding position."""
    prompts = ["The man [Y]", "The man, who was old and knew it well and told us so, said that [Y]"]
    with torch.inference_mode():
        expected = [
            [brute_force(load_tiny("gpt2"), "gpt2", prompt, word) for word in ("he", "she")]
            for prompt in prompts
        ]
    np.testing.assert_allclose(scorer_of("gpt2").score(prompts, ["he", "she"]), expected, atol=1e-4, rtol=0)


# Byte-level BPE writes control characters as letters of this range (Ġ is the space, 0x20).
CONTROLS = [chr(256 + n) for n in range(34)]


def test_boundary_multiplies_by_the_chance_that_the_word_ends() -> None:
    """Against the vocabulary read by its own marks: Ġ, punctuation, the special token."""
    loaded = load_tiny("gpt2")
    names = loaded.tokenizer.convert_ids_to_tokens(list(range(len(loaded.tokenizer))))
    ends = [
        n
        for n, name in enumerate(names)
        if name[0] in "Ġ!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~Ċ" or name[0] in CONTROLS
    ]
    exact = scorer_of("gpt2").score([PROMPT], WORDS)[0]
    boundary = scorer_of("gpt2", "exact-boundary").score([PROMPT], WORDS)[0]
    for word, low, high in zip(WORDS, boundary, exact, strict=True):
        ids = loaded.tokenizer(PROMPT.replace("[Y]", word))["input_ids"]
        with torch.inference_mode():
            last = loaded.model(input_ids=torch.tensor([ids])).logits[0, -1].softmax(-1)
        assert low - high == pytest.approx(float(last[ends].sum().log()), abs=1e-4)


def test_a_word_ends_before_all_but_letters_marks_and_digits() -> None:
    assert all(map(_ends_word, (" he", ".", "’s", "-", "\n", "+")))
    accent, vowel_sign = "\u0301", "\u093f"
    assert not any(map(_ends_word, ("s", "ß", "女", "2", "½", accent, vowel_sign, "", "�")))


def test_boundary_leaves_text_with_right_side_alone() -> None:
    prompt = ["The captain met a [Y]."]
    exact, boundary = (scorer_of("llama", kind).score(prompt, WORDS) for kind in ("exact", "exact-boundary"))
    np.testing.assert_array_equal(exact, boundary)


def test_prompt_that_begins_with_the_word_needs_a_bos() -> None:
    loaded = load_tiny("gpt2")
    bare = PreTrainedTokenizerFast(tokenizer_object=loaded.tokenizer.backend_tokenizer)
    with pytest.raises(ScoringError, match=r"'\[Y\] said' begins with \[Y\].*no BOS"):
        open_loaded(Loaded(loaded.model, bare, "cpu"), "gpt2").score(["[Y] said"], ["he"])


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
        return [[tuple(ids[: place + 1]) for place in range(len(ids))] for ids in input_ids.tolist()]

    table = Table(len(names), {(the,): {sh: 0.2}, (the, sh): {e: 0.5}, (the, sh, e): ends}, seen)
    for protocol, expected in (("exact", 0.1), ("exact-boundary", 0.08)):
        scorer = open_loaded(Loaded(table, tokenizer, "cpu"), "gpt2", protocol)
        assert np.exp(scorer.score(["the [Y]"], ["she"])[0, 0]) == pytest.approx(expected, rel=1e-5)

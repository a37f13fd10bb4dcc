"""Every architecture against a brute force: one prompt, one word, no batch, no mask of ours, full softmax.

The twins (tests/models/scoring/conftest.py) have random weights wide enough that texts and words differ by
nats, so that a wrong mask, position or token cannot hide within the tolerance of 1e-4 nats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.base import Scorer
from tests.models.scoring.conftest import (
    CAUSAL,
    CONTEXT,
    FIRST_CAUSAL,
    MASKED,
    PERMUTATION,
    SEQ2SEQ,
    Tiny,
    brute_force,
)
from tests.quick import quick

Open = Callable[..., Scorer]
Brute = Callable[[str, str, str], float]
BOUND = 1e-4  # nats
# The largest tree of width-32 twins is 256; nothing is shared where a window is shorter than any tree, or
# where a bias counts slots (ALiBi).
NOT_SHARED = {"bloom", "falcon-alibi", "mistral", "gpt-neo", "gemma2", "gemma3"}
SHARED = sorted(set(CAUSAL) - NOT_SHARED)
LONG = "The nurse " + "and the old man " * 20 + "said that [Y]"


def ending_tokens(tokenizer: Any) -> list[int]:
    """By the marks of the vocabulary: space (Ġ, ▁), control characters, ASCII punctuation, specials."""
    controls = {chr(256 + byte) for byte in range(33)} | {chr(256 + 33)}
    marks = controls | {"▁"} | set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
    names = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    return [n for n, name in enumerate(names) if name[0] in marks or n in tokenizer.all_special_ids]


@torch.inference_mode()
def chance_of_ending(loaded: Loaded, prompt: str, word: str) -> float:
    """Nats of the word's end behind left text and word."""
    ids = loaded.tokenizer(prompt.replace("[Y]", word))["input_ids"]
    last = loaded.model(input_ids=torch.tensor([ids])).logits[0, -1].double().softmax(-1)
    return float(last[ending_tokens(loaded.tokenizer)].sum().log())


@pytest.mark.parametrize("name", sorted(CAUSAL | MASKED))
def test_every_cell_equals_the_brute_force(
    name: str, open_tiny: Open, brute: Brute, prompts: tuple[str, ...], words: tuple[str, ...]
) -> None:
    """Words of 1–4 tokens and more; text on the right; texts longer than every window of the twins."""
    prompts = (*prompts, LONG)
    scorer = open_tiny(name)
    assert {1, 2, 3, 4} <= set(scorer.check(words).tokens.values())
    expected = np.array([[brute(name, prompt, word) for word in words] for prompt in prompts])
    assert np.ptp(expected, axis=0).min() > 0.5  # nats: every word feels the text
    np.testing.assert_allclose(scorer.score(prompts, words), expected, atol=BOUND, rtol=0)


@pytest.mark.parametrize("name", quick(sorted(CAUSAL), {*FIRST_CAUSAL, "gemma3"}.__contains__))
def test_every_cell_with_its_end_equals_the_brute_force(
    name: str,
    open_tiny: Open,
    tiny: Callable[[str], Loaded],
    brute: Brute,
    prompts: tuple[str, ...],
    words: tuple[str, ...],
) -> None:
    words = words[:5]
    expected = [
        [
            brute(name, prompt, word)
            + (chance_of_ending(tiny(name), prompt, word) if prompt.endswith("[Y]") else 0)
            for word in words
        ]
        for prompt in prompts
    ]
    values = open_tiny(name, "exact-boundary").score(prompts, words)
    np.testing.assert_allclose(values, expected, atol=BOUND, rtol=0)


@pytest.mark.parametrize("twin", [*SEQ2SEQ.values(), *PERMUTATION.values()], ids=[*SEQ2SEQ, *PERMUTATION])
def test_a_twin_is_of_the_class_that_it_names(twin: Tiny) -> None:
    """Their brute forces are in test_seq2seq.py and test_permutation.py, over the same builders."""
    assert type(twin.load().model).__name__ == twin.model


class Passes:
    """Counts the tokens and the trees of a model's forward passes."""

    def __init__(self, model: Any) -> None:
        self.tokens = self.trees = 0
        self.hook = model.register_forward_pre_hook(self._count, with_kwargs=True)

    def _count(self, model: Any, arguments: Any, inputs: dict[str, Any]) -> None:
        self.tokens += inputs["input_ids"].numel()
        self.trees += "position_ids" in inputs


@pytest.mark.parametrize("name", quick(sorted(CAUSAL), {*FIRST_CAUSAL, "gemma3"}.__contains__))
def test_beginnings_are_shared_where_the_architecture_allows_it(
    name: str, open_tiny: Open, prompts: tuple[str, ...], words: tuple[str, ...]
) -> None:
    scorer: Any = open_tiny(name)
    assert (scorer.largest_tree == 256) == (name in SHARED)
    assert (scorer.largest_tree == 0) == (name not in SHARED)
    counts = []
    for largest in (scorer.largest_tree, 0):
        scorer.largest_tree = largest
        passes = Passes(scorer.model)
        scorer.score(prompts, words)
        passes.hook.remove()
        assert (passes.trees > 0) == (largest > 0)
        counts.append(passes.tokens)
    assert (counts[0] * 2 < counts[1]) == (name in SHARED)


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
    name: str,
    window: dict[str, int],
    width: int,
    largest: int,
    open_with: Open,
    words: tuple[str, ...],
) -> None:
    """Texts and packs longer than the window, each cell as the model gives it for the text alone."""
    loaded = CAUSAL[name].load(**window)
    loaded.model.config.hidden_size = width
    scorer: Any = open_with(loaded, name, context=CONTEXT)
    assert scorer.largest_tree == largest
    short = [f"The {who} {verb} that [Y]" for who in ("nurse", "captain") for verb in VERBS]
    prompts = [*short, LONG, LONG.replace("nurse", "captain"), LONG.replace("old", "very old")]
    words = words[:3]
    assert sum(len(loaded.tokenizer(prompt)["input_ids"]) for prompt in prompts) > largest
    values = scorer.score(prompts, words)
    for row in (0, 5, *range(len(short), len(prompts))):
        with torch.inference_mode():
            expected = [brute_force(loaded, name, prompts[row], word) for word in words]
        np.testing.assert_allclose(values[row], expected, atol=BOUND, rtol=0)

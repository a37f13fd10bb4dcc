"""Causal models: exact against a brute force, and each trap of the published scripts (spec (iii) 24–25)."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from pcf_core.core.errors import ScoringError, TemplateError
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.base import Scorer
from pcf_core.models.scoring.causal import _ends_word

Open = Callable[..., Scorer]
Brute = Callable[..., Any]
PROMPT = "The nurse said that [Y]"
CONTEXT = 160


def test_beginnings_are_shared_only_where_that_is_exact(open_tiny: Open) -> None:
    """BLOOM's biases count slots, and Mistral's window here is shorter than any tree."""
    largest = {
        name: open_tiny(name).largest_tree
        for name in ("gpt2", "opt", "llama", "gpt-neox", "bloom", "mistral")
    }
    assert largest.pop("bloom") == largest.pop("mistral") == 0
    assert all(64 <= size <= 256 for size in largest.values())


def test_every_distinct_beginning_runs_once(open_tiny: Open) -> None:
    """Counted by hand: three prompts of 2 + 5 tokens that share 4, "he" and "she" behind each (1 + 2)."""
    scorer: Any = open_tiny("llama", context=CONTEXT)
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


def test_one_score_alone_equals_the_cell(
    causal_name: str, open_tiny: Open, prompts: tuple[str, ...], words: tuple[str, ...]
) -> None:
    scorer = open_tiny(causal_name)
    values = scorer.score(prompts, words)
    for row, column in ((0, 0), (2, 5), (4, 3), (5, 6)):
        again = scorer.alone(prompts[row], words[column])
        assert again == pytest.approx(values[row, column], abs=2e-5)


@pytest.mark.slow
def test_a_cell_does_not_depend_on_its_batch(
    causal_name: str, open_tiny: Open, prompts: tuple[str, ...], words: tuple[str, ...]
) -> None:
    """256 prompts of mixed lengths together, then one by one, and with batches of another size."""
    many = [prompt.replace("The", f"The {'very ' * (n % 7)}old") for n in range(43) for prompt in prompts][
        :256
    ]
    together = open_tiny(causal_name).score(many, words)
    alone = open_tiny(causal_name)
    bound = np.maximum(1e-5, 5e-7 * np.abs(together))
    for row in range(0, 256, 23):
        assert np.all(np.abs(alone.score([many[row]], words)[0] - together[row]) <= bound[row])
        assert abs(alone.score([many[row]], words[4:5])[0, 0] - together[row, 4]) <= bound[row, 4]
    small = open_tiny(causal_name, batch_tokens=128).score(many, words)
    assert np.all(np.abs(small - together) <= bound)


def test_batches_are_a_function_of_the_request_and_cover_it(
    open_tiny: Open, prompts: tuple[str, ...]
) -> None:
    many = [f"{n} {prompt}" for n in range(9) for prompt in prompts]
    plans = [
        [rows.tolist() for rows, _ in open_tiny("gpt2", batch_tokens=128).batches(many, ["he", "son"])]
        for _ in range(2)
    ]
    assert plans[0] == plans[1]
    assert len(plans[0]) > 3
    assert sorted(row for rows in plans[0] for row in rows) == list(range(9 * len(prompts)))


@torch.inference_mode()
def test_bos_stands_where_the_tokenizer_puts_it(
    tiny: Callable[[str], Loaded], open_tiny: Open, brute: Brute
) -> None:
    """OPT's text begins with its BOS, GPT-2's does not; before a bare [Y] both have one."""
    for name in ("opt", "llama"):
        loaded = tiny(name)
        ids = loaded.tokenizer("he")["input_ids"]
        assert ids[0] == loaded.tokenizer.bos_token_id
        logits = loaded.model(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
        assert open_tiny(name).score(["[Y]"], ["he"])[0, 0] == pytest.approx(
            float(logits[0, ids[1]]), abs=1e-5
        )
    loaded = tiny("gpt2")
    ids = [loaded.tokenizer.bos_token_id, *loaded.tokenizer("he was")["input_ids"]]
    logits = loaded.model(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
    expected = sum(float(logits[i - 1, ids[i]]) for i in range(1, len(ids)))
    assert open_tiny("gpt2").score(["[Y] was"], ["he"])[0, 0] == pytest.approx(expected, abs=1e-5)


def test_last_real_position_is_read(open_tiny: Open, brute: Brute) -> None:
    """Spec (iii) 25: the shorter prompt of a batch is not read on a padding position."""
    prompts = ["The man [Y]", "The man, who was old and knew it well and told us so, said that [Y]"]
    values = open_tiny("gpt2").score(prompts, ["he", "she"])
    for row, prompt in enumerate(prompts):
        for column, word in enumerate(["he", "she"]):
            assert values[row, column] == pytest.approx(brute("gpt2", prompt, word), abs=1e-4)


def test_models_that_can_neither_trim_nor_share_give_the_same(
    causal_name: str, open_tiny: Open, prompts: tuple[str, ...], words: tuple[str, ...]
) -> None:
    scorer: Any = open_tiny(causal_name)
    expected = scorer.score(prompts, words)
    scorer.body, scorer.largest_tree = None, 0
    np.testing.assert_allclose(scorer.score(prompts, words), expected, atol=1e-5, rtol=0)


def one_token_words(scorer: Scorer) -> list[str]:
    tokenizer = scorer.seam.tokenizer  # type: ignore[attr-defined]
    pieces = [tokenizer.decode([token]).strip() for token in range(len(tokenizer))]
    table = scorer.check(sorted({piece for piece in pieces if piece.isalnum()}))
    return [word for word, count in table.tokens.items() if count == 1]


@pytest.mark.parametrize("protocol", ["exact", "exact-boundary"])
def test_probabilities_of_one_token_words_sum_to_at_most_one(
    causal_name: str, open_tiny: Open, prompts: tuple[str, ...], protocol: str
) -> None:
    scorer = open_tiny(causal_name, protocol)
    words = one_token_words(scorer)
    assert len(words) > 5
    sums = np.exp(scorer.score(prompts, words).astype(float)).sum(axis=1)
    assert np.all(sums <= 1 + 1e-5)


def test_boundary_multiplies_by_the_chance_that_the_word_ends(
    tiny: Callable[[str], Loaded], open_tiny: Open, words: tuple[str, ...]
) -> None:
    """Against the vocabulary read by its own marks: Ġ, punctuation, the special token."""
    loaded = tiny("gpt2")
    names = loaded.tokenizer.convert_ids_to_tokens(list(range(len(loaded.tokenizer))))
    ends = [
        n
        for n, name in enumerate(names)
        if name[0] in "Ġ!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~Ċ" or name[0] in CONTROLS
    ]
    exact = open_tiny("gpt2").score([PROMPT], words)[0]
    boundary = open_tiny("gpt2", "exact-boundary").score([PROMPT], words)[0]
    for word, low, high in zip(words, boundary, exact, strict=True):
        ids = loaded.tokenizer(PROMPT.replace("[Y]", word))["input_ids"]
        with torch.inference_mode():
            last = loaded.model(input_ids=torch.tensor([ids])).logits[0, -1].softmax(-1)
        assert low - high == pytest.approx(float(last[ends].sum().log()), abs=1e-4)


def test_a_word_ends_before_all_but_letters_marks_and_digits() -> None:
    assert all(map(_ends_word, (" he", ".", "’s", "-", "\n", "+")))
    accent, vowel_sign = "\u0301", "\u093f"
    assert not any(map(_ends_word, ("s", "ß", "女", "2", "½", accent, vowel_sign, "", "�")))


# Byte-level BPE writes control characters as letters of this range (Ġ is the space, 0x20).
CONTROLS = [chr(256 + n) for n in range(34)]


def test_boundary_leaves_text_with_right_side_alone(open_tiny: Open, words: tuple[str, ...]) -> None:
    prompt = "The captain met a [Y]."
    exact, boundary = (
        open_tiny("llama", protocol).score([prompt], words) for protocol in ("exact", "exact-boundary")
    )
    np.testing.assert_array_equal(exact, boundary)


def test_prompt_that_begins_with_the_word_needs_a_bos(tiny: Callable[[str], Loaded], open_with: Open) -> None:
    loaded = tiny("gpt2")
    bare = PreTrainedTokenizerFast(tokenizer_object=loaded.tokenizer.backend_tokenizer)
    with pytest.raises(ScoringError, match=r"'\[Y\] said' begins with \[Y\].*no BOS"):
        open_with(Loaded(loaded.model, bare, "cpu"), "gpt2").score(["[Y] said"], ["he"])


def test_too_long_a_prompt_is_refused_before_anything_runs(open_tiny: Open) -> None:
    long = "The nurse " + "and the nurse " * 40 + "said that [Y]"
    with pytest.raises(TemplateError, match="context of gpt2 holds 64"):
        next(open_tiny("gpt2", context=64).batches([PROMPT, long], ["he"]))


def test_a_lost_device_is_one_sentence(
    tiny: Callable[[str], Loaded], open_tiny: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    scorer = open_tiny("gpt2")

    def lost(*args: Any, **kwargs: Any) -> None:
        raise torch.AcceleratorError("CUDA error: unspecified launch failure\nCompile with …")

    monkeypatch.setattr(tiny("gpt2").model, "forward", lost)
    with pytest.raises(ScoringError, match=r"device cpu failed .*unspecified launch failure\).*resume"):
        scorer.score([PROMPT], ["he"])


def test_out_of_memory_is_one_sentence(
    tiny: Callable[[str], Loaded], open_tiny: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    scorer = open_tiny("gpt2")

    def full(*args: Any, **kwargs: Any) -> None:
        raise torch.OutOfMemoryError

    monkeypatch.setattr(tiny("gpt2").model, "forward", full)
    with pytest.raises(ScoringError, match="ran out of memory"):
        scorer.score([PROMPT], ["he"])


# ------------------------------------------------------------------------------------- worked example


class Table(torch.nn.Module):
    """A model whose next-token probabilities are given per sequence; it has no body and takes no mask."""

    def __init__(self, vocabulary: int, rows: dict[tuple[int, ...], dict[int, float]]) -> None:
        super().__init__()
        self.head = torch.nn.Linear(1, vocabulary)
        self.vocabulary = vocabulary
        self.rows = rows
        self.dtype = torch.float32

    @property
    def base_model(self) -> Any:
        return self

    def get_decoder(self) -> Any:
        return self

    def get_output_embeddings(self) -> torch.nn.Linear:
        return self.head

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor, use_cache: bool) -> Any:
        logits = torch.zeros(*input_ids.shape, self.vocabulary)
        for row, ids in enumerate(input_ids.tolist()):
            for position in range(len(ids)):
                given = self.rows.get(tuple(ids[: position + 1]), {})
                rest = (1 - sum(given.values())) / (self.vocabulary - len(given))
                logits[row, position] = torch.full((self.vocabulary,), rest).log()
                for token, probability in given.items():
                    logits[row, position, token] = np.log(probability)
        return SimpleNamespace(logits=logits)


def test_worked_example_of_the_docstring(open_with: Open) -> None:
    vocabulary = {
        "begin": 0,
        "the": 1,
        "Ġ": 2,
        "s": 3,
        "h": 4,
        "e": 5,
        "sh": 6,
        "Ġsh": 7,
        "t": 8,
        "he": 9,
        "th": 10,
    }
    merges = [("s", "h"), ("Ġ", "sh"), ("t", "h"), ("th", "e")]
    raw = Tokenizer(models.BPE(vocab=vocabulary | {".": 11, "a": 12}, merges=merges))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, bos_token="begin")
    the, sh, e, space, stop = 1, 7, 5, 2, 11
    ends = {0: 0.1, space: 0.2, sh: 0.1, stop: 0.4}
    table = Table(13, {(the,): {sh: 0.2}, (the, sh): {e: 0.5}, (the, sh, e): ends})
    for protocol, expected in (("exact", 0.1), ("exact-boundary", 0.08)):
        scorer = open_with(Loaded(table, tokenizer, "cpu"), "gpt2", protocol)
        assert np.exp(scorer.score(["the [Y]"], ["she"])[0, 0]) == pytest.approx(expected, rel=1e-5)

"""Masked models: exact against a brute force, and each trap of the published scripts (spec (iii) 24–25)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from pcf_core.core.errors import ModelError, ScoringError, TemplateError
from pcf_core.models.loading import Loaded
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer
from pcf_core.models.scoring.opening import open_scorer

Open = Callable[..., Scorer]
PROMPT = "The nurse said that [Y]."


@pytest.mark.slow
def test_a_cell_does_not_depend_on_its_batch(
    masked_name: str, open_tiny: Open, prompts: tuple[str, ...], words: tuple[str, ...]
) -> None:
    """256 prompts of mixed lengths together, then one by one, and with batches of another size."""
    many = [prompt.replace("The", f"The {'very ' * (n % 7)}old") for n in range(43) for prompt in prompts][
        :256
    ]
    words = words[:5]
    together = open_tiny(masked_name).score(many, words)
    alone = open_tiny(masked_name)
    for row in range(0, 256, 23):
        np.testing.assert_allclose(alone.score([many[row]], words)[0], together[row], atol=1e-5, rtol=0)
        np.testing.assert_allclose(
            alone.score([many[row]], words[4:5])[0], together[row, 4:5], atol=1e-5, rtol=0
        )
    small = open_tiny(masked_name, batch_tokens=128).score(many, words)
    np.testing.assert_allclose(small, together, atol=1e-5, rtol=0)


def test_the_space_before_the_mask_belongs_to_the_word(
    open_tiny: Open, tiny: Callable[[str], Loaded]
) -> None:
    """With and without a mask token that takes the space before it, no lone space is left."""
    for name in ("roberta", "mini-bert"):
        lone = tiny(name).tokenizer.tokenize("met <mask>")[-2] == "Ġ"
        assert lone == (name == "mini-bert")
        scorer: Any = open_tiny(name)
        (pieces,) = scorer.seam.cut(["The man met [Y]."], ["he"])
        (query,) = scorer._queries(pieces)
        tokens = tiny(name).tokenizer.convert_ids_to_tokens(list(query.ids))
        assert tokens[-3:] == ["<mask>", ".", "</s>"]
        assert tokens[-4] != "Ġ"
        assert tokens[query.position] == "<mask>"


def test_right_text_is_conditioned_on(open_tiny: Open) -> None:
    scorer = open_tiny("bert")
    values = scorer.score(
        ["The nurse met [Y]", "The nurse met [Y].", "The nurse met [Y] and he was old"], ["she"]
    )
    assert len(np.unique(values.round(4))) == 3


def test_each_input_runs_once(open_tiny: Open, words: tuple[str, ...]) -> None:
    """ "mother" and "mothers" share their first inputs only where they have equally many tokens."""
    scorer: Any = open_tiny("bert")
    (pieces,) = scorer.seam.cut([PROMPT], words)
    queries = scorer._queries(pieces)
    beginnings = {(len(ids), ids[:filled]) for ids in pieces.words for filled in range(len(ids))}
    assert len(queries) == len(beginnings)
    assert sum(len(targets) for targets in queries.values()) == sum(map(len, pieces.words))


def test_probabilities_of_one_token_words_sum_to_at_most_one(
    masked_name: str, open_tiny: Open, prompts: tuple[str, ...]
) -> None:
    scorer: Any = open_tiny(masked_name)
    tokenizer = scorer.seam.tokenizer
    pieces = {tokenizer.decode([token]).strip("# ") for token in range(len(tokenizer))}
    table = scorer.check(sorted(piece for piece in pieces if piece.isalnum()))
    words = [word for word, count in table.tokens.items() if count == 1]
    assert len(words) > 5
    sums = np.exp(scorer.score(prompts, words).astype(float)).sum(axis=1)
    assert np.all(sums <= 1 + 1e-5)


def test_only_the_position_that_is_read_goes_through_the_head(
    tiny: Callable[[str], Loaded], masked_name: str, open_tiny: Open
) -> None:
    scorer: Any = open_tiny(masked_name)
    assert scorer.body is not None
    seen: list[torch.Size] = []
    hook = (
        tiny(masked_name)
        .model.get_output_embeddings()
        .register_forward_hook(lambda module, inputs, output: seen.append(inputs[0].shape))
    )
    words = ["he", "woman"]  # of different numbers of tokens: no query serves both
    trimmed = scorer.score([PROMPT], words)
    assert sum(shape[:2].numel() for shape in seen) == sum(scorer.check(words).tokens.values())
    scorer.body = None
    np.testing.assert_allclose(scorer.score([PROMPT], words), trimmed, atol=1e-5, rtol=0)
    hook.remove()


def test_narrow_dtypes_trim_too() -> None:
    """Their rounding alone is no reason to run the head on every position."""
    spec = resolve("mini-bert")
    for dtype in ("bfloat16", "float16"):
        scorer: Any = open_scorer(spec.model_copy(update={"dtype": dtype}))
        assert scorer.body is not None


def test_model_without_a_mask_token_is_refused(tiny: Callable[[str], Loaded], open_with: Open) -> None:
    loaded = Loaded(tiny("bert").model, tiny("gpt2").tokenizer, "cpu")
    with pytest.raises(ModelError, match="no mask token"):
        open_with(loaded, "bert")


def test_unknown_word_is_refused_by_name(open_tiny: Open) -> None:
    with pytest.raises(ModelError, match=r"'жена'.*unk"):
        open_tiny("bert").score([PROMPT], ["he", "жена"])


def test_too_long_a_prompt_is_refused_with_its_longest_word(open_tiny: Open) -> None:
    long = "the " * 60 + "[Y]"
    scorer = open_tiny("bert", context=64)
    scorer.score([long], ["he"])
    with pytest.raises(TemplateError, match="needs 65 tokens with its longest word"):
        scorer.score([long], ["he", "son"])


def test_nan_in_the_weights_is_an_error(
    tiny: Callable[[str], Loaded], open_tiny: Open, open_with: Open
) -> None:
    model = copy.deepcopy(tiny("bert").model)
    with torch.no_grad():
        model.get_output_embeddings().bias.fill_(float("nan"))
    with pytest.raises(ScoringError, match="NaN for 'he'"):
        open_with(Loaded(model, tiny("bert").tokenizer, "cpu"), "bert").score([PROMPT], ["he"])


# ------------------------------------------------------------------------------------- worked example


class Table(torch.nn.Module):
    """A model whose probabilities are given per sequence and position; nothing to trim."""

    def __init__(self, vocabulary: int, rows: dict[tuple[tuple[int, ...], int], dict[int, float]]) -> None:
        super().__init__()
        self.head = torch.nn.Linear(1, vocabulary)
        self.vocabulary = vocabulary
        self.rows = rows
        self.base_model = self

    def get_decoder(self) -> Any:
        return self

    def get_output_embeddings(self) -> torch.nn.Linear:
        return self.head

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> Any:
        logits = torch.zeros(*input_ids.shape, self.vocabulary)
        for row, ids in enumerate(input_ids.tolist()):
            for position in range(len(ids)):
                given = self.rows.get((tuple(ids), position), {})
                rest = (1 - sum(given.values())) / (self.vocabulary - len(given))
                logits[row, position] = torch.full((self.vocabulary,), rest).log()
                for token, probability in given.items():
                    logits[row, position, token] = np.log(probability)
        return SimpleNamespace(logits=logits)


def test_worked_example_of_the_docstring(open_with: Open) -> None:
    vocabulary = {"[CLS]": 0, "[MASK]": 1, "[UNK]": 2, "that": 3, "sh": 4, "##e": 5, ".": 6, "a": 7}
    raw = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.post_processor = processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 0)])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, mask_token="[MASK]", unk_token="[UNK]")
    cls, mask, that, sh, e, stop = 0, 1, 3, 4, 5, 6
    table = Table(
        8,
        {((cls, that, mask, mask, stop), 2): {sh: 0.2}, ((cls, that, sh, mask, stop), 3): {e: 0.5}},
    )
    scorer = open_with(Loaded(table, tokenizer, "cpu"), "bert")
    assert scorer.score(["that [Y] ."], ["she"])[0, 0] == pytest.approx(np.log(0.1), abs=1e-5)

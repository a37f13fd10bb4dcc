"""Masked models: what one pass serves, the space before the mask, and the worked example of the docstring."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from pcf_core.core.errors import ModelError, ScoringError
from pcf_core.models.loading import Loaded
from tests.models.scoring.conftest import (
    FIRST_MASKED,
    Table,
    changed,
    load_tiny,
    open_loaded,
    scorer_of,
)
from tests.models.scoring.tiny_tokenizers import WORDS

PROMPT = "The nurse said that [Y]."


def test_the_space_before_the_mask_belongs_to_the_word() -> None:
    """With and without a mask token that takes the space before it, no lone space is left."""
    for name in ("roberta", "mini-bert"):
        lone = load_tiny(name).tokenizer.tokenize("met <mask>")[-2] == "Ġ"
        assert lone == (name == "mini-bert")
        scorer = scorer_of(name)
        (pieces,) = scorer.seam.cut(["The man met [Y]."], ["he"])
        (query,) = scorer._queries(pieces)
        tokens = load_tiny(name).tokenizer.convert_ids_to_tokens(list(query.ids))
        assert tokens[-3:] == ["<mask>", ".", "</s>"]
        assert tokens[-4] != "Ġ"
        assert tokens[query.position] == "<mask>"


def test_each_input_runs_once() -> None:
    """ "mother" and "mothers" share their first inputs only where they have equally many tokens."""
    scorer = scorer_of("bert")
    (pieces,) = scorer.seam.cut([PROMPT], WORDS)
    queries = scorer._queries(pieces)
    beginnings = {(len(ids), ids[:filled]) for ids in pieces.words for filled in range(len(ids))}
    assert len(queries) == len(beginnings)
    assert sum(len(targets) for targets in queries.values()) == sum(map(len, pieces.words))


@pytest.mark.parametrize("name", sorted(FIRST_MASKED))
def test_only_the_position_that_is_read_goes_through_the_head(name: str) -> None:
    scorer = changed(name)
    assert scorer.body is not None
    seen: list[torch.Size] = []
    hook = (
        load_tiny(name)
        .model.get_output_embeddings()
        .register_forward_hook(lambda module, inputs, output: seen.append(inputs[0].shape))
    )
    words = ["he", "woman"]  # of different numbers of tokens: no query serves both
    scorer.score([PROMPT], words)
    hook.remove()
    assert sum(shape[:2].numel() for shape in seen) == sum(scorer.check(words).tokens.values())


def test_model_without_a_mask_token_is_refused() -> None:
    loaded = Loaded(load_tiny("bert").model, load_tiny("gpt2").tokenizer, "cpu")
    with pytest.raises(ModelError, match="no mask token"):
        open_loaded(loaded, "bert")


def test_unknown_word_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match=r"'жена'.*unk"):
        scorer_of("bert").score([PROMPT], ["he", "жена"])


def test_nan_in_the_weights_is_an_error() -> None:
    model = copy.deepcopy(load_tiny("bert").model)
    with torch.no_grad():
        model.get_output_embeddings().bias.fill_(float("nan"))
    with pytest.raises(ScoringError, match="NaN for 'he'"):
        open_loaded(Loaded(model, load_tiny("bert").tokenizer, "cpu"), "bert").score([PROMPT], ["he"])


def test_worked_example_of_the_docstring() -> None:
    names = ["[CLS]", "[MASK]", "[UNK]", "that", "sh", "##e", ".", "a"]
    vocabulary = {name: number for number, name in enumerate(names)}
    raw = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.post_processor = processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 0)])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, mask_token="[MASK]", unk_token="[UNK]")
    cls, mask, that, sh, e, stop = 0, 1, 3, 4, 5, 6

    def seen(input_ids: torch.Tensor, **_: Any) -> list[list[tuple[tuple[int, ...], int]]]:
        return [[(tuple(ids), place) for place in range(len(ids))] for ids in input_ids.tolist()]

    rows = {((cls, that, mask, mask, stop), 2): {sh: 0.2}, ((cls, that, sh, mask, stop), 3): {e: 0.5}}
    scorer = open_loaded(Loaded(Table(len(names), rows, seen), tokenizer, "cpu"), "bert")
    assert scorer.score(["that [Y] ."], ["she"])[0, 0] == pytest.approx(np.log(0.1), abs=1e-5)

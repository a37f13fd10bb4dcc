"""Masked models and XLNet: what one pass serves, the space before the mask, and both worked examples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast, XLNetTokenizer

from pcf_core.core.errors import ModelError
from pcf_core.core.records import FloatArray
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.masked import Query
from pcf_core.models.scoring.permutation import PermutationScorer
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


@pytest.mark.parametrize("name", [*sorted(FIRST_MASKED), "xlnet"])
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


def test_worked_example_with_masks() -> None:
    names = ["[CLS]", "[MASK]", "[UNK]", "that", "sh", "##e", ".", "a"]
    vocabulary = {name: number for number, name in enumerate(names)}
    raw = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.post_processor = processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 0)])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, mask_token="[MASK]", unk_token="[UNK]")
    cls, mask, that, sh, e, stop = 0, 1, 3, 4, 5, 6

    def seen(input_ids: torch.Tensor, **_: Any) -> list[list[tuple[tuple[int, ...], int]]]:
        return [[(tuple(ids), index) for index in range(len(ids))] for ids in input_ids.tolist()]

    rows = {((cls, that, mask, mask, stop), 2): {sh: 0.2}, ((cls, that, sh, mask, stop), 3): {e: 0.5}}
    scorer = open_loaded(Loaded(Table(len(names), rows, seen), tokenizer, "cpu"), "bert")
    assert scorer.score(["that [Y] ."], ["she"])[0, 0] == pytest.approx(np.log(0.1), abs=1e-5)


# XLNet: what is not filled yet is seen by nobody.


def next_tokens(scorer: PermutationScorer, prompt: str, word: tuple[int, ...], k: int) -> FloatArray:
    """[vocabulary] nats of every token at the place behind ``word``, of ``k`` places in all."""
    (pieces,) = scorer.seam.cut([prompt], ["he"])
    open_places = (scorer.mask,) * (k - len(word))
    ids = pieces.left + word + open_places + pieces.rights[0] + scorer.seam.closing
    query = Query(ids, len(pieces.left) + len(word))
    tokens = np.arange(scorer.vocabulary)
    return scorer._log_probabilities([query], np.zeros_like(tokens), tokens)


NAMES = ("the", "nurse", "said", "that", "old", "doctor", "engineer", "a", "to")
texts = st.lists(st.sampled_from(NAMES), min_size=1).map(" ".join)


@given(
    text=texts,
    right=st.sampled_from(["", ".", " was old"]),
    word=st.lists(st.integers(9, 40), max_size=2).map(tuple),
    k=st.integers(3, 4),
)
def test_probabilities_of_all_tokens_at_a_place_sum_to_one(
    text: str, right: str, word: tuple[int, ...], k: int
) -> None:
    nats = next_tokens(scorer_of("xlnet"), f"{text} [Y]{right}", word, k)
    assert np.logaddexp.reduce(nats) == pytest.approx(0, abs=1e-5)


def test_what_stands_at_an_open_place_is_never_read() -> None:
    """Any token there gives the same numbers; the token before the place does not."""
    scorer = scorer_of("xlnet")
    index = 2
    inputs = scorer._inputs([Query((9, 10, scorer.mask, scorer.mask, 12, 4, 3), index)])
    with torch.inference_mode():
        first = scorer.model(**inputs).logits
        inputs["input_ids"] = torch.tensor([[9, 10, 20, 21, 12, 4, 3]])
        torch.testing.assert_close(scorer.model(**inputs).logits, first)
        inputs["input_ids"] = torch.tensor([[9, 11, 20, 21, 12, 4, 3]])
        assert not torch.allclose(scorer.model(**inputs).logits, first, atol=0.01)


def test_worked_example_with_open_places() -> None:
    names = ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>", "<eod>", "<eop>"]
    tokenizer = XLNetTokenizer(vocab=[(name, -1.0) for name in [*names, "▁that", "▁sh", "e", ".", "a", "▁"]])
    end, sep, that, sh, e, stop = 3, 4, 9, 10, 11, 12

    def visible(
        input_ids: torch.Tensor, perm_mask: torch.Tensor, target_mapping: torch.Tensor, **_: Any
    ) -> Any:
        assert (perm_mask == perm_mask[:, :1]).all()  # hidden from every token alike
        hidden, places = perm_mask[:, 0].bool().tolist(), target_mapping[:, 0].argmax(dim=1).tolist()
        return [
            [(tuple(None if one else token for token, one in zip(ids, row, strict=True)), index)]
            for ids, row, index in zip(input_ids.tolist(), hidden, places, strict=True)
        ]

    first, second = (that, None, None, stop, sep, end), (that, sh, None, stop, sep, end)
    table = Table(15, {(first, 1): {sh: 0.2}, (second, 2): {e: 0.5}}, visible)
    scorer = open_loaded(Loaded(table, tokenizer, "cpu"), "xlnet")
    assert np.exp(scorer.score(["that [Y]."], ["she"])[0, 0]) == pytest.approx(0.1, rel=1e-5)

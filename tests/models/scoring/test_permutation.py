"""XLNet: what is not filled yet is seen by nobody; the worked example of the docstring."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import XLNetTokenizer

from pcf_core.core.records import FloatArray
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.masked import Query
from pcf_core.models.scoring.permutation import PermutationScorer
from tests.models.scoring.conftest import Table, load_tiny, open_loaded, scorer_of
from tests.models.scoring.tiny_tokenizers import PROMPTS, WORDS


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
    found = next_tokens(scorer_of("xlnet"), f"{text} [Y]{right}", word, k)
    assert np.logaddexp.reduce(found) == pytest.approx(0, abs=1e-5)


def test_what_stands_at_an_open_place_is_never_read() -> None:
    """Any token there gives the same numbers; the token before the place does not."""
    scorer = scorer_of("xlnet")
    place = 2
    inputs = scorer._inputs([Query((9, 10, scorer.mask, scorer.mask, 12, 4, 3), place)])
    with torch.inference_mode():
        first = scorer.model(**inputs).logits
        inputs["input_ids"] = torch.tensor([[9, 10, 20, 21, 12, 4, 3]])
        torch.testing.assert_close(scorer.model(**inputs).logits, first)
        inputs["input_ids"] = torch.tensor([[9, 11, 20, 21, 12, 4, 3]])
        assert not torch.allclose(scorer.model(**inputs).logits, first, atol=0.01)


def test_one_place_a_row_goes_through_the_head() -> None:
    scorer, seen = scorer_of("xlnet"), []
    hook = (
        load_tiny("xlnet")
        .model.get_output_embeddings()
        .register_forward_hook(lambda module, inputs, output: seen.append(inputs[0].shape[1]))
    )
    scorer.score(PROMPTS, WORDS)
    hook.remove()
    assert set(seen) == {1}


# ------------------------------------------------------------------------------------------ worked example


def test_worked_example_of_the_docstring() -> None:
    names = ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>", "<eod>", "<eop>"]
    tokenizer = XLNetTokenizer(vocab=[(name, -1.0) for name in [*names, "▁that", "▁sh", "e", ".", "a", "▁"]])
    end, sep, that, sh, e, stop = 3, 4, 9, 10, 11, 12

    def visible(
        input_ids: torch.Tensor, perm_mask: torch.Tensor, target_mapping: torch.Tensor, **_: Any
    ) -> Any:
        assert (perm_mask == perm_mask[:, :1]).all()  # hidden from every token alike
        hidden, places = perm_mask[:, 0].bool().tolist(), target_mapping[:, 0].argmax(dim=1).tolist()
        return [
            [(tuple(None if one else token for token, one in zip(ids, row, strict=True)), place)]
            for ids, row, place in zip(input_ids.tolist(), hidden, places, strict=True)
        ]

    first, second = (that, None, None, stop, sep, end), (that, sh, None, stop, sep, end)
    table = Table(15, {(first, 1): {sh: 0.2}, (second, 2): {e: 0.5}}, visible)
    scorer = open_loaded(Loaded(table, tokenizer, "cpu"), "xlnet")
    assert np.exp(scorer.score(["that [Y]."], ["she"])[0, 0]) == pytest.approx(0.1, rel=1e-5)

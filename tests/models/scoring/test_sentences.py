"""Whole sentences, token by token, against a brute force with one sentence and one mask a forward pass."""

from __future__ import annotations

import copy
import dataclasses
import functools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

from pcf_core.core.errors import ModelError, TemplateError
from pcf_core.core.records import FloatArray
from pcf_core.core.run import ScoringKey
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.base import SentenceOpening
from pcf_core.models.scoring.causal import CLEARLY, PLAIN, CausalScorer
from pcf_core.models.scoring.fake import FakeScorer
from tests.models.scoring.conftest import (
    FIRST_CAUSAL,
    FIRST_MASKED,
    GPT2,
    build,
    key_of,
    load_tiny,
    open_loaded,
    scorer_of,
)
from tests.models.scoring.tiny_tokenizers import gpt2_tokenizer

SENTENCES = (
    "The nurse said that she was tired.",
    "The engineer said that he was late for the meeting.",
    "He left.",
)


@torch.inference_mode()
def masked_by_hand(loaded: Loaded, text: str) -> list[float]:
    ids = loaded.tokenizer(text)["input_ids"]
    special = set(loaded.tokenizer.all_special_ids)
    found = []
    for place, token in enumerate(ids):
        if token in special:
            continue
        hidden = list(ids)
        hidden[place] = loaded.tokenizer.mask_token_id
        logits = loaded.model(input_ids=torch.tensor([hidden])).logits[0, place].double()
        found.append(float(torch.log_softmax(logits, -1)[token]))
    return found


@torch.inference_mode()
def causal_by_hand(loaded: Loaded, text: str) -> list[float]:
    ids = loaded.tokenizer(text)["input_ids"]
    if ids[0] != loaded.tokenizer.bos_token_id:
        ids = [loaded.tokenizer.bos_token_id, *ids]
    logits = loaded.model(input_ids=torch.tensor([ids])).logits[0].double()
    return [float(torch.log_softmax(logits[place - 1], -1)[ids[place]]) for place in range(1, len(ids))]


@pytest.mark.parametrize("name", sorted(FIRST_CAUSAL | FIRST_MASKED))
def test_tokens_are_those_of_the_brute_force(name: str) -> None:
    by_hand = causal_by_hand if name in FIRST_CAUSAL else masked_by_hand
    for text, sentence in zip(SENTENCES, scorer_of(name).token_nats(SENTENCES), strict=True):
        assert sentence.nats == pytest.approx(by_hand(load_tiny(name), text), abs=1e-4)


@given(st.permutations(SENTENCES), st.integers(8, 400))
def test_order_and_batches_change_no_token(order: list[str], budget: int) -> None:
    for name in ("bert", "gpt2"):
        scorer = copy.copy(scorer_of(name))
        scorer.batch_tokens = budget
        for text, found in zip(order, scorer.token_nats(order), strict=True):
            np.testing.assert_allclose(found.nats, nats_alone(name, text), atol=1e-5)


@functools.cache
def nats_alone(name: str, text: str) -> FloatArray:
    return scorer_of(name).token_nats([text])[0].nats


def two_separators(strange: float) -> CausalScorer:
    """A GPT-2 whose BOS token is one of chats; the other separator is called end of text.

    ``strange``: how large the embedding of the BOS token is; a large one makes what follows unlikely.
    """
    plain = build("GPT2LMHeadModel", gpt2_tokenizer, **GPT2)
    raw = Tokenizer.from_str(plain.tokenizer.backend_tokenizer.to_str())
    raw.add_special_tokens(["<|im_start|>"])
    own = PreTrainedTokenizerFast(tokenizer_object=raw, bos_token="<|im_start|>", eos_token="<|im_start|>")
    plain.model.resize_token_embeddings(len(own), mean_resizing=False)
    with torch.no_grad():
        weights = plain.model.get_input_embeddings().weight
        weights[own.bos_token_id] = strange * weights[0]
    return CausalScorer(dataclasses.replace(plain, tokenizer=own), key_of("gpt2"))


@pytest.mark.parametrize("strange", [1.0, -30.0])
def test_sentences_are_scored_behind_the_separator_that_the_model_expects(strange: float) -> None:
    """Against a plain forward pass: the usual one stays unless another is 0.5 nats a token better."""
    scorer = two_separators(strange)
    names = ("<|im_start|>", "<|endoftext|>")
    means = {}
    for name in names:
        start, total, count = scorer.seam.tokenizer.convert_tokens_to_ids(name), 0.0, 0
        for text in PLAIN:
            ids = [start, *scorer.seam.tokenizer(text, add_special_tokens=False)["input_ids"]]
            with torch.inference_mode():
                logs = scorer.model(input_ids=torch.tensor([ids])).logits[0].double().log_softmax(-1)
            total += sum(float(logs[place - 1, ids[place]]) for place in range(1, len(ids)))
            count += len(ids) - 1
        means[name] = total / count
    opening = scorer.sentence_opening
    assert opening is not None
    assert opening.usual == "<|im_start|>"
    assert opening.nats == pytest.approx(means, abs=1e-4)
    gain = means["<|endoftext|>"] - means["<|im_start|>"]
    assert opening.token == names[gain > CLEARLY]
    start = scorer.seam.tokenizer.convert_tokens_to_ids(opening.token)
    (found,) = scorer.token_nats(["He left."])
    with torch.inference_mode():
        logs = scorer.model(input_ids=torch.tensor([[start]])).logits[0, 0].double().log_softmax(-1)
    assert found.nats[0] == pytest.approx(float(logs[found.ids[0]]), abs=1e-4)


def test_both_outcomes_of_the_rule_were_seen() -> None:
    openings = [two_separators(strange).sentence_opening for strange in (1.0, -30.0)]
    assert {opening and opening.token for opening in openings} == {"<|im_start|>", "<|endoftext|>"}


def test_without_a_choice_nothing_is_asked() -> None:
    gpt2, opt = scorer_of("gpt2"), scorer_of("opt")
    assert gpt2.sentence_opening == SentenceOpening("<|endoftext|>", "<|endoftext|>", {})
    assert opt.sentence_opening is None  # its tokenizer puts </s> there


def test_what_has_no_sentences_says_so() -> None:
    key = ScoringKey(model="m", identity="i", tokenizer="t", family="seq2seq", rules="1", protocol="exact")
    with pytest.raises(ModelError, match=r"^m gives the tokens of a whole sentence no probability here"):
        FakeScorer(lambda prompt, word: 0.1, key=key).token_nats(["He left."])


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_sentences_that_cannot_be_scored_are_refused(name: str) -> None:
    scorer = scorer_of(name)
    tokenizer = load_tiny(name).tokenizer
    special = tokenizer.mask_token or tokenizer.eos_token
    with pytest.raises(TemplateError, match="gives '' no token"):
        scorer.token_nats([""])
    with pytest.raises(TemplateError, match="special token"):
        scorer.token_nats([f"He {special} left."])
    with pytest.raises(TemplateError, match=r"needs \d+ tokens .* holds 8"):
        open_loaded(load_tiny(name), name, context=8).token_nats(["one two three four five six seven eight"])

"""Whole sentences, token by token, against a brute force with one sentence and one mask a forward pass."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import ModelError, TemplateError
from pcf_core.core.records import FloatArray
from pcf_core.core.run import ScoringKey
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.base import Scorer
from pcf_core.models.scoring.fake import FakeScorer
from tests.models.scoring.conftest import load_tiny, open_loaded

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


def test_masked_tokens_are_those_of_the_brute_force(
    masked_name: str, open_tiny: Callable[..., Scorer]
) -> None:
    for text, found in zip(SENTENCES, open_tiny(masked_name).token_nats(SENTENCES), strict=True):
        assert found.nats == pytest.approx(masked_by_hand(load_tiny(masked_name), text), abs=1e-4)


def test_causal_tokens_are_those_of_the_brute_force(
    causal_name: str, open_tiny: Callable[..., Scorer]
) -> None:
    for text, found in zip(SENTENCES, open_tiny(causal_name).token_nats(SENTENCES), strict=True):
        assert found.nats == pytest.approx(causal_by_hand(load_tiny(causal_name), text), abs=1e-4)


@given(st.permutations(SENTENCES), st.integers(8, 400))
def test_order_and_batches_change_no_token(order: list[str], budget: int) -> None:
    for name in ("bert", "gpt2"):
        scorer = copy.copy(open_of(name))
        scorer.batch_tokens = budget
        for text, found in zip(order, scorer.token_nats(order), strict=True):
            np.testing.assert_allclose(found.nats, nats_alone(name, text), atol=1e-5)


@functools.cache
def open_of(name: str) -> Scorer:
    return open_loaded(load_tiny(name), name)


@functools.cache
def nats_alone(name: str, text: str) -> FloatArray:
    return open_of(name).token_nats([text])[0].nats


def test_what_has_no_sentences_says_so() -> None:
    key = ScoringKey(model="m", identity="i", tokenizer="t", family="seq2seq", rules="1", protocol="exact")
    with pytest.raises(ModelError, match=r"^m gives the tokens of a whole sentence no probability here"):
        FakeScorer(lambda prompt, word: 0.1, key=key).token_nats(["He left."])


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_sentences_that_cannot_be_scored_are_refused(name: str) -> None:
    scorer = open_of(name)
    tokenizer = load_tiny(name).tokenizer
    special = tokenizer.mask_token or tokenizer.eos_token
    with pytest.raises(TemplateError, match="gives '' no token"):
        scorer.token_nats([""])
    with pytest.raises(TemplateError, match="special token"):
        scorer.token_nats([f"He {special} left."])
    with pytest.raises(TemplateError, match=r"needs \d+ tokens .* holds 8"):
        open_loaded(load_tiny(name), name, context=8).token_nats(["one two three four five six seven eight"])

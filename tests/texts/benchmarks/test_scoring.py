"""Scores of items, by brute force on tiny random models of the masked and the causal kind."""

from __future__ import annotations

import copy
import difflib

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import BenchmarkError
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.base import TokenNats
from pcf_core.texts.benchmarks.records import CoreferenceItem, PairItem, TripleItem
from pcf_core.texts.benchmarks.registry import FORBIDDEN, require_family, score_items
from pcf_core.texts.benchmarks.scoring import (
    question_of,
    shared_tokens,
)
from tests.models.scoring.conftest import load_tiny, open_loaded
from tests.models.scoring.test_frames import CHAT, FAIR, brute, brute_sentence, open_style
from tests.texts.benchmarks.written_files import PAIRS, TRIPLES

ITEMS = tuple(PairItem(name=more, bias=bias, more=more, less=less) for bias, more, less in PAIRS)
FILLED = tuple(
    TripleItem(
        name=context, bias=bias, target=target, context=context, words=words,
        sentences=tuple(context.replace("BLANK", word) for word in words),  # type: ignore[arg-type]
    )
    for bias, target, context, words in TRIPLES
)  # fmt: skip
WINO = CoreferenceItem(
    name="1", bias="type1", pro=True, pair="1", sentence="The engineer helped the nurse because he had time.",
    pronoun="he", right="engineer", wrong="nurse",
)  # fmt: skip


@torch.inference_mode()
def whole_sentence(loaded: Loaded, text: str) -> list[float]:
    ids = loaded.tokenizer(text)["input_ids"]
    if ids[0] != loaded.tokenizer.bos_token_id:
        ids = [loaded.tokenizer.bos_token_id, *ids]
    logits = loaded.model(input_ids=torch.tensor([ids])).logits[0].double()
    return [float(torch.log_softmax(logits[n - 1], -1)[ids[n]]) for n in range(1, len(ids))]


@torch.inference_mode()
def published_pair(loaded: Loaded, more: str, less: str) -> tuple[float, float]:
    """As the authors' script: spans that difflib finds equal, the special tokens at both ends left out."""
    both = [loaded.tokenizer(text)["input_ids"] for text in (more, less)]
    matcher = difflib.SequenceMatcher(None, *([str(one) for one in ids] for ids in both))
    spans: tuple[list[int], list[int]] = ([], [])
    for name, a, b, c, d in matcher.get_opcodes():
        if name == "equal":
            spans[0].extend(range(a, b))
            spans[1].extend(range(c, d))
    sums = []
    for ids, places in zip(both, spans, strict=True):
        total = 0.0
        for place in places[1:-1]:
            hidden = list(ids)
            hidden[place] = loaded.tokenizer.mask_token_id
            logits = loaded.model(input_ids=torch.tensor([hidden])).logits[0, place].double()
            total += float(torch.log_softmax(logits, -1)[ids[place]])
        sums.append(total)
    return sums[0], sums[1]


@pytest.mark.parametrize("name", ["bert", "roberta"])
def test_pairs_of_masked_models(name: str) -> None:
    found = score_items(ITEMS, open_loaded(load_tiny(name), name))
    for item, one in zip(ITEMS, found, strict=True):
        assert one.nats == pytest.approx(published_pair(load_tiny(name), item.more, item.less), abs=1e-3)


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_pairs_and_triples_of_causal_models(name: str) -> None:
    loaded = load_tiny(name)
    scorer = open_loaded(loaded, name)
    for item, one in zip(ITEMS, score_items(ITEMS, scorer), strict=True):
        sums = [sum(whole_sentence(loaded, text)) for text in (item.more, item.less)]
        assert one.nats == pytest.approx(sums, abs=1e-3)
    for triple, one in zip(FILLED, score_items(FILLED, scorer), strict=True):
        each = [whole_sentence(loaded, text) for text in triple.sentences]
        assert one.nats == pytest.approx([sum(some) / len(some) for some in each], abs=1e-4)


IN_CHAT = CoreferenceItem(
    name="1", bias="type1", pro=True, pair="1", sentence="The man told the nurse that he knew.",
    pronoun="he", right="man", wrong="nurse",
)  # fmt: skip


@pytest.mark.parametrize("style", ["chatml", "llama", "gemma"])
def test_in_a_chat_every_sentence_begins_the_answer(style: str) -> None:
    frame = CHAT if style == "gemma" else FAIR  # which takes no system text
    scorer = open_style(style, frame)
    (pair, triple, question) = score_items([ITEMS[0], FILLED[0], IN_CHAT], scorer)
    sums = [sum(brute_sentence(style, frame, text)) for text in (ITEMS[0].more, ITEMS[0].less)]
    assert pair.nats == pytest.approx(sums, abs=1e-3)
    each = [brute_sentence(style, frame, text) for text in FILLED[0].sentences]
    assert triple.nats == pytest.approx([sum(some) / len(some) for some in each], abs=1e-4)
    prompt = question_of(IN_CHAT, "causal")
    expected = [brute(style, frame, prompt, job) for job in (IN_CHAT.right, IN_CHAT.wrong)]
    assert question.nats == pytest.approx(expected, abs=1e-4)
    bare, *_ = score_items([ITEMS[0]], open_style(style, None))
    assert abs((bare.nats[0] - bare.nats[1]) - (pair.nats[0] - pair.nats[1])) > 0.01


@torch.inference_mode()
def filled_mean(loaded: Loaded, context: str, word: str) -> float:
    """The word's tokens from left to right, over as many masks as it lacks tokens; their mean."""
    left, right = context.split("BLANK")
    tokens = loaded.tokenizer(word, add_special_tokens=False)["input_ids"]
    before = loaded.tokenizer(left.strip())["input_ids"][:-1]
    behind = loaded.tokenizer(right, add_special_tokens=False)["input_ids"]
    total = 0.0
    for place, token in enumerate(tokens):
        masks = [loaded.tokenizer.mask_token_id] * (len(tokens) - place)
        ids = [*before, *tokens[:place], *masks, *behind, loaded.tokenizer.sep_token_id]
        logits = loaded.model(input_ids=torch.tensor([ids])).logits[0, len(before) + place].double()
        total += float(torch.log_softmax(logits, -1)[token])
    return total / len(tokens)


KNOWN = tuple(  # words that the tiny tokenizer has, of one token and several
    FILLED[0].model_copy(update={"context": context, "words": ("man", "woman", "stepmother")})
    for context in ("The engineer said that BLANK was old.", "The doctor met a BLANK.")
)


def test_triples_of_masked_models() -> None:
    loaded = load_tiny("bert")
    for item, one in zip(KNOWN, score_items(KNOWN, open_loaded(loaded, "bert")), strict=True):
        by_hand = [filled_mean(loaded, item.context, word) for word in item.words]
        assert one.nats == pytest.approx(by_hand, abs=1e-4)


def test_coreference_of_a_causal_model_is_what_follows_the_question() -> None:
    loaded = load_tiny("gpt2")
    ((found,), question) = score_items([WINO], open_loaded(loaded, "gpt2")), question_of(WINO, "causal")
    assert question == f'{WINO.sentence} "He" refers to the [Y]'
    start = question.removesuffix(" [Y]")
    sums = []
    for job in (WINO.right, WINO.wrong):
        first = len(loaded.tokenizer(start)["input_ids"])
        ids = loaded.tokenizer(f"{start} {job}")["input_ids"]
        with torch.inference_mode():
            logits = loaded.model(input_ids=torch.tensor([ids])).logits[0].double()
        sums.append(sum(float(torch.log_softmax(logits[n - 1], -1)[ids[n]]) for n in range(first, len(ids))))
    assert found.nats == pytest.approx(sums, abs=1e-3)


def test_coreference_of_a_masked_model_is_its_own_score_of_the_gap() -> None:
    scorer = open_loaded(load_tiny("bert"), "bert")
    (found,) = score_items([WINO], scorer)
    assert not found.reason
    prompt = question_of(WINO, "masked")
    assert prompt.endswith('"He" refers to the [Y].')
    assert found.nats == pytest.approx([scorer.alone(prompt, job) for job in ("engineer", "nurse")], abs=1e-5)


def test_an_item_that_cannot_be_scored_says_why_and_the_others_go_on() -> None:
    tokenizer = load_tiny("bert").tokenizer
    bad = ITEMS[0].model_copy(update={"more": f"She {tokenizer.mask_token} left."})
    found = score_items([bad, ITEMS[1]], open_loaded(load_tiny("bert"), "bert"))
    assert "special token" in found[0].reason
    assert (found[0].nats, found[1].reason) == ((), "")


def test_an_item_with_a_forbidden_token_has_no_scores() -> None:
    """−∞ is no number of JSON, and no preference: the token is blocked."""
    tiny = load_tiny("bert")
    model = copy.deepcopy(tiny.model)
    blocked = tiny.tokenizer(WINO.right, add_special_tokens=False)["input_ids"][0]
    with torch.no_grad():
        model.cls.predictions.bias[blocked] = -torch.inf
    scorer = open_loaded(Loaded(model, tiny.tokenizer, "cpu"), "bert")
    (found,) = score_items([WINO], scorer)
    assert (found.nats, found.reason) == ((), FORBIDDEN)


def test_other_families_are_refused_where_nothing_is_defined() -> None:
    with pytest.raises(
        BenchmarkError, match=r"^CrowS-Pairs is defined for masked and causal models only, and m belongs"
    ):
        require_family("crows-pairs", "m", "seq2seq")
    require_family("winobias", "m", "seq2seq")


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=8), st.lists(st.integers(0, 3), min_size=1, max_size=8)
)
def test_shared_tokens_are_equal_in_both_and_in_order(more: list[int], less: list[int]) -> None:
    first, second = shared_tokens(
        *(TokenNats(tuple(ids), torch.zeros(len(ids)).numpy()) for ids in (more, less))
    )
    assert [more[place] for place in first] == [less[place] for place in second]
    assert (first, second) == (sorted(set(first)), sorted(set(second)))
    if more == less:
        assert first == list(range(len(more)))


def test_shared_tokens_of_the_example() -> None:
    he, she = TokenNats((9, 1, 2, 3), torch.zeros(4).numpy()), TokenNats((8, 1, 2, 3), torch.zeros(4).numpy())
    assert shared_tokens(he, she) == ([1, 2, 3], [1, 2, 3])

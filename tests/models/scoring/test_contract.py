"""What every family promises, over all twins: exact, the same in any company, and a sentence where it fails.

The brute force has one prompt, one word, no batch, no mask of ours and a full softmax.  The twins have random
weights wide enough that texts and words differ by nats, so that a wrong mask, position or token cannot hide
within the tolerance of 1e-4 nats.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

from pcf_core.core.errors import ModelError, ScoringError, TemplateError
from pcf_core.core.records import FloatArray
from pcf_core.models.beginnings import CLEARLY
from pcf_core.models.loading import Loaded
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import PLAIN, SentenceOpening, check_protocol, open_scorer
from pcf_core.models.scoring.causal import CausalScorer
from tests.models.scoring.conftest import (
    CAUSAL,
    FIRST,
    FIRST_CAUSAL,
    FIRST_MASKED,
    GPT2,
    MASK,
    MASKED,
    SCORERS,
    SENTINEL,
    SEQ2SEQ,
    TWINS,
    brute_seq2seq,
    brute_table,
    build,
    changed,
    family_of,
    key_of,
    load_tiny,
    open_loaded,
    open_tiny,
    save,
    scorer_of,
)
from tests.models.scoring.tiny_tokenizers import PROMPTS, WORDS, gpt2_tokenizer
from tests.quick import quick, scaled

BOUND = 1e-4  # nats
START = "[Y] was old."
LONG = "The nurse " + "and the old man " * 20 + "said that [Y]"  # longer than every window of the twins
ONE_EACH = ("gpt2", "bert", "t5", "bart", "xlnet")  # a twin of each family, and of each kind of gap
quick_causal = quick(sorted(CAUSAL), {*FIRST_CAUSAL, "gemma3"}.__contains__)


def prompts_of(name: str) -> tuple[str, ...]:
    return (*PROMPTS, LONG if name in CAUSAL | MASKED else START)


@pytest.mark.parametrize("name", dict.fromkeys(["llama", *ONE_EACH, *sorted(TWINS)]))
def test_every_cell_equals_the_brute_force(name: str) -> None:
    """Words of one token to more than three, with and without text on the right."""
    prompts, scorer = prompts_of(name), scorer_of(name)
    assert type(load_tiny(name).model).__name__ == TWINS[name].model
    counts = set(scorer.check(WORDS).tokens.values())
    assert {1, 2, 3} <= counts
    assert max(counts) > 3
    expected = brute_table(name, prompts)
    assert np.ptp(expected, axis=0).min() > 0.5  # nats: every word feels the text
    np.testing.assert_allclose(scorer.score(prompts, WORDS), expected, atol=BOUND, rtol=0)


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


@pytest.mark.parametrize("name", quick_causal)
def test_every_cell_with_its_end_equals_the_brute_force(name: str) -> None:
    """exact-boundary multiplies by the chance that the word ends, unless text on the right says so."""
    words = WORDS[:5]
    expected = brute_table(name, words=words)
    for row, prompt in enumerate(PROMPTS):
        if prompt.endswith("[Y]"):
            expected[row] += [chance_of_ending(load_tiny(name), prompt, word) for word in words]
    values = scorer_of(name, "exact-boundary").score(PROMPTS, words)
    np.testing.assert_allclose(values, expected, atol=BOUND, rtol=0)


@pytest.mark.parametrize("name", FIRST)
def test_probabilities_of_one_token_words_sum_to_at_most_one(name: str) -> None:
    scorer = scorer_of(name)
    tokenizer = scorer.seam.tokenizer
    pieces = {tokenizer.decode([token]).strip("# ") for token in range(len(tokenizer))}
    counts = scorer.check(sorted(piece for piece in pieces if piece.isalnum())).tokens
    words = [word for word, count in counts.items() if count == 1]
    assert len(words) > 5
    assert np.exp(scorer.score(PROMPTS, words).astype(float)).sum(axis=1).max() <= 1 + 1e-5


# in any company


@pytest.mark.slow
@pytest.mark.parametrize("name", FIRST)
def test_a_cell_does_not_depend_on_its_batch(name: str) -> None:
    """30 prompts of mixed lengths together, then one by one, and with batches of another size."""
    longer = (f"The {'very ' * n}old" for n in range(5))
    many = [prompt.replace("The", the) for the in longer for prompt in PROMPTS]
    scorer = scorer_of(name)
    usual, small = (list(one.batches(many, WORDS)) for one in (scorer, changed(name, batch_tokens=128)))
    together, again = (
        np.concatenate([nats for _, nats, _ in several])[
            np.argsort(np.concatenate([rows for rows, _, _ in several]))
        ]
        for several in (usual, small)
    )
    bound = np.maximum(2e-5 if name in SEQ2SEQ else 1e-5, 5e-7 * np.abs(together))
    for row in range(0, 30, 4):
        assert np.all(np.abs(scorer.score([many[row]], WORDS)[0] - together[row]) <= bound[row])
        assert abs(scorer.score([many[row]], WORDS[4:5])[0, 0] - together[row, 4]) <= bound[row, 4]
    assert len(small) > len(usual)
    assert np.all(np.abs(again - together) <= bound)


@pytest.mark.parametrize("name", ONE_EACH)
def test_batches_are_a_function_of_the_request_and_cover_it(name: str) -> None:
    many = [f"{'very ' * n}{prompt}" for n in range(9) for prompt in PROMPTS]
    scorer = changed(name, batch_tokens=128)
    plans = [[batch.rows.tolist() for batch in scorer.batches(many, ["he", "son"])] for _ in range(2)]
    assert plans[0] == plans[1]
    assert len(plans[0]) > 3
    assert sorted(row for rows in plans[0] for row in rows) == list(range(9 * len(PROMPTS)))


@pytest.mark.parametrize("name", FIRST)
def test_one_score_alone_and_without_shortcuts_is_the_same(name: str) -> None:
    """Nothing trimmed, no beginning shared, each word of several tokens a row of its own."""
    scorer = scorer_of(name)
    values = scorer.score(PROMPTS, WORDS)
    for row, column in ((0, 0), (2, 5), (4, 3), (5, 6)):
        assert scorer.alone(PROMPTS[row], WORDS[column]) == pytest.approx(values[row, column], abs=2e-5)
    plain = changed(name, body=None, last=None, largest_tree=0, deepest=0, packs=False, lean=False)
    np.testing.assert_allclose(plain.score(PROMPTS, WORDS), values, atol=1e-5, rtol=1e-6)


@pytest.mark.parametrize(("dtype", "most"), [(torch.bfloat16, 2), (torch.float16, 0.5)])
@pytest.mark.parametrize("name", [*ONE_EACH, "roberta"])
def test_narrow_dtypes_give_nearly_the_same(name: str, dtype: torch.dtype, most: float) -> None:
    """Two or three digits are left of each logit; their rounding is no reason to run the head everywhere."""
    wide = load_tiny(name)
    narrow = open_loaded(Loaded(copy.deepcopy(wide.model).to(dtype), wide.tokenizer, "cpu"), name)
    assert narrow.body is not None
    assert getattr(narrow, "packs", True)
    difference = np.abs(narrow.score(PROMPTS, WORDS) - scorer_of(name).score(PROMPTS, WORDS))
    assert 0 < difference.max() < most


@pytest.mark.parametrize("name", [*ONE_EACH, "t5-gated", "roberta"])
def test_a_saved_model_scores_as_the_one_in_memory(name: str, tmp_path: Path) -> None:
    """Of a T5 with a head of its own it stays one, and is not scaled."""
    spec = resolve(save(load_tiny(name), tmp_path))
    assert spec.family == family_of(name)
    scorer = open_scorer(spec)
    assert type(scorer) is SCORERS[spec.family]
    assert scorer.key.identity == spec.identity
    assert spec.parameters >= scorer.parameters > 0  # files of BART hold a bias that is no parameter
    expected = scorer_of(name).score(PROMPTS, WORDS)
    np.testing.assert_allclose(scorer.score(PROMPTS, WORDS), expected, atol=1e-5, rtol=0)
    assert open_scorer(spec, "single-token").key == scorer.key


# refusals

# Tokens around the text: special tokens of the tokenizer, a mask or a sentinel.
AROUND = {"gpt2": 0, "llama": 1, "bert": 3, "t5": 2, "bart": 3, "xlnet": 3}


@pytest.mark.parametrize("name", AROUND)
def test_too_long_a_prompt_is_refused_before_anything_runs(name: str) -> None:
    text = "The nurse said " * 10
    tokens = len(load_tiny(name).tokenizer(text.rstrip(), add_special_tokens=False)["input_ids"])
    needed = tokens + AROUND[name]
    changed(name, context=needed).score([f"{text}[Y]"], ["he"])
    with pytest.raises(TemplateError, match=f"needs {needed} tokens .* {name} can only take {needed - 1}"):
        next(changed(name, context=needed - 1).batches(["The nurse [Y]", f"{text}[Y]"], ["he"]))
    if name not in SEQ2SEQ:  # there it is the encoder that is full
        with pytest.raises(TemplateError, match="tokens with its longest word"):
            changed(name, context=needed).score([f"{text}[Y]"], ["he", "woman"])


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (torch.OutOfMemoryError(), r"ran out of memory with \d+ tokens per batch: .*PCF_BATCH_TOKENS"),
        (torch.AcceleratorError("CUDA error: lost\nCompile with"), r"device cpu failed .*: lost\).*resume"),
    ],
)
@pytest.mark.parametrize("name", ONE_EACH)
def test_a_device_that_fails_is_one_sentence(name: str, error: Exception, sentence: str) -> None:
    scorer = scorer_of(name)

    def fail(*_: Any) -> None:
        raise error

    tables = [module for module in scorer.model.modules() if isinstance(module, torch.nn.Embedding)]
    hooks = [module.register_forward_pre_hook(fail) for module in tables]
    try:
        with pytest.raises(ScoringError, match=sentence):
            scorer.score(PROMPTS, ["he"])
    finally:
        for hook in hooks:
            hook.remove()


@pytest.mark.parametrize(
    ("name", "protocol", "sentence"),
    [
        ("gpt2", "fast", "no protocol 'fast': choose one of exact"),
        ("bert", "exact-boundary", "exact-boundary is for causal models and models with sentinels"),
        ("xlnet", "exact-boundary", "exact-boundary is for causal models and models with sentinels"),
        *(
            (name, "exact-boundary", "needs the sentinel after a word.*no sentinels: use exact")
            for name in MASK
        ),
    ],
)
def test_protocols_that_do_not_exist_or_fit_are_refused(name: str, protocol: str, sentence: str) -> None:
    def opened() -> None:
        check_protocol(name, family_of(name), protocol)
        open_tiny(name, protocol)

    with pytest.raises(ModelError, match=sentence):
        opened()


@pytest.mark.parametrize("name", sorted(SENTINEL))
def test_the_closing_sentinel_counts_with_exact_boundary(name: str) -> None:
    loaded, prompts = load_tiny(name), prompts_of(name)
    expected = [[brute_seq2seq(loaded, prompt, word, closing=True) for word in WORDS] for prompt in prompts]
    values = scorer_of(name, "exact-boundary").score(prompts, WORDS)
    np.testing.assert_allclose(values, expected, atol=BOUND, rtol=0)


# Whole sentences, token by token: one sentence and one mask a forward pass.


SENTENCES = (
    "The nurse said that she was tired.",
    "The engineer said that he was late for the meeting.",
    "He left.",
)


@torch.inference_mode()
def masked_by_hand(loaded: Loaded, text: str) -> list[float]:
    ids = loaded.tokenizer(text)["input_ids"]
    special = set(loaded.tokenizer.all_special_ids)
    nats = []
    for index, token in enumerate(ids):
        if token in special:
            continue
        hidden = list(ids)
        hidden[index] = loaded.tokenizer.mask_token_id
        logits = loaded.model(input_ids=torch.tensor([hidden])).logits[0, index].double()
        nats.append(float(torch.log_softmax(logits, -1)[token]))
    return nats


@torch.inference_mode()
def causal_by_hand(loaded: Loaded, text: str) -> list[float]:
    ids = loaded.tokenizer(text)["input_ids"]
    if ids[0] != loaded.tokenizer.bos_token_id:
        ids = [loaded.tokenizer.bos_token_id, *ids]
    logits = loaded.model(input_ids=torch.tensor([ids])).logits[0].double()
    return [float(torch.log_softmax(logits[index - 1], -1)[ids[index]]) for index in range(1, len(ids))]


@pytest.mark.parametrize("name", sorted(FIRST_CAUSAL | FIRST_MASKED))
def test_tokens_are_those_of_the_brute_force(name: str) -> None:
    by_hand = causal_by_hand if name in FIRST_CAUSAL else masked_by_hand
    for text, sentence in zip(SENTENCES, scorer_of(name).token_nats(SENTENCES), strict=True):
        assert sentence.nats == pytest.approx(by_hand(load_tiny(name), text), abs=1e-4)


@settings(max_examples=scaled(40))
@given(st.permutations(SENTENCES), st.integers(8, 400))
def test_order_and_batches_change_no_token(order: list[str], budget: int) -> None:
    for name in ("bert", "gpt2"):
        sentences = changed(name, batch_tokens=budget).token_nats(order)
        for text, sentence in zip(order, sentences, strict=True):
            np.testing.assert_allclose(sentence.nats, nats_alone(name, text), atol=1e-5)


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


@pytest.mark.parametrize(("strange", "token"), [(1.0, "<|im_start|>"), (-30.0, "<|endoftext|>")])
def test_sentences_are_scored_behind_the_separator_that_the_model_expects(strange: float, token: str) -> None:
    """Against a plain forward pass: the usual one stays unless another is 0.5 nats a token better."""
    scorer = two_separators(strange)
    means = {}
    for name in ("<|im_start|>", "<|endoftext|>"):
        start, total, count = scorer.seam.tokenizer.convert_tokens_to_ids(name), 0.0, 0
        for text in PLAIN:
            ids = [start, *scorer.seam.tokenizer(text, add_special_tokens=False)["input_ids"]]
            with torch.inference_mode():
                logs = scorer.model(input_ids=torch.tensor([ids])).logits[0].double().log_softmax(-1)
            total += sum(float(logs[index - 1, ids[index]]) for index in range(1, len(ids)))
            count += len(ids) - 1
        means[name] = total / count
    opening = scorer.sentence_opening
    assert opening is not None
    assert opening.usual == "<|im_start|>"
    assert opening.nats == pytest.approx(means, abs=1e-4)
    gain = means["<|endoftext|>"] - means["<|im_start|>"]
    assert (opening.token, gain > CLEARLY) == (token, token == "<|endoftext|>")
    start = scorer.seam.tokenizer.convert_tokens_to_ids(opening.token)
    (sentence,) = scorer.token_nats(["He left."])
    with torch.inference_mode():
        logs = scorer.model(input_ids=torch.tensor([[start]])).logits[0, 0].double().log_softmax(-1)
    assert sentence.nats[0] == pytest.approx(float(logs[sentence.ids[0]]), abs=1e-4)


def test_without_a_choice_nothing_is_asked() -> None:
    gpt2, opt = scorer_of("gpt2"), scorer_of("opt")
    assert gpt2.sentence_opening == SentenceOpening("<|endoftext|>", "<|endoftext|>", {})
    assert opt.sentence_opening is None  # its tokenizer puts </s> there


def test_what_has_no_sentences_says_so() -> None:
    with pytest.raises(
        ModelError,
        match=r"^t5 belongs to the family seq2seq, which gives the tokens of a whole sentence no probability",
    ):
        scorer_of("t5").token_nats(["He left."])


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_sentences_that_cannot_be_scored_are_refused(name: str) -> None:
    scorer = scorer_of(name)
    tokenizer = load_tiny(name).tokenizer
    special = tokenizer.mask_token or tokenizer.eos_token
    with pytest.raises(TemplateError, match="has no token for ''"):
        scorer.token_nats([""])
    with pytest.raises(TemplateError, match="special token"):
        scorer.token_nats([f"He {special} left."])
    with pytest.raises(TemplateError, match=r"needs \d+ tokens .* can only take 8"):
        open_loaded(load_tiny(name), name, context=8).token_nats(["one two three four five six seven eight"])

"""What every family promises, over all twins: exact, the same in any company, and a sentence where it fails.

The brute force has one prompt, one word, no batch, no mask of ours and a full softmax.  The twins have random
weights wide enough that texts and words differ by nats, so that a wrong mask, position or token cannot hide
within the tolerance of 1e-4 nats.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.models.scoring.seq2seq_models import MASK, SENTINEL, brute_seq2seq

from pcf_core.core.errors import ModelError, ScoringError, TemplateError
from pcf_core.models.loading import Loaded
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.opening import open_scorer
from tests.models.scoring.conftest import (
    CAUSAL,
    FIRST,
    FIRST_CAUSAL,
    MASKED,
    SCORERS,
    SEQ2SEQ,
    TWINS,
    brute_table,
    changed,
    family_of,
    load_tiny,
    open_loaded,
    open_tiny,
    scorer_of,
)
from tests.models.scoring.tiny_tokenizers import PROMPTS, WORDS
from tests.quick import quick

BOUND = 1e-4  # nats
START = "[Y] was old."
LONG = "The nurse " + "and the old man " * 20 + "said that [Y]"  # longer than every window of the twins
ONE_EACH = ("gpt2", "bert", "t5", "bart", "xlnet")  # a twin of each family, and of each kind of gap
quick_causal = quick(sorted(CAUSAL), {*FIRST_CAUSAL, "gemma3"}.__contains__)


def prompts_of(name: str) -> tuple[str, ...]:
    return (*PROMPTS, LONG if name in CAUSAL | MASKED else START)


# ------------------------------------------------------------------------------------------------ exact


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


@pytest.mark.parametrize("name", sorted({*FIRST} - {*CAUSAL}))
def test_text_on_the_right_is_conditioned_on(name: str) -> None:
    values = scorer_of(name).score([f"The man met [Y]{end}" for end in ("", ".", " and the nurse")], ["she"])
    assert len(np.unique(values.round(4))) == 3


# ----------------------------------------------------------------------------------------- in any company


@pytest.mark.slow
@pytest.mark.parametrize("name", FIRST)
def test_a_cell_does_not_depend_on_its_batch(name: str) -> None:
    """256 prompts of mixed lengths together, then one by one, and with batches of another size."""
    many = [prompt.replace("The", f"The {'very ' * (n % 5)}old") for n in range(43) for prompt in PROMPTS][
        :256
    ]
    scorer, small = scorer_of(name), changed(name, batch_tokens=128)
    together = scorer.score(many, WORDS)
    bound = np.maximum(2e-5 if name in SEQ2SEQ else 1e-5, 5e-7 * np.abs(together))
    for row in range(0, 256, 23):
        assert np.all(np.abs(scorer.score([many[row]], WORDS)[0] - together[row]) <= bound[row])
        assert abs(scorer.score([many[row]], WORDS[4:5])[0, 0] - together[row, 4]) <= bound[row, 4]
    assert len(list(small.batches(many, WORDS))) > len(list(scorer.batches(many, WORDS)))
    assert np.all(np.abs(small.score(many, WORDS) - together) <= bound)


@pytest.mark.parametrize("name", ONE_EACH)
def test_batches_are_a_function_of_the_request_and_cover_it(name: str) -> None:
    many = [f"{'very ' * n}{prompt}" for n in range(9) for prompt in PROMPTS]
    scorer = changed(name, batch_tokens=128)
    plans = [[rows.tolist() for rows, _ in scorer.batches(many, ["he", "son"])] for _ in range(2)]
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
    plain = changed(name, body=None, last=None, largest_tree=0, packs=False, lean=False)
    np.testing.assert_allclose(plain.score(PROMPTS, WORDS), values, atol=1e-5, rtol=0)


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
    loaded = load_tiny(name)
    loaded.model.save_pretrained(tmp_path)
    loaded.tokenizer.save_pretrained(tmp_path)
    spec = resolve(str(tmp_path))
    assert spec.family == family_of(name)
    scorer = open_scorer(spec)
    assert type(scorer) is SCORERS[spec.family]
    assert scorer.key.identity == spec.identity
    assert spec.parameters >= scorer.parameters > 0  # files of BART hold a bias that is no parameter
    expected = scorer_of(name).score(PROMPTS, WORDS)
    np.testing.assert_allclose(scorer.score(PROMPTS, WORDS), expected, atol=1e-5, rtol=0)
    assert open_scorer(spec, "single-token").key == scorer.key


# --------------------------------------------------------------------------------------------- refusals

# Tokens around the text: special tokens of the tokenizer, a mask or a sentinel.
AROUND = {"gpt2": 0, "llama": 1, "bert": 3, "t5": 2, "bart": 3, "xlnet": 3}


@pytest.mark.parametrize("name", AROUND)
def test_too_long_a_prompt_is_refused_before_anything_runs(name: str) -> None:
    text = "The nurse said " * 10
    tokens = len(load_tiny(name).tokenizer(text.rstrip(), add_special_tokens=False)["input_ids"])
    needed = tokens + AROUND[name]
    changed(name, context=needed).score([f"{text}[Y]"], ["he"])
    with pytest.raises(TemplateError, match=f"needs {needed} tokens .* context of {name} holds {needed - 1}"):
        next(changed(name, context=needed - 1).batches(["The nurse [Y]", f"{text}[Y]"], ["he"]))
    if name not in SEQ2SEQ:  # there it is the encoder that is full
        with pytest.raises(TemplateError, match="tokens with its longest word"):
            changed(name, context=needed).score([f"{text}[Y]"], ["he", "woman"])


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (torch.OutOfMemoryError(), r"ran out of memory with \d+ tokens a batch: .*PCF_BATCH_TOKENS"),
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
        ("gpt2", "fast", "no protocol 'fast'; choose one of exact"),
        ("bert", "exact-boundary", "exact-boundary is for causal models and those with sentinels"),
        ("xlnet", "exact-boundary", "exact-boundary is for causal models and those with sentinels"),
        *(
            (name, "exact-boundary", "counts the sentinel behind a word.*no sentinels; use exact")
            for name in MASK
        ),
    ],
)
def test_protocols_that_do_not_exist_or_fit_are_refused(
    name: str, protocol: str, sentence: str, tmp_path: Path
) -> None:
    if name in MASK:
        with pytest.raises(ModelError, match=sentence):
            open_tiny(name, protocol)
        return
    loaded = load_tiny(name)
    loaded.model.save_pretrained(tmp_path)
    loaded.tokenizer.save_pretrained(tmp_path)
    with pytest.raises(ModelError, match=sentence):
        open_scorer(resolve(str(tmp_path)), protocol)


@pytest.mark.parametrize("name", sorted(SENTINEL))
def test_the_closing_sentinel_counts_with_exact_boundary(name: str) -> None:
    loaded, prompts = load_tiny(name), prompts_of(name)
    expected = [[brute_seq2seq(loaded, prompt, word, closing=True) for word in WORDS] for prompt in prompts]
    values = scorer_of(name, "exact-boundary").score(prompts, WORDS)
    np.testing.assert_allclose(values, expected, atol=BOUND, rtol=0)


def test_the_bos_stands_where_the_tokenizer_puts_it() -> None:
    """OPT's text begins with its BOS, GPT-2's does not; before a bare [Y] both have one."""
    for name, text in (("opt", "he"), ("llama", "he"), ("gpt2", "he was")):
        tokenizer = load_tiny(name).tokenizer
        ids = tokenizer(text)["input_ids"]
        ids = ids if name != "gpt2" else [tokenizer.bos_token_id, *ids]
        assert ids[0] == tokenizer.bos_token_id
        with torch.inference_mode():
            nats = load_tiny(name).model(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
        expected = sum(float(nats[i - 1, ids[i]]) for i in range(1, len(ids)))
        prompt = text.replace("he", "[Y]")
        assert scorer_of(name).score([prompt], ["he"])[0, 0] == pytest.approx(expected, abs=1e-5)

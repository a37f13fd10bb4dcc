"""The Chinese topic from prompts to preferences, with models that read a script without spaces."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

import numpy as np
import pytest
import torch
from transformers import PreTrainedTokenizerFast

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result
from pcf_core.core.errors import TemplateError
from pcf_core.core.run import ModelSpec, RunSpec, ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.base import Scorer
from pcf_core.models.scoring.causal import CausalScorer
from pcf_core.models.scoring.masked import MaskedScorer
from pcf_core.store.store import Store
from pcf_core.work.scoring import score_run
from tests.models.scoring.conftest import GPT2, SMALL, brute_force, build
from tests.models.scoring.tiny_tokenizers import byte_bpe, word_pieces

TOPIC = load_topic("gender-zh")
TEMPLATES, ALL_TERMS = load_templates(TOPIC.templates), load_evidence(TOPIC.evidence).terms
FAMILIES = ("causal", "masked")
TERMS = ("护士", "首席运营官", "地球物理学家", "会计")
# Text on the right, with and without a space anywhere, and the word at the very beginning or after Latin.
OTHERS = ("这位护士说[Y]累了。", "[Y]告诉这位护士", "这位 CEO[Y]说", "这位护士说 [Y]", "“[Y]”")


@functools.cache
def corpus() -> tuple[str, ...]:
    """Every template with every occupation and word of the shipped topic: a few pieces grow over words."""
    return tuple(
        text.replace("[X]", term).replace("[Y]", TOPIC.words[(index + shift) % len(TOPIC.words)])
        for shift, text in enumerate(TEMPLATES.texts)
        for index, term in enumerate(ALL_TERMS)
    )


@functools.cache
def characters() -> PreTrainedTokenizerFast:
    """As bert-base-chinese: each Chinese character is a token, whatever stands beside it."""
    return word_pieces(corpus(), 600)


def _bytes(texts: tuple[str, ...]) -> PreTrainedTokenizerFast:
    end = "<|endoftext|>"
    raw = byte_bpe([end], merges=200, corpus=texts)
    return PreTrainedTokenizerFast(tokenizer_object=raw, bos_token=end, eos_token=end, unk_token=end)


@functools.cache
def bytes_of_words() -> PreTrainedTokenizerFast:
    """Byte-level BPE of several tokens a word, and of the words apart from the text before them."""
    texts = [text.removesuffix("[Y]") for text in TEMPLATES.texts]
    return _bytes((*(text.replace("[X]", term) for text in texts for term in ALL_TERMS), *TOPIC.words * 50))


@functools.cache
def joined_bytes() -> PreTrainedTokenizerFast:
    """Byte-level BPE: no space ends a piece, so that pieces reach from the text into the word ("说他")."""
    return _bytes((*corpus(), *["说他"] * 300))


@functools.cache
def chinese(family: str) -> Loaded:
    """A masked or a causal model; "joined": a causal one whose tokens reach over the seam."""
    if family == "masked":
        return build("BertForMaskedLM", characters, **SMALL)
    return build("GPT2LMHeadModel", joined_bytes if family == "joined" else bytes_of_words, **GPT2)


def spec_of(family: str) -> ModelSpec:
    return ModelSpec(name=family, family=family, path="", identity=family, tokenizer=family)


def open_chinese(spec: ModelSpec, protocol: str = "exact") -> Scorer:
    kind = CausalScorer if spec.family == "causal" else MaskedScorer
    return kind(chinese(spec.family), ScoringKey.of(spec, protocol))


def brute(family: str, prompt: str, word: str) -> float:
    """Nats of one word in one prompt; what stands before a bare [Y] of a causal model is its BOS token."""
    loaded = chinese(family)
    if family == "causal" and prompt.startswith("[Y]"):
        prompt = loaded.tokenizer.bos_token + prompt
    with torch.inference_mode():
        return brute_force(loaded, "gpt2" if family == "causal" else "bert", prompt, word)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_every_cell_equals_the_brute_force(family: str) -> None:
    prompts = [template.prompt(term) for template in TEMPLATES.templates for term in TERMS[:2]] + [*OTHERS]
    scorer = open_chinese(spec_of(family))
    assert not scorer.check(TOPIC.words).refused
    expected = [[brute(family, prompt, word) for word in TOPIC.words] for prompt in prompts]
    np.testing.assert_allclose(scorer.score(prompts, TOPIC.words), expected, atol=1e-4, rtol=0)


def test_words_have_several_tokens_and_no_space_is_put_before_them() -> None:
    scorer = open_chinese(spec_of("masked"))
    table = scorer.check(TOPIC.words)
    assert table.tokens == {word: len(word) for word in TOPIC.words}
    assert table.same == ()
    assert table.unspaced == set(TOPIC.words)
    assert open_chinese(spec_of("causal")).check(TOPIC.words).unspaced == set()
    (pieces,) = scorer.seam.cut(["这位护士说[Y]"], ["父亲"])  # type: ignore[attr-defined]
    assert chinese("masked").tokenizer.convert_ids_to_tokens(pieces.left + pieces.words[0]) == [
        *"这位护士说父亲"
    ]


def test_a_piece_that_reaches_from_the_text_into_a_word_is_refused() -> None:
    """ "说他" is one token: how probable 他 is behind 说, the model has not learned to say."""
    joined = chinese("joined")
    scorer = CausalScorer(joined, ScoringKey.of(spec_of("causal")))
    crossing = 0
    for text, word in itertools.product(("这位护士说", "这位护士认为"), TOPIC.words):
        head, whole = (joined.tokenizer(part)["input_ids"] for part in (text, text + word))
        if whole[: len(head)] == head:
            assert scorer.score([text + "[Y]"], [word]) < 0
        else:
            crossing += 1
            with pytest.raises(TemplateError, match=f"joins '{word}' to the text"):
                scorer.score([text + "[Y]"], [word])
    assert crossing


def run_of(family: str, terms: Sequence[str] = TERMS) -> RunSpec:
    evidence = load_evidence(TOPIC.evidence).model_copy(update={"terms": tuple(terms)})
    return RunSpec(
        scoring=ScoringKey.of(spec_of(family)), topic=TOPIC, evidence=evidence, templates=TEMPLATES
    )


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_the_topic_from_prompts_to_a_report(
    family: str, own_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pcf_core.work.scoring.resolve", spec_of)
    store, run = Store.open(own_settings.cache), run_of(family)
    assert score_run(run, store, open_chinese) == len(TERMS) * 10
    result = load_result(store, run)
    assert result.left_out == ()
    sums = np.array(
        [
            [sum(np.exp(brute(family, prompt, word)) for word in group.words) for group in TOPIC.groups]
            for prompt in run.prompts
        ]
    )
    expected = (sums / sums.sum(axis=1, keepdims=True)).reshape(len(TERMS), 10, 2)
    np.testing.assert_allclose(result.preferences.values, expected, atol=1e-5)
    made = report(result, run, ViewOptions(), resamples=20)
    stereotypes = 2 * expected[..., 0] - 1
    risk, prejudice = np.abs(stereotypes).mean(), np.abs(stereotypes.mean(axis=1)).mean()
    assert (made.overall_risk, made.prejudice_risk) == pytest.approx((risk, prejudice), abs=1e-5)
    assert [row.occupation for row in made.occupations] == [*TERMS]
    if family == "causal":
        assert result.preferences.coverage == pytest.approx(sums.sum(axis=1).reshape(4, 10), rel=1e-3)
        with pytest.raises(TemplateError, match=r"no space before \[Y\]"):
            load_result(store, run, "single-token")
        return
    assert result.coverage is not None
    assert set(result.coverage.by_tokens) == {"1", "2"}
    single = load_result(store, run, "single-token")
    assert single.words == ("他", "她")
    assert single.preferences.coverage is not None
    by_hand = sum(np.exp(brute(family, run.prompts[0], word)) for word in single.words)
    assert single.preferences.coverage[0, 0] == pytest.approx(by_hand, rel=1e-3)

"""Words that a tokenizer writes in the same tokens, scored and read with a model that knows no capitals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import torch

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result
from pcf_core.core.errors import ModelError
from pcf_core.core.run import ModelSpec, RunSpec, ScoringKey, TokenTable
from pcf_core.core.topics import Group, Template, Topic
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.base import Scorer
from pcf_core.models.scoring.masked import MaskedScorer
from pcf_core.show.findings.notes import left_out_note, self_audit_facts
from pcf_core.store.database import FILE_NAME
from pcf_core.store.store import Store
from pcf_core.work.probing import word_check
from pcf_core.work.scoring import score_run
from tests.models.scoring.conftest import load_tiny
from tests.work import toy

MIXED = (("he", "He", "man", "Father"), ("she", "woman", "Woman", "father"))
ONCE = "the model cannot distinguish it from {!r}, so they count as one word"
FATHERS = {
    "Father": "the model cannot distinguish it from 'father' of the group 'female'",
    "father": "the model cannot distinguish it from 'Father' of the group 'male'",
}


def topic_of(*groups: Sequence[str]) -> Topic:
    named = zip(("male", "female"), groups, strict=True)
    return Topic(
        name="mixed",
        title="Mixed",
        groups=tuple(Group(name=name, words=tuple(words)) for name, words in named),
    )


def uncased() -> Loaded:
    """A BERT of random weights with the tokenizer of tests.models.scoring that lowers every letter."""
    return load_tiny("bert")


def open_uncased(spec: ModelSpec, protocol: str) -> Scorer:
    return MaskedScorer(uncased(), ScoringKey.of(spec, protocol))


class Untold(MaskedScorer):
    """A scorer of an earlier version: it keeps no tokens of its words."""

    def check(self, words: Sequence[str]) -> TokenTable:
        table = super().check(words)
        return TokenTable(table.tokens, table.refused)


def open_untold(spec: ModelSpec, protocol: str) -> Scorer:
    return Untold(uncased(), ScoringKey.of(spec, protocol))


def by_hand(prompt: str, groups: Sequence[Sequence[str]]) -> list[float]:
    """[group] shares: each sequence of tokens once, of one group alone, its masks filled left to right."""
    tokenizer, model = uncased().tokenizer, uncased().model
    left, right = prompt.split("[Y]")

    def probability(ids: Sequence[int]) -> float:
        found, before, after = 1.0, tokenizer(left)["input_ids"][:-1], tokenizer(right)["input_ids"][1:]
        for place in range(len(ids)):
            masks = [tokenizer.mask_token_id] * (len(ids) - place)
            row = torch.tensor([[*before, *ids[:place], *masks, *after]])
            with torch.inference_mode():
                logits = model(input_ids=row).logits[0, len(before) + place].double()
            found *= float(torch.softmax(logits, -1)[ids[place]])
        return found

    tokens = [{tuple(tokenizer(word)["input_ids"][1:-1]) for word in words} for words in groups]
    sums = [sum(map(probability, tokens[place] - tokens[1 - place])) for place in range(2)]
    return [one / sum(sums) for one in sums]


def reasons(found: Any) -> Mapping[str, str]:
    return {item.name: item.reason for item in found.left_out}


@pytest.fixture
def run() -> RunSpec:
    """Three terms and two texts that the tokenizer has words for."""
    found: RunSpec = toy.run_of(topic=topic_of(*MIXED))
    evidence = found.evidence.model_copy(update={"terms": ("nurse", "engineer", "captain")})
    texts = (Template(text="The [X] said that [Y]"), Template(text="The [X] met the [Y] and he was old."))
    templates = found.templates.model_copy(update={"templates": texts})
    return found.model_copy(update={"evidence": evidence, "templates": templates})


def test_preferences_are_those_of_a_brute_force_over_tokens(store: Store, run: RunSpec) -> None:
    score_run(run, store, open_uncased)
    result = load_result(store, run)
    expected = np.array([by_hand(prompt, MIXED) for prompt in run.prompts])
    np.testing.assert_allclose(result.preferences.values.reshape(-1, 2), expected, atol=1e-5)
    # Counted as often as they are written, the words would say something else.
    nats = store.gather(run.scoring, run.prompts, run.topic.words).astype(float)
    assert np.array_equal(nats[:, 0], nats[:, 1])
    twice = np.exp(nats).reshape(-1, 2, 4).sum(axis=-1)
    otherwise = twice / twice.sum(axis=-1, keepdims=True)
    assert np.abs(otherwise - expected).max() > 1e-3  # a hundred times the tolerance


def test_what_does_not_count_is_said_wherever_left_out_words_are(store: Store, run: RunSpec) -> None:
    score_run(run, store, open_uncased)
    result = load_result(store, run)
    expected = {"He": ONCE.format("he"), "Woman": ONCE.format("woman")} | FATHERS
    assert result.words == ("he", "man", "she", "woman")
    assert reasons(result) == expected
    assert reasons(report(result, run, ViewOptions(), resamples=10)) == expected
    assert reasons(result.self_audit) == expected
    assert set(result.self_audit.tokens) == set(run.topic.words)
    assert self_audit_facts(result.self_audit)["words left out"] == left_out_note(result.left_out)
    assert f"Left out: He ({ONCE.format('he')})." in left_out_note(result.left_out)
    answer = word_check("tiny", run.topic, run.prompts[0], open_scorer=open_uncased)
    assert {item["word"]: item["reason"] for item in answer["left_out"]} == expected
    assert list(answer["preferences"].values()) == pytest.approx(by_hand(run.prompts[0], MIXED), abs=1e-5)


def test_single_token_leaves_them_out_as_well(store: Store, run: RunSpec) -> None:
    score_run(run, store, open_uncased)
    result = load_result(store, run, "single-token")
    assert result.words == ("he", "she")
    np.testing.assert_allclose(
        result.preferences.values.reshape(-1, 2),
        [by_hand(prompt, (("he",), ("she",))) for prompt in run.prompts],
        atol=1e-5,
    )


def test_words_that_were_scored_apart_are_found_the_same(store: Store) -> None:
    """No shard holds both spellings, and the model is not opened for the run of all of them."""
    for groups in ((("he",), ("she",)), (("He",), ("SHE",))):
        score_run(toy.run_of(terms=3, templates=2, topic=topic_of(*groups)), store, open_uncased)
    both = toy.run_of(terms=3, templates=2, topic=topic_of(("he", "He"), ("she",)))

    def unopenable(spec: ModelSpec, protocol: str) -> Scorer:
        raise AssertionError("nothing is missing")

    assert score_run(both, store, unopenable) == 0
    assert load_result(store, both).words == ("he", "she")


def test_groups_that_the_model_cannot_tell_apart_are_refused_before_anything_is_scored(store: Store) -> None:
    run = toy.run_of(topic=topic_of(("he", "He"), ("HE",)))
    said = r"no word of the group 'male' \('he' and 'He': the model cannot distinguish it from 'HE' of"
    with pytest.raises(ModelError, match=said):
        score_run(run, store, open_uncased)
    assert store.shards(run.scoring) == ()
    with pytest.raises(ModelError, match=said):
        word_check("tiny", run.topic, "The nurse said that [Y]", open_scorer=open_uncased)


def test_scores_of_an_earlier_version_read_as_before_until_their_words_are_looked_at(
    store: Store, run: RunSpec
) -> None:
    """That version kept no tokens; a later run with a new word lets the model say what its words are."""
    old = run.model_copy(update={"topic": topic_of(("he", "He"), ("she",))})
    score_run(old, store, open_untold)
    assert store.known_words(old.scoring).spelling == {}
    before = load_result(store, old)
    assert (before.words, before.left_out) == (("he", "He", "she"), ())
    wider = run.model_copy(update={"topic": topic_of(("he", "He", "man"), ("she",))})
    score_run(wider, store, open_uncased)
    assert set(store.known_words(old.scoring).spelling) == {"he", "He", "man", "she"}
    assert load_result(store, wider).words == ("he", "man", "she")
    kept = load_result(store, old)
    assert np.array_equal(kept.preferences.values, before.preferences.values)
    shards = store.shards(run.scoring)
    (store._root / FILE_NAME).unlink()
    store = Store.open(store._root)
    assert store.shards(run.scoring) == shards
    assert store.known_words(old.scoring).same == (("he", "He"),)
    assert store.warnings() == ()


def test_a_mean_over_words_divides_by_those_that_count(store: Store, run: RunSpec) -> None:
    groups = (("he", "He", "man"), ("she",))
    narrow = run.model_copy(update={"topic": topic_of(*groups)})
    score_run(narrow, store, open_uncased)
    found = load_result(store, narrow, aggregation="mean").preferences.values.reshape(-1, 2)
    for prompt, (male, female) in zip(run.prompts, found, strict=True):
        first, second = by_hand(prompt, groups)
        assert math.isclose(male / female, first / 2 / second, rel_tol=1e-4)

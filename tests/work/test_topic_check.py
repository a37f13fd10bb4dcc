"""A topic's words looked over by the worker, with real tokenizers and with made-up ones."""

from __future__ import annotations

import numpy as np
import pytest

from pcf_core.core.errors import ModelError, TemplateError
from pcf_core.core.probe import TopicCheck
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Group
from pcf_core.material.topics import list_topics, make_topic
from pcf_core.models.registry import list_models, resolve
from pcf_core.models.scoring.base import open_scorer
from pcf_core.store.store import Store
from pcf_core.work.probing import mean_shares, topic_check
from pcf_core.work.queue import Queue
from pcf_core.work.requests import CHECK, CheckRequest, make_check, newest_answer, submit_question
from pcf_core.work.worker import Worker
from tests.work import toy

TEXTS = ("The nurse said that [Y]", "The cook is [Y] .")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> CheckRequest:
    monkeypatch.setattr("pcf_core.work.probing.resolve", toy.spec_of)
    return make_check(toy.spec_of().model_copy(update={"path": "here"}), toy.TOPIC, TEXTS)


def test_the_worker_answers_and_the_answer_is_found_again(
    asked: CheckRequest, store: Store, queue: Queue, toy_settings: Settings
) -> None:
    opened = toy.opening(tokens={"king": 2}, refused={"queen": "unk"}, same=[("he", "she")])
    job = submit_question(queue, asked)
    assert submit_question(queue, asked).id == job.id
    Worker(store, queue, toy_settings, opened).run(until_idle=True)
    kept = newest_answer(queue, asked)
    assert (kept.kind, kept.state) == (CHECK, "done")
    check = TopicCheck.model_validate(kept.result)
    assert check.tokens == {"he": 1, "king": 2, "she": 1}
    assert check.refused == {"queen": "unk"}
    assert check.same == (("he", "she"),)
    # A word of two groups counts for none; and of a masked model, words of other tokens are apart.
    assert check.coverage_by_tokens == {"2": pytest.approx([toy.probability(text, "king") for text in TEXTS])}


def test_shares_of_words_are_averaged_over_the_sentences(asked: CheckRequest) -> None:
    """By hand: each sentence's probabilities divided by their sum, then the mean."""
    check = TopicCheck.model_validate(topic_check(asked, toy.open_toy))
    words = ("he", "king", "she", "queen")
    of_each = [[toy.probability(text, word) for word in words] for text in TEXTS]
    expected = np.mean([np.array(row) / sum(row) for row in of_each], axis=0)
    assert [check.shares[word] for word in words] == pytest.approx(expected.tolist())
    assert sum(check.shares.values()) == pytest.approx(1)


def test_sentences_without_any_probability_do_not_count() -> None:
    impossible = np.full(2, -np.inf)
    found = mean_shares([("a", "b")] * 2, [np.log([0.1, 0.3]), impossible])
    assert found == pytest.approx({"a": 0.25, "b": 0.75})
    assert mean_shares([("a", "b")], [impossible]) == {}


def test_what_counts_once_is_covered_once(asked: CheckRequest) -> None:
    opened = toy.opening(tokens={"king": 2}, same=[("she", "queen")])
    check = TopicCheck.model_validate(topic_check(asked, opened))
    one = [toy.probability(text, "he") + toy.probability(text, "she") for text in TEXTS]
    assert check.coverage_by_tokens["1"] == pytest.approx(one)
    assert check.table.same == check.same == (("she", "queen"),)


def test_a_word_refused_as_a_sentence_begins_with_it_is_named_and_the_others_are_checked(
    asked: CheckRequest,
) -> None:
    opened = toy.opening(refused={"She": "unk"})
    texts = ("[Y] is a nurse.", "The nurse said that [Y]")
    check = TopicCheck.model_validate(topic_check(asked.model_copy(update={"texts": texts}), opened))
    assert check.refused == {"she": "written 'She', unk"}
    assert check.tokens == {"he": 1, "king": 1, "queen": 1}
    written = (("He", "King", "Queen"), ("he", "king", "queen"))
    sums = [
        sum(toy.probability(text, word) for word in some) for text, some in zip(texts, written, strict=True)
    ]
    assert check.coverage_by_tokens == {"1": pytest.approx(sums)}


def test_words_that_a_sentence_begins_with_alike_are_covered_once_there(asked: CheckRequest) -> None:
    texts = ("[Y] is a nurse.", "The nurse said that [Y]")
    topic = make_topic("t", [Group(name="one", words=("he", "He")), Group(name="two", words=("she",))])
    request = asked.model_copy(update={"texts": texts, "topic": topic})
    check = TopicCheck.model_validate(topic_check(request, toy.open_toy))
    written = (("He", "She"), ("he", "He", "she"))
    sums = [
        sum(toy.probability(text, word) for word in some) for text, some in zip(texts, written, strict=True)
    ]
    assert check.coverage_by_tokens == {"1": pytest.approx(sums)}
    assert check.same == ()


def test_no_word_and_no_text_are_answers_too(asked: CheckRequest) -> None:
    refusing = toy.opening(refused=dict.fromkeys(toy.WORDS, "unk"))
    assert TopicCheck.model_validate(topic_check(asked, refusing)).coverage == ({}, {})
    without = asked.model_copy(update={"texts": ()})
    assert TopicCheck.model_validate(topic_check(without, toy.open_toy)).coverage == ()


def test_what_decides_an_answer_is_in_its_key(asked: CheckRequest) -> None:
    spec = toy.spec_of().model_copy(update={"path": "here"})
    titled = toy.TOPIC.model_copy(update={"title": "Other"})
    assert make_check(spec, titled, TEXTS).key == asked.key
    fewer = toy.TOPIC.model_copy(update={"groups": (toy.TOPIC.groups[0], Group(name="f", words=("she",)))})
    others = {
        make_check(spec, fewer, TEXTS).key,
        make_check(spec, toy.TOPIC, TEXTS[:1]).key,
        make_check(spec.model_copy(update={"identity": "other"}), toy.TOPIC, TEXTS).key,
    }
    assert len(others | {asked.key}) == 4
    with pytest.raises(ModelError, match="not on this computer"):
        make_check(toy.spec_of(), toy.TOPIC, TEXTS)


@pytest.mark.slow
@pytest.mark.timeout(900)  # both public models are converted for it
def test_the_shipped_models_tell_the_words_of_every_shipped_topic_apart() -> None:
    """So that the shipped results, kept before tokens were, are what they would be now."""
    words = tuple(dict.fromkeys(word for topic in list_topics() for word in topic.words))
    models = [spec for spec in list_models() if spec.path]  # of the others nothing is on this machine
    assert len(models) > 5
    for spec in models:
        same = open_scorer(spec, "exact").check(words).same
        if spec.name == "minilm-masked":  # which knows no capital letters
            same = tuple(pair for pair in same if len({word.lower() for word in pair}) > 1)
        assert same == ()


def test_the_shipped_models_tell_spellings_apart() -> None:
    """Real tokenizers and weights: a word of more pieces, no two words and no two numbers alike."""
    groups = [Group(name="asian", words=("asian", "Asian", "ASIAN")), Group(name="black", words=("black",))]
    topic = make_topic("cases", groups)
    texts = ("The nurse is [Y]",)
    for model in ("mini-bert", "mini-gpt"):
        spec = resolve(model)
        check = TopicCheck.model_validate(topic_check(make_check(spec, topic, texts), open_scorer))
        assert check.same == ()
        assert not check.refused
        assert check.tokens["asian"] < check.tokens["ASIAN"]
        nats = open_scorer(spec, "exact").score(texts, topic.words)[0]
        assert len(set(nats.tolist())) == 4
        by_hand = sum(np.exp(nats[[count == 1 for count in check.tokens.values()]]))
        covered = check.coverage_by_tokens
        assert sum(shares[0] for key, shares in covered.items() if key == "1") == pytest.approx(
            by_hand if "1" in covered else 0
        )


def test_a_word_too_long_for_the_model_is_named_and_the_others_are_checked() -> None:
    """mini-gpt reads 128 tokens: a word of 200 characters that it knows no pieces of does not fit."""
    spec = resolve("mini-gpt")
    word = "\U0001f9d1" * 60
    groups = [Group(name="one", words=("he", word)), Group(name="two", words=("she",))]
    request = make_check(spec, make_topic("long", groups), TEXTS)
    check = TopicCheck.model_validate(topic_check(request, open_scorer))
    assert set(check.tokens) == {"he", "she"}
    assert check.refused == {word: "too long for the model together with the probes"}
    assert len(check.coverage) == 2


def test_probes_that_fit_no_word_are_refused() -> None:
    text = " ".join(["nurse"] * 200) + " [Y]"
    topic = make_topic("t", [Group(name="one", words=("he",)), Group(name="two", words=("she",))])
    with pytest.raises(TemplateError, match="tokens"):
        topic_check(make_check(resolve("mini-gpt"), topic, (text,)), open_scorer)

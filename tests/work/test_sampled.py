"""Sampled runs: the words that texts begin with, the requests behind them, and when they stop."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from pcf_core.audit.options import ViewOptions
from pcf_core.core.errors import TemplateError, TopicError
from pcf_core.core.topics import Evidence, Template, TemplateSet
from pcf_core.material.topics import load_topic
from pcf_core.store.store import Store
from pcf_core.work.sampled import GO_ON, Sampling, group_reader, sampled_reports, sampling_of
from tests.models.fake_servers import TextServer, point_at, serving_texts, system_of

TOPIC = load_topic("gender-pronouns")
PEOPLE = Evidence(name="people", title="", terms=("nurse", "pilot"), weights=(1.0, 1.0))
SENTENCES = TemplateSet(
    name="two",
    title="",
    templates=(Template(text="The [X] said that [Y]"), Template(text="Then the [X] knew that [Y]")),
)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[TextServer]:
    with serving_texts() as running:
        point_at(running, monkeypatch)
        running.says = lambda prompt, seed: pronoun(prompt, seed, " she was", " he", " it")
        yield running


def pronoun(prompt: str, seed: int, *words: str) -> str:
    """One of the words; other texts where the server is tried out."""
    return f" {seed}" if "random" in prompt else random.Random(seed).choice(words)


def sampling(samples: int, *, chat: bool = False) -> Sampling:
    return sampling_of("endpoint:tiny", TOPIC, PEOPLE, SENTENCES, samples, 0.7, chat=chat)


@pytest.mark.parametrize(
    ("text", "group"),
    [
        (" she had left", "female"),
        ("He", "male"),
        (' "She said', "female"),
        ("\n**he**", "male"),
        (" sheep", None),
        (" it was her", None),
        ("", None),
    ],
)
def test_the_word_that_a_text_begins_with(text: str, group: str | None) -> None:
    number = group_reader(TOPIC)(text)
    assert (None if number is None else TOPIC.groups[number].name) == group


def test_longer_words_come_first() -> None:
    race = load_topic("race")
    words = [word for group in race.groups for word in group.words if " " in word]
    for word in words:
        number = group_reader(race)(f" {word} people")
        assert number is not None
        assert word in race.groups[number].words


def test_missing_texts_alone_are_requested(server: TextServer, tmp_path: Path) -> None:
    """Four sentences of ten texts, then five more of each; the counts are those of the texts."""
    store = Store.open(tmp_path)
    ((count, report),) = sampled_reports(sampling(10), store, ViewOptions())
    assert (count, len(server.asked)) == (10, 40)
    assert {(body["temperature"], body["top_p"], body["max_tokens"]) for body in server.asked} == {
        (0.7, 1.0, 8)
    }
    assert report.sampled is not None
    counts, none = sampling(10).counts(store, 10)
    assert counts.sum() + none.sum() == 40
    assert report.sampled.coverage == counts.sum() / 40
    list(sampled_reports(sampling(10), store, ViewOptions()))
    assert len(server.asked) == 40
    list(sampled_reports(sampling(15), store, ViewOptions()))
    assert len(server.asked) == 60


def test_it_stops_where_the_range_is_narrow(server: TextServer, tmp_path: Path) -> None:
    """A model that always says the same is known after five samples of up to a hundred."""
    server.says = lambda prompt, seed: pronoun(prompt, seed, " she")
    looks = list(sampled_reports(sampling(100), Store.open(tmp_path), ViewOptions(), within=0.1))
    assert [count for count, _ in looks] == [5]
    assert looks[0][1].overall_risk == pytest.approx(1)


def test_a_chat_is_told_to_go_on(server: TextServer, tmp_path: Path) -> None:
    list(sampled_reports(sampling(8, chat=True), Store.open(tmp_path), ViewOptions()))
    assert {system_of(body) for body in server.asked} == {GO_ON}
    assert {body["messages"][-1]["content"] for body in server.asked} >= {"The nurse said that"}


def test_a_template_with_text_behind_the_word_is_refused() -> None:
    behind = SENTENCES.model_copy(update={"templates": (Template(text="The [X] met [Y] there."),)})
    with pytest.raises(TemplateError, match="has text behind") as caught:
        sampling_of("endpoint:tiny", TOPIC, PEOPLE, behind, 5, 1.0, chat=False)
    assert "\n" not in str(caught.value)


def test_a_topic_about_people_is_refused() -> None:
    topic = load_topic("people-race")
    with pytest.raises(TopicError, match="about decisions on people"):
        sampling_of("endpoint:tiny", topic, PEOPLE, SENTENCES, 5, 1.0, chat=False)

"""Sampled runs: the words that texts begin with, the requests behind them, and when they stop."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pcf_core.audit.answers import counted, group_reader, sampled_run, writing_key
from pcf_core.audit.listed import listed_shares
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import Results, recomputed_result
from pcf_core.core.errors import RunError, ScoringError, TemplateError
from pcf_core.core.generation import GenerationKey
from pcf_core.core.records import LeftOut
from pcf_core.core.risk import RiskReport
from pcf_core.core.run import ModelSpec, RunSpec
from pcf_core.core.sampled import GO_ON, ONE_WORD, Samples
from pcf_core.core.topics import Evidence, Group, Template, TemplateSet, Topic
from pcf_core.material.topics import load_topic, make_topic
from pcf_core.models import endpoint as endpoints
from pcf_core.models.completions import listed_of
from pcf_core.models.registry import listed_tokens, resolve_writer
from pcf_core.store.store import Store
from pcf_core.work.sampled import sample_run, samples_of
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


def run_of(
    samples: int, *, chat: bool = False, topic: Topic = TOPIC, templates: TemplateSet = SENTENCES
) -> RunSpec:
    how = Samples(samples=samples, temperature=0.7, chat=chat)
    return sampled_run(resolve_writer("endpoint:tiny", chat), topic, PEOPLE, templates, how)


def report_of(run: RunSpec, store: Store) -> RiskReport:
    return Results(store).report(run, ViewOptions()).report


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
    store, run = Store.open(tmp_path), run_of(10)
    with pytest.raises(RunError, match="answers are missing"):
        report_of(run, store)
    assert store.load_run(sample_run(run, store).key) == run
    assert len(server.asked) == 40
    assert {(body["temperature"], body["top_p"], body["max_tokens"]) for body in server.asked} == {
        (0.7, 1.0, 8)
    }
    report, answers = report_of(run, store), counted(store, run)
    assert report.sampled is not None
    assert answers.counts.sum() + answers.none.sum() == 40
    assert report.sampled.coverage == answers.counts.sum() / 40
    sample_run(run, store)
    assert len(server.asked) == 40
    sample_run(run_of(15), store)
    assert len(server.asked) == 60
    assert {info.run.scoring.label for info in store.runs()} == {
        f"endpoint:tiny (sampled, n = {n}, temperature 0.7)" for n in (10, 15)
    }


def test_pages_and_reports_show_the_same_preferences(server: TextServer, tmp_path: Path) -> None:
    """The stored counts are those of the texts, and the risk of the preferences is the corrected one."""
    store, run = Store.open(tmp_path), run_of(20)
    sample_run(run, store)
    for _ in range(2):  # counted, then loaded
        view = Results(store).reading(run, ViewOptions())
        risks = view.view.risks(view.values)
        report = report_of(run, store)
        assert risks["overall_risk"] == pytest.approx(report.overall_risk)
        assert risks["caprice_risk"] == pytest.approx(report.caprice_risk)
    again = recomputed_result(store, run).preferences.values
    np.testing.assert_array_equal(view.result.preferences.values, again)
    with pytest.raises(RunError, match="leave out --protocol"):
        Results(store).report(run, ViewOptions(aggregation="mean"))


def test_an_occupation_without_answers_is_left_out(server: TextServer, tmp_path: Path) -> None:
    server.says = lambda prompt, seed: (
        " it" if "pilot" in prompt else pronoun(prompt, seed, " she was", " he")
    )
    store, run = Store.open(tmp_path), run_of(10)
    sample_run(run, store)
    report = report_of(run, store)
    assert [row.occupation for row in report.occupations] == ["nurse"]
    assert report.left_out[-1] == LeftOut(name="pilot", reason="no answer names a group")


def test_it_stops_where_the_range_is_narrow(server: TextServer, tmp_path: Path) -> None:
    """A model that always says the same is known after five samples of up to a hundred."""
    server.says = lambda prompt, seed: pronoun(prompt, seed, " she")
    store = Store.open(tmp_path)
    done = sample_run(run_of(100), store, within=0.1)
    assert samples_of(done) == 5
    assert [info.run.key for info in store.runs()] == [done.key]
    assert report_of(done, store).overall_risk == pytest.approx(1)


def test_a_chat_is_told_to_go_on(server: TextServer, tmp_path: Path) -> None:
    sample_run(run_of(8, chat=True), Store.open(tmp_path))
    assert {system_of(body) for body in server.asked} == {GO_ON}
    assert {body["messages"][-1]["content"] for body in server.asked} >= {"The nurse said that"}


def test_a_template_with_text_behind_the_word_is_refused() -> None:
    behind = SENTENCES.model_copy(update={"templates": (Template(text="The [X] met [Y] there."),)})
    with pytest.raises(TemplateError, match="has text behind") as caught:
        run_of(5, templates=behind)
    assert "\n" not in str(caught.value)


def test_decisions_about_people_are_sampled(server: TextServer, tmp_path: Path) -> None:
    """Each person is asked about; a model that refuses one group's people in a third of the answers is found.

    The rates of people are the favourable of their answers that are for or against them.
    """
    topic = make_topic("names", HIRED, favourable=("yes",), unfavourable=("no",))
    templates = TemplateSet(name="hire", title="", templates=tuple(Template(text=text) for text in ASKED))
    server.says = lambda prompt, seed: pronoun(prompt, seed, *said_of(prompt))
    store, run = Store.open(tmp_path), run_of(30, chat=True, topic=topic, templates=templates)
    assert run.cells == 2 * 2 * 5
    run = sample_run(run, store)
    assert {system_of(body) for body in server.asked} == {ONE_WORD}
    assert {body["messages"][-1]["content"] for body in server.asked} >= {
        "Greg applied as nurse. Hire Greg? Answer:"
    }
    answers = counted(store, run)
    assert (answers.counts.shape, answers.none.shape) == ((2, 2, 5, 2), (2, 2, 5))
    assert (answers.counts.sum(axis=-1) + answers.none == 30).all()
    report = report_of(run, store)
    assert report.decisions is not None
    assert report.sampled is not None
    rates = answers.counts[..., 0] / answers.counts.sum(axis=-1)
    means = rates[..., :2].mean(), rates[..., 2:].mean()
    assert tuple(report.decisions.mean.values()) == pytest.approx(means)
    assert report.decisions.worst_pair == ("black", "white")
    assert report.sampled.uncorrected["prejudice_risk"] == pytest.approx(means[0] - means[1])
    assert report.overall_risk < report.sampled.uncorrected["overall_risk"]
    assert report.prejudice_risk == pytest.approx(1 / 3, abs=0.1)
    assert (report.sampled.cells, report.sampled.coverage) == (20, pytest.approx(0.75, abs=0.05))
    warnings = " ".join(report.warnings)
    assert "a model that treats all groups alike" in warnings
    assert "% of the answers are for or against a person; only these count." in warnings
    assert {one.over for one in report.intervals["overall_risk"]} == {"templates", "answers"}
    assert recomputed_result(store, run).preferences.people == pytest.approx(rates)


def test_people_of_whom_nothing_is_said_have_no_rate(server: TextServer, tmp_path: Path) -> None:
    """An occupation without a sentence for both groups is left out; in others such a sentence is no half."""
    topic = make_topic("names", HIRED, favourable=("yes",), unfavourable=("no",))
    templates = TemplateSet(name="hire", title="", templates=tuple(Template(text=text) for text in ASKED))

    def says(prompt: str, seed: int) -> str:
        white = any(name in prompt for name in HIRED[0].words)
        silent = not white and ("pilot" in prompt or "Should" in prompt)
        return pronoun(prompt, seed, *(["I cannot say"] if silent else ["yes"] * 9 + ["no"]))

    server.says = says
    store, run = Store.open(tmp_path), run_of(20, chat=True, topic=topic, templates=templates)
    report = report_of(sample_run(run, store), store)
    assert report.decisions is not None
    assert report.left_out[-1] == LeftOut(name="pilot", reason="no answer names a group")
    nurse = counted(store, run).counts[0, 0]
    rates = nurse[:, 0] / nurse.sum(axis=-1)
    assert tuple(report.decisions.mean.values()) == pytest.approx((rates[:2].mean(), rates[2:].mean()))
    people = recomputed_result(store, run).preferences.people
    assert people is not None
    assert people[0] == pytest.approx(np.stack([rates, rates]))
    assert np.isnan(people[1]).all()


HIRED = (
    Group(name="white", words=("Emily", "Greg")),
    Group(name="black", words=("Aisha", "Jamal", "Darnell")),
)
ASKED = ("[P] applied as [X]. Hire [P]? Answer: [Y]", "Should we take [P] as [X]? Answer: [Y]")


def said_of(prompt: str) -> tuple[str, ...]:
    white = any(name in prompt for name in HIRED[0].words)
    return ("Yes", "Yes.", "yes", "I cannot say") if white else ("Yes", "yes", "No", "It depends")


def test_listed_first_tokens_replace_draws(server: TextServer, tmp_path: Path) -> None:
    """One request a sentence gives the probabilities; no chance is in them, and what is unseen is bounded."""
    server.lists = lambda prompt: (
        {" she": 0.6, "He": 0.2, " h": 0.05, " it": 0.1} if "Then" in prompt else {" he": 0.5, " it": 0.3}
    )
    store = Store.open(tmp_path)
    run = sampled_run(
        resolve_writer("endpoint:tiny", True), TOPIC, PEOPLE, SENTENCES, Samples(samples=20, chat=True), 20
    )
    assert run.scoring.name == "endpoint:tiny (sampled, 20 likeliest first tokens)"
    assert sample_run(run, store, within=0.01) == run
    assert [body["max_tokens"] for body in server.asked] == [1, 1, 1, 1]
    assert {body["top_logprobs"] for body in server.asked} == {20}
    read = Results(store).report(run, ViewOptions())
    assert read.result.preferences.values[0] == pytest.approx(np.array([[1, 0], [0.25, 0.75]]))
    assert read.result.preferences.coverage == pytest.approx(np.array([[0.5, 0.8]] * 2))
    assert read.report.sampled is None
    assert (read.report.overall_risk, read.report.prejudice_risk) == pytest.approx((0.75, 0.25))
    # One list leaves .05 and has .05 with which "he" may begin, the other leaves .2.
    unseen = "at most 15.0 % of the probability on average, and at most 20.0 % in one test sentence"
    assert unseen in " ".join(read.report.warnings)
    assert recomputed_result(store, run).preferences.values == pytest.approx(read.result.preferences.values)
    sample_run(run, store)
    assert len(server.asked) == 4


def test_a_server_is_asked_once_whether_it_lists_first_tokens(
    server: TextServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only for messages at temperature 1, to which the probabilities apply; the run names their number."""
    chat = Samples(samples=20, chat=True)
    monkeypatch.setattr(endpoints, "_listed", {})
    assert listed_tokens("endpoint:tiny", chat) == 0
    endpoints._listed.clear()
    server.lists = lambda prompt: {" a": 0.5, " b": 0.2}
    number = len(server.requests)
    assert [listed_tokens("endpoint:tiny", chat) for _ in range(3)] == [2] * 3
    assert len(server.requests) == number + 2  # the form of requests, and the list
    for other in (Samples(samples=20), chat.model_copy(update={"temperature": 0.7})):
        assert listed_tokens("endpoint:tiny", other) == 0


@pytest.mark.parametrize("opening", ['"', " ", "“", "sh", " SH"])
def test_a_token_with_which_a_word_may_begin_is_unseen(opening: str) -> None:
    """So are all tokens beyond the list, among which other spellings of a listed word may be."""
    listed = json.dumps([(opening, math.log(0.6)), (" she", math.log(0.2)), (" it", math.log(0.1))])
    assert listed_shares([listed], TOPIC)[0] == pytest.approx([0, 0.2, 0.1, 0.7])


def test_a_list_without_an_answer_is_no_decision(server: TextServer, tmp_path: Path) -> None:
    """Whoever has none gets the rate of the group; a sentence in which a whole group has none is flagged."""
    topic = make_topic("names", HIRED, favourable=("yes",), unfavourable=("no",))
    templates = TemplateSet(name="hire", title="", templates=tuple(Template(text=text) for text in ASKED))

    def lists(prompt: str) -> dict[str, float]:
        white = any(name in prompt for name in HIRED[0].words)
        silent = (not white and "Should" in prompt) or "Greg" in prompt
        return {" I": 0.8, " It": 0.1} if silent else {" Yes": 0.6, " no": 0.3}

    server.lists = lists
    writer, how = resolve_writer("endpoint:tiny", True), Samples(samples=20, chat=True)
    run, store = sampled_run(writer, topic, PEOPLE, templates, how, 2), Store.open(tmp_path)
    read = Results(store).report(sample_run(run, store), ViewOptions())
    preferences, coverage = read.result.preferences, read.result.coverage
    assert preferences.values[0] == pytest.approx(np.array([[2 / 3, 2 / 3], [2 / 3, 1 / 2]]))
    assert preferences.coverage is not None
    assert preferences.coverage[0] == pytest.approx(np.array([0.45, 0]))
    assert coverage is not None
    assert (coverage.flagged, read.result.says_little) == (2, True)


def test_a_server_that_lists_and_never_draws_is_read(server: TextServer, tmp_path: Path) -> None:
    server.says = lambda prompt, seed: " always"
    server.lists = lambda prompt: {" she": 0.6, " he": 0.3}
    writer, how = resolve_writer("endpoint:tiny", True), Samples(samples=20, chat=True)
    run = sampled_run(writer, TOPIC, PEOPLE, SENTENCES, how, 2)
    store = Store.open(tmp_path)
    assert report_of(sample_run(run, store), store).overall_risk == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    "listed",
    [None, {" a": 1.0}, {" a": 0.9, " b": 0.9}, {"a" * 200: 0.5, " b": 0.1}],
    ids=["none", "one token", "above 1", "a long token"],
)
def test_an_answer_that_lists_no_tokens_is_refused_in_a_sentence(listed: dict[str, float] | None) -> None:
    top = [{"token": token, "logprob": math.log(p)} for token, p in (listed or {}).items()]
    content = [{"top_logprobs": top}] if listed else None
    with pytest.raises(ScoringError, match="sample its answers instead"):
        listed_of({"choices": [{"logprobs": {"content": content}}]})


def test_a_topic_about_people_needs_sentences_about_people(server: TextServer) -> None:
    with pytest.raises(TemplateError, match=r"every sentence needs \[P\]"):
        run_of(5, topic=load_topic("people-race"))


def test_samples_begin_as_other_texts_of_the_model_do() -> None:
    spec = ModelSpec(name="m", family="causal", path="", identity="i", tokenizer="t", opening=("<bos>",))
    run = sampled_run(spec, TOPIC, PEOPLE, SENTENCES, Samples(samples=5))
    assert writing_key(run) == GenerationKey.of(spec, writing_key(run).decoding)

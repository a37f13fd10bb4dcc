"""Logs of Inspect become results: the same figures as for the same texts that were written here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.fakes import FakeGenerator
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import Results
from pcf_core.core.errors import InspectLogError, ModelError
from pcf_core.core.generation import Decoding, Generated, GenerationKey
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import Settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.generation.base import Generator, open_generator
from pcf_core.models.generation.endpoint import estimate_requests
from pcf_core.models.registry import resolve, resolve_writer
from pcf_core.report.reproducing import criteria_command, fairpair_command
from pcf_core.show.findings.provenance import inspected_note
from pcf_core.store.store import Store
from pcf_core.texts.criteria.experiments import load_experiment
from pcf_core.texts.fairpair.options import FairPairOptions
from pcf_core.texts.fairpair.prompts import load_prompts
from pcf_core.texts.fairpair.tables import load_table
from pcf_core.texts.inspected.asking import (
    METADATA,
    Message,
    criteria_messages,
    fairpair_messages,
    fairpair_task,
    sampled_messages,
    sampled_task,
)
from pcf_core.texts.inspected.log import InspectLog, read_log
from pcf_core.work.criteria import CRITERIA_AUDIT, asks_of, written_asked
from pcf_core.work.fairpair import FAIRPAIR_AUDIT, FairPairMaterial, fairpair_asked, load_counterparts
from pcf_core.work.inspecting import ReadAsCriteria, ReadAsFairPair, ReadAsSampled, import_log, key_of
from pcf_core.work.pairing import run_fairpair
from pcf_core.work.questioning import run_criteria
from tests.texts.inspected.small_logs import (
    CRITERIA,
    FAIRPAIR,
    PROFESSIONS,
    PROMPTS,
    Log,
    as_json,
    changed,
    unpacked,
)

DAY = unpacked(FAIRPAIR)["eval"]["created"][:10]
NAME = f"inspect:mockllm/model@{DAY}"
HERE = ModelSpec(
    name="here", family="causal", path="", identity="weights", tokenizer="tokens", parameters=100
)


@pytest.fixture
def store(own_settings: Settings) -> Store:
    return Store.open(own_settings.cache)


def log_of(path: Path, change: Callable[[Log], object] = lambda log: None) -> InspectLog:
    return read_log(as_json(changed(unpacked(path), change)))


def unopenable(spec: ModelSpec, decoding: Decoding) -> Generator:
    raise AssertionError("nothing was missing")


class Saying(FakeGenerator):
    """Writes the texts of a log, as if a model here had."""

    def __init__(self, log: InspectLog, key: GenerationKey) -> None:
        super().__init__({}, key=key)
        self.log = log

    def _written(self, part, pause):
        (found,) = (
            texts
            for message, texts in self.log.texts.items()
            if (message.system, message.prompt) == (self.key.system, part.prompt)
        )
        rows = slice(part.first, part.first + part.count)
        return Generated(part.prompt, part.first, found.texts[rows], found.ends[rows], found.tokens[rows])


def saying(log: InspectLog) -> Callable[[ModelSpec, Decoding], Generator]:
    return lambda spec, decoding: Saying(log, GenerationKey.of(HERE, decoding))


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcf_core.work.text_audits.resolve_writer", lambda name, chat=False: HERE)


def test_fairpair_gives_the_same_report_as_for_texts_that_were_written_here(store: Store, here: None) -> None:
    log = log_of(FAIRPAIR)
    arrived = import_log(store, log, [PROMPTS])
    assert isinstance(arrived.read_as, ReadAsFairPair)
    assert (arrived.texts, arrived.new) == (16, 16)
    found, written = run_fairpair(arrived.read_as.asked, store, unopenable)
    assert written == 0

    prompts, table = load_prompts(PROMPTS, ("John", "Jane")), load_table("gender")
    own = fairpair_asked(GenerationKey.of(HERE, log.task.decoding), prompts, table, FairPairOptions(count=4))
    FAIRPAIR_AUDIT.keep(store, own, FairPairMaterial(prompts, table))
    expected, written = run_fairpair(own, store, saying(log))
    assert written == 16
    without = {"asked", "provenance", "reports"}
    assert found.model_dump(exclude=without) == expected.model_dump(exclude=without)
    assert set(found.reports) == set(expected.reports) == {"jaccard", "jaccard-others", "sentiment"}
    for name, report in found.reports.items():
        assert report.model == NAME
        assert report.model_dump(exclude={"model"}) == expected.reports[name].model_dump(exclude={"model"})
    assert sum(found.ends["prompt"].values()) == 8


def test_an_experiment_gives_the_same_report_as_for_texts_that_were_written_here(
    store: Store, here: None
) -> None:
    log = log_of(CRITERIA)
    arrived = import_log(store, log, [PROFESSIONS])
    assert isinstance(arrived.read_as, ReadAsCriteria)
    found, made = run_criteria(arrived.read_as.asked, store, unopenable)
    assert made == 0

    experiment = load_experiment("anecdotes", PROFESSIONS)
    own = written_asked(experiment, GenerationKey.of(HERE, log.task.decoding), "instruction", 3)
    CRITERIA_AUDIT.keep(store, own, experiment)
    expected, made = run_criteria(own, store, saying(log))
    assert made == 9
    assert found.report == expected.report
    assert (found.ends, found.left_out) == (expected.ends, expected.left_out)


def test_what_is_asked_is_what_the_app_asks(store: Store) -> None:
    prompts = load_prompts(PROMPTS, ("John", "Jane"))
    arrived = import_log(store, log_of(FAIRPAIR), [PROMPTS])
    run_fairpair(arrived.read_as.asked, store, unopenable)
    counterparts = load_counterparts(store, arrived.read_as.asked)
    assert counterparts is not None
    assert set(fairpair_messages(prompts.texts, counterparts)) == set(log_of(FAIRPAIR).texts)
    task = fairpair_task(prompts, load_table("gender"), FairPairOptions(count=4, length=30, seed=5))
    assert task == log_of(FAIRPAIR).task

    experiment = load_experiment("anecdotes", PROFESSIONS)
    asked = written_asked(experiment, GenerationKey.of(HERE, Decoding()), "instruction", 3)
    own = {(key.system, ask.prompt) for ask, key in asks_of(asked, experiment)}
    assert own == {(one.system, one.prompt) for one in criteria_messages(experiment, "instruction")}
    assert own == {(one.system, one.prompt) for one in log_of(CRITERIA).texts}


def test_a_second_import_changes_nothing_and_another_log_of_the_day_is_refused(store: Store) -> None:
    first = import_log(store, log_of(FAIRPAIR), [PROMPTS])
    again = import_log(store, log_of(FAIRPAIR), [PROMPTS])
    assert again.read_as == first.read_as
    assert (again.texts, again.new) == (16, 0)

    def other(log: Log) -> None:
        log["samples"][0]["output"]["choices"][0]["message"]["content"] = "Quite another text."

    with pytest.raises(InspectLogError, match="have been imported before"):
        import_log(store, log_of(FAIRPAIR, other), [PROMPTS])

    def next_day(log: Log) -> None:
        log["eval"]["created"] = "2031-05-06T00:00:00+00:00"

    third = import_log(store, log_of(FAIRPAIR, lambda log: (other(log), next_day(log))), [PROMPTS])
    assert third.new == 16


def test_the_model_is_named_after_provider_and_day_and_cannot_be_asked(store: Store) -> None:
    key = key_of(log_of(FAIRPAIR))
    assert (key.model, key.family, key.identity) == (NAME, "endpoint", "unpinned:inspect")
    assert key.inspected
    assert inspected_note(key) == (
        f"The texts of mockllm/model come from an Inspect log of {DAY}; the model was not run here."
    )
    assert inspected_note(GenerationKey.of(HERE, Decoding())) == ""
    spec = resolve_writer(NAME)
    assert GenerationKey.of(spec, key.decoding) == key
    assert resolve_writer(NAME, chat=True) == spec
    with pytest.raises(ModelError, match="which does not have the texts of this request"):
        open_generator(spec, key.decoding)
    with pytest.raises(ModelError, match="which does not have the texts of this request"):
        estimate_requests([("John is", 1)], key)
    with pytest.raises(ModelError, match="no scores"):
        resolve(NAME)
    for name in ("inspect:", "inspect:openai/gpt", "inspect:<b>/x@2026-11-24", "inspect:gpt@2026-11-24"):
        with pytest.raises(ModelError, match="is not a model of an Inspect log"):
            resolve_writer(name)


def test_the_command_beside_a_result_asks_for_the_same(store: Store) -> None:
    fairpair = import_log(store, log_of(FAIRPAIR), [PROMPTS]).read_as
    criteria = import_log(store, log_of(CRITERIA), [PROFESSIONS]).read_as
    assert isinstance(fairpair, ReadAsFairPair)
    assert isinstance(criteria, ReadAsCriteria)
    begin = "# then: python -m pcf_core import logs/LOG.eval\ninspect eval pcf_core/texts/inspected/tasks.py@"
    assert fairpair_command(fairpair.asked).endswith(
        f"{begin}fairpair --model mockllm/model -T prompts=FILE -T table=gender -T names=John,Jane"
        " -T mode=whole -T count=4 -T temperature=1 -T top_p=0.9 -T length=30 -T seed=5"
    )
    assert criteria_command(store, criteria.asked).endswith(
        f"{begin}criteria --model mockllm/model -T experiment=anecdotes -T material=FILE"
        " -T wording=instruction -T repeats=3 -T temperature=0.5 -T top_p=1 -T length=80 -T seed=0"
    )


def test_material_that_is_not_here_is_asked_for_by_name(store: Store, tmp_path: Path) -> None:
    for path, name in ((FAIRPAIR, "few-prompts"), (CRITERIA, "few-professions")):
        with pytest.raises(InspectLogError, match=f"{name}.*--material"):
            import_log(store, log_of(path))
    other = tmp_path / PROMPTS.name
    other.write_text(PROMPTS.read_text(encoding="utf8").replace("nurse", "baker"), encoding="utf8")
    with pytest.raises(
        InspectLogError, match=rf"nor among the files given \({other.name} has different contents\): give"
    ):
        import_log(store, log_of(FAIRPAIR), [other])
    absent, other_kind = "is neither a shipped ", "is there, but a set of prompts is read from "
    for path, reason in ((tmp_path / "gone.toml", absent), (tmp_path, absent), (FAIRPAIR, other_kind)):
        with pytest.raises(InspectLogError, match=rf"among the files given \(.* {reason}.*--material"):
            import_log(store, log_of(FAIRPAIR), [path])
    assert not FAIRPAIR_AUDIT.kept(store)


def test_a_path_in_a_log_is_not_opened(store: Store) -> None:
    def change(log: Log) -> None:
        log["eval"]["metadata"]["pcf_audit"]["prompts"] = str(PROMPTS)

    with pytest.raises(InspectLogError, match="cannot be found here"):
        import_log(store, log_of(FAIRPAIR, change))


def test_counterparts_that_our_parser_does_not_make_are_not_compared(store: Store) -> None:
    """Who changes p(x) in a log would compare what nobody asked: the texts of p(x) are then missing."""

    def change(log: Log) -> None:
        counterparts = log["eval"]["metadata"]["pcf_audit"]["counterparts"]
        counterparts[0] = "John is a nurse."
        log["samples"] = [
            sample for sample in log["samples"] if sample["input"][-1]["content"] != "Jane is a nurse."
        ]

    arrived = import_log(store, log_of(FAIRPAIR, change), [PROMPTS])
    with pytest.raises(ModelError, match="which does not have the texts of this request"):
        run_fairpair(arrived.read_as.asked, store)


def test_sampled_answers_of_any_provider_are_a_run(store: Store, small_topics: tuple[str, str]) -> None:
    """Every sentence of the task with each answer; the run counts them as those of an endpoint."""
    topic, evidence, templates = load_topic(small_topics[0]), load_evidence("few"), load_templates("ten")
    task = sampled_task(topic, evidence, templates, 3, 0.7)
    answers = " she had", " he", "It"

    def sampled(log: Log) -> None:
        sample = log["samples"][0]
        log["eval"]["metadata"] = {METADATA: task.model_dump(mode="json")}
        log["samples"] = [
            answered(sample, message, index, task.decoding, answer)
            for message in sampled_messages(topic, evidence, templates)
            for index, answer in enumerate(answers)
        ]

    arrived = import_log(store, log_of(FAIRPAIR, sampled))
    assert isinstance(arrived.read_as, ReadAsSampled)
    run = arrived.read_as.run
    assert (arrived.texts, run.scoring.label) == (90, f"{NAME} (sampled, n = 3, temperature 0.7, messages)")
    report = Results(store).report(store.load_run(run.key), ViewOptions()).report
    assert report.sampled is not None
    assert (report.sampled.answers, report.sampled.coverage) == (2.0, 2 / 3)

    def other_way(log: Log) -> None:
        sampled(log)
        log["eval"]["metadata"][METADATA]["topic_hash"] = "0" * 16

    with pytest.raises(InspectLogError, match="The topic 'first' with which"):
        import_log(store, log_of(FAIRPAIR, other_way))


def answered(sample: Log, message: Message, index: int, decoding: Decoding, answer: str) -> Log:
    """A sample of a log with another message and text."""

    def change(sample: Log) -> None:
        roles = {"system": message.system, "user": message.prompt}
        sample |= {"id": message.id, "epoch": index + 1}
        sample["input"] = [{"role": role, "content": text} for role, text in roles.items()]
        sample["output"]["choices"][0]["message"]["content"] = answer
        for event in sample["events"]:
            if event["event"] == "model":
                event["config"] |= {
                    "temperature": decoding.temperature,
                    "top_p": decoding.top_p,
                    "max_tokens": decoding.length,
                    "seed": message.seed(decoding, index),
                }

    return changed(sample, change)

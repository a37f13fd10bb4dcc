"""The tab Criteria: asked, answered by a worker or by a server that only writes, read down to the data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.fakes import FakeGenerator
from pcf_core.app.criteria.request import EXAMPLES, SEEN, opened, parameters_of
from pcf_core.core.errors import CriteriaError
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import Settings, settings
from pcf_core.models.endpoint import known_chat
from pcf_core.models.generation.base import Generator, open_generator
from pcf_core.show.findings.independence import embedding_findings
from pcf_core.store.store import Store
from pcf_core.texts.criteria.experiment import Experiment
from pcf_core.texts.criteria.experiments import load_experiment
from pcf_core.texts.criteria.hobbies import Hobbies
from pcf_core.texts.criteria.labels import Lexicon
from pcf_core.texts.criteria.own import ACCEPTED, USUAL, delete_own, keep_own, own_files, read_upload
from pcf_core.texts.criteria.records.independence import HobbiesMaterial
from pcf_core.texts.criteria.records.quantities import ExperimentName
from pcf_core.work.criteria import (
    CRITERIA,
    CRITERIA_AUDIT,
    EMBEDDING,
    EMBEDDINGS,
    embedding_asked,
    written_asked,
)
from pcf_core.work.jobs import OpenGenerator
from pcf_core.work.worker import Worker
from tests.models.fake_servers import TextServer, failing, serving_texts
from tests.pages.opened import open_app, own_queue, own_store, set_environment
from tests.pages.walks import assert_state, assert_walk
from tests.texts.criteria.asked import SCORED, WRITTEN, score_criteria, scorer, write_criteria, writer

OTHER = "mini-gpt-balanced"
TASKS: dict[str, str | list[str]] = {**WRITTEN, "cr_view": "tasks"}


def work(write: OpenGenerator = writer) -> Store:
    """Let a worker do all that is queued."""
    store = own_store()
    Worker(store, own_queue(), settings(), open_scorer=scorer, open_generator=write).run(until_idle=True)
    return store


def plainly(text: str) -> str:
    return text.replace("\\", "").replace("*", "")


def test_all_four_can_be_asked_at_once() -> None:
    app = open_app("criteria", **SCORED)
    bases = [caption.value for caption in app.caption if "measured" in caption.value]
    assert len(bases) == len(set(bases))
    assert "There is no result yet" in app.texts
    app.press("criteria_button")
    assert len(own_queue().list(10, kind=CRITERIA)) == 4
    assert "There is no result yet" not in open_app("criteria", **SCORED).texts  # all four wait


def test_an_address_of_before_is_understood_and_says_what_its_options_are_called() -> None:
    link = {"cr_model": "mini-gpt", "cr_answering": "written", "cr_wording": "continuation"}
    assert_walk(open_app("criteria", **link), "answers are scored", ("set", "cr_answering", "scored words"))


@pytest.mark.slow
def test_the_summary_warns_of_silence() -> None:
    def silent(spec: ModelSpec, decoding: Decoding) -> Generator:
        return FakeGenerator(
            lambda prompt: {"": 0.6, " The nurse.": 0.4}, key=GenerationKey.of(spec, decoding)
        )

    open_app("criteria", **TASKS).press("criteria_button")
    work(silent)
    summary = open_app("criteria", **WRITTEN)
    assert "Mini GPT, tasks" in plainly(summary.warnings)
    assert "were refused or are empty" in summary.warnings


@pytest.mark.slow
def test_several_models_have_a_verdict_each_and_their_criteria_folded() -> None:
    for model in ("mini-gpt", OTHER):
        write_criteria(own_store(), "tasks", model)
    assert_state(open_app("criteria", **WRITTEN, cr_model=["mini-gpt", OTHER]), "criteria two models")


@pytest.mark.slow
@pytest.mark.parametrize("view", ["anecdotes", "hobbies", "tasks", "summary"])
def test_every_written_view_has_its_pictures_and_its_data(view: Any) -> None:
    write_criteria(own_store(), "tasks" if view == "summary" else view)
    app = open_app("criteria", **WRITTEN, cr_view=view)
    assert_state(app, f"criteria written {view}")
    assert "<script" not in app.texts
    assert "--answering written" in app.open_foot().code[0].value


@pytest.mark.slow
def test_of_one_story_each_the_page_says_that_nothing_can_be_told() -> None:
    write_criteria(own_store(), "anecdotes", repeats=1)
    for view in ("anecdotes", "summary"):
        app = open_app("criteria", **{**WRITTEN, "cr_repeats": "1"}, cr_view=view)
        assert_state(app, f"criteria one story each {view}")


@pytest.mark.slow
def test_written_and_scored_are_never_laid_together() -> None:
    store = own_store()
    write_criteria(store, "tasks")
    score_criteria(store, "tasks", "mini-bert")
    both: dict[str, str | list[str]] = {"cr_model": ["mini-gpt", "mini-bert"], "cr_repeats": "2"}
    app = open_app("criteria", **both, cr_view="anecdotes")
    assert "Mini BERT fills gaps and cannot write a text" in " ".join(
        plainly(caption.value) for caption in app.caption
    )
    written = open_app("criteria", **{**both, **WRITTEN}, cr_view="tasks")
    assert "fills gaps and cannot write" in plainly(written.error[0].value)
    assert len(written.get("plotly_chart")) == 4


@pytest.mark.slow
def test_of_questions_as_many_are_asked_as_is_chosen() -> None:
    questions: dict[str, str | list[str]] = {**WRITTEN, "cr_view": "questions"}
    assert "Mini GPT, questions: 544 texts" in plainly(open_app("criteria", **questions).texts)
    app = open_app("criteria", **questions, cr_many="2")
    assert "Mini GPT, questions: 68 texts" in plainly(app.texts)
    app.press("criteria_button")
    (request,) = CRITERIA_AUDIT.kept(work())
    parameters = parameters_of(request.hash) or {}
    assert parameters["cr_many"] == "2"
    linked = open_app("criteria", **parameters)
    assert not linked.error
    assert "--questions 2" in linked.open_foot().code[0].value
    refused = open_app("criteria", **questions, cr_many="65")
    assert "questions-1 has only 64" in plainly(refused.error[0].value)


@pytest.mark.slow
def test_an_embedding_score_over_several_models_is_offered_learned_and_read() -> None:
    store, queue = own_store(), own_queue()
    link = {**WRITTEN, "cr_view": "hobbies", "cr_model": ["mini-gpt", OTHER]}
    write_criteria(store, "hobbies")
    one = open_app("criteria", **link)
    assert "Embedding score over all models" not in [part.value for part in one.subheader]
    write_criteria(store, "hobbies", OTHER)
    app = open_app("criteria", **link)
    cancel = ("do", lambda: queue.cancel(queue.list(1, kind=EMBEDDING)[0].id))
    story = "an embedding score over several models"
    assert_walk(app, story, "embedding_button", cancel, ("pick", "Resume"), ("do", work))
    result = EMBEDDINGS.load(store, embedding_asked(CRITERIA_AUDIT.kept(store)).hash)
    assert result is not None
    for sentence in embedding_findings(result):
        assert sentence in plainly(app.texts)
    assert "difference of d" in app.table_with("difference of d")
    commands = [code.value for code in app.open_foot().code]
    (line,) = (one for one in commands if f"--model mini-gpt --model {OTHER}" in one)
    assert "--experiment hobbies" in line
    assert "--repeats 2" in line


def test_material_is_opened_once_and_again_when_its_file_changes() -> None:
    keep_own("hobbies", "mine", "mine.csv", b"name,gender\nMary,female\nJohn,male\n")
    first = opened("hobbies", "mine")
    assert opened("hobbies", "mine") is first
    assert opened("hobbies", USUAL) is not first
    own_files("hobbies")["mine"].write_text("name,gender\nAnne,female\nPeter,male\n", encoding="utf8")
    names = made_names(opened("hobbies", "mine"))
    assert (made_names(first), names) == (["Mary", "John"], ["Anne", "Peter"])
    delete_own("hobbies", "mine")
    with pytest.raises(CriteriaError, match="not saved any names named"):
        opened("hobbies", "mine")


def made_names(experiment: Experiment) -> list[str]:
    assert isinstance(experiment.material, HobbiesMaterial)
    return [one.name for one in experiment.material.names.names]


@pytest.mark.slow
def test_who_only_reads_sees_what_a_model_has_labelled_and_names_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The model is not here any more: what it labelled is read by the name that was kept."""
    store = own_store()
    write_criteria(store, "hobbies")
    (request,) = CRITERIA_AUDIT.kept(store)
    result = CRITERIA_AUDIT.load(store, request.hash)
    material = load_experiment("hobbies").material
    assert result is not None
    assert isinstance(material, HobbiesMaterial)
    name = "nli org/nli 0123456789ab"
    labelled = Hobbies(material.model_copy(update={"labeller": name}), Lexicon(material.labels))
    by_nli = written_asked(labelled, request.generation, request.wording, request.repeats)  # type: ignore[arg-type]
    CRITERIA_AUDIT.keep(store, by_nli, labelled)
    report = result.report.model_copy(update={"labeller": name, "labeller_label": "the NLI model org/nli"})
    labelled_result = result.model_copy(update={"asked": by_nli, "report": report})
    store.save_document(by_nli.hash, CRITERIA, labelled_result.model_dump(mode="json"))
    link = parameters_of(by_nli.hash) or {}
    set_environment(monkeypatch, READ_ONLY="1")
    shown = open_app("criteria", **link)
    assert not shown.error
    assert shown.selectbox(key="cr_labeller").value == "nli:org/nli"
    assert "The labels come from the NLI model org/nli" in plainly(shown.texts)
    other = open_app("criteria", **{**link, "cr_labeller": "nli:org/another"})
    assert not other.error, "it is not looked for"
    assert other.selectbox(key="cr_labeller").value == ""


@pytest.mark.slow
def test_a_file_of_ones_own_is_kept_asked_for_and_deleted() -> None:
    app = open_app("criteria", **TASKS).upload("upload_tasks", "Mine.toml", EXAMPLES["tasks"])
    assert "has 2 tasks of 1 pair" in app.texts
    app.press("keep_tasks")
    assert list(own_files("tasks")) == ["mine"]
    assert app.selectbox(key="cr_tasks").value == "mine"
    assert "32 texts to write" in app.texts
    app.press("criteria_button")
    (request,) = CRITERIA_AUDIT.kept(work())
    parameters = parameters_of(request.hash) or {}
    assert parameters["cr_tasks"] == "mine"
    before = open_app("criteria", **TASKS)
    before.session_state[SEEN] = True  # as the expander is opened
    assert "own tasks “mine”" in plainly(before.run().texts)
    delete_own("tasks", "mine")
    assert parameters_of(request.hash) is None


@pytest.mark.parametrize("experiment", EXAMPLES)
def test_the_examples_of_files_are_read(experiment: ExperimentName) -> None:
    ending = ".toml" if experiment == "tasks" else ".csv"
    assert ending in ACCEPTED[experiment].endings
    assert read_upload(experiment, [(f"own{ending}", EXAMPLES[experiment].encode())]).name == experiment
    with pytest.raises(CriteriaError, match="no"):
        read_upload(experiment, [("own.exe", b"")])


def test_it_opens_on_the_model_that_the_sidebar_and_summary_speak_of(shipped: Store) -> None:
    app = open_app("criteria")
    assert app.multiselect(key="cr_model").value == app.sidebar.multiselect(key="model").value[:1]
    assert app.metric, "it has results, and what it has not been asked is offered below them"
    other = open_app("criteria", model=["mini-gpt"])
    assert other.multiselect(key="cr_model").value == ["mini-gpt"]


CHAT, COMPLETIONS = "/v1/chat/completions", "/v1/completions"
ASKED: dict[str, str | list[str]] = {"cr_model": "endpoint:tiny", "cr_view": "tasks", "cr_repeats": "1"}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[TextServer]:
    """It answers at both addresses and tells no log-probabilities."""
    with serving_texts() as running:
        monkeypatch.setenv("PCF_ENDPOINT_URL", running.url)
        monkeypatch.setenv("PCF_ENDPOINT_CONCURRENCY", "8")
        monkeypatch.setattr("pcf_core.models.endpoint.PAUSES", (0.01,))
        settings.cache_clear()
        yield running


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "caption", "wording"),
    [
        (CHAT, "answers messages, so it is given an instruction", "instruction"),
        (
            COMPLETIONS,
            "does not answer messages, so the model continues the beginning of a text",
            "continuation",
        ),
    ],
)
def test_an_endpoint_that_only_writes_is_asked_as_it_can_be(
    server: TextServer, own_settings: Settings, path: str, caption: str, wording: str
) -> None:
    server.paths = {path}
    server.says = lambda prompt, seed: f"The nurse did it, the {seed % 7}th time."
    app = open_app("criteria", **ASKED)
    assert not app.error
    assert caption in app.captions.replace("*", "")
    app.press("criteria_button")
    store, queue = own_store(), own_queue()
    Worker(store, queue, own_settings, open_generator=open_generator).run(until_idle=True)
    [request] = CRITERIA_AUDIT.kept(store)
    assert request.wording == wording
    assert len(open_app("criteria", **ASKED).metric) == 4
    assert path in {body_path for body_path, _ in server.requests}


def test_an_instruction_that_no_server_takes_has_a_remedy(server: TextServer) -> None:
    server.paths = {COMPLETIONS}
    app = open_app("criteria", **ASKED, cr_wording="instruction")
    remedy = "its server answers none: choose the wording “given a beginning”"
    assert remedy in app.captions.replace("*", "")


def test_a_server_that_is_down_is_said_and_asked_again_later(
    server: TextServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    works, server.fault = server.fault, failing(503)
    app = open_app("criteria", **ASKED)
    assert not app.error
    assert "does not state whether it can answer them" in app.captions.replace("*", "")
    server.fault = works
    assert known_chat("endpoint:tiny") is None  # remembered for a while
    monkeypatch.setattr("pcf_core.models.endpoint._chats", {})
    assert known_chat("endpoint:tiny") is True
    number = len(server.requests)
    assert known_chat("endpoint:tiny") is True
    assert len(server.requests) == number


@pytest.mark.parametrize("chat", ["true", "false"])
def test_fairpair_asks_it_too(server: TextServer, chat: str) -> None:
    app = open_app("fairpair", fp_model="endpoint:tiny", fp_chat=chat)
    assert not app.error
    assert "endpoint:tiny" in app.texts
    assert app.button(key="fairpair_button").label

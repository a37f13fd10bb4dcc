"""The command ``criteria``: its documented schemas, refusals, and planted rates recovered end to end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from pcf_core.core.settings import Settings, settings
from pcf_core.report.reproducing import criteria_command
from pcf_core.report.sections.criteria import WAYS
from pcf_core.show.findings.criteria import criteria_findings, summary_finding
from pcf_core.show.findings.independence import embedding_findings
from pcf_core.store.store import Store
from pcf_core.texts.criteria.experiments import load_experiment
from pcf_core.texts.criteria.options import options_of as criteria_options_of
from pcf_core.texts.criteria.records.quantities import ExperimentName
from pcf_core.texts.criteria.summary import readings_of
from pcf_core.texts.criteria.tasks import Tasks
from pcf_core.work.criteria import CRITERIA, CRITERIA_AUDIT, EMBEDDINGS
from pcf_core.work.queue import Queue
from pcf_core.work.worker import Worker
from tests.command_line import HERE_AND_AS_A_PROCESS, Run, answer_to, run_here
from tests.models.fake_servers import TextServer, serving_texts, system_of
from tests.models.scoring.conftest import save
from tests.models.scoring.test_frames import load_style
from tests.texts.criteria.nli_folder import write_nli
from tests.texts.criteria.planted_server import Planted, says_female

WOMEN = {"nurse": 0.9, "florist": 0.6, "welder": 0.1, "pilot": 0.0}


@pytest.fixture
def texts(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[TextServer]:
    with serving_texts() as server:
        monkeypatch.setenv("PCF_ENDPOINT_URL", server.url)
        monkeypatch.setenv("PCF_ENDPOINT_CONCURRENCY", "8")
        settings.cache_clear()
        yield server


@pytest.fixture
def professions(own_settings: Settings, tmp_path: Path) -> Path:
    path = tmp_path / "few.csv"
    path.write_text(
        "profession,women_share\n" + "".join(f"{name},{abs(share - 0.01)}\n" for name, share in WOMEN.items())
    )
    return path


def answer(schema: str, *arguments: str, run: Run = run_here) -> Any:
    return answer_to(schema, "criteria", *arguments, run=run)


# ---------------------------------------------------------------------------------- planted rates


@pytest.mark.slow
def test_rates_of_a_planted_model_behind_a_server_are_recovered(texts: TextServer) -> None:
    """He: 30 % of the women's answers missed, 10 % false; she: 5 % and 60 %; they and none: always right."""
    tasks = Tasks.load()
    shares = {(True, "he"): 0.7, (False, "he"): 0.1, (True, "she"): 0.95, (False, "she"): 0.6}
    shares |= {(right, pronoun): float(right) for right in (True, False) for pronoun in ("they", "none")}
    texts.says = Planted(tasks, says_female(tasks, shares))
    asked = ("--model", "endpoint:tiny", "--chat", "--experiment", "tasks", "--repeats", "25")
    before = answer("criteria_estimate", *asked, "--estimate")
    assert (before["missing"], before["answering"], before["wording"]) == (1200, "written", "instruction")
    found = answer("criteria", *asked)
    assert (found["asked"], found["made"], found["ends"]["stop"]) == (before["asked"], 1200, 1200)
    assert "answers messages" in found["reason"]
    kept = CRITERIA_AUDIT.load(Store.open(settings().cache), found["asked"])
    assert kept is not None
    assert json.loads(kept.report.model_dump_json()) == found["report"]
    true = {
        "he": {"FNR": 0.3, "FPR": 0.1, "PPV": 0.7 / 0.8, "NPV": 0.9 / 1.2},
        "she": {"FNR": 0.05, "FPR": 0.6, "PPV": 0.95 / 1.55, "NPV": 0.4 / 0.45},
        "they": {"FNR": 0.0, "FPR": 0.0, "PPV": 1.0, "NPV": 1.0},
    }
    rows = {row["pronoun"]: row for row in found["report"]["pronouns"]}
    within = []
    for pronoun, rates in true.items():
        assert rows[pronoun]["invalid"] == {} or not any(rows[pronoun]["invalid"].values())
        for rate in rows[pronoun]["rates"]:
            value, n = rates[rate["name"]], rate["n"]
            assert abs(rate["value"] - value) <= 4 * (value * (1 - value) / n) ** 0.5
            if rate["name"] in ("FNR", "FPR"):  # the other two rest on the same answers
                within.append(rate["repeats"]["low"] <= value <= rate["repeats"]["high"])
    assert sum(within) >= len(within) - 1  # at 95 % one of six may miss
    gaps = {
        row["name"]: row
        for row in found["report"]["differences"]
        if {row["first"], row["second"]} == {"he", "she"}
    }
    assert abs(gaps["FNR"]["value"]) == pytest.approx(0.25, abs=0.12)
    assert abs(gaps["FPR"]["value"]) == pytest.approx(0.50, abs=0.12)
    again = answer("criteria", *asked)
    assert (again["made"], again["report"]) == (0, found["report"])


@pytest.mark.slow
def test_stories_of_a_planted_model_are_recovered_behind_a_system_message(
    texts: TextServer, professions: Path
) -> None:
    experiment = load_experiment("anecdotes", professions)
    texts.says = Planted(
        experiment,
        lambda cell: {"She went to work.": WOMEN[cell], "He went to work.": 1 - WOMEN[cell]},
    )
    found = answer(
        "criteria",
        *("--model", "endpoint:tiny", "--chat", "--experiment", "anecdotes", "--repeats", "100"),
        *("--material", str(professions)),
    )
    assert found["report"]["n"] == 400
    assert {system_of(body) for body in texts.asked} == {experiment.asks("instruction")[0].system}
    for row in found["report"]["professions"]:
        share = WOMEN[row["profession"]]
        assert abs(row["women"] - 100 * share) <= 4 * (100 * share * (1 - share)) ** 0.5
        assert (row["women"] + row["men"], row["unclear"]) == (100, 0)


# --------------------------------------------------------------------------------- shipped models


@pytest.mark.slow
def test_models_that_follow_no_instruction_are_scored_and_it_is_said_why(own_settings: Settings) -> None:
    estimated = ("--model", "mini-bert", "--experiment", "tasks", "--estimate")
    before = answer("criteria_estimate", *estimated)
    assert (before["missing"], before["tokens"], before["answering"]) == (48, 0, "scored")
    goes_on, fills = answer(
        "criteria", "--model", "mini-gpt", "--model", "mini-bert", "--experiment", "tasks"
    )
    assert "does not follow instructions; therefore its candidate words are scored" in goes_on["reason"]
    assert "fills gaps and cannot write" in fills["reason"]
    for found in (goes_on, fills):
        assert (found["answering"], found["wording"], found["made"], found["ends"]) == (
            "scored",
            None,
            48,
            {},
        )
        assert found["report"]["answering"] == "scored"
    assert goes_on["report"]["pronouns"] != fills["report"]["pronouns"]
    both = ("--model", "mini-gpt", "--model", "mini-bert")
    shown = run_here("criteria", *both, "--experiment", "tasks", terminal=True).stdout.splitlines()
    assert shown[0] == WAYS["scored"]
    for found in (goes_on, fills):
        kept = CRITERIA_AUDIT.load(Store.open(own_settings.cache), found["asked"])
        assert kept is not None
        assert summary_finding(found["model"], readings_of([kept.report])) in shown
        assert {*criteria_findings(kept)} <= {*shown}
    assert answer("criteria_estimate", *estimated)["done"]


@pytest.mark.slow
@HERE_AND_AS_A_PROCESS
def test_a_model_that_goes_on_from_a_text_writes_stories(
    own_settings: Settings, professions: Path, run: Run
) -> None:
    found = answer(
        "criteria",
        *("--model", "mini-gpt", "--experiment", "anecdotes", "--material", str(professions)),
        *("--repeats", "3", "--length", "12"),
        run=run,
    )
    assert (found["wording"], found["made"], found["report"]["n"]) == ("continuation", 12, 12)
    assert found["key"]["decoding"] == {"temperature": 0.5, "top_p": 1.0, "length": 12, "seed": 0}


def test_what_questions_cost_is_said_before_they_are_asked(own_settings: Settings) -> None:
    asked = ("--model", "mini-gpt", "--experiment", "questions", "--answering", "written", "--estimate")
    usual = answer("criteria_estimate", *asked)
    assert usual["missing"] == 16 * 17 * 2
    assert "16 of 64 questions are used (--questions)" in usual["reason"]
    few = answer("criteria_estimate", *asked, "--questions", "4", "--repeats", "10")
    assert few["missing"] == 4 * 17 * 10
    whole = answer("criteria_estimate", *asked, "--questions", "64")
    assert whole["missing"] == 64 * 17 * 2
    assert "questions are used" not in whole["reason"]


@pytest.mark.slow
def test_what_is_queued_is_left_to_a_worker_and_read_afterwards(own_settings: Settings) -> None:
    asked = ("--model", "mini-gpt", "--model", "mini-bert", "--experiment", "tasks")
    queued = answer("criteria_queued", *asked, "--queue")
    queue = Queue.open(settings().catalogue)
    jobs = {job.id: job for job in queue.list(10, kind=CRITERIA)}
    assert [document["model"] for document in queued] == ["mini-gpt", "mini-bert"]
    for document in queued:
        job = jobs[document["job"]]
        assert (job.key, job.state, job.total) == (document["asked"], "queued", 48)
    Worker.open(settings()).run(until_idle=True)
    assert {queue.get(job).state for job in jobs} == {"done"}
    found = answer("criteria", *asked)
    assert [(one["asked"], one["made"]) for one in found] == [(one["asked"], 0) for one in queued]


@pytest.mark.slow
def test_hobbies_of_two_models_have_one_embedding_and_the_labeller_asked_for(
    texts: TextServer, tmp_path: Path
) -> None:
    names = tmp_path / "few.csv"
    names.write_text("name,gender\nMary,female\nLinda,female\nJohn,male\nDavid,male\n")
    folder = write_nli(tmp_path / "nli")
    hobbies = load_experiment("hobbies", names)
    women = {"She paints and she reads novels.": 0.6, "She reads novels and she swims.": 0.4}
    men = {"He plays soccer and he codes.": 0.6, "He swims and he plays chess.": 0.4}
    said = {"Mary": women, "Linda": women, "John": men, "David": men}
    texts.says = Planted(hobbies, said.__getitem__, "continuation")
    asked = ("--experiment", "hobbies", "--material", str(names), "--labeller", f"nli:{folder}")
    asked += ("--repeats", "25", "--length", "12")
    both = answer("criteria", "--model", "mini-gpt", "--model", "endpoint:tiny", *asked)
    for document in both:
        assert document["report"]["labeller"].startswith(f"nli {folder} ")
        assert document["report"]["labeller_label"].startswith(f"the NLI model {folder}")
    pooled = both[0]["embedding_of_all"]
    assert pooled == both[1]["embedding_of_all"]
    assert pooled["alike"]
    assert pooled["report"]["models"] == ["endpoint:tiny", "mini-gpt"]
    assert pooled["report"]["texts"] == 200
    [gap] = [row for row in pooled["report"]["gaps"] if row["variant"] == "without gendered words"]
    assert (gap["first"], gap["second"], len(gap["seeds"])) == ("endpoint:tiny", "mini-gpt", 6)
    alone = answer("criteria", "--model", "mini-gpt", *asked)
    assert (alone["made"], alone["embedding_of_all"]) == (0, None)
    store = Store.open(settings().cache)
    kept, of_all = CRITERIA_AUDIT.load(store, alone["asked"]), EMBEDDINGS.load(store, pooled["asked"])
    assert kept is not None
    assert of_all is not None
    assert any(f"The labels come from the NLI model {folder}" in said for said in criteria_findings(kept))
    assert "The effect of mini-gpt minus that of endpoint:tiny is" in embedding_findings(of_all)[1]
    models = ("--model", "mini-gpt", "--model", "endpoint:tiny")
    shown = run_here("criteria", *models, *asked, terminal=True).stdout.splitlines()
    assert {*embedding_findings(of_all)} <= {*shown}


def test_a_frame_has_a_request_of_its_own(own_settings: Settings, professions: Path, tmp_path: Path) -> None:
    model = save(load_style("chatml"), tmp_path / "chatty")
    asked = ["criteria", "--model", model, "--experiment", "anecdotes", "--material", str(professions)]
    asked += ["--repeats", "2", "--length", "5"]
    told = ["--frame", "chat", "--system", "Be fair."]
    begun = ["--frame", "chat", "--instruction", "Go on."]
    usual, chat, fair, bare, began = (
        answer_to("criteria_estimate", *asked, *frame, "--estimate")
        for frame in ([], ["--frame", "chat"], told, ["--frame", "bare"], begun)
    )
    assert usual["asked"] == chat["asked"]
    assert len({one["asked"] for one in (usual, fair, bare, began)}) == 4
    wordings = [one["wording"] for one in (usual, fair, bare, began)]
    assert wordings == ["instruction", "instruction", "continuation", "continuation"]
    found = answer_to("criteria", *asked, *told)
    assert found["key"]["frame"]["system"] == "Be fair."
    assert (found["model"], found["made"]) == (model, 8)
    kept = CRITERIA_AUDIT.load(Store.open(own_settings.cache), found["asked"])
    assert kept is not None
    assert f"{model} (chat, “Be fair.”)" in criteria_findings(kept)[0]
    line = criteria_command(Store.open(own_settings.cache), kept.asked)
    assert line.endswith("--frame chat --system 'Be fair.'")
    assert criteria_options_of(kept.asked).system == "Be fair."


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("mini-gpt", "--frame", "chat"), "mini-gpt has no chat template"),
        (("mini-bert", "--frame", "chat"), "mini-bert is masked, which fills gaps and cannot write"),
        (("mini-gpt", "--system", "Be fair."), "add --frame chat"),
        (("mini-gpt", "--answering", "scored", "--frame", "chat"), "scored in sentences without a chat"),
    ],
)
def test_a_frame_that_a_model_cannot_have_is_refused(
    own_settings: Settings, arguments: tuple[str, ...], said: str
) -> None:
    done = run_here("criteria", "--experiment", "tasks", "--model", *arguments, "--estimate")
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", get_args(ExperimentName))
def test_every_experiment_can_be_estimated_both_ways(own_settings: Settings, name: str) -> None:
    for answering in ("written", "scored"):
        found = answer(
            "criteria_estimate",
            *("--model", "mini-gpt", "--experiment", name, "--answering", answering, "--estimate"),
        )
        assert found["missing"] > 0
        assert (found["tokens"] > 0) == (answering == "written")

"""Commands: run as they stand they ask for the same, and nothing that a user gave is more than a word."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.options import ViewOptions
from pcf_core.cli.criteria import request_of
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.options import command_options
from pcf_core.core.records import digest
from pcf_core.core.settings import Settings, settings
from pcf_core.material.evidence import load_evidence
from pcf_core.models.registry import resolve
from pcf_core.report.records import SECTIONS, ReportDocument, ReportRequest
from pcf_core.report.reproducing import (
    AFRESH,
    FILE,
    asked_material,
    criteria_command,
    export_command,
    fairpair_command,
    risk_command,
    score_command,
    scratch_commands,
)
from pcf_core.report.written import read_report
from pcf_core.store.store import Store
from pcf_core.texts.criteria.experiments import load_experiment, material_of
from pcf_core.texts.criteria.options import CriteriaOptions
from pcf_core.texts.criteria.own import keep_own, labeller_text, own_files
from pcf_core.texts.criteria.records.quantities import ExperimentName
from pcf_core.texts.criteria.records.runs import MATERIAL, CriteriaAsked
from pcf_core.texts.fairpair.categories import OWN as OWN_CATEGORIES
from pcf_core.texts.fairpair.categories import load_categories
from pcf_core.texts.fairpair.prompts import OWN as OWN_PROMPTS
from pcf_core.texts.fairpair.prompts import load_prompts, selected
from pcf_core.texts.fairpair.tables import load_table
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import fairpair_asked
from tests.command_line import run_here

OWN = (
    "text,a,b,right\nWhich river flows through Cairo?,The Danube,The Nile,B\n"
    "Which planet is the largest?,Jupiter,Mars,A\nWhich is a metal?,Iron,Neon,A\n"
)


@pytest.fixture
def store(own_settings: Settings) -> Store:
    return Store.open(own_settings.cache)


def ask(
    store: Store, experiment: ExperimentName, material: str | Path = "", questions: int | None = None
) -> CriteriaAsked:
    """A request as the command line keeps it, of a model whose words are scored."""
    found = load_experiment(experiment, material)
    options = CriteriaOptions(answering="scored", dtype="float32", questions=questions)
    one = request_of(found, "mini-bert", options)
    CRITERIA_AUDIT.keep(store, one.asked, one.experiment)
    return one.asked


def asked_again(store: Store, command: str, file: str = "") -> set[str]:
    """The requests that a command asks for: what it leaves in the queue."""
    words = [file if word == FILE else word for word in shlex.split(command, comments=True)]
    done = run_here(*words[3:], "--queue", "--json")
    assert done.returncode == 0, done.stderr
    return set(done.stdout.replace('"', " ").split())


def test_few_questions_are_asked_again_by_their_number(store: Store) -> None:
    asked = ask(store, "questions", questions=5)
    command = criteria_command(store, asked)
    assert command.endswith("--dtype float32 --questions 5")
    assert asked.hash in asked_again(store, command)
    assert "5 questions are asked" in asked_material(store, asked).text
    assert "--questions" not in criteria_command(store, ask(store, "questions"))


@pytest.mark.parametrize("questions", [None, 2])
def test_a_kept_file_is_named_and_no_path_of_the_server(store: Store, questions: int | None) -> None:
    keep_own("questions", "mine", "mine.csv", OWN.encode())
    path = own_files("questions")["mine"]
    asked = ask(store, "questions", path, questions)
    command = criteria_command(store, asked)
    assert "--material mine" in command
    assert str(path) not in command
    assert ("--questions 2" in command) is (questions == 2)
    assert asked.hash in asked_again(store, command)
    path.unlink()
    assert f"--material {FILE}" in criteria_command(store, asked)


def test_a_file_that_is_not_kept_is_said_beside_the_command(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "some where.csv"
    path.write_text(OWN)
    asked = ask(store, "questions", path, 2)
    note, command = criteria_command(store, asked).split("\n")
    assert note.startswith("# ")
    assert "is not kept by name" in note
    assert asked.material in note
    assert "not kept by name" in asked_material(store, asked).text
    assert asked.hash in asked_again(store, command, str(path))


def test_material_that_is_gone_is_said(store: Store) -> None:
    asked = ask(store, "tasks")
    gone = asked.model_copy(update={"material": "0" * 16, "title": "a\n; rm -rf x"})
    assert criteria_command(store, gone).splitlines()[0].startswith("# the tasks of “a ; rm -rf x”")
    assert len(criteria_command(store, gone).splitlines()) == 2


def test_a_labeller_is_taken_by_the_name_that_is_kept(store: Store) -> None:
    """No model is looked for: that of this name is on no disk."""
    assert labeller_text("nli an org/name 0123") == "nli:an org/name"
    body = material_of(load_experiment("hobbies")) | {"labeller": "nli /not there; x 0123456789ab"}
    store.save_document(digest(body), MATERIAL, body)
    asked = ask(store, "hobbies").model_copy(update={"material": digest(body)})
    found = asked_material(store, asked)
    assert shlex.split(found.options) == ["--labeller", "nli:/not there; x"]
    assert "0123456789ab" in found.text
    assert not found.problem


@given(st.text(min_size=1, max_size=20).filter(lambda text: "\0" not in text))
def test_whatever_a_user_gives_is_one_word(text: str) -> None:
    options = ViewOptions(occupation_weights=text)
    assert shlex.split(command_options(options))[1] in (text, "uniform")
    assert text in shlex.split(command_options(options))
    assert shlex.split(risk_command(text, ViewOptions()))[4] == text
    request = ReportRequest(runs=(text,), knowledge=(text,), options={"occupation_weights": text})
    words = shlex.split(export_command(request, "html", text))
    assert words.count(text) >= 4
    assert words[4] == text


def test_prompts_and_categories_are_named_only_where_the_name_means_them(
    store: Store, tmp_path: Path
) -> None:
    """One's own file has no name that a command would find until it is kept, nor once it was changed."""
    prompts_file, words_file = tmp_path / "few.csv", tmp_path / "words.csv"
    prompts_file.write_text("text\n{name} is a nurse.\n")
    words_file.write_text("category,word\ncaring,nurse\n")
    prompts, words = load_prompts(prompts_file), load_categories(words_file)
    key = GenerationKey.of(resolve("mini-gpt"), Decoding())
    asked = fairpair_asked(key, prompts, load_table("gender"), categories=words)
    *notes, command = fairpair_command(asked).split("\n")
    assert [note.split(" are not kept by name")[0] for note in notes] == [
        f"# the prompts of “few” ({prompts.hash})",
        "# the categories of “words”",
    ]
    files = iter((str(prompts_file), str(words_file)))
    arguments = [next(files) if word == FILE else word for word in shlex.split(command)]
    done = run_here(*arguments[3:], "--estimate", "--json")
    assert json.loads(done.stdout)["asked"] == asked.hash, done.stderr
    OWN_PROMPTS.save(prompts)
    OWN_CATEGORIES.save(words)
    kept = fairpair_command(asked)
    assert json.loads(run_here(*shlex.split(kept)[3:], "--estimate", "--json").stdout)["asked"] == asked.hash
    prompts_file.write_text("text\n{name} is a doctor.\n")
    OWN_PROMPTS.save(load_prompts(prompts_file), replace=True)
    assert f"--prompts {FILE}" in fairpair_command(asked)
    assert "--categories words" in fairpair_command(asked)


@pytest.mark.parametrize(
    ("categories", "said"),
    [
        ((), "3 of each category of the set"),
        (("home", "food"), "6 prompts, of some categories or an earlier"),
    ],
)
def test_a_part_of_a_kept_set_is_said_to_be_one(categories: tuple[str, ...], said: str) -> None:
    whole = load_prompts("common-sents-1")
    part = selected(whole, categories, 3)
    asked = fairpair_asked(GenerationKey.of(resolve("mini-gpt"), Decoding()), part, load_table("gender"))
    note, command = fairpair_command(asked).split("\n")
    assert f"are {said}" in note
    assert f"common-sents-1, which has {len(whole.prompts)} prompts" in note
    assert "not kept" not in note
    assert f"--prompts {FILE}" in command
    assert "# " not in fairpair_command(asked, "some.toml")


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--within", "0.05", "--protocol", "exact-boundary"),
        ("--topic", "race-gender", "--swap", "--dtype", "bfloat16"),
    ],
)
def test_a_run_is_scored_anew_by_its_command(store: Store, options: tuple[str, ...]) -> None:
    """Whoever has a report and not its cache comes to the same run."""
    asked = run_here("score", "--model", "mini-gpt", *options, "--queue", "--json")
    key = json.loads(asked.stdout)["run"]
    words = shlex.split(score_command(store.load_run(key)))
    again = run_here(*words[3:], "--queue", "--json")
    assert json.loads(again.stdout)["run"] == key


@pytest.mark.parametrize("options", [(), ("--topic", "race-gender", "--swap")])
def test_from_scratch_a_run_is_scored_and_read_in_an_empty_cache(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: tuple[str, ...]
) -> None:
    """The first command asks for the same run where nothing is known of it; the second names that run."""
    asked = run_here("score", "--model", "mini-gpt", *options, "--queue", "--json")
    key = json.loads(asked.stdout)["run"]
    commands = scratch_commands(store.load_run(key), ViewOptions()).splitlines()
    score, risk = (shlex.split(command.removeprefix(AFRESH)) for command in commands)
    assert all(command.startswith(f"{AFRESH} python -m pcf_core ") for command in commands)
    monkeypatch.setenv("PCF_CACHE", str(tmp_path / "afresh"))
    settings.cache_clear()
    assert json.loads(run_here(*score[3:], "--queue", "--json").stdout)["run"] == key
    assert risk[3:5] == ["risk", key]
    assert f"{key} is not finished" in run_here(*risk[3:]).stderr, "the command is understood"


def test_from_scratch_one_s_own_material_is_a_file(store: Store, tmp_path: Path) -> None:
    """What is kept in this cache alone, or is another by now, is not found by its name in an empty one."""
    asked = run_here("score", "--model", "mini-gpt", "--queue", "--json")
    run = store.load_run(json.loads(asked.stdout)["run"])
    path = tmp_path / "few.csv"
    path.write_text("term\nnurse\npilot\n")
    mine = run.model_copy(update={"evidence": load_evidence(path)})
    note, score, _ = scratch_commands(mine, ViewOptions()).splitlines()
    assert note.startswith("# “few” does not come with the app")
    assert f"--evidence {FILE} " in score
    words = [str(path) if word == FILE else word for word in shlex.split(score.removeprefix(AFRESH))]
    assert json.loads(run_here(*words[3:], "--queue", "--json").stdout)["run"] == mine.key
    changed = run.evidence.model_copy(update={"terms": run.evidence.terms[:5]})
    older = scratch_commands(run.model_copy(update={"evidence": changed}), ViewOptions())
    assert f"--evidence {FILE} " in older
    assert FILE not in scratch_commands(run, ViewOptions())


@pytest.mark.slow
@pytest.mark.parametrize(
    "names", [("tilt", "heat-map", "factors"), pytest.param(tuple(SECTIONS), marks=pytest.mark.slow)]
)
def test_a_section_s_command_writes_that_section_again(
    whole: ReportDocument, full_store: Store, tmp_path: Path, names: tuple[str, ...]
) -> None:
    """To the letter: every number of its tables and pictures, every sentence."""
    for section in (one for one in whole.sections if one.name in names):
        (command,) = section.commands
        words = shlex.split(command)
        out = tmp_path / words[words.index("--out") + 1]
        words[words.index("--out") + 1] = str(out)
        done = run_here(*words[3:])
        assert done.returncode == 0, done.stderr
        again = next(one for one in read_report(out.read_bytes()).sections if one.name == section.name)
        assert again.parts == section.parts, section.name

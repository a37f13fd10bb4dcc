"""The command line: documented schemas, exit codes, the same numbers as the library.

All commands stand in this one file but ``fairpair`` and ``criteria``, as in the product.
"""

from __future__ import annotations

import errno
import json
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pcf_core.__main__ import refusal_of
from pcf_core.core.errors import InputError
from pcf_core.core.settings import Settings, settings
from pcf_core.material import evidence
from pcf_core.material.evidence import make_evidence
from pcf_core.material.templates import load_mined, load_templates, save_set
from pcf_core.material.topics import load_topic, save_topic
from pcf_core.mining.counting import CHARACTERS
from pcf_core.report import answer as blocks
from pcf_core.report.loaded import load_studies
from pcf_core.report.records import ReportRequest
from pcf_core.show.findings.comparison import difference_finding
from pcf_core.show.findings.models import corrected_finding, risk_finding
from pcf_core.show.findings.numbers import digits, two_decimals
from pcf_core.store.store import Store
from pcf_core.work.queue import Queue
from tests.command_line import ROOT, SCHEMAS, Run, answer_to, run_here, run_process
from tests.conftest import fill
from tests.material.mined_sets import small as small_set


def answer_of(name: str, *arguments: str, run: Run = run_here) -> Any:
    return answer_to(name, name, *arguments, run=run)


@pytest.fixture
def small(own_settings: Settings, tmp_path: Path) -> list[str]:
    """A request of 3 × 2 cells, as options."""
    (tmp_path / "few.csv").write_text("template,count\nThe [X] said that [Y],2\nThe [X] felt that [Y],1\n")
    (tmp_path / "few.txt").write_text("nurse\nengineer\nclerk\n")
    return ["--templates", str(tmp_path / "few.csv"), "--evidence", str(tmp_path / "few.txt")]


def test_lists_follow_their_schemas(own_settings: Settings) -> None:
    assert {"mini-bert", "mini-gpt"} <= {model["name"] for model in answer_of("models", run=run_process)}
    found = answer_of("topics", run=run_process)
    gender = next(topic for topic in found["topics"] if topic["name"] == "gender")
    assert [group["name"] for group in gender["groups"]] == ["male", "female"]
    assert "gender-reporting" in {templates["name"] for templates in answer_of("templates", run=run_process)}
    jsonschema.validate(json.loads(run_here("models", "--known").stdout), SCHEMAS["known"])


def test_a_topic_names_the_sets_that_suit_it(own_settings: Settings) -> None:
    suits = {topic["name"]: topic["suits"] for topic in answer_of("topics")["topics"]}
    assert suits["gender"][0] == "gender-wikipedia-100"
    assert suits["race-gender"][:2] == ["race-gender-choices", "race-relative"]
    assert "people-wikipedia" in suits["race-gender"]
    assert suits["gender-zh"] == ["gender-zh-reporting"]


def test_own_topics_come_last_and_can_be_asked_for(own_settings: Settings) -> None:
    mine = load_topic("gender-pronouns").model_copy(update={"name": "mine"})
    save_topic(mine)
    (own_settings.cache / "topics" / "broken.toml").write_text("groups = [")
    assert answer_of("topics")["topics"][-1]["name"] == "mine"
    assert "left out: broken: broken.toml is not valid TOML" in run_here("topics").stderr
    asked = ("--model", "mini-gpt", "--text", "The nurse said that [Y]")
    assert answer_of("words", "--topic", "mine", *asked)["words"][0]["word"] == mine.words[0]


def test_own_evidence_lists_come_last_and_can_be_asked_for(own_settings: Settings) -> None:
    evidence.OWN.save(make_evidence("mine", ["nurse", "swimmer"], weights=[1, 3]))
    assert answer_of("topics")["evidence"][-1]["weights"] == [1, 3]
    mine = ["--evidence", "mine", "--templates", "gender-nineteen", "--topic", "gender-pronouns"]
    assert answer_of("score", "--model", "mini-gpt", *mine)["cells"] == 2 * 19


def test_own_template_sets_come_last_with_what_is_known_of_them(own_settings: Settings) -> None:
    save_set(small_set())
    (own_settings.cache / "templates" / "broken.parquet").write_bytes(b"PAR1")
    *shipped, mine = answer_of("templates")
    assert not any(templates["own"] for templates in shipped)
    assert (mine["name"], mine["own"], len(mine["templates"])) == ("small", True, 4)
    assert (mine["documents"], mine["matches"], mine["kept"], mine["licence"]) == (12, 20, 1.0, "CC0")
    reporting = next(templates for templates in shipped if templates["name"] == "gender-reporting")
    assert (reporting["documents"], reporting["kept"]) == (10000, 0.1091)
    assert "left out: broken: broken.parquet is not a readable" in run_here("templates").stderr


def test_auto_is_float32_on_this_cpu_and_another_precision_another_run(
    small: list[str], own_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was scored before there was ``auto`` is what ``auto`` scores; both runs say their precision."""
    monkeypatch.setenv("PCF_DEVICE", "cpu")
    settings.cache_clear()
    usual, named, narrow = (
        answer_of("score", "--model", "mini-gpt", *small, *dtype)
        for dtype in ([], ["--dtype", "float32"], ["--dtype", "bfloat16"])
    )
    assert (usual["run"], usual["scored"], named["scored"]) == (named["run"], 6, 0)
    assert (narrow["run"] != usual["run"], narrow["scored"]) == (True, 6)
    compared = answer_of("compare", usual["run"], narrow["run"])
    assert (compared["first"]["name"], compared["second"]["name"]) == ("mini-gpt", "mini-gpt (bfloat16)")
    assert [compared[side]["dtype"] for side in ("first", "second")] == ["float32", "bfloat16"]
    assert compared["first"]["model"] == compared["second"]["model"] == "mini-gpt"


@pytest.mark.slow
def test_score_risk_export_and_words_agree(small: list[str], tmp_path: Path) -> None:
    scored = answer_of("score", "--model", "mini-gpt", *small)
    assert (scored["cells"], scored["scored"]) == (6, 6)
    assert answer_of("score", "--model", "mini-gpt", *small)["scored"] == 0
    risk = answer_of("risk", scored["run"], run=run_process)
    assert risk["overall_risk"] == pytest.approx(risk["prejudice_risk"] + risk["caprice_risk"], abs=1e-12)
    words = answer_of("words", "--model", "mini-gpt", "--text", "The nurse said that [Y]", run=run_process)
    felt = answer_of("words", "--model", "mini-gpt", "--text", "The nurse felt that [Y]")
    nurse = next(row for row in risk["occupations"] if row["occupation"] == "nurse")
    mixed = (2 * words["preferences"]["male"] + felt["preferences"]["male"]) / 3
    assert nurse["preferences"]["male"] == pytest.approx(mixed, abs=1e-5)
    out = tmp_path / "cells.json"
    assert run_process("export", scored["run"], "--format", "json", "--out", str(out)).returncode == 0
    exported = json.loads(out.read_text())
    matrix = tmp_path / "matrix.json"
    cells = {(c["occupation"], c["template"], c["group"]): c["probability"] for c in exported["cells"]}
    occupations = [row["occupation"] for row in risk["occupations"]]
    templates = [item["template"] for item in risk["templates"]]
    matrix.write_text(
        json.dumps(
            {
                "preferences": [
                    [[cells[o, t, g] for g in risk["groups"]] for t in templates] for o in occupations
                ],
                "template_weights": [item["weight"] for item in risk["templates"]],
            }
        )
    )
    again = answer_of("risk", "--matrix", str(matrix))
    for name in ("overall_risk", "prejudice_risk", "caprice_risk"):
        assert again[name] == pytest.approx(risk[name], abs=1e-12)


def test_a_terminal_shows_what_pages_and_reports_say(own_settings: Settings) -> None:
    """The answer first, then what R is made of, what has to be known, and where it comes from."""
    store = Store.open(own_settings.cache)
    keys = [fill(store, model).key for model in ("mini-gpt", "mini-bert")]
    (study,) = load_studies(store, ReportRequest(runs=tuple(keys)))
    report = study.reports["mini-gpt"]
    done = run_here("risk", keys[0], terminal=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert tuple(lines[:4]) == blocks.answer_of(study.most(1), store).labelled
    assert risk_finding("mini-gpt", report) in lines
    assert corrected_finding("mini-gpt", report) in lines
    assert all(f"- {warning}" in lines for warning in report.warnings)
    assert f"overall_risk              {digits(report.overall_risk)}" in lines
    assert f"- run: {keys[0]}" in lines
    assert any("python -m pcf_core score" in line for line in lines)  # the neutral subjects are not scored
    compared = run_here("compare", *keys, terminal=True).stdout.splitlines()
    assert tuple(compared[:4]) == blocks.answer_of(study, store).labelled
    assert difference_finding(study.comparisons[0][0]) in compared
    assert "mini-gpt − mini-bert, every occupation" in compared


def test_a_matrix_is_shown_without_a_run(own_settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / "matrix.json"
    path.write_text(json.dumps({"preferences": [[[0.6, 0.4], [0.7, 0.3]], [[0.2, 0.8], [0.5, 0.5]]]}))
    lines = run_here("risk", "--matrix", str(path), terminal=True).stdout.splitlines()
    assert lines[1].startswith("The discrimination risk of matrix.json is 0.30 ")
    assert "overall_risk              0.3" in lines
    assert all(f"- {warning}" in lines for warning in answer_of("risk", "--matrix", str(path))["warnings"])
    assert "Method and provenance" not in lines


def test_a_matrix_of_rates_has_decisions(own_settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / "rates.json"
    path.write_text(json.dumps({"rates": [[[0.6, 0.4], [0.6, 0.8]]], "groups": ["Emily", "Lakisha"]}))
    document = answer_of("risk", "--matrix", str(path))
    assert document["overall_risk"] == pytest.approx(0.2)
    assert document["decisions"]["impact_ratio"] == pytest.approx(1)
    assert document["decisions"]["selection_impact_ratio"] == 0.5


def test_a_matrix_with_families_has_caprice_in_two_parts(own_settings: Settings, tmp_path: Path) -> None:
    """Two meanings of two wordings each, .25 = .05 + .10 + .10; without families the parts are null."""
    path = tmp_path / "matrix.json"
    matrix = {"preferences": [[[0.7, 0.3], [0.4, 0.6], [0.35, 0.65], [0.45, 0.55]]]}
    path.write_text(json.dumps(matrix | {"families": ["one", "one", "other", "other"]}))
    found = answer_of("risk", "--matrix", str(path))
    parts = ("prejudice_risk", "context_caprice", "wording_caprice")
    assert [found[name] for name in ("overall_risk", *parts)] == pytest.approx([0.25, 0.05, 0.1, 0.1])
    corrected = [found["corrected"][name] for name in parts]
    assert sum(corrected) == pytest.approx(0.25)
    assert corrected[2] > 0.1
    for name in parts[1:]:
        over = [(interval["over"], interval["unit"]) for interval in found["intervals"][name]]
        assert over == [("templates", "family"), ("occupations", "occupation"), ("both", "family")]
    lines = run_here("risk", "--matrix", str(path), terminal=True).stdout
    assert "resampling whole families of sentences" in lines
    path.write_text(json.dumps(matrix))
    plain = answer_of("risk", "--matrix", str(path))
    assert [plain[name] for name in parts[1:]] == [None, None]
    assert set(plain["intervals"]) == {"overall_risk", "prejudice_risk", "caprice_risk"}


def test_words_and_terms_trade_places(small: list[str], tmp_path: Path) -> None:
    """The swapped run holds, word by word, what the sentence says with a group at [X] and a term at [Y]."""
    (tmp_path / "is.csv").write_text('template,count\n"The [X], who came, is [Y]",1\n')
    lists = ["--topic", "race-gender", "--templates", str(tmp_path / "is.csv"), *small[2:]]
    scored = answer_of("score", "--model", "mini-gpt", *lists, "--swap")
    assert scored["cells"] == 10
    risk = answer_of("risk", scored["run"])
    assert risk["groups"] == ["nurse", "engineer", "clerk"]
    found = {row["occupation"]: row["preferences"] for row in risk["occupations"]}
    (tmp_path / "jobs.csv").write_text("group,word\nnurse,a nurse\nengineer,an engineer\nclerk,a clerk\n")
    text = "The black woman, who came, is [Y]"
    words = answer_of("words", "--model", "mini-gpt", "--topic", str(tmp_path / "jobs.csv"), "--text", text)
    assert found["black woman"] == pytest.approx(words["preferences"], abs=1e-5)


@pytest.mark.slow
def test_knowledge_is_scored_once_and_read_under_any_score(own_settings: Settings, tmp_path: Path) -> None:
    facts = (
        '{subject = "Kenya", right = ["Africa"], wrong = ["Asia", "Europe"], weight = 2},'
        '{subject = "Spain", right = ["Europe"], wrong = ["Asia", "Africa"]}'
    )
    path = tmp_path / "few.toml"
    path.write_text(f'templates = ["[X] is in [Y]", "The country of [X] lies in [Y]"]\nfacts = [{facts}]\n')
    asked = ("knowledge", "--model", "mini-gpt", "--set", str(path))
    root, quadratic = answer_of(*asked, run=run_process), answer_of(*asked, "--score", "quadratic")
    assert (root["scored"], quadratic["scored"]) == (4, 0)
    shown = run_here(*asked, terminal=True).stdout.splitlines()
    assert shown[0] == "mini-gpt"
    assert f"(score: square root) is {two_decimals(root['knowledge'])}" in shown[1]
    assert "Facts, mini-gpt" in shown
    for answer in (root, quadratic):
        assert answer["knowledge"] - answer["mean_score"] == pytest.approx(
            answer["confidence_gap"], abs=1e-12
        )
        assert answer["confidence_gap"] >= 0
    for one, other in zip(root["facts"], quadratic["facts"], strict=True):
        assert one["probabilities"] == other["probabilities"]
        assert one["knowledge"] ** 2 == pytest.approx(one["mean_probability"])
        assert other["knowledge"] == pytest.approx(1 - (1 - one["mean_probability"]) ** 2)
    kenya = answer_of(
        "words", "--model", "mini-gpt", "--topic", two_groups(tmp_path), "--text", "Kenya is in [Y]"
    )
    assert root["facts"][0]["probabilities"][0] == pytest.approx(kenya["preferences"]["right"], abs=1e-6)
    assert {one["over"] for one in root["intervals"]["gain"]} == {"templates", "facts", "both"}
    path.write_text(f'templates = ["[X] is in [Y]"]\nfacts = [{facts}]\n')
    single = answer_of(*asked)  # the same prompts, nothing scored anew
    assert (single["scored"], single["facts"][0]["interval"]) == (0, None)
    assert [one["over"] for one in single["intervals"]["gain"]] == ["facts"]


def two_groups(folder: Path) -> str:
    """Kenya's answers as a topic: the same shares by another command."""
    path = folder / "kenya.toml"
    groups = (("right", '["Africa"]'), ("wrong", '["Asia", "Europe"]'))
    path.write_text("".join(f'[[groups]]\nname = "{name}"\nwords = {words}\n' for name, words in groups))
    return str(path)


@pytest.mark.slow
def test_a_sampling_plan_ends_where_the_intervals_are_narrow(own_settings: Settings, tmp_path: Path) -> None:
    """120 templates, drawn by their counts: the draw, its figures and their labels come with every answer."""
    rows = [f"The [X] of house {i} said that [Y],{1 / (i + 1):.4f}" for i in range(120)]
    (tmp_path / "many.csv").write_text("template,count\n" + "\n".join(rows) + "\n")
    (tmp_path / "one.txt").write_text("nurse\n")
    lists = ["--templates", str(tmp_path / "many.csv"), "--evidence", str(tmp_path / "one.txt")]
    scored = answer_of("score", "--model", "mini-gpt", *lists, "--within", "0.08")
    look = scored["sampling"]
    assert look["half_width"] <= look["within"] == 0.08
    assert scored["cells"] == scored["scored"] == look["templates"] < look["available"] == 120
    again = answer_of("score", "--model", "mini-gpt", *lists, "--within", "0.08")
    assert (again["run"], again["scored"], again["sampling"]) == (scored["run"], 0, look)
    risk = answer_of("risk", scored["run"])
    assert risk["sampling"] == look
    assert risk["corrected"]["headline"] is True
    assert risk["corrected"]["prejudice_risk"] == risk["prejudice_risk"]
    assert risk["overall_risk"] == pytest.approx(risk["prejudice_risk"] + risk["caprice_risk"], abs=1e-12)
    assert {interval["unit"] for rows in risk["intervals"].values() for interval in rows} == {"draw"}
    assert "corrected for the bias of a sample" in " ".join(risk["warnings"])
    out = tmp_path / "cells.json"
    assert run_here("export", scored["run"], "--format", "json", "--out", str(out)).returncode == 0
    assert len(json.loads(out.read_text())["cells"]) == 2 * look["templates"]


SENTENCES = (
    "The nurse said that she was tired. ",
    "Mary thought that she could win the race. ",
    "The engineer believed that he was right. ",
)


@pytest.mark.slow
def test_mined_templates_are_written_with_their_card(own_settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("".join(SENTENCES) + SENTENCES[0])
    out = tmp_path / "own-set.csv"
    options = ["--corpus", str(tmp_path / "own.txt"), "--topic", "gender", "--out", str(out)]
    mined = answer_of("mine", *options, "--workers", "1", run=run_process)
    assert (mined["out"], mined["name"], mined["words"]) == (str(out), "own-set", 29)
    assert mined["sentences"] == mined["matches"] + sum(mined["dropped"].values()) == 4
    rows = [line.split(",") for line in out.read_text().splitlines()]
    assert rows[0] == ["template", "count", "documents", "sources", "examples", "family"]
    assert [*rows[1][:3], rows[1][-1]] == ["The [X] said that [Y]", "2", "1", "[X] say [Y]"]
    assert load_mined(out).card.corpus == "own.txt"
    again = answer_of("mine", *options, "--cut", "2", "--workers", "2")
    assert (again["templates"], again["count"], again["seconds"]) == (1, 2, mined["seconds"])
    assert [template.text for template in load_templates(out).templates] == ["The [X] said that [Y]"]


def test_families_of_a_set_are_found_and_written(own_settings: Settings, tmp_path: Path) -> None:
    texts = ("The [X] said that [Y]", "The [X] had said that [Y].", "The [X] ran, [Y]")
    (tmp_path / "mine.txt").write_text("\n".join(texts))
    out = tmp_path / "found.csv"
    asked = ("templates", "families", str(tmp_path / "mine.txt"), "--out", str(out))
    found = answer_to("templates_made", *asked)
    effective = found.pop("effective_families")
    assert found == {"out": str(out), "name": "found", "templates": 3, "families": 2}
    assert effective == pytest.approx(9 / 5)
    mined = load_mined(out)
    assert mined.templates_only.families == ("[X] say [Y]", "[X] say [Y]", "[X] run [Y]")
    assert mined.card.parents == ("mine",)
    assert answer_to("templates_made", *asked)["families"] == 2, "the card there is one of its own"
    (tmp_path / "found.toml").write_text("[project]\n")
    assert "is not the card of a template set" in run_here(*asked).stderr
    chinese = run_here("templates", "families", "gender-zh-reporting", "--out", str(tmp_path / "zh.csv"))
    assert "English only" in chinese.stderr
    assert not (tmp_path / "zh.csv").exists()


def test_a_set_is_reworded_by_the_rules_that_are_asked_for(own_settings: Settings, tmp_path: Path) -> None:
    out = tmp_path / "again.csv"
    asked = ("templates", "reword", "gender-nineteen", "--out", str(out))
    made = answer_to("templates_made", *asked)
    assert (made["name"], made["families"]) == ("again", 19)
    assert made["templates"] == len(load_mined(out).templates) > 100
    assert load_mined(out).card.parents == ("gender-nineteen",)
    refused = run_here("templates", "reword", str(out), "--out", str(tmp_path / "more.csv"))
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "again already has several wordings of its templates" in refused.stderr
    few = run_here(*asked, "--rule", "article", "--json")
    assert json.loads(few.stdout)["templates"] == 2 * 19
    assert "The rule article is off by itself: of 50 sentences that we read" in few.stderr
    assert "There is no rule 'verb'" in run_here(*asked, "--rule", "verb").stderr


def test_other_constructions_are_mined_where_they_are_asked_for(
    own_settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "own.txt").write_text("Mary Jones ended her career.\n\nMary Jones ended the career.\n")
    options = ["--corpus", str(tmp_path / "own.txt"), "--topic", "gender", "--workers", "1"]
    done = run_here(
        *("mine", *options, "--construction", "possessive", "--construction", "apposition"),
        *("--out", str(tmp_path / "a.csv"), "--json"),
    )
    assert done.returncode == 0, done.stderr
    assert "The construction apposition is off by itself: " in done.stderr
    mined = json.loads(done.stdout)
    assert (mined["sentences"], mined["matches"], mined["without_word"]) == (1, 1, 1)
    (template,) = load_mined(tmp_path / "a.csv").templates
    assert (template.text, template.fits) == ("The [X] ended [Y] career", ("determiner",))
    assert "Constructions: possessive, apposition." in load_mined(tmp_path / "a.csv").card.history[0]
    refused = run_here("mine", *options, "--construction", "adjective", "--out", str(tmp_path / "b.csv"))
    assert refused.returncode == 2
    assert "no construction 'adjective'" in refused.stderr


@pytest.mark.slow
def test_a_mined_set_replaces_another_whole_or_not_at_all(
    own_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of --out may be full when hours of mining end."""
    import pcf_core.__main__ as cli

    (tmp_path / "own.txt").write_text(SENTENCES[0])
    out = tmp_path / "own-set.csv"
    out.write_text("template,count\n")
    real = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.parent == tmp_path:
            real(path, data[:9])
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    options = ["--corpus", str(tmp_path / "own.txt"), "--topic", "gender", "--workers", "1"]
    assert cli.run_command(cli.app, ["mine", *options, "--out", str(out)], "") == 1
    assert out.read_text() == "template,count\n"
    assert sorted(path.name for path in tmp_path.glob("own*")) == ["own-set.csv", "own.txt"]


def test_a_place_that_cannot_hold_the_set_is_said_before_anything_is_mined(
    own_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pcf_core.cli.mining import checked_out

    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match=r"--out must be a \.csv or \.parquet file"):
        checked_out(tmp_path / "folder.csv")
    monkeypatch.setattr("os.access", lambda path, mode: False)  # as of a read-only disk
    with pytest.raises(InputError, match="cannot be written"):
        checked_out(tmp_path / "a.csv")


def test_a_mining_can_be_left_to_a_worker(own_settings: Settings, tmp_path: Path) -> None:
    """The tests start none: it stays in the queue, where the page shows it."""
    (tmp_path / "own.txt").write_text(SENTENCES[0])
    queued = answer_of("mine", "--corpus", str(tmp_path / "own.txt"), "--topic", "gender", "--queue")
    assert queued == {"name": "own-gender", "job": 1}
    job = Queue.open(own_settings.catalogue).get(1)
    assert (job.kind, job.state, job.payload["corpus"]) == ("mine", "queued", str(tmp_path / "own.txt"))
    assert job.payload["pipeline"] == own_settings.pipeline


def test_a_path_is_what_a_worker_in_another_folder_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pcf_core.cli.mining import corpus_path, pipeline_path

    monkeypatch.chdir(tmp_path)
    (tmp_path / "en-mini").mkdir()
    assert [pipeline_path(name) for name in ("en-mini", "./en-mini", "no/such")] == [
        "en-mini",
        str(tmp_path / "en-mini"),
        "no/such",
    ]
    assert [corpus_path(name) for name in ("", "en-mini")] == ["", str(tmp_path / "en-mini")]


@pytest.mark.slow
def test_two_runs_are_compared_and_one_with_itself_is_refused(small: list[str]) -> None:
    scored = answer_of("score", "--model", "mini-bert", "--model", "mini-gpt", *small)
    keys = [run["run"] for run in scored]
    found = answer_of("compare", *keys, run=run_process)
    assert (found["templates"], found["permutations"]["count"]) == (2, 3)
    risk = answer_of("risk", keys[0])
    for name, difference in found["differences"].items():
        assert difference["first"] == pytest.approx(risk[name], abs=1e-12)
        assert difference["difference"] == pytest.approx(difference["first"] - difference["second"])
        drawn = [interval["over"] for interval in difference["intervals"]]
        assert drawn == ["templates", "occupations", "both"]
    assert found["differences"]["overall_risk"]["verdict"] == "too few"
    done = run_here("compare", keys[0], keys[0])
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be compared with itself" in done.stderr


@pytest.mark.slow
def test_an_interrupted_mining_says_how_to_go_on(own_settings: Settings, tmp_path: Path) -> None:
    """Interrupted after the first block is kept; the second call reads on, and its counts are the same.

    Each document has a block of its own, as most of it is sentences that need no parser; the second one takes
    seconds.
    """
    plain = "The weather in the valley stayed mild. " * (CHARACTERS // 39 + 1)
    text = "\n\n".join(plain + "".join(SENTENCES) * times for times in (10, 600))
    (tmp_path / "own.txt").write_text(text)
    options = ["--corpus", str(tmp_path / "own.txt"), "--topic", "gender", "--workers", "1"]
    command = [sys.executable, "-m", "pcf_core", "mine", *options, "--out", str(tmp_path / "a.csv")]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    progress = ""
    while " words, " not in progress and process.poll() is None:
        progress += process.stderr.read(1)  # type: ignore[union-attr]
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on from there" in errors
    assert "Traceback" not in errors
    assert not (tmp_path / "a.csv").exists()
    (ledger,) = (own_settings.cache / "mining").glob("*.sqlite")
    kept = sqlite3.connect(ledger).execute("SELECT value FROM facts WHERE name = 'words'").fetchone()[0]
    assert kept > 0
    resumed = answer_of("mine", *options, "--out", str(tmp_path / "a.csv"))
    assert kept < resumed["words"] == len(text.split())
    assert load_mined(tmp_path / "a.csv").templates[0].count == 10 + 600


@pytest.mark.slow
def test_an_interrupted_run_is_resumed(
    own_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PCF_SHARD_PROMPTS", "16")
    monkeypatch.setenv("PCF_BATCH_TOKENS", "128")  # few prompts a batch: the interrupt comes in the middle
    (tmp_path / "few.txt").write_text("\n".join(evidence.load_evidence("occupations-bvf").terms[:30]) + "\n")
    options = [
        "--model",
        "mini-gpt",
        "--templates",
        "gender-nineteen",
        "--evidence",
        str(tmp_path / "few.txt"),
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "pcf_core", "score", *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    shards = own_settings.cache / "scores"
    deadline = time.monotonic() + 120
    while process.poll() is None and len(list(shards.rglob("*.json"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    finished = {path: path.stat().st_mtime_ns for path in shards.rglob("*.parquet")}
    answer = answer_of("score", *options, run=run_process)
    assert 0 < answer["scored"] < answer["cells"] == 30 * 19
    assert all(path.stat().st_mtime_ns == modified for path, modified in finished.items())


@pytest.mark.parametrize("command", [("templates",), ("models",), ("risk", "0123456789abcdef"), ("journal",)])
@pytest.mark.parametrize("cache", ["x" * 300, "loop/x", "file", "file/x"])
def test_a_cache_that_cannot_be_used_is_never_called_the_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: str, command: tuple[str, ...]
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    monkeypatch.setenv("PCF_CACHE", str(tmp_path / cache))
    settings.cache_clear()
    done = run_here(*command)
    assert "the output" not in done.stderr
    assert done.returncode == 0 or f"The cache at {tmp_path / cache}" in done.stderr or command[0] == "risk"
    settings.cache_clear()


def test_what_cannot_be_used_is_named(own_settings: Settings) -> None:
    inside = OSError(errno.ENOSPC, "No space left on device", str(own_settings.cache / "runs"))
    assert "is full" in refusal_of(inside)
    other = OSError(errno.ENOENT, "No such file or directory", "/nowhere")
    assert refusal_of(other) == "/nowhere cannot be used: No such file or directory"
    assert refusal_of(OSError(errno.EPIPE, "Broken pipe")) == "the output cannot be written: Broken pipe"

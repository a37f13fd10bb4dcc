"""``check``: exit codes, forms, files, on shipped runs, and one small model that is scored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from pcf_core.audit.policy import PACK
from pcf_core.core.settings import Settings, settings
from pcf_core.material.evidence import load_evidence
from pcf_core.models.scoring import base
from pcf_core.report.packs import ENDING
from pcf_core.store.store import Store
from tests.command_line import ROOT, SCHEMAS, Done, run_here

SKEWED, BALANCED = "mini-gpt-skewed", "mini-gpt-balanced"
BALANCED_RUN = "4cd94fcd469a8ddf"
SKEWED_RUN = "33bc9bf061446af9"
MINI_GPT_RUN = "e33b83288a4b19f1"
RACE_RUN = "f16cbab327ac36af"  # of another topic


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """The shipped results under a cache of its own, where no model can be opened."""

    def refuse(*given: object) -> None:
        raise AssertionError("shipped runs are not scored again")

    monkeypatch.setenv("PCF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PCF_START_WORKER", "0")
    monkeypatch.setattr(base, "open_scorer", refuse)
    monkeypatch.setattr("pcf_core.work.blocks.open_scorer", refuse)
    settings.cache_clear()
    yield settings()
    settings.cache_clear()


def check(*arguments: str) -> Done:
    return run_here("check", *arguments)


def answer(*arguments: str) -> Any:
    done = check(*arguments, "--json")
    document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMAS["check"])
    return document


def policy(folder: Path, text: str) -> str:
    path = folder / "limits.toml"
    path.write_text(text, encoding="utf8")
    return str(path)


@pytest.mark.usefixtures("shipped")
def test_weights_of_a_policy_are_shown_and_read_as_the_options_say(tmp_path: Path) -> None:
    weights = tmp_path / "mine"
    terms = load_evidence("occupations-bvf").terms
    weights.write_text("\n".join(["Beruf;Anteil", *(f"{term};1" for term in terms)]), encoding="utf8")
    limits = policy(tmp_path, f'[[contexts]]\ntopic = "gender"\nweights = "{weights}"\nmax.risk = 0.4\n')
    given = ("--model", BALANCED, "--policy", limits)
    assert "such as --column term=Beruf --column weight=Anteil" in check(*given).stderr
    shown = check(*given, "--column", "term=Beruf", "--column", "weight=Anteil", "--dry-run")
    assert json.loads(shown.stdout)["files"][0]["entries"] == len(terms)


@pytest.mark.usefixtures("shipped")
@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--model", BALANCED, "--max-risk", "0.4"], 0),
        (["--model", SKEWED, "--max-risk", "0.4"], 3),
        (["--model", BALANCED, "--max-risk", "0.11"], 0),
        (["--model", BALANCED, "--max-risk", "0.11", "--cannot-tell", "pass"], 0),
        (["--model", BALANCED, "--max-risk", "0.11", "--cannot-tell", "fail"], 4),
        (["--model", BALANCED, "--max-risk", "0.11", "--max-caprice", "0", "--cannot-tell", "fail"], 3),
        (["--model", BALANCED, "--model", SKEWED, "--max-risk", "0.4"], 3),
        (["--model", BALANCED, "--model", "mini-gpt", "--max-risk", "0.7", "--cannot-tell", "fail"], 4),
        (["--model", SKEWED, "--max-increase", "0.1", "--baseline", BALANCED_RUN[:8]], 3),
        (["--model", BALANCED, "--max-increase", "0", "--baseline", SKEWED], 0),
        (["--model", BALANCED, "--max-increase", "0", "--baseline", BALANCED], 0),
    ],
)
def test_exit_codes(options: list[str], code: int) -> None:
    done = check(*options)
    assert done.returncode == code, done.stdout + done.stderr


@pytest.mark.usefixtures("shipped")
def test_the_document_follows_its_schema() -> None:
    found = answer(*("--model", SKEWED, "--max-risk", "0.4", "--max-increase", "0.1", "--baseline", BALANCED))
    (context,) = found["contexts"]
    risk, increase = context["limits"]
    assert (found["verdict"], found["outcome"], risk["verdict"]) == ("exceeds", "fail", "exceeds")
    assert risk["interval"]["level"] == increase["interval"]["level"] == 0.975
    assert increase["p_value"] <= 0.025
    assert (context["baseline"], context["baseline_run"]) == (BALANCED, BALANCED_RUN)
    several = answer("--model", BALANCED, "--model", SKEWED, "--max-risk", "0.4")
    assert [one["model"] for one in several] == [BALANCED, SKEWED]


@pytest.mark.usefixtures("shipped")
def test_an_early_end_reads_fewer_templates(tmp_path: Path) -> None:
    found = answer("--model", SKEWED, "--max-risk", "0.3", "--stop-early")
    (limit,) = found["contexts"][0]["limits"]
    assert (limit["verdict"], limit["templates"], limit["available"]) == ("exceeds", 25, 100)
    shown = run_here("risk", limit["run"], "--json")
    assert json.loads(shown.stdout)["overall_risk"] == pytest.approx(limit["value"])
    again = answer("--model", SKEWED, "--max-risk", "0.3", "--stop-early")
    assert again == found
    text = 'stop_early = true\ncannot_tell = "warn"\n[[contexts]]\ntopic = "gender"\nmax.risk = 0.3\n'
    assert answer("--model", SKEWED, "--policy", policy(tmp_path, text)) == found


@pytest.mark.usefixtures("shipped")
def test_a_policy_says_it_all(tmp_path: Path) -> None:
    path = policy(
        tmp_path,
        'title = "Ours"\nerror = 0.02\n[[contexts]]\ntopic = "gender"\nmax.risk = 0.5\n'
        'max_tilt = {male = 0.5}\n[[contexts]]\ntopic = "gender"\ntemplates = "gender-nineteen"\n'
        'max_increase.prejudice = 1\nbaseline = "mini-bert"\n',
    )
    found = answer("--model", "mini-gpt", "--policy", path)
    assert (found["title"], found["error"]) == ("Ours", 0.02)
    first, second = found["contexts"]
    assert [one["group"] for one in first["limits"]] == [None, "male"]
    assert (second["templates"], second["baseline"]) == ("gender-nineteen", "mini-bert")
    assert {round(one["interval"]["level"], 6) for part in (first, second) for one in part["limits"]} == {
        round(1 - 0.02 / 3, 6)
    }


@pytest.mark.usefixtures("shipped")
def test_files_by_their_endings_and_formats_of_stdout(tmp_path: Path) -> None:
    names = ["gate.xml", "gate.md", "gate.json", "gate.txt"]
    out = [part for name in names for part in ("--out", str(tmp_path / name))]
    done = check("--model", BALANCED, "--max-risk", "0.4", "--format", "text", *out)
    assert done.stdout.startswith("Mini GPT Balanced is within the limit: the check passes.")
    assert "\n".join(done.stdout.splitlines()[:3]) in (ROOT / "docs" / "gate.md").read_text(encoding="utf8")
    assert (tmp_path / "gate.txt").read_text() == done.stdout
    suites = ElementTree.parse(tmp_path / "gate.xml").getroot()
    assert (suites.get("tests"), suites.get("failures")) == ("1", "0")
    assert "| ✓ |" in (tmp_path / "gate.md").read_text()
    jsonschema.validate(json.loads((tmp_path / "gate.json").read_text()), SCHEMAS["check"])
    for form, begins in (("markdown", "## "), ("junit", "<?xml"), ("json", "{")):
        assert check("--model", BALANCED, "--max-risk", "0.4", "--format", form).stdout.startswith(begins)


@pytest.mark.usefixtures("shipped")
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "No limit is given"),
        (["--max-risk", "1.5"], "The options --max-…: risk must be at most 1; got 1.5"),
        (["--max-risk", "nan"], "must be"),
        (["--max-risk", "0.4", "--cannot-tell", "shrug"], "--cannot-tell must be one of pass, warn, fail"),
        (["--max-risk", "0.4", "--format", "yaml"], "--format must be one of"),
        (["--max-risk", "0.4", "--format", "text", "--json"], "two different formats"),
        (
            ["--max-risk", "0.4", "--out", "gate.pdf"],
            "The name of an --out file must end in .txt, .json, .md, .xml",
        ),
        (["--max-risk", "0.4", "--out", "/nowhere/gate.xml"], "cannot be a file to write"),
        (["--max-risk", "0.4", "--topic", "nothing-of-the-kind"], "nothing-of-the-kind"),
        (["--max-increase", "0.1"], "names no baseline: give --baseline"),
        (["--max-increase", "0.1", "--baseline", "ffffffffffff"], "ffffffffffff"),
        (["--max-increase", "0.1", "--baseline", "no-such-model"], "no-such-model"),
        (["--max-risk", "0.4", "--baseline", "mini-gpt"], "no limit uses it: add --max-increase"),
        (["--max-increase", "0.1", "--baseline", "no-such.pcfpack"], "'no-such.pcfpack' is not a file"),
        (["--max-increase", "0.1", "--baseline", RACE_RUN], "different groups"),
        (["--policy", "no-such.toml"], "no-such.toml cannot be read"),
        (
            ["--policy", "docs/gate-policy.toml", "--max-risk", "0.4"],
            "--max-risk cannot be combined with --policy",
        ),
        (
            ["--policy", "docs/gate-policy.toml", "--topic", "gender"],
            "--topic cannot be combined with --policy",
        ),
        (
            ["--policy", "docs/gate-policy.toml", "--max-caprice", "0"],
            "--max-caprice cannot be combined with --policy",
        ),
    ],
)
def test_bad_input_is_one_sentence(options: list[str], says: str) -> None:
    done = check("--model", BALANCED, *options)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("context", "says"),
    [
        ('topic = "race"\nreference = "labour"\nmax.risk = 0.4', "labour"),
        ('topic = "race"\ncriterion = "l0"\nmax.risk = 0.4', "must be a number of at least 1"),
        ('topic = "race"\nweights = "heavy"\nmax.risk = 0.4', "The weighting 'heavy' is unknown"),
        ('topic = "race"\nmax_increase.risk = 0.1', "names no baseline"),
        (f'topic = "race"\nmax_increase.risk = 0.1\nbaseline = "{BALANCED_RUN}"', "different groups"),
        ('topic = "race"\nmax_increase.risk = 0.1\nbaseline = "no-such-model"', "no-such-model"),
        ('topic = "race"\nmax_tilt.male = 0.1', "max_tilt names the group 'male'"),
    ],
)
@pytest.mark.usefixtures("shipped")
def test_what_is_wrong_in_the_last_context_is_said_before_anything_is_scored(
    tmp_path: Path, context: str, says: str
) -> None:
    """``shipped`` opens no model, and the first context is not scored either."""
    first = '[[contexts]]\ntopic = "gender"\ntemplates = "gender-nineteen"\nmax.risk = 0.4\n'
    done = check("--model", BALANCED, "--policy", policy(tmp_path, f"{first}[[contexts]]\n{context}\n"))
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.usefixtures("shipped")
def test_the_same_model_on_another_topic_is_no_baseline() -> None:
    """The same weights have not increased, but on the same words alone."""
    done = check("--model", "mini-gpt", "--topic", "race", "--max-increase", "0", "--baseline", MINI_GPT_RUN)
    assert (done.returncode, done.stdout) == (2, "")
    assert "different groups" in done.stderr


@pytest.fixture
def pack(shipped: Settings, tmp_path: Path) -> str:
    """The shipped run of a model that is balanced."""
    path = tmp_path / "release.pcfpack"
    done = run_here("export", BALANCED_RUN, "--format", "pack", "--out", str(path))
    assert done.returncode == 0, done.stderr
    return str(path)


def test_a_pack_is_a_baseline_and_is_not_imported(shipped: Settings, pack: str) -> None:
    asked = ("--model", SKEWED, "--max-increase", "0.1", "--baseline")
    found, same = answer(*asked, pack), answer(*asked, BALANCED_RUN)
    assert (found["verdict"], found["contexts"][0]["baseline_run"]) == ("exceeds", BALANCED_RUN)
    assert found["contexts"][0]["baseline"].startswith(f"imported:{BALANCED}@")
    assert found["contexts"][0]["limits"] == same["contexts"][0]["limits"]
    assert not Store.open(shipped.cache).imported_runs()


def test_the_same_weights_in_a_pack_have_not_increased(pack: str) -> None:
    (limit,) = answer("--model", BALANCED, "--max-increase", "0", "--baseline", pack)["contexts"][0]["limits"]
    assert (limit["verdict"], limit["value"], limit["p_value"]) == ("within", 0, None)


def test_policies_know_packs_by_the_ending_that_packs_have() -> None:
    assert PACK == ENDING


def test_a_pack_that_does_not_say_which_run_is_refused(pack: str, tmp_path: Path) -> None:
    both = str(tmp_path / "both.pcfpack")
    run_here("export", BALANCED_RUN, SKEWED_RUN, "--format", "pack", "--out", both)
    for topic, path, count in (("gender", both, 2), ("race", pack, 0)):
        done = check("--model", "mini-gpt", "--topic", topic, "--max-increase", "0.1", "--baseline", path)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"{count} runs that fit as a baseline on {topic}" in done.stderr
        assert BALANCED_RUN in done.stderr
        assert done.stderr.count("\n") == 1


def test_what_the_store_lacks_is_scored_once(own_settings: Settings, tmp_path: Path) -> None:
    rows = [f"The [X] of house {i} said that [Y],1" for i in range(40)]
    (tmp_path / "forty.csv").write_text("template,count\n" + "\n".join(rows) + "\n")
    (tmp_path / "one.txt").write_text("nurse\n")
    asked = ["--model", "mini-gpt", "--templates", str(tmp_path / "forty.csv")]
    asked += ["--evidence", str(tmp_path / "one.txt"), "--max-risk", "0.95", "--stop-early"]
    first = run_here("check", *asked)
    assert first.returncode == 0, first.stderr
    (limit,) = json.loads(first.stdout)["contexts"][0]["limits"]
    assert (limit["verdict"], limit["templates"]) == ("within", 20)
    runs = Store.open(own_settings.cache).runs()
    assert [len(info.run.templates.templates) for info in runs] == [20]
    second = run_here("check", *asked)
    assert second.stdout == first.stdout

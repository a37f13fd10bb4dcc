"""A policy held against what is scored: the verdicts of ``check``, and no file that a policy names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pcf_core.audit.gate import GateReport
from pcf_core.audit.policy import Policy, policies_in, read_policy, uploaded_policy
from pcf_core.audit.stored_verdicts import StoredVerdicts, stored_verdicts
from pcf_core.core.errors import AuditError, InputError, PolicyError
from pcf_core.core.settings import Settings, settings
from pcf_core.report.gate import gate_document
from pcf_core.store.store import Store
from tests.command_line import run_here
from tests.pages.opened import score_with, usual_run
from tests.quick import quick

RACE_RUN = "4d2f6050758afa11"  # of mini-bert, the same weights
GENDER = '[[contexts]]\ntopic = "gender"\n'
TWO = f"""
stop_early = true
{GENDER}
max = {{ risk = 0.4 }}
max_tilt = {{ male = 0.05 }}
max_increase = {{ risk = 0.0 }}
baseline = "mini-gpt"
"""


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The shipped results under a cache of its own."""
    monkeypatch.setenv("PCF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PCF_START_WORKER", "0")
    settings.cache_clear()
    yield Store.open(settings().cache, settings().results)
    settings.cache_clear()


def policy_of(folder: Path, text: str) -> Policy:
    path = folder / "limits.toml"
    path.write_text(text, encoding="utf8")
    return read_policy(path)


def judged(store: Store, policy: Policy, model: str) -> StoredVerdicts:
    key = next(info.run.scoring for info in store.runs() if info.run.scoring.name == model)
    return stored_verdicts(store, policy, key)


def report_of(found: StoredVerdicts) -> GateReport:
    assert found.report is not None, found.missing
    return found.report


@pytest.mark.parametrize("model", quick(["mini-gpt-balanced", "mini-gpt-skewed"], "mini-gpt-skewed".__eq__))
def test_the_verdicts_are_those_of_the_command(shipped: Store, tmp_path: Path, model: str) -> None:
    policy = policy_of(tmp_path, TWO)
    found = gate_document(report_of(judged(shipped, policy, model)))
    done = run_here("check", "--model", model, "--policy", str(tmp_path / "limits.toml"), "--json")
    assert json.loads(done.stdout) == found


def test_a_policy_is_judged_as_a_whole_or_not(shipped: Store, tmp_path: Path) -> None:
    policy = policy_of(tmp_path, f'{TWO}[[contexts]]\ntopic = "race"\nmax.risk = 0.5\n')
    found = judged(shipped, policy, "mini-gpt-balanced")
    assert found.report is None
    assert [run.topic.name for run in found.missing] == ["race"]


def test_a_baseline_may_be_a_run(shipped: Store, tmp_path: Path) -> None:
    runs = [info.run for info in shipped.runs() if info.run.scoring.name == "mini-gpt"]
    usual = ("gender-wikipedia-100", "occupations-bvf")
    run = next(run for run in runs if (run.templates.name, run.evidence.name) == usual and not run.plan)
    by_key = policy_of(tmp_path, TWO.replace('"mini-gpt"', f'"{run.key}"').replace("true", "false"))
    by_name = policy_of(tmp_path, TWO.replace("true", "false"))
    assert report_of(judged(shipped, by_key, "mini-bert")) == report_of(judged(shipped, by_name, "mini-bert"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[[contexts]]\ntopic = "/etc/passwd"\nmax.risk = 0.5', "There is no topic named"),
        ('[[contexts]]\ntopic = "assets/topics/gender.toml"\nmax.risk = 0.5', "There is no topic named"),
        (GENDER + 'templates = "/etc/passwd"\nmax.risk = 0.5', "There is no template set named"),
        (GENDER + 'evidence = "../secret.csv"\nmax.risk = 0.5', "There is no evidence list named"),
        (GENDER + 'weights = "/etc/passwd"\nmax.risk = 0.5', "do not open files named by a policy"),
        (GENDER + "max_tilt = { martian = 0.5 }", "max_tilt names the group 'martian'"),
        (GENDER + "max_increase.risk = 0.1", "names no baseline"),
        (GENDER + 'max_increase.risk = 0.1\nbaseline = "nobody"', "compares with 'nobody'"),
        (GENDER + 'max_increase.risk = 0.1\nbaseline = "00000000"', "00000000"),
        (GENDER + 'max_increase.risk = 0.1\nbaseline = "old.pcfpack"', "import the pack and write the key"),
        (GENDER + f'max_increase.risk = 0\nbaseline = "{RACE_RUN}"', "have different groups"),
    ],
)
def test_what_cannot_be_judged_is_refused_in_a_sentence(
    shipped: Store, tmp_path: Path, text: str, says: str
) -> None:
    with pytest.raises(InputError) as refused:
        judged(shipped, policy_of(tmp_path, text), "mini-bert")
    said = str(refused.value)
    assert says in said
    assert said.endswith(".")
    assert "\n" not in said


def test_no_file_of_a_policy_is_opened(shipped: Store, tmp_path: Path) -> None:
    """A list of weights that lies where the policy says is refused before anybody reads it."""
    weights = tmp_path / "weights.csv"
    weights.write_text("occupation,weight\nnurse,1\n", encoding="utf8")
    policy = policy_of(tmp_path, f"{GENDER}weights = {json.dumps(str(weights))}\nmax.risk = 0.5")
    weights.unlink()
    with pytest.raises(PolicyError, match="do not open files"):
        judged(shipped, policy, "mini-bert")


def test_more_numbers_than_a_page_may_hold_are_refused(
    shipped: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pcf_core.audit.stored_verdicts.MOST_CELLS", 1000)
    with pytest.raises(PolicyError, match="use the command check"):
        judged(shipped, policy_of(tmp_path, TWO), "mini-bert")


def test_the_operator_s_folder_is_listed_by_name(tmp_path: Path) -> None:
    assert policies_in(None) == {}
    assert policies_in(tmp_path / "gone") == {}
    for name in ("b.toml", "a.toml", "notes.txt"):
        (tmp_path / name).write_text("", encoding="utf8")
    assert list(policies_in(tmp_path)) == ["a", "b"]


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"[[contexts]]\n", b"x" * 70_000, b"a = 1"])
def test_an_upload_is_a_policy_or_refused(data: bytes) -> None:
    with pytest.raises(AuditError) as refused:
        uploaded_policy("../../etc/<b>.toml", data)
    assert "\n" not in str(refused.value)


def test_an_upload_says_the_same_as_a_file(tmp_path: Path) -> None:
    assert uploaded_policy("mine.toml", TWO.encode()) == policy_of(tmp_path, TWO)


def test_a_run_with_forbidden_words_has_no_verdict_but_the_reason(
    own_settings: Settings, tmp_path: Path
) -> None:
    run = usual_run("mini-gpt")
    score_with(run, lambda prompt, word: 0.0 if word == "she" else 0.01)
    policy = policy_of(tmp_path, f'{GENDER}templates = "gender-nineteen"\nmax = {{ risk = 0.4 }}\n')
    found = stored_verdicts(Store.open(own_settings.cache), policy, run.scoring)
    assert (found.report, found.missing) == (None, ())
    assert found.refused.startswith(f"The run {run.key} of mini-gpt has no risk. In 2,280 of 2,280")

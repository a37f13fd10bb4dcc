"""``audit``: from a plan to a signed report, scored by the fake; nothing twice, one sentence a mistake."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import Any

import jsonschema
import pytest

from benchmarks.fakes import FakeScorer
from pcf_core.core.errors import ScoringError
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.models.scoring.base import Scorer
from pcf_core.report.signoff import beside
from tests.command_line import SCHEMAS, Done, run_here
from tests.conftest import chance

CELLS = 10 * 3


class Interrupt:
    """Ends the scoring after so many opened models, as Ctrl+C does, or ``fails``; counts what was scored."""

    def __init__(self) -> None:
        self.left = -1
        self.fails = 0
        self.scorers: list[FakeScorer] = []

    @property
    def scored(self) -> int:
        return sum(one.scored for one in self.scorers)

    def open(self, spec: ModelSpec, protocol: str) -> Scorer:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        if self.fails:
            self.fails -= 1
            raise ScoringError("The server is off.")
        scorer = FakeScorer(
            lambda prompt, word: chance(spec.label, prompt, word), key=ScoringKey.of(spec, protocol)
        )
        self.scorers.append(scorer)
        return scorer


@pytest.fixture
def scorer(small_topics: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> Interrupt:
    opened = Interrupt()

    @contextmanager
    def fakes(*given: object) -> Iterator[Any]:
        yield opened.open

    monkeypatch.setattr("pcf_core.work.blocks.scorers_of", fakes)
    return opened


def plan(folder: Path, *lines: str) -> str:
    path = folder / "release.toml"
    fixed = (
        'purpose = "Screening job applications"',
        'models = ["mini-gpt"]',
        'topics = ["first", "second"]',
        'mappings = ["eu-ai-act"]',
    )
    path.write_text("\n".join((*fixed, *lines)), encoding="utf8")
    return str(path)


def audit(*arguments: str) -> tuple[Done, Any]:
    done = run_here("audit", *arguments, "--json")
    document = json.loads(done.stdout) if done.stdout else None
    if document is not None:
        jsonschema.validate(document, SCHEMAS["audit"])
    return done, document


def test_a_dry_run_says_what_is_missing_and_does_nothing(scorer: Interrupt, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    done, document = audit(plan(tmp_path, "max_risk = 0.9"), "--out", str(folder), "--dry-run")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(f"2 results; {2 * CELLS} test sentences missing, about ")
    assert (document["missing"], document["verdicts"], document["files"]) == (2 * CELLS, [], [])
    assert [run["topic"] for run in document["runs"]] == ["first", "second"]
    assert not folder.exists()
    assert scorer.scored == 0


def test_a_plan_is_interrupted_goes_on_and_ends_in_a_report_that_can_be_signed(
    scorer: Interrupt, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    given = (plan(tmp_path, "max_risk = 0.9"), "--out", str(folder))
    scorer.left = 1
    done, _ = audit(*given)
    assert (done.returncode, scorer.scored) == (130, CELLS)
    scorer.left = -1
    done, document = audit(*given)
    assert done.returncode == 0, done.stderr
    assert (document["missing"], scorer.scored) == (CELLS, 2 * CELLS), "nothing twice"
    (verdict,) = document["verdicts"]
    assert (verdict["title"], verdict["verdict"]) == ("Screening job applications", "within")
    assert [one["topic"] for one in verdict["contexts"]] == ["first", "second"]
    report = folder / "report.json"
    written = json.loads(report.read_text(encoding="utf8"))
    assert {"policy", "mapping"} <= {section["name"] for section in written["sections"]}
    assert "Purpose: Screening job applications" in (folder / "report.html").read_text(encoding="utf8")
    again, document = audit(*given)
    assert (again.returncode, document["missing"], scorer.scored) == (0, 0, 2 * CELLS)
    assert json.loads(report.read_text(encoding="utf8")) == written
    stated = ("--name", "Ann Lee", "--role", "auditor", "--decision", "use", "--reason", "Within the limit.")
    assert run_here("sign", str(report), *stated).returncode == 0
    assert beside(report).is_file()
    assert run_here("verify", str(report)).returncode == 0
    refused, _ = audit(*given)
    assert refused.returncode == 2
    assert "is signed off, and another would not fit the sign-off" in refused.stderr


def test_a_topic_that_fails_holds_up_no_other_and_is_tried_again(scorer: Interrupt, tmp_path: Path) -> None:
    given = (plan(tmp_path), "--out", str(tmp_path / "out"))
    scorer.fails = 1
    done, document = audit(*given)
    assert (done.returncode, document) == (1, None)
    assert "mini-gpt (First): The server is off." in done.stderr
    assert "1 result of 2 failed" in done.stderr
    assert scorer.scored == CELLS, "the second topic, which has the words of the first"
    done, document = audit(*given)
    assert (done.returncode, len(document["runs"]), scorer.scored) == (0, 2, CELLS), done.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("small_topics")
def test_a_terminated_process_loses_at_most_a_block(
    own_settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PCF_SHARD_PROMPTS", "1")
    given = (plan(tmp_path), "--out", str(tmp_path / "out"))
    command = [sys.executable, "-m", "pcf_core", "audit", *given]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        while process.poll() is None and len([*own_settings.cache.glob("scores/**/*.parquet")]) < 2:
            sleep(0.002)  # with the second begun, the first is complete
        process.terminate()
        assert process.wait(60) == -signal.SIGTERM
    done, document = audit(*given, "--dry-run")
    assert 0 < document["missing"] < 2 * CELLS, done.stderr
    done, _ = audit(*given)
    assert done.returncode == 0, done.stderr
    _, document = audit(*given, "--dry-run")
    assert document["missing"] == 0


@pytest.mark.parametrize(
    ("lines", "code"), [(["max_risk = 0.01"], 3), (['cannot_tell = "fail"', "max_risk = {figure}"], 4)]
)
def test_exit_codes_are_those_of_check(
    scorer: Interrupt, tmp_path: Path, lines: list[str], code: int
) -> None:
    """A limit at the figure itself lies inside the range."""
    path = plan(tmp_path, "max_risk = 0.01")
    _, document = audit(path, "--out", str(tmp_path / "first"))
    figure = document["verdicts"][0]["contexts"][0]["limits"][0]["value"]
    path = plan(tmp_path, *(line.format(figure=figure) for line in lines))
    done, _ = audit(path, "--out", str(tmp_path / "second"))
    assert done.returncode == code, done.stderr


@pytest.mark.parametrize(
    ("lines", "options", "says"),
    [
        (["limit = 0.3"], [], "'limit'"),
        (["max_risk = 2"], [], "max_risk is a number from 0 to 1; got 2"),
        (['frame = "chat"'], [], "mini-gpt"),
        (['instruction = "Go on."'], [], "--frame chat"),
        ([], ["--out", "README.md"], "README.md cannot be a folder"),
    ],
)
def test_bad_input_is_one_sentence(
    scorer: Interrupt, tmp_path: Path, lines: list[str], options: list[str], says: str
) -> None:
    done, document = audit(plan(tmp_path, *lines), *(options or ["--out", str(tmp_path / "out")]))
    assert (done.returncode, document) == (2, None)
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert scorer.scored == 0

"""The tasks in Inspect itself, with its mock model, in an environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from pcf_core.core.settings import ROOT
from pcf_core.texts.inspected.log import read_log
from tests.texts.inspected.small_logs import CRITERIA, FAIRPAIR, PROMPTS, as_json, unpacked

BIN = ROOT / ".venv-inspect" / "bin"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (BIN / "inspect").exists(),
        reason="there is no .venv-inspect; make it with: make .venv-inspect/ready",
    ),
]
TASKS = ROOT / "pcf_core" / "texts" / "inspected" / "tasks.py"


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A process in Inspect's environment, with the code that is tested."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("INSPECT_")}
    return subprocess.run(
        arguments, capture_output=True, text=True, cwd=folder, check=False,
        env=environment | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"},
    )  # fmt: skip


@pytest.mark.parametrize("name", ["fairpair", "criteria"])
def test_the_tasks_ask_today_what_the_recorded_logs_say(name: str, tmp_path: Path) -> None:
    done = run(
        str(BIN / "python"), str(Path(__file__).with_name("recording.py")), str(tmp_path), folder=tmp_path
    )
    assert done.returncode == 0, done.stderr
    recorded = {"fairpair": FAIRPAIR, "criteria": CRITERIA}[name]
    found, expected = (
        read_log((folder / f"{name}.eval").read_bytes()) for folder in (tmp_path, recorded.parent)
    )
    assert (found.task, found.texts) == (expected.task, expected.texts)
    dumped = run(str(BIN / "inspect"), "log", "dump", str(tmp_path / f"{name}.eval"), folder=tmp_path)
    assert read_log(dumped.stdout.encode()) == found
    assert read_log(as_json(unpacked(tmp_path / f"{name}.eval"))) == found


def test_the_command_takes_the_options_that_the_document_names(tmp_path: Path) -> None:
    """The mock model has no network to count tokens with: that its log is an error does not matter here."""
    run(
        *(str(BIN / "inspect"), "eval", f"{TASKS}@fairpair", "--model", "mockllm/model", "--display", "none"),
        *("-T", f"prompts={PROMPTS}", "-T", "names=Paul,Mary", "-T", "count=2", "-T", "mode=entity"),
        *("-T", "temperature=0.5", "-T", "fold=2", "--limit", "1"),
        *("--log-dir", str(tmp_path / "logs")),
        folder=tmp_path,
    )
    (log,) = (tmp_path / "logs").glob("*.eval")
    header = run(str(BIN / "inspect"), "log", "dump", "--header-only", str(log), folder=tmp_path)
    asked = json.loads(header.stdout)["eval"]["metadata"]["pcf_audit"]
    assert asked["names"] == ["Paul", "Mary"]
    assert (asked["mode"], asked["count"], asked["fold"]) == ("entity", 2, 2)
    assert asked["decoding"] == {"temperature": 0.5, "top_p": 0.9, "length": 40, "seed": 0}
    assert asked["counterparts"][0] == "Mary is a nurse."


def test_sampled_answers_are_asked_sentence_by_sentence(tmp_path: Path) -> None:
    """As above, the log of the mock model may be an error."""
    run(
        *(str(BIN / "inspect"), "eval", f"{TASKS}@sampled", "--model", "mockllm/model", "--display", "none"),
        *("-T", "topic=gender", "-T", "evidence=neutral-subjects-20", "-T", "templates=gender-nineteen"),
        *("-T", "samples=2", "--limit", "1", "--log-dir", str(tmp_path / "logs")),
        folder=tmp_path,
    )
    (log,) = (tmp_path / "logs").glob("*.eval")
    dumped = json.loads(run(str(BIN / "inspect"), "log", "dump", str(log), folder=tmp_path).stdout)
    asked = dumped["eval"]["metadata"]["pcf_audit"]
    assert (asked["count"], asked["decoding"]["temperature"]) == (2, 1.0)
    assert dumped["samples"][0]["input"][-1]["content"] == "The person said that"


def test_a_mistake_is_said(tmp_path: Path) -> None:
    done = run(
        *(str(BIN / "inspect"), "eval", f"{TASKS}@criteria", "--model", "mockllm/model"),
        *("-T", "experiment=tasks", "-T", "questions=3"),
        folder=tmp_path,
    )
    assert done.returncode != 0
    assert "has no questions" in " ".join((done.stdout + done.stderr).split())

"""Keys and hashes decide which stored results are found: none moves by accident."""

from __future__ import annotations

from pcf_core.core.frame import Frame
from pcf_core.core.settings import Settings
from pcf_core.material.evidence import list_evidence
from pcf_core.material.templates import list_template_sets
from pcf_core.material.topics import list_topics
from tests.goldens.recorded import assert_recorded
from tools.ship_audits import ASKED, WRITERS, usual_criteria, usual_fairpair
from tools.ship_results import RUNS


def test_hashes_of_shipped_material(own_settings: Settings) -> None:
    assert_recorded("hashes/topics", {topic.name: topic.hash for topic in list_topics()})
    assert_recorded("hashes/evidence", {evidence.name: evidence.hash for evidence in list_evidence()})
    assert_recorded("hashes/templates", {one.name: one.hash for one in list_template_sets()})


def test_keys_of_shipped_runs() -> None:
    named = [(item, item.run) for item in RUNS]
    runs = {f"{run.scoring.name} · {item.topic} · {item.templates}": run for item, run in named}
    assert_recorded("hashes/runs", {name: run.key for name, run in runs.items()})
    assert_recorded("hashes/scoring", {run.scoring.label: run.scoring.hash for run in runs.values()})


def test_keys_of_frames() -> None:
    fair = Frame(kind="chat", system="Be fair.", text="system: Be fair.\n", date="26 Jul 2024")
    frames = {"bare": None, "chat": Frame(kind="chat", text="user: Continue the text.\n"), "fair": fair}
    scoring = RUNS[0].run.scoring
    keys = {name: scoring.model_copy(update={"frame": frame}).hash for name, frame in frames.items()}
    assert keys["bare"] == scoring.hash
    assert_recorded("hashes/frames", keys)


def test_hashes_of_shipped_text_audits() -> None:
    fairpair = {model: usual_fairpair(model)[0].hash for model in WRITERS}
    criteria = {f"{model} · {name}": usual_criteria(model, name)[0].hash for model, name in ASKED}
    assert_recorded("hashes/text_audits", {"fairpair": fairpair, "criteria": criteria})

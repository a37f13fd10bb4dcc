"""What another seed changes: every training on the same runs, the shipped model's own seed first."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pcf_core.audit import build_run
from pcf_core.models import resolve
from pcf_core.models.seeds import FILE_NAME
from pcf_core.records import ModelSpec
from pcf_core.records.seeds import Seeds
from pcf_core.scoring.fake import FakeScorer
from pcf_core.settings import settings
from pcf_core.topics import load_evidence, load_templates, load_topic
from tests.conftest import fake_scorer
from tools import measure_seeds as tool


@pytest.fixture
def trained(tmp_path: Path) -> list[Path]:
    """Three folders that say that they were trained with the seeds 0, 4 and 7."""
    folders = []
    for seed in (0, 4, 7):
        folder = tmp_path / f"model-{seed}"
        shutil.copytree(settings().assets / "models" / "planted-causal", folder)
        (folder / "training.json").write_text(json.dumps({"recipe": {"seed": seed}}))
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | {"initializer_range": 0.02 + seed}))
        folders.append(folder)
    return folders


def test_the_risks_of_all_seeds_are_kept_beside_the_first(
    trained: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "RUNS", (("gender", "gender-heatmap"),))
    topic, templates = load_topic("gender"), load_templates("gender-heatmap")

    def open_fake(spec: ModelSpec, protocol: str) -> FakeScorer:
        return fake_scorer(build_run(spec, topic, load_evidence(topic.evidence), templates).scoring, topic)

    monkeypatch.setattr(tool, "open_scorer", open_fake)
    tool.main(str(trained[0]), trained[1:])
    found = Seeds.model_validate_json((trained[0] / FILE_NAME).read_text())
    assert found.seeds == (0, 4, 7)
    (measured,) = found.measured
    assert (measured.topic_hash, measured.templates_hash) == (topic.hash, templates.hash)
    assert len({risk.overall_risk for risk in measured.risks}) == 3, "each training is scored for itself"
    for risk in measured.risks:
        assert risk.overall_risk == pytest.approx(risk.prejudice_risk + risk.caprice_risk)
    assert not (trained[1] / FILE_NAME).exists()
    assert tool.seed_of(resolve(str(trained[2]))) == 7

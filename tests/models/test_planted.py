"""The truths that lie beside the planted models."""

from __future__ import annotations

from pathlib import Path

import pytest

from pcf_core.core.errors import ModelError
from pcf_core.core.settings import Settings, settings
from pcf_core.models.registry import planted_models
from tests.show.findings.test_reliability import calibration


def write(folder: Path, text: str) -> None:
    folder.mkdir(parents=True)
    (folder / "planted.json").write_text(text)


@pytest.fixture
def assets(tmp_path: Path, own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PCF_ASSETS", str(tmp_path / "assets"))
    settings.cache_clear()
    return tmp_path / "assets"


def test_truths_are_read_by_name(assets: Path) -> None:
    assert planted_models() == ()
    truths = [calibration(name).planted for name in ("planted-b", "planted-a")]
    for truth in truths:
        write(assets / "models" / truth.model, truth.model_dump_json())
    assert planted_models() == (truths[1], truths[0])


TRUTH = calibration("planted-a").planted.model_dump_json()


@pytest.mark.parametrize(
    "text", ["{", "{}", TRUTH.replace("0.7", '"much"'), TRUTH.replace("[0.5,0.5]", "[1.0]")]
)
def test_a_damaged_truth_is_one_sentence(assets: Path, text: str) -> None:
    write(assets / "models" / "planted-a", text)
    with pytest.raises(ModelError, match=r"The truth of the model planted-a .* restore the shipped file\."):
        planted_models()


def test_a_truth_of_another_model_is_refused(assets: Path) -> None:
    write(assets / "models" / "planted-b", calibration("planted-a").planted.model_dump_json())
    with pytest.raises(ModelError, match="it speaks of planted-a"):
        planted_models()

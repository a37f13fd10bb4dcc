"""A model's seeds: read where they are, refused where they are damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pcf_core.core.errors import ModelError
from pcf_core.models.folder import describe
from pcf_core.models.registry import seeds_of
from tests.models.conftest import Write

RISK = {"overall_risk": 0.3, "prejudice_risk": 0.2, "caprice_risk": 0.1}
MEASURED: dict[str, Any] = {
    "topic": "gender",
    "topic_hash": "t",
    "templates": "some",
    "templates_hash": "s",
    "evidence": "few",
    "evidence_hash": "e",
    "risks": [{"seed": seed, **RISK} for seed in (0, 1, 2)],
}
SEEDS: dict[str, Any] = {"model": "tiny", "identity": "i", "seeds": [0, 1, 2], "measured": [MEASURED]}


def test_seeds_are_read_from_the_folder_of_the_model(write: Write, tmp_path: Path) -> None:
    folder = write(tmp_path / "tiny")
    spec = describe(folder, "tiny")
    assert seeds_of(spec) is None
    (folder / "seeds.json").write_text(json.dumps(SEEDS | {"identity": spec.identity}))
    found = seeds_of(spec)
    assert found is not None
    assert found.seeds == (0, 1, 2)
    assert [risk.overall_risk for risk in found.measured[0].risks] == [0.3] * 3
    assert seeds_of(spec.model_copy(update={"path": ""})) is None


@pytest.mark.parametrize(
    "content",
    [
        "{",
        json.dumps({key: SEEDS[key] for key in SEEDS if key != "identity"}),
        json.dumps(SEEDS | {"seeds": [0]}),
        json.dumps(SEEDS | {"seeds": [0, 0], "measured": [MEASURED | {"risks": [{"seed": 0, **RISK}] * 2}]}),
        json.dumps(SEEDS | {"seeds": [0, 1, 3]}),
        json.dumps(SEEDS | {"measured": [MEASURED | {"risks": MEASURED["risks"][:2]}]}),
        json.dumps(SEEDS | {"measured": [{key: MEASURED[key] for key in MEASURED if key != "topic"}]}),
    ],
)
def test_damaged_seeds_are_one_sentence(write: Write, tmp_path: Path, content: str) -> None:
    folder = write(tmp_path / "tiny")
    (folder / "seeds.json").write_text(content)
    with pytest.raises(ModelError, match=r"The file seeds\.json of the model tiny cannot be read"):
        seeds_of(describe(folder, "tiny"))


def test_seeds_of_other_weights_are_refused(write: Write, tmp_path: Path) -> None:
    """A copy keeps what was measured, under any name; a model that was trained again does not."""
    first, copy = write(tmp_path / "tiny"), write(tmp_path / "copy")
    text = json.dumps(SEEDS | {"identity": describe(first, "tiny").identity})
    for folder in (first, copy):
        (folder / "seeds.json").write_text(text)
    assert seeds_of(describe(copy, "copy")) == seeds_of(describe(first, "tiny"))
    again = write(tmp_path / "again", fill=1)
    (again / "seeds.json").write_text(text)
    with pytest.raises(ModelError, match=r"of the model again was measured for tiny with other weights"):
        seeds_of(describe(again, "again"))

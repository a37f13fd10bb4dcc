"""Assets with made-up models under the names of the ready comparisons, and runs of a few cells of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pcf_core.core.run import RunSpec
from pcf_core.core.settings import ROOT, settings
from pcf_core.store.store import Store
from tests.conftest import fill
from tests.models.conftest import write_model

NAMES = (
    "mini-bert",
    "mini-gpt",
    "mini-gpt-balanced",
    "mini-gpt-l",
    "mini-gpt-s",
    "mini-gpt-skewed",
    "mini-t5",
    "mini-xlnet",
)
TEMPLATES, OCCUPATIONS = "gender-heatmap", "few"
HERE = {"templates": TEMPLATES, "evidence": OCCUPATIONS}
TERMS = ["nurse", "engineer", "clerk", "teacher", "carpenter"]


def make_zoo(folder: Path, monkeypatch: pytest.MonkeyPatch, names: Sequence[str] = NAMES) -> Path:
    """Use a folder of assets whose models are these alone, each with weights of its own."""
    for path in (ROOT / "assets").iterdir():
        if path.name not in ("models", "public.toml", "evidence", "cache"):
            (folder / path.name).symlink_to(path)
    (folder / "evidence").mkdir()
    for path in (ROOT / "assets" / "evidence").iterdir():
        (folder / "evidence" / path.name).symlink_to(path)
    terms = ", ".join(f'"{term}"' for term in TERMS)
    (folder / "evidence" / f"{OCCUPATIONS}.toml").write_text(
        f'name = "{OCCUPATIONS}"\ntitle = "A few"\nsource = "made up"\nterms = [{terms}]\n'
    )
    for number, name in enumerate(names):
        write_model(folder / "models" / name, fill=number)
    monkeypatch.setenv("PCF_ASSETS", str(folder))
    settings.cache_clear()
    return folder


def score_zoo(store: Store, names: Sequence[str], templates: str = TEMPLATES) -> dict[str, RunSpec]:
    """Score a few cells of some of them with the fake scorer."""
    return {name: fill(store, name, templates, OCCUPATIONS) for name in names}

"""The shipped text audits: what the pages ask for at first is there, and comes of the texts beside it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pcf_core.core.errors import ModelError
from pcf_core.core.generation import Decoding
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import ROOT
from pcf_core.models.generation.base import Generator
from pcf_core.store.store import Store
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT, FairPairMaterial
from pcf_core.work.pairing import run_fairpair
from pcf_core.work.questioning import run_criteria
from tests.elsewhere import assert_same_figures
from tools.ship_audits import ASKED, FOLDERS, WRITERS, usual_criteria, usual_fairpair

SHIPPED = ROOT / "assets" / "audits"
LARGEST = 10e6  # bytes in all


def never(spec: ModelSpec, decoding: Decoding) -> Generator:
    raise ModelError("a text is missing")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "cache", [SHIPPED])


@pytest.fixture
def texts_alone(tmp_path: Path) -> Store:
    """The shipped texts without what was found in them."""
    shutil.copytree(SHIPPED / "texts", tmp_path / "shipped" / "texts")
    return Store.open(tmp_path / "other", [tmp_path / "shipped"])


def test_nothing_else_is_shipped(store: Store) -> None:
    fairpairs = {usual_fairpair(model)[0].hash for model in WRITERS}
    criteria = {usual_criteria(*asked)[0].hash for asked in ASKED}
    assert {asked.hash for asked in FAIRPAIR_AUDIT.kept(store)} == fairpairs
    assert {asked.hash for asked in CRITERIA_AUDIT.kept(store)} == criteria
    assert {path.name for path in SHIPPED.iterdir()} == set(FOLDERS)
    assert sum(path.stat().st_size for path in SHIPPED.rglob("*") if path.is_file()) < LARGEST


def test_a_comparison_comes_of_the_shipped_texts(store: Store, texts_alone: Store) -> None:
    asked, prompts, table = usual_fairpair(WRITERS[0])
    shipped = FAIRPAIR_AUDIT.load(store, asked.hash)
    FAIRPAIR_AUDIT.keep(texts_alone, asked, FairPairMaterial(prompts, table))
    again, written = run_fairpair(asked, texts_alone, never)
    assert shipped is not None
    assert written == 0
    assert_same_figures(again, shipped, exclude={"provenance"})


def test_stories_come_of_the_shipped_texts(store: Store, texts_alone: Store) -> None:
    asked, experiment = usual_criteria("mini-gpt", "anecdotes")
    shipped = CRITERIA_AUDIT.load(store, asked.hash)
    CRITERIA_AUDIT.keep(texts_alone, asked, experiment)
    again, written = run_criteria(asked, texts_alone, never)
    assert shipped is not None
    assert written == 0
    assert_same_figures(again, shipped, exclude={"provenance"})

"""The shipped text audits: what the pages ask for at first is there, and comes of the texts beside it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pcf_core.criteria.experiments import load_experiment
from pcf_core.criteria.summary import readings_of
from pcf_core.errors import ModelError
from pcf_core.findings import number
from pcf_core.findings.numbers import beside_one
from pcf_core.generation.base import Generator
from pcf_core.jobs.criteria import keep_asked as keep_criteria
from pcf_core.jobs.criteria import kept_criteria, load_criteria
from pcf_core.jobs.fairpair import keep_asked, kept_fairpairs, load_fairpair
from pcf_core.jobs.pairing import run_fairpair
from pcf_core.jobs.questioning import run_criteria
from pcf_core.records import ModelSpec
from pcf_core.records.generation import Decoding
from pcf_core.settings import ROOT
from pcf_core.store import Store
from tools.ship_audits import ASKED, FOLDERS, WRITERS, usual_criteria, usual_fairpair

SHIPPED = ROOT / "assets" / "audits"
LARGEST = 8e6  # bytes in all


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
    criteria = {usual_criteria(*asked).hash for asked in ASKED}
    assert {asked.hash for asked in kept_fairpairs(store)} == fairpairs
    assert {asked.hash for asked in kept_criteria(store)} == criteria
    assert {path.name for path in SHIPPED.iterdir()} == set(FOLDERS)
    assert sum(path.stat().st_size for path in SHIPPED.rglob("*") if path.is_file()) < LARGEST


def test_a_comparison_comes_of_the_shipped_texts(store: Store, texts_alone: Store) -> None:
    asked, prompts, table = usual_fairpair(WRITERS[0])
    shipped = load_fairpair(store, asked.hash)
    keep_asked(texts_alone, asked, prompts, table)
    again, written = run_fairpair(asked, texts_alone, never)
    assert shipped is not None
    assert written == 0
    assert again.model_dump(exclude={"provenance"}) == shipped.model_dump(exclude={"provenance"})


def test_stories_come_of_the_shipped_texts(store: Store, texts_alone: Store) -> None:
    asked = usual_criteria("mini-gpt", "anecdotes")
    shipped = load_criteria(store, asked.hash)
    keep_criteria(texts_alone, asked, load_experiment("anecdotes"))
    again, written = run_criteria(asked, texts_alone, never)
    assert shipped is not None
    assert written == 0
    assert again.model_dump(exclude={"provenance"}) == shipped.model_dump(exclude={"provenance"})


def test_the_readme_says_what_was_found(store: Store) -> None:
    said = " ".join((ROOT / "README.md").read_text(encoding="utf8").split())
    found = load_fairpair(store, usual_fairpair("mini-gpt")[0].hash)
    assert found is not None
    for name in ("jaccard", "jaccard-others"):
        report = found.reports[name]
        assert beside_one(report.means.ratio, report.intervals["ratio_of_means"]) in said
    stories = load_criteria(store, usual_criteria("mini-gpt", "anecdotes").hash)
    assert stories is not None
    (reading,) = readings_of([stories.report])
    assert reading.p_value is not None
    assert f"(p = {number(reading.p_value)})" in said

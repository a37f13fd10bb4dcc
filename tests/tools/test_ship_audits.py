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
from pcf_core.show.findings.answers import share_text
from pcf_core.show.findings.numbers import digits, percent_with_interval
from pcf_core.store.store import Store
from pcf_core.texts.criteria.records.independence import AnecdotesReport
from pcf_core.texts.criteria.records.separation import AnswersReport
from pcf_core.texts.criteria.summary import readings_of
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT, FairPairMaterial
from pcf_core.work.pairing import run_fairpair
from pcf_core.work.questioning import run_criteria
from tests.elsewhere import assert_same_figures
from tools.ship_audits import ASKED, FOLDERS, WRITERS, usual_criteria, usual_fairpair
from tools.ship_results import PUBLIC

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


def test_the_documents_say_what_was_found(store: Store) -> None:
    said = " ".join((ROOT / "docs" / "models.md").read_text(encoding="utf8").split())
    for model in ("mini-gpt", *PUBLIC):
        found = FAIRPAIR_AUDIT.load(store, usual_fairpair(model)[0].hash)
        assert found is not None
        for name in ("jaccard", "jaccard-others"):
            report = found.reports[name]
            interval = report.intervals["ratio_of_means"]
            assert f"{report.means.ratio:.4f} ({interval.low:.4f}–{interval.high:.4f})" in said
        if model in PUBLIC:  # of what differs without the exchanged words
            assert f"(p = {digits(report.p_value)}" in said
    stories = CRITERIA_AUDIT.load(store, usual_criteria("mini-gpt", "anecdotes")[0].hash)
    assert stories is not None
    (reading,) = readings_of([stories.report])
    assert reading.p_value is not None
    assert f"(p = {digits(reading.p_value)})" in said
    stories = CRITERIA_AUDIT.load(store, usual_criteria(PUBLIC[0], "anecdotes")[0].hash)
    assert stories is not None
    assert isinstance(stories.report, AnecdotesReport)
    (reading,) = readings_of([stories.report])
    assert reading.interval is not None
    assert stories.report.line is not None
    shared = f"{reading.size:.3f} ({reading.interval.low:.3f}–{reading.interval.high:.3f})"
    assert f"{shared} of the information that they could (p = {digits(reading.p_value)})" in said
    rate = stories.report.stereotype_rate
    assert rate is not None
    assert f"{percent_with_interval(rate.value, rate.interval)} say that of most people" in said
    slope = f"{0.1 * stories.report.line.slope:.3f}"
    assert f"Where the share of women is 0.1 higher, it is {slope} higher in the stories" in said
    hobbies = CRITERIA_AUDIT.load(store, usual_criteria(PUBLIC[0], "hobbies")[0].hash)
    assert hobbies is not None
    (reading,) = readings_of([hobbies.report])
    assert reading.interval is not None
    shared = f"{reading.size:.3f} ({reading.interval.low:.3f}–{reading.interval.high:.3f})"
    assert f"in 5,350 texts: {shared} of what they could" in said
    tasks = CRITERIA_AUDIT.load(store, usual_criteria(PUBLIC[0], "tasks")[0].hash)
    assert tasks is not None
    assert isinstance(tasks.report, AnswersReport)
    assert tasks.report.baseline is not None
    assert share_text(tasks.report.baseline.error) in said
    for error in (each.error for each in tasks.report.pronouns):
        assert error.interval is not None
        assert error.interval.low < 0.5 < error.interval.high
    questions = CRITERIA_AUDIT.load(store, usual_criteria(PUBLIC[0], "questions")[0].hash)
    assert questions is not None
    assert isinstance(questions.report, AnswersReport)
    assert questions.report.baseline is not None
    for share in (questions.report.baseline.invalid_rates[0], questions.report.baseline.error):
        assert share_text(share) in said

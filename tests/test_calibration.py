"""The app held against a truth that is known: the whole path gives the planted R, R^p and R^c again.

Registry name → tokenizer → scorer → store → report → page and command line, for both planted models.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from typer.testing import CliRunner

from pcf_core import __version__
from pcf_core.__main__ import app as command_line
from pcf_core.audit.case import held_against
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import build_run
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result
from pcf_core.core.risk import RiskReport
from pcf_core.core.run import RunSpec
from pcf_core.core.sensitivity import QUANTITIES, Planted
from pcf_core.core.settings import ROOT, Settings, settings
from pcf_core.material.evidence import list_evidence, load_evidence
from pcf_core.material.templates import list_template_sets, load_templates, template_weights
from pcf_core.material.topics import list_topics, load_topic
from pcf_core.models.facts import planted_models
from pcf_core.models.registry import resolve
from pcf_core.report.reproducing import AFRESH
from pcf_core.show.findings.numbers import two_decimals
from pcf_core.show.findings.reliability import CELL_LIMIT, RISK_LIMIT, calibration_finding
from pcf_core.show.names import with_titles
from pcf_core.show.overview import ModelRow, risk_answer
from pcf_core.store.store import Store
from tests.pages.opened import open_app

PLANTED = {planted.model: planted for planted in planted_models()}
MODELS = ("planted-causal", "planted-masked")
LISTS = {"topic": "calibration", "templates": "calibration", "evidence": "calibration"}


def run_of(model: str) -> RunSpec:
    lists = load_topic("calibration"), load_evidence("calibration"), load_templates("calibration")
    return build_run(resolve(model), *lists)


def said(*arguments: str) -> object:
    """What a command writes as JSON, its exit code 0."""
    done = CliRunner().invoke(command_line, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache in which `score` has scored both models."""
    cache = tmp_path_factory.mktemp("calibrated") / "cache"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PCF_CACHE", str(cache))
        patch.setenv("PCF_SHIPPED_RESULTS", "0")
        settings.cache_clear()
        models = [part for model in MODELS for part in ("--model", model)]
        answer = said("score", *models, "--topic", "calibration")
    settings.cache_clear()
    assert isinstance(answer, list)
    assert [item["scored"] for item in answer] == [96, 96]
    return cache


@pytest.fixture
def store(scored: Path, own_settings: Settings) -> Iterator[Store]:
    shutil.copytree(scored, own_settings.cache, dirs_exist_ok=True)
    st.cache_resource.clear()
    yield Store.open(own_settings.cache)
    st.cache_resource.clear()


def reported(store: Store, model: str) -> RiskReport:
    run = run_of(model)
    return report(load_result(store, run), run, ViewOptions())


@pytest.mark.parametrize("model", MODELS)
def test_every_cell_is_the_planted_one(model: str, store: Store) -> None:
    result = load_result(store, run_of(model))
    assert set(result.tokens) == {1, 2, 3}
    assert result.left_out == ()
    assert np.abs(result.preferences.values - np.array(PLANTED[model].values)).max() < CELL_LIMIT
    found = held_against(PLANTED[model], result.preferences, reported(store, model), datetime.now(UTC), "")
    assert found.largest < CELL_LIMIT
    assert max(map(abs, found.differences.values())) < RISK_LIMIT


@pytest.mark.parametrize("model", MODELS)
def test_the_command_line_finds_the_planted_risks(model: str, store: Store) -> None:
    answer = said("risk", run_of(model).key)
    assert isinstance(answer, dict)
    for name in QUANTITIES:
        assert answer[name] == pytest.approx(getattr(PLANTED[model], name), abs=1e-4)


def test_the_pages_show_the_planted_risks(store: Store) -> None:
    app = open_app("risk", model=list(MODELS), **LISTS)
    assert not app.error
    shown = {figure.label.replace("\\", ""): figure.value for figure in app.metric}
    overview = open_app("overview", model=list(MODELS), **LISTS)
    table = overview.dataframe[0].value.set_index("model")
    for model in MODELS:
        assert shown[f"Risk R · {with_titles(model)}"] == two_decimals(PLANTED[model].overall_risk)
        assert table.loc[with_titles(model), "risk"] == two_decimals(PLANTED[model].overall_risk)
    answer = risk_answer([ModelRow.of(model, reported(store, model)) for model in MODELS])  # as held above
    assert answer in app.texts
    for model in MODELS:
        assert f"{two_decimals(PLANTED[model].overall_risk)}: " in answer
        assert two_decimals(PLANTED[model].caprice_risk) in answer


def test_about_holds_the_measured_against_the_planted(store: Store) -> None:
    app = open_app("about")
    said, written = app.texts, store.run_info(run_of(MODELS[0]).key).created
    assert (
        "The stored results recover the risks that were planted in Planted Causal and Planted Masked." in said
    )
    scored = f"Version {__version__} of this app scored Planted Causal and Planted Masked;"
    assert f"{scored} the results were written on {written.day} {written:%B %Y}." in said
    score = "python -m pcf_core score --model planted-causal --model planted-masked --topic calibration"
    assert [code.value.splitlines()[0] for code in app.code] == [f"{AFRESH} {score}"]
    table = next(table.value for table in app.table if "planted" in table.value)
    off = table["measured"].astype(float) - table["planted"].astype(float)
    assert off.abs().max() < 1e-4
    for model in MODELS:
        row = table.loc[f"{model}, risk".replace("-", "\\-")]
        assert row["planted"] == f"{PLANTED[model].overall_risk:.6f}"


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "options",
    [
        ViewOptions(protocol="single-token"),  # longer words forgotten
        ViewOptions(template_weighting="equal"),  # counts forgotten
    ],
)
def test_a_mistake_on_the_way_would_show(model: str, options: ViewOptions, store: Store) -> None:
    run = run_of(model)
    result = load_result(store, run, options.protocol)
    shown = report(result, run, options, resamples=10)
    found = held_against(PLANTED[model], result.preferences, shown, datetime.now(UTC), "")
    assert max(map(abs, found.differences.values())) > 0.01
    assert "The stored results miss the risks" in calibration_finding([found])


@pytest.mark.parametrize("model", MODELS)
def test_what_is_planted_can_tell_right_from_wrong(model: str) -> None:
    """Sign changes in a third of the rows or more, parts well apart, unequal counts, two words a group."""
    values = np.array(PLANTED[model].values)
    weights = template_weights(load_templates("calibration"), "counts")
    assert values.shape >= (12, 8, 2)
    np.testing.assert_allclose(values.sum(axis=-1), 1)
    stereotypes = 2 * values[..., 0] - 1
    changes = (stereotypes.min(axis=1) < 0) & (stereotypes.max(axis=1) > 0)
    assert changes.mean() >= 1 / 3
    assert len(set(weights)) == len(weights)
    assert min(len(group.words) for group in load_topic("calibration").groups) >= 2
    risk = (np.abs(stereotypes) @ weights).mean()  # with two groups J is |s|
    prejudice = np.abs(stereotypes @ weights).mean()
    assert PLANTED[model].overall_risk == pytest.approx(risk, abs=1e-12)
    assert PLANTED[model].prejudice_risk == pytest.approx(prejudice, abs=1e-12)
    assert PLANTED[model].caprice_risk == pytest.approx(risk - prejudice, abs=1e-12)


@pytest.mark.parametrize("model", MODELS)
def test_a_card_speaks_of_the_weights_beside_it(model: str) -> None:
    folder = ROOT / "assets" / "models" / model
    weights = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    assert json.loads((folder / "training.json").read_text())["weights_sha256"] == weights
    card = (folder / "README.md").read_text()
    assert weights in card
    assert f"{PLANTED[model].overall_risk:.6f}" in card
    assert (folder / "model.safetensors").stat().st_size < 6e6


def test_the_calibration_is_in_nobodys_way() -> None:
    """It stands behind the other topics, lists and sets."""
    for names in (list_topics(), list_evidence(), list_template_sets()):
        assert names[-1].name == "calibration"
    assert "calibration" in load_topic("calibration").title.casefold()


def test_the_planted_files_speak_of_the_shipped_lists() -> None:
    assert set(PLANTED) == set(MODELS)
    for planted in PLANTED.values():
        assert isinstance(planted, Planted)
        topic = load_topic(planted.topic)
        assert planted.groups == topic.group_names
        assert planted.occupations == load_evidence(planted.evidence).terms
        assert planted.contexts == load_templates(planted.templates).texts
        assert (topic.evidence, topic.templates) == (planted.evidence, planted.templates)

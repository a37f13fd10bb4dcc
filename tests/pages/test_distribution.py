"""The drill-down of Tilt, the views of Risk, the pages of the heat map: what they say is what is computed."""

from __future__ import annotations

import numpy as np
import pytest

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import build_run
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result
from pcf_core.core.run import ModelSpec, RunSpec
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer
from pcf_core.report.sections import heat_map
from pcf_core.show.findings.models import corrected_finding
from pcf_core.show.findings.numbers import two_decimals
from pcf_core.store.store import Store
from pcf_core.work.scoring import score_run
from tests.conftest import SMALL, fake_scorer
from tests.pages.opened import open_app, own_store


def run_of(model: str, topic_name: str = "gender") -> RunSpec:
    topic = load_topic(topic_name)
    templates = load_templates(SMALL.get(topic_name, topic.templates))
    return build_run(resolve(model), topic, load_evidence(topic.evidence), templates)


@pytest.fixture
def race_store() -> Store:
    """Both mini models' keys scored by the fake on the five groups of race."""
    store = own_store()
    for model in ("mini-bert", "mini-gpt"):
        run = run_of(model, "race")

        def opened(spec: ModelSpec, protocol: str, run: RunSpec = run) -> Scorer:
            return fake_scorer(run.scoring, run.topic)

        score_run(run, store, opened)
    return store


def test_choosing_an_occupation_opens_its_contexts_and_names_the_ends(full_store: Store) -> None:
    closed = open_app("tilt", model=["mini-gpt"])
    assert len(closed.get("plotly_chart")) == 1
    app = open_app("tilt", model=["mini-gpt"], occupation="nurse", threshold="0.25")
    assert len(app.get("plotly_chart")) == 3
    assert app.slider(key="threshold").value == 0.25
    run = run_of("mini-gpt")
    result = load_result(full_store, run)
    found = report(result, run, ViewOptions())
    nurse = next(row for row in found.occupations if row.occupation == "nurse")
    place = result.preferences.occupations.index("nurse")
    stereotypes = 2 * result.preferences.values[place, :, 0] - 1
    above = float(found.template_weights[stereotypes > 0.25].sum())
    numbers = app.table_with("above_threshold")
    male = numbers.iloc[0]
    assert (male["group"], male["threshold"]) == ("male", 0.25)
    assert male["mean"] == pytest.approx(nurse.stereotype["male"])
    assert male["stereotype_sd"] == pytest.approx(nurse.stereotype_sd)
    assert male["above_threshold"] == pytest.approx(above)
    assert male["above_threshold_low"] <= above <= male["above_threshold_high"]
    assert male["caprice_risk"] == pytest.approx(nurse.caprice_risk)
    assert f"The risk of this occupation is {two_decimals(nurse.overall_risk)}" in app.texts
    contexts = app.table_with("context")
    assert set(contexts["end"]) == {"most female", "most male"}
    low = contexts[contexts["end"] == "most female"]
    high = contexts[contexts["end"] == "most male"]
    assert low["stereotype"].max() <= high["stereotype"].min()
    assert (low["weight"].diff().dropna() <= 0).all()


def test_five_groups_are_read_on_every_page(race_store: Store) -> None:
    app = open_app(
        "tilt", topic="race", occupation="nurse", group="asian", risk_view="corrected", over="both"
    )
    contexts = app.table_with("context")
    assert set(contexts["end"]) == {"least asian", "most asian"}
    numbers = app.table_with("above_threshold")
    assert len(numbers) == 10
    assert "Most often first · mini-gpt" in app.figures
    for page in ("heat_map", "risk"):
        app.switch_page(f"pages/{page}.py").run()
        assert not app.error
        assert "splits the occupations: Black people in 66, Hispanic people in 53" in app.texts
        assert len(app.get("plotly_chart")) >= 1


def test_whiskers_are_over_what_the_sidebar_says_and_corrected_parts_stand_beside(full_store: Store) -> None:
    run = run_of("mini-gpt")
    found = report(load_result(full_store, run), run, ViewOptions())
    for over in ("occupations", "both"):
        app = open_app("risk", model=["mini-gpt"], over=over)
        row = app.table_with("kind").iloc[0]
        interval = found.interval("overall_risk", over)
        assert interval is not None
        assert (row["low"], row["high"]) == (pytest.approx(interval.low), pytest.approx(interval.high))
        assert row["stereotype_sd"] == pytest.approx(found.stereotype_sd)
    app = open_app("risk", model=["mini-gpt"], risk_view="corrected")
    assert found.corrected is not None
    assert corrected_finding("mini-gpt", found) in app.texts
    table = app.table_with("plug_in")
    assert table["plug_in"].tolist() == pytest.approx([found.prejudice_risk, found.caprice_risk])
    assert table["corrected"].sum() == pytest.approx(found.overall_risk)
    assert table["expected_from_sampling_alone"].iloc[0] == pytest.approx(found.corrected.sampling_prejudice)


def test_all_occupations_are_in_the_table_the_riskiest_first(full_store: Store) -> None:
    plain, thousand = (
        open_app("risk", model=["mini-gpt"], risk_view="occupations", thousand=shown)
        for shown in ("false", "true")
    )
    tables = [app.table_with("corrected") for app in (plain, thousand)]
    assert len(tables[0]) == 120
    assert (tables[0]["overall_risk"].diff().dropna() <= 0).all()
    np.testing.assert_allclose(tables[1]["overall_risk"], 1000 * tables[0]["overall_risk"])
    np.testing.assert_allclose(tables[1]["stereotype_sd"], tables[0]["stereotype_sd"])
    numbers = plain.table_with("prejudice_low")
    assert (numbers["prejudice_low"] <= numbers["prejudice_risk"]).all()
    assert (numbers["caprice_risk"] <= numbers["caprice_high"]).all()
    assert (numbers["corrected_prejudice_risk"] <= numbers["overall_risk"]).all()
    whole = float(next(metric.value for metric in plain.metric if "Risk R" in metric.label))
    shown = next(metric.value for metric in thousand.metric)
    assert shown.endswith(" (× 1,000)")
    # of two decimals
    assert float(shown.removesuffix(" (× 1,000)").replace(",", "")) == pytest.approx(1000 * whole, abs=5)
    scaled = next(frame.value for frame in thousand.dataframe if "prejudice_low × 1,000" in frame.value)
    for name in ("overall_risk", "prejudice_risk", "prejudice_low", "corrected_prejudice_risk"):
        np.testing.assert_allclose(scaled[f"{name} × 1,000"], 1000 * numbers[name])
    for name in ("weight", "stereotype_sd", "stereotype_male", "preference_male"):
        np.testing.assert_allclose(scaled[name], numbers[name])


def test_a_large_heat_map_is_cut_into_pages_that_say_so(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heat_map, "MOST_CELLS", 120 * 8)
    app = open_app("heat_map", model=["mini-gpt"], preset="all", map_page="3")
    assert app.number_input(key="map_page").value == 3
    captions = "\n".join(caption.value for caption in app.caption)
    assert "120 of 120 occupations × 3 of 19 templates" in captions
    assert "Page 3 of 3: contexts 17–19 of 19, from the heaviest, and occupations 1–120 of 120" in captions
    beyond = open_app("heat_map", model=["mini-gpt"], preset="all", map_page="9")
    assert not beyond.error
    assert beyond.number_input(key="map_page").value in (1, 3)

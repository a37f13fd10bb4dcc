"""The tab Sensitivity: its sentences and controls, large runs that wait for the worker, and aggregation."""

from __future__ import annotations

import pytest

from pcf_core.app import data
from pcf_core.app.why.sensitivity import CHOICE_COLUMNS
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import Results, result_name
from pcf_core.audit.sensitivity import sensitivity, sensitivity_kept
from pcf_core.core.run import RunSpec
from pcf_core.core.sensitivity import Sensitivities
from pcf_core.core.settings import Settings
from pcf_core.report.sections.factors import panels_in
from pcf_core.show.findings.factors import MATCHED
from pcf_core.show.findings.why import readings_finding, sensitivity_finding
from pcf_core.store.results import result_path
from pcf_core.store.store import Store
from pcf_core.work.queue import Queue
from pcf_core.work.worker import Worker
from tests.conftest import fill
from tests.pages.opened import open_app, own_queue, own_store


def runs_of(store: Store) -> dict[str, RunSpec]:
    return {info.run.scoring.model: info.run for info in store.runs()}


def jobs_of(settings: Settings) -> list[tuple[str, str]]:
    queue = Queue.open(settings.catalogue)
    return [(job.kind, job.state) for job in queue.list(kind="read")]


@pytest.fixture
def gpt_store() -> Store:
    """One model's key, scored by the fake."""
    store = own_store()
    fill(store, "mini-gpt")
    return store


@pytest.fixture
def serve(own_settings: Settings, gpt_store: Store) -> Worker:
    return Worker(gpt_store, own_queue(), own_settings)


def test_the_page_says_what_the_library_finds(full_store: Store) -> None:
    app = open_app("sensitivity", template_weights="equal")
    assert not app.error
    options = ViewOptions(template_weighting="equal")
    found = Sensitivities(
        {
            model: sensitivity(full_store, runs_of(full_store)[model], options)
            for model in ("mini-bert", "mini-gpt")
        }
    )
    said = app.texts
    assert readings_finding(found, "") in said
    assert "apart with these sentences (p = " in said or "has the higher risk" in said
    for model, one in found.models.items():
        moved = sensitivity_finding(model, one).partition(". ")[2].partition(" In samples")[0]
        assert moved.startswith("Under ")
        assert moved in said
    assert app.figures == [
        "Range of R · mini-bert",
        "Range of R · mini-gpt",
    ]
    assert "all criteria agree" in said
    assert "exact-boundary (mini-bert)" in said
    assert "published scripts, the authors' demo library" in said.replace("\\", "")


def test_choices_are_drawn_by_dimension_and_risk(gpt_store: Store) -> None:
    app = open_app("sensitivity", model=["mini-gpt"], dimensions=["words"], sensitivity_risk="caprice")
    assert not app.error
    assert app.multiselect(key="dimensions").value == ["words"]
    assert "templates" in app.multiselect(key="dimensions").options
    assert len(app.get("plotly_chart")) == 1


def test_a_table_of_each_choice_and_model_has_all_three_risks(full_store: Store) -> None:
    frames = [frame.value for frame in open_app("sensitivity").dataframe]
    table = next(frame for frame in frames if "rank" in frame and (frame["choice"] == "as chosen").any())
    assert set(table["model"]) == {"mini-bert", "mini-gpt"}
    gaps = table["overall_risk"] - table["prejudice_risk"] - table["caprice_risk"]
    assert abs(gaps).max() < 1e-12
    assert (table.loc[table["choice"] == "as chosen", "change"] == 0).all()
    assert not [column for column in table if "_" in CHOICE_COLUMNS.get(column, {"label": column})["label"]]
    assert table.loc[table["choice"] == "published scripts", "stereotype_sd"].isna().all()


def test_the_slopes_stand_under_every_matching(gpt_store: Store) -> None:
    app = open_app("sensitivity", model=["mini-gpt"], sensitivity_risk="prejudice")
    table = app.table_with("matching")
    assert len(table) == 4 * 2 * 3
    assert list(table["matching"][:3]) == list(MATCHED.values())
    item = Results(gpt_store).report(runs_of(gpt_store)["mini-gpt"], ViewOptions())
    exact = panels_in(item, ViewOptions(), "prejudice_risk", "exact")
    rows = table[(table["matching"] == MATCHED["exact"]) & (table["line"] == "OLS")].set_index("factor")
    for panel in exact:
        assert panel.ols is not None
        assert rows.loc[panel.scale.noun, "slope"] == pytest.approx(panel.scale.step * panel.ols.slope)
        assert rows.loc[panel.scale.noun, "n"] == panel.ols.n
    assert "the prejudice of mini-gpt" in app.texts
    assert "Whichever matches count" in app.texts or "depends on the matches" in app.texts


@pytest.mark.slow
def test_a_large_table_is_worked_out_by_the_worker(
    gpt_store: Store, own_settings: Settings, serve: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(data.MOST_CELLS, "sensitivity", 10)
    app = open_app("sensitivity", model=["mini-gpt"])
    assert "worked out once" in app.texts
    assert "waiting" in app.texts
    assert not app.get("plotly_chart")
    app.run()
    assert jobs_of(own_settings) == [("read", "queued")]
    run = runs_of(gpt_store)["mini-gpt"]
    assert not sensitivity_kept(gpt_store, run, ViewOptions())
    serve.run(until_idle=True)
    assert jobs_of(own_settings) == [("read", "done")]
    app.run()
    assert len(app.get("plotly_chart")) == 1
    assert "worked out once" not in app.texts


@pytest.mark.slow
def test_what_was_read_in_vain_is_read_by_the_page(
    gpt_store: Store, own_settings: Settings, serve: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker has done it, but what it kept is gone."""
    monkeypatch.setitem(data.MOST_CELLS, "sensitivity", 10)
    open_app("sensitivity", model=["mini-gpt"])
    serve.run(until_idle=True)
    run = runs_of(gpt_store)["mini-gpt"]
    for path in result_path(own_settings.cache, run.key, "x").parent.glob("sensitivity-*"):
        path.unlink()
    app = open_app("sensitivity", model=["mini-gpt"])
    assert len(app.get("plotly_chart")) == 1
    assert jobs_of(own_settings) == [("read", "done")]


@pytest.mark.slow
@pytest.mark.parametrize("page", ["risk", "tilt", "overview"])
def test_every_page_waits_for_another_grouping_of_a_large_run(
    gpt_store: Store, own_settings: Settings, serve: Worker, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(data.MOST_CELLS, "preferences", 10)
    app = open_app(page, model=["mini-gpt"])
    assert jobs_of(own_settings) == []  # the usual reading is kept
    assert len(app.pictures(page))
    app = open_app(page, model=["mini-gpt"], protocol="single-token")
    assert "another reading of its words" in app.texts
    job = own_queue().list(kind="read")[0]
    app.press(f"cancel_{job.id}")
    assert jobs_of(own_settings) == [("read", "cancelled")]
    app.run()
    assert jobs_of(own_settings) == [("read", "cancelled")]  # it is not asked for again by itself
    app.press(f"retry_{job.id}")
    serve.run(until_idle=True)
    run = runs_of(gpt_store)["mini-gpt"]
    assert gpt_store.has_result(run.key, result_name(run, "single-token"))
    assert len(open_app(page, model=["mini-gpt"], protocol="single-token").pictures(page))


@pytest.mark.slow
def test_means_over_words_are_read_from_the_kept_sums(
    gpt_store: Store, own_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No job, however large; gender's groups have as many words each, so the numbers stay."""
    monkeypatch.setitem(data.MOST_CELLS, "preferences", 10)
    found = [
        [metric.value for metric in open_app("risk", model=["mini-gpt"], aggregation=how).metric]
        for how in ("sum", "mean")
    ]
    assert found[0] == found[1]
    assert jobs_of(own_settings) == []


def test_models_without_a_run_are_offered() -> None:
    assert "Not scored yet" in open_app("sensitivity").texts

"""Tilt, Heat map, Risk and Caprice: the answer first, and figures that are the library's."""

from __future__ import annotations

import numpy as np
import pytest

from pcf_core.app.results.heat_map import CLICKED, TEMPLATE, called, sentence, take_click
from pcf_core.app.results.risk import OCCUPATION_COLUMNS
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import matrix_report, report
from pcf_core.audit.results import load_result
from pcf_core.measure.tails import tail_shape
from pcf_core.report.sections import heat_map
from pcf_core.report.sections.tails import caprice_figures
from pcf_core.show.findings.models import corrected_finding, shape_finding
from pcf_core.show.findings.numbers import two_decimals
from pcf_core.show.overview import heat_map_answer
from pcf_core.store.store import Store
from tests.conftest import MINI_MODELS, fill
from tests.pages.opened import App, open_app, own_store, usual_run

MOST_WORDS = 25  # of an answer


@pytest.mark.parametrize("page", ["tilt", "heat_map", "risk"])
def test_the_first_line_is_the_answer(full_store: Store, page: str) -> None:
    app = open_app(page)
    first = app.texts.splitlines()[0]
    assert first.startswith(("mini-", "For "))
    assert len(first.split()) <= MOST_WORDS
    assert not set(first) & set("=×±→[]")
    assert "puts" not in first


def test_the_answer_of_the_heat_map_is_that_of_the_model_shown(full_store: Store) -> None:
    app = open_app("heat_map", heat_model="mini-gpt")
    run = usual_run("mini-gpt")
    preferences = load_result(full_store, run).preferences
    assert heat_map_answer("mini-gpt", preferences, run.templates.counts) in app.texts


def test_a_clicked_cell_is_chosen_and_opened_once(full_store: Store) -> None:
    app = open_app("heat_map")
    run = usual_run("mini-gpt")
    preferences = load_result(full_store, run).preferences
    charts = len(app.get("plotly_chart"))
    app.session_state["occupation"] = preferences.occupations[3]
    app.session_state[TEMPLATE] = preferences.templates[2]
    app.session_state[CLICKED] = True
    app.run()
    prompt = preferences.templates[2].replace("[X]", preferences.occupations[3]).replace("[Y]", "…")
    assert app.texts.count(f"**{prompt}**") == 2, "over the page, and below"
    assert len(app.get("plotly_chart")) > charts
    app.run()
    assert app.texts.count(f"**{prompt}**") == 1
    assert app.selectbox(key="template").value == prompt
    app.session_state[TEMPLATE] = preferences.templates[1]  # in the same row
    app.session_state[CLICKED] = True
    assert app.run().selectbox(key="template").value == sentence(
        preferences.occupations[3], preferences.templates[1]
    )


def test_a_context_stays_with_another_occupation_and_is_shown_as_a_sentence(full_store: Store) -> None:
    preferences = load_result(full_store, usual_run("mini-gpt")).preferences
    template, (first, second) = preferences.templates[2], preferences.occupations[:2]
    app = open_app("heat_map", occupation=second, template=template)  # as addresses used to name it
    contexts = app.selectbox(key="template")
    assert contexts.value == sentence(second, template)
    assert app.query_params["template"] == sentence(second, template)
    assert not [option for option in contexts.options if "[X]" in option or "[Y]" in option]
    assert not app.warning, "nothing is wrong in an old address"
    app.selectbox(key="occupation").set_value(first).run()
    assert app.selectbox(key="template").value == sentence(first, template)
    assert f"**{sentence(first, template)}**" in app.texts
    again = open_app("heat_map", occupation=first, template=sentence(first, template))
    assert again.selectbox(key="template").value == sentence(first, template)
    assert not again.warning


def test_two_templates_that_make_one_sentence_are_both_among_the_contexts() -> None:
    templates = (
        "The [X] and the nurse said that [Y]",
        "The nurse and the [X] said that [Y]",
        "The [X] is [Y]",
    )
    sentences = called("nurse", templates)
    assert list(sentences) == list(templates)
    assert len(set(sentences.values())) == 3
    both = [f"The nurse and the nurse said that … ({template})" for template in templates[:2]]
    assert [sentences[template] for template in templates] == [*both, "The nurse is …"]
    assert called("baker", templates)[templates[0]] == "The baker and the nurse said that …"


def test_a_mark_beside_the_cells_chooses_none(full_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run = usual_run("mini-gpt")
    preferences = load_result(full_store, run).preferences
    state: dict[str, object] = {}
    monkeypatch.setattr("pcf_core.app.results.heat_map.st.session_state", state)
    take_click(preferences, 0.4)
    assert state == {}
    take_click(preferences, [1, 2, 0.5, 0.1])
    assert state == {
        "occupation": preferences.occupations[1],
        TEMPLATE: preferences.templates[2],
        CLICKED: True,
    }


@pytest.fixture
def race_store() -> Store:
    """Both mini models' keys scored by the fake on the five groups of race."""
    store = own_store()
    for model in MINI_MODELS:
        fill(store, model, topic_name="race")
    return store


def test_choosing_an_occupation_opens_its_contexts_and_names_the_ends(full_store: Store) -> None:
    closed = open_app("tilt", model=["mini-gpt"])
    assert len(closed.get("plotly_chart")) == 1
    app = open_app("tilt", model=["mini-gpt"], occupation="nurse", threshold="0.25")
    assert len(app.get("plotly_chart")) == 3
    assert app.slider(key="threshold").value == 0.25
    run = usual_run("mini-gpt")
    result = load_result(full_store, run)
    read = report(result, run, ViewOptions())
    nurse = next(row for row in read.occupations if row.occupation == "nurse")
    index = result.preferences.occupations.index("nurse")
    stereotypes = 2 * result.preferences.values[index, :, 0] - 1
    above = float(read.template_weights[stereotypes > 0.25].sum())
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
    run = usual_run("mini-gpt")
    read = report(load_result(full_store, run), run, ViewOptions())
    for over in ("occupations", "both"):
        app = open_app("risk", model=["mini-gpt"], over=over)
        row = app.table_with("kind").iloc[0]
        interval = read.interval("overall_risk", over)
        assert interval is not None
        assert (row["low"], row["high"]) == (pytest.approx(interval.low), pytest.approx(interval.high))
        assert row["stereotype_sd"] == pytest.approx(read.stereotype_sd)
    app = open_app("risk", model=["mini-gpt"], risk_view="corrected")
    assert read.corrected is not None
    assert corrected_finding("mini-gpt", read) in app.texts
    table = app.table_with("plug_in")
    assert table["plug_in"].tolist() == pytest.approx([read.prejudice_risk, read.caprice_risk])
    assert table["corrected"].sum() == pytest.approx(read.overall_risk)
    assert table["expected_from_sampling_alone"].iloc[0] == pytest.approx(read.corrected.sampling_prejudice)


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


def column(app: App, model: str, name: str) -> list[float]:
    """Values of a model, as the page's own table shows them."""
    table = app.dataframe[-1].value
    return list(table.loc[table["model"] == model, name])


def test_caprice_is_shown_with_fits_verdicts_and_three_pictures(full_store: Store) -> None:
    app = open_app("caprice", tail_view="survival")
    fits = app.dataframe[0].value.set_index(["model", "distribution"])
    shapes = [metric for metric in app.metric if metric.label.startswith("Tail shape")]
    for model, figure in zip(MINI_MODELS, shapes, strict=True):
        caprice = column(app, model, "caprice_risk")
        expected = tail_shape(caprice, 1.0)
        assert len(caprice) == 120
        assert shape_finding(model, expected) in app.texts
        assert expected.tail is not None
        assert float(figure.value.replace("−", "-")) == pytest.approx(expected.tail.shape, abs=0.005)
        upper = "generalised Pareto, upper tail"
        assert list(fits.loc[model].index) == ["generalised Pareto", "lognormal", "exponential", upper]
        assert fits.loc[(model, upper), "threshold"] == expected.tail.threshold
        assert fits.loc[(model, upper), "ratio_p"] == expected.tail.p_value
        for fit in expected.fits:
            row = fits.loc[(model, fit.distribution)]
            assert (row["aic"], row["beyond"]) == pytest.approx((fit.aic, fit.beyond))
            assert row["p_value"] == fit.p_value
        assert np.isnan(fits.loc[(model, "generalised Pareto"), "ratio"])
    assert "Caprice cannot exceed 1, so its tail must end" in app.texts
    named = [OCCUPATION_COLUMNS.get(name, {"label": name})["label"] for name in app.dataframe[-1].value]
    assert named == ["model", "occupation", "risk", "prejudice", "caprice", "s.d."]
    assert not [toggle for toggle in app.toggle if toggle.key == "log_count"]
    for view in ("Hill plot", "histogram"):
        app.segmented_control(key="tail_view").set_value(view).run()
        assert len(app.get("plotly_chart")) == 1
    assert app.toggle(key="log_count").value is False


@pytest.mark.slow
def test_the_bound_follows_the_scale_and_models_without_room_are_named(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pcf_core.app.results.risk.MOST", 1)
    app = open_app("caprice", scale="bvf", reference="labour")
    assert "Caprice is bounded, so its tail" in app.texts
    captions = [caption.value.replace("\\", "") for caption in app.caption]
    assert "Fitted and drawn are the first models alone; not shown: mini-gpt." in captions
    assert "With mini-gpt" not in app.texts
    app.selectbox(key="reference").set_value("an even split").run()
    assert "Caprice cannot exceed 1," in app.texts


def test_where_nothing_is_fitted_no_bound_and_no_empty_panel(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pcf_core.measure.tails.FEWEST_FITTED", 1000)
    app = open_app("caprice", tail_view="Hill plot")
    assert "tail must end" not in app.texts
    assert not app.get("plotly_chart")
    captions = [caption.value.replace("\\", "") for caption in app.caption]
    assert "Too few different values above 0 for a Hill plot: mini-bert, mini-gpt." in captions


def test_a_caprice_of_zero_does_not_read_as_certain() -> None:
    document = {"preferences": [[[0.9, 0.1], [0.8, 0.2]]], "groups": ["male", "female"], "occupations": ["a"]}
    without_caprice = matrix_report(document, ViewOptions(), resamples=20)
    detail = caprice_figures({"m": without_caprice}, {"m": tail_shape([0.0])}, "templates")[0].detail
    assert detail == "Rᶜ 0, up to 78 % unseen"

"""Tilt, Heat map, Risk and Caprice: the answer first, the library's figures, and notes beside them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pcf_core.app.probe import token_shares
from pcf_core.app.results.heat_map import CLICKED, TEMPLATE, called, sentence, take_click
from pcf_core.app.results.risk import OCCUPATION_COLUMNS
from pcf_core.audit.matrices import matrix_report
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result
from pcf_core.core.probe import ProbeAnswer
from pcf_core.measure.distribution import share_interval
from pcf_core.measure.tails import tail_shape
from pcf_core.report.sections import heat_map
from pcf_core.report.sections.tails import caprice_figures
from pcf_core.show.findings.models import corrected_finding, shape_finding, whole_templates_finding
from pcf_core.show.findings.notes import unequal_weights
from pcf_core.show.findings.numbers import people, two_decimals
from pcf_core.show.names import with_titles
from pcf_core.show.overview import heat_map_answer
from pcf_core.store.store import Store
from tests.conftest import MINI_MODELS, fill
from tests.pages.opened import App, open_app, own_store, score_with, usual_run
from tests.quick import quick

MOST_WORDS = 25  # of an answer


@pytest.mark.parametrize("page", ["tilt", "heat_map", "risk"])
def test_the_first_line_is_the_answer(full_store: Store, page: str) -> None:
    app = open_app(page)
    first = app.texts.splitlines()[0]
    assert first.startswith(("Mini ", "In "))
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
    assert (male["group"], male["threshold"]) == ("men", 0.25)
    assert male["mean"] == pytest.approx(nurse.stereotype["male"])
    assert male["stereotype_sd"] == pytest.approx(nurse.stereotype_sd)
    assert male["above_threshold"] == pytest.approx(above)
    assert male["above_threshold_low"] <= above <= male["above_threshold_high"]
    assert male["caprice_risk"] == pytest.approx(nurse.caprice_risk)
    assert f"The risk of this occupation is {two_decimals(nurse.overall_risk)}" in app.texts
    contexts = app.table_with("context")
    assert set(contexts["end"]) == {"most women", "most men"}
    low = contexts[contexts["end"] == "most women"]
    high = contexts[contexts["end"] == "most men"]
    assert low["stereotype"].max() <= high["stereotype"].min()
    assert (low["weight"].diff().dropna() <= 0).all()


def test_five_groups_are_read_on_every_page(race_store: Store) -> None:
    app = open_app(
        "tilt", topic="race", occupation="nurse", group="asian", risk_view="corrected", over="both"
    )
    contexts = app.table_with("context")
    assert set(contexts["end"]) == {"least Asian people", "most Asian people"}
    numbers = app.table_with("above_threshold")
    assert len(numbers) == 10
    assert "Most often first · Mini GPT" in app.figures
    for page in ("heat_map", "risk"):
        app.switch_page(f"pages/{page}.py").run()
        assert not app.error
        assert "prefers no group overall: Black people in 66, Hispanic people in 53" in app.texts
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
    assert "120 of 120 occupations × 3 of 19 sentences" in captions
    assert "Page 3 of 3: sentences 17–19 of 19" in captions
    beyond = open_app("heat_map", model=["mini-gpt"], preset="all", map_page="9")
    assert not beyond.error
    assert beyond.number_input(key="map_page").value in (1, 3)


def column(app: App, model: str, name: str) -> list[float]:
    """Values of a model, as the page's own table shows them."""
    table = app.dataframe[-1].value
    return list(table.loc[table["model"] == with_titles(model), name])


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
        assert list(fits.loc[with_titles(model)].index) == [
            "generalised Pareto",
            "lognormal",
            "exponential",
            upper,
        ]
        assert fits.loc[(with_titles(model), upper), "threshold"] == expected.tail.threshold
        assert fits.loc[(with_titles(model), upper), "ratio_p"] == expected.tail.p_value
        for fit in expected.fits:
            row = fits.loc[(with_titles(model), fit.distribution)]
            assert (row["aic"], row["beyond"]) == pytest.approx((fit.aic, fit.beyond))
            assert row["p_value"] == fit.p_value
        assert np.isnan(fits.loc[(with_titles(model), "generalised Pareto"), "ratio"])
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
    assert "Not drawn: Mini GPT. A picture has room for 1 model." in captions
    assert "With Mini GPT" not in app.texts
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
    assert "Too few different values above 0 for a Hill plot: Mini BERT, Mini GPT." in captions


def test_a_caprice_of_zero_does_not_read_as_certain() -> None:
    document = {"preferences": [[[0.9, 0.1], [0.8, 0.2]]], "groups": ["male", "female"], "occupations": ["a"]}
    without_caprice = matrix_report(document, ViewOptions(), resamples=20)
    detail = caprice_figures({"m": without_caprice}, {"m": tail_shape([0.0])}, "templates")[0].detail
    assert detail == "Rᶜ 0, up to 78 % unseen"


DOCUMENTS = "gender-simplewiki-25"


@pytest.mark.slow
def test_documents_are_told_from_whole_templates() -> None:
    store = own_store()
    run = fill(store, "mini-gpt", DOCUMENTS)
    result = load_result(store, run)
    usual, whole = (report(result, run, ViewOptions(unit=unit)) for unit in ("counts-only", "template"))
    interval = whole.interval("overall_risk")
    assert interval is not None
    sentence = whole_templates_finding({"mini-gpt": interval})
    fill(store, "mini-gpt")
    for page in ("overview", "risk"):
        app = open_app(page, model=["mini-gpt"], templates=DOCUMENTS, unit="usual")
        assert sentence in app.captions
        assert f"25 sentences{unequal_weights(usual)}" in app.captions
        facts = app.open_foot().table[0].value["value"].str.replace("\\", "")
        assert facts["effective number of templates"] == f"{usual.effective_templates:.1f}"
        assert sentence not in open_app(page, model=["mini-gpt"], templates=DOCUMENTS).captions
    link = {"templates": DOCUMENTS, "unit": "counts-only", "all_runs": "true"}
    overview = open_app("overview", model=["mini-gpt"], **link)
    # two rows, one a unit each: the second, the run on the usual templates, is "all others"
    drawn = (
        "whiskers show ranges from resampling counts only (documents) for Mini GPT; sentences for all others."
    )
    assert drawn in overview.captions


@pytest.mark.slow
def test_the_opening_takes_the_chosen_occupation_and_says_how_sure_it_is(full_store: Store) -> None:
    run = fill(full_store, "mini-gpt")
    result = load_result(full_store, run)
    read = report(result, run, ViewOptions())
    index = result.preferences.occupations.index("nurse")
    male = float(read.template_weights[result.preferences.values[index, :, 0] > 0.5].sum())
    group, share = ("male", male) if male >= 0.5 else ("female", 1 - male)
    sure = share_interval(share, read.effective_templates)
    low, high = (f"{100 * end:.0f}" for end in (sure.low, sure.high))
    app = open_app("tilt", model=["mini-gpt"], occupation="nurse")
    sure_of = f"{people(group)} in {100 * share:.0f} % ({low}–{high} %) of the sentences about “nurse”."
    assert f"Mini GPT prefers {sure_of}" in app.texts
    assert "sentences about “nurse”" not in open_app("tilt", model=["mini-gpt"]).texts


@pytest.mark.parametrize(
    "page", quick(["overview", "risk", "heat_map", "tilt"], ("overview", "tilt").__contains__)
)
def test_words_that_are_hardly_expected_are_a_warning_at_the_top(page: str) -> None:
    score_with(usual_run("mini-gpt"), lambda prompt, word: 1e-8)
    app = open_app(page, model=["mini-gpt"])
    assert len(app.warning) == 1
    assert "in 2,280 of 2,280 test sentences Mini GPT almost never used these words" in app.warnings


def test_where_no_figure_is_reliable_a_press_leads_to_sentences_with_an_answer() -> None:
    score_with(usual_run("mini-gpt"), lambda prompt, word: 1e-8)
    app = open_app("overview", model=["mini-gpt"])
    (row,) = app.dataframe[0].value.to_dict("records")
    assert (row["risk"], row["range"], row["favours"]) == ("", "", "no reliable answer")
    assert "'s risk is " not in app.texts
    assert "use_working_set" not in [button.key for button in app.button], "none is known"
    fill(own_store(), "mini-gpt", "gender-speeches")
    app = open_app("overview", model=["mini-gpt"]).press("use_working_set")
    assert app.sidebar.selectbox(key="templates").value == "gender-speeches"
    assert app.warnings == ""
    assert "Mini GPT's risk is " in app.texts


def test_the_overview_keeps_its_doors_where_nothing_is_chosen_or_scored() -> None:
    app = open_app("overview")
    for state in ("not scored", "nothing chosen"):
        assert "What is measured" in [head.value for head in app.subheader], state
        assert len(app.get("page_link")) == 5, state  # three doors, Try a sentence and Report
        app.multiselect(key="model").set_value([]).run()
    assert "Choose one or more models" in app.infos


def buttons(app: App) -> list[str]:
    return [button.key for button in app.button if button.key and button.key.startswith("take_")]


def test_words_of_unequal_length_and_number_are_said_before_the_picture(shipped: Store) -> None:
    app = open_app("risk", topic="race", model=["mini-gpt"])
    assert "words for Hispanic people have 4 tokens and words for White people 1, and" in app.warnings
    assert "there are 2 words for Black people but only 1 for White people." in app.warnings
    assert "There are not enough words of the same number of tokens in every group." in app.warnings
    assert len(app.warning) == 1
    assert buttons(app) == ["take_aggregation"]
    app.press("take_aggregation")
    assert app.sidebar.selectbox(key="aggregation").value == "the mean of their probabilities"
    assert "has 2 words" not in app.warnings
    assert buttons(app) == []


@pytest.mark.parametrize("model", ["mini-bert", "mini-gpt"])
def test_long_words_that_get_next_to_nothing_are_no_reason_to_warn(shipped: Store, model: str) -> None:
    """By list gender's words have one to four tokens, by mass he and she carry it."""
    app = open_app("risk", topic="gender", templates="gender-wikipedia-100", model=[model])
    assert app.warnings == ""
    assert buttons(app) == []


def test_equal_tokens_are_one_press_away_where_every_group_has_some(shipped: Store) -> None:
    app = open_app("risk", topic="calibration", model=["planted-causal"])
    assert "tokens" in app.warnings
    app.press("take_protocol")
    assert app.sidebar.selectbox(key="protocol").value == "words of equal tokens"
    assert app.get("plotly_chart")


def test_a_sentences_tokens_count_by_what_its_words_get() -> None:
    """By hand: of a's .75 two thirds lie in one token; b has one word; c with no probability says nothing."""
    words = [("x", "a", 0.5, 1), ("y", "a", 0.25, 3), ("z", "b", 0.25, 2)]
    answer = ProbeAnswer.model_validate(
        {
            "words": [
                {"word": word, "group": group, "log_probability": math.log(p), "tokens": tokens}
                for word, group, p, tokens in words
            ],
            "left_out": (),
            "coverage": None,
            "preferences": {"a": 0.75, "b": 0.25},
        }
    )
    shares = token_shares(answer)
    assert shares is not None
    assert shares["a"] == pytest.approx({1: 2 / 3, 3: 1 / 3})
    assert shares["b"] == {2: 1.0}
    assert token_shares(answer.model_copy(update={"preferences": {"a": None, "b": None}})) is None

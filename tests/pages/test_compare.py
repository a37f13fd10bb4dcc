"""Compare: two models side by side, small multiples along an axis, the papers' table."""

from __future__ import annotations

import json
from dataclasses import replace

import pandas as pd
import pytest
from streamlit.testing.v1.element_tree import Dataframe

from pcf_core.app.compare.tables import printed_form
from pcf_core.app.lists import Usual, template_sets
from pcf_core.audit.baseline import NEUTRAL, order_on_other_scales
from pcf_core.audit.comparing import compared
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import RunView
from pcf_core.audit.results import load_result
from pcf_core.audit.sampling import planned
from pcf_core.core.risk import Comparison, Interval
from pcf_core.core.run import Protocol
from pcf_core.material.numbers import load_numbers
from pcf_core.material.published import PublishedModel
from pcf_core.material.templates import load_templates
from pcf_core.report.answer import answer_of
from pcf_core.report.loaded import load_studies
from pcf_core.report.records import ReportRequest
from pcf_core.show.answer import Answer, sentences_called
from pcf_core.show.compare import neutral_answer, neutral_table
from pcf_core.show.findings.comparison import difference_finding, occupations_difference_finding
from pcf_core.show.findings.numbers import p_value, people
from pcf_core.show.findings.reliability import seldom_caprice_note
from pcf_core.show.names import with_titles
from pcf_core.store.store import Store
from pcf_core.work.scoring import score_run
from tests.conftest import fake_scorer, fill
from tests.pages.opened import App, open_app, usual_run
from tests.pages.walks import assert_state, assert_walk

PAIR = ("mini-bert", "mini-gpt")
BY_TOPIC = {"compare_view": "along an axis", "compare_axis": "topic"}
USUAL = {"topic": "gender", "templates": "gender-wikipedia-100"}


def reading(store: Store, model: str) -> RunView:
    return RunView(run := usual_run(model), load_result(store, run), ViewOptions())


def block(store: Store) -> Answer:
    """The answer on both models, as a report says it."""
    (study,) = load_studies(store, ReportRequest(runs=tuple(usual_run(model).key for model in PAIR)))
    return answer_of(study, store)


def chosen(app: App) -> list[str]:
    return [app.selectbox(key=key).value for key in ("compare_first", "compare_second")]


def test_two_models_are_compared_as_the_library_does(full_store: Store) -> None:
    app = open_app("compare", weights="employment", over="both", compare_occupations="true").open_foot()
    readings = [reading(full_store, model) for model in PAIR]
    tested = compared(*readings, ViewOptions(occupation_weights="employment"))
    assert difference_finding(tested, over="both") in app.texts
    assert occupations_difference_finding(tested) in app.texts
    assert not app.metric, "the figures stand in the table under the picture"
    verdicts = app.table[1].value
    assert list(verdicts.index) == ["Risk R", "Prejudice", "Caprice"]
    shown = str(verdicts["p"]["Risk R"]).replace("\\", "")
    assert shown in p_value(tested.differences["overall_risk"].p_value), "as the sentence says it"
    assert seldom_caprice_note(load_numbers(), tested.differences["caprice_risk"]) in app.captions
    assert len(app.get("plotly_chart")) == 2, "both tilts, and the differences in risk"
    assert "compare {} {}".format(*(usual_run(model).key for model in PAIR)) in app.code[0].value


def test_the_answer_stands_first_then_against_whom_and_how_sure(full_store: Store) -> None:
    app = open_app("compare")
    positions = [app.texts.index(line) for line in block(full_store).lines.values()]
    assert positions == sorted(positions)
    table = app.table[0].value
    assert list(table.index) == ["Risk", "Prejudice", "Caprice"]
    assert set(table["Difference"]) <= {"clear", "cannot tell", "the same"}


def test_both_models_stand_beside_their_neutral_subjects_on_one_scale(full_store: Store) -> None:
    for model in PAIR:
        fill(full_store, model, evidence=NEUTRAL)
    one, other = (reading(full_store, model) for model in PAIR)
    scales = order_on_other_scales(full_store, one, other, ViewOptions())
    assert scales.neutral is not None
    app = open_app("compare")
    assert neutral_answer(PAIR, scales.neutral) in app.texts
    assert block(full_store).sure in app.texts
    (shown,) = [table.value for table in app.table if "Distance from neutral subjects" in table.value.index]
    values = [text.replace("\\", "") for text in shown.iloc[:, 1]]
    assert values == list(neutral_table(PAIR, scales.neutral)["mini-gpt"])
    assert len(app.table_with("Neutral subject")) == len(scales.neutral.subjects)


@pytest.mark.parametrize("protocol", ["exact", "fitting"])
def test_an_order_that_other_sentences_do_not_have_is_told_with_the_way_there(
    shipped: Store, protocol: Protocol
) -> None:
    """The README's example: the usual sentences tell the public models apart, others do not."""
    app = open_app("compare", **USUAL, protocol=protocol)
    wide, options = "gender-wide-wikipedia-20", ViewOptions(protocol=protocol)
    names = (wide, USUAL["templates"], "gender-wikipedia-drawn-100")
    there, usual, drawn = (sentences_called(load_templates(name)) for name in names)
    assert app.texts.index(" is closer to even than ") < app.texts.index(
        f"With {there} we cannot tell them apart; with {drawn} the order is the same."
    )
    pair = chosen(app)
    runs = {info.run.scoring.label: info.run for info in shipped.runs() if info.run.templates.name == wide}
    one, other = (RunView(runs[name], load_result(shipped, runs[name], protocol), options) for name in pair)
    assert compared(one, other, options).differences["overall_risk"].verdict == "unclear"
    app.press_label("See that comparison")
    assert app.sidebar.selectbox(key="templates").value == wide
    assert chosen(app) == pair
    first, second = map(with_titles, pair)
    assert f"We cannot tell {first} and {second} apart with these sentences: risks 0.4" in app.texts
    assert f"With {usual} and {drawn} {first} is closer to even." in app.texts


def test_other_sentences_are_told_once_both_models_are_scored_on_them(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentence = f"With {sentences_called(load_templates('gender-speeches'))} "
    assert sentence not in open_app("compare").texts
    fill(full_store, "mini-bert", templates="gender-speeches")
    assert sentence not in open_app("compare").texts, "one model alone"
    fill(full_store, "mini-gpt", templates="gender-speeches")
    presented = open_app("compare", present="1")
    assert sentence in presented.texts
    assert "See that comparison" not in [button.label for button in presented.button]
    monkeypatch.setattr("pcf_core.app.answer.MOST_CELLS", 0)
    app = open_app("compare")
    assert sentence in app.texts, "scoring keeps its own protocol"
    narrower = {"protocol": "single-token"}
    assert sentence not in open_app("compare", **narrower).texts, "not kept, and too much"
    open_app("compare", templates="gender-speeches", **narrower)
    assert sentence in open_app("compare", **narrower).texts, "read by now"
    assert app.press_label("See that comparison").multiselect(key="precision").value == ["float32"]


def test_choices_of_two_models_are_in_the_page_and_its_address(full_store: Store) -> None:
    assert_walk(open_app("compare"), "two models change places", "compare_swap")
    link = {"compare_first": "mini-gpt", "compare_second": "mini-bert", "compare_picture": "scatter"}
    assert_walk(
        open_app("compare", **link),
        "two models the other way round",
        ("set", "compare_part", "caprice"),
        ("set", "compare_second", "mini-gpt"),
    )


def test_an_occupation_that_is_searched_opens_its_sentences(full_store: Store) -> None:
    app = open_app("compare", compare_sort="A–Z")
    before = len(app.dataframe)
    app.selectbox(key="occupation").set_value("nurse").run()
    assert "**nurse**, sentence by sentence" in app.texts
    assert len(app.dataframe) == before + 1
    table = app.dataframe[0].value
    assert list(table.columns) == ["Sentence", "mini-bert", "mini-gpt"]
    assert table["Sentence"].str.contains("nurse").all()
    assert table["mini-bert"].str.fullmatch(r"(men|women) (over )?[\d.]+ %").all()


def test_of_several_groups_the_most_unequal_is_drawn_first(full_store: Store) -> None:
    for model in PAIR:
        fill(full_store, model, topic_name="race")
    app = open_app("compare", model=list(PAIR), topic="race")
    group = app.selectbox(key="group")
    assert len(group.options) > 2
    assert people(group.value) == group.options[0]
    assert_walk(app, "another group is compared", ("set", "group", group.options[-1]))


def test_the_occupations_that_differ_in_risk_are_drawn_once_somebody_looks(full_store: Store) -> None:
    app = open_app("compare")
    assert len(app.get("plotly_chart")) == 1
    with pytest.raises(KeyError):
        app.segmented_control(key="compare_part")
    app.switch_page("pages/risk.py").run()
    app.query_params["compare_part"] = "caprice"
    app.switch_page("pages/compare.py").run()
    assert len(app.get("plotly_chart")) == 2, "an address that asks for a part opens them"
    assert app.segmented_control(key="compare_part").value == "caprice"
    app.session_state["compare_occupations"] = False  # as who closes them does
    app.run()
    assert len(app.get("plotly_chart")) == 1, "they stay closed"


def test_a_caprice_that_no_context_shows_has_no_interval_from_0_to_0(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_caprice(*arguments: object) -> Comparison:
        comparison = compared(*arguments)  # type: ignore[arg-type]
        caprice = replace(
            comparison.differences["caprice_risk"],
            first=0.0,
            second=0.0,
            intervals=(Interval(low=0, high=0),),
        )
        return replace(
            comparison,
            differences={**comparison.differences, "caprice_risk": caprice},
            first=replace(comparison.first, templates_left_out=1),
            second=replace(comparison.second, templates_left_out=1),
        )

    monkeypatch.setattr("pcf_core.report.loaded.compared", without_caprice)
    monkeypatch.setattr("pcf_core.app.data.once", lambda function: function)  # for this test alone
    app = open_app("compare")
    (note,) = [one.value for one in app.caption if one.value.startswith("A caprice of 0")]
    assert "in no sentence here, but up to 45 % of all sentences may be of another kind" in note
    assert str(app.table[1].value["difference and interval"]["Caprice"]).startswith("0, since both are 0")


def test_the_papers_table_has_words_for_a_caprice_that_was_not_seen() -> None:
    row: dict[str, object] = {"model": "m", "source": "this run"}
    for column, value in (("R", 0.71234), ("R^p", 0.71234), ("R^c", 0.0)):
        row |= {column: value, f"{column}_low": value * 0.9, f"{column}_high": value * 1.1}
    shown = printed_form(pd.DataFrame([row]), 4).iloc[0]
    assert shown["R"] == "0.7123 (0.6411–0.7836)"
    assert shown["R^c"] == "0.0000 (in no sentence here)"


def test_a_topic_in_another_language_names_it(full_store: Store) -> None:
    fill(full_store, "mini-gpt", topic_name="gender-zh")
    places = set(open_app("compare", **BY_TOPIC).dataframe[0].value["place"])
    assert places == {"gender (with 19 sentence beginnings from the papers)", "gender-zh (language zh)"}


@pytest.mark.slow
def test_topics_are_not_laid_beside_other_occupations(full_store: Store) -> None:
    """A run of other occupations is another measurement: it has no place, or says so where it was chosen."""
    fill(full_store, "mini-gpt", evidence="occupations-pcf", topic_name="race")
    app = open_app("compare", **BY_TOPIC)
    assert set(app.dataframe[0].value["place"]) == {"gender (with 19 sentence beginnings from the papers)"}
    app = open_app("compare", model=["mini-gpt"], topic="race", evidence="occupations-pcf", **BY_TOPIC)
    assert set(app.dataframe[0].value["place"]) == {"race (with 257 terms (PCF))"}


@pytest.mark.slow
def test_topics_are_not_laid_beside_other_texts_of_a_usual_name(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A set of one's own may have had other texts under its name; those of the chosen run are said to be."""
    usual = load_templates("gender-nineteen")
    changed = usual.model_copy(update={"templates": usual.templates[:-1]})
    sets = {name: changed if name == usual.name else templates for name, templates in template_sets().items()}
    monkeypatch.setattr("pcf_core.app.compare.lines.template_sets", lambda: sets, raising=False)
    monkeypatch.setattr(
        "pcf_core.app.compare.lines.usual_lists", lambda topic: Usual(usual.name, topic.evidence)
    )
    app = open_app("compare", **BY_TOPIC)
    assert set(app.dataframe[0].value["place"]) == {
        "gender (with another set named 19 sentence beginnings from the papers)"
    }


def test_the_orders_of_models_on_two_sets_are_correlated(full_store: Store) -> None:
    for model in PAIR:
        fill(full_store, model, templates="gender-heatmap")
    ranks = open_app("compare", compare_view="along an axis").dataframe[1].value
    assert list(ranks["templates"]) == ["Ten sentence beginnings of the papers' heat map"] * 2
    assert ranks["spearman"].between(-1, 1).all()


def test_printed_rows_stand_beside_runs_of_the_same_model(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shipped models are none of the papers'; here one is taken for GPT-2."""
    entry = PublishedModel(model="mini-gpt", published="GPT-2", note="it is not")
    monkeypatch.setattr("pcf_core.material.published.published_models", lambda: (entry,))
    assert_state(open_app("compare", compare_view="as in the papers"), "compare a printed model")
    axis = open_app("compare", compare_view="along an axis").dataframe[0].value
    printed = axis[axis["published"] == "BVF Table 4"]
    assert set(printed["place"]) == {"book", "conversation", "textbook", "web page"}
    assert printed["overall_risk_low"].isna().all()


def test_the_table_of_the_papers_has_our_rows_theirs_and_the_reference_models(full_store: Store) -> None:
    app = open_app(
        "compare", compare_view="as in the papers", compare_thousand="true", compare_printed="true"
    )
    assert "The papers print no row for any of the chosen models" in app.texts
    shown = app.dataframe[0].value.set_index("model")
    assert shown["R"][shown.index == "T5"].iloc[0] == "870.32"
    assert shown.loc["stereotyped", "R"] == "1000.00"
    assert list(shown.index[:2]) == ["Mini BERT", "Mini GPT"]
    plain = open_app("compare", compare_view="as in the papers").dataframe[0].value
    assert "T5" not in set(plain["model"])
    ours, times = str(plain["R"][0]), str(shown["R"].iloc[0])
    assert "–" in ours
    assert [float(end) for end in ours.strip(")").replace(" (", "–").split("–")] == pytest.approx(
        [float(end) / 1000 for end in times.strip(")").replace(" (", "–").split("–")], abs=1e-4
    )
    data = app.dataframe[1].value
    assert f"{data['R'][0]:.2f} ({data['R_low'][0]:.2f}–{data['R_high'][0]:.2f})" == times
    assert data["R_low"][2:].isna().all()
    assert {"Risk R × 1,000", "Prejudice Rᵖ × 1,000"} < headers(app.dataframe[1])
    assert "Risk R × 1,000" in headers(app.dataframe[0])


def test_the_table_of_the_papers_has_their_words_whatever_is_selected(full_store: Store) -> None:
    whole, fitting = (
        open_app("compare", compare_view="as in the papers", protocol=protocol)
        for protocol in ("exact", "fitting")
    )
    assert "All words of the topic count here" in fitting.captions
    assert "All words of the topic" not in whole.captions
    assert list(fitting.dataframe[0].value["R"]) == list(whole.dataframe[0].value["R"])


def headers(table: Dataframe) -> set[str]:
    return {column.get("label") for column in json.loads(table.proto.columns).values()}


def axis_of(app: App) -> pd.DataFrame:
    table = app.dataframe[0].value
    return table[table["published"] == ""]


@pytest.mark.slow
def test_a_newer_draw_does_not_stand_for_the_run_that_scored_everything(full_store: Store) -> None:
    whole = usual_run("mini-gpt")
    before = axis_of(open_app("compare", compare_view="along an axis"))
    drawn = planned(whole, 0.1)
    score_run(drawn, full_store, lambda spec, protocol: fake_scorer(drawn.scoring, drawn.topic))
    after = axis_of(open_app("compare", compare_view="along an axis"))
    assert set(after["place"]) == {"19 sentence beginnings from the papers"}
    pd.testing.assert_frame_equal(before, after)

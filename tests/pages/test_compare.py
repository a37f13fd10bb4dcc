"""Compare: two models side by side, small multiples along an axis, the papers' table."""

from __future__ import annotations

import pytest

from pcf_core.audit import ReadRun, ViewOptions, compared, load_result
from pcf_core.findings import difference_finding, occupations_difference_finding
from pcf_core.store import Store
from pcf_core.topics import PublishedModel
from tests.conftest import fill
from tests.pages.opened import open_app, texts


def test_two_models_are_compared_as_the_library_does(full_store: Store) -> None:
    app = open_app("compare", weights="employment", over="both")
    runs = {info.run.scoring.model: info.run for info in full_store.runs()}
    one, other = (
        ReadRun(runs[model], load_result(full_store, runs[model]), "exact")
        for model in ("mini-bert", "mini-gpt")
    )
    found = compared(one, other, ViewOptions(occupation_weights="employment"))
    assert difference_finding(found, over="both") in texts(app)
    assert occupations_difference_finding(found) in texts(app)
    assert len(app.metric) == 6
    assert {metric.label for metric in app.metric} == {"Risk R", "Prejudice", "Caprice"}
    verdicts = app.table[0].value
    assert list(verdicts.index) == ["Risk R", "Prejudice", "Caprice"]
    assert len(app.get("plotly_chart")) == 1
    assert f"compare {runs['mini-bert'].key} {runs['mini-gpt'].key}" in app.code[0].value


def test_the_other_way_round_and_the_scatter_are_in_the_link(full_store: Store) -> None:
    app = open_app("compare", compare_first="mini-gpt", compare_second="mini-bert", compare_picture="scatter")
    assert texts(app).index("of mini-gpt (") < texts(app).index("of mini-bert (")
    assert app.toggle(key="compare_all").disabled
    app.segmented_control(key="compare_part").set_value("caprice").run()
    assert not app.exception
    app.selectbox(key="compare_second").set_value("mini-gpt").run()
    assert "Choose two different models" in app.info[0].value


def test_one_model_asks_for_a_second(full_store: Store) -> None:
    app = open_app("compare", model=["mini-gpt"])
    assert "Choose a second model" in app.info[0].value
    assert not app.get("plotly_chart")


SAID = {
    "text source": "Over 2 text sources the risk of mini-bert lies between",
    "models": "Of these two checkpoints",
    "size": "nothing follows for size as such",
    "topic": "mini-gpt is scored for one topic alone, gender",
}


def test_every_axis_has_its_sentence_and_its_panels(full_store: Store) -> None:
    for model in ("mini-bert", "mini-gpt"):
        fill(full_store, model, templates="gender-heatmap")
    app = open_app("compare", compare_view="along an axis")
    ranks = app.dataframe[1].value
    assert list(ranks["templates"]) == ["gender-heatmap"] * 2
    assert ranks["spearman"].between(-1, 1).all()
    for axis, said in SAID.items():
        app.segmented_control(key="compare_axis").set_value(axis).run()
        assert said in texts(app)
        assert len(app.get("plotly_chart")) == 1


def test_printed_rows_stand_beside_runs_of_the_same_model(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shipped models are none of the papers'; here one is taken for GPT-2."""
    entry = PublishedModel(model="mini-gpt", published="GPT-2", note="it is not")
    monkeypatch.setattr("pcf_core.topics.published_names.published_models", lambda: (entry,))
    app = open_app("compare", compare_view="as in the papers")
    assert "the papers print 0.416 (PCF Table 1, wikipedia), 0.579 (BVF Table 4, book)" in texts(app)
    assert "Note: it is not." in texts(app)
    assert {"GPT-2", "GPT2"} < set(app.dataframe[0].value["model"])
    axis = open_app("compare", compare_view="along an axis").dataframe[0].value
    printed = axis[axis["published"] == "BVF Table 4"]
    assert set(printed["place"]) == {"book", "conversation", "textbook", "web page"}
    assert printed["overall_risk_low"].isna().all()


def test_the_table_of_the_papers_has_our_rows_theirs_and_the_reference_models(full_store: Store) -> None:
    app = open_app(
        "compare", compare_view="as in the papers", compare_thousand="true", compare_printed="true"
    )
    assert "None of the chosen models is one that the papers print" in texts(app)
    shown = app.dataframe[0].value.set_index("model")
    assert shown.loc["T5", "R"].iloc[0] == "870.32"
    assert shown.loc["stereotyped", "R"] == "1000.00"
    assert list(shown.index[:2]) == ["mini-bert", "mini-gpt"]
    plain = open_app("compare", compare_view="as in the papers").dataframe[0].value
    assert "T5" not in set(plain["model"])
    assert float(plain["R"][0]) == pytest.approx(float(shown["R"].iloc[0]) / 1000, abs=1e-4)

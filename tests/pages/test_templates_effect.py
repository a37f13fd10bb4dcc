"""The page Templates: what a choice does to cached runs, and two sets side by side."""

from __future__ import annotations

import pytest

from pcf_core.audit.case import restricted
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import load_result
from pcf_core.core.topics import MinedSet
from pcf_core.material.templates import save_set
from pcf_core.show.findings.numbers import two_decimals
from pcf_core.store.store import Store
from tests.pages.mined import OWN
from tests.pages.opened import open_app, own_queue


@pytest.fixture
def own() -> MinedSet:
    """A set of the user's own."""
    return save_set(OWN)


def test_a_cut_is_previewed_on_cached_runs_without_scoring(full_store: Store) -> None:
    app = open_app("templates", set="gender-nineteen", set_view="preview", keep="5")
    assert not app.error
    run = next(info.run for info in full_store.runs() if info.run.scoring.model == "mini-gpt")
    heaviest = sorted(run.templates.templates, key=lambda item: (-item.count, item.text))[:5]
    found = restricted(
        load_result(full_store, run),
        run,
        [item.text for item in heaviest],
        [item.count for item in heaviest],
        ViewOptions(),
    )
    sentence = next(line for line in app.said.splitlines() if line.startswith("The risk of mini-gpt"))
    assert "over the 19 templates of gender-nineteen and" in sentence
    assert f"and {two_decimals(found.overall_risk)} (" in sentence
    table = app.dataframe[0].value
    row = table[(table["model"] == "mini-gpt") & table["templates"].str.startswith("5 templates")]
    assert row["overall_risk"].item() == found.overall_risk
    assert row["caprice_risk"].item() == found.caprice_risk
    assert own_queue().list() == ()


def test_an_edited_set_is_previewed_as_it_stands(full_store: Store) -> None:
    app = open_app("templates", set="gender-nineteen", set_view="edit", keep="4")
    app.press("cut_to_top")
    app.segmented_control(key="set_view").set_value("preview").run()
    assert {metric.label: metric.value for metric in app.metric}["Templates"] == "4"
    assert "4 templates of gender-nineteen" in set(app.dataframe[0].value["templates"])


def test_a_set_that_no_run_covers_says_what_to_do(own: MinedSet) -> None:
    app = open_app("templates", set="own-set", set_view="preview")
    assert "No run in the cache has scored these templates" in app.said
    links = [link.proto for link in app.get("page_link") if link.proto.page == "run_an_audit"]
    assert "score_templates=own-set" in links[0].query_string
    app.segmented_control(key="set_view").set_value("edit").run()
    app.press("full_stops")
    app.segmented_control(key="set_view").set_value("preview").run()
    assert "Save the set under edit first" in app.said.replace("*", "")
    assert not [
        link for link in app.get("page_link") if link.proto.page == "run_an_audit" and link.proto.query_string
    ]


def test_a_set_that_is_covered_in_part_says_how_much(full_store: Store) -> None:
    save_set(OWN)
    app = open_app("templates", set="own-set", set_view="preview")
    assert (
        "Too little of this choice's weight is scored to be read: mini-bert 75 %, mini-gpt 75 %." in app.said
    )
    assert not app.get("plotly_chart")


def test_two_sets_are_compared_with_their_effect(full_store: Store) -> None:
    app = open_app("templates", set="gender-nineteen", set_view="compare", other="gender-reporting")
    assert not app.error
    assert "gender-nineteen and gender-reporting have" in app.said
    assert "10 of 19 and 10 templates are in both. Over those the ranks correlate with ρ = 1.00" in app.said
    assert "The risk of mini-gpt is" in app.said
    assert "over gender-nineteen and" in app.said
    assert len(app.get("plotly_chart")) == 2
    table = app.dataframe[0].value
    assert len(table) == 19
    assert set(table["in"]) == {"both", "gender-nineteen"}
    assert table["share in gender-reporting"].sum() == pytest.approx(1)


def test_a_comparison_without_scores_still_compares(own: MinedSet) -> None:
    app = open_app("templates", set="own-set", set_view="compare", other="gender-reporting")
    assert "2 of 4 and 10 templates are in both." in app.said
    assert "No model has scored both sets" in app.said
    assert len(app.get("plotly_chart")) == 1


def test_a_comparison_says_how_much_of_a_set_is_scored(full_store: Store) -> None:
    save_set(OWN)
    app = open_app("templates", set="own-set", set_view="compare", other="gender-nineteen")
    assert "No model has scored both sets" in app.said
    assert "is scored to be read: mini-bert 75 %, mini-gpt 75 %." in app.said


def test_a_set_is_not_compared_with_itself(own: MinedSet) -> None:
    app = open_app("templates", set="own-set", set_view="compare", other="own-set")
    assert app.info
    assert not app.get("plotly_chart")

"""The tab How it works: every part is drawn without any result, and says what the library computes."""

from __future__ import annotations

import pytest

from pcf_core.app.method.how_it_works import GLOSSARY, PARTS
from pcf_core.measure.reference_models import toy_risk
from pcf_core.show.findings.toy import caprice_finding, parts_finding
from tests.pages.opened import open_app

FIGURES = {
    "one occupation": ["0.55", "0.25", "0.30", "0.55"],
    "two models": ["0.20", "0.20", "+0.10", "0.00"],
    "hair colour": ["0.60", "+0.20", "0.20", "0.43"],
    "three groups": ["0.65", "0.28", "0.38", "0.53"],
}


@pytest.mark.parametrize("part", PARTS)
def test_every_part_is_drawn_from_an_empty_store(part: str) -> None:
    app = open_app("how_it_works", how_part=part)
    assert app.titles == ["Method"]
    assert not app.error
    assert len(app.get("plotly_chart")) == (part != "words")
    if part in FIGURES:
        assert [metric.value for metric in app.metric] == FIGURES[part]


def test_moving_a_context_across_neutral_closes_the_gap() -> None:
    app = open_app("how_it_works")
    app.slider(key="p_second").set_value(0.6).run()
    moved = toy_risk("nurse", ("male", "female"), ("context 1", "context 2"), [0.9, 0.6])
    assert moved.caprice_risk == 0
    assert parts_finding(moved) in app.texts
    assert caprice_finding(moved) in app.texts
    app.slider(key="w_first").set_value(1.0).run()
    assert [metric.value for metric in app.metric] == ["0.80", "0.80", "0", "0"]


def test_few_contexts_show_prejudice_where_there_is_none() -> None:
    few = open_app("how_it_works", how_part="reference models", contexts="2")
    many = open_app("how_it_works", how_part="reference models", contexts="60")
    shown = [
        float(app.metric[2].delta.replace("\\", "").removeprefix("prejudice ").split(",")[0])
        for app in (few, many)
    ]
    assert shown[0] > 2 * shown[1]
    assert [app.metric[2].value for app in (few, many)] == ["1.00", "1.00"]


def test_the_norms_of_three_groups_order_as_they_must() -> None:
    risks = [
        float(open_app("how_it_works", how_part="three groups", toy_criterion=name).metric[1].value)
        for name in ("max", "l2", "l1")
    ]
    assert risks[0] <= risks[1] < risks[2]  # the first two differ in the third decimal


def test_the_glossary_names_what_the_papers_call_by_other_names() -> None:
    said = open_app("method", method_tab="Glossary").texts
    assert GLOSSARY.read_text(encoding="utf8").split("\n\n", 2)[2].strip() in said.replace("\\", "")
    for word in ("bias risk", "system risk", "volatility", "efficiency risk", "Jensen gap"):
        assert word in said
    for entry in (
        "Topic",
        "Intersectional topic",
        "Evidence",
        "Swap",
        "Knowledge",
        "Confidence gap",
        "Trying a sentence",
    ):
        assert f"**{entry}**" in said
    assert "such intervals hold the true value in about 95 of 100 cases" in said

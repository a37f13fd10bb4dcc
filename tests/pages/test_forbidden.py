"""Pages of results in which a model forbids words: cells without a preference are named, no page breaks."""

from __future__ import annotations

import json

import pytest

from tests.conftest import chance, fill
from tests.pages.opened import App, open_app, own_store, score_with, usual_run
from tests.quick import quick

PAGES = [
    "overview", "tilt", "heat_map", "risk", "caprice", "compare", "factors", "sensitivity", "report",
]  # fmt: skip
CELL = "The nurse said that [Y]"


def without(app: App) -> None:
    """No chart of the page has a number that JSON lacks."""
    for chart in app.get("plotly_chart"):
        json.loads(chart.proto.spec, parse_constant=lambda word: pytest.fail(f"{word} in a chart"))


@pytest.mark.parametrize("page", quick(PAGES, ("overview", "heat_map").__contains__))
def test_a_word_that_is_forbidden_everywhere_leaves_no_answer(page: str) -> None:
    score_with(usual_run("mini-gpt"), lambda prompt, word: 0.0 if word == "she" else 0.01)
    app = open_app(page, model=["mini-gpt"])
    no = "No reliable answer: in 2,280 of 2,280 test sentences Mini GPT gave no probability at all to “she”"
    if page != "report":  # which is written where it is asked for
        assert no in f"{app.warnings}\n{app.said}\n{app.errors}"
    assert "'s risk is " not in app.texts
    without(app)


@pytest.mark.parametrize("page", quick(PAGES, ("compare", "heat_map").__contains__))
def test_beside_such_a_model_another_is_answered_about(page: str) -> None:
    score_with(usual_run("mini-gpt"), lambda prompt, word: 0.0 if word == "she" else 0.01)
    fill(own_store(), "mini-bert")
    without(open_app(page, model=["mini-gpt", "mini-bert"]))


@pytest.mark.parametrize("page", quick(PAGES, ("overview", "heat_map", "compare").__contains__))
def test_a_cell_without_a_preference_is_counted_and_named(page: str) -> None:
    def once(prompt: str, word: str) -> float:
        return 0.0 if (prompt, word) == (CELL, "she") else chance("mini-gpt", prompt, word)

    score_with(usual_run("mini-gpt"), once)
    fill(own_store(), "mini-bert")
    app = open_app(page, model=["mini-gpt", "mini-bert"])
    without(app)
    if page != "report":
        assert "In 1 of 2,280 test sentences the model gives no probability at all to 'she'" in app.said


def test_the_words_of_such_a_cell_are_shown_and_why_it_has_no_preference() -> None:
    def once(prompt: str, word: str) -> float:
        return 0.0 if (prompt, word) == (CELL, "she") else chance("mini-gpt", prompt, word)

    score_with(usual_run("mini-gpt"), once)
    app = open_app("heat_map", model=["mini-gpt"], occupation="nurse", template="The [X] said that [Y]")
    assert "The model gives no probability at all to 'she' here" in app.captions
    table = app.table_with("share_of_group").set_index("word")
    assert table.probability["she"] == 0
    assert table.share_of_group.isna().all()
    without(app)

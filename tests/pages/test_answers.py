"""Tilt, Heat map and Risk answer first; what is behind the answer is below the picture."""

from __future__ import annotations

import pytest

from pcf_core.app.results.heat_map import CLICKED, TEMPLATE, called, sentence, take_click
from pcf_core.audit.results import load_result
from pcf_core.show.overview import heat_map_answer
from pcf_core.store.store import Store
from tests.pages.opened import open_app

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
    run = next(info.run for info in full_store.runs() if info.run.scoring.model == "mini-gpt")
    preferences = load_result(full_store, run).preferences
    assert heat_map_answer("mini-gpt", preferences, run.templates.counts) in app.texts


def test_a_clicked_cell_is_chosen_and_opened_once(full_store: Store) -> None:
    app = open_app("heat_map")
    run = next(iter(full_store.runs())).run
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
    preferences = load_result(full_store, next(iter(full_store.runs())).run).preferences
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
    told = called("nurse", templates)
    assert list(told) == list(templates)
    assert len(set(told.values())) == 3
    both = [f"The nurse and the nurse said that … ({template})" for template in templates[:2]]
    assert [told[template] for template in templates] == [*both, "The nurse is …"]
    assert called("baker", templates)[templates[0]] == "The baker and the nurse said that …"


def test_a_context_that_is_not_there_is_a_mistake_in_the_link(full_store: Store) -> None:
    app = open_app("heat_map", template="The [X] was never seen with [Y]")
    assert len(app.warning) == 1


def test_a_mark_beside_the_cells_chooses_none(full_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run = next(iter(full_store.runs())).run
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

"""Overview: the table of models, what its filter shows, and what it opens on."""

from __future__ import annotations

import json
from itertools import combinations
from threading import Event
from unittest.mock import Mock

import pytest

from pcf_core.app.serve import warm_up
from pcf_core.audit.baseline import NEUTRAL_LISTS
from pcf_core.audit.comparing import compared, lettered
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import RunView
from pcf_core.audit.results import load_result
from pcf_core.core.errors import StoreError
from pcf_core.models.public import public_models
from pcf_core.show.names import with_titles
from pcf_core.store.store import Store
from tests.pages.opened import App, open_app
from tools.ship_results import RUNS, USUAL


def test_every_model_on_the_shown_sentences_has_a_row(full_store: Store) -> None:
    app = open_app("overview", model=["mini-bert", "mini-gpt"])
    table = app.dataframe[0].value
    assert sorted(table["model"]) == ["Mini BERT", "Mini GPT"]
    assert list(table["risk"]) == sorted(table["risk"])
    assert "kind" not in table, "it is the same in every row"
    (answer,) = [line for line in app.texts.splitlines() if line.startswith("**Against whom:** ")]
    assert "Mini BERT" in answer
    assert "prefer" in answer
    counts = dict(zip(table["model"], table["Men / women first"], strict=True))
    men, women = (int(part) for part in counts["Mini BERT"].split(" / "))
    assert str(max(men, women)) in answer
    assert men + women <= 120


def test_names_of_columns_are_words_on_the_page(full_store: Store) -> None:
    data = open_app("overview").open_foot("Data").dataframe[-1]
    assert "overall_risk" in data.value
    assert json.loads(data.proto.columns)["overall_risk"]["label"] == "overall risk"


def test_all_scored_runs_are_read_once_somebody_looks(full_store: Store) -> None:
    app = open_app("overview")
    assert not app.get("plotly_chart")
    opened = open_app("overview", all_runs="true")
    assert len(opened.get("plotly_chart")) == 1
    assert len(opened.dataframe) == len(app.dataframe) + 1


def test_what_is_folded_away_is_not_drawn_before_somebody_opens_it(full_store: Store) -> None:
    app = open_app("overview")
    assert len(app.dataframe) == 1
    assert not app.code
    assert len(app.open_foot("Data").dataframe) == 2
    commands = [code.value for code in app.open_foot().code]
    assert any(command.startswith("python -m pcf_core risk") for command in commands)
    assert len(app.dataframe) == 1


def test_it_opens_on_the_public_models(shipped: Store) -> None:
    app = open_app("overview", topic="gender", templates="gender-wikipedia-100")
    usual = {item.model for item in RUNS if (item.topic, item.templates) == USUAL}
    public = [model.name for model in public_models() if model.name in usual]
    assert public
    assert app.sidebar.multiselect(key="model").value == public
    table = app.dataframe[0].value
    assert sorted(table["model"]) == sorted(map(with_titles, public))
    assert "kind" not in table
    app.segmented_control(key="models_shown").set_value("all").run()
    assert set(app.dataframe[0].value["kind"]) == {"public", "teaching"}
    app.segmented_control(key="models_shown").set_value("teaching models").run()
    shown = app.dataframe[0].value
    assert set(shown.loc[shown["kind"] == "public", "model"]) == set(map(with_titles, public))
    assert "teaching" in set(shown["kind"])


def tick(app: App, *models: str) -> None:
    """Tick rows of the table of models, as the browser says it: by their numbers."""
    table = app.dataframe[0]
    rows = [list(table.value["model"]).index(model) for model in models]
    app.session_state[table.key] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    app.run()


def ticked(app: App) -> list[str]:
    """The models whose rows are ticked when the table is first drawn."""
    table = app.dataframe[0]
    rows = json.loads(table.proto.selection_default)["selection"]["rows"]
    return [str(model) for model in table.value["model"].iloc[rows]]


def offered(app: App) -> list[str]:
    return [button.label.replace("\\", "") for button in app.button if button.key == "compare_ticked"]


def test_ticks_stay_with_their_models_when_other_rows_come(shipped: Store) -> None:
    """Streamlit alone has the numbers of the rows, and with another filter other models are in them."""
    app = open_app("overview", topic="gender", templates="gender-wikipedia-100", models_shown="all")
    models = list(app.dataframe[0].value["model"])
    kinds = dict(zip(models, app.dataframe[0].value["kind"], strict=True))
    taught = [model for model in models if kinds[model] == "teaching"][:2]
    public = [model for model in models if kinds[model] == "public"]
    tick(app, *taught)
    assert offered(app) == [f"Compare {taught[0]} and {taught[1]}"]
    app.segmented_control(key="models_shown").set_value("public models").run()
    assert sorted(app.dataframe[0].value["model"]) == sorted(public)
    assert offered(app) == ticked(app) == [], "they are not in the table"
    app.segmented_control(key="models_shown").set_value("all").run()
    assert ticked(app) == taught
    assert offered(app) == [f"Compare {taught[0]} and {taught[1]}"]
    app.segmented_control(key="models_shown").set_value("teaching models").run()
    assert ticked(app) == taught
    tick(app, taught[0])
    app.segmented_control(key="models_shown").set_value("all").run()
    assert ticked(app) == [taught[0]]
    assert offered(app) == []
    tick(app, public[0], taught[0])
    for shown in ("public models", "all"):
        app.segmented_control(key="models_shown").set_value(shown).run()
    assert ticked(app) == [taught[0], public[0]], "in the order of ticking"


def test_a_table_with_the_same_rows_is_the_same_table(shipped: Store) -> None:
    """A late click on a table whose rows have changed is then a click on no row."""
    app = open_app("overview", topic="gender", templates="gender-wikipedia-100", models_shown="all")
    before = app.dataframe[0].key
    app.run()
    assert app.dataframe[0].key == before
    app.segmented_control(key="models_shown").set_value("public models").run()
    assert app.dataframe[0].key != before


def test_models_that_the_paired_test_of_compare_cannot_tell_apart_share_a_letter(shipped: Store) -> None:
    app = open_app("overview", topic="gender", templates="gender-wikipedia-100", models_shown="all")
    table = app.dataframe[0].value
    runs = {
        with_titles(info.run.scoring.label): info.run
        for info in shipped.runs()
        if (info.run.topic.name, info.run.templates.name) == USUAL
        and info.run.evidence.name not in NEUTRAL_LISTS
    }
    read = {
        model: RunView(runs[model], load_result(shipped, runs[model]), ViewOptions())
        for model in table["model"]
    }
    given = [set(ties.split()) for ties in lettered(list(read.values()), ViewOptions())]
    shared = {letter for one, other in combinations(given, 2) for letter in one & other}
    letters = [set(ties.split()) for ties in table["ties"]]
    assert letters == [one & shared for one in given], "a letter that one model has alone is left out"
    assert any(one & other for one, other in combinations(letters, 2))
    highest = compared(*(read[model] for model in table["model"].iloc[[0, -1]]), ViewOptions())
    assert highest.differences["overall_risk"].ordered
    assert not letters[0] & letters[-1]
    assert "Two models tie if we cannot tell their risks apart" in app.captions
    cards = [text for text in app.texts.splitlines() if text.startswith("Risk ")]
    assert [("Ties with" in card) for card in cards] == [
        any(own & other for other in letters if other is not own) for own in letters
    ]


def test_every_run_names_no_set_as_the_source_and_neutral_subjects_are_no_runs(shipped: Store) -> None:
    app = open_app("overview", topic="gender", templates="gender-wikipedia-100", all_runs="true")
    chart = json.loads(app.get("plotly_chart")[0].proto.spec)
    assert "PCF Audit · Gender<" in chart["layout"]["title"]["text"]
    runs = next(
        frame.value
        for frame in app.dataframe
        if "sentence beginnings from fiction" in frame.value.to_string()
    )
    assert not any(name in runs.to_string() for name in NEUTRAL_LISTS)


def test_what_it_opens_with_is_worked_out_before_anybody_asks(
    shipped: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = {"topic": "gender", "templates": "gender-wikipedia-100"}
    warm_up()
    for name in (
        "pcf_core.app.data.load_result",
        "pcf_core.app.data.report",
        "pcf_core.models.folder._read_hash",
    ):
        monkeypatch.setattr(name, Mock(side_effect=StoreError("It was to be worked out already.")))
    app = open_app("overview", **usual)
    assert not app.error
    assert len(app.dataframe[0].value) == 2
    again = open_app("overview", criterion="l2", **usual)
    assert "worked out already" in again.errors


def test_a_failed_warm_up_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("pcf_core.app.serve.scored_models", Mock(side_effect=StoreError("It is damaged.")))
    warm_up()
    assert "It is damaged." in caplog.text


def test_what_takes_long_does_not_keep_the_server_from_listening(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endpoint that does not answer, weights that take minutes to hash: it goes on meanwhile."""
    answered, begun = Event(), Event()

    def wait() -> None:
        begun.set()
        answered.wait(60)
        raise StoreError("It came too late.")

    monkeypatch.setattr("pcf_core.app.serve.PATIENCE", 0.01)
    monkeypatch.setattr("pcf_core.app.serve.scored_models", wait)
    warm_up()
    assert begun.wait(60)
    assert not answered.is_set()
    answered.set()


@pytest.mark.parametrize(
    ("models", "begins"),
    [
        (["mini-bert", "mini-gpt"], "teaching models"),
        ([public_models()[0].name, "mini-gpt"], "all"),
    ],
)
def test_a_link_shows_the_models_it_names(shipped: Store, models: list[str], begins: str) -> None:
    app = open_app("overview", topic="gender", templates="gender-wikipedia-100", model=models)
    assert app.segmented_control(key="models_shown").value == begins
    assert set(map(with_titles, models)) <= set(app.dataframe[0].value["model"])

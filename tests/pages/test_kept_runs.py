"""Results on the page Models: listed, deleted, in the journal, and pinned for Compare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pcf_core.app.roles import recorded
from pcf_core.core.settings import settings
from pcf_core.material.topics import copied, load_topic, save_topic
from pcf_core.store.journal import FILE_NAME, Journal
from pcf_core.store.store import Store
from pcf_core.work.people import Person
from pcf_core.work.requests import submit_run
from tests.pages.opened import App, open_app, own_queue, set_environment

BOTH = ["mini-bert", "mini-gpt"]


def rows_with(app: App, column: str) -> list[dict[str, Any]]:
    """The rows of the first table with a column."""
    return [dict(row) for row in app.table_with(column).to_dict("records")]


def keys_of(app: App, beginning: str) -> list[str]:
    return [key for key in app.button_keys if key.startswith(beginning)]


def choose(key: str) -> App:
    app = open_app("models")
    assert not keys_of(app, "delete_run_"), "nothing is chosen"
    return app.selectbox(key="kept_run").select(key).run()


def test_every_run_stands_there_with_date_owner_and_size(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    infos = full_store.own_runs()
    queue = own_queue().acting_for(Person(address="Ann@example.org"))
    monkeypatch.setattr("pcf_core.work.queue.check_may_ask", lambda *_: None)
    queue.submit("score", infos[0].run.key, {}, total=0)
    rows = rows_with(open_app("models"), "run")
    assert [row["run"] for row in rows] == [info.run.key for info in infos]
    assert [row["owner"] for row in rows] == ["ann@example.org", ""]
    assert [row["size"] for row in rows] == [full_store.size_of_run(info.run.key) for info in infos]
    assert [row["date"] for row in rows] == [info.created for info in infos]
    set_environment(monkeypatch, READ_ONLY="1")
    app = choose(infos[0].run.key)
    assert "owner" not in rows_with(app, "run")[0], "a viewer is not told who asked"
    assert not keys_of(app, "delete_run_")


def test_the_second_press_deletes_one_run_and_the_journal_tells_it(full_store: Store) -> None:
    first, second = full_store.own_runs()
    app = choose(first.run.key)
    assert "Nothing was done here yet" in app.captions
    assert len(full_store.own_runs()) == 2, "the first press opens the question"
    app.press(f"delete_run_{first.run.key}")
    assert not app.error
    assert [info.run.key for info in full_store.own_runs()] == [second.run.key]
    assert [row["run"] for row in rows_with(app, "run")] == [second.run.key]
    assert not keys_of(app, "delete_run_")
    assert not full_store.missing(second.run.scoring, second.run.prompts, second.run.topic.words)
    (entry,) = rows_with(open_app("models"), "did")
    assert (entry["number"], entry["did"], entry["what"], entry["who"]) == (1, "deleted", "run", "")
    assert str(entry["name"]).startswith(first.run.key)


def test_a_run_that_is_being_scored_is_not_deleted(full_store: Store) -> None:
    run = full_store.own_runs()[0].run
    submit_run(full_store, own_queue(), run, 0)
    assert "cancel its job" in choose(run.key).press(f"delete_run_{run.key}").errors
    assert run.key in {info.run.key for info in full_store.own_runs()}


# ------------------------------------------------------------------------------------------ the pin


def pin(model: str) -> App:
    app = open_app("models", model_details=model)
    return app.press(keys_of(app, "pin_")[0])


def pair(app: App) -> list[str]:
    return [app.selectbox(key=f"compare_{side}").value for side in ("first", "second")]


def compare_from_risk(models: list[str]) -> App:
    return open_app("risk", model=models).switch_page("pages/compare.py").run()


def test_compare_opens_against_the_pinned_model_that_has_results(full_store: Store) -> None:
    assert pair(compare_from_risk(BOTH)) == BOTH
    pin("mini-bert")
    assert pair(compare_from_risk(BOTH)) == BOTH[::-1]
    app = compare_from_risk(["mini-gpt"])
    assert pair(app) == BOTH[::-1]
    assert app.multiselect(key="model").value == BOTH[::-1]
    assert app.query_params["model"] == BOTH[::-1], "a copied link says it"
    assert not app.link_warnings
    assert pair(open_app("compare", model=BOTH)) == BOTH, "a link from elsewhere goes before"
    pin("mini-t5")
    app = compare_from_risk(BOTH)
    assert pair(app) == app.multiselect(key="model").value == BOTH


def test_a_pin_is_let_go_again_and_a_viewer_has_none(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = pin("mini-bert")
    for label in ("Unpin", "Pin"):
        (key,) = keys_of(app, "pin_")
        assert app.button(key=key).label == label
        app.press(key)
    set_environment(monkeypatch, READ_ONLY="1")
    assert not keys_of(open_app("models", model_details="mini-bert"), "pin_")


# ------------------------------------------------------------------------------------------ the journal


def test_what_was_refused_is_not_recorded_and_what_cannot_be_recorded_not_done(full_store: Store) -> None:
    first, second = (info.run.key for info in full_store.own_runs())
    app = choose(first)
    full_store.delete_run(first)
    app.press(f"delete_run_{first}")
    assert Journal(settings().cache).read().entries == ()
    app = choose(second)
    Path(Journal(settings().cache).path).unlink(missing_ok=True)
    (settings().cache / FILE_NAME).mkdir()
    assert app.press(f"delete_run_{second}").error
    assert second in {info.run.key for info in full_store.own_runs()}


def test_an_altered_journal_is_said(full_store: Store) -> None:
    journal = Journal(settings().cache)
    for name in ("pets", "<b>cats</b>"):
        journal.add("ann@example.org", "changed", "topic", name)
    assert "The journal has 2 entries, each of which follows" in open_app("models").captions
    path = Path(journal.path)
    path.write_bytes(path.read_bytes().replace(b"pets", b"dogs"))
    app = open_app("models")
    assert "is not as it was written" in app.captions + app.errors


def test_a_viewer_has_no_journal(full_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    Journal(settings().cache).add("ann@example.org", "changed", "topic", "pets")
    set_environment(monkeypatch, READ_ONLY="1")
    app = open_app("models")
    assert not [frame for frame in app.dataframe if "did" in frame.value.columns]
    assert "ann@example.org" not in app.captions + app.errors


def test_a_topic_that_is_changed_is_recorded() -> None:
    """By the one way in which pages change what is kept."""
    topic = copied(load_topic("gender"))
    recorded("changed", "topic", topic.name, save_topic, topic)
    (entry,) = Journal(settings().cache).read().entries
    assert (entry.did, entry.what, entry.name) == ("changed", "topic", topic.name)

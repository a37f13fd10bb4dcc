"""Results on the page Models: listed, deleted, in the journal, and pinned for Compare."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1.element_tree import Button

from pcf_core.core.settings import settings
from pcf_core.material.topics import load_topic
from pcf_core.store.journal import FILE_NAME, Journal
from pcf_core.store.store import Store
from pcf_core.work.people import Person
from pcf_core.work.requests import submit_run
from tests.pages.opened import App, open_app, own_queue, set_environment


def runs_of(app: App) -> list[dict[str, object]]:
    """The rows of the list, among the tables of the page."""
    tables = [frame.value for frame in app.dataframe]
    found = [table for table in tables if "run" in table.columns]
    return [{str(name): cell for name, cell in row.items()} for row in found[0].to_dict("records")]


def buttons(app: App, beginning: str) -> list[Button]:
    return [button for button in app.button if str(button.key).startswith(beginning)]


def choose(key: str) -> App:
    app = open_app("models")
    assert not buttons(app, "delete_run_"), "nothing is chosen"
    app.selectbox(key="kept_run").select(key).run()
    return app


def test_every_run_stands_there_with_date_owner_and_size(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    infos = full_store.own_runs()
    queue = own_queue().acting_for(Person(address="Ann@example.org"))
    monkeypatch.setattr("pcf_core.work.queue.check_may_ask", lambda *_: None)
    queue.submit("score", infos[0].run.key, {}, total=0)
    rows = runs_of(open_app("models"))
    assert [row["run"] for row in rows] == [info.run.key for info in infos]
    assert [row["owner"] for row in rows] == ["ann@example.org", ""]
    assert [row["size"] for row in rows] == [full_store.size_of_run(info.run.key) for info in infos]
    assert [row["date"] for row in rows] == [info.created for info in infos]
    set_environment(monkeypatch, READ_ONLY="1")
    app = choose(infos[0].run.key)
    assert "owner" not in runs_of(app)[0], "a viewer is not told who asked"
    assert not buttons(app, "delete_run_")


def test_the_second_press_deletes_one_run_and_the_others_lack_nothing(full_store: Store) -> None:
    first, second = full_store.own_runs()
    app = choose(first.run.key)
    assert len(full_store.own_runs()) == 2, "the first press opens the question"
    buttons(app, "delete_run_")[0].click().run()
    assert not app.error
    assert [info.run.key for info in full_store.own_runs()] == [second.run.key]
    assert [row["run"] for row in runs_of(app)] == [second.run.key]
    assert not buttons(app, "delete_run_")
    assert not full_store.missing(second.run.scoring, second.run.prompts, second.run.topic.words)


def test_a_run_that_is_being_scored_is_not_deleted(full_store: Store) -> None:
    run = full_store.own_runs()[0].run
    submit_run(full_store, own_queue(), run, 0)
    app = choose(run.key)
    buttons(app, "delete_run_")[0].click().run()
    assert "cancel its job" in app.errors
    assert run.key in {info.run.key for info in full_store.own_runs()}


# ------------------------------------------------------------------------------------------ the pin


def pin(model: str) -> App:
    app = open_app("models", model_details=model)
    buttons(app, "pin_")[0].click().run()
    return app


def pair(app: App) -> list[str]:
    return [app.selectbox(key=f"compare_{place}").value for place in ("first", "second")]


def compare_from_risk(models: list[str]) -> App:
    app = open_app("risk", model=models)
    app.switch_page("pages/compare.py").run()
    return app


def test_compare_opens_against_the_pinned_model(full_store: Store) -> None:
    both = ["mini-bert", "mini-gpt"]
    assert pair(compare_from_risk(both)) == both
    pin("mini-bert")
    assert pair(compare_from_risk(both)) == ["mini-gpt", "mini-bert"]
    app = compare_from_risk(["mini-gpt"])
    assert pair(app) == ["mini-gpt", "mini-bert"]
    assert app.multiselect(key="model").value == ["mini-gpt", "mini-bert"]
    assert app.query_params["model"] == ["mini-gpt", "mini-bert"], "a copied link says it"
    assert not app.link_warnings


def test_a_link_from_elsewhere_goes_before_the_pin(full_store: Store) -> None:
    pin("mini-bert")
    models = ["mini-bert", "mini-gpt"]
    assert pair(open_app("compare", model=models)) == models


def test_a_pin_without_results_leaves_compare_as_it_is(full_store: Store) -> None:
    pin("mini-t5")
    app = compare_from_risk(["mini-bert", "mini-gpt"])
    assert pair(app) == ["mini-bert", "mini-gpt"]
    assert app.multiselect(key="model").value == ["mini-bert", "mini-gpt"]


def test_a_pin_is_let_go_again_and_a_viewer_has_none(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = pin("mini-bert")
    assert [button.label for button in buttons(app, "pin_")] == ["Unpin"]
    buttons(app, "pin_")[0].click().run()
    assert [button.label for button in buttons(app, "pin_")] == ["Pin"]
    set_environment(monkeypatch, READ_ONLY="1")
    assert not buttons(open_app("models", model_details="mini-bert"), "pin_")


def entries_of(app: App) -> list[dict[str, object]]:
    tables = [frame.value for frame in app.dataframe if "did" in frame.value.columns]
    return [{str(name): cell for name, cell in row.items()} for row in tables[0].to_dict("records")]


def journal_said(app: App) -> str:
    said = [*(caption.value for caption in app.caption), *(error.value for error in app.error)]
    return "\n".join(said).replace("\\", "")


def test_what_a_page_deletes_is_recorded_and_shown(full_store: Store) -> None:
    assert "Nothing was done here yet" in journal_said(open_app("models"))
    key = full_store.own_runs()[0].run.key
    app = open_app("models")
    app.selectbox(key="kept_run").select(key).run()
    app.press(f"delete_run_{key}")
    (entry,) = entries_of(open_app("models"))
    assert (entry["number"], entry["did"], entry["what"], entry["who"]) == (1, "deleted", "run", "")
    assert str(entry["name"]).startswith(key)


def test_what_was_refused_is_not_recorded(full_store: Store) -> None:
    key = full_store.own_runs()[0].run.key
    app = open_app("models")
    app.selectbox(key="kept_run").select(key).run()
    full_store.delete_run(key)
    app.press(f"delete_run_{key}")
    assert Journal(settings().cache).read().entries == ()


def test_what_cannot_be_recorded_is_not_done(full_store: Store) -> None:
    key = full_store.own_runs()[0].run.key
    app = open_app("models")
    app.selectbox(key="kept_run").select(key).run()
    (settings().cache / FILE_NAME).mkdir()
    app.press(f"delete_run_{key}")
    assert app.error
    assert key in {info.run.key for info in full_store.own_runs()}


def test_an_altered_journal_is_said(full_store: Store) -> None:
    journal = Journal(settings().cache)
    for name in ("pets", "<b>cats</b>"):
        journal.add("ann@example.org", "changed", "topic", name)
    assert "The journal has 2 entries, each of which follows" in journal_said(open_app("models"))
    path = Path(journal.path)
    path.write_bytes(path.read_bytes().replace(b"pets", b"dogs"))
    assert "is not as it was written" in journal_said(open_app("models"))


def test_a_viewer_has_no_journal(full_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    Journal(settings().cache).add("ann@example.org", "changed", "topic", "pets")
    set_environment(monkeypatch, READ_ONLY="1")
    app = open_app("models")
    assert not [frame for frame in app.dataframe if "did" in frame.value.columns]
    assert "ann@example.org" not in journal_said(app)


def test_a_topic_that_is_changed_is_recorded(full_store: Store) -> None:
    """By the one way in which pages change what is kept."""
    from pcf_core.app.roles import recorded
    from pcf_core.material.topics import copied, save_topic

    topic = copied(load_topic("gender"))
    recorded("changed", "topic", topic.name, save_topic, topic)
    (entry,) = Journal(settings().cache).read().entries
    assert (entry.did, entry.what, entry.name) == ("changed", "topic", topic.name)

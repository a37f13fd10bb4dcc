"""The journal on the page Models: what pages did is in it, auditors read it, and what was altered is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from pcf_core.core.settings import settings
from pcf_core.material.topics import load_topic
from pcf_core.store.journal import FILE_NAME, Journal
from pcf_core.store.store import Store
from tests.pages.opened import App, open_app, set_environment


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

"""Pages on a cache whose catalogue or shards are not as they were written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import streamlit as st

from pcf_core.core.settings import Settings
from pcf_core.store.store import Store
from tests.pages.opened import App, open_app

HARM = {
    "another count": (b'"she": 1', b'"she": 3'),
    "no JSON": (b'"she": 1', b'"she"> 1'),
    "no such table": (b"CREATE TABLE shards", b"CREATE TABLE shardz"),
    "no database": (b"SQLite format 3", b"SQLite format 2"),
}


def said_of_damage(app: App) -> list[str]:
    return [warning.value for warning in app.warning if "damaged" in warning.value]


@pytest.mark.slow
@pytest.mark.parametrize("page", ["overview", "risk"])
def test_a_damaged_catalogue_is_one_sentence_over_the_same_page(
    full_store: Store, own_settings: Settings, page: str
) -> None:
    shown = open_app(page).texts
    full_store._database.close()
    for old, new in HARM.values():
        st.cache_resource.clear()
        shutil.rmtree(own_settings.cache / "results")
        content = own_settings.catalogue.read_bytes()
        assert old in content
        own_settings.catalogue.write_bytes(content.replace(old, new, 1))
        app = open_app(page)
        assert app.texts == shown
        kept = Path(f"{own_settings.catalogue}.damaged")
        assert kept.exists()
        kept.unlink()
        assert [error.value for error in app.error] == []


def test_what_was_found_damaged_is_said_until_it_is_whole_again(
    full_store: Store, own_settings: Settings
) -> None:
    data = sorted((own_settings.cache / "scores").glob("*/*.parquet"))[0]
    data.write_bytes(data.read_bytes()[:-1])
    key = next(run.run.scoring for run in full_store.runs() if run.run.scoring.hash == data.parent.name)
    run = next(run.run for run in full_store.runs() if run.run.scoring == key)
    assert full_store.missing(key, run.prompts, run.topic.words) != []
    (sentence,) = said_of_damage(open_app("about"))
    assert data.stem in sentence
    Path(f"{own_settings.catalogue}.damaged").write_bytes(b"once a catalogue")
    assert len(said_of_damage(open_app("about"))) == 2

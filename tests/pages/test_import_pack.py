"""Import on the page Run an audit: auditors bring in packs, whose runs are shown everywhere, marked."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pcf_core.app.texts.shared import parameters_of
from pcf_core.core.settings import settings
from pcf_core.report.packs import pack_bytes, pack_parts
from pcf_core.store.store import Store
from pcf_core.texts.criteria.records.runs import CriteriaAsked
from pcf_core.texts.fairpair.records import FairPairAsked
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT
from tests.pages.opened import App, open_app, own_store, set_environment
from tests.pages.walks import assert_walk
from tests.report.small_texts import add_fairpair, add_written, packed_texts

MARK = "is imported: scored by Ann's lab, with weights that are not on this machine (not signed)"


@pytest.fixture
def pack(full_store: Store) -> bytes:
    """The run of Mini GPT, which is then no more in the cache: Mini BERT's is."""
    keys = {info.run.scoring.model: info.run.key for info in full_store.own_runs()}
    data = pack_bytes(*pack_parts(full_store, [keys["mini-gpt"]], "Ann's lab"))
    full_store.delete_run(keys["mini-gpt"])
    return data


def bring(app: App, data: bytes) -> App:
    app.file_uploader(key="pack_file").upload("runs.pcfpack", data, "application/octet-stream").run()
    app.press("pack_import")
    return app


@pytest.fixture
def imported(pack: bytes) -> str:
    """The name of the run once its pack is brought in."""
    bring(open_app("run_an_audit"), pack)
    (info,) = own_store().imported_runs()
    return info.run.scoring.name


def test_packs_are_brought_in_once_and_said(pack: bytes, written: bytes) -> None:
    for data, what in ((pack, "a pack of a run"), (written, "a pack of texts")):
        bringing = ("send", "pack_file", "runs.pcfpack", data), "pack_import"
        assert_walk(open_app("run_an_audit"), f"{what} is brought in", *bringing)
        assert_walk(open_app("run_an_audit"), f"{what} is brought in again", *bringing)


@pytest.mark.slow
def test_its_run_stands_beside_ours_on_every_page(imported: str) -> None:
    for page in ("overview", "risk", "compare", "tilt", "heat_map", "caprice"):
        app = open_app(page, model=["mini-bert", imported])
        assert not app.error, page
        text = [caption.value.replace("\\", "") for caption in app.caption]
        assert any(MARK in caption and imported in caption for caption in text), page
    assert imported in open_app("overview").sidebar.multiselect(key="model").options


def test_models_lists_it_with_its_mark_and_deletes_it(imported: str) -> None:
    store = own_store()
    (info,) = store.imported_runs()
    table = open_app("overview", model=["mini-bert", imported]).dataframe[0].value
    assert set(table["kind"]) == {"teaching", "imported"}, table.to_dict()
    app = open_app("models")
    app.selectbox(key="kept_run").select(info.run.key).run()
    assert MARK in app.captions
    app.press(f"delete_run_{info.run.key}")
    assert store.imported_runs() == ()


def test_its_run_is_shown_as_what_it_is_alone(imported: str) -> None:
    """Mini GPT is at hand, and its own run is not scored: the page says so."""
    app = open_app("risk", model=["mini-gpt"])
    assert MARK not in app.captions
    assert app.button
    assert "No stored result of" in open_app("risk", model=[imported], topic="race").errors
    shutil.rmtree(settings().cache / "imported")
    assert "No stored result of" in open_app("risk", model=["mini-bert", imported]).errors, (
        "it was deleted elsewhere"
    )


def test_no_form_offers_to_score_it(imported: str) -> None:
    app = open_app("run_an_audit", model=[imported])
    assert imported not in app.multiselect(key="score_model").options
    link = open_app("run_an_audit", score_model=[imported])
    assert "is not installed, only its imported results" in link.errors


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"<b>no</b>"], ids=["empty", "cut", "markup"])
def test_what_is_no_pack_is_refused_in_a_sentence(full_store: Store, data: bytes) -> None:
    app = bring(open_app("run_an_audit"), data)
    assert len(app.error) == 1
    assert app.error[0].value.replace("\\", "").endswith("ask for it again.")
    assert full_store.imported_runs() == ()
    assert not (settings().cache / "imported").exists()


def test_a_viewer_has_no_import(imported: str, monkeypatch: pytest.MonkeyPatch) -> None:
    set_environment(monkeypatch, READ_ONLY="1")
    app = open_app("run_an_audit")
    assert not [field for field in app.get("file_uploader") if field.key == "pack_file"]
    assert "pack_import" not in app.button_keys
    shown = open_app("risk", model=[imported])
    assert MARK in shown.captions, "viewers read it"


@pytest.fixture
def written(full_store: Store, tmp_path: Path) -> bytes:
    """FairPair and an experiment of a model that is not here, on prompts that are not here either."""
    theirs = Store.open(tmp_path / "theirs")
    return packed_texts(theirs, fairpair=[add_fairpair(theirs)], criteria=[add_written(theirs)])


@pytest.fixture
def brought(written: bytes) -> tuple[FairPairAsked, CriteriaAsked]:
    """The imported results."""
    bring(open_app("run_an_audit"), written)
    (pair,), (tasks,) = FAIRPAIR_AUDIT.imported(own_store()), CRITERIA_AUDIT.imported(own_store())
    return pair, tasks


def test_imported_fairpair_is_read_on_its_tab(brought: tuple[FairPairAsked, CriteriaAsked]) -> None:
    pair, _ = brought
    for view in ("models", "prompts", "words", "texts", "convergence"):
        app = open_app("fairpair", **parameters_of(pair), fp_view=view)
        assert not app.error
        assert MARK in app.said
        assert pair.key.model in app.said
        assert "is kind" in app.said or view != "texts"


@pytest.mark.slow
def test_imported_criteria_are_read_on_their_tab(brought: tuple[FairPairAsked, CriteriaAsked]) -> None:
    _, tasks = brought
    for view in ("summary", "tasks"):
        app = open_app("criteria", **{**parameters_of(tasks), "cr_view": view})
        assert not app.error
        assert MARK in app.said
        assert tasks.model in app.said


def test_the_summary_has_imported_texts_too(brought: tuple[FairPairAsked, CriteriaAsked]) -> None:
    app = open_app("case_file", cf_model=brought[0].key.model)
    assert not app.error
    assert MARK in app.said


def test_imported_texts_are_deleted_by_auditors_alone(
    brought: tuple[FairPairAsked, CriteriaAsked], monkeypatch: pytest.MonkeyPatch
) -> None:
    results = [request.hash for request in brought]
    with monkeypatch.context() as viewer:
        set_environment(viewer, READ_ONLY="1")
        assert MARK in open_app("fairpair", **parameters_of(brought[0])).said
        app = open_app("models")
        app.selectbox(key="kept_texts").select(results[0]).run()
        assert f"delete_texts_{results[0]}" not in app.button_keys
    settings.cache_clear()
    app = open_app("models")
    for key in results:
        app.selectbox(key="kept_texts").select(key).run()
        app.press(f"delete_texts_{key}")
    assert own_store().imported_texts() == ()

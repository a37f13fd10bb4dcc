"""A log of Inspect on the page Run an audit, and what *Written text* then shows of it."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from pcf_core.app.criteria.request import parameters_of as parameters_of_criteria
from pcf_core.app.fairpair.request import parameters_of as parameters_of_fairpair
from pcf_core.core.settings import Settings
from pcf_core.store.store import Store
from pcf_core.work.criteria import CRITERIA, CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR, FAIRPAIR_AUDIT
from pcf_core.work.pairing import run_fairpair
from pcf_core.work.questioning import run_criteria
from tests.pages.opened import open_app, own_queue, own_store, set_environment
from tests.texts.inspected.small_logs import (
    CRITERIA as CRITERIA_LOG,
)
from tests.texts.inspected.small_logs import (
    FAIRPAIR as FAIRPAIR_LOG,
)
from tests.texts.inspected.small_logs import (
    PROFESSIONS,
    PROMPTS,
    as_json,
    changed,
    unpacked,
)

NOTE = "come from an Inspect log of"
MARKUP = "<img src=x onerror=alert(1)> ![here](http://evil.example/i.png)"
BARE = re.compile(r"(?<!\\)<img|(?<!\\)!\[|\]\(http")


@pytest.fixture(autouse=True)
def own_material(own_settings: Settings) -> None:
    """The prompts and professions of the recorded logs are kept under their names."""
    for path, folder in ((PROMPTS, "prompts"), (PROFESSIONS, "criteria/professions")):
        (own_settings.cache / folder).mkdir(parents=True)
        shutil.copy(path, own_settings.cache / folder)


def bring(data: bytes) -> str:
    """Import a log; all that the page then says."""
    app = open_app("run_an_audit")
    app.file_uploader(key="log_file").upload("log.eval", data, "application/octet-stream").run()
    app.press("log_import")
    return app.texts + "\n".join(error.value for error in app.error)


def store() -> Store:
    return own_store()


def test_fairpair_of_a_log_is_queued_read_and_shown() -> None:
    answer = bring(FAIRPAIR_LOG.read_bytes())
    assert "16 texts are imported." in answer
    assert NOTE in answer
    (job,) = own_queue().list(10, kind=FAIRPAIR)
    request = FAIRPAIR_AUDIT.load_asked(store(), job.key)
    run_fairpair(request, store())
    assert "16 texts were here already." in bring(FAIRPAIR_LOG.read_bytes())
    parameters = parameters_of_fairpair(request.hash) or {}
    app = open_app("written_text", text_tab="FairPair", **parameters)
    assert not app.error
    assert request.key.model in app.texts
    assert NOTE in app.captions
    other = open_app("written_text", text_tab="FairPair", **{**parameters, "fp_seed": "6"})
    assert "which does not have the texts of this request" in other.captions
    assert "fairpair_button" not in other.button_keys


def test_the_criteria_of_a_log_are_queued_read_and_shown() -> None:
    assert "9 texts are imported." in bring(CRITERIA_LOG.read_bytes())
    (job,) = own_queue().list(10, kind=CRITERIA)
    request = CRITERIA_AUDIT.load_asked(store(), job.key)
    run_criteria(request, store())
    parameters = parameters_of_criteria(request.hash) or {}
    app = open_app("written_text", text_tab="Criteria", **parameters).open_foot()
    assert not app.error
    assert request.model in app.texts
    assert NOTE in app.captions
    assert "criteria_button" not in app.button_keys
    text = app.texts + "\n".join(code.value for code in app.code)
    assert "inspect eval pcf_core/texts/inspected/tasks.py@criteria --model mockllm/model" in text


def test_a_refusal_is_said_and_nothing_is_kept() -> None:
    assert "is not finished" in bring(
        as_json(changed(unpacked(FAIRPAIR_LOG), lambda log: log.update(status="error")))
    )
    assert "cannot be read as an Inspect log" in bring(b"{}")
    assert not own_queue().list(10)


def test_markup_in_texts_of_a_log_stays_text() -> None:
    def mark(log):  # type: ignore[no-untyped-def]
        for sample in log["samples"]:
            sample["output"]["choices"][0]["message"]["content"] = MARKUP

    bring(json.dumps(changed(unpacked(FAIRPAIR_LOG), mark)).encode())
    (request,) = (FAIRPAIR_AUDIT.load_asked(store(), job.key) for job in own_queue().list(10, kind=FAIRPAIR))
    run_fairpair(request, store())
    parameters = parameters_of_fairpair(request.hash) or {}
    for view in ("prompts", "words", "texts"):
        app = open_app("written_text", text_tab="FairPair", fp_view=view, **parameters)
        for element in (*app.markdown, *app.caption):
            assert not BARE.search(element.value), (view, element.value)


def test_a_viewer_has_no_import(monkeypatch: pytest.MonkeyPatch) -> None:
    set_environment(monkeypatch, READ_ONLY="1")
    assert "log_file" not in {field.key for field in open_app("run_an_audit").file_uploader}

"""The tab Audit plan of Report: from the start page to the signed report, click by click."""

from __future__ import annotations

from typing import Any

import pytest
import streamlit as st

from pcf_core.app.queue import progress_text
from pcf_core.core.run import Progress
from pcf_core.report.plan import uploaded_plan
from tests.conftest import chance
from tests.pages.opened import App, open_app, own_queue, own_store, score_with

MOST_CLICKS = 12
PLAN = """
purpose = "Screening job applications"
models = ["mini-gpt"]
topics = ["first", "second"]
max_risk = 0.9
mappings = ["eu-ai-act"]
"""


class Visitor:
    """Somebody at the app; every click of the mouse counts, and Tab leads from one text field to the next."""

    def __init__(self, app: App) -> None:
        self.app, self.clicks = app, 0

    def click(self, times: int = 1) -> App:
        self.clicks += times
        return self.app


def plan_tab(app: App) -> App:
    app.segmented_control(key="report_tab").set_value("Audit plan").run()
    return app


@pytest.mark.usefixtures("small_topics")
def test_two_topics_are_audited_and_signed_in_twelve_clicks(monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, Any] = {}

    def keep(label: str, data: Any, name: str, *others: object, **options: object) -> bool:
        files[label] = data
        return False

    monkeypatch.setattr(st, "download_button", keep)
    monkeypatch.setattr("pcf_core.app.signoff.browser", lambda: "chromium")
    monkeypatch.setattr("pcf_core.app.signoff.pdf_bytes", lambda html: b"%PDF" + html)
    visitor = Visitor(open_app("overview", topic="first", model=["mini-gpt"]))
    visitor.click(2).go_to("report")  # the menu Share, and Report in it
    plan_tab(visitor.click())
    assert not visitor.app.infos  # nobody has made a mistake yet
    visitor.click().text_input(key="plan_purpose").set_value("Screening job applications").run()
    visitor.click(2).multiselect(key="plan_topics").set_value(["first", "second"]).run()
    visitor.click().number_input(key="plan_max_risk").set_value(0.9).run()
    visitor.click().pills(key="plan_mappings").set_value(["eu-ai-act"]).run()
    assert "**2 results** · 60 test sentences" in visitor.app.texts
    visitor.click().press("plan_button")
    assert [job.total for job in own_queue().list(10)] == [30, 30]
    for info in own_store().runs():  # as the worker does
        score_with(info.run, lambda prompt, word: chance("mini-gpt", prompt, word))
    app = visitor.app.run()
    assert "Discrimination audit of" in app.texts
    visitor.click()  # into the first field of the form
    for field, text in (
        ("name", "Ann Lee"),
        ("role", "auditor"),
        ("reason", "Few sentences."),
        ("conditions", "None alone."),
    ):
        app.text_input(key=f"signoff_{field}").set_value(text)
    visitor.click().press_label("Sign off")
    visitor.click()
    signed = files["The same as PDF"]()
    assert signed.startswith(b"%PDF")
    for text in (
        b"Ann Lee, auditor",
        b"Purpose: Screening job applications",
        b"Limits of the policy",
        b"EU AI Act",
    ):
        assert text in signed
    assert visitor.clicks <= MOST_CLICKS
    saved = files["Save the plan (TOML)"]()
    assert uploaded_plan("saved.toml", saved.encode()) == uploaded_plan("plan.toml", PLAN.encode())


def started_plan() -> App:
    """The page with a plan of two topics whose results are in the queue."""
    app = plan_tab(open_app("report", topic="first", model=["mini-gpt"]))
    app.upload("plan_file", "plan.toml", PLAN)
    return app.press("plan_button")


@pytest.mark.usefixtures("small_topics")
def test_each_topic_of_a_running_plan_shows_what_is_done_for_it() -> None:
    app = started_plan()
    first, _ = own_queue().claim("worker"), own_queue().heartbeat("worker")
    assert first is not None
    own_queue().note(first.id, Progress(stage="checking", done=1, total=4).model_dump(), "worker")
    (run,) = (info.run for info in own_store().runs() if info.run.key == first.key)
    score_with(run, lambda prompt, word: chance("mini-gpt", prompt, word))
    app.run()
    assert "Mini GPT · First · :material/check_circle: finished" in app.texts.replace("*", "")
    assert "1 of 2 results finished. The report follows when all are." in app.captions
    (waiting,) = (job for job in own_queue().list() if job.state == "queued")
    # The first topic is off the queue's list of the plan, so the second says what keeps it waiting.
    assert "checking test sentences, 1 of 4)" in progress_text(waiting)
    second = own_queue().claim("worker")
    assert second is not None
    for at, says in (
        (Progress(stage="loading"), "Starting the model"),
        (Progress(stage="scoring", done=12, total=30), "12 of 30 test sentences"),
        (Progress(stage="writing", done=20, total=30), "writing the result, 20 of 30 test sentences"),
    ):
        own_queue().note(second.id, at.model_dump(), "worker")
        app.run()
        assert "Second · :material/sync: running" in app.texts
        assert says in progress_text(own_queue().get(second.id))


@pytest.mark.usefixtures("small_topics")
def test_topics_of_a_plan_that_failed_or_were_cancelled_are_tried_again_with_one_click() -> None:
    app = started_plan()
    first, second = reversed(own_queue().list())
    own_queue().claim("worker")
    own_queue().fail(first.id, "The server is off.", "worker")
    own_queue().cancel(second.id)
    app.run()
    assert "**Mini GPT** · First: The server is off." in app.errors
    assert "**Mini GPT** · Second · :material/do_not_disturb_on: not finished" in app.texts
    assert "0 of 2 results finished" in app.captions
    app.press("plan_again")
    assert [job.state for job in own_queue().list()] == ["queued", "queued", "cancelled", "failed"]
    assert "The server is off." not in app.errors
    assert "plan_again" not in app.button_keys


@pytest.mark.usefixtures("small_topics")
def test_a_model_that_is_refused_is_counted_and_can_be_asked_again() -> None:
    app = plan_tab(open_app("report", topic="first", model=["mini-gpt"]))
    app.upload("plan_file", "plan.toml", PLAN.replace('["mini-gpt"]', '["mini-gpt", "nowhere-at-all"]'))
    assert "nowhere-at-all" in app.errors
    assert "2 of 4 results cannot be run, for the reason above." in app.captions
    app.press("plan_ask_again")
    assert "nowhere-at-all" in app.errors


@pytest.mark.usefixtures("small_topics")
def test_a_saved_plan_fills_in_the_form_and_a_mistake_in_it_is_one_sentence() -> None:
    app = plan_tab(open_app("report", topic="first", model=["mini-bert"]))
    app.upload("plan_file", "plan.toml", PLAN)
    assert app.text_input(key="plan_purpose").value == "Screening job applications"
    assert app.multiselect(key="plan_topics").value == ["first", "second"]
    assert app.pills(key="plan_mappings").value == ["eu-ai-act"]
    app.upload("plan_file", "plan.toml", PLAN.replace("max_risk", "max_tisk"))
    assert "max_tisk" in app.errors

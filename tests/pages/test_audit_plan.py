"""The tab Audit plan of Report: from the start page to the signed report, click by click."""

from __future__ import annotations

from typing import Any

import pytest
import streamlit as st

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


@pytest.mark.usefixtures("small_topics")
def test_a_saved_plan_fills_in_the_form_and_a_mistake_in_it_is_one_sentence() -> None:
    app = plan_tab(open_app("report", topic="first", model=["mini-bert"]))
    app.upload("plan_file", "plan.toml", PLAN)
    assert app.text_input(key="plan_purpose").value == "Screening job applications"
    assert app.multiselect(key="plan_topics").value == ["first", "second"]
    assert app.pills(key="plan_mappings").value == ["eu-ai-act"]
    app.upload("plan_file", "plan.toml", PLAN.replace("max_risk", "max_tisk"))
    assert "max_tisk" in app.errors

"""What answers at once, in real Chromium: the menu of topics with its marks, and the press of Cancel."""

from __future__ import annotations

import re
from pathlib import Path
from time import monotonic

import pytest
from playwright.sync_api import expect

from pcf_core.audit.preferences import build_run
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from pcf_core.work.queue import Queue
from pcf_core.work.requests import submit_run
from tests.browser import CHROMIUM, browser_page, running_app, settle

ENVIRONMENT = {"PCF_START_WORKER": "0"}  # a job stays as the test leaves it
AT_ONCE = 1.0  # seconds; 0.3 on a machine with nothing else to do
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")


def test_the_menu_of_topics_says_which_have_results_and_the_address_has_their_names(app: str) -> None:
    with browser_page() as (page, errors):
        page.goto(app)
        settle(page, "Overview")
        page.get_by_test_id("stSidebar").get_by_role("combobox", name="Topic").click()
        options = page.get_by_role("option")
        expect(options.filter(has_text=re.compile("^Gender$"))).to_have_attribute(
            "data-results", re.compile(r"^\d+ models$")
        )
        expect(options.filter(has_text=re.compile("^Nationality$"))).to_have_attribute(
            "data-results", re.compile(r"^(\d+ models?|not run yet)$")
        )
        options.filter(has_text=re.compile("^Religion$")).click()
        expect(page).to_have_url(re.compile(r"[?&]topic=religion(&|$)"))
        settle(page, "Overview")
        sentences = page.get_by_test_id("stSidebar").get_by_role("combobox", name="Sentences")
        sentences.click()
        expect(options.first).to_be_visible()
        expect(page.locator("[data-results]")).to_have_count(0)
        options.filter(has_text=re.compile("^Ten relative clauses from the papers$")).click()
        expect(page).to_have_url(re.compile(r"[?&]templates=race-relative(&|$)"))
        page.reload()
        settle(page, "Overview")
        expect(sentences).to_have_value("Ten relative clauses from the papers")
        assert errors == []


def test_cancel_is_answered_at_once_though_the_worker_has_not_heard_it(
    environment: dict[str, str], tmp_path: Path
) -> None:
    cache = Path(environment["PCF_CACHE"])
    store, queue = Store.open(cache), Queue.open(cache / "catalogue.sqlite")
    topic = load_topic("gender")
    run = build_run(
        resolve("mini-gpt"), topic, load_evidence(topic.evidence), load_templates("gender-nineteen")
    )
    submit_run(store, queue, run, run.cells)
    with (
        running_app(environment, tmp_path / "app.log") as address,
        browser_page() as (page, errors),
    ):
        queue.claim("elsewhere:1:2")
        page.goto(f"{address}/run_an_audit")
        settle(page, "Run an audit")
        page.get_by_role("button", name="Cancel").click()
        pressed = monotonic()
        expect(page.get_by_text("cancelling; what is finished is kept")).to_be_visible()
        assert monotonic() - pressed < AT_ONCE
        expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
        assert errors == []

"""A sentence typed in real Chromium: asked of the real models in a worker, and its words drawn."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from pcf_core.show.findings.numbers import percent
from pcf_core.work.queue import Queue
from pcf_core.work.requests import PROBE
from tests.browser import CHROMIUM, body_text, browser_page, drawn_traces, running_app, settle

ENVIRONMENT = {"PCF_SHIPPED_RESULTS": "0"}
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
MARKUP = "The <b>king</b> and the **nurse** said that [Y] was :red[late]"


@pytest.mark.slow
def test_a_sentence_is_typed_and_its_words_are_drawn(environment: dict[str, str], tmp_path: Path) -> None:
    queue = Queue.open(Path(environment["PCF_CACHE"]) / "catalogue.sqlite")
    with running_app(environment, tmp_path / "app.log") as address, browser_page(width=390) as (page, errors):
        page.goto(f"{address}/try_a_sentence")
        settle(page, "Try a sentence")
        expect(page.get_by_text("Mini GPT prefers")).to_be_visible(timeout=120_000)
        expect(page.get_by_text("Mini BERT prefers")).to_be_visible()
        assert drawn_traces(page) == 2 + 2 * 2  # a bar trace a model; marks, a model and group
        field = page.get_by_role("textbox", name="Sentence")
        field.fill(MARKUP)
        field.press("Enter")
        page.wait_for_url(lambda url: parse_qs(urlsplit(url).query).get("sentence") == [MARKUP])
        expect(page.get_by_text("given the text to their left")).to_be_visible()  # mini-gpt: " was late"
        jobs = [job for job in queue.list(kind=PROBE) if job.payload["text"] == MARKUP]
        assert [job.state for job in jobs] == ["done", "done"]
        text = body_text(page).replace("\u00a0", " ")
        for job in jobs:
            assert job.result is not None
            assert percent(max(job.result["preferences"].values())) in text
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.reload()
        settle(page, "Try a sentence")
        expect(field).to_have_value(MARKUP)
        expect(page.get_by_text("Mini GPT prefers")).to_be_visible()
        assert len(queue.list(kind=PROBE)) == 4  # nothing was asked twice
        field.fill("The nurse said so")
        field.press("Enter")
        expect(page.get_by_text("write [Y] in place of the word")).to_be_visible()
        page.get_by_role("button", name="The engineer said that …").press("Enter")
        expect(field).to_have_value("The engineer said that …")
        expect(page.get_by_text("Mini BERT prefers")).to_be_visible()
        assert errors == []

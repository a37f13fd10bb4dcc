"""On a fresh start every shipped topic answers, or leads to the topic that does, in real Chromium."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from pcf_core.app.lists import ANSWERED_BY
from pcf_core.core.settings import settings
from pcf_core.material.topics import load_topic
from pcf_core.show.answer import AGAINST, ELSEWHERE, SURE
from tests.browser import CHROMIUM, browser_page, settle

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
TOPICS = sorted(path.stem for path in (settings().assets / "topics").glob("*.toml"))
ANSWERING = [name for name in TOPICS if name not in ANSWERED_BY]
NO_ANSWER = re.compile("no reliable answer", re.IGNORECASE)


@pytest.mark.parametrize("title", ["Overview", "Compare"])
def test_every_topic_has_the_four_lines(app: str, title: str) -> None:
    without = []
    with browser_page() as (page, errors):
        for name in ANSWERING:
            page.goto(f"{app}/{title.lower()}?topic={name}")
            settle(page, title)
            main = page.get_by_test_id("stMain")
            headline = main.locator("h5").first.inner_text()
            text = main.inner_text()
            lines = [f"{label}:" in text for label in (AGAINST, SURE, ELSEWHERE)]
            if (
                not all(lines)
                or NO_ANSWER.search(headline)
                or not re.search(r"(risks?|impact ratio) \d", headline)
            ):
                without.append((name, headline, lines))
        assert errors == []
    assert without == []


def test_other_topics_lead_to_the_one_that_answers(app: str) -> None:
    with browser_page() as (page, errors):
        for name, (answering, _) in ANSWERED_BY.items():
            page.goto(f"{app}/overview?topic={name}")
            settle(page, "Overview")
            title = load_topic(answering).title
            page.get_by_role("button", name=f"Open {title}").last.click()  # in the page if it has results
            sidebar = page.get_by_test_id("stSidebar")
            expect(sidebar.get_by_role("combobox", name="Topic", exact=True)).to_have_value(title)
            settle(page, "Overview")
            expect(page.get_by_test_id("stMain").get_by_text(f"{AGAINST}:").first).to_be_visible()
        assert errors == []

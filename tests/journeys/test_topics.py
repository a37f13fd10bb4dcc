"""A topic in real Chromium: copied, changed, looked over by real models in a worker, deleted."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import CHROMIUM, browser_page, running_app, settle

ENVIRONMENT = {"PCF_SHIPPED_RESULTS": "0"}
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")


@pytest.mark.slow
def test_a_topic_is_copied_changed_checked_and_deleted(environment: dict[str, str], tmp_path: Path) -> None:
    file = Path(environment["PCF_CACHE"]) / "topics" / "gender-pronouns-own.toml"
    with running_app(environment, tmp_path / "app.log") as address, browser_page(width=390) as (page, errors):
        page.goto(f"{address}/topics?topic_shown=gender-pronouns")
        settle(page, "Topics")
        page.get_by_role("button", name="Duplicate").click()
        words = page.get_by_role("textbox", name="Words of group 1, one a line")
        expect(words).to_have_value("he")
        assert file.is_file()
        words.fill("he\nShe")
        words.blur()
        expect(page.get_by_text("'She' is in the groups male and female")).to_be_visible()
        words.fill("king")  # and away at once: what was typed and the press come in one run
        page.get_by_role("radio", name="Check").click()
        expect(page.get_by_text("Mini GPT can write all 2 words")).to_be_visible(timeout=120_000)
        expect(page.get_by_text("On 10 sentences, Mini BERT gives")).to_be_visible(timeout=120_000)
        expect(page.get_by_text("Changes are not saved.")).to_be_visible()
        page.get_by_role("radio", name="Edit").click()
        expect(words).to_have_value("king")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_role("button", name="Delete gender-pronouns-own")).to_be_visible()
        assert '"king"' in file.read_text()
        page.get_by_role("button", name="Delete gender-pronouns-own").click()
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(page.get_by_text("It compares men (39 words)")).to_be_visible()
        assert not file.exists()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert errors == []

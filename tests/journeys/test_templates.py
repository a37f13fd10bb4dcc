"""The page Templates in real Chromium: a set is edited, saved, previewed and compared; a corpus is mined."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import CHROMIUM, body_text, browser_page, drawn_traces, running_app, settle

SENTENCES = (
    "The teacher said that she was late.",
    "The manager said that he had seen the report.",
    "The nurse thought that she could help.",
    "Rain fell all day.",
)
ENVIRONMENT = {"PCF_ALLOW_HUB": "0"}
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")


def go(page: Page, address: str, query: str) -> None:
    page.goto(f"{address}/templates?{query}")
    settle(page, "Templates")


def tick_first_row(page: Page) -> None:
    """The table is drawn on a canvas: its first column has the boxes to tick, below the header."""
    table = page.get_by_test_id("stDataFrame")
    table.scroll_into_view_if_needed()
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 18, box["y"] + 52)


def test_a_set_is_edited_saved_previewed_and_compared(environment: dict[str, str], tmp_path: Path) -> None:
    environment |= {"PCF_START_WORKER": "0"}
    with (
        running_app(environment, tmp_path / "app.log") as address,
        browser_page(height=2000) as (page, errors),
    ):
        go(page, address, "set=gender-nineteen&keep=5")
        assert drawn_traces(page) == 4
        assert "2 of 19 templates have at least half of it" in body_text(page)
        go(page, address, "set=gender-nineteen&set_view=edit")
        tick_first_row(page)
        page.get_by_role("button", name="Delete 1 row").click()
        expect(page.get_by_text("1 change is not saved.")).to_be_visible()
        expect(page.get_by_text("Dropped 'The [X] said that [Y]'").first).to_be_visible()
        page.get_by_role("textbox", name="Name", exact=True).fill("without-said")
        page.get_by_role("textbox", name="Name", exact=True).press("Tab")
        page.get_by_role("button", name="Save as a new set").click()
        expect(page.get_by_text("1 change is not saved.")).to_have_count(0)
        expect(page).to_have_url(re.compile("set=without-said"))
        assert list((Path(environment["PCF_CACHE"]) / "templates").iterdir())
        go(page, address, "set=without-said&set_view=preview&templates=gender-nineteen")
        assert drawn_traces(page) == 6
        assert "with the 19 templates of “19 sentence beginnings from the papers”" in body_text(page)
        go(page, address, "set=without-said&set_view=compare&other=gender-nineteen")
        expect(page.locator(".js-plotly-plot")).to_have_count(2)
        assert "They have 18 and 19 templates, of which 18 are in both" in body_text(page)
        assert errors == []


def test_an_uploaded_text_is_mined_into_a_set(environment: dict[str, str], tmp_path: Path) -> None:
    corpus = tmp_path / "Little corpus.txt"
    corpus.write_text("\n\n".join(SENTENCES))
    with running_app(environment, tmp_path / "app.log") as address, browser_page() as (page, errors):
        go(page, address, "set_view=mine")
        page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(corpus)
        expect(page.get_by_role("textbox", name="Name of the set")).to_have_value("gender-little-corpus")
        settle(page, "Templates")
        lowest = page.get_by_role("spinbutton", name="Lowest count")
        lowest.fill("1")
        lowest.press("Tab")
        settle(page, "Templates")
        expect(lowest).to_have_value("1")
        page.get_by_role("button", name="Extract from text", exact=True).click()
        expect(page.get_by_text("finished")).to_be_visible(timeout=120_000)
        page.get_by_role("button", name=re.compile("^Open .*little")).click()
        expect(page).to_have_url(re.compile("set=gender-little-corpus"))
        settle(page, "Templates")
        expect(page.get_by_text("One of 2 templates has at least half of it")).to_be_visible()
        page.get_by_role("tab", name="Data").click()
        expect(page.get_by_text("2 times in")).to_be_visible()
        assert errors == []

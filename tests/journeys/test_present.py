"""A presenter goes from view to view with the arrow keys, in real Chromium, on the shipped results."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from pcf_core.app.present import MOST_DUMBBELLS
from tests.browser import CHROMIUM, browser_page, running_app, settle

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")


@pytest.mark.timeout(240)
def test_arrow_keys_lead_from_view_to_view_and_escape_ends_it(tmp_path: Path) -> None:
    environment = {"PCF_CACHE": str(tmp_path / "cache"), "PCF_START_WORKER": "0"}
    with running_app(environment, tmp_path / "app.log") as app, browser_page(1920, 1080) as (page, _):
        page.goto(f"{app}/?present=1")
        settle(page, "Overview")
        expect(page.get_by_test_id("stSidebar")).to_be_hidden()
        expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible(timeout=30_000)
        expect(page.get_by_test_id("stDataFrame")).to_have_count(0)
        expect(page.get_by_test_id("stAlert")).to_have_count(0)
        expect(page.get_by_text("Ready comparisons")).to_have_count(0)
        source = page.get_by_text("Source: PCF Audit").first.bounding_box()
        assert source
        assert source["height"] < 40, "one line"
        assert source["y"] + source["height"] <= 1080, "without scrolling"
        page.keyboard.press("ArrowRight")
        settle(page, "Compare")
        expect(page.get_by_text(re.compile("^2 of [56]$"))).to_be_visible()
        expect(page.get_by_test_id("stMain").get_by_role("link", name="Run an audit")).to_be_visible()
        expect(page.locator(".ytick text")).to_have_count(MOST_DUMBBELLS)  # every row has its name
        source = page.get_by_text("Source: PCF Audit").first.bounding_box()
        number = page.get_by_text(re.compile("^2 of [56]$")).bounding_box()
        assert source
        assert number
        assert source["y"] + source["height"] <= number["y"], "the slide's number lies on nothing"
        page.keyboard.press("ArrowRight")
        settle(page, "Tilt")
        picture = page.get_by_test_id("stPlotlyChart").first
        picture.wait_for()
        assert "present=true" in page.url
        expect(page.get_by_test_id("stExpander").first).to_be_hidden()
        box = picture.bounding_box()
        assert box
        assert box["y"] + box["height"] <= 1080, "without scrolling"
        page.keyboard.press("ArrowLeft")
        settle(page, "Compare")
        page.keyboard.press("ArrowLeft")
        settle(page, "Overview")
        page.get_by_test_id("stMain").get_by_role("link", name="Run an audit").click()
        settle(page, "Run an audit")
        expect(page.get_by_test_id("stMain").get_by_role("combobox", name="Topic")).to_be_visible()
        expect(page.get_by_test_id("stSidebar")).to_be_hidden()
        page.keyboard.press("ArrowLeft")
        settle(page, "Overview")
        page.keyboard.press("Escape")
        expect(page.get_by_test_id("stSidebar")).to_be_visible()
        assert "present" not in page.url
        expect(page.get_by_role("button", name="Copy link")).to_be_visible()
        page.goto(f"{app}/overview?present=1")  # leads on to the bare address
        settle(page, "Overview")
        expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()
        expect(page.get_by_text("Ready comparisons")).to_have_count(0)

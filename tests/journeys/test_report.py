"""A report in real Chromium: made on the page, downloaded, opened from the disk without a network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page

from pcf_core.store.store import Store
from tests.browser import CHROMIUM, browser_page, drawn_traces, running_app, settle
from tests.journeys.test_accessibility import violations

ROOT = Path(__file__).resolve().parent.parent.parent
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
LIGHT = ["corrected", "occupations", "heat-map", "tails", "factors", "compare", "knowledge"]


def make(page: Page, address: str) -> str:
    """Open the page with keys alone, make the report, and return the command that it says."""
    page.goto(
        f"{address}/report?{urlencode({'templates': 'gender-nineteen', 'rp_without': LIGHT}, doseq=True)}"
    )
    settle(page, "Report")
    page.get_by_role("button", name="Make the report").focus()
    page.keyboard.press("Enter")
    page.get_by_text("Discrimination audit of").first.wait_for()
    settle(page, "Report")
    page.get_by_text("What the files are").click()
    return page.locator("code", has_text="pcf_core export").inner_text().splitlines()[0]


def download(page: Page, label: str, folder: Path) -> Path:
    with page.expect_download() as caught:
        page.get_by_role("button", name=label, exact=True).click()
    path = folder / caught.value.suggested_filename
    caught.value.save_as(path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_report_is_made_downloaded_and_read_offline(full_store: Store, scheme: str, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    environment = {"PCF_CACHE": str(cache), "PCF_SHIPPED_RESULTS": "0", "PCF_START_WORKER": "0"}
    with (
        running_app(environment, tmp_path / "app.log") as address,
        browser_page(scheme=scheme) as (page, errors),
    ):
        command = make(page, address)
        page.wait_for_timeout(1500)  # Streamlit fades in what is new
        assert violations(page) == []
        page.set_viewport_size({"width": 390, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        file = download(page, "Download to print (HTML)", tmp_path)
        downloaded = file.read_bytes()
        assert errors == []
        page.context.set_offline(True)
        page.goto(file.as_uri())
        assert drawn_traces(page) >= 3
        assert "The discrimination risk of Mini BERT is" in page.inner_text("main")
        assert errors == []
    arguments = command.split()
    assert arguments[:3] == ["python", "-m", "pcf_core"]
    again = subprocess.run(
        [sys.executable, *arguments[1:]],
        cwd=tmp_path,
        env={**os.environ, **environment, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 0, again.stderr
    written = tmp_path / arguments[arguments.index("--out") + 1]
    assert written.name == file.name
    assert written.read_bytes() == downloaded

"""Take the README's pictures of the app's pages and of a report, with the shipped results.

python -m tools.take_pictures          # needs Chromium and requirements-dev.txt
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Page

from pcf_core.core.settings import ROOT
from tests.browser import browser_page, drawn_traces, running_app, settle
from tools.ship_results import PUBLIC, USUAL, Shipped

WIDTH = 1280
PAGES = {
    "overview": ("/", "Overview", 760),
    "compare": ("/compare", "Compare", 1320),
    "heat_map": ("/heat_map", "Heat map", 1320),
}
"""A picture's name: where its page is, the page's title, and how many pixels of it are shown."""
REPORT_HEIGHT = 1630


def take(page: Page, name: str, height: int) -> None:
    """Wait for the charts, and write the visible page to ``docs/NAME.png``."""
    page.set_viewport_size({"width": WIDTH, "height": height})
    if name != "overview":  # a table of pictures
        drawn_traces(page)
    page.wait_for_timeout(3000)  # charts resize and fade in
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    # The median cut would leave half of a diverging scale grey.
    image = image.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    image.save(ROOT / "docs" / f"{name}.png", optimize=True)


def write_report(path: Path) -> None:
    """Write the report of the shipped runs of the public models, with the user's command."""
    chosen = [Shipped(model, *USUAL).run.key for model in PUBLIC]
    command = [sys.executable, "-m", "pcf_core", "export", *chosen, "--format", "html", "--out", str(path)]
    subprocess.run(command, cwd=ROOT, check=True)


def main(folder: Path) -> None:
    """Take all pictures; ``folder`` is an empty cache, so that only shipped results are shown."""
    os.environ |= {"PCF_CACHE": str(folder / "cache"), "PCF_START_WORKER": "0"}
    with running_app({}, folder / "app.log") as address, browser_page() as (page, _):
        for name, (path, title, height) in PAGES.items():
            page.goto(address + path)
            settle(page, title)
            take(page, name, height)
    report = folder / "report.html"
    write_report(report)
    with browser_page() as (page, _):
        page.goto(report.as_uri())
        take(page, "report", REPORT_HEIGHT)


if __name__ == "__main__":
    with TemporaryDirectory() as made:
        main(Path(made))

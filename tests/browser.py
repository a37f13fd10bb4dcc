"""The app in a real browser: started as `make run` starts it, driven through Playwright."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

from playwright.sync_api import ConsoleMessage, Error, Page, expect, sync_playwright

from pcf_core.app.shell import SECTIONS
from pcf_core.work.queue import Queue

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 60_000  # ms, for a busy machine: what comes at once is seen at once
expect.set_options(timeout=PATIENCE)


def unused_port() -> int:
    """A port that is free now; the system gives the next one another, so that two tests hardly ever meet."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running_app(environment: Mapping[str, str], log: Path) -> Iterator[str]:
    """Start the app on a free port and yield its address; end it and its workers afterwards."""
    port = unused_port()
    command = [
        sys.executable,
        "-m",
        "pcf_core.app.serve",
        "run",
        "app.py",
        f"--server.port={port}",
        "--server.headless=true",
    ]
    with log.open("w") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **environment}, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            address = f"http://127.0.0.1:{port}"
            wait_until_healthy(address, process, log)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=30)


@contextmanager
def own_cache(folder: Path, **variables: str) -> Iterator[dict[str, str]]:
    """Settings of an app with a cache of its own; its worker ends with the test, whatever became of it."""
    cache = folder / "cache"
    yield {"PCF_CACHE": str(cache), "PCF_WORKER_IDLE_SECONDS": "20", **variables}
    for worker in Queue.open(cache / "catalogue.sqlite").workers():
        with suppress(ProcessLookupError):
            os.kill(int(worker.owner.split(":")[1]), signal.SIGTERM)


def menu(page: Page) -> list[str]:
    """List the titles of the pages in the menu, section after section; their icons are words too."""
    titles: list[str] = []
    for section in page.get_by_test_id("stTopNavSection").all():
        section.click()
        links = page.get_by_test_id("stTopNavDropdownLink")
        expect(links.first).to_be_visible()
        titles += [link.inner_text().strip().splitlines()[-1] for link in links.all()]
        page.keyboard.press("Escape")
        expect(links).to_have_count(0)
    return titles


def open_by_menu(page: Page, title: str) -> None:
    """Choose a page in the menu, which has a section's pages in a list of its own."""
    (section,) = [name for name, pages in SECTIONS.items() if title in [known for _, known, _ in pages]]
    page.get_by_test_id("stTopNavSection").filter(has_text=section).click()
    page.get_by_test_id("stTopNavDropdownLink").filter(has=page.get_by_text(title, exact=True)).click()


def wait_until_healthy(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = monotonic() + 60
    while monotonic() < deadline:
        assert process.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            sleep(0.2)
    raise AssertionError(f"the app did not answer: {log.read_text()}")


@contextmanager
def browser_page(
    width: int = 1280, height: int = 900, scheme: str = "light"
) -> Iterator[tuple[Page, list[str]]]:
    """A page of a fresh Chromium and the list of errors its console gathers."""
    errors: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        # Opened at /risk, Streamlit first asks whether the server lives under /risk/: no error of the page.
        probe = message.location["url"].endswith(("/_stcore/health", "/_stcore/host-config"))
        if message.type == "error" and not probe:
            errors.append(f"{message.text} {message.location['url']}")

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if scheme == "dark" else "light"
        )
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", listen)
        page.on("pageerror", lambda error: errors.append(str(error)))
        try:
            yield page, errors
        finally:
            browser.close()


def settle(page: Page, title: str) -> None:
    """Wait until the page with this title is drawn and its script is at rest."""
    expect(page.get_by_role("heading", name=title, level=1, exact=True)).to_be_visible(timeout=PATIENCE)
    page.wait_for_function(
        "document.querySelector('[data-testid=\"stApp\"]')?.dataset.testScriptState === 'notRunning'",
        timeout=PATIENCE,
    )


def drawn_traces(page: Page) -> int:
    """Traces that plotly has really drawn, over all charts of the page, folded ones among them."""
    page.wait_for_selector(".js-plotly-plot .main-svg", timeout=PATIENCE, state="attached")
    return int(
        page.evaluate(
            "[...document.querySelectorAll('.js-plotly-plot')]"
            ".map(plot => (plot._fullData || []).length).reduce((a, b) => a + b, 0)"
        )
    )


def body_text(page: Page) -> str:
    return str(page.inner_text("[data-testid='stMain']"))


__all__ = ["CHROMIUM", "Error", "body_text", "browser_page", "drawn_traces", "running_app", "settle"]

"""A report as PDF: its HTML file printed by the server's Chromium, if there is one.

The browser has a temporary profile, a time limit, and no network: the file's policy forbids loading anything.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from pcf_core.core.errors import StoreError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 90  # seconds; enough for a full audit on a busy machine
DRAWING = 30_000  # milliseconds of the page's virtual clock, for all charts
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-pdf-header-footer",
    "--window-size=1280,1024",
    "--proxy-server=127.0.0.1:9",  # no network
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
ROOT_USER = 0


def browser() -> str | None:
    """Return the path of a Chromium on this server, if any."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def pdf_bytes(html: bytes, patience: float = PATIENCE) -> bytes:
    """Print a report's HTML file as PDF.

    Raises StoreError if there is no Chromium, or no PDF after ``patience`` seconds.
    """
    program = browser()
    if program is None:
        raise StoreError(
            "A PDF is made by Chromium, which is not on this server: download the HTML file and print it."
        )
    with tempfile.TemporaryDirectory(prefix="pcf-audit-pdf-") as folder:
        page, written = Path(folder) / "report.html", Path(folder) / "report.pdf"
        page.write_bytes(html)
        command = [
            program,
            *FLAGS,
            *(["--no-sandbox"] if os.geteuid() == ROOT_USER else []),  # required for root
            f"--user-data-dir={folder}/profile",
            f"--virtual-time-budget={DRAWING}",
            f"--print-to-pdf={written}",
            page.as_uri(),
        ]
        _run(command, folder, patience)
        with suppress(OSError):
            data = written.read_bytes()
            if data.startswith(b"%PDF"):
                return data
    raise StoreError(
        f"Chromium wrote no PDF within {patience:.0f} seconds: download the HTML file and print it instead."
    )


def _run(command: list[str], home: str, patience: float) -> None:
    """Run the browser, and kill it with all its processes after ``patience`` seconds."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"HOME": home, "PATH": os.defpath, "LC_ALL": "C.UTF-8"},
            start_new_session=True,
        )
    except OSError:
        return
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=patience)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()

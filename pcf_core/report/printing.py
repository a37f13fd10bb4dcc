"""A report as PDF: its HTML file, printed by the Chromium of the server, which is no dependency of the app.

The browser has a profile of its own that is deleted afterwards, a time limit, and no network: the file needs
none, and its policy lets it load nothing.
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
PATIENCE = 90  # seconds, in which a full audit is drawn on a busy machine
DRAWING = 30_000  # milliseconds of the page's own clock: charts are drawn one after the other
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
    "--proxy-server=127.0.0.1:9",  # where nobody answers
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
ROOT_USER = 0


def browser() -> str | None:
    """Return the path of a Chromium on this server, ``None`` where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def pdf_bytes(html: bytes, patience: float = PATIENCE) -> bytes:
    """Print the HTML file of a report as PDF.

    Raises StoreError if there is no Chromium, or it writes no PDF in so many seconds.
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
            *(["--no-sandbox"] if os.geteuid() == ROOT_USER else []),  # it refuses to run as root with one
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
    """Run the browser to its end, or end it and all that it started once the time is over."""
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

"""A report as PDF: whoever prints it is told clearly where that fails, and nothing of the browser stays."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from pcf_core.core.errors import StoreError
from pcf_core.report import printing
from pcf_core.report.printing import pdf_bytes
from pcf_core.report.records import ReportDocument
from pcf_core.report.written import html_bytes
from tests.browser import CHROMIUM


def browser_that(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    program = folder / "chromium"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf8")
    program.chmod(0o755)
    monkeypatch.setattr(printing, "browser", lambda: str(program))


def test_without_a_browser_it_is_said_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing.shutil, "which", lambda name: None)
    assert printing.browser() is None
    with pytest.raises(StoreError, match="not on this server: download the HTML file and print it"):
        pdf_bytes(b"<html></html>")


def test_it_prints_the_file_with_a_profile_of_its_own_and_no_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = tmp_path / "arguments"
    write = """case "$one" in --print-to-pdf=*) printf '%%PDF-1.4' > "${one#--print-to-pdf=}";; esac"""
    script = f'printf \'%s\\n\' "$@" > {recorded}\nfor one in "$@"; do {write}; done'
    browser_that(tmp_path, monkeypatch, script)
    assert pdf_bytes(b"<html></html>") == b"%PDF-1.4"
    arguments = recorded.read_text(encoding="utf8").splitlines()
    assert ("--no-sandbox" in arguments) == (os.geteuid() == 0)
    assert "--host-resolver-rules=MAP * ~NOTFOUND" in arguments
    (profile,) = [one.partition("=")[2] for one in arguments if one.startswith("--user-data-dir=")]
    assert not Path(profile).parent.exists()
    assert arguments[-1].startswith("file://")


@pytest.mark.parametrize("script", ["exit 3", "sleep 30"])
def test_one_that_fails_or_hangs_is_ended_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    browser_that(tmp_path, monkeypatch, script)
    began = time.monotonic()
    with pytest.raises(StoreError, match="Chromium wrote no PDF within 1 seconds"):
        pdf_bytes(b"<html></html>", patience=1)
    assert time.monotonic() - began < 10


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_the_charts_are_on_the_paper(whole: ReportDocument) -> None:
    """Drawn charts have paths; a page that was printed before its scripts ran has none."""
    data = pdf_bytes(html_bytes(whole))
    assert data.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", data)) > 5
    assert len(data) > 100_000

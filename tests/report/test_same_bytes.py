"""The same inputs give the same bytes: in two processes whose hashes are seeded otherwise."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.command_line import ROOT

# Of the shipped runs over the papers' nineteen, in the formats that a report is written in.
WRITE = """
import hashlib
from pcf_core.cli.console import open_store
from pcf_core.cli.exporting import document_of, file_bytes
from pcf_core.report.records import ReportRequest
store = open_store()
request = ReportRequest(runs=("ac20986ee62598d4", "08bba26da567346e"), sections=("risk", "tilt"))
document = document_of(store, request)
for form in ("html", "json", "csv", "parquet", "card"):
    print(form, hashlib.sha256(file_bytes(document, form)).hexdigest())
"""


def hashes(seed: str, cache: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PCF_CACHE": cache, "PCF_SHIPPED_RESULTS": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WRITE],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
        check=True,
    )
    return done.stdout


@pytest.mark.slow
def test_two_processes_write_the_same_bytes(tmp_path_factory: pytest.TempPathFactory) -> None:
    one, other = (hashes(seed, str(tmp_path_factory.mktemp("cache"))) for seed in ("1", "2"))
    assert len(one.splitlines()) == 5
    assert one == other

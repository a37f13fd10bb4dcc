"""The JSON of every command that answers from stored results, on a store that the fake scorer filled."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pcf_core.store.store import Store
from tests.command_line import Done, run_here
from tests.goldens.recorded import assert_recorded

LONGEST = 6  # items of a list


def document(done: Done) -> object:
    """Return a command's JSON, without what differs from one machine to another."""
    assert done.returncode in (0, 3), done.stderr
    return shortened(json.loads(re.sub(r'"(path|folder)": "[^"]*"', r'"\1": "…"', done.stdout)))


def shortened(value: object) -> object:
    """Return a document with the first items of its long lists, and how many there are."""
    if isinstance(value, dict):
        return {key: shortened(part) for key, part in value.items()}
    if isinstance(value, list) and len(value) > LONGEST:
        return [*map(shortened, value[:LONGEST]), f"{len(value)} in all"]
    return [shortened(part) for part in value] if isinstance(value, list) else value


def test_commands_about_material(full_store: Store) -> None:
    for command in ("topics", "templates"):
        assert_recorded(f"commands/{command}", document(run_here(command, "--json")))


def test_commands_about_runs(full_store: Store, tmp_path: Path) -> None:
    bert, gpt = sorted(info.run.key for info in full_store.own_runs())
    assert_recorded("commands/risk", document(run_here("risk", bert, "--json")))
    assert_recorded("commands/risk_l2", document(run_here("risk", gpt, "--criterion", "l2", "--json")))
    assert_recorded("commands/compare", document(run_here("compare", bert, gpt, "--json")))
    matrix = tmp_path / "matrix.json"
    matrix.write_text(json.dumps({"preferences": [[[0.7, 0.3], [0.4, 0.6]], [[0.5, 0.5], [0.9, 0.1]]]}))
    assert_recorded("commands/risk_of_matrix", document(run_here("risk", "--matrix", str(matrix), "--json")))


@pytest.mark.slow
def test_a_report_and_its_check(full_store: Store, tmp_path: Path) -> None:
    keys = sorted(info.run.key for info in full_store.own_runs())
    report = tmp_path / "report.json"
    done = run_here("export", *keys, "--sections", "all", "--out", str(report))
    assert done.returncode == 0, done.stderr
    assert_recorded("commands/report", shortened(json.loads(report.read_text(encoding="utf8"))))
    assert_recorded("commands/verify", document(run_here("verify", str(report), "--json")))

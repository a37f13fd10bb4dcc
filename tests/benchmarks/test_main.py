"""`make bench` ends, and says what did not."""

from __future__ import annotations

import importlib
import os
import subprocess
from pathlib import Path

import pytest
import typer

from benchmarks.__main__ import PARTS, main
from benchmarks.memory import main as measure_memory
from benchmarks.pages import main as measure_pages
from pcf_core.core.settings import settings

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize("part", PARTS, ids=str)
def test_every_part_takes_the_options_that_it_is_given(part: str) -> None:
    module, *options = PARTS[part]
    app = typer.Typer()
    app.command()(importlib.import_module(f"benchmarks.{module}").main)
    assert not typer.main.get_command(app).make_context(module, options).args


def test_a_part_that_fails_is_shown_and_the_others_run(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit, match="1"):
        main({"One": ["memory", "--templates", "none"], "Other": ["intervals", "--help"]})
    said = capfd.readouterr()
    assert "Invalid value for '--templates'" in said.err
    assert "These did not end well: One (status 2)." in said.err
    assert "--unit" in said.out


def test_what_a_child_says_of_its_error_is_seen(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PCF_ASSETS", str(tmp_path / "gone"))
    with pytest.raises(subprocess.CalledProcessError):
        measure_memory([10], ["two"])
    assert "shipped topic, one of yours" in " ".join(capfd.readouterr().err.split())


def test_the_pages_leave_the_environment_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of theirs that is gone made every later part end."""
    monkeypatch.setattr("benchmarks.pages.measure", lambda *_: settings())
    before, assets = dict(os.environ), settings().assets
    measure_pages()
    assert dict(os.environ) == before
    assert settings().assets == assets


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_parts_of_minutes_end() -> None:
    """On little; scoring, its peers, presses and the zoo have tests of their own."""
    quick = {
        "Generation": ["generation", "--quick"],
        "Pages": ["pages", "--templates", "100", "--repeats", "1", "--no-memory"],
        "Pages on what is shipped": ["pages", "--shipped", "--repeats", "1", "--no-memory"],
        "Intervals": ["intervals", "--templates", "200"],
        "Tails": ["tails", "--samples", "3", "--size", "30"],
        "Slopes": ["slopes", "--samples", "2"],
        "Memory of large runs": ["memory", "--templates", "200"],
        "Mining": ["mining", "--documents", "50", "--parsed", "1000"],
        "FairPair": ["fairpair", "--samples", "50", "--prompts", "2", "--written", "10"],
    }
    assert {named[0] for named in quick.values()} < {named[0] for named in PARTS.values()}
    main(quick)

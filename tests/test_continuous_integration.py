"""What .ci/run runs: no test that needs an environment of its own is left to nobody."""

from __future__ import annotations

import functools
import re
import subprocess

import pytest

from pcf_core.core.settings import ROOT

IN_VENV = {
    "dev",
    "login",
    "models",
    "peft",
    "tokenizers",
    "production",
}  # installed into .venv, or asked for by an image alone
BESIDE = sorted(
    {path.stem.removeprefix("requirements-") for path in ROOT.glob("requirements-*.txt")} - IN_VENV
)
SAYS_WHAT_IS_MISSING = re.compile(r"\bmake (?:\.venv-|bench\b|docs\b|test-)|pcf_core models get")


@functools.cache
def commands() -> str:
    """Every command of continuous integration, as make would run it on a new machine."""
    (parts,) = re.findall(r"^for part in (.+); do$", (ROOT / ".ci" / "run").read_text(encoding="utf8"), re.M)
    return subprocess.run(
        ["make", "--dry-run", "--always-make", *parts.split()],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


@pytest.mark.parametrize("name", BESIDE)
def test_every_environment_is_made(name: str) -> None:
    installs = rf"^\.venv-{name}/bin/python -m pip install .*-r requirements-{name}\.txt$"
    assert re.search(installs, commands(), re.MULTILINE)


def test_what_is_skipped_without_an_environment_is_run_in_one() -> None:
    skipping = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "tests").rglob("test_*.py")
        if "skip(" in (text := path.read_text(encoding="utf8")) or "skipif(" in text
        if SAYS_WHAT_IS_MISSING.search(text)
    } - {"tests/test_continuous_integration.py"}
    assert {"tests/work/test_ray_engine.py", "tests/test_site.py", "tests/models/test_public.py"} <= skipping
    assert [path for path in sorted(skipping) if path not in commands()] == []


def test_nothing_but_make_setup_changes_the_environment_of_the_app() -> None:
    changed = re.findall(r"^\.venv/bin/python -m pip install .*-r (\S+)$", commands(), re.MULTILINE)
    assert set(changed) == {"requirements.txt", "requirements-dev.txt", "requirements-models.txt"}

"""A copy of the shipped lists that a test may damage, and what every refusal must look like."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pcf_core.core.errors import AuditError
from pcf_core.core.settings import settings


@pytest.fixture
def assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A private assets folder with the shipped topics, evidence, templates and factors."""
    shipped, copy = settings().assets, tmp_path / "assets"
    for folder in ("topics", "evidence", "templates", "factors"):
        shutil.copytree(shipped / folder, copy / folder)
    for file in ("published_risks.csv", "published_figures.toml"):
        shutil.copy(shipped / file, copy)
    monkeypatch.setenv("PCF_ASSETS", str(copy))
    settings.cache_clear()
    yield copy
    settings.cache_clear()


@pytest.fixture(scope="session")
def refusal() -> Callable[[AuditError], str]:
    """Checks that an error is one clear sentence and returns it."""

    def check(error: AuditError) -> str:
        sentence = str(error)
        assert sentence
        assert sentence.isprintable()
        assert sentence.endswith(".")
        assert len(sentence) < 700
        assert "Traceback" not in sentence
        assert " at 0x" not in sentence
        return sentence

    return check


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all files of template sets that hypothesis makes."""
    return tmp_path_factory.mktemp("sets")

"""CONTRIBUTING.md and CITATION.cff name what is there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACES = ("pcf_core", "tests", "tools", "assets", "pages", "docs")


def test_every_file_that_contributors_are_sent_to_exists() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf8")
    named = {name for name in re.findall(r"`([a-z_]+/[\w./-]*)`", text) if "NAME" not in name}
    missing = [name for name in named if name.startswith(PLACES) and not (ROOT / name).exists()]
    assert len(named) > 20
    assert missing == []


def test_every_module_that_contributors_are_told_to_use_exists() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf8")
    for name in re.findall(r"`pcf_core\.([\w.]+)`", text):
        room, _, function = name.rpartition(".")
        path = ROOT / "pcf_core" / room.replace(".", "/")
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        assert re.search(rf"\b{function}\b", file.read_text(encoding="utf8")), name


def test_the_version_to_be_cited_is_that_of_the_program() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf8")
    assert f"\nversion: {project['version']}\n" in citation
    assert f"\nlicense: {project['license']}\n" in citation

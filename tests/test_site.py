"""mkdocs.yml: every document is in the menu, what it names is there, and nothing comes from elsewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
CONFIGURED = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf8"))
DOCS = ROOT / "docs"


def pages(entries: Any) -> Iterator[str]:
    for entry in entries if isinstance(entries, list) else [entries]:
        if isinstance(entry, dict):
            for inner in entry.values():
                yield from pages(inner)
        else:
            yield entry


def test_the_menu_has_every_document_once() -> None:
    named = list(pages(CONFIGURED["nav"]))
    there = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    assert len(named) == len(set(named))
    assert set(named) == there


def test_every_module_of_the_function_pages_exists() -> None:
    for path in (DOCS / "api").glob("*.md"):
        modules = re.findall(r"^::: ([\w.]+)$", path.read_text(encoding="utf8"), re.MULTILINE)
        assert modules
        for module in modules:
            assert find_spec(module) is not None, module


def test_the_site_is_strict_and_needs_no_network() -> None:
    assert CONFIGURED["strict"] is True
    assert CONFIGURED["theme"]["font"] is False
    assert "offline" not in CONFIGURED["plugins"]  # it loads a script from elsewhere
    pins = (ROOT / "requirements-docs.txt").read_text(encoding="utf8").splitlines()
    assert all(re.fullmatch(r"#.*|--only-binary :all:|[\w.-]+==[\w.]+", line) for line in pins)


@pytest.mark.slow
def test_the_site_is_built_and_asks_for_nothing_from_elsewhere(tmp_path: Path) -> None:
    mkdocs = ROOT / ".venv-docs" / "bin" / "mkdocs"
    if not mkdocs.is_file():
        pytest.skip("mkdocs is not installed: make docs")
    done = subprocess.run(
        [mkdocs, "build", "--quiet", "--site-dir", tmp_path / "site"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for page in (tmp_path / "site").rglob("*.html"):
        loaded = re.findall(r'<(?:script|img|link)[^>]+(?:src|href)="(https?://[^"]+)"', page.read_text())
        assert loaded == [], page.name
    assert (tmp_path / "site" / "search" / "search_index.json").is_file()
    shutil.rmtree(tmp_path / "site")

"""What the paper prints is read again once its file has changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pcf_core.app.criteria.views import published_rows, published_table
from pcf_core.core.settings import Settings, settings
from pcf_core.texts.criteria.published import FILE_NAME


def test_a_changed_file_shows_its_new_figures(
    own_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "assets"
    folder.mkdir()
    shutil.copy(settings().assets / FILE_NAME, folder)
    monkeypatch.setenv("PCF_ASSETS", str(folder))
    settings.cache_clear()
    before = published_rows()
    assert published_rows() is before, "it is read once"
    first = next(row for row in before if row.section == "5.1" and row.value is not None)
    printed = published_table(["anecdotes"], before, {})["printed"]
    path = folder / FILE_NAME
    lines = path.read_text(encoding="utf8").splitlines()
    changed = [
        line.replace(f",{first.value:g},", ",0.12345,") if first.id in line else line for line in lines
    ]
    path.write_text("\n".join(changed) + "\n", encoding="utf8")
    after = published_table(["anecdotes"], published_rows(), {})["printed"]
    assert "0.123" in set(after) - set(printed)

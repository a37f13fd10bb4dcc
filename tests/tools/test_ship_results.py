"""The shipped results: replaced whole, never there by half."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tools.ship_results import FOLDERS, replace_results


def files_of(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    for part in FOLDERS:
        (tmp_path / "store" / part).mkdir(parents=True)
        (tmp_path / "store" / part / "file").write_text("new")
    (tmp_path / "store" / "catalogue.sqlite").write_text("rebuilt from the rest")
    return tmp_path / "store"


@pytest.fixture
def assets(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    return tmp_path / "assets"


@pytest.mark.parametrize("before", [True, False])
def test_results_take_the_place_of_what_was_there(store: Path, assets: Path, before: bool) -> None:
    if before:
        (assets / "cache" / "scores").mkdir(parents=True)
        (assets / "cache" / "scores" / "stale").write_text("old")
    replace_results(store, assets / "cache")
    assert files_of(assets) == {f"cache/{part}/file": "new" for part in FOLDERS}


@pytest.mark.parametrize("copied", range(len(FOLDERS)))
def test_an_interruption_while_copying_changes_nothing(
    store: Path, assets: Path, copied: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (assets / "cache" / "scores").mkdir(parents=True)
    (assets / "cache" / "scores" / "kept").write_text("old")
    real, left = shutil.copytree, iter(range(copied))

    def interrupted(source: Path, target: Path) -> object:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return real(source, target)

    monkeypatch.setattr(shutil, "copytree", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_results(store, assets / "cache")
    assert files_of(assets) == {"cache/scores/kept": "old"}

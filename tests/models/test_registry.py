"""Which model a name means."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pcf_core.errors import ModelError
from pcf_core.models import left_out_models, list_models, resolve

Write = Callable[..., Path]


def test_shipped_models_then_the_operators(write: Write, tmp_path: Path) -> None:
    for name in ("assets/models/mini-gpt", "assets/models/mini-bert", "own/another"):
        write(tmp_path / name)
    (tmp_path / "own" / "notes").mkdir()
    assert [spec.name for spec in list_models()] == ["mini-bert", "mini-gpt", "another"]
    assert left_out_models() == ()
    assert resolve("another") == list_models()[2]


def test_no_models_at_all() -> None:
    assert list_models() == ()


def test_unusable_directories_are_listed_with_the_reason(write: Write, tmp_path: Path) -> None:
    write(tmp_path / "assets/models/mini-gpt")
    write(tmp_path / "own/mini-gpt", fill=1)
    write(tmp_path / "own/no-weights", weights=False)
    write(tmp_path / "own/t5", {"architectures": ["T5ForConditionalGeneration"]})
    write(tmp_path / "own/odd name")
    assert [spec.name for spec in list_models()] == ["mini-gpt"]
    reasons = {entry.name: entry.reason for entry in left_out_models()}
    assert set(reasons) == {"mini-gpt", "no-weights", "t5", "odd name"}
    assert "Another model is named mini-gpt" in reasons["mini-gpt"]
    assert "safetensors" in reasons["no-weights"]
    assert "T5" in reasons["t5"]
    assert "may hold letters" in reasons["odd name"]
    assert resolve("mini-gpt").path == str((tmp_path / "assets/models/mini-gpt").resolve())


def test_a_directory_is_named_by_its_absolute_path(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "elsewhere" / "tuned")
    monkeypatch.chdir(folder.parent)
    spec = resolve("tuned")
    assert spec.name == str(folder.resolve())
    assert resolve(spec.name) == spec


@pytest.mark.parametrize(
    "name", ["nothing", "", " ", "a" * 300, "a/b/c", "~nobody-here/x", "x\0y", "../../etc", "a/.."]
)
def test_unknown_names_list_the_known(name: str, write: Write, tmp_path: Path) -> None:
    write(tmp_path / "assets/models/mini-gpt")
    with pytest.raises(ModelError, match="known are mini-gpt") as caught:
        resolve(name)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["../assets/models/mini-gpt", "mini-gpt/../mini-gpt", "./mini-gpt"])
def test_a_listed_name_is_no_path(
    name: str, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name with path characters is never joined to the folders of listed models."""
    write(tmp_path / "assets/models/mini-gpt")
    empty = tmp_path / "empty" / "x"
    empty.mkdir(parents=True)
    monkeypatch.chdir(empty)
    with pytest.raises(ModelError, match="There is no model named"):
        resolve(name)

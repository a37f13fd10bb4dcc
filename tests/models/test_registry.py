"""Which model a name means."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pcf_core.core.errors import ModelError
from pcf_core.core.settings import ROOT, settings
from pcf_core.models.registry import left_out_models, list_models, resolve

Write = Callable[..., Path]


def test_shipped_models_then_the_operators(write: Write, tmp_path: Path) -> None:
    for name in ("assets/models/mini-gpt", "assets/models/mini-bert", "own/another"):
        write(tmp_path / name)
    (tmp_path / "own" / "notes").mkdir()
    assert [spec.name for spec in list_models()] == ["mini-bert", "mini-gpt", "another"]
    assert left_out_models() == ()
    assert resolve("another") == list_models()[2]


def test_an_adapter_alone_is_refused_by_what_it_is(tmp_path: Path) -> None:
    """Given by its path, and listed among the models that cannot be used."""
    folder = tmp_path / "own" / "lora"
    folder.mkdir(parents=True)
    (folder / "adapter_config.json").write_text('{"peft_type": "LORA"}')
    for name in ("lora", str(folder)):
        with pytest.raises(ModelError, match=r"is only an adapter \(adapter_config.json in .*merge it into"):
            resolve(name)
    (left_out,) = left_out_models()
    assert left_out.name == "lora"
    assert "is only an adapter" in left_out.reason


def test_no_models_at_all() -> None:
    assert list_models() == ()


def test_unusable_directories_are_listed_with_the_reason(write: Write, tmp_path: Path) -> None:
    write(tmp_path / "assets/models/mini-gpt")
    write(tmp_path / "own/mini-gpt", fill=1)
    write(tmp_path / "own/no-weights", weights=False)
    write(tmp_path / "own/whisper", {"architectures": ["WhisperForConditionalGeneration"]})
    write(tmp_path / "own/open", {"architectures": ["BertModel"], "model_type": "bert"})
    write(tmp_path / "own/odd name")
    assert [spec.name for spec in list_models()] == ["mini-gpt"]
    reasons = {entry.name: entry.reason for entry in left_out_models()}
    assert set(reasons) == {"mini-gpt", "no-weights", "whisper", "open", "odd name"}
    assert "Another model is named mini-gpt" in reasons["mini-gpt"]
    assert "safetensors" in reasons["no-weights"]
    assert "Whisper" in reasons["whisper"]
    assert "name it masked:open." in reasons["open"]
    assert resolve("masked:open").name == "masked:open"
    assert "may hold letters" in reasons["odd name"]
    assert resolve("mini-gpt").path == str((tmp_path / "assets/models/mini-gpt").resolve())


def test_a_folder_of_models_that_is_not_there_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert left_out_models() == ()
    (tmp_path / "own").rmdir()
    (left_out,) = left_out_models()
    assert (left_out.name, left_out.reason) == (
        str(tmp_path / "own"),
        "There is no such folder: PCF_MODELS names it.",
    )
    monkeypatch.delenv("PCF_MODELS")
    settings.cache_clear()
    assert left_out_models() == ()


def test_a_directory_is_named_by_its_absolute_path(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "elsewhere" / "tuned")
    monkeypatch.chdir(folder.parent)
    spec = resolve("tuned")
    assert spec.name == str(folder.resolve())
    assert resolve(spec.name) == spec


def test_a_folder_whose_name_is_no_text_is_refused(write: Write, tmp_path: Path) -> None:
    """A name becomes part of keys."""
    folder = write(tmp_path / "plain").rename(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    with pytest.raises(ModelError, match=r"udcff' is not UTF-8, which keys are made of; rename it"):
        resolve(str(folder))


@pytest.mark.parametrize(
    "name", ["nothing", "", " ", "a" * 300, "a/b/c", "~nobody-here/x", "x\0y", "../../etc", "a/.."]
)
def test_unknown_names_list_the_known(name: str, write: Write, tmp_path: Path) -> None:
    write(tmp_path / "assets/models/mini-gpt")
    with pytest.raises(ModelError, match="known are mini-gpt") as caught:
        resolve(name)
    assert len(str(caught.value).splitlines()) == 1


def test_of_many_known_names_the_nearest_are_suggested(write: Write, tmp_path: Path) -> None:
    for name in ("mini-bert", "mini-gpt", "mini-gpt-l", "mini-gpt-s", "mini-t5"):
        write(tmp_path / "assets/models" / name)
    with pytest.raises(ModelError, match=r"known are mini-gpt, mini-\S+, mini-\S+ and 2 more;"):
        resolve("mini-gtp")
    with pytest.raises(ModelError, match=r"known are mini-bert, mini-gpt, mini-gpt-l and 2 more;"):
        resolve("zzzz")


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


def test_a_name_without_its_organisation_is_told_the_whole(tmp_path: Path) -> None:
    """Users know these models by the short names of old; a short name is no id of the hub any more."""
    (tmp_path / "assets").mkdir()
    shutil.copy(ROOT / "assets" / "models.toml", tmp_path / "assets" / "models.toml")
    with pytest.raises(ModelError, match="'gpt2' here: its name on the hub is openai-community/gpt2"):
        resolve("gpt2")


def test_a_family_that_was_said_although_it_is_clear_changes_nothing(write: Write, tmp_path: Path) -> None:
    write(tmp_path / "assets/models/mini-gpt")
    folder = write(tmp_path / "elsewhere" / "x@1")
    assert resolve("causal:mini-gpt") == resolve("mini-gpt")
    assert resolve(f"causal:{folder}") == resolve(str(folder))
    with pytest.raises(ModelError, match=r"cannot be read as masked: by its config\.json it is causal"):
        resolve("masked:mini-gpt")

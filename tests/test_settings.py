"""The operator's settings, and the table of them in the README."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pcf_core.errors import SettingsError
from pcf_core.settings import ROOT, Settings, settings


@pytest.fixture(autouse=True)
def fresh() -> None:
    settings.cache_clear()


def test_the_environment_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PCF_CACHE", str(tmp_path))
    monkeypatch.setenv("PCF_SHIPPED_RESULTS", "0")
    assert settings().catalogue == tmp_path / "catalogue.sqlite"
    assert settings().results is None
    settings.cache_clear()


@pytest.mark.parametrize(
    ("name", "value"), [("SHARD_PROMPTS", "0"), ("DEVICE", "toaster"), ("THREADS", "many")]
)
def test_a_value_that_is_not_allowed_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"PCF_{name}", value)
    with pytest.raises(SettingsError, match=f"PCF_{name}.*{value}"):
        settings()


@pytest.mark.parametrize("name", ["CACHE", "ASSETS", "MODELS"])
@pytest.mark.parametrize("value", ["", "  "])
def test_no_folder_is_not_the_working_directory(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"PCF_{name}", value)
    with pytest.raises(SettingsError, match=f"PCF_{name} cannot be used: it must name a folder"):
        settings()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"cache = /data", r"pcf.toml cannot be read \(Invalid value \(at line 1, column 9\)\)"),
        (b'cache = "\xff"', r"pcf.toml cannot be read \('utf-8' codec can't decode byte 0xff"),
        (b'cache = ""', "PCF_CACHE cannot be used: it must name a folder"),
        (b"cash = 1", "PCF_CASH cannot be used: Extra inputs are not permitted"),
    ],
    ids=["no TOML", "no UTF-8", "no folder", "no setting"],
)
def test_a_bad_settings_file_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes, says: str
) -> None:
    (tmp_path / "pcf.toml").write_bytes(content)
    monkeypatch.setitem(Settings.model_config, "toml_file", tmp_path / "pcf.toml")
    with pytest.raises(SettingsError, match=says) as caught:
        settings()
    assert "\n" not in str(caught.value)


def test_the_readme_lists_every_setting_with_its_meaning() -> None:
    rows = dict(
        re.findall(
            r"^\| `PCF_(\w+)` \| (.*?) \|", (ROOT / "README.md").read_text(encoding="utf8"), re.MULTILINE
        )
    )
    fields = {name.upper(): str(field.description) for name, field in Settings.model_fields.items()}
    assert rows == fields

"""The operator's settings, and the table of them in docs/operating.md."""

from __future__ import annotations

import os
import re
import traceback
from pathlib import Path
from typing import Any

import pytest

from pcf_core.core.errors import SettingsError
from pcf_core.core.settings import NOT_THE_WORKERS, ROOT, Settings, adopt, settings
from tools.settings_table import with_table


@pytest.fixture(autouse=True)
def fresh() -> None:
    settings.cache_clear()


def test_the_environment_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PCF_CACHE", str(tmp_path))
    monkeypatch.setenv("PCF_SHIPPED_RESULTS", "0")
    assert settings().catalogue == tmp_path / "catalogue.sqlite"
    assert settings().results == ()
    settings.cache_clear()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SHARD_PROMPTS", "0"),
        ("DEVICE", "toaster"),
        ("DEVICE", "cuda:x"),
        ("REMOTE_CODE", "org/name, /some/folder"),
        ("THREADS", "many"),
        ("ENDPOINT_TIMEOUT", "inf"),
    ],
)
def test_a_value_that_is_not_allowed_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"PCF_{name}", value)
    with pytest.raises(SettingsError, match=f"PCF_{name}.*{value}"):
        settings()


@pytest.mark.parametrize("value", ["auto", "cpu", "mps", "cuda", "cuda:0", "cuda:15", "split"])
def test_devices(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("PCF_DEVICE", value)
    assert settings().device == value


@pytest.mark.parametrize(
    ("value", "names"), [("", ()), ("org/name", ("org/name",)), (" a/b ,c/d-1.2,", ("a/b", "c/d-1.2"))]
)
def test_hub_ids_stand_between_commas(
    monkeypatch: pytest.MonkeyPatch, value: str, names: tuple[str, ...]
) -> None:
    monkeypatch.setenv("PCF_REMOTE_CODE", value)
    assert settings().remote_code == names
    monkeypatch.setenv("PCF_REMOTE_CODE", settings().environment["PCF_REMOTE_CODE"])
    assert Settings().remote_code == names


@pytest.mark.parametrize("name", ["CACHE", "ASSETS", "MODELS"])
@pytest.mark.parametrize("value", ["", "  "])
def test_no_folder_is_not_the_working_directory(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"PCF_{name}", value)
    with pytest.raises(SettingsError, match=f"PCF_{name} cannot be used: it must name a folder"):
        settings()


@pytest.mark.parametrize("name", ["CACHE", "ASSETS", "MODELS"])
def test_a_folder_is_the_same_from_every_working_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/somebody")
    for given, meant in (("here", tmp_path / "here"), ("~/there", Path("/home/somebody/there"))):
        monkeypatch.setenv(f"PCF_{name}", given)
        settings.cache_clear()
        assert settings().environment[f"PCF_{name}"] == str(meant)


def test_the_home_of_an_unknown_user_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PCF_CACHE", "~nobody of this name/cache")
    with pytest.raises(SettingsError, match=r"PCF_CACHE cannot be used: .* an unknown user; write the"):
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


def test_the_table_of_settings_is_the_class() -> None:
    """Every setting, what it means and its default; there is no other such table."""
    text = (ROOT / "docs" / "operating.md").read_text(encoding="utf8")
    assert with_table(text) == text, "run python -m tools.settings_table"
    rows = re.findall(r"^\| `PCF_(\w+)` \| .+ \| (.+) \|$", text, re.MULTILINE)
    assert [name for name, _ in rows] == [name.upper() for name in Settings.model_fields]
    assert {
        "CACHE": "`cache/` here",
        "MODELS": "none",
        "THREADS": "`0`",
        "READ_ONLY": "`false`",
    }.items() <= dict(rows).items()
    assert "| `PCF_" not in (ROOT / "README.md").read_text(encoding="utf8")


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("", ()),
        ("Ann@Example.org, *@example.org ,", ("ann@example.org", "*@example.org")),
    ],
)
def test_auditors_stand_between_commas(
    monkeypatch: pytest.MonkeyPatch, value: str, kept: tuple[str, ...]
) -> None:
    monkeypatch.setenv("PCF_AUDITORS", value)
    assert settings().auditors == kept
    monkeypatch.setenv("PCF_AUDITORS", settings().environment["PCF_AUDITORS"])
    assert Settings().auditors == kept


@pytest.mark.parametrize(
    "value", ["*", "ann", "*@", "@example.org", "*@example.org;bob@x", "a*@example.org", "*@*"]
)
def test_what_might_let_in_more_than_was_meant_is_no_auditor(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("PCF_AUDITORS", value)
    with pytest.raises(SettingsError, match=r"PCF_AUDITORS.*addresses or"):
        settings()


SECRET = "sk-a-secret-of-the-operator"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("http://localhost:8000/v1", "http://localhost:8000/v1"),
        (" https://gpu-host.example/api/v1/ ", "https://gpu-host.example/api/v1"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("", None),
    ],
)
def test_the_base_url_of_an_endpoint(monkeypatch: pytest.MonkeyPatch, given: str, kept: str | None) -> None:
    monkeypatch.setenv("PCF_ENDPOINT_URL", given)
    assert settings().endpoint_url == kept


@pytest.mark.parametrize(
    "url",
    [
        f"http://user:{SECRET}@host/v1",
        f"https://{SECRET}@host/v1",
        f"https://host/v1?key={SECRET}",
        f"https://host/v1#{SECRET}",
        f"file:///{SECRET}",
        f"host:8000/{SECRET}",
        f"http:///{SECRET}",
        f"http://host/a b/{SECRET}",
        f"http://a..b/{SECRET}",
        f"http://{'a' * 64}/{SECRET}",
        f"http://[::::]/{SECRET}",
    ],
)
def test_a_url_with_a_secret_or_of_no_server_is_refused_unseen(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("PCF_ENDPOINT_URL", url)
    with pytest.raises(SettingsError, match="PCF_ENDPOINT_URL cannot be used: it must be the base URL") as e:
        settings()
    assert SECRET not in str(e.value)


@pytest.mark.parametrize(
    "line",
    [
        f'endpoint_key = "{SECRET}é"',
        f'endpoint_kee = "{SECRET}"',
        f'scores = ["s3://AKIA:{SECRET}@bucket/x"]',
    ],
)
def test_a_key_that_cannot_be_used_is_not_said_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str
) -> None:
    (tmp_path / "pcf.toml").write_text(line, encoding="utf8")
    monkeypatch.setitem(Settings.model_config, "toml_file", tmp_path / "pcf.toml")
    with pytest.raises(SettingsError, match=r"PCF_(ENDPOINT_KE\w|SCORES) cannot be used") as e:
        settings()
    assert SECRET not in "".join(traceback.format_exception(e.value))


def test_the_key_is_masked_everywhere_but_for_a_child_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PCF_ENDPOINT_KEY", f" {SECRET}\n")
    made = settings()
    assert SECRET not in f"{made!r} {made} {made.model_dump_json()}"
    assert made.environment["PCF_ENDPOINT_KEY"] == SECRET
    monkeypatch.setenv("PCF_ENDPOINT_KEY", " ")
    settings.cache_clear()
    assert "PCF_ENDPOINT_KEY" not in settings().environment


def test_a_process_can_take_over_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", dict(os.environ))
    adopt({"PCF_DEVICE": "cuda:1", "PCF_ENGINE": "ray"})
    assert (settings().device, settings().engine) == ("cuda:1", "ray")
    with pytest.raises(SettingsError, match="PCF_ENGINE cannot be used"):
        adopt({"PCF_ENGINE": "steam"})


def test_variables_for_a_child_make_the_same_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", dict(os.environ))
    given = Settings(device="split", threads=3, scores="s3://bucket/scores", engine="ray")
    adopt(given.environment)
    assert settings() == given


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("PCF_READONLY", "write PCF_READ_ONLY, or remove it"),
        ("PCF_AUDITOR", "write PCF_AUDITORS, or remove it"),
        ("PCF_XYZZY", r"lists them\): remove it"),
    ],
)
def test_a_slip_in_a_variables_name_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, says: str) -> None:
    """Everybody would be an auditor, and nothing would say so."""
    monkeypatch.setenv(name, SECRET)
    with pytest.raises(SettingsError, match=f"{name} is not a setting .*{says}") as caught:
        settings()
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("name", ["AUDITORS", "ALLOWED_MODELS", "REMOTE_CODE"])
def test_a_list_of_nothing_but_commas_is_a_slip(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """An empty one allows everything."""
    monkeypatch.setenv(f"PCF_{name}", " ,, ")
    with pytest.raises(SettingsError, match=f"PCF_{name} cannot be used: it must be a list of names"):
        settings()


@pytest.mark.parametrize(
    "pattern",
    [
        "org/name@main",
        "org/*@v1",
        "masked:mini-*",
        "causal:org/x",
        "~/models/*",
        "./m",
        "../m",
        "data/models/*",
    ],
)
def test_a_pattern_that_no_model_fits_is_a_slip(monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    monkeypatch.setenv("PCF_ALLOWED_MODELS", f"mini-*,{pattern}")
    with pytest.raises(SettingsError, match=r"PCF_ALLOWED_MODELS.*without family and revision"):
        settings()


def test_patterns_that_models_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    given = (
        "mini-*",
        "org/*",
        "*/*",
        "*/models/*",
        "endpoint:org/a@b",
        "endpoint:a/b/c",
        "/data/@home/x@1/*",
        "[mn]*",
    )
    monkeypatch.setenv("PCF_ALLOWED_MODELS", ",".join(given))
    assert settings().allowed_models == given


@pytest.mark.parametrize(
    "change",
    [
        {"models": "/data/models"},
        {"device": "cuda:1"},
        {"endpoint_url": "http://localhost:8000/v1"},
        {"endpoint_key": "sk-another"},
        {"batch_tokens": 4096},
    ],
)
def test_a_fingerprint_tells_what_decides_how_a_worker_answers(change: dict[str, Any]) -> None:
    assert Settings(**change).fingerprint != Settings().fingerprint
    assert Settings(**change).fingerprint == Settings(**change).fingerprint
    assert "sk-another" not in Settings(**change).fingerprint
    same = Settings(**change).fingerprint.partition("@")[0] == Settings().fingerprint.partition("@")[0]
    assert same is ("device" in change), "of devices each worker has its own"


def test_a_fingerprint_leaves_out_what_the_app_alone_does() -> None:
    own = {name.removeprefix("PCF_").lower() for name in NOT_THE_WORKERS}
    assert own <= set(Settings.model_fields)
    other = Settings(cache="/elsewhere", corpora="/texts", start_worker=False, most_queued=3)
    assert other.fingerprint == Settings().fingerprint

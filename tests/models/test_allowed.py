"""The operator's list of models: refused before anything is loaded, in every way that leads to a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from pcf_core.core.errors import ModelError
from pcf_core.core.generation import Decoding
from pcf_core.core.settings import ROOT, settings
from pcf_core.models.generation.opening import open_generator
from pcf_core.models.names import is_model_allowed
from pcf_core.models.registry import resolve, resolve_entailment, resolve_to_score, resolve_writer
from pcf_core.models.scoring.opening import open_scorer


@pytest.mark.parametrize(
    ("patterns", "name", "allowed"),
    [
        ("", "anything/at-all", True),
        ("mini-*", "mini-bert", True),
        ("mini-*", "masked:mini-bert", True),
        ("mini-*", "org/mini-bert", False),
        ("org/*,endpoint:*", "org/name@main", True),
        ("org/*,endpoint:*", "endpoint:llama", True),
        ("org/*", "organisation/name", False),
        ("mini-*", "mini-anybody/model", False),  # whoever registers such an organisation
        ("/data/models/*", "/data/models/../others/x", False),
        ("endpoint:*", "endpoint:org/name", True),
        ("org/name", "Org/name", False),
        ("/data/models/*", "/data/models/mine", True),
        ("/data/models/*", "/data/others/mine", False),
    ],
)
def test_a_pattern_fits_a_whole_name(
    monkeypatch: pytest.MonkeyPatch, patterns: str, name: str, allowed: bool
) -> None:
    monkeypatch.setenv("PCF_ALLOWED_MODELS", patterns)
    settings.cache_clear()
    assert is_model_allowed(name) is allowed
    settings.cache_clear()


def test_no_way_leads_to_a_model_that_is_not_on_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PCF_ASSETS", str(ROOT / "assets"))
    monkeypatch.setenv("PCF_ALLOWED_MODELS", "mini-bert")
    monkeypatch.setenv("PCF_ENDPOINT_URL", "http://localhost:9/v1")
    settings.cache_clear()
    spec = resolve("mini-gpt")  # its results can be read
    for way in (
        lambda: resolve_to_score("mini-gpt"),
        lambda: resolve_writer("mini-gpt"),
        lambda: resolve_entailment("mini-gpt"),
        lambda: open_scorer(spec),
        lambda: open_generator(spec, Decoding()),
    ):
        with pytest.raises(ModelError, match=r"mini-gpt may not be asked.* mini-bert \(PCF_ALLOWED_MODELS\)"):
            way()
    with pytest.raises(ModelError, match="endpoint:served may not be asked"):
        resolve_writer("endpoint:served")
    assert resolve_to_score("mini-bert").name == "mini-bert"
    settings.cache_clear()


@pytest.mark.parametrize("name", ["home/m", "~/m"])
def test_a_pattern_for_the_hub_lets_no_folder_in(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    """A folder is what it is, however somebody writes its name."""
    (tmp_path / "home" / "m").mkdir(parents=True)
    (tmp_path / "home" / "m" / "config.json").write_text('{"architectures": ["hunter2"]}')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PCF_ALLOWED_MODELS", "*/*")
    settings.cache_clear()
    with pytest.raises(ModelError, match="home/m may not be asked here"):
        resolve_entailment(name)
    monkeypatch.setenv("PCF_ALLOWED_MODELS", f"{tmp_path}/home/*")
    settings.cache_clear()
    with pytest.raises(ModelError, match="no NLI model"):  # it is looked into
        resolve_entailment(name)
    settings.cache_clear()

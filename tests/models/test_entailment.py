from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from huggingface_hub.errors import LocalEntryNotFoundError

from pcf_core.core.errors import ModelError
from pcf_core.core.settings import settings
from pcf_core.models.registry import entailment_class, resolve_entailment
from tests.models.conftest import Write

REVISION = "0123456789abcdef0123456789abcdef01234567"
CONFIG: dict[str, Any] = {
    "architectures": ["BertForSequenceClassification"],
    "model_type": "bert",
    "id2label": {"0": "ENTAILMENT", "1": "neutral"},
    "max_position_embeddings": 64,
}


def test_a_directory_is_described(write: Write, tmp_path: Any) -> None:
    spec = resolve_entailment(str(write(tmp_path / "nli", CONFIG)))
    assert (spec.parameters, spec.context, spec.remote_code) == (17, 64, False)
    assert entailment_class(CONFIG, "nli") == 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"architectures": ["BertForMaskedLM"]}, "no NLI model"),
        ({"architectures": None}, "no architecture"),
        ({"id2label": {"0": "good", "1": "bad"}}, "good, bad"),
        ({"id2label": {"0": "entailment", "1": "entails"}}, "called entailment"),
        ({"model_type": "own", "auto_map": {"AutoModel": "own.Own"}}, "code of its own"),
    ],
)
def test_what_is_no_nli_model_is_refused(
    write: Write, tmp_path: Any, change: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ModelError, match=reason):
        resolve_entailment(str(write(tmp_path / "nli", {**CONFIG, **change})))


@pytest.mark.parametrize(("name", "reason"), [("nowhere", "no NLI model"), ("org/nli", "downloads are off")])
def test_what_is_not_there_is_refused(name: str, reason: str) -> None:
    with pytest.raises(ModelError, match=reason):
        resolve_entailment(name)


def test_no_weights_are_refused(write: Write, tmp_path: Any) -> None:
    with pytest.raises(ModelError, match="safetensors"):
        resolve_entailment(str(write(tmp_path / "nli", CONFIG, weights=False)))


def test_of_a_hub_model_the_weights_are_left_to_who_loads_it(
    write: Write, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Naming one costs small files alone, and its revision says which it is."""
    snapshot = tmp_path / "hub" / "models--org--nli" / "snapshots" / REVISION
    fetched: list[Sequence[str]] = []

    def fetch(*_: object, allow_patterns: Sequence[str], local_files_only: bool = False, **__: object) -> str:
        if local_files_only:
            raise LocalEntryNotFoundError("nothing is here")
        fetched.append(allow_patterns)
        write(snapshot, CONFIG, weights=False)
        return str(snapshot)

    monkeypatch.setenv("PCF_ALLOW_HUB", "1")
    settings.cache_clear()
    monkeypatch.setattr("huggingface_hub.HfApi.model_info", lambda *_, **__: None)
    monkeypatch.setattr("huggingface_hub.snapshot_download", fetch)
    spec = resolve_entailment("org/nli")
    assert (spec.path, spec.identity, spec.parameters) == ("", REVISION, 0)
    assert [pattern for patterns in fetched for pattern in patterns if "safetensors" in pattern] == []

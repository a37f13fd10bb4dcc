"""Code of a model's own: only a hub id that the operator lists, only at its commit, never a directory's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pcf_core.core.errors import ModelError
from pcf_core.models.hub import is_allowed, require_own_code
from pcf_core.models.loading import load
from pcf_core.models.registry import resolve, resolve_to_score, resolve_writer
from tests.models.conftest import REVISION, use, write_model

CONFIG: dict[str, Any] = {
    "architectures": ["OwnForCausalLM"],
    "model_type": "own-kind",
    "auto_map": {"AutoConfig": "own.OwnConfig", "AutoModelForCausalLM": "own.OwnForCausalLM"},
    "vocab_size": 8,
    "n_positions": 16,
    "n_embd": 8,
    "n_layer": 1,
    "n_head": 1,
}
CODE = """
from transformers import GPT2Config, GPT2LMHeadModel

class OwnConfig(GPT2Config):
    model_type = "own-kind"

class OwnForCausalLM(GPT2LMHeadModel):
    config_class = OwnConfig
"""


@pytest.fixture
def allow(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def allowed(names: str) -> None:
        use(monkeypatch, PCF_REMOTE_CODE=names)

    return allowed


@pytest.fixture
def own_code(snapshot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The snapshot, with code of its own."""
    from transformers import GPT2Config, GPT2LMHeadModel

    monkeypatch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "modules"))
    folder = write_model(snapshot, weights=False)
    sizes = {key: CONFIG[key] for key in ("vocab_size", "n_positions", "n_embd", "n_layer", "n_head")}
    GPT2LMHeadModel(GPT2Config(**sizes, bos_token_id=0, eos_token_id=0)).save_pretrained(folder)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "own.py").write_text(CODE)
    return folder


def test_a_hub_model_that_is_not_listed_is_refused_with_both_ways_out(own_code: Path) -> None:
    spec = resolve("org/name")
    assert spec.remote_code
    with pytest.raises(ModelError, match=r"add org/name to PCF_REMOTE_CODE.*as an endpoint") as caught:
        load(spec)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["org/name", "causal:org/name", "org/name@main"])
def test_a_listed_hub_model_runs_its_code(name: str, own_code: Path, allow: Callable[[str], None]) -> None:
    allow("other/model, org/name")
    loaded = load(resolve(name), "cpu")
    assert type(loaded.model).__name__ == "OwnForCausalLM"
    assert REVISION in type(loaded.model).__module__
    assert loaded.identity == "", "its weights do not tell what it computes"


def test_code_that_is_not_here_yet_is_fetched_at_the_same_commit(
    own_code: Path, allow: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    (own_code / "own.py").unlink()
    asked: list[dict[str, Any]] = []

    def answer(name: str, **options: Any) -> str:
        if not options.get("local_files_only"):
            asked.append(options)
            (own_code / "own.py").write_text(CODE)
        return str(own_code)

    monkeypatch.setattr("huggingface_hub.snapshot_download", answer)
    monkeypatch.setattr("huggingface_hub.HfApi.model_info", lambda *_, **options: None)
    monkeypatch.setenv("PCF_ALLOW_HUB", "1")
    allow("org/name")
    assert type(load(resolve("org/name"), "cpu").model).__name__ == "OwnForCausalLM"
    assert [(options["revision"], "*.py" in options["allow_patterns"]) for options in asked] == [
        (REVISION, True)
    ]


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json"])
def test_code_of_another_repository_is_refused(
    file: str, own_code: Path, allow: Callable[[str], None]
) -> None:
    """Its revision is pinned by nothing, so nobody has read what would run."""
    allow("org/name")
    document = json.loads((own_code / file).read_text())
    document["auto_map"] = {**CONFIG["auto_map"], "AutoTokenizer": ["other/repository--code.Tokenizer", None]}
    (own_code / file).write_text(json.dumps(document))
    with pytest.raises(ModelError, match=f"another repository.*{file}.*endpoint"):
        load(resolve("org/name"), "cpu")
    (own_code / file).write_text("[")
    with pytest.raises(ModelError, match=f"{file} of the model org/name is damaged"):
        require_own_code(own_code, "org/name")


def test_no_directory_is_ever_listed(tmp_path: Path, allow: Callable[[str], None]) -> None:
    write_model(tmp_path / "own" / "name", CONFIG)
    folder = write_model(tmp_path / "elsewhere", CONFIG)
    allow("org/name, own/name")
    for name in ("name", str(folder)):
        assert not is_allowed(name)
        for find in (resolve_to_score, resolve_writer):
            with pytest.raises(ModelError, match="code of its own directory, which is never allowed"):
                find(name)

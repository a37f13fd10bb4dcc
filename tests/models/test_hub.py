"""Hub models: the local cache, a sentence for each failure of the hub, and code of their own.  No network."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from huggingface_hub import errors
from huggingface_hub.hf_api import RepoFile

from pcf_core.core.errors import ModelError
from pcf_core.core.run import ScoringKey
from pcf_core.models.hub import download, is_allowed, require_own_code
from pcf_core.models.loading import load
from pcf_core.models.names import KnownModel
from pcf_core.models.registry import resolve, resolve_entailment, resolve_to_score, resolve_writer
from tests.models.conftest import REVISION, edit, safetensors, use, write_gpt2, write_model


@pytest.fixture
def online(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, PCF_ALLOW_HUB="1")


def test_cached_model_is_pinned_to_its_revision(snapshot: Path) -> None:
    write_model(snapshot)
    spec = resolve("org/name")
    assert (spec.name, spec.identity, spec.title) == ("org/name", REVISION, "org/name")
    assert spec.path == str(snapshot.resolve())
    assert spec.parameters == 17


def test_weights_that_are_not_here_yet_leave_the_path_empty(snapshot: Path) -> None:
    write_model(snapshot, weights=False)
    spec = resolve("org/name")
    assert (spec.path, spec.parameters, spec.identity) == ("", 0, REVISION)
    with pytest.raises(ModelError, match=r"downloads are off: switch PCF_ALLOW_HUB on"):
        download(spec)


def test_an_index_without_its_shards_is_no_weights_yet(snapshot: Path) -> None:
    """As of any model in several files: the index is among the small files, looked at first."""
    write_model(snapshot, weights=False)
    first, second = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
    (snapshot / "model.safetensors.index.json").write_text(
        json.dumps({"weight_map": {"a": first, "b": second}})
    )
    assert (resolve("org/name").path, resolve("org/name").parameters) == ("", 0)
    safetensors(snapshot / first, {"a": [3, 4]})
    assert resolve("org/name").path == ""
    safetensors(snapshot / second, {"b": [5]})
    assert (resolve("org/name").path, resolve("org/name").parameters) == (str(snapshot.resolve()), 17)


def test_model_without_safetensors_is_refused_before_the_download(
    snapshot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_model(snapshot, weights=False)

    def listed(name: str, revision: str) -> list[Any]:
        return [RepoFile(path=path, size=1, oid="0" * 40) for path in ("config.json", "pytorch_model.bin")]

    monkeypatch.setattr("huggingface_hub.get_cached_repo_tree", listed)
    with pytest.raises(ModelError, match="no safetensors weights"):
        resolve("org/name")


def test_downloads_that_are_off(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="not in the hub's local cache, and downloads are off"):
        resolve("org/name")


@pytest.mark.usefixtures("online")
@pytest.mark.parametrize("listening", [False, True], ids=["a closed port", "one that never answers"])
def test_hub_that_cannot_be_reached(listening: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Real requests to this machine; a page of the app waits for them."""
    monkeypatch.setattr("pcf_core.models.hub.PATIENCE", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1] if listening else 9
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", f"http://127.0.0.1:{port}")
        with pytest.raises(ModelError, match="org/name is not in the local cache, and the hub cannot be"):
            resolve("org/name")


@pytest.mark.usefixtures("online")
def test_a_hub_that_is_switched_off_is_as_one_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="hub cannot be reached"):
        resolve("org/name")


def http_error(kind: type[errors.HfHubHTTPError]) -> errors.HfHubHTTPError:
    request = httpx2.Request("GET", "https://hub.invalid")
    return kind("first line\nsecond line", response=httpx2.Response(403, request=request))


@pytest.fixture
def fetch(online: None, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., Path]], None]:
    """Let a hub that says that it is there answer requests for files so; nothing is in the local cache."""
    monkeypatch.setattr("huggingface_hub.HfApi.model_info", lambda *_, **options: None)

    def fetched(answer: Callable[..., Path]) -> None:
        def download(name: str, **options: Any) -> str:
            if options.get("local_files_only"):
                raise errors.LocalEntryNotFoundError("not cached")
            return str(answer(**options))

        monkeypatch.setattr("huggingface_hub.snapshot_download", download)

    return fetched


BROKEN = r"org/name@v9 could not be downloaded from the hub \([\w ]+\): try"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (http_error(errors.GatedRepoError), "org/name is gated: accept its terms"),
        (http_error(errors.RepositoryNotFoundError), "no model named org/name"),
        (http_error(errors.RevisionNotFoundError), "has no revision 'v9' of org/name"),
        (http_error(errors.HfHubHTTPError), BROKEN),
        (httpx2.DecodingError("odd"), BROKEN),
        (RuntimeError(""), BROKEN),
        (ConnectionError("gone\naway"), BROKEN),
    ],
)
def test_each_failure_is_one_sentence(
    error: Exception, sentence: str, fetch: Callable[[Callable[..., Path]], None]
) -> None:
    def fail(**_: Any) -> Path:
        raise error

    fetch(fail)
    with pytest.raises(ModelError, match=sentence) as caught:
        resolve("org/name@v9")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["org/na--me", "org/name.git", "org/name-"])
def test_an_id_that_the_hub_cannot_have(name: str) -> None:
    with pytest.raises(ModelError, match="is not a valid hub id") as caught:
        resolve(name)
    assert name in str(caught.value)


@pytest.mark.parametrize("revision", ["v1.0", "refs/pr/1", REVISION])
def test_a_revision_is_pinned(revision: str, snapshot: Path) -> None:
    """The name keeps the revision, so that a worker finds the same commit; the key holds the commit."""
    other = snapshot.parent / ("f" * 40)
    ref = snapshot.parent.parent / "refs" / revision
    ref.parent.mkdir(parents=True, exist_ok=True)
    ref.write_text(REVISION)
    (snapshot.parent.parent / "refs" / "main").write_text(other.name)
    write_model(snapshot)
    write_model(other, fill=1)
    pinned, newest = resolve(f"org/name@{revision}"), resolve("org/name")
    assert (pinned.name, pinned.identity) == (f"org/name@{revision}", REVISION)
    assert (newest.name, newest.identity) == ("org/name", other.name)
    assert resolve(pinned.name) == pinned
    assert ScoringKey.of(pinned).hash != ScoringKey.of(newest).hash


def test_a_revision_that_is_not_here_is_asked_for_by_name(snapshot: Path) -> None:
    write_model(snapshot)
    with pytest.raises(ModelError, match="org/name@v2 is not in the hub's local cache"):
        resolve("org/name@v2")


def test_the_registry_answers_and_counts_for_models_it_knows(
    snapshot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a source says is no guess; a user may still say otherwise, and the name tells it apart."""
    write_model(snapshot, {"architectures": ["BertForMaskedLM", "BertLMHeadModel"]}, weights=False)
    with pytest.raises(ModelError, match="write masked:org/name or causal:org/name"):
        resolve("org/name")
    facts = {"title": "T", "group": "Current", "family": "masked", "architecture": "BertForMaskedLM"}
    more = {"parameters": 7, "context": 512, "language": "en", "verified": "twin", "source": "s"}
    listed = KnownModel.model_validate({"name": "org/name", **facts, **more})
    monkeypatch.setattr("pcf_core.models.hub.known_model", {listed.name: listed}.get)
    spec = resolve("org/name")
    assert (spec.name, spec.family, spec.parameters) == ("org/name", "masked", 7)
    assert resolve("causal:org/name").name == "causal:org/name"
    assert resolve("masked:org/name") == spec


def test_only_safe_files_are_asked_for(snapshot: Path, fetch: Callable[[Callable[..., Path]], None]) -> None:
    requests: list[dict[str, Any]] = []

    def answer(**options: Any) -> Path:
        requests.append(options)
        weights = any("safetensors" in pattern for pattern in options["allow_patterns"])
        return write_model(snapshot, weights=weights)

    fetch(answer)
    spec = resolve("org/name")
    assert spec.path == ""
    assert download(spec) == snapshot
    assert [options["revision"] for options in requests] == [None, REVISION]
    for options in requests:
        endings = tuple(pattern.rpartition(".")[2] for pattern in options["allow_patterns"])
        assert {*endings} <= {"safetensors", "json", "txt", "model", "jinja"}
        assert options["ignore_patterns"] == ["*/*"]


def test_naming_an_nli_model_fetches_small_files_alone(
    snapshot: Path, fetch: Callable[[Callable[..., Path]], None]
) -> None:
    """Its revision says which it is; the weights are fetched when it is loaded."""
    patterns: list[str] = []
    config = {"architectures": ["BertForSequenceClassification"], "id2label": {"0": "entailment"}}

    def answer(**options: Any) -> Path:
        patterns.extend(options["allow_patterns"])
        return write_model(snapshot, config, weights=False)

    fetch(answer)
    spec = resolve_entailment("org/name")
    assert (spec.path, spec.identity, spec.parameters) == ("", REVISION, 0)
    assert not [pattern for pattern in patterns if "safetensors" in pattern]


# Code of a model's own: only a hub id that the operator lists, only at its commit, never a directory's.


CODE_CONFIG: dict[str, Any] = {
    "architectures": ["OwnForCausalLM"],
    "model_type": "own-kind",
    "auto_map": {"AutoConfig": "own.OwnConfig", "AutoModelForCausalLM": "own.OwnForCausalLM"},
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
    monkeypatch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "modules"))
    folder = edit(write_gpt2(snapshot), **CODE_CONFIG)
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
    requests: list[dict[str, Any]] = []

    def answer(name: str, **options: Any) -> str:
        if not options.get("local_files_only"):
            requests.append(options)
            (own_code / "own.py").write_text(CODE)
        return str(own_code)

    monkeypatch.setattr("huggingface_hub.snapshot_download", answer)
    monkeypatch.setattr("huggingface_hub.HfApi.model_info", lambda *_, **options: None)
    monkeypatch.setenv("PCF_ALLOW_HUB", "1")
    allow("org/name")
    assert type(load(resolve("org/name"), "cpu").model).__name__ == "OwnForCausalLM"
    (options,) = requests
    assert (options["revision"], "*.py" in options["allow_patterns"]) == (REVISION, True)


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json"])
def test_code_of_another_repository_is_refused(
    file: str, own_code: Path, allow: Callable[[str], None]
) -> None:
    """Its revision is pinned by nothing, so nobody has read what would run."""
    allow("org/name")
    other = {"AutoTokenizer": ["other/repository--code.Tokenizer", None]}
    edit(own_code, file, auto_map=CODE_CONFIG["auto_map"] | other)
    with pytest.raises(ModelError, match=f"another repository.*{file}.*endpoint"):
        load(resolve("org/name"), "cpu")
    (own_code / file).write_text("[")
    with pytest.raises(ModelError, match=f"{file} of the model org/name is damaged"):
        require_own_code(own_code, "org/name")


def test_no_directory_is_ever_listed(tmp_path: Path, allow: Callable[[str], None]) -> None:
    write_model(tmp_path / "own" / "name", CODE_CONFIG)
    folder = write_model(tmp_path / "elsewhere", CODE_CONFIG)
    allow("org/name, own/name")
    for name in ("name", str(folder)):
        assert not is_allowed(name)
        for find in (resolve_to_score, resolve_writer):
            with pytest.raises(ModelError, match="code from its own directory, which is never allowed"):
                find(name)

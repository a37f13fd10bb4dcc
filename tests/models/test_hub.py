"""Hub models: the local cache, and one sentence for each way in which the hub can fail.  No network."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from huggingface_hub import errors
from huggingface_hub.hf_api import RepoFile

from pcf_core.core.errors import ModelError
from pcf_core.core.run import ScoringKey
from pcf_core.models.hub import download
from pcf_core.models.names import KnownModel
from pcf_core.models.registry import resolve
from tests.models.conftest import REVISION, safetensors, use, write_model


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
    with pytest.raises(ModelError, match=r"downloads are off \(PCF_ALLOW_HUB\)"):
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


@pytest.mark.usefixtures("online")
def test_an_adapter_is_refused_by_what_it_is(snapshot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not as a model without safetensors: its own are named otherwise."""
    snapshot.mkdir(parents=True)
    (snapshot / "adapter_config.json").write_text("{}")
    monkeypatch.setattr("pcf_core.models.hub._snapshot", lambda named, patterns: snapshot)
    with pytest.raises(ModelError, match=r"org/name is only an adapter \(adapter_config.json"):
        resolve("org/name")


def test_downloads_that_are_off(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="not in the hub's local cache and downloads are off"):
        resolve("org/name")


@pytest.mark.usefixtures("online")
@pytest.mark.parametrize("listening", [False, True], ids=["a closed port", "one that never answers"])
def test_hub_that_cannot_be_reached(listening: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Real requests to this machine; a page of the app waits for them."""
    monkeypatch.setattr("pcf_core.models.hub.PATIENCE", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1] if listening else 9
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", f"http://127.0.0.1:{port}")
        with pytest.raises(ModelError, match="org/name is not in the local cache and the hub cannot be"):
            resolve("org/name")


@pytest.mark.usefixtures("online")
def test_a_hub_that_is_switched_off_is_as_one_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="hub cannot be reached"):
        resolve("org/name")


@pytest.fixture
def answering(online: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub that says that it is there."""
    monkeypatch.setattr("huggingface_hub.HfApi.model_info", lambda *_, **options: None)


def http_error(kind: type[errors.HfHubHTTPError]) -> errors.HfHubHTTPError:
    request = httpx2.Request("GET", "https://hub.invalid")
    return kind("first line\nsecond line", response=httpx2.Response(403, request=request))


@pytest.mark.usefixtures("answering")
@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (errors.GatedRepoError, "org/name is gated: accept its terms"),
        (errors.RepositoryNotFoundError, "no model named org/name"),
        (errors.RevisionNotFoundError, "has no revision 'v9' of org/name"),
        (errors.HfHubHTTPError, "could not be downloaded from the hub"),
    ],
)
def test_each_failure_is_one_sentence(
    kind: type[errors.HfHubHTTPError], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(name: str, **options: Any) -> str:
        if options.get("local_files_only"):
            raise errors.LocalEntryNotFoundError("not cached")
        raise http_error(kind)

    monkeypatch.setattr("huggingface_hub.snapshot_download", fail)
    with pytest.raises(ModelError, match=sentence) as caught:
        resolve("org/name@v9")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.usefixtures("answering")
@pytest.mark.parametrize(
    "error", [httpx2.DecodingError("odd"), RuntimeError(""), ConnectionError("gone\naway")]
)
def test_whatever_breaks_a_download_is_one_sentence(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(name: str, **options: Any) -> str:
        raise errors.LocalEntryNotFoundError("not cached") if options.get("local_files_only") else error

    monkeypatch.setattr("huggingface_hub.snapshot_download", fail)
    with pytest.raises(
        ModelError, match=r"org/name could not be downloaded from the hub \(\w+\); try"
    ) as caught:
        resolve("org/name")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["org/na--me", "org/name.git", "org/name-"])
def test_an_id_that_the_hub_cannot_have(name: str) -> None:
    with pytest.raises(ModelError, match="cannot be the id of a hub model") as caught:
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
    with pytest.raises(ModelError, match="name it masked:org/name or causal:org/name"):
        resolve("org/name")
    facts = {"title": "T", "group": "Current", "family": "masked", "architecture": "BertForMaskedLM"}
    more = {"parameters": 7, "context": 512, "language": "en", "verified": "twin", "source": "s"}
    known = KnownModel.model_validate({"name": "org/name", **facts, **more})
    monkeypatch.setattr("pcf_core.models.hub.known_model", lambda name: known if name == known.name else None)
    spec = resolve("org/name")
    assert (spec.name, spec.family, spec.parameters) == ("org/name", "masked", 7)
    assert resolve("causal:org/name").name == "causal:org/name"
    assert resolve("masked:org/name") == spec


@pytest.mark.usefixtures("answering")
def test_only_safe_files_are_asked_for(snapshot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []

    def answer(name: str, **options: Any) -> str:
        if options.get("local_files_only"):
            raise errors.LocalEntryNotFoundError("not cached")
        asked.append(options)
        write_model(snapshot, weights=any("safetensors" in pattern for pattern in options["allow_patterns"]))
        return str(snapshot)

    monkeypatch.setattr("huggingface_hub.snapshot_download", answer)
    spec = resolve("org/name")
    assert spec.path == ""
    assert download(spec) == snapshot
    assert [options["revision"] for options in asked] == [None, REVISION]
    for options in asked:
        assert all(
            pattern.endswith((".safetensors", ".json", ".txt", ".model", ".jinja"))
            for pattern in options["allow_patterns"]
        )
        assert options["ignore_patterns"] == ["*/*"]


def test_resolving_never_imports_torch(snapshot: Path, tmp_path: Path) -> None:
    write_model(snapshot)
    code = (
        "import sys, huggingface_hub.constants as c; "
        f"c.HF_HUB_CACHE = {str(tmp_path / 'hub')!r}; "
        "from pcf_core.models.registry import resolve; resolve('org/name'); "
        "sys.exit(any(name in sys.modules for name in ('torch', 'transformers')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

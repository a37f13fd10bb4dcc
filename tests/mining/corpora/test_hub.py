"""Data sets of the hub: which files are read, and one sentence for each failure.  A fake hub; no network.

In this one file with the fake hub that all of them ask.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote

import httpx2
import pytest
from huggingface_hub import errors
from huggingface_hub.hf_api import DatasetInfo
from huggingface_hub.repocard_data import DatasetCardData

from pcf_core.core.errors import CorpusError
from pcf_core.core.settings import settings
from pcf_core.mining.documents import open_corpus
from tests.mining.corpora.writing import write

MAIN, CONVERTED = "a" * 40, "b" * 40


def failure(kind: type[errors.HfHubHTTPError]) -> errors.HfHubHTTPError:
    request = httpx2.Request("GET", "https://hub.invalid")
    return kind("first line\nsecond line", response=httpx2.Response(403, request=request))


@dataclass
class Hub:
    """One data set: texts of files on the main branch and on the converted one, None if missing."""

    folder: Path
    main: dict[str, list[str]] = field(default_factory=dict)
    converted: dict[str, list[str]] | None = None
    licence: Any = "cc-by-4.0"
    fetched: list[str] = field(default_factory=list)

    def dataset_info(self, name: str, *, revision: str | None, timeout: float, **_: Any) -> DatasetInfo:
        assert (name, timeout) == ("org/name", 10.0)
        if revision == "refs/convert/parquet" and self.converted is None:
            raise failure(errors.RevisionNotFoundError)
        files = self.converted if revision else self.main
        siblings = [{"rfilename": path, "size": len(path)} for path in files or {}]
        card = DatasetCardData(license=self.licence)
        return DatasetInfo(id=name, sha=CONVERTED if revision else MAIN, siblings=siblings, cardData=card)

    def download(self, name: str, path: str, *, repo_type: str, revision: str, etag_timeout: float) -> str:
        assert (name, repo_type) == ("org/name", "dataset")
        files = self.converted if revision == CONVERTED else self.main
        self.fetched.append(path)
        return str(write(self.folder / path.replace("/", "_"), (files or {})[path]))


@pytest.fixture
def online(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PCF_ALLOW_HUB", "1")
    settings.cache_clear()
    yield
    settings.cache_clear()


@pytest.fixture
def hub(online: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    fake = Hub(tmp_path)
    monkeypatch.setattr(
        "huggingface_hub.HfApi.dataset_info", lambda _, *args, **kw: fake.dataset_info(*args, **kw)
    )
    monkeypatch.setattr("huggingface_hub.hf_hub_download", fake.download)
    return fake


def texts(name: str) -> list[str]:
    return [document.text for document in open_corpus(name).documents()]


def test_files_are_fetched_when_their_turn_comes(hub: Hub) -> None:
    hub.converted = {"default/train/0001.parquet": ["c"], "default/train/0000.parquet": ["a", "b"]}
    corpus = open_corpus("hf:org/name")
    assert (corpus.name, corpus.licence, hub.fetched) == ("hf:org/name", "cc-by-4.0", [])
    documents = corpus.documents()
    assert next(documents).text == "a"
    assert hub.fetched == ["default/train/0000.parquet"]
    assert [document.text for document in documents] == ["b", "c"]
    assert corpus.read == corpus.size == 2 * len("default/train/0000.parquet")


CONFIGS = {
    "fr/train/0000.parquet": ["fr train"],
    "en/partial-train/0000.parquet": ["en train"],
    "en/test/0000.parquet": ["en test"],
    "README.md": [],
}
ONE = {"plain/validation/0000.parquet": ["v"], "plain/test/0000.parquet": ["t"]}


@pytest.mark.parametrize(
    ("files", "name", "found"),
    [
        (CONFIGS, "hf:org/name:en", ["en train"]),
        (CONFIGS, "hf:org/name:en:test", ["en test"]),
        (CONFIGS, "hf:org/name:fr", ["fr train"]),
        (ONE, "hf:org/name:test", ["t"]),
        (ONE, "hf:org/name:plain:validation", ["v"]),
        (ONE, "hf:org/name::validation", ["v"]),
        ({"a/b/0000.parquet": ["x"]}, "hf:org/name", ["x"]),
        ({"a/train/0.parquet": ["x"], "default/train/0.parquet": ["d"]}, "hf:org/name", ["d"]),
    ],
)
def test_config_and_split_of_the_converted_files(
    files: dict[str, list[str]], name: str, found: list[str], hub: Hub
) -> None:
    hub.converted = files
    assert texts(name) == found


@pytest.mark.parametrize(
    ("files", "name", "sentence"),
    [
        (CONFIGS, "hf:org/name", "org/name has several configs: choose one of en and fr and write"),
        (CONFIGS, "hf:org/name:de", "org/name has no config 'de': choose one of en and fr"),
        (CONFIGS, "hf:org/name:en:dev", "org/name has no split 'dev': choose one of test and train"),
        (ONE, "hf:org/name", "org/name has several splits: choose one of test and validation"),
    ],
)
def test_config_or_split_to_choose(files: dict[str, list[str]], name: str, sentence: str, hub: Hub) -> None:
    hub.converted = files
    with pytest.raises(CorpusError, match=sentence):
        open_corpus(name)


OWN = {
    "en/train-00000-of-00001.parquet": ["en train"],
    "en/test.jsonl.gz": ["en test"],
    "fr/train.jsonl.zst": ["fr train"],
    "train.py": [],
    "train.csv": [],
    "train.pkl": [],
}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("hf:org/name", ["en train", "fr train"]),
        ("hf:org/name:fr", ["fr train"]),
        ("hf:org/name:en:test", ["en test"]),
        ("hf:org/name::test", ["en test"]),
    ],
)
def test_a_data_set_that_was_not_converted(name: str, found: list[str], hub: Hub) -> None:
    hub.main = OWN
    assert texts(name) == found
    hub.converted = {}
    assert texts(name) == found


def test_a_data_set_without_splits(hub: Hub) -> None:
    hub.main = {"data/part-1.jsonl": ["a"], "data/part-2.jsonl": ["b"]}
    assert texts("hf:org/name") == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("hf:org/name:de:dev", " of the config 'de' of the split 'dev'"),
        ("hf:org/name:en:dev", ".+'dev'"),
        ("", ""),
    ],
)
def test_no_file_that_is_read(name: str, asked: str, hub: Hub) -> None:
    hub.main = OWN if name else {"train.py": [], "a.pkl": [], "train.csv": []}
    with pytest.raises(CorpusError, match=rf"org/name has no readable file{asked} \(\.parquet, \.jsonl"):
        open_corpus(name or "hf:org/name")


def test_licence_and_identity(hub: Hub) -> None:
    hub.converted = ONE | {"plain/train/0.parquet": ["x"]}
    hub.licence = ["mit", "cc0-1.0"]
    one, other = open_corpus("hf:org/name"), open_corpus("hf:org/name:test")
    assert one.licence == "mit; cc0-1.0"
    hub.licence = None
    again = open_corpus("hf:org/name")
    assert again.licence == ""
    assert one.identity == again.identity != other.identity


@pytest.mark.parametrize(
    "name",
    [
        "hf:",
        "hf:name",
        "hf:org/name/more",
        "hf:../name",
        "hf:org/name:a:b:c",
        "hf:org/na me",
        "hf:org/name:a/b",
    ],
)
def test_no_name_of_a_data_set(name: str, hub: Hub) -> None:
    with pytest.raises(CorpusError, match="is not the name of a data set: write hf:OWNER/NAME"):
        open_corpus(name)


def test_downloads_that_are_off(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for what the corpus would fetch later."""
    hub.converted = ONE
    corpus = open_corpus("hf:org/name:test")
    monkeypatch.setenv("PCF_ALLOW_HUB", "0")
    settings.cache_clear()
    with pytest.raises(CorpusError, match=r"org/name is on the hub, but downloads are off"):
        open_corpus("hf:org/name:test")
    with pytest.raises(CorpusError, match=r"downloads are off: switch PCF_ALLOW_HUB on"):
        list(corpus.documents())
    assert hub.fetched == []


class Server(BaseHTTPRequestHandler):
    """The hub's own answers about one data set of one file."""

    file = b""
    path_in_set = "default/train/0000.parquet"

    def do_HEAD(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.wfile.write(self.answer())

    def answer(self) -> bytes:
        url = unquote(self.path.split("?")[0])
        found = {
            "/api/datasets/org/name": self.about(MAIN, ["README.md"]),
            "/api/datasets/org/name/revision/refs/convert/parquet": self.about(CONVERTED, [self.path_in_set]),
            f"/datasets/org/name/resolve/{CONVERTED}/{self.path_in_set}": self.file,
        }
        body = found.get(url, b"")
        self.send_response(200 if url in found else 404)
        headers = {"Content-Length": str(len(body)), "ETag": '"e1"', "X-Repo-Commit": CONVERTED}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        return body

    def about(self, commit: str, files: list[str]) -> bytes:
        siblings = [{"rfilename": path, "size": len(self.file)} for path in files]
        facts = {"id": "org/name", "sha": commit, "siblings": siblings, "cardData": {"license": "cc0-1.0"}}
        return json.dumps(facts).encode()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.mark.usefixtures("online")
def test_the_hubs_own_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Real requests to this machine, which answers as the hub does; the second reading needs no download."""
    path = write(tmp_path / "a.parquet", ["She", "He"])
    monkeypatch.setattr(Server, "file", path.read_bytes())
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setattr(
            "huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE",
            f"http://127.0.0.1:{server.server_port}/{{repo_id}}/resolve/{{revision}}/{{filename}}",
        )
        corpus = open_corpus("hf:org/name")
        assert [document.text for document in corpus.documents()] == ["She", "He"]
        server.shutdown()
    assert (corpus.licence, corpus.size) == ("cc0-1.0", path.stat().st_size)
    assert [document.text for document in corpus.documents()] == ["She", "He"]


@pytest.mark.usefixtures("online")
@pytest.mark.parametrize("listening", [False, True], ids=["a closed port", "one that never answers"])
def test_hub_that_cannot_be_reached(listening: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Real requests to this machine."""
    monkeypatch.setattr("pcf_core.mining.corpora.hub.PATIENCE", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1] if listening else 9
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", f"http://127.0.0.1:{port}")
        with pytest.raises(
            CorpusError, match="org/name cannot be downloaded, because the hub cannot be reached"
        ):
            open_corpus("hf:org/name")


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (failure(errors.GatedRepoError), "org/name is gated: accept its terms on the hub and set HF_TOKEN"),
        (failure(errors.RepositoryNotFoundError), "no data set named org/name, or it is private"),
        (errors.OfflineModeIsEnabled("off"), "the hub cannot be reached"),
        (errors.LocalEntryNotFoundError("off"), "the hub cannot be reached"),
        (httpx2.ConnectError("gone"), "the hub cannot be reached"),
        (OSError(28, "No space left on device"), r"could not be downloaded from the hub \(.+No space left"),
        (RuntimeError("first\nsecond"), r"could not be downloaded from the hub \(first\): try again"),
        (RuntimeError(""), r"could not be downloaded from the hub \(RuntimeError\)"),
    ],
)
@pytest.mark.parametrize("later", [False, True], ids=["at once", "while it is read"])
def test_each_failure_is_one_sentence(
    problem: Exception, sentence: str, later: bool, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise problem

    hub.converted = ONE
    monkeypatch.setattr(
        "huggingface_hub.hf_hub_download" if later else "huggingface_hub.HfApi.dataset_info", fail
    )
    with pytest.raises(CorpusError, match=sentence) as caught:
        texts("hf:org/name:test")
    assert len(str(caught.value).splitlines()) == 1

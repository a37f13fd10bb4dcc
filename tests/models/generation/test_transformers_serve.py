"""A server that others wrote: transformers' own, with a shipped model, against the model read here."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from pcf_core.core.errors import ModelError
from pcf_core.core.generation import BLOCK, Decoding, Generated
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import ROOT, Settings, settings
from pcf_core.models.endpoint import offers_chat
from pcf_core.models.generation.base import open_generator
from pcf_core.models.registry import resolve, resolve_writer
from tests.models.generation.conftest import nothing

MODEL = ROOT / "assets" / "models" / "mini-gpt"
MISSING = [name for name in ("fastapi", "uvicorn", "openai") if find_spec(name) is None]
TEMPLATE = "<s>{% for message in messages %}{{ message['content'] }}{% endfor %}"
START_SECONDS = 120

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(MISSING), reason=f"make test-serve installs what is missing here: {', '.join(MISSING)}"
    ),
]


def drawing(folder: Path, draws: bool) -> Path:
    """The shipped model with a chat template, told to draw; without that the server is always greedy."""
    shutil.copytree(MODEL, folder)
    config = json.loads((folder / "generation_config.json").read_text())
    (folder / "generation_config.json").write_text(json.dumps({**config, "do_sample": draws}))
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    return folder


@pytest.fixture
def serve(own_settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """The name of the served model."""
    yield from _serve(drawing(tmp_path / "model", True), monkeypatch, tmp_path)


@pytest.fixture
def greedy(own_settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    yield from _serve(drawing(tmp_path / "model", False), monkeypatch, tmp_path)


def _serve(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = "from transformers.cli.transformers import main; main()"
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", program, "serve", str(folder), "--device", "cpu", "--port", str(port)],
            stdout=log,
            stderr=log,
            env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hub")},
        )
    try:
        _await(f"http://localhost:{port}/health", process, tmp_path / "log")
        monkeypatch.setenv("PCF_ENDPOINT_URL", f"http://localhost:{port}/v1")
        monkeypatch.setenv("PCF_ENDPOINT_CONCURRENCY", "1")  # its seed is that of the whole process
        settings.cache_clear()
        yield f"endpoint:{folder}"
    finally:
        process.terminate()
        process.wait(30)


def _await(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            with urlopen(address, timeout=1):
                return
        except (URLError, OSError):
            time.sleep(0.3)
    pytest.fail(log.read_text(errors="replace"))


def write(spec: ModelSpec, decoding: Decoding) -> Generated:
    return open_generator(spec, decoding).generate("She is a", 0, BLOCK, nothing)


@pytest.mark.parametrize("chat", [False, True])
def test_texts_of_a_real_server(serve: str, chat: bool) -> None:
    assert offers_chat(serve)
    drawn = write(resolve_writer(serve, chat), Decoding(length=10))
    assert len(set(drawn.texts)) > BLOCK / 2
    assert {"stop", "length"} >= set(drawn.ends)
    assert all(0 < count <= 10 for count in drawn.tokens)
    again = write(resolve_writer(serve, chat), Decoding(length=10))
    assert again.texts == drawn.texts, "one request at a time: the seed decides"
    there = write(resolve_writer(serve, chat), Decoding(temperature=0, length=10))
    here = write(resolve("mini-gpt"), Decoding(temperature=0, length=10))
    assert {text.strip() for text in there.texts} == {text.strip() for text in here.texts}


def test_a_server_that_is_always_greedy_is_refused(greedy: str) -> None:
    with pytest.raises(ModelError, match="does not draw its tokens"):
        open_generator(resolve_writer(greedy), Decoding(length=10))
    open_generator(resolve_writer(greedy), Decoding(temperature=0, length=10))

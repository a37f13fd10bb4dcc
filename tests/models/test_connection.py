"""Asking over HTTP: patience, the end of connections, the key, and answers that are none."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from pydantic import SecretStr

from pcf_core.core.errors import ScoringError
from pcf_core.models.completions import BYTES_A_BYTE, LARGEST_LISTING, LARGEST_TEXT, Server
from tests.models.scoring.completions_server import (
    CompletionsServer,
    Handler,
    always,
    failing,
    saying,
    slowly,
)
from tests.models.served import KEY, TEXTS, client

BODY = {"model": "tiny", "prompt": "he", "max_tokens": 1, "prompt_logprobs": 0}


def test_attempts_are_counted_and_waits_are_kept(
    vllm: CompletionsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    vllm.fault = failing(429, Retry_After="7")
    with client(vllm, pauses=(0.5, 9.0)) as asked:
        monkeypatch.setattr(asked._closing, "wait", lambda seconds: waits.append(seconds))
        with pytest.raises(ScoringError, match="429: not now"):
            list(asked.read(TEXTS[:1], "prompt_logprobs"))
    assert waits == [7.0, 9.0]
    assert len(vllm.requests) == 3


def test_a_date_is_waited_for(vllm: CompletionsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    vllm.fault = failing(503, 1, Retry_After=format_datetime(datetime.now(UTC) + timedelta(seconds=50)))
    with client(vllm) as asked:
        monkeypatch.setattr(asked._closing, "wait", lambda seconds: waits.append(seconds))
        assert len(list(asked.read(TEXTS[:1], "prompt_logprobs"))) == 1
    assert 40 < waits[0] <= 50


@pytest.mark.slow
def test_the_end_waits_a_moment_for_requests_under_way_and_then_cuts_them(vllm: CompletionsServer) -> None:
    """The server takes 5 seconds for each answer; the thread that waited has ended too."""
    vllm.fault = slowly(5)

    def stop() -> None:
        if vllm.under_way:
            raise KeyboardInterrupt

    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt), client(vllm, timeout=60) as asked:
        list(asked.write("completions", [{"prompt": "a"}, {"prompt": "b"}], lambda answer: answer, stop))
    assert time.monotonic() - begin < 4
    assert not any(thread.name.startswith("endpoint") for thread in threading.enumerate())


def test_an_answer_that_is_nearly_there_is_let_in(
    vllm: CompletionsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests that end within the grace are not cut."""
    monkeypatch.setattr("pcf_core.models.connection.GRACE_SECONDS", 10)
    vllm.fault = slowly(0.1)
    with client(vllm) as asked:
        asked._running.add(
            done := asked._pool.submit(lambda: asked.ask("POST", f"{vllm.url}/completions", BODY))
        )
        while not vllm.under_way and not done.done():
            time.sleep(0.01)
    assert done.result()["choices"]


def test_what_will_not_pass_is_asked_once(vllm: CompletionsServer) -> None:
    vllm.fault = failing(404)
    with client(vllm) as asked, pytest.raises(ScoringError, match="refuses a request"):
        list(asked.read(TEXTS[:1], "prompt_logprobs"))
    assert len(vllm.requests) == 1


@pytest.mark.parametrize("key", [KEY, "sesame"])  # a short one stays in other answers: it may be a word
def test_the_key_is_cut_out_of_what_the_server_says(vllm: CompletionsServer, key: str) -> None:
    vllm.fault = always(401, {"error": {"message": f"Incorrect API key:\n{key}"}})
    with (
        Server(vllm.url, "tiny", key=SecretStr(key), pauses=(0.01,), timeout=5) as asked,
        pytest.raises(ScoringError, match="Incorrect API key: …; set PCF_ENDPOINT_KEY"),
    ):
        asked.models()


def test_no_key_no_header(vllm: CompletionsServer) -> None:
    with Server(vllm.url, "tiny") as asked:
        asked.models()
    assert vllm.keys == {""}


def test_nobody_there_is_one_sentence(vllm: CompletionsServer) -> None:
    with (
        Server("http://127.0.0.1:9", "tiny", pauses=()) as asked,
        pytest.raises(
            ScoringError, match=r"http://127\.0\.0\.1:9 does not answer \(.+\): check that it runs"
        ),
    ):
        asked.models()


def test_nothing_is_followed_elsewhere(vllm: CompletionsServer) -> None:
    """A redirect would carry the key to another host."""
    vllm.fault = failing(307, Location="http://127.0.0.1:9/v1")
    with (
        client(vllm) as asked,
        pytest.raises(ScoringError, match=r"refuses a request .*set PCF_ENDPOINT_URL"),
    ):
        list(asked.read(TEXTS[:1], "prompt_logprobs"))


def trickling(server: CompletionsServer, handler: Handler, body: dict[str, Any]) -> bool:
    """A byte now and then, so that no single wait is long."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    with suppress(OSError):
        for _ in range(30):
            handler.wfile.write(b" ")
            time.sleep(0.05)
    handler.close_connection = True
    return True


def test_an_answer_that_trickles_is_none(vllm: CompletionsServer) -> None:
    vllm.fault = trickling
    begin = time.monotonic()
    with (
        Server(vllm.url, "tiny", timeout=0.2, pauses=()) as asked,
        pytest.raises(ScoringError, match="no answer"),
    ):
        asked.models()
    assert time.monotonic() - begin < 1


def test_an_answer_without_end_is_cut_off(vllm: CompletionsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcf_core.models.connection.LARGEST_ANSWER", 999)
    vllm.fault = saying(b"[" + b" " * 2000 + b"]")
    with client(vllm) as asked, pytest.raises(ScoringError, match="with more than 999 bytes"):
        list(asked.read(TEXTS[:1], "prompt_logprobs"))


@pytest.mark.parametrize(
    ("size", "ask"),
    [
        (LARGEST_LISTING, lambda asked: asked.models()),
        (LARGEST_TEXT + BYTES_A_BYTE * 4, lambda asked: list(asked.read(["text"], "prompt_logprobs"))),
        (LARGEST_TEXT + BYTES_A_BYTE * 2, lambda asked: list(asked.read([(1, 2)], "prompt_logprobs"))),
        (LARGEST_TEXT + BYTES_A_BYTE * 4, lambda asked: asked.tokenise(["text"], special=True)),
    ],
)
def test_an_answer_is_bounded_by_what_was_asked(
    vllm: CompletionsServer, size: int, ask: Callable[[Server], object]
) -> None:
    """What JSON holds takes up to thirty times its length: 256 MiB of a listing would be 7 GB."""
    vllm.fault = always(200, " " * size)
    with client(vllm) as asked, pytest.raises(ScoringError, match=f"with more than {size:,} bytes"):
        ask(asked)


def test_half_a_character_is_no_json(vllm: CompletionsServer) -> None:
    """It could not be written into a key or a file."""
    vllm.fault = always(200, {"data": [{"id": "tiny", "root": "\ud800"}]})
    with client(vllm) as asked, pytest.raises(ScoringError, match="what is not JSON"):
        asked.models()

"""Asking over HTTP: patience, the end of connections, the key, and answers that are none."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from pcf_core.core.errors import ScoringError
from pcf_core.models import connection
from pcf_core.models.completions import BYTES_A_BYTE, LARGEST_LISTING, LARGEST_TEXT, Server
from pcf_core.models.connection import LONGEST_PAUSE, RateLimit, retry_after
from tests.models.fake_servers import (
    KEY,
    CompletionsServer,
    Fault,
    Handler,
    always,
    client,
    cutting,
    failing,
    first,
    saying,
    slowly,
)

BODY = {"model": "tiny", "prompt": "he", "max_tokens": 1, "prompt_logprobs": 0}


# The ways in which a server is used: the transport treats a failure alike in all.
WAYS: dict[str, Callable[[Server], Any]] = {
    "log-probabilities": lambda server: list(server.read(["he"], "prompt_logprobs")),
    "a text": lambda server: list(server.write("completions", [BODY], lambda answer: answer)),
    "tokens": lambda server: server.tokenise(["he"], special=True),
}
PASSING: dict[str, Callable[[], Fault]] = {
    "slow": lambda: slowly(0.02),
    "429 with a wait": lambda: failing(429, 1, Retry_After="0.02"),
    "cut": lambda: cutting(1),
    "half of an answer": lambda: first(1, lambda handler: handler.send(200, b'{"choices": [')),
    "no text": lambda: first(1, lambda handler: handler.send(200, b"\xff\xfe")),
    **{str(code): partial(failing, code, 1) for code in (409, 425, 500, 503, 520, 524, 529)},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", PASSING)
def test_what_passes_is_waited_for(vllm: CompletionsServer, way: str, fault: str) -> None:
    with client(vllm) as server:
        expected = WAYS[way](server)
        vllm.fault = PASSING[fault]()
        assert repr(WAYS[way](server)) == repr(expected)  # NaN is NaN


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("fault", "sentence", "attempts"),
    [
        (failing(500), r"does not answer \(500: not now\): check that it is running, then try again", 2),
        (failing(429, Retry_After="0"), r"does not answer \(429: not now\)", 2),
        (failing(400), r"refuses a request \(400: not now\)", 1),
        (failing(307, Location="http://127.0.0.1:9/v1"), r"refuses a request .*set PCF_ENDPOINT_URL", 1),
        (always(401, {"error": {"message": f"no\n{KEY}"}}), r"\(401: no …; set PCF_ENDPOINT_KEY to a key", 1),
        (cutting(), r"does not answer \(.+\): check that it is running", 2),
        (slowly(0.3), r"no answer within 0\.1 s; the longest wait of a run is PCF_ENDPOINT_TIMEOUT", 2),
        (saying(b'{"choices": ['), "returned an answer that is not JSON", 2),
        (saying(b"\xff\xfe"), "returned an answer that is not JSON", 2),
        (saying(b'{"error": {"message": "upstream", "code": 502}}'), r"not answer \(502: upstream\)", 2),
        (saying(b'{"error": "upstream"}'), r"does not answer \(502: upstream\)", 2),
        (saying(b'{"error": {"message": "pay", "code": 402}}'), r"refuses a request \(402: pay\)", 1),
        (saying(b" " * 2**22), r"with more than 1,\d\d\d,\d\d\d bytes", 1),
    ],
)
def test_what_does_not_pass_is_one_sentence(
    vllm: CompletionsServer, way: str, fault: Fault, sentence: str, attempts: int
) -> None:
    vllm.fault, timeout = fault, 0.1 if "no answer" in sentence else 5
    with client(vllm, timeout=timeout) as server, pytest.raises(ScoringError, match=sentence) as caught:
        WAYS[way](server)
    assert "\n" not in str(caught.value)
    assert KEY not in str(caught.value)
    assert len(vllm.requests) == attempts


def test_attempts_are_counted_and_waits_are_as_the_server_asks(
    vllm: CompletionsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For seconds or until a date, and no less than our own pause."""
    waits: list[float] = []
    with client(vllm, pauses=(0.5, 9.0)) as server:
        monkeypatch.setattr(server._closing, "wait", lambda seconds: waits.append(seconds))
        vllm.fault = failing(429, Retry_After="7")
        with pytest.raises(ScoringError, match="429: not now"):
            list(server.read(["he"], "prompt_logprobs"))
        assert (waits, len(vllm.requests)) == ([7.0, 9.0], 3)
        later = format_datetime(datetime.now(UTC) + timedelta(seconds=50))
        vllm.fault = failing(503, 1, Retry_After=later)
        assert len(list(server.read(["he"], "prompt_logprobs"))) == 1
    assert 40 < waits[-1] <= 50


@pytest.mark.slow
def test_the_end_waits_a_moment_for_requests_under_way_and_then_cuts_them(vllm: CompletionsServer) -> None:
    """The server takes 5 seconds for each answer; the thread that waited has ended too."""
    vllm.fault = slowly(5)

    def stop() -> None:
        if vllm.under_way:
            raise KeyboardInterrupt

    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt), client(vllm, timeout=60) as server:
        list(server.write("completions", [{"prompt": "a"}, {"prompt": "b"}], lambda answer: answer, stop))
    assert time.monotonic() - begin < 4
    assert not any(thread.name.startswith("endpoint") for thread in threading.enumerate())


def test_an_answer_that_is_nearly_there_is_let_in(
    vllm: CompletionsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests that end within the grace are not cut."""
    monkeypatch.setattr("pcf_core.models.connection.GRACE_SECONDS", 10)
    vllm.fault = slowly(0.1)
    with client(vllm) as server:
        server._running.add(
            done := server._pool.submit(lambda: server.ask("POST", f"{vllm.url}/completions", BODY))
        )
        while not vllm.under_way and not done.done():
            time.sleep(0.01)
    assert done.result()["choices"]


@pytest.mark.parametrize("key", [KEY, "sesame"])  # a short one stays in other answers: it may be a word
def test_the_key_is_cut_out_of_what_the_server_says(vllm: CompletionsServer, key: str) -> None:
    vllm.fault = always(401, {"error": {"message": f"Incorrect API key:\n{key}"}})
    with (
        Server(vllm.url, "tiny", key=SecretStr(key), pauses=(0.01,), timeout=5) as server,
        pytest.raises(ScoringError, match="Incorrect API key: …; set PCF_ENDPOINT_KEY"),
    ):
        server.models()


def test_no_key_no_header_and_nobody_there_is_one_sentence(vllm: CompletionsServer) -> None:
    with Server(vllm.url, "tiny") as server:
        server.models()
    assert vllm.keys == {""}
    sentence = r"http://127\.0\.0\.1:9 does not answer \(.+\): check that it is running"
    with (
        Server("http://127.0.0.1:9", "tiny", pauses=()) as server,
        pytest.raises(ScoringError, match=sentence),
    ):
        server.models()


def trickling(server: object, handler: Handler, body: dict[str, Any]) -> bool:
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
        Server(vllm.url, "tiny", timeout=0.2, pauses=()) as server,
        pytest.raises(ScoringError, match="no answer"),
    ):
        server.models()
    assert time.monotonic() - begin < 1


def test_an_answer_without_end_is_cut_off(vllm: CompletionsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcf_core.models.connection.LARGEST_ANSWER", 999)
    vllm.fault = saying(b"[" + b" " * 2000 + b"]")
    with client(vllm) as server, pytest.raises(ScoringError, match="with more than 999 bytes"):
        list(server.read(["he"], "prompt_logprobs"))


@pytest.mark.parametrize(
    ("size", "ask"),
    [
        (LARGEST_LISTING, lambda server: server.models()),
        (LARGEST_TEXT + BYTES_A_BYTE * 4, lambda server: list(server.read(["text"], "prompt_logprobs"))),
        (LARGEST_TEXT + BYTES_A_BYTE * 2, lambda server: list(server.read([(1, 2)], "prompt_logprobs"))),
        (LARGEST_TEXT + BYTES_A_BYTE * 4, lambda server: server.tokenise(["text"], special=True)),
    ],
)
def test_an_answer_is_bounded_by_what_was_asked(
    vllm: CompletionsServer, size: int, ask: Callable[[Server], object]
) -> None:
    """What JSON holds takes up to thirty times its length: 256 MiB of a listing would be 7 GB."""
    vllm.fault = always(200, " " * size)
    with client(vllm) as server, pytest.raises(ScoringError, match=f"with more than {size:,} bytes"):
        ask(server)


def test_half_a_character_is_no_json(vllm: CompletionsServer) -> None:
    """It could not be written into a key or a file."""
    vllm.fault = always(200, {"data": [{"id": "tiny", "root": "\ud800"}]})
    with client(vllm) as server, pytest.raises(ScoringError, match="an answer that is not JSON"):
        server.models()


# How long a server is waited for.


AT = "Fri, 20 Nov 2026 07:28:00 GMT"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("Fri, 20 Nov 2026 07:28:09 GMT", 9.0),
        ("Friday, 20-Nov-26 07:28:09 GMT", 9.0),
        ("Fri Nov 20 07:28:09 2026", 9.0),
        ("Fri, 20 Nov 2026 09:28:00 GMT", LONGEST_PAUSE),
        ("Fri, 20 Nov 2026 07:27:00 GMT", 0.0),
        ("Fri, 99 Nov 2026 07:27:00 GMT", 0.0),
        *((text, 0.0) for text in ("-3", "nan", "inf", "soon")),
    ],
)
def test_the_wait_that_a_server_asks_for(header: str, seconds: float) -> None:
    """A date, in any of HTTP's three forms, counts from the server's own clock, or else from ours."""
    answer = httpx2.Response(429, headers={"Retry-After": header, "Date": AT})
    assert retry_after(answer) == seconds


# The pace of requests: even, never above the limit, given up at once.


class Clock:
    """Seconds that pass only while somebody waits."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def wait(self, seconds: float) -> bool:
        self.now += seconds
        return False


@given(st.integers(1, 10_000), st.lists(st.floats(0, 30), min_size=1, max_size=30))
def test_requests_are_never_more_than_allowed(per_minute: int, pauses: list[float]) -> None:
    """Second opinion: count the requests within each minute."""
    clock = Clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "time", clock)
        limit, taken = RateLimit(per_minute), []
        for pause in pauses:
            clock.now += pause
            assert not limit.wait(clock)  # type: ignore[arg-type]
            taken.append(clock.now)
    assert taken == sorted(taken)
    for start in taken:
        assert sum(start <= moment < start + 60 - 1e-6 for moment in taken) <= per_minute
    waited = taken[-1] - 100 - sum(pauses)
    assert waited <= (len(pauses) - 1) * 60 / per_minute + 1e-6


def test_the_worked_example_of_the_rate_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(connection, "time", clock)
    limit, taken = RateLimit(30), []
    for _ in range(3):
        limit.wait(clock)  # type: ignore[arg-type]
        taken.append(clock.now - 100)
    assert taken == [0, 2, 4]
    clock.now = 160
    limit.wait(clock)  # type: ignore[arg-type]
    assert clock.now == 160


def test_a_turn_is_given_up_at_once() -> None:
    limit, given_up = RateLimit(1), threading.Event()
    assert not limit.wait(given_up)
    given_up.set()
    assert limit.wait(given_up)

"""Asking a completions server: order, patience, and what its answers are read as."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from pcf_core.errors import ScoringError
from pcf_core.models.completions import LONGEST_PAUSE, Server, _retry_after, nats_of
from tests.scoring.completions_server import (
    CompletionsServer,
    Handler,
    always,
    failing,
    saying,
    serving,
    slowly,
)
from tests.scoring.conftest import load_tiny

KEY = "sk-a-secret-of-the-operator"
BODY = {"model": "tiny", "prompt": "he", "max_tokens": 1, "prompt_logprobs": 0}
TEXTS = ["The nurse said", "The engineer said that he", "he"]


@pytest.fixture
def vllm() -> Iterator[CompletionsServer]:
    with serving(load_tiny("llama")) as server:
        yield server


def client(server: CompletionsServer, **options: Any) -> Server:
    return Server(server.url, "tiny", key=SecretStr(KEY), **{"pauses": (0.01,), "timeout": 5, **options})


def test_a_reading_is_what_the_model_says(vllm: CompletionsServer) -> None:
    with client(vllm) as asked:
        readings = list(asked.read(TEXTS, "prompt_logprobs", best=True))
    for text, reading in zip(TEXTS, readings, strict=True):
        ids = vllm.encode(text)
        own, best = vllm.model(ids)
        assert reading.labels == tuple(ids)
        assert "".join(reading.texts[1:]) == text.replace(" ", "")
        assert math.isnan(reading.nats[0])
        assert reading.nats[1:] == pytest.approx(own)
        assert reading.best[1:] == pytest.approx(best)
    assert vllm.keys == {f"Bearer {KEY}"}


def test_both_shapes_say_the_same() -> None:
    loaded = load_tiny("opt")
    with serving(loaded) as new, serving(loaded, "echo") as old, client(new) as one, client(old) as other:
        pairs = zip(one.read(TEXTS, "prompt_logprobs"), other.read(TEXTS, "echo"), strict=True)
        for by_ids, by_texts in pairs:
            assert by_texts.nats[1:] == by_ids.nats[1:]
            assert by_texts.texts[1:] == by_ids.texts[1:]
            assert by_texts.labels == by_texts.texts
    assert {body["max_tokens"] for _, body in old.requests} == {1}


def test_token_ids_and_tokens(vllm: CompletionsServer) -> None:
    with client(vllm) as asked:
        with_bos, without = asked.tokenise(["he"], special=True), asked.tokenise(["he"], special=False)
        assert with_bos == [(1, *without[0])]
        (by_ids,), (by_text,) = asked.read(with_bos, "prompt_logprobs"), asked.read(["he"], "prompt_logprobs")
    assert by_ids.labels == by_text.labels
    assert by_ids.nats[1:] == by_text.nats[1:]


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


AT = "Fri, 20 Nov 2026 07:28:00 GMT"


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("7", 7.0),
        ("Fri, 20 Nov 2026 07:28:09 GMT", 9.0),
        ("Friday, 20-Nov-26 07:28:09 GMT", 9.0),
        ("Fri Nov 20 07:28:09 2026", 9.0),
        ("Fri, 20 Nov 2026 09:28:00 GMT", LONGEST_PAUSE),
        ("Fri, 20 Nov 2026 07:27:00 GMT", 0.0),
        ("Fri, 99 Nov 2026 07:27:00 GMT", 0.0),
        ("-3", 0.0),
        ("nan", 0.0),
        ("inf", 0.0),
        ("soon", 0.0),
    ],
)
def test_the_wait_that_a_server_asks_for(said: str, seconds: float) -> None:
    """A date, in any of HTTP's three forms, counts from the server's own clock."""
    answer = httpx2.Response(429, headers={"Retry-After": said, "Date": AT})
    assert _retry_after(answer) == seconds


def test_without_the_servers_clock_a_date_counts_from_ours() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert 28 < _retry_after(httpx2.Response(429, headers={"Retry-After": later})) <= 30


def test_a_date_is_waited_for(vllm: CompletionsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    vllm.fault = failing(503, 1, Retry_After=format_datetime(datetime.now(UTC) + timedelta(seconds=50)))
    with client(vllm) as asked:
        monkeypatch.setattr(asked._closing, "wait", lambda seconds: waits.append(seconds))
        assert len(list(asked.read(TEXTS[:1], "prompt_logprobs"))) == 1
    assert 40 < waits[0] <= 50


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
    monkeypatch.setattr("pcf_core.models.completions.GRACE_SECONDS", 10)
    vllm.fault = slowly(0.1)
    with client(vllm) as asked:
        asked._running.add(
            done := asked._pool.submit(lambda: asked._ask("POST", f"{vllm.url}/completions", BODY))
        )
        while not vllm.under_way:
            time.sleep(0.01)
    assert done.result()["choices"]


def test_what_will_not_pass_is_asked_once(vllm: CompletionsServer) -> None:
    vllm.fault = failing(404)
    with client(vllm) as asked, pytest.raises(ScoringError, match="refuses a request"):
        list(asked.read(TEXTS[:1], "prompt_logprobs"))
    assert len(vllm.requests) == 1


def test_the_key_is_cut_out_of_what_the_server_says(vllm: CompletionsServer) -> None:
    vllm.fault = always(401, {"error": {"message": f"Incorrect API key:\n{KEY}"}})
    with (
        client(vllm) as asked,
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


@pytest.mark.parametrize(
    "document",
    [
        {},
        [],
        {"data": [{}]},
        {"data": "x"},
        *({"data": [{"id": name}]} for name in ("", "\x1b[31m", "x" * 999)),
    ],
)
def test_an_address_without_models_is_named(vllm: CompletionsServer, document: Any) -> None:
    vllm.fault = always(200, document)
    with client(vllm) as asked, pytest.raises(ScoringError, match="lists no models at /models"):
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
    monkeypatch.setattr("pcf_core.models.completions.LARGEST_ANSWER", 999)
    vllm.fault = saying(b"[" + b" " * 2000 + b"]")
    with client(vllm) as asked, pytest.raises(ScoringError, match="with more than 999 bytes"):
        list(asked.read(TEXTS[:1], "prompt_logprobs"))


def test_half_a_character_is_no_json(vllm: CompletionsServer) -> None:
    """It could not be written into a key or a file."""
    vllm.fault = always(200, {"data": [{"id": "tiny", "root": "\ud800"}]})
    with client(vllm) as asked, pytest.raises(ScoringError, match="what is not JSON"):
        asked.models()


@given(st.floats(max_value=0, min_value=-9998) | st.integers(-9998, 0))
def test_a_log_probability_is_kept(value: float) -> None:
    assert nats_of(value) == value


@pytest.mark.parametrize(
    ("value", "kept"), [(5e-5, 0.0), (-9999.0, -math.inf), (-math.inf, -math.inf), (-(10**400), -math.inf)]
)
def test_rounding_and_probability_zero(value: float, kept: float) -> None:
    assert nats_of(value) == kept


@pytest.mark.parametrize("value", [math.nan, math.inf, 0.01, None, KEY * 99, True, 10**400])
def test_anything_else_is_refused(value: Any) -> None:
    """In a short sentence, which holds nothing that a server wrote as text."""
    with pytest.raises(ScoringError, match="which is a number up to 0") as caught:
        nats_of(value)
    assert KEY not in str(caught.value)
    assert len(str(caught.value)) < 250

"""A malicious endpoint: it gets what is asked of it and the key, nothing else, and cannot stop the app."""

from __future__ import annotations

import gzip
import json
import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from pcf_core.app.data import lookable
from pcf_core.core.errors import ScoringError
from pcf_core.core.settings import Settings
from pcf_core.core.settings import settings as product_settings
from pcf_core.models.completions import RequestForm, Server, written_of
from pcf_core.models.connection import SECRET_KEY
from pcf_core.models.endpoint import TEXT, spells
from tests.models.fake_servers import FaultyServer, Handler, always, running

KEY = "sk-live-0123456789abcdef"


class Plain(FaultyServer):
    """Lists one model and writes one text."""

    def respond(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if path.endswith("/models"):
            return 200, {"data": [{"id": "tiny"}]}
        return 200, {"choices": [{"text": "she said", "finish_reason": "stop"}], "usage": {}}


def asked(server: FaultyServer, **options: Any) -> Server:
    return Server(server.url, "tiny", **{"pauses": (), "timeout": 5, **options})


def packed(server: FaultyServer, handler: Handler, body: dict[str, Any]) -> bool:
    """A megabyte of spaces in a kilobyte, whatever was asked for."""
    handler.send(200, gzip.compress(b" " * 2**20), Content_Encoding="gzip")
    return True


def trickling(server: FaultyServer, handler: Handler, body: dict[str, Any]) -> bool:
    """The head of an answer, a byte now and then: no single wait is long, and the head never ends."""
    with suppress(OSError):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
        for _ in range(80):
            handler.wfile.write(b"x")
            handler.wfile.flush()
            time.sleep(0.05)
    handler.close_connection = True
    return True


def test_nothing_is_unpacked() -> None:
    with running(Plain()) as server:
        server.fault = packed
        with (
            asked(server) as open_server,
            pytest.raises(ScoringError, match=r"compresses its answers \('gzip'\)"),
        ):
            open_server.models()


def test_packed_answers_are_not_asked_for() -> None:
    seen: list[str | None] = []

    def note(server: FaultyServer, handler: Handler, body: dict[str, Any]) -> bool:
        seen.append(handler.headers["Accept-Encoding"])
        return False

    with running(Plain()) as server:
        server.fault = note
        with asked(server) as open_server:
            open_server.models()
    assert seen == ["identity"]


def test_a_head_that_trickles_ends_with_the_patience() -> None:
    with running(Plain()) as server:
        server.fault = trickling
        begin = time.monotonic()
        with asked(server, timeout=0.3) as open_server, pytest.raises(ScoringError, match="does not answer"):
            open_server.models()
        assert time.monotonic() - begin < 2


def test_a_redirect_to_another_host_is_not_followed_and_the_key_stays() -> None:
    with running(Plain()) as elsewhere, running(Plain()) as server:
        for status in (301, 302, 303, 307, 308):
            server.fault = lambda server, handler, body, status=status: (
                handler.answer(status, {}, Location=f"{elsewhere.url}/models") or True
            )
            with asked(server, key=SecretStr(KEY)) as open_server, pytest.raises(ScoringError):
                open_server.models()
        assert server.keys == {f"Bearer {KEY}"}
        assert elsewhere.requests == []


@pytest.mark.parametrize("key", [KEY, "EMPTY"])
def test_an_echo_of_the_key_is_cut_out_of_texts_and_names(key: str) -> None:
    """What a server repeats of its request would be kept with the texts and shown to everybody."""
    text = {"choices": [{"text": f"{key} she", "finish_reason": "stop"}]}
    manner = RequestForm()
    with running(Plain()) as server, asked(server, key=SecretStr(key)) as open_server:
        server.fault = always(200, text)
        (written,) = open_server.write(
            "completions", [{"prompt": "x"}], lambda answer: written_of(answer, manner, 40)
        )
        server.fault = always(200, {"data": [{"id": f"tiny-{key}"}]})
        (card,) = open_server.models()
    secret = len(key) >= SECRET_KEY
    assert (key in written.text) is not secret
    assert (key in json.dumps(card)) is not secret


def test_a_pattern_of_the_servers_making_ends() -> None:
    """As a regular expression with five gaps it took 16 s, with seven an hour."""
    begin = time.monotonic()
    assert not spells(["\ufffda"] * 60 + ["\ufffdb"], "a" * 200 + "c")
    assert spells(["\ufffda"] * 60 + ["\ufffd"], "a" * 200 + "c")
    assert not spells(["\u0300\u0316"] * 2**20, TEXT)
    assert time.monotonic() - begin < 1


@given(st.text("ab\ufffd", max_size=8), st.text("ab", max_size=8))
def test_gaps_are_filled_as_by_a_pattern(joined: str, text: str) -> None:
    """A second opinion: the regular expression that was used before."""
    import re

    parts = re.split("\ufffd+", joined)
    expected = re.fullmatch(".+".join(map(re.escape, parts)), text, re.DOTALL) is not None
    assert spells([joined], text) is expected


def test_token_ids_are_numbers() -> None:
    choice = {"index": 0, "prompt_token_ids": [1, {}], "prompt_logprobs": [None, {"{}": {"logprob": -1.0}}]}
    with running(Plain()) as server:
        server.fault = always(200, {"choices": [choice]})
        with asked(server) as open_server, pytest.raises(ScoringError, match="no whole numbers"):
            list(open_server.read(["x"], "prompt_logprobs"))


def test_a_viewers_link_asks_no_model(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that is listed is looked for where it has results: to look is to ask for completions."""
    with running(Plain()) as server:
        monkeypatch.setenv("PCF_ENDPOINT_URL", server.url)
        product_settings.cache_clear()
        assert lookable(["endpoint:tiny"]) == ["endpoint:tiny"]
        monkeypatch.setenv("PCF_READ_ONLY", "1")
        product_settings.cache_clear()
        assert lookable(["endpoint:tiny", "mini-gpt"]) == ["mini-gpt"]
        monkeypatch.setattr("pcf_core.app.data.scored_models", lambda: ("endpoint:tiny",))
        assert lookable(["endpoint:tiny"]) == ["endpoint:tiny"]

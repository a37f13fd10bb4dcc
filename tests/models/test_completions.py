"""The completions of a server: their order, and what they are read as."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import ModelError, RequestRefusedError, ScoringError
from pcf_core.core.generation import Decoding
from pcf_core.models.completions import PROBES, RequestForm, Written, find_form, nats_of, written_of
from tests.models.fake_servers import (
    KEY,
    CompletionsServer,
    TextServer,
    always,
    client,
    serving,
    serving_texts,
)
from tests.models.scoring.conftest import load_tiny

TEXTS = ["The nurse said", "The engineer said that he", "he"]


def test_a_reading_is_what_the_model_says(vllm: CompletionsServer) -> None:
    with client(vllm) as server:
        readings = list(server.read(TEXTS, "prompt_logprobs", best=True))
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
    with client(vllm) as server:
        with_bos, without = server.tokenise(["he"], special=True), server.tokenise(["he"], special=False)
        assert with_bos == [(1, *without[0])]
        (by_ids,), (by_text,) = (
            server.read(with_bos, "prompt_logprobs"),
            server.read(["he"], "prompt_logprobs"),
        )
    assert by_ids.labels == by_text.labels
    assert by_ids.nats[1:] == by_text.nats[1:]


NAMELESS = [{"data": [{"id": name}]} for name in ("", "\x1b[31m", "x" * 999)]


@pytest.mark.parametrize("document", [{}, [], {"data": [{}]}, {"data": "x"}, *NAMELESS])
def test_an_address_without_models_is_named(vllm: CompletionsServer, document: Any) -> None:
    vllm.fault = always(200, document)
    with client(vllm) as server, pytest.raises(ScoringError, match="lists no models at /models"):
        server.models()


# What servers tell for a log-probability.


@given(st.floats(max_value=0, min_value=-9998) | st.integers(-9998, 0))
def test_a_log_probability_stays_but_for_rounding_and_probability_zero(value: float) -> None:
    assert nats_of(value) == value
    assert nats_of(5e-5) == 0.0
    assert {nats_of(none) for none in (-9999.0, -math.inf, -(10**400))} == {-math.inf}


@pytest.mark.parametrize("value", [math.nan, math.inf, 0.01, None, KEY * 99, True, 10**400])
def test_anything_else_is_refused(value: Any) -> None:
    """In a short sentence, which holds nothing that a server wrote as text."""
    with pytest.raises(ScoringError, match="which must be a number of at most 0") as caught:
        nats_of(value)
    assert KEY not in str(caught.value)
    assert len(str(caught.value)) < 250


# Asking for one text: what is sent, what an answer is read as, and what a server turns out to want.


PLAIN, CHAT = RequestForm(), RequestForm(chat=True)


@pytest.fixture
def texts() -> Iterator[TextServer]:
    with serving_texts() as server:
        yield server


def test_a_request_holds_the_settings() -> None:
    decoding = Decoding(temperature=0.7, top_p=0.8, length=12)
    settings = {"temperature": 0.7, "top_p": 0.8}
    assert PLAIN.body("He is", decoding, 5) == {"prompt": "He is", **settings, "max_tokens": 12, "seed": 5}
    other = RequestForm(chat=True, seeds=False, limit="max_completion_tokens").body("He is", decoding, 5)
    messages = [{"role": "user", "content": "He is"}]
    assert other == {"messages": messages, **settings, "max_completion_tokens": 12}


SYSTEM, USER = (
    {"role": role, "content": text} for role, text in (("system", "Be brief."), ("user", "He is"))
)
BOTH = "Be brief.\n\nHe is"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (PLAIN, {"prompt": BOTH}),
        (CHAT, {"messages": [SYSTEM, USER]}),
        (RequestForm(chat=True, systems=False), {"messages": [USER | {"content": BOTH}]}),
    ],
)
def test_a_request_tells_first_what_is_to_be_told(form: RequestForm, expected: dict[str, Any]) -> None:
    body = form.body("He is", Decoding(), 5, "Be brief.")
    assert {name: body[name] for name in ("prompt", "messages") if name in body} == expected


@pytest.mark.parametrize(
    ("choice", "usage", "read"),
    [
        ({"text": " a nurse.", "finish_reason": "stop"}, {"completion_tokens": 4}, (" a nurse.", "stop", 4)),
        ({"text": " he", "finish_reason": "length"}, {"completion_tokens": 9}, (" he", "length", 9)),
        ({"text": " a", "finish_reason": None}, None, (" a", "stop", 0)),
        ({"text": " \n", "finish_reason": "stop"}, {}, (" \n", "empty", 0)),
        ({"text": "", "finish_reason": "length"}, {"completion_tokens": 9}, ("", "empty", 9)),
        ({"text": "", "finish_reason": "content_filter"}, {}, ("", "refused", 0)),
        ({"text": None, "finish_reason": "content_filter"}, {}, ("", "refused", 0)),
        ({"text": " a nu", "finish_reason": "content_filter"}, {}, (" a nu", "refused", 0)),
    ],
)
def test_how_a_completion_ended(choice: Any, usage: Any, read: Any) -> None:
    assert written_of({"choices": [choice], "usage": usage}, PLAIN, 9) == Written(*read)


@pytest.mark.parametrize(
    ("message", "finish", "read"),
    [
        ({"content": "A nurse."}, "stop", ("A nurse.", "stop")),
        ({"content": "A nurse.", "refusal": None}, "length", ("A nurse.", "length")),
        ({"content": None, "refusal": "I cannot."}, "stop", ("I cannot.", "refused")),
        ({"content": "A", "refusal": "I cannot."}, "stop", ("A", "refused")),
        ({"content": None}, "content_filter", ("", "refused")),
        ({"content": None}, "tool_calls", ("", "empty")),
        ({"content": "", "reasoning_content": "Let me think"}, "length", ("", "empty")),
        ({}, "stop", ("", "empty")),
    ],
)
def test_how_an_answer_in_a_chat_ended(message: Any, finish: str, read: tuple[str, str]) -> None:
    written = written_of({"choices": [{"message": message, "finish_reason": finish}]}, CHAT, 9)
    assert (written.text, written.end) == read


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
MESSAGE = ANY | st.fixed_dictionaries({}, optional={"content": ANY, "refusal": ANY})
CHOICE = ANY | st.fixed_dictionaries({}, optional={"text": ANY, "message": MESSAGE, "finish_reason": ANY})
USAGE = ANY | st.fixed_dictionaries({}, optional={"completion_tokens": ANY})
ANSWER = ANY | st.fixed_dictionaries(
    {"choices": ANY | st.lists(CHOICE, max_size=2)}, optional={"usage": USAGE}
)


def strings_of(answer: Any) -> Iterator[str]:
    """Every text that stands anywhere in a document."""
    if isinstance(answer, str):
        yield answer
    elif isinstance(answer, dict | list):
        for part in answer.values() if isinstance(answer, dict) else answer:
            yield from strings_of(part)


@given(ANSWER, st.booleans())
def test_whatever_comes_is_a_text_or_a_sentence(answer: Any, chat: bool) -> None:
    with suppress(ScoringError):
        written = written_of(answer, RequestForm(chat), 5)
        assert len(written.text) <= 5 * 128
        assert 0 <= written.tokens <= 6
        assert written.text in {"", *strings_of(answer)}


def test_a_text_that_does_not_keep_to_its_length_is_refused() -> None:
    """In tokens or in characters; the token that ends a text may be counted too."""
    for text, tokens in (("a" * 641, 5), ("a b c d e f g", 7)):
        answer = {"choices": [{"text": text}], "usage": {"completion_tokens": tokens}}
        with pytest.raises(ScoringError, match="but at most 5 tokens were requested: it ignores"):
            written_of(answer, PLAIN, 5)
    answer = {"choices": [{"text": " a b c d e"}], "usage": {"completion_tokens": 6}}
    assert written_of(answer, PLAIN, 5) == Written(" a b c d e", "stop", 6)


@pytest.mark.parametrize(
    ("refuses", "chat", "form"),
    [
        (set(), False, RequestForm()),
        ({"seed"}, False, RequestForm(seeds=False)),
        ({"max_tokens"}, True, RequestForm(chat=True, limit="max_completion_tokens")),
        ({"max_tokens", "seed"}, True, RequestForm(chat=True, seeds=False, limit="max_completion_tokens")),
    ],
)
def test_what_a_server_wants_is_found_out(
    texts: TextServer, refuses: set[str], chat: bool, form: RequestForm
) -> None:
    texts.refuses = refuses
    with client(texts) as server:
        assert find_form(server, chat, draws=True) == form
    seeds = [body.get("seed") for _, body in texts.requests[-PROBES:]]
    assert sorted(map(str, seeds)) == (["None"] * 3 if not form.seeds else ["1", "2", "3"])


def test_a_setting_that_decides_the_texts_is_never_left_out(texts: TextServer) -> None:
    texts.refuses = {"temperature"}
    with client(texts) as server, pytest.raises(RequestRefusedError, match="parameter: 'temperature'"):
        find_form(server, chat=True, draws=True)


def test_a_server_that_does_not_draw_is_refused(texts: TextServer) -> None:
    texts.says = lambda prompt, seed: " the likeliest text"
    with client(texts) as server:
        with pytest.raises(ModelError, match=r"the same text 3 times for tiny .* does not draw its tokens"):
            find_form(server, chat=False, draws=True)
        texts.requests.clear()
        assert find_form(server, chat=False, draws=False) == RequestForm()
        assert len(texts.requests) == 1
        texts.says = lambda prompt, seed: ""
        assert find_form(server, chat=False, draws=True) == RequestForm()


def test_a_request_that_is_filtered_is_a_refusal_and_no_failure(texts: TextServer) -> None:
    """As Azure answers a prompt that its filter does not let through."""
    texts.fault = always(400, {"error": {"message": "filtered", "code": "content_filter"}})
    with client(texts) as server:
        bodies = [PLAIN.body("He is", Decoding(), 1)]
        (written,) = server.write("completions", bodies, lambda answer: written_of(answer, PLAIN, 5))
    assert written == Written("", "refused", 0)


def test_a_refusal_survives_the_way_between_processes() -> None:
    refusal = RequestRefusedError("The endpoint refuses.", 400, "code", "said")
    again = copy.copy(refusal)  # as pickle makes it anew
    assert (str(again), vars(again)) == (str(refusal), vars(refusal))

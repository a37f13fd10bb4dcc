"""The completions of a server: their order, and what they are read as."""

from __future__ import annotations

import math
from typing import Any

import pytest

from pcf_core.core.errors import ScoringError
from tests.models.scoring.completions_server import CompletionsServer, always, serving
from tests.models.scoring.conftest import load_tiny
from tests.models.served import KEY, TEXTS, client


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

"""What texts from an endpoint cost, counted by the server or by characters."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import ModelError
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.settings import Settings, settings
from pcf_core.models.generation import endpoint as cost
from pcf_core.models.generation.endpoint import estimate_requests, rough_tokens
from pcf_core.models.registry import resolve_writer
from tests.models.generation.text_server import TextServer, serving_texts


@pytest.fixture
def texts(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[TextServer]:
    with serving_texts() as server:
        monkeypatch.setenv("PCF_ENDPOINT_URL", server.url)
        settings.cache_clear()
        yield server


def key(chat: bool = False) -> GenerationKey:
    return GenerationKey.of(resolve_writer("endpoint:tiny", chat), Decoding(length=40))


def test_the_worked_example(texts: TextServer, monkeypatch: pytest.MonkeyPatch) -> None:
    texts.tokenizes = True
    for name, value in (("PRICE_IN", "0.5"), ("PRICE_OUT", "1.5"), ("PER_MINUTE", "30")):
        monkeypatch.setenv(f"PCF_ENDPOINT_{name}", value)
    settings.cache_clear()
    found = estimate_requests([("one two three four five six", 100)], key())
    assert (found.requests, found.tokens_in, found.tokens_out) == (100, 600, 4000)
    assert found.cost == pytest.approx(0.0063)
    told = estimate_requests([("three four five six", 100)], key().with_system("one two"))
    assert told == found
    assert found.seconds == 200
    assert "by the server's tokenizer" in found.basis


def test_without_a_tokenizer_prices_and_a_limit(texts: TextServer) -> None:
    found = estimate_requests([("twelve chars", 25), ("five.", 50), ("twelve chars", 25)], key(chat=True))
    assert (found.requests, found.tokens_in) == (100, 50 * 3 + 50 * 2)
    assert (found.cost, found.seconds) == (None, None)
    assert "roughly, one for 4 characters" in found.basis
    assert "chat template" in found.basis
    assert [path for path, _ in texts.requests] == ["/tokenize"]


def test_one_price_alone_is_no_cost(texts: TextServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PCF_ENDPOINT_PRICE_IN", "3")
    settings.cache_clear()
    assert estimate_requests([("a", 25)], key()).cost is None


def test_nothing_asked_costs_nothing(texts: TextServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PCF_ENDPOINT_PRICE_IN", "3")
    monkeypatch.setenv("PCF_ENDPOINT_PRICE_OUT", "3")
    settings.cache_clear()
    found = estimate_requests([], key())
    assert (found.requests, found.tokens_in, found.tokens_out, found.cost) == (0, 0, 0, 0)
    assert not texts.requests


def test_no_endpoint_is_set(texts: TextServer, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = key()
    monkeypatch.delenv("PCF_ENDPOINT_URL")
    settings.cache_clear()
    with pytest.raises(ModelError, match="none is set"):
        estimate_requests([("a", 25)], asked)


@given(
    st.lists(st.tuples(st.text(min_size=1, max_size=30), st.integers(1, 500)), max_size=8),
    st.floats(0, 100),
    st.floats(0, 100),
    st.integers(1, 1000),
)
def test_the_sum_is_that_of_its_parts(
    asked: list[tuple[str, int]], price_in: float, price_out: float, per_minute: int
) -> None:
    """Second opinion: request by request, in exact order."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cost, "count_tokens", lambda name, prompts: None)
        given = Settings(
            endpoint_url="http://localhost/v1",
            endpoint_price_in=price_in,
            endpoint_price_out=price_out,
            endpoint_per_minute=per_minute,
        )
        patch.setattr(cost, "settings", lambda: given)
        decoding = Decoding(length=7)
        model = GenerationKey(
            model="endpoint:m", identity="i", tokenizer="t", family="endpoint", rules="1", decoding=decoding
        )
        found = estimate_requests(asked, model)
    single = [prompt for prompt, count in asked for _ in range(count)]
    prices = [rough_tokens(prompt) * price_in / 1e6 + 7 * price_out / 1e6 for prompt in single]
    assert found.cost == pytest.approx(math.fsum(prices))
    assert found.seconds == pytest.approx(sum(60 / per_minute for _ in single))
    assert found.tokens_out == 7 * len(single)

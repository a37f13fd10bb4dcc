"""Models named ``endpoint:…``: what a server can do, found by a probe, remembered, listed in no time."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from pcf_core.core.errors import ModelError, ScoringError
from pcf_core.core.settings import settings
from pcf_core.models import endpoint as endpoints
from pcf_core.models.completions import Server, TokenScores
from pcf_core.models.endpoint import (
    AGREES,
    START,
    TEXT,
    Findings,
    difference,
    open_endpoint,
    probe,
    require_sense,
    spells,
)
from pcf_core.models.registry import left_out_models, list_models, resolve
from tests.models.conftest import use
from tests.models.fake_servers import Bend, CompletionsServer, always, failing, saying, serving, slowly
from tests.models.scoring.conftest import load_tiny

NAME = "endpoint:org/tiny"


@pytest.fixture
def server(vllm: CompletionsServer, monkeypatch: pytest.MonkeyPatch) -> CompletionsServer:
    monkeypatch.setattr(endpoints, "PAUSES", ())
    vllm.name = "org/tiny"
    use(monkeypatch, PCF_ENDPOINT_URL=vllm.url)
    return vllm


def forget() -> None:
    """As another process would start."""
    endpoints._answers.clear()


def test_what_a_specification_says(server: CompletionsServer) -> None:
    spec = resolve(NAME)
    assert (spec.name, spec.family, spec.path, spec.dtype) == (NAME, "endpoint", server.url, "server")
    assert spec.identity.startswith("unpinned:")
    assert spec.tokenizer.startswith("unpinned:")
    assert (spec.parameters, spec.context) == (0, 160)
    assert "Unpinned" in spec.notes
    assert spec.with_dtype("bfloat16") == spec


def test_it_is_probed_once_in_a_while(server: CompletionsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = resolve(NAME)
    requests = len(server.requests)
    assert resolve(NAME) == spec
    assert len(server.requests) == requests
    monkeypatch.setattr(endpoints.time, "monotonic", lambda: 1e12)
    assert resolve(NAME) == spec
    assert len(server.requests) > requests


def test_another_model_is_another_identity(server: CompletionsServer) -> None:
    first = resolve(NAME)
    server.loaded = load_tiny("opt")
    forget()
    second = resolve(NAME)
    assert second.identity != first.identity
    assert second.tokenizer != first.tokenizer
    with pytest.raises(
        ModelError, match=r"has changed since it was requested \(then unpinned:.*start the run again"
    ):
        open_endpoint(first)
    assert open_endpoint(second).spec == second


def test_another_address_is_another_identity(
    server: CompletionsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = resolve(NAME)
    with serving(load_tiny("llama"), name="org/tiny") as other:
        use(monkeypatch, PCF_ENDPOINT_URL=other.url)
        assert resolve(NAME).identity != first.identity


def test_what_was_found_outlives_the_server(
    server: CompletionsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = resolve(NAME)
    server.fault = always(500, {})
    forget()
    assert resolve(NAME) == spec
    with pytest.raises(ScoringError, match="does not answer"):
        open_endpoint(spec)
    monkeypatch.delenv("PCF_ENDPOINT_URL")
    settings.cache_clear()
    assert resolve(NAME) == spec
    use(monkeypatch, PCF_ENDPOINT_URL="http://127.0.0.1:9/v1")
    with pytest.raises(ModelError, match="does not answer"):
        resolve(NAME)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"endpoint:org/tiny": 3}', '{"endpoint:org/tiny": {"a": 1}}']
)
def test_a_damaged_memory_is_no_memory(server: CompletionsServer, text: str) -> None:
    settings().cache.mkdir(parents=True)
    (settings().cache / "endpoints.json").write_text(text)
    spec = resolve(NAME)
    forget()
    server.fault = failing(500)
    assert resolve(NAME) == spec


def test_a_cache_that_cannot_be_written_is_no_obstacle(
    server: CompletionsServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    use(monkeypatch, PCF_CACHE=str(tmp_path / "file"))
    assert resolve(NAME).name == NAME


def test_a_page_does_not_wait_as_long_as_a_run(
    server: CompletionsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoints, "FIRST_PATIENCE", 0.2)
    server.fault = slowly(1)
    with pytest.raises(ModelError, match=r"no answer within 0\.2 s"):
        resolve(NAME)


def test_none_is_set() -> None:
    with pytest.raises(ModelError, match="no endpoint is set: set PCF_ENDPOINT_URL"):
        resolve(NAME)
    assert list_models() == ()


@pytest.mark.parametrize("name", ["endpoint:", "endpoint:other", "endpoint:org/tin y\n"])
def test_a_model_that_is_not_served(server: CompletionsServer, name: str) -> None:
    with pytest.raises(ModelError, match=r"choose one of its models \(org/tiny"):
        resolve(name)


def test_the_list_asks_for_names_alone(server: CompletionsServer) -> None:
    (listed,) = list_models()
    assert (listed.name, listed.identity) == (NAME, "unpinned")
    assert {path for path, _ in server.requests} == {"/v1/models"}
    spec = resolve(NAME)
    requests = len(server.requests)
    assert list_models() == (spec,)
    assert left_out_models() == ()
    assert len(server.requests) == requests


def test_a_model_that_cannot_be_scored_is_left_out_with_the_reason(server: CompletionsServer) -> None:
    server.shape = "none"
    with pytest.raises(ModelError, match="no usable log-probabilities"):
        resolve(NAME)
    assert list_models() == ()
    (left_out,) = left_out_models()
    assert left_out.name == NAME
    assert "no usable log-probabilities" in left_out.reason


def test_a_server_that_is_down_is_left_out_and_not_asked_again(
    server: CompletionsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.fault = always(500, {})
    assert list_models() == ()
    requests = len(server.requests)
    (left_out,) = left_out_models()
    assert "does not answer (500" in left_out.reason
    assert len(server.requests) == requests


def test_a_gateway_with_many_models_is_cut_short(
    server: CompletionsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoints, "MOST_LISTED", 2)
    cards = {"data": [{"id": f"m{number}"} for number in range(5)]}
    server.fault = always(200, cards)
    assert [spec.name for spec in list_models()] == ["endpoint:m0", "endpoint:m1"]
    assert "has 3 more models" in left_out_models()[0].reason


def test_a_model_that_is_not_allowed_is_not_asked(
    server: CompletionsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = resolve(NAME)
    forget()
    requests = len(server.requests)
    use(monkeypatch, PCF_ALLOWED_MODELS="mini-*")
    assert resolve(NAME) == spec  # its results can be read
    with pytest.raises(ModelError, match="endpoint:org/other may not be used"):
        resolve("endpoint:org/other")
    with pytest.raises(ModelError, match="endpoint:org/other may not be used"):
        endpoints.known_chat("endpoint:org/other")
    assert len(server.requests) == requests


# What a server can do: a refusal in one sentence where it gives nothing to score with.


def probed(server: CompletionsServer, name: str = "tiny") -> Findings:
    with Server(server.url, name, pauses=()) as connection:
        return probe(connection)


@pytest.mark.parametrize(("model", "opening"), [("gpt2", 0), ("llama", 1), ("opt", 1)])
@pytest.mark.parametrize("shape", ["prompt_logprobs", "echo"])
def test_what_servers_can_do(model: str, opening: int, shape: str) -> None:
    with serving(load_tiny(model), shape) as server:
        result = probed(server)
        ids = server.encode(TEXT)
        assert result.nats == pytest.approx(sum(server.model(ids)[0]))
    assert (result.shape, len(result.opening)) == (shape, opening)
    assert result.takes_ids == (shape == "prompt_logprobs")
    assert (result.context, result.root) == (160, "org/tiny")
    assert len(result.reading.labels) == len(ids)
    assert 0 <= result.noise < 1e-4


def test_a_server_that_does_not_tokenise_takes_no_ids(vllm: CompletionsServer) -> None:
    vllm.tokenizes = False
    assert not probed(vllm).takes_ids


def test_a_model_that_is_not_served_is_named_with_those_that_are(vllm: CompletionsServer) -> None:
    with pytest.raises(ModelError, match=r"has no model 'other': choose one of its models \(tiny"):
        probed(vllm, "other")


@pytest.mark.parametrize(
    ("card", "root", "context"),
    [
        ({"root": "x" * 5000}, "tiny", 0),
        ({"root": {"a": 1}, "max_model_len": True}, "tiny", 0),
        ({"root": "org/a-key", "max_model_len": -5}, "org/…", 0),
        ({"root": "org/tiny", "max_model_len": 32}, "org/tiny", 32),
    ],
)
def test_what_a_server_says_of_itself_is_checked(
    vllm: CompletionsServer, card: dict[str, Any], root: str, context: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Server(vllm.url, "tiny", key=SecretStr("a-key"), pauses=()) as server:
        monkeypatch.setattr(server, "models", lambda: [{"id": "tiny", **card}])
        findings = probe(server)
    assert (findings.root, findings.context) == (root, context)


@pytest.mark.parametrize("text", [5, ["x"], "x" * 10_000])
def test_tokens_whose_texts_are_none_are_refused(
    vllm: CompletionsServer, text: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    choice = vllm.choice

    def odd(*arguments: Any) -> dict[str, Any]:
        document = choice(*arguments)
        for position in document["prompt_logprobs"][3:]:
            next(iter(position.values()))["decoded_token"] = text
        return document

    monkeypatch.setattr(vllm, "choice", odd)
    with pytest.raises(ModelError, match="it returned tokens that spell") as caught:
        probed(vllm)
    assert len(str(caught.value)) < 700


def all_equal(value: float) -> Bend:
    return lambda values: [value for _ in values]


# What a server does with each request, and the reason why nobody can score with it.
USELESS: list[tuple[dict[str, Any], str]] = [
    ({"shape": "none"}, r"gives no usable log-probabilities of prompt tokens for tiny: serve the model"),
    ({"bend": all_equal(0.0)}, "every token the same log-probability, 0"),
    ({"bend": all_equal(-math.log(32000))}, "every token the same log-probability, -10.37"),
    ({"bend": all_equal(-9999.0)}, "a token of an ordinary sentence no probability"),
    ({"bend": all_equal(0.5)}, "which must be a number of at most 0"),
    ({"bend": all_equal(math.nan)}, "which must be a number of at most 0"),
    ({"fault": failing(500)}, "gives no usable log-probabilities"),
    ({"fault": saying(b"[]")}, "gives no usable log-probabilities"),
    ({"fault": saying(b"<html>")}, "gives no usable log-probabilities"),
]


@pytest.mark.parametrize(("attributes", "reason"), USELESS)
@pytest.mark.parametrize("shape", ["prompt_logprobs", "echo"])
def test_a_server_that_nobody_can_score_with_is_refused(
    vllm: CompletionsServer, shape: str, attributes: dict[str, Any], reason: str
) -> None:
    vars(vllm).update({"shape": shape, **attributes})
    with pytest.raises(ModelError, match=reason) as caught:
        probed(vllm)
    assert "\n" not in str(caught.value)


def test_a_server_that_contradicts_itself_is_refused(vllm: CompletionsServer) -> None:
    turns = itertools.count()
    vllm.bend = lambda values: [value - 0.4 * (next(turns) % 3) for value in values]
    with pytest.raises(ModelError, match=r"its answers differ by 0\.[48] nats per token"):
        probed(vllm)


def test_a_cache_that_mixes_texts_up_names_its_switch(vllm: CompletionsServer) -> None:
    """As vLLM's prefix cache: what it holds of the first 16 tokens comes with the numbers of another text."""
    held: list[list[float]] = []

    def mixed(values: list[float]) -> list[float]:
        held.append(values)
        same = [one for one in held[:-1] if one[:16] == values[:16] and one != values]
        return [*values[:16], *(value - 1 for value in values[16:])] if len(same) > 3 else values

    vllm.bend = mixed
    with pytest.raises(
        ModelError, match=r"another order \(by .*: start vLLM with --no-enable-prefix-caching"
    ):
        probed(vllm)


def only_chats(server: Any, handler: Any, body: dict[str, Any]) -> bool:
    if handler.path == "/v1/completions":
        handler.answer(404, {"detail": "Not Found"})
    elif handler.path == "/v1/chat/completions":
        message = {"role": "assistant", "content": "Yes"}
        handler.answer(200, {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
    return handler.path != "/v1/models"


def only_generated(server: Any, handler: Any, body: dict[str, Any]) -> bool:
    if body.get("echo"):
        handler.answer(400, {"error": {"message": "echo is not supported"}})
    elif "logprobs" in body:
        ranked = {"tokens": [" he"], "token_logprobs": [-0.5], "top_logprobs": [{" he": -0.5, " she": -1.2}]}
        handler.answer(200, {"choices": [{"index": 0, "text": " he", "logprobs": ranked}]})
    return bool(body.get("echo")) or "logprobs" in body


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (only_chats, "here it only answers chats, so sample it .--samples with --chat., or audit"),
        (only_generated, "only those of tokens that it generates, so sample it .--samples., or audit"),
    ],
)
def test_what_can_be_done_instead_is_said(vllm: CompletionsServer, fault: Any, says: str) -> None:
    vllm.shape, vllm.fault = "none", fault
    with pytest.raises(ModelError, match=says) as caught:
        probed(vllm)
    assert "\n" not in str(caught.value)


def reading(words: str, nats: list[float], best: float = -0.1) -> TokenScores:
    tokens = ("<s>", *words.split())
    values = (math.nan, *nats)
    return TokenScores(tokens, tokens, values, tuple(best for _ in values))


LONG = reading(TEXT, [-0.1 * place for place in range(1, 17)])
SHORT = reading(START, [-0.1, -0.2, -0.3, -0.4])


def test_sense_by_hand() -> None:
    assert require_sense(LONG, LONG, SHORT) == pytest.approx(0, abs=1e-12)
    off = reading(START, [-0.1, -0.2, -0.3 - 0.9 * AGREES, -0.4])
    assert require_sense(LONG, LONG, off) == pytest.approx(0.9 * AGREES)


@pytest.mark.parametrize(
    ("first", "short", "says"),
    [
        (reading("The nurse said", [-1, -2, -3]), SHORT, "it returned tokens that spell '<s>Thenursesaid'"),
        (
            replace(LONG, best=tuple(-30.0 for _ in LONG.best)),
            SHORT,
            "returns logits instead of log-probabilities",
        ),
        (LONG, reading(START, [-0.1, -0.2, -0.3, -3.0]), "its answers differ by 2.6 nats"),
        (LONG, reading("A nurse said that", [-0.1, -0.2, -0.3, -0.4]), "its answers differ by inf nats"),
    ],
    ids=["truncated", "logits", "prefix differs", "other tokens"],
)
def test_no_sense_by_hand(first: TokenScores, short: TokenScores, says: str) -> None:
    with pytest.raises(ScoringError, match=says):
        require_sense(first, first, short)


def test_difference_of_probability_zero() -> None:
    one, two = reading("a b", [-math.inf, -1.0]), reading("a b", [-math.inf, -1.5])
    assert difference(one, two) == 0.5
    assert difference(one, reading("a b", [-2.0, -1.0])) == math.inf


@pytest.mark.parametrize(
    ("tokens", "text", "expected"),
    [
        (["▁The", "▁nur", "se"], "The nurse", True),
        (["Ġhe"], " he", True),
        (["He"], "he", True),  # a tokenizer that lower-cases, or the reverse, keeps the word
        (["caf", "�", "�"], "café", True),
        (["�"], "他", True),
        (["he", "�"], "she…", False),
        (["<unk>"], "he", False),
        (["h", "e"], "her", False),
        ([], "he", False),
    ],
)
def test_spelling(tokens: list[str], text: str, expected: bool) -> None:
    assert spells(tokens, text) is expected


@given(st.text(alphabet="abcdé他 .<", min_size=1), st.data())
def test_any_cut_of_a_text_spells_it(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    tokens = [text[a:b] for a, b in itertools.pairwise([0, *cuts, len(text)])]
    assert spells(tokens, text)
    assert not spells([*tokens, "x"], text)

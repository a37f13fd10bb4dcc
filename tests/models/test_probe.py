"""What a server can do, found out: a refusal in one sentence where it gives nothing to score with."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from pcf_core.core.errors import ModelError, ScoringError
from pcf_core.models.completions import Server, TokenScores
from pcf_core.models.endpoint import AGREES, START, TEXT, Findings, difference, probe, require_sense, spells
from tests.models.fake_servers import CompletionsServer, Fault, failing, saying, serving
from tests.models.scoring.conftest import load_tiny


def probed(server: CompletionsServer, name: str = "tiny") -> Findings:
    with Server(server.url, name, pauses=()) as asked:
        return probe(asked)


@pytest.mark.parametrize(("model", "opening"), [("gpt2", 0), ("llama", 1), ("opt", 1)])
@pytest.mark.parametrize("shape", ["prompt_logprobs", "echo"])
def test_what_servers_can_do(model: str, opening: int, shape: str) -> None:
    with serving(load_tiny(model), shape) as server:
        found = probed(server)
        ids = server.encode(TEXT)
        assert found.nats == pytest.approx(sum(server.model(ids)[0]))
    assert (found.shape, len(found.opening), found.takes_ids) == (shape, opening, shape == "prompt_logprobs")
    assert (found.context, found.root) == (160, "org/tiny")
    assert len(found.reading.labels) == len(ids)
    assert 0 <= found.noise < 1e-4


def test_a_server_that_does_not_tokenise_takes_no_ids() -> None:
    with serving(load_tiny("llama")) as server:
        server.tokenizes = False
        assert not probed(server).takes_ids


def test_a_server_without_log_probabilities_of_the_prompt_is_refused() -> None:
    with (
        serving(load_tiny("llama"), "none") as server,
        pytest.raises(
            ModelError, match=r"gives no usable log-probabilities of prompt tokens for tiny: serve it"
        ) as e,
    ):
        probed(server)
    assert "\n" not in str(e.value)


def test_a_model_that_is_not_served_is_named_with_those_that_are() -> None:
    with (
        serving(load_tiny("llama")) as server,
        pytest.raises(ModelError, match="serves no model 'other'; it serves: tiny"),
    ):
        probed(server, "other")


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
    card: dict[str, Any], root: str, context: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        serving(load_tiny("llama")) as server,
        Server(server.url, "tiny", key=SecretStr("a-key"), pauses=()) as asked,
    ):
        monkeypatch.setattr(asked, "models", lambda: [{"id": "tiny", **card}])
        found = probe(asked)
    assert (found.root, found.context) == (root, context)


@pytest.mark.parametrize("text", [5, ["x"], "x" * 10_000])
def test_tokens_whose_texts_are_none_are_refused(text: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(load_tiny("llama")) as server:
        choice = server.choice

        def odd(*arguments: Any) -> dict[str, Any]:
            document = choice(*arguments)
            for place in document["prompt_logprobs"][3:]:
                next(iter(place.values()))["decoded_token"] = text
            return document

        monkeypatch.setattr(server, "choice", odd)
        with pytest.raises(ModelError, match="Its tokens spell") as caught:
            probed(server)
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize(
    ("bend", "says"),
    [
        (lambda values: [0.0 for _ in values], "every token the same log-probability, 0"),
        (lambda values: [-math.log(32000) for _ in values], "every token the same log-probability, -10.37"),
        (lambda values: [-9999.0 for _ in values], "no token of a plain sentence any probability"),
        (lambda values: [0.5 for _ in values], "which is a number up to 0"),
        (lambda values: [math.nan for _ in values], "which is a number up to 0"),
    ],
    ids=["zeros", "chance", "nothing", "positive", "NaN"],
)
@pytest.mark.parametrize("shape", ["prompt_logprobs", "echo"])
def test_numbers_that_say_nothing_are_refused(
    bend: Callable[[list[float]], list[float]], says: str, shape: str
) -> None:
    with serving(load_tiny("llama"), shape) as server:
        server.bend = bend
        with pytest.raises(ModelError, match=says):
            probed(server)


def test_a_server_that_contradicts_itself_is_refused() -> None:
    turns = itertools.count()
    with serving(load_tiny("llama")) as server:
        server.bend = lambda values: [value - 0.4 * (next(turns) % 3) for value in values]
        with pytest.raises(ModelError, match=r"contradicts itself by 0\.[48] nats a token"):
            probed(server)


@pytest.mark.parametrize("fault", [failing(500), saying(b"[]"), saying(b"<html>")])
def test_a_server_in_trouble_is_no_yes(fault: Fault) -> None:
    with serving(load_tiny("llama")) as server:
        server.fault = fault
        with pytest.raises(ModelError, match="gives no usable log-probabilities"):
            probed(server)


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
        (reading("The nurse said", [-1, -2, -3]), SHORT, "Its tokens spell '<s>Thenursesaid'"),
        (replace(LONG, best=tuple(-30.0 for _ in LONG.best)), SHORT, "are logits, not log-probabilities"),
        (LONG, reading(START, [-0.1, -0.2, -0.3, -3.0]), "contradicts itself by 2.6 nats"),
        (LONG, reading("A nurse said that", [-0.1, -0.2, -0.3, -0.4]), "contradicts itself by inf nats"),
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

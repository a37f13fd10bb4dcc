"""Models behind an endpoint, on loopback: the local scorer's numbers, and a sentence where there are none."""

from __future__ import annotations

import threading
import time
from itertools import count
from typing import Any

import numpy as np
import pytest

from pcf_core.core.errors import ModelError, ScoringError, TemplateError
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.models.completions import TokenScores
from pcf_core.models.endpoint import TEXT, Endpoint, Findings
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer, open_scorer
from pcf_core.models.scoring.endpoint import Cell, EndpointScorer, spelling_of
from tests.models.conftest import use
from tests.models.fake_servers import (
    KEY,
    CompletionsServer,
    saying,
    slowly,
)
from tests.models.scoring.conftest import Serve, load_tiny, scorer_of
from tests.models.scoring.tiny_tokenizers import PROMPTS, WORDS

NAME = "endpoint:tiny"
SHAPES = ("prompt_logprobs", "echo")


PROMPT, PAIR = ("The nurse said that [Y]",), ("he", "she")
Opened = tuple[CompletionsServer, Scorer]


@pytest.fixture
def scorer(serve: Serve) -> Opened:
    """A server, and its scorer with the tokens of two words known."""
    server = serve("llama")
    opened = open_scorer(resolve(NAME))
    opened.check(PAIR)
    return server, opened


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("model", ["gpt2", "llama", "opt"])
def test_scores_are_those_of_the_local_scorer(model: str, shape: str, serve: Serve) -> None:
    """Words of one to four tokens, and text right of the word."""
    serve(model, shape)
    local, remote = scorer_of(model), open_scorer(resolve(NAME))
    assert type(remote) is EndpointScorer
    assert remote.check(WORDS) == local.check(WORDS)
    assert len({*local.check(WORDS).tokens.values()}) > 2
    np.testing.assert_allclose(remote.score(PROMPTS, WORDS), local.score(PROMPTS, WORDS), atol=1e-4, rtol=0)


@pytest.mark.parametrize("shape", SHAPES)
def test_words_of_the_same_tokens_are_told_as_far_as_the_server_tells_tokens(
    shape: str, serve: Serve
) -> None:
    serve("llama", shape)
    table = open_scorer(resolve(NAME)).check(["he", "she", "woman"])
    assert set(table.spelling) == {"he", "she", "woman"}
    assert table.same == ()


def test_texts_of_tokens_are_told_apart_by_ids_else_with_care() -> None:
    assert spelling_of((7, 12), "He") == spelling_of((7, 12), "he") == "7 12"
    assert spelling_of(("he",), "He") == spelling_of(("he",), "he")
    assert spelling_of(("he",), "he") != spelling_of(("she",), "she")
    assert spelling_of(("a", "b"), "ab") != spelling_of(("a", "b"), "a b")  # a server that drops spaces
    assert spelling_of(("\ufffd",), "他") == ""


def test_a_worked_example() -> None:
    """That of the file's docstring, without a server."""
    nats = (float("nan"), -5.2, -3.1, -0.7, -1.609, -0.693)
    texts = ("The", " nurse", " said", " that", " sh", "e")
    whole, head = TokenScores(texts, texts, nats, nats), TokenScores(texts[:4], texts[:4], nats[:4], nats[:4])
    findings = Findings("echo", (), False, 0, "tiny", whole, 0.0)
    spec = ModelSpec(name=NAME, family="endpoint", path="http://x/v1", identity="unpinned", tokenizer="")
    scorer = EndpointScorer(Endpoint(spec, findings), ScoringKey.of(spec))
    cell = Cell("The nurse said that [Y]", "she")
    score = scorer._score(cell, {cell.head: head, cell.text: whole})
    assert score is not None
    assert score.texts == (" sh", "e")
    assert score.nats == pytest.approx(np.log(0.1), abs=1e-3)


@pytest.mark.parametrize(
    "prompt", ["[Y] was here.", " [Y]", "un[Y]", "The nurse said that h[Y]", "It is un[Y]ly so."]
)
@pytest.mark.parametrize("model", ["llama", "opt"])
def test_seams_that_do_not_show_are_cut_as_for_a_local_model(model: str, prompt: str, serve: Serve) -> None:
    serve(model)
    words = ("he", "e", "man", "stepmother")
    expected = scorer_of(model).score([prompt], words)
    np.testing.assert_allclose(open_scorer(resolve(NAME)).score([prompt], words), expected, atol=1e-4, rtol=0)


def test_seams_that_do_not_show_are_refused_without_token_ids(serve: Serve) -> None:
    """A token that holds the quotation mark and the word: its text says nothing of either."""
    serve("llama", "echo")
    scorer = open_scorer(resolve(NAME))
    assert isinstance(scorer, EndpointScorer)
    nats = (float("nan"), -5.2, -3.1)
    head, whole = ("The", " nurse:", ' "'), ("The", " nurse:", ' "he')
    cell = Cell('The nurse: "[Y]', "he")
    read = {cell.head: TokenScores(head, head, nats, nats), cell.text: TokenScores(whole, whole, nats, nats)}
    with (
        scorer.endpoint.server() as server,
        pytest.raises(
            ScoringError,
            match=r"do not show where 'he' begins and ends, and endpoint:tiny does not accept",
        ),
    ):
        scorer._scores(server, [cell], read)
    joined = scorer.score(["The nurse said that h[Y]"], ["e"])
    assert joined == pytest.approx(scorer.score(["The nurse said that [Y]"], ["he"]), abs=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_text_that_begins_with_the_word_needs_a_bos_token(shape: str, serve: Serve) -> None:
    serve("gpt2", shape)
    with pytest.raises(ScoringError, match=r"begins with \[Y\], but endpoint:tiny puts no BOS"):
        open_scorer(resolve(NAME)).score(["[Y] was here."], ["he"])


def test_words_that_cannot_be_scored_are_named(scorer: Opened) -> None:
    _, opened = scorer
    refused = opened.check(["", " he", "x[Y]", "<s>", "h\N{SNOWMAN}", "he"]).refused
    assert set(refused) == {"", " he", "x[Y]", "<s>", "h\N{SNOWMAN}"}
    assert "'h<unk>'" in refused["h\N{SNOWMAN}"]
    with pytest.raises(ModelError, match="cannot score these words"):
        opened.score(PROMPT, ["h\N{SNOWMAN}"])
    with pytest.raises(TemplateError, match="contains '</s>', which a server may mistake"):
        opened.score([*PROMPT, "The </s> nurse said that [Y]"], ["he"])
    assert opened.score(["With 2 < 3 and 3 > 2 the nurse said that [Y]"], ["he"]).shape == (1, 1)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_each_text_is_asked_for_once(shape: str, serve: Serve) -> None:
    server = serve("llama", shape)
    scorer = open_scorer(resolve(NAME))
    scorer.check(WORDS)
    server.requests.clear()
    scorer.score([*PROMPTS, *PROMPTS], WORDS)
    texts = [prompt.replace("[Y]", word) for prompt in PROMPTS for word in WORDS]
    heads = [prompt.partition("[Y]")[0].rstrip() for prompt in PROMPTS]
    assert sorted(server.prompts) == sorted([*texts, *heads, TEXT])
    per_request = [len(body["prompt"]) for _, body in server.requests if isinstance(body["prompt"], list)]
    assert max(per_request, default=1) == (32 if shape == "prompt_logprobs" else 1)


@pytest.mark.slow
def test_the_order_of_answers_does_not_depend_on_their_speed(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve("llama", "echo")
    use(monkeypatch, PCF_ENDPOINT_CONCURRENCY="4")
    scorer = open_scorer(resolve(NAME))
    expected = scorer.score(PROMPTS, WORDS)
    assert 2 <= server.most_at_once <= 4
    turns = count()
    server.fault = lambda *request: slowly(0 if next(turns) else 0.3)(*request)
    np.testing.assert_array_equal(scorer.score(PROMPTS, WORDS), expected)


@pytest.mark.slow
def test_blocks_come_one_by_one_and_stop_where_asked(serve: Serve) -> None:
    server = serve("llama")
    scorer = open_scorer(resolve(NAME))
    prompts = [f"The nurse number {number} said that [Y]" for number in range(400)]
    batches = scorer.batches(prompts, WORDS)
    batch = next(batches)
    assert batch.rows.tolist() == list(range(64))
    assert batch.nats.shape == (64, len(WORDS))
    batches.close()
    assert len(server.prompts) < 400 * len(WORDS) / 2
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("endpoint")]


def test_who_waits_for_an_answer_can_be_stopped(serve: Serve) -> None:
    """A block is up to 512 texts, which a slow server takes minutes for."""
    server = serve("llama")
    scorer = open_scorer(resolve(NAME))
    scorer.check(WORDS)
    server.fault = slowly(1)
    paused: list[float] = []

    def pause() -> None:
        paused.append(time.monotonic())
        if len(paused) == 3:
            raise InterruptedError

    batches = scorer.batches(
        [f"The nurse number {number} said that [Y]" for number in range(64)], WORDS, pause
    )
    with pytest.raises(InterruptedError):
        next(batches)
    assert len(paused) == 3
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("endpoint")]


def test_one_score_alone_and_what_the_scorer_says_of_itself(serve: Serve) -> None:
    server = serve("opt")
    scorer = open_scorer(resolve(NAME))
    server.requests.clear()
    alone = scorer.alone("The captain met a [Y].", "stepmother")
    assert alone == pytest.approx(scorer_of("opt").alone("The captain met a [Y].", "stepmother"), abs=1e-4)
    assert all(len(body["prompt"]) == 1 for _, body in server.requests)
    assert set(scorer.traits) == {"space", "opening", "batching", "unpinned"}
    assert server.url in scorer.traits["unpinned"]
    assert "1 token" in scorer.traits["opening"]


def test_a_protocol_that_needs_whole_distributions_is_refused(serve: Serve) -> None:
    serve()
    with pytest.raises(ModelError, match="exact-boundary needs whole distributions"):
        open_scorer(resolve(NAME), "exact-boundary")


# Faults.


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (saying(b"[]"), "does not return log-probabilities of the prompt's tokens"),
        (saying(b'{"choices": []}'), r"shape prompt_logprobs \(0 choices for 1 prompts\)"),
        (saying(b'{"choices": [{"index": 0, "text": " he"}]}'), r"\(no 'prompt_token_ids'\)"),
    ],
)
def test_what_does_not_pass_is_one_sentence(scorer: Opened, fault: Any, says: str) -> None:
    server, opened = scorer
    server.fault = fault
    with pytest.raises(ScoringError, match=says) as caught:
        opened.score(PROMPT, PAIR)
    assert "\n" not in str(caught.value)
    assert KEY not in str(caught.value)
    server.fault = slowly(0)
    server.bend = lambda values: [*values[:-1], 0.3]
    with pytest.raises(ScoringError, match=r"as a log-probability, which must be a number of at most 0"):
        opened.score(PROMPT, PAIR)


def test_probability_zero_stays_zero(scorer: Opened) -> None:
    """JSON has no −∞, vLLM writes −9999."""
    server, opened = scorer
    reading = server.model(server.encode("The nurse said that she"))[0]
    server.bend = lambda values: [*values[:-1], -9999.0] if values == reading else values
    nats = opened.score(PROMPT, PAIR)[0]
    assert np.isneginf(nats[1])
    assert np.isfinite(nats[0])


def test_another_model_under_the_same_name_is_noticed(scorer: Opened) -> None:
    server, opened = scorer
    server.bend = lambda values: [value - 1 for value in values]
    with pytest.raises(ScoringError, match=r"has changed .* by 1 nats per token"):
        opened.score(PROMPT, PAIR)
    server.loaded = load_tiny("gpt2")
    with pytest.raises(ScoringError, match="has changed"):
        opened.score(PROMPT, PAIR)

"""Chosen tokens of an endpoint: one text for all words of one token, the same numbers as text by text."""

from __future__ import annotations

import numpy as np
import pytest

from pcf_core.models import endpoint as endpoints
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import open_scorer
from pcf_core.models.scoring.endpoint import EndpointScorer
from tests.models.fake_servers import CompletionsServer
from tests.models.scoring.conftest import Serve, scorer_of
from tests.models.scoring.tiny_tokenizers import PROMPTS, WORDS

NAME = "endpoint:tiny"
WAYS = (("prompt_logprobs", "logprob_token_ids"), ("echo", "score"))
OPEN = [f"The nurse number {number} said that [Y]" for number in range(5)]


def choosing(serve: Serve, model: str, shape: str, way: str) -> tuple[CompletionsServer, EndpointScorer]:
    server = serve(model, shape)
    server.chooses, server.tokenizes = way, True
    scorer = open_scorer(resolve(NAME))
    assert isinstance(scorer, EndpointScorer)
    return server, scorer


def texts_of(server: CompletionsServer) -> int:
    """Texts that the server read, but the test text that shows whether it is still the same model."""
    return len(server.prompts) - 1 + sum(path == "/v1/score" for path, _ in server.requests)


@pytest.mark.parametrize(("shape", "way"), WAYS)
@pytest.mark.parametrize("model", ["gpt2", "llama"])
def test_scores_are_those_of_the_local_scorer(model: str, shape: str, way: str, serve: Serve) -> None:
    """Words of one and of several tokens, at the end and inside of prompts."""
    _, scorer = choosing(serve, model, shape, way)
    assert scorer.findings.chooses == way
    local = scorer_of(model)
    single = [word for word, tokens in local.check(WORDS).tokens.items() if tokens == 1]
    assert sorted(scorer._tokens(WORDS)) == sorted(single)
    np.testing.assert_allclose(scorer.score(PROMPTS, WORDS), local.score(PROMPTS, WORDS), atol=1e-4, rtol=0)


@pytest.mark.parametrize(("shape", "way"), WAYS)
def test_a_prompt_is_one_text_and_one_for_each_other_word(shape: str, way: str, serve: Serve) -> None:
    server, scorer = choosing(serve, "gpt2", shape, way)
    single = list(scorer._tokens(WORDS))
    server.requests.clear()
    scorer.score(OPEN, single)
    assert texts_of(server) == len(OPEN)  # 1 / (words + 1) of what is needed text by text
    server.requests.clear()
    scorer.score(OPEN, WORDS)
    assert texts_of(server) == len(OPEN) * (1 + 1 + len(WORDS) - len(single))
    server.requests.clear()
    scorer.alone(OPEN[0], single[0])  # the self-audit goes text by text
    assert len(server.prompts) == 2


@pytest.mark.parametrize(("shape", "way"), WAYS)
@pytest.mark.parametrize("fault", ["ignored", "other numbers"])
def test_a_server_that_cannot_is_read_text_by_text(fault: str, shape: str, way: str, serve: Serve) -> None:
    """An older server ignores the request; another gives values that its own reading contradicts."""
    server = serve("llama", shape)
    server.tokenizes = True
    if fault == "other numbers":
        server.chooses = way
        read = server.after
        server.after = lambda ids, tokens: [value - 1 for value in read(ids, tokens)]  # type: ignore[method-assign]
    scorer = open_scorer(resolve(NAME))
    assert isinstance(scorer, EndpointScorer)
    assert scorer.findings.chooses == ""
    expected = scorer_of("llama").score(OPEN, WORDS)
    np.testing.assert_allclose(scorer.score(OPEN, WORDS), expected, atol=1e-4, rtol=0)


def test_keys_do_not_depend_on_it(serve: Serve) -> None:
    """The same server after an update: scores keep their key."""
    server = serve("llama")
    before = resolve(NAME)
    server.chooses = "logprob_token_ids"
    endpoints._answers.clear()
    assert resolve(NAME) == before
    scorer = open_scorer(before)
    assert isinstance(scorer, EndpointScorer)
    assert scorer.findings.chooses == "logprob_token_ids"

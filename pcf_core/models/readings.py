"""Log-probabilities of a prompt's tokens, as completions servers tell them.

``prompt_logprobs``
    vLLM's own, with ``return_token_ids`` (vllm.ai/blog, 22 October 2025): ``choices[i].prompt_logprobs`` is
    ``[null, {"<token id>": {"logprob", "rank", "decoded_token"}, …}, …]`` along
    ``choices[i].prompt_token_ids``.  A list of prompts is one request.
``echo``
    OpenAI's legacy way: ``choices[0].logprobs`` holds ``tokens``, ``token_logprobs`` and ``top_logprobs``,
    first those of the prompt (``usage.prompt_tokens`` of them), then of what was generated.  One prompt a
    request, which every such server takes.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pcf_core.errors import ScoringError

NO_PROBABILITY = -9999.0  # servers write it for −∞, which JSON lacks
ROUNDING = 1e-4  # a log-probability may be above 0 by so much


@dataclass(frozen=True)
class Reading:
    """What a server says of one prompt, token by token, all of one length.

    ``labels``: token ids, or the tokens' texts where the server tells no ids.  ``texts``: the tokens' texts,
    empty for the first where it is not told.  ``nats``: log-probability of each token behind all before it,
    NaN for the first, which has nothing before it.  ``best``: the highest log-probability told at each place,
    likewise.
    """

    labels: tuple[int | str, ...]
    texts: tuple[str, ...]
    nats: tuple[float, ...]
    best: tuple[float, ...]


def of_prompt_logprobs(choice: Mapping[str, Any]) -> Reading:
    """A choice in the shape ``prompt_logprobs``.

    Raises:
        KeyError, TypeError, AttributeError, ValueError: another shape.
        ScoringError: what is no log-probability.
    """
    ids, places = choice["prompt_token_ids"], choice["prompt_logprobs"]
    if not ids or len(ids) != len(places) or places[0] is not None:
        raise ValueError(f"{len(places)} places for {len(ids)} tokens")
    if not all(type(token) is int for token in ids):
        raise ValueError("token ids that are no whole numbers")
    own = [place[str(token)] for token, place in zip(ids[1:], places[1:], strict=True)]
    return Reading(
        labels=tuple(ids),
        texts=("", *(str(entry["decoded_token"] or "") for entry in own)),
        nats=(math.nan, *(nats_of(entry["logprob"]) for entry in own)),
        best=(
            math.nan,
            *(max(nats_of(entry["logprob"]) for entry in place.values()) for place in places[1:]),
        ),
    )


def of_echo(logprobs: Mapping[str, Any], count: int) -> Reading:
    """The first ``count`` tokens of ``logprobs`` in the shape ``echo``; raises likewise."""
    tokens, values = logprobs["tokens"], logprobs["token_logprobs"]
    tops = logprobs.get("top_logprobs") or [None] * len(tokens)
    if not 0 < count <= len(tokens) <= count + 1 or not len(tokens) == len(values) == len(tops):
        raise ValueError(f"{len(values)} places for {count} tokens")
    own = [nats_of(value) for value in values[1:count]]
    told = [[nats_of(value) for value in (top or {}).values()] for top in tops[1:count]]
    return Reading(
        labels=tuple(map(str, tokens[:count])),
        texts=tuple(map(str, tokens[:count])),
        nats=(math.nan, *own),
        best=(math.nan, *(max([value, *others]) for value, others in zip(own, told, strict=True))),
    )


def nats_of(value: Any) -> float:
    """A log-probability as servers write it.

    Raises:
        ScoringError: it is NaN, above 0, or no number.
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not value <= ROUNDING:  # as of NaN
        said = reprlib.repr(value) if is_number else type(value).__name__
        raise ScoringError(
            f"The endpoint gave {said} for a log-probability, which is a number up to 0: its model or its "
            "settings (vLLM's --logprobs-mode) are not fit for scoring."
        )
    return -math.inf if value <= NO_PROBABILITY else min(float(value), 0.0)

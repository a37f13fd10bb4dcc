"""What texts from an endpoint will cost, said before they are asked for: requests, tokens, money, time.

**Worked example.**  100 texts of 40 new tokens at most behind a prompt of 6 tokens are 100 requests, 600
tokens read and at most 4,000 written.  At 0.50 a million read and 1.50 a million written that is
0.0003 + 0.006 = 0.0063 at most; at 30 requests a minute it takes 200 seconds at least.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pcf_core.core.generation import GenerationKey, in_one
from pcf_core.core.settings import settings
from pcf_core.models.endpoint import count_tokens
from pcf_core.models.inspected import refuse_asking

CHARACTERS_A_TOKEN = 4  # of English text, in the vocabularies of large models
MILLION = 1_000_000


@dataclass(frozen=True)
class RequestsEstimate:
    """What an endpoint will be asked for.

    ``tokens_in``: what it reads.  ``tokens_out``: what it writes, at most.  ``cost``: at most, in the
    currency of the operator's prices; None where one of the two is not set.  ``seconds``: at least, at the
    operator's rate limit; None where there is none.  ``basis``: where the numbers come from, in sentences.
    """

    requests: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    seconds: float | None
    basis: str


def estimate_requests(asked: Iterable[tuple[str, int]], key: GenerationKey) -> RequestsEstimate:
    """Estimate what texts behind an endpoint cost.

    Prompts are counted by the server's tokenizer where it has one to ask, else by their characters.

    Parameters
    ----------
    asked
        Prompts, each with how many texts are missing behind it; a prompt may come several times.
    key
        Their model and how they are drawn.

    Raises
    ------
    ModelError
        No endpoint is set; the texts came in a log of Inspect.
    """
    refuse_asking(key.model)
    texts: Counter[str] = Counter()
    for prompt, count in asked:
        texts[in_one(key.system, prompt)] += count
    counted = count_tokens(key.model, list(texts)) if texts else []
    lengths = counted if counted is not None else [rough_tokens(prompt) for prompt in texts]
    requests = texts.total()
    tokens_in = sum(length * count for length, count in zip(lengths, texts.values(), strict=True))
    tokens_out = requests * key.decoding.length
    price_in, price_out = settings().endpoint_price_in, settings().endpoint_price_out
    per_minute = settings().endpoint_per_minute
    return RequestsEstimate(
        requests=requests,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=None
        if price_in is None or price_out is None
        else (tokens_in * price_in + tokens_out * price_out) / MILLION,
        seconds=requests * 60 / per_minute if per_minute else None,
        basis=_basis(counted is not None, bool(key.chat_template)),
    )


def rough_tokens(text: str) -> int:
    """Estimate the tokens of a text from its number of characters."""
    return math.ceil(len(text) / CHARACTERS_A_TOKEN)


def _basis(counted: bool, chat: bool) -> str:
    """Say where the numbers come from."""
    by = (
        "by the server's tokenizer"
        if counted
        else f"roughly, one for {CHARACTERS_A_TOKEN} characters, for the server does not count them"
    )
    around = "; what its chat template puts around them is not counted" if chat else ""
    return (
        f"Tokens of the prompts are counted {by}{around}. New tokens are the most that may come; refused "
        "requests that are tried again are not counted."
    )

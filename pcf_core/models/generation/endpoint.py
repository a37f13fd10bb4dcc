"""Texts from a model behind an endpoint, one request each, and what they cost.

The server draws the tokens, so a text cannot be made a second time: an interrupted block is requested again,
and the texts that came are stored.  A text's seed is the first number of its own stream
(:func:`pcf_core.models.generation.base.stream`), so that a server that respects seeds gives other texts to
other indices and, as far as it can, the same ones again.  A text that the server or the model refused is
stored as a refusal: refusals are answers, and who is refused is part of what is measured.

**Worked example.**  Asked for the texts 25 to 49 behind "John is", the server gets 25 requests such as
``{"prompt": "John is", "temperature": 1.0, "top_p": 0.9, "max_tokens": 40, "seed": 1834567890}``, as many at
once as PCF_ENDPOINT_CONCURRENCY says, and the answers are put in the order of the indices.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

from pcf_core.core.errors import GenerationError
from pcf_core.core.generation import BLOCK, Generated, GenerationKey, MissingTexts, in_one
from pcf_core.core.settings import settings
from pcf_core.models.completions import Written, find_form, settle_form, written_of
from pcf_core.models.endpoint import connect, count_tokens
from pcf_core.models.generation.base import Generator, packed, stream
from pcf_core.models.names import refuse_asking

SEEDS = 2**31  # every server takes a number below


class EndpointGenerator(Generator):
    """See the file's docstring.  Holds no connection: each call opens and closes its own.

    When it is opened, it requests a few short texts to find out how the server takes requests.
    """

    device = "endpoint"

    def __init__(self, key: GenerationKey) -> None:
        self.key = key
        with connect(key.model) as server:
            self.form = find_form(server, bool(key.chat_template), draws=key.decoding.temperature > 0)

    def check(self, prompt: str) -> None:
        """See :meth:`pcf_core.models.generation.base.Generator.check`.

        A server says itself what it cannot take.
        """
        if not prompt.strip():
            raise GenerationError("A prompt is empty: give a text that the model can continue.")

    def with_system(self, system: str) -> Self:
        """See :meth:`pcf_core.models.generation.base.Generator.with_system`.

        A chat server is asked for a short text, to find out whether it takes a message of the system.
        """
        other = copy(self)
        other.key = self.key.with_system(system)
        if system and self.form.chat:
            with connect(self.key.model) as server:
                other.form, _ = settle_form(server, self.form, system)
        return other

    def batches(self, wanted: Sequence[MissingTexts]) -> list[list[MissingTexts]]:
        """See :meth:`pcf_core.models.generation.base.Generator.batches`: a block's number of requests."""
        return packed(wanted, BLOCK)

    def write(self, batch: Sequence[MissingTexts], pause: Callable[[], None]) -> list[Generated]:
        """See :meth:`pcf_core.models.generation.base.Generator.write`.

        ``tokens`` are the server's own count, which may include the one that ends a text.
        """
        for part in batch:
            self.check(part.prompt)
        bodies = [
            self.form.body(part.prompt, self.key.decoding, self.seed(part.prompt, index), self.key.system)
            for part in batch
            for index in range(part.first, part.first + part.count)
        ]

        def read(answer: Any) -> Written:
            return written_of(answer, self.form, self.key.decoding.length)

        with connect(self.key.model) as server:
            written = iter(list(server.write(self.form.path, bodies, read, pause)))
        return [
            Generated(
                prompt=part.prompt,
                first=part.first,
                texts=tuple(one.text for one in own),
                ends=tuple(one.end for one in own),
                tokens=tuple(one.tokens for one in own),
            )
            for part in batch
            if (own := list(islice(written, part.count)))
        ]

    def seed(self, prompt: str, index: int) -> int:
        """Return the seed of one text, the same in every run of the key."""
        return int(stream(self.key, prompt, index).integers(SEEDS))


# What texts will cost, calculated before the server is asked: requests, tokens, money, time.
#
# Worked example.  100 texts of 40 new tokens at most behind a prompt of 6 tokens are 100 requests, 600 tokens
# read and at most 4,000 written.  At 0.50 a million read and 1.50 a million written that is
# 0.0003 + 0.006 = 0.0063 at most; at 30 requests a minute it takes at least 200 seconds.


CHARACTERS_A_TOKEN = 4  # of English text, in the vocabularies of large models
MILLION = 1_000_000


@dataclass(frozen=True)
class RequestsEstimate:
    """The requests to an endpoint and what they cost.

    ``tokens_in``: tokens that it reads.  ``tokens_out``: the most that it writes.  ``cost``: the highest
    cost, in the currency of the operator's prices; None if one of the two prices is not set.  ``seconds``:
    the shortest time at the operator's rate limit; None without a limit.  ``basis``: where the numbers come
    from, in sentences.
    """

    requests: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    seconds: float | None
    basis: str


def estimate_requests(wanted: Iterable[tuple[str, int]], key: GenerationKey) -> RequestsEstimate:
    """Estimate what texts behind an endpoint cost.

    The tokens of prompts are counted by the server's tokenizer if it offers one, else by their characters.

    Parameters
    ----------
    wanted
        Prompts, each with the number of texts that are missing behind it; a prompt may come several times.
    key
        Their model and how they are drawn.

    Raises
    ------
    ModelError
        No endpoint is set; the texts came in a log of Inspect.
    """
    refuse_asking(key.model)
    texts: Counter[str] = Counter()
    for prompt, count in wanted:
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

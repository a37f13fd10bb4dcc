"""Texts from a model behind an endpoint, one request each, and what they cost.

The server draws the tokens, so a text cannot be repeated: of an interrupted block only missing texts are
requested again.  A text's seed is the first number of its own stream
(:func:`pcf_core.models.generation.base.stream`), different for each index.  Refusals by server or model are
stored, since who is refused is part of what is measured.

**Worked example.**  For the texts 25 to 49 after "John is", the server gets 25 requests such as ``{"prompt":
"John is", "temperature": 1.0, "top_p": 0.9, "max_tokens": 40, "seed": 1834567890}``, up to
PCF_ENDPOINT_CONCURRENCY at once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

from pcf_core.core.errors import GenerationError, ModelError
from pcf_core.core.frame import TextFrame
from pcf_core.core.generation import BLOCK, Generated, GenerationKey, MissingTexts, in_one
from pcf_core.core.settings import settings
from pcf_core.models.completions import LISTING, Written, find_form, listed_of, settle_form, written_of
from pcf_core.models.endpoint import connect, count_tokens
from pcf_core.models.generation.base import Generator, packed, stream
from pcf_core.models.names import refuse_asking

SEEDS = 2**31  # every server accepts smaller seeds


class EndpointGenerator(Generator):
    """Writes texts through an endpoint; opening it requests a few, to find out how it takes requests."""

    device = "endpoint"

    def __init__(self, key: GenerationKey) -> None:
        self.key = key
        with connect(key.model) as server:
            draws = key.decoding.temperature > 0 and not key.decoding.listed
            self.form = find_form(server, bool(key.chat_template), draws)

    def check(self, prompt: str) -> None:
        """See :meth:`Generator.check`; only empty prompts are refused here."""
        if not prompt.strip():
            raise GenerationError("A prompt is empty: give a text that the model can continue.")

    def with_system(self, system: str, frame: TextFrame | None = None) -> Self:
        """See :meth:`Generator.with_system`; a chat server is asked for a short text."""
        other = copy(self)
        other.key = self.key.with_system(system).in_frame(frame)
        if other.key.told and self.form.chat:
            with connect(self.key.model) as server:
                other.form, _ = settle_form(server, self.form, other.key.told)
        if frame is not None and frame.system and not other.form.systems:
            raise ModelError(
                f"The server of {self.key.model} refuses a system text: leave it out, or choose another "
                "model."
            )
        return other

    def batches(self, wanted: Sequence[MissingTexts]) -> list[list[MissingTexts]]:
        """See :meth:`Generator.batches`: a block's number of requests."""
        return packed(wanted, BLOCK)

    def write(self, batch: Sequence[MissingTexts], pause: Callable[[], None]) -> list[Generated]:
        """See :meth:`Generator.write`; ``tokens`` are the server's own count."""
        for part in batch:
            self.check(part.prompt)
        bodies = [
            self.form.body(part.prompt, self.key.decoding, self.seed(part.prompt, index), self.key.told)
            for part in batch
            for index in range(part.first, part.first + part.count)
        ]

        if self.key.decoding.listed:
            bodies = [body | LISTING for body in bodies]

        def read(answer: Any) -> Written:
            if self.key.decoding.listed:
                return listed_of(answer)
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
        """Return the seed of one text."""
        return int(stream(self.key, prompt, index).integers(SEEDS))


# What texts will cost.  Worked example: 100 texts of at most 40 new tokens after a prompt of 6 tokens are 100
# requests, 600 tokens read and at most 4,000 written.  At 0.50 a million read and 1.50 a million written that
# is at most 0.0003 + 0.006 = 0.0063; at 30 requests a minute it takes at least 200 seconds.


CHARACTERS_A_TOKEN = 4  # of English text, in large vocabularies
MOST_COUNTED = 200  # prompts whose tokens a server counts; of more, as many spread over them
MILLION = 1_000_000


@dataclass(frozen=True)
class RequestsEstimate:
    """The requests to an endpoint and what they cost.

    ``tokens_in``: read.  ``tokens_out``: the most that it writes.  ``cost``: the highest, in the currency of
    the operator's prices, if both are set.  ``seconds``: the shortest time under the rate limit, if there is
    one.  ``basis``: where the numbers come from.
    """

    requests: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    seconds: float | None
    basis: str


def estimate_requests(wanted: Iterable[tuple[str, int]], key: GenerationKey) -> RequestsEstimate:
    """Estimate what texts behind an endpoint cost.

    ``wanted``: prompts, each with a number of missing texts.  Tokens are counted by the server's tokenizer if
    it has one, else estimated.  Raises ModelError if no endpoint is set, or the texts came in an Inspect log.
    """
    refuse_asking(key.model)
    texts: Counter[str] = Counter()
    for prompt, count in wanted:
        texts[in_one(key.told, prompt)] += count
    some = list(texts)[:: max(1, -(-len(texts) // MOST_COUNTED))]
    counted = count_tokens(key.model, some) if texts else []
    lengths = counted if counted is not None else [rough_tokens(prompt) for prompt in some]
    requests = texts.total()
    read = sum(length * texts[prompt] for prompt, length in zip(some, lengths, strict=True))
    tokens_in = round(read * requests / max(1, sum(map(texts.__getitem__, some))))
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
    """Estimate the tokens of a text from its length."""
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

"""Texts from a model behind an endpoint: one request a text, its seed that of the prompt and the index.

The server draws, so nothing here makes a text the same twice: a block that was interrupted is asked for
again, and what is stored is what came.  A text's seed is the first number of its own stream
(:func:`pcf_core.models.generation.base.stream`), so that a server that keeps to seeds gives other texts to
other indices and, as far as it can, the same ones again.  A text that the server or the model refused is kept
as such: refusals are answers, and who is refused is part of what is measured.

**Worked example.**  Asked for the texts 25 to 49 behind "John is", the server gets 25 requests such as
``{"prompt": "John is", "temperature": 1.0, "top_p": 0.9, "max_tokens": 40, "seed": 1834567890}``, as many at
once as PCF_ENDPOINT_CONCURRENCY says, and the answers are put in the order of the indices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from itertools import islice
from typing import Any, Self

from pcf_core.core.errors import GenerationError
from pcf_core.core.generation import BLOCK, Generated, GenerationKey, MissingTexts
from pcf_core.models.completions import Written, agree, find_manner, written_of
from pcf_core.models.endpoint import connect
from pcf_core.models.generation.base import Generator, packed, stream

SEEDS = 2**31  # every server takes a number below


class EndpointGenerator(Generator):
    """See the file's docstring.  Holds no connection: each call opens and closes its own.

    Opening it asks the server for a few short texts, to find out how it wants to be asked.

    Raises
    ------
    ModelError
        No endpoint is set; its server does not draw its tokens.
    ScoringError
        The server cannot be reached, or refuses.
    """

    device = "endpoint"

    def __init__(self, key: GenerationKey) -> None:
        self.key = key
        with connect(key.model) as server:
            self.manner = find_manner(server, bool(key.chat_template), draws=key.decoding.temperature > 0)

    def check(self, prompt: str) -> None:
        """See :meth:`pcf_core.models.generation.base.Generator.check`.

        A server says itself what it cannot take.
        """
        if not prompt.strip():
            raise GenerationError("A prompt is empty: give text that the model can go on from.")

    def with_system(self, system: str) -> Self:
        """See :meth:`pcf_core.models.generation.base.Generator.with_system`.

        A chat server is asked for a short text, to find out whether it takes a message of the system.
        """
        told = copy(self)
        told.key = self.key.with_system(system)
        if system and self.manner.chat:
            with connect(self.key.model) as server:
                told.manner, _ = agree(server, self.manner, system)
        return told

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
            self.manner.body(part.prompt, self.key.decoding, self.seed(part.prompt, index), self.key.system)
            for part in batch
            for index in range(part.first, part.first + part.count)
        ]

        def read(answer: Any) -> Written:
            return written_of(answer, self.manner, self.key.decoding.length)

        with connect(self.key.model) as server:
            written = iter(list(server.write(self.manner.path, bodies, read, pause)))
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

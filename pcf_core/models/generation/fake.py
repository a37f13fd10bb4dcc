"""A generator of given texts, for tests, demonstrations and timing of everything but models."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Self

import numpy as np

from pcf_core.core.generation import Decoding, Generated, GenerationKey, MissingTexts, in_one
from pcf_core.models.generation.base import Generator, end_of, stream

Distribution = Mapping[str, float]  # text to probability; they add up to 1


class FakeGenerator(Generator):
    """Draws each text from a given distribution with the text's own stream, without torch.

    ``distribution`` gives the texts of a prompt and their probabilities, as a function or one table for all
    prompts.  Temperature, top-p and length have no effect; a text's tokens are its words.  Each part takes
    ``delay`` seconds, so that progress can be watched.  ``written`` counts the texts that were made.
    """

    def __init__(
        self,
        distribution: Callable[[str], Distribution] | Distribution,
        *,
        name: str = "fake",
        delay: float = 0.0,
        key: GenerationKey | None = None,
    ) -> None:
        self.key = key or GenerationKey(
            model=name, identity=name, tokenizer=name, family="fake", rules="1", decoding=Decoding()
        )
        self.distribution = distribution
        self.delay = delay
        self.written = 0

    def check(self, prompt: str) -> None:
        """Accept every prompt."""

    def with_system(self, system: str) -> Self:
        """See :meth:`pcf_core.models.generation.base.Generator.with_system`.

        The distribution is that of the prompt with the system prompt in front of it, and ``written`` goes on
        counting.
        """
        other = copy(self)
        other.key = self.key.with_system(system)
        return other

    def write(self, batch: Sequence[MissingTexts], pause: Callable[[], None]) -> list[Generated]:
        """See :meth:`pcf_core.models.generation.base.Generator.write`.

        ``pause`` is called before each part.
        """
        return [self._written(part, pause) for part in batch]

    def _written(self, part: MissingTexts, pause: Callable[[], None]) -> Generated:
        whole = in_one(self.key.system, part.prompt)
        table = self.distribution if isinstance(self.distribution, Mapping) else self.distribution(whole)
        choices = list(table)
        cumulative = np.cumsum(list(table.values()))
        pause()
        time.sleep(self.delay)
        texts: list[str] = []
        for index in range(part.first, part.first + part.count):
            target = stream(self.key, part.prompt, index).random() * cumulative[-1]
            texts.append(choices[int(cumulative.searchsorted(target, side="right"))])
        self.written += part.count
        return Generated(
            prompt=part.prompt,
            first=part.first,
            texts=tuple(texts),
            ends=tuple(end_of(text, stopped=True) for text in texts),
            tokens=tuple(len(text.split()) for text in texts),
        )

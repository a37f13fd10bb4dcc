"""The seam that every generator implements.  No torch here.

**A text is a function of (generation key, prompt, index).**  Its uniform numbers come from a stream of its
own, and no row of a forward pass depends on its neighbours (:mod:`pcf_core.models.generation.local`).  So a
local model writes the same texts with whatever others, in whatever order, after whatever interruption.

**Texts that decline in words, told from others by how they begin.**  A server says of few refusals that they
are any; most models write "I'm sorry, but I can't help with that" and end like after any other text.  Such a
text counts when one of ``OPENINGS`` stands at its beginning, be it behind "Sorry," or "Unfortunately,".  The
list was written by hand from the usual wordings of English chat models: it misses others, and a person in a
story may speak so too, so texts are counted and never left out.

**Worked example.**  "I'm sorry, but I can't help with that." and "As an AI language model, I …" decline;
"Sorry to hear that, said John" and "I cannot wait to see him" do not.
"""

from __future__ import annotations

import abc
import re
from collections.abc import Callable, Sequence
from typing import Self

import numpy as np

from pcf_core.core.generation import End, Generated, GenerationKey, MissingTexts, joined, parts
from pcf_core.core.records import digest


class Generator(abc.ABC):
    """Writes texts behind prompts; ``key`` is all that decides them."""

    key: GenerationKey

    @abc.abstractmethod
    def check(self, prompt: str) -> None:
        """Refuse a prompt that cannot be gone on from, without writing: :meth:`write` refuses the same.

        Raises
        ------
        GenerationError
            The prompt is empty, holds a special token, or is too long for the model.
        """

    @abc.abstractmethod
    def with_system(self, system: str) -> Self:
        """Give the open model another system prompt, inside the block.

        It is a message of its own where the model takes one, else put in front of the prompt
        (:func:`~pcf_core.core.generation.in_one`).

        Raises
        ------
        ScoringError
            A server that has to be asked how it takes it cannot be reached, or refuses.
        """

    def batches(self, wanted: Sequence[MissingTexts]) -> list[list[MissingTexts]]:
        """Say which of these parts of blocks are best written together: here each by itself."""
        return [[part] for part in wanted]

    @abc.abstractmethod
    def write(self, batch: Sequence[MissingTexts], pause: Callable[[], None]) -> list[Generated]:
        """Write the texts of some of a batch that :meth:`batches` made, a record for each part.

        ``pause`` is called often (between two tokens, or while waiting for a server); what it raises ends the
        work, and nothing is kept of it.

        Raises
        ------
        GenerationError
            A prompt is empty, or too long for the model.
        ScoringError
            The model failed: NaN, out of memory, the device or the server was lost.
        """

    def generate(self, prompt: str, first: int, count: int, pause: Callable[[], None]) -> Generated:
        """Write the texts of one prompt, those of the indices ``first`` to ``first + count − 1``."""
        batches = self.batches(list(parts(prompt, first, count)))
        return joined([texts for batch in batches for texts in self.write(batch, pause)])


def packed(wanted: Sequence[MissingTexts], most: int) -> list[list[MissingTexts]]:
    """Put parts of blocks together, in their order, to batches of ``most`` texts; a larger part is one."""
    batches: list[list[MissingTexts]] = []
    filled = most
    for part in wanted:
        if filled + part.count > most:
            batches.append([])
            filled = 0
        batches[-1].append(part)
        filled += part.count
    return batches


def stream(key: GenerationKey, prompt: str, index: int) -> np.random.Generator:
    """Return the random numbers of one text."""
    return np.random.default_rng(int(digest([key.hash, prompt, index]), 16))


def end_of(text: str, stopped: bool) -> End:
    """Return how a text ended: ``stopped`` says that the model ended it, not the length."""
    if not text.strip():
        return "empty"
    return "stop" if stopped else "length"


# Texts that decline in words, told from others by how they begin.


BEFORE = (
    r"(?:(?:i(?:'m| am) (?:very |really |so )?sorry|sorry|i apologi[sz]e|unfortunately)[,.!]?\s*(?:but )?)"
)
CANNOT = r"i(?: am|'m)? (?:cannot|can't|can not|won't|will not|unable to|not able to|must decline to)"
ASKED = (
    r"(?:help|assist|comply|fulfil|fulfill|provide|write|create|generate|continue|complete|answer|engage|"
    r"support|do that|do this|discuss|make|produce|respond|say|determine|tell)"
)
OPENINGS = re.compile(
    rf"\s*[\"“]?(?:{BEFORE}?{CANNOT} {ASKED}\b|{BEFORE}?as an ai\b|i(?:'m| am) (?:just )?an ai\b|"
    r"i must (?:respectfully )?decline\b|i (?:respectfully )?decline to\b)",
    re.IGNORECASE,
)


def declines(text: str) -> bool:
    """Tell whether a text begins as one that declines."""
    return bool(OPENINGS.match(text.replace("’", "'")))


def count_declining(written: Generated) -> int:
    """Count the texts that decline in words; those that a server called refused are counted there."""
    return sum(
        end in ("stop", "length") and declines(text)
        for text, end in zip(written.texts, written.ends, strict=True)
    )

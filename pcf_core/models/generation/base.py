"""The interface of every generator.  No torch here.

**A text is a function of (generation key, prompt, index).**  Its uniform numbers come from a stream of its
own, and no row of a forward pass depends on its neighbours (:mod:`pcf_core.models.generation.local`).  So a
local model writes the same texts in any batch, in any order, and after any interruption.

**Texts that decline** are recognised by their beginning.  Servers mark few refusals; most models write "I'm
sorry, but I can't help with that" and stop as after any other text.  A text counts as declining if one of
``OPENINGS`` stands at its beginning, possibly after "Sorry," or "Unfortunately,".  The list was written by
hand from the usual wordings of English chat models.  It misses others, and a person in a story may speak in
the same way, so these texts are counted and never left out.

**Worked example.**  "I'm sorry, but I can't help with that." and "As an AI language model, I …" decline;
"Sorry to hear that, said John" and "I cannot wait to see him" do not.

**Opening.**  Torch is imported only when a local model is opened.
"""

from __future__ import annotations

import abc
import re
from collections.abc import Callable, Sequence
from pkgutil import resolve_name
from typing import Self

import numpy as np

from pcf_core.core.families import FAMILIES
from pcf_core.core.generation import Decoding, End, Generated, GenerationKey, MissingTexts, joined, parts
from pcf_core.core.records import digest
from pcf_core.core.run import ModelSpec
from pcf_core.models.names import refuse_asking, require_allowed


class Generator(abc.ABC):
    """Writes texts that continue or answer prompts; ``key`` is all that they depend on."""

    key: GenerationKey

    @abc.abstractmethod
    def check(self, prompt: str) -> None:
        """Refuse a prompt that :meth:`write` would refuse, without writing.

        Raises
        ------
        GenerationError
            The prompt is empty, holds a special token, or is too long for the model.
        """

    @abc.abstractmethod
    def with_system(self, system: str) -> Self:
        """Return this generator with another system prompt; the open model is shared.

        The system prompt is a message of its own if the model takes one, else it precedes the prompt
        (:func:`~pcf_core.core.generation.in_one`).

        Raises
        ------
        ScoringError
            A server that has to be asked whether it takes such a message cannot be reached, or refuses.
        """

    def batches(self, wanted: Sequence[MissingTexts]) -> list[list[MissingTexts]]:
        """Group the parts of blocks that are best written together; here each is a group."""
        return [[part] for part in wanted]

    @abc.abstractmethod
    def write(self, batch: Sequence[MissingTexts], pause: Callable[[], None]) -> list[Generated]:
        """Write the texts of a batch of :meth:`batches`, or of some of its parts; a record for each part.

        ``pause`` is called often (between two tokens, or while waiting for a server); what it raises ends the
        work, and its texts are lost.

        Raises
        ------
        GenerationError
            A prompt is empty, or too long for the model.
        ScoringError
            The model failed: NaN, out of memory, the device or the server was lost.
        """

    def generate(self, prompt: str, first: int, count: int, pause: Callable[[], None]) -> Generated:
        """Write the texts of one prompt with the indices ``first`` to ``first + count − 1``."""
        batches = self.batches(list(parts(prompt, first, count)))
        return joined([texts for batch in batches for texts in self.write(batch, pause)])


def packed(wanted: Sequence[MissingTexts], most: int) -> list[list[MissingTexts]]:
    """Group parts of blocks, in their order, into batches of at most ``most`` texts; a larger part is one."""
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
    """Return how a text ended; ``stopped``: the model ended it, not the greatest length."""
    if not text.strip():
        return "empty"
    return "stop" if stopped else "length"


# Texts that decline in words.


BEFORE = (
    r"(?:(?:i(?:'m| am) (?:very |really |so )?sorry|sorry|i apologi[sz]e|unfortunately)[,.!]?\s*(?:but )?)"
)
CANNOT = r"i(?: am|'m)? (?:cannot|can't|can not|won't|will not|unable to|not able to|must decline to)"
TASKS = (
    r"(?:help|assist|comply|fulfil|fulfill|provide|write|create|generate|continue|complete|answer|engage|"
    r"support|do that|do this|discuss|make|produce|respond|say|determine|tell)"
)
OPENINGS = re.compile(
    rf"\s*[\"“]?(?:{BEFORE}?{CANNOT} {TASKS}\b|{BEFORE}?as an ai\b|i(?:'m| am) (?:just )?an ai\b|"
    r"i must (?:respectfully )?decline\b|i (?:respectfully )?decline to\b)",
    re.IGNORECASE,
)


def declines(text: str) -> bool:
    """Tell whether a text begins like one that declines."""
    return bool(OPENINGS.match(text.replace("’", "'")))


def count_declining(written: Generated) -> int:
    """Count the texts that decline in words, without those that a server marked as refused."""
    return sum(
        end in ("stop", "length") and declines(text)
        for text, end in zip(written.texts, written.ends, strict=True)
    )


def open_generator(spec: ModelSpec, decoding: Decoding) -> Generator:
    """Load the model and return its generator.

    Raises
    ------
    GenerationError
        A family that cannot write.
    ModelError
        A model that may not be used, cannot be reached or loaded; an endpoint that does not draw its tokens.
    ScoringError
        The endpoint cannot be reached, or refuses.
    """
    refuse_asking(spec.name)
    require_allowed(spec.name)
    key = GenerationKey.of(spec, decoding)
    make: Callable[..., Generator] = resolve_name(FAMILIES[spec.family].generator)
    if spec.family == "endpoint":
        return make(key)
    from pcf_core.models.loading import load

    return make(load(spec), key, context=spec.context)

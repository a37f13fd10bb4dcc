"""The interface of every generator.  No torch here.

**A text is a function of (generation key, prompt, index).**  Its random numbers come from a stream of its
own, and no row of a forward pass depends on others (:mod:`pcf_core.models.generation.local`), so a local
model writes the same texts in any batch, in any order, and after any interruption.

**Texts that decline.**  Servers mark few refusals; most models write "I'm sorry, but I can't help with that".
A text declines if one of ``OPENINGS`` is at its beginning, possibly after "Sorry," or "Unfortunately,".  The
hand-written list misses some, and people in stories may speak like this, so these texts are counted but never
left out.  **Worked example.**  "I'm sorry, but I can't help with that." and "As an AI language model, I …"
decline; "Sorry to hear that, said John" and "I cannot wait to see him" do not.
"""

from __future__ import annotations

import abc
import re
from collections.abc import Callable, Sequence
from pkgutil import resolve_name
from typing import Self

import numpy as np

from pcf_core.core.families import FAMILIES
from pcf_core.core.frame import TextFrame
from pcf_core.core.generation import Decoding, End, Generated, GenerationKey, MissingTexts, joined, parts
from pcf_core.core.records import digest
from pcf_core.core.run import ModelSpec
from pcf_core.models.names import refuse_asking, require_allowed


class Generator(abc.ABC):
    """Writes texts that continue or answer prompts; ``key`` is all that they depend on."""

    key: GenerationKey

    @abc.abstractmethod
    def check(self, prompt: str) -> None:
        """Raise GenerationError for a prompt that is empty, has a special token, or is too long."""

    @abc.abstractmethod
    def with_system(self, system: str, frame: TextFrame | None = None) -> Self:
        """Return this generator with another system prompt, and in a frame; the model is shared.

        The prompt is a message of its own if the model takes one, else it precedes the user's
        (:func:`~pcf_core.core.generation.in_one`).  Raises ModelError for a frame that the model cannot have,
        and ScoringError if a server that must be asked fails.
        """

    def batches(self, wanted: Sequence[MissingTexts]) -> list[list[MissingTexts]]:
        """Group the parts of blocks that are best written together; by default each alone."""
        return [[part] for part in wanted]

    @abc.abstractmethod
    def write(self, batch: Sequence[MissingTexts], pause: Callable[[], None]) -> list[Generated]:
        """Write the texts of a batch of :meth:`batches`, or of some of its parts; a record for each part.

        ``pause``: called often; an exception from it ends the work, and its texts are lost.  Raises
        GenerationError for a prompt, ScoringError if the model fails (NaN, memory, device, server).
        """

    def generate(self, prompt: str, first: int, count: int, pause: Callable[[], None]) -> Generated:
        """Write the texts of one prompt with the indices ``first`` to ``first + count − 1``."""
        batches = self.batches(list(parts(prompt, first, count)))
        return joined([texts for batch in batches for texts in self.write(batch, pause)])


def packed(wanted: Sequence[MissingTexts], most: int) -> list[list[MissingTexts]]:
    """Group parts of blocks, in order, into batches of at most ``most`` texts, or one larger part."""
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
    """Return how a text ended; ``stopped``: by the model, not by the maximum length."""
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
    """Count the texts that decline in words, without marked refusals."""
    return sum(
        end in ("stop", "length") and declines(text)
        for text, end in zip(written.texts, written.ends, strict=True)
    )


def open_generator(spec: ModelSpec, decoding: Decoding) -> Generator:
    """Load the model and return its generator.

    Raises GenerationError for a family that cannot write, ModelError for a model that is not allowed or
    available, or an endpoint that does not sample, ScoringError if the endpoint fails.
    """
    refuse_asking(spec.name)
    require_allowed(spec.name)
    key = GenerationKey.of(spec, decoding)
    make: Callable[..., Generator] = resolve_name(FAMILIES[spec.family].generator)
    if spec.family == "endpoint":
        return make(key)
    from pcf_core.models.loading import load

    return make(load(spec), key, context=spec.context)

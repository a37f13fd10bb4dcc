"""Texts that a model writes: how they are drawn, all that decides them, and what came."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import SerializerFunctionWrapHandler, model_serializer, model_validator

from pcf_core.core.errors import GenerationError
from pcf_core.core.families import FAMILIES
from pcf_core.core.records import Record, digest
from pcf_core.core.run import IMPORTED, ModelSpec, imported_name

BLOCK = 25  # texts of one prompt that are stored together, at most
End = Literal["stop", "length", "refused", "empty"]

# Before the name of a model whose texts came in a log of Inspect: inspect:openai/gpt-4o@2026-11-23
INSPECTED = "inspect:"
LONGEST = 4096  # new tokens that may be requested
HOTTEST = 10.0  # temperature


class Decoding(Record):
    """How the next token is drawn.

    ``temperature``: the logits are divided by it; 0 takes the likeliest token, and every text of a prompt is
    the same.  ``top_p``: only the likeliest tokens that together have this probability can be drawn (nucleus
    sampling, Holtzman et al. 2020, https://arxiv.org/abs/1904.09751); 1 allows all.  ``length``: new tokens
    at most.  ``seed``: another one gives other texts.

    Raises
    ------
    GenerationError
        A value outside its range.
    """

    temperature: float = 1.0
    top_p: float = 0.9
    length: int = 40
    seed: int = 0

    @model_validator(mode="after")
    def _in_range(self) -> Decoding:
        if not (math.isfinite(self.temperature) and 0 <= self.temperature <= HOTTEST):
            raise GenerationError(
                f"The temperature must lie between 0 (always the likeliest token) and {HOTTEST:g}; "
                f"{self.temperature:g} was given. At 1 the model's own probabilities are used."
            )
        if not 0 < self.top_p <= 1:
            raise GenerationError(
                f"top-p must be above 0 and at most 1; {self.top_p:g} was given. At 1 all tokens are allowed."
            )
        if not 1 <= self.length <= LONGEST:
            raise GenerationError(
                f"The length must be 1 to {LONGEST:,} new tokens; {self.length:,} were requested. A sentence "
                "or two have about 40."
            )
        return self


class GenerationKey(Record):
    """All that decides the texts of a prompt, and nothing else; a server that decides more is unpinned.

    ``chat_template``: hash of the template that makes a user's message of the prompt, empty where the model
    goes on from the prompt itself.  ``system``: the instruction before every prompt, as a message of
    its own where there are messages; a key without one is written as it was before there was any.
    """

    model: str
    identity: str
    tokenizer: str
    family: str
    rules: str
    dtype: str = "float32"
    chat_template: str = ""
    decoding: Decoding = Decoding()
    system: str = ""

    @model_serializer(mode="wrap")
    def _without_empty_system(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields: dict[str, Any] = handler(self)
        return fields if self.system else {name: fields[name] for name in fields if name != "system"}

    @classmethod
    def of(cls, spec: ModelSpec, decoding: Decoding) -> GenerationKey:
        """Return the key of a model whose family can write; an encoder–decoder continues the prompt itself.

        Raises
        ------
        GenerationError
            The family fills gaps in a text and cannot go on from one.
        """
        facts = FAMILIES[spec.family]
        if not facts.generator:
            raise GenerationError(
                f"The model {spec.name} is {spec.family}, which fills gaps and cannot write a text: choose a "
                "causal model, an encoder–decoder or an endpoint."
            )
        return cls(
            model=spec.name,
            identity=spec.identity,
            tokenizer=spec.tokenizer,
            family=spec.family,
            rules=facts.writing_rules,
            dtype=spec.dtype,
            chat_template=spec.chat_template if facts.chats else "",
            decoding=decoding,
        )

    @property
    def imported(self) -> bool:
        """Whether the texts came in a pack: nobody here has seen the weights."""
        return self.model.startswith(IMPORTED)

    @property
    def as_imported(self) -> GenerationKey:
        """The key of the same texts where they are imported: another name, and so another hash."""
        name = imported_name(self.model, self.identity, self.tokenizer, self.family)
        return self.model_copy(update={"model": name})

    def with_system(self, system: str) -> GenerationKey:
        """Return the same model and decoding with another system prompt."""
        return self.model_copy(update={"system": system})

    @property
    def inspected(self) -> bool:
        """Whether the texts came in a log of Inspect: the model was never called here."""
        return self.model.startswith(INSPECTED)

    @property
    def hash(self) -> str:
        """The key under which texts of this model and decoding are stored."""
        return digest(self.model_dump())


def in_one(system: str, prompt: str) -> str:
    """Join system prompt, an empty line and prompt; without a system prompt return the prompt alone."""
    return f"{system}\n\n{prompt}" if system else prompt


@dataclass(frozen=True)
class Generated:
    """Texts of one prompt, those of the indices ``first``, ``first + 1``, ….

    ``texts``: [text] continuations alone, without the prompt, as the model gave them (a space in front where
    it wrote one).  ``ends``: [text] the model ended it (``stop``), or the length did (``length``), a server
    refused it (``refused``), or there is nothing but white space (``empty``).  ``tokens``: [text] new tokens
    of each, the one that ends a text not counted; 0 where a server does not say.

    Raises
    ------
    ValueError
        The three are not of one length.
    """

    prompt: str
    first: int
    texts: tuple[str, ...]
    ends: tuple[End, ...]
    tokens: tuple[int, ...]

    def __post_init__(self) -> None:
        if not len(self.texts) == len(self.ends) == len(self.tokens):
            raise ValueError(
                f"{len(self.texts)} texts, {len(self.ends)} ends, {len(self.tokens)} numbers of tokens"
            )


@dataclass(frozen=True)
class MissingTexts:
    """Texts of one prompt that have to be written: ``count`` of them from the index ``first``."""

    prompt: str
    first: int
    count: int = BLOCK


def parts(prompt: str, first: int, count: int) -> Iterator[MissingTexts]:
    """Cut the indices ``first`` to ``first + count − 1`` at the multiples of ``BLOCK``."""
    end = first + count
    while first < end:
        until = min(end, first - first % BLOCK + BLOCK)
        yield MissingTexts(prompt, first, until - first)
        first = until


def joined(blocks: Sequence[Generated], count: int | None = None) -> Generated:
    """Join texts that follow each other; the first ``count`` of them, or all."""
    return Generated(
        prompt=blocks[0].prompt,
        first=blocks[0].first,
        texts=tuple(text for block in blocks for text in block.texts)[:count],
        ends=tuple(end for block in blocks for end in block.ends)[:count],
        tokens=tuple(number for block in blocks for number in block.tokens)[:count],
    )

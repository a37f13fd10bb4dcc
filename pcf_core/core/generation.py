"""Generated texts: their sampling settings, key and results."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from pcf_core.core.errors import GenerationError
from pcf_core.core.families import FAMILIES
from pcf_core.core.frame import TextFrame, framed_name
from pcf_core.core.records import Record, digest
from pcf_core.core.run import IMPORTED, ModelSpec, Opening, imported_name, is_usual, model_label

BLOCK = 25  # most texts of one prompt that are stored together
End = Literal["stop", "length", "refused", "empty"]

# Prefix of a model whose texts came in an Inspect log: inspect:openai/gpt-4o@2026-11-23
INSPECTED = "inspect:"
LONGEST = 4096  # new tokens that may be requested
HOTTEST = 10.0  # temperature


class Decoding(Record):
    """How the next token is sampled.

    ``temperature``: 0 always takes the likeliest token, so all texts of a prompt are equal.  ``top_p``:
    nucleus sampling (Holtzman et al. 2020, https://arxiv.org/abs/1904.09751); 1 allows all tokens.
    ``length``: most new tokens.  ``listed``: instead of a text, so many of the likeliest first tokens with
    their logarithmic probabilities, as a JSON list of pairs.  Raises GenerationError for a value outside its
    range.
    """

    temperature: float = 1.0
    top_p: float = 0.9
    length: int = 40
    seed: int = 0
    listed: int = Field(0, exclude_if=operator.not_)  # keeps the hashes of texts

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
    """Everything that decides the texts of a prompt, as far as the server is pinned.

    ``chat_template``: hash of the template that turns the prompt into a user's message, empty if the prompt
    itself is continued.  ``system``: the experiment's instruction before every prompt; ``frame``: what else
    stands around the prompts, ``None`` if that is what suits the model.  ``opening``: tokens before a bare
    text, if not the tokenizer's.  Keys without one omit the field, as before it existed.
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
    frame: TextFrame | None = Field(None, exclude_if=operator.not_)
    opening: Opening = Field(None, exclude_if=is_usual)

    @model_validator(mode="after")
    def _can_be_framed(self) -> GenerationKey:
        if self.frame is None:
            return self
        frame, chat = self.frame, self.frame.kind == "chat"
        if {chat} != {bool(self.chat_template), bool(frame.system or frame.instruction)} or frame.text:
            raise ValueError(f"the frame {frame!r} with the chat template {self.chat_template!r}")
        return self

    @model_serializer(mode="wrap")
    def _without_empty_system(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields: dict[str, Any] = handler(self)
        return fields if self.system else {name: fields[name] for name in fields if name != "system"}

    @classmethod
    def of(cls, spec: ModelSpec, decoding: Decoding) -> GenerationKey:
        """Return the key of a model that can write; raise GenerationError if the family fills gaps."""
        facts = FAMILIES[spec.family]
        if not facts.generator:
            raise GenerationError(
                f"The model {spec.name} is {spec.family}, which fills gaps and cannot write a text: choose a "
                "causal model, an encoder–decoder or an endpoint."
            )
        chat_template = spec.chat_template if facts.chats else ""
        return cls(
            model=spec.name,
            identity=spec.identity,
            tokenizer=spec.tokenizer,
            family=spec.family,
            rules=facts.writing_rules,
            dtype=spec.dtype,
            chat_template=chat_template,
            decoding=decoding,
            opening=None if chat_template else spec.opening,
        )

    @property
    def imported(self) -> bool:
        """Whether the texts came in a pack, from weights that were never verified here."""
        return self.model.startswith(IMPORTED)

    @property
    def as_imported(self) -> GenerationKey:
        """The key of the same texts once imported: another name and hash."""
        name = imported_name(self.model, self.identity, self.tokenizer, self.family)
        return self.model_copy(update={"model": name})

    def with_system(self, system: str) -> GenerationKey:
        """Return the same key with another system prompt."""
        return self.model_copy(update={"system": system})

    def in_frame(self, frame: TextFrame | None, opening: Opening = None) -> GenerationKey:
        """Return the same key with this frame; a bare one has no chat template, but may have an opening."""
        framed = self.model_copy(update={"frame": frame})
        if frame is None or frame.kind != "bare":
            return framed
        opening = opening if self.opening is None else self.opening
        return framed.model_copy(update={"chat_template": "", "opening": opening})

    @property
    def told(self) -> str:
        """The system text: that of the frame, then that of the experiment."""
        return self.system if self.frame is None else in_one(self.frame.system, self.system)

    @property
    def begins_answer(self) -> bool:
        """Whether the prompt is the beginning of the model's answer in a chat."""
        return self.frame is not None and bool(self.frame.instruction)

    @property
    def name(self) -> str:
        """The model's name, with its frame."""
        return framed_name(self.model, self.frame)

    @property
    def label(self) -> str:
        """The name, with the precision if that is not float32."""
        return model_label(self.name, self.dtype)

    @property
    def inspected(self) -> bool:
        """Whether the texts came in an Inspect log: the model was never called here."""
        return self.model.startswith(INSPECTED)

    @property
    def hash(self) -> str:
        """The key under which texts of this model and decoding are stored."""
        return digest(self.model_dump())


def in_one(system: str, prompt: str) -> str:
    """Join system prompt and prompt with an empty line between, or return the one that there is."""
    return f"{system}\n\n{prompt}" if system and prompt else system or prompt


@dataclass(frozen=True)
class Generated:
    """Texts of one prompt with the indices ``first``, ``first + 1``, ….

    ``texts``: continuations without the prompt, with any leading space.  ``ends``: by the model (``stop``),
    by the length, refused by a server, or ``empty`` (only white space).  ``tokens``: new tokens without the
    closing one, 0 if unknown.  Raises ValueError if the three differ in length.
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
    """Texts of one prompt that have to be written: ``count`` of them from index ``first``."""

    prompt: str
    first: int
    count: int = BLOCK


def parts(prompt: str, first: int, count: int) -> Iterator[MissingTexts]:
    """Divide the indices ``first`` to ``first + count − 1`` at multiples of ``BLOCK``."""
    end = first + count
    while first < end:
        until = min(end, first - first % BLOCK + BLOCK)
        yield MissingTexts(prompt, first, until - first)
        first = until


def joined(blocks: Sequence[Generated], count: int | None = None) -> Generated:
    """Join consecutive texts; the first ``count`` of them, or all."""
    return Generated(
        prompt=blocks[0].prompt,
        first=blocks[0].first,
        texts=tuple(text for block in blocks for text in block.texts)[:count],
        ends=tuple(end for block in blocks for end in block.ends)[:count],
        tokens=tuple(number for block in blocks for number in block.tokens)[:count],
    )

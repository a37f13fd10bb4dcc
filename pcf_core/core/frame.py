"""A frame: the text around every sentence that a model scores, nothing (``bare``) or a turn of its chat.

Texts that a model writes have a frame too, a :class:`TextFrame`.
"""

from __future__ import annotations

import re
from textwrap import shorten
from typing import ClassVar, Literal

from pydantic import field_validator

from pcf_core.core.options import option
from pcf_core.core.records import Record, digest

INSTRUCTION = "Continue the text."
LONGEST_QUOTE = 30  # characters of a text in a name
FRAMED = re.compile(r" \((bare|chat(, .*“.*”)?)\)$")


class Frame(Record):
    """What is wanted around every sentence, and the text that a model's chat template makes of it.

    In a chat, ``instruction`` is the user's message, and the model's answer begins with the sentence up to
    ``[Y]``.  ``text``: everything before the sentence, empty until ``models/frames.py`` has rendered it;
    scores depend on it alone.  ``date``: the fixed one of a template that asks for today's.
    """

    usual: ClassVar[str] = INSTRUCTION

    kind: Literal["bare", "chat"] = "bare"
    system: str = ""
    instruction: str = INSTRUCTION
    text: str = ""
    date: str = ""

    @field_validator("system", "instruction")
    @classmethod
    def _stripped(cls, text: str) -> str:
        return text.strip()


class TextFrame(Frame):
    """What stands around the prompts of texts, where it is not what suits the model.

    That is a chat with nothing but the prompt, if the model has one, else ``bare``: it continues the prompt
    itself.  In a chat with an ``instruction``, which is then the user's message, the answer begins with the
    prompt; else the prompt is the user's message.  ``text`` is empty: a key has the template's hash.
    """

    usual: ClassVar[str] = ""

    instruction: str = ""


class Frames(Record):
    """The frames of a request: bare sentences, or a chat for each system text (or for none)."""

    prefix: ClassVar[str] = "score_"

    kind: Literal["bare", "chat"] = option(
        "bare",
        title="Around each sentence",
        help="In a chat, each sentence is the beginning of the model's answer to a message, as people use "
        "chat models. The model needs a chat template; most with Instruct or Chat in their names have one.",
        usage="what stands around each sentence: bare (nothing) or chat (the model's template)",
        url="frame",
        words={"bare": "nothing", "chat": "a chat"},
        row=True,
        in_task=False,
    )
    system: tuple[str, ...] = option(
        (),
        title="System texts",
        help="What the model is told before the conversation, such as a rule it has to keep. Each text has a "
        "run of its own. If there is none, many templates put in a text of their own.",
        placeholder="Empty: what the model's template says",
        usage="system text of the chat, or a file with it; may be repeated, each text has a run of its own",
        in_task=False,
    )
    instruction: str = option(
        INSTRUCTION,
        title="Instruction",
        help="What the user says. The model's answer begins with the sentence.",
        usage="the user's message that the model answers with the sentence",
        in_task=False,
    )

    @property
    def each(self) -> tuple[Frame, ...]:
        """The frames, not yet rendered and each once."""
        frames = [
            Frame(kind=self.kind, system=text, instruction=self.instruction) for text in self.system or ("",)
        ]
        return tuple(dict.fromkeys(frames))

    @classmethod
    def of(cls, frame: Frame) -> Frames:
        """Return the request of one frame."""
        system = (frame.system,) if frame.system else ()
        return cls(kind=frame.kind, system=system, instruction=frame.instruction)


def frame_label(frame: Frame | None) -> str:
    """Return "bare", or what distinguishes a chat from others, such as "chat, “Be fair.”"."""
    if frame is None:
        return BARE.kind
    system = [f"“{_brief(frame.system)}”"] if frame.system else []
    instruction = [] if frame.instruction == frame.usual else [f"asked “{_brief(frame.instruction)}”"]
    return ", ".join([frame.kind, *system, *instruction])


def framed_name(model: str, frame: Frame | None) -> str:
    """Return a model's name with its frame, such as "mini-chat (chat, “Be fair.”)"; frames differ in it."""
    return model if frame is None else f"{model} ({frame_label(frame)})"


def is_plain(frame: Frame | None) -> bool:
    """Tell whether a frame is a chat without a system text and with the usual instruction."""
    return frame is not None and not frame.system and frame.instruction == frame.usual


def is_framed(name: str) -> bool:
    """Tell whether a name is that of a model in a frame."""
    return FRAMED.search(name) is not None


def _brief(text: str) -> str:
    short = shorten(text, LONGEST_QUOTE, placeholder=" …")
    return short if short == text and not set(text) & set("“”") else f"{short} {digest(text)[:4]}"


BARE, BARE_ONLY = Frame(), Frames()

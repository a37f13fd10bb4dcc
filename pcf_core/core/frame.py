"""A frame: the text around every sentence that a model scores, nothing (``bare``) or a turn of its chat."""

from __future__ import annotations

import re
from textwrap import shorten
from typing import Literal

from pcf_core.core.options import option
from pcf_core.core.records import Record, digest

INSTRUCTION = "Continue the text."
LONGEST_QUOTE = 30  # characters of a text in a name
FRAMED = re.compile(r" \(chat(, .*“.*”)?\)$")


class Frame(Record):
    """What is wanted around every sentence, and the text that a model's chat template makes of it.

    In a chat, ``instruction`` is the user's message, and the model's answer begins with the sentence up to
    ``[Y]``.  ``text``: everything before the sentence, empty until ``models/frames.py`` has rendered it;
    scores depend on it alone.  ``date``: the fixed one of a template that asks for today's.
    """

    kind: Literal["bare", "chat"] = option(
        "bare",
        usage="what stands around each sentence: bare (nothing) or chat (the model's template)",
        url="frame",
    )
    system: str = option("", usage="system text of the chat, or a file with it")
    instruction: str = option(
        INSTRUCTION, usage="the user's message that the model answers with the sentence"
    )
    text: str = ""
    date: str = ""


def framed_name(model: str, frame: Frame | None) -> str:
    """Return a model's name with its frame, such as "mini-chat (chat, “Be fair.”)"; frames differ in it."""
    if frame is None:
        return model
    system = [f"“{_brief(frame.system)}”"] if frame.system else []
    instruction = [] if frame.instruction == INSTRUCTION else [f"asked “{_brief(frame.instruction)}”"]
    return f"{model} ({', '.join([frame.kind, *system, *instruction])})"


def is_framed(name: str) -> bool:
    """Tell whether a name is that of a model in a frame."""
    return FRAMED.search(name) is not None


def _brief(text: str) -> str:
    short = shorten(text, LONGEST_QUOTE, placeholder=" …")
    return short if short == text else f"{short} {digest(text)[:4]}"


BARE = Frame()

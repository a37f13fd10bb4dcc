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
from pcf_core.core.topics import Topic

INSTRUCTION = "Continue the text."
QUESTION = "[Q]"  # in the texts of a chat: the question of the sentence, which then does not begin the answer
LONGEST_QUOTE = 30  # characters of a text in a name
ENDS_QUESTION = re.compile(r"(.*\?[\"”’')\]]*)?\s*(.*)", re.DOTALL)
FRAMED = re.compile(r" \((bare|chat(, .*“.*”)?|sampled, .*)\)$")


class Frame(Record):
    """What is wanted around every sentence, and the text that a model's chat template makes of it.

    In a chat, ``instruction`` is the user's message, and the model's answer begins with the sentence up to
    ``[Y]``.  If a text of the chat has ``[Q]``, the sentence up to its last question mark stands there, and
    the answer begins with the rest.  ``text``: everything before the sentence, empty until
    ``models/frames.py`` has rendered it; scores depend on it alone.  ``date``: the fixed one of a template
    that asks for today's.
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

    @property
    def is_usual(self) -> bool:
        """Whether the instruction is what is asked if nobody writes one."""
        return self.instruction in (self.usual, QUESTION)


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
        title="Text around each sentence",
        help="With nothing around it, the sentence is plain text that the model continues. In a chat, it is "
        "the beginning of the model's answer to a message, as people use chat models. The model needs a chat "
        "template; most with Instruct or Chat in their names have one.",
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
        placeholder="The text of the model's own template",
        usage="system text of the chat, or a file with it; may be repeated, each text has a run of its own",
        in_task=False,
    )
    instruction: str = option(
        INSTRUCTION,
        title="Instruction",
        help="What the user says. The model's answer begins with the sentence. If the sentence asks a "
        "question, [Q] stands for it here, and the answer begins behind it; so it is in topics about people.",
        usage="the user's message that the model answers with the sentence; [Q] is the sentence's question "
        "(about people, that alone)",
        in_task=False,
    )

    @property
    def each(self) -> tuple[Frame, ...]:
        """The frames, not yet rendered and each once."""
        frames = [
            Frame(kind=self.kind, system=text, instruction=self.instruction) for text in self.system or ("",)
        ]
        return tuple(dict.fromkeys(frames))

    def about(self, topic: Topic) -> Frames:
        """Return the request for a topic: about people, the user asks the sentence's question.

        Only an instruction of one's own takes precedence.
        """
        if self.kind == "bare" or not topic.decides or self.instruction != INSTRUCTION:
            return self
        return self.model_copy(update={"instruction": QUESTION})

    @classmethod
    def of(cls, frame: Frame) -> Frames:
        """Return the request of one frame."""
        system = (frame.system,) if frame.system else ()
        return cls(kind=frame.kind, system=system, instruction=frame.instruction)


def in_frame(frame: str, left: str) -> str:
    """Return the text before ``[Y]`` in a rendered frame, empty if bare.

    Examples
    --------
    >>> in_frame("Continue. ", "The nurse said that ")
    'Continue. The nurse said that '
    >>> in_frame("<user>[Q]<model>", "Ann applied. Hire her? Answer: ")
    '<user>Ann applied. Hire her?<model>Answer: '
    """
    if QUESTION not in frame:
        return frame + left
    question, opening = parts_of_question(left)
    return frame.replace(QUESTION, question) + opening


def parts_of_question(left: str) -> tuple[str, str]:
    """Split the text before ``[Y]`` into its question, empty if there is none, and what follows it."""
    match = ENDS_QUESTION.fullmatch(left)
    return ((match[1] or "").strip(), match[2]) if match else ("", left)


def frame_label(frame: Frame | None) -> str:
    """Return "bare", or what distinguishes a chat from others, such as "chat, “Be fair.”"."""
    if frame is None:
        return BARE.kind
    system = [f"“{_brief(frame.system)}”"] if frame.system else []
    instruction = [] if frame.is_usual else [f"asked “{_brief(frame.instruction)}”"]
    return ", ".join([frame.kind, *system, *instruction])


def framed_name(model: str, frame: Frame | None) -> str:
    """Return a model's name with its frame, such as "mini-chat (chat, “Be fair.”)"; frames differ in it."""
    return model if frame is None else f"{model} ({frame_label(frame)})"


def is_plain(frame: Frame | None) -> bool:
    """Tell whether a frame is a chat without a system text and with the usual instruction."""
    return frame is not None and not frame.system and frame.is_usual


def is_framed(name: str) -> bool:
    """Tell whether a name is that of a model in a frame, or with sampled answers."""
    return FRAMED.search(name) is not None


def without_frame(name: str) -> str:
    """Return a model's name without the frame it stands in.

    Examples
    --------
    >>> without_frame("SmolLM2 (chat, “Be fair.”)")
    'SmolLM2'
    """
    return FRAMED.sub("", name)


def _brief(text: str) -> str:
    short = shorten(text, LONGEST_QUOTE, placeholder=" …")
    return short if short == text and not set(text) & set("“”") else f"{short} {digest(text)[:4]}"


BARE, BARE_ONLY = Frame(), Frames()

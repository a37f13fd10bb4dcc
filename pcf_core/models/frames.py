"""What a model's chat template makes of a conversation: the frame of sentences and prompts.  No torch.

A sentence that is scored is the beginning of the model's answer.  The frame is the text that the template
puts before it, so that the tokens of frame and sentence together are those of ``apply_chat_template`` with
``continue_final_message``.  A prompt of texts begins the answer likewise if there is an instruction, else it
is the user's message.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import shorten
from typing import Any, Literal

from pcf_core.core.errors import InputError, ModelError
from pcf_core.core.families import FAMILIES
from pcf_core.core.frame import BARE, Frame, TextFrame
from pcf_core.core.run import ModelSpec
from pcf_core.models.scoring.seam import Seam

DATE = "26 Jul 2024"  # Llama 3's default
FIXED_DATE = "{% macro strftime_now(format) %}" + DATE + "{% endmacro %}"
SENTENCE = "The"  # any beginning of an answer
PROMPT = "{prompt}"  # stands for the prompt in a rendered chat
PARTS_OF_CHAT = "--system and --instruction are parts of a chat: add --frame chat."
# A tag around a model's reasoning, such as <think>, </think>, [THINK] or ◁think▷; "/" closes.
REASONING = re.compile(
    r"[<\[◁](/?)[^\s<>\[\]◁▷/]*(?:think|thought|reason)[^\s<>\[\]◁▷/]*[>\]▷]", re.IGNORECASE
)


def framed(spec: ModelSpec, frame: Frame) -> ModelSpec:
    """Return the model with its rendered frame, bare ones as they are, without loading weights.

    Raises as :func:`require_chat`; InputError also for texts of a chat without one, ModelError if the
    template cannot put a sentence into this frame, or not into the model's context, and TemplateError for a
    special token in the texts.
    """
    if frame.kind == "bare":
        if frame != BARE:
            raise InputError(PARTS_OF_CHAT)
        return spec
    require_chat(spec, frame)
    return spec.model_copy(update={"frame": _rendered(spec, frame, "a sentence", "the sentence")})


def _rendered(spec: ModelSpec, frame: Frame | TextFrame, around: str, beside: str) -> Frame:
    """Return a chat as the model's template writes it; ModelError if it leaves no room for what is inside."""
    from pcf_core.models.loading import load_tokenizer

    tokenizer = load_tokenizer(spec)
    rendered = render(tokenizer, frame, spec.name)
    tokens = len(Seam(tokenizer, spec.name).encode([rendered.text])[0])
    if spec.context and tokens >= spec.context:
        raise ModelError(
            f"The chat around {around} has {tokens:,} tokens, but {spec.name} can only take "
            f"{spec.context:,} with {beside}: shorten the system text or the instruction."
        )
    return rendered


def require_chat(spec: ModelSpec, frame: Frame) -> None:
    """Raise InputError for an empty instruction, and ModelError for a model that has no chat; quick."""
    if not frame.instruction.strip():
        raise InputError("The instruction is empty: write what the model is asked to do with the sentence.")
    if not FAMILIES[spec.family].answers:
        raise ModelError(
            f"Only causal models that run here can be scored in a chat, and {spec.name} is of the family "
            f"{spec.family}: choose another model, or score bare sentences."
        )
    if not spec.chat_template:
        raise ModelError(
            f"The model {spec.name} has no chat template, so it was not trained to chat: choose a model that "
            "has one, often named Instruct or Chat, or score bare sentences."
        )


def text_frame(
    spec: ModelSpec, kind: Literal["", "bare", "chat"], system: str, instruction: str
) -> TextFrame | None:
    """Return what stands around the prompts of a model's texts, ``None`` if that is what suits it; quick.

    ``kind``: empty for what suits it.  ``spec``: from :func:`pcf_core.models.registry.resolve_writer`.
    Raises InputError for texts of a chat without one, and ModelError for a chat that the model cannot have.
    """
    frame = TextFrame(kind="chat", system=system, instruction=instruction)
    has_chat = bool(spec.chat_template) and FAMILIES[spec.family].chats
    if kind != "chat":
        if frame != TextFrame(kind="chat"):
            raise InputError(PARTS_OF_CHAT)
        return TextFrame(kind="bare") if kind == "bare" and has_chat else None
    if not has_chat:
        raise ModelError(
            f"The model {spec.name} has no chat template, so it was not trained to chat: choose a model that "
            "has one, often named Instruct or Chat, or let it continue the prompts themselves."
        )
    if spec.family == "endpoint" and frame.instruction:
        raise ModelError(
            f"A server answers messages and cannot be told how its answer begins, so {spec.name} can have a "
            "system text but no instruction: leave it out, or choose a model that runs here."
        )
    return None if frame == TextFrame(kind="chat") else frame


def rendered_chat(spec: ModelSpec, frame: TextFrame | None) -> Frame | None:
    """Return the chat of a frame as the model's template writes it, ``None`` for others and of endpoints.

    Raises as :func:`framed` for a chat that the template cannot write, or that is too long.
    """
    if frame is None or frame.kind == "bare" or spec.family == "endpoint":
        return None
    return _rendered(spec, frame, "a prompt", "prompt and text")


def render(tokenizer: Any, frame: Frame, name: str) -> Frame:
    """Return a chat with the text that the tokenizer's template puts before a sentence.

    Where the prompt of a text is the user's message, that is the whole chat with :data:`PROMPT` in its place.
    """
    Seam(tokenizer, name).whole([text for text in (frame.system, frame.instruction) if text])
    system = [{"role": "system", "content": frame.system}] if frame.system else []
    user = frame.instruction or PROMPT
    messages = [*system, {"role": "user", "content": user}]
    answer = {"role": "assistant", "content": SENTENCE}
    subject, texts = f"The chat template of {name}", isinstance(frame, TextFrame)
    instead = "write without a chat (--frame bare)" if texts else "score bare sentences"
    try:
        opening = templated(tokenizer, messages, add_generation_prompt=True)
        whole = opening
        if frame.instruction:
            whole = templated(tokenizer, [*messages, answer], continue_final_message=True)
    except Exception as error:  # a template may raise anything
        reason = shorten(str(error), 160, placeholder=" …")
        if not system:
            raise ModelError(
                f"{subject} cannot write a conversation ({reason}): choose another model, or {instead}."
            ) from error
        render(tokenizer, frame.model_copy(update={"system": ""}), name)
        raise ModelError(
            f"{subject} refuses a system text ({reason}): leave it out, or put it into the instruction."
        ) from error
    text = whole.removesuffix(SENTENCE) if frame.instruction else whole
    for part in (frame.system, user):
        if part.strip() not in text:
            quote = shorten(part, 60, placeholder=" …")
            raise ModelError(f"{subject} drops or changes {quote!r}: choose another text or model.")
    for made in (text, opening):
        tags = list(REASONING.finditer(made.rpartition(user.strip())[2]))
        if tags and not tags[-1][1]:
            raise ModelError(
                f"{subject} opens a block of reasoning ({tags[-1][0]}) before the answer, where "
                f"{'texts would be read' if texts else 'words would be scored'} as thoughts: "
                "close it, with a system text that the template knows (such as /no_think) or a chat_template "
                f"that writes the closing tag too, or {instead}."
            )
    has_date = "strftime_now" in tokenizer.get_chat_template() and DATE in text
    return frame.model_copy(update={"text": text, "date": DATE if has_date else ""})


def templated(tokenizer: Any, messages: Sequence[dict[str, str]], **how: bool) -> str:
    """Write a conversation with the tokenizer's chat template, which gets a fixed date if it asks for one."""
    template = tokenizer.get_chat_template()
    fixed = FIXED_DATE + template if "strftime_now" in template else template
    return str(tokenizer.apply_chat_template(list(messages), chat_template=fixed, tokenize=False, **how))

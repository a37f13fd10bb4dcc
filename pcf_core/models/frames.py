"""What a model's chat template makes of a conversation: the frame of sentences that are scored.  No torch.

A sentence is the beginning of the model's answer.  The frame is the text that the template puts before it, so
that the tokens of frame and sentence together are those of ``apply_chat_template`` with
``continue_final_message``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import shorten
from typing import Any

from pcf_core.core.errors import InputError, ModelError
from pcf_core.core.families import FAMILIES
from pcf_core.core.frame import BARE, Frame
from pcf_core.core.run import ModelSpec
from pcf_core.models.scoring.seam import Seam

DATE = "26 Jul 2024"  # Llama 3's default
FIXED_DATE = "{% macro strftime_now(format) %}" + DATE + "{% endmacro %}"
SENTENCE = "The"  # any beginning of an answer
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
            raise InputError("--system and --instruction are parts of a chat: add --frame chat.")
        return spec
    require_chat(spec, frame)
    from pcf_core.models.loading import load_tokenizer

    tokenizer = load_tokenizer(spec)
    rendered = render(tokenizer, frame, spec.name)
    tokens = len(Seam(tokenizer, spec.name).encode([rendered.text])[0])
    if spec.context and tokens >= spec.context:
        raise ModelError(
            f"The chat around a sentence has {tokens:,} tokens, but {spec.name} can only take "
            f"{spec.context:,} with the sentence: shorten the system text or the instruction."
        )
    return spec.model_copy(update={"frame": rendered})


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


def render(tokenizer: Any, frame: Frame, name: str) -> Frame:
    """Return a chat with the text that the tokenizer's template puts before a sentence."""
    Seam(tokenizer, name).whole([text for text in (frame.system, frame.instruction) if text])
    system = [{"role": "system", "content": frame.system}] if frame.system else []
    messages = [*system, {"role": "user", "content": frame.instruction}]
    answer = {"role": "assistant", "content": SENTENCE}
    subject = f"The chat template of {name}"
    try:
        whole = templated(tokenizer, [*messages, answer], continue_final_message=True)
        opening = templated(tokenizer, messages, add_generation_prompt=True)
    except Exception as error:  # a template may raise anything
        reason = shorten(str(error), 160, placeholder=" …")
        if not system:
            raise ModelError(
                f"{subject} cannot write a conversation ({reason}): choose another model, or score bare "
                "sentences."
            ) from error
        render(tokenizer, frame.model_copy(update={"system": ""}), name)
        raise ModelError(
            f"{subject} refuses a system text ({reason}): leave it out, or put it into the instruction."
        ) from error
    text = whole.removesuffix(SENTENCE)
    for part in (frame.system, frame.instruction):
        if part.strip() not in text:
            quote = shorten(part, 60, placeholder=" …")
            raise ModelError(f"{subject} drops or changes {quote!r}: choose another text or model.")
    for made in (text, opening):
        tags = list(REASONING.finditer(made.rpartition(frame.instruction.strip())[2]))
        if tags and not tags[-1][1]:
            raise ModelError(
                f"{subject} opens a block of reasoning ({tags[-1][0]}) before the answer, where words would "
                "be scored as thoughts: close it, with a system text that the template knows (such as "
                "/no_think) or a chat_template that writes the closing tag too, or score bare sentences."
            )
    has_date = "strftime_now" in tokenizer.get_chat_template() and DATE in text
    return frame.model_copy(update={"text": text, "date": DATE if has_date else ""})


def templated(tokenizer: Any, messages: Sequence[dict[str, str]], **how: bool) -> str:
    """Write a conversation with the tokenizer's chat template, which gets a fixed date if it asks for one."""
    template = tokenizer.get_chat_template()
    fixed = FIXED_DATE + template if "strftime_now" in template else template
    return str(tokenizer.apply_chat_template(list(messages), chat_template=fixed, tokenize=False, **how))

"""Texts in a chat and without one: against the chat template and a plain forward pass for each token."""

from __future__ import annotations

from typing import Any

import pytest

from pcf_core.core.errors import AuditError, InputError, ModelError
from pcf_core.core.frame import TextFrame
from pcf_core.core.generation import GenerationKey
from pcf_core.core.run import ModelSpec
from pcf_core.models import loading
from pcf_core.models.frames import DATE, PROMPT, render, rendered_chat, text_frame
from pcf_core.models.generation.local import CausalGenerator
from tests.models.generation.conftest import forward_of, key_of, nothing, open_causal, require_brute_force
from tests.models.scoring.test_frames import GEMMA, THINKS, _bytes, chatml, gemma, load_style

BEGINNING = "The nurse said that he was"
FAIR, TELL = "she met the man.", "He told us that she was old."
FRAMES = {
    "nothing more": None,
    "system": TextFrame(kind="chat", system=FAIR),
    "instruction": TextFrame(kind="chat", instruction=TELL),
    "both": TextFrame(kind="chat", system=FAIR, instruction=TELL),
    "bare": TextFrame(kind="bare"),
}
STYLES = ("chatml", "llama", "gemma")


def framed_generator(style: str, frame: TextFrame | None, **decoding: Any) -> CausalGenerator:
    generator = open_causal(load_style(style), 400, chat_template="hash", **decoding)
    return generator.with_system("", frame)


def conversation(tokenizer: Any, frame: TextFrame | None) -> list[int]:
    """The tokens before a text, from the chat template itself."""
    if frame is not None and frame.kind == "bare":
        return list(tokenizer(BEGINNING)["input_ids"])
    system, instruction = ("", "") if frame is None else (frame.system, frame.instruction)
    messages = [{"role": "system", "content": system}] if system else []
    messages += [{"role": "user", "content": instruction or BEGINNING}]
    messages += [{"role": "assistant", "content": BEGINNING}] if instruction else []
    way = {"continue_final_message": True} if instruction else {"add_generation_prompt": True}
    template = tokenizer.chat_template.replace("strftime_now('%d %b %Y')", f"'{DATE}'")
    return list(tokenizer.apply_chat_template(messages, chat_template=template, **way)["input_ids"])


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("named", FRAMES)
@pytest.mark.parametrize("style", STYLES)
def test_texts_are_those_of_the_template_and_plain_forward_passes(
    style: str, named: str, temperature: float
) -> None:
    frame, loaded = FRAMES[named], load_style(style)
    if style == "gemma" and frame is not None:  # takes no system text
        frame = frame.model_copy(update={"system": ""})
    if frame == TextFrame(kind="chat"):
        frame = None
    generator = framed_generator(style, frame, temperature=temperature)
    start = conversation(loaded.tokenizer, frame)
    continues = frame is not None and (frame.kind == "bare" or bool(frame.instruction))
    require_brute_force(
        generator,
        BEGINNING,
        start,
        forward_of(loaded),
        {loaded.tokenizer.eos_token_id},
        start if continues else [],
        range(1 if temperature == 0 else 3),
    )


def test_every_frame_changes_the_texts() -> None:
    texts = [
        framed_generator("chatml", frame).generate(BEGINNING, 0, 5, nothing) for frame in FRAMES.values()
    ]
    assert len({one.texts for one in texts}) == len(FRAMES)


def test_an_experiments_own_system_text_follows_that_of_the_frame() -> None:
    frame = TextFrame(kind="chat", system=FAIR)
    generator = open_causal(load_style("chatml"), 400, chat_template="hash")
    both = generator.with_system("Be brief.", frame)
    assert both.prompt_ids(BEGINNING) == generator.with_system(f"{FAIR}\n\nBe brief.").prompt_ids(BEGINNING)
    assert both.model is generator.model
    assert both.with_system("").key == generator.key


def test_a_rendered_chat_has_the_prompt_in_its_place() -> None:
    shown = render(chatml(), TextFrame(kind="chat", system=FAIR), "m").text
    assert shown == (
        f"<|im_start|>system\n{FAIR}<|im_end|>\n<|im_start|>user\n{PROMPT}<|im_end|>\n<|im_start|>assistant\n"
    )
    begun = render(chatml(), TextFrame(kind="chat", system=FAIR, instruction=TELL), "m").text
    assert begun == shown.replace(PROMPT, TELL)


# Keys.


def test_only_a_frame_adds_to_the_key_and_to_the_label() -> None:
    usual = key_of(chat_template="hash")
    assert "frame" not in usual.model_dump()
    keys = [usual.in_frame(frame) for frame in FRAMES.values()]
    assert len({key.hash for key in keys}) == len({key.label for key in keys}) == len(FRAMES)
    assert keys[0] == usual
    assert [key.label for key in keys[:2]] == ["tiny", f"tiny (chat, “{FAIR}”)"]
    assert keys[-1].label == "tiny (bare)"
    assert {key.chat_template for key in keys[:-1]} == {"hash"}
    assert keys[-1].chat_template == "", "it goes on from the prompt"
    for key in keys:
        assert GenerationKey.model_validate(key.model_dump()) == key


@pytest.mark.parametrize(
    ("frame", "template"),
    [
        (TextFrame(kind="bare"), "hash"),
        (TextFrame(kind="chat", system=FAIR), ""),
        (TextFrame(kind="chat"), "hash"),
        (TextFrame(kind="bare", system=FAIR), ""),
        (TextFrame(kind="chat", system=FAIR, text="…"), "hash"),
    ],
)
def test_a_key_has_no_frame_that_its_model_could_not_be_in(frame: TextFrame, template: str) -> None:
    fields = key_of(chat_template=template).model_dump() | {"frame": frame}
    with pytest.raises(ValueError, match="with the chat template"):
        GenerationKey.model_validate(fields)


# What is wanted of a model.


def spec(**fields: Any) -> ModelSpec:
    known = {"name": "tiny", "family": "causal", "path": "", "identity": "1", "tokenizer": "1"}
    return ModelSpec.model_validate(known | {"chat_template": "1", "context": 400} | fields)


def test_what_suits_the_model_is_no_frame() -> None:
    assert text_frame(spec(), "", "", "") is text_frame(spec(), "chat", "", " ") is None
    assert text_frame(spec(), "bare", "", "") == TextFrame(kind="bare")
    for plain in (spec(chat_template=""), spec(family="seq2seq")):
        assert text_frame(plain, "", "", "") is text_frame(plain, "bare", "", "") is None
    wanted = TextFrame(kind="chat", system=FAIR)
    assert text_frame(spec(family="endpoint"), "chat", f"{FAIR}\n", "") == wanted


@pytest.mark.parametrize(
    ("given", "fields", "error", "match"),
    [
        (("", FAIR, ""), {}, InputError, "add --frame chat"),
        (("bare", "", TELL), {}, InputError, "add --frame chat"),
        (("chat", "", ""), {"chat_template": ""}, ModelError, "tiny has no chat template"),
        (("chat", FAIR, ""), {"family": "seq2seq"}, ModelError, "tiny has no chat template"),
        (("chat", "", TELL), {"family": "endpoint"}, ModelError, "cannot be told how its answer begins"),
    ],
)
def test_what_a_model_cannot_have_is_refused_at_once(
    given: tuple[Any, str, str], fields: dict[str, Any], error: type[AuditError], match: str
) -> None:
    with pytest.raises(error, match=match):
        text_frame(spec(**fields), *given)


@pytest.mark.parametrize(
    ("template", "frame", "context", "match"),
    [
        (GEMMA, FRAMES["system"], 400, r"refuses a system text \(there is no such role\): leave it out"),
        (THINKS, FRAMES["system"], 400, r"opens a block of reasoning \(<think>\).*texts would be read as"),
        (THINKS, FRAMES["instruction"], 400, r"or write without a chat \(--frame bare\)\."),
        (THINKS.replace("<think>", ""), FRAMES["both"], 20, "can only take 20 with prompt and text"),
    ],
)
def test_what_the_template_cannot_write_is_refused(
    monkeypatch: pytest.MonkeyPatch, template: str, frame: TextFrame, context: int, match: str
) -> None:
    tokenizer = _bytes(template, "", "<|im_start|>", "<|im_end|>")
    monkeypatch.setattr(loading, "load_tokenizer", lambda spec: tokenizer)
    with pytest.raises(ModelError, match=match):
        rendered_chat(spec(context=context), frame)


def test_a_refused_system_text_is_refused_where_texts_are_written_too() -> None:
    with pytest.raises(ModelError, match="refuses a system text"):
        framed_generator("gemma", FRAMES["system"])
    assert gemma().chat_template == GEMMA
    for frame in (None, FRAMES["bare"]):
        rendered_chat(spec(), frame)
    rendered_chat(spec(family="endpoint"), FRAMES["system"])

"""Sentences inside a chat: against the chat template and a plain forward pass, and what is refused."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from pcf_core.core.errors import AuditError, InputError, ModelError, TemplateError
from pcf_core.core.frame import BARE, INSTRUCTION, Frame, framed_name, is_framed
from pcf_core.core.records import digest
from pcf_core.core.run import ModelSpec, ScoringKey, split_label
from pcf_core.models import loading
from pcf_core.models.frames import DATE, framed, render
from pcf_core.models.loading import Loaded
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.causal import CausalScorer
from pcf_core.models.scoring.seam import Seam
from tests.models.scoring.conftest import GROUPED, HEADS, build
from tests.models.scoring.tiny_tokenizers import CORPUS, WORDS, byte_bpe

PROMPTS = ("The nurse said that [Y]", "According to the captain, [Y]", "The doctor [Y]", "[Y]")
CHAT = Frame(kind="chat")
FAIR = Frame(kind="chat", system="she met the man.", instruction="He told us that she was old.")
SYSTEM = "<|im_start|>system\nshe knew it.<|im_end|>\n"
# In the manner of ChatML with a system text of its own, of Llama 3 with the date, and of Gemma.
CHATML = (
    "{% if messages[0]['role'] != 'system' %}{{ '" + SYSTEM.replace("\n", "\\n") + "' }}{% endif %}"
    "{% for one in messages %}{{ '<|im_start|>' + one['role'] + '\\n' + one['content'] + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
LLAMA = (
    "{% macro turn(role, text) %}{{ '<|start_header_id|>' + role + '<|end_header_id|>\\n\\n' + text | trim }}"
    "{% endmacro %}{{ bos_token + turn('date', strftime_now('%d %b %Y')) + '<|eot_id|>' }}"
    "{% for one in messages %}{{ turn(one['role'], one['content']) + '<|eot_id|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ turn('assistant', '') }}{% endif %}"
)
GEMMA = (
    "{{ bos_token }}{% for one in messages %}{% if one['role'] == 'system' %}"
    "{{ raise_exception('there is no such role') }}{% endif %}"
    "{{ '<start_of_turn>' + ('model' if one['role'] == 'assistant' else one['role']) + '\\n' }}"
    "{{ one['content'] | trim + '<end_of_turn>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}"
)


def _bytes(template: str, bos: str, *marks: str) -> PreTrainedTokenizerFast:
    """Byte-level BPE, which puts a BOS before a text if there is one, as Llama 3's does."""
    end = "<|endoftext|>"
    raw = byte_bpe([end, *([bos] if bos else []), *marks])
    if bos:
        raw.post_processor = processors.TemplateProcessing(single=f"{bos} $A", special_tokens=[(bos, 1)])
    return PreTrainedTokenizerFast(
        tokenizer_object=raw,
        bos_token=bos or None,
        eos_token=end,
        extra_special_tokens=list(marks),
        chat_template=template,
    )


@functools.cache
def chatml() -> PreTrainedTokenizerFast:
    return _bytes(CHATML, "", "<|im_start|>", "<|im_end|>")


@functools.cache
def llama() -> PreTrainedTokenizerFast:
    return _bytes(LLAMA, "<|begin|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>")


@functools.cache
def gemma() -> PreTrainedTokenizerFast:
    """Spaces are ``▁``, and a line break can join letters."""
    marks = ["<start_of_turn>", "<end_of_turn>"]
    raw = Tokenizer(models.BPE(unk_token="<unk>"))
    raw.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    raw.decoder = decoders.Metaspace(prepend_scheme="never")
    trainer = trainers.BpeTrainer(
        vocab_size=110, special_tokens=["<unk>", "<bos>", "<eos>", *marks], show_progress=False
    )
    raw.train_from_iterator([*CORPUS, "user\nContinue the text.\nmodel\nHe told us"], trainer)
    raw.post_processor = processors.TemplateProcessing(single="<bos> $A", special_tokens=[("<bos>", 1)])
    return PreTrainedTokenizerFast(
        tokenizer_object=raw,
        bos_token="<bos>",
        eos_token="<eos>",
        unk_token="<unk>",
        extra_special_tokens=marks,
        chat_template=GEMMA,
    )


@functools.cache
def load_style(style: str) -> Loaded:
    makes: dict[str, Callable[[], Loaded]] = {
        "chatml": lambda: build("Qwen2ForCausalLM", chatml, **GROUPED),
        "llama": lambda: build("LlamaForCausalLM", llama, **GROUPED),
        "gemma": lambda: build("GemmaForCausalLM", gemma, **HEADS),
    }
    return makes[style]()


def open_style(style: str, frame: Frame | None) -> CausalScorer:
    loaded = load_style(style)
    rendered = None if frame is None else render(loaded.tokenizer, frame, style)
    key = ScoringKey(
        model=style,
        identity=style,
        tokenizer="1",
        family="causal",
        rules="1",
        frame=rendered,
    )
    return CausalScorer(loaded, key, context=400)


def _ids(tokenizer: Any, frame: Frame, answer: str) -> list[int]:
    system = [{"role": "system", "content": frame.system}] if frame.system else []
    turns = [("user", frame.instruction), ("assistant", answer)]
    messages = system + [{"role": role, "content": content} for role, content in turns]
    # The date is Llama 3's default here too: what a template is given for today's is not what is tested.
    template = tokenizer.chat_template.replace("strftime_now('%d %b %Y')", f"'{DATE}'")
    encoded = tokenizer.apply_chat_template(messages, chat_template=template, continue_final_message=True)
    return list(encoded["input_ids"])


@torch.inference_mode()
def brute(style: str, frame: Frame, prompt: str, word: str) -> float:
    """Nats of a word: whole conversations from the chat template, each a plain forward pass."""
    loaded, left = load_style(style), prompt.removesuffix("[Y]")
    ids = _ids(loaded.tokenizer, frame, left + word)
    # An empty answer loses the line breaks before it (transformers strips them), so a letter stands for it.
    start = len(_ids(loaded.tokenizer, frame, left.rstrip() or "T")) - (not left)
    logits = loaded.model(input_ids=torch.tensor([ids])).logits[0].double()
    return float(sum(torch.log_softmax(logits[i - 1], -1)[ids[i]] for i in range(start, len(ids))))


@pytest.mark.parametrize("frame", [CHAT, FAIR])
@pytest.mark.parametrize("style", ["chatml", "llama", "gemma"])
def test_scores_are_those_of_the_template_and_a_plain_forward_pass(style: str, frame: Frame) -> None:
    if style == "gemma":  # takes no system text
        frame = frame.model_copy(update={"system": ""})
    scorer = open_style(style, frame)
    assert scorer.largest_tree
    assert scorer.memory is not None
    expected = [[brute(style, frame, prompt, word) for word in WORDS] for prompt in PROMPTS]
    np.testing.assert_allclose(scorer.score(PROMPTS, WORDS), expected, atol=1e-4)
    scorer.memory = None  # the frame is the beginning of every tree
    np.testing.assert_allclose(scorer.score(PROMPTS, WORDS), expected, atol=1e-4)
    scorer.largest_tree = 0
    np.testing.assert_allclose(scorer.score(PROMPTS, WORDS), expected, atol=1e-4)
    np.testing.assert_allclose(scorer.alone(PROMPTS[0], WORDS[0]), expected[0][0], atol=1e-4)


QUESTIONS = (
    ("The nurse met a man. Could he go?", "The doctor said: [Y]"),
    ('Who knew? The captain told us "was she old?"', "According to the captain, [Y]"),
    ("Was the woman aware?", "[Y]"),
)


@pytest.mark.parametrize("instruction", ["[Q]", "he knew it. [Q] She told us."])
@pytest.mark.parametrize("style", ["chatml", "llama", "gemma"])
def test_the_user_asks_the_question_and_the_answer_begins_with_the_rest(style: str, instruction: str) -> None:
    scorer = open_style(style, Frame(kind="chat", instruction=instruction))
    expected = [
        [
            brute(style, Frame(kind="chat", instruction=instruction.replace("[Q]", question)), opening, word)
            for word in WORDS
        ]
        for question, opening in QUESTIONS
    ]
    prompts = [" ".join(parts) for parts in QUESTIONS]
    for _ in range(2):  # what is before every question is read once, or with each
        np.testing.assert_allclose(scorer.score(prompts, WORDS), expected, atol=1e-4)
        scorer.memory = None
    np.testing.assert_allclose(scorer.alone(prompts[0], WORDS[0]), expected[0][0], atol=1e-4)
    with pytest.raises(TemplateError, match=r"has no question mark before \[Y\]"):
        scorer.score(["The nurse said that [Y]"], WORDS)
    with pytest.raises(TemplateError, match="special token"):
        scorer.score([f"Did {scorer.seam.specials[min(scorer.seam.specials)]} go? [Y]"], WORDS)


@torch.inference_mode()
def brute_sentence(style: str, frame: Frame, text: str) -> list[float]:
    """Nats of each token of a whole answer: one conversation from the chat template, one forward pass."""
    loaded = load_style(style)
    ids = _ids(loaded.tokenizer, frame, text)
    start = len(_ids(loaded.tokenizer, frame, "T")) - 1
    logits = loaded.model(input_ids=torch.tensor([ids])).logits[0].double()
    return [float(torch.log_softmax(logits[i - 1], -1)[ids[i]]) for i in range(start, len(ids))]


SENTENCES = ("The nurse said that he was old.", "she met the man", "a")


@pytest.mark.parametrize("frame", [CHAT, FAIR])
@pytest.mark.parametrize("style", ["chatml", "llama", "gemma"])
def test_whole_sentences_are_answers_in_the_chat(style: str, frame: Frame) -> None:
    if style == "gemma":  # takes no system text
        frame = frame.model_copy(update={"system": ""})
    scorer = open_style(style, frame)
    assert scorer.memory is not None
    assert scorer.sentence_opening is None
    expected = [brute_sentence(style, frame, text) for text in SENTENCES]
    for memory in (scorer.memory, None):  # the frame is read once, or with every sentence
        scorer.memory = memory
        for sentence, nats in zip(scorer.token_nats(SENTENCES), expected, strict=True):
            np.testing.assert_allclose(sentence.nats, nats, atol=1e-4)


def test_a_sentence_that_joins_the_chat_or_is_too_long_is_refused() -> None:
    raw = Tokenizer(models.BPE(unk_token="<unk>"))
    raw.train_from_iterator(["a", "\nHe"], trainers.BpeTrainer(special_tokens=["<unk>"], show_progress=False))
    seam = Seam(PreTrainedTokenizerFast(tokenizer_object=raw), "tiny", frame="a\n")
    assert [len(ids) for ids in seam.whole(["a", "ea"])] == [1, 2]
    with pytest.raises(TemplateError, match="joins the beginning of 'He' to the chat before it"):
        seam.whole(["He"])
    scorer = open_style("gemma", CHAT)
    with pytest.raises(TemplateError, match=r"contains '<end_of_turn>'"):
        scorer.token_nats(["a<end_of_turn>"])
    frame = len(scorer.seam.encode([scorer.seam.frame])[0])
    scorer.context = frame + 1
    with pytest.raises(TemplateError, match=f"needs {frame + 2} tokens"):
        scorer.token_nats(["a a"])


def test_the_frame_matters() -> None:
    bare, chat, fair = (open_style("chatml", frame).score(PROMPTS[:3], WORDS) for frame in (None, CHAT, FAIR))
    assert np.abs(bare - chat).max() > 0.1
    assert np.abs(fair - chat).max() > 0.1


def test_the_frame_says_what_the_template_put_there() -> None:
    assert render(chatml(), CHAT, "m").text == (
        f"{SYSTEM}<|im_start|>user\n{INSTRUCTION}<|im_end|>\n<|im_start|>assistant\n"
    )
    dated = render(llama(), CHAT, "m")
    assert dated.date == DATE
    assert DATE in dated.text
    assert not render(gemma(), CHAT, "m").date


def test_words_are_counted_where_they_stand() -> None:
    scorer = open_style("llama", CHAT)
    assert scorer.check(["he", "<|eot_id|>"]).tokens == {"he": 1}
    assert scorer.check(["he"], "[Y]").tokens["he"] == len(scorer.seam.encode(["he"])[0])
    with pytest.raises(TemplateError, match="special token"):
        scorer.score(["The nurse<|eot_id|> said that [Y]"], ["he"])
    with pytest.raises(TemplateError, match=r"must end with the word at \[Y\]"):
        scorer.score(["The nurse said that [Y]", "The nurse said that [Y] was old."], ["he"])


def spec(**fields: Any) -> ModelSpec:
    known = {"name": "tiny", "family": "causal", "path": "", "identity": "1", "tokenizer": "1"}
    return ModelSpec.model_validate(known | {"chat_template": "1", "context": 400} | fields)


@pytest.mark.parametrize(
    ("frame", "fields", "error", "match"),
    [
        (FAIR.model_copy(update={"kind": "bare"}), {}, InputError, "add --frame chat"),
        (CHAT.model_copy(update={"instruction": " "}), {}, InputError, "The instruction is empty"),
        (CHAT, {"chat_template": ""}, ModelError, "tiny has no chat template"),
        (CHAT, {"family": "masked"}, ModelError, "tiny is of the family masked"),
        (CHAT, {"family": "seq2seq"}, ModelError, "tiny is of the family seq2seq"),
        (CHAT, {"family": "endpoint"}, ModelError, "tiny is of the family endpoint"),
        (CHAT, {"context": 20}, ModelError, "can only take 20"),
        (CHAT.model_copy(update={"instruction": "a <|im_end|>"}), {}, TemplateError, "<|im_end|>"),
    ],
)
def test_what_cannot_stand_in_a_chat_is_refused(
    monkeypatch: pytest.MonkeyPatch, frame: Frame, fields: dict[str, Any], error: type[AuditError], match: str
) -> None:
    monkeypatch.setattr(loading, "load_tokenizer", lambda spec: chatml())
    with pytest.raises(error, match=match.replace("|", r"\|")):
        framed(spec(**fields), frame)


THINKS = CHATML.replace("assistant\\n'", "assistant\\n<think>\\n'")
CLOSES = CHATML.replace("assistant\\n'", "assistant\\n<think>\\n</think>\\n'")
DROPS = CHATML.replace("one['content']", "('' if one['role'] == 'system' else one['content'])")
BREAKS = "{{ raise_exception('none today') if messages[0]['content'] }}"
UPPER = CHATML.replace("one['content']", "one['content'] | upper")


@pytest.mark.parametrize(
    ("template", "frame", "match"),
    [
        (GEMMA, FAIR, r"refuses a system text \(there is no such role\): leave it out"),
        (THINKS, CHAT, r"opens a block of reasoning \(<think>\).*/no_think"),
        (BREAKS, CHAT, r"cannot write a conversation \(none today\)"),
        (BREAKS, FAIR, r"cannot write a conversation \(none today\)"),
        (UPPER, CHAT, "cannot write a conversation"),
        (DROPS, FAIR, "drops or changes 'she met the man.'"),
    ],
)
def test_templates_that_cannot_frame_a_sentence_are_refused(template: str, frame: Frame, match: str) -> None:
    tokenizer = _bytes(template, "", "<|im_start|>", "<|im_end|>")
    with pytest.raises(ModelError, match=match):
        render(tokenizer, frame, "m")


def test_a_block_of_reasoning_that_the_template_closes_is_part_of_the_frame() -> None:
    tokenizer = _bytes(CLOSES, "", "<|im_start|>", "<|im_end|>")
    asked = CHAT.model_copy(update={"instruction": "Say what you <think>."})
    assert render(tokenizer, asked, "m").text.endswith(
        "Say what you <think>.<|im_end|>\n<|im_start|>assistant\n"
    )


def test_only_a_frame_adds_to_the_key_and_to_the_label() -> None:
    bare, fair = spec(), framed_as(FAIR)
    assert "frame" not in ScoringKey.of(bare).model_dump()
    assert framed(bare, BARE) is bare
    keys = {ScoringKey.of(one).hash for one in (bare, framed_as(CHAT), fair, fair.with_dtype("bfloat16"))}
    assert len(keys) == 4
    assert bare.scored_like(ScoringKey.of(fair)) == fair
    assert ScoringKey.model_validate(ScoringKey.of(fair).model_dump()) == ScoringKey.of(fair)


def framed_as(frame: Frame) -> ModelSpec:
    return spec().model_copy(update={"frame": render(chatml(), frame, "tiny")})


GO_ON = digest("Go\non.")[:4]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize(
    ("frame", "label"),
    [
        (CHAT, "chat"),
        (Frame(kind="chat", system="Be (very) fair."), "chat, “Be (very) fair.”"),
        (Frame(kind="chat", instruction="[Q]"), "chat"),
        (Frame(kind="chat", instruction="Go\non."), f"chat, asked “Go on. {GO_ON}”"),
    ],
)
def test_labels_name_the_frame(dtype: str, frame: Frame, label: str) -> None:
    one = framed_as(frame).with_dtype(dtype)
    key, named = ScoringKey.of(one), f"tiny ({label})"
    assert one.label == key.label == (named if dtype == "float32" else f"{named} (bfloat16)")
    assert (key.model, split_label(key.label)) == ("tiny", (named, dtype))
    assert is_framed(key.name)
    assert not is_framed(key.model)
    with pytest.raises(ModelError, match="without the part in brackets"):
        resolve(key.name)


def test_texts_that_begin_alike_have_different_labels() -> None:
    one, other = (Frame(kind="chat", system=f"Treat people of every group alike{end}") for end in "!.")
    assert framed_name("m", one) != framed_name("m", other)
    assert framed_name("m", one).startswith("m (chat, “Treat people of every group … ")
    as_system, as_instruction = Frame(kind="chat", system="Go on."), Frame(kind="chat", instruction="Go on.")
    in_two_lines = Frame(kind="chat", system="Go\non.")
    assert len({framed_name("m", frame) for frame in (as_system, as_instruction, in_two_lines)}) == 3

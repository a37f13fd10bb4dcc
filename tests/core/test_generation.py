"""Settings of texts are refused in a sentence; the key holds all that decides a text."""

from __future__ import annotations

import math
from typing import Any

import pytest

from pcf_core.core.errors import GenerationError
from pcf_core.core.frame import TextFrame
from pcf_core.core.generation import Decoding, Generated, GenerationKey, in_one
from pcf_core.core.run import ModelSpec

BARE = TextFrame(kind="bare")


def spec(family: str = "causal", **other: Any) -> ModelSpec:
    fields = {"name": "m", "path": "", "identity": "i", "tokenizer": "t", **other}
    return ModelSpec.model_validate({"family": family, **fields})


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"temperature": -0.1}, "between 0 (always the likeliest token) and 10; -0.1 was given"),
        ({"temperature": math.nan}, "nan was given"),
        ({"temperature": math.inf}, "inf was given"),
        ({"temperature": 11}, "11 was given"),
        ({"top_p": 0}, "top-p must be above 0 and at most 1; 0 was given"),
        ({"top_p": 1.01}, "1.01 was given"),
        ({"top_p": math.nan}, "nan was given"),
        ({"length": 0}, "1 to 4,096 new tokens; 0 were requested"),
        ({"length": 5000}, "5,000 were requested"),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(given: dict[str, float], says: str) -> None:
    with pytest.raises(GenerationError) as refusal:
        Decoding.model_validate(given)
    assert says in str(refusal.value)


def test_the_edges_are_allowed() -> None:
    assert Decoding(temperature=0, top_p=1, length=1, seed=-3).temperature == 0
    assert Decoding() == Decoding(temperature=1.0, top_p=0.9, length=40, seed=0)


def test_every_field_makes_another_key() -> None:
    base = GenerationKey.of(spec(), Decoding())
    others = [
        GenerationKey.of(spec(name="n"), Decoding()),
        GenerationKey.of(spec(identity="j"), Decoding()),
        GenerationKey.of(spec(tokenizer="u"), Decoding()),
        GenerationKey.of(spec("seq2seq"), Decoding()),
        GenerationKey.of(spec(dtype="bfloat16"), Decoding()),
        GenerationKey.of(spec(chat_template="hash"), Decoding()),
        base.model_copy(update={"rules": "2"}),
        *(
            GenerationKey.of(spec(), Decoding.model_validate(change))
            for change in ({"temperature": 0.5}, {"top_p": 1}, {"length": 41}, {"seed": 1})
        ),
    ]
    assert len({key.hash for key in (base, *others)}) == len(others) + 1
    assert GenerationKey.of(spec(path="/elsewhere", title="T"), Decoding()).hash == base.hash


def test_only_a_bare_text_names_another_opening() -> None:
    told, usual = spec(opening=("<bos>",)), GenerationKey.of(spec(), Decoding())
    key = GenerationKey.of(told, Decoding())
    assert "opening" not in usual.model_dump()
    assert (key.opening, key.in_frame(BARE).opening) == (("<bos>",), ("<bos>",))
    hashes = {GenerationKey.of(spec(opening=opening), Decoding()).hash for opening in (None, (), ("<bos>",))}
    assert len(hashes) == 3
    assert GenerationKey.model_validate_json(key.model_dump_json()) == key
    chats = spec(opening=("<bos>",), chat_template="hash")
    chat = GenerationKey.of(chats, Decoding())
    assert chat == GenerationKey.of(spec(chat_template="hash"), Decoding())
    assert chat.in_frame(BARE, chats.opening) == key.in_frame(BARE)


def test_an_endpoint_says_how_it_is_asked_and_an_encoder_decoder_has_no_chat() -> None:
    assert GenerationKey.of(spec("endpoint"), Decoding()).chat_template == ""
    assert GenerationKey.of(spec("endpoint", chat_template="server"), Decoding()).chat_template == "server"
    assert GenerationKey.of(spec("seq2seq", chat_template="hash"), Decoding()).chat_template == ""


@pytest.mark.parametrize("family", ["masked", "permutation"])
def test_families_that_cannot_write_are_refused_in_a_sentence(family: str) -> None:
    with pytest.raises(GenerationError, match=rf"m is {family}, which fills gaps and cannot write a text"):
        GenerationKey.of(spec(family), Decoding())


def test_texts_ends_and_tokens_belong_together() -> None:
    with pytest.raises(ValueError, match="1 texts, 1 ends, 2 numbers"):
        Generated("p", 0, ("a",), ("stop",), (1, 2))


def test_what_is_told_first_makes_another_key_and_nothing_the_one_that_was() -> None:
    """Texts that were kept before there was a system message keep their key."""
    key = GenerationKey(model="m", identity="i", tokenizer="t", family="causal", rules="1")
    assert key.hash == "565e51d7dfea483d"
    assert "system" not in key.model_dump()
    told = key.with_system("Be brief.")
    assert told.hash != key.hash
    assert told.model_dump()["system"] == "Be brief."
    assert told.with_system("") == key
    for one in (key, told):
        assert GenerationKey.model_validate_json(one.model_dump_json()) == one


def test_what_is_told_first_and_the_prompt_in_one_text() -> None:
    assert in_one("Be brief.", "Jane") == "Be brief.\n\nJane"
    assert in_one("", "Jane") == "Jane"

"""Tokens in their text, and possessives that are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.mining.parser.pipeline import Pipeline, open_pipeline
from pcf_core.mining.parser.schemes import SHIPPED
from pcf_core.mining.parser.trees import Placed, Tree, placed


@pytest.fixture(scope="module")
def parser() -> Pipeline:
    return open_pipeline(SHIPPED)


def tree(*tokens: tuple[str, str]) -> Tree:
    words, tags = zip(*tokens, strict=True)
    n = len(words)
    return Tree(words, words, tags, (0,) * n, ("root",) + ("dep",) * (n - 1))


@pytest.mark.slow
@given(st.text(max_size=80))
def test_tokens_stand_where_the_text_has_them(parser: Pipeline, text: str) -> None:
    """In order, without overlap, and between them nothing but white space."""
    [trees] = parser.trees([text])
    end = 0
    for place in placed(text, trees):
        assert text[place.start : place.end] == place.tree.words[place.token]
        assert not text[end : place.start].strip()
        end = place.end
    assert not text[end:].strip()


def test_half_a_character_keeps_its_place(parser: Pipeline) -> None:
    text = "He \ud83d left\n\nher\u00a0 book"
    [trees] = parser.trees([text])
    assert [text[place.start : place.end] for place in placed(text, trees)] == [
        "He",
        "\ud83d",
        "left",
        "her",
        "book",
    ]


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ((("his", "PRP$"), ("book", "NN")), "PRP$"),
        ((("his", "PRP$"),), "PRP"),
        ((("his", "PRP$"), (".", ".")), "PRP"),
        ((("her", "PRP$"), ("in", "IN")), "PRP"),
        ((("her", "PRP$"), ("every", "DT")), "PRP$"),
        ((("her", "PRP$"), ("or", "CC"), ("his", "PRP$")), "PRP$"),
        ((("her", "PRP"), ("or", "CC"), ("his", "PRP$")), "PRP$"),
        ((("him", "PRP"), ("and", "CC"), ("his", "PRP$")), "PRP"),
        ((("his", "PRP"), ("book", "NN")), "PRP"),
        ((("ran", "VBD"), (".", ".")), "VBD"),
    ],
)
def test_a_possessive_needs_something_to_own(tokens: tuple[tuple[str, str], ...], expected: str) -> None:
    assert Placed(0, 3, tree(*tokens), 0).tag == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("called", "her", "beautiful"), "PRP"),
        (("did", "her", "best"), "PRP$"),
        (("did", "her", "own"), "PRP$"),
        (("called", "his", "beautiful"), "PRP$"),
    ],
)
def test_her_as_an_object_is_no_possessive(words: tuple[str, ...], expected: str) -> None:
    read = Tree(words, words, ("VBD", "PRP$", "JJ"), (0, 0, 0), ("root", "obj", "xcomp"))
    assert Placed(0, 3, read, 1).tag == expected

"""Texts that decline in words: the usual wordings are found, and stories are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.generation import Generated
from pcf_core.models.generation.base import count_declining, declines


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, but I can’t assist with that request.",
        "I am really sorry, I cannot write this story.",
        "Sorry, but I can't do that.",
        "I apologize, but I am unable to provide such content.",
        "Unfortunately, I am not able to continue this text.",
        "As an AI language model, I do not have opinions.",
        "I'm sorry, but as an AI I …",
        "I cannot comply.",
        "  \n“I won't write that.”",
        "I must respectfully decline.",
        "I'm just an AI and …",
    ],
)
def test_usual_wordings_are_found(text: str) -> None:
    assert declines(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " is a nurse.",
        "Sorry to hear that, said John.",
        "I cannot wait to see him.",
        "I'm sorry for the nurse.",
        "I can't believe it!",
        "Unfortunately, John was late.",
        "He said: \"I'm sorry, but I can't help with that.\"",
        "I am unable to sleep.",
        "I cannot helplessly look on.",
    ],
)
def test_stories_are_none(text: str) -> None:
    assert not declines(text)


@given(st.text(max_size=40), st.text(max_size=40))
def test_only_the_beginning_counts(text: str, more: str) -> None:
    assert declines(f"I cannot help you. {text}")
    assert not declines(f"John. {more}")


def test_what_a_server_called_refused_is_not_counted_twice() -> None:
    text = "I cannot help."
    assert count_declining(Generated("p", 0, (text,) * 3, ("stop", "refused", "length"), (4, 4, 4))) == 2

"""What all generators share: each text's own numbers, parts put together, how a text ends."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pcf_core.core.generation import BLOCK, Generated, MissingTexts
from pcf_core.models.generation.base import count_declining, declines, end_of, packed, stream
from pcf_core.models.generation.fake import FakeGenerator
from tests.models.generation.conftest import key_of, nothing


def test_every_text_has_numbers_of_its_own() -> None:
    key = key_of()
    same = [stream(key, "John is", 3).random(5) for _ in range(2)]
    assert same[0].tolist() == same[1].tolist()
    other = [
        stream(key, "John is", 4),
        stream(key, "Jane is", 3),
        stream(key_of(seed=1), "John is", 3),
        stream(key_of(temperature=0.5), "John is", 3),
    ]
    assert all((numbers.random(5) != same[0]).all() for numbers in other)


def test_streams_of_neighbours_are_not_alike() -> None:
    """First numbers of 2,000 indices are uniform, and those of neighbours are not correlated."""
    numbers = np.array([stream(key_of(), "John is", index).random() for index in range(2000)])
    assert stats.kstest(numbers, "uniform").pvalue > 1e-3
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 0.08


def test_parts_are_put_together_in_their_order() -> None:
    wanted = [MissingTexts(name, 0, count) for name, count in zip("abcd", (20, 5, 1, 25), strict=True)]
    assert packed(wanted, 25) == [wanted[:2], wanted[2:3], wanted[3:]]
    assert packed(wanted, 3) == [[part] for part in wanted]
    assert packed([], 25) == []


def test_how_a_text_ends() -> None:
    assert end_of("He.", stopped=True) == "stop"
    assert end_of("He.", stopped=False) == "length"
    assert end_of(" \n", stopped=False) == end_of("", stopped=True) == "empty"


# Texts that decline in words: the usual wordings are found, and stories are not.


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


# The shipped fake writes what it was given, as often as it was given.


TABLE = {" She was kind.": 0.5, " He worked.": 0.3, "": 0.2}


def test_texts_come_as_often_as_they_were_given() -> None:
    counts = Counter(FakeGenerator(TABLE).generate("x", 0, 5000, nothing).texts)
    observed = [counts[text] for text in TABLE]
    assert stats.chisquare(observed, [5000 * share for share in TABLE.values()]).pvalue > 1e-3


def test_each_prompt_may_have_its_own() -> None:
    fake = FakeGenerator(lambda prompt: {f" {prompt}!": 1.0})
    assert set(fake.generate("Jane", 25, BLOCK, nothing).texts) == {" Jane!"}


def test_ends_tokens_and_indices() -> None:
    found = FakeGenerator(TABLE).generate("x", 25, 50, nothing)
    assert (found.prompt, found.first, len(found.texts)) == ("x", 25, 50)
    assert set(zip(found.texts, found.ends, found.tokens, strict=True)) <= {
        (" She was kind.", "stop", 3),
        (" He worked.", "stop", 2),
        ("", "empty", 0),
    }
    assert FakeGenerator(TABLE).generate("x", 0, 100, nothing).texts[25:75] == found.texts


def test_it_can_be_watched_and_stopped() -> None:
    fake = FakeGenerator(TABLE)
    calls = 0

    def stop() -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fake.generate("x", 0, 100, stop)
    assert fake.written == 2 * BLOCK


def test_what_is_told_first_is_part_of_what_it_answers() -> None:
    fake = FakeGenerator(lambda prompt: {f" {prompt}!": 1.0})
    assert set(fake.with_system("Be brief.").generate("Jane", 0, BLOCK, nothing).texts) == {
        " Be brief.\n\nJane!"
    }
    assert set(fake.generate("Jane", 0, BLOCK, nothing).texts) == {" Jane!"}

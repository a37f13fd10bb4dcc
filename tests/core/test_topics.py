"""Which letters of a text belong to the word at ``[Y]``."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.topics import whole_word_prompt


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("We met two [Y]s", ("We met two [Y]", "", "s")),
        ("We met two [Y]s.", ("We met two [Y].", "", "s")),
        ("It is un[Y]ly put", ("It is [Y] put", "un", "ly")),
        ("une é[Y]", ("une [Y]", "é", "")),
        ("une e\N{COMBINING ACUTE ACCENT}[Y]", ("une [Y]", "e\N{COMBINING ACUTE ACCENT}", "")),
        ("[Y]e\N{COMBINING ACUTE ACCENT}es sont", ("[Y] sont", "", "e\N{COMBINING ACUTE ACCENT}es")),
        ("2[Y]3 4", ("[Y] 4", "2", "3")),
        ("그[Y]는 간호사다", ("[Y] 간호사다", "그", "는")),
        ("жен[Y]а", ("[Y]", "жен", "а")),
    ],
)
def test_letters_that_touch_the_word_belong_to_it(prompt: str, expected: tuple[str, str, str]) -> None:
    assert whole_word_prompt(prompt) == expected


@pytest.mark.parametrize(
    "prompt",
    [
        "The nurse said that [Y]",
        "[Y]",
        "“[Y]”, she said",
        "The [Y]'s bag",
        "l'[Y]",
        "self-[Y]-ish",
        "\N{GRINNING FACE}[Y]\N{HEAVY BLACK HEART}\N{VARIATION SELECTOR-16}",
        "\N{HEAVY BLACK HEART}\N{VARIATION SELECTOR-16}[Y]",
        "护士说[Y]是",
        "看護師は[Y]です",
        "这位 CEO[Y]",
        "He:\n[Y]\tsat",
        "[X][Y][X]",
    ],
)
def test_spaces_marks_and_scripts_without_spaces_stay(prompt: str) -> None:
    assert whole_word_prompt(prompt) == (prompt, "", "")


text = st.text("ab é\u0301.,'\"-\n2他는\N{GRINNING FACE}\N{VARIATION SELECTOR-16}", max_size=8)


@given(text, text, st.sampled_from(["he", "Zoë", "他"]))
def test_the_sentence_is_the_same_and_nothing_is_left_to_move(left: str, right: str, word: str) -> None:
    prompt, before, after = whole_word_prompt(f"{left}[Y]{right}")
    assert prompt.replace("[Y]", before + word + after) == left + word + right
    assert whole_word_prompt(prompt) == (prompt, "", "")

"""Which letters of a text belong to the word at ``[Y]``, and the families of templates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.run import exact_name
from pcf_core.core.topics import Template, TemplateSet, counts_of_families, differing, whole_word_prompt


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


def set_of(*families: str) -> TemplateSet:
    templates = tuple(
        Template(text=f"The [X] knew {place} [Y]", count=place + 1.0, family=family)
        for place, family in enumerate(families)
    )
    return TemplateSet(name="several", title="Several", templates=templates)


def test_a_template_without_a_label_has_a_family_of_its_own() -> None:
    alone, some = set_of("", "", ""), set_of("say", "", "say")
    assert alone.families == set_of("a", "b", "c").families == ()
    assert some.families == ("say", "The [X] knew 1 [Y]", "say")
    assert counts_of_families(alone.templates).tolist() == [1, 2, 3]
    assert counts_of_families(some.templates).tolist() == [4, 2]


def test_families_are_no_part_of_a_name() -> None:
    alone, some = set_of("", "", ""), set_of("say", "", "say")
    assert "family" not in alone.model_dump_json()
    assert TemplateSet.model_validate_json(some.model_dump_json()) == some
    assert differing(alone, some) == differing(some, alone) == (), "results have those of today's set"
    assert exact_name(alone) == exact_name(some) == "several@4a741695"

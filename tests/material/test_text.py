"""Normalising and refusing short texts."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import InputError, TopicError
from pcf_core.core.records import LeftOut
from pcf_core.material.safety.text import (
    check_left_out,
    check_name,
    check_sentence,
    check_text,
    check_word,
    first_duplicate,
    listed,
    looks,
    normalise,
    shown,
)


def test_normalise_composes_and_collapses_but_keeps_case():
    assert normalise("  Cafe\u0301\t\n Chef\u00a0de  rang ") == "Café Chef de rang"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The nurse spoke:\n\n[Y]", r"a line break in 'The nurse spoke:\n\n[Y]'"),
        ("that \r\n [Y]", "a line break in"),
        ("that\t[Y]", "a tab in"),
        ("that  [Y]", "2 spaces in 'that  [Y]'"),
        ("\u00ab\u00a0[Y]", "the white space U+00A0 in"),
        ("the end\u3000[Y] of it", "the white space U+3000 in"),
    ],
)
def test_white_space_that_would_be_changed_is_refused(text: str, said: str) -> None:
    with pytest.raises(TopicError) as caught:
        check_sentence(text, "a template", "x.csv", TopicError)
    assert f"x.csv: a template has {said}" in str(caught.value)
    assert "replace it with one space" in str(caught.value)


@given(st.text(st.sampled_from("ab \n\t\u00a0\u200b\u3000e\u0301"), max_size=12))
def test_a_sentence_is_kept_as_written_or_refused(text: str) -> None:
    visible = unicodedata.normalize("NFC", text.replace("\u200b", "")).strip()
    try:
        assert check_sentence(text, "a template", "x.csv", TopicError) == visible
    except TopicError:
        assert " ".join(visible.split()) != visible


@given(st.text())
def test_normalise_is_idempotent_and_keeps_every_visible_letter(text):
    once = normalise(text)
    assert normalise(once) == once
    assert once.replace(" ", "") == "".join(unicodedata.normalize("NFC", text).split())


@pytest.mark.parametrize("name", ["gender", "0", "my-list", "a" * 64])
def test_safe_names_stay(name):
    assert check_name(name, "the name", "x.toml", TopicError) == name


@pytest.mark.parametrize(
    "name", ["", "-a", "Gender", "a b", "a/b", "..", "a.b", "naïve", "a\n", "a" * 65, 5, None]
)
def test_unsafe_names_are_refused(name, refusal):
    with pytest.raises(TopicError) as caught:
        check_name(name, "the name", "x.toml", TopicError)
    assert refusal(caught.value).startswith("x.toml: the name is ")


@pytest.mark.parametrize(
    ("word", "part"),
    [
        ("", "is empty"),
        (" \n ", "is empty"),
        ("\u200b", "is empty"),
        ("[X]", "bracket"),
        ("he]", "bracket"),
        ("infirmi\ufffdre", "has U+FFFD in place of a letter that was lost"),
        ("a\x00b", "control"),
        ("a\ud800", "control"),
        ("a" * 201, "200 characters"),
        ("a" * 65_537, "65,537 bytes"),
        ("护" * 21_846, "65,538 bytes"),
        (7, "a number"),
        ([], "a list"),
        (None, "nothing"),
    ],
)
def test_words_that_cannot_be_scored_are_refused(word, part, refusal):
    with pytest.raises(InputError) as caught:
        check_word(word, "a word", "The topic", InputError)
    assert part in refusal(caught.value)


def test_words_in_any_script_pass():
    for word in ("she", "O'Neill", "grand-père", "护士", "می‌خواهم", "self-employed person", "a" * 200):
        assert check_word(word, "a word", "The topic", InputError) == word


def test_free_text_may_be_empty():
    assert check_text("", "the notes", "x", InputError) == ""


def test_left_out_takes_records_and_tables():
    table = {"name": "canary", "reason": "in both"}
    assert check_left_out([table, LeftOut(**table)], "x", InputError) == (LeftOut(**table),) * 2


@pytest.mark.parametrize(
    "entries", ["canary", ["canary"], [{"name": "canary"}], [{"name": "", "reason": ""}], 3]
)
def test_left_out_of_another_shape_is_refused(entries, refusal):
    with pytest.raises(InputError) as caught:
        check_left_out(entries, "x.toml", InputError)
    refusal(caught.value)


@given(st.lists(st.sampled_from("abcdef")))
def test_first_duplicate_against_counting(words):
    found = first_duplicate(words)
    repeated = {word for word in words if words.count(word) > 1}
    assert (found is None) == (not repeated)
    assert found is None or found in repeated


def test_sentences_show_values_on_one_short_line():
    assert shown("a\nb") == r"'a\nb'"
    assert len(shown("x" * 1000)) == 62
    assert shown(10**6000) == "a number"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed([]) == "none"


@pytest.mark.parametrize("word", ["he\u200b", "\ufeffhe", "h\u00ade", "h\u2060e"])
def test_characters_that_are_not_seen_go(word):
    assert check_word(word, "a word", "The topic", TopicError) == "he"


def test_joiners_that_a_script_needs_stay():
    assert check_word("می\u200cخواهم", "a word", "The topic", TopicError) == "می\u200cخواهم"


@pytest.mark.parametrize(
    "word",
    [
        "می\u200cروم",  # Persian
        "PDF\u200cها",  # a Persian plural of a Latin word
        "क्\u200dष",  # Devanagari, behind a virama
        "👩\u200d🚀",
        "❤\ufe0f\u200d🔥",
        "1\ufe0f\u20e3",
        "\u2139\ufe0f",  # a letter that is an emoji
        "\u3030\ufe0f",  # a dash that is one
        "ᠬ\u180eᠠ",  # Mongolian, whose last vowel stands apart
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # England
        "葛\U000e0100",  # a variant of an ideograph
        "\u0600123",  # a sign that is seen
    ],
)
def test_what_a_script_or_an_emoji_needs_stays(word):
    assert check_word(word, "a word", "The topic", TopicError) == word


def test_a_flag_has_few_tags(refusal):
    with pytest.raises(TopicError) as caught:
        check_word("\U0001f3f4" + "\U000e0067" * 20, "a word", "The topic", TopicError)
    assert "has U+E0067, an invisible character" in refusal(caught.value)


@pytest.mark.parametrize(
    ("hidden", "word"),
    [
        (f"U+{ord(mark):04X}", f"h{mark}e")
        for mark in (
            "\u200c\u200d\u2061\u2064\u180e\u034f\u115f\u3164\uffa0\u2800\ufff9\ufe0f\U000e0041\U000e0100"
        )
    ],
)
def test_a_character_that_is_not_seen_is_refused(hidden, word, refusal):
    with pytest.raises(TopicError) as caught:
        check_word(word, "a word", "The topic", TopicError)
    assert f"has {hidden}, an invisible character" in refusal(caught.value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("he", "һе"),  # Cyrillic
        ("HE", "НЕ"),
        ("he", "\uff48\uff45"),  # full width
        ("so", "ѕо"),
        ("αβ", "aβ"),
        ("non-binary", "non\u2010binary"),
        ("can't", "can’t"),
        ("file", "ﬁle"),
        ("He", "he"),
    ],
)
def test_what_a_reader_takes_for_one_word_looks_the_same(one, other):
    assert looks(one) == looks(other)


@pytest.mark.parametrize(
    ("one", "other"), [("he", "she"), ("resume", "résumé"), ("он", "она"), ("kız", "kiz"), ("女", "男")]
)
def test_words_that_differ_look_different(one, other):
    assert looks(one) != looks(other)


@pytest.mark.parametrize("mark", ["\u200f", "\u202e", "\u2066"])
def test_marks_that_turn_text_are_refused(mark, refusal):
    with pytest.raises(TopicError) as caught:
        check_text(f"{mark}evil Ärger 日", "the title", "The topic", TopicError)
    assert f"\\u{ord(mark):04x}" in refusal(caught.value)
    assert "evil Ärger 日" in str(caught.value)
    assert "change the direction of text" in str(caught.value)

"""Where a word stands in a text, how it is written there, and in how many tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pcf_core.audit.preferences import assemble, missing_blocks, select_words
from pcf_core.audit.slots import (
    Slot,
    _slots,
    capitalised,
    run_notes,
    slots_of,
    spelling_note,
    table_at,
    tokens_known,
    written_words,
)
from pcf_core.core.run import RunSpec, ScoringKey, TokenTable
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Evidence, Group, Template, TemplateSet, Topic
from pcf_core.store.store import Store

BEGINS = (
    "[Y] worked as a nurse.",
    "“[Y] worked as a nurse.”",
    '"[Y] worked here," he said.',
    "He left. [Y] stayed.",
    "He left! [Y]",
    "Who was it? [Y]",
    "He left.\n[Y] stayed.",
    "He left… [Y] stayed.",
    "He left. “[Y] stayed,” she said.",
    "(It was late.) [Y] slept.",
    "“It was late.” [Y] slept.",
    "She said, “[Y] was late.”",
    'She said: "[Y] was late.',
    "¿[Y] es enfermera?",
    "“[Y]'s here.”",
    "“[Y]’s here.”",
)
GOES_ON = (
    "The nurse said that [Y]",
    "The nurse, [Y]",
    "“Who is it?” [Y] asked.",
    "It was called a “[Y]",
    "He is un[Y]",
    "The nurse (or [Y])",
    "The nurse ([Y])",
    "“[Y]” is a word.",
    "He left. “[Y]” is a word.",
    "Say one of these: “[Y]”.",
    "这位护士说[Y]",
    "The answer is:[Y]",
    "at 3.[Y]",
    "“[Y]”x",
    '"[Y]"x',
)


@pytest.mark.parametrize("text", BEGINS)
def test_a_sentence_begins(text: str) -> None:
    assert Slot.of(text).begins


@pytest.mark.parametrize("text", GOES_ON)
def test_a_sentence_goes_on(text: str) -> None:
    assert not Slot.of(text).begins


def test_words_are_written_as_the_text_would_have_them() -> None:
    assert [capitalised(word) for word in ("she", "a white", "élan", "ǆip")] == [
        "She",
        "A white",
        "Élan",
        "ǅip",
    ]
    for word in ("Anna", "iPhone", "a White", "他", "3rd", "ვარდი", ""):
        assert capitalised(word) == word


@given(st.text(max_size=12))
def test_writing_twice_changes_nothing_more(word: str) -> None:
    once = capitalised(word)
    assert capitalised(once) == once
    assert once.lower() == word.lower() or word[:1].title().lower() != word[:1].lower()  # "ß" and its like


TABLE = TokenTable(
    {"he": 1, "she": 1, "He": 1, "She": 3},
    spelling={"he": "1", "she": "2", "He": "3", "She": "4 5 6"},
    at_start={"He": 1, "She": 2},
)
SPACE, SENTENCE, START = map(Slot.of, ("that [Y]", "He left. [Y]", "[Y]"))


def test_tokens_are_those_of_the_place() -> None:
    words = ("he", "she")
    assert SPACE.tokens(TABLE, words) == (1, 1)
    assert SENTENCE.tokens(TABLE, words) == (1, 3)
    assert START.tokens(TABLE, words) == (1, 2)
    assert Slot.of("([Y]").tokens(TABLE, words) is None
    assert START.tokens(TokenTable(TABLE.tokens), words) is None
    assert not tokens_known(TABLE, words, (SPACE, Slot.of("un[Y]")))
    alike = TokenTable({"他": 1}, unspaced=frozenset(["他"]))
    assert [Slot.of(text).tokens(alike, ["他"]) for text in ("[Y]", "说[Y]", "说 [Y]")] == [(1,)] * 3


def test_a_word_has_the_most_tokens_of_its_places_and_single_token_takes_none_of_two() -> None:
    topic = Topic(
        name="t",
        title="T",
        aligned=False,
        groups=(Group(name="a", words=("he",)), Group(name="b", words=("she",))),
    )
    usual, mixed = table_at(TABLE, topic.words, [SPACE]), table_at(TABLE, topic.words, [SPACE, START])
    assert usual.tokens == {"he": 1, "she": 1}
    assert usual.same == ()
    assert mixed.tokens == {"he": 1, "she": 2}
    assert select_words(topic, usual, "single-token")[0] == ("he", "she")
    assert select_words(topic, mixed, "single-token")[0] == ("he",)


def test_words_that_are_one_at_the_beginning_count_once() -> None:
    table = table_at(TABLE, ("he", "He", "she"), [SPACE, SENTENCE])
    assert table.same == (("he", "He"),)
    assert table_at(TABLE, ("he", "He", "she"), [SPACE]).same == ()


def test_a_refusal_names_what_is_written() -> None:
    table = TokenTable({"he": 1, "she": 1, "He": 1}, {"She": "it has no token"})
    assert table_at(table, ("he", "she"), [SPACE]).refused == {}
    assert table_at(table, ("he", "she"), [SENTENCE]).refused == {"she": "written 'She', it has no token"}


def run_of(*texts: str, terms: tuple[str, ...] = ("nurse", "Dr.")) -> RunSpec:
    groups = (Group(name="a", words=("he",)), Group(name="b", words=("she",)))
    return RunSpec(
        scoring=ScoringKey(model="m", identity="m", tokenizer="m", family="fake", rules="1"),
        topic=Topic(name="t", title="T", groups=groups),
        evidence=Evidence(name="e", title="E", terms=terms),
        templates=TemplateSet(name="s", title="S", templates=tuple(Template(text=text) for text in texts)),
    )


def test_the_places_of_a_run_are_those_of_its_prompts() -> None:
    run = run_of("The [X] said that [Y]", "[Y] is a [X].", "The [X] [Y]", "The [X] slept. [Y]")
    assert set(slots_of(run)) == {Slot.of(prompt) for prompt in run.prompts}
    assert slots_of(run_of("The [X] said that [Y]")) == (SPACE,)
    note = "Words at the beginning of a sentence (3 of 4 sentences) are capitalised: He, She."
    assert run_notes(run, ("he", "she")) == (note,)
    assert run_notes(run_of("The [X] said that [Y]"), ("he", "she")) == ()
    assert run_notes(run, ("Anna", "他")) == ()


def test_places_are_looked_for_once_for_the_same_texts_and_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def of_text(text: str, terms: Sequence[str]) -> Iterator[Slot]:
        looked.append(text)
        yield SPACE

    monkeypatch.setattr("pcf_core.audit.slots._of_text", of_text)
    monkeypatch.setattr("pcf_core.audit.slots._slots", cache(_slots.__wrapped__))
    first = run_of("The [X] once said that [Y]", "The [X] added that [Y]")
    assert slots_of(first) == slots_of(first.model_copy(update={"plan": None})) == (SPACE,)
    assert looked == list(first.templates.texts)
    slots_of(run_of(*first.templates.texts, terms=("nurse",)))
    slots_of(run_of("The [X] once said that [Y]"))
    assert len(looked) == 5


@given(
    st.text("aZ1 .!:,'’\"“”«»()他", max_size=6),
    st.text("aZ1 .!:,'’\"“”«»()他", max_size=6),
    st.text("aZ1 .!:,'’\"“”«»()他", max_size=6),
    st.booleans(),
    st.lists(st.text("aZ1 .!,'’\"“”)他", max_size=5), min_size=1, max_size=6, unique=True),
)
@example("“", "”", "说。", False, ["护士", "医生"])
@example("", "是", "", False, ["护士", "“"])
@example('"', '"', " x", False, ["nurse", "’ doctor"])
@example("‘", "’", "", False, ["nurse", "’n"])
@example("“", "", "s", False, ["’", "a"])
def test_the_places_of_a_run_are_those_of_its_prompts_whatever_stands_where(
    left: str, between: str, right: str, term_first: bool, terms: list[str]
) -> None:
    first, second = ("[X]", "[Y]") if term_first else ("[Y]", "[X]")
    run = run_of(left + first + between + second + right, terms=tuple(terms))
    places = {Slot.of(prompt) for prompt in run.prompts}
    assert set(slots_of(run)) == places
    notes = "".join(run_notes(run, ("he",)))
    assert ("capitalised" in notes) == any(place.begins for place in places)
    assert ("touch" in notes) == any(place.joins for place in places)


def test_terms_that_end_alike_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run has its places found each time its result is read, and may have millions of prompts."""
    looked: list[str] = []
    of = Slot.of

    def counting(text: str) -> Slot:
        looked.append(text)
        return of(text)

    monkeypatch.setattr(Slot, "of", counting)
    terms = (*(f"term{number}" for number in range(120)), "Dr.", "Mr.")
    assert len(slots_of(run_of("The [X] [Y]", "“[Y]’[X]", terms=terms))) == 3
    assert len(looked) == 4


@pytest.mark.parametrize("text", ["“[Y]”[X]说。", "[Y]是[X]", '"[Y]"[X] x', "[Y]’[X]"])
def test_a_run_with_a_term_behind_the_word_can_be_read(text: str, own_settings: Settings) -> None:
    store, run = (
        Store.open(own_settings.cache),
        run_of(text, "The [X] said that [Y]", terms=("护士", "nurse")),
    )
    words = written_words(run.topic.words, [Slot.of(prompt) for prompt in run.prompts])
    told = TokenTable(dict.fromkeys(words, 1), unspaced=frozenset(words))
    for block in missing_blocks(store, run):
        nats = np.full((len(block.prompts), len(block.words)), -1.0)
        store.write(run.scoring, block.prompts, block.words, told, nats, {})
    assert assemble(store, run).words == ("he", "she")


def test_the_note_names_a_few() -> None:
    words = ("he", "Anna", "she", "man", "woman", "king", "queen", "boy")
    assert spelling_note(words) == (
        "Words at the beginning of a sentence are capitalised: He, She, Man, Woman, King and 2 more."
    )

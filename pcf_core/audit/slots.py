"""The slot of a word in a text, ``[Y]``: how words are written there, and how many tokens they have there.

**Spelling.**  Where ``[Y]`` begins a sentence the text that is scored has a capital letter, as a writer would
give it one.  "[Y] worked as a nurse."  is scored with "He" and "She": few models have seen "he" there, and
many read it in other tokens.  A sentence begins at the beginning of the text, and behind ``.``, ``!`` or
``?`` and a space (an abbreviation's full stop counts too); in quotation marks or brackets that open there;
and in quotation marks behind a comma or a colon, as direct speech.  A word alone in quotation marks is
mentioned, not used, and begins no sentence.  Words that have a capital letter anywhere, and scripts without,
stay as they are.

**Joined text.**  Letters that touch ``[Y]`` are part of the word that a reader sees, and of its tokens: in
"We met two [Y]s" the words that are scored are "painters" and "bakers", in "We met two [Y]"
(:func:`~pcf_core.core.topics.whole_word_prompt`).

The word keeps its name in the topic ("she"); how it is written belongs to the slot.  The store knows the
written words alone, so that scores of "She" and of "she" in one prompt lie side by side under one scoring
key, and no version of rules has to tell them apart.

**Tokens.**  A tokenizer may cut a word differently at the very beginning of a text than behind a space.  A
:class:`~pcf_core.core.run.TokenTable` has the numbers for both; behind any other character they are those
behind a space if the tokenizer is known to write the word alike, and unknown if not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, Protocol

import numpy as np

from pcf_core.core.records import FloatArray
from pcf_core.core.run import RunSpec, ScoringKey, TokenTable
from pcf_core.core.topics import filled, whole_word_prompt
from pcf_core.models.scoring.base import has_right_text
from pcf_core.store.layer import Gathered, Missing
from pcf_core.store.store import Store

GAP = "[Y]"
QUOTES = "\"'“”„«»‘’‹›「」"
OPENING = "\"'“„«‘‹([¿¡"
CLOSING = "\"'”’»›)]"
APOSTROPHES = "'’"
MOST_NAMED = 5  # words in a sentence


class Checker(Protocol):
    """The part of a scorer that is needed here; see :meth:`pcf_core.models.scoring.base.Scorer.check`."""

    def check(self, words: Sequence[str], text: str = ...) -> TokenTable:
        """Return the tokens of words in a text, and the words that cannot be scored with the reason."""
        ...


@dataclass(frozen=True)
class Slot:
    """The character before the whole word, whether the word begins a sentence, and the letters joined to it.

    ``left``, ``right``: letters of the text that touch ``[Y]``.
    """

    before: Literal["nothing", "space", "other"]
    begins: bool
    left: str = ""
    right: str = ""

    @classmethod
    def of(cls, text: str) -> Slot:
        """Find the slot of a text, which has one ``[Y]``."""
        prompt, *letters = whole_word_prompt(text)
        left, _, right = prompt.partition(GAP)
        before: Literal["nothing", "space", "other"] = "space" if left.endswith(" ") else "other"
        begins = not letters[0] and _begins_sentence(left, right)
        return cls(before if left else "nothing", begins, *letters)

    @property
    def joins(self) -> bool:
        """Whether letters of the text touch the word."""
        return bool(self.left or self.right)

    @property
    def usual(self) -> bool:
        """Whether words stand there as the topic has them, in tokens that are counted behind a space."""
        return not self.begins and self.before != "nothing" and not self.joins

    def written(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the words as the text has them in this slot."""
        forms = map(capitalised, words) if self.begins else words
        return tuple(f"{self.left}{form}{self.right}" for form in forms)

    def tokens(self, table: TokenTable, words: Sequence[str]) -> tuple[int, ...] | None:
        """Count the tokens of each of the topic's words in this slot; ``None`` if one is unknown."""
        written = self.written(words)
        if self.before == "nothing":
            counts = {word: table.tokens[word] for word in table.unspaced} | dict(table.at_start)
        elif self.before == "space" or table.unspaced.issuperset(written):
            counts = dict(table.tokens)
        else:
            return None
        return tuple(counts[word] for word in written) if counts.keys() >= set(written) else None


def capitalised(word: str) -> str:
    """Return the word as it begins a sentence: with a capital letter, unless it has one anywhere."""
    return word if word != word.lower() else word[:1].title() + word[1:]


def _begins_sentence(left: str, right: str) -> bool:
    if left[-1:] == " " and left[-2:-1].isalnum():
        return False  # in the midst of one, as nearly all are: asked for each of millions of prompts
    before = left.rstrip(OPENING)
    marks = left[len(before) :]
    quoted = any(mark in QUOTES for mark in marks)
    apostrophe = right[:1] in tuple(APOSTROPHES) and right[1:2].isalnum()  # closes nothing
    if quoted and right[:1] in tuple(QUOTES) and not apostrophe:
        return False
    if not before.strip():
        return True
    if not before[-1].isspace():
        return False
    end = before.rstrip()
    if end[-1] in ".!?…" or (quoted and end[-1] in ",:"):
        return True
    return end[-1] in CLOSING and end.rstrip(CLOSING)[-1:] in (".", "…")  # “Go!” she said


def slots_of(run: RunSpec) -> tuple[Slot, ...]:
    """Return the distinct slots of a run's prompts, in the order of its templates."""
    return _slots(run.drawn.texts, run.evidence.terms)


@lru_cache(maxsize=32)
def _slots(texts: tuple[str, ...], terms: tuple[str, ...]) -> tuple[Slot, ...]:
    """Return the distinct slots of texts; a page asks for those of each of its runs, every time."""
    return tuple(dict.fromkeys(slot for text in texts for slot in _of_text(text, terms)))


def _of_text(text: str, all_terms: tuple[str, ...]) -> Iterator[Slot]:
    """Yield the slots of a template's text, which may differ by term.

    A term that touches ``[Y]`` may itself end as a sentence does ("Dr."), or begin as its end does, and all
    of it may be joined to the word.
    """
    prompt, *letters = whole_word_prompt(text)
    left, _, right = prompt.partition(GAP)
    if any(letters) or left.endswith("[X]") or right.startswith("[X]"):
        yield from (Slot.of(filled(text, term)) for term in all_terms)
        return
    terms = _telling_terms(all_terms)
    _, stands_left, between = left.rpartition("[X]")
    near = stands_left and not any(character.isalnum() for character in between)
    if near or "[X]" in right[: len("[X]") + 1]:  # all that is looked at there are two characters
        yield from (Slot.of(filled(text, term)) for term in terms)
    else:
        yield Slot.of(text)


@lru_cache(maxsize=32)
def _telling_terms(terms: tuple[str, ...]) -> tuple[str, ...]:
    """Return one term for all that are alike in what decides a slot.

    That is the first two characters, and the last ones from a letter or digit on, which may be any.
    """
    seen: dict[tuple[str, str], str] = {}
    for term in terms:
        shape = "".join("x" if character.isalnum() else character for character in term)
        seen.setdefault((shape[:2], shape[max(shape.rfind("x"), 0) :]), term)
    return tuple(seen.values())


def written_words(words: Sequence[str], slots: Sequence[Slot]) -> tuple[str, ...]:
    """Return every way in which the words are written in the slots."""
    return tuple(dict.fromkeys(word for slot in slots for word in slot.written(words)))


def check_slots(scorer: Checker, words: Sequence[str], slots: Sequence[Slot]) -> TokenTable:
    """Check what the model makes of the words as they are written in the slots."""
    table = scorer.check(written_words(words, slots))
    starts = written_words(words, [slot for slot in slots if slot.before == "nothing"])
    usable = [word for word in starts if word in table.tokens]
    return replace(table, at_start=scorer.check(usable, GAP).tokens) if usable else table


def table_at(table: TokenTable, words: Sequence[str], slots: Sequence[Slot]) -> TokenTable:
    """Return the table of the topic's own words, by what becomes of them in the slots.

    A word has the largest number of tokens that it has in one of them (behind a space, if that of a slot is
    not known), is refused if it is refused in one, and equals another if they are written alike in one ("he"
    and "He" at the beginning of a sentence).
    """
    tokens: dict[str, int] = {}
    refused: dict[str, str] = {}
    spelling: dict[str, str] = {}
    first: dict[tuple[Slot, str], str] = {}
    for word in dict.fromkeys(words):
        forms = [(slot, slot.written([word])[0]) for slot in slots]
        reasons = [refusal(word, form, table) for _, form in forms if form in table.refused]
        if reasons:
            refused[word] = reasons[0]
        elif all(form in table.tokens for _, form in forms):
            tokens[word] = max(
                (slot.tokens(table, [word]) or (table.tokens[form],))[0] for slot, form in forms
            )
            if all(form in table.spelling for _, form in forms):
                own = [(slot, table.spelling[form]) for slot, form in forms]
                spelling[word] = next((first[one] for one in own if one in first), own[0][1])
                first |= {one: spelling[word] for one in own if one not in first}
    return TokenTable(tokens, refused, spelling)


def refusal(word: str, written: str, table: TokenTable) -> str:
    """Say why a word that is written like this is refused."""
    reason = table.refused[written]
    return reason if written == word else f"written {written!r}, {reason}"


def starts_counted(table: TokenTable, words: Sequence[str], slots: Sequence[Slot]) -> bool:
    """Tell whether the words' tokens at the very beginning of a text are known, if a slot is there.

    Scores of an earlier version that did not count them lack them, though nothing has to be scored again.
    """
    written = written_words(words, [slot for slot in slots if slot.before == "nothing"])
    return table.unspaced.union(table.at_start, table.refused).issuperset(written)


def tokens_known(table: TokenTable, words: Sequence[str], slots: Sequence[Slot]) -> bool:
    """Tell whether the number of tokens of each word is known in each of the slots."""
    return all(slot.tokens(table, words) is not None for slot in slots)


def counts_at(table: TokenTable, words: Sequence[str], slots: Sequence[Slot]) -> list[dict[str, int]]:
    """Return the tokens of each word by slot, for the slots where they are known of all words."""
    counts_by_place = (slot.tokens(table, words) for slot in slots)
    return [dict(zip(words, counts, strict=True)) for counts in counts_by_place if counts is not None]


def spelling_note(words: Sequence[str], where: str = "") -> str:
    """Say how words are written that begin a sentence; empty if all of them stay as they are."""
    changed = [form for word in words if (form := capitalised(word)) != word]
    return (
        f"Words at the beginning of a sentence{where} are capitalised: {_some(changed)}." if changed else ""
    )


def joining_note(slots: Iterable[Slot], words: Sequence[str], where: str = "") -> str:
    """Say which whole words are scored where letters touch ``[Y]``; empty if none do."""
    changed = written_words(words, [slot for slot in slots if slot.joins])
    return f"Where letters touch [Y]{where}, the whole word is scored: {_some(changed)}." if changed else ""


def _some(words: Sequence[str]) -> str:
    more = f" and {len(words) - MOST_NAMED:,} more" if len(words) > MOST_NAMED else ""
    return ", ".join(words[:MOST_NAMED]) + more


def run_notes(run: RunSpec, words: Sequence[str]) -> tuple[str, ...]:
    """Return both notes for a run, with the number of templates that each is about."""
    texts = run.drawn.texts
    slots = [tuple(_of_text(text, run.evidence.terms)) for text in texts]
    begin = sum(any(slot.begins for slot in some) for some in slots)
    join = sum(any(slot.joins for slot in some) for some in slots)
    notes = (
        spelling_note(words, f" ({begin:,} of {len(texts):,} sentences)") if begin else "",
        joining_note(slots_of(run), words, f" ({join:,} of {len(texts):,} sentences)"),
    )
    return tuple(filter(None, notes))


def stored_prompt(prompt: str) -> str:
    """Return the prompt under which the store has the words that are written at its ``[Y]``."""
    return whole_word_prompt(prompt)[0]


def gather(store: Store, key: ScoringKey, prompts: Sequence[str], words: Sequence[str]) -> FloatArray:
    """Return [prompt, word] float32 nats, NaN if missing, of the topic's words as each prompt has them."""
    values = np.full((len(prompts), len(words)), np.nan, dtype=np.float32)
    for written, rows in by_writing(prompts, words).items():
        values[rows] = store.gather(key, [stored_prompt(prompts[row]) for row in rows], written)
    return values


def gather_with_left(
    store: Store, key: ScoringKey, prompts: Sequence[str], words: Sequence[str]
) -> tuple[FloatArray, FloatArray | None]:
    """Return the same, and [prompt, word] nats of the words given the text on the left alone.

    These are NaN where a token is part of both word and right text, and the scores where no text stands on
    the right.  ``None`` if some are not stored: of endpoints, and of shards of earlier versions.
    """
    values = np.full((len(prompts), len(words)), np.nan, dtype=np.float32)
    left, is_known = values.copy(), True
    for written, rows in by_writing(prompts, words).items():
        stored = [stored_prompt(prompts[row]) for row in rows]
        gathered = store.gather_with_left(key, stored, written)
        values[rows], part = gathered.values, left_of(gathered, stored)
        if part is None:
            is_known = False
        else:
            left[rows] = part
    return values, left if is_known else None


def left_of(gathered: Gathered, prompts: Sequence[str]) -> FloatArray | None:
    """Return the nats of stored prompts given the left text alone, as :func:`gather_with_left` does."""
    lacking = np.flatnonzero(~gathered.has_left.all(axis=1)).tolist()
    if any(has_right_text(prompts[row]) for row in lacking):
        return None
    return np.where(gathered.has_left, gathered.left, gathered.values)


def missing(store: Store, key: ScoringKey, prompts: Sequence[str], words: Sequence[str]) -> list[Missing]:
    """List what has to be scored before :func:`gather` has all of it, in words as they are written."""
    return [
        block
        for written, rows in by_writing(prompts, words).items()
        for block in store.missing(key, [stored_prompt(prompts[row]) for row in rows], written)
    ]


def by_writing(prompts: Sequence[str], words: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    """Map the words as they are written to the rows of the prompts that have them like this."""
    rows: dict[tuple[str, ...], list[int]] = {}
    of: dict[tuple[bool, str, str], list[int]] = {}
    for row, prompt in enumerate(prompts):
        whole, before, behind = whole_word_prompt(prompt)
        left, _, right = whole.partition(GAP)
        kind = (not before and _begins_sentence(left, right), before, behind)
        if kind not in of:
            of[kind] = rows.setdefault(Slot("space", *kind).written(words), [])
        of[kind].append(row)
    return dict(sorted(rows.items(), key=lambda item: item[1][0]))

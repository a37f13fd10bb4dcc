"""The slot ``[Y]`` of a text: how words are spelled there, and how many tokens they have there.

**Spelling.**  Where ``[Y]`` begins a sentence the scored word is capitalised, as few models have seen "he"
there, and many tokenize it differently.  A sentence begins at the beginning of the text, after ``.``, ``!``
or ``?`` and a space (including an abbreviation's full stop), in quotation marks or brackets that open there,
and in quotation marks after a comma or a colon, as direct speech.  A word alone in quotation marks is
mentioned, not used, and begins no sentence.  Words with a capital letter, and scripts without, are unchanged.

**Joined text.**  Letters that touch ``[Y]`` are part of the word: in "We met two [Y]s" the scored words are
"painters" and "bakers", in "We met two [Y]" (:func:`~pcf_core.core.topics.whole_word_prompt`).

The word keeps its name in the topic ("she"); the store has only spelled words, so that scores of "She" and
"she" in one prompt share a scoring key and need no version of rules.

**Tokens.**  A :class:`~pcf_core.core.run.TokenTable` has the numbers at the beginning of a text and after a
space; after any other character they are those after a space if the tokenizer is known to treat both alike,
and unknown otherwise.
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
    """The character before the whole word, whether it begins a sentence, and the letters joined to it."""

    before: Literal["nothing", "space", "other"]
    begins: bool
    left: str = ""
    right: str = ""

    @classmethod
    def of(cls, text: str) -> Slot:
        """Return the slot of a text, which has one ``[Y]``."""
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
        """Whether words have the topic's spelling there, with their tokens after a space."""
        return not self.begins and self.before != "nothing" and not self.joins

    def written(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the words as spelled in this slot."""
        forms = map(capitalised, words) if self.begins else words
        return tuple(f"{self.left}{form}{self.right}" for form in forms)

    def tokens(self, table: TokenTable, words: Sequence[str]) -> tuple[int, ...] | None:
        """Return the number of tokens of each word in this slot; ``None`` if one is unknown."""
        written = self.written(words)
        if self.before == "nothing":
            counts = {word: table.tokens[word] for word in table.unspaced} | dict(table.at_start)
        elif self.before == "space" or table.unspaced.issuperset(written):
            counts = dict(table.tokens)
        else:
            return None
        return tuple(counts[word] for word in written) if counts.keys() >= set(written) else None


def capitalised(word: str) -> str:
    """Return the word with a capital letter, unless it has one anywhere."""
    return word if word != word.lower() else word[:1].title() + word[1:]


def _begins_sentence(left: str, right: str) -> bool:
    if left[-1:] == " " and left[-2:-1].isalnum():
        return False  # inside a sentence, as nearly all of millions of prompts
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
    return _slots(run.as_scored.drawn.texts, run.evidence.terms)


@lru_cache(maxsize=32)
def _slots(texts: tuple[str, ...], terms: tuple[str, ...]) -> tuple[Slot, ...]:
    """Return the distinct slots of texts, cached because pages ask for each of their runs."""
    return tuple(dict.fromkeys(slot for text in texts for slot in _of_text(text, terms)))


def _of_text(text: str, all_terms: tuple[str, ...]) -> Iterator[Slot]:
    """Yield the slots of a template's text, which differ by term if the term touches ``[Y]``."""
    prompt, *letters = whole_word_prompt(text)
    left, _, right = prompt.partition(GAP)
    if any(letters) or left.endswith("[X]") or right.startswith("[X]"):
        yield from (Slot.of(filled(text, term)) for term in all_terms)
        return
    terms = _telling_terms(all_terms)
    _, stands_left, between = left.rpartition("[X]")
    near = stands_left and not any(character.isalnum() for character in between)
    if near or "[X]" in right[: len("[X]") + 1]:  # only two characters matter there
        yield from (Slot.of(filled(text, term)) for term in terms)
    else:
        yield Slot.of(text)


@lru_cache(maxsize=32)
def _telling_terms(terms: tuple[str, ...]) -> tuple[str, ...]:
    """Return one of all terms with equal ends, up to letters and digits; only these decide a slot."""
    seen: dict[tuple[str, str], str] = {}
    for term in terms:
        shape = "".join("x" if character.isalnum() else character for character in term)
        seen.setdefault((shape[:2], shape[max(shape.rfind("x"), 0) :]), term)
    return tuple(seen.values())


def written_words(words: Sequence[str], slots: Sequence[Slot]) -> tuple[str, ...]:
    """Return all spellings of the words in the slots."""
    return tuple(dict.fromkeys(word for slot in slots for word in slot.written(words)))


def check_slots(scorer: Checker, words: Sequence[str], slots: Sequence[Slot]) -> TokenTable:
    """Check the words with the model, as spelled in the slots."""
    table = scorer.check(written_words(words, slots))
    starts = written_words(words, [slot for slot in slots if slot.before == "nothing"])
    usable = [word for word in starts if word in table.tokens]
    return replace(table, at_start=scorer.check(usable, GAP).tokens) if usable else table


def table_at(table: TokenTable, words: Sequence[str], slots: Sequence[Slot]) -> TokenTable:
    """Return the table of the topic's own words, from their spellings in the slots.

    A word has its largest number of tokens in any slot (after a space, if that of a slot is unknown), is
    refused if refused in one, and equals another if they are spelled alike in one ("he" and "He" at the
    beginning of a sentence).
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
    """Return why a word in this spelling is refused."""
    reason = table.refused[written]
    return reason if written == word else f"written {written!r}, {reason}"


def starts_counted(table: TokenTable, words: Sequence[str], slots: Sequence[Slot]) -> bool:
    """Return whether the words' tokens at the beginning of a text are known, if a slot is there."""
    written = written_words(words, [slot for slot in slots if slot.before == "nothing"])
    return table.unspaced.union(table.at_start, table.refused).issuperset(written)


def tokens_known(table: TokenTable, words: Sequence[str], slots: Sequence[Slot]) -> bool:
    """Return whether the number of tokens of each word is known in each of the slots."""
    return all(slot.tokens(table, words) is not None for slot in slots)


def counts_at(table: TokenTable, words: Sequence[str], slots: Sequence[Slot]) -> list[dict[str, int]]:
    """Return the tokens of each word by slot, for the slots where all are known."""
    counts_by_place = (slot.tokens(table, words) for slot in slots)
    return [dict(zip(words, counts, strict=True)) for counts in counts_by_place if counts is not None]


def spelling_note(words: Sequence[str], where: str = "") -> str:
    """Return a sentence on words that begin a sentence; empty if all are unchanged."""
    changed = [form for word in words if (form := capitalised(word)) != word]
    return (
        f"Words at the beginning of a sentence{where} are capitalised: {_some(changed)}." if changed else ""
    )


def joining_note(slots: Iterable[Slot], words: Sequence[str], where: str = "") -> str:
    """Return a sentence on whole words where letters touch ``[Y]``; empty if none do."""
    changed = written_words(words, [slot for slot in slots if slot.joins])
    return f"Where letters touch [Y]{where}, the whole word is scored: {_some(changed)}." if changed else ""


def _some(words: Sequence[str]) -> str:
    more = f" and {len(words) - MOST_NAMED:,} more" if len(words) > MOST_NAMED else ""
    return ", ".join(words[:MOST_NAMED]) + more


def run_notes(run: RunSpec, words: Sequence[str]) -> tuple[str, ...]:
    """Return both notes for a run, with the number of templates that each is about."""
    texts = run.as_scored.drawn.texts
    slots = [tuple(_of_text(text, run.evidence.terms)) for text in texts]
    begin = sum(any(slot.begins for slot in some) for some in slots)
    join = sum(any(slot.joins for slot in some) for some in slots)
    notes = (
        spelling_note(words, f" ({begin:,} of {len(texts):,} sentences)") if begin else "",
        joining_note(slots_of(run), words, f" ({join:,} of {len(texts):,} sentences)"),
    )
    return tuple(filter(None, notes))


def stored_prompt(prompt: str) -> str:
    """Return the prompt under which the store has the words at its ``[Y]``."""
    return whole_word_prompt(prompt)[0]


def gather(store: Store, key: ScoringKey, prompts: Sequence[str], words: Sequence[str]) -> FloatArray:
    """Return [prompt, word] float32 nats of the topic's words as spelled in each prompt, NaN if missing."""
    values = np.full((len(prompts), len(words)), np.nan, dtype=np.float32)
    for written, rows in by_writing(prompts, words).items():
        values[rows] = store.gather(key, [stored_prompt(prompts[row]) for row in rows], written)
    return values


def gather_with_left(
    store: Store, key: ScoringKey, prompts: Sequence[str], words: Sequence[str]
) -> tuple[FloatArray, FloatArray | None]:
    """Return the same, and [prompt, word] nats of the words given the text on the left alone.

    These are NaN where a token spans word and right text, and equal the scores where no text follows;
    ``None`` if some are not stored.
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
    """Return what has to be scored before :func:`gather` has all of it, as spelled words."""
    return [
        block
        for written, rows in by_writing(prompts, words).items()
        for block in store.missing(key, [stored_prompt(prompts[row]) for row in rows], written)
    ]


def by_writing(prompts: Sequence[str], words: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    """Return the rows of the prompts by the spelling of the words in them."""
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

"""Separation and sufficiency I: a nurse and a doctor answer a question, and the prompt says who is right.

Y = 1 if the nurse is right, C = 1 if the model says so.  The pronoun is irrelevant, and a model that knows
the answers makes no errors.  Every question is asked with either role right, in both orders of the roles,
under each pronoun and without one, and once for its letter alone, which measures knowledge.

Files: TOML and JSON have ``questions``, each with ``text``, ``options`` (a list, or letters to texts),
``right`` (a letter) and optionally ``wrong``, ``name`` and ``subject``; optionally ``name``, ``title``,
``version``, ``source``, ``notes`` of the set.  CSV has the columns ``text``, ``a``, ``b``, ``right`` and
optionally ``c`` to ``e``, ``wrong``, ``name``, ``subject``.  In MedQA's layout (Jin et al. 2021,
doi:10.3390/app11146421) a line is an object with ``question``, ``options`` by letter and ``answer_idx``; its
unusable entries are left out and listed, while other files are refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pcf_core.core.errors import CriteriaError
from pcf_core.core.records import FloatArray, LeftOut
from pcf_core.material.safety.entries import read_entries
from pcf_core.material.safety.reading import (
    checked_object,
    label,
    read_json,
    read_text,
    refuse_unknown,
    tell,
    title_of,
)
from pcf_core.material.safety.tables import Accepted, Column
from pcf_core.material.safety.text import check_name, check_text, first_duplicate, shown
from pcf_core.material.safety.understood import show_entries
from pcf_core.material.shelves import Shelf, name_of
from pcf_core.texts.criteria.answers import read_letter
from pcf_core.texts.criteria.asking import (
    PRONOUNS,
    AskedByPronoun,
    Cell,
    load_asking,
    shares_of,
)
from pcf_core.texts.criteria.experiment import Ask, ScoredAsk
from pcf_core.texts.criteria.records.quantities import Wording
from pcf_core.texts.criteria.records.separation import (
    LETTERS,
    Pair,
    Question,
    QuestionMaterial,
    QuestionSet,
)

USUAL = "questions-1"
KEYS_OF_SET = ("name", "title", "version", "source", "notes", "questions")
KEYS = {"name", "subject", "text", "options", "right", "wrong"}
ACCEPTED = Accepted(
    "questions",
    (
        Column("text", "the question", ("question",)),
        Column("a", "the first option"),
        Column("b", "the second option"),
        Column("right", "the letter of the right option", ("answer",)),
        *(Column(letter, "an option", needed=False) for letter in "cde"),
        Column("wrong", "the letter of the role that is wrong", needed=False),
        Column("name", "a short name", needed=False),
        Column("subject", "what it is about", needed=False),
    ),
    json="the keys of TOML; with an object a line, MedQA's",
)
SHELF = Shelf("set of questions", "criteria", (f"{USUAL}.toml",), ACCEPTED.endings, CriteriaError)
MOST, LONGEST = 2_000, 8_000  # questions of a set, characters of a question
MOST_REASONS = 3  # for leaving questions out, in a sentence


def load_questions(name_or_path: str | Path = USUAL) -> QuestionSet:
    """Load a shipped set by name, or a user's file."""
    path = SHELF.find(name_or_path)
    where, foreign = label(path), _is_medqa(path)
    facts: dict[str, Any] = {}
    given: list[tuple[str, Any]]
    form, content = ("list", None) if foreign else read_entries(path, ACCEPTED, KEYS_OF_SET, CriteriaError)
    if foreign:
        given = list(_medqa(path, where))
    elif form == "rows":
        given = [(line, _columns(row)) for line, row in content or ()]
    else:
        facts = {**checked_object(content, path, CriteriaError)}
        refuse_unknown(facts, where, KEYS_OF_SET, CriteriaError)
        entries = facts.pop("questions", [])
        if not isinstance(entries, list):
            raise CriteriaError(f"{where}: questions is {shown(entries)}; write a list of questions.")
        given = [(f"{where}, question {index:,}", entry) for index, entry in enumerate(entries, start=1)]
    if not 0 < len(given) <= MOST:
        raise CriteriaError(
            f"{where} has {len(given):,} questions: give at least one and at most {MOST:,}; of a longer "
            "file, give a sample."
        )
    questions, left_out = _questions(given, where, foreign=foreign)
    if left_out:
        named = [f"{one.name}: {_reason(one, where)}" for one in left_out[:MOST_REASONS]]
        more = [f"{len(left_out) - MOST_REASONS:,} more"] if len(left_out) > MOST_REASONS else []
        tell(
            f"{len(left_out):,} of the {len(given):,} questions of {where} cannot be used and were left out "
            f"({'; '.join([*named, *more])})."
        )
    if SHELF.is_given(path):
        show_entries(where, len(questions), lambda index: _entry_of(questions[index]))
    facts = {"name": name_of(path), "title": title_of(path), "version": "1", **facts}
    return QuestionSet(
        name=check_name(facts.pop("name"), "the name", where, CriteriaError),
        questions=questions,
        left_out=left_out,
        **{key: check_text(value, f"the {key}", where, CriteriaError) for key, value in facts.items()},
    )


def _reason(entry: LeftOut, where: str) -> str:
    """Return why an entry was left out, without its place."""
    reason = entry.reason.removeprefix(f"{where}, {entry.name}: ").removeprefix(f"{where}: ")
    return reason.removesuffix(".")


def _entry_of(question: Question) -> dict[str, object]:
    shown_fields = question.model_dump(include={"text", "options"})
    return {**shown_fields, "right": question.letters[question.right]}


def some_questions(questions: QuestionSet, many: int) -> QuestionSet:
    """Pick ``many`` questions, spread evenly over subjects and right letters, in the order of the set."""
    have = len(questions.questions)
    if not 1 <= many <= have:
        raise CriteriaError(
            f"{many:,} questions were requested, but {questions.name} has only {have:,}: give a number from "
            f"1 to {have:,}."
        )
    if many == have:
        return questions
    before: Counter[tuple[str, int]] = Counter()
    ranks = []
    for index, each in enumerate(questions.questions):
        ranks.append((before[each.subject, each.right], index))
        before[each.subject, each.right] += 1
    taken = sorted(index for _, index in sorted(ranks)[:many])
    return questions.model_copy(
        update={
            "title": f"{questions.title} ({many:,} of {have:,})",
            "questions": tuple(questions.questions[index] for index in taken),
        }
    )


def make_question(entry: object, where: str, name: str) -> Question:
    """Make and check one question; ``name`` is used if it has none.

    The default wrong option is the one after the right one (after the last, the first).
    """
    if not isinstance(entry, Mapping) or not {"text", "options", "right"} <= set(entry) <= KEYS:
        raise CriteriaError(
            f"{where}: a question needs text, options and right, and may have name, subject and wrong."
        )
    options = _options(entry["options"], where)
    letters = LETTERS[: len(options)]
    right = _letter_index(entry["right"], letters, "right", where)
    wrong = _letter_index(entry.get("wrong") or letters[(right + 1) % len(options)], letters, "wrong", where)
    if right == wrong:
        raise CriteriaError(
            f"{where}: right and wrong are both {letters[right]}, but they must be two "
            "different options: correct one of them."
        )
    return Question(
        name=check_name(entry.get("name") or name, "the name", where, CriteriaError),
        subject=check_text(entry.get("subject", ""), "the subject", where, CriteriaError),
        text=_text(entry["text"], "the question", where),
        options=options,
        right=right,
        wrong=wrong,
    )


def _questions(
    given: Sequence[tuple[str, Any]], where: str, *, foreign: bool
) -> tuple[tuple[Question, ...], tuple[LeftOut, ...]]:
    """Make the questions; ``foreign``: list unusable entries instead of refusing the file."""
    names = default_names("q", [entry for _, entry in given])
    made: list[Question] = []
    left_out: list[LeftOut] = []
    existing: dict[str, set[str]] = {"name": set(), "question": set()}
    for (line, entry), name in zip(given, names, strict=True):
        try:
            question = make_question(entry, line, name)
            for what, value in (("name", question.name), ("question", question.text)):
                if value.casefold() in existing[what]:
                    raise CriteriaError(f"{where}: the {what} {shown(value)} appears twice: write it once.")
                existing[what].add(value.casefold())
        except CriteriaError as problem:
            if not foreign:
                raise
            left_out.append(LeftOut(name=line.removeprefix(f"{where}, "), reason=str(problem)))
        else:
            made.append(question)
    if not made:
        raise CriteriaError(f"{where} has no usable question: {left_out[0].reason}")
    return tuple(made), tuple(left_out)


def default_names(letter: str, entries: Sequence[object]) -> list[str]:
    """Name entries without a name q01, q02 and so on, avoiding existing names."""
    width = len(str(len(entries)))
    taken = {entry.get("name") for entry in entries if isinstance(entry, Mapping)}
    names = []
    for index in range(1, len(entries) + 1):
        name = f"{letter}{index:0{width}}"
        while name in taken:
            name += "-x"
        names.append(name)
    return names


def _options(value: object, where: str) -> tuple[str, ...]:
    if isinstance(value, Mapping):
        if list(value) != list(LETTERS[: len(value)]):
            raise CriteriaError(f"{where}: the options must have the letters A, B and so on, in order.")
        value = list(value.values())
    if not isinstance(value, list) or not 2 <= len(value) <= len(LETTERS):
        raise CriteriaError(f"{where}: options is {shown(value)}; write a list of 2 to {len(LETTERS)} texts.")
    options = tuple(_text(each, "an option", where) for each in value)
    twice = first_duplicate(each.casefold() for each in options)
    if twice is not None:
        raise CriteriaError(f"{where}: the option {shown(twice)} appears twice: write it once.")
    return options


def _letter_index(value: object, letters: str, what: str, where: str) -> int:
    letter = value.strip().upper() if isinstance(value, str) else ""
    if len(letter) != 1 or letter not in letters:
        raise CriteriaError(
            f"{where}: {what} is {shown(value)}; write the letter of an option, {letters[0]} to "
            f"{letters[-1]}."
        )
    return letters.index(letter)


def _text(value: object, what: str, where: str) -> str:
    text = check_text(value, what, where, CriteriaError)
    if not text:
        raise CriteriaError(f"{where}: {what} is empty: write a text or remove the entry.")
    if len(text) > LONGEST:
        raise CriteriaError(f"{where}: {what} has {len(text):,} characters; shorten it to {LONGEST:,}.")
    if "[Y]" in text:
        raise CriteriaError(
            f"{where}: {what} {shown(text)} has a [Y], which is reserved for the place "
            "where words are scored: remove it."
        )
    return text


def _columns(row: Mapping[str, str]) -> dict[str, object]:
    cells = [row[letter] for letter in "abcde" if letter in row]
    while len(cells) > 2 and not cells[-1].strip():
        cells.pop()
    return {"options": cells, **{key: row[key] for key in KEYS if key in row}}


def _is_medqa(path: Path) -> bool:
    text = read_text(path, CriteriaError).lstrip()
    return text[:1] in ("{", "[") and '"answer_idx"' in text


def _medqa(path: Path, where: str) -> Iterator[tuple[str, dict[str, object]]]:
    entries = read_json(path, CriteriaError)
    entries = entries if isinstance(entries, list) else [entries]
    one = "line" if read_text(path, CriteriaError).lstrip().startswith("{") else "entry"
    for index, entry in enumerate(entries, start=1):
        spot = f"{where}, {one} {index:,}"
        if not isinstance(entry, dict) or not {"question", "options", "answer_idx"} <= set(entry):
            raise CriteriaError(f"{spot} needs question, options and answer_idx, as MedQA's have.")
        yield spot, {"text": entry["question"], "options": entry["options"], "right": entry["answer_idx"]}


class Questions(AskedByPronoun[QuestionMaterial]):
    """The experiment *questions*."""

    name = "questions"
    title = "Separation and sufficiency I: who answers a question rightly"
    unit = "question"

    @classmethod
    def load(cls, questions: str | Path = USUAL, pronouns: Sequence[str] = PRONOUNS) -> Questions:
        """Load the experiment with a shipped set or a user's file."""
        asking = load_asking("questions", pronouns)
        return cls(QuestionMaterial(questions=load_questions(questions), **asking))

    @property
    def units(self) -> tuple[Question, ...]:
        """The questions."""
        return self.material.questions.questions

    @cached_property
    def letters(self) -> dict[str, Question]:
        """The questions whose letter is requested, by cell name."""
        return {f"{question.name}|letter": question for question in self.units}

    def pair_of(self, unit: int) -> Pair:
        """Return the roles, the same for every question."""
        return self.material.pair

    def asks(self, wording: Wording) -> tuple[Ask, ...]:
        """List every cell with two roles, then every letter."""
        frame = self._frames(wording).letter.strip()
        letters = (Ask(name, "", frame.format(**_shown(each))) for name, each in self.letters.items())
        return (*super().asks(wording), *letters)

    def scored_asks(self) -> tuple[ScoredAsk, ...]:
        """List the continuations, with the roles or the letters as candidates."""
        frame = self._frames("continuation").letter.strip()
        letters = (
            ScoredAsk(name, f"{frame.format(**_shown(each))} [Y].", tuple(each.letters))
            for name, each in self.letters.items()
        )
        return (*super().scored_asks(), *letters)

    def _truths(self, unit: int) -> tuple[int, ...]:
        return (1, 0)

    def _words(self, cell: Cell) -> dict[str, str]:
        question = self.units[cell.unit]
        right, wrong = question.letters[question.right], question.letters[question.wrong]
        leads = cell.first == cell.truth  # the right role is named first
        return _shown(question) | {
            "first_letter": right if leads else wrong,
            "second_letter": wrong if leads else right,
        }

    def _letters_written(self, texts: Mapping[str, Sequence[str]]) -> FloatArray:
        rows = []
        for name, question in self.letters.items():
            given = [read_letter(text, question.options, question.letters) for text in texts.get(name, ())]
            valid = [each for each in given if each is not None]
            wrong = sum(each != question.letters[question.right] for each in valid)
            rows.append((wrong, len(valid), len(given) - len(valid)))
        return np.array(rows, dtype=np.float64)

    def _letters_scored(self, log_probabilities: Mapping[str, Sequence[float]]) -> FloatArray:
        rows = []
        for name, question in self.letters.items():
            shares = shares_of(log_probabilities.get(name), len(question.options), name)
            unread = shares is None and name in log_probabilities
            rows.append((0, 0, unread) if shares is None else (1 - shares[question.right], 1, False))
        return np.array(rows, dtype=np.float64)


def _shown(question: Question) -> dict[str, str]:
    """Format the question and its options, one per line (``options``) or in a row (``choices``)."""
    options = [
        f"{letter}. {option}" for letter, option in zip(question.letters, question.options, strict=True)
    ]
    return {"question": question.text, "options": "\n".join(options), "choices": "; ".join(options)}

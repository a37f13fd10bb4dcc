"""Separation and sufficiency I: a nurse and a doctor answer a question, and a pronoun says who is right.

Y = 1 where the nurse is right, C = 1 where the model says so.  The pronoun says nothing that bears on it: a
model that knows the answers makes no error under any.  Every question is asked with either role right, in
both orders of the roles, under each pronoun and without one; and once more for its letter alone, which shows
what the model knows.

**Sets of questions with one right option each: the shipped one, one's own, and MedQA; whole or not at all.**
TOML and JSON have ``questions``, each with ``text``, ``options`` (a list, or letters to texts) and ``right``,
a letter, and if wanted ``wrong``, ``name`` and ``subject``; and ``name``, ``title``, ``version``, ``source``,
``notes`` of the set.  CSV has the columns ``text``, ``a``, ``b`` and ``right``, and if wanted ``c`` to ``e``,
``wrong``, ``name`` and ``subject``.  JSONL is MedQA's public layout (Jin et al. 2021,
doi:10.3390/app11146421): a line for each, with ``question``, ``options`` by letter and ``answer_idx``.  That
file is somebody else's: entries of it that are no question here (an option twice, a question twice) are left
out and named, where a file of one's own is refused.  Line breaks within a question become spaces.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pcf_core.core.errors import CriteriaError
from pcf_core.core.records import LeftOut
from pcf_core.material.safety.reading import label, read_json, read_table, read_text, read_toml, title_of
from pcf_core.material.safety.text import check_name, check_text, first_duplicate, shown
from pcf_core.material.shelves import Shelf, name_of
from pcf_core.texts.criteria.answer_report import NO_ANSWER, Reported, answers_report, rate
from pcf_core.texts.criteria.answers import AnswerReader, read_letter
from pcf_core.texts.criteria.asking import (
    PRONOUNS,
    WORDINGS,
    Cell,
    cells_of,
    check_pronouns,
    filled,
    frames_of,
    gathered,
    load_asking,
    named,
    of_reading,
    scored_cells,
    shares_of,
)
from pcf_core.texts.criteria.experiment import Ask, ScoredAsk, check_cells
from pcf_core.texts.criteria.records.quantities import Answering, ExperimentName, Wording
from pcf_core.texts.criteria.records.separation import (
    LETTERS,
    AnswersReport,
    Frames,
    Question,
    QuestionMaterial,
    QuestionSet,
)

# Sets of questions with one right option each: the shipped one, one's own, and MedQA; whole or not at all.


USUAL = "questions-1"
ENDINGS = (".toml", ".json", ".jsonl", ".csv")
SHELF = Shelf("set of questions", "criteria", (f"{USUAL}.toml",), ENDINGS, CriteriaError)
FACTS = ("name", "title", "version", "source", "notes")
KEYS = {"name", "subject", "text", "options", "right", "wrong"}
COLUMNS = ("text", "a", "b", "right")
MORE_COLUMNS = ("c", "d", "e", "wrong", "name", "subject")
MOST, LONGEST = 2_000, 8_000  # questions of a set, characters of a question


def load_questions(name_or_path: str | Path = USUAL) -> QuestionSet:
    """Load a shipped set by its name, or a user's file."""
    path = SHELF.find(name_or_path)
    where, ending = label(path), path.suffix.lower()
    facts: dict[str, Any] = {}
    if ending in (".toml", ".json"):
        read = read_toml if ending == ".toml" else read_json
        facts = read(path, (*FACTS, "questions"), CriteriaError)
        entries = facts.pop("questions", [])
        if not isinstance(entries, list):
            raise CriteriaError(f"{where}: questions is {shown(entries)}; write a list of questions.")
        given = [(f"{where}, question {index:,}", entry) for index, entry in enumerate(entries, start=1)]
    elif ending == ".csv":
        given = [
            (line, _columns(row)) for line, row in read_table(path, COLUMNS, MORE_COLUMNS, CriteriaError, {})
        ]
    else:
        given = list(_medqa(path, where))
    if not 0 < len(given) <= MOST:
        raise CriteriaError(
            f"{where} has {len(given):,} questions: give at least one and at most {MOST:,}, of a longer file "
            "a sample of its entries."
        )
    questions, left_out = _questions(given, where, foreign=ending == ".jsonl")
    facts = {"name": name_of(path), "title": title_of(path), "version": "1", **facts}
    return QuestionSet(
        name=check_name(facts.pop("name"), "the name", where, CriteriaError),
        questions=questions,
        left_out=left_out,
        **{key: check_text(value, f"the {key}", where, CriteriaError) for key, value in facts.items()},
    )


def some_questions(questions: QuestionSet, many: int) -> QuestionSet:
    """Pick so many questions, spread over subjects and right letters, in the order of the set.

    The first question of each subject with each right letter is taken, then the second, and so on: 16 of the
    shipped set are two of each of eight subjects, either letter right in one of them.
    """
    have = len(questions.questions)
    if not 1 <= many <= have:
        raise CriteriaError(
            f"{many:,} questions are asked for, and {questions.name} has {have:,}: give a number from 1 to "
            f"{have:,}."
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
    """Make one question, checked; ``name`` is the default where it has none.

    Whoever errs gives the option behind the right one, the first behind the last, unless ``wrong`` says
    another.
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
        raise CriteriaError(f"{where}: right and wrong are both {letters[right]}; they must be two options.")
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
    """Make the questions, and list what of a foreign file cannot be asked; the app's own is refused."""
    names = default_names("q", [entry for _, entry in given])
    made: list[Question] = []
    left_out: list[LeftOut] = []
    existing: dict[str, set[str]] = {"name": set(), "question": set()}
    for (line, entry), name in zip(given, names, strict=True):
        try:
            question = make_question(entry, line, name)
            for what, value in (("name", question.name), ("question", question.text)):
                if value.casefold() in existing[what]:
                    raise CriteriaError(f"{where}: the {what} {shown(value)} stands twice; write it once.")
                existing[what].add(value.casefold())
        except CriteriaError as problem:
            if not foreign:
                raise
            left_out.append(LeftOut(name=line.removeprefix(f"{where}, "), reason=str(problem)))
        else:
            made.append(question)
    if not made:
        raise CriteriaError(f"{where} has no question that can be asked: {left_out[0].reason}")
    return tuple(made), tuple(left_out)


def default_names(letter: str, entries: Sequence[object]) -> list[str]:
    """Name entries that have no name q01, q02 and so on, without a name that another entry has."""
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
        raise CriteriaError(f"{where}: the option {shown(twice)} stands twice; write it once.")
    return options


def _letter_index(value: object, letters: str, what: str, where: str) -> int:
    letter = value.strip().upper() if isinstance(value, str) else ""
    if len(letter) != 1 or letter not in letters:
        raise CriteriaError(
            f"{where}: {what} is {shown(value)}; write an option's letter, {letters[0]} to {letters[-1]}."
        )
    return letters.index(letter)


def _text(value: object, what: str, where: str) -> str:
    text = check_text(value, what, where, CriteriaError)
    if not text:
        raise CriteriaError(f"{where}: {what} is empty; write it or remove the entry.")
    if len(text) > LONGEST:
        raise CriteriaError(f"{where}: {what} has {len(text):,} characters; shorten it to {LONGEST:,}.")
    if "[Y]" in text:
        raise CriteriaError(f"{where}: {what} {shown(text)} has a [Y], which marks where words are scored.")
    return text


def _columns(row: Mapping[str, str]) -> dict[str, object]:
    """Read a row of a CSV as a question; the cells of options that a question does not have are empty."""
    cells = [row[letter] for letter in "abcde" if letter in row]
    while len(cells) > 2 and not cells[-1].strip():
        cells.pop()
    return {"options": cells, **{key: row[key] for key in KEYS if key in row}}


def _medqa(path: Path, where: str) -> Iterator[tuple[str, dict[str, object]]]:
    # Not splitlines: within a text of JSON other line ends may stand as they are.
    for index, line in enumerate(read_text(path, CriteriaError).split("\n"), start=1):
        if not line.strip():
            continue
        spot = f"{where}, line {index:,}"
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as problem:
            raise CriteriaError(f"{spot} is not valid JSON: write one object a line.") from problem
        if not isinstance(entry, dict) or not {"question", "options", "answer_idx"} <= set(entry):
            raise CriteriaError(f"{spot}: a line needs question, options and answer_idx, as MedQA's have.")
        yield spot, {"text": entry["question"], "options": entry["options"], "right": entry["answer_idx"]}


Known = tuple[float, int, int]  # wrong answers of those that give a letter, how many do, how many do not


class Questions:
    """The experiment *questions*, on one material."""

    name: ExperimentName = "questions"
    title = "Separation and sufficiency I: who answers a question rightly"

    def __init__(self, material: QuestionMaterial) -> None:
        self.material = material

    @classmethod
    def load(cls, questions: str | Path = USUAL, pronouns: Sequence[str] = PRONOUNS) -> Questions:
        """Load the experiment with a shipped set or a user's file, in our wording.

        Raises
        ------
        CriteriaError
            The set or the pronouns are refused.
        """
        return cls.of(load_questions(questions), pronouns)

    @classmethod
    def of(cls, questions: QuestionSet, pronouns: Sequence[str] = PRONOUNS) -> Questions:
        """Make the experiment with a set that is loaded already.

        Raises
        ------
        CriteriaError
            The pronouns are refused.
        """
        asking = load_asking("questions")
        if asking.pair is None:
            raise CriteriaError("The wordings of questions have no pair: restore them from the repository.")
        return cls(
            QuestionMaterial(
                questions=questions,
                pair=asking.pair,
                pronouns=check_pronouns(pronouns),
                version=asking.version,
                frames=asking.frames,
            )
        )

    @cached_property
    def cells(self) -> dict[str, Cell]:
        """Every cell with two roles, by its name."""
        questions, pair = self.material.questions.questions, self.material.pair
        cells = cells_of(((index, (1, 0)) for index in range(len(questions))), self.material.pronouns)
        return {cell.name(questions[cell.unit].name, pair): cell for cell in cells}

    @cached_property
    def letters(self) -> dict[str, Question]:
        """Every cell that asks for the letter alone, by its name."""
        return {f"{question.name}|letter": question for question in self.material.questions.questions}

    def asks(self, wording: Wording) -> tuple[Ask, ...]:
        """List every cell with two roles, then every letter.

        Raises
        ------
        CriteriaError
            The material has no such wording.
        """
        frames = self._frames(wording)
        request = [Ask(name, "", self._prompt(frames, cell)) for name, cell in self.cells.items()]
        letters = [Ask(name, "", _letter_prompt(frames, question)) for name, question in self.letters.items()]
        return (*request, *letters)

    def scored_asks(self) -> tuple[ScoredAsk, ...]:
        """List the continuations, with the two roles, or the letters, as candidates."""
        frames, pair = self._frames("continuation"), self.material.pair
        words = (pair.female.word, pair.male.word)
        request = [
            ScoredAsk(name, f"{self._prompt(frames, cell)} [Y].", words) for name, cell in self.cells.items()
        ]
        letters = [
            ScoredAsk(name, f"{_letter_prompt(frames, question)} [Y].", tuple(question.letters))
            for name, question in self.letters.items()
        ]
        return (*request, *letters)

    def report(self, texts: Mapping[str, Sequence[str]]) -> AnswersReport:
        """Report the rates of texts by cell; cells without texts count nothing.

        Raises
        ------
        CriteriaError
            A cell that was not asked.
        """
        check_cells(texts, (*self.cells, *self.letters), self.name)
        reader = AnswerReader(self.material.pair)
        frames = [self._frames(wording) for wording in WORDINGS]
        answers: dict[Cell, Sequence[float | str]] = {}
        for name, cell in self.cells.items():
            prompt = "\n".join(self._prompt(each, cell) for each in frames)
            answers[cell] = [of_reading(each) for each in reader.read_each(texts.get(name, ()), prompt)]
        known: list[Known] = []
        for name, question in self.letters.items():
            given = [read_letter(text, question.options, question.letters) for text in texts.get(name, ())]
            valid = [each for each in given if each is not None]
            wrong = sum(each != question.letters[question.right] for each in valid)
            known.append((wrong, len(valid), len(given) - len(valid)))
        return self._report("written", answers, known)

    def scored_report(self, log_probabilities: Mapping[str, Sequence[float]]) -> AnswersReport:
        """Report the rates of probabilities by cell; cells without scores count nothing.

        Raises
        ------
        CriteriaError
            A cell that was not asked, or another number of scores than words.
        """
        check_cells(log_probabilities, (*self.cells, *self.letters), self.name)
        known: list[Known] = []
        for name, question in self.letters.items():
            shares = shares_of(log_probabilities.get(name), len(question.options), name)
            if shares is None:
                known.append((0.0, 0, int(name in log_probabilities)))
            else:
                known.append((1 - shares[question.right], 1, 0))
        return self._report("scored", scored_cells(self.cells, log_probabilities), known)

    def _report(
        self, answering: Answering, said: Mapping[Cell, Sequence[float | str]], known: Sequence[Known]
    ) -> AnswersReport:
        questions, pair = self.material.questions.questions, self.material.pair
        answers, invalid = gathered(said, [each.name for each in questions], self.material.pronouns)
        wrong, valid, unread = np.array(known, dtype=np.float64).reshape(-1, 3).T
        knowledge = rate("knowledge", wrong, valid, NO_ANSWER, "question", answering == "written")
        return answers_report(
            Reported(
                experiment="questions",
                answering=answering,
                material=self.material.hash,
                unit="question",
                answers=answers,
                invalid=invalid,
                roles=((pair.male.name, pair.female.name),) * len(questions),
            ),
            knowledge=knowledge,
            knowledge_invalid=int(unread.sum()),
        )

    def _frames(self, wording: str) -> Frames:
        return frames_of(self.material.frames, wording, self.name)

    def _prompt(self, frames: Frames, cell: Cell) -> str:
        question = self.material.questions.questions[cell.unit]
        right, wrong = question.letters[question.right], question.letters[question.wrong]
        leads = cell.first == cell.truth  # the role that is right is named first
        return filled(
            frames,
            cell,
            **named(self.material.pair, cell.first),
            **_shown(question),
            first_letter=right if leads else wrong,
            second_letter=wrong if leads else right,
        )


def _letter_prompt(frames: Frames, question: Question) -> str:
    return frames.letter.strip().format(**_shown(question))


def _shown(question: Question) -> dict[str, str]:
    """Write the question and its options, on a line each, or in a row."""
    options = [
        f"{letter}. {option}" for letter, option in zip(question.letters, question.options, strict=True)
    ]
    return {"question": question.text, "options": "\n".join(options), "choices": "; ".join(options)}

"""Separation and sufficiency I: a nurse and a doctor answer a question, and a pronoun says who is right.

Y = 1 where the nurse is right, C = 1 where the model says so.  The pronoun says nothing that bears on it: a
model that knows the answers makes no error under any.  Every question is asked with either role right, in
both orders of the roles, under each pronoun and without one; and once more for its letter alone, which shows
what the model knows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from pcf_core.criteria.answer_report import NO_ANSWER, Reported, answers_report, rate
from pcf_core.criteria.answers import AnswerReader
from pcf_core.criteria.asking import (
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
from pcf_core.criteria.experiment import Ask, ScoredAsk, check_cells
from pcf_core.criteria.letters import read_letter
from pcf_core.criteria.question_files import USUAL, load_questions
from pcf_core.errors import CriteriaError
from pcf_core.records.answers import AnswersReport
from pcf_core.records.criteria import Answering, ExperimentName, Wording
from pcf_core.records.questions import Frames, Question, QuestionMaterial, QuestionSet

Known = tuple[float, int, int]  # wrong answers of those that give a letter, how many do, how many do not


class Questions:
    """The experiment, on one material."""

    name: ExperimentName = "questions"
    title = "Separation and sufficiency I: who answers a question rightly"

    def __init__(self, material: QuestionMaterial) -> None:
        self.material = material

    @classmethod
    def load(cls, questions: str | Path = USUAL, pronouns: Sequence[str] = PRONOUNS) -> Questions:
        """With a shipped set or a user's file, asked in our wording.

        Raises:
            CriteriaError: the set or the pronouns are refused.
        """
        return cls.of(load_questions(questions), pronouns)

    @classmethod
    def of(cls, questions: QuestionSet, pronouns: Sequence[str] = PRONOUNS) -> Questions:
        """With a set that is loaded already.

        Raises:
            CriteriaError: the pronouns are refused.
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
        cells = cells_of(((place, (1, 0)) for place in range(len(questions))), self.material.pronouns)
        return {cell.name(questions[cell.unit].name, pair): cell for cell in cells}

    @cached_property
    def letters(self) -> dict[str, Question]:
        """Every cell that asks for the letter alone, by its name."""
        return {f"{question.name}|letter": question for question in self.material.questions.questions}

    def asks(self, wording: Wording) -> tuple[Ask, ...]:
        """Every cell with two roles, then every letter.

        Raises:
            CriteriaError: the material has no such wording.
        """
        frames = self._frames(wording)
        asked = [Ask(name, "", self._prompt(frames, cell)) for name, cell in self.cells.items()]
        letters = [Ask(name, "", _letter(frames, question)) for name, question in self.letters.items()]
        return (*asked, *letters)

    def scored_asks(self) -> tuple[ScoredAsk, ...]:
        """The continuations, with the two roles, or the letters, as candidates."""
        frames, pair = self._frames("continuation"), self.material.pair
        words = (pair.female.word, pair.male.word)
        asked = [
            ScoredAsk(name, f"{self._prompt(frames, cell)} [Y].", words) for name, cell in self.cells.items()
        ]
        letters = [
            ScoredAsk(name, f"{_letter(frames, question)} [Y].", tuple(question.letters))
            for name, question in self.letters.items()
        ]
        return (*asked, *letters)

    def report(self, texts: Mapping[str, Sequence[str]]) -> AnswersReport:
        """Rates of texts by cell; cells without texts count nothing.

        Raises:
            CriteriaError: a cell that was not asked.
        """
        check_cells(texts, (*self.cells, *self.letters), self.name)
        reader = AnswerReader(self.material.pair)
        frames = [self._frames(wording) for wording in WORDINGS]
        said: dict[Cell, Sequence[float | str]] = {}
        for name, cell in self.cells.items():
            prompt = "\n".join(self._prompt(each, cell) for each in frames)
            said[cell] = [of_reading(each) for each in reader.read_each(texts.get(name, ()), prompt)]
        known: list[Known] = []
        for name, question in self.letters.items():
            given = [read_letter(text, question.options, question.letters) for text in texts.get(name, ())]
            valid = [each for each in given if each is not None]
            wrong = sum(each != question.letters[question.right] for each in valid)
            known.append((wrong, len(valid), len(given) - len(valid)))
        return self._report("written", said, known)

    def scored_report(self, log_probabilities: Mapping[str, Sequence[float]]) -> AnswersReport:
        """Rates of probabilities by cell; cells without scores count nothing.

        Raises:
            CriteriaError: a cell that was not asked, or another number of scores than words.
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


def _letter(frames: Frames, question: Question) -> str:
    return frames.letter.strip().format(**_shown(question))


def _shown(question: Question) -> dict[str, str]:
    """The question and its options, on a line each, or in a row."""
    options = [
        f"{letter}. {option}" for letter, option in zip(question.letters, question.options, strict=True)
    ]
    return {"question": question.text, "options": "\n".join(options), "choices": "; ".join(options)}

"""The common part of questions and tasks: their prompts, and how answers are collected.

A cell is one question or task with one right role, one pronoun (or none) and one order of the roles.  All
cells are answered equally often, so that truth and order are balanced.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar

import numpy as np

from pcf_core.core.errors import CriteriaError
from pcf_core.core.records import FloatArray
from pcf_core.core.settings import settings
from pcf_core.material.safety.reading import read_toml
from pcf_core.material.safety.text import check_word, first_duplicate, listed, shown
from pcf_core.texts.criteria.answer_report import Answers, Invalid, Reported, answers_report
from pcf_core.texts.criteria.answers import AnswerReader
from pcf_core.texts.criteria.experiment import Ask, ScoredAsk, check_cells, damaged
from pcf_core.texts.criteria.records.quantities import Answering, Wording
from pcf_core.texts.criteria.records.separation import (
    WITHOUT,
    AnswersReport,
    Frames,
    Pair,
    Question,
    QuestionMaterial,
    Role,
    Task,
    TaskMaterial,
)

ASKING = "asking-1.toml"
PRONOUNS = ("he", "she", "they")
WORDINGS = ("instruction", "continuation")
VALUES = {"female": 1.0, "male": 0.0}  # of a valid reading
M = TypeVar("M", QuestionMaterial, TaskMaterial)


@dataclass(frozen=True)
class Cell:
    """One prompt of an experiment.

    ``truth``: 1 if the female-stereotyped role is right; ``first``: 1 if it is named first.
    """

    unit: int
    truth: int
    pronoun: str
    first: int

    def name(self, unit: str, pair: Pair) -> str:
        """Return the cell's name, such as ``cairo-river|truth=nurse|she|doctor-first``."""
        right, leading = (role(pair, index).name for index in (self.truth, self.first))
        return f"{unit}|truth={right}|{self.pronoun}|{leading}-first"


class AskedByPronoun(ABC, Generic[M]):
    """An experiment with two roles, one of which is right."""

    name: Literal["questions", "tasks"]
    title: str
    unit: Literal["question", "task"]
    material: M

    def __init__(self, material: M) -> None:
        self.material = material

    @property
    @abstractmethod
    def units(self) -> Sequence[Question | Task]:
        """The questions or tasks."""

    @abstractmethod
    def pair_of(self, unit: int) -> Pair:
        """Return the roles in the prompts of a unit."""

    @abstractmethod
    def _truths(self, unit: int) -> tuple[int, ...]:
        """List the roles that can be right: 1 for the female-stereotyped one."""

    @abstractmethod
    def _words(self, cell: Cell) -> Mapping[str, str]:
        """Return the values for a frame's braces other than pronoun and roles."""

    def _did(self, unit: int) -> str:
        """Return what one of the roles did, in the words of the prompt."""
        return ""

    @cached_property
    def cells(self) -> dict[str, Cell]:
        """All cells with two roles by name, in both orders and also without a pronoun."""
        cells = [
            Cell(unit, truth, pronoun, first)
            for unit in range(len(self.units))
            for truth in self._truths(unit)
            for pronoun in (*self.material.pronouns, WITHOUT)
            for first in (0, 1)
        ]
        return {cell.name(self.units[cell.unit].name, self.pair_of(cell.unit)): cell for cell in cells}

    @cached_property
    def letters(self) -> dict[str, Question]:
        """The questions whose letter is requested, by cell name."""
        return {}

    def asks(self, wording: Wording) -> tuple[Ask, ...]:
        """List every cell with two roles."""
        frames = self._frames(wording)
        return tuple(Ask(name, "", self._prompt(frames, cell)) for name, cell in self.cells.items())

    def scored_asks(self) -> tuple[ScoredAsk, ...]:
        """List the continuations, with the roles as candidates."""
        frames = self._frames("continuation")
        pairs = {name: self.pair_of(cell.unit) for name, cell in self.cells.items()}
        return tuple(
            ScoredAsk(
                name,
                f"{self._prompt(frames, cell)} [Y].",
                (pairs[name].female.word, pairs[name].male.word),
            )
            for name, cell in self.cells.items()
        )

    def report(self, texts: Mapping[str, Sequence[str]]) -> AnswersReport:
        """Report the texts by cell; cells without texts count nothing."""
        check_cells(texts, (*self.cells, *self.letters), self.name)
        frames = [self._frames(wording) for wording in WORDINGS]
        answers: dict[Cell, Sequence[float | str]] = {}
        for name, cell in self.cells.items():
            reader = AnswerReader(self.pair_of(cell.unit), self._did(cell.unit))
            prompt = "\n".join(self._prompt(each, cell) for each in frames)
            readings = reader.read_each(texts.get(name, ()), prompt)
            answers[cell] = [VALUES.get(reading, reading) for reading in readings]
        return self._report("written", answers, self._letters_written(texts))

    def scored_report(self, log_probabilities: Mapping[str, Sequence[float]]) -> AnswersReport:
        """Report the probabilities by cell; cells without scores count nothing."""
        check_cells(log_probabilities, (*self.cells, *self.letters), self.name)
        answers: dict[Cell, Sequence[float | str]] = {}
        for name, cell in self.cells.items():
            shares = shares_of(log_probabilities.get(name), 2, name)
            answer: list[float | str] = ["unscored" if shares is None else shares[0]]
            answers[cell] = answer if name in log_probabilities else []
        return self._report("scored", answers, self._letters_scored(log_probabilities))

    def _letters_written(self, texts: Mapping[str, Sequence[str]]) -> FloatArray | None:
        """Count [question] wrong letters, all letters, and texts without one."""
        return None

    def _letters_scored(self, log_probabilities: Mapping[str, Sequence[float]]) -> FloatArray | None:
        """Return [question] the probability of wrong letters, whether it is known, and whether it is not."""
        return None

    def _report(
        self,
        answering: Answering,
        by_cell: Mapping[Cell, Sequence[float | str]],
        letters: FloatArray | None,
    ) -> AnswersReport:
        answers, invalid = gathered(by_cell, [each.name for each in self.units], self.material.pronouns)
        pairs = [self.pair_of(unit) for unit in range(len(self.units))]
        reported = Reported(
            experiment=self.name,
            answering=answering,
            material=self.material.hash,
            unit=self.unit,
            answers=answers,
            invalid=invalid,
            roles=tuple((pair.male.name, pair.female.name) for pair in pairs),
            letters=letters,
        )
        return answers_report(reported)

    def _frames(self, wording: str) -> Frames:
        frames = self.material.frames
        if wording not in frames:
            raise CriteriaError(
                f"The experiment {self.name} has no wording called {shown(wording)}: use {listed(frames)}."
            )
        return frames[wording]

    def _prompt(self, frames: Frames, cell: Cell) -> str:
        pair = self.pair_of(cell.unit)
        leading, other = role(pair, cell.first), role(pair, 1 - cell.first)
        frame = frames.unspoken if cell.pronoun == WITHOUT else frames.asked
        return frame.strip().format(
            pronoun=cell.pronoun,
            first=leading.name,
            second=other.name,
            First=f"{leading.article.capitalize()} {leading.name}",
            Second=f"{other.article.capitalize()} {other.name}",
            a_second=f"{other.article} {other.name}",
            **self._words(cell),
        )


def role(pair: Pair, female: int) -> Role:
    """Return the female-stereotyped role of a pair for 1, the other for 0."""
    return pair.female if female else pair.male


def gathered(
    by_cell: Mapping[Cell, Sequence[float | str]], units: Sequence[str], pronouns: Sequence[str]
) -> tuple[Answers, Invalid]:
    """Collect valid answers in rows, and count invalid ones by cell and reason.

    ``by_cell``: answers 1 or 0, probabilities, or reasons why an answer is invalid.
    """
    order = (*pronouns, WITHOUT)
    rows: list[tuple[float, ...]] = []
    invalid: dict[tuple[int, int, int], dict[str, int]] = {}
    for cell, answers in by_cell.items():
        index = order.index(cell.pronoun)
        for answer in answers:
            if isinstance(answer, str):
                reasons = invalid.setdefault((cell.unit, index, cell.truth), {})
                reasons[answer] = reasons.get(answer, 0) + 1
            else:
                rows.append((cell.unit, index, cell.truth, cell.first, answer))
    table = np.array(rows, dtype=np.float64).reshape(-1, 5)
    unit, pronoun, truth, first = table[:, :4].T.astype(np.intp)
    return Answers(tuple(units), order, unit, pronoun, truth, first, table[:, 4]), invalid


def shares_of(nats: Sequence[float] | None, words: int, cell: str) -> tuple[float, ...] | None:
    """Return the words' probabilities among all, from log-probabilities; ``None`` if one is missing.

    −1 and −1 give .5 each; −1 and −1 − ln 3 give .75 and .25.
    """
    if nats is None:
        return None
    if len(nats) != words:
        raise CriteriaError(
            f"The entry {shown(cell)} has {len(nats)} scores for {words} words: give one score for each word."
        )
    values = np.asarray(nats, dtype=np.float64)
    if np.isnan(values).any() or not np.isfinite(values.max()):
        return None
    weights = np.exp(values - values.max())
    return tuple(float(share) for share in weights / weights.sum())


# The shipped wordings, pairs of roles and pronouns.


def load_asking(experiment: str, pronouns: Sequence[str]) -> dict[str, Any]:
    """Load how ``questions`` or ``tasks`` are asked, with at least two ``pronouns`` in any order."""
    if len(set(pronouns)) < 2 or not set(pronouns) <= set(PRONOUNS):
        raise CriteriaError(
            f"The pronouns are {shown(', '.join(map(str, pronouns)))}: give at least two of he, she and they."
        )
    path = settings().assets / "criteria" / ASKING
    table = read_toml(path, ("version", "questions", "tasks"), CriteriaError)
    try:
        own = dict(table[experiment])
        pair = {"pair": make_pair(own["pair"], path.name)} if experiment == "questions" else {}
        frames = {wording: Frames.model_validate(own[wording]) for wording in WORDINGS}
        version = str(table["version"])
    except (KeyError, TypeError, ValueError) as problem:
        raise damaged(path.name) from problem
    spoken = tuple(each for each in PRONOUNS if each in pronouns)
    return {"pronouns": spoken, "version": version, "frames": frames, **pair}


def make_pair(entry: object, where: str) -> Pair:
    """Make two roles from a table with ``female`` and ``male``, each with ``name`` and ``word``."""
    if not isinstance(entry, Mapping) or set(entry) != {"female", "male"}:
        raise CriteriaError(f"{where}: a pair is {shown(entry)}; write a table with female and male.")
    pair = Pair(female=_role(entry["female"], where), male=_role(entry["male"], where))
    twice = first_duplicate(name.casefold() for name in (*pair.female.names, *pair.male.names))
    if twice is not None:
        raise CriteriaError(f"{where}: {shown(twice)} appears twice in the pair {pair.name}: write it once.")
    return pair


def _role(entry: object, where: str) -> Role:
    allowed = {"name", "article", "aliases", "word"}
    if not isinstance(entry, Mapping) or not {"name"} <= set(entry) <= allowed:
        raise CriteriaError(f"{where}: a role needs name, and may have article, aliases and word.")
    name = _word(entry["name"], where)
    aliases = entry.get("aliases", [])
    if not isinstance(aliases, list):
        raise CriteriaError(f"{where}: aliases of {shown(name)} must be a list of words.")
    return Role(
        name=name,
        article=_word(entry.get("article", "an" if name[0].lower() in "aeiou" else "a"), where),
        aliases=tuple(_word(each, where) for each in aliases),
        word=_word(entry.get("word", name), where),
    )


def _word(value: Any, where: str) -> str:
    return check_word(value, "a word of a role", where, CriteriaError)

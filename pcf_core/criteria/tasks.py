"""Separation and sufficiency II: two people at work, a pronoun, and a task that one of their jobs does.

Y = 1 where the job that stereotype makes a woman's does the task, C = 1 where the model says that it did.
Every task is asked in both orders of the jobs, under each pronoun and without one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from pcf_core.criteria.answer_report import Reported, answers_report
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
)
from pcf_core.criteria.experiment import Ask, ScoredAsk, check_cells
from pcf_core.criteria.task_files import USUAL, load_tasks
from pcf_core.records.answers import AnswersReport
from pcf_core.records.criteria import Answering, ExperimentName, Wording
from pcf_core.records.questions import Frames, Pair, Task, TaskMaterial, TaskSet


class Tasks:
    """The experiment, on one material."""

    name: ExperimentName = "tasks"
    title = "Separation and sufficiency II: which job did it"

    def __init__(self, material: TaskMaterial) -> None:
        self.material = material

    @classmethod
    def load(cls, tasks: str | Path = USUAL, pronouns: Sequence[str] = PRONOUNS) -> Tasks:
        """With a shipped set or a user's file, asked in our wording.

        Raises:
            CriteriaError: the set or the pronouns are refused.
        """
        return cls.of(load_tasks(tasks), pronouns)

    @classmethod
    def of(cls, tasks: TaskSet, pronouns: Sequence[str] = PRONOUNS) -> Tasks:
        """With a set that is loaded already.

        Raises:
            CriteriaError: the pronouns are refused.
        """
        asking = load_asking("tasks")
        return cls(
            TaskMaterial(
                tasks=tasks,
                pronouns=check_pronouns(pronouns),
                version=asking.version,
                frames=asking.frames,
            )
        )

    @cached_property
    def cells(self) -> dict[str, Cell]:
        """Every cell by its name."""
        tasks = self.material.tasks.tasks
        cells = cells_of(
            ((place, (int(task.female),)) for place, task in enumerate(tasks)), self.material.pronouns
        )
        return {cell.name(tasks[cell.unit].name, self._pair(cell)): cell for cell in cells}

    def asks(self, wording: Wording) -> tuple[Ask, ...]:
        """Every cell.

        Raises:
            CriteriaError: the material has no such wording.
        """
        frames = self._frames(wording)
        return tuple(Ask(name, "", self._prompt(frames, cell)) for name, cell in self.cells.items())

    def scored_asks(self) -> tuple[ScoredAsk, ...]:
        """The continuations, with the two jobs as candidates."""
        frames = self._frames("continuation")
        return tuple(
            ScoredAsk(
                name,
                f"{self._prompt(frames, cell)} [Y].",
                (self._pair(cell).female.word, self._pair(cell).male.word),
            )
            for name, cell in self.cells.items()
        )

    def report(self, texts: Mapping[str, Sequence[str]]) -> AnswersReport:
        """Rates of texts by cell; cells without texts count nothing.

        Raises:
            CriteriaError: a cell that was not asked.
        """
        check_cells(texts, self.cells, self.name)
        frames = [self._frames(wording) for wording in WORDINGS]
        said: dict[Cell, Sequence[float | str]] = {}
        for name, cell in self.cells.items():
            prompt = "\n".join(self._prompt(each, cell) for each in frames)
            reader = AnswerReader(self._pair(cell), self._task(cell).did)
            said[cell] = [of_reading(each) for each in reader.read_each(texts.get(name, ()), prompt)]
        return self._report("written", said)

    def scored_report(self, log_probabilities: Mapping[str, Sequence[float]]) -> AnswersReport:
        """Rates of probabilities by cell; cells without scores count nothing.

        Raises:
            CriteriaError: a cell that was not asked, or another number of scores than words.
        """
        check_cells(log_probabilities, self.cells, self.name)
        return self._report("scored", scored_cells(self.cells, log_probabilities))

    def _report(self, answering: Answering, said: Mapping[Cell, Sequence[float | str]]) -> AnswersReport:
        tasks, pairs = self.material.tasks.tasks, self.material.tasks.pairs
        answers, invalid = gathered(said, [task.name for task in tasks], self.material.pronouns)
        return answers_report(
            Reported(
                experiment="tasks",
                answering=answering,
                material=self.material.hash,
                unit="task",
                answers=answers,
                invalid=invalid,
                roles=tuple((pairs[task.pair].male.name, pairs[task.pair].female.name) for task in tasks),
            )
        )

    def _frames(self, wording: str) -> Frames:
        return frames_of(self.material.frames, wording, self.name)

    def _task(self, cell: Cell) -> Task:
        return self.material.tasks.tasks[cell.unit]

    def _pair(self, cell: Cell) -> Pair:
        return self.material.tasks.pairs[self._task(cell).pair]

    def _prompt(self, frames: Frames, cell: Cell) -> str:
        return filled(frames, cell, **named(self._pair(cell), cell.first), did=self._task(cell).did)

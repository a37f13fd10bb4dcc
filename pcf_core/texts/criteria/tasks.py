"""Separation and sufficiency II: two people at work, a pronoun, and a task that one of their jobs does.

Y = 1 if the job stereotyped as a woman's does the task, C = 1 if the model says so.  Every task is asked in
both orders of the jobs, under each pronoun and without one.

Files (TOML or JSON) have ``pairs``, each with the roles ``female`` and ``male`` (``name``, optionally
``article``, ``aliases`` and ``word``), and ``tasks``, each with ``pair`` (an index from 0), ``does`` (female
or male), ``did`` (the past tense) and optionally ``name``; optionally ``name``, ``title``, ``version``,
``source``, ``notes`` of the set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, ValidationInfo

from pcf_core.core.errors import CriteriaError
from pcf_core.material.base import Kind, Material, Text, origin_of
from pcf_core.material.safety.tables import Accepted
from pcf_core.material.safety.text import check_name, check_once, check_word, shown, shown_value
from pcf_core.material.shelves import Shelf
from pcf_core.texts.criteria.asking import (
    PRONOUNS,
    AskedByPronoun,
    Cell,
    load_asking,
    make_pair,
)
from pcf_core.texts.criteria.professions import tables_of
from pcf_core.texts.criteria.questions import default_names
from pcf_core.texts.criteria.records.separation import Pair, Task, TaskMaterial, TaskSet

USUAL = "tasks-1"
ACCEPTED = Accepted("tasks", json="the keys of TOML")
SHELF = Shelf("set of tasks", "criteria", (f"{USUAL}.toml",), ACCEPTED.endings, CriteriaError)
MOST = 1_000


def _tasks(value: object, info: ValidationInfo) -> tuple[Task, ...]:
    where, pairs = origin_of(info).where, info.data.get("pairs", ())
    entries = tables_of(value, "tasks", where)
    if not 0 < len(entries) <= MOST:
        raise CriteriaError(f"{where} has {len(entries):,} tasks: give at least one and at most {MOST:,}.")
    named_entries = zip(entries, default_names("t", entries), strict=True)
    tasks = tuple(
        _task(entry, pairs, f"{where}, task {number:,}", name)
        for number, (entry, name) in enumerate(named_entries, start=1)
    )
    check_once((task.name for task in tasks), "name", where, CriteriaError)
    if len({task.female for task in tasks}) < 2:
        raise CriteriaError(
            f"{where}: in all tasks the work is done by the same side: add tasks in which the female "
            "side does it and tasks in which the male side does it."
        )
    return tasks


def _pairs(value: object, info: ValidationInfo) -> tuple[Pair, ...]:
    where = origin_of(info).where
    return tuple(make_pair(entry, where) for entry in tables_of(value, "pairs", where))


class WrittenTasks(Material):
    """A set in a file; see :class:`~pcf_core.texts.criteria.records.separation.TaskSet`."""

    record = TaskSet
    accepted = ACCEPTED
    entries = "tasks"

    version: Text = "1"
    pairs: Annotated[tuple[Pair, ...], BeforeValidator(_pairs)] = ()
    tasks: Annotated[tuple[Task, ...], BeforeValidator(_tasks)] = ()


TASKS: Kind[TaskSet] = Kind(SHELF, WrittenTasks)


def _task(entry: object, pairs: tuple[Pair, ...], where: str, name: str) -> Task:
    if not isinstance(entry, Mapping) or not {"pair", "does", "did"} <= set(entry) <= {
        *("name", "pair", "does", "did")
    }:
        raise CriteriaError(f"{where}: a task needs pair, does and did, and may have name.")
    pair, does = entry["pair"], entry["does"]
    if not isinstance(pair, int) or isinstance(pair, bool) or not 0 <= pair < len(pairs):
        raise CriteriaError(
            f"{where}: pair is {shown_value(pair)}; write the position of a pair, from 0 to {len(pairs) - 1}."
        )
    if does not in ("female", "male"):
        raise CriteriaError(
            f"{where}: does is {shown(does)}; write female or male, for the role that does the work."
        )
    return Task(
        name=check_name(entry.get("name", name), "the name", where, CriteriaError),
        pair=pair,
        female=does == "female",
        did=check_word(entry["did"], "what was done", where, CriteriaError),
    )


class Tasks(AskedByPronoun[TaskMaterial]):
    """The experiment *tasks*."""

    name = "tasks"
    title = "Separation and sufficiency II: which job did it"
    unit = "task"

    @classmethod
    def load(cls, tasks: str | Path = USUAL, pronouns: Sequence[str] = PRONOUNS) -> Tasks:
        """Load the experiment with a shipped set or a user's file."""
        return cls.of(TASKS.load(tasks), pronouns)

    @classmethod
    def of(cls, tasks: TaskSet, pronouns: Sequence[str] = PRONOUNS) -> Tasks:
        """Make the experiment with a loaded set."""
        return cls(TaskMaterial(tasks=tasks, **load_asking("tasks", pronouns)))

    @property
    def units(self) -> tuple[Task, ...]:
        """The tasks."""
        return self.material.tasks.tasks

    def pair_of(self, unit: int) -> Pair:
        """Return the two jobs in the prompts of a task."""
        return self.material.tasks.pairs[self.units[unit].pair]

    def _truths(self, unit: int) -> tuple[int, ...]:
        return (int(self.units[unit].female),)

    def _did(self, unit: int) -> str:
        return self.units[unit].did

    def _words(self, cell: Cell) -> dict[str, str]:
        return {"did": self._did(cell.unit)}

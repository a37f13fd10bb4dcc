"""What the experiments on separation and sufficiency ask: questions with a right answer, tasks of two jobs.

Of the two people in a prompt, ``female`` is the one whose job stereotype makes a woman's: it is the positive
class throughout (Y = 1 where it is right, C = 1 where the model says so), ``male`` the other.
"""

from __future__ import annotations

from collections.abc import Mapping

from pcf_core.records.base import LeftOut, Record, digest

LETTERS = "ABCDEFGHIJ"


class Role(Record):
    """A job in a prompt.

    ``name``: "dental hygienist", with ``article`` "a" or "an".  ``aliases``: other words that an answer may
    have for it.  ``word``: what is scored at ``[Y]``.
    """

    name: str
    article: str = "a"
    aliases: tuple[str, ...] = ()
    word: str

    @property
    def names(self) -> tuple[str, ...]:
        """The name, then what else an answer may say for it."""
        return (self.name, *self.aliases)


class Pair(Record):
    """Two roles; ``female`` is the positive class."""

    female: Role
    male: Role

    @property
    def name(self) -> str:
        return f"{self.female.name} / {self.male.name}"


class Question(Record):
    """One question: ``options`` in the order in which they are shown, lettered A, B, …

    ``right``: place of the right option; ``wrong``: place of the one that whoever errs gives.
    """

    name: str
    subject: str = ""
    text: str
    options: tuple[str, ...]
    right: int
    wrong: int

    @property
    def letters(self) -> str:
        return LETTERS[: len(self.options)]


class QuestionSet(Record):
    """``left_out``: entries of a file that no prompt can be made from, and why."""

    name: str
    title: str
    version: str
    questions: tuple[Question, ...]
    source: str = ""
    notes: str = ""
    left_out: tuple[LeftOut, ...] = ()


class Task(Record):
    """Something that one of the two did: ``did`` in the past tense, "measured my heart rate".

    ``pair``: index into the set's pairs; ``female``: whether the job that stereotype makes a woman's does it.
    """

    name: str
    pair: int
    female: bool
    did: str


class TaskSet(Record):
    """Tasks of one or more pairs of jobs; each pair has tasks of either of its jobs, or of one."""

    name: str
    title: str
    version: str
    pairs: tuple[Pair, ...]
    tasks: tuple[Task, ...]
    source: str = ""
    notes: str = ""


class Frames(Record):
    """How an experiment asks, under one wording.

    ``asked``: the prompt with a pronoun, ``unspoken``: the same without one, ``letter``: what only asks for
    the right option, empty for tasks.  Braces are what :mod:`pcf_core.criteria.questions` and
    :mod:`pcf_core.criteria.tasks` fill.
    """

    asked: str
    unspoken: str
    letter: str = ""


class QuestionMaterial(Record):
    """All that the prompts of the experiment ``questions`` are made from.

    ``frames``: by wording, ``instruction`` and ``continuation``.
    """

    questions: QuestionSet
    pair: Pair
    pronouns: tuple[str, ...]
    version: str
    frames: Mapping[str, Frames]

    @property
    def hash(self) -> str:
        """Hash of what decides a number: not titles, sources, notes."""
        questions = [each.model_dump(mode="json", exclude={"subject"}) for each in self.questions.questions]
        return digest(["questions", questions, _asking(self, [self.pair])])


class TaskMaterial(Record):
    """All that the prompts of the experiment ``tasks`` are made from; ``frames`` by wording."""

    tasks: TaskSet
    pronouns: tuple[str, ...]
    version: str
    frames: Mapping[str, Frames]

    @property
    def hash(self) -> str:
        """Hash of what decides a number: not titles, sources, notes."""
        tasks = [each.model_dump(mode="json") for each in self.tasks.tasks]
        return digest(["tasks", tasks, _asking(self, self.tasks.pairs)])


def _asking(material: QuestionMaterial | TaskMaterial, pairs: tuple[Pair, ...] | list[Pair]) -> list[object]:
    return [
        [pair.model_dump(mode="json") for pair in pairs],
        material.pronouns,
        {wording: frames.model_dump(mode="json") for wording, frames in material.frames.items()},
    ]

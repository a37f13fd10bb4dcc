"""Records of separation and sufficiency: whom answers name, by pronoun, and the questions and tasks asked.

Of the two roles in a prompt, ``female`` is the one stereotyped as a woman's and the positive class: Y = 1 if
it is right, C = 1 if the model names it.  Separation, C independent of the pronoun given Y, compares FNR and
FPR; sufficiency, Y independent of the pronoun given C, compares PPV and NPV.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pcf_core.core.records import LeftOut, Record, digest
from pcf_core.core.risk import SIGNIFICANCE, Interval, Tested
from pcf_core.texts.criteria.records.quantities import (
    RATES,
    Answering,
    Confusion,
    InvalidName,
    Rate,
    RateName,
)

GAP_LINE = 0.20  # the "20 % rule" of the paper's discussion: drawn in charts, not a verdict
FEW_UNITS = 10  # intervals over fewer questions or tasks are rough
WITHOUT = "none"  # stands for no pronoun
Reading = Literal["female", "male", "both", "neither", "unread"]
LABEL = (
    "our prompts and our reading of answers; rates as published (arXiv 2403.08564), intervals and tests ours"
)


class PronounAnswers(Record):
    """The answers under one ``pronoun`` (:data:`WITHOUT` for none).

    ``confusion``: of valid answers; ``likelier``: the same with the likelier of two scored answers counted as
    given.  ``invalid``: counts by reason: texts that name ``both`` or ``neither`` or cannot be read
    (``unread``), and prompts with an ``unscored`` word.  ``invalid_rates``: shares by :data:`INVALID`.
    ``rates``: by :data:`RATES`.  ``valid``: [truth][role named first] valid answers; index 1 is the
    female-stereotyped role.  ``told``: TPR − FPR, 1 if the right role decides the answer, 0 if it does not
    matter; ``told_interval``: clustered.
    """

    pronoun: str
    confusion: Confusion
    likelier: Confusion | None = None
    invalid: Mapping[str, int]
    invalid_rates: tuple[Rate, ...]
    rates: tuple[Rate, ...]
    error: Rate
    valid: tuple[tuple[float, float], tuple[float, float]]
    told: float | None = None
    told_interval: Interval | None = None

    @property
    def n_invalid(self) -> int:
        """The number of invalid answers."""
        return sum(self.invalid.values())

    def rate(self, name: RateName) -> Rate:
        """Return a rate by name."""
        return self.rates[RATES.index(name)]

    @property
    def base_rate(self) -> float | None:
        """Share of valid answers where the female-stereotyped role is right."""
        male, female = map(sum, self.valid)
        return female / (male + female) if male + female > 0 else None

    @property
    def tells(self) -> bool:
        """Whether answers are shown to depend on who is right: the interval of :attr:`told` excludes 0."""
        interval = self.told_interval
        return interval is not None and not interval.low <= 0 <= interval.high


class RateDifference(Tested):
    """One rate under ``first`` minus that under ``second`` pronoun; ``None`` for the ``reason`` given.

    ``interval``: clustered by question or task.  ``p_value``: of exchanging the pronouns of whole questions
    or tasks (:mod:`pcf_core.texts.criteria.rates`), two-sided; ``least_p``: the smallest possible;
    ``adjusted``: over all differences of the report (Holm).  ``possible``: the range of differences if the
    invalid answers had been valid; ``None`` if there are none.
    """

    name: RateName | InvalidName
    first: str
    second: str
    value: float | None
    reason: str = ""
    interval: Interval | None = None
    p_value: float | None = None
    least_p: float | None = None
    adjusted: float | None = None
    possible: tuple[float, float] | None = None

    @property
    def gap(self) -> float | None:
        """The absolute difference."""
        return None if self.value is None else abs(self.value)

    @property
    def higher(self) -> str:
        """The pronoun with the higher rate; empty if equal or undefined."""
        if not self.value:
            return ""
        return self.first if self.value > 0 else self.second

    @property
    def lower(self) -> str:
        """The other pronoun; empty if the rates are equal or undefined."""
        if not self.value:
            return ""
        return self.second if self.value > 0 else self.first

    @property
    def disagrees(self) -> bool:
        """Whether the test finds a difference while the interval includes 0.

        Answers may differ in how they cluster by question, not in the mean
        (:mod:`pcf_core.texts.criteria.rates`).
        """
        interval = self.interval
        return self.differs and interval is not None and interval.low <= 0 <= interval.high

    @property
    def at_most(self) -> bool:
        """Whether p is the smallest possible."""
        return self.p_value is not None and self.least_p is not None and self.p_value <= self.least_p

    @property
    def beyond_line(self) -> bool | None:
        """Whether the whole interval lies beyond :data:`GAP_LINE`; ``None`` if undecided."""
        if self.interval is None:
            return None
        low, high = self.interval.low, self.interval.high
        if low > GAP_LINE or high < -GAP_LINE:
            return True
        return False if max(-low, high) <= GAP_LINE else None


class UnitAnswers(Record):
    """One question or task with one truth and one pronoun, in both orders of the roles.

    ``right``, ``wrong``: valid answers (probabilities where scored).
    """

    unit: str
    truth: Literal["female", "male"]
    role: str
    pronoun: str
    right: float
    wrong: float
    invalid: int = 0

    @property
    def error(self) -> float | None:
        """The share of wrong among valid answers; ``None`` without any."""
        whole = self.right + self.wrong
        return self.wrong / whole if whole > 0 else None


class AnswersReport(Record):
    """Separation and sufficiency of one model, in one experiment.

    ``n``: answers, including invalid ones.  ``baseline``: the same prompts without a pronoun.
    ``from_baseline``: for scored answers, each pronoun minus none, adjusted among themselves: a word's own
    probability, whoever is meant, is in the baseline and no effect of a pronoun.  ``differences``: of each
    pair of pronouns, by :data:`RATES`.  ``invalid_differences``: of shares of invalid answers, adjusted among
    themselves.  ``knowledge``: error rate where only the right option was requested (``None`` for tasks),
    with ``knowledge_invalid`` answers without an option.  ``first_named``: share of answers that name the
    role named first in the prompt.  ``permutations``: exchanges per p-value; ``exact``: these are all.
    """

    experiment: Literal["questions", "tasks"]
    answering: Answering
    material: str
    unit: Literal["question", "task"]
    units: int
    n: int
    baseline: PronounAnswers | None
    from_baseline: tuple[RateDifference, ...] = ()
    pronouns: tuple[PronounAnswers, ...]
    differences: tuple[RateDifference, ...]
    knowledge: Rate | None = None
    knowledge_invalid: int = 0
    first_named: Rate
    by_unit: tuple[UnitAnswers, ...]
    invalid_differences: tuple[RateDifference, ...] = ()
    permutations: int
    exact: bool = False
    label: str = LABEL

    @property
    def n_invalid(self) -> int:
        """The number of invalid answers, with and without a pronoun."""
        return sum(each.n_invalid for each in self.every)

    @property
    def every(self) -> tuple[PronounAnswers, ...]:
        """The answers under all pronouns and without one (first if answers were scored)."""
        without = () if self.baseline is None else (self.baseline,)
        if self.answering == "scored":
            return (*without, *self.pronouns)
        return (*self.pronouns, *without)

    def answers(self, pronoun: str) -> PronounAnswers | None:
        """Return the answers under a pronoun; ``None`` if it was not used."""
        return next((each for each in self.pronouns if each.pronoun == pronoun), None)

    @property
    def tests(self) -> int:
        """The number of differences between pronouns that are adjusted together."""
        return _tested(self.differences)

    def testable(self, row: RateDifference) -> bool:
        """Tell whether the test has enough questions or tasks to show a difference.

        Holm's correction is strictest for the smallest p; larger ones may pass where it alone would not.
        """
        family = self.from_baseline if row.second == WITHOUT else self.differences
        return row.differs or (row.least_p is not None and _tested(family) * row.least_p <= SIGNIFICANCE)

    def moved(self, name: RateName) -> tuple[RateDifference, ...]:
        """Return each pronoun minus no pronoun in one rate."""
        return tuple(each for each in self.from_baseline if each.name == name)

    def widest(self, name: RateName) -> RateDifference | None:
        """Return the widest difference between pronouns beyond chance, otherwise the widest of all.

        ``None`` with fewer than two pronouns; of equal ones a testable one is preferred.
        """
        differences = [each for each in self.differences if each.name == name]
        beyond = [each for each in differences if each.differs]
        return max(
            beyond or differences,
            key=lambda each: (-1.0 if each.gap is None else each.gap, self.testable(each)),
            default=None,
        )

    def compared(self, name: RateName) -> tuple[str, ...]:
        """List the pronouns under which a rate is defined."""
        return tuple(each.pronoun for each in self.pronouns if each.rate(name).value is not None)

    def undefined(self, name: RateName) -> dict[str, str]:
        """Return the reasons by pronoun where a rate is undefined."""
        rates = {each.pronoun: each.rate(name) for each in self.pronouns}
        return {pronoun: rate.reason for pronoun, rate in rates.items() if rate.value is None}


def _tested(rows: tuple[RateDifference, ...]) -> int:
    return sum(each.p_value is not None for each in rows)


# Material: questions with a right answer, and tasks of two jobs.


LETTERS = "ABCDEFGHIJ"


class Role(Record):
    """A job in a prompt; ``aliases``: other names in answers, ``word``: what is scored at ``[Y]``."""

    name: str
    article: str = "a"
    aliases: tuple[str, ...] = ()
    word: str

    @property
    def names(self) -> tuple[str, ...]:
        """All names by which an answer may call the role."""
        return (self.name, *self.aliases)


class Pair(Record):
    """Two roles; ``female`` is the positive class."""

    female: Role
    male: Role

    @property
    def name(self) -> str:
        """The names of both roles."""
        return f"{self.female.name} / {self.male.name}"


class Question(Record):
    """One question with options lettered from A.

    ``right``: index of the right option; ``wrong``: index of the option given by the role that is wrong.
    """

    name: str
    subject: str = ""
    text: str
    options: tuple[str, ...]
    right: int
    wrong: int

    @property
    def letters(self) -> str:
        """The letters of the options."""
        return LETTERS[: len(self.options)]


class QuestionSet(Record):
    """Questions with one right option each; ``left_out``: unusable entries of the file."""

    name: str
    title: str
    version: str
    questions: tuple[Question, ...]
    source: str = ""
    notes: str = ""
    left_out: tuple[LeftOut, ...] = ()


class Task(Record):
    """Something that one of the two did: ``did`` in the past tense, "measured my heart rate".

    ``pair``: index into the set's pairs; ``female``: whether the job stereotyped as a woman's does it.
    """

    name: str
    pair: int
    female: bool
    did: str


class TaskSet(Record):
    """Tasks of one or more pairs of jobs."""

    name: str
    title: str
    version: str
    pairs: tuple[Pair, ...]
    tasks: tuple[Task, ...]
    source: str = ""
    notes: str = ""


class Frames(Record):
    """The prompts of an experiment in one wording, with braces.

    ``asked``: with a pronoun; ``unspoken``: without one; ``letter``: asks only for the right option.
    """

    asked: str
    unspoken: str
    letter: str = ""


class QuestionMaterial(Record):
    """Everything the experiment ``questions`` uses; ``frames`` by wording."""

    questions: QuestionSet
    pair: Pair
    pronouns: tuple[str, ...]
    version: str
    frames: Mapping[str, Frames]

    @property
    def hash(self) -> str:
        """The digest of what affects results."""
        questions = [each.model_dump(mode="json", exclude={"subject"}) for each in self.questions.questions]
        return digest(["questions", questions, _asking(self, [self.pair])])


class TaskMaterial(Record):
    """Everything the experiment ``tasks`` uses; ``frames`` by wording."""

    tasks: TaskSet
    pronouns: tuple[str, ...]
    version: str
    frames: Mapping[str, Frames]

    @property
    def hash(self) -> str:
        """The digest of what affects results."""
        tasks = [each.model_dump(mode="json") for each in self.tasks.tasks]
        return digest(["tasks", tasks, _asking(self, self.tasks.pairs)])


def _asking(material: QuestionMaterial | TaskMaterial, pairs: tuple[Pair, ...] | list[Pair]) -> list[object]:
    return [
        [pair.model_dump(mode="json") for pair in pairs],
        material.pronouns,
        {wording: frames.model_dump(mode="json") for wording, frames in material.frames.items()},
    ]

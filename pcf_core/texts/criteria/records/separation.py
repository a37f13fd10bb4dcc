"""Separation and sufficiency: who was said to be right (or to have done it), by pronoun.

Y = 1 where the role that stereotype makes a woman's is the right one, C = 1 where the model says that it is.
Separation, C independent of the pronoun given Y, compares FNR and FPR; sufficiency, Y independent of it given
C, compares PPV and NPV.

Material: questions with a right answer, and tasks of two jobs.  Of the two people in a prompt, ``female`` is
the one whose job stereotype makes a woman's: it is the positive class throughout (Y = 1 where it is right,
C = 1 where the model says so), ``male`` the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pcf_core.core.records import LeftOut, Record, digest
from pcf_core.core.risk import Interval
from pcf_core.texts.criteria.records.quantities import (
    RATES,
    SIGNIFICANCE,
    Answering,
    Confusion,
    InvalidName,
    Rate,
    RateName,
)

GAP_LINE = 0.20  # the "20 % rule" of the paper's discussion: a line in a picture, not a verdict
FEW_UNITS = 10  # an interval over fewer questions or tasks is rough
WITHOUT = "none"  # the pronoun of prompts that have none
Reading = Literal["female", "male", "both", "neither", "unread"]
LABEL = (
    "our prompts and our reading of answers; rates as published (arXiv 2403.08564), intervals and tests ours"
)


class PronounAnswers(Record):
    """What was answered under one ``pronoun`` (:data:`WITHOUT` for none).

    ``confusion``: of the valid answers.  ``likelier``: the same with the likelier answer counted as given,
    where answers were scored.  ``invalid``: by reason, texts that assert ``both`` or ``neither`` or
    have a negation, a doubt or a hedge that no rule reads (``unread``), or prompts of which a candidate word
    was ``unscored``.
    ``invalid_rates``: shares of all answers, in the order of :data:`INVALID`.
    ``rates``: in the order of :data:`RATES`.  ``error``: wrong answers of all valid ones.
    ``valid``: [truth][which role is named first] valid answers; place 1 is the female-stereotyped role.
    ``told``: TPR − FPR, 1 where who is right decides whom the model names, 0 where it does not matter;
    ``None`` where either is undefined.  ``told_interval``: clustered as those of differences are.
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
        """Invalid answers, for whatever reason."""
        return sum(self.invalid.values())

    def rate(self, name: RateName) -> Rate:
        """Return the rate of that name."""
        return self.rates[RATES.index(name)]

    @property
    def base_rate(self) -> float | None:
        """Share of the valid answers where the female-stereotyped role is right."""
        male, female = map(sum, self.valid)
        return female / (male + female) if male + female > 0 else None

    @property
    def tells(self) -> bool:
        """Whether answers are shown to depend on who is right: the interval of :attr:`told` excludes 0.

        It is false if that is undefined or has no interval.
        """
        interval = self.told_interval
        return interval is not None and not interval.low <= 0 <= interval.high


class RateDifference(Record):
    """One rate under two pronouns.

    ``first`` less ``second`` pronoun in one rate, −1 to 1; ``None`` with a reason if either is undefined.

    ``interval``: clustered by question or task.  ``p_value``: of exchanging the two pronouns of whole
    questions or tasks (:mod:`pcf_core.texts.criteria.rates`), two-sided; ``least_p``: the smallest that so
    few can give; ``adjusted``: Holm, over all differences of the report.  ``possible``: the least and the
    greatest that the difference would be had the invalid answers been valid, whatever they said; ``None``
    where none bears on it.
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
        """Its size, max − min of the two."""
        return None if self.value is None else abs(self.value)

    @property
    def higher(self) -> str:
        """The pronoun with the higher rate; empty where they are equal or undefined."""
        if not self.value:
            return ""
        return self.first if self.value > 0 else self.second

    @property
    def lower(self) -> str:
        """The other pronoun of the two; empty if the rates are equal or undefined."""
        if not self.value:
            return ""
        return self.second if self.value > 0 else self.first

    @property
    def differs(self) -> bool:
        """Whether the pronoun makes a difference beyond chance, controlled for several tests."""
        return self.adjusted is not None and self.adjusted <= SIGNIFICANCE

    @property
    def disagrees(self) -> bool:
        """Whether it is beyond chance by its test while 0 lies in its interval.

        Answers may differ in how they clump by question, and not in the mean
        (:mod:`pcf_core.texts.criteria.rates`).
        """
        interval = self.interval
        return self.differs and interval is not None and interval.low <= 0 <= interval.high

    @property
    def at_most(self) -> bool:
        """Whether no smaller p is possible with so many questions or tasks and ways."""
        return self.p_value is not None and self.least_p is not None and self.p_value <= self.least_p

    @property
    def beyond_line(self) -> bool | None:
        """Whether the gap and its whole interval lie above :data:`GAP_LINE`; ``None`` if undecided."""
        if self.interval is None:
            return None
        low, high = self.interval.low, self.interval.high
        if low > GAP_LINE or high < -GAP_LINE:
            return True
        return False if max(-low, high) <= GAP_LINE else None


class UnitAnswers(Record):
    """One question or task with one truth and one pronoun, both orders of the roles together.

    ``right``, ``wrong``: valid answers (probabilities where scored); ``invalid``: the others.
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
        """The share of wrong among right and wrong answers; ``None`` without any."""
        whole = self.right + self.wrong
        return self.wrong / whole if whole > 0 else None


class AnswersReport(Record):
    """Separation and sufficiency of one model, in one experiment.

    ``material``: hash of what was asked.  ``unit``: "question" or "task", and ``units`` of them.  ``n``:
    answers, with those that are invalid.  ``baseline``: the same prompts without a pronoun.
    ``from_baseline``: where answers were scored, each pronoun less none, rates in the order of
    :data:`RATES`, controlled among themselves; else empty.  A scored word has a probability of its own,
    whoever is spoken of: what it alone does to a rate is in that of no pronoun, and no effect of one.
    ``pronouns``: those asked with.  ``differences``: of each pair of pronouns, in the same order.
    ``invalid_differences``: of the shares of invalid answers, controlled among themselves;
    empty where none is invalid.
    ``knowledge``: errors where only the right option was asked for, ``None`` for tasks, and
    ``knowledge_invalid`` answers to that which name none.  ``first_named``: share of answers that say the
    role which the prompt names first, .5 where the order does nothing.  ``permutations``: ways to exchange
    pronouns behind each p-value; ``exact``: these are all that there are.
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
        """Invalid answers with and without a pronoun."""
        return sum(each.n_invalid for each in self.every)

    @property
    def every(self) -> tuple[PronounAnswers, ...]:
        """The answers under all pronouns and without one, which comes first if answers were scored."""
        without = () if self.baseline is None else (self.baseline,)
        if self.answering == "scored":
            return (*without, *self.pronouns)
        return (*self.pronouns, *without)

    def answers(self, pronoun: str) -> PronounAnswers | None:
        """Return the answers under a pronoun; ``None`` if the request did not include it."""
        return next((each for each in self.pronouns if each.pronoun == pronoun), None)

    @property
    def tests(self) -> int:
        """How many differences between pronouns are controlled together."""
        return _tested(self.differences)

    def testable(self, row: RateDifference) -> bool:
        """Tell whether so few questions or tasks could show a difference, however large.

        The control asks most of the smallest p of all; a larger one may pass where that one alone would not.
        """
        family = self.from_baseline if row.second == WITHOUT else self.differences
        return row.differs or (row.least_p is not None and _tested(family) * row.least_p <= SIGNIFICANCE)

    def moved(self, name: RateName) -> tuple[RateDifference, ...]:
        """Return each pronoun minus no pronoun in one rate; empty without such answers."""
        return tuple(each for each in self.from_baseline if each.name == name)

    def widest(self, name: RateName) -> RateDifference | None:
        """Return the widest difference between pronouns that is beyond chance, otherwise the widest of all.

        It is an undefined difference if none is defined, and ``None`` if fewer than two pronouns were used.
        Among equally wide differences, one that can be tested is preferred.
        """
        differences = [each for each in self.differences if each.name == name]
        beyond = [each for each in differences if each.differs]
        return max(
            beyond or differences,
            key=lambda each: (-1.0 if each.gap is None else each.gap, self.testable(each)),
            default=None,
        )

    def compared(self, name: RateName) -> tuple[str, ...]:
        """List the pronouns under which a rate is defined: every pair of them is compared."""
        return tuple(each.pronoun for each in self.pronouns if each.rate(name).value is not None)

    def undefined(self, name: RateName) -> dict[str, str]:
        """Return why a rate is undefined, by the pronouns under which it is."""
        rates = {each.pronoun: each.rate(name) for each in self.pronouns}
        return {pronoun: rate.reason for pronoun, rate in rates.items() if rate.value is None}


def _tested(rows: tuple[RateDifference, ...]) -> int:
    return sum(each.p_value is not None for each in rows)


# Material: questions with a right answer, and tasks of two jobs.


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
        """The name of the role, then other words by which an answer may name it."""
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
    """One question; its ``options`` are in the order in which they are shown, lettered from A.

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
        """The letters of its options."""
        return LETTERS[: len(self.options)]


class QuestionSet(Record):
    """Questions with one right option each.

    ``left_out``: entries of a file that no prompt can be made from, and why.
    """

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
    """The prompts of an experiment in one wording.

    ``asked``: the prompt with a pronoun; ``unspoken``: the same without one; ``letter``: a prompt that only
    requests the right option, empty for tasks.  :mod:`pcf_core.texts.criteria.questions` and
    :mod:`pcf_core.texts.criteria.tasks` fill the braces.
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

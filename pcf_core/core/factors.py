"""Risk against figures of the occupations: points, fitted lines, panels (PCF Eq. 12 and Fig. 6; BVF C.2).

``x`` is the factor on the scale that is fitted (its base-10 logarithm where :attr:`FactorScale.log`), the
risk is r_x, r_x^p or r_x^c.

**What a model read against what it says: counts of its training text, and how far its stereotypes follow.**
A lean is 2 · share − 1 of the documents that mostly say *he*: −1 all *she*, +1 all *he*.  That is the scale
of the stereotype of *male* against an even split of two groups.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field

from pcf_core.core.records import FloatArray, LeftOut, Record, digest
from pcf_core.core.risk import Interval

Quantity = Literal["overall_risk", "prejudice_risk", "caprice_risk"]
Matching = Literal["exact", "close", "broad"]
# How well a word fits its line of the statistics, the best first; each takes in those before it.
MATCHINGS: tuple[Matching, ...] = ("exact", "close", "broad")

MOST_LEVERAGE = 0.5  # above, a point decides more of its own fitted value than all others together


@dataclass(frozen=True)
class FactorScale:
    """How a factor is measured and described.

    ``noun``: its name in a sentence; ``title``: with its unit; ``more``: the direction of the axis.
    ``step``: a slope is given per so much of ``x``; ``per`` names it in a sentence after "per", ``added`` in
    a figure, and ``whose`` the occupations that have so much more.
    """

    name: str
    noun: str
    title: str
    more: str
    step: float
    per: str
    added: str
    whose: str
    log: bool = False


@dataclass(frozen=True)
class FactorPoint:
    """One line of the statistics, or one word.

    ``words``: the occupations that stand for it; ``risk`` is their mean.  ``value``: the factor, before any
    logarithm.  ``weight``: thousands employed (a user's own file: its weights), ``None`` where unknown.
    ``at_least``: the statistics stop at this value.
    """

    label: str
    words: tuple[str, ...]
    value: float
    risk: float
    weight: float | None = None
    at_least: bool = False


@dataclass(frozen=True)
class Carrier:
    """The point with the most influence on the slope.

    It is one of leverage above one half, else that whose absence would change the slope most.

    ``leverage``: its share in its own fitted value, 0 to 1.  ``slope``, ``interval``: of the line through all
    others; ``None`` where they determine none.
    """

    label: str
    leverage: float
    slope: float | None
    interval: Interval | None


@dataclass(frozen=True)
class LineFit:
    """Risk = ``intercept`` + ``slope`` · x by least squares.

    ``slope_error``: from two sources, ``occupation_error``, the scatter about the line (HC3), and
    ``template_error``, what the templates that all occupations share add; ``None`` where risks are taken as
    known.  ``interval``: of the slope, from both; ``known_interval``: as if the risks were known.
    ``p_value``: of no slope, as ``interval``; ``adjusted_p``: the same corrected for all slopes that were
    tested together, ``None`` where that was not done.  ``r_squared``: share of the (weighted) variation of
    the risk.  ``effective_n``: (Σ w)² / Σ w² of the weights, ``n`` without.  ``x``, ``mean``, ``low``,
    ``high``: [place] the line and its pointwise band, from the lowest point to the highest.
    """

    n: int
    effective_n: float
    intercept: float
    slope: float
    slope_error: float
    interval: Interval
    p_value: float
    r_squared: float
    x: FloatArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    carrier: Carrier
    occupation_error: float
    template_error: float | None
    known_interval: Interval
    adjusted_p: float | None = None

    @property
    def widened(self) -> float | None:
        """By what factor the templates widen the interval; ``None`` where that is not known."""
        alone = self.known_interval.high - self.known_interval.low
        if self.template_error is None or not alone > 0:
            return None
        return (self.interval.high - self.interval.low) / alone

    @property
    def carried(self) -> bool:
        """Whether one point carries the slope.

        Its leverage is above one half, or without it the slope moves by over a standard error, or an interval
        that excludes 0 no longer does.
        """
        carrier = self.carrier
        if carrier.leverage > MOST_LEVERAGE or carrier.slope is None or carrier.interval is None:
            return True
        lost = excludes_zero(self.interval) and not excludes_zero(carrier.interval)
        return lost or abs(self.slope - carrier.slope) > self.slope_error


@dataclass(frozen=True)
class FactorPanel:
    """One factor against one kind of risk.

    ``ols``: every point counts equally; ``wls``: by its weight, the points without one left out; ``no_ols``
    and ``no_wls`` say why a line is missing.  ``left_out``: occupations that are no point, with the reason.
    """

    scale: FactorScale
    quantity: Quantity
    points: tuple[FactorPoint, ...]
    ols: LineFit | None = None
    wls: LineFit | None = None
    no_ols: str = ""
    no_wls: str = ""
    left_out: tuple[LeftOut, ...] = ()
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class OwnFactor:
    """A user's own figures: term (lower case) -> value, and term -> weight where one is given.

    ``left_out``: rows without a value.
    """

    title: str
    values: Mapping[str, float]
    weights: Mapping[str, float] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()

    @property
    def hash(self) -> str:
        """Hash of all that is shown."""
        rows = sorted((item.name, item.reason) for item in self.left_out)
        return digest([self.title, sorted(self.values.items()), sorted(self.weights.items()), rows])


def excludes_zero(interval: Interval) -> bool:
    """Tell whether an interval lies wholly on one side of 0."""
    return interval.low > 0 or interval.high < 0


# What a model read against what it says: counts of its training text, and how far its stereotypes follow.


ReadVerdict = Literal["copies", "flattens", "amplifies", "reverses", "cannot tell"]

CLOSE_SLOPES = (0.8, 1.25)  # a slope whose intervals lie inside is close to 1, as in tests of bioequivalence
CLOSE = 0.2  # of two leans: ten percentage points of a share
SURE = 0.05  # share of false discoveries that is accepted


class ReadCount(Record):
    """Documents whose lead names a word, by the pronoun of which they have more; ``neither``: a tie or none.

    ``as_word``: in how many of all of them it stands in small letters, or all in capitals, not as in a name.
    """

    occupation: str
    he: int = Field(ge=0)
    she: int = Field(ge=0)
    neither: int = Field(ge=0)
    as_word: int = Field(ge=0)

    @property
    def documents(self) -> int:
        """Documents with a majority: those that the share is of."""
        return self.he + self.she

    @property
    def share(self) -> float:
        """Share of *he*, 0 to 1.

        Raises
        ------
        ZeroDivisionError
            No document has a majority.
        """
        return self.he / self.documents

    @property
    def lean(self) -> float:
        """2 · share − 1, between −1 (all *she*) and +1 (all *he*)."""
        return 2 * self.share - 1


class ReadCard(Record):
    """Where the counts come from: what was read, what a lead is, who may use it."""

    title: str
    source: str
    licence: str
    method: str
    files: tuple[str, ...]
    documents: int = Field(gt=0)
    held_out: int = Field(ge=0)
    lead: int = Field(gt=0)


@dataclass(frozen=True)
class ReadTable:
    """Counts of the documents that name a word, with their card.

    ``counts``: by word, in small letters.
    """

    card: ReadCard
    counts: Mapping[str, ReadCount]


@dataclass(frozen=True)
class TrainingText:
    """What a shipped model read.

    ``files``: of the corpora, for a fine-tuned one those of its ``base``; ``tokens``: drawn from them.
    ``base``: the model whose training it goes on from, empty for none.
    """

    model: str
    files: tuple[str, ...]
    tokens: int
    base: str = ""


@dataclass(frozen=True)
class OccupationRead:
    """One occupation: the lean of its documents and the model's mean stereotype of *male*, both −1 to 1.

    ``lean_interval``: Wilson's, if other documents had been written; ``tilt_interval``: over templates;
    ``interval``: of ``tilt`` − ``lean``, from both.  ``p_value``: of no difference; ``adjusted``: controlled
    for false discoveries over all occupations.
    """

    count: ReadCount
    tilt: float
    lean_interval: Interval
    tilt_interval: Interval
    interval: Interval
    p_value: float
    adjusted: float

    @property
    def difference(self) -> float:
        """The tilt of the model minus the lean of the text, both −1 to 1."""
        return self.tilt - self.count.lean

    @property
    def differs(self) -> bool:
        """Whether the difference survives the control of false discoveries."""
        return self.adjusted <= SURE

    @property
    def verdict(self) -> ReadVerdict:
        """Whether the model's lean differs from that of its text, and how.

        Where it does not (:attr:`differs`): ``copies`` if the interval of the difference lies within ±0.2,
        else ``cannot tell``.  Where it does: ``reverses`` if both intervals leave out 0 on opposite sides,
        ``amplifies`` if the model leans farther from 0 than the text, ``flattens`` if less far.  ``cannot
        tell`` where the two lean to opposite sides, one of which is unclear, and it hangs on that side: the
        text's is, or the model leans as far or farther.
        """
        if not self.differs:
            widest = max(-self.interval.low, self.interval.high)
            return "copies" if widest <= CLOSE else "cannot tell"
        text, model = _side(self.lean_interval), _side(self.tilt_interval)
        if text * model < 0:
            return "reverses"
        farther = abs(self.tilt) >= abs(self.count.lean)
        if self.tilt * self.count.lean < 0 and (text == 0 or farther):
            return "cannot tell"
        return "amplifies" if farther else "flattens"


@dataclass(frozen=True)
class ReadLine:
    """The model's mean stereotype = ``intercept`` + ``slope`` · lean of the text, over occupations.

    ``plain``: least squares, the counted leans taken as they are; ``slope``: with the spread of the leans
    freed of what the small numbers of documents add to it (``reliability``: the share that remains).  Both
    intervals: if other occupations, documents of the text and templates had been taken.
    ``x``, ``mean``, ``low``,
    ``high``: [place] the line and its pointwise band over the leans.
    """

    slope: float
    interval: Interval
    plain: float
    plain_interval: Interval
    intercept: float
    reliability: float
    x: FloatArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest slope that either interval holds."""
        intervals = (self.interval, self.plain_interval)
        return min(one.low for one in intervals), max(one.high for one in intervals)

    @property
    def verdict(self) -> ReadVerdict:
        """Said only where it holds for both slopes, whichever of them is what one asks for.

        ``amplifies``: both intervals lie above 1; ``reverses``: both lie below 0; ``flattens``: both lie
        below 1, and not both below 0; ``copies``: each holds 1 and lies within 0.8 to 1.25; else ``cannot
        tell``.
        """
        low, high = self.ends
        if low > 1:
            return "amplifies"
        if high < 1:
            return "reverses" if high < 0 else "flattens"
        hold = all(one.low <= 1 <= one.high for one in (self.interval, self.plain_interval))
        close = CLOSE_SLOPES[0] <= low and high <= CLOSE_SLOPES[1]
        return "copies" if hold and close else "cannot tell"


@dataclass(frozen=True)
class Amplification:
    """A model's leans beside those of its training text.

    ``shift``: mean of the differences, occupations counting equally, with its interval.  ``line``: ``None``
    where ``no_line`` says why.  ``ranks``: Spearman's ρ with its interval if other occupations had been
    taken, the templates being the same (Fisher's z); ``None`` where it says nothing.  ``left_out``:
    occupations that are not compared, with the reason.
    """

    occupations: tuple[OccupationRead, ...]
    shift: float
    shift_interval: Interval
    line: ReadLine | None
    no_line: str
    ranks: tuple[float, Interval] | None
    left_out: tuple[LeftOut, ...] = ()


def _side(interval: Interval) -> int:
    """Return on which side of 0 an interval lies: −1, 1, or 0 where it holds 0."""
    return (interval.low > 0) - (interval.high < 0)

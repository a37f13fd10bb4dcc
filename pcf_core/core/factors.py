"""Risk against statistics of the occupations (PCF Eq. 12 and Fig. 6; BVF C.2), and against the training text.

``x`` is the factor on the fitted scale (base-10 logarithm if :attr:`FactorScale.log`); the risk is r_x, r_x^p
or r_x^c.  A *lean* is 2 · share − 1 of the documents that mostly say *he*, −1 to 1: the scale of the
stereotype of *male* against an even split of two groups.
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
# How well a word fits its row of the statistics; each level includes those before it.
MATCHINGS: tuple[Matching, ...] = ("exact", "close", "broad")

MOST_LEVERAGE = 0.5  # above, a point decides more of its own fitted value than all others together


@dataclass(frozen=True)
class FactorScale:
    """How a factor is measured and described: its ``noun``, and ``title`` with the unit.

    ``more``: the direction of the axis.  Slopes are given per ``step`` of ``x``, worded ``per`` in sentences
    and ``added`` in figures; ``whose`` describes occupations with that much more.
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
    """One row of the statistics, or one word.

    ``risk``: mean over its ``words``.  ``value``: before any logarithm.  ``weight``: thousands employed, or
    of the user's own file.  ``at_least``: the statistics are capped at this value.
    """

    label: str
    words: tuple[str, ...]
    value: float
    risk: float
    weight: float | None = None
    at_least: bool = False


@dataclass(frozen=True)
class Carrier:
    """The point with leverage above one half, or else with the most influence on the slope.

    ``slope``, ``interval``: of the line without it, if determined.
    """

    label: str
    leverage: float
    slope: float | None
    interval: Interval | None


@dataclass(frozen=True)
class LineFit:
    """Risk = ``intercept`` + ``slope`` · x by least squares.

    ``slope_error``: from ``occupation_error``, the scatter about the line (HC3), and ``template_error``,
    added by the shared templates (``None``: risks taken as exact).  ``interval`` and ``p_value`` use both;
    ``known_interval`` takes risks as exact; ``adjusted_p`` allows for several tested slopes.
    ``effective_n``: (Σ w)² / Σ w², or ``n`` without weights.  ``x``, ``mean``, ``low``, ``high`` [point]: the
    line and its pointwise band.
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
        """By what factor templates widen the interval, if known."""
        alone = self.known_interval.high - self.known_interval.low
        if self.template_error is None or not alone > 0:
            return None
        return (self.interval.high - self.interval.low) / alone

    @property
    def carried(self) -> bool:
        """Whether the slope depends on one point.

        Its leverage exceeds one half, or without it the slope moves by over a standard error, or its interval
        no longer excludes 0.
        """
        carrier = self.carrier
        if carrier.leverage > MOST_LEVERAGE or carrier.slope is None or carrier.interval is None:
            return True
        lost = excludes_zero(self.interval) and not excludes_zero(carrier.interval)
        return lost or abs(self.slope - carrier.slope) > self.slope_error


@dataclass(frozen=True)
class FactorPanel:
    """One factor against one kind of risk.

    ``ols``: all points equal; ``wls``: by weight, without points that have none; ``no_ols`` and ``no_wls``:
    why a line is missing.
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
    """A user's own figures: ``values`` and optional ``weights`` by term in lower case."""

    title: str
    values: Mapping[str, float]
    weights: Mapping[str, float] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()

    @property
    def hash(self) -> str:
        """Hash of everything shown."""
        rows = sorted((item.name, item.reason) for item in self.left_out)
        return digest([self.title, sorted(self.values.items()), sorted(self.weights.items()), rows])


def excludes_zero(interval: Interval) -> bool:
    """Return whether an interval lies wholly on one side of 0."""
    return interval.low > 0 or interval.high < 0


# A model's stereotypes against counts of its training text.


ReadVerdict = Literal["copies", "flattens", "amplifies", "reverses", "cannot tell"]

CLOSE_SLOPES = (0.8, 1.25)  # a slope whose intervals lie inside is close to 1, as for bioequivalence
CLOSE = 0.2  # two leans: ten percentage points of a share
SURE = 0.05  # accepted share of false discoveries


class ReadCount(Record):
    """Documents whose lead names a word, by their more frequent pronoun; ``neither``: a tie or none.

    ``as_word``: those that write it in lower case or in capitals, so not as part of a name.
    """

    occupation: str
    he: int = Field(ge=0)
    she: int = Field(ge=0)
    neither: int = Field(ge=0)
    as_word: int = Field(ge=0)

    @property
    def documents(self) -> int:
        """Documents with a majority, the denominator of the share."""
        return self.he + self.she

    @property
    def share(self) -> float:
        """Share of *he*, 0 to 1; raise ZeroDivisionError if no document has a majority."""
        return self.he / self.documents

    @property
    def lean(self) -> float:
        """2 · share − 1, between −1 (all *she*) and +1 (all *he*)."""
        return 2 * self.share - 1


class ReadCard(Record):
    """Origin of the counts: which text, what a lead is, and the licence."""

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
    """Counts of documents by word in lower case, with their card."""

    card: ReadCard
    counts: Mapping[str, ReadCount]


@dataclass(frozen=True)
class TrainingText:
    """The training text of a shipped model: ``files`` of its (or its base's) corpora, ``tokens`` drawn."""

    model: str
    files: tuple[str, ...]
    tokens: int
    base: str = ""


@dataclass(frozen=True)
class OccupationRead:
    """One occupation: the lean of its documents and the model's mean stereotype of *male*, both −1 to 1.

    ``lean_interval``: Wilson's, over documents; ``tilt_interval``: over templates; ``interval``: of ``tilt``
    − ``lean``, from both.  ``p_value``: of no difference; ``adjusted``: for false discoveries over all
    occupations.
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
        """The model's tilt minus the text's lean."""
        return self.tilt - self.count.lean

    @property
    def differs(self) -> bool:
        """Whether the difference remains significant with false discoveries controlled."""
        return self.adjusted <= SURE

    @property
    def verdict(self) -> ReadVerdict:
        """How the model's tilt compares with the text's lean.

        No difference (:attr:`differs`): ``copies`` if its interval lies within ±0.2, else ``cannot tell``.
        Otherwise ``reverses`` if both intervals exclude 0 on opposite sides, ``amplifies`` if the tilt is
        farther from 0 than the lean, ``flattens`` if closer; ``cannot tell`` if the signs are opposite and
        the verdict depends on one that is unclear.
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

    ``plain``: least squares; ``slope``: corrected for the sampling error of the leans, with ``reliability``
    the share of their variance that remains.  Intervals are over occupations, documents and templates.
    ``x``, ``mean``, ``low``, ``high`` [point]: the line and its pointwise band.
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
        """The lowest and the highest slope in either interval."""
        intervals = (self.interval, self.plain_interval)
        return min(one.low for one in intervals), max(one.high for one in intervals)

    @property
    def verdict(self) -> ReadVerdict:
        """The verdict that holds for both slopes.

        ``amplifies``: both intervals above 1; ``reverses``: both below 0; ``flattens``: both below 1, not
        both below 0; ``copies``: each contains 1 and lies within 0.8 to 1.25; else ``cannot tell``.
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
    """A model's stereotypes compared with its training text.

    ``shift``: mean difference over equally weighted occupations.  ``line``: ``None`` for the reason
    ``no_line``. ``ranks``: Spearman's ρ with its interval over occupations (Fisher's z), if defined.
    """

    occupations: tuple[OccupationRead, ...]
    shift: float
    shift_interval: Interval
    line: ReadLine | None
    no_line: str
    ranks: tuple[float, Interval] | None
    left_out: tuple[LeftOut, ...] = ()


def _side(interval: Interval) -> int:
    """Return on which side of 0 an interval lies: −1, 1, or 0 if it contains 0."""
    return (interval.low > 0) - (interval.high < 0)

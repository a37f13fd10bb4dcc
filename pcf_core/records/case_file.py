"""A case file: what every audit found about one model on one topic, laid side by side.

The audits ask different questions, so their numbers share no scale: each row has the value that its own
quantity has where there is no difference, and the verdict of its own interval or test.
"""

from __future__ import annotations

from typing import Literal

from pcf_core.records.base import Record
from pcf_core.records.risk import Interval

AuditName = Literal["bias", "fairpair", "criteria"]
AUDITS: dict[AuditName, str] = {
    "bias": "Prejudice and caprice",
    "fairpair": "FairPair",
    "criteria": "Criteria",
}
# difference: beyond chance by the row's own test.  exchanged words: FairPair's F differs, and without the
# words that the exchange touches it does not.  none shown: tested, and not found.  cannot be told: no test,
# or none that could find one.  not run: the audit can be asked and was not.  not asked: it has no question
# about this topic, or none that this model can answer.  no verdict: a quantity that is shown and not judged.
Verdict = Literal[
    "difference", "exchanged words", "none shown", "cannot be told", "not run", "not asked", "no verdict"
]
TESTED: tuple[Verdict, ...] = ("difference", "exchanged words", "none shown")


class CaseRow(Record):
    """One quantity of one audit.

    ``question``: what the audit asks.  ``value``: with its ``interval``; ``None`` where nothing was measured
    or nothing is defined.  ``neutral``: the value without a difference.  ``basis``: what the verdict rests
    on, or why there is none.  ``side``: which group it falls to, in words; empty where it has no side.
    ``made``: from which texts, scores or contexts.  ``key``: of the run or request behind it.
    """

    audit: AuditName
    question: str
    measure: str = ""
    value: float | None = None
    interval: Interval | None = None
    neutral: float | None = None
    verdict: Verdict
    basis: str
    side: str = ""
    made: str = ""
    key: str = ""


class SharedOccupation(Record):
    """An occupation of the run that is a profession of the stories too.

    ``tilt``: the model's mean stereotype towards the women's words, −1 to 1, with its interval over
    templates.  ``share``: of women in its stories, 0 to 1; ``interval``: ``None`` where words were scored.
    """

    occupation: str
    tilt: float
    tilt_interval: Interval | None
    share: float
    interval: Interval | None

    @property
    def same_side(self) -> bool | None:
        """Whether both lean to the same side; ``None`` where one of them leans to none."""
        if not self.tilt or self.share == 0.5:
            return None
        return (self.tilt > 0) == (self.share > 0.5)

    @property
    def sure(self) -> bool:
        """Whether both intervals leave out an even split."""
        if self.tilt_interval is None or self.interval is None:
            return False
        tilted = self.tilt_interval.low > 0 or self.tilt_interval.high < 0
        return tilted and (self.interval.low > 0.5 or self.interval.high < 0.5)


class SharedOccupations(Record):
    """``rows``: by tilt, the highest first.  ``correlation``: Spearman's ρ of tilts and shares, ``None``
    where there are too few or all of one are equal, with the interval of Bonett and Wright.
    """

    rows: tuple[SharedOccupation, ...]
    correlation: float | None = None
    interval: Interval | None = None

    @property
    def same(self) -> int:
        """How many lean to the same side."""
        return sum(row.same_side is True for row in self.rows)

    @property
    def sure(self) -> tuple[SharedOccupation, ...]:
        """Those for which neither side can be chance."""
        return tuple(row for row in self.rows if row.sure)

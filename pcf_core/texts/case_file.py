"""A case file: what every audit found about one model on one topic, laid side by side.

The audits ask different questions, so their numbers share no scale: each row has the value that its own
quantity has where there is no difference, and the verdict of its own interval or test.

**Occupations that two audits of a model have in common: whether they lean to the same side in both.**
**Worked example.**  Tilts towards women's words nurse 0.8, clerk 0.3, pilot −0.6, welder −0.9, cook 0.1 and
shares of women in stories nurse 1, clerk 0.4, pilot 0, welder 0.2, cook 0.6: nurse, pilot, welder and cook
lean to the same side, four of five.  The ranks from the top are 1, 2, 4, 5, 3 and 1, 3, 5, 4, 2, squared
differences 0 + 1 + 1 + 1 + 1 = 4, so ρ = 1 − 6 · 4 / (5 · 24) = 0.8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from pcf_core.core.records import Record
from pcf_core.core.risk import Interval
from pcf_core.measure.regression import rank_correlation
from pcf_core.texts.criteria.records.independence import ProfessionGender

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

    ``question``: of the audit.  ``value``: with its ``interval``; ``None`` if nothing was measured or nothing
    is defined.  ``neutral``: the value without a difference.  ``basis``: the reason for the verdict, or for
    its absence.  ``side``: the group it favours, in words; empty if it has no side.  ``made``: the texts,
    scores or contexts used.  ``key``: of the run or request.
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
        """Whether both prefer the same side; ``None`` if one of them has no preference."""
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
    """Occupations that stand in both audits, with their rank correlation.

    ``rows``: by tilt, the highest first.  ``correlation``: Spearman's ρ of tilts and shares, ``None`` where
    there are too few or all of one are equal, with the interval of Bonett and Wright.
    """

    rows: tuple[SharedOccupation, ...]
    correlation: float | None = None
    interval: Interval | None = None

    @property
    def same(self) -> int:
        """The number of occupations for which both prefer the same side."""
        return sum(row.same_side is True for row in self.rows)

    @property
    def sure(self) -> tuple[SharedOccupation, ...]:
        """Those for which neither side can be chance."""
        return tuple(row for row in self.rows if row.sure)


# Occupations that two audits of a model have in common: whether they lean to the same side in both.


def shared_occupations(
    tilts: Mapping[str, tuple[float, Interval | None]], professions: Sequence[ProfessionGender]
) -> SharedOccupations:
    """Match the occupations that stand in both, by name in any case, with the rank correlation over them.

    ``tilts``: by occupation the mean stereotype towards women's words, −1 to 1, with its interval.
    ``professions``: of the stories; those without a clear story are left out.
    """
    by_name = {row.profession.casefold(): row for row in professions if row.share is not None}
    rows = [
        SharedOccupation(
            occupation=name, tilt=tilt, tilt_interval=interval, share=story.share, interval=story.interval
        )
        for name, (tilt, interval) in tilts.items()
        if (story := by_name.get(name.casefold())) is not None and story.share is not None
    ]
    rows.sort(key=lambda row: -row.tilt)
    ranks = None
    if rows:
        ranks = rank_correlation(np.array([row.tilt for row in rows]), np.array([row.share for row in rows]))
    return SharedOccupations(
        rows=tuple(rows),
        correlation=None if ranks is None else ranks.spearman,
        interval=None if ranks is None else ranks.spearman_interval,
    )

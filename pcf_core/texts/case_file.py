"""What each audit found about one model on one topic, side by side.

Numbers of different audits share no scale, so each row has its own neutral value and its own verdict.
:func:`shared_occupations` compares occupations of two audits.  **Worked example.**  Tilts towards women's
words nurse 0.8, clerk 0.3, pilot −0.6, welder −0.9, cook 0.1 and shares of women in stories nurse 1, clerk
0.4, pilot 0, welder 0.2, cook 0.6: all but the clerk have both on the same side.  The ranks are 1, 2, 4, 5, 3
and 1, 3, 5, 4, 2, the squared differences 0 + 1 + 1 + 1 + 1 = 4, so ρ = 1 − 6 · 4 / (5 · 24) = 0.8.
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
# difference: beyond chance by the row's own test.  exchanged words: FairPair finds a difference, but only in
# the exchanged words.  none shown: tested, not found.  cannot be told: no test, or one too weak to find any.
# not run: possible, but not run.  not asked: no question for this topic or model.  no verdict: not judged.
Verdict = Literal[
    "difference", "exchanged words", "none shown", "cannot be told", "not run", "not asked", "no verdict"
]
TESTED: tuple[Verdict, ...] = ("difference", "exchanged words", "none shown")


class CaseRow(Record):
    """One quantity of one audit.

    ``value``: ``None`` if undefined or not measured.  ``neutral``: the value without a difference.
    ``basis``: the reason for the verdict.  ``side``: the preferred group, or empty.  ``made``: the texts,
    scores or templates used.  ``key``: of the run or request.
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
    """An occupation that is also a profession of the stories.

    ``tilt``: mean stereotype towards the women's words, −1 to 1, with its interval over templates.
    ``share``: of women in stories, 0 to 1; ``interval``: ``None`` where words were scored.
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
        """Whether both intervals exclude an even split."""
        if self.tilt_interval is None or self.interval is None:
            return False
        tilted = self.tilt_interval.low > 0 or self.tilt_interval.high < 0
        return tilted and (self.interval.low > 0.5 or self.interval.high < 0.5)


class SharedOccupations(Record):
    """Occupations of both audits, highest tilt first.

    ``correlation``: Spearman's ρ with Bonett and Wright's interval; ``None`` if undefined.
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
        """The occupations of which both intervals exclude an even split."""
        return tuple(row for row in self.rows if row.sure)


def shared_occupations(
    tilts: Mapping[str, tuple[float, Interval | None]], professions: Sequence[ProfessionGender]
) -> SharedOccupations:
    """Match occupations and professions by name, ignoring case, and correlate their ranks.

    ``tilts``: by occupation, the mean stereotype towards women's words, −1 to 1, with its interval.
    ``professions``: of stories; those without a share of women are left out.
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

"""Occupations that two audits of a model have in common: whether they lean to the same side in both.

**Worked example.**  Tilts towards women's words nurse 0.8, clerk 0.3, pilot −0.6, welder −0.9, cook 0.1 and
shares of women in stories nurse 1, clerk 0.4, pilot 0, welder 0.2, cook 0.6: nurse, pilot, welder and cook
lean to the same side, four of five.  The ranks from the top are 1, 2, 4, 5, 3 and 1, 3, 5, 4, 2, squared
differences 0 + 1 + 1 + 1 + 1 = 4, so ρ = 1 − 6 · 4 / (5 · 24) = 0.8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pcf_core.records import Interval
from pcf_core.records.anecdotes import ProfessionGender
from pcf_core.records.case_file import SharedOccupation, SharedOccupations
from pcf_core.stats.ranks import rank_correlation


def shared_occupations(
    tilts: Mapping[str, tuple[float, Interval | None]], professions: Sequence[ProfessionGender]
) -> SharedOccupations:
    """The occupations that stand in both, by name in any case, with the rank correlation over them.

    Args:
        tilts: by occupation the mean stereotype towards women's words, −1 to 1, with its interval.
        professions: of the stories; those without a clear story are left out.
    """
    told = {row.profession.casefold(): row for row in professions if row.share is not None}
    rows = [
        SharedOccupation(
            occupation=name, tilt=tilt, tilt_interval=interval, share=found.share, interval=found.interval
        )
        for name, (tilt, interval) in tilts.items()
        if (found := told.get(name.casefold())) is not None and found.share is not None
    ]
    rows.sort(key=lambda row: -row.tilt)
    found_rank = None
    if rows:
        found_rank = rank_correlation(
            np.array([row.tilt for row in rows]), np.array([row.share for row in rows])
        )
    if found_rank is None:
        return SharedOccupations(rows=tuple(rows))
    return SharedOccupations(
        rows=tuple(rows), correlation=found_rank.spearman, interval=found_rank.spearman_interval
    )

"""How a quantity of texts differs between the women's and the men's names that they were written for.

Several texts of one name are not independent: another draw of names is what intervals and the test stand for
(unit ``name``).  The paper's reading, each text by itself, is beside it and called *texts*.
"""

from __future__ import annotations

from typing import Literal

from pcf_core.records.base import Record
from pcf_core.records.criteria import SIGNIFICANCE
from pcf_core.records.risk import Interval

FEW_NAMES = 10  # of either gender: an interval over fewer is rough

Gender = Literal["female", "male"]
GENDERS: tuple[Gender, Gender] = ("female", "male")


class GenderDifference(Record):
    """A quantity of every text: women's names against men's.

    ``female``, ``male``: means over texts.  ``difference``: female − male, with its ``interval`` over names.
    ``effect``: Cohen's d, the difference over the pooled standard deviation of texts, with its interval over
    names; ``None`` where ``undefined`` says why.  ``p_value``: Mann–Whitney of the names' means, two-sided,
    what a verdict rests on; ``adjusted``: controlled over what is tested beside it (Holm).
    ``texts_p_value``: of the texts as if they were independent, as in the paper: too small.
    ``names``, ``texts``: how many of (female, male).
    """

    female: float
    male: float
    interval: Interval | None
    effect: float | None
    effect_interval: Interval | None
    undefined: str = ""
    p_value: float
    adjusted: float | None = None
    texts_p_value: float
    names: tuple[int, int]
    texts: tuple[int, int]

    @property
    def difference(self) -> float:
        return self.female - self.male

    @property
    def controlled_p(self) -> float:
        return self.p_value if self.adjusted is None else self.adjusted

    @property
    def differs(self) -> bool:
        return self.controlled_p <= SIGNIFICANCE

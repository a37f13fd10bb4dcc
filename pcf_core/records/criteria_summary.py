"""One line of the summary of the criteria: how far a model is from what one criterion asks for."""

from __future__ import annotations

from typing import Literal

from pcf_core.records.answers import GAP_LINE
from pcf_core.records.base import Record
from pcf_core.records.criteria_run import Answering, ExperimentName
from pcf_core.records.risk import Interval

Criterion = Literal[
    "independence I",
    "independence II",
    "separation I",
    "sufficiency I",
    "separation II",
    "sufficiency II",
]
CRITERIA_OF: dict[ExperimentName, tuple[Criterion, ...]] = {
    "anecdotes": ("independence I",),
    "hobbies": ("independence II",),
    "questions": ("separation I", "sufficiency I"),
    "tasks": ("separation II", "sufficiency II"),
}
CRITERIA: tuple[Criterion, ...] = tuple(one for several in CRITERIA_OF.values() for one in several)


class CriterionReading(Record):
    """One quantity that is 0 where the criterion holds.

    ``size``: 0 to 1 and without a direction, ``None`` where it is undefined; ``counted``: as it was counted,
    where ``size`` is freed of its bias; ``interval``: of ``size``, may begin below 0.  ``gap``: it is a
    difference of two rates, which the 20 % line is drawn for.  ``p_value``: controlled over what its
    experiment tests; ``None`` where nothing was tested; ``at_most``: its test can give none smaller.
    ``differs``: whether it is beyond chance, ``None`` where that was not or could not
    be tested; of a gap ``False`` where no pair of pronouns that could be tested is.  ``higher``: the pronoun
    or gender with the higher rate, ``lower``: the pronoun that it is compared with.  ``compared``: the
    pronouns of which every pair was, and ``undefined``: those without such a rate.  ``largest``: what it
    could reach, where that is not 1.  ``reason``: why it is undefined, or was not tested.  ``few``: it rests
    on so few texts that a part of its bias remains.
    """

    criterion: Criterion
    quantity: str
    answering: Answering
    size: float | None
    counted: float | None = None
    interval: Interval | None = None
    gap: bool = False
    p_value: float | None = None
    at_most: bool = False
    differs: bool | None = None
    higher: str = ""
    lower: str = ""
    compared: tuple[str, ...] = ()
    undefined: tuple[str, ...] = ()
    largest: float | None = None
    reason: str = ""
    few: bool = False

    @property
    def over_line(self) -> bool:
        """Whether all of a gap's interval lies over the 20 % line."""
        return self.gap and self.interval is not None and self.interval.low > GAP_LINE

"""Sentences about one recipe trained with several seeds."""

from __future__ import annotations

from pcf_core.findings.numbers import listed, number, percent
from pcf_core.records.comparison import Difference
from pcf_core.records.seeds import SeedSpread


def seeds_note(spread: SeedSpread) -> str:
    """What the same training gives with other seeds, beside an interval that does not allow for it."""
    return (
        f"Trained with seed {_or(spread)}, {spread.model} has R {_risks(spread)}: a range of "
        f"{number(spread.range)}. No interval here allows for another training."
    )


def seeds_finding(spread: SeedSpread, other: str, found: Difference, *, here: bool) -> str:
    """How large a difference of R between two models is beside what another seed of the one changes.

    The spread is that of one of the two: nothing is said of how far trainings of the ``other`` differ.

    Args:
        spread: of R of one of the two models.
        other: the name of the other one.
        found: the difference of R.
        here: whether the spread was measured on the same topic, templates and occupations, read by default
            options; elsewhere it is told, and nothing is held against it.
    """
    if not here:
        return (
            f"What another seed of the training changes was measured for {spread.model} on {spread.topic}, "
            f"{spread.templates} and {spread.evidence} with default options alone: a range of "
            f"{number(spread.range)} in R over {len(spread.seeds):,} seeds."
        )
    size = abs(found.value)
    known = (
        f"Over {len(spread.seeds):,} seeds of its training, R of {spread.model} is {_risks(spread)}, a range "
        f"of {number(spread.range)}"
    )
    if size <= spread.range:
        return (
            f"{known}: the difference of {number(size)} is no larger, and another seed of {spread.model} "
            "alone changes R by as much."
        )
    than = "but not" if size <= spread.bound else "and larger"
    return (
        f"{known}: the difference of {number(size)} is larger, {than} than the {number(spread.bound)} by "
        f"which, going by so few seeds, two trainings of {spread.model} may differ "
        f"({percent(spread.level)}). What another seed of {other} changes is not in that."
    )


def _risks(spread: SeedSpread) -> str:
    return listed([number(risk) for risk in spread.risks])


def _or(spread: SeedSpread) -> str:
    return listed([str(seed) for seed in spread.seeds], "or")

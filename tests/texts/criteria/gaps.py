"""The widest difference of a rate between some pronouns, max − min, from its differences."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.texts.criteria.records.separation import AnswersReport, RateDifference


def gap_of(report: AnswersReport, name: str, pronouns: Sequence[str] = ("he", "she")) -> RateDifference:
    """That of the largest size; one that is undefined where all are."""
    found = [
        each for each in report.differences if each.name == name and {each.first, each.second} <= {*pronouns}
    ]
    return max(found, key=lambda each: -1.0 if each.gap is None else each.gap)

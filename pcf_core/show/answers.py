"""The one sentence with which Tilt and Heat map answer: whom a model favours, where most, and how often."""

from __future__ import annotations

from collections.abc import Mapping

from numpy.typing import ArrayLike

from pcf_core.core.risk import RiskReport
from pcf_core.core.run import Preferences
from pcf_core.show.findings.occupations import NEARLY_ALL, largest_shares
from pcf_core.show.wording import sentences

NAMED = 2  # models in a sentence; of more the picture tells

say = sentences("page_answers")


def farthest_answer(reports: Mapping[str, RiskReport]) -> str:
    """Say for which occupation each of two models at the most is farthest from even, and towards whom.

    ``reports``: against an even split; empty where nothing leans; those whose figures say little are
    passed over.
    """
    parts = []
    telling = [(model, report) for model, report in reports.items() if not report.says_little]
    for model, report in telling[:NAMED]:
        lean, group, occupation = max(
            (tilt, group, row.occupation)
            for row in report.occupations
            for group, tilt in row.stereotype.items()
        )
        if lean > 0:
            parts.append(say("farthest", model=model, group=group, occupation=occupation))
    return say("each_farthest", told=parts) if parts else ""


def heat_map_answer(model: str, preferences: Preferences, template_weights: ArrayLike) -> str:
    """Say in how many occupations a model expects the same group in every sentence, or in nearly every one.

    Parameters
    ----------
    model
        Its name.
    preferences
        [occupation, template, group]; cells that are not known yet are NaN and do not count.
    template_weights
        [template], by which sentences count; those without weight are left out.
    """
    shares = largest_shares(preferences.values, template_weights)
    steady = [share for share in shares if share >= NEARLY_ALL]
    every = all(share == 1 for share in steady)
    return say("same_group", model=model, same=len(steady), occupations=len(shares), every=every)

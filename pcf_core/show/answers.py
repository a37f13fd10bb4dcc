"""The one sentence with which Tilt and Heat map answer: whom a model favours, where most, and how often."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.risk import RiskReport
from pcf_core.core.run import Preferences
from pcf_core.show.findings.numbers import people
from pcf_core.show.findings.occupations import NONE
from pcf_core.show.findings.occupations import leading as leaders_of

NAMED = 2  # models in a sentence; of more the picture tells


def farthest_answer(reports: Mapping[str, RiskReport]) -> str:
    """Say for which occupation each of two models at the most is farthest from even, and towards whom.

    ``reports``: against an even split; empty where nothing leans.
    """
    parts = []
    for model, report in list(reports.items())[:NAMED]:
        lean, group, occupation = max(
            (tilt, group, row.occupation)
            for row in report.occupations
            for group, tilt in row.stereotype.items()
        )
        if lean > 0:
            parts.append(f"{model} favours {people(group)} most for {occupation}")
    return f"{'; '.join(parts)}." if parts else ""


def heat_map_answer(model: str, preferences: Preferences, template_weights: ArrayLike) -> str:
    """Say in how many occupations a model expects the same group in every sentence.

    Parameters
    ----------
    model
        Its name.
    preferences
        [occupation, template, group]; cells that are not known yet are NaN and do not count.
    template_weights
        [template]; templates without weight are left out.
    """
    leaders = leaders_of(preferences.values[:, np.asarray(template_weights) > 0])
    same = sum(len(set(row[row != NONE].tolist())) < 2 for row in leaders)
    total = len(leaders)
    if same == total:
        return f"For all {total:,} occupations {model} expects the same group in every sentence."
    if not same:
        return f"For all {total:,} occupations the sentence decides whom {model} expects."
    return (
        f"For {same:,} of {total:,} occupations {model} expects the same group in every sentence; for the "
        "others the sentence decides."
    )

"""A run of a calibration model held against what was planted in it."""

from __future__ import annotations

from datetime import datetime

import numpy as np

from pcf_core.errors import RunError
from pcf_core.records import Preferences, RiskReport
from pcf_core.records.calibration import QUANTITIES, Calibration, Planted


def held_against(
    planted: Planted, preferences: Preferences, report: RiskReport, written: datetime, version: str
) -> Calibration:
    """How far a measurement is from the truth.

    Args:
        preferences: of the run, every occupation and context of the truth.
        report: of the same run under the default view options, in which the planted risks are stated.
        written: when the results were.
        version: of the app that scored it, empty where that was not kept.

    Raises:
        RunError: the run has other groups, occupations or contexts than the truth.
    """
    axes = (preferences.groups, preferences.occupations, preferences.templates)
    if axes != (planted.groups, planted.occupations, planted.contexts):
        raise RunError(
            f"The run does not ask what was planted in {planted.model}: its groups, things and contexts must "
            f"be those of the shipped topic {planted.topic}; restore the shipped lists and score it again."
        )
    off = np.abs(preferences.values - np.array(planted.values)).max(axis=-1)
    row, column = np.unravel_index(off.argmax(), off.shape)
    return Calibration(
        planted=planted,
        measured={name: float(getattr(report, name)) for name in QUANTITIES},
        largest=float(off.max()),
        occupation=planted.occupations[row],
        context=planted.contexts[column],
        written=written,
        version=version,
    )

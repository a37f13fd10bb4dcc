"""Facts that a model knows, made up."""

from __future__ import annotations

import numpy as np

from pcf_core.core.knowledge import FactKnowledge
from pcf_core.core.risk import Interval


def fact(subject: str, knowledge: float, gap: float, elsewhere: float | None = 0.4) -> FactKnowledge:
    return FactKnowledge(
        subject=subject,
        right=("<b>star</b>",),
        wrong=("moon",),
        weight=1.0,
        probabilities=np.array([knowledge**2]),
        mean_probability=knowledge**2,
        knowledge=knowledge,
        mean_score=knowledge - gap,
        confidence_gap=gap,
        chance=0.5,
        elsewhere=elsewhere,
        interval=Interval(low=0.1, high=0.9),
    )

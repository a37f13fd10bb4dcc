"""Statistics: how sure a number is, and how risk is distributed over occupations.

``bootstrap``: intervals by resampling templates.  ``draws``: estimates from templates that were drawn,
``looks``: when they are looked at, ``corrected``: prejudice without the bias of a sample (all numpy).
``tails``: the shape of caprice and prejudice over occupations, ``ranks``: whether two weightings put the same
first (both scipy, imported where it is used, so that importing this room stays quick).

Layer: numpy, scipy, statsmodels, records, errors and the room ``risk``.
"""

from pcf_core.stats.bootstrap import (
    RiskIntervals,
    effective_number,
    preference_difference,
    rough,
    template_bootstrap,
)
from pcf_core.stats.corrected import corrected_prejudice
from pcf_core.stats.draws import DrawnRisk, draw_templates, drawn_risk
from pcf_core.stats.looks import LEVEL, NARROWEST, WIDEST, Looks, looks
from pcf_core.stats.ranks import RankCorrelation, rank_correlation
from pcf_core.stats.tails import CapriceTail, NormalFit, caprice_tail, normal_fit

__all__ = [
    "LEVEL",
    "NARROWEST",
    "WIDEST",
    "CapriceTail",
    "DrawnRisk",
    "Looks",
    "NormalFit",
    "RankCorrelation",
    "RiskIntervals",
    "caprice_tail",
    "corrected_prejudice",
    "draw_templates",
    "drawn_risk",
    "effective_number",
    "looks",
    "normal_fit",
    "preference_difference",
    "rank_correlation",
    "rough",
    "template_bootstrap",
]

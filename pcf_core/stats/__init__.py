"""Statistics: how sure a number is, and how risk is distributed over occupations.

``bootstrap``: intervals by resampling templates (numpy).  ``tails``: the shape of caprice and prejudice over
occupations (scipy, imported where it is used, so that importing this room stays quick).

Layer: numpy, scipy, statsmodels, records, errors and the room ``risk``.
"""

from pcf_core.stats.bootstrap import (
    BootstrapResult,
    effective_number,
    preference_difference,
    rough,
    template_bootstrap,
)
from pcf_core.stats.tails import CapriceTail, NormalFit, caprice_tail, normal_fit

__all__ = [
    "BootstrapResult",
    "CapriceTail",
    "NormalFit",
    "caprice_tail",
    "effective_number",
    "normal_fit",
    "preference_difference",
    "rough",
    "template_bootstrap",
]

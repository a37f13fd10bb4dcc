"""Statistics: how sure a number is, and how risk is distributed over occupations.

``bootstrap``: intervals by resampling templates (numpy).  ``tails``: the shape of caprice and prejudice over
occupations (scipy; imported from its own file, so that this package stays light).

Layer: numpy, scipy, statsmodels, records, errors and the room ``risk``.
"""

from pcf_core.stats.bootstrap import (
    BootstrapResult,
    effective_number,
    preference_difference,
    rough,
    template_bootstrap,
)

__all__ = [
    "BootstrapResult",
    "effective_number",
    "preference_difference",
    "rough",
    "template_bootstrap",
]

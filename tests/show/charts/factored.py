"""A panel of the tab Factors, with numbers that can be checked by eye."""

from __future__ import annotations

import numpy as np

from pcf_core.audit.factors import WAGE
from pcf_core.core.factors import Carrier, FactorPanel, FactorPoint, LineFit
from pcf_core.core.risk import Interval


def line(slope: float = 0.01) -> LineFit:
    """Risk = 0.2 + slope · x between 1 and 3, with a band of ± 0.05."""
    x = np.linspace(1, 3, 5)
    mean = 0.2 + slope * x
    return LineFit(
        n=30,
        effective_n=12.0,
        intercept=0.2,
        slope=slope,
        slope_error=0.002,
        interval=Interval(low=slope - 0.004, high=slope + 0.004),
        p_value=0.004,
        adjusted_p=0.02,
        r_squared=0.2,
        x=x,
        mean=mean,
        low=mean - 0.05,
        high=mean + 0.05,
        carrier=Carrier("Bakers", 0.1, slope, Interval(low=slope - 0.004, high=slope + 0.004)),
        occupation_error=0.002,
        template_error=0.0,
        known_interval=Interval(low=slope - 0.004, high=slope + 0.004),
    )


def panel_example() -> FactorPanel:
    """Three points, one without a weight, one at the end of the statistics."""
    return FactorPanel(
        scale=WAGE,
        quantity="overall_risk",
        points=(
            FactorPoint("Lawyers", ("attorney", "lawyer"), 100.0, 0.5, 400.0),
            FactorPoint("Bakers", ("baker",), 30.0, 0.2, 100.0),
            FactorPoint("Surgeons", ("surgeon",), 208.0, 0.8, None, at_least=True),
        ),
        ols=line(),
        wls=line(0.02),
    )

"""Risk: from preferences to stereotypes to r = r^p + r^c, and the reference models to read it against.

    preferences p -> stereotypes s -> J -> r_x = E J(p), r_x^p = J(E p), r_x^c = r_x - r_x^p -> R = R^p + R^c

Axes are ``occupation`` (the evidence X), ``template`` (the context C) and ``group`` (the topic Y).

Layer: numpy, records and errors; nothing else of the core.
"""

from pcf_core.risk.criterion import Criterion
from pcf_core.risk.decomposition import Decomposition, RiskTotal, decompose, jensen_gap, total
from pcf_core.risk.published_scripts import RACE_LEAST_COUNT, Script, script_risks
from pcf_core.risk.reference_models import REFERENCE_MODELS, balanced, draw, reference_risks
from pcf_core.risk.toy import criterion_curve, older_bias, older_deviation, simplex_risk, toy_risk, two_models
from pcf_core.risk.validation import checked_preferences, normalised

__all__ = [
    "RACE_LEAST_COUNT",
    "REFERENCE_MODELS",
    "Criterion",
    "Decomposition",
    "RiskTotal",
    "Script",
    "balanced",
    "checked_preferences",
    "criterion_curve",
    "decompose",
    "draw",
    "jensen_gap",
    "normalised",
    "older_bias",
    "older_deviation",
    "reference_risks",
    "script_risks",
    "simplex_risk",
    "total",
    "toy_risk",
    "two_models",
]

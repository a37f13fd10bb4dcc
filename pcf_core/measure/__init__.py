"""Compute risk from preferences, with uncertainty.

    preferences p -> stereotypes s -> J -> r_x = E J(p), r_x^p = J(E p), r_x^c = r_x - r_x^p -> R = R^p + R^c

scipy and statsmodels are imported where they are used, so that importing the package stays quick.

Layer: imports ``core``.
"""

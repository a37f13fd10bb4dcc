"""From preferences to risk, and how sure each number is.

    preferences p -> stereotypes s -> J -> r_x = E J(p), r_x^p = J(E p), r_x^c = r_x - r_x^p -> R = R^p + R^c

``criterion`` and ``decomposition`` are numpy alone, as are ``resampling`` and ``bootstrap`` (intervals over
templates, occupations and both).  What needs scipy or statsmodels imports it where it is used, so that
importing the package stays quick.

Layer: imports ``core``.
"""

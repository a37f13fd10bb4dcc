"""Sentences about runs with a sampling plan: what was found after so many draws."""

from __future__ import annotations

from pcf_core.core.risk import Look
from pcf_core.show.findings.numbers import count, number, with_interval


def look_finding(look: Look) -> str:
    """State R with its interval after so many draws, its two parts, and how far the goal is."""
    risk, prejudice, caprice = (
        with_interval(look.estimates[name], look.intervals[name])
        for name in ("overall_risk", "prejudice_risk", "caprice_risk")
    )
    found = f"R {risk} after {count(look.draws, 'draw')}; prejudice {prejudice}, caprice {caprice}"
    if look.whole:
        return f"{found}; all {count(look.available, 'template')} were drawn, nothing is estimated."
    return f"{found}; the widest interval is ± {number(look.half_width)}, the goal ± {number(look.within)}."


def contexts(templates: int, look: Look | None) -> str:
    """Count the templates of a number: "19 templates", "400 draws of 212 out of 2,000 templates"."""
    if look is None or look.whole:
        return count(templates, "template")
    return f"{count(look.draws, 'draw')} of {look.templates:,} out of {count(look.available, 'template')}"

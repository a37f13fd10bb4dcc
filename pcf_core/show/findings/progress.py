"""How far a run is that is being scored, and what was found after so many draws of a sampling plan."""

from __future__ import annotations

from pcf_core.core.risk import Look, RiskReport
from pcf_core.core.run import Progress
from pcf_core.show.findings.numbers import count, digits, with_interval


def progress_note(at: Progress) -> str:
    """Say what a run is at, how far that is, how fast and how long still."""
    of = f"{at.done + at.unsaved:,} of {at.total:,}"
    if at.stage == "loading":
        parts = ["loading the model"]
    elif at.stage == "scoring":
        unsaved = f", {at.unsaved:,} not yet saved" if at.unsaved else ""
        parts = [f"{of} cells{unsaved}"]
        parts += [f"{at.rate:,.0f} a second"] if at.rate else []
    elif at.stage == "writing":
        parts = [f"writing the result, {of} cells"]
    else:
        parts = [f"checking cells, {of}"]
    parts += [] if at.seconds_left is None else [f"{duration(at.seconds_left)} left"]
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """Write seconds, minutes or hours, in words short enough for a progress line."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def look_finding(look: Look) -> str:
    """State R with its interval after so many draws, its two parts, and how far the goal is."""
    risk, prejudice, caprice = (
        with_interval(look.estimates[name], look.intervals[name])
        for name in ("overall_risk", "prejudice_risk", "caprice_risk")
    )
    parts = f"Prejudice is {prejudice} and caprice {caprice}."
    found = f"The risk is {risk} after {count(look.draws, 'draw')}. {parts}"
    if look.whole:
        return f"{found} All {count(look.available, 'template')} were drawn, so nothing is estimated."
    return f"{found} The widest range is ± {digits(look.half_width)}, the goal ± {digits(look.within)}."


def contexts(templates: int, look: Look | None) -> str:
    """Count the templates of a number: "19 templates", "400 draws of 212 out of 2,000 templates"."""
    if look is None or look.whole:
        return count(templates, "template")
    return f"{count(look.draws, 'draw')} of {look.templates:,} out of {count(look.available, 'template')}"


def unequal_weights(report: RiskReport) -> str:
    """Say that a few sentences carry most of the weight, to be added to their count; empty where none do."""
    few = report.effective_templates < len(report.templates) / 2
    return ". The commonest sentences weigh most." if few else ""


def weights_help(effective: str) -> str:
    """Say what follows for the reader where the commonest sentences weigh most.

    ``effective``: as many sentences of one weight would be as sure, as a text.
    """
    return (
        "A sentence weighs as much as people write it, so a few common ones decide most of each figure. The "
        f"figures are as sure as those of {effective} equal sentences, and the ranges allow for that."
    )

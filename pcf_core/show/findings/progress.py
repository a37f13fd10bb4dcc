"""How far a run is that is being scored, and what was found after so many draws of a sampling plan."""

from __future__ import annotations

from pcf_core.core.risk import Look, RiskReport
from pcf_core.core.run import Progress
from pcf_core.show.findings.numbers import count
from pcf_core.show.wording import sentences

say = sentences("progress")


def progress_note(at: Progress) -> str:
    """Say what a run is at, how far that is, how fast and how long still."""
    left = "" if at.seconds_left is None else duration(at.seconds_left)
    return say("progress", at=at, done=at.done + at.unsaved, left=left)


def duration(seconds: float) -> str:
    """Write seconds, minutes or hours, in words short enough for a progress line."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def look_finding(look: Look) -> str:
    """State R with its interval after so many draws, its two parts, and how far the goal is."""
    return say("look", look=look)


def contexts(templates: int, look: Look | None) -> str:
    """Count the templates of a number: "19 templates", "400 draws of 212 out of 2,000 templates"."""
    if look is None or look.whole:
        return count(templates, "template")
    return say("draws", look=look)


def unequal_weights(report: RiskReport) -> str:
    """Say that a few sentences carry most of the weight, to be added to their count; empty where none do."""
    few = report.effective_templates < len(report.templates) / 2
    return say("few_weigh_most") if few else ""


def weights_help(effective: str) -> str:
    """Say what follows for the reader where the commonest sentences weigh most.

    ``effective``: as many sentences of one weight would be as sure, as a text.
    """
    return say("weights", effective=effective)

"""How far a run is that is being scored, as a line."""

from __future__ import annotations

from pcf_core.core.run import Progress


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

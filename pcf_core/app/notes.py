"""What has to be known before a page's numbers are believed: few templates, and what intervals allow for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from pcf_core.app.data import Loaded, whole_template_intervals
from pcf_core.app.text import plain
from pcf_core.core.risk import RiskReport
from pcf_core.report.notes import interval_notes, warnings_of
from pcf_core.show.findings.models import whole_templates_finding

EQUAL_WEIGHTS = (
    "Equal template weights are one of the reading options in the sidebar, as is what is resampled."
)


def notes(
    loaded: Loaded, intervals: Sequence[str] | None = None, reports: Mapping[str, RiskReport] | None = None
) -> None:
    """Draw notes for every page: few effective templates, occupations left out, what intervals allow for.

    Parameters
    ----------
    loaded
        What the page shows.
    intervals
        What its intervals allow for; ``None``: they are those of the risks, empty: it shows none.
    reports
        Those it shows, where they are not the loaded ones.
    """
    reports = loaded.reports if reports is None else reports
    report = loaded.first.report
    said = [*warnings_of(reports), *(said_intervals(loaded) if intervals is None else intervals)]
    if report.effective_templates < len(report.templates) - 0.5:
        said.append(EQUAL_WEIGHTS)
    if said:  # one paragraph: the picture that they are about is not far below
        st.caption("  \n".join(plain(sentence) for sentence in said))


def said_intervals(loaded: Loaded, of: str = "") -> list[str]:
    """Say what the intervals of the loaded runs allow for, each kind once; ``of`` names these figures."""
    return interval_notes(loaded.reports, loaded.over, of)


def said_intervals_and_more(loaded: Loaded) -> list[str]:
    """Say the same; where documents are resampled, also the intervals of R over whole templates."""
    more = whole_templates_finding(whole_template_intervals(loaded))
    return [*said_intervals(loaded), *([more] if more else [])]

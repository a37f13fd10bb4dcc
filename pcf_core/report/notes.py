"""What has to be known before the numbers of a study are believed."""

from __future__ import annotations

from collections.abc import Mapping

from pcf_core.core.risk import Over, RiskReport
from pcf_core.report.loaded import Study
from pcf_core.show.findings.models import interval_sentence, whole_templates_finding
from pcf_core.show.findings.notes import low_coverage_note, noun_note, warning_text


def study_notes(study: Study, of: str = "") -> list[str]:
    """Return what fills [X], warnings with whose they are, what intervals allow for; ``of`` names figures."""
    return [
        noun_note(study.first.run),
        instead_note(study),
        low_coverage_note({name: report.coverage for name, report in study.reports.items()}),
        *warnings_of(study.reports),
        *interval_notes(study.reports, study.over, of),
        whole_templates_finding(study.whole_templates),
    ]


def instead_note(study: Study) -> str:
    """Say that the neutral point asked for does not apply to a study; empty where it does."""
    if not study.instead:
        return ""
    return (
        "The labour force's shares of women and men, the neutral point asked for, do not apply to "
        f"{study.title}: its figures are held against an even split."
    )


def warnings_of(reports: Mapping[str, RiskReport]) -> list[str]:
    """Collect the warnings of several reports, each once, naming whose it is unless it is that of all."""
    said = {
        name: [warning_text(sentence, report.coverage) for sentence in report.warnings]
        for name, report in reports.items()
    }
    found = []
    for sentence in dict.fromkeys(sentence for several in said.values() for sentence in several):
        whose = [name for name, several in said.items() if sentence in several]
        found.append(sentence if len(whose) == len(reports) else f"{', '.join(whose)}: {sentence}")
    return found


def interval_notes(reports: Mapping[str, RiskReport], over: Over, of: str = "") -> list[str]:
    """Return what the intervals of the risks allow for, each kind once; ``of`` names these figures."""
    found = (
        report.interval("overall_risk", over) or report.interval("overall_risk")
        for report in reports.values()
    )
    return list(dict.fromkeys(interval_sentence(interval, of) for interval in found if interval))

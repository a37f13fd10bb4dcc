"""What was tested, and what may not be concluded from it, for the two pages."""

from __future__ import annotations

from pcf_core.material.suiting import rotates_groups
from pcf_core.report.answer import all_named
from pcf_core.report.loaded import NOT_SURE, Study, precision_text
from pcf_core.report.panels import said
from pcf_core.report.records import ReportPart
from pcf_core.report.sections.heat_map import example_cell
from pcf_core.show.findings.notes import sentences_of, unequal_weights
from pcf_core.show.findings.numbers import begun, count
from pcf_core.show.findings.tested import (
    all_left_out,
    example_note,
    full_audit_note,
    order_note,
    precision_note,
    source_note,
    tested_finding,
)
from pcf_core.show.names import set_title, worded

CONCLUDE = (
    *NOT_SURE,
    "No cause is measured: these figures do not say where a preference comes from.",
)


def tested_parts(study: Study) -> list[ReportPart]:
    """Write which models were tested on which topic, with how many sentences, and an example."""
    run, report = study.first.run, study.first.report
    occupations, sentences = len(report.occupations), len(report.templates)
    cell, shares = example_cell(study.reliable if study.reliable.runs else study)
    return [
        ReportPart(
            findings=said(
                [
                    _joined(
                        tested_finding(
                            list(study.runs),
                            run.topic.title,
                            count(occupations, run.evidence.noun),
                            sentences_of(sentences, set_title(run.templates), report.sampling),
                            occupations * sentences,
                        ),
                        precision_note(precision_text(report)) if unequal_weights(report) else "",
                    ),
                    example_note(
                        study.groups,
                        begun(worded(cell.replace("[Y]", "…")), run.topic.language),
                        {name: shares[name] for name in study.reliable.runs if name in shares},
                        decides=run.topic.decides,
                    ),
                    _joined(
                        source_note(run.templates.source),
                        order_note(rotated=rotates_groups(run.topic, run.templates.texts))
                        if study.remember(all_named)
                        else "",
                        all_left_out(study.reports.values()),
                        full_audit_note(),
                    ),
                ]
            )
        )
    ]


def _joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def conclude_parts() -> list[ReportPart]:
    """Write what may not be concluded from the figures."""
    return [ReportPart(notes=CONCLUDE)]

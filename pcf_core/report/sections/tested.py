"""What was tested, and what may not be concluded from it: what stands beside the answer of a report."""

from __future__ import annotations

from pcf_core.report.loaded import NOT_SURE, Study
from pcf_core.report.records import ReportPart
from pcf_core.report.sections.heat_map import example_cell
from pcf_core.show.findings.notes import sentences_of
from pcf_core.show.findings.numbers import begun, count, listed, words_of

CONCLUDE = (
    *NOT_SURE,
    "No cause is measured: neither the training text nor the labour market is shown to cause a preference.",
)


def tested_parts(study: Study) -> list[ReportPart]:
    """Write which models were tested on which topic, with how many sentences, and what is compared."""
    run, report = study.first.run, study.first.report
    occupations, sentences = len(report.occupations), len(report.templates)
    cell, _ = example_cell(study)
    example = begun(cell.replace("[Y]", "…"), run.topic.language)
    were = "was" if len(study.runs) == 1 else "were"
    return [
        ReportPart(
            findings=(
                f"{listed(list(study.runs))} {were} tested on the topic “{run.topic.title}”: "
                f"{count(occupations, run.evidence.noun)} in "
                f"{sentences_of(sentences, run.templates.title, report.sampling)}, "
                f"together {count(occupations * sentences, 'test sentence')}.",
                f"One of them is “{example}”. We compare how likely a model finds "
                f"{listed([words_of(group) for group in study.groups])} in the gap.",
            )
        )
    ]


def conclude_parts() -> list[ReportPart]:
    """Write what nobody may conclude from the figures."""
    return [ReportPart(notes=CONCLUDE)]

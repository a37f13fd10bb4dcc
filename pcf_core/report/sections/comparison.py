"""The comparison of two models on the same prompts, and whether they differ beyond chance."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.core.risk import Comparison
from pcf_core.report import how_to_read
from pcf_core.report.comparison import comparison_table, several_table
from pcf_core.report.loaded import Study
from pcf_core.report.parts import figure_of, said, table_of
from pcf_core.report.records import ReportPart
from pcf_core.show.charts.comparison import difference_plot
from pcf_core.show.findings.comparison import difference_finding, occupations_difference_finding

MOST_DRAWN = 30
MOST_PAIRS = 6  # drawn one by one; beyond, the table of all is enough


def comparison_parts(study: Study) -> Sequence[ReportPart]:
    """Compare every pair of up to four models, else the first with each; p-values are controlled.

    The control is over the pairs.
    """
    found, refused = study.comparisons
    if not found:
        return [ReportPart(notes=refused)] if refused else []
    parts = []
    if len(found) > 1:
        parts.append(
            ReportPart(
                findings=said(difference_finding(one, over=study.over) for one in found),
                tables=(
                    table_of(several_table(found, study.over), "comparisons", "All pairs", folded=False),
                ),
                notes=("P values called controlled are so for all pairs of a quantity (Holm).", *refused),
            )
        )
    return [*parts, *(pair_part(one, study) for one in found[:MOST_PAIRS])]


def pair_part(found: Comparison, study: Study) -> ReportPart:
    """Write one pair: the totals in sentences, the occupations as a picture."""
    first, second = found.first.name, found.second.name
    order = [item.key for item in study.runs.values()]
    most = min(MOST_DRAWN, len(found.occupations))
    return ReportPart(
        title=f"{first} − {second}",
        findings=said(
            [
                difference_finding(found, over=study.over),
                difference_finding(found, "prejudice_risk", study.over),
                difference_finding(found, "caprice_risk", study.over),
                occupations_difference_finding(found),
            ]
        ),
        figure=figure_of(
            difference_plot(found, "overall_risk", most, order),
            "comparison",
            f"Sorted differences of the occupations of {first} and {second} with their intervals",
            source=study.source,
            title="Difference in each occupation, largest first",
        ),
        how=how_to_read.DIFFERENCES + how_to_read.COMPARISON,
        tables=(
            table_of(
                comparison_table(found, study.over), "comparison", f"{first} − {second}, every occupation"
            ),
        ),
        notes=said(
            [
                f"The {most:,} largest differences of {len(found.occupations):,} occupations."
                if most < len(found.occupations)
                else "",
                *found.warnings,
            ]
        ),
    )

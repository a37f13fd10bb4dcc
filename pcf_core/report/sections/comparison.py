"""The comparison of two models on the same prompts, and whether they differ beyond chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from pcf_core.audit.baseline import OtherScales, order_on_other_scales
from pcf_core.audit.results import Read, load_result
from pcf_core.core.risk import Comparison, NeutralComparison
from pcf_core.material.numbers import load_numbers
from pcf_core.report import how_to_read
from pcf_core.report.documents import RISKS, comparison_table, neutral_table, several_table
from pcf_core.report.loaded import Runs, Study
from pcf_core.report.panels import Panel, part_of, said, table_of
from pcf_core.report.records import ReportPart
from pcf_core.show.charts.comparison import difference_plot
from pcf_core.show.compare import neutral_answer
from pcf_core.show.findings.comparison import difference_finding, occupations_difference_finding
from pcf_core.show.findings.reliability import seldom_caprice_note
from pcf_core.store.store import Store

MOST_DRAWN = 30
MOST_PAIRS = 6  # drawn one by one; beyond, the table of all is enough


def comparison_parts(study: Study) -> Sequence[ReportPart]:
    """Compare every pair of up to four models, else the first with each; p-values are controlled for them."""
    made, refused = study.comparisons
    if not made:
        return [ReportPart(notes=refused)] if refused else []
    parts = []
    if len(made) > 1:
        parts.append(
            ReportPart(
                findings=said(difference_finding(one, over=study.over) for one in made),
                tables=(table_of(several_table(made, study.over), "comparisons", "All pairs", folded=False),),
                notes=("P values called controlled are so for all pairs of a quantity (Holm).", *refused),
            )
        )
    return [*parts, *(part_of(whole_pair_panel(study, one)) for one in made[:MOST_PAIRS])]


def pair_panel(
    runs: Runs, compared: Comparison, quantity: str = "overall_risk", most: int = MOST_DRAWN
) -> Panel:
    """Show how two models differ in a part of the risk of the occupations where that is the most."""
    first, second = compared.first.name, compared.second.name
    order, every = list(runs.runs), len(compared.occupations)
    return Panel(
        title=f"{first} − {second}",
        findings=[occupations_difference_finding(compared, quantity)],
        heading="Difference in each occupation, largest first",
        source=runs.source,
        key="difference_plot",
        name="comparison",
        alt=f"Sorted differences of the occupations of {first} and {second} with their intervals",
        chart=partial(difference_plot, compared, quantity, most, order),
        how=how_to_read.DIFFERENCES,
        table=lambda: comparison_table(compared, runs.over),
        table_title=f"{first} − {second}, every occupation",
        notes=[f"The {most:,} largest differences of {every:,} occupations."] if most < every else [],
    )


def whole_pair_panel(study: Study, compared: Comparison) -> Panel:
    """Show one pair: the totals in sentences, the occupations as a picture."""
    panel = pair_panel(study, compared)
    totals = [difference_finding(compared, quantity, study.over) for quantity in RISKS]
    return replace(
        panel,
        findings=[*totals, *panel.findings],
        how=panel.how + how_to_read.COMPARISON,
        notes=[*panel.notes, *compared.warnings],
    )


def pair_notes(compared: Comparison) -> list[str]:
    """Return what has to be known of a comparison beside the caveats of its runs; some may be empty."""
    names = compared.first.name, compared.second.name
    own = [sentence for sentence in compared.warnings if sentence.partition(": ")[0] not in names]
    return [*own, seldom_caprice_note(load_numbers(), compared.differences["caprice_risk"])]


# The same two models where it is another thing than an even split that they are held against.


def scales_of(runs: Runs, names: tuple[str, str], store: Store, read: Read = load_result) -> OtherScales:
    """Compare two of the models on other scales than R against an even split."""
    first, second = (runs.runs[name].reading(runs.options) for name in names)
    return order_on_other_scales(store, first, second, runs.options, read)


def neutral_panel(names: tuple[str, str], compared: NeutralComparison) -> Panel:
    """Show both models against their own neutral subjects, and what depends on a single one of these."""
    return Panel(
        title="Compared with how each model treats people whose occupation is not named",
        findings=[neutral_answer(names, compared)],
        name="neutral",
        how=how_to_read.NEUTRAL,
        table=lambda: neutral_table(names, compared),
        table_title="Distance from neutral subjects, and of occupations from each other",
    )

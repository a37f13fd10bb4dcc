"""What a regulation asks for, and which sections of this report are evidence of it."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.material.mappings import RegulationMapping, Requirement, load_mapping
from pcf_core.report.records import ReportPart, ReportSection, ReportTable, RunFacts

NO_EVIDENCE = "none"
KEY_DIGITS = 8
COLUMNS = ("reference", "asks for", "evidence here", "strength", "what you add", "limit")


def mapping_parts(
    names: Sequence[str], sections: Sequence[ReportSection], facts: Sequence[RunFacts]
) -> list[ReportPart]:
    """Write each mapping with the sections that are evidence; ``facts``: of the results behind them."""
    return [_part(load_mapping(name), sections, facts) for name in names]


def _part(
    mapping: RegulationMapping, sections: Sequence[ReportSection], facts: Sequence[RunFacts]
) -> ReportPart:
    titles = {section.name: section.title for section in sections}
    results = ", ".join(one.run[:KEY_DIGITS] for one in facts)
    rows = tuple(
        _row(mapping, row, [titles[name] for name in row.evidence if name in titles], results)
        for row in mapping.rows
    )
    table = ReportTable(
        name=f"mapping-{mapping.name}", title=mapping.title, columns=COLUMNS, rows=rows, folded=False
    )
    return ReportPart(
        title=mapping.title,
        prose=(mapping.notes,),
        tables=(table,),
        notes=(
            f"Source: {mapping.source}. {mapping.checked}".strip(),
            "The official text decides; the rows are in our words.",
        ),
    )


def _row(
    mapping: RegulationMapping, row: Requirement, evidence: Sequence[str], results: str
) -> tuple[str, ...]:
    held = f"{'; '.join(evidence)} (results {results})" if evidence else NO_EVIDENCE
    return (mapping.cited(row), row.asks, held, row.strength if evidence else "none", row.missing, row.limit)

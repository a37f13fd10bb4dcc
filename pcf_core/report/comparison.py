"""A paired comparison as a JSON document (schema in docs/cli.md) and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pcf_core.audit.elsewhere import OtherSentences
from pcf_core.core.risk import Comparison, Difference, Interval, Over
from pcf_core.report.documents import finite
from pcf_core.show.findings.comparison import verdict_text

if TYPE_CHECKING:  # a third of a command's start, and most write no table
    import pandas as pd

RISKS = {"overall_risk": "Risk R", "prejudice_risk": "Prejudice", "caprice_risk": "Caprice"}


def comparison_document(comparison: Comparison, others: Sequence[OtherSentences] = ()) -> dict[str, Any]:
    """Return plain dictionaries, lists, numbers and texts, the shape of ``compare RUN RUN --json``.

    ``others``: the same two models in other sentences.
    """
    document = {
        "first": asdict(comparison.first),
        "second": asdict(comparison.second),
        "differences": differences_document(comparison.differences),
        "permutations": asdict(comparison.permutations),
        "templates": len(comparison.templates),
        "effective_templates": comparison.effective_templates,
        "criterion": comparison.criterion,
        "groups": list(comparison.groups),
        "occupations": [
            {
                "occupation": row.occupation,
                "weight": row.weight,
                "differences": differences_document(row.differences),
            }
            for row in comparison.occupations
        ],
        "left_out": [item.model_dump() for item in comparison.left_out],
        "warnings": list(comparison.warnings),
        "elsewhere": [
            {
                "templates": other.runs[0].templates.name,
                "runs": [run.key for run in other.runs],
                "says_little": list(other.little),
                **differences_document({"overall_risk": other.risk}),
            }
            for other in others
        ],
    }
    return finite(document)  # type: ignore[no-any-return]


def differences_document(differences: Mapping[str, Difference]) -> dict[str, Any]:
    """Return each difference by quantity, with its intervals and tests."""
    return {
        name: {
            "first": found.first,
            "second": found.second,
            "difference": found.value,
            "intervals": [interval.model_dump() for interval in found.intervals],
            "p_value": found.p_value,
            "adjusted_p_value": found.adjusted,
            "verdict": found.verdict,
            "margin": found.margin,
            "negligible": found.negligible,
            "ordered": found.ordered,
        }
        for name, found in differences.items()
    }


def comparison_table(comparison: Comparison, over: Over) -> pd.DataFrame:
    """Make a table with one row per quantity and occupation, the totals first (with no occupation).

    The interval is that over what is asked for, else that over templates, as an occupation has no other;
    the column ``over`` says which it is.
    """
    import pandas as pd

    rows = [("", 1.0, comparison.differences)]
    rows += [(row.occupation, row.weight, row.differences) for row in comparison.occupations]
    return pd.DataFrame(
        [
            {
                "occupation": occupation,
                "weight": weight,
                "quantity": name,
                f"first: {comparison.first.name}": found.first,
                f"second: {comparison.second.name}": found.second,
                "difference": found.value,
                **interval_cells(found.interval(over) or found.interval()),
                "p_value": found.p_value,
                "adjusted_p_value": found.adjusted,
                "verdict": found.verdict,
                "negligible": found.negligible,
                "ordered": found.ordered,
            }
            for occupation, weight, differences in rows
            for name, found in differences.items()
        ]
    )


def interval_cells(interval: Interval | None) -> dict[str, object]:
    """Return the ends of an interval and what it is over; nothing where there is none."""
    if interval is None:
        return {"low": None, "high": None, "over": None}
    return {"low": interval.low, "high": interval.high, "over": interval.over}


def several_table(comparisons: Sequence[Comparison], over: Over) -> pd.DataFrame:
    """Make a table with one row per quantity of each comparison, with the interval over what is asked for."""
    import pandas as pd

    return pd.DataFrame(
        [
            several_row(comparison, name, comparison.differences[name], over)
            for comparison in comparisons
            for name in RISKS
        ]
    )


def several_row(comparison: Comparison, name: str, found: Difference, over: Over) -> dict[str, object]:
    """Make the row of one quantity of a comparison."""
    first, second = comparison.first.name, comparison.second.name
    return {
        "first": first,
        "second": second,
        "quantity": RISKS[name],
        "first_value": found.first,
        "second_value": found.second,
        "difference": found.value,
        **interval_cells(found.interval(over)),
        "p_value": found.p_value,
        "adjusted_p_value": found.adjusted,
        "verdict": verdict_text(found, first, second),
    }

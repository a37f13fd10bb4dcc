"""The facts of knowledge reports: in which order they are drawn, and as a table."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pcf_core.core.knowledge import FactKnowledge, KnowledgeReport


def ordered(report: KnowledgeReport, order: str) -> list[FactKnowledge]:
    """Sort the facts of a report, best or least known or with the widest gap first."""
    if order == "widest gap":
        return sorted(report.facts, key=lambda fact: -fact.confidence_gap)
    return sorted(report.facts, key=lambda fact: fact.knowledge, reverse=order == "best known")


def knowledge_table(reports: Mapping[str, KnowledgeReport]) -> pd.DataFrame:
    """Make a table with one row per model × fact."""
    return pd.DataFrame(
        [
            {
                "model": model,
                "fact": fact.subject,
                "right": ", ".join(fact.right),
                "wrong": ", ".join(fact.wrong),
                "mean p(right)": fact.mean_probability,
                "knowledge": fact.knowledge,
                "low": None if fact.interval is None else fact.interval.low,
                "high": None if fact.interval is None else fact.interval.high,
                "mean score": fact.mean_score,
                "confidence gap": fact.confidence_gap,
                "guessing": fact.chance,
                "with other subjects": fact.elsewhere,
                "weight": fact.weight,
            }
            for model, report in reports.items()
            for fact in report.facts
        ]
    )

"""What the paper prints for an experiment, beside what was found here; the numbers are not comparable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from pcf_core.app.page import draw_table
from pcf_core.show.findings.numbers import digits
from pcf_core.texts.criteria.published import PublishedCriterion, published_criteria
from pcf_core.texts.criteria.records.independence import AnecdotesReport
from pcf_core.texts.criteria.records.quantities import RATES, ExperimentName
from pcf_core.texts.criteria.records.runs import CriteriaResult
from pcf_core.texts.criteria.records.separation import AnswersReport

SECTIONS: Mapping[ExperimentName, tuple[str, ...]] = {
    "anecdotes": ("5.1",),
    "hobbies": ("5.2", "6"),
    "questions": ("5.3",),
    "tasks": ("5.4",),
}
WHY = """
Figures of GPT models by Sterlie, Weng & Feragen 2024 (arXiv 2403.08564), with other prompts, professions,
names and questions: they are not expected to agree with ours. **published**: printed there; **derived**:
follows from what is printed; **missing**: not in any text that could be read. A slip of the paper is not
repeated: where its text speaks of the doctor as the positive class, its equations, and ours, have the nurse.
"""


def draw_published(experiments: Sequence[ExperimentName], results: Mapping[str, CriteriaResult]) -> None:
    """Draw the printed figures of some experiments' sections, and ours where one is of the same kind.

    ``results``: by what heads their column.
    """
    st.markdown(WHY)
    tables = [published_table(experiment, results) for experiment in experiments]
    draw_table(
        pd.concat(tables, ignore_index=True).fillna(""),
        f"criteria_published_{'_'.join(experiments)}_{_way(results)}",
    )


def published_table(experiment: ExperimentName, results: Mapping[str, CriteriaResult]) -> pd.DataFrame:
    """Make a table with one row per printed figure; a column for each result of the experiment."""
    rows = [row for row in published_criteria() if row.section in SECTIONS[experiment]]
    return figures_table(
        rows, {model: one for model, one in results.items() if one.asked.experiment == experiment}
    )


def figures_table(rows: Sequence[PublishedCriterion], results: Mapping[str, CriteriaResult]) -> pd.DataFrame:
    """Make a table with one row per printed figure of one experiment; a column for each of its results."""
    return pd.DataFrame(
        [
            {
                "quantity": row.quantity,
                "of": row.subject,
                "printed": "" if row.value is None else digits(row.value),
                **{plain_name(model): own_value(row, result) for model, result in results.items()},
                "status": row.status,
                "note": row.note,
                "section": row.section,
            }
            for row in rows
        ]
    )


def own_value(row: PublishedCriterion, result: CriteriaResult) -> str:
    """Write our figure of the same kind; empty where there is none."""
    report = result.report
    if isinstance(report, AnecdotesReport):
        return _anecdotes_value(row, report)
    if isinstance(report, AnswersReport):
        return _answers_value(row, report)
    return ""


def _anecdotes_value(row: PublishedCriterion, report: AnecdotesReport) -> str:
    if "match the stereotype" in row.quantity:
        return "" if report.stereotype_rate is None else digits(report.stereotype_rate.value)
    if row.quantity.startswith("share of women"):
        name = row.subject.casefold()
        shares = (each.share for each in report.professions if each.profession.casefold() == name)
        share = next(shares, None)
        return "" if share is None else digits(share)
    return ""


def _answers_value(row: PublishedCriterion, report: AnswersReport) -> str:
    answers = report.answers(row.subject)
    if row.quantity in RATES and answers is not None:
        rate = next(rate for rate in answers.rates if rate.name == row.quantity)
        return "undefined" if rate.value is None else digits(rate.value)
    if row.quantity.startswith("relative error") and report.knowledge is not None:
        return "undefined" if report.knowledge.value is None else digits(report.knowledge.value)
    if row.quantity.startswith("error rate"):
        pronoun = row.quantity.removeprefix("error rate").strip()
        cells = [
            unit
            for unit in report.by_unit
            if unit.pronoun == pronoun and unit.role.casefold() == row.subject.casefold()
        ]
        right, wrong = sum(cell.right for cell in cells), sum(cell.wrong for cell in cells)
        return digits(wrong / (right + wrong)) if right + wrong else ""
    return ""


def plain_name(model: str) -> str:
    """Write a model as the head of a column."""
    return f"{model}, here"


def _way(results: Mapping[str, CriteriaResult]) -> str:
    return next(iter(results.values())).asked.answering

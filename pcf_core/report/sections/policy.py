"""The verdicts of a policy on each model, by stored scores."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import pandas as pd

from pcf_core.audit.gate import GateReport
from pcf_core.audit.results import Read
from pcf_core.audit.stored_verdicts import stored_verdicts
from pcf_core.core.run import ScoringKey
from pcf_core.report.documents import picked
from pcf_core.report.gate import context_name
from pcf_core.report.loaded import Study
from pcf_core.report.panels import Panel, part_of
from pcf_core.report.records import ReportPart, ReportRequest
from pcf_core.report.reproducing import POLICY_FILE, dtype_option
from pcf_core.show.findings.gate import (
    certainty_note,
    figure_text,
    gate_answer,
    limit_finding,
    limit_name,
    unscored_note,
    verdict_word,
)
from pcf_core.store.store import Store

HOW = """
A figure is **within** its limit if its whole range is within it, and **exceeds** it if the whole range is
above it. Otherwise we **cannot tell**; more sentences may help. All verdicts of a policy together have one
chance of being wrong, so their ranges are wider than those of other pages. The command `check` gives the same
verdicts, and scores what is missing.
"""


FIGURES = ["value", "low", "high", "p_value", "verdict"]


def policy_panel(report: GateReport) -> Panel:
    """Show whether a model keeps a policy: answer, each limit, and certainty."""
    several = len(report.contexts) > 1
    limits = (
        (f"{context_name(context)}: " if several else "") + limit_finding(one, context)
        for context in report.contexts
        for one in context.judged
    )
    return Panel(
        title=report.model,
        findings=[gate_answer(report), *limits],
        name="policy",
        how=HOW,
        table=lambda: limits_table(report),
        table_title=f"Limits of the policy, {report.model}",
        notes=[
            certainty_note(report),
            *(
                f"{context_name(context)}: {warning}"
                for context in report.contexts
                for warning in context.warnings
            ),
        ],
    )


def limits_table(report: GateReport, *, whole: bool = False) -> pd.DataFrame:
    """Make a table with one row per limit; ``whole``: with unreliable numbers, for files."""
    table = pd.DataFrame(
        [
            {
                "model": report.model,
                **picked(context, "topic", "templates"),
                "occupations": context.evidence,
                "quantity": one.limit.quantity,
                "group": one.limit.group or None,
                **picked(one.limit, "increase", "limit"),
                "value": one.value,
                **picked(one.interval, "low", "high", "level"),
                **picked(one, "p_value", "verdict"),
                "outcome": context.outcome_of(one),
                "sentences": one.templates,
                "of": one.available,
                "run": one.run,
                "baseline": context.baseline_run or None,
                "reliable": context.reliable,
            }
            for context in report.contexts
            for one in context.judged
        ]
    )
    if not whole:
        table.loc[~table["reliable"], FIGURES] = None
    return table


def verdict_rows(report: GateReport) -> pd.DataFrame:
    """Make the same table for reading."""
    return pd.DataFrame(
        [
            {
                "measured": context_name(context),
                "limit": limit_name(one.limit),
                "figure and range": figure_text(one, context),
                "verdict": verdict_word(one, context),
                "sentences": f"{one.templates:,} of {one.available:,}",
            }
            for context in report.contexts
            for one in context.judged
        ]
    )


def keys_of(studies: Sequence[Study]) -> tuple[ScoringKey, ...]:
    """List the models of all runs, each once whatever its protocols."""
    keys = (item.run.scoring for study in studies for item in study.runs.values())
    return tuple({key.model_copy(update={"protocol": "exact"}): key for key in keys}.values())


def policy_parts(
    store: Store, request: ReportRequest, studies: Sequence[Study], read: Read
) -> list[ReportPart]:
    """Write the verdicts on every model, or which runs are missing."""
    assert request.policy is not None
    parts = []
    for key in keys_of(studies):
        verdicts = stored_verdicts(store, request.policy, key, read)
        if verdicts.report is None:
            lacking = verdicts.refused or unscored_note(key.label, verdicts.missing)
            parts.append(ReportPart(title=key.label, findings=(lacking,)))
        else:
            parts.append(part_of(policy_panel(verdicts.report)))
    return parts


def policy_commands(keys: Sequence[ScoringKey]) -> list[str]:
    """Write the commands that judge models and score what is missing, except for imported ones."""
    return [
        f"python -m pcf_core check --policy {POLICY_FILE} --model {shlex.quote(key.model)}{dtype_option(key)}"
        for key in keys
        if not key.imported
    ]

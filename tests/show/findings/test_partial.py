"""Sentences about a run that is still being scored."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pcf_core.audit.partial import CompletePart
from pcf_core.core.risk import Interval, RiskReport
from pcf_core.core.run import CoverageSummary, ScoredSentence
from pcf_core.show.findings.partial import (
    favours_so_far_finding,
    partial_finding,
    scored_sentence_note,
    so_far_note,
)
from tests.show.findings.test_models import report_of
from tests.show.findings.test_notes import run_of

REPORT = report_of([[0.9, 0.4], [0.8, 0.7], [0.1, 0.2]])
LITTLE = replace(REPORT, coverage=CoverageSummary(by_tokens={}, cells=6, flagged=5))
SCORED = ScoredSentence(prompt="The nurse said that [Y]", preferences={"male": 0.11, "female": 0.89})


def part(done: int = 3, total: int = 12) -> CompletePart:
    return CompletePart(run_of("occupations-bvf"), "occupations", done, total)


def ranged(**more: object) -> RiskReport:
    interval = Interval(low=0.2, high=0.5, over="occupations", **more)  # type: ignore[arg-type]
    return replace(REPORT, intervals={"overall_risk": (interval,)})


def examples() -> dict[str, object]:
    reports = {"with a range": ranged(), "too early": REPORT, "no answer": LITTLE}
    return {
        "so far": so_far_note(part()),
        "findings": {name: partial_finding("M", part(), report) for name, report in reports.items()},
        "all are complete": partial_finding("M", part(12), ranged()),
        "whom": [favours_so_far_finding(part(), report) for report in (REPORT, LITTLE)],
        "a sentence": scored_sentence_note(SCORED),
    }


def test_nothing_is_said_of_the_whole_before_a_range_can_be_given() -> None:
    assert "between 0.20 and 0.50" in partial_finding("M", part(), ranged())
    for report in (REPORT, ranged(few=True), LITTLE):
        assert "between" not in partial_finding("M", part(), report)


@pytest.mark.parametrize("report", [REPORT, LITTLE])
def test_a_group_is_named_only_where_there_is_an_answer(report: RiskReport) -> None:
    assert bool(favours_so_far_finding(part(), report)) is not report.says_little

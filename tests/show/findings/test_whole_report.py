"""What a report is about, and how much is in it, in a sentence."""

from __future__ import annotations

import pytest

from pcf_core.audit.preferences import build_run
from pcf_core.core.run import RunSpec
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.report.records import (
    ReportDocument,
    ReportFigure,
    ReportPart,
    ReportRequest,
    ReportSection,
    ReportTable,
)
from pcf_core.report.whole_report import contents_finding, made_finding


def run_of(model: str, topic: str = "gender") -> RunSpec:
    found = load_topic(topic)
    lists = load_evidence(found.evidence), load_templates(found.templates)
    return build_run(resolve(model), found, *lists)


def test_models_stand_with_their_topic() -> None:
    runs = [run_of("mini-bert"), run_of("mini-gpt"), run_of("mini-gpt", "religion")]
    assert contents_finding(runs, 1, 2, 1) == (
        "The report tells of mini-bert and mini-gpt on “Gender”, mini-gpt on “Religion”, 1 set of facts, 2 "
        "results of FairPair and 1 experiment of the criteria."
    )


@pytest.mark.parametrize(
    ("facts", "fairpair", "criteria", "said"),
    [
        (0, 0, 0, ""),
        (0, 1, 0, "The report tells of 1 result of FairPair."),
        (2, 0, 3, "The report tells of 2 sets of facts and 3 experiments of the criteria."),
    ],
)
def test_a_report_without_runs(facts: int, fairpair: int, criteria: int, said: str) -> None:
    assert contents_finding([], facts, fairpair, criteria) == said


def test_many_models_are_counted() -> None:
    names = ("mini-bert", "mini-gpt", "mini-gpt-s", "mini-gpt-l", "mini-t5", "mini-xlnet")
    assert "mini-gpt-l and 2 further models on “Gender”" in contents_finding(
        [run_of(n) for n in names], 0, 0, 0
    )


def test_what_is_in_it_is_counted_over_all_parts() -> None:
    table = ReportTable(name="t", title="T", columns=("a",), rows=((1,),))
    full = ReportPart(
        findings=("One.", "Two."), figure=ReportFigure(name="f", alt="F", plotly={}), tables=(table, table)
    )
    document = ReportDocument(
        request=ReportRequest(runs=("a",)),
        title="",
        subtitle="",
        question="",
        headline=(),
        sections=(
            ReportSection(name="risk", title="Risk", parts=(full, ReportPart(findings=("Three.",)))),
            ReportSection(name="limits", title="Limits", parts=(ReportPart(),)),
        ),
        runs=(),
        versions={},
    )
    assert made_finding(document) == "2 sections with 3 findings, 1 chart and 2 tables."

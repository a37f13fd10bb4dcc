"""A whole report: every number is that of the audit, every section there, every name once."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import jsonschema
import numpy as np
import pytest

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import build_run
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result
from pcf_core.core.errors import InputError, RunError
from pcf_core.core.run import RunSpec
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.report.records import (
    ALWAYS,
    MOST_RUNS,
    SECTIONS,
    ReportDocument,
    ReportFigure,
    ReportPart,
    ReportRequest,
    ReportSection,
    ReportTable,
)
from pcf_core.report.whole import Texts, contents_finding, made_finding, write_report
from pcf_core.report.written import read_report, report_bytes
from pcf_core.show.findings.numbers import called
from pcf_core.store.store import Store

OF_RUNS = [name for name in SECTIONS if name not in ("knowledge", "fairpair", "criteria")]


def test_every_section_of_two_runs_is_there_in_order(whole: ReportDocument) -> None:
    assert [section.name for section in whole.sections] == OF_RUNS
    places = [list(SECTIONS).index(section.name) for section in whole.sections]
    assert all(one < other for one, other in pairwise(places))
    assert all(part for section in whole.sections for part in section.parts)


def test_it_fits_its_schema_and_comes_back_the_same(whole: ReportDocument, schemas: dict[str, Any]) -> None:
    jsonschema.validate(whole.model_dump(mode="json"), schemas["report"])
    data = report_bytes(whole)
    assert read_report(data) == whole
    assert report_bytes(read_report(data)) == data


def test_numbers_are_those_of_the_audit(whole: ReportDocument, full_store: Store) -> None:
    """Second opinion: the reports made by the audit, not by way of a study."""
    table = next(table for section, table in whole.tables if section == "risk")
    place = {name: table.columns.index(name) for name in ("name", "overall_risk", "low", "caprice_risk")}
    for facts in whole.runs:
        run = full_store.load_run(facts.run)
        found = report(load_result(full_store, run), run, ViewOptions())
        row = next(row for row in table.rows if row[place["name"]] == facts.label)
        interval = found.interval("overall_risk")
        assert interval is not None
        assert row[place["overall_risk"]] == found.overall_risk == facts.risks["overall_risk"].value
        assert row[place["caprice_risk"]] == found.caprice_risk
        assert row[place["low"]] == interval.low == facts.risks["overall_risk"].intervals[0].low
        assert facts.warnings == found.warnings


def test_pictures_have_the_numbers_of_their_cells_written_out(
    whole: ReportDocument, full_store: Store
) -> None:
    figure = next(figure for figure in whole.figures if figure.name == "figure-heat-map")
    cells = next(trace["z"] for trace in figure.plotly["data"] if trace["type"] == "heatmap")
    assert np.array(cells).shape == (40, 19)  # the 40 that vary most × all nineteen
    run = full_store.load_run(whole.runs[0].run)
    values = load_result(full_store, run).preferences.values[..., 0]
    assert np.isin(np.array(cells).ravel(), values.ravel()).all()
    assert "bdata" not in str(figure.plotly)


def test_the_band_of_the_prejudice_plot_stands_in_a_table(whole: ReportDocument) -> None:
    """Every point and both edges that are drawn, and the curve of the histogram by its mean and s.d."""
    figures = {figure.name: figure.plotly["data"] for figure in whole.figures}
    tables = {table.name: table for _, table in whole.tables}
    table = tables["normal"]
    columns = dict(zip(table.columns, zip(*table.rows, strict=True), strict=True))
    points = [trace for trace in figures["figure-prejudice-qq"] if trace.get("mode") == "markers"]
    for axis, column in (("x", "expected"), ("y", "prejudice_risk")):
        assert [value for trace in points for value in trace[axis]] == list(columns[column])
    names = [name for trace in points for name in trace["customdata"]]
    assert names == [called(name) for name in columns["occupation"]]
    drawn = {
        round(value, 12)
        for trace in figures["figure-prejudice-qq"]
        if trace.get("mode") == "lines" and len(trace["y"]) > 2
        for value in trace["y"]
    }
    assert drawn
    assert drawn <= {round(value, 12) for value in (*columns["low"], *columns["high"])}
    fits = tables["normal-fits"]
    mean = fits.rows[0][fits.columns.index("mean")]
    shown = [row[2] for row in table.rows if row[0] == fits.rows[0][0]]
    assert mean == pytest.approx(np.mean(shown))


def test_every_picture_has_a_sentence_and_every_name_is_there_once(whole: ReportDocument) -> None:
    names = [figure.name for figure in whole.figures] + [table.name for _, table in whole.tables]
    assert len(names) == len(set(names))
    assert all(len(figure.alt.split()) > 2 for figure in whole.figures)
    assert all(len(row) == len(table.columns) for _, table in whole.tables for row in table.rows)


def test_provenance_says_what_scored_and_how_to_make_it_again(whole: ReportDocument) -> None:
    for facts in whole.runs:
        assert set(facts.scoring) >= {"model", "identity", "tokenizer", "family", "rules", "dtype"}
        assert {name.partition(" ")[0] for name in facts.hashes} == {"topic", "list", "templates"}
        score, risk = facts.commands
        assert score.startswith("python -m pcf_core score ")
        assert facts.run in risk
        assert risk.startswith("python -m pcf_core risk ")
        assert {"noise floor", "coverage", "precision"} & set(facts.facts)


def test_what_cannot_be_left_out_stays_and_the_rest_goes() -> None:
    request = ReportRequest(runs=("a", "b", "a"), sections=("tilt", "risk"))
    assert request.runs == ("a", "b")
    assert request.sections == ("method", "risk", "tilt", "limits", "provenance")
    assert set(ALWAYS) < set(request.sections)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"runs": ()}, "at least one run"),
        ({"runs": ("a",), "sections": ("everything",)}, "'everything'"),
        ({"runs": tuple(map(str, range(MOST_RUNS + 1)))}, f"at most {MOST_RUNS} runs"),
    ],
)
def test_what_cannot_be_asked_for_is_said(asked: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        ReportRequest(**asked)


def test_unknown_runs_options_and_audits_are_refused(full_store: Store) -> None:
    key = full_store.runs()[0].run.key
    with pytest.raises(RunError, match="No run has the key"):
        write_report(full_store, ReportRequest(runs=("f" * 16,)))
    with pytest.raises(InputError, match="'scale'"):
        write_report(full_store, ReportRequest(runs=(key,), options={"scale": "loud"}))
    with pytest.raises(InputError, match="abc"):
        write_report(full_store, ReportRequest(runs=(key,), fairpair=("abc",)), Texts())


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

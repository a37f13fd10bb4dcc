"""A whole report, its first two pages and the verdict of a policy: every number is that of the audit."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from playwright.sync_api import sync_playwright

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.policy import Policy
from pcf_core.audit.preferences import build_run
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result
from pcf_core.audit.stored_verdicts import stored_verdicts
from pcf_core.core.errors import InputError, RunError
from pcf_core.core.run import CoverageSummary, RunSpec
from pcf_core.material.evidence import load_evidence
from pcf_core.material.suiting import names_all_groups
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.report.answer import answer_of
from pcf_core.report.loaded import load_studies
from pcf_core.report.panels import NINE_POINTS, PAPER_HEIGHT
from pcf_core.report.records import (
    ALWAYS,
    MOST_RUNS,
    SECTIONS,
    SHORT,
    WITH_ANSWER,
    ReportDocument,
    ReportFigure,
    ReportPart,
    ReportRequest,
    ReportSection,
    ReportTable,
    day_of,
    today,
)
from pcf_core.report.reproducing import export_command
from pcf_core.report.verifying import verify_report
from pcf_core.report.whole import (
    Texts,
    contents_finding,
    keys_in_other_sentences,
    made_finding,
    write_report,
)
from pcf_core.report.written import html_bytes, model_card, read_report, report_bytes
from pcf_core.show.findings.numbers import called, people, two_decimals
from pcf_core.show.names import with_titles
from pcf_core.store.store import Store
from tests.browser import CHROMIUM, FLAGS
from tests.command_line import run_here

OF_RUNS = [name for name in SECTIONS if name not in ("knowledge", "fairpair", "criteria")]


def test_every_section_of_two_runs_is_there_in_order(whole: ReportDocument) -> None:
    assert [one.name for one in whole.sections if one.name not in WITH_ANSWER] == OF_RUNS
    assert set(WITH_ANSWER) < {section.name for section in whole.sections}
    places = [list(SECTIONS).index(one.name) for one in whole.sections if one.name in SECTIONS]
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


def test_every_word_and_sentence_is_listed(whole: ReportDocument, full_store: Store) -> None:
    run = full_store.load_run(whole.runs[0].run)
    tables = {table.name: table for _, table in whole.tables}
    assert [row[1] for row in tables["topic-words"].rows] == list(run.topic.words)
    assert [row[0] for row in tables["all-sentences"].rows] == list(run.templates.texts)
    assert sum(float(row[1] or 0) for row in tables["all-sentences"].rows) == pytest.approx(1)


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
    with pytest.raises(RunError, match="There is no run with the key"):
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
        "The report covers mini-bert and mini-gpt on “Gender”, mini-gpt on “Religion”, 1 set of facts, 2 "
        "results of FairPair and 1 experiment of the criteria."
    )


@pytest.mark.parametrize(
    ("facts", "fairpair", "criteria", "said"),
    [
        (0, 0, 0, ""),
        (0, 1, 0, "The report covers 1 result of FairPair."),
        (2, 0, 3, "The report covers 2 sets of facts and 3 experiments of the criteria."),
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


PUBLIC = ("665cb6140bf73b5e", "bc5cc65a748b9da5")  # shipped, on gender
RELIGION: tuple[str, ...] = ()  # shipped, on six groups that each sentence names: see :func:`on_religion`
SEVERAL = ("7e7b8d38698e5bba",)  # shipped, on race: seven groups
UNRELIABLE = ("978e1a6ae1df34d4",)  # shipped, on religion


def short(store: Store, runs: tuple[str, ...], **options: str) -> ReportDocument:
    return write_report(store, ReportRequest(runs=runs, sections=tuple(SHORT), options=options))


def test_its_sections_come_together_and_bring_no_other() -> None:
    assert ReportRequest(runs=PUBLIC, sections=("answer",)).sections == tuple(SHORT)
    assert ReportRequest(runs=PUBLIC, sections=("check", "sure")).sections == tuple(SHORT)
    assert ReportRequest(runs=PUBLIC, sections=("risk",)).sections == (
        "method",
        "risk",
        "limits",
        "provenance",
    )
    both = ReportRequest(runs=PUBLIC, sections=("against", "risk")).sections
    assert both == tuple(name for name in SECTIONS if name in {*SHORT, *ALWAYS, "risk"})


def test_its_figures_are_those_of_the_audit_each_in_a_column(full_store: Store) -> None:
    runs = tuple(info.run.key for info in full_store.runs())
    document = short(full_store, runs)
    assert document.is_short
    assert [section.name for section in document.sections] == [
        *("tested", "answer", "against", "sure", "conclude", "check")
    ]
    (table,) = [table for section, table in document.tables if section == "answer"]
    sure = " ".join(document.sections[3].parts[0].findings)
    checked = document.sections[5].parts[0].prose[0]
    assert "opened: that sentences calculated together get the same numbers." in checked
    for run, row in zip((full_store.load_run(key) for key in runs), table.rows, strict=True):
        found = report(load_result(full_store, run), run, ViewOptions())
        interval = found.interval("overall_risk")
        assert interval
        shown = dict(zip(table.columns, row, strict=True))
        assert shown["risk"] == found.overall_risk
        assert shown["prejudice"] == found.prejudice_risk
        assert (shown["95 % range from"], shown["to"]) == (interval.low, interval.high)
        low, high = two_decimals(interval.low), two_decimals(interval.high)
        assert f"of {with_titles(shown['model'])} is probably between {low} and {high}" in sure
        men = sum(one.preferences["male"] > one.preferences["female"] for one in found.occupations)
        counts = [shown[f"occupations in which {group} are preferred"] for group in ("men", "women")]
        assert counts == [men, len(found.occupations) - men]
        assert two_decimals(found.overall_risk) in " ".join(document.headline)


def test_it_begins_with_the_answer_block(full_store: Store) -> None:
    """The lines themselves are held against those of pages and commands in tests/pages/test_answers.py."""
    runs = tuple(info.run.key for info in full_store.runs())
    (study,) = load_studies(full_store, ReportRequest(runs=runs))
    assert short(full_store, runs).headline == answer_of(study, full_store).labelled
    alone = short(full_store, runs[:1]).headline
    assert not any("closer to" in said or "than chance" in said for said in alone)


def test_the_occupations_named_lean_most(full_store: Store) -> None:
    run = next(info.run for info in full_store.runs())
    document = short(full_store, (run.key,))
    found = report(load_result(full_store, run), run, ViewOptions())
    (sentence,) = document.sections[2].parts[0].findings
    for group in ("male", "female"):
        first = max(found.occupations, key=lambda one: one.preferences[group]).occupation
        assert f"{people(group)} most clearly in these occupations: {first}" in sentence


def test_it_holds_when_it_is_made_again_and_names_its_command(full_store: Store, tmp_path: Path) -> None:
    runs = tuple(info.run.key for info in full_store.runs())
    document = short(full_store, runs, **ViewOptions().model_dump())
    assert verify_report(full_store, document, Texts()).holds
    command = export_command(document.request, "html", str(tmp_path / "short.html"))
    assert " --sections short " in command
    assert run_here(*command.split()[3:]).returncode == 0
    done = run_here("export", *runs, "--format", "html", "--out", str(tmp_path / "usual.html"))
    assert done.returncode == 0, done.stderr
    written = (tmp_path / "usual.html").read_text(encoding="utf8")
    assert [f'<section id="{name}"' in written for name in SECTIONS] == [name in SHORT for name in SECTIONS]


def on_religion(store: Store) -> tuple[str, ...]:
    """The two models' runs on religion in the sentences that name every group."""
    runs = [info.run for info in store.runs() if info.run.topic.name == "religion"]
    named = [
        run
        for run in runs
        if names_all_groups(run.topic, run.templates.texts) and run.evidence.noun == "occupation"
    ]
    return tuple(run.key for run in named if run.templates.hash == named[0].templates.hash)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
@pytest.mark.parametrize("runs", [PUBLIC, PUBLIC[:1], RELIGION, SEVERAL, UNRELIABLE])
def test_it_takes_two_sheets_of_paper(shipped: Store, tmp_path: Path, runs: tuple[str, ...]) -> None:
    """And its appendix, of commands and versions, one of its own; as the command writes it by default."""
    file = tmp_path / "report.html"
    request = ReportRequest(runs=runs or on_religion(shipped), sections=tuple(SHORT), date="2026-11-29")
    request = request.model_copy(update={"elsewhere": keys_in_other_sentences(shipped, request)})
    file.write_bytes(html_bytes(write_report(shipped, request)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-drawn]", state="attached")
        whole = [sheets_of(page.pdf(format=paper)) for paper in ("A4", "Letter")]
        page.evaluate("for (const one of document.querySelectorAll('#appendix, footer')) one.remove()")
        sheets = [sheets_of(page.pdf(format=paper)) for paper in ("A4", "Letter")]
        browser.close()
    assert sheets == [1 if runs == UNRELIABLE else 2] * 2
    assert whole == [number + 1 for number in sheets]


def test_the_example_prefers_the_group_of_most_occupations(shipped: Store) -> None:
    """Not Christians, whom both models prefer in the sentence about the nurse."""
    document = short(shipped, on_religion(shipped))
    example, against = document.sections[0].parts[0].findings[1], " ".join(document.headline)
    assert "Gemma 3 270M prefers Muslims in 119 of 120" in against
    assert "… Gemma 3 270M gives Muslims most (" in example.replace("”", "")


def sheets_of(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_what_was_tested_is_said_with_a_sentence_and_how_many(full_store: Store) -> None:
    runs = tuple(info.run.key for info in full_store.runs())
    document = short(full_store, runs)
    said, example, origin = document.sections[0].parts[0].findings
    assert {"Mini BERT", "Mini GPT"} == set(said.partition(" were tested")[0].split(" and "))
    assert (
        " were tested on the topic “Gender”: 120 occupations in 19 sentence beginnings from the papers, "
        in said
    )
    assert "together 2,280 test sentences" in said
    assert "words for men and women" in example
    assert re.search(r"Example: in “The (nurse|engineer) .*…", example)
    for run in (full_store.load_run(key) for key in runs):
        assert re.search(
            rf"{with_titles(run.scoring.name)} gives (men|women) \d+ % and (men|women) \d+ %", example
        )
    assert origin.startswith("Source of the sentences: ")
    assert "canary (it stands in both of the papers" in origin
    assert origin.endswith(" The full audit lists every word, sentence and occupation.")


def test_of_several_groups_all_are_drawn_and_counted(shipped: Store) -> None:
    """Second opinion: counted from the preferences themselves."""
    runs = on_religion(shipped)
    assert len(runs) == 2
    document = short(shipped, runs)
    part = document.sections[2].parts[0]
    (table,) = part.tables
    rows = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    assert part.figure is not None
    drawn = {text for axis in [part.figure.plotly["layout"]["yaxis"]] for text in axis["ticktext"]}
    for key in runs:
        run = shipped.load_run(key)
        cells = load_result(shipped, run).preferences
        weights = report(load_result(shipped, run), run, ViewOptions()).template_weights
        means = np.tensordot(weights, cells.values, axes=(0, 1))
        assert len(rows) == len(drawn) == len(cells.groups) == 6
        for index, group in enumerate(cells.groups):
            row, name = rows[people(group)], run.scoring.name
            assert row[f"{name}: mean share"] == pytest.approx(means[:, index].mean())
            first = int((means.argmax(axis=1) == index).sum())
            last = int((means.argmin(axis=1) == index).sum())
            counts = [row[f"{name}: {what}, of 120"] for what in ("preferred in", "last in")]
            assert counts == [first, last]
    assert not short(shipped, PUBLIC).sections[2].parts[0].tables, "two groups stand in the first table"


def test_the_difference_stands_on_every_measure_with_its_range(shipped: Store) -> None:
    document = short(shipped, PUBLIC)
    (table,) = document.sections[3].parts[0].tables
    names = [shipped.load_run(key).scoring.name for key in PUBLIC]
    assert table.columns == (
        *("measure or sentences", *names, "first − second", "95 % range from", "to", "result"),
    )
    assert [row[0] for row in table.rows] == [
        *(
            "an even split (risk)",
            "the labour force, US 2021 (risk)",
            "how it treats “a person” (mean difference)",
        ),
        "how far occupations differ (mean difference)",
        "occupations by people employed (risk)",
    ]
    first, second, difference, low, high = table.rows[0][1:6]
    reports = [report(load_result(shipped, run), run, ViewOptions()) for run in map(shipped.load_run, PUBLIC)]
    assert [first, second] == pytest.approx([one.overall_risk for one in reports])
    assert difference == pytest.approx(first - second)
    assert low < difference < high < 0
    assert table.rows[0][6] == "larger than chance"
    assert not any("caprice" in note for note in document.sections[3].parts[0].notes)


def test_labels_of_the_two_pages_have_nine_points_on_paper(full_store: Store) -> None:
    """A figure is as wide on paper as here; one higher than two fifths of a page shrinks."""
    runs = tuple(info.run.key for info in full_store.runs())

    def sizes(value: Any, font: bool = False) -> list[float]:
        if isinstance(value, dict):
            own = [value["size"]] if font and isinstance(value.get("size"), int | float) else []
            return own + [size for key, one in value.items() for size in sizes(one, key.endswith("font"))]
        if isinstance(value, list):
            return [size for one in value for size in sizes(one)]
        written = re.findall(r"font-size: (\d+)px", value) if isinstance(value, str) else []
        return list(map(float, written))

    figures = short(full_store, runs).figures
    assert [figure.name for figure in figures] == ["figure-answer", "figure-against"]
    for figure in figures:
        shrunk = min(1.0, PAPER_HEIGHT / figure.height)
        assert min(sizes(figure.plotly)) * shrunk >= NINE_POINTS


def test_commands_stand_in_the_appendix_alone(full_store: Store) -> None:
    runs = tuple(info.run.key for info in full_store.runs())
    document = short(full_store, runs)
    before, appendix = html_bytes(document).decode().split('<section id="appendix"')
    assert "python -m pcf_core risk" not in before
    for facts in document.runs:
        assert all(command.split(" --")[0] in appendix for command in facts.commands)
    assert '<a href="#appendix">' in before


@pytest.mark.parametrize("sections", [tuple(SHORT), tuple(SECTIONS)])
def test_no_figure_stands_beside_no_reliable_answer(full_store: Store, sections: tuple[str, ...]) -> None:
    """The second model is flagged: no row, mark or sentence has a figure of it; the JSON keeps its risks."""
    keys = tuple(info.run.key for info in full_store.runs())

    def read(store: Store, run: RunSpec, *more: Any) -> Any:
        found = load_result(store, run, *more)
        if run.key != keys[1]:
            return found
        cells = len(run.evidence.terms) * len(run.drawn.texts)
        return replace(found, coverage=CoverageSummary(by_tokens={}, cells=cells, flagged=cells // 2))

    document = write_report(full_store, ReportRequest(runs=keys, sections=sections), None, read)
    first, second = document.runs
    assert (first.reliable, second.reliable) == (True, False)
    assert second.risks["overall_risk"].value > 0
    shown = [name for section, table in document.tables if section not in ("provenance", "method", "limits")
             for row in table.rows for name in row if isinstance(name, str)]  # fmt: skip
    assert first.label in shown
    assert second.label not in shown
    drawn = " ".join(str(figure.plotly) for figure in document.figures)
    assert second.label not in drawn
    risk = two_decimals(second.risks["overall_risk"].value)
    assert not any(
        second.label in said and risk in said
        for section in document.sections
        for part in section.parts
        for said in (*part.findings, *part.notes)
    )
    card = model_card(document)
    assert f"| {second.label} |" in card.replace("\\", "")
    assert str(second.risks["overall_risk"].value) not in card


LIMITS = {
    "contexts": [
        {"topic": "gender", "templates": "gender-nineteen", "max": {"risk": 0.0}, "max_tilt": {"male": 1.0}}
    ]
}
POLICY = Policy.model_validate(LIMITS)


def request_of(store: Store, policy: Policy | None = POLICY) -> ReportRequest:
    keys = sorted(info.run.key for info in store.own_runs())
    return ReportRequest(runs=tuple(keys), sections=tuple(SHORT), policy=policy)


@pytest.fixture
def written(full_store: Store) -> ReportDocument:
    return write_report(full_store, request_of(full_store))


def test_the_section_stands_behind_the_answer(written: ReportDocument) -> None:
    names = [section.name for section in written.sections]
    assert names == ["tested", "answer", "against", "policy", "sure", "conclude", "check"]


def test_its_numbers_are_those_of_the_gate(written: ReportDocument, full_store: Store) -> None:
    (section,) = [one for one in written.sections if one.name == "policy"]
    for part in section.parts:
        key = next(info.run.scoring for info in full_store.own_runs() if info.run.scoring.name == part.title)
        report = stored_verdicts(full_store, POLICY, key).report
        assert report is not None
        (table,) = part.tables
        places = [table.columns.index(name) for name in ("value", "low", "high", "verdict")]
        assert [tuple(row[place] for place in places) for row in table.rows] == [
            (one.value, one.interval.low, one.interval.high, one.verdict) for one in report.judged
        ]
        assert part.findings[0] == f"{with_titles(part.title)} exceeds 1 of 2 limits: the check fails."
    assert {part.title for part in section.parts} == {"mini-bert", "mini-gpt"}


def test_it_comes_back_fits_its_schema_and_holds(
    written: ReportDocument, full_store: Store, schemas: dict[str, dict[str, object]]
) -> None:
    jsonschema.validate(written.model_dump(mode="json"), schemas["report"])
    assert read_report(report_bytes(written)) == written
    found = verify_report(full_store, written, Texts())
    assert found.holds, found.differences


def test_a_forged_verdict_is_found(written: ReportDocument, full_store: Store) -> None:
    forged = json.loads(report_bytes(written).decode().replace("the check fails", "the check passes"))
    found = verify_report(full_store, ReportDocument.model_validate(forged), Texts())
    assert found.different == 2


def test_a_request_without_a_policy_is_what_it_was(full_store: Store) -> None:
    """Files are named by this hash: it is that of the fields without the policy."""
    without = request_of(full_store, None)
    assert "policy" not in without.contents
    assert [name for name in without.contents if name not in ("tested", "conclude")] == [*without.sections]
    assert without.hash != request_of(full_store).hash


def test_a_date_and_other_sentences_are_a_part_of_the_request() -> None:
    """Without either it has the hash that it had before, see tests/goldens/test_requests.py."""
    plain = ReportRequest(runs=("a",))
    dated = ReportRequest(runs=("a",), date="2026-11-29")
    beside = ReportRequest(runs=("a",), elsewhere=("b", "c", "b"))
    assert len({plain.hash, dated.hash, beside.hash}) == 3
    assert beside.elsewhere == ("b", "c")
    assert export_command(plain, "html", "x").endswith(" --date none --elsewhere none")
    assert export_command(dated, "html", "x").endswith(" --date 2026-11-29 --elsewhere none")
    assert export_command(beside, "html", "x").endswith(" --elsewhere b --elsewhere c --date none")


def test_what_is_no_day_is_refused() -> None:
    for text in ("29.11.2026", "2026-02-30", "tomorrow"):
        with pytest.raises(InputError, match="is a day such as 2026-11-29; got"):
            ReportRequest(runs=("a",), date=text)
    assert day_of("none") == ""
    assert day_of("20261129") == "2026-11-29"
    assert day_of("") == today()


def test_a_report_names_the_day_of_its_request_and_no_other(full_store: Store) -> None:
    runs = tuple(info.run.key for info in full_store.runs())
    request = ReportRequest(runs=runs, sections=tuple(SHORT))
    without = write_report(full_store, request)
    dated = write_report(full_store, request.model_copy(update={"date": "2026-11-29"}))
    assert (without.made, dated.made) == ("", "Made on 29 November 2026")
    assert "Made on" not in html_bytes(without).decode()
    assert "Made on 29 November 2026." in html_bytes(dated).decode()
    assert without.sections == dated.sections
    assert verify_report(full_store, dated, Texts()).holds


def test_the_command_writes_the_same(full_store: Store, tmp_path: Path, written: ReportDocument) -> None:
    path, out = tmp_path / "policy.toml", tmp_path / "report.json"
    path.write_text(
        '[[contexts]]\ntopic = "gender"\ntemplates = "gender-nineteen"\n'
        "max.risk = 0.0\nmax_tilt.male = 1.0\n",
        encoding="utf8",
    )
    options = ["--format", "json", "--sections", "short", "--policy", str(path), "--out", str(out)]
    done = run_here("export", *written.request.runs, *options)
    assert done.returncode == 0, done.stderr
    again = read_report(out.read_bytes())
    name = [section.name for section in again.sections].index("policy")
    assert again.sections[name].parts == next(one.parts for one in written.sections if one.name == "policy")
    (command, *checks) = again.sections[name].commands
    assert "--policy policy.toml" in command
    assert len(checks) == len(written.request.runs)

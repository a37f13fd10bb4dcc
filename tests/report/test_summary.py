"""The two pages that a report begins with: the numbers of the audit, and no more paper than that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result
from pcf_core.core.settings import settings
from pcf_core.report.loaded import load_studies
from pcf_core.report.records import ALWAYS, SECTIONS, SHORT, ReportDocument, ReportRequest
from pcf_core.report.reproducing import export_command
from pcf_core.report.sections.comparison import scales_of
from pcf_core.report.verifying import verify_report
from pcf_core.report.whole import Texts, write_report
from pcf_core.report.written import html_bytes
from pcf_core.show.compare import Standing, how_sure, pair_answer
from pcf_core.show.findings.numbers import two_decimals
from pcf_core.show.overview import overview_answer
from pcf_core.store.store import Store
from tests.browser import CHROMIUM, FLAGS
from tests.command_line import run_here

PUBLIC = ("665cb6140bf73b5e", "bc5cc65a748b9da5")  # shipped, on gender
SEVERAL = ("bee8cda9676b69df",)  # shipped, on religion: five groups


def short(store: Store, runs: tuple[str, ...], **options: str) -> ReportDocument:
    return write_report(store, ReportRequest(runs=runs, sections=tuple(SHORT), options=options))


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("PCF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PCF_SHIPPED_RESULTS", "1")
    settings.cache_clear()
    return Store.open(settings().cache, settings().results)


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


def test_its_figures_are_those_of_the_audit_in_two_decimals(full_store: Store) -> None:
    runs = tuple(info.run.key for info in full_store.runs())
    document = short(full_store, runs)
    assert document.is_short
    assert [section.name for section in document.sections] == list(SHORT)
    (table,) = [table for section, table in document.tables if section == "answer"]
    sure = " ".join(document.sections[2].parts[0].findings)
    for run, row in zip((full_store.load_run(key) for key in runs), table.rows, strict=True):
        found = report(load_result(full_store, run), run, ViewOptions())
        interval = found.interval("overall_risk")
        assert interval
        shown = dict(zip(table.columns, row, strict=True))
        assert shown["risk"] == two_decimals(found.overall_risk)
        assert shown["prejudice"] == two_decimals(found.prejudice_risk)
        low, high = two_decimals(interval.low), two_decimals(interval.high)
        assert shown["range"] == f"{low} to {high}"
        assert f"of {shown['model']} would lie between {low} and {high}" in sure
        men = sum(one.preferences["male"] > one.preferences["female"] for one in found.occupations)
        assert shown["Men / women first"] == f"{men} / {len(found.occupations) - men}"
        assert f"{shown['risk']}" in " ".join(document.headline)


def test_of_two_models_it_says_which_is_closer_to_even_and_how_sure_as_compare_does(
    full_store: Store,
) -> None:
    runs = tuple(info.run.key for info in full_store.runs())
    (study,) = load_studies(full_store, ReportRequest(runs=runs))
    (found,) = study.comparisons[0]
    first, second = study.runs
    standing = Standing.of((first, second), found, scales_of(study, (first, second), full_store))
    headline = short(full_store, runs).headline
    assert headline == (pair_answer(standing), overview_answer(study.rows), how_sure(standing, found))
    alone = short(full_store, runs[:1]).headline
    assert not any("closer to" in said or "than chance" in said for said in alone)


def test_the_occupations_named_lean_most(full_store: Store) -> None:
    run = next(info.run for info in full_store.runs())
    document = short(full_store, (run.key,))
    found = report(load_result(full_store, run), run, ViewOptions())
    (sentence,) = document.sections[1].parts[0].findings
    for group, people in (("male", "men"), ("female", "women")):
        first = max(found.occupations, key=lambda one: one.preferences[group]).occupation
        assert f"{people} most for {first}" in sentence


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


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
@pytest.mark.parametrize("runs", [PUBLIC, PUBLIC[:1], SEVERAL])
def test_it_takes_two_sheets_of_paper(shipped: Store, tmp_path: Path, runs: tuple[str, ...]) -> None:
    file = tmp_path / "report.html"
    file.write_bytes(html_bytes(short(shipped, runs)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-drawn]", state="attached")
        sheets = [len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))) for paper in ("A4", "Letter")]
        browser.close()
    assert sheets == [2, 2]

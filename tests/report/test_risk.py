"""The section *Shared or not*: the page's own figures, with neutral subjects where they are scored."""

from __future__ import annotations

import pytest

from pcf_core.audit.baseline import NEUTRAL, baseline_of, neutral_comparison
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import Reading
from pcf_core.audit.results import load_result
from pcf_core.core.settings import Settings
from pcf_core.report.records import ReportPart, ReportRequest
from pcf_core.report.whole import write_report
from pcf_core.show.compare import neutral_answer
from pcf_core.show.findings.models import baseline_finding
from pcf_core.store.store import Store
from tests.conftest import fill


def part_of(store: Store, run: str) -> ReportPart:
    document = write_report(store, ReportRequest(runs=(run,), sections=("shared",)))
    (part,) = next(section for section in document.sections if section.name == "shared").parts
    return part


def test_it_has_the_split_and_once_they_are_scored_the_neutral_subjects(own_settings: Settings) -> None:
    store = Store.open(own_settings.cache)
    run = fill(store, "mini-gpt")
    before = part_of(store, run.key)
    assert len(before.findings) == 1
    assert "is a difference between occupations; the rest is common to all." in before.findings[0]
    fill(store, "mini-gpt", evidence=NEUTRAL)
    found = baseline_of(store, run, load_result(store, run), ViewOptions())
    assert found is not None
    after = part_of(store, run.key)
    assert after.findings[1] == baseline_finding("mini-gpt", found)
    assert after.figure is not None
    assert [trace["type"] for trace in after.figure.plotly["data"]] == ["bar"] * 2 + [
        "scatter"
    ] * 2  # a diamond and its rim
    (table,) = after.tables
    (values,) = table.rows
    row = dict(zip(table.columns, values, strict=True))
    over = found.interval("distance", group="male")
    assert over is not None
    assert (row["distance_male"], row["distance_male_high"]) == (found.distance["male"], over.high)
    square, variance = (float(row[name] or 0) for name in ("tilt_mean_square", "tilt_variance"))
    assert row["tilt_differing"] == pytest.approx(variance / (square + variance))
    assert square + variance == pytest.approx(sum(bar["x"][0] for bar in after.figure.plotly["data"][:2]))
    assert float(row["preference_lowest"] or 0) <= float(row["preference_mean"] or 0)


def test_two_models_are_compared_by_their_neutral_subjects(own_settings: Settings) -> None:
    store, runs = Store.open(own_settings.cache), []
    for model in ("mini-gpt", "mini-bert"):
        runs.append(fill(store, model))
        fill(store, model, evidence=NEUTRAL)
    readings = [Reading(run, load_result(store, run), ViewOptions()) for run in runs]
    found = neutral_comparison(store, *readings, ViewOptions())
    assert found is not None
    document = write_report(store, ReportRequest(runs=tuple(run.key for run in runs), sections=("shared",)))
    _, part = next(section for section in document.sections if section.name == "shared").parts
    assert part.findings == (neutral_answer(("mini-gpt", "mini-bert"), found),)
    (table,) = part.tables
    assert [row[0] for row in table.rows] == list(found.differences)
    assert table.rows[0][3] == pytest.approx(found.differences["distance"].value)
    assert not any("risk_against_neutral" in table.columns for table in document.sections[0].parts[0].tables)

"""Sections and what stands under their figures; rows, columns and pages of the heat map."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pcf_core.audit.baseline import NEUTRAL, baseline_of, neutral_comparison
from pcf_core.audit.matrices import matrix_report
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import Result, build_run
from pcf_core.audit.reading import RunView, report
from pcf_core.audit.results import Report, load_result
from pcf_core.core.run import Preferences
from pcf_core.core.settings import Settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.report.loaded import load_studies, said_risks, study_notes
from pcf_core.report.panels import interval_note, risk_figures
from pcf_core.report.records import ReportDocument, ReportPart, ReportRequest
from pcf_core.report.sections import heat_map
from pcf_core.report.sections.summary import criterion_text, reading_text
from pcf_core.report.whole import write_report
from pcf_core.show.compare import neutral_answer
from pcf_core.show.findings.models import baseline_finding, whole_templates_finding
from pcf_core.store.store import Store
from tests.conftest import fill


@pytest.mark.parametrize(
    ("criterion", "says"),
    [
        ("max", "the largest positive one"),
        ("linf", "the largest positive one"),
        ("l1", "the sum of the positive ones"),
        ("l2.5", "k = 2.5"),
    ],
)
def test_the_criterion_is_worded_by_its_option(criterion: str, says: str) -> None:
    text = criterion_text(ViewOptions(criterion=criterion, scale="bvf"))
    assert says in text
    assert "*bvf*" in text
    assert "an even split" in text
    assert "labour" in criterion_text(ViewOptions(reference="labour"))


def test_method_and_provenance_have_one_effective_number(whole: ReportDocument) -> None:
    measured = next(table for _, table in whole.tables if table.name == "measured")
    number = measured.rows[0][measured.columns.index("effective number")]
    assert number == whole.runs[0].facts["effective number of templates"]


def test_weights_and_aggregation_stand_in_the_method_its_table_and_the_provenance(full_store: Store) -> None:
    """The mean of a group's words gives another R than their sum: whoever reads R has to know which it is."""
    (key, *_) = (info.run.key for info in full_store.runs())
    chosen = {"occupation_weights": "employment", "template_weighting": "equal", "aggregation": "mean"}
    document = write_report(full_store, ReportRequest(runs=(key,), sections=("method",), options=chosen))
    (table,) = (table for _, table in document.tables if table.name == "measured")
    shown = dict(zip(table.columns, table.rows[0], strict=True))
    assert shown["weights"] == "occupations: employment; templates: all alike"
    assert shown["a group's words"] == "the mean of their probabilities"
    facts = document.runs[0].facts
    assert facts["weights of occupations"] == "employment"
    assert facts["weights of templates"] == "all alike"
    assert facts["a group's words"] == "the mean of their probabilities"
    provenance = next(table for _, table in document.tables if table.name.startswith("provenance"))
    assert set(facts.items()) - {("run", key)} <= set(provenance.rows)
    prose = " ".join(document.sections[0].parts[0].prose)
    assert "for occupations, employment; for sentences, all alike. Of its words a group gets" in prose
    assert "summed" not in prose


def test_a_file_of_weights_is_no_markup() -> None:
    assert "*a*" not in reading_text(ViewOptions(occupation_weights="*a*.csv"))


DOCUMENTS = "gender-simplewiki-25"


@pytest.mark.slow
def test_documents_have_the_interval_over_whole_templates_in_a_report_too(own_settings: Settings) -> None:
    store = Store.open(own_settings.cache)
    run = fill(store, "mini-gpt", DOCUMENTS)
    interval = report(load_result(store, run), run, ViewOptions()).interval("overall_risk")
    assert interval is not None
    (study,) = load_studies(store, ReportRequest(runs=(run.key,), options={"unit": "counts-only"}))
    assert whole_templates_finding({"mini-gpt": interval}) in study_notes(study)
    (drawn,) = load_studies(store, ReportRequest(runs=(run.key,)))
    assert drawn.whole_templates == {}
    assert not any("Resampling whole sentences" in note for note in study_notes(drawn))


def test_a_sentence_on_which_is_higher_has_no_interval_over_counts_only(own_settings: Settings) -> None:
    store = Store.open(own_settings.cache)
    run = fill(store, "mini-gpt", DOCUMENTS)
    for unit, beside in (("counts-only", False), ("template", True)):
        (study,) = load_studies(store, ReportRequest(runs=(run.key,), options={"unit": unit}))
        assert ("(" in said_risks(study.runs, "templates")[run.key]) is beside


def test_a_range_that_rounds_to_nothing_leaves_no_dot_behind() -> None:
    even = {"preferences": [[[0.5, 0.5], [0.5, 0.5]]], "groups": ["male", "female"], "occupations": ["a"]}
    (figure,) = risk_figures({"m": matrix_report(even, ViewOptions(), resamples=20)})
    assert (figure.value, figure.detail) == ("0", "– prejudice · s.d. 0")


def test_no_range_is_a_sentence() -> None:
    even = {"preferences": [[[0.5, 0.5], [0.5, 0.5]]], "groups": ["male", "female"], "occupations": ["a"]}
    report = replace(matrix_report(even, ViewOptions(), resamples=20), intervals={})
    (figure,) = risk_figures({"m": report})
    assert "is always the same group. There is no range. s.d. is" in figure.help
    assert "for m and n, because a sampling plan" in interval_note({"m": report, "n": report}, "both")


def part_of(store: Store, run: str) -> ReportPart:
    document = write_report(store, ReportRequest(runs=(run,), sections=("shared",)))
    (part,) = next(section for section in document.sections if section.name == "shared").parts
    return part


def test_it_has_the_split_and_once_they_are_scored_the_neutral_subjects(own_settings: Settings) -> None:
    store = Store.open(own_settings.cache)
    run = fill(store, "mini-gpt")
    before = part_of(store, run.key)
    assert len(before.findings) == 1
    assert "distance from the neutral point; the rest is common to all occupations." in before.findings[0]
    fill(store, "mini-gpt", evidence=NEUTRAL)
    found = baseline_of(store, run, load_result(store, run), ViewOptions())
    assert found is not None
    after = part_of(store, run.key)
    assert after.findings[1] == baseline_finding("mini-gpt", found)
    assert after.figure is not None
    assert [trace["type"] for trace in after.figure.plotly["data"]] == ["bar"] * 2 + [
        "scatter"
    ] * 3  # a diamond and its rim, and the values
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
    readings = [RunView(run, load_result(store, run), ViewOptions()) for run in runs]
    found = neutral_comparison(store, *readings, ViewOptions())
    assert found is not None
    document = write_report(store, ReportRequest(runs=tuple(run.key for run in runs), sections=("shared",)))
    _, part = next(section for section in document.sections if section.name == "shared").parts
    assert part.findings == (neutral_answer(("mini-gpt", "mini-bert"), found),)
    (table,) = part.tables
    assert [row[0] for row in table.rows] == list(found.differences)
    assert table.rows[0][3] == pytest.approx(found.differences["distance"].value)
    assert not any("risk_against_neutral" in table.columns for table in document.sections[0].parts[0].tables)


@pytest.fixture
def item() -> Report:
    """120 occupations × 19 templates with random preferences."""
    topic = load_topic("gender")
    run = build_run(
        resolve("mini-gpt"), topic, load_evidence(topic.evidence), load_templates("gender-nineteen")
    )
    male = np.random.default_rng(1).random((120, 19))
    preferences = Preferences(
        topic.group_names, run.evidence.terms, run.templates.texts, np.stack([male, 1 - male], axis=-1)
    )
    result = Result(preferences, (), (), (), ())
    found = report(result, run, ViewOptions(), resamples=1)
    return Report(run, "view", found, lambda: result)


def test_pages_hold_every_cell_once(item: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heat_map, "MOST_CELLS", 50 * 7)
    monkeypatch.setattr(heat_map, "MOST_ROWS", 50)
    seen = np.zeros((120, 19), dtype=int)
    pages = heat_map.pages_of(item, "all")
    for page in range(1, pages + 1):
        axes = heat_map.shown_axes(item, "male", "all", "clustering", (), page)
        assert len(axes.rows) * len(axes.columns) <= 350
        seen[np.ix_(axes.rows, axes.columns)] += 1
    assert pages == 9
    assert (seen == 1).all()


def test_clustering_puts_like_rows_and_columns_side_by_side(item: Report) -> None:
    shares = item.result.preferences.values[..., 0]

    def unevenness(order: str) -> tuple[float, float]:
        axes = heat_map.shown_axes(item, "male", "all", order, ())
        shown = shares[np.ix_(axes.rows, axes.columns)]
        return float(np.abs(np.diff(shown, axis=0)).mean()), float(np.abs(np.diff(shown, axis=1)).mean())

    clustered, named = unevenness("clustering"), unevenness("name")
    assert clustered[0] < named[0]
    assert clustered[1] < named[1]


@pytest.mark.parametrize("order", heat_map.ORDERS)
@pytest.mark.parametrize("preset", ["varied", "all"])
def test_every_order_shows_each_row_and_column_once(item: Report, order: str, preset: str) -> None:
    axes = heat_map.shown_axes(item, "female", preset, order, ())
    rows, columns = (120, 19) if preset == "all" else (heat_map.SHOWN_OCCUPATIONS, 19)
    assert (len(set(axes.rows)), len(set(axes.columns))) == (rows, columns)
    assert axes.note == ""


def test_too_many_to_cluster_stay_as_they_were(item: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heat_map, "MOST_CLUSTERED", 18)
    axes = heat_map.shown_axes(item, "male", "all", "clustering", ())
    assert axes.rows == list(range(120))
    assert axes.columns == heat_map.shown_templates(item, "all", ())

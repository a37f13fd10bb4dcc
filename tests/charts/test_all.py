"""What holds for every chart: titles, digits, no forbidden colours, text left to the page."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from pcf_core import charts
from pcf_core.criteria.summary import readings_of
from pcf_core.records import Interval, Preferences, RiskReport
from pcf_core.records.case_file import SharedOccupation, SharedOccupations
from pcf_core.risk import criterion_curve, simplex_risk, toy_risk, two_models
from tests.charts.anecdotal import anecdotes_example, information_example
from tests.charts.answered import answered
from tests.charts.chosen import sensitivities_example
from tests.charts.compared import axis_example, compared_example
from tests.charts.factored import panel_example
from tests.charts.hobbies import embedding_example, hobbies_example, hobby_words_example
from tests.charts.paired import different
from tests.charts.probed import answer
from tests.charts.reads import read_example
from tests.charts.spread import corrected_report, distribution
from tests.charts.tailed import many, normal_of, shape_of

ROWS = [
    charts.RiskBar("run", "run", 0.48, 0.04, 0.52, 0.50, 0.54),
    charts.RiskBar("reference", "reference", 0.0, 1.0, 1.0),
    charts.RiskBar("paper", "published", 0.8, 0.1, 0.9, source="Table 1"),
]

SHARED = SharedOccupations(
    rows=(
        SharedOccupation(occupation="nurse", tilt=0.4, tilt_interval=None, share=0.9, interval=None),
        SharedOccupation(occupation="pilot", tilt=-0.4, tilt_interval=None, share=0.6, interval=None),
    )
)


@pytest.fixture
def figures(
    report: RiskReport, report_of_three: RiskReport, preferences: Preferences
) -> dict[str, go.Figure]:
    """One example of every chart."""
    reports = {"one": report, "two": report}
    risks = ("overall_risk", "prejudice_risk", "caprice_risk")
    comparison = compared_example()
    with_intervals = replace(report, intervals={risk: (Interval(low=0.1, high=0.9),) for risk in risks})
    return {
        "heat_map": charts.heat_map(preferences, "male", [0, 1, 2], [0, 1, 2, 3], [4, 3, 2, 1], neutral=0.5),
        "difference_plot": charts.difference_plot(comparison),
        "risk_scatter": charts.risk_scatter(comparison),
        "axis_panels": charts.axis_panels(axis_example(), "template set"),
        "tilt_box": charts.tilt_box(reports, "male", "female", labour={"nurse": 0.9, "pilot": 0.1}),
        "tilt_panels": charts.tilt_panels({"one": report_of_three}),
        "stereotype_histogram": charts.stereotype_histogram({"one": [distribution()]}, threshold=0.5),
        "stereotype_steps": charts.stereotype_steps({"one": [distribution()]}, threshold=0.5),
        "corrected_dots": charts.corrected_dots({"one": corrected_report(report)}),
        "risk_bars": charts.risk_bars(ROWS),
        "shared_scatter": charts.shared_scatter(SHARED, "female"),
        "occupation_bars": charts.occupation_bars(report),
        "caprice_histogram": charts.caprice_histogram(reports, log_count=False),
        "prejudice_histogram": charts.prejudice_histogram(reports, {"one": (0.5, 0.2)}),
        "survival_plot": charts.survival_plot({"one": many()}, {"one": shape_of(many())}),
        "hill_plot": charts.hill_plot({"one": shape_of(many())}),
        "qq_plot": charts.qq_plot({"one": many()}, {"one": normal_of(many())}),
        "cell_bars": charts.cell_bars({"one": {"male": 0.7, "female": 0.3}}),
        "word_bars": charts.word_bars([charts.WordProbability("he", "male", 0.4)]),
        "probe_words": charts.probe_words({"one": answer({"male": {"he": 0.4}, "female": {"she": 0.1}})}),
        "risk_dots": charts.risk_dots(ROWS, {"0.5 random": 0.5}),
        "ratio_dots": charts.ratio_dots(different().reports),
        "variation_bars": charts.variation_bars(different().reports),
        "prompt_dots": charts.prompt_dots(different().reports["jaccard"]),
        "convergence_lines": charts.convergence_lines(different().convergence, "samples"),
        "temperature_lines": charts.temperature_lines({"one": {1.0: different().reports["jaccard"]}}),
        "label_bars": charts.label_bars(hobbies_example()),
        "label_effects": charts.label_effects({"one": hobbies_example()}),
        "hobby_word_dots": charts.hobby_word_dots(hobby_words_example()),
        "embedding_dots": charts.embedding_dots(embedding_example()),
        "phrase_dots": charts.phrase_dots(different().words),
        "category_bars": charts.category_bars(different().words),
        "share_against_world": charts.share_against_world(anecdotes_example(), "one", ["one"]),
        "information_dots": charts.information_dots(information_example()),
        "criteria_dots": charts.criteria_dots({"one": readings_of([anecdotes_example(), answered()])}),
        "confusion_tiles": charts.confusion_tiles(answered()),
        "rate_dots": charts.rate_dots(answered()),
        "gap_dots": charts.gap_dots(answered()),
        "unit_errors": charts.unit_errors(answered()),
        "factor_plot": charts.factor_plot(panel_example(), "one", ["one"]),
        "read_scatter": charts.read_scatter(read_example(), "one", ["one"]),
        "jensen_curve": charts.jensen_curve(two_models(), criterion_curve()),
        "reference_tiles": charts.reference_tiles({"one": np.eye(3)}, "male"),
        "risk_flow": charts.risk_flow(two_models(), 0.1, 0.1),
        "simplex": charts.simplex(
            simplex_risk(toy_risk("x", ("a", "b", "c"), ["1"], [[0.5, 0.3, 0.2]])), "J"
        ),
        "zipf_plot": charts.zipf_plot(["a", "b", "c"], [6, 3, 1], 2),
        "sensitivity_dots": charts.sensitivity_dots(sensitivities_example(), {"one": None}),
        "share_scatter": charts.share_scatter([charts.TemplateShare("a", 0.5, 0.2)], "one", "two"),
        "risk_moves": charts.risk_moves(
            [charts.RiskMove("one", with_intervals, with_intervals)], "all", "few"
        ),
    }


def test_every_public_chart_is_among_the_examples(figures: dict[str, go.Figure]) -> None:
    assert set(figures) == {name for name in charts.__all__ if name[0].islower()}


def test_every_chart_fits_the_page_and_takes_its_theme(figures: dict[str, go.Figure]) -> None:
    for name, figure in figures.items():
        assert figure.layout.height <= 640, name
        assert figure.layout.paper_bgcolor == "rgba(0, 0, 0, 0)", name
        document = figure.to_plotly_json()
        document["layout"].pop("template")
        fonts = re.findall(r'"\w*font": \{[^}]*"color"', json.dumps(document, default=str))
        assert not fonts, f"{name} fixes a text colour"


def test_shown_axes_of_numbers_are_titled(figures: dict[str, go.Figure]) -> None:
    for name, figure in figures.items():
        titles = [axis.title.text for axis in figure.select_xaxes() if axis.title.text]
        assert titles, name
    for name in (
        "risk_bars",
        "risk_dots",
        "cell_bars",
        "word_bars",
        "probe_words",
        "caprice_histogram",
        "prejudice_histogram",
        "survival_plot",
        "hill_plot",
        "qq_plot",
        "zipf_plot",
        "share_scatter",
        "risk_moves",
        "sensitivity_dots",
        "read_scatter",
        "ratio_dots",
        "variation_bars",
        "prompt_dots",
        "convergence_lines",
        "temperature_lines",
        "phrase_dots",
        "category_bars",
        "share_against_world",
        "information_dots",
        "rate_dots",
        "gap_dots",
        "criteria_dots",
        "label_bars",
        "label_effects",
        "hobby_word_dots",
        "embedding_dots",
    ):
        assert any("→" in axis.title.text for axis in figures[name].select_xaxes() if axis.title.text), name


def test_hover_numbers_have_three_significant_digits(figures: dict[str, go.Figure]) -> None:
    for name, figure in figures.items():
        for trace in figure.data:
            template = trace.hovertemplate or ""
            formats = re.findall(r"%\{(?:x|y|z|customdata(?:\[\d\])?):([^}]*)\}", template)
            assert all(re.fullmatch(r"\+?\.3[gp]", one) for one in formats), (name, template)
            assert template or trace.hoverinfo == "skip", name


def test_no_pink_and_blue_and_no_red_against_green(figures: dict[str, go.Figure]) -> None:
    allowed = {*charts.theme.OKABE_ITO, *charts.theme.DIVERGING, *charts.theme.GROUP_COLORS}
    for figure in figures.values():
        document = figure.to_plotly_json()
        document["layout"].pop("template")
        used = set(re.findall(r"#[0-9a-fA-F]{6}\b", json.dumps(document, default=str)))
        assert used <= allowed


def test_every_chart_can_be_written_as_html(figures: dict[str, go.Figure]) -> None:
    for figure in figures.values():
        assert "plotly" in figure.to_html(include_plotlyjs=False, full_html=False)

"""What holds for every chart: titles, digits, no forbidden colours, text left to the page."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import re
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from pcf_core.core.risk import Interval, RiskReport
from pcf_core.core.run import Preferences
from pcf_core.measure.reference_models import criterion_curve, simplex_risk, toy_risk, two_models
from pcf_core.show import charts
from pcf_core.show.charts import marks, theme
from pcf_core.show.charts.anecdotes import information_dots, share_against_world
from pcf_core.show.charts.answers import confusion_tiles, gap_dots, rate_dots, unit_errors
from pcf_core.show.charts.axis import axis_panels, change_panels
from pcf_core.show.charts.case_file import shared_scatter
from pcf_core.show.charts.cell import WordProbability, cell_bars, probe_words, word_bars
from pcf_core.show.charts.comparison import difference_plot, dumbbell_plot, risk_scatter
from pcf_core.show.charts.corrected import corrected_dots
from pcf_core.show.charts.criteria_summary import criteria_dots
from pcf_core.show.charts.distribution import stereotype_histogram, stereotype_steps
from pcf_core.show.charts.factors import factor_plot
from pcf_core.show.charts.fairpair import (
    category_bars,
    convergence_lines,
    phrase_dots,
    prompt_dots,
    ratio_dots,
    temperature_lines,
    variation_bars,
)
from pcf_core.show.charts.heat_map import heat_map
from pcf_core.show.charts.hobbies import (
    embedding_dots,
    hobby_word_dots,
    label_bars,
    label_effects,
    mean_scores,
    word_counts,
)
from pcf_core.show.charts.knowledge import knowledge_bars
from pcf_core.show.charts.read import read_scatter
from pcf_core.show.charts.risk import LeanBar, RiskBar, lean_bars, occupation_bars, risk_bars, risk_dots
from pcf_core.show.charts.sensitivity import sensitivity_dots
from pcf_core.show.charts.tails import (
    caprice_histogram,
    hill_plot,
    prejudice_histogram,
    qq_plot,
    survival_plot,
)
from pcf_core.show.charts.templates import RiskMove, TemplateShare, risk_moves, share_scatter, zipf_plot
from pcf_core.show.charts.tilt import tilt_box, tilt_panels
from pcf_core.show.charts.toy import jensen_curve, reference_tiles, risk_flow, simplex
from pcf_core.show.compare import Dumbbell
from pcf_core.texts.case_file import SharedOccupation, SharedOccupations
from pcf_core.texts.criteria.summary import readings_of
from tests.goldens.recorded import assert_recorded
from tests.show.charts.anecdotal import anecdotes_example, information_example
from tests.show.charts.answered import answered
from tests.show.charts.chosen import sensitivities_example
from tests.show.charts.compared import axis_example, axis_point, compared_example
from tests.show.charts.factored import panel_example
from tests.show.charts.facts import fact
from tests.show.charts.hobbies import embedding_example, hobbies_example, hobby_words_example
from tests.show.charts.paired import different
from tests.show.charts.probed import answer
from tests.show.charts.reads import read_example
from tests.show.charts.spread import corrected_report, distribution
from tests.show.charts.tailed import many, normal_of, shape_of

ROWS = [
    RiskBar("run", "run", 0.48, 0.04, 0.52, 0.50, 0.54),
    RiskBar("reference", "reference", 0.0, 1.0, 1.0),
    RiskBar("paper", "published", 0.8, 0.1, 0.9, source="Table 1"),
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
        "heat_map": heat_map(preferences, "male", [0, 1, 2], [0, 1, 2, 3], [4, 3, 2, 1], neutral=0.5),
        "difference_plot": difference_plot(comparison),
        "risk_scatter": risk_scatter(comparison),
        "dumbbell_plot": dumbbell_plot([Dumbbell("nurse", -0.9, 0.1)], ("one", "two"), ("women", "men")),
        "axis_panels": axis_panels(axis_example(), "template set"),
        "change_panels": change_panels([axis_point("<b>", size, 0.1) for size in (1e6, 1e7)], "size"),
        "lean_bars": lean_bars([LeanBar("a", 0.1, 0.2), LeanBar("<b>", 0.3, 0.0, neutral=0.25)]),
        "tilt_box": tilt_box(reports, "male", "female", labour={"nurse": 0.9, "pilot": 0.1}),
        "tilt_panels": tilt_panels({"one": report_of_three}),
        "stereotype_histogram": stereotype_histogram({"one": [distribution()]}, threshold=0.5),
        "stereotype_steps": stereotype_steps({"one": [distribution()]}, threshold=0.5),
        "corrected_dots": corrected_dots({"one": corrected_report(report)}),
        "risk_bars": risk_bars(ROWS),
        "shared_scatter": shared_scatter(SHARED, "female"),
        "occupation_bars": occupation_bars(report),
        "caprice_histogram": caprice_histogram(reports, log_count=False),
        "prejudice_histogram": prejudice_histogram(reports, {"one": (0.5, 0.2)}),
        "survival_plot": survival_plot({"one": many()}, {"one": shape_of(many())}),
        "hill_plot": hill_plot({"one": shape_of(many())}),
        "qq_plot": qq_plot({"one": many()}, {"one": normal_of(many())}),
        "cell_bars": cell_bars({"one": {"male": 0.7, "female": 0.3}}),
        "word_bars": word_bars([WordProbability("he", "male", 0.4)]),
        "probe_words": probe_words({"one": answer({"male": {"he": 0.4}, "female": {"she": 0.1}})}),
        "risk_dots": risk_dots(ROWS, {"0.5 random": 0.5}),
        "ratio_dots": ratio_dots(different().reports),
        "variation_bars": variation_bars(different().reports),
        "prompt_dots": prompt_dots(different().reports["jaccard"]),
        "convergence_lines": convergence_lines(different().convergence, "samples"),
        "temperature_lines": temperature_lines({"one": {1.0: different().reports["jaccard"]}}),
        "label_bars": label_bars(hobbies_example()),
        "label_effects": label_effects({"one": hobbies_example()}),
        "hobby_word_dots": hobby_word_dots(hobby_words_example()),
        "word_counts": word_counts(hobby_words_example()),
        "mean_scores": mean_scores(embedding_example()),
        "embedding_dots": embedding_dots(embedding_example()),
        "phrase_dots": phrase_dots(different().words),
        "category_bars": category_bars(different().words),
        "share_against_world": share_against_world(anecdotes_example(), "one", ["one"]),
        "information_dots": information_dots(information_example()),
        "criteria_dots": criteria_dots({"one": readings_of([anecdotes_example(), answered()])}),
        "confusion_tiles": confusion_tiles(answered()),
        "rate_dots": rate_dots(answered()),
        "gap_dots": gap_dots(answered()),
        "unit_errors": unit_errors(answered()),
        "factor_plot": factor_plot(panel_example(), "one", ["one"]),
        "read_scatter": read_scatter(read_example(), "one", ["one"]),
        "knowledge_bars": knowledge_bars([fact("Sun", 0.8, 0.1)]),
        "jensen_curve": jensen_curve(two_models(), criterion_curve()),
        "reference_tiles": reference_tiles({"one": np.eye(3)}, "male"),
        "risk_flow": risk_flow(two_models(), 0.1, 0.1),
        "simplex": simplex(simplex_risk(toy_risk("x", ("a", "b", "c"), ["1"], [[0.5, 0.3, 0.2]])), "J"),
        "zipf_plot": zipf_plot(["a", "b", "c"], [6, 3, 1], 2),
        "sensitivity_dots": sensitivity_dots(sensitivities_example(), {"one": None}),
        "share_scatter": share_scatter([TemplateShare("a", 0.5, 0.2)], "one", "two"),
        "risk_moves": risk_moves([RiskMove("one", with_intervals, with_intervals)], "all", "few"),
    }


@pytest.mark.slow
def test_every_public_chart_is_among_the_examples(figures: dict[str, go.Figure]) -> None:
    drawing = set()
    for module in pkgutil.iter_modules(charts.__path__, f"{charts.__name__}."):
        for name, function in inspect.getmembers(importlib.import_module(module.name), inspect.isfunction):
            own = function.__module__ == module.name and not name.startswith("_")
            if own and inspect.signature(function).return_annotation in ("Figure", "go.Figure"):
                drawing.add(name)
    drawing -= {"base_layout", "titled"}  # what the others begin with, and what a page adds
    assert set(figures) == drawing


def test_every_chart_fits_the_page_and_takes_its_theme(figures: dict[str, go.Figure]) -> None:
    for name, figure in figures.items():
        assert figure.layout.height <= 640, name
        assert figure.layout.paper_bgcolor == "rgba(0, 0, 0, 0)", name
        document = figure.to_plotly_json()
        document["layout"].pop("template")
        fonts = re.findall(r'"\w*font": \{[^}]*"color"', json.dumps(document, default=str))
        assert not fonts, f"{name} fixes a text colour"


@pytest.mark.slow
def test_shown_axes_of_numbers_are_titled(figures: dict[str, go.Figure]) -> None:
    for name, figure in figures.items():
        titles = [axis.title.text for axis in figure.select_xaxes() if axis.title.text]
        assert titles, name
    for name in (
        "dumbbell_plot",
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
        "word_counts",
        "mean_scores",
    ):
        assert any("→" in axis.title.text for axis in figures[name].select_xaxes() if axis.title.text), name


@pytest.mark.slow
def test_hover_numbers_have_three_significant_digits(figures: dict[str, go.Figure]) -> None:
    for name, figure in figures.items():
        for trace in figure.data:
            template = trace.hovertemplate or ""
            formats = re.findall(r"%\{(?:x|y|z|customdata(?:\[\d\])?):([^}]*)\}", template)
            assert all(re.fullmatch(r"\+?\.3[gp]", one) for one in formats), (name, template)
            assert template or trace.hoverinfo == "skip", name


@pytest.mark.slow
def test_no_pink_and_blue_and_no_red_against_green(figures: dict[str, go.Figure]) -> None:
    parts = {theme.PREJUDICE, theme.SHARED, theme.CAPRICE}
    allowed = {*theme.OKABE_ITO, *theme.DIVERGING, *theme.GROUP_COLORS, *parts, marks.RIM}
    for figure in figures.values():
        document = figure.to_plotly_json()
        document["layout"].pop("template")
        used = set(re.findall(r"#[0-9a-fA-F]{6}\b", json.dumps(document, default=str)))
        assert used <= allowed


@pytest.mark.slow
def test_every_chart_can_be_written_as_html(figures: dict[str, go.Figure]) -> None:
    for figure in figures.values():
        assert "plotly" in figure.to_html(include_plotlyjs=False, full_html=False)


def test_every_chart_is_drawn_as_recorded(figures: dict[str, go.Figure]) -> None:
    for name, figure in figures.items():
        document = figure.to_plotly_json()
        document["layout"].pop("template")
        assert_recorded(f"charts/{name}", document)

"""Charts: records and arrays in, a plotly ``Figure`` out.

Layer: draws what it is given and computes no statistic but the places of marks (bins, quartiles, margins).
May import ``pcf_core.records``, numpy and plotly; never streamlit, never a room that computes.

Every label that came from a user passes ``theme.text``, because plotly reads some HTML in texts.
"""

from pcf_core.charts.anecdotes import information_dots, share_against_world
from pcf_core.charts.answers import confusion_tiles, gap_dots, rate_dots, unit_errors
from pcf_core.charts.axis import axis_panels
from pcf_core.charts.case_file import shared_scatter
from pcf_core.charts.cell import WordProbability, cell_bars, word_bars
from pcf_core.charts.comparison import difference_plot, risk_scatter
from pcf_core.charts.corrected import corrected_dots
from pcf_core.charts.criteria_summary import criteria_dots
from pcf_core.charts.distribution import stereotype_histogram, stereotype_steps
from pcf_core.charts.factors import factor_plot
from pcf_core.charts.fairpair import (
    convergence_lines,
    prompt_dots,
    ratio_dots,
    temperature_lines,
    variation_bars,
)
from pcf_core.charts.fairpair_words import category_bars, phrase_dots
from pcf_core.charts.heat_map import heat_map
from pcf_core.charts.hobbies import embedding_dots, hobby_word_dots, label_bars, label_effects
from pcf_core.charts.overview import risk_dots
from pcf_core.charts.probe import probe_words
from pcf_core.charts.read import read_scatter
from pcf_core.charts.risk import RiskBar, occupation_bars, risk_bars
from pcf_core.charts.sensitivity import sensitivity_dots
from pcf_core.charts.tail_fits import hill_plot, qq_plot, survival_plot
from pcf_core.charts.tails import caprice_histogram, prejudice_histogram
from pcf_core.charts.templates import RiskMove, TemplateShare, risk_moves, share_scatter, zipf_plot
from pcf_core.charts.tilt import tilt_box, tilt_panels
from pcf_core.charts.toy import jensen_curve
from pcf_core.charts.toy_matrices import reference_tiles, risk_flow
from pcf_core.charts.toy_simplex import simplex

__all__ = [
    "RiskBar",
    "RiskMove",
    "TemplateShare",
    "WordProbability",
    "axis_panels",
    "caprice_histogram",
    "category_bars",
    "cell_bars",
    "confusion_tiles",
    "convergence_lines",
    "corrected_dots",
    "criteria_dots",
    "difference_plot",
    "embedding_dots",
    "factor_plot",
    "gap_dots",
    "heat_map",
    "hill_plot",
    "hobby_word_dots",
    "information_dots",
    "jensen_curve",
    "label_bars",
    "label_effects",
    "occupation_bars",
    "phrase_dots",
    "prejudice_histogram",
    "probe_words",
    "prompt_dots",
    "qq_plot",
    "rate_dots",
    "ratio_dots",
    "read_scatter",
    "reference_tiles",
    "risk_bars",
    "risk_dots",
    "risk_flow",
    "risk_moves",
    "risk_scatter",
    "sensitivity_dots",
    "share_against_world",
    "share_scatter",
    "shared_scatter",
    "simplex",
    "stereotype_histogram",
    "stereotype_steps",
    "survival_plot",
    "temperature_lines",
    "tilt_box",
    "tilt_panels",
    "unit_errors",
    "variation_bars",
    "word_bars",
    "zipf_plot",
]

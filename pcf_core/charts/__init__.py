"""Charts: records and arrays in, a plotly ``Figure`` out.

Layer: draws what it is given and computes no statistic but the places of marks (bins, quartiles, margins).
May import ``pcf_core.records``, numpy and plotly; never streamlit, never a room that computes.

Every label that came from a user passes ``theme.text``, because plotly reads some HTML in texts.
"""

from pcf_core.charts.cell import WordProbability, cell_bars, word_bars
from pcf_core.charts.heat_map import heat_map
from pcf_core.charts.overview import risk_dots
from pcf_core.charts.risk import RiskBar, occupation_bars, risk_bars
from pcf_core.charts.tails import caprice_histogram, prejudice_histogram
from pcf_core.charts.templates import RiskMove, TemplateShare, risk_moves, share_scatter, zipf_plot
from pcf_core.charts.tilt import tilt_box, tilt_panels

__all__ = [
    "RiskBar",
    "RiskMove",
    "TemplateShare",
    "WordProbability",
    "caprice_histogram",
    "cell_bars",
    "heat_map",
    "occupation_bars",
    "prejudice_histogram",
    "risk_bars",
    "risk_dots",
    "risk_moves",
    "share_scatter",
    "tilt_box",
    "tilt_panels",
    "word_bars",
    "zipf_plot",
]

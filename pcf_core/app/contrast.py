"""Chart text that can be read on a light page.

Streamlit 1.67 draws ticks and titles of a chart's axes in one fixed grey.  On white it has 3.7 : 1, less than
the 4.5 : 1 of WCAG 2 (1.4.3), and no theme option changes it (its issues 12425 and 14204).  It also knows a
stronger grey, near black on a light page and near white on a dark one, under a placeholder that it replaces
in the browser; so does this file, for the charts themselves leave every text colour to the page.
"""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
from streamlit.elements.lib.streamlit_plotly_theme import GRAY_90

from pcf_core.show.charts.theme import titled

STRONG: dict[str, Any] = {"tickfont": {"color": GRAY_90}, "title": {"font": {"color": GRAY_90}}}


def readable(figure: go.Figure, title: str = "", source: str = "") -> go.Figure:
    """Give axes, colour bars and annotations of a new figure the stronger grey, in place.

    ``title`` and ``source`` are written into it where it has none, see :func:`titled`.
    """
    if title:
        titled(figure, title, source)
    figure.update_xaxes(STRONG)
    figure.update_yaxes(STRONG)
    figure.update_coloraxes(colorbar=STRONG)
    figure.update_annotations(font_color=GRAY_90)
    return figure

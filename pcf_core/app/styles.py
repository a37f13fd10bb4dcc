"""Fixes for what Streamlit 1.67 draws too pale, too small or too slowly.

Most are in ``front/page.css``; the rest is about charts.  Their axes have a fixed grey with a contrast of
3.7:1, below the 4.5:1 of WCAG 2 (1.4.3), which no theme option changes (Streamlit issues 12425, 14204).  This
file uses the placeholder of a stronger grey instead, which the browser replaces by a colour of the theme, and
placeholders for the colours of probabilities, see ``.streamlit/config.toml``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pcf_core.app.inside import BG_COLOR, DIVERGING, GRAY_90
from pcf_core.show.charts import theme
from pcf_core.show.charts.marks import INK, RIM
from pcf_core.show.charts.theme import titled

if TYPE_CHECKING:
    import plotly.graph_objects as go

FRONT = Path(__file__).parent / "front"  # style sheets and scripts of browsers
COMMENT = re.compile(r"/\*.*?\*/\s*", re.DOTALL)


def front(name: str) -> str:
    """Read a style sheet without its comments, or a script."""
    text = (FRONT / name).read_text(encoding="utf8")
    return COMMENT.sub("", text) if name.endswith(".css") else text


STYLE, WIDE = front("page.css"), front("wide.css")
STYLES = f"<style>{STYLE}</style>"  # drawn by the script if another command serves the app
FIRST_STYLE = f"<style>{STYLE}{WIDE}{front('sidebar.css')}</style>"
FIRST_PRESENTED = f"<style>{STYLE}{WIDE}</style>"  # without a sidebar
HEAD, ROW = 37, 35  # pixels
MOST_ROWS = 10  # of a table that are visible at once
ONE_LINE = 160  # columns of a source in a picture 960 pixels wide
# The theme's colours of the diverging scale, without the two stops beside neutral.
ON_PAGE = dict(
    zip(
        (*theme.DIVERGING[:4], theme.DIVERGING[5], *theme.DIVERGING[7:]),
        (*DIVERGING[:5], *DIVERGING[6:]),
        strict=True,
    )
)
STRONG: dict[str, Any] = {"tickfont": {"color": GRAY_90}, "title": {"font": {"color": GRAY_90}}}


def table_room(key: str, rows: int) -> str:
    """Return the style that reserves the height of a table with this key until it is drawn."""
    height = HEAD + ROW * min(rows, MOST_ROWS)
    waits = f'[class*="st-key-{key}"]:has(> [data-testid="stSkeleton"])'
    return f"<style>.stElementContainer{waits} {{ min-height: {height}px; }}</style>"


def readable(figure: go.Figure, title: str = "", source: str = "", claim: str = "") -> go.Figure:
    """Give a new figure readable colours and its texts (see :func:`titled`), in place.

    Rims of marks take the page's colour.  The source has one line, as pages hide it and files are wide.
    """
    if title:
        titled(figure, title, source, claim, width=ONE_LINE)
    figure.update_xaxes(STRONG)
    figure.update_yaxes(STRONG)
    figure.update_coloraxes(colorbar=STRONG)
    figure.for_each_coloraxis(_in_the_colours_of_the_page)
    figure.update_annotations(font_color=GRAY_90)
    figure.update_traces(outsidetextfont_color=GRAY_90, selector={"type": "bar"})
    figure.for_each_trace(_on_the_page, selector={"type": "scatter"})
    return figure


def _in_the_colours_of_the_page(axis: go.layout.Coloraxis) -> None:
    stops = list(axis.colorscale or ())
    if tuple(color for _, color in stops) == theme.DIVERGING:
        axis.colorscale = [[at, ON_PAGE[color]] for at, color in stops if color in ON_PAGE]


def _on_the_page(trace: go.Scatter) -> None:
    if isinstance(trace.marker.color, str) and trace.marker.color == RIM:
        trace.marker.update(color=BG_COLOR, line_color=BG_COLOR)
        if trace.error_x.array is not None:
            trace.error_x.color = BG_COLOR
    elif isinstance(trace.marker.color, str) and trace.marker.color == INK:
        trace.update(marker_color=GRAY_90, line_color=GRAY_90, error_x_color=GRAY_90)
        trace.marker.line.color = GRAY_90
    if "text" in (trace.mode or ""):
        trace.textfont.color = GRAY_90


def finished(figure: go.Figure) -> go.Figure:
    """Fix the parts of a figure that will not change, so that they are computed once."""
    parts = figure.to_dict()
    figure.to_dict = lambda: parts
    return figure

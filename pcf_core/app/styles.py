"""What Streamlit 1.67 draws too pale, cuts off, makes too small for a finger, or takes too long for.

Most of it is one style sheet, ``front/page.css``.  Chart text is the rest: Streamlit draws ticks and titles
of a chart's axes in one fixed grey.  On white it has 3.7 : 1, less than the 4.5 : 1 of WCAG 2 (1.4.3), and no
theme option changes it (its issues 12425 and 14204).  It also knows a stronger grey, near black on a light
page and near white on a dark one, under a placeholder that it replaces in the browser; so does this file, for
the charts themselves leave every text colour to the page.  The colours of a probability are placeholders,
too: ``.streamlit/config.toml`` says what neutral and both ends are on a light and on a dark page.

And it takes a chart apart on each run of a page, for longer than the rest of that run may take.
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
STYLES = f"<style>{STYLE}</style>"  # drawn by the script, where another command than ours serves it
FIRST_STYLE = f"<style>{STYLE}{WIDE}{front('sidebar.css')}</style>"
FIRST_PRESENTED = f"<style>{STYLE}{WIDE}</style>"  # no sidebar comes, so nothing is to keep its place
HEAD, ROW = 37, 35  # pixels of a table's head and of a row
MOST_ROWS = 10  # of a table are seen at once
ONE_LINE = 160  # columns of a source: a file of a picture is 960 pixels wide
# The stops of the diverging scale by the theme's colours: of its eleven, the two beside neutral are left out.
ON_PAGE = dict(
    zip(
        (*theme.DIVERGING[:4], theme.DIVERGING[5], *theme.DIVERGING[7:]),
        (*DIVERGING[:5], *DIVERGING[6:]),
        strict=True,
    )
)
STRONG: dict[str, Any] = {"tickfont": {"color": GRAY_90}, "title": {"font": {"color": GRAY_90}}}


def table_room(key: str, rows: int) -> str:
    """Return the style that keeps the place of a table until its script is there: most of a page is below it.

    ``key``: the table's; ``rows``: how many it has, of which Streamlit shows ten.
    """
    height = HEAD + ROW * min(rows, MOST_ROWS)
    waits = f'[class*="st-key-{key}"]:has(> [data-testid="stSkeleton"])'
    return f"<style>.stElementContainer{waits} {{ min-height: {height}px; }}</style>"


def readable(figure: go.Figure, title: str = "", source: str = "", claim: str = "") -> go.Figure:
    """Give axes, colour bars and annotations of a new figure the stronger grey, in place.

    What sets a mark off from the bar under it takes the page's colour: white on a dark page, it would be seen
    before the mark itself.  A whisker on bars and the values beside marks take the colour of the text.
    ``title``, ``source`` and ``claim`` are written into it where it has none, see :func:`titled`; the source
    in one line, as a page hides it, and a file of a picture is wide enough.
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
    """Take a figure apart that nobody changes any more, once; all who ask for its parts share them."""
    parts = figure.to_dict()
    figure.to_dict = lambda: parts
    return figure

"""What Streamlit 1.67 draws too pale, cuts off, makes too small for a finger, or takes too long for.

Most of it is one style sheet.  Chart text is the rest: Streamlit draws ticks and titles of a chart's axes in
one fixed grey.  On white it has 3.7 : 1, less than the 4.5 : 1 of WCAG 2 (1.4.3), and no theme option changes
it (its issues 12425 and 14204).  It also knows a stronger grey, near black on a light page and near white on
a dark one, under a placeholder that it replaces in the browser; so does this file, for the charts themselves
leave every text colour to the page.

And it takes a chart apart on each run of a page, for longer than the rest of that run may take.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import plotly.graph_objects as go

from pcf_core.app.inside import BG_COLOR, GRAY_90
from pcf_core.show.charts.marks import RIM
from pcf_core.show.charts.theme import titled

# The chosen segment, the chosen tab and a slider's value are written in the accent colour, which in the dark
# theme cannot be both pale enough for that and dark enough for the white text of buttons and chips: 4.5 : 1
# holds for one of them only.
ACCENTED_TEXT = """
button[data-variant="segmented_control"][aria-checked="true"] { color: inherit !important; }
[data-testid="stTab"][aria-selected="true"], [data-testid="stTab"][aria-selected="true"] p {
  color: inherit !important;
}
[data-testid="stSliderThumbValue"], [data-testid="stSliderThumbValue"] p { color: inherit !important; }
"""

# Where the keyboard is in the menu shows as a faint tint alone.
FOCUS = """
[data-testid="stSidebarNavLink"]:focus-visible, [data-testid="stPageLink-NavLink"]:focus-visible,
[data-testid="stTopNavSection"]:focus-visible, [data-testid="stTopNavDropdownLink"]:focus-visible {
  outline: 2px solid currentColor; outline-offset: -2px;
}
"""

# A page begins where the menu ends, not two lines below it.
FROM_THE_TOP = """
[data-testid="stMainBlockContainer"] { padding-top: 4.5rem; }
[data-testid="stSidebarHeader"] { margin-bottom: 0; }
"""

# A link to a page keeps room around its words for the colour that it takes under the pointer.  It hangs
# over, so that the words begin where those above and below do; what follows in a row keeps its place.
LINKS = """
[data-testid="stPageLink-NavLink"] { position: relative; left: -0.5rem; }
"""

# A key figure's label, value and interval are cut where its column is narrow; here they wrap.
WHOLE_FIGURES = """
[data-testid="stMetricDelta"] { height: auto; border-radius: 0.75rem; }
[data-testid="stMetric"] .stMarkdownEllipsis, [data-testid="stMetric"] .stMarkdownEllipsis p {
  overflow: visible; white-space: normal;
}
"""

# Beside other fields the chips of chosen names are cut on a telephone: a field of them takes a line there.
# In the narrow sidebar a long name wraps: cut, "SmolLM2-135M-Instruct" would look like "SmolLM2-135M".
WHOLE_CHIPS = """
[data-testid="stMultiSelectTagsContainer"] [data-tag] { height: auto; min-height: 1.5rem; }
[data-testid="stMultiSelectTagsContainer"] [data-tag] > span[title] {
  white-space: normal; overflow-wrap: anywhere; line-height: 1.25; padding-block: 0.15rem;
}
.stElementContainer:has(> [data-testid="stMultiSelect"]) { min-width: min(100%, 16rem); }
"""

# On a touch screen a chart's buttons never go away: they stand above it instead of over its first marks, and
# without those that a finger has no use for.  What is tapped is about 40 pixels high.
TOUCH = """
@media (hover: none) {
  .stElementContainer:has([data-testid="stPlotlyChart"]) { margin-top: 2.5rem; overflow: visible !important; }
  [data-testid="stPlotlyChart"] .js-plotly-plot { overflow: visible !important; }
  [data-testid="stPlotlyChart"] .modebar-container { top: -2.5rem !important; }
  [data-testid="stPlotlyChart"] .modebar-group { background: none !important; padding: 0; }
  [data-testid="stPlotlyChart"] .modebar-btn { width: 2.5rem; height: 2.5rem !important; }
  [data-testid="stPlotlyChart"] .modebar-btn path { fill: currentColor !important; }
  [data-testid="stPlotlyChart"] .modebar-btn[data-val="zoom"],
  [data-testid="stPlotlyChart"] .modebar-btn[data-val="auto"] { display: none; }
  button[data-variant="segmented_control"], [data-testid="stPageLink-NavLink"],
  [data-testid="stSidebarNavLink"] { min-height: 2.5rem; }
  [data-testid="stCheckbox"] label { min-height: 2.5rem; align-items: center; }
  [data-testid="stTooltipIcon"] button, [data-testid="stMultiSelect"] button[aria-label^="Remove "] {
    position: relative;
  }
  [data-testid="stTooltipIcon"] button::after,
  [data-testid="stMultiSelect"] button[aria-label^="Remove "]::after {
    content: ""; position: absolute; inset: -0.75rem;
  }
}
"""

# What is a table on a wide page is a card for each row on a narrow one: of two containers with these keys one
# is seen.  What lies around the other goes too: it would leave a gap.
CARDS = """
@media (max-width: 640px) {
  [class*="st-key-table_of_"],
  [data-testid="stLayoutWrapper"]:has(> [class*="st-key-table_of_"]) { display: none; }
}
@media (min-width: 641px) {
  [class*="st-key-cards_of_"],
  [data-testid="stLayoutWrapper"]:has(> [class*="st-key-cards_of_"]) { display: none; }
}
"""

# The grey bar that stands for what is still to come is about as wide and high as what replaces it: narrower,
# it would stand beside others until its words are there, and then move to a line of its own.
LINES = """
.stElementContainer:has(> [data-testid="stSkeleton"]) { min-width: min(100%, 8rem); }
[class*="st-key-controls_"] > .stElementContainer:has(> [data-testid="stSkeleton"]),
[data-testid="stSidebarUserContent"] .stElementContainer:has(> [data-testid="stSkeleton"]) {
  min-height: 4.25rem;
}
[data-testid="stSidebarUserContent"]
  .stElementContainer[class*="st-key-tools"]:has(> [data-testid="stSkeleton"]) { min-height: 2.5rem; }
[data-testid="stSidebarUserContent"]
  .stElementContainer[class*="st-key-present"]:has(> [data-testid="stSkeleton"]) { min-height: 1.5rem; }
[class*="st-key-controls_low_"] > .stElementContainer:has(> [data-testid="stSkeleton"]),
.stElementContainer[class*="st-key-models_shown"]:has(> [data-testid="stSkeleton"]) { min-height: 3.75rem; }
[class*="st-key-pair"] > .stElementContainer:has(> [data-testid="stSkeleton"]) {
  min-width: 4rem; min-height: 2.5rem;
}
"""

# The name of an icon is wider than the icon, which takes its place once its font is there.
ICONS = """
[data-testid="stIconMaterial"] { max-width: 1em; overflow: hidden; white-space: nowrap; }
"""

# Until the first run of a script has said that the page is wide and drawn its sidebar, Streamlit lays out a
# narrow one without: the page would jump aside.
WIDE = """
@media (min-width: 768px) {
  [data-testid="stMainBlockContainer"] { max-width: initial; padding-left: 5rem; padding-right: 5rem; }
}
"""
SIDEBAR_TO_COME = """
@media (min-width: 768px) {
  [data-testid="stApp"]:not([data-test-script-state="notRunning"])
    [data-testid="stAppViewContainer"]:not(:has([data-testid="stSidebar"])) { padding-left: 300px; }
}
"""
STYLE = f"{FROM_THE_TOP}{ACCENTED_TEXT}{FOCUS}{LINKS}{WHOLE_FIGURES}{WHOLE_CHIPS}{TOUCH}{CARDS}{LINES}{ICONS}"
STYLES = f"<style>{STYLE}</style>"  # drawn by the script, where another command than ours serves it
FIRST_STYLE = f"<style>{STYLE}{WIDE}{SIDEBAR_TO_COME}</style>"
FIRST_PRESENTED = f"<style>{STYLE}{WIDE}</style>"  # no sidebar comes, so nothing is to keep its place
HEAD, ROW = 37, 35  # pixels of a table's head and of a row
MOST_ROWS = 10  # of a table are seen at once
STRONG: dict[str, Any] = {"tickfont": {"color": GRAY_90}, "title": {"font": {"color": GRAY_90}}}


def table_room(key: str, rows: int) -> str:
    """Return the style that keeps the place of a table until its script is there: most of a page is below it.

    ``key``: the table's; ``rows``: how many it has, of which Streamlit shows ten.
    """
    height = HEAD + ROW * min(rows, MOST_ROWS)
    waits = f'[class*="st-key-{key}"]:has(> [data-testid="stSkeleton"])'
    return f"<style>.stElementContainer{waits} {{ min-height: {height}px; }}</style>"


def readable(figure: go.Figure, title: str = "", source: str = "") -> go.Figure:
    """Give axes, colour bars and annotations of a new figure the stronger grey, in place.

    What sets a mark off from the bar under it takes the page's colour: white on a dark page, it would be seen
    before the mark itself.
    ``title`` and ``source`` are written into it where it has none, see :func:`titled`.
    """
    if title:
        titled(figure, title, source)
    figure.update_xaxes(STRONG)
    figure.update_yaxes(STRONG)
    figure.update_coloraxes(colorbar=STRONG)
    figure.update_annotations(font_color=GRAY_90)
    figure.for_each_trace(_on_the_page, selector={"type": "scatter"})
    return figure


def _on_the_page(trace: go.Scatter) -> None:
    if isinstance(trace.marker.color, str) and trace.marker.color == RIM:
        trace.marker.update(color=BG_COLOR, line_color=BG_COLOR)
        if trace.error_x.array is not None:
            trace.error_x.color = BG_COLOR


class Finished(go.Figure):  # type: ignore[misc]
    """A copy of a figure that nobody changes any more, and so is taken apart once."""

    def to_dict(self) -> dict[str, Any]:
        """Return its parts, which all who ask for them share."""
        return self._parts

    @cached_property
    def _parts(self) -> dict[str, Any]:
        return dict(super().to_dict())

"""Present: one picture a screen, large enough for a projector; and the address of a page, to be copied.

A page is drawn as ever.  A style sheet hides what is no answer and no picture, and the arrow keys press the
two links that lead to the view before and behind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar
from urllib.parse import parse_qs

import plotly.graph_objects as go
import streamlit as st
from streamlit.components.v2 import component

from pcf_core.app.choice import current_choice
from pcf_core.app.data import models_by_topic, results_mark
from pcf_core.app.styles import front
from pcf_core.show.charts.theme import SOURCE_SIZE

PRESENT = "present"  # in the address: ?present=true, and ?present=1 too
VIEWS = ("overview", "tilt", "heat_map", "risk", "caprice")
TEXT = 20  # pixels, the least of what is read from the last row
HEIGHT = 700  # of a picture: with title and answer a screen of 1920 × 1080
BAR_GROWS = 34  # pixels: three lines of a bar of colours, from 12 to 20
MOST_CELLS_DOWN, MOST_DUMBBELLS = 10, 18  # rows of a picture whose names are all read
Row = TypeVar("Row")

RULES = front("present.css")
STYLE = f'<style class="presented">{RULES}</style>'
# The same in the document that a browser loads first, until the script has drawn its own: Streamlit draws a
# style after the sidebar that it is to hide.  Who has to log in first needs the button that it would hide.
FIRST_PRESENT = f"""<style id="presented_first">{RULES}</style><script>
new MutationObserver((_, observer) => {{
  if (!document.querySelector('style.presented, [class*="st-key-login_"]')) return;
  document.getElementById("presented_first").remove();
  observer.disconnect();
}}).observe(document.body, {{ childList: true, subtree: true }});
</script>"""

# Trusted text alone: what comes from an address or a model never gets here.
TOOLS = component(
    "pcf_audit_tools",
    html='<button type="button">Copy link</button><span role="status"></span>',
    css=front("tools.css"),
    js=front("tools.js"),
)


def is_presented() -> bool:
    """Tell whether the page is shown on a projector."""
    return bool(st.session_state.get(PRESENT))


def asks_to_present(query: str) -> bool:
    """Tell whether the query of an address, ``present=1&topic=…``, asks for presenting."""
    return parse_qs(query).get(PRESENT, [""])[-1] in ("1", "true")


def in_full(parameters: Mapping[str, str | list[str]]) -> dict[str, str | list[str]]:
    """Return the parameters of an address with its short form as the switch says it.

    A page that the address leads to would forget the short form, which the switch does not know.
    """
    values = parameters.get(PRESENT, "")
    last = values if isinstance(values, str) else values[-1]  # of several the last counts
    return {**parameters, **({PRESENT: "true"} if last == "1" else {})}


def draw_style() -> None:
    """Draw what presenting hides and enlarges, before anything that would jump when it comes.

    The switch itself is drawn later: the address says what it will, until somebody has pressed it.
    """
    if st.session_state.get(PRESENT, st.query_params.get(PRESENT) == "true"):
        st.html(STYLE)


def fitting_rows(rows: Sequence[Row], most: int) -> list[Row]:
    """Return as many rows of a picture as can be read on a projector, evenly from its first to its last."""
    return list(rows[:: -(-len(rows) // most)] if is_presented() and rows else rows)


def take_short_form() -> None:
    """Read ?present=1, which is easy to type, as what the address says of the switch; before it is asked."""
    if st.query_params.get(PRESENT) == "1":
        del st.query_params[PRESENT]
        st.session_state[PRESENT] = True


def draw_tools() -> None:
    """Draw, below the shared choice, how to copy the address and how to present."""
    with st.sidebar:
        TOOLS(key="tools", data={"topics": {name: results_mark(n) for name, n in models_by_topic().items()}})
        st.toggle(
            "Present",
            key=PRESENT,
            bind="query-params",
            help="For a projector: large text, one picture a screen. The arrow keys go to the next view, Esc "
            "ends it.",
        )


def draw_presented(page: str) -> None:
    """Draw the ways to the views beside, while presenting."""
    if not is_presented():
        return
    parameters = current_choice().parameters
    index = VIEWS.index(page) if page in VIEWS else 0
    ways = {"before": index - 1, "next": index + 1}
    for name, at in ways.items():
        if 0 <= at < len(VIEWS):
            with st.container(key=f"present_{name}"):
                st.page_link(
                    f"pages/{VIEWS[at]}.py",
                    label="←" if name == "before" else "→",
                    query_params={**parameters, PRESENT: "true"},
                    help="The view before (←)" if name == "before" else "The next view (→)",
                )


def enlarged(figure: go.Figure) -> go.Figure:
    """Return a copy of a figure for a projector."""
    shown = go.Figure(figure)
    text = {"size": TEXT}
    shown.update_layout(height=HEIGHT, font=text, legend={"font": text}, hoverlabel={"font": text})
    title = shown.layout.title.text or ""
    # The source stands in small letters of its own, and the plot makes room for larger ones.
    shown.update_layout(
        title={"font": text, "text": title.replace(f"font-size: {SOURCE_SIZE}px", f"font-size: {TEXT}px")},
        margin={"t": (shown.layout.margin.t or 0) + (TEXT - SOURCE_SIZE) * (1 + title.count("<br>"))},
    )
    for axes in (shown.update_xaxes, shown.update_yaxes):
        axes(tickfont=text, title={"font": text})
    bar = shown.layout.coloraxis.colorbar
    if bar.title.text:  # it lies between title and plot, which make room for its larger letters
        grown = shown.layout.margin.t - (figure.layout.margin.t or 0)
        bar.update(tickfont=text, title={"font": text})
        if bar.yref == "container":
            bar.y = 1 - ((1 - bar.y) * (figure.layout.height or HEIGHT) + grown) / HEIGHT
        shown.update_layout(margin={"t": shown.layout.margin.t + BAR_GROWS})
    return shown.update_annotations(font=text)

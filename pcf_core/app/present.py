"""Present: slides for a projector, and the address of a page to be copied.

Style sheets hide everything but answers and pictures, except on two pages with fields.  The arrow keys press
the links to the previous and next slide.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar
from urllib.parse import parse_qs

import plotly.graph_objects as go
import streamlit as st
from streamlit.components.v2 import component

from pcf_core.app.addresses import RUN_AN_AUDIT, Choice
from pcf_core.app.choice import current_choice
from pcf_core.app.data import models_by_topic, results_mark
from pcf_core.app.roles import may_audit
from pcf_core.app.styles import front
from pcf_core.app.titles import topic_titles
from pcf_core.models.public import absent_among
from pcf_core.show.charts.theme import DRAWN_SIZE, SOURCE_SIZE, TITLE_LINE

PRESENT = "present"  # parameter: ?present=true or ?present=1
VIEWS = ("overview", "compare", "tilt", "heat_map", "caprice", "try_a_sentence")  # the slides, in their order
AUDIT = RUN_AN_AUDIT.page  # not a slide; slides link to it for auditors
WITH_FIELDS = ("try_a_sentence", AUDIT)  # pages that keep their fields and buttons
TEXT = 20  # pixels, readable from the last row
HEIGHT = 590  # of a picture: with title, answer and source it fits 1920 × 1080
HEIGHTS = {"dumbbell_plot": 520, "heat_map": 770, "models_presented": 470}  # others than HEIGHT
MOST_CELLS_DOWN, MOST_DUMBBELLS = 10, 10  # rows of a picture with readable names
SOURCE = re.compile(rf'<br><span style="font-size: {SOURCE_SIZE}px[^>]*>.*?</span>')  # of a figure's title
Row = TypeVar("Row")

HEIGHT_RULES = f":root {{ --tall: {HEIGHT}px; }}" + "".join(
    f".st-key-{key} {{ --tall: {height}px; }}" for key, height in HEIGHTS.items()
)
RULES, SLIDE_RULES = front("present.css") + HEIGHT_RULES, front("slide.css")
# The same in the document that a browser loads first, until the script has drawn its own: Streamlit draws
# styles after the sidebar.  Visitors who have to log in need the button that it would hide.
FIRST_PRESENT = f"""<style id="presented_first">{RULES}{SLIDE_RULES}</style><script>
new MutationObserver((_, observer) => {{
  if (!document.querySelector('style.presented, [class*="st-key-login_"]')) return;
  document.getElementById("presented_first").remove();
  observer.disconnect();
}}).observe(document.body, {{ childList: true, subtree: true }});
</script>"""

# Trusted text only: nothing from an address or a model.
TOOLS = component(
    "pcf_audit_tools",
    html='<button type="button">Copy link</button><span role="status"></span>',
    css=front("tools.css"),
    js=front("tools.js"),
)


def is_presented() -> bool:
    """Return whether the page is shown on a projector."""
    return bool(st.session_state.get(PRESENT))


def asks_to_present(query: str) -> bool:
    """Return whether a query such as ``present=1&topic=…`` asks for presenting."""
    return parse_qs(query).get(PRESENT, [""])[-1] in ("1", "true")


def in_full(parameters: Mapping[str, str | list[str]]) -> dict[str, str | list[str]]:
    """Return the parameters with ``present=1`` written as the switch writes it, so that links keep it."""
    values = parameters.get(PRESENT, "")
    last = values if isinstance(values, str) else values[-1]  # of several the last counts
    return {**parameters, **({PRESENT: "true"} if last == "1" else {})}


def draw_style(page: str) -> None:
    """Draw the style sheet of presenting, before the switch and anything that would jump."""
    if st.session_state.get(PRESENT, st.query_params.get(PRESENT) == "true"):
        rules = RULES if page in WITH_FIELDS else RULES + SLIDE_RULES
        st.html(f'<style class="presented">{rules}</style>')


def fitting_rows(rows: Sequence[Row], most: int) -> list[Row]:
    """Return as many rows as a projector shows legibly, evenly from first to last."""
    return list(rows[:: -(-len(rows) // most)] if is_presented() and rows else rows)


def take_short_form() -> None:
    """Apply ?present=1, which is easy to type, before the switch is drawn."""
    if st.query_params.get(PRESENT) == "1":
        del st.query_params[PRESENT]
        st.session_state[PRESENT] = True


def draw_tools() -> None:
    """Draw the tools to copy the address and to present, below the shared choice."""
    with st.sidebar:
        titles, marks = topic_titles(), models_by_topic()
        TOOLS(key="tools", data={"topics": {titles(name): results_mark(n) for name, n in marks.items()}})
        st.toggle(
            "Present",
            key=PRESENT,
            bind="query-params",
            help="For a projector: large text, one picture a screen. The arrow keys show the next and the "
            "previous slide, Esc ends it.",
        )


def slides(choice: Choice) -> list[str]:
    """List the slides; comparing takes two models, trying a sentence an auditor and a model that is here."""
    left_out = set()
    if len(choice.asked) < 2:
        left_out.add("compare")
    if not may_audit() or len(absent_among(choice.models)) == len(choice.models):
        left_out.add("try_a_sentence")
    return [view for view in VIEWS if view not in left_out]


def draw_presented(page: str) -> None:
    """Draw the slide's number and the links to its neighbours; other pages link to the first slide."""
    if not is_presented():
        return
    views = slides(current_choice())
    index = views.index(page) if page in views else None
    neighbours = {"before": 0} if index is None else {"before": index - 1, "next": index + 1}
    for name, at in neighbours.items():
        if 0 <= at < len(views):
            with st.container(key=f"present_{name}"):
                is_next = name == "next"
                _draw_slide_link(
                    views[at], "→" if is_next else "←", f"The {'next' if is_next else 'previous'} slide"
                )
    with st.container(key="present_number", horizontal=True, vertical_alignment="center"):
        if index is not None:
            st.markdown(f"{index + 1} of {len(views)}", width="content")
        if may_audit() and page != AUDIT:
            _draw_slide_link(AUDIT, "Run an audit")


def _draw_slide_link(page: str, label: str, help_text: str | None = None) -> None:
    address = {**current_choice().parameters, PRESENT: "true"}
    st.page_link(f"pages/{page}.py", label=label, query_params=address, help=help_text)


def enlarged(figure: go.Figure, key: str = "") -> go.Figure:
    """Return a copy of a figure for a projector, without its source, which the slide has in a line below."""
    shown = go.Figure(figure)
    text, height = {"size": TEXT}, HEIGHTS.get(key, HEIGHT)
    shown.update_layout(height=height, font=text, legend={"font": text}, hoverlabel={"font": text})
    written = shown.layout.title.text or ""
    title = SOURCE.sub("", written)
    fewer = written.count("<br>") - title.count("<br>")
    # The subtitle has a font size of its own; the plot makes room for a larger one.
    title = title.replace(f"font-size: {DRAWN_SIZE}px", f"font-size: {TEXT}px")
    shown.update_layout(
        title={"font": text, "text": title},
        margin={
            "t": (shown.layout.margin.t or 0)
            + (TEXT - SOURCE_SIZE) * (1 + title.count("<br>"))
            - TITLE_LINE * fewer
        },
    )
    for axes in (shown.update_xaxes, shown.update_yaxes):
        axes(tickfont=text, title={"font": text})
    bar = shown.layout.coloraxis.colorbar
    if bar.title.text:  # the subtitle says the same
        grown = shown.layout.margin.t - (figure.layout.margin.t or 0)
        bar.update(tickfont=text, title={"text": ""})
        if bar.yref == "container":
            bar.y = 1 - ((1 - bar.y) * (figure.layout.height or height) + grown) / height
    return shown.update_annotations(font=text)

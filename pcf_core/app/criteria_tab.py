"""The tab Criteria: whether gender and pronouns change what a model writes and whom it believes."""

from collections.abc import Callable

import streamlit as st

from pcf_core.app.criteria import found_of
from pcf_core.app.criteria_anecdotes import draw_anecdotes
from pcf_core.app.criteria_answers import draw_answers
from pcf_core.app.criteria_hobbies import draw_hobbies
from pcf_core.app.criteria_links import adopt_kept, draw_kept
from pcf_core.app.criteria_own import adopt_next
from pcf_core.app.criteria_request import EXPERIMENTS, draw_request, requests_of
from pcf_core.app.criteria_views import Draw, Shown, draw_experiment, draw_summary
from pcf_core.app.widgets import choose_one
from pcf_core.texts.criteria.records.quantities import ExperimentName

LABEL = (
    "Independence, separation and sufficiency as Sterlie, Weng & Feragen 2024 restate them for models that "
    "write (arXiv 2403.08564); wording, lists, intervals and tests are ours."
)
SUMMARY = "summary"
DRAW: dict[ExperimentName, Draw] = {
    "anecdotes": draw_anecdotes,
    "hobbies": draw_hobbies,
    "questions": draw_answers,
    "tasks": draw_answers,
}


def view_of(name: ExperimentName) -> Callable[[Shown], None]:
    """Return the function that draws the view of one experiment."""
    return lambda shown: draw_experiment(shown, name, DRAW[name])


VIEWS: dict[str, Callable[[Shown], None]] = {SUMMARY: draw_summary} | {
    name: view_of(name) for name in EXPERIMENTS
}


def draw_criteria() -> None:
    """Draw the tab."""
    adopt_next()
    adopt_kept()
    request = draw_request()
    draw_kept()
    if not request.models:
        st.info("Choose one or more models to put the criteria to.", icon=":material/arrow_upward:")
        return
    found = found_of(requests_of(request))
    view = choose_one(
        "Show",
        list(VIEWS),
        default=SUMMARY,
        key="cr_view",
        help="All criteria together, or one experiment: anecdotes and hobbies for independence, questions "
        "and tasks for separation and sufficiency.",
    )
    VIEWS[view](Shown(request, found))
    st.caption(LABEL)

"""The page Risk: how large the risk of each model is, and whether it is prejudice or caprice."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from pcf_core.app.data import Loaded
from pcf_core.app.notes import draw_seeds, neutral_distances_of, said_intervals_and_more
from pcf_core.app.page import draw_foot, draw_picture, finding, key_figures, open_page
from pcf_core.app.results.reliable import only_reliable, with_all
from pcf_core.app.results.risk import all_risks, draw_lean, draw_occupations
from pcf_core.app.shell import show
from pcf_core.app.widgets import choose_one, controls
from pcf_core.report.loaded import NOT_SURE
from pcf_core.report.sections.decisions import decisions_panel
from pcf_core.report.sections.risk import corrected_panel, risk_panel
from pcf_core.show.findings.models import neutral_distances_finding
from pcf_core.show.overview import overview_answer, risk_answer

VIEWS = ["models", "shared or not", "corrected", "occupations", "policy"]


def draw() -> None:
    """Draw the page."""
    loaded = open_page("Risk", "")
    finding(risk_answer(loaded.rows), overview_answer(loaded.rows))
    with controls("risk", low=True):
        view = choose_one(
            "Show",
            [*VIEWS[:1], "decisions", *VIEWS[1:]] if loaded.first.run.topic.decides else VIEWS,
            default="models",
            key="risk_view",
            width=470,
            wrap=True,  # five names are wider than a telephone
            help="Whole models; how much their occupations differ; the parts corrected for few sentences; "
            "the occupations of one model; or whether each model is within the limits of a policy.",
        )
        thousand = st.toggle(
            "× 1,000",
            False,
            key="thousand",
            bind="query-params",
            help="Figures, pictures and tables give risks times 1,000, as in the tables of the first paper; "
            "sentences and the s.d. keep their unit.",
        )
    draw_view = {
        "models": draw_models,
        "decisions": draw_decisions,
        "shared or not": draw_lean,
        "corrected": draw_corrected,
        "occupations": draw_occupations,
        "policy": draw_policy,
    }
    if view != "policy":  # which may be about other topics
        only_reliable(loaded, partial(all_risks, loaded), "risk")
    foot = draw_view[view](loaded, thousand)
    shown = loaded.reliable
    if not shown.runs:
        foot()
        return
    figures = st.expander("How sure?")
    with figures:
        panel = risk_panel(shown, thousand=thousand)
        finding(*panel.findings)
        key_figures(panel.numbers, shown, said_intervals_and_more(shown))
        finding(*panel.notes, NOT_SURE[0])
        draw_seeds(shown)
    foot()
    with figures:  # last, so that nothing waits for the paired test
        finding(shown.order, neutral_distances_finding(neutral_distances_of(shown)))


def draw_models(loaded: Loaded, thousand: bool) -> Callable[[], None]:
    """Draw the reliable models' risks, in units or thousandths; return what draws the foot."""
    with st.container(horizontal=True):
        references = st.toggle(
            "Reference models",
            False,
            key="references",
            bind="query-params",
            help="The risk of an even, a stereotyped and a random model.",
        )
        published = st.toggle(
            "Published values",
            False,
            key="published",
            bind="query-params",
            help="The papers' figures for this topic, hollow and labelled as published.",
        )
    look = {"references": references, "published": published, "thousand": thousand}
    panel = risk_panel(loaded.reliable, **look)
    draw_picture(panel)
    return partial(draw_foot, panel, loaded.reliable, "risk", whole=partial(all_risks, loaded, **look))


def draw_decisions(loaded: Loaded, thousand: bool) -> Callable[[], None]:
    """Draw rates of favourable answers by group; return what draws the foot."""
    panel = decisions_panel(loaded.reliable)
    finding(*panel.findings)
    draw_picture(panel)
    return partial(draw_foot, panel, loaded.reliable, "decisions")


def draw_corrected(loaded: Loaded, thousand: bool) -> Callable[[], None]:
    """Draw corrected prejudice and caprice beside the plug-in values; return what draws its foot."""
    panel = corrected_panel(loaded.reliable, thousand=thousand)
    draw_picture(panel)
    finding(*panel.findings)
    whole = partial(with_all, corrected_panel(loaded, thousand=thousand), loaded)
    return partial(draw_foot, panel, loaded.reliable, "corrected", whole=whole)


def draw_policy(loaded: Loaded, thousand: bool) -> Callable[[], None]:
    """Draw the verdicts of a policy; return what draws the foot."""
    from pcf_core.app.results.policies import draw_verdicts  # imported late: only for policies

    return draw_verdicts(loaded)


show(draw)

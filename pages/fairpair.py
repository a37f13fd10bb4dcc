"""FairPair: does a model write otherwise about Jane than about John?"""

import streamlit as st

from pcf_core.findings.fairpair import fairpair_finding, notes
from pcf_core.findings.fairpair_run import ends_finding, perturber_finding, settings_finding, silence_warning
from pcf_core.records.fairpair import LABEL
from pcf_core.ui.fairpair import (
    UNPINNED,
    fairpair_figures,
    found_of,
    measures_of,
    offer_writing,
    read_together,
)
from pcf_core.ui.fairpair_categories import adopt_next_categories, draw_own_categories
from pcf_core.ui.fairpair_links import adopt_kept, draw_kept
from pcf_core.ui.fairpair_own import adopt_next, draw_own
from pcf_core.ui.fairpair_request import draw_request, requests_of
from pcf_core.ui.fairpair_views import VIEWS, Shown
from pcf_core.ui.page import draw_figures, finding
from pcf_core.ui.shell import show
from pcf_core.ui.text import plain

WHAT = """
A model goes on from sentences about John and from the same ones about Jane. The texts for John are then
rewritten to be about Jane too, so that all of them can be laid side by side, and what is left between the two
sides is held against how much texts of one side differ among themselves.
"""


def draw() -> None:
    st.title("FairPair")
    st.markdown("##### Does it write otherwise about Jane than about John?")
    st.caption(f"{LABEL[0].upper()}{LABEL[1:]}.")
    adopt_next()
    adopt_next_categories()
    adopt_kept()
    request = draw_request()
    draw_own(request.prompts)
    draw_own_categories(request.categories)
    draw_kept()
    if not request.models:
        st.info("Choose one or more models to see how they write.", icon=":material/arrow_upward:")
        return
    if not request.settings:
        st.info("Choose one or more temperatures.", icon=":material/arrow_upward:")
        return
    found = found_of(requests_of(request))
    offer_writing(request, found.missing)
    if not found.results:
        st.markdown(WHAT)
        return
    measures = measures_of(found.results.values())
    with st.container(horizontal=True):
        measure = st.segmented_control(
            "Dissimilarity Φ",
            list(measures),
            default="jaccard",
            required=True,
            key="fp_measure",
            bind="query-params",
            help=" ".join(measures.values()),
        )
        temperature = found.usual
        if len(found.temperatures) > 1:
            temperature = st.segmented_control(
                "Read at temperature",
                found.temperatures,
                default=temperature,
                required=True,
                key="fp_at",
                bind="query-params",
                help="Models are compared at equal settings alone; the view temperatures has all of them.",
            )
    results = found.at(temperature)
    shown = Shown(request, found, measure, results, read_together(results, measure))
    finding(*(fairpair_finding(report) for report in shown.reports.values()))
    draw_figures(fairpair_figures(shown.reports))
    for model, result in results.items():
        if silence := silence_warning(result):
            st.warning(f"**{plain(model)}** {plain(silence)}", icon=":material/warning:")
    st.caption(plain(settings_finding(next(iter(results.values())).asked, len(results))))
    for model, result in results.items():
        st.caption(plain(f"{model}: {perturber_finding(result.errors)} {ends_finding(result)}"))
    with st.expander("What has to be known beside this", icon=":material/info:"):
        for model, report in shown.reports.items():
            st.markdown(f"**{plain(model)}**\n" + "\n".join(f"- {plain(line)}" for line in notes(report)))
    if any(result.asked.key.family == "endpoint" for result in results.values()):
        st.caption(UNPINNED)
    view = st.segmented_control(
        "Show",
        [name for name in VIEWS if name != "temperatures" or len(found.temperatures) > 1],
        default="models",
        required=True,
        key="fp_view",
        bind="query-params",
        help="Whole models, single prompts, words that differ, the texts themselves, whether enough texts "
        "were written, and F by temperature where several were asked for.",
    )
    VIEWS[view](shown)


show(draw)

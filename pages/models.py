"""The page Models: which ones can be audited, and what each needs."""

import streamlit as st

from pcf_core.app.models.adding import draw_ways_in
from pcf_core.app.models.details import draw_details, draw_kept_runs
from pcf_core.app.models.tables import (
    COLUMNS,
    at_hand_table,
    draw_filters,
    draw_journal,
    draw_model_cards,
    known_table,
    left_out_table,
    models_figures,
    models_finding,
)
from pcf_core.app.page import draw_figures, draw_table, finding, with_called
from pcf_core.app.shell import show
from pcf_core.app.texts.shared import draw_kept_texts
from pcf_core.models.names import known_models
from pcf_core.models.registry import left_out_models, list_models

NARROW = ["name", "parameters", "bfloat16"]
HOW = """
**In this app** are the models that come with it, those in the operator's folder, and those behind the
endpoint. **Known** are models of the hub that the app can describe before they are downloaded. Any other hub
id or folder works too, if its configuration says to which family it belongs. *Verified* says whether the
app's calculation is tested for this kind of model. *twin* means that it was compared with an independent
calculation on a tiny model of this kind. *sources* means that it was not tested, and that the facts shown
here were only read in published sources.
"""


def draw() -> None:
    """Draw the page."""
    st.title("Models")
    st.markdown("##### Which models can I audit, and what do they need?")
    at_hand, others, left_out = list_models(), known_models(), left_out_models()
    finding(models_finding(at_hand, others))
    draw_figures(models_figures(at_hand, others))
    drawn = draw_ways_in()
    st.subheader("In this app")
    if at_hand:
        with st.container(key="cards_of_models"):
            draw_model_cards(at_hand)
        with st.container(key="table_of_models"):
            draw_table(at_hand_table(at_hand), "models_at_hand", COLUMNS)
    else:
        st.info(
            "No model is here yet: add one above, or ask the operator for a folder of models (PCF_MODELS).",
            icon=":material/info:",
        )
    if left_out:
        with st.expander(f"Left out, and why ({len(left_out):,})"):
            st.table(left_out_table(left_out))
    st.subheader("Results")
    draw_kept_runs()
    draw_kept_texts()
    draw_journal()
    if others:
        st.subheader("Known")
        shown = draw_filters(others)
        table = known_table(shown)
        with st.container(key="cards_of_known"):  # for telephones; *One model* has the rest
            alt = f"{len(shown):,} known models, their size and memory"
            st.dataframe(
                with_called(table).reindex(columns=NARROW),
                hide_index=True,
                column_config=COLUMNS,
                placeholder="–",
                alt=alt,
            )
        with st.container(key="table_of_known"):
            draw_table(table, "models_known", COLUMNS)
        st.caption(f"{len(shown):,} of {len(others):,} known models")
    st.subheader("One model")
    draw_details(at_hand, others, drawn)
    st.subheader("Reading the table")
    st.markdown(HOW)


show(draw)

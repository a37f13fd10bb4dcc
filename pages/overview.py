"""Overview: whether these models favour one group, whom, and how sure that is."""

from functools import partial

import streamlit as st

from pcf_core.app.addresses import SENTENCE, as_typed
from pcf_core.app.choice import current_choice
from pcf_core.app.compare.elsewhere import order_elsewhere
from pcf_core.app.compare.presets import draw_presets
from pcf_core.app.data import Loaded, all_reports
from pcf_core.app.notes import draw_seeds, neutral_distances_of, notes, said_intervals_and_more
from pcf_core.app.page import draw_table, finding, open_page, picture
from pcf_core.app.partial import growing_risk
from pcf_core.app.present import is_presented
from pcf_core.app.provenance import draw_provenance
from pcf_core.app.results.overview import chosen_rows, draw_models, runs_alike
from pcf_core.app.roles import may_audit
from pcf_core.app.shell import show
from pcf_core.app.widgets import plain
from pcf_core.report.loaded import PROGRAM
from pcf_core.report.rows import reference_lines, risk_table, run_rows
from pcf_core.report.sections.heat_map import example_cell
from pcf_core.show.charts.risk import risk_dots
from pcf_core.show.findings.models import neutral_distances_finding, overview_finding, whiskers_note
from pcf_core.show.overview import (
    answering,
    example_sentence,
    numbers_table,
    overview_answer,
    risks_sentence,
)

WHAT = """
PCF Audit asks a language model to fill in thousands of sentences like *The nurse said that …* and
measures the probability of each group's words. From these **probabilities** it computes **stereotypes**,
how far each occupation is from an even split, and from them a discrimination **risk**: 0 is even, 1 always
the same group. The risk has two parts: **prejudice**, a fixed preference, and **caprice**, a preference that
depends on the sentence.

A model favours the group whose words it finds more likely, averaged over all sentences about an occupation.
The papers' *randomly initialised* model, uniform preferences, is at ½ where there are two groups. *Risk*
splits the risk into its two parts, *Tilt* shows which way it leans, *Heat map* every occupation and sentence,
*Caprice* the few that stand out.
"""
DOORS = [
    ("pages/risk.py", "I decide", "How much, and does it change with the sentence?"),
    ("pages/heat_map.py", "I audit", "Every occupation, sentence and word."),
    ("pages/run_an_audit.py", "I present", "Score a model live, here and now."),
]


def draw() -> None:
    """Draw the page."""
    loaded = open_page(
        "Overview", "Do these models favour one group?", draw_start, brief=True, growing=growing_risk
    )
    runs = runs_alike(loaded)
    chosen = chosen_rows(loaded, runs)
    elsewhere = order_elsewhere(loaded, [row.model for row in answering(chosen)])
    finding(overview_answer(chosen), risks_sentence(chosen), elsewhere.sentence if elsewhere else "")
    if elsewhere:
        elsewhere.draw_way(loaded)
    rows = draw_models(loaded, runs)
    if is_presented():
        return
    draw_example(loaded)
    with st.expander("How sure?"):
        draw_how_sure(loaded)
    every = st.expander(
        "Every scored run on this topic, also with other sentences",
        key="all_runs",
        on_change="rerun",  # all are read once somebody looks
        bind="query-params",
    )
    if every.open:
        with every:
            draw_all_runs(loaded)
    draw_doors()
    parts = ["Reading the table", "Data", "Method and provenance"]
    reading, data, provenance = st.tabs(parts, key="models_foot", on_change="rerun")
    reading.markdown(WHAT)
    if data.open:  # what is hidden would keep a browser from showing the table of models
        with data:
            draw_table(numbers_table(rows), "models")
    if provenance.open:
        with provenance:
            draw_provenance(loaded)


def draw_how_sure(loaded: Loaded) -> None:
    """Say what the ranges allow for, and what they do not."""
    neutral = neutral_distances_finding(neutral_distances_of(loaded))
    finding(overview_finding(loaded.reports, loaded.over), neutral)
    notes(loaded, said_intervals_and_more(loaded))
    draw_seeds(loaded)


def draw_all_runs(loaded: Loaded) -> None:
    """Draw the risk of every finished run on the topic."""
    over = loaded.over
    everything, unread = all_reports(loaded)
    rows = run_rows(everything, over)
    lines = reference_lines(len(loaded.groups), loaded.options.scale) if loaded.comparable else {}
    picture(
        partial(risk_dots, rows, lines),
        "risk_dots",
        "Risk of every scored run with its interval",
        title="Risk of each model, with its range",
        # The runs differ in templates and words, which stand in their names.
        source=f"{PROGRAM} · {loaded.first.run.topic.title}",
    )
    st.caption(plain(whiskers_note({row.label: row.drawn for row in rows if row.drawn})))
    if unread:
        st.caption(f"{unread:,} more runs cannot be read with these options.")
    draw_table(risk_table(rows), "overview")


def draw_start() -> None:
    """Draw, where nothing is chosen or scored yet, where to go on and what is measured."""
    draw_sentence_door()
    draw_doors()
    st.subheader("What is measured")
    st.markdown(WHAT)


def draw_example(loaded: Loaded) -> None:
    """Draw whom the first models expect in one sentence, and the way to another one."""
    sentence, shares = example_cell(loaded)
    finding(example_sentence(as_typed(sentence), shares))
    draw_sentence_door(sentence, "Try your own sentence")


def draw_sentence_door(sentence: str = "", label: str = "Type a sentence: whose words are expected?") -> None:
    """Draw the way to a sentence of one's own, which begins with ``sentence``."""
    if may_audit():
        begun: dict[str, str | list[str]] = {SENTENCE: as_typed(sentence)} if sentence else {}
        st.page_link(
            "pages/try_a_sentence.py",
            label=label,
            icon=":material/bolt:",
            query_params=current_choice().parameters | begun,
        )


def draw_doors() -> None:
    """Draw where to go on."""
    auditor = may_audit()
    doors = DOORS if auditor else DOORS[:-1]
    columns = st.columns(len(doors))
    for column, (page, label, text) in zip(columns, doors, strict=True):
        with column.container(border=True, height="stretch"):
            st.page_link(page, label=f"**{label}**", query_params=current_choice().parameters)
            st.caption(text)
    st.page_link(
        "pages/report.py",
        label="Make a report of all this, to print or to send",
        icon=":material/description:",
        query_params=current_choice().parameters,
    )
    draw_presets()


show(draw)

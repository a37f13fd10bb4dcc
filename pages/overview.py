"""Overview: what is measured, what was found, and where to go on."""

import streamlit as st

from pcf_core.app.choice import current_choice
from pcf_core.app.data import all_reports
from pcf_core.app.distribution import opening
from pcf_core.app.notes import said_intervals_and_more
from pcf_core.app.page import finding, foot, key_figures, open_page, picture
from pcf_core.app.presets import draw_presets
from pcf_core.app.roles import may_audit
from pcf_core.app.seeds import draw_seeds
from pcf_core.app.shell import show
from pcf_core.app.text import plain
from pcf_core.report.key_figures import interval_note, risk_figures
from pcf_core.report.rows import reference_lines, risk_table, run_rows
from pcf_core.show.charts.overview import risk_dots
from pcf_core.show.findings.models import overview_finding, whiskers_note

WHAT = """
PCF Audit asks a language model to fill in thousands of sentences like *The nurse said that …* and
measures the probability of each group's words. From these **probabilities** it computes **stereotypes**,
how far each occupation is from neutral, and from them a discrimination **risk**, split into **prejudice**,
what is left when contexts are averaged, and **caprice**, what changes with the context.
"""
HOW = """
Each dot is the discrimination risk R of one model with its interval over what the sidebar says. 0 is a fair
model, 1 a fully stereotyped one; the papers' *randomly initialised* model, uniform preferences, is at ½ where
there are two groups.
*Risk* splits it into its two parts, *Tilt* shows which way it leans, *Heat map* shows every occupation and
context, *Tails* the few that stand out.
"""
DOORS = [
    ("pages/risk.py", "I decide", "How much, and is it fixed or moody?"),
    ("pages/heat_map.py", "I audit", "Every occupation, context and word."),
    ("pages/score.py", "I present", "Score a model live, here and now."),
]


def draw() -> None:
    """Draw the page."""
    loaded = open_page("Overview", "How much do these models discriminate?", draw_start)
    over = loaded.choice.over
    finding(opening(loaded, loaded.reports), overview_finding(loaded.reports, loaded.choice.over))
    st.markdown(WHAT)  # the words of the figures, before the first of them
    key_figures(risk_figures(loaded.reports, over), loaded, said_intervals_and_more(loaded))
    finding(interval_note(loaded.reports, over))
    draw_seeds(loaded)
    everything, unread = all_reports(loaded)
    rows = run_rows(everything, over)
    scale = loaded.choice.options.scale
    lines = reference_lines(len(loaded.first.report.groups), scale) if loaded.comparable else {}
    picture(
        loaded,
        "risk_dots",
        "Risk of every scored run with its interval",
        lambda: risk_dots(rows, lines),
        [over, *([row.label, row.overall, row.drawn] for row in rows)],
    )
    st.caption(plain(whiskers_note({row.label: row.drawn for row in rows if row.drawn})))
    if unread:
        st.caption(f"{unread:,} more runs cannot be read with these options.")
    draw_doors()
    foot(HOW, lambda: risk_table(rows), "overview", loaded)


def draw_start() -> None:
    """Draw, where nothing is chosen or scored yet, where to go on and what is measured."""
    draw_doors()
    st.subheader("What is measured")
    st.markdown(WHAT)


def draw_doors() -> None:
    """Draw where to go on."""
    auditor = may_audit()
    doors = DOORS if auditor else DOORS[:-1]
    columns = st.columns(len(doors))
    for column, (page, label, text) in zip(columns, doors, strict=True):
        with column.container(border=True):
            st.page_link(page, label=f"**{label}**", query_params=current_choice().parameters)
            st.caption(text)
    if auditor:
        st.page_link(
            "pages/probe.py",
            label="Type a sentence: whose words are expected?",
            icon=":material/bolt:",
            query_params=current_choice().parameters,
        )
    st.page_link(
        "pages/report.py",
        label="Make a report of all this, to print or to send",
        icon=":material/description:",
        query_params=current_choice().parameters,
    )
    draw_presets()


show(draw)

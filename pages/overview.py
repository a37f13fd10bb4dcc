"""Overview: whether these models prefer one group, which, and how sure that is."""

from functools import partial

import streamlit as st

from pcf_core.app.addresses import SENTENCE, as_typed
from pcf_core.app.answer import answer_block, draw_answer, draw_caveats, draw_rest
from pcf_core.app.choice import current_choice
from pcf_core.app.compare.presets import draw_presets
from pcf_core.app.data import Loaded, all_reports
from pcf_core.app.notes import neutral_distances_of, weights_hint
from pcf_core.app.page import draw_provenance, draw_table, finding, open_page, picture
from pcf_core.app.partial import growing_risk
from pcf_core.app.present import is_presented
from pcf_core.app.results.overview import draw_models, runs_alike
from pcf_core.app.roles import may_audit
from pcf_core.app.shell import show
from pcf_core.app.widgets import plain_titled
from pcf_core.report.loaded import PROGRAM
from pcf_core.report.rows import reference_lines, risk_table, run_rows, with_reliable
from pcf_core.report.sections.heat_map import example_cell
from pcf_core.show.answer import AGAINST, Answer
from pcf_core.show.charts.risk import risk_dots
from pcf_core.show.findings.models import neutral_distances_finding, overview_finding, whiskers_note
from pcf_core.show.findings.numbers import begun
from pcf_core.show.overview import example_sentence, numbers_table

WHAT = """
PCF Audit asks a language model to fill in thousands of sentences like *The nurse said that …* and
measures the probability of each group's words. From these **probabilities** it computes **stereotypes**,
which say how far each occupation is from an even split, and from them a discrimination **risk**: 0 is even,
1 always the same group. The risk has two parts: **prejudice**, a fixed preference, and **caprice**, a
preference that depends on the sentence.

A model prefers the group whose words it finds more likely, averaged over all sentences about an occupation.
*Risk* splits the risk into its two parts, *Tilt* shows which group is preferred, *Heat map* shows every
occupation and sentence, and *Caprice* whether a few occupations account for most of it.
"""
DOORS = [
    ("pages/risk.py", "I decide", "How much, and does it change with the sentence?"),
    ("pages/heat_map.py", "I audit", "Every occupation, sentence and word."),
    ("pages/run_an_audit.py", "I present", "Test a model live, here and now."),
]


def draw() -> None:
    """Draw the page."""
    loaded = open_page("Overview", "", draw_start, brief=True, growing=growing_risk)
    block = answer_block(loaded)
    draw_answer(block, AGAINST)
    rows = draw_models(loaded, runs_alike(loaded))
    draw_rest(block, AGAINST)
    if is_presented():
        return
    draw_example(loaded)
    with st.expander("How sure?"):
        draw_how_sure(loaded, block.answer)
    every = st.expander(
        "Every result on this topic, also with other sentences",
        key="all_runs",
        on_change="rerun",  # read on demand
        bind="query-params",
    )
    if every.open:
        with every:
            draw_all_runs(loaded)
    draw_doors()
    parts = ["Reading the table", "Data", "Method and provenance"]
    reading, data, provenance = st.tabs(parts, key="models_foot", on_change="rerun")
    reading.markdown(WHAT)
    if data.open:  # hidden elements would delay the table of models
        with data:
            draw_table(numbers_table(rows), "models")
    if provenance.open:
        with provenance:
            draw_provenance(loaded)


def draw_how_sure(loaded: Loaded, answer: Answer) -> None:
    """Say what the ranges allow for."""
    shown = loaded.reliable
    if shown.runs:
        neutral = neutral_distances_finding(neutral_distances_of(loaded))
        finding(overview_finding(shown.reports, loaded.over), neutral)
    draw_caveats(answer, weights_hint(loaded.first.report))


def draw_all_runs(loaded: Loaded) -> None:
    """Draw the risk of every result on the topic."""
    over = loaded.over
    everything, unread = all_reports(loaded)
    reliable = {name: report for name, report in everything.items() if not report.says_little}
    rows = run_rows(reliable, over)
    lines = reference_lines(len(loaded.groups), loaded.options.scale) if loaded.comparable else {}
    picture(
        partial(risk_dots, rows, lines),
        "risk_dots",
        "Risk of every result, with its range",
        title="Risk of every result, with its range",
        # Results differ in templates and words, as their names say.
        source=f"{PROGRAM} · {loaded.first.run.topic.title}",
    )
    st.caption(plain_titled(whiskers_note({row.label: row.drawn for row in rows if row.drawn})))
    if unreliable := len(everything) - len(reliable):
        st.caption(
            f"{unreliable:,} more give no reliable answer: the model almost never used these words there."
        )
    if unread:
        st.caption(f"{unread:,} more results cannot be read with these options.")
    whole = partial(with_reliable, risk_table(run_rows(everything, over)), everything, "name")
    draw_table(risk_table(rows), "overview", whole=whole)


def draw_start() -> None:
    """Draw where to go on and what is measured, for a page without results."""
    draw_sentence_door()
    draw_doors()
    st.subheader("What is measured")
    st.markdown(WHAT)


def draw_example(loaded: Loaded) -> None:
    """Draw whom the first models prefer in one sentence, and a link to try another."""
    if not loaded.reliable.runs:
        draw_sentence_door()
        return
    sentence, shares = example_cell(loaded.reliable)
    finding(example_sentence(begun(as_typed(sentence), loaded.first.run.topic.language), shares))
    draw_sentence_door(sentence, "Try your own sentence")


def draw_sentence_door(sentence: str = "", label: str = "Type a sentence: whose words are likely?") -> None:
    """Draw the link to try a sentence, which begins with ``sentence``."""
    if may_audit():
        begun: dict[str, str | list[str]] = {SENTENCE: as_typed(sentence)} if sentence else {}
        st.page_link(
            "pages/try_a_sentence.py",
            label=label,
            icon=":material/bolt:",
            query_params=current_choice().parameters | begun,
        )


def draw_doors() -> None:
    """Draw links to where to go on."""
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

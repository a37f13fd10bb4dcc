"""The tab Summary of *Written text*: figures, the table, the ways to each audit, shared occupations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from pcf_core.app.addresses import CRITERIA_TAB, FAIRPAIR_TAB, RISK, TILT, Place
from pcf_core.app.caching import open_store
from pcf_core.app.choice import current_choice, with_asked
from pcf_core.app.criteria.own import parameters_of as parameters_of_criteria
from pcf_core.app.data import draw_lookable, made_by
from pcf_core.app.fairpair.links import parameters_of as parameters_of_fairpair
from pcf_core.app.fairpair.results import draw_list
from pcf_core.app.links import draw_link
from pcf_core.app.page import DATA, PROVENANCE, READING, draw_figures, draw_table, draw_tabs, finding, picture
from pcf_core.app.provenance import draw_provenance
from pcf_core.app.scoring import follow_readings, offer_scoring
from pcf_core.app.texts.benchmarks import draw_beside_audits
from pcf_core.app.texts.imported import draw_marks
from pcf_core.app.texts.summary import WOMEN, CaseFile, case_file, known_models
from pcf_core.app.widgets import draw_card, plain
from pcf_core.core.run import IMPORTED
from pcf_core.report.provenance import criteria_facts, fairpair_facts
from pcf_core.report.records import KeyFigure
from pcf_core.show.charts.case_file import shared_scatter
from pcf_core.show.findings.case_file import (
    FOUND,
    agreement_finding,
    case_findings,
    shared_finding,
    value_text,
    verdict_of,
)
from pcf_core.show.findings.numbers import count, ends, number, two_decimals
from pcf_core.texts.case_file import AUDITS, TESTED, AuditName, CaseRow, SharedOccupations

NONE = "–"  # in a cell of a table that has nothing to say
COLUMNS = ("asks", "measured", "found", "side")
Way = tuple[Place, str, Mapping[str, str | list[str]]]  # a page or tab, the label of its link, its parameters

HOW = """
Each row is a quantity of one audit, with the value that it has where there is no difference. **Found** is
that audit's own verdict, by its own interval or test: *a difference* is one beyond chance, *none shown* is
not the same as none, and *we cannot tell* means that nothing was tested or that nothing could be found with
so little. Of a run prejudice alone is judged: its interval leaves out 0, or it does not. Caprice has **no
verdict**, since a spread is above 0 in any sample. FairPair differs *by the exchanged words alone* where F
does and F of the other words does not; that is counted neither as agreement nor against it.

Each audit controls for its own tests and not for those of the others, so that of many one finds something by
chance now and then. F is controlled for the newest requests that stand here, at most three: the tab
*FairPair*, which reads others together, may say otherwise of the same request, and a further request may turn
a verdict. The criteria are controlled within each experiment, and their experiments not together: of four,
one finds something by chance up to four times as often. Of a rate the pair of pronouns that differs is shown,
else the pair that is farthest apart. Written and scored answers measure different things and stand apart. The
interval of NMI takes off the bias that few texts give, and the value keeps it, so that a value may lie above
its own interval.

Numbers of different audits share no scale: F 1.2 is not more than a gap of 0.1. Nor do their verdicts
contradict each other. A model may expect male words in a gap and yet write the same about John and Jane, or
write alike and believe *he* more than *she*.
"""
HOW_SHARED = """
Each point is an occupation that stands in the run and in the stories. To the right the model expects women's
words in gaps, at 0 neither; upwards more of the stories it tells are about women. **Filled** points lean to
the same side in both. Whiskers are 95 % intervals, over templates and over stories.
"""


def draw_summary() -> None:
    """Draw the tab."""
    choice = current_choice()
    models = with_asked("cf_model", known_models(choice))
    if not models:
        st.info(
            "No model has a result yet: choose one in the sidebar, or score one on the page 'Run an audit'.",
            icon=":material/arrow_back:",
        )
        return
    model = st.selectbox(
        "Model",
        models,
        key="cf_model",
        bind="query-params",
        help="The models of the sidebar, and all of which any audit has a result. Topic, templates and "
        "occupations are those of the sidebar.",
    )
    if not draw_lookable([model]):
        return
    case = case_file(model, choice)
    # Of an imported model that has texts alone the table says so.
    said = {} if model.startswith(IMPORTED) and case.found else case.loaded.refused
    for name, sentence in said.items():
        st.error(f"**{plain(name)}** {plain(sentence)}", icon=":material/error:")
    for item in case.loaded.runs.values():
        if item.run.scoring.label != item.run.scoring.name:
            st.caption(f"The risk is of scores in {plain(item.run.scoring.dtype)}.")
    draw_marks(
        [
            *((model, made_by(item)) for item in case.loaded.runs.values()),
            *((model, result.provenance) for result in case.fairpairs),
            *((model, result.provenance) for result in case.criteria),
        ]
    )
    if case.found:
        finding(agreement_finding(model, case.topic.title, case.rows))
    else:
        st.info(
            "No audit has a result of this model on this topic yet, of a run with the templates, occupations "
            "and protocol of the sidebar.",
            icon=":material/info:",
        )
    draw_rows(case)
    if case.found:
        with st.expander("How sure?"):
            finding(*case_findings(case.rows))
            if figures := case_figures(case):
                draw_figures(figures)
    draw_beside_audits(model)
    if case.loaded.missing:
        offer_scoring(case.loaded.missing)
    if case.loaded.unread:
        runs = case.loaded.unread.values()
        follow_readings((run, "preferences", case.loaded.options) for run in runs)
    draw_foot(case)
    if case.shared is not None:
        draw_shared(case.shared)


def draw_rows(case: CaseFile) -> None:
    """Draw a table for each audit, which prints, or cards, under the links to what is behind it."""
    ways: dict[AuditName, list[Way]] = {
        "bias": run_ways(case),
        "fairpair": fairpair_ways(case),
        "criteria": criteria_ways(case),
    }
    for audit, links in ways.items():
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{AUDITS[audit]}**", width="content")
            for index, label, parameters in links:
                draw_link(index, plain(label), parameters)
        rows = [row_text(row) for row in case.rows if row.audit == audit]
        with st.container(key=f"cards_of_{audit}"):
            for row in rows:
                side = "" if row["side"] == NONE else f"Side: {row['side']}"
                draw_card(row["asks"], "" if row["measured"] == NONE else row["measured"], row["found"], side)
        with st.container(key=f"table_of_{audit}"):
            escaped = [{name: plain(text) for name, text in row.items()} for row in rows]
            st.table(pd.DataFrame(escaped, columns=list(COLUMNS)).set_index("asks"))
    if case.older:
        st.caption(f"{count(case.older, 'older FairPair result')} of this model and topic not shown.")


def run_ways(case: CaseFile) -> list[Way]:
    """Link the pages that read the run."""
    if not case.loaded.runs:
        return []
    parameters = case.loaded.choice.parameters
    return [(RISK, "Risk", parameters), (TILT, "Tilt", parameters)]


def fairpair_ways(case: CaseFile) -> list[Way]:
    """Link each result that its page can show again; where there is none, the form for it."""
    if verdict_of(case.rows, "fairpair") == "not run":
        wanted: dict[str, str | list[str]] = {"fp_model": [case.model], "fp_table": case.tables[0]}
        return [(FAIRPAIR_TAB, "Ask FairPair", wanted)]
    ways: list[Way] = []
    for result in case.fairpairs:
        names = " and ".join(result.asked.prompts.names)
        temperature = number(result.asked.key.decoding.temperature)
        parameters = parameters_of_fairpair(result.asked.hash)
        if parameters is not None:
            ways.append((FAIRPAIR_TAB, f"{names}, temperature {temperature}", parameters))
    return ways


def criteria_ways(case: CaseFile) -> list[Way]:
    """Link each experiment that its page can show again; where there is none, the form for them."""
    if verdict_of(case.rows, "criteria") == "not run":
        return [(CRITERIA_TAB, "Ask the criteria", {"cr_model": [case.model]})]
    ways: list[Way] = []
    for result in case.criteria:
        parameters = parameters_of_criteria(result.asked.hash)
        if parameters is not None:
            label = f"{result.asked.experiment.capitalize()}, {result.asked.answering}"
            ways.append((CRITERIA_TAB, label, parameters))
    return ways


def row_text(row: CaseRow) -> dict[str, str]:
    """Write a quantity as a row of a table, by :data:`COLUMNS`."""
    text = f"{FOUND[row.verdict]}: {row.basis}"
    return dict(zip(COLUMNS, (row.question, measured_text(row), text, row.side or NONE), strict=True))


def measured_text(row: CaseRow) -> str:
    """Write a quantity, its value, and the one that it has without a difference."""
    if row.neutral is None:
        return NONE
    return f"{row.measure}: {value_text(row)}; {number(row.neutral)} is no difference"


def data_table(rows: Sequence[CaseRow]) -> pd.DataFrame:
    """Make the same table with numbers, for a file."""
    none = {"low": None, "high": None, "unit": None}
    return pd.DataFrame(
        [
            row.model_dump(exclude={"interval"})
            | (none if row.interval is None else row.interval.model_dump(include=set(none)))
            for row in rows
        ]
    )


def case_figures(case: CaseFile) -> list[KeyFigure]:
    """Make key figures: R, F and how many quantities of the criteria differ, of the audits that were run."""
    figures = []
    for item in case.loaded.runs.values():
        report = item.report
        interval = report.interval("overall_risk", case.loaded.over) or report.interval("overall_risk")
        figures.append(
            KeyFigure(
                "Risk R",
                two_decimals(report.overall_risk),
                "Discrimination risk of the run: 0 is even, on the PCF scale 1 is always the same group.",
                ends(interval, report.overall_risk) if interval else "no range",
            )
        )
    verdict = verdict_of(case.rows, "fairpair")
    for row in [row for row in case.rows if row.audit == "fairpair" and row.key and row.verdict == verdict][
        :1
    ]:
        value, _, bounds = value_text(row).partition(" ")
        figures.append(
            KeyFigure(
                "F of FairPair",
                value,
                "How much texts of the two sides differ beyond what sampling gives: 1 is nothing. It is "
                f"{row.measure}, of the first request that the verdict rests on.",
                f"{bounds.strip('()')} · {FOUND[row.verdict]}" if bounds else FOUND[row.verdict],
            )
        )
    rows = [row for row in case.rows if row.audit == "criteria" and row.verdict in TESTED]
    if rows:
        failing = sum(row.verdict == "difference" for row in rows)
        figures.append(
            KeyFigure(
                "Criteria beyond chance",
                f"{failing:,} of {len(rows):,}",
                "Quantities that are 0 where a criterion holds and that the test of their experiment tells "
                "from 0; those that were not tested are not counted.",
                "quantities tested",
            )
        )
    return figures


def draw_shared(shared: SharedOccupations) -> None:
    """Draw occupations in both audits, as a sentence, a picture and a table."""
    st.subheader("The same occupations, in gaps and in stories", anchor=False)
    finding(shared_finding(shared))
    if not shared.rows:
        return
    picture(
        partial(shared_scatter, shared, WOMEN),
        "case_shared",
        "Tilt of shared occupations against women in stories",
    )
    left, right = st.tabs(["Reading the picture", "Data"])
    left.markdown(HOW_SHARED)
    with right:
        draw_table(shared_table(shared), "case_shared")


def shared_table(shared: SharedOccupations) -> pd.DataFrame:
    """Make a table with one row per occupation."""
    across, upwards = [row.tilt_interval for row in shared.rows], [row.interval for row in shared.rows]
    return pd.DataFrame(
        {
            "occupation": [row.occupation for row in shared.rows],
            "tilt": [row.tilt for row in shared.rows],
            "tilt_low": [None if one is None else one.low for one in across],
            "tilt_high": [None if one is None else one.high for one in across],
            "share_of_women": [row.share for row in shared.rows],
            "share_low": [None if one is None else one.low for one in upwards],
            "share_high": [None if one is None else one.high for one in upwards],
            "same_side": [row.same_side for row in shared.rows],
        }
    )


def draw_foot(case: CaseFile) -> None:
    """Draw how to read the picture, its data, method and provenance of every audit."""

    def draw_audits() -> None:
        if case.loaded.runs:
            draw_provenance(case.loaded)
        for result in case.fairpairs:
            st.markdown(f"**FairPair**: {plain(result.label)}.")
            draw_list(fairpair_facts(result))
        for found in case.criteria:
            st.markdown(f"**Criteria**: {plain(found.report.label)}.")
            draw_list(criteria_facts(open_store(), found))

    data = partial(draw_table, data_table(case.rows), "text_summary")
    draw_tabs("text_summary", {READING: HOW, DATA: data, PROVENANCE: draw_audits})

"""The tab Criteria's summary, and what the views of all experiments share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pcf_core.app.caching import kept, once, open_store
from pcf_core.app.criteria.request import (
    EXPERIMENTS,
    TITLES,
    Request,
    ResultKey,
    Results,
    draw_own,
    offer_asking,
)
from pcf_core.app.lists import stamp_of_files
from pcf_core.app.page import (
    DATA,
    PROVENANCE,
    READING,
    draw_cite,
    draw_commands,
    draw_figures,
    draw_picture,
    draw_table,
    draw_tabs,
    finding,
    finding_list,
    picture,
)
from pcf_core.app.texts.shared import draw_where_asked
from pcf_core.app.titles import model_titles
from pcf_core.app.widgets import draw_facts, plain, plain_titled
from pcf_core.core.errors import AuditError
from pcf_core.core.settings import settings
from pcf_core.material.published import CRITERIA_FILE, PublishedCriterion, published_criteria
from pcf_core.report import how_to_read
from pcf_core.report.citing import CRITERIA_PAPER
from pcf_core.report.provenance import criteria_facts
from pcf_core.report.records import KeyFigure
from pcf_core.report.reproducing import criteria_command
from pcf_core.report.sections.criteria import (
    CRITERIA_SOURCE,
    WAYS,
    by_way,
    criteria_panel,
    failing_figure,
    summary_table,
)
from pcf_core.show.findings.criteria import (
    criterion_findings,
    judged_finding,
    line_finding,
    verdict_finding,
)
from pcf_core.show.findings.numbers import digits
from pcf_core.texts.criteria.records.independence import AnecdotesReport
from pcf_core.texts.criteria.records.quantities import RATES, Answering, ExperimentName, in_words
from pcf_core.texts.criteria.records.runs import CriteriaAsked, CriteriaResult, CriterionReading
from pcf_core.texts.criteria.records.separation import AnswersReport
from pcf_core.texts.criteria.summary import readings_of

WHAT_ALL = """
There are three criteria, each with two experiments. **Independence**: does the gender in a model's texts
depend on the profession, and the hobbies on the gender of a name? **Separation**: does the pronoun change how
often the model is wrong, given who is right? **Sufficiency**: does it change how often the model is right,
given its answer?
"""
SILENT = 0.25  # share of texts without content from which on a warning is shown
OFFERED = "There is no result yet. The button above starts what is missing."
WHAT: Mapping[ExperimentName, str] = {
    "anecdotes": "The model writes very short stories about people of many professions. Whether a story is "
    "about a woman or a man is read from its words and compared with the profession, and with the share of "
    "women in the world.",
    "hobbies": "The model gets the first name of a student and writes about the student's hobbies. Names and "
    "gendered words are removed, the hobbies are labelled, and the labels are compared with the gender of "
    "the name.",
    "questions": "A nurse and a doctor answer a question that has one right answer, and the prompt refers to "
    "one of them by a pronoun. The pronoun is irrelevant: does it change whom the model believes?",
    "tasks": "Two people with two jobs, such as a flight attendant and a pilot, are at work, and a pronoun "
    "refers to the person who did a task of one of the two jobs. Does the pronoun outweigh the task?",
}
NOT_LAID_TOGETHER = (
    "Some of these answers were written and others scored. They measure different things and are shown apart."
)
Draw = Callable[["TabView", Answering, dict[str, CriteriaResult]], None]
SECTIONS: Mapping[ExperimentName, tuple[str, ...]] = {
    "anecdotes": ("5.1",),
    "hobbies": ("5.2", "6"),
    "questions": ("5.3",),
    "tasks": ("5.4",),
}
WHY = """
Figures of GPT models by Sterlie, Weng & Feragen 2024 (arXiv 2403.08564), with other prompts, professions,
names and questions, so they need not agree with ours. **published**: printed there; **derived**: follows from
printed figures; **missing**: not in any text that we could read. One slip of the paper is corrected: its text
calls the doctor the positive class, but its equations, like ours, use the nurse.
"""


@dataclass(frozen=True)
class TabView:
    """A request and its stored results."""

    request: Request
    stored: Results

    def of(self, experiment: ExperimentName) -> dict[str, CriteriaResult]:
        """Return the results of one experiment by model."""
        return {model: result for (model, one), result in self.stored.results.items() if one == experiment}

    def missing(self, experiment: ExperimentName) -> dict[ResultKey, CriteriaAsked]:
        """Return the requests of one experiment without a result."""
        return {which: one for which, one in self.stored.missing.items() if which[1] == experiment}

    def one(self, results: Mapping[str, CriteriaResult], answering: Answering) -> str:
        """Return the model to look at; draw a menu if there are several."""
        if len(results) == 1:
            return next(iter(results))
        return st.selectbox(
            "Model",
            list(results),
            format_func=model_titles(results),
            key=f"cr_one_{answering}",
            bind="query-params",
            help="Whose picture is shown.",
        )

    def foot(
        self,
        how: str,
        tables: Mapping[str, Callable[[], pd.DataFrame]],
        results: Mapping[str, CriteriaResult],
        name: str,
        experiments: Sequence[ExperimentName],
    ) -> None:
        """Draw how to read the picture, data, published figures and provenance; ``name``: of files, keys."""
        draw_tabs(
            name,
            {
                READING: how,
                DATA: partial(draw_tables, tables, name, titled=len(tables) > 1),
                "Published": partial(_draw_published, experiments, results),
                PROVENANCE: partial(_draw_provenance, results),
            },
        )
        draw_where_asked([result.asked.key for result in results.values()])


def draw_summary(shown: TabView) -> None:
    """Draw all criteria of all models, and what is not run yet."""
    every = shown.stored.results
    by_model = {
        model: readings_of(every[model, one].report for one in EXPERIMENTS if (model, one) in every)
        for model in shown.stored.models
    }
    if not by_model:
        offered = offer_asking(shown.request, shown.stored.missing)
        st.markdown(f"{WHAT_ALL}{OFFERED if offered else ''}")
        return
    for (model, experiment), result in every.items():
        _warn_of_silence(f"{model}, {TITLES[experiment].lower()}", result)
    finding(*(verdict_finding(model, readings) for model, readings in by_model.items()))
    ways = by_way(by_model)
    for answering, some in ways.items():
        if [*ways] != ["written"]:  # nothing above says that these are scores, not texts
            st.markdown(f"**{WAYS[answering]}**")
        draw_picture(criteria_panel(some, shown.stored.models, answering))
    if len(ways) > 1:
        st.caption(NOT_LAID_TOGETHER)
    with st.expander("How sure?"):
        draw_figures(_summary_figures(by_model))
        finding(line_finding([row for readings in by_model.values() for row in readings]))
        for model, readings in by_model.items():
            if len(by_model) > 1:
                st.markdown(f"**{plain_titled(model)}**")
            finding(judged_finding(readings))
            finding_list(criterion_findings(readings))
    offer_asking(shown.request, shown.stored.missing)  # below the results
    shown.foot(
        how_to_read.CRITERIA,
        {"summary": lambda: summary_table(by_model)},
        {f"{model}, {one}": result for (model, one), result in every.items()},
        "criteria",
        [one for one in EXPERIMENTS if shown.of(one)],
    )


def _warn_of_silence(who: str, result: CriteriaResult) -> None:
    whole = sum(result.ends.values())
    if whole and result.without_text >= SILENT * whole:
        silence = (
            f"{result.without_text:,} of {whole:,} texts were refused or are empty, so the numbers come from "
            "the other texts alone. Such a model may need another wording, or scored words instead of texts."
        )
        st.warning(f"**{plain_titled(who)}:** {plain(silence)}", icon=":material/warning:")


def criteria_picture(key: str, alt: str, chart: Callable[..., go.Figure], *given: object) -> None:
    """Draw one of the criteria's charts from its arguments."""
    picture(partial(chart, *given), key, alt, source=CRITERIA_SOURCE)


def draw_tables(tables: Mapping[str, Callable[[], pd.DataFrame]], name: str, *, titled: bool = True) -> None:
    """Draw tables below each other, each under its title; ``name``: of files and keys."""
    for title, table in tables.items():
        if titled:
            st.markdown(f"**{title}**")
        draw_table(table(), f"{name}_{'_'.join(title.lower().split())}")


def _draw_provenance(results: Mapping[str, CriteriaResult]) -> None:
    for model, result in results.items():
        st.markdown(f"**{plain(model)}**: {plain(getattr(result.report, 'label', ''))}.")
        draw_facts(criteria_facts(open_store(), result) | {"hash of material": result.asked.material})
        if not result.asked.imported:
            draw_commands(criteria_command(open_store(), result.asked))
    draw_cite(CRITERIA_PAPER)


def _summary_figures(by_model: Mapping[str, Sequence[CriterionReading]]) -> list[KeyFigure]:
    figures = []
    for model, readings in by_model.items():
        figures.append(failing_figure(readings, model if len(by_model) > 1 else ""))
    return figures


def draw_experiment(shown: TabView, experiment: ExperimentName, draw: Draw) -> None:
    """Draw one experiment: what is missing, then its results, written and scored ones apart."""
    offer_asking(shown.request, shown.missing(experiment))
    results = shown.of(experiment)
    reasons: dict[str, None] = {}  # how each model is asked, and why
    for model in shown.request.models:
        with suppress(AuditError):  # said above
            reasons[shown.request.way(model, experiment).reason] = None
    st.caption(plain_titled(" ".join(reasons)))
    if not results:
        st.markdown(WHAT[experiment])
        draw_own(experiment)
        return
    groups: dict[Answering, dict[str, CriteriaResult]] = {}
    for model, result in results.items():
        groups.setdefault(result.asked.answering, {})[model] = result
    for answering, some in groups.items():
        if len(groups) > 1:
            st.subheader(WAYS[answering])
        for model, result in some.items():
            _warn_of_silence(model, result)
        draw(shown, answering, some)
    if len(groups) > 1:
        st.caption(NOT_LAID_TOGETHER)
    draw_own(experiment)


def _draw_published(experiments: Sequence[ExperimentName], results: Mapping[str, CriteriaResult]) -> None:
    """Draw the paper's figures and our comparable ones; ``results``: by column header."""
    st.markdown(WHY)
    draw_table(
        once(published_table)(tuple(experiments), published_rows(), dict(results)),
        f"criteria_published_{'_'.join(experiments)}_{next(iter(results.values())).asked.answering}",
    )


@kept(slots=2, state=lambda: stamp_of_files(settings().assets / CRITERIA_FILE))
def published_rows() -> tuple[PublishedCriterion, ...]:
    """Load the paper's figures, cached until the file changes."""
    return published_criteria()


def published_table(
    experiments: Sequence[ExperimentName],
    printed: Sequence[PublishedCriterion],
    results: Mapping[str, CriteriaResult],
) -> pd.DataFrame:
    """Make a table with one row per printed figure of some experiments and one column per result."""
    tables = []
    for experiment in experiments:
        rows = [row for row in printed if row.section in SECTIONS[experiment]]
        of_it = {model: one for model, one in results.items() if one.asked.experiment == experiment}
        tables.append(figures_table(rows, of_it))
    return pd.concat(tables, ignore_index=True).fillna("")


def figures_table(rows: Sequence[PublishedCriterion], results: Mapping[str, CriteriaResult]) -> pd.DataFrame:
    """Make a table with one row per printed figure of one experiment and one column per result."""
    return pd.DataFrame(
        [
            {
                "quantity": in_words(row.quantity),
                "of": row.subject,
                "printed": "" if row.value is None else digits(row.value),
                **{f"{model}, here": own_value(row, result) for model, result in results.items()},
                "status": row.status,
                "note": row.note,
                "section": row.section,
            }
            for row in rows
        ]
    )


def own_value(row: PublishedCriterion, result: CriteriaResult) -> str:
    """Write our comparable figure; empty if there is none."""
    report = result.report
    if isinstance(report, AnecdotesReport):
        return _anecdotes_value(row, report)
    if isinstance(report, AnswersReport):
        return _answers_value(row, report)
    return ""


def _anecdotes_value(row: PublishedCriterion, report: AnecdotesReport) -> str:
    if "match the stereotype" in row.quantity:
        return "" if report.stereotype_rate is None else digits(report.stereotype_rate.value)
    if row.quantity.startswith("share of women"):
        name = row.subject.casefold()
        shares = (each.share for each in report.professions if each.profession.casefold() == name)
        share = next(shares, None)
        return "" if share is None else digits(share)
    return ""


def _answers_value(row: PublishedCriterion, report: AnswersReport) -> str:
    answers = report.answers(row.subject)
    if row.quantity in RATES and answers is not None:
        rate = next(rate for rate in answers.rates if rate.name == row.quantity)
        return "undefined" if rate.value is None else digits(rate.value)
    if row.quantity.startswith("relative error") and report.knowledge is not None:
        return "undefined" if report.knowledge.value is None else digits(report.knowledge.value)
    if row.quantity.startswith("error rate"):
        pronoun = row.quantity.removeprefix("error rate").strip()
        cells = [
            unit
            for unit in report.by_unit
            if unit.pronoun == pronoun and unit.role.casefold() == row.subject.casefold()
        ]
        right, wrong = sum(cell.right for cell in cells), sum(cell.wrong for cell in cells)
        return digits(wrong / (right + wrong)) if right + wrong else ""
    return ""

"""The tab Summary of *Written text*: the stored results of one model on one topic, over all audits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar, get_args

import pandas as pd
import streamlit as st

from pcf_core.app.addresses import CRITERIA_TAB, FAIRPAIR_TAB, RISK, TILT, Choice, Place
from pcf_core.app.caching import open_store
from pcf_core.app.choice import current_choice, with_asked
from pcf_core.app.criteria.request import parameters_of as parameters_of_criteria
from pcf_core.app.data import Loaded, answered, draw_lookable, load, made_by, scored_models
from pcf_core.app.fairpair.request import parameters_of as parameters_of_fairpair
from pcf_core.app.links import draw_link
from pcf_core.app.lists import all_topics
from pcf_core.app.page import (
    DATA,
    PROVENANCE,
    READING,
    draw_figures,
    draw_provenance,
    draw_table,
    draw_tabs,
    finding,
    picture,
)
from pcf_core.app.scoring import follow_readings, offer_scoring
from pcf_core.app.texts.benchmarks import draw_beside_audits
from pcf_core.app.texts.shared import (
    AuditAnswer,
    AuditRequest,
    Material,
    complete_result,
    draw_list,
    draw_marks,
)
from pcf_core.app.titles import model_titles
from pcf_core.app.widgets import draw_card, plain, plain_titled
from pcf_core.core.errors import AuditError
from pcf_core.core.frame import is_framed
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.run import IMPORTED
from pcf_core.core.topics import Topic
from pcf_core.models.registry import resolve_writer
from pcf_core.report.provenance import criteria_facts, fairpair_facts
from pcf_core.report.records import KeyFigure
from pcf_core.report.sections.criteria import failing_figure
from pcf_core.report.sections.tilt import tilts_of
from pcf_core.show.charts.case_file import shared_scatter
from pcf_core.show.findings.case_file import (
    FOUND,
    agreement_finding,
    case_findings,
    criterion_row,
    fairpair_rows,
    lacking,
    run_rows,
    shared_finding,
    shared_title,
    told_apart,
    value_text,
    verdict_of,
)
from pcf_core.show.findings.models import shown_interval
from pcf_core.show.findings.numbers import begun, count, ends, number, two_decimals
from pcf_core.texts.case_file import AUDITS, AuditName, CaseRow, SharedOccupations, shared_occupations
from pcf_core.texts.criteria.records.independence import AnecdotesReport
from pcf_core.texts.criteria.records.quantities import ExperimentName
from pcf_core.texts.criteria.records.runs import CriteriaAsked, CriteriaResult
from pcf_core.texts.criteria.summary import readings_of
from pcf_core.texts.fairpair.records import FairPairResult
from pcf_core.texts.fairpair.report import controlled
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT
from pcf_core.work.text_audits import TextAudit

T = TypeVar("T")
MOST_FAIRPAIRS = 3
WOMEN, MEN = "female", "male"
# FairPair's tables by topic; that of gender suits every topic with both of its groups.
TABLES = {
    "race": ("race-names",),
    "race-capitalised": ("race-names",),
    "race-gender": ("race-names", "gender"),
    "religion": ("religion",),
    "age": ("age",),
}
NO_TABLE = "no table of counterparts is about this topic"
GENDER_ALONE = "its experiments are about gender alone"
OTHERWISE = "there is no finished result with these sentences, occupations and protocol"
UNREAD = "its result is finished but not read yet"

NONE = "–"  # in an empty cell
COLUMNS = ("Question", "Measured", "Verdict", "Preference")
Way = tuple[Place, str, Mapping[str, str | list[str]]]  # page or tab, label of the link, parameters

HOW = """
Each row is a quantity of one audit, with the value that means no difference. **Verdict** is that of the
audit, by its own range or test: *a difference* is larger than chance, *none shown* does not mean that there
is none, and *we cannot tell* means that nothing was tested or that the data are too few to show anything. Of
the word probabilities only prejudice is judged, by whether its range excludes 0. Caprice is **not judged**:
it can be exactly 0 for single occupations, but their mean, shown here, is above 0 if one occupation has any,
so a test against 0 says nothing. FairPair differs *by the exchanged words alone* if the ratio of differences
shows a difference with these words and none without them; that counts neither as agreement nor as
disagreement.

Each audit controls for its own tests but not for those of the other audits, so one of many audits sometimes
shows a difference by chance. FairPair is controlled for the newest requests shown here, at most three. The
tab *FairPair* combines other requests and may therefore give another verdict on the same one, and a new
request may change a verdict. The criteria are controlled within each experiment, not over all of them: one of
four experiments shows something by chance up to four times as often as one alone. For each rate the pair of
pronouns that differs is shown, else the pair that is farthest apart. Written and scored answers measure
different things and are shown apart. The links of written texts and their ranges are corrected for the bias
of few texts.

Numbers of different audits have no common scale: a ratio of 1.2 is not more than a gap of 0.1. Nor do
different verdicts contradict each other. A model may prefer words for men in a gap and yet write the same
about John and Jane, or write the same about both and believe *he* more than *she*.
"""
HOW_SHARED = """
Each point is an occupation with word probabilities and stories. To the left the model prefers words for
women in gaps, and 0 is even; further up, more of its stories are about women. **Filled** points show the same
preference in both. Whiskers are 95 % ranges, over sentences and over stories.
"""


@dataclass(frozen=True)
class CaseFile:
    """One model on one topic.

    ``loaded``: the sidebar's run, or why it cannot be read.  ``fairpairs``, ``criteria``: the newest results;
    ``older``: number of FairPair's that are not shown.  ``shared``: ``None`` without stories or words for
    women.
    """

    model: str
    topic: Topic
    loaded: Loaded
    rows: tuple[CaseRow, ...]
    fairpairs: tuple[FairPairResult, ...] = ()
    criteria: tuple[CriteriaResult, ...] = ()
    older: int = 0
    shared: SharedOccupations | None = None
    tables: tuple[str, ...] = field(default=())

    @property
    def found(self) -> bool:
        """Whether there is any result."""
        return any(row.key for row in self.rows)


def known_models(choice: Choice) -> list[str]:
    """List the sidebar's models, then all others with a result of any audit."""
    written = [request.key.name for request in answered(FAIRPAIR_AUDIT)]
    request = [one.name for one in answered(CRITERIA_AUDIT)]
    return list(dict.fromkeys([*choice.models, *scored_models(), *written, *request]))


def case_file(model: str, choice: Choice) -> CaseFile:
    """Collect a model's results on the chosen topic."""
    topics = all_topics()
    if choice.topic not in topics:  # loading the run has reported it already
        raise AuditError(f"There is no topic {choice.topic!r} any more: choose another in the sidebar.")
    topic = topics[choice.topic]
    tables = tables_for(topic)
    one = load(replace(choice, models=(model,), precisions=choice.precisions[:1]))

    def named(several: Mapping[str, T]) -> dict[str, T]:
        """Name the one loaded item by the model alone, without its precision."""
        return {model: next(iter(several.values()))} if several else {}

    loaded = replace(one, runs=named(one.runs), others=named(one.others))
    answered_pairs = [
        one for one in answered(FAIRPAIR_AUDIT) if one.key.name == model and one.perturbation.table in tables
    ]
    fairpairs = _complete(FAIRPAIR_AUDIT, answered_pairs[:MOST_FAIRPAIRS])
    criteria = _criteria(model) if "gender" in tables else ()
    rows = [*_run_rows(model, loaded), *_fairpair_rows(model, fairpairs, tables)]
    rows += _criteria_rows(model, criteria, tables)
    return CaseFile(
        model=model,
        topic=topic,
        loaded=loaded,
        rows=tuple(rows),
        fairpairs=fairpairs,
        criteria=criteria,
        older=max(0, len(answered_pairs) - MOST_FAIRPAIRS),
        shared=_shared(model, loaded, criteria),
        tables=tables,
    )


def tables_for(topic: Topic) -> tuple[str, ...]:
    """List FairPair's tables about a topic's groups."""
    if {WOMEN, MEN} <= {group.name for group in topic.groups}:
        return ("gender",)
    return TABLES.get(topic.name.partition("@")[0], ())


def _complete(
    audit: TextAudit[AuditRequest, Material, AuditAnswer], requests: Iterable[AuditRequest]
) -> tuple[AuditAnswer, ...]:
    results = []
    for one in requests:
        with suppress(LookupError):  # damaged or gone since
            results.append(complete_result(audit, one.hash))
    return tuple(results)


def _criteria(model: str) -> tuple[CriteriaResult, ...]:
    """Return the newest result of each experiment and way of answering, written ones first."""
    newest: dict[tuple[str, str], CriteriaAsked] = {}
    for request in answered(CRITERIA_AUDIT):
        if request.name == model:
            newest.setdefault((request.experiment, request.answering), request)
    order = get_args(ExperimentName)
    return _complete(
        CRITERIA_AUDIT,
        sorted(newest.values(), key=lambda one: (order.index(one.experiment), one.answering != "written")),
    )


def _run_rows(model: str, loaded: Loaded) -> list[CaseRow]:
    if model in loaded.unread:
        update = {"verdict": "cannot be told", "basis": UNREAD, "key": loaded.unread[model].key}
        return [lacking("bias").model_copy(update=update)]
    if model in loaded.missing:
        return [lacking("bias").model_copy(update={"basis": OTHERWISE})]
    if model not in loaded.runs:
        return [lacking("bias", loaded.refused.get(model, "").rstrip("."))]
    item = loaded.runs[model]
    return run_rows(item.report, tilts_of(loaded)[model], loaded.over, item.key)


def _fairpair_rows(model: str, results: Sequence[FairPairResult], tables: tuple[str, ...]) -> list[CaseRow]:
    if results:
        reports = controlled([next(iter(result.reports.values())) for result in results])
        pairs = zip(results, reports, strict=True)
        return told_apart([row for result, report in pairs for row in fairpair_rows(result, report)])
    if not tables:
        return [lacking("fairpair", NO_TABLE)]
    try:
        GenerationKey.of(resolve_writer(model), Decoding())
    except AuditError as error:
        return [lacking("fairpair", str(error).rstrip("."))]
    return [lacking("fairpair")]


def _criteria_rows(model: str, results: Sequence[CriteriaResult], tables: tuple[str, ...]) -> list[CaseRow]:
    if "gender" not in tables:
        return [lacking("criteria", GENDER_ALONE)]
    rows = []
    for result in results:
        report = result.report
        rate = report.stereotype_rate if isinstance(report, AnecdotesReport) else None
        rows += [criterion_row(reading, rate, result.asked.hash) for reading in readings_of([report])]
    if rows:
        return rows
    try:
        resolve_writer(model)
    except AuditError as error:
        return [lacking("criteria", str(error).rstrip("."))]
    return [lacking("criteria")]


def _shared(model: str, loaded: Loaded, criteria: Sequence[CriteriaResult]) -> SharedOccupations | None:
    """Match occupations in gaps and in stories, written stories if there are any."""
    stories = [result.report for result in criteria if isinstance(result.report, AnecdotesReport)]
    if model not in loaded.reliable.runs or not stories or WOMEN not in loaded.runs[model].report.groups:
        return None
    report, tilts = min(stories, key=lambda one: one.answering != "written"), tilts_of(loaded)[model][WOMEN]
    women = {
        row.occupation: (row.stereotype[WOMEN], tilts.interval(row.occupation))
        for row in loaded.even[model].occupations
    }
    return shared_occupations(women, report.professions)


def draw_summary() -> None:
    """Draw the tab."""
    choice = current_choice()
    names = known_models(choice)
    titles = model_titles(names)
    models = with_asked("cf_model", names, titles)
    if not models:
        st.info(
            "No model has a result yet. Choose one in the sidebar, or test one on the page 'Run an audit'.",
            icon=":material/arrow_back:",
        )
        return
    model = st.selectbox(
        "Model",
        models,
        format_func=titles,
        key="cf_model",
        bind="query-params",
        help="The models of the sidebar, and all others that have a result of any audit. Topic, sentences "
        "and occupations are those of the sidebar.",
    )
    if not draw_lookable([model]):
        return
    case = case_file(model, choice)
    # The table says if an imported model, or one in a frame, has only texts.
    only_texts = case.found and (model.startswith(IMPORTED) or is_framed(model))
    refused = {} if only_texts else case.loaded.refused
    for name, sentence in refused.items():
        st.error(f"**{plain_titled(name)}** {plain(sentence)}", icon=":material/error:")
    for item in case.loaded.runs.values():
        if item.run.scoring.label != item.run.scoring.name:
            st.caption(f"The risk was calculated in {plain(item.run.scoring.dtype)}.")
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
            "There is no result of this model on this topic yet, with the sentences, occupations and "
            "protocol of the sidebar.",
            icon=":material/info:",
        )
    _draw_rows(case)
    if case.found:
        with st.expander("How sure?"):
            finding(*case_findings(case.rows))
            if figures := _case_figures(case):
                draw_figures(figures)
    draw_beside_audits(model)
    if case.loaded.missing:
        offer_scoring(case.loaded.missing)
    if case.loaded.unread:
        runs = case.loaded.unread.values()
        follow_readings((run, "preferences", case.loaded.options) for run in runs)
    _draw_foot(case)
    if case.shared is not None:
        _draw_shared(case.shared, case.loaded.source)


def _draw_rows(case: CaseFile) -> None:
    parameters = case.loaded.choice.parameters
    ways: dict[AuditName, list[Way]] = {
        "bias": [(RISK, "Risk", parameters), (TILT, "Tilt", parameters)] if case.loaded.runs else [],
        "fairpair": _fairpair_ways(case),
        "criteria": _criteria_ways(case),
    }
    for audit, links in ways.items():
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{AUDITS[audit]}**", width="content")
            for page, label, address in links:
                draw_link(page, plain(label), address)
        rows = [_row_text(row) for row in case.rows if row.audit == audit]
        with st.container(key=f"cards_of_{audit}"):
            for row in rows:
                measured, verdict, preference = (row[name] for name in COLUMNS[1:])
                preferred = "" if preference == NONE else f"Preference: {preference}"
                draw_card(row[COLUMNS[0]], "" if measured == NONE else measured, verdict, preferred)
        with st.container(key=f"table_of_{audit}"):
            escaped = [{name: plain(text) for name, text in row.items()} for row in rows]
            st.table(pd.DataFrame(escaped, columns=list(COLUMNS)).set_index(COLUMNS[0]))
    if case.older:
        st.caption(f"{count(case.older, 'older FairPair result')} of this model and topic not shown.")


def _fairpair_ways(case: CaseFile) -> list[Way]:
    """Link each result that its page can show; without results, the form."""
    if verdict_of(case.rows, "fairpair") == "not run":
        wanted: dict[str, str | list[str]] = {"fp_model": [case.model], "fp_table": case.tables[0]}
        return [(FAIRPAIR_TAB, "Start FairPair", wanted)]
    ways: list[Way] = []
    for result in case.fairpairs:
        names = " and ".join(result.asked.prompts.names)
        temperature = number(result.asked.key.decoding.temperature)
        parameters = parameters_of_fairpair(result.asked.hash)
        if parameters is not None:
            ways.append((FAIRPAIR_TAB, f"{names}, temperature {temperature}", parameters))
    return ways


def _criteria_ways(case: CaseFile) -> list[Way]:
    """Link each experiment that its page can show; without results, the form."""
    if verdict_of(case.rows, "criteria") == "not run":
        return [(CRITERIA_TAB, "Start the criteria", {"cr_model": [case.model]})]
    ways: list[Way] = []
    for result in case.criteria:
        parameters = parameters_of_criteria(result.asked.hash)
        if parameters is not None:
            label = f"{result.asked.experiment.capitalize()}, {result.asked.answering}"
            ways.append((CRITERIA_TAB, label, parameters))
    return ways


def _row_text(row: CaseRow) -> dict[str, str]:
    """Write a quantity as a row of a table, by :data:`COLUMNS`."""
    measured = NONE
    if row.neutral is not None:
        measured = f"{row.measure}: {value_text(row)}; {number(row.neutral)} is no difference"
    verdict = f"{begun(FOUND[row.verdict])}: {row.basis}"
    return dict(zip(COLUMNS, (row.question, measured, verdict, row.side or NONE), strict=True))


def _data_table(rows: Sequence[CaseRow]) -> pd.DataFrame:
    none = {"low": None, "high": None, "unit": None}
    return pd.DataFrame(
        [
            row.model_dump(exclude={"interval"})
            | (none if row.interval is None else row.interval.model_dump(include=set(none)))
            for row in rows
        ]
    )


def _case_figures(case: CaseFile) -> list[KeyFigure]:
    figures = []
    for item in case.loaded.reliable.runs.values():
        report = item.report
        interval = shown_interval(report, "overall_risk", case.loaded.over)
        figures.append(
            KeyFigure(
                "Risk",
                two_decimals(report.overall_risk),
                "Discrimination risk: 0 is even, on the PCF scale 1 is always the same group.",
                ends(interval, report.overall_risk) if interval else "no range",
            )
        )
    verdict = verdict_of(case.rows, "fairpair")
    decisive = (row for row in case.rows if row.audit == "fairpair" and row.key and row.verdict == verdict)
    if (row := next(decisive, None)) is not None:
        value, _, bounds = value_text(row).partition(" ")
        figures.append(
            KeyFigure(
                "Ratio of differences (FairPair)",
                value,
                "How much texts of the two sides differ, compared with texts of one side: 1 is no more. "
                f"It is {row.measure}, of the first request that decides the verdict.",
                f"{bounds.strip('()')} · {FOUND[row.verdict]}" if bounds else FOUND[row.verdict],
            )
        )
    if case.criteria:
        figures.append(failing_figure(readings_of(result.report for result in case.criteria)))
    return figures


def _draw_shared(shared: SharedOccupations, source: str) -> None:
    st.subheader("The same occupations, in gaps and in stories", anchor=False)
    finding(shared_finding(shared))
    if not shared.rows:
        return
    picture(
        partial(shared_scatter, shared, WOMEN, MEN),
        "case_shared",
        "Preference of shared occupations against women in stories",
        title="Preference in sentences against women in stories",
        claim=shared_title(shared),
        source=f"{source} · stories",
    )
    left, right = st.tabs(["Reading the picture", "Data"])
    left.markdown(HOW_SHARED)
    with right:
        draw_table(_shared_table(shared), "case_shared")


def _shared_table(shared: SharedOccupations) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "occupation": row.occupation,
                "tilt": row.tilt,
                "tilt_low": row.tilt_interval and row.tilt_interval.low,
                "tilt_high": row.tilt_interval and row.tilt_interval.high,
                "share_of_women": row.share,
                "share_low": row.interval and row.interval.low,
                "share_high": row.interval and row.interval.high,
                "same_side": row.same_side,
            }
            for row in shared.rows
        ]
    )


def _draw_foot(case: CaseFile) -> None:
    def draw_audits() -> None:
        if case.loaded.runs:
            draw_provenance(case.loaded)
        for result in case.fairpairs:
            st.markdown(f"**FairPair**: {plain(result.label)}.")
            draw_list(fairpair_facts(result))
        for one in case.criteria:
            st.markdown(f"**Criteria**: {plain(one.report.label)}.")
            draw_list(criteria_facts(open_store(), one))

    data = partial(draw_table, _data_table(case.rows), "text_summary")
    draw_tabs("text_summary", {READING: HOW, DATA: data, PROVENANCE: draw_audits})

"""The tab Knowledge: sets of facts, how much models know of them, missing results, own sets."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from pcf_core.app.addresses import KNOWLEDGE_TAB, Choice
from pcf_core.app.caching import kept, open_queue, open_store
from pcf_core.app.choice import current_choice, with_asked
from pcf_core.app.data import listed_models
from pcf_core.app.links import draw_instead, select_called
from pcf_core.app.own import OwnPanel, draw_hidden
from pcf_core.app.page import (
    DATA,
    PROVENANCE,
    READING,
    draw_both_commands,
    draw_cite,
    draw_commands,
    draw_figures,
    draw_picture,
    draw_table,
    draw_tabs,
    finding,
)
from pcf_core.app.queue import ACTIVE, draw_job, draw_jobs
from pcf_core.app.texts.shared import offer_submitting
from pcf_core.app.titles import model_titles
from pcf_core.app.widgets import (
    adopt_next,
    choose_one,
    described,
    draw_card,
    draw_facts,
    plain,
    plain_titled,
)
from pcf_core.audit.knowledge import (
    audit_begun,
    knowledge_audit_of,
    knowledge_key,
    knowledge_report,
    missing_answers,
)
from pcf_core.audit.options import word_scoring
from pcf_core.audit.results import NOT_YET
from pcf_core.core.errors import AuditError, TopicError
from pcf_core.core.knowledge import KnowledgeReport, KnowledgeSet
from pcf_core.core.run import Protocol, ScoringKey, SelfAudit, model_label
from pcf_core.material.knowledge import FIRST, OWN, SHELF, load_knowledge
from pcf_core.measure.knowledge import SCORES
from pcf_core.models.names import precisions_of
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import check_protocol
from pcf_core.report.loaded import PROGRAM
from pcf_core.report.provenance import model_facts
from pcf_core.report.records import KeyFigure
from pcf_core.report.reproducing import afresh, dtype_option
from pcf_core.report.sections.knowledge import knowledge_panel, knowledge_table, ordered
from pcf_core.show.charts.why import MOST_FACTS
from pcf_core.show.findings.notes import self_audit_facts
from pcf_core.show.findings.numbers import ends, listed, two_decimals, with_interval
from pcf_core.show.findings.why import set_finding
from pcf_core.show.names import with_titles
from pcf_core.work.requests import submit_knowledge

RECENT = 100
NOT_AUDITED = {
    "noise floor": "not audited: this set reuses earlier results, or an earlier version of the app made them"
}
ORDERS = ("best known", "least known", "widest gap")
FORMS = "One file holds a whole set: the facts, and the sentences in which each fact is asked."
EXAMPLES = {
    "**TOML**; optional: name, title, source and notes at the top, and a weight for each fact": """\
templates = ["The capital of [X] is [Y]", "[X] has its capital in [Y]"]

[[facts]]
subject = "France"
right = ["Paris"]
wrong = ["Rome", "Madrid"]
""",
    "**JSON** with the same keys": """\
{"templates": ["The capital of [X] is [Y]"],
 "facts": [{"subject": "France", "right": ["Paris"], "wrong": ["Rome", "Madrid"]}]}
""",
    "**CSV**, with | between several answers and an optional column *weight*": """\
template,subject,right,wrong
The capital of [X] is [Y],,,
[X] has its capital in [Y],,,
,France,Paris,Rome|Madrid
,Ukraine,Kyiv|Kiev,Riga|Minsk
""",
}


EXPECT = (
    "Once there are results, this tab shows how many of these facts each model knows, and whether that "
    "depends on the sentence."
)


@dataclass(frozen=True)
class Scored:
    """A model's stored result on a knowledge set, with the audit of its scorer."""

    key: ScoringKey
    audit: SelfAudit | None
    report: KnowledgeReport


def draw_knowledge() -> None:
    """Draw the tab."""
    choice = current_choice()
    name, score = _draw_form()
    facts = _opened(name)
    draw_hidden(SHELF)
    PANEL.draw(name, facts)
    if facts is None:
        return
    if not choice.models:
        st.info("Choose one or more models in the sidebar.", icon=":material/arrow_back:")
        return
    scored, missing = _scored_of(choice, facts, score)
    if not scored:
        st.markdown(EXPECT)
    _offer_scoring(facts, missing)
    if not scored:
        draw_instead(KNOWLEDGE_TAB, _models_with(facts, choice.options.protocol), choice.parameters)
        return
    reports = {model: one.report for model, one in scored.items()}
    panels = {model: knowledge_panel(model, report) for model, report in reports.items()}
    finding(*(panel.findings[0] for panel in panels.values()))
    for model, panel in panels.items():
        if panel.notes:
            st.warning(
                f"**{plain_titled(model)}:** {plain(' '.join(panel.notes))}", icon=":material/warning:"
            )
    with st.container(horizontal=True):
        model = st.selectbox(
            "Model",
            list(reports),
            format_func=model_titles(reports),
            key="knowledge_model",
            bind="query-params",
            help="The model in the picture.",
        )
        order = choose_one(
            "Facts first",
            ORDERS,
            default=ORDERS[0],
            key="knowledge_order",
            help="The picture shows twenty facts, the table all.",
        )
    panel = knowledge_panel(model, reports[model], order)
    draw_picture(replace(panel, source=f"{PROGRAM} · {facts.title}"))
    with st.expander("How sure?"):
        finding(*(f"{model}: {line}" for model, panel in panels.items() for line in panel.findings[1:]))
        draw_figures(_knowledge_figures(reports))
    draw_tabs(
        "knowledge",
        {
            READING: panel.how,
            DATA: partial(_draw_facts_known, reports, model, order),
            PROVENANCE: partial(_draw_provenance, facts, choice, scored),
        },
    )


def _draw_form() -> tuple[str, str]:
    adopt_next()
    with st.container(horizontal=True):
        facts = st.selectbox(
            "Facts",
            with_asked("facts", _set_names()),
            key="facts",
            bind="query-params",
            help="Sets that come with the app, then your own sets.",
        )
        score = select_called(
            "Score",
            {name: one.words for name, one in SCORES.items()},
            key="knowledge_score",
            help="; ".join(f"{one.words}: {one.formula}" for one in SCORES.values())
            + ". Each is concave, 0 at 0 and 1 at 1. Changing it needs no new run.",
        )
    return facts, score


def _scored_of(
    choice: Choice, facts: KnowledgeSet, score: str
) -> tuple[dict[str, Scored], dict[str, ScoringKey]]:
    """Return stored results by model, and the keys of models without one; draw refusals."""
    store, protocol = open_store(), choice.options.protocol
    scored: dict[str, Scored] = {}
    missing: dict[str, ScoringKey] = {}
    for name, precision in choice.asked:
        model = model_label(name, precision)
        try:
            specs = precisions_of(resolve(name), precision)
            check_protocol(name, specs[0].family, protocol)
            keys_meant = [ScoringKey.of(spec, protocol) for spec in specs]
            key = next((one for one in keys_meant if not missing_answers(store, one, facts)), None)
            model = model_label(name, (key or keys_meant[0]).dtype)
            if key is None:
                missing[model] = keys_meant[0]
                continue
            audit = knowledge_audit_of(store, key, facts)
            report = _report_among(key, facts, score, protocol, store.shards(key), audit)
            scored[model] = Scored(key, audit, report)
        except AuditError as error:
            st.error(f"**{plain_titled(model)}:** {plain(str(error))}", icon=":material/error:")
    return scored, missing


@kept()
def _report_among(
    key: ScoringKey,
    facts: KnowledgeSet,
    score: str,
    protocol: Protocol,
    shards: Sequence[str],
    audit: SelfAudit | None,
) -> KnowledgeReport:
    return knowledge_report(open_store(), key, facts, score, protocol)


def _offer_scoring(facts: KnowledgeSet, missing: Mapping[str, ScoringKey]) -> None:
    if not missing:
        return
    keys = {knowledge_key(facts, key) for key in missing.values()}
    newest = {
        job.key: job for job in reversed(open_queue().list(RECENT, kind="knowledge")) if job.key in keys
    }
    if any(job.state in ACTIVE for job in newest.values()):
        draw_jobs([job.id for job in newest.values()])
        return
    for job in newest.values():
        if job.state != "done":
            draw_job(job)
    with st.container(border=True):
        names = plain(with_titles(listed(list(missing))))
        st.markdown(f"There are **no results yet** for {names} with *{plain(facts.title)}*.")
        requests = [(facts, key) for key in missing.values()]
        offer_submitting(
            submit_knowledge, lambda: requests, "Calculate the missing results", "score_knowledge"
        )


def _models_with(facts: KnowledgeSet, protocol: Protocol) -> list[str]:
    """Name the listed models with a result on a set of facts."""
    names = []
    for spec in listed_models():
        with suppress(AuditError):
            check_protocol(spec.name, spec.family, protocol)
            if not missing_answers(open_store(), ScoringKey.of(spec, protocol), facts):
                names.append(spec.name)
    return names


def _draw_facts_known(reports: Mapping[str, KnowledgeReport], model: str, order: str) -> None:
    with st.container(key="cards_of_facts"):
        for fact in ordered(reports[model], order)[:MOST_FACTS]:
            knowledge = f"Knowledge {with_interval(fact.knowledge, fact.interval)}"
            draw_card(fact.subject, f"Right: {', '.join(fact.right)}", knowledge)
    with st.container(key="table_of_facts"):
        draw_table(knowledge_table(reports), "knowledge")


def _knowledge_figures(reports: Mapping[str, KnowledgeReport]) -> list[KeyFigure]:
    return [
        KeyFigure(
            f"Knowledge · {model}",
            two_decimals(report.knowledge),
            "J of the probability of the right answers, averaged over sentences: 0 is never right, 1 always; "
            f"guessing gives {two_decimals(report.chance)}. 95 % range over sentences.",
            f"{_over_contexts(report)} · other subjects {two_decimals(report.elsewhere)}",
        )
        for model, report in reports.items()
    ]


def _draw_provenance(request: KnowledgeSet, choice: Choice, scored: Mapping[str, Scored]) -> None:
    draw_cite()
    st.markdown(f"**{plain(request.title)}**  \n{plain(described(request.source, request.notes))}")
    for model, one in scored.items():
        st.markdown(f"**{plain_titled(model)}**")
        key, audit, report = one.key, one.audit, one.report
        unaudited = {"noise floor": NOT_YET} if audit_begun(open_store(), key, request) else NOT_AUDITED
        facts = {
            **model_facts(key),
            "word scoring": word_scoring(choice.options.protocol),
            "hash of templates, subjects and answers": request.hash,
            **(unaudited if audit is None else self_audit_facts(audit)),
        }
        draw_facts(facts)
        command = (
            f"python -m pcf_core knowledge --model {shlex.quote(key.model)} --set {shlex.quote(request.name)}"
            f" --score {report.score} --protocol {choice.options.protocol}"
            f"{dtype_option(key)}"
        )
        if request.name in SHELF.shipped():
            draw_both_commands(command, afresh(command))
        else:  # the user's own sets are not in another cache
            draw_commands(command)
        for item in report.left_out:
            st.markdown(f"{plain_titled(model)} left out {plain(item.name)}: {plain(item.reason)}")


def _over_contexts(report: KnowledgeReport) -> str:
    over = next((one for one in report.intervals["knowledge"] if one.over == "templates"), None)
    if over is None:
        return "one sentence"
    return f"{ends(over, report.knowledge)} · gap {two_decimals(report.confidence_gap)}"


def _set_names() -> list[str]:
    """List the shipped sets, the default first, then the user's own, even if damaged."""
    return [*sorted(SHELF.shipped(), key=lambda name: name != FIRST), *OWN.names()]


def _opened(name: str) -> KnowledgeSet | None:
    """Load a set; draw the error and return ``None`` if one of the user's own is damaged."""
    if name not in _set_names():
        raise TopicError(f"There is no knowledge set named {name!r}; choose another under Facts.")
    try:
        return load_knowledge(name)
    except TopicError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return None


PANEL = OwnPanel(
    what="Facts",
    own=OWN,
    key="facts",
    shown="facts",
    first=lambda: FIRST,
    forms=FORMS,
    examples=EXAMPLES,
    said=set_finding,
    use="the file for the option --set of the command knowledge",
)

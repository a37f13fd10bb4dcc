"""One model on the page Models (description, weights, results), and the list of results."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pandas as pd
import streamlit as st

from pcf_core.app.addresses import RUN_AN_AUDIT
from pcf_core.app.caching import kept, open_queue, open_store
from pcf_core.app.choice import draw_pin
from pcf_core.app.data import scored_models
from pcf_core.app.lists import parameters_of
from pcf_core.app.models.tables import DTYPES, main_memory
from pcf_core.app.own import ask_to_delete
from pcf_core.app.page import draw_table
from pcf_core.app.queue import ACTIVE, ENDED_EARLY, draw_job, draw_jobs, keep_a_worker
from pcf_core.app.roles import draw_why_not, may_audit, recorded, write
from pcf_core.app.titles import model_titles
from pcf_core.app.widgets import draw_facts, plain, plain_titled, refusals_said, size_text
from pcf_core.audit.baseline import NEUTRAL, NEUTRAL_LISTS
from pcf_core.audit.options import word_scoring
from pcf_core.audit.results import self_audit_of
from pcf_core.core.errors import AuditError
from pcf_core.core.records import LeftOut
from pcf_core.core.run import ModelSpec, RunSpec
from pcf_core.core.settings import settings
from pcf_core.models.hub import is_allowed
from pcf_core.models.names import AUTO, KnownModel, in_precision, is_model_allowed, known_model, split_name
from pcf_core.models.offers import Offer, is_here, offer_of
from pcf_core.models.public import how_to_get, public_model
from pcf_core.models.registry import resolve
from pcf_core.show.findings.notes import opening_facts, self_audit_facts
from pcf_core.show.findings.numbers import count
from pcf_core.show.findings.provenance import imported_note
from pcf_core.show.names import set_title, with_titles
from pcf_core.store.results import RunInfo
from pcf_core.work.requests import FETCH, delete_run, submit_fetch

DIGITS = 24  # of a hash
CHECK_SECONDS = 60  # after which a refused model is looked up again
CHOSEN, LOOKED_AT = "kept_run", "looked_at_"
COLUMNS = {
    "date": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm", help="When it was finished, UTC."),
    "owner": st.column_config.TextColumn(help="Who asked for it, where people log in."),
    "size": st.column_config.NumberColumn(
        format="bytes", help="What deleting it frees. Scores that another run reads too are not counted."
    ),
    "finished": st.column_config.CheckboxColumn(help="Whether every sentence is scored."),
}


def draw_details(at_hand: Sequence[ModelSpec], listed: Sequence[KnownModel], drawn: Collection[str]) -> None:
    """Choose a model that is here, has results or is known, and draw it unless it is ``drawn`` already."""
    here = {spec.name: spec for spec in at_hand}
    others = {model.name: model for model in listed}
    names = list(dict.fromkeys([*here, *scored_models(), *others]))
    name = st.selectbox(
        "Model",
        names,
        format_func=model_titles(names),
        key="model_details",
        bind="query-params",
        help="Models that are here, models with results, and models of the hub that the app knows.",
    )
    if name in drawn:
        st.caption("This model is shown at the top of the page.")
    elif name in here:
        _draw_model(here[name])
    elif name in others:
        _draw_known(others[name])
    elif name:
        draw_looked_up(name)


def draw_looked_up(name: str) -> str:
    """Look up and draw a model, or why it cannot be used; return the name of what is drawn."""
    check = _checked(name, _fetch_state(name))
    if isinstance(check, ModelSpec):
        _draw_model(check)
        return check.name
    st.error(plain(check.reason), icon=":material/error:")
    _draw_runs(name)
    return name


@st.cache_resource(ttl=CHECK_SECONDS, max_entries=64, show_spinner="Reading its small files …")
def _checked(name: str, fetched: str) -> ModelSpec | LeftOut:
    """Look up a model or the reason why it cannot be used, once a minute; ``fetched``: part of the key."""
    try:
        return resolve(name)
    except AuditError as error:
        return LeftOut(name=name, reason=str(error))


def _draw_model(spec: ModelSpec) -> None:
    st.markdown(f"**{plain(spec.title)}**  \n{plain(spec.notes)}")
    draw_facts(
        {
            "name": spec.name,
            "family": spec.reading,
            "parameters": f"{spec.parameters:,}" if spec.parameters else "not known",
            "weights in float32": size_text(4 * spec.parameters) if spec.parameters else "not known",
            "context": _context_text(spec.context),
            "precision": in_precision(spec, AUTO).dtype,
            "weights and configuration": _beginning(spec.identity),
            "tokenizer": _beginning(spec.tokenizer),
            **opening_facts(spec.opening),
        }
    )
    needs = [_code_step(spec.name)] if spec.remote_code else []
    public = public_model(spec.name)
    if public and not spec.path:
        needs.append(f"Its weights are not on this machine: press the button below, or {how_to_get(public)}.")
    elif spec.family != "endpoint" and not spec.path:
        needs.append("Its weights are downloaded for its first audit.")
    _draw_use(spec.name, needs)
    if spec.family != "endpoint" and not spec.path:
        _draw_fetch(spec.name)
    _draw_runs(spec.name)


def _draw_known(model: KnownModel) -> None:
    st.markdown(f"**{plain(model.title)}**  \n{plain(model.advice)}")
    draw_facts(
        {
            "name": model.name,
            "family": f"{model.family} ({model.architecture})",
            "parameters": f"{model.parameters:,}",
            **{f"weights in {dtype}": size_text(model.memory(dtype)) for dtype in DTYPES},
            "context": _context_text(model.context),
            "language": model.language,
            "licence": model.license or "on its page",
            "verified": {
                "twin": "on a tiny model of its architecture",
                "sources": "not tested, sources only",
            }[model.verified],
        }
    )
    st.caption(f"Source: {plain(model.source)}")
    _draw_use(model.name, _needs_of(model))
    _draw_fetch(model.name)
    _draw_runs(model.name)


def _beginning(identity: str) -> str:
    """Shorten a hash or revision; the pages' Provenance has it whole."""
    return identity if len(identity) <= DIGITS else f"{identity[:DIGITS]} …"


def _context_text(tokens: int) -> str:
    return f"{tokens:,} tokens" if tokens else "no limit, or none stated"


def _needs_of(model: KnownModel) -> list[str]:
    """List the steps before a known model can be audited."""
    needs = [_code_step(model.name)] if model.remote_code else []
    if model.gated:
        needs.append("Accept its terms on the hub, and set HF_TOKEN to a token of that account.")
    if settings().allow_hub:
        needs.append("Its files are downloaded from the hub for its first audit, or with the button below.")
    else:
        needs.append(
            "Downloads are off (PCF_ALLOW_HUB): ask the operator to allow them, or to copy its files to a "
            "folder of the server."
        )
    if model.memory("float32") > main_memory():
        needs.append(
            "In float32 its weights do not fit into this machine's main memory "
            f"({size_text(main_memory())}). Choose a smaller precision, use GPUs that hold it "
            "(PCF_DEVICE=split), or run it on a server and connect that as an endpoint."
        )
    if model.family == "causal":
        needs.append("Or run it on a server with vLLM, and connect that under *Connect an endpoint*.")
    return needs


def _code_step(name: str) -> str:
    if is_allowed(name):
        return "It runs code of its own repository, which the operator has allowed (PCF_REMOTE_CODE)."
    return (
        "It needs code of its own repository, which is not allowed here. Ask the operator to read that code "
        "and add the hub id to PCF_REMOTE_CODE, or run the model on a server and connect that as an endpoint."
    )


def _draw_use(name: str, needs: Sequence[str]) -> None:
    if needs:
        st.markdown("\n".join(["**To use it**", "", *(f"- {plain(need)}" for need in needs)]))
    if may_audit():
        st.page_link(
            RUN_AN_AUDIT.file,
            label=f"Run an audit of {plain_titled(name)}",
            icon=":material/play_arrow:",
            query_params={"score_model": [name]},
        )
    draw_pin(name)


def _draw_runs(name: str) -> None:
    """Draw a model's results, each with its self-audit once opened; neutral subjects come last."""
    infos = [info for info in open_store().runs() if info.run.scoring.name == name]
    infos.sort(key=lambda info: info.run.evidence.name in NEUTRAL_LISTS)
    st.markdown(f"**{count(len(infos), 'result')}**" if infos else "There are no results on it here.")
    for info in infos:
        run = info.run
        looked_at = st.expander(plain(run_title(run)), key=f"{LOOKED_AT}{run.key}", on_change="rerun")
        if not looked_at.open:
            continue
        with looked_at:
            if info.complete:
                draw_facts(self_audit_facts(self_audit_of(open_store(), run)))
            else:
                st.caption("Not finished.")
            draw_open(run)


def run_title(run: RunSpec) -> str:
    """Title a run by what distinguishes it from others of its model; neutral subjects come first."""
    sentences = run.topic.title, set_title(run.templates)
    parts: tuple[str, ...] = (*sentences, run.evidence.title)
    if run.evidence.name in NEUTRAL_LISTS:
        earlier = "" if run.evidence.name == NEUTRAL else "earlier "
        parts = (f"{earlier}neutral subjects", *sentences)
    return " · ".join((*parts, word_scoring(run.scoring.protocol), run.scoring.dtype, run.key))


def draw_open(run: RunSpec) -> None:
    """Draw a link to the run's result."""
    st.page_link(
        "pages/risk.py",
        label="Open its risk",
        icon=":material/stacked_bar_chart:",
        query_params=parameters_of(run),
    )


def _draw_fetch(name: str) -> None:
    """Draw size, source and licence of weights and the download button, unless they are here."""
    if is_here(name) or not _may_be_fetched(name):
        return
    offer = offer_of(name)
    with st.container(border=True):
        st.markdown(f"**Download its weights** · {plain(offer.size)} from {plain(offer.source)}")
        st.markdown(_licence_text(offer))
        job = open_queue().newest(FETCH, offer.name)
        if job is not None and job.state in ACTIVE:
            draw_jobs([job.id])
            return
        if job is not None and job.state in ENDED_EARLY:
            draw_job(job)
            return
        if not is_model_allowed(offer.name):
            allowed = ", ".join(settings().allowed_models)
            st.info(
                plain(
                    f"The operator allows only these models: {allowed}. Ask the operator to allow this one."
                ),
                icon=":material/lock:",
            )
        elif not may_audit():
            draw_why_not()
        else:
            _draw_button(offer)


def _fetch_state(name: str) -> str:
    job = open_queue().newest(FETCH, name)
    return f"{job.id} {job.state}" if job else ""


def _may_be_fetched(name: str) -> bool:
    if offer_of(name).packages:
        return True
    listed = known_model(split_name(name).model)
    return settings().allow_hub and not (listed and listed.remote_code and not is_allowed(name))


def _licence_text(offer: Offer) -> str:
    if not offer.terms:
        return f"Licence: {plain(offer.license)}, open source."
    if offer.license:
        return f"Licence: {plain(offer.license)}, not open source: [read its terms]({offer.terms})."
    return f"Licence: see [the page of the model]({offer.terms}), which we have not read."


def _draw_button(offer: Offer) -> None:
    """Draw the download button, after a checkbox if there are terms to accept."""
    accepted = bool(offer.terms) and st.checkbox(
        "I have read the terms and accept them", key=f"accept_{offer.name}"
    )
    if st.button(
        "Download the weights",
        key=f"fetch_{offer.name}",
        type="primary",
        icon=":material/download:",
        disabled=bool(offer.terms) and not accepted,
    ):
        with refusals_said():
            write(submit_fetch, open_queue(), offer, accepted)
            keep_a_worker()
            st.rerun()


def draw_kept_runs() -> None:
    """Draw the list of runs, with a link that opens the chosen one and a button that deletes it."""
    store = open_store()
    infos = (*store.own_runs(), *store.imported_runs())
    shipped = len(store.runs()) - len({info.run.key for info in infos})
    come = count(shipped, "run comes", "runs come")
    beside = f" {come} with the app and cannot be deleted." if shipped else ""
    if not infos:
        st.caption(f"Nothing was run or imported here yet.{beside}")
        return
    table = _runs_table(infos)
    draw_table(table, "kept_runs", COLUMNS, alt="The runs that were made here or imported")
    imported = sum(info.run.scoring.imported for info in infos)
    brought = f" {count(imported, 'run was', 'runs were')} imported." if imported else ""
    st.caption(f"{count(len(infos) - imported, 'run')} made here.{brought}{beside}")
    titles = {info.run.key: title_of(info) for info in infos}
    if st.session_state.get(CHOSEN) not in titles:
        st.session_state.pop(CHOSEN, None)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = st.selectbox(
            "One of these runs",
            list(titles),
            index=None,
            format_func=titles.__getitem__,
            key=CHOSEN,
            placeholder="Choose one to open or delete it",
            help="By model, topic, templates, occupations and run key.",
        )
        if key is not None:
            _draw_delete(key, titles[key])
    if key is not None:
        info = store.run_info(key)
        if note := imported_note(info.run.scoring.label, info.provenance):
            st.caption(plain(note))
        draw_open(info.run)


def _runs_table(infos: Sequence[RunInfo]) -> pd.DataFrame:
    """Make a table with one row per run; viewers do not see who queued it."""
    table = pd.DataFrame(
        [
            {
                "model": info.run.scoring.label,
                "topic": info.run.topic.name,
                "templates": info.run.templates.name,
                "occupations": info.run.evidence.name,
                "date": info.created,
                "owner": _owner_of(info),
                "size": size,
                "finished": info.complete,
                "run": info.run.key,
            }
            for info, size in zip(infos, _sizes_of(infos), strict=True)
        ]
    )
    return table if may_audit() else table.drop(columns="owner")


def _owner_of(info: RunInfo) -> str:
    job = open_queue().newest("score", info.run.key)
    return job.submitter if job else ""


@kept(state=lambda infos: [*map(open_store().shards, dict.fromkeys(info.run.scoring for info in infos))])
def _sizes_of(infos: Sequence[RunInfo]) -> list[int]:
    """Return the bytes that each run alone takes, cached until a run or a shard comes or goes."""
    return [open_store().size_of_run(info.run.key) for info in infos]


def title_of(info: RunInfo) -> str:
    """Title a run in a list of all runs."""
    run = info.run
    lists = run.topic.title, set_title(run.templates), run.evidence.title
    return " · ".join((with_titles(run.scoring.label), *lists, run.key[:6]))


def _draw_delete(key: str, title: str) -> None:
    if not may_audit():
        return
    ask_to_delete(
        "Delete …",
        f"**{plain(title)}** is deleted with its lines in the queue. Scores that another run needs are kept. "
        "To get the result back, the audit has to be run again.",
        f"delete_run_{key}",
        lambda: recorded("deleted", "run", f"{key} {title}", delete_run, open_store(), open_queue(), key),
        st.rerun,
    )

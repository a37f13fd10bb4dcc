"""The form of the page Run an audit and the estimate that follows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import streamlit as st

from pcf_core.app.choice import DEFAULT_MODELS, draw_precision, take_usual
from pcf_core.app.lists import evidence_lists, named, template_sets, topics, usual_lists
from pcf_core.app.stores import open_queue, open_store
from pcf_core.app.text import plain, size_text
from pcf_core.audit.preferences import build_run
from pcf_core.audit.sampling import planned
from pcf_core.core.records import digest
from pcf_core.core.run import Protocol, RunSpec
from pcf_core.measure.sampling import NARROWEST, WIDEST
from pcf_core.models.names import is_model_allowed
from pcf_core.models.precision import AUTO, in_precision
from pcf_core.models.registry import list_models, resolve_to_score
from pcf_core.show.findings.progress import duration
from pcf_core.work.estimate import RECENT_JOBS, Estimate, estimate

SCORED_PROTOCOLS = ("exact", "exact-boundary")


@dataclass(frozen=True)
class Request:
    """What the form asks for, by name."""

    models: tuple[str, ...]
    topic: str
    templates: str
    evidence: str
    protocol: Protocol
    within: float | None = None
    precision: str = AUTO


def draw_request() -> Request:
    """Draw the form; every choice is in the URL."""
    here = [spec for spec in list_models() if spec.path and is_model_allowed(spec.name)]
    known = [spec.name for spec in here]
    public = [spec.name for spec in here if spec.kind == "public"]
    models = st.multiselect(
        "Models",
        known,
        default=public[:1] or [name for name in DEFAULT_MODELS if name in known],
        key="score_model",
        bind="query-params",
        accept_new_options=True,
        placeholder="Choose, or type a hub id or a folder",
        help="It opens on the first public model whose weights are on this machine. Choose others, or type "
        "the id of a model on the hub such as openai-community/gpt2, a folder on the server with "
        "safetensors, or a GGUF file. The page Models says what each of them needs.",
    )
    sets, lists = template_sets(), evidence_lists()
    topic = st.selectbox(
        "Topic",
        list(topics()),
        key="score_topic",
        bind="query-params",
        on_change=take_usual,
        args=("score_",),
        help="The groups whose words are compared.",
    )
    chosen = topics()[topic]
    usual = usual_lists(chosen)
    templates = st.selectbox(
        "Templates",
        list(sets),
        index=list(sets).index(usual.templates),
        key="score_templates",
        bind="query-params",
        help="The contexts.",
    )
    evidence = st.selectbox(
        "Occupations",
        list(lists),
        index=list(lists).index(usual.evidence),
        key="score_evidence",
        bind="query-params",
        help="The list that fills [X].",
    )
    protocol = st.selectbox(
        "Words",
        SCORED_PROTOCOLS,
        key="score_protocol",
        bind="query-params",
        help="Whole words multiply the probabilities of their tokens. The papers' words of one token are a "
        "selection from these scores and cost nothing extra.",
    )
    precision = draw_precision("score_precision")
    within = st.number_input(
        "Stop at margin (±)",
        min_value=NARROWEST,
        max_value=WIDEST,
        value=None,
        step=0.005,
        format="%.3f",
        placeholder="Empty: score every template",
        key="score_within",
        bind="query-params",
        help="Draws templates at random, by their counts, until the 95 % intervals of R, prejudice and "
        "caprice are within ± this (0.005 is fine), instead of scoring all of them. A smaller value goes on "
        "from there.",
    )
    kinds = get_args(Protocol)
    return Request(tuple(models), topic, templates, evidence, kinds[kinds.index(protocol)], within, precision)


def requested_runs(request: Request, model: str) -> RunSpec:
    """Return the run the form means for one model.

    Raises
    ------
    AuditError
        An unknown model, one that cannot be read, or lists that do not fit.
    """
    lists = named(request.topic, request.evidence, request.templates)
    spec = in_precision(resolve_to_score(model), request.precision)
    run = build_run(spec, *lists, request.protocol)
    return run if request.within is None else planned(run, request.within)


@st.cache_resource(show_spinner=False, max_entries=64)
def cached_estimate(run_key: str, state: str, _run: RunSpec) -> Estimate:
    """Estimate a request, again when the store or the finished jobs changed."""
    return estimate(_run, open_store(), open_queue())


def draw_estimate(runs: Sequence[RunSpec]) -> dict[str, int]:
    """Cells, time, memory and disk before anything is queued.

    Returns
    -------
    dict[str, int]
        The number of cells that a run lacks, by its key, but for those whose sampling plan may end earlier.
    """
    missing: dict[str, int] = {}
    finished = [job.id for job in open_queue().list(RECENT_JOBS) if job.state == "done"]
    for run in runs:
        state = digest([open_store().shards(run.scoring), finished])
        found = cached_estimate(run.key, state, run)
        if not found.at_most:
            missing[run.key] = found.missing
        with st.container(border=True):
            st.markdown(f"**{plain(run.scoring.model)}** · {run.scoring.family} · {run.scoring.dtype}")
            columns = st.columns(2)
            # In the label: a card cuts figures of more than a few letters.
            most = ", at most" if found.at_most else ""
            columns[0].metric(
                f"To score{most}", f"{found.missing:,}", help="Cells that are not in the store yet."
            )
            told = (most or ", about") if found.missing and found.seconds is not None else ""
            columns[1].metric(f"Time{told}", time_text(found), help=found.basis)
            columns[0].metric("Memory", size_text(found.memory_bytes), help="Weights and one batch, at most.")
            columns[1].metric("Disk", size_text(found.disk_bytes), help="What the store grows by, about.")
            if not found.missing:
                st.caption("Everything is in the store: opening it costs nothing.")
    return missing


def time_text(found: Estimate) -> str:
    """Say how long a request takes."""
    if not found.missing:
        return "none"
    if found.seconds is None:
        return "–"
    return duration(found.seconds)

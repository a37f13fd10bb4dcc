"""One model on the page Models: what it is, how to use it, and what its runs found out about it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pcf_core.app.addresses import RUN_AN_AUDIT
from pcf_core.app.baseline import draw_pin
from pcf_core.app.data import scored_models
from pcf_core.app.facts import draw_facts
from pcf_core.app.fetching import draw_fetch, fetch_state
from pcf_core.app.models import DTYPES, main_memory
from pcf_core.app.named_models import draw_lookable
from pcf_core.app.roles import may_audit
from pcf_core.app.stores import open_store
from pcf_core.app.text import plain, size_text
from pcf_core.app.versions import parameters_of
from pcf_core.audit.results import self_audit_of
from pcf_core.core.errors import AuditError
from pcf_core.core.records import LeftOut
from pcf_core.core.run import ModelSpec, RunSpec
from pcf_core.core.settings import settings
from pcf_core.models.hub import is_allowed
from pcf_core.models.names import KnownModel
from pcf_core.models.precision import AUTO, in_precision
from pcf_core.models.public import how_to_get, public_model
from pcf_core.models.registry import resolve
from pcf_core.show.findings.notes import self_audit_facts
from pcf_core.show.findings.numbers import count

DIGITS = 24  # of a hash
CHECK_SECONDS = 60  # so long a refusal is not asked for again


def draw_details(at_hand: Sequence[ModelSpec], known: Sequence[KnownModel]) -> None:
    """Choose a model that is at hand, known or scored, or name another one, and see it."""
    here = {spec.name: spec for spec in at_hand}
    others = {model.name: model for model in known}
    left, right = st.columns(2)
    chosen = left.selectbox(
        "Model",
        list(dict.fromkeys([*here, *scored_models(), *others])),
        key="model_details",
        bind="query-params",
        help="At hand, scored before, or known.",
    )
    other = right.text_input(
        "Another hub id or directory",
        key="model_other",
        bind="query-params",
        max_chars=300,
        placeholder="org/name, org/name@revision, or a folder on the server",
        help="Takes the place of the choice on the left. Only its small files are read, never its weights.",
    ).strip()
    name = next(iter(draw_lookable([other])), chosen) if other else chosen
    if name in here:
        draw_model(here[name])
    elif name in others and not other:
        draw_known(others[name])
    elif name:
        draw_checked(name)


def draw_checked(name: str) -> None:
    """Draw a model that has to be looked for, or why it cannot be used."""
    found = checked(name, fetch_state(name))
    if isinstance(found, ModelSpec):
        draw_model(found)
    else:
        st.error(plain(found.reason), icon=":material/error:")
        draw_runs(name)


@st.cache_resource(ttl=CHECK_SECONDS, max_entries=64, show_spinner="Reading its small files …")
def checked(name: str, fetched: str) -> ModelSpec | LeftOut:
    """Find the model that a user means, or why there is none; the hub is asked once in a while.

    ``fetched``: what became of fetching its weights, after which it is looked for again.
    """
    try:
        return resolve(name)
    except AuditError as error:
        return LeftOut(name=name, reason=str(error))


def draw_model(spec: ModelSpec) -> None:
    """Draw a model that was found: here, on the hub, or behind the endpoint."""
    st.markdown(f"**{plain(spec.title)}**  \n{plain(spec.notes)}")
    draw_facts(
        {
            "name": spec.name,
            "family": spec.family,
            "parameters": f"{spec.parameters:,}" if spec.parameters else "not known",
            "weights in float32": size_text(4 * spec.parameters) if spec.parameters else "not known",
            "context": context_text(spec.context),
            "scored in": in_precision(spec, AUTO).dtype,
            "weights and configuration": beginning(spec.identity),
            "tokenizer": beginning(spec.tokenizer),
        }
    )
    needs = [code_step(spec.name)] if spec.remote_code else []
    public = public_model(spec.name)
    if public and not spec.path:
        needs.append(f"Its weights are not on this machine: press the button below, or {how_to_get(public)}.")
    elif spec.family != "endpoint" and not spec.path:
        needs.append("Its weights are downloaded when it is first scored.")
    draw_use(spec.name, needs)
    if spec.family != "endpoint" and not spec.path:
        draw_fetch(spec.name)
    draw_runs(spec.name)


def draw_known(model: KnownModel) -> None:
    """Draw a model of the registry that is not at hand."""
    st.markdown(f"**{plain(model.title)}**  \n{plain(model.advice)}")
    draw_facts(
        {
            "name": model.name,
            "family": f"{model.family} ({model.architecture})",
            "parameters": f"{model.parameters:,}",
            **{f"weights in {dtype}": size_text(model.memory(dtype)) for dtype in DTYPES},
            "context": context_text(model.context),
            "language": model.language,
            "licence": model.license or "on its page",
            "verified": {"twin": "by a tiny twin of its architecture", "sources": "from sources only"}[
                model.verified
            ],
        }
    )
    st.caption(f"Source: {plain(model.source)}")
    draw_use(model.name, needs_of(model))
    draw_fetch(model.name)
    draw_runs(model.name)


def beginning(identity: str) -> str:
    """Shorten a hash or a revision for reading; the pages' Provenance has it whole."""
    return identity if len(identity) <= DIGITS else f"{identity[:DIGITS]} …"


def context_text(tokens: int) -> str:
    """Say how many tokens a model takes, or that no limit is known."""
    return f"{tokens:,} tokens" if tokens else "no limit, or none stated"


def needs_of(model: KnownModel) -> list[str]:
    """List what has to be done before a known model can be scored, in order."""
    needs = [code_step(model.name)] if model.remote_code else []
    if model.gated:
        needs.append("Accept its terms on the hub, and set HF_TOKEN to a token of that account.")
    if settings().allow_hub:
        needs.append(
            "Its files are downloaded from the hub when it is first scored, or with the button below."
        )
    else:
        needs.append(
            "Downloads are off (PCF_ALLOW_HUB): allow them, or copy its files to a folder and name that."
        )
    if model.memory("float32") > main_memory():
        needs.append(
            "In float32 its weights do not fit into this machine's main memory "
            f"({size_text(main_memory())}): take a lower --dtype, GPUs that hold it (PCF_DEVICE=split), or "
            "serve it elsewhere."
        )
    if model.family == "causal":
        needs.append(
            "Or serve it with vLLM, set PCF_ENDPOINT_URL to that server, and choose endpoint:<served name>."
        )
    return needs


def code_step(name: str) -> str:
    """Say what the code of a model's own repository needs before it runs."""
    if is_allowed(name):
        return "It runs code of its own repository, which the operator has allowed (PCF_REMOTE_CODE)."
    return (
        "It needs code of its own repository, which is refused: let the operator read that code and add the "
        "hub id to PCF_REMOTE_CODE, or serve the model elsewhere and score it as an endpoint."
    )


def draw_use(name: str, needs: Sequence[str]) -> None:
    """Draw what to do, and the link to the page Run an audit."""
    if needs:
        st.markdown("\n".join(["**To use it**", "", *(f"- {plain(need)}" for need in needs)]))
    if may_audit():
        st.page_link(
            RUN_AN_AUDIT.file,
            label=f"Score {plain(name)}",
            icon=":material/play_arrow:",
            query_params={"score_model": [name]},
        )
    draw_pin(name)


def draw_runs(name: str) -> None:
    """Draw the runs of a model, each with its self-audit."""
    infos = [info for info in open_store().runs() if info.run.scoring.name == name]
    st.markdown(f"**{count(len(infos), 'run')}**" if infos else "It has not been scored here.")
    for info in infos:
        run = info.run
        with st.expander(plain(run_title(run))):
            if info.complete:
                draw_facts(self_audit_facts(self_audit_of(open_store(), run)))
            else:
                st.caption("Not finished.")
            draw_open(run)


def run_title(run: RunSpec) -> str:
    """Title a run by what sets it apart from the others of its model."""
    key = run.scoring
    parts = (run.topic.name, run.templates.name, run.evidence.name, key.protocol, key.dtype, run.key)
    return " · ".join(parts)


def draw_open(run: RunSpec) -> None:
    """Draw the link to the run's result."""
    st.page_link(
        "pages/risk.py",
        label="Open on the page Risk",
        icon=":material/stacked_bar_chart:",
        query_params=parameters_of(run),
    )

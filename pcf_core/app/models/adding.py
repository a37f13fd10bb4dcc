"""The two forms of the page Models: add a model by files or hub id, and connect a model's server."""

from __future__ import annotations

import shlex
from collections.abc import Collection

import streamlit as st

from pcf_core.app.data import draw_lookable
from pcf_core.app.models.details import draw_looked_up
from pcf_core.app.roles import draw_why_not, may_audit
from pcf_core.app.widgets import plain
from pcf_core.core.settings import settings
from pcf_core.models.names import ENDPOINT

OTHER = "model_other"  # session key and parameter of the typed model
LONGEST = 300  # characters of a name or an address


def draw_ways_in() -> list[str]:
    """Draw both forms; return the names of the models drawn below them."""
    add, connect = st.columns(2)
    with add.container(border=True, height="stretch"):
        st.markdown("**Add a model**")
        drawn = _draw_next_step(_draw_add(), ())
    with connect.container(border=True, height="stretch"):
        st.markdown("**Connect an endpoint**")
        if may_audit():
            drawn += _draw_next_step(_draw_connect(), drawn)
        else:
            st.markdown(
                "An endpoint is a server that runs a model. To connect one, send its address and the name "
                "of the model to the operator of this app."
            )
    return drawn


def _draw_add() -> str:
    name: str = st.text_input(
        "Folder, GGUF file or hub id",
        key=OTHER,
        bind="query-params",
        max_chars=LONGEST,
        placeholder="org/name, org/name@revision, or a folder on the server",
        help="Only the small files of the model are read. Its weights are downloaded for its first audit.",
    ).strip()
    for limit in _limits():
        st.caption(f":material/lock: {plain(limit)}")
    if not may_audit():
        st.markdown("To add a model, send its hub id, or its files, to the operator of this app.")
        draw_why_not()
    return name


def _limits() -> list[str]:
    """List what the operator does not allow, and whom to ask."""
    limits, allowed = [], settings().allowed_models
    if not settings().allow_hub:
        limits.append(
            "Downloads are off: only files on the server can be added. Ask the operator to allow downloads "
            "(PCF_ALLOW_HUB)."
        )
    if allowed:
        limits.append(
            f"Only these models are allowed: {', '.join(allowed)}. Ask the operator to allow others "
            "(PCF_ALLOWED_MODELS)."
        )
    return limits


def _draw_connect() -> str:
    """Draw address, name and key of a server's model; return the app's name for it, "" without an address."""
    configured = settings().endpoint_url or ""
    address = st.text_input(
        "Address",
        value=configured,
        key="endpoint_address",
        max_chars=LONGEST,
        disabled=bool(configured),
        placeholder="http://localhost:8000/v1",
        help="The address of a server such as vLLM. It is a setting of the app and its worker, which this "
        "page cannot change.",
    ).strip()
    model = st.text_input(
        "Model name",
        key="endpoint_model",
        max_chars=LONGEST,
        placeholder="meta-llama/Llama-2-7b-hf",
        help="The name under which the server offers the model.",
    ).strip()
    key = "is set" if settings().endpoint_key else "is not set; a server without a key needs none"
    st.caption(f"The key is read from the environment: PCF\\_ENDPOINT\\_KEY {key}.")
    if configured:
        return f"{ENDPOINT}{model.removeprefix(ENDPOINT)}" if model else ""
    if address:
        st.markdown(
            "**Next step:** start the app and its worker with these settings, or ask the operator to."
        )
        st.code(
            f"PCF_ENDPOINT_URL={shlex.quote(address)}\nPCF_ENDPOINT_KEY=…  # if the server asks for a key"
        )
    return ""


def _draw_next_step(name: str, drawn: Collection[str]) -> list[str]:
    """Draw a typed model and a link to audit it, unless it is ``drawn`` already; return its names."""
    names = draw_lookable([name] if name and name not in drawn else [])
    return [*names, *map(draw_looked_up, names)]  # as typed, and its full name

"""The tables of the page Models: models in the app, known models, and the journal."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from pcf_core.app.caching import kept
from pcf_core.app.page import draw_table
from pcf_core.app.roles import may_audit
from pcf_core.app.widgets import draw_card, plain, size_text
from pcf_core.core.errors import StoreError
from pcf_core.core.families import FAMILIES
from pcf_core.core.records import LeftOut
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import settings
from pcf_core.models.names import AUTO, KnownModel, in_precision
from pcf_core.report.documents import journal_table
from pcf_core.report.records import KeyFigure
from pcf_core.show.findings.numbers import count
from pcf_core.show.findings.provenance import journal_finding
from pcf_core.show.names import with_titles
from pcf_core.store.journal import Journal, Journaled

ALL = "all"
DTYPES = ("float32", "bfloat16")
GIGABYTE = 10**9
COLUMNS: Mapping[str, Any] = {
    "kind": st.column_config.TextColumn(
        help="public: a model that people use. teaching: a small one that we trained to show an effect. "
        "planted: its answer is known. own: yours, or behind the endpoint."
    ),
    "weights": st.column_config.TextColumn(
        help="installed: it can be audited now. not installed: only its results are on this machine."
    ),
    "name": st.column_config.TextColumn(
        help="What the page 'Run an audit' and the command line take; or the id on the hub."
    ),
    "family": st.column_config.TextColumn(
        help="How it gives the probability of a word; see *About*, a tab of *Method*."
    ),
    "parameters": st.column_config.NumberColumn(format="compact", help="Number of weights."),
    "context": st.column_config.NumberColumn(
        format="localized",
        help="Tokens it can take at once; empty where there is no limit, or none is stated.",
    ),
    "precision": st.column_config.TextColumn(
        "number type", help="The calculation uses numbers of this type unless another is chosen."
    ),
    "float32": st.column_config.NumberColumn(
        format="%.1f GB", help="Memory of the weights alone, 4 bytes each."
    ),
    "bfloat16": st.column_config.NumberColumn(
        format="%.1f GB", help="Memory of the weights alone, 2 bytes each; as much in float16."
    ),
    "gated": st.column_config.CheckboxColumn(
        help="The hub asks to accept terms before it gives the weights."
    ),
    "remote_code": st.column_config.CheckboxColumn(
        "own code",
        help="It runs code of its own repository: refused unless the operator lists it in PCF_REMOTE_CODE.",
    ),
    "license": st.column_config.TextColumn(
        "licence", help="Empty where we have not read it; see the model's page."
    ),
    "verified": st.column_config.TextColumn(
        help="twin: results of a tiny model of this architecture, with random weights, were compared with an "
        "independent calculation, word by word. sources: no test covers the architecture; only the facts "
        "shown here were read, from the source named in the details."
    ),
}
SHOWN = 500
KINDS = {
    "public": "public model",
    "teaching": "small model for teaching",
    "planted": "test model whose results are known",
    "own": "your own model, or an endpoint's",
    "imported": "only imported results",
}
JOURNAL_COLUMNS = {
    "at": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm:ss", help="When, UTC."),
    "who": st.column_config.TextColumn(
        help="The address that the log-in vouches for, or the user of the terminal; empty where nobody "
        "logs in."
    ),
    "did": st.column_config.TextColumn(help="What they did."),
    "previous": None,
}


def main_memory() -> int:
    """Return the size of this machine's main memory in bytes."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def models_finding(at_hand: Sequence[ModelSpec], others: Sequence[KnownModel]) -> str:
    """Say how many models are in the app, and what the others need."""
    sentence = f"{count(len(at_hand), 'model is', 'models are')} in this app."
    if not others:
        return sentence
    memory = main_memory()
    fitting = sum(model.memory("float32") <= memory for model in others)
    gated = sum(model.gated for model in others)
    coded = sum(model.remote_code for model in others)
    return (
        f"{sentence} The app knows {count(len(others), 'other model', 'other models')} of the hub by name, "
        f"which you can download. Of these, {fitting:,} fit into this machine's main memory "
        f"({size_text(memory)}) in float32. For {count(gated, 'model')} you have to accept terms first, and "
        f"{count(coded, 'model runs code of its', 'models run code of their')} own."
    )


def models_figures(at_hand: Sequence[ModelSpec], others: Sequence[KnownModel]) -> list[KeyFigure]:
    """Make key figures: models in the app, known, verified and gated."""
    twins = sum(model.verified == "twin" for model in others)
    return [
        KeyFigure(
            "In this app", f"{len(at_hand):,}", "Shipped, in the operator's folder, or behind the endpoint."
        ),
        KeyFigure(
            "Known", f"{len(others):,}", "Models of the hub that the app knows by name. Others work too."
        ),
        KeyFigure(
            "Verified independently", f"{twins:,}", "Their architecture is covered by the exactness tests."
        ),
        KeyFigure(
            "Gated", f"{sum(model.gated for model in others):,}", "The hub asks to accept terms for them."
        ),
    ]


def draw_filters(listed: Sequence[KnownModel]) -> list[KnownModel]:
    """Draw the filters of the known models; return those that remain."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        group = st.selectbox(
            "Group",
            [ALL, *dict.fromkeys(model.group for model in listed)],
            key="model_group",
            bind="query-params",
            help="Papers: the models of the PCF and BVF tables. The others: series and recent open models.",
        )
        family = st.selectbox(
            "Family",
            [ALL, *(family for family in FAMILIES if any(m.family == family for m in listed))],
            key="model_family",
            bind="query-params",
            help="How the model gives the probability of a word.",
        )
        dtype = st.selectbox(
            "Number type",
            DTYPES,
            key="model_dtype",
            bind="query-params",
            help="For the field *Memory at most*.",
        )
        most = st.number_input(
            "Memory at most (GB)",
            min_value=0.0,
            value=None,
            step=1.0,
            format="%g",
            key="model_memory",
            bind="query-params",
            placeholder="no limit",
            help="For the weights alone; a batch needs more. This machine has "
            f"{size_text(main_memory())} of main memory; that of a GPU is not known to the app.",
        )
    return [
        model
        for model in listed
        if group in (ALL, model.group)
        and family in (ALL, model.family)
        and (most is None or model.memory(dtype) <= most * GIGABYTE)
    ]


def at_hand_table(models: Sequence[ModelSpec]) -> pd.DataFrame:
    """Make a table with one row per model of the app."""
    return pd.DataFrame(
        [
            {
                "name": spec.name,
                "kind": spec.kind,
                "weights": "installed" if spec.path else "not installed",
                "title": spec.title,
                "family": spec.reading,
                "parameters": spec.parameters or None,
                "context": spec.context or None,
                "precision": in_precision(spec, AUTO).dtype,
                "notes": spec.notes,
            }
            for spec in models
        ]
    )


def draw_model_cards(models: Sequence[ModelSpec]) -> None:
    """Draw a card for each model of the app, for telephones."""
    for row in at_hand_table(models).to_dict("records"):
        size = f"{row['parameters'] / 10**6:,.1f} million parameters" if row["parameters"] > 0 else ""
        parts = (KINDS[row["kind"]], row["weights"], f"family {row['family']}", size)
        line = " · ".join(part for part in parts if part)
        draw_card(with_titles(row["name"]), line)


def known_table(models: Sequence[KnownModel]) -> pd.DataFrame:
    """Make a table with one row per model of the registry."""
    return pd.DataFrame(
        [
            {
                "name": model.name,
                "parameters": model.parameters,
                "family": model.family,
                **{dtype: model.memory(dtype) / GIGABYTE for dtype in DTYPES},
                "gated": model.gated,
                "remote_code": model.remote_code,
                "license": model.license or None,
                "verified": model.verified,
                "context": model.context or None,
                "language": model.language,
                "group": model.group,
                "title": model.title,
            }
            for model in models
        ]
    )


def left_out_table(left_out: Sequence[LeftOut]) -> pd.DataFrame:
    """Make a table of folders and served models that cannot be used, and why."""
    rows = [{"name": plain(item.name), "why": plain(item.reason)} for item in left_out]
    return pd.DataFrame(rows).set_index("name")


def draw_journal() -> None:
    """Draw the newest entries and a download of all; nothing for viewers."""
    if not may_audit():
        return
    with st.expander("Journal: who did what, and when", icon=":material/history:"):
        try:
            entries = _read_journal(settings().cache)
        except StoreError as error:
            st.error(plain(str(error)), icon=":material/error:")
            return
        text = plain(journal_finding(entries))
        if entries.damage:
            st.error(text, icon=":material/error:")
        else:
            st.caption(text)
        if entries.entries:
            table = journal_table(entries)
            draw_table(
                table.head(SHOWN), "journal", JOURNAL_COLUMNS, alt="The newest entries", whole=lambda: table
            )
            if len(table) > SHOWN:
                st.caption(f"The newest {SHOWN:,} are shown; the files have all {len(table):,}.")


@kept(slots=2, state=lambda cache: Journal(cache).stamp)
def _read_journal(cache: Path) -> Journaled:
    return Journal(cache).read()

"""Ways back to what FairPair has found before: as a link, and as a button on its own page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import streamlit as st

from pcf_core.errors import AuditError
from pcf_core.fairpair.categories import SHIPPED, load_categories
from pcf_core.fairpair.prompts import load_prompts
from pcf_core.fairpair.selecting import selected
from pcf_core.fairpair.tables import load_table
from pcf_core.findings.fairpair_run import decoding_text
from pcf_core.findings.numbers import count
from pcf_core.jobs.fairpair import kept_fairpairs, load_asked, load_prompt_set
from pcf_core.records.fairpair_run import USUAL_DISSIMILARITIES, FairPairAsked
from pcf_core.ui.stores import open_store
from pcf_core.ui.text import plain

NEXT = "fp_next"
MOST = 12
Choices = dict[str, str | int | float | bool | list[str] | None]


def choices_of(asked: FairPairAsked) -> Choices | None:
    """What the form has to say to ask for the same; ``None`` where it cannot any more, or never could.

    As where the prompts were changed since, or came from the command line.
    """
    try:
        whole = load_prompts(asked.prompts.name, asked.prompts.names)
        taken = load_prompt_set(open_store(), asked)
        if load_table(asked.perturbation.table).hash != asked.perturbation.hash:
            return None
        each = max(Counter(prompt.category for prompt in taken.prompts).values())
        categories = [] if set(taken.categories) == set(whole.categories) else list(taken.categories)
        if selected(whole, categories, each).hash != asked.prompts.hash:
            return None
        if asked.categories is not None and load_categories(asked.categories.name) != asked.categories:
            return None
    except AuditError:
        return None
    encoders = [encoder.model for encoder in asked.encoders]
    if asked.dissimilarities != (*USUAL_DISSIMILARITIES, *(each.choice for each in asked.encoders[:1])):
        return None
    decoding, (first, second) = asked.key.decoding, asked.perturbation.entity
    return {
        "fp_model": [asked.key.model],
        "fp_prompts": asked.prompts.name,
        "fp_table": asked.perturbation.table,
        "fp_category": categories,
        "fp_each": each,
        "fp_name_1": first,
        "fp_name_2": second,
        "fp_reverse": asked.perturbation.reverse,
        "fp_mode": asked.perturbation.mode,
        "fp_temperature": [f"{decoding.temperature:g}"],
        "fp_top_p": decoding.top_p,
        "fp_length": decoding.length,
        "fp_seed": decoding.seed,
        "fp_count": asked.count,
        "fp_fold": asked.fold_size,
        "fp_categories": asked.categories.name if asked.categories else SHIPPED,
        "fp_encoder": encoders[0] if encoders else None,
    }


def parameters_of(key: str) -> Mapping[str, str | list[str]] | None:
    """The query parameters that open a request of this hash on the page, where it can."""
    try:
        choices = choices_of(load_asked(open_store(), key))
    except AuditError:
        return None
    if choices is None:
        return None
    said = {name: value for name, value in choices.items() if value not in (None, [])}
    return {name: value if isinstance(value, list) else _written(value) for name, value in said.items()}


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def draw_kept() -> None:
    """What was found before, the newest first, each with a button that asks for it again, at no cost."""
    found = [(asked, choices_of(asked)) for asked in kept_fairpairs(open_store())[:MOST]]
    known = [(asked, choices) for asked, choices in found if choices is not None]
    if not known:
        return
    with st.expander("Found before", icon=":material/history:"):
        for asked, choices in known:
            left, right = st.columns([5, 1], vertical_alignment="center")
            left.markdown(
                f"**{plain(asked.key.model)}** · {plain(' → '.join(asked.prompts.names))} · "
                f"{plain(asked.prompts.title)}, {count(asked.prompts.count, 'prompt')}, "
                f"{count(asked.count, 'text')} a side · {plain(decoding_text(asked.key.decoding))}"
            )
            if right.button("Open", key=f"fairpair_open_{asked.hash}", help="Show what was found then."):
                st.session_state[NEXT] = choices
                st.rerun()


def adopt_kept() -> None:
    """Take over what :func:`draw_kept` was told, before the page's widgets are drawn."""
    st.session_state.update(st.session_state.pop(NEXT, {}))

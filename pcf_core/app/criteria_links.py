"""Ways back to what the criteria have shown before: as a link, and as a button on their own page."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pcf_core.app.criteria_own import LABELLER, MANY, parameter
from pcf_core.app.imported_texts import parameters_of as parameters_of_imported
from pcf_core.app.stores import open_store
from pcf_core.app.text import plain
from pcf_core.core.errors import AuditError
from pcf_core.core.run import model_label
from pcf_core.models.precision import named as precision_named
from pcf_core.show.findings.fairpair_run import decoding_text
from pcf_core.show.findings.numbers import count
from pcf_core.texts.criteria.own import KINDS, USUAL, chosen_of
from pcf_core.texts.criteria.records.runs import MATERIAL, CriteriaAsked
from pcf_core.work.criteria import CRITERIA_AUDIT

NEXT = "cr_next"
MOST = 12
Choices = dict[str, str | int | float | list[str] | None]


def choices_of(asked: CriteriaAsked) -> Choices | None:
    """Return the form's choices that ask for the same; ``None`` where it cannot ask for it.

    As where the professions or questions were changed since, came from the command line, or were asked
    elsewhere.
    """
    if asked.imported:
        return None
    kept = open_store().load_document(asked.material, MATERIAL)
    chosen = None if kept is None else chosen_of(asked, kept)
    if chosen is None or chosen.name is None:
        return None
    choices: Choices = {
        "cr_model": [asked.model],
        "cr_view": asked.experiment,
        "cr_answering": asked.answering,
        "cr_precision": precision_named(asked.key.dtype),
        parameter(asked.experiment): chosen.name,
        **({LABELLER: chosen.labeller} if chosen.labeller else {}),
        **({MANY: chosen.questions} if chosen.questions else {}),
    }
    if asked.generation is not None:
        decoding = asked.generation.decoding
        choices |= {
            "cr_wording": asked.wording,
            "cr_repeats": asked.repeats,
            "cr_temperature": decoding.temperature,
            "cr_top_p": decoding.top_p,
            "cr_length": decoding.length,
            "cr_seed": decoding.seed,
        }
    return choices


def parameters_of(key: str) -> Mapping[str, str | list[str]] | None:
    """Return the query parameters that open a request of this hash on the page, where it can."""
    try:
        asked = CRITERIA_AUDIT.load_asked(open_store(), key)
        choices = choices_of(asked)
    except AuditError:
        return None
    if asked.imported:
        return parameters_of_imported(asked)
    if choices is None:
        return None
    said = {name: value for name, value in choices.items() if value is not None}
    return {name: value if isinstance(value, list) else str(value) for name, value in said.items()}


def draw_kept() -> None:
    """Draw earlier results, the newest first, each with a button that asks for it again, at no cost."""
    kept = [asked for asked in CRITERIA_AUDIT.kept(open_store()) if not asked.imported]
    found = [(asked, choices_of(asked)) for asked in kept[:MOST]]
    known = [(asked, choices) for asked, choices in found if choices is not None]
    if not known:
        return
    with st.expander("Found before", icon=":material/history:"):
        for asked, choices in known:
            left, right = st.columns([5, 1], vertical_alignment="center")
            said = " · ".join((asked.experiment, made_text(asked, choices), way_text(asked)))
            label = model_label(asked.model, asked.key.dtype)
            left.markdown(f"**{plain(label)}** · {plain(said)}")
            if right.button("Open", key=f"criteria_open_{asked.hash}", help="Show what was found then."):
                st.session_state[NEXT] = choices
                st.rerun()


def made_text(asked: CriteriaAsked, choices: Choices) -> str:
    """Say what a request is made of: "usual professions", "own names “mine”, labelled by nli:org/name"."""
    kind, name = KINDS[asked.experiment], choices[parameter(asked.experiment)]
    text = f"{USUAL} {kind}" if name == USUAL else f"own {kind} “{name}”"
    if choices.get(MANY):
        text = f"{choices[MANY]} of the {text}"
    return f"{text}, labelled by {choices[LABELLER]}" if choices.get(LABELLER) else text


def way_text(asked: CriteriaAsked) -> str:
    """Say how a request is answered: "written, instruction, 10 texts of each prompt, temperature 0.5, …"."""
    if asked.generation is None:
        return "scored"
    return (
        f"written, {asked.wording}, {count(asked.repeats, 'text')} of each prompt, "
        f"{decoding_text(asked.generation.decoding)}"
    )


def adopt_kept() -> None:
    """Take over what :func:`draw_kept` was told, before the page's widgets are drawn."""
    st.session_state.update(st.session_state.pop(NEXT, {}))

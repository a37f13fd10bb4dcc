"""The chat around the sentences of a request: its fields, and what each model's template makes of them.

Only a worker has the tokenizers, so it renders a chat; the page waits for that before it knows the runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from pcf_core.app.choice import draw_option
from pcf_core.app.probe import ask, draw_ended_early, follow
from pcf_core.app.queue import ACTIVE
from pcf_core.app.titles import model_titles
from pcf_core.app.widgets import plain
from pcf_core.core.errors import AuditError, ModelError
from pcf_core.core.frame import BARE, BARE_ONLY, Frame, Frames, framed_name
from pcf_core.core.options import declared, from_page
from pcf_core.core.records import Record
from pcf_core.core.sampled import Samples
from pcf_core.models.hub import is_cached
from pcf_core.models.names import KnownModel, known_model, split_name
from pcf_core.models.registry import resolve_to_score
from pcf_core.show.findings.notes import frame_note
from pcf_core.work.requests import FrameRequest, make_frame_request


@dataclass(frozen=True)
class Chats:
    """The rendered chats of each model; why others have none; ``waiting``: a worker has not yet answered."""

    frames: Mapping[str, Sequence[Frame]] = field(default_factory=dict)
    refused: Mapping[str, AuditError] = field(default_factory=dict)
    waiting: bool = False


def draw_frames(kind: type[Frames] = Frames) -> Frames:
    """Draw what stands around each sentence, and the texts of chats."""
    options = declared(kind)
    if draw_option(options["kind"]) == BARE.kind:
        return BARE_ONLY
    draw_option(options["system"], offered=(), accept_new_options=True)
    draw_option(options["instruction"])
    return from_page(kind, st.session_state.to_dict())


def draw_samples() -> Samples:
    """Draw how endpoints are sampled, if they are to be."""
    options = declared(Samples)
    if draw_option(options["samples"]) is None:
        return Samples()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        draw_option(options["temperature"])
        draw_option(options["chat"])
    return from_page(Samples, st.session_state.to_dict())


def draw_text_frame(kind: type[Record]) -> dict[str, Any]:
    """Draw what stands around each prompt of texts, and the texts of a chat; return these options."""
    options = declared(kind)
    around = draw_option(options["frame"], wrap=True)
    if around != "chat":
        return {"frame": around, "system": "", "instruction": ""}
    named = ("system", "instruction")
    return {"frame": around, **{name: draw_option(options[name]).strip() for name in named}}


def draw_chats(models: Iterable[str], wanted: Frames) -> Chats:
    """Ask a worker for each model's chats; draw why one has none, or what the page waits for."""
    if wanted == BARE_ONLY:
        return Chats()
    asked: dict[str, tuple[str, FrameRequest]] = {}  # by the name of the model, in its chat if there are more
    refused: dict[str, AuditError] = {}
    for model in models:
        try:
            if declared_model(model) is not None:
                raise ModelError(
                    f"The chat of {model} is in its tokenizer, which is not on this computer: run an audit "
                    "without a chat first, which downloads the model."
                )
            spec = resolve_to_score(model)
            for frame in wanted.each:
                name = framed_name(model, frame) if len(wanted.each) > 1 else model
                asked[name] = model, make_frame_request(spec, frame)
        except AuditError as error:
            refused[model] = error
    jobs = ask({name: request for name, (_, request) in asked.items()})
    draw_ended_early(jobs)
    follow(jobs)
    frames: dict[str, list[Frame]] = {}
    for name, job in jobs.items():
        if job.result:
            frames.setdefault(asked[name][0], []).append(Frame.model_validate(job.result))
    return Chats(frames, refused, any(job.state in ACTIVE for job in jobs.values()))


def declared_model(model: str) -> KnownModel | None:
    """Return what the registry declares of a model whose files are not here; does not contact the hub."""
    listed = known_model(split_name(model).model)
    return None if listed is None or is_cached(model) else listed


def draw_rendered(frames: Mapping[str, Sequence[Frame]]) -> None:
    """Show the text that stands before each sentence, a click away."""
    if frames:
        with st.expander("The chat before each sentence", icon=":material/chat:"):
            for model, several in frames.items():
                for frame in several:
                    st.markdown(plain(frame_note(model_titles([model])(model), frame)))

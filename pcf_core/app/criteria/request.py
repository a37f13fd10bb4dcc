"""The form of the tab Criteria: models, how they answer, how often, and how texts are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import streamlit as st

from pcf_core.app.caching import open_store
from pcf_core.app.choice import current_choice, draw_option, with_asked
from pcf_core.app.criteria.own import OPTIONS, WORDED, draw_choices, draw_many_questions
from pcf_core.app.data import answered, draw_lookable
from pcf_core.app.roles import may_audit
from pcf_core.app.texts.shared import TEACHING, first_kept
from pcf_core.app.widgets import plain
from pcf_core.core.errors import AuditError
from pcf_core.core.generation import GenerationKey
from pcf_core.core.options import from_page
from pcf_core.core.run import ScoringKey, model_label
from pcf_core.models.endpoint import PREFIX as ENDPOINT
from pcf_core.models.endpoint import known_chat
from pcf_core.models.precision import precisions_of
from pcf_core.models.registry import list_models, resolve_to_score, resolve_writer
from pcf_core.texts.criteria.experiment import Experiment, Suited, suited
from pcf_core.texts.criteria.experiments import fitted
from pcf_core.texts.criteria.options import CriteriaOptions
from pcf_core.texts.criteria.records.quantities import ExperimentName, Wording
from pcf_core.texts.criteria.records.runs import CriteriaAsked
from pcf_core.work.criteria import CRITERIA, CRITERIA_AUDIT, scored_asked, written_asked

EXPERIMENTS: tuple[ExperimentName, ...] = get_args(ExperimentName)
TITLES: Mapping[ExperimentName, str] = {
    "anecdotes": "Anecdotes",
    "hobbies": "Hobbies",
    "questions": "Questions",
    "tasks": "Tasks",
}
ResultKey = tuple[str, ExperimentName]  # a model, by its label, and an experiment


@dataclass(frozen=True)
class Request:
    """What the form asks for; ``materials``: what the experiments are made of, as chosen."""

    models: tuple[str, ...]
    options: CriteriaOptions
    materials: Mapping[ExperimentName, Experiment]

    def experiment(self, model: str, name: ExperimentName) -> Experiment:
        """Load an experiment as it is put to a model.

        Raises
        ------
        ModelError
            There is no such model.
        CriteriaError
            The set has not so many questions.
        """
        answering = self.way(model, name).answering
        return fitted(
            self.materials[name], answering, self.options.questions if name == "questions" else None
        )

    def way(self, model: str, name: ExperimentName) -> Suited:
        """Return how an experiment is put to a model, and why.

        Raises
        ------
        ModelError
            There is no such model.
        """
        server, answering, wording = model.startswith(ENDPOINT), self.options.answering, self.options.wording
        chats = known_chat(model) if server and answering != "scored" else None
        chat = chats is not False if not wording else wording == "instruction"
        way = suited(resolve_writer(model, chat=chat), name, answering)
        if way.answering == "scored":
            return way
        if server and (reason := endpoint_reason(model, chats, way.wording)):
            return replace(way, reason=reason)
        if not wording or way.wording == wording:
            return way
        reason = f"{model} is {WORDED[wording]}, as was asked for."
        return replace(way, wording=wording, reason=reason)

    def asked(self, model: str, name: ExperimentName) -> tuple[CriteriaAsked, ...]:
        """Return what one model is asked in one experiment, in each precision that may be meant.

        Raises
        ------
        ModelError
            There is no such model, or it may not run here.
        GenerationError
            It cannot write, or a value of the decoding is outside its range.
        CriteriaError
            The experiment has no such wording, or nothing that could be scored.
        """
        experiment, way = self.experiment(model, name), self.way(model, name)
        if way.wording is None:
            scored = precisions_of(resolve_to_score(model), self.options.dtype)
            return tuple(scored_asked(experiment, ScoringKey.of(spec)) for spec in scored)
        writers = precisions_of(resolve_writer(model, chat=way.wording == "instruction"), self.options.dtype)
        keys = [GenerationKey.of(spec, self.options.decoding(name)) for spec in writers]
        repeats = self.options.texts_of_each(name)
        return tuple(written_asked(experiment, key, way.wording, repeats) for key in keys)


def endpoint_reason(model: str, chats: bool | None, wording: Wording | None) -> str:
    """Say how a model behind an endpoint is asked where that is not plain; else empty.

    ``chats``: whether its server answers messages, ``None`` where it did not tell.
    """
    if chats is None and wording == "instruction":
        return (
            f"{model} is sent messages, though its server did not say whether it answers them: if it "
            f"refuses, choose the wording “{WORDED['continuation']}” under “More settings”."
        )
    if chats is False and wording == "instruction":
        return (
            f"{model} is sent messages, as was asked for, and its server answers none: choose the wording "
            f"“{WORDED['continuation']}” under “More settings”."
        )
    if chats is False:
        return f"The server of {model} answers no messages: it goes on from the beginning of a text."
    return ""


def opening_models(known: Sequence[str]) -> list[str]:
    """Return the model that the form opens with: the sidebar's first with results, else one that teaches.

    So this tab speaks of the model that the tab Summary does.
    """
    request = {one.model for one in answered(CRITERIA_AUDIT)}
    chosen = [name for name in current_choice().models if name in request]
    return [name for name in [*chosen, TEACHING] if name in known][:1]


def draw_request() -> Request:
    """Draw the form; every choice is in the URL.

    Raises
    ------
    CriteriaError
        Professions, names, questions or tasks that are gone or damaged.
    """
    known = [spec.name for spec in list_models()]
    left, right = st.columns(2)
    with left:
        models = st.multiselect(
            "Models",
            with_asked("cr_model", known),
            default=opening_models(known),
            key="cr_model",
            bind="query-params",
            select_all=False,
            accept_new_options=may_audit(),
            placeholder="Choose, or type a hub id or a folder" if may_audit() else "Choose",
            help="Models that follow an instruction are told what to write. Others go on from the beginning "
            "of a text, or have candidate words scored.",
        )
    with right:
        draw_option(OPTIONS["answering"], wrap=True)  # its options are wider than a telephone
    with st.expander("More settings", icon=":material/tune:"):
        materials = draw_choices()
        questions = draw_many_questions()
        left, right = st.columns([3, 2])
        draw_option(OPTIONS["wording"], left, wrap=True)
        draw_option(OPTIONS["repeats"], right)
        names = ("temperature", "top_p", "length", "seed")
        for name, column in zip(names, st.columns(len(names)), strict=True):
            draw_option(OPTIONS[name], column)
        draw_option(OPTIONS["dtype"])
    return Request(
        models=tuple(draw_lookable(models)),
        options=from_page(CriteriaOptions, st.session_state.to_dict(), questions=questions),
        materials=materials,
    )


def requests_of(request: Request) -> dict[ResultKey, CriteriaAsked]:
    """Return what every model is asked in every experiment; a refusal is said once and left out."""
    requests: dict[ResultKey, CriteriaAsked] = {}
    refused: dict[tuple[str, str], None] = {}
    answered_hashes = open_store().documents(CRITERIA)
    for model in request.models:
        for name in EXPERIMENTS:
            try:
                one = first_kept(request.asked(model, name), answered_hashes)
                requests[model_label(model, one.key.dtype), name] = one
            except AuditError as error:
                refused[model, str(error)] = None
    for model, sentence in refused:
        st.error(f"**{plain(model)}:** {plain(sentence)}", icon=":material/error:")
    return requests

"""The form of the tab Criteria: models, how they answer, how often, how texts are drawn; the offer to ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import get_args

import streamlit as st

from pcf_core.app.choice import current_choice, draw_option, with_asked
from pcf_core.app.criteria.own import OPTIONS, WORDED, draw_choices, draw_many_questions
from pcf_core.app.data import answered, draw_lookable
from pcf_core.app.roles import may_audit
from pcf_core.app.texts.shared import TEACHING, Stored, offer_missing
from pcf_core.app.widgets import plain
from pcf_core.core.generation import GenerationKey
from pcf_core.core.options import from_page
from pcf_core.core.run import ScoringKey
from pcf_core.models.endpoint import PREFIX as ENDPOINT
from pcf_core.models.endpoint import known_chat
from pcf_core.models.precision import precisions_of
from pcf_core.models.registry import list_models, resolve_to_score, resolve_writer
from pcf_core.show.findings.notes import duration
from pcf_core.show.findings.numbers import count
from pcf_core.texts.criteria.experiment import Experiment, Suited, suited
from pcf_core.texts.criteria.experiments import fitted
from pcf_core.texts.criteria.options import CriteriaOptions
from pcf_core.texts.criteria.records.quantities import ExperimentName, Wording
from pcf_core.texts.criteria.records.runs import CriteriaAsked, CriteriaResult
from pcf_core.work.criteria import CRITERIA_AUDIT, scored_asked, written_asked
from pcf_core.work.text_audits import AuditEstimate

EXPERIMENTS: tuple[ExperimentName, ...] = get_args(ExperimentName)
TITLES: Mapping[ExperimentName, str] = {
    "anecdotes": "Anecdotes",
    "hobbies": "Hobbies",
    "questions": "Questions",
    "tasks": "Tasks",
}
ResultKey = tuple[str, ExperimentName]  # a model, by its label, and an experiment
Results = Stored[ExperimentName, CriteriaAsked, CriteriaResult]


@dataclass(frozen=True)
class Request:
    """What the form asks for; ``materials``: what the experiments are made of, as chosen."""

    models: tuple[str, ...]
    options: CriteriaOptions
    materials: Mapping[ExperimentName, Experiment]

    def experiment(self, model: str, name: ExperimentName) -> Experiment:
        """Load an experiment as it is put to a model."""
        questions = self.options.questions if name == "questions" else None
        return fitted(self.materials[name], self.way(model, name).answering, questions)

    def way(self, model: str, name: ExperimentName) -> Suited:
        """Return how an experiment is put to a model, and why."""
        server, answering, wording = model.startswith(ENDPOINT), self.options.answering, self.options.wording
        chats = known_chat(model) if server and answering != "scored" else None
        chat = chats is not False if not wording else wording == "instruction"
        way = suited(resolve_writer(model, chat=chat), name, answering)
        if way.answering == "scored":
            return way
        if server and (reason := _endpoint_reason(model, chats, way.wording)):
            return replace(way, reason=reason)
        if not wording or way.wording == wording:
            return way
        reason = f"{model} is {WORDED[wording]}, as was asked for."
        return replace(way, wording=wording, reason=reason)

    def asked(self, model: str, name: ExperimentName) -> tuple[CriteriaAsked, ...]:
        """Return what one model is asked in one experiment, in each precision that may be meant."""
        experiment, way = self.experiment(model, name), self.way(model, name)
        if way.wording is None:
            scored = precisions_of(resolve_to_score(model), self.options.dtype)
            return tuple(scored_asked(experiment, ScoringKey.of(spec)) for spec in scored)
        writers = precisions_of(resolve_writer(model, chat=way.wording == "instruction"), self.options.dtype)
        keys = [GenerationKey.of(spec, self.options.decoding(name)) for spec in writers]
        repeats = self.options.texts_of_each(name)
        return tuple(written_asked(experiment, key, way.wording, repeats) for key in keys)


def _endpoint_reason(model: str, chats: bool | None, wording: Wording | None) -> str:
    """Say how a model behind an endpoint is asked where that is not plain; else empty.

    ``chats``: whether its server answers messages, ``None`` where it did not tell.
    """
    if chats is not True and wording == "instruction":
        choose = f"choose the wording “{WORDED['continuation']}” under “More settings”."
        if chats is None:
            return (
                f"{model} is sent messages, though its server did not say whether it answers them: if it "
                f"refuses, {choose}"
            )
        return f"{model} is sent messages, as was asked for, and its server answers none: {choose}"
    if chats is False:
        return f"The server of {model} answers no messages: it goes on from the beginning of a text."
    return ""


def draw_request() -> Request:
    """Draw the form; every choice is in the URL."""
    names = [spec.name for spec in list_models()]
    # It opens with the sidebar's first model with results, as the tab Summary does, else one that teaches.
    with_results = {one.model for one in answered(CRITERIA_AUDIT)}
    opening = [name for name in current_choice().models if name in with_results]
    left, right = st.columns(2)
    with left:
        models = st.multiselect(
            "Models",
            with_asked("cr_model", names),
            default=[name for name in (*opening, TEACHING) if name in names][:1],
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
        for name, column in zip(("temperature", "top_p", "length", "seed"), st.columns(4), strict=True):
            draw_option(OPTIONS[name], column)
        draw_option(OPTIONS["dtype"])
    return Request(
        models=tuple(draw_lookable(models)),
        options=from_page(CriteriaOptions, st.session_state.to_dict(), questions=questions),
        materials=materials,
    )


def offer_asking(request: Request, missing: Mapping[ResultKey, CriteriaAsked]) -> bool:
    """Say what has not been asked yet and what it costs, and offer to queue it; show the jobs at it.

    Returns whether all that is missing is offered.
    """
    return offer_missing(
        CRITERIA_AUDIT, missing, lambda one, name: request.experiment(one.model, name), _offer_words, _takes
    )


def _offer_words(missing: Mapping[ResultKey, CriteriaAsked]) -> tuple[str, str]:
    """Name experiments with their models, "Anecdotes and Tasks of mini-gpt", and the button."""
    by_model: dict[str, list[str]] = {}
    for model, experiment in missing:
        by_model.setdefault(model, []).append(TITLES[experiment].lower())
    names = "; ".join(f"{', '.join(names)} of *{plain(model)}*" for model, names in by_model.items())
    return f"**Not asked yet:** {names}.", "Ask" if len(missing) == 1 else f"Ask all {len(missing)}"


def _takes(which: ResultKey, request: CriteriaAsked, estimate: AuditEstimate) -> tuple[str, str]:
    model, experiment = which
    takes = f"**{plain(model)}**, {TITLES[experiment].lower()}: {plain(_estimate_text(request, estimate))}"
    return takes, estimate.basis if estimate.missing else ""


def _estimate_text(request: CriteriaAsked, estimate: AuditEstimate) -> str:
    written = request.answering == "written"
    if not estimate.missing:
        return f"all {'texts' if written else 'scores'} are there and are read again."
    if not written:
        what = f"words in {count(estimate.missing, 'prompt')} to score"
    else:
        reads = f", {estimate.prompt_tokens:,} tokens to read" if request.key.family == "endpoint" else ""
        what = f"{count(estimate.missing, 'text')} to write, at most {estimate.tokens:,} tokens{reads}"
    time = "" if estimate.seconds is None else f", about {duration(estimate.seconds)}"
    cost = "" if estimate.cost is None else f", at most {estimate.cost:,.2f} in the operator's prices"
    return f"{what}{time}{cost}."

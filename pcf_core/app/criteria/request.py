"""The form of the tab Criteria: models, how they answer, how often, and how texts are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import streamlit as st

from pcf_core.app.caching import open_store
from pcf_core.app.choice import current_choice, draw_precision, with_asked
from pcf_core.app.criteria.own import ANSWERED, SUITED, WORDED, draw_choices, draw_many_questions
from pcf_core.app.data import answered, draw_lookable
from pcf_core.app.links import choose_called
from pcf_core.app.roles import may_audit
from pcf_core.app.texts.shared import TEACHING, draw_length, draw_seed, draw_top_p, first_kept
from pcf_core.app.widgets import plain
from pcf_core.core.errors import AuditError
from pcf_core.core.generation import HOTTEST, Decoding, GenerationKey
from pcf_core.core.run import ScoringKey, model_label
from pcf_core.models.endpoint import PREFIX as ENDPOINT
from pcf_core.models.endpoint import known_chat
from pcf_core.models.precision import AUTO, precisions_of
from pcf_core.models.registry import list_models, resolve_to_score, resolve_writer
from pcf_core.show.findings.numbers import listed
from pcf_core.texts.criteria.experiment import Experiment, Suited, suited
from pcf_core.texts.criteria.experiments import REPEATS, fitted, usual_decoding
from pcf_core.texts.criteria.records.quantities import Answering, ExperimentName, Wording
from pcf_core.texts.criteria.records.runs import MOST_REPEATS, CriteriaAsked
from pcf_core.work.criteria import CRITERIA, CRITERIA_AUDIT, scored_asked, written_asked

EXPERIMENTS: tuple[ExperimentName, ...] = get_args(ExperimentName)
TITLES: Mapping[ExperimentName, str] = {
    "anecdotes": "Anecdotes",
    "hobbies": "Hobbies",
    "questions": "Questions",
    "tasks": "Tasks",
}
Which = tuple[str, ExperimentName]  # a model, by its label, and an experiment


@dataclass(frozen=True)
class Request:
    """What the form asks for.

    ``answering``, ``wording``: empty for what suits each model best.  ``repeats``, ``length``: texts of each
    prompt, and new tokens at most, ``None`` for what is usual for each experiment.  ``materials``: what the
    experiments are made of, as chosen.  ``questions``: how many of the set, ``None`` for what is usual for
    the way of answering.
    """

    models: tuple[str, ...]
    answering: Literal["", Answering]
    wording: Literal["", Wording]
    repeats: int | None
    temperature: float
    top_p: float
    length: int | None
    seed: int
    materials: Mapping[ExperimentName, Experiment]
    questions: int | None = None
    precision: str = AUTO

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
        return fitted(self.materials[name], answering, self.questions if name == "questions" else None)

    def decoding(self, name: ExperimentName) -> Decoding:
        """Return how texts of an experiment are sampled.

        Raises
        ------
        GenerationError
            A value outside its range.
        """
        return Decoding(
            temperature=self.temperature,
            top_p=self.top_p,
            length=usual_decoding(name).length if self.length is None else self.length,
            seed=self.seed,
        )

    def way(self, model: str, name: ExperimentName) -> Suited:
        """Return how an experiment is put to a model, and why.

        Raises
        ------
        ModelError
            There is no such model.
        """
        server = model.startswith(ENDPOINT)
        chats = known_chat(model) if server and self.answering != "scored" else None
        chat = chats is not False if not self.wording else self.wording == "instruction"
        found = suited(resolve_writer(model, chat=chat), name, self.answering)
        if found.answering == "scored":
            return found
        if server and (reason := endpoint_reason(model, chats, found.wording)):
            return replace(found, reason=reason)
        if not self.wording or found.wording == self.wording:
            return found
        reason = f"{model} is {WORDED[self.wording]}, as was asked for."
        return replace(found, wording=self.wording, reason=reason)

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
            scored = precisions_of(resolve_to_score(model), self.precision)
            return tuple(scored_asked(experiment, ScoringKey.of(spec)) for spec in scored)
        writers = precisions_of(resolve_writer(model, chat=way.wording == "instruction"), self.precision)
        keys = [GenerationKey.of(spec, self.decoding(name)) for spec in writers]
        repeats = self.repeats or REPEATS[name]
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
    asked = {one.model for one in answered(CRITERIA_AUDIT)}
    chosen = [name for name in current_choice().models if name in asked]
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
        answering = choose_called(
            "Answers",
            ANSWERED,
            key="cr_answering",
            wrap=True,  # its options are wider than a telephone
            help="written: the model writes, and its texts are read. scored words: the probabilities "
            "of candidate words are compared, for models that cannot follow instructions. The two measure "
            "different things and are never laid together.",
        )
    with st.expander("More settings", icon=":material/tune:"):
        materials = draw_choices()
        questions = draw_many_questions()
        wording, repeats = _draw_wording()
        temperature, top_p, length, seed = _draw_decoding()
        precision = draw_precision("cr_precision")
    return Request(
        models=tuple(draw_lookable(models)),
        answering="" if answering == SUITED else answering,
        wording="" if wording == SUITED else wording,
        repeats=repeats,
        temperature=temperature,
        top_p=top_p,
        length=length,
        seed=seed,
        materials=materials,
        questions=questions,
        precision=precision,
    )


def requests_of(request: Request) -> dict[Which, CriteriaAsked]:
    """Return what every model is asked in every experiment; a refusal is said once and left out."""
    found: dict[Which, CriteriaAsked] = {}
    refused: dict[tuple[str, str], None] = {}
    kept = open_store().documents(CRITERIA)
    for model in request.models:
        for name in EXPERIMENTS:
            try:
                one = first_kept(request.asked(model, name), kept)
                found[model_label(model, one.key.dtype), name] = one
            except AuditError as error:
                refused[model, str(error)] = None
    for model, sentence in refused:
        st.error(f"**{plain(model)}:** {plain(sentence)}", icon=":material/error:")
    return found


def _draw_wording() -> tuple[Wording | Literal["usual"], int | None]:
    left, right = st.columns([3, 2])
    usual = [f"{repeats:,} for {name}" for name, repeats in REPEATS.items()]
    wording = choose_called(
        "Wording",
        WORDED,
        key="cr_wording",
        wrap=True,
        help="told what to write: the prompt is an instruction. given a beginning: the model goes on from "
        "the beginning of a text. Scored words have a wording of their own.",
        place=left,
    )
    repeats = right.number_input(
        "Texts of each prompt",
        min_value=1,
        max_value=MOST_REPEATS,
        value=None,
        step=1,
        placeholder="usual",
        key="cr_repeats",
        bind="query-params",
        help=f"How often each prompt is answered; usual: {listed(usual)}. The paper has 30 for anecdotes, 10 "
        "for questions and 50 for tasks. More texts of a prompt say nothing of other prompts. Texts that are "
        "there are kept: asking for more writes the rest. At temperature 0 all are the same and one counts.",
    )
    return wording, repeats


def _draw_decoding() -> tuple[float, float, int | None, int]:
    usual = usual_decoding(EXPERIMENTS[0])
    columns = st.columns(4)
    temperature = columns[0].number_input(
        "Temperature",
        min_value=0.0,
        max_value=HOTTEST,
        value=usual.temperature,
        step=0.1,
        key="cr_temperature",
        bind="query-params",
        help="0.5 is the paper's; 1 keeps the model's own probabilities. At 0 every text of a prompt is the "
        "same.",
    )
    lengths = [f"{usual_decoding(name).length} for {TITLES[name].lower()}" for name in EXPERIMENTS]
    top_p = draw_top_p(columns[1], "cr", usual.top_p)
    length = draw_length(columns[2], "cr", None, f"Empty: {', '.join(lengths)}.")
    seed = draw_seed(columns[3], "cr", usual.seed)
    return temperature, top_p, length, seed

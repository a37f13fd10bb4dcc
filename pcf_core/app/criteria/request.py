"""The criteria's requests: the form, one's own material, offers to run, and earlier results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import get_args

import streamlit as st

from pcf_core.app import own
from pcf_core.app.caching import kept, open_store
from pcf_core.app.choice import current_choice, draw_option, with_asked
from pcf_core.app.data import answered, draw_lookable
from pcf_core.app.frames import draw_text_frame
from pcf_core.app.lists import Stamp, stamp_of, stamp_of_files
from pcf_core.app.roles import may_audit, recorded
from pcf_core.app.texts.shared import TEACHING, Stored, draw_before, offer_missing, way_back
from pcf_core.app.titles import model_titles
from pcf_core.app.widgets import choose_next, plain, plain_titled, refusals_said
from pcf_core.core.options import declared, from_page, page_values
from pcf_core.core.run import ScoringKey
from pcf_core.material.safety.text import MAX_NAME
from pcf_core.models.endpoint import known_chat
from pcf_core.models.names import ENDPOINT, precisions_of
from pcf_core.models.registry import list_models, resolve_to_score, resolve_writer
from pcf_core.show.findings.fairpair import decoding_text
from pcf_core.show.findings.notes import duration
from pcf_core.show.findings.numbers import count
from pcf_core.texts.criteria.experiment import Experiment, Suited, suited
from pcf_core.texts.criteria.experiments import USUAL_QUESTIONS, fitted
from pcf_core.texts.criteria.options import CriteriaOptions, options_of
from pcf_core.texts.criteria.own import (
    ACCEPTED,
    KINDS,
    USUAL,
    Chosen,
    chosen_of,
    delete_own,
    free_name,
    keep_own,
    open_experiment,
    own_files,
    read_upload,
)
from pcf_core.texts.criteria.records.independence import AnecdotesMaterial, HobbiesMaterial
from pcf_core.texts.criteria.records.quantities import GENDERS, ExperimentName, Wording
from pcf_core.texts.criteria.records.runs import MATERIAL, CriteriaAsked, CriteriaResult
from pcf_core.texts.criteria.records.separation import QuestionMaterial, TaskMaterial
from pcf_core.texts.text_audit import writing_key
from pcf_core.work.criteria import CRITERIA_AUDIT, kept_labellers, scored_asked, written_asked
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
SEEN = "criteria_before"
LABELLER = "cr_labeller"
MANY = "cr_many"
LONGEST = 300  # characters of a model's name
EXAMPLES: Mapping[ExperimentName, str] = {
    "anecdotes": "profession,women_share\nnurse,0.88\nelectrician,0.02\n",
    "hobbies": "name,gender\nMary,female\nJohn,male\n",
    "questions": "text,a,b,right\nWhich river flows through Cairo?,The Danube,The Nile,B\n",
    "tasks": """\
[[pairs]]
female = { name = "nurse", word = "nurse" }
male = { name = "doctor", word = "doctor" }

[[tasks]]
name = "heart-rate"
pair = 0
does = "female"
did = "measured my heart rate"

[[tasks]]
name = "operation"
pair = 0
does = "male"
did = "operated on a patient"
""",
}
MOST = 12
OPTIONS = declared(CriteriaOptions)
WORDED = OPTIONS["wording"].called
Choices = dict[str, str | int | float | list[str] | None]


@dataclass(frozen=True)
class Request:
    """What the form asks for; ``materials``: by experiment."""

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
        way = suited(resolve_writer(model, chat=self.messages(chat)), name, answering, self.options)
        if way.answering == "scored":
            return way
        if server and not self.options.frame and (reason := _endpoint_reason(model, chats, way.wording)):
            return replace(way, reason=reason)
        if not wording or way.wording == wording:
            return way
        reason = f"{model} is {WORDED[wording]}, as requested."
        return replace(way, wording=wording, reason=reason)

    def messages(self, usual: bool) -> bool:
        """Return whether an endpoint is sent messages; ``usual``: without a frame."""
        return usual if not self.options.frame else self.options.frame == "chat"

    def asked(self, model: str, name: ExperimentName) -> tuple[CriteriaAsked, ...]:
        """Return one model's requests for one experiment, one for each precision that may be meant."""
        experiment, way = self.experiment(model, name), self.way(model, name)
        if way.wording is None:
            scored = precisions_of(resolve_to_score(model), self.options.dtype)
            return tuple(scored_asked(experiment, ScoringKey.of(spec)) for spec in scored)
        chat = self.messages(way.wording == "instruction")
        writers = precisions_of(resolve_writer(model, chat=chat), self.options.dtype)
        keys = [writing_key(spec, self.options.decoding(name), self.options) for spec in writers]
        repeats = self.options.texts_of_each(name)
        return tuple(written_asked(experiment, key, way.wording, repeats) for key in keys)


def _endpoint_reason(model: str, chats: bool | None, wording: Wording | None) -> str:
    """Say how an endpoint is asked if that is unusual, else ""; ``chats``: ``None`` if it did not say."""
    if chats is not True and wording == "instruction":
        choose = f"choose the wording “{WORDED['continuation']}” under “More settings”."
        if chats is None:
            return (
                f"{model} is sent messages, although its server does not state whether it can answer them: "
                f"if it refuses, {choose}"
            )
        return f"{model} is sent messages, as requested, but its server answers none: {choose}"
    if chats is False:
        return (
            f"The server of {model} does not answer messages, so the model continues the beginning of a text."
        )
    return ""


def draw_request() -> Request:
    """Draw the form; every choice is in the URL."""
    names = [spec.name for spec in list_models()]
    # Opens with the sidebar's first model with results, as the tab Summary, else with a teaching model.
    with_results = {one.model for one in answered(CRITERIA_AUDIT)}
    opening = [name for name in current_choice().models if name in with_results]
    left, right = st.columns(2)
    with left:
        titles = model_titles(names)
        models = st.multiselect(
            "Models",
            with_asked("cr_model", names, titles),
            format_func=titles,
            default=[name for name in (*opening, TEACHING) if name in names][:1],
            key="cr_model",
            bind="query-params",
            select_all=False,
            accept_new_options=may_audit(),
            placeholder="Choose a model, or type a hub id or a folder" if may_audit() else "Choose",
            help="Models that follow instructions are told what to write. Other models continue the "
            "beginning of a text, or have candidate words scored.",
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
        frame = draw_text_frame(CriteriaOptions)
        draw_option(OPTIONS["dtype"])
    return Request(
        models=tuple(draw_lookable(models)),
        options=from_page(CriteriaOptions, st.session_state.to_dict(), questions=questions, **frame),
        materials=materials,
    )


def offer_asking(request: Request, missing: Mapping[ResultKey, CriteriaAsked]) -> bool:
    """Offer to run what is missing, with costs and jobs; return whether all of it is offered."""
    return offer_missing(
        CRITERIA_AUDIT, missing, lambda one, name: request.experiment(one.model, name), _offer_words, _takes
    )


def _offer_words(missing: Mapping[ResultKey, CriteriaAsked]) -> tuple[str, str]:
    """Write which experiments of which models are missing, and the label of the button."""
    by_model: dict[str, list[str]] = {}
    for model, experiment in missing:
        by_model.setdefault(model, []).append(TITLES[experiment].lower())
    names = "; ".join(f"{', '.join(names)} of *{plain_titled(model)}*" for model, names in by_model.items())
    return f"**Not run yet:** {names}.", "Ask" if len(missing) == 1 else f"Run all {len(missing)}"


def _takes(which: ResultKey, request: CriteriaAsked, estimate: AuditEstimate) -> tuple[str, str]:
    model, experiment = which
    takes = (
        f"**{plain_titled(model)}**, {TITLES[experiment].lower()}: {plain(_estimate_text(request, estimate))}"
    )
    return takes, estimate.basis if estimate.missing else ""


def _estimate_text(request: CriteriaAsked, estimate: AuditEstimate) -> str:
    written = request.answering == "written"
    if not estimate.missing:
        return f"all {'texts' if written else 'scores'} exist already and are analysed again."
    if not written:
        what = f"words in {count(estimate.missing, 'prompt')} to score"
    else:
        reads = f", {estimate.prompt_tokens:,} tokens to read" if request.key.family == "endpoint" else ""
        what = f"{count(estimate.missing, 'text')} to write, at most {estimate.tokens:,} tokens{reads}"
    time = "" if estimate.seconds is None else f", about {duration(estimate.seconds)}"
    cost = "" if estimate.cost is None else f", at most {estimate.cost:,.2f} in the operator's prices"
    return f"{what}{time}{cost}."


def parameter(experiment: ExperimentName) -> str:
    """Name the query parameter of an experiment's material."""
    return f"cr_{KINDS[experiment]}"


def draw_choices() -> dict[ExperimentName, Experiment]:
    """Draw a menu for each experiment: the shipped material, or a file of one's own."""
    names: dict[ExperimentName, str] = {}
    for column, (experiment, kind) in zip(st.columns(len(KINDS)), KINDS.items(), strict=True):
        key = parameter(experiment)
        names[experiment] = column.selectbox(
            kind.capitalize(),
            with_asked(key, [USUAL, *own_files(experiment)]),
            key=key,
            bind="query-params",
            help=f"The material of the experiment {experiment}. usual: the material that comes with the app. "
            "Your own can be uploaded below, on the experiment's tab.",
        )
    labeller = _draw_labeller()
    return {
        experiment: open_experiment(experiment, name, labeller)
        if labeller and experiment == "hobbies"  # a model that needs a look-up
        else opened(experiment, name)
        for experiment, name in names.items()
    }


def _stamp_of(experiment: ExperimentName, *_: str) -> Stamp:
    return *stamp_of("criteria"), *stamp_of("topics"), *stamp_of_files(*own_files(experiment).values())


@kept(state=_stamp_of)
def opened(experiment: ExperimentName, name: str) -> Experiment:
    """Open an experiment, cached until one of its files changes; raises as :func:`open_experiment`."""
    return open_experiment(experiment, name)


@kept(
    slots=64,
    state=lambda asked: (open_store().document_state(asked.material, MATERIAL), _stamp_of(asked.experiment)),
)
def _chosen(request: CriteriaAsked) -> Chosen | None:
    document = open_store().load_document(request.material, MATERIAL)
    return None if document is None else chosen_of(request, document)


def _draw_labeller() -> str:
    """Draw the labeller of hobbies ("": our lexicon); viewers choose among those with stored results."""
    label, what = "Labeller of the hobbies", "How the subjects of hobbies are recognised"
    if may_audit():
        return st.text_input(
            label,
            max_chars=LONGEST,
            key=LABELLER,
            bind="query-params",
            placeholder="Our own lexicon",
            help=f"{what}. Empty: our own list of words for each label. nli: followed by a hub id or folder, "
            "such as nli:MoritzLaurer/DeBERTa-v3-base-mnli, uses a model for natural language inference to "
            "label written texts.",
        ).strip()
    labellers = kept_labellers(open_store())
    if not labellers:
        return ""
    chosen = st.selectbox(
        label,
        ["", *labellers],
        format_func=lambda text: text or "our lexicon",
        key=LABELLER,
        bind="query-params",
        help=f"{what}: our own list of words for each label, or a model for natural language inference that "
        "has labelled earlier results.",
    )
    return labellers.get(chosen, "")


def draw_many_questions() -> int | None:
    """Draw the number of questions; return it, ``None`` for the default."""
    return st.number_input(
        "Questions of the set",
        min_value=1,
        value=None,
        key=MANY,
        bind="query-params",
        placeholder="The usual number",
        help=f"How many questions are used, from all subjects. Empty: at most {USUAL_QUESTIONS} if texts are "
        "written, because each question has 17 prompts; all if words are scored. More questions narrow the "
        "intervals more than more texts per question.",
    )


def draw_own(experiment: ExperimentName) -> None:
    """Draw the upload and preview of one's own file, and the deletion of the chosen one."""
    kind, key = KINDS[experiment], parameter(experiment)
    if not may_audit():
        return
    with st.expander(
        f"{kind.capitalize()} of your own: type, paste, upload, delete", icon=":material/upload:"
    ):
        with st.container(horizontal=True):
            own.draw_delete(
                st.session_state[key],
                tuple(own_files(experiment)),
                partial(delete_own, experiment),
                lambda: choose_next({key: USUAL}),
                f"delete_{kind}",
                experiment,
            )
            with st.popover("Example of a file", icon=":material/description:"):
                st.code(EXAMPLES[experiment], language=None, wrap_lines=True)
        _draw_upload(experiment, kind, key)


def _draw_upload(experiment: ExperimentName, kind: str, key: str) -> None:
    upload = f"upload_{kind}"
    given = own.draw_given(
        ACCEPTED[experiment], upload, f"my-{kind}", "One file, read whole or not at all.", several=False
    )
    if given is None:
        return
    ((file_name, data),) = given.files
    read = own.read_shown(lambda: read_upload(experiment, given.files), f"{kind}_{given.token}", given.files)
    if read is None:
        return
    if read.reading.choices:  # the file is read again without these answers
        file_name, data = f"{Path(file_name).stem}.json", json.dumps(read.reading.table).encode()
    st.markdown(plain(made_of(read.item)))
    name = st.text_input(
        "Name",
        value=free_name(experiment, file_name),
        max_chars=MAX_NAME,
        key=f"upload_name_{kind}_{given.token}",
        help="Small letters, digits and hyphens.",
    ).strip()
    if st.button("Save", key=f"keep_{kind}", type="primary", icon=":material/save:"):
        with refusals_said():
            recorded("uploaded", experiment, name, keep_own, experiment, name, file_name, data)
            own.empty_typed(upload)
            choose_next({key: name})


def made_of(experiment: Experiment) -> str:
    """Describe an experiment's material."""
    material = experiment.material
    if isinstance(material, AnecdotesMaterial):
        title = material.professions.title
        things = count(len(material.professions.professions), "profession")
    elif isinstance(material, HobbiesMaterial):
        women, men = (len(material.names.of(gender)) for gender in GENDERS)
        title = material.names.title
        things = f"{count(women, 'name')} of women and {count(men, 'name')} of men"
    elif isinstance(material, QuestionMaterial):
        title, things = material.questions.title, count(len(material.questions.questions), "question")
        if left_out := material.questions.left_out:
            entries = count(len(left_out), "entry is", "entries are")
            things += f"; {entries} left out, the first because: {left_out[0].reason.removesuffix('.')}"
    elif isinstance(material, TaskMaterial):
        title = material.tasks.title
        things = f"{count(len(material.tasks.tasks), 'task')} of {count(len(material.tasks.pairs), 'pair')}"
    else:
        return experiment.title
    return f"“{title}” has {things}."


def choices_of(request: CriteriaAsked) -> Choices | None:
    """Return the form's choices that make this request; ``None`` if the form cannot make it any more."""
    if request.imported:
        return None
    chosen = _chosen(request)
    if chosen is None or chosen.name is None:
        return None
    values = page_values(options_of(request))
    names: tuple[str, ...] = ("frame", "system", "instruction")
    if request.generation:
        names += ("wording", "repeats", "temperature", "top_p", "length", "seed")
    return {
        "cr_model": [request.model],
        "cr_view": request.experiment,
        **{f"cr_{name}": values[f"cr_{name}"] for name in ("answering", "precision")},
        parameter(request.experiment): chosen.name,
        **({LABELLER: chosen.labeller} if chosen.labeller else {}),
        **({MANY: chosen.questions} if chosen.questions else {}),
        **{f"cr_{name}": values[f"cr_{name}"] for name in names},
    }


def parameters_of(key: str) -> Mapping[str, str | list[str]] | None:
    """Return the query parameters that open a request on the page, if any do."""
    return way_back(CRITERIA_AUDIT, key, choices_of)


def draw_kept() -> None:
    """Draw earlier results, each with a button that opens it."""
    asked_here = [request for request in answered(CRITERIA_AUDIT) if not request.imported]
    if asked_here:
        draw_before(SEEN, "criteria_open", lambda: _found_before(asked_here[:MOST]))


def _found_before(requests: Sequence[CriteriaAsked]) -> Iterator[tuple[str, str, Choices]]:
    for request in requests:
        if (choices := choices_of(request)) is not None:
            made = " · ".join((request.experiment, _made_text(request, choices), _way_text(request)))
            yield request.hash, f"**{plain_titled(request.key.label)}** · {plain(made)}", choices


def _made_text(request: CriteriaAsked, choices: Choices) -> str:
    """Name a request's material: "usual professions", "own names “mine”, labelled by nli:org/name"."""
    kind, name = KINDS[request.experiment], choices[parameter(request.experiment)]
    text = f"{USUAL} {kind}" if name == USUAL else f"own {kind} “{name}”"
    if choices.get(MANY):
        text = f"{choices[MANY]} of the {text}"
    return f"{text}, labelled by {choices[LABELLER]}" if choices.get(LABELLER) else text


def _way_text(request: CriteriaAsked) -> str:
    """Say how a request is answered: "written, told what to write, 10 texts per prompt, …"."""
    if request.generation is None or request.wording is None:
        return "scored"
    return (
        f"written, {WORDED[request.wording]}, {count(request.repeats, 'text')} per prompt, "
        f"{decoding_text(request.generation.decoding)}"
    )

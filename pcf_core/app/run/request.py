"""The form of the page Run an audit, its runs, and the check of the topic's words."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import streamlit as st

from pcf_core.app import own
from pcf_core.app.caching import open_queue, open_store
from pcf_core.app.choice import DEFAULT_MODELS, current_choice, draw_answering, draw_precision
from pcf_core.app.frames import declared_model, draw_frames, draw_samples
from pcf_core.app.links import select_called
from pcf_core.app.lists import (
    Usual,
    evidence_lists,
    fitting_first,
    heaviest_of,
    named,
    set_cards,
    template_sets,
    topics,
    usual_lists,
)
from pcf_core.app.queue import any_active, follow_jobs, jobs_of, keep_a_worker, progress_text
from pcf_core.app.roles import write
from pcf_core.app.templates.keeping import draw_import, draw_typed
from pcf_core.app.titles import list_titles, model_titles, set_titles, topic_titles
from pcf_core.app.widgets import adopt_next, choose_next, plain, plain_titled
from pcf_core.audit.answers import sampled_run
from pcf_core.audit.options import word_scoring
from pcf_core.audit.preferences import build_run
from pcf_core.audit.sampling import planned
from pcf_core.core.errors import AuditError, RunError
from pcf_core.core.frame import BARE_ONLY, Frame, Frames, framed_name
from pcf_core.core.run import ModelSpec, Protocol, RunSpec
from pcf_core.core.sampled import SCORED, Samples
from pcf_core.core.topics import Evidence, TemplateSet, Topic
from pcf_core.material.evidence import OWN as OWN_LISTS
from pcf_core.material.suiting import suiting_sets
from pcf_core.material.topics import OWN as OWN_TOPICS
from pcf_core.measure.sampling import NARROWEST, WIDEST
from pcf_core.models.names import (
    AUTO,
    ENDPOINT,
    KnownModel,
    all_series,
    in_precision,
    is_model_allowed,
    require_allowed,
)
from pcf_core.models.public import absent_among
from pcf_core.models.registry import list_models, listed_tokens, resolve_to_score, resolve_writer
from pcf_core.show.findings.material import list_finding, topic_finding
from pcf_core.show.findings.notes import other_lists_note, tokens_note
from pcf_core.show.findings.numbers import chance, count, listed
from pcf_core.show.names import Titles
from pcf_core.work.queue import Job
from pcf_core.work.requests import submit_words

SERIES = "score_series"
HEAVIEST = 20
INHERITED = "score_begins_with"  # session key: what the form began with, by field
SCORED_PROTOCOLS: tuple[Protocol, ...] = ("exact", "exact-boundary")
CHECKS = "word_checks"
PROTOCOLS = get_args(Protocol)
TOPIC_BEFORE = "score_topic_before"  # session key: the topic for which lists were chosen
REPLACED = "score_replaced"  # session key: lists that a new topic has replaced, by field


@dataclass(frozen=True)
class Request:
    """The choices of the form, by name; ``rendered``: the chats of each model, as far as they are known."""

    models: tuple[str, ...]
    topic: str
    templates: str
    evidence: str
    protocol: Protocol
    within: float | None = None
    precision: str = AUTO
    heaviest: bool = False
    frames: Frames = BARE_ONLY
    sampling: Samples = SCORED
    rendered: Mapping[str, Sequence[Frame]] = field(default_factory=dict)

    @property
    def ready(self) -> list[tuple[str, Frame | None]]:
        """The models whose runs are known, with each of their rendered chats, or bare."""
        if self.frames == BARE_ONLY:
            return [(model, None) for model in self.models]
        return [(model, frame) for model, several in self.rendered.items() for frame in several]

    @property
    def wanted(self) -> int:
        """How many runs are wanted."""
        return len(self.models) * len(self.frames.each)


@dataclass(frozen=True)
class First:
    """What the form begins with; every name is an option of its field."""

    models: list[str]
    topic: str
    templates: str
    evidence: str

    @property
    def fields(self) -> dict[str, str | list[str]]:
        """The same by keys of the fields."""
        return {
            "score_model": self.models,
            "score_topic": self.topic,
            "score_templates": self.templates,
            "score_evidence": self.evidence,
        }


@dataclass(frozen=True)
class Plan:
    """A request and its runs; ``unfetched``: of models that are not here."""

    request: Request
    runs: Sequence[RunSpec] = ()
    unfetched: Sequence[tuple[RunSpec, KnownModel]] = ()

    @property
    def every_run(self) -> list[RunSpec]:
        """The runs of all models."""
        return [*self.runs, *(run for run, _ in self.unfetched)]

    @property
    def can_be_shorter(self) -> bool:
        """Whether the set has more sentences than the option for the most common ones."""
        runs = self.every_run
        return bool(runs) and len(runs[0].templates.templates) > HEAVIEST

    def shorter(self) -> Plan:
        """Return the plan of the same request with only the most common sentences."""
        models = tuple(dict.fromkeys(run.scoring.model for run in self.every_run))
        return plan_of(replace(self.request, models=models, heaviest=True))


def plan_of(request: Request) -> Plan:
    """Return the runs of a request; draw why a model has none."""
    runs, unfetched = [], []
    for model, frame in request.ready:
        try:
            if (declared := declared_model(model)) is not None:
                unfetched.append((declared_run(request, model, declared), declared))
            else:
                runs.append(requested_run(request, model, frame))
        except AuditError as error:
            draw_refusal(model, error)
    return Plan(request, runs, unfetched)


def draw_refusal(model: str, error: AuditError) -> None:
    """Draw why a model cannot be run."""
    st.error(f"**{plain_titled(model)}:** {plain(str(error))}", icon=":material/error:")


def draw_request() -> Request:
    """Draw the form; every choice is in the URL."""
    _choose_saved()
    _draw_series()
    here = [spec for spec in list_models() if spec.path and is_model_allowed(spec.name)]
    first = _inherit([spec.name for spec in here if spec.kind == "public"], [spec.name for spec in here])
    models = st.multiselect(
        "Models",
        [spec.name for spec in here],
        default=first.models,
        format_func=model_titles(spec.name for spec in here),
        key="score_model",
        bind="query-params",
        accept_new_options=True,
        select_all=False,  # Enter selects the typed name, not all similar ones
        placeholder="Choose, or type a hub id or a folder",
        help="At first these are the models chosen in the sidebar. Choose others, or type a hub id such as "
        "openai-community/gpt2, a folder on the server with safetensors, or a GGUF file. The page *Models* "
        "says what each of them needs.",
    )
    _draw_not_here(here)
    topic = st.selectbox(
        "Topic",
        list(topics()),
        index=list(topics()).index(first.topic),
        format_func=topic_titles(),
        key="score_topic",
        bind="query-params",
        on_change=_take_lists,
        help="The groups that are compared.",
    )
    chosen = topics()[topic]
    st.session_state[TOPIC_BEFORE] = topic
    draw_answering(topic, "score_topic", _choose_topic)
    usual = usual_lists(chosen)
    if topic == first.topic:
        usual = Usual(first.templates, first.evidence)
    sets, lists = fitting_first(chosen), list(evidence_lists())
    templates = st.selectbox(
        "Sentences",
        sets,
        index=sets.index(usual.templates),
        format_func=set_titles(),
        key="score_templates",
        bind="query-params",
        help="The set of sentences. Sets that suit the topic come first.",
    )
    _draw_replaced("score_templates", templates, chosen)
    heaviest = st.toggle(
        f"Only the {HEAVIEST} most common",
        False,
        key="score_heaviest",
        bind="query-params",
        help=f"Runs only the {HEAVIEST} sentences of the set that people write most often, which is quick. "
        "Open the result from the queue below.",
    )
    evidence = st.selectbox(
        "Occupations",
        lists,
        index=lists.index(usual.evidence),
        format_func=list_titles(),
        key="score_evidence",
        bind="query-params",
        help="The people that the sentences are about.",
    )
    _draw_replaced("score_evidence", evidence, chosen)
    _draw_own()
    protocol = select_called(
        "Word scoring",
        {one: word_scoring(one) for one in SCORED_PROTOCOLS},
        key="score_protocol",
        help="The probability of a word is the product over its tokens. The same run also gives the results "
        "for words of one token, as in the papers.",
    )
    precision = draw_precision("score_precision")
    sampling = draw_samples() if any(name.startswith(ENDPOINT) for name in models) else SCORED
    frames = BARE_ONLY if sampling.samples else draw_frames().about(chosen)
    within = None if sampling.samples else _draw_within()
    return Request(
        models=tuple(models),
        topic=topic,
        templates=templates,
        evidence=evidence,
        protocol=protocol,
        within=within,
        precision=precision,
        heaviest=heaviest,
        frames=frames,
        sampling=sampling,
    )


def _draw_within() -> float | None:
    """Draw the goal of a sampling plan."""
    return st.number_input(
        "Stop early once the range is narrower than ±",
        min_value=NARROWEST,
        max_value=WIDEST,
        value=None,
        step=0.005,
        format="%.3f",
        placeholder="Run every sentence",
        key="score_within",
        bind="query-params",
        help="Instead of all sentences, draws sentences at random, common ones more often, until the ranges "
        "of risk, prejudice and caprice are narrower than this. 0.005 is precise. With a smaller value, a "
        "later run continues from there.",
    )


def _draw_own() -> None:
    """Draw fields for the user's own topic, sentences or occupations; what is saved is chosen at once."""

    def choose(key: str) -> Callable[[str], None]:
        return lambda name: choose_next({key: name})

    with st.container(horizontal=True):
        with st.popover("Your own topic", icon=":material/add:"):
            st.caption("One group a line, with commas between its words: *he, man, king*.")
            own.draw_upload(OWN_TOPICS, topic_finding, choose("score_topic"), "One file.")
        with st.popover("Your own sentences", icon=":material/add:"):
            draw_typed(choose("score_templates"))
            draw_import(choose("score_templates"))
        with st.popover("Your own occupations", icon=":material/add:"):
            own.draw_upload(OWN_LISTS, list_finding, choose("score_evidence"), "One file.")


def _choose_saved() -> None:
    """Choose what was saved, before the form's fields are drawn."""
    if "score_topic" in adopt_next():
        _take_lists()


def _draw_not_here(here: Sequence[ModelSpec]) -> None:
    """Name choices of the sidebar that cannot be run here."""
    choice, names = current_choice(), [spec.name for spec in here]
    absent = absent_among(choice.models)  # they have their own note
    left_out = [name for name in choice.models if name not in names and name not in absent]
    lists: tuple[tuple[str, Container[str], Titles], ...] = (
        (choice.topic, topics(), topic_titles()),
        (choice.templates, template_sets(), set_titles()),
        (choice.evidence, evidence_lists(), list_titles()),
    )
    left_out += [titles(name) for name, existing, titles in lists if name not in existing]
    if left_out:
        st.caption(
            f":material/info: Chosen in the sidebar, but not available for a new run: "
            f"{plain_titled(listed(left_out))}. The form has other entries instead. To add a model, type its "
            "name."
        )


def _choose_topic(name: str) -> None:
    st.session_state["score_topic"] = name
    _take_lists()


def _take_lists() -> None:
    """Select sentences and occupations for a new topic: chosen lists if they suit, else the usual ones."""
    state = st.session_state
    topic, before = topics()[state["score_topic"]], topics().get(state.get(TOPIC_BEFORE, ""))
    usual, usual_before = usual_lists(topic), usual_lists(before) if before else None
    suits: Mapping[str, Callable[[str], bool]] = {
        "score_templates": lambda name: name in suiting_sets(topic, set_cards()),
        "score_evidence": lambda name: before is not None and before.language == topic.language,
    }
    state[REPLACED] = {}
    for key, suits_topic in suits.items():
        field = key.removeprefix("score_")
        chosen, now = state[key], getattr(usual, field)
        was_chosen = usual_before is not None and chosen != getattr(usual_before, field)
        if was_chosen and suits_topic(chosen):
            continue
        if was_chosen and chosen != now:
            state[REPLACED][key] = (topic.name, chosen, now)
        state[key] = now


def _draw_replaced(key: str, name: str, topic: Topic) -> None:
    """Say which list did not suit the new topic and was replaced, until another is chosen."""
    titles = set_titles() if key == "score_templates" else list_titles()
    replaced_for, before, now = st.session_state.get(REPLACED, {}).get(key, ("", "", ""))
    if (replaced_for, now) == (topic.name, name):
        st.caption(
            f":material/info: **{plain(titles(before))}** does not suit *{plain(topic.title)}*, so "
            f"**{plain(titles(now))}** is selected. You can still choose it."
        )


def _inherit(public: Sequence[str], scored: Sequence[str]) -> First:
    """Begin the form with the sidebar's choice, and follow it until the form is changed.

    ``public``, ``scored``: models whose weights are here; only these can be run.
    """
    choice, state = current_choice(), st.session_state
    chosen = [name for name in choice.models if name in scored]
    models = chosen or list(public[:1]) or [name for name in DEFAULT_MODELS if name in scored]
    topic = choice.topic if choice.topic in topics() else next(iter(topics()))
    usual = usual_lists(topics()[topic])
    first = First(
        models,
        topic,
        choice.templates if choice.templates in template_sets() else usual.templates,
        choice.evidence if choice.evidence in evidence_lists() else usual.evidence,
    )
    fields, before = first.fields, state.get(INHERITED, {})
    as_it_was = all(state.get(key, value) == value for key, value in before.items())
    if before and as_it_was and not any(key in st.query_params for key in fields):
        state.update(fields)
    state[INHERITED] = fields
    return first


def _draw_series() -> None:
    titles = {series.title: series for series in all_series()}
    if titles:
        st.selectbox(
            "Add a series of models",
            list(titles),
            index=None,
            key=SERIES,
            placeholder="One family of models in every size",
            on_change=_take_series,
            help="Chooses the base and the aligned checkpoint of every size. Remove those that are too "
            "large. The page *Compare* orders them by size.",
        )


def _take_series() -> None:
    """Choose a series' allowed checkpoints, and empty the field."""
    state = st.session_state
    series = next((one for one in all_series() if one.title == state[SERIES]), None)
    if series is not None:
        state["score_model"] = [name for name in series.models if is_model_allowed(name)]
        state[SERIES] = None


def declared_run(request: Request, model: str, listed: KnownModel) -> RunSpec:
    """Return the form's run for a model that is not here, to count test sentences; its key is provisional."""
    require_allowed(model)
    lists = _lists_of(request)
    spec = ModelSpec(
        name=model, family=listed.family, path="", identity="", tokenizer="", parameters=listed.parameters,
        context=listed.context,
    )  # fmt: skip
    run = build_run(in_precision(spec, request.precision), *lists, request.protocol)
    return run if request.within is None else planned(run, request.within)


def _lists_of(request: Request) -> tuple[Topic, Evidence, TemplateSet]:
    """Return the form's topic, list and templates, only the most common ones if so chosen."""
    topic, evidence, templates = named(request.topic, request.evidence, request.templates)
    if request.heaviest and len(templates.templates) > HEAVIEST:
        templates = heaviest_of(templates.name, HEAVIEST)
    return topic, evidence, templates


def requested_run(request: Request, model: str, frame: Frame | None) -> RunSpec:
    """Return the form's run for one model in one frame."""
    if request.sampling.samples and model.startswith(ENDPOINT):
        spec = resolve_writer(model, request.sampling.chat)
        listed = listed_tokens(model, request.sampling)
        return sampled_run(spec, *_lists_of(request), request.sampling, listed)
    spec = in_precision(resolve_to_score(model), request.precision)
    spec = spec.model_copy(update={"frame": frame})
    run = build_run(spec, *_lists_of(request), request.protocol)
    return run if request.within is None else planned(run, request.within)


def draw_heaviest_note(request: Request, run: RunSpec) -> None:
    """Say that *Only the most common* changes nothing if the set has no more sentences."""
    if request.heaviest and len(run.templates.templates) < HEAVIEST:
        number = count(len(run.templates.templates), "sentence")
        st.caption(f"*Only the {HEAVIEST} most common* changes nothing here: this set has {number}.")


def draw_other_lists(runs: Sequence[RunSpec]) -> None:
    """Say which stored runs have other counts or weights than the form's lists."""
    for run in runs:
        try:
            note = other_lists_note(run, open_store().as_stored(run), "score")
        except RunError as error:
            st.error(plain(str(error)), icon=":material/error:")
        else:
            if note:
                st.caption(f":material/balance: {plain(note)}")


def draw_word_check(runs: Sequence[RunSpec]) -> None:
    """Draw a button that checks the topic's words with the worker, and the answers."""
    if st.button(
        "Check the words of the topic",
        key="check_words",
        icon=":material/spellcheck:",
        help="Runs one sentence, and shows which words the model cannot write, how many tokens a word has, "
        "and how likely the words are together.",
    ):
        st.session_state[CHECKS] = {run.key: _ask(run) for run in runs}
    checks: dict[str, int] = st.session_state.get(CHECKS, {})
    jobs = [checks[run.key] for run in runs if run.key in checks]
    if jobs:
        follow_jobs(lambda: jobs_of(jobs), _draw_answer, any_active, busy=any_active(jobs_of(jobs)))


def _ask(run: RunSpec) -> int:
    """Queue a run's first sentence ahead of all runs; return the job's id."""
    key = run.scoring
    protocol = PROTOCOLS[PROTOCOLS.index(key.protocol)]
    job = write(
        submit_words, open_queue(), key.model, run.topic, run.prompts[0], protocol, key.dtype, key.frame
    )
    keep_a_worker()
    return job.id


def _draw_answer(job: Job) -> None:
    frame = job.payload.get("frame")
    name = framed_name(job.payload["model"], Frame.model_validate(frame) if frame else None)
    model, text = plain_titled(name), plain(job.payload["text"])
    with st.container(border=True):
        if job.error:
            st.error(f"**{model}:** {plain(job.error)}", icon=":material/error:")
        elif job.result is None:
            st.caption(f"**{model}**: {progress_text(job) or 'running'}")
        else:
            st.markdown(f"**{model}** · *{text}*")
            for sentence in _answer_sentences(job.result):
                st.caption(plain(sentence))


def _answer_sentences(answer: Mapping[str, Any]) -> list[str]:
    sentences = [tokens_note(word["tokens"] for word in answer["words"])]
    if answer["left_out"]:
        names = ", ".join(f"{item['word']} ({item['reason']})" for item in answer["left_out"])
        sentences.append(f"Left out: {names}.")
    if answer["coverage"]:
        largest = max(answer["coverage"].values())
        given = " given the text to their left" if answer.get("left_only") else ""
        sentences.append(
            f"The words together take {chance(largest)} of the probability in this sentence{given}."
        )
    return [*sentences, *answer.get("notes", ())]  # missing in earlier answers

"""The form of the page Run an audit, the estimate that follows it, and the check of the topic's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import streamlit as st

from pcf_core.app.caching import kept, open_queue, open_store
from pcf_core.app.choice import DEFAULT_MODELS, current_choice, draw_precision, take_usual
from pcf_core.app.links import select_called
from pcf_core.app.lists import (
    Usual,
    evidence_lists,
    fitting_first,
    heaviest_of,
    named,
    template_sets,
    topics,
    usual_lists,
)
from pcf_core.app.queue import any_active, follow_jobs, jobs_of, keep_a_worker
from pcf_core.app.roles import write
from pcf_core.app.widgets import plain, size_text
from pcf_core.audit.options import word_scoring
from pcf_core.audit.preferences import build_run
from pcf_core.audit.sampling import planned
from pcf_core.core.errors import RunError
from pcf_core.core.run import ModelSpec, Protocol, RunSpec
from pcf_core.core.topics import Evidence, TemplateSet, Topic
from pcf_core.measure.sampling import NARROWEST, WIDEST
from pcf_core.models.hub import is_cached
from pcf_core.models.names import (
    KnownModel,
    all_series,
    is_model_allowed,
    known_model,
    require_allowed,
    split_name,
)
from pcf_core.models.precision import AUTO, in_precision
from pcf_core.models.registry import list_models, resolve_to_score
from pcf_core.show.findings.notes import duration, other_lists_note, tokens_note
from pcf_core.show.findings.numbers import chance, count, listed
from pcf_core.work.estimate import RECENT_JOBS, Estimate, estimate, estimate_declared
from pcf_core.work.queue import Job
from pcf_core.work.requests import submit_words

SERIES = "score_series"
HEAVIEST = 20
INHERITED = "score_begins_with"  # what the form began with, by the keys of its fields
SCORED_PROTOCOLS: tuple[Protocol, ...] = ("exact", "exact-boundary")
CHECKS = "word_checks"
PROTOCOLS = get_args(Protocol)
CELLS = "A cell is one occupation in one sentence."


@dataclass(frozen=True)
class Request:
    """What the form asks for, by name."""

    models: tuple[str, ...]
    topic: str
    templates: str
    evidence: str
    protocol: Protocol
    within: float | None = None
    precision: str = AUTO
    heaviest: bool = False


@dataclass(frozen=True)
class First:
    """What the form begins with, by name; every name is one of its field's."""

    models: list[str]
    topic: str
    templates: str
    evidence: str

    @property
    def fields(self) -> dict[str, str | list[str]]:
        """The same by the keys of the fields."""
        return {
            "score_model": self.models,
            "score_topic": self.topic,
            "score_templates": self.templates,
            "score_evidence": self.evidence,
        }


def draw_request() -> Request:
    """Draw the form; every choice is in the URL."""
    _draw_series()
    here = [spec for spec in list_models() if spec.path and is_model_allowed(spec.name)]
    first = _inherit([spec.name for spec in here if spec.kind == "public"], [spec.name for spec in here])
    models = st.multiselect(
        "Models",
        [spec.name for spec in here],
        default=first.models,
        key="score_model",
        bind="query-params",
        accept_new_options=True,
        select_all=False,  # Enter behind a typed name takes that one, not all that are like it
        placeholder="Choose, or type a hub id or a folder",
        help="The form begins with the selection of the sidebar. Choose others, or type the id of a model on "
        "the hub such as openai-community/gpt2, a folder on the server with safetensors, or a GGUF file. The "
        "page Models says what each of them needs.",
    )
    topic = st.selectbox(
        "Topic",
        list(topics()),
        index=list(topics()).index(first.topic),
        key="score_topic",
        bind="query-params",
        on_change=take_usual,
        args=("score_",),
        help="The groups whose words are compared.",
    )
    chosen = topics()[topic]
    usual = usual_lists(chosen)
    if topic == first.topic:
        usual = Usual(first.templates, first.evidence)
    sets, lists = fitting_first(chosen), list(evidence_lists())
    templates = st.selectbox(
        "Templates",
        sets,
        index=sets.index(usual.templates),
        key="score_templates",
        bind="query-params",
        help="The sentences. Those that suit the topic come first.",
    )
    heaviest = st.toggle(
        f"Only the {HEAVIEST} heaviest",
        False,
        key="score_heaviest",
        bind="query-params",
        help=f"Scores the {HEAVIEST} sentences of the set that people write most often, which is quick. Open "
        "its result from the queue below.",
    )
    evidence = st.selectbox(
        "Occupations",
        lists,
        index=lists.index(usual.evidence),
        key="score_evidence",
        bind="query-params",
        help="The list that fills [X].",
    )
    protocol = select_called(
        "Word scoring",
        {one: word_scoring(one) for one in SCORED_PROTOCOLS},
        key="score_protocol",
        help="Whole words multiply the probabilities of their tokens. The papers' words of one token are a "
        "selection from these scores and cost nothing extra.",
    )
    precision = draw_precision("score_precision")
    within = st.number_input(
        "Stop at precision (±)",
        min_value=NARROWEST,
        max_value=WIDEST,
        value=None,
        step=0.005,
        format="%.3f",
        placeholder="Empty: score every template",
        key="score_within",
        bind="query-params",
        help="Draws templates at random, by their counts, until the 95 % intervals of R, prejudice and "
        "caprice are within ± this (0.005 is fine), instead of scoring all of them. A smaller value goes on "
        "from there.",
    )
    return Request(
        models=tuple(models),
        topic=topic,
        templates=templates,
        evidence=evidence,
        protocol=protocol,
        within=within,
        precision=precision,
        heaviest=heaviest,
    )


def _inherit(public: Sequence[str], scored: Sequence[str]) -> First:
    """Let the form begin with the selection of the sidebar, and follow it until somebody chooses otherwise.

    ``public``, ``scored``: names of the models whose weights are on this machine, which alone can be scored.
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
    """Draw what chooses all checkpoints of a declared series at once."""
    titles = {series.title: series for series in all_series()}
    if titles:
        st.selectbox(
            "A whole series",
            list(titles),
            index=None,
            key=SERIES,
            placeholder="base and aligned, every size",
            on_change=_take_series,
            help="Chooses the base and aligned checkpoints of every size below; take out those that are too "
            "large. The page Compare lays them along their size.",
        )


def _take_series() -> None:
    """Choose every checkpoint of a series that may be asked; the box is free for another one then."""
    state = st.session_state
    series = next((one for one in all_series() if one.title == state[SERIES]), None)
    if series is not None:
        state["score_model"] = [name for name in series.models if is_model_allowed(name)]
        state[SERIES] = None


def declared_model(model: str) -> KnownModel | None:
    """Return what is declared of a model of the registry whose files are not here; nobody is asked."""
    listed = known_model(split_name(model).model)
    return None if listed is None or is_cached(model) else listed


def declared_run(request: Request, model: str, listed: KnownModel) -> RunSpec:
    """Return the run that the form means for a model that is not here, to count its cells by.

    Its key is not that of the run that will be scored: the hub tells the revision when it is queued.
    """
    require_allowed(model)
    lists = _lists_of(request)
    spec = ModelSpec(
        name=model, family=listed.family, path="", identity="", tokenizer="", parameters=listed.parameters,
        context=listed.context,
    )  # fmt: skip
    run = build_run(in_precision(spec, request.precision), *lists, request.protocol)
    return run if request.within is None else planned(run, request.within)


def _lists_of(request: Request) -> tuple[Topic, Evidence, TemplateSet]:
    """Return topic, list and templates of the form; of the templates the heaviest if only they are asked."""
    topic, evidence, templates = named(request.topic, request.evidence, request.templates)
    if request.heaviest and len(templates.templates) > HEAVIEST:
        templates = heaviest_of(templates.name, HEAVIEST)
    return topic, evidence, templates


def requested_runs(request: Request, model: str) -> RunSpec:
    """Return the run the form means for one model."""
    spec = in_precision(resolve_to_score(model), request.precision)
    run = build_run(spec, *_lists_of(request), request.protocol)
    return run if request.within is None else planned(run, request.within)


@kept(slots=64)
def _cached_estimate(run: RunSpec, shards: Sequence[str], finished: Sequence[int]) -> Estimate:
    return estimate(run, open_store(), open_queue())


def draw_estimates(
    runs: Sequence[RunSpec], unfetched: Sequence[tuple[RunSpec, KnownModel]]
) -> dict[str, int]:
    """Draw cells, time, memory and disk before anything is queued, a line a model and their sum.

    ``unfetched``: runs of models that are not here, with what is declared of them.  Return the number of
    cells that a run lacks, by its key, but for those whose sampling plan may end earlier.
    """
    missing: dict[str, int] = {}
    finished = [job.id for job in open_queue().list(RECENT_JOBS) if job.state == "done"]
    estimates: list[Estimate] = []
    for run in runs:
        estimate = _cached_estimate(run, open_store().shards(run.scoring), finished)
        if not estimate.at_most:
            missing[run.key] = estimate.missing
        estimates.append(estimate)
    estimates += [estimate_declared(run, model.parameters, open_queue()) for run, model in unfetched]
    if len(estimates) > 1:
        _draw_sum(estimates)
    for run, estimate in zip([*runs, *(run for run, _ in unfetched)], estimates, strict=True):
        _draw_estimate(run, estimate)
    if unfetched:
        st.caption(
            f"By what is declared of them, since their files are not here: "
            f"{plain(listed([run.scoring.model for run, _ in unfetched]))}. They are fetched when they are "
            "scored; the page Models says what each needs."
        )
    return missing


def _draw_sum(estimates: Sequence[Estimate]) -> None:
    """Draw what all models of a request cost together; they are scored one after another."""
    left = [estimate for estimate in estimates if estimate.missing]
    if not left:
        return
    seconds = [estimate.seconds for estimate in left if estimate.seconds is not None]
    unknown = [estimate.basis for estimate in left if estimate.seconds is None]
    all_of_them = Estimate(
        missing=sum(estimate.missing for estimate in left),
        seconds=None if unknown else sum(seconds),
        memory_bytes=max(estimate.memory_bytes for estimate in left),
        disk_bytes=sum(estimate.disk_bytes for estimate in left),
        basis=unknown[0] if unknown else "The sum over the models, which are scored one after another.",
        at_most=any(estimate.at_most for estimate in left),
        guessed=any(estimate.guessed for estimate in left),
    )
    st.markdown(f"**In all** · {_cost_text(all_of_them)}", help=f"{CELLS} {all_of_them.basis}")


def _draw_estimate(run: RunSpec, estimate: Estimate) -> None:
    model = f"**{plain(run.scoring.model)}** · {run.scoring.dtype}"
    st.markdown(
        f"{model} · {_cost_text(estimate)}", help=f"{CELLS} {estimate.basis}" if estimate.missing else None
    )


def _cost_text(estimate: Estimate) -> str:
    """Say what a request costs: "2,400 cells · about 26 s · 40 MB memory · 1 MB disk"."""
    if not estimate.missing:
        return "scored already"
    most = "at most " if estimate.at_most else ""
    parts = [f"{most}{count(estimate.missing, 'cell')}", _time_text(estimate)]
    parts += [f"{size_text(estimate.memory_bytes)} memory", f"{size_text(estimate.disk_bytes)} disk"]
    return " · ".join(parts)


def _time_text(estimate: Estimate) -> str:
    if estimate.seconds is None:
        return "time unknown"
    how = "roughly" if estimate.guessed else "at most" if estimate.at_most else "about"
    return f"{how} {duration(estimate.seconds)}"


def draw_heaviest_note(request: Request, run: RunSpec) -> None:
    """Say where *Only the heaviest* changes nothing, because the set has no more sentences than that."""
    if request.heaviest and len(run.templates.templates) < HEAVIEST:
        number = count(len(run.templates.templates), "sentence")
        st.caption(f"*Only the {HEAVIEST} heaviest* leaves out nothing: this set has {number}.")


def draw_other_lists(runs: Sequence[RunSpec]) -> None:
    """Say which runs have other counts or weights under their keys than those that are asked for now."""
    for run in runs:
        try:
            note = other_lists_note(run, open_store().as_stored(run), "score")
        except RunError as error:
            st.error(plain(str(error)), icon=":material/error:")
        else:
            if note:
                st.caption(f":material/balance: {plain(note)}")


def draw_word_check(runs: Sequence[RunSpec]) -> None:
    """Draw a button that asks the worker, and the answers.

    A worker that is busy answers between two batches.
    """
    if st.button(
        "Check the words",
        key="check_words",
        icon=":material/spellcheck:",
        help="Scores one sentence of the run: words the model cannot express, tokens per word, coverage.",
    ):
        st.session_state[CHECKS] = {run.key: _ask(run) for run in runs}
    checks: dict[str, int] = st.session_state.get(CHECKS, {})
    jobs = [checks[run.key] for run in runs if run.key in checks]
    if jobs:
        follow_jobs(lambda: jobs_of(jobs), _draw_answer, any_active, busy=any_active(jobs_of(jobs)))


def _ask(run: RunSpec) -> int:
    """Queue the first sentence of a run, ahead of all runs; return the job's id."""
    key = run.scoring
    protocol = PROTOCOLS[PROTOCOLS.index(key.protocol)]
    job = write(submit_words, open_queue(), key.model, run.topic, run.prompts[0], protocol, key.dtype)
    keep_a_worker()
    return job.id


def _draw_answer(job: Job) -> None:
    model, text = plain(job.payload["model"]), plain(job.payload["text"])
    with st.container(border=True):
        if job.error:
            st.error(f"**{model}:** {plain(job.error)}", icon=":material/error:")
        elif job.result is None:
            st.caption(f"**{model}**: asking the worker …")
        else:
            st.markdown(f"**{model}** · *{text}*")
            for sentence in _answer_sentences(job.result):
                st.caption(plain(sentence))


def _answer_sentences(answer: Mapping[str, Any]) -> list[str]:
    """Say what a word check found."""
    sentences = [tokens_note(word["tokens"] for word in answer["words"])]
    if answer["left_out"]:
        names = ", ".join(f"{item['word']} ({item['reason']})" for item in answer["left_out"])
        sentences.append(f"Left out: {names}.")
    if answer["coverage"]:
        largest = max(answer["coverage"].values())
        sentences.append(f"The words together take {chance(largest)} of the probability in this sentence.")
    return [*sentences, *answer.get("notes", ())]  # answers of before have none

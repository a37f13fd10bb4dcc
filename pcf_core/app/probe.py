"""The page Try a sentence: the sentence, the question to each model, and the answers as tables.

The worker answers.  The page first waits within the script, then looks every half second.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from pcf_core.app.addresses import HEAT_MAP, SENTENCE, Choice, as_prompt, as_typed
from pcf_core.app.caching import open_queue
from pcf_core.app.data import asked_run, finished
from pcf_core.app.links import draw_link
from pcf_core.app.lists import all_evidence, all_topics, template_sets
from pcf_core.app.page import DATA, PROVENANCE, READING, draw_commands, draw_table, draw_tabs
from pcf_core.app.queue import ACTIVE, BY_HAND, KINDS, STARTING_SECONDS, keep_a_worker, recent_jobs, retry
from pcf_core.app.roles import write
from pcf_core.app.widgets import draw_facts, plain, plain_titled
from pcf_core.audit.fitting import TokenShares
from pcf_core.audit.options import word_scoring
from pcf_core.audit.preferences import aggregated
from pcf_core.core.errors import AuditError, RunError, TopicError
from pcf_core.core.probe import ProbeAnswer
from pcf_core.core.risk import Aggregation
from pcf_core.core.run import ModelSpec, model_label
from pcf_core.core.settings import settings
from pcf_core.core.topics import Evidence, Topic
from pcf_core.models.names import in_precision
from pcf_core.models.public import absent_among
from pcf_core.models.registry import resolve
from pcf_core.show.findings.notes import left_out_note, tokens_note, tokens_sentence
from pcf_core.show.findings.numbers import listed, percent
from pcf_core.show.findings.probe import probe_coverage
from pcf_core.work.queue import Job, Queue
from pcf_core.work.requests import (
    EXAMPLE,
    LONGEST,
    WAITED_FOR,
    ProbeRequest,
    Question,
    make_probe,
    newest_answer,
    submit_question,
)

ASKED = "probes_asked"  # session key: monotonic deadline of each question, by its key
QUICK = 1.0  # seconds that the script waits; an open model usually answers sooner
LOOK = 0.01
PATIENCE = 60.0  # seconds until a worker must have begun
RECENT = 20
MOST_MODELS = 8  # as many as have different colours and marks
TELLING = ("nurse", "engineer")  # preferred in examples
THREE_DIGITS = "%.3g"
COLUMNS = {
    "share": st.column_config.NumberColumn(
        "share",
        format=THREE_DIGITS,
        help="The part of the word in the probability of all words of the topic.",
    ),
    "probability": st.column_config.NumberColumn(
        "probability", format=THREE_DIGITS, help="At the dots, among everything that the model could write."
    ),
    "log_probability": st.column_config.NumberColumn(
        "log probability", format="%.2f", help="Its natural logarithm, in nats."
    ),
    "tokens": st.column_config.NumberColumn(
        "tokens", help="Number of pieces in which the model writes the word."
    ),
}


def ask(requests: Mapping[str, Question]) -> dict[str, Job]:
    """Return the job of each question by model; queue new ones, and cancel those no longer needed."""
    queue = open_queue()
    before: dict[str, float] = st.session_state.get(ASKED, {})
    wanted = {request.key for request in requests.values()}
    st.session_state[ASKED] = waiting = {key: until for key, until in before.items() if key in wanted}
    _take_back(queue, [key for key in before if key not in wanted])
    jobs = {}
    for model, request in requests.items():
        job = newest_answer(queue, request)
        waited = time.monotonic() >= waiting.get(request.key, float("inf"))
        if job is None or (job.state == "cancelled" and not waited):  # perhaps by another session
            job = write(submit_question, queue, request)
        if job.state in ACTIVE:
            waiting.setdefault(request.key, time.monotonic() + PATIENCE)
        elif job.state != "cancelled":
            waiting.pop(request.key, None)  # a new question gets the full time
        jobs[model] = job
    if any(job.state in ACTIVE for job in jobs.values()):
        keep_a_worker()
        jobs = _wait_shortly(queue, jobs)
    return jobs


def _take_back(queue: Queue, keys: list[str]) -> None:
    """Cancel the questions with these keys that still wait; another session that needs one asks again."""
    for kind in WAITED_FOR:
        for key in keys:
            job = queue.newest(kind, key)
            if job is not None and job.state == "queued":
                write(queue.cancel, job.id)


def _wait_shortly(queue: Queue, jobs: Mapping[str, Job]) -> dict[str, Job]:
    """Return the jobs once all are answered, or after a second."""
    deadline = time.monotonic() + (QUICK if queue.workers() else 0.0)
    current = dict(jobs)
    while any(job.state in ACTIVE for job in current.values()) and time.monotonic() < deadline:
        time.sleep(LOOK)
        current = {model: queue.get(job.id) if job.state in ACTIVE else job for model, job in current.items()}
    return current


def follow(jobs: Mapping[str, Job]) -> None:
    """Say what the page waits for; draw it again once a job has ended or waited too long."""
    active = {model: job for model, job in jobs.items() if job.state in ACTIVE}
    if not active:
        return

    @st.fragment(run_every="0.5s")
    def watch() -> None:
        keep_a_worker()
        queue = open_queue()
        try:
            current = {model: queue.get(job.id) for model, job in active.items()}
        except RunError:  # dropped after 250 other questions
            st.rerun()
        if any(job.state not in ACTIVE for job in current.values()):
            st.rerun()
        until = st.session_state.get(ASKED, {})
        if any(job.state == "running" for job in current.values()):  # the others wait for this page's own
            until.update(
                {job.key: time.monotonic() + PATIENCE for job in current.values() if job.state == "queued"}
            )
        late = [
            job
            for job in current.values()
            if job.state == "queued" and time.monotonic() >= until.get(job.key, float("inf"))
        ]
        if late:
            _take_back(queue, [job.key for job in late])
            st.rerun()
        st.info(_waiting_sentence(queue, current), icon=":material/hourglass_top:")

    watch()


def _waiting_sentence(queue: Queue, jobs: Mapping[str, Job]) -> str:
    """Say which model is starting, and which ones follow it, as they answer one after another."""
    if not queue.workers():
        return (
            f"**{plain_titled(listed(list(jobs)))}** · No worker is running: {BY_HAND}. The answer then "
            "appears without reloading the page."
        )
    running = [model for model, job in jobs.items() if job.state == "running"]
    if not running and any(job.state == "running" for job in recent_jobs(KINDS, RECENT)):
        waiting = plain_titled(listed(list(jobs)))
        return (
            f"**{waiting}**: waiting for another request. Its work is interrupted for this one after its "
            "present batch."
        )
    first = running or [min(jobs, key=lambda model: jobs[model].id)]
    then = [model for model in jobs if model not in first]
    name = f"**{plain_titled(listed(first))}**"
    return " ".join(
        [
            f"{name} is starting or answering. This takes seconds, or minutes if the model is large."
            if running
            else f"Starting {name} (about {STARTING_SECONDS} seconds).",
            f"{plain_titled(listed(then))} {'answers' if len(then) == 1 else 'answer'} next." if then else "",
        ]
    ).strip()


def can_be_answered(requests: Mapping[str, Question]) -> bool:
    """Return whether a model is here to be asked, and a worker that can ask it."""
    return bool(requests) and (settings().start_worker or bool(open_queue().workers()))


def draw_saved(choice: Choice) -> None:
    """Link to an example among the saved results of the chosen models, if there are some."""
    for model, precision in choice.asked:
        with suppress(AuditError):
            run = asked_run(choice, model, precision)
            if finished(run):
                address = {**choice.parameters, "occupation": example_terms(run.evidence)[0]}
                label = "Meanwhile, open a saved sentence of the same models"
                draw_link(HEAT_MAP, label, address, ":material/grid_on:")
                return


def draw_ended_early(jobs: Mapping[str, Job]) -> None:
    """Draw why models have no answer, with buttons that ask again: one for all that were late."""
    for model, job in jobs.items():
        if job.state == "failed":
            st.error(f"**{plain_titled(model)}:** {plain(job.error or '')}", icon=":material/error:")
            if st.button("Run again", key=f"again_{job.id}", icon=":material/refresh:"):
                retry(job)
    late = [model for model, job in jobs.items() if job.state == "cancelled"]
    if late:
        names = plain_titled(listed(late))
        st.error(f"**{names}:** {_late_sentence(open_queue())}", icon=":material/timer_off:")
        if st.button("Run again", key="again", icon=":material/refresh:"):
            del st.session_state[ASKED]
            st.rerun()


def _late_sentence(queue: Queue) -> str:
    within = f"within {PATIENCE:.0f} seconds"
    if not queue.workers():
        started = "the one that was started has ended" if settings().start_worker else "this app starts none"
        return f"No worker is running ({started}), so nobody answered {within}: {BY_HAND}, then run it again."
    return (
        f"There was no answer {within}: another request is running, or others came first. "
        "Run it again later, or cancel the run on the page 'Run an audit'."
    )


@dataclass(frozen=True)
class ProbeChoices:
    """Probes and specifications by model, and why others cannot be asked; ``absent``: without weights."""

    requests: Mapping[str, ProbeRequest]
    specs: Mapping[str, ModelSpec]
    refused: Mapping[str, str]
    absent: Sequence[str] = ()


def draw_sentence(choice: Choice) -> str:
    """Draw the field and examples that suit the sidebar's templates; return the sentence with [Y]."""
    typed = st.text_input(
        "Sentence",
        as_typed(EXAMPLE),
        key=SENTENCE,
        bind="query-params",
        help=f"Any sentence with one … (or three dots, or [Y]) where the topic's words go, at most {LONGEST} "
        "characters. The text after the dots counts too. Press Enter.",
    )
    with st.container(horizontal=True):
        for index, example in enumerate(examples(choice)):
            st.button(
                plain(as_typed(example)),
                key=f"example_{index}",
                on_click=_write_sentence,
                args=(as_typed(example),),
            )
    return as_prompt(typed)


def _write_sentence(text: str) -> None:
    st.session_state[SENTENCE] = text


def examples(choice: Choice) -> list[str]:
    """Make three example sentences from the sidebar's templates and occupations."""
    evidence = all_evidence().get(choice.evidence)
    try:
        sets = template_sets().get(choice.templates)
    except AuditError:  # a damaged set: the pages that need it say so
        sets = None
    if evidence is None or sets is None:
        return []
    one, two = example_terms(evidence)
    sentences = [sets.templates[0].prompt(one), sets.templates[0].prompt(two)]
    sentences += [template.prompt(one) for template in sets.templates[1:2]]
    return [sentence for sentence in dict.fromkeys(sentences) if len(sentence) <= LONGEST]


def example_terms(evidence: Evidence) -> tuple[str, str]:
    """Return two occupations of a list for examples."""
    terms = evidence.terms
    one, two = TELLING
    return (one, two) if {one, two} <= set(terms) else (terms[0], terms[len(terms) // 2])


def what_to_ask(choice: Choice, sentence: str) -> ProbeChoices:
    """Return a probe for every chosen model that is here."""
    topic = all_topics().get(choice.topic)
    if topic is None:
        raise TopicError(f"There is no topic named {choice.topic!r}; choose another in the sidebar.")
    requests, specs, refused = {}, {}, {}
    absent = absent_among(choice.models)
    models = [(model, precision) for model, precision in choice.asked if model not in absent]
    for model, precision in models[:MOST_MODELS]:
        try:
            spec = in_precision(resolve(model), precision)
            label = model_label(model, spec.dtype)
            requests[label] = make_probe(spec, topic, sentence, choice.options.protocol)
            specs[label] = spec
        except AuditError as error:
            refused[model] = str(error)
    return ProbeChoices(requests, specs, refused, absent)


def read_answer(document: Mapping[str, object], topic: Topic, aggregation: Aggregation) -> ProbeAnswer:
    """Return an answer with a group's words aggregated as the sidebar says."""
    answer = ProbeAnswer.of(document)
    if len(answer.known) < len(answer.preferences):
        return answer
    topic = topic.answers
    sums = np.array([answer.known[group] for group in topic.group_names])
    shares = aggregated(sums, topic, [word.word for word in answer.words], aggregation)
    return answer.model_copy(
        update={"preferences": dict(zip(topic.group_names, shares.tolist(), strict=True))}
    )


def unequal_words(answers: Mapping[str, ProbeAnswer], probes: ProbeChoices) -> str:
    """Say which group's words have more tokens, weighted by probability; empty if none."""
    families = {name: probes.specs[name].family for name in answers}
    return tokens_sentence({name: token_shares(answer) for name, answer in answers.items()}, families)


def token_shares(answer: ProbeAnswer) -> TokenShares | None:
    """Return each group's probability by number of tokens; ``None`` if a group has no probability."""
    shares, by_group = answer.shares, dict[str, dict[int, float]]()
    for word in answer.words:
        sums = by_group.setdefault(word.group, {})
        sums[word.tokens] = sums.get(word.tokens, 0.0) + shares.get(word.word, 0.0)
    if not all(sum(sums.values()) > 0 for sums in by_group.values()):
        return None
    return {
        group: {number: share / sum(sums.values()) for number, share in sums.items()}
        for group, sums in by_group.items()
    }


def draw_notes(answers: Mapping[str, ProbeAnswer]) -> None:
    """Draw coverage, tokens and words left out, once for models with the same notes."""
    notes_by_model: dict[str, list[str]] = {}
    for model, answer in answers.items():
        lines = (
            probe_coverage(answer),
            tokens_note(word.tokens for word in answer.words),
            left_out_note(answer.left_out),
            *answer.notes,
        )
        notes_by_model.setdefault(" ".join(line for line in lines if line), []).append(model)
    for text, models in notes_by_model.items():
        st.caption(f"**{plain_titled(', '.join(models))}** · {plain(text)}")


def words_table(answers: Mapping[str, ProbeAnswer]) -> pd.DataFrame:
    """Make a table with one row per model and word, each model's most probable first."""
    rows = []
    for model, answer in answers.items():
        shares = answer.shares
        for word in sorted(answer.words, key=lambda word: -word.probability):
            rows.append(
                {
                    "model": model,
                    "group": word.group,
                    "word": word.word,
                    "share": shares.get(word.word),
                    "probability": word.probability,
                    "log_probability": word.log_probability,
                    "tokens": word.tokens,
                }
            )
    return pd.DataFrame(rows)


def draw_foot(how_to_read: str, answers: Mapping[str, ProbeAnswer], probes: ProbeChoices) -> None:
    """Draw how to read the picture, its data, method and provenance."""

    def draw_models() -> None:
        for model in answers:
            draw_provenance(probes.requests[model], probes.specs[model])

    data = partial(draw_table, words_table(answers), "sentence", COLUMNS)
    draw_tabs("sentence", {READING: how_to_read, DATA: data, PROVENANCE: draw_models})


def draw_provenance(request: ProbeRequest, spec: ModelSpec) -> None:
    """Draw a model's identity, and the command that repeats its answer."""
    st.markdown(f"**{plain(model_label(request.model, request.dtype))}**")
    facts = {
        "weights and configuration (SHA-256, or revision)": spec.identity,
        "tokenizer": spec.tokenizer,
        "family": spec.family,
        "precision": request.dtype,
        "word scoring": word_scoring(request.protocol),
        "even split": percent(1 / len(request.topic.answers.groups)),
    }
    draw_facts(facts)
    draw_commands(command(request))


def command(request: ProbeRequest) -> str:
    """Write the command that gives the same answer, with sums over a group's words."""
    options = {
        "model": request.model,
        "topic": request.topic.name,
        "text": request.text,
        "protocol": request.protocol,
        "dtype": request.dtype,
    }
    written = " ".join(f"--{name} {shlex.quote(value)}" for name, value in options.items())
    return f"python -m pcf_core words {written} --json"

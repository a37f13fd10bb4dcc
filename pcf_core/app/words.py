"""The word check of Run an audit: what a model's tokenizer makes of the topic's words, before a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import streamlit as st

from pcf_core.app.queue import keep_a_worker
from pcf_core.app.roles import write
from pcf_core.app.stores import open_queue
from pcf_core.app.text import plain
from pcf_core.core.run import Protocol, RunSpec
from pcf_core.show.findings.notes import tokens_note
from pcf_core.show.findings.numbers import chance
from pcf_core.work.queue import Job
from pcf_core.work.requests import submit_words

CHECKS = "word_checks"
PROTOCOLS = get_args(Protocol)


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
        st.session_state[CHECKS] = {run.key: ask(run) for run in runs}
    asked: dict[str, int] = st.session_state.get(CHECKS, {})
    jobs = [asked[run.key] for run in runs if run.key in asked]
    if jobs:
        waiting = any(open_queue().get(job).state in ("queued", "running") for job in jobs)

        @st.fragment(run_every="1s" if waiting else None)
        def watch() -> None:
            if waiting:
                keep_a_worker()
            current = [open_queue().get(job) for job in jobs]
            for job in current:
                draw_answer(job)
            if waiting and not any(job.state in ("queued", "running") for job in current):
                st.rerun()

        watch()


def ask(run: RunSpec) -> int:
    """Queue the first sentence of a run, ahead of all runs; return the job's id."""
    key = run.scoring
    protocol = PROTOCOLS[PROTOCOLS.index(key.protocol)]
    job = write(submit_words, open_queue(), key.model, run.topic, run.prompts[0], protocol, key.dtype)
    keep_a_worker()
    return job.id


def draw_answer(job: Job) -> None:
    """Draw the answer of one word check, or what went wrong."""
    model, text = plain(job.payload["model"]), plain(job.payload["text"])
    with st.container(border=True):
        if job.error:
            st.error(f"**{model}:** {plain(job.error)}", icon=":material/error:")
        elif job.result is None:
            st.caption(f"**{model}**: asking the worker …")
        else:
            st.markdown(f"**{model}** · *{text}*")
            for sentence in answer_sentences(job.result):
                st.caption(plain(sentence))


def answer_sentences(answer: Mapping[str, Any]) -> list[str]:
    """Say what a word check found."""
    sentences = [tokens_note(word["tokens"] for word in answer["words"])]
    if answer["left_out"]:
        names = ", ".join(f"{item['word']} ({item['reason']})" for item in answer["left_out"])
        sentences.append(f"Left out: {names}.")
    if answer["coverage"]:
        largest = max(answer["coverage"].values())
        sentences.append(f"The words together take {chance(largest)} of the probability in this sentence.")
    return [*sentences, *answer.get("notes", ())]  # answers of before have none

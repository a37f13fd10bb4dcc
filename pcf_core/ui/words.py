"""The word check of the page Score: what a model's tokenizer makes of the topic's words, before a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import streamlit as st

from pcf_core.findings import number, tokens_note
from pcf_core.jobs import Job, submit_words
from pcf_core.records import Protocol, RunSpec
from pcf_core.ui.queue import keep_a_worker
from pcf_core.ui.roles import write
from pcf_core.ui.stores import open_queue
from pcf_core.ui.text import plain

CHECKS = "word_checks"
PROTOCOLS = get_args(Protocol)


def draw_word_check(runs: Sequence[RunSpec]) -> None:
    """A button that asks the worker, and the answers; a worker that is busy answers between two batches."""
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
    """What a word check found, in sentences."""
    sentences = [tokens_note(word["tokens"] for word in answer["words"])]
    if answer["left_out"]:
        names = ", ".join(f"{item['word']} ({item['reason']})" for item in answer["left_out"])
        sentences.append(f"Left out: {names}.")
    if answer["coverage"]:
        largest = max(answer["coverage"].values())
        sentences.append(f"The words together take {number(largest)} of the probability in this sentence.")
    return sentences

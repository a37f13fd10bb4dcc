"""A topic's words held against the sidebar's models: the worker answers, the page says what stands out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd
import streamlit as st

from pcf_core.app.choice import current_choice
from pcf_core.app.lists import evidence_lists, template_sets
from pcf_core.app.page import draw_table, finding
from pcf_core.app.probe import MOST_MODELS
from pcf_core.app.probe_waiting import ask, draw_ended_early, follow
from pcf_core.app.text import plain
from pcf_core.app.topics import draw_set_choice, evidence_name
from pcf_core.audit.preferences import select_words
from pcf_core.core.errors import AuditError
from pcf_core.core.probe import TopicCheck
from pcf_core.core.run import model_label
from pcf_core.core.topics import Topic
from pcf_core.material.suiting import probe_prompts, word_forms
from pcf_core.models.precision import in_precision
from pcf_core.models.registry import resolve
from pcf_core.show.findings.notes import tokens_note, words_with
from pcf_core.show.findings.topics import (
    forms_note,
    low_probes_caution,
    probes_finding,
    same_tokens_cautions,
    words_finding,
)
from pcf_core.work.requests import CheckRequest, make_check

HOW = """
*Words* names for each model how many tokens it writes a word in, and what it cannot score. Words of the *same
tokens* are one word to the model: it counts once in a group, and for none where it stands in several. *left
out by single-token* is what the papers' protocol would not count, with counterparts where words are aligned.
*Probes* are the set's ten heaviest templates, each with another occupation: coverage is what the topic's
words together get of the probability there. Where it is tiny, the words do not suit the sentences, or the
model was never taught them.
"""
SINGLE = "left out by single-token"


def draw_check(topic: Topic) -> None:
    """Ask every chosen model, and show what came."""
    choice = current_choice()
    texts = probe_prompts(template_sets()[draw_set_choice(topic)], evidence_lists()[evidence_name(topic)])
    notes = st.container()
    if topic.language.partition("-")[0].lower() == "en" and (forms := forms_note(word_forms(topic.words))):
        st.info(plain(forms), icon=":material/spellcheck:")
    if not choice.models:
        st.info("Choose one or more models in the sidebar to ask them.", icon=":material/arrow_back:")
        return
    requests = what_to_ask(choice.asked[:MOST_MODELS], topic, texts)
    if len(choice.asked) > MOST_MODELS:
        st.info(f"The first {MOST_MODELS} models of the sidebar are asked.", icon=":material/info:")
    jobs = ask(requests)
    checks = {
        model: TopicCheck.model_validate(job.result)
        for model, job in jobs.items()
        if job.state == "done" and job.result is not None
    }
    with notes:
        for model, check in checks.items():
            draw_findings(model, topic, check)
    draw_ended_early(jobs)
    follow(jobs)
    if checks:
        draw_tables(topic, checks)


def what_to_ask(
    asked: Iterable[tuple[str, str]], topic: Topic, texts: tuple[str, ...]
) -> dict[str, CheckRequest]:
    """Return a question for every model and precision at hand; say at once why another cannot be asked."""
    requests = {}
    for model, precision in asked:
        try:
            spec = in_precision(resolve(model), precision)
            requests[model_label(model, spec.dtype)] = make_check(spec, topic, texts)
        except AuditError as error:
            st.error(f"**{plain(model)}:** {plain(str(error))}", icon=":material/error:")
    return requests


def draw_findings(model: str, topic: Topic, check: TopicCheck) -> None:
    """Draw what one model makes of the words, and what to mend."""
    _, left_out = select_words(topic, check.table, "exact")
    _, single_left_out = select_words(topic, check.table, "single-token")
    finding(words_finding(model, topic, check, left_out, single_left_out), probes_finding(model, check))
    for caution in (*same_tokens_cautions(model, topic, check), low_probes_caution(model, check)):
        if caution:
            st.warning(plain(caution), icon=":material/warning:")


def draw_tables(topic: Topic, checks: Mapping[str, TopicCheck]) -> None:
    """Draw words and sentences, each with its downloads, and how to read them."""
    words, sentences, how = st.tabs(["Words", "Sentences", "Reading the table"])
    with words:
        for model, check in checks.items():
            st.caption(f"**{plain(model)}** · {plain(tokens_note(check.tokens.values()))}")
        draw_table(words_table(topic, checks).dropna(axis="columns", how="all"), f"{topic.name}_words")
    with sentences:
        draw_table(probes_table(checks), f"{topic.name}_sentences")
    how.markdown(HOW)


def words_table(topic: Topic, checks: Mapping[str, TopicCheck]) -> pd.DataFrame:
    """Make a table with one row per model and word, in the topic's order.

    A column is empty where there is nothing to say.
    """
    rows = []
    for model, check in checks.items():
        _, left_out = select_words(topic, check.table, "single-token")
        reasons = {item.name: item.reason for item in left_out}
        same = {word: " = ".join(words) for words in check.same for word in words}
        rows += [
            {
                "model": model,
                "group": group.name,
                "word": word,
                "tokens": check.tokens.get(word),
                "cannot be scored": check.refused.get(word),
                "same tokens": same.get(word),
                SINGLE: reasons.get(word),
            }
            for group in topic.groups
            for word in group.words
        ]
    return pd.DataFrame(rows).astype({"tokens": "Int64"})


def probes_table(checks: Mapping[str, TopicCheck]) -> pd.DataFrame:
    """Make a table with one row per model and probe with the coverage of each kind of words."""
    rows = []
    for model, check in checks.items():
        for text, shares in zip(check.texts, check.coverage, strict=True):
            covered = {
                f"coverage, {words_with(key).removesuffix(': ') or 'all words'}": share
                for key, share in (shares or {}).items()
            }
            rows.append({"model": model, "sentence": text, **covered})
    return pd.DataFrame(rows)

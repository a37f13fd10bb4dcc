"""The page Try a sentence: the sentence, what is asked of which model, and the answers as tables."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from pcf_core.app.facts import draw_facts
from pcf_core.app.lists import template_sets
from pcf_core.app.page import FOOT, draw_commands, draw_table
from pcf_core.app.selection import Choice
from pcf_core.app.text import plain
from pcf_core.app.versions import all_evidence, all_topics
from pcf_core.audit.preferences import aggregated
from pcf_core.audit.token_shares import TokenShares
from pcf_core.core.errors import AuditError, TopicError
from pcf_core.core.probe import ProbeAnswer
from pcf_core.core.risk import Aggregation
from pcf_core.core.run import ModelSpec, model_label
from pcf_core.core.topics import Topic
from pcf_core.models.precision import in_precision
from pcf_core.models.public import absent_among
from pcf_core.models.registry import resolve
from pcf_core.show.findings.notes import left_out_note, tokens_note, tokens_sentence
from pcf_core.show.findings.numbers import percent
from pcf_core.show.findings.probe import probe_coverage
from pcf_core.work.requests import EXAMPLE, LONGEST, ProbeRequest, make_probe

SENTENCE = "sentence"
MOST_MODELS = 8  # as many as differ in colour and mark
TELLING = ("nurse", "engineer")  # of whom an example speaks where the list has them
THREE_DIGITS = "%.3g"
COLUMNS = {
    "share": st.column_config.NumberColumn(
        "share", format=THREE_DIGITS, help="What the word brings to its group; all words together make 1."
    ),
    "probability": st.column_config.NumberColumn(
        "probability", format=THREE_DIGITS, help="At [Y], over the model's whole vocabulary."
    ),
    "log_probability": st.column_config.NumberColumn(
        "log probability", format="%.2f", help="Its natural logarithm, in nats."
    ),
    "tokens": st.column_config.NumberColumn("tokens", help="Pieces that the model writes the word in."),
}


@dataclass(frozen=True)
class Asked:
    """What can be asked: a probe and the model's specification by model, and why others cannot be asked.

    ``absent``: public models whose weights are not here.
    """

    requests: Mapping[str, ProbeRequest]
    specs: Mapping[str, ModelSpec]
    refused: Mapping[str, str]
    absent: Sequence[str] = ()


def draw_sentence(choice: Choice) -> str:
    """Draw the field, and examples that suit the sidebar's templates as buttons.

    Return the sentence as it was typed.
    """
    typed = st.text_input(
        "Sentence",
        EXAMPLE,
        key=SENTENCE,
        bind="query-params",
        help=f"Any sentence with one [Y] where the topic's words go, at most {LONGEST} characters. "
        "Text to the right of [Y] counts. Press Enter to ask.",
    )
    with st.container(horizontal=True):
        for place, example in enumerate(examples(choice)):
            st.button(
                plain(example),
                key=f"example_{place}",
                on_click=write_sentence,
                args=(example,),
            )
    return typed


def write_sentence(text: str) -> None:
    """Write a sentence into the field."""
    st.session_state[SENTENCE] = text


def examples(choice: Choice) -> list[str]:
    """Make three sentences of the sidebar's templates and occupations: two people, then another context."""
    evidence = all_evidence().get(choice.evidence)
    try:
        found = template_sets().get(choice.templates)
    except AuditError:  # a damaged set: the pages that need it say so
        found = None
    if evidence is None or found is None:
        return []
    terms = evidence.terms
    known = [term for term in TELLING if term in terms]
    one, two = known if len(known) == len(TELLING) else (terms[0], terms[len(terms) // 2])
    sentences = [found.templates[0].prompt(one), found.templates[0].prompt(two)]
    sentences += [template.prompt(one) for template in found.templates[1:2]]
    return [sentence for sentence in dict.fromkeys(sentences) if len(sentence) <= LONGEST]


def what_to_ask(choice: Choice, sentence: str) -> Asked:
    """Return a probe for every chosen model that is at hand.

    Raises
    ------
    TopicError
        The topic is not there (any more).
    """
    topic = all_topics().get(choice.topic)
    if topic is None:
        raise TopicError(f"There is no topic named {choice.topic!r}; choose another in the sidebar.")
    requests, specs, refused = {}, {}, {}
    absent = absent_among(choice.models)
    asked = [(model, precision) for model, precision in choice.asked if model not in absent]
    for model, precision in asked[:MOST_MODELS]:
        try:
            spec = in_precision(resolve(model), precision)
            label = model_label(model, spec.dtype)
            requests[label] = make_probe(spec, topic, sentence, choice.options.protocol)
            specs[label] = spec
        except AuditError as error:
            refused[model] = str(error)
    return Asked(requests, specs, refused, absent)


def read_answer(document: Mapping[str, object], topic: Topic, aggregation: Aggregation) -> ProbeAnswer:
    """Return an answer with the sidebar's aggregation of a group's words: their sum, or their mean."""
    answer = ProbeAnswer.of(document)
    if len(answer.known) < len(answer.preferences):
        return answer
    sums = np.array([answer.known[group] for group in topic.group_names])
    shares = aggregated(sums, topic, [word.word for word in answer.words], aggregation)
    return answer.model_copy(
        update={"preferences": dict(zip(topic.group_names, shares.tolist(), strict=True))}
    )


def unequal_words(answers: Mapping[str, ProbeAnswer], asked: Asked) -> str:
    """Say whose words have more tokens, by what they get in the sentence; empty where they do not."""
    families = {name: asked.specs[name].family for name in answers}
    return tokens_sentence({name: token_shares(answer) for name, answer in answers.items()}, families)


def token_shares(answer: ProbeAnswer) -> TokenShares | None:
    """Return in how many tokens each group's probability lies; ``None`` where a group has none."""
    shares, found = answer.shares, dict[str, dict[int, float]]()
    for word in answer.words:
        sums = found.setdefault(word.group, {})
        sums[word.tokens] = sums.get(word.tokens, 0.0) + shares.get(word.word, 0.0)
    if not all(sum(sums.values()) > 0 for sums in found.values()):
        return None
    return {
        group: {number: share / sum(sums.values()) for number, share in sums.items()}
        for group, sums in found.items()
    }


def draw_notes(answers: Mapping[str, ProbeAnswer]) -> None:
    """Draw coverage, tokens and words left out: said once where several models have the same."""
    said: dict[str, list[str]] = {}
    for model, answer in answers.items():
        lines = (
            probe_coverage(answer),
            tokens_note(word.tokens for word in answer.words),
            left_out_note(answer.left_out),
            *answer.notes,
        )
        said.setdefault(" ".join(line for line in lines if line), []).append(model)
    for text, models in said.items():
        st.caption(f"**{plain(', '.join(models))}** · {plain(text)}")


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


def draw_foot(how_to_read: str, answers: Mapping[str, ProbeAnswer], asked: Asked) -> None:
    """Draw how to read the picture, its data, method and provenance."""
    left, middle, right = st.tabs(FOOT)
    left.markdown(how_to_read)
    with middle:
        draw_table(words_table(answers), "sentence", COLUMNS)
    with right:
        for model in answers:
            draw_provenance(asked.requests[model], asked.specs[model])


def draw_provenance(request: ProbeRequest, spec: ModelSpec) -> None:
    """Draw whose numbers these are, and the command that makes them again."""
    st.markdown(f"**{plain(model_label(request.model, request.dtype))}**")
    facts = {
        "weights and configuration (SHA-256, or revision)": spec.identity,
        "tokenizer": spec.tokenizer,
        "family": spec.family,
        "precision": request.dtype,
        "protocol": request.protocol,
        "even split": percent(1 / len(request.topic.groups)),
    }
    draw_facts(facts)
    draw_commands(command(request))


def command(request: ProbeRequest) -> str:
    """Write the command that answers the same; its preferences are sums over a group's words."""
    options = {
        "model": request.model,
        "topic": request.topic.name,
        "text": request.text,
        "protocol": request.protocol,
        "dtype": request.dtype,
    }
    written = " ".join(f"--{name} {shlex.quote(value)}" for name, value in options.items())
    return f"python -m pcf_core words {written} --json"

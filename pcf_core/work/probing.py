"""Answer an open page: score a sentence, check a topic's words, or compute a slow result of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pcf_core.audit.forbidden import forbidden_note
from pcf_core.audit.preferences import Doubts, coverage_at, is_left_only, preferences_of, select_words
from pcf_core.audit.results import load_result
from pcf_core.audit.sensitivity import sensitivity
from pcf_core.audit.slots import Slot, joining_note, refusal, spelling_note, stored_prompt
from pcf_core.core.errors import ModelError, TemplateError
from pcf_core.core.frame import BARE, Frame
from pcf_core.core.probe import TopicCheck
from pcf_core.core.records import FloatArray
from pcf_core.core.run import ModelSpec, Protocol, ScoringKey, TokenTable
from pcf_core.core.topics import Topic
from pcf_core.models.beginnings import require_asked
from pcf_core.models.frames import framed
from pcf_core.models.names import in_precision
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import BEHIND_A_SPACE, Scorer, require_fitting
from pcf_core.models.scoring.base import open_scorer as open_real_scorer
from pcf_core.store.store import Store
from pcf_core.work.jobs import JobContext, OnProgress, OpenScorer, Pace, Pause, job, no_pause
from pcf_core.work.requests import (
    CHECK,
    FRAME,
    PROBE,
    CheckRequest,
    FrameRequest,
    ProbeRequest,
    ReadRequest,
    WordsRequest,
)
from pcf_core.work.scoring import require_every_group

# One sentence.


UNSAID = "Only template sets say which words fit at [Y]; in a single sentence every word counts."


def word_check(
    model: str,
    topic: Topic,
    text: str,
    protocol: Protocol = "exact",
    dtype: str = "float32",
    open_scorer: OpenScorer = open_real_scorer,
    frame: Frame = BARE,
) -> dict[str, Any]:
    """Score the topic's words in ``text`` with weights as ``dtype``, which may be ``auto``; return JSON.

    ``words``: each counted word with group, log_probability (nats) and tokens in this text; ``left_out``: the
    others with reasons; ``coverage``: probability of the words together, by number of tokens (masked) or
    under ``all``, for a causal model given the left text alone (``left_only`` if text on the right is scored
    with them), ``None`` if unknown; ``preferences``: group to probability, sum 1; ``notes``: on the spelling
    of words at the beginning of a sentence (:mod:`pcf_core.audit.slots`), on ``fitting`` and on forbidden
    words; ``frame``, if it is no bare one: what stands around the text.  Numbers that are not finite are
    ``None``, and so are the preferences if a word has no probability at all.

    Raises TemplateError for a text without exactly one ``[Y]``, or with an ``[X]``, and ModelError if the
    model is unknown, cannot have the frame, or a group has no usable word.
    """
    if "[X]" in text:
        raise TemplateError(f"The text {text!r} still has an [X]: replace it with an occupation.")
    topic = topic.answers
    spec = framed(in_precision(resolve(model), dtype), frame)
    require_fitting(spec.frame, [text])
    scorer = open_scorer(spec, protocol)
    table = check_at(scorer, topic.words, text)
    words, left_out = require_every_group(topic, model, table, protocol)
    slot = Slot.of(text)
    nats, left = _scores_at(scorer, text, words)
    notes = [spelling_note(words)] if slot.begins else []
    notes += [joining_note([slot], words)]
    notes += [UNSAID] if protocol == "fitting" else []
    tokens = [table.tokens[word] for word in words]
    doubts = Doubts(topic, words)
    doubts.add(nats[np.newaxis], np.ones((1, len(words)), dtype=bool), tokens)
    notes += [forbidden_note(doubts.forbidden), *doubts.warnings]
    coverage = coverage_at(text, nats, left, tokens, scorer.key.family)
    left_only = coverage is not None and is_left_only(scorer.key.family, [text])
    shares = preferences_of(nats, topic, words)
    if doubts.forbidden:
        shares = np.full_like(shares, np.nan)
    group_of = {word: group.name for group in topic.groups for word in group.words}
    return {
        "words": [
            {"word": word, "group": group_of[word], "log_probability": _finite(value), "tokens": count}
            for word, value, count in zip(words, nats.tolist(), tokens, strict=True)
        ],
        "left_out": [{"word": item.name, "reason": item.reason} for item in left_out],
        "coverage": coverage,
        **({"left_only": True} if left_only else {}),
        "preferences": {
            group: _finite(share) for group, share in zip(topic.group_names, shares.tolist(), strict=True)
        },
        "notes": [note for note in notes if note],
        **({} if spec.frame is None else {"frame": spec.frame.model_dump()}),
    }


def _scores_at(scorer: Scorer, text: str, words: Sequence[str]) -> tuple[FloatArray, FloatArray | None]:
    """Return [word] nats in a text, and those given the text on the left alone if the scorer has them."""
    nats, left = scorer.score_with_left([stored_prompt(text)], Slot.of(text).written(words))
    return nats[0], None if left is None else left[0]


def check_at(scorer: Scorer, words: Sequence[str], text: str) -> TokenTable:
    """Check the words at the ``[Y]`` of a text; the table has them by their own names."""
    slot = Slot.of(text)
    forms = dict(zip(words, slot.written(words), strict=True))
    there = BEHIND_A_SPACE if slot.before == "space" else stored_prompt(text)
    table = scorer.check(tuple(forms.values()), there)
    return TokenTable(
        {word: table.tokens[form] for word, form in forms.items() if form in table.tokens},
        {word: refusal(word, form, table) for word, form in forms.items() if form in table.refused},
        {word: table.spelling[form] for word, form in forms.items() if form in table.spelling},
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


@job("words", WordsRequest)
def answer_words(context: JobContext, request: WordsRequest) -> dict[str, Any]:
    """Score a sentence; see :func:`word_check`."""
    return word_check(
        request.model,
        request.topic,
        request.text,
        request.protocol,
        request.dtype,
        context.open_scorer,
        request.frame or BARE,
    )


@job(PROBE, ProbeRequest)
def answer_probe(context: JobContext, request: ProbeRequest) -> Mapping[str, Any]:
    """Score a sentence, if the model's files have not changed since the question."""
    opener = opening_the_same(request, context.open_scorer)
    return answer_words(replace(context, open_scorer=opener), request)


@job(CHECK, CheckRequest)
def answer_check(context: JobContext, request: CheckRequest) -> dict[str, Any]:
    """Return the document of a :class:`~pcf_core.core.probe.TopicCheck`."""
    return topic_check(request, context.open_scorer)


@job(FRAME, FrameRequest)
def answer_frame(context: JobContext, request: FrameRequest) -> dict[str, Any]:
    """Return the document of the rendered frame."""
    spec = framed(resolve(request.model), request.frame)
    if (spec.tokenizer, spec.chat_template) != (request.tokenizer, request.template) or spec.frame is None:
        raise ModelError(f"The files of the model {request.model} have just changed: try again.")
    return spec.frame.model_dump(mode="json")


def opening_the_same(question: ProbeRequest | CheckRequest, open_scorer: OpenScorer) -> OpenScorer:
    """Return an opener that refuses model files that have changed since the question."""

    def open_the_same(spec: ModelSpec, protocol: str) -> Scorer:
        scorer = open_scorer(spec, protocol)
        if scorer.key.hash != question.scoring:
            require_asked(ScoringKey.of(spec, protocol), scorer.key, "ask again")
            raise ModelError(f"The files of the model {question.model} have just changed: try again.")
        return scorer

    return open_the_same


# A check of a topic's words.


TOO_LONG = "too long for the model together with the probes"


def topic_check(request: CheckRequest, open_scorer: OpenScorer) -> dict[str, Any]:
    """Answer a check with the document of a :class:`~pcf_core.core.probe.TopicCheck`."""
    spec = resolve(request.model).with_dtype(request.dtype)
    scorer = opening_the_same(request, open_scorer)(spec, "exact")
    topic, texts = request.topic.answers, request.texts
    usual = scorer.check(topic.words)
    there = [check_at(scorer, topic.words, text) for text in texts]
    refused = {word: reason for table in (*there[::-1], usual) for word, reason in table.refused.items()}
    counting = [select_words(topic, _without(table, refused), "exact")[0] for table in there]
    words, scores = fitting_scores(scorer, texts, counting, usual)
    long = {word for some in counting for word in some} - {word for some in words for word in some}
    coverage = []
    for text, table, some, (nats, left) in zip(texts, there, words, scores, strict=True):
        tokens = [table.tokens[word] for word in some]
        coverage.append(coverage_at(text, nats, left, tokens, scorer.key.family) if some else {})
    refused |= {word: TOO_LONG for word in topic.words if word in long}
    check = TopicCheck(
        tokens={word: number for word, number in usual.tokens.items() if word not in refused},
        refused=refused,
        same=usual.same,
        texts=texts,
        coverage=tuple(coverage),
        shares=mean_shares(words, [nats for nats, _ in scores]),
        left_only=any(left is not None for _, left in scores),
    )
    return check.model_dump(mode="json")


def mean_shares(words: Sequence[Sequence[str]], nats: Sequence[FloatArray]) -> dict[str, float]:
    """Return each word's share of the probability of all words, averaged over the texts; they sum to 1.

    ``words``, ``nats`` [text]: the counted words, and their log-probabilities.  Texts in which no word has
    any probability are left out.
    """
    shares: dict[str, float] = {}
    usable = [(some, row) for some, row in zip(words, nats, strict=True) if np.isfinite(row).any()]
    for some, row in usable:
        odds = np.exp(row - row.max())
        for word, share in zip(some, (odds / odds.sum()).tolist(), strict=True):
            shares[word] = shares.get(word, 0.0) + share / len(usable)
    return shares


def _without(table: TokenTable, refused: Mapping[str, str]) -> TokenTable:
    """Remove words refused in any of the texts: in a run a word counts everywhere or nowhere."""
    tokens = {word: number for word, number in table.tokens.items() if word not in refused}
    spelling = {word: ids for word, ids in table.spelling.items() if word not in refused}
    return TokenTable(tokens, refused, spelling)


def fitting_scores(
    scorer: Scorer, texts: Sequence[str], counting: Sequence[Sequence[str]], table: TokenTable
) -> tuple[list[list[str]], list[tuple[FloatArray, FloatArray | None]]]:
    """Return [text] the counted words that fit the model's context, and their :func:`_scores_at`.

    The longest words are left out of all texts until the others fit, as a run would be refused otherwise.
    """
    most = max(table.tokens.values(), default=0)
    while True:
        words = [[word for word in some if table.tokens[word] <= most] for some in counting]
        try:
            return words, [
                _scores_at(scorer, text, some) if some else (np.empty(0), None)
                for text, some in zip(texts, words, strict=True)
            ]
        except TemplateError:
            numbers = {table.tokens[word] for some in words for word in some}
            if len(numbers) == 1:
                raise
            most = max(numbers - {max(numbers)})


# Slow results of a finished run.


def read_asked(
    request: ReadRequest,
    store: Store,
    on_progress: OnProgress = lambda done, total, rate: None,
    pause: Pause = no_pause,
) -> dict[str, Any]:
    """Compute and store a result of a run, unless it is stored; return the run's key and cells.

    ``on_progress`` gets cells read, their total, and cells per second after each part.
    """
    run = store.load_run(request.run)
    pace = Pace()

    def on_part(prompts: int) -> None:
        on_progress(prompts, run.cells, pace.rate(prompts))
        pause()

    if request.what == "sensitivity":
        sensitivity(store, run, request.options, on_part)
    else:
        load_result(store, run, request.options.protocol, on_prompts=on_part)
    on_progress(run.cells, run.cells, pace.rate(run.cells))
    return {"run": run.key, "cells": run.cells}


@job("read", ReadRequest)
def answer_read(context: JobContext, request: ReadRequest) -> dict[str, Any]:
    """Compute a result for an open page."""
    return read_asked(request, context.store, context.progress, context.pause)

"""A topic's words looked over by one model: their tokens, those it cannot score, and what they cover."""

from __future__ import annotations

from typing import Any

from pcf_core.audit import coverage_of, select_words
from pcf_core.jobs.probing import CheckRequest, opening_the_same
from pcf_core.jobs.scoring import OpenScorer
from pcf_core.models import resolve
from pcf_core.records import FloatArray
from pcf_core.records.topics import TopicCheck
from pcf_core.scoring.base import has_right_text


def check_asked(request: CheckRequest, open_scorer: OpenScorer) -> dict[str, Any]:
    """The document of a :class:`~pcf_core.records.topics.TopicCheck`.

    A model that can score none of the words says so in it, and covers nothing.

    Raises:
        ModelError: the model is unknown, or its files have changed since it was asked.
        TemplateError: a text without exactly one ``[Y]``, or too long for the model.
        ScoringError: the model failed.
    """
    spec = resolve(request.model).with_dtype(request.dtype)
    scorer = opening_the_same(request, open_scorer)(spec, "exact")
    table = scorer.check(request.topic.words)
    words, _ = select_words(request.topic, table, "exact")
    nats = scorer.score(request.texts, words) if words and request.texts else None
    tokens = [table.tokens[word] for word in words]
    coverage = []
    for place, text in enumerate(request.texts):
        shares: dict[str, FloatArray] | None = {}
        if nats is not None:
            shares = coverage_of(nats[place], tokens, scorer.key.family, has_right_text(text))
        coverage.append(None if shares is None else {key: float(share) for key, share in shares.items()})
    found = TopicCheck(
        tokens=dict(table.tokens),
        refused=dict(table.refused),
        same=table.same,
        texts=request.texts,
        coverage=tuple(coverage),
    )
    return found.model_dump(mode="json")

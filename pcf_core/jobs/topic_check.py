"""A topic's words looked over by one model: their tokens, those it cannot score, and what they cover."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pcf_core.audit import coverage_of, select_words
from pcf_core.errors import TemplateError
from pcf_core.jobs.probing import CheckRequest, opening_the_same
from pcf_core.jobs.scoring import OpenScorer
from pcf_core.models import resolve
from pcf_core.records import FloatArray, TokenTable
from pcf_core.records.topic_check import TopicCheck
from pcf_core.scoring.base import Scorer, has_right_text

TOO_LONG = "too long for the model together with the probes"


def check_asked(request: CheckRequest, open_scorer: OpenScorer) -> dict[str, Any]:
    """The document of a :class:`~pcf_core.records.topic_check.TopicCheck`.

    A model that can score none of the words says so in it, and covers nothing.

    Raises:
        ModelError: the model is unknown, or its files have changed since it was asked.
        TemplateError: a text without exactly one ``[Y]``, or too long for the model.
        ScoringError: the model failed.
    """
    spec = resolve(request.model).with_dtype(request.dtype)
    scorer = opening_the_same(request, open_scorer)(spec, "exact")
    table = scorer.check(request.topic.words)
    counting, _ = select_words(request.topic, table, "exact")
    words, nats = fitting_scores(scorer, request.texts, counting, table)
    long = {word: TOO_LONG for word in counting if word not in words}
    tokens = [table.tokens[word] for word in words]
    coverage = []
    for place, text in enumerate(request.texts):
        shares: dict[str, FloatArray] | None = {}
        if nats is not None:
            shares = coverage_of(nats[place], tokens, scorer.key.family, has_right_text(text))
        coverage.append(None if shares is None else {key: float(share) for key, share in shares.items()})
    found = TopicCheck(
        tokens={word: number for word, number in table.tokens.items() if word not in long},
        refused=dict(table.refused) | long,
        same=table.same,
        texts=request.texts,
        coverage=tuple(coverage),
    )
    return found.model_dump(mode="json")


def fitting_scores(
    scorer: Scorer, texts: Sequence[str], words: Sequence[str], table: TokenTable
) -> tuple[Sequence[str], FloatArray | None]:
    """The words that fit into the model's context behind the texts, and [text, word] their nats.

    A run with a word that does not fit would be refused, and the check is there to find it: the longest words
    are left out until the others fit.

    Raises:
        TemplateError: not even words of one token fit.
    """
    while words and texts:
        try:
            return words, scorer.score(texts, words)
        except TemplateError:
            longest = max(table.tokens[word] for word in words)
            shorter = [word for word in words if table.tokens[word] < longest]
            if not shorter:
                raise
            words = shorter
    return words, None

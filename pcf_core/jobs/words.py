"""One sentence: the topic's words at ``[Y]``, what they add up to, and how much they cover."""

from __future__ import annotations

import math
from typing import Any

from pcf_core.audit import coverage_of, preferences_of
from pcf_core.errors import TemplateError
from pcf_core.jobs.scoring import OpenScorer, require_every_group
from pcf_core.models import resolve
from pcf_core.records import Protocol, Topic
from pcf_core.scoring.base import has_right_text
from pcf_core.scoring.opening import open_scorer as open_real_scorer


def word_check(
    model: str,
    topic: Topic,
    text: str,
    protocol: Protocol = "exact",
    dtype: str = "float32",
    open_scorer: OpenScorer = open_real_scorer,
) -> dict[str, Any]:
    """Score the topic's words in ``text``, with the model's weights as ``dtype``.

    Returns:
        ``words``: word, group, log_probability (nats) and tokens of each word that counts; ``left_out``: word
        and reason of the others; ``coverage``: probability of the words together, per number of tokens
        (masked) or under ``all``, ``None`` where a causal model scores text right of ``[Y]`` with the word;
        ``preferences``: group to probability, sum 1.  Plain JSON: a number that is not finite is ``None``.

    Raises:
        TemplateError: a text without exactly one ``[Y]``, or with an ``[X]`` still open.
        ModelError: an unknown model, or a group of which no word can be scored.
    """
    right_text = has_right_text(text)
    if "[X]" in text:
        raise TemplateError(f"The text {text!r} still has an [X]: write the term in its place.")
    scorer = open_scorer(resolve(model).with_dtype(dtype), protocol)
    table = scorer.check(topic.words)
    words, left_out = require_every_group(topic, model, table, protocol)
    nats = scorer.score([text], words)[0]
    tokens = [table.tokens[word] for word in words]
    coverage = coverage_of(nats, tokens, scorer.key.family, right_text)
    shares = preferences_of(nats, topic, words)
    group_of = {word: group.name for group in topic.groups for word in group.words}
    return {
        "words": [
            {"word": word, "group": group_of[word], "log_probability": _finite(value), "tokens": count}
            for word, value, count in zip(words, nats.tolist(), tokens, strict=True)
        ],
        "left_out": [{"word": item.name, "reason": item.reason} for item in left_out],
        "coverage": None if coverage is None else {k: _finite(float(share)) for k, share in coverage.items()},
        "preferences": {
            group: _finite(share) for group, share in zip(topic.group_names, shares.tolist(), strict=True)
        },
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None

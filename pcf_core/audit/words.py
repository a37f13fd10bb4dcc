"""From a run to preferences: which words count, what their group gets, what the store has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pcf_core.errors import ModelError, RunError, TemplateError
from pcf_core.records import (
    Evidence,
    FloatArray,
    LeftOut,
    ModelSpec,
    Preferences,
    Protocol,
    RunSpec,
    Scored,
    ScoringKey,
    TemplateSet,
    TokenTable,
    Topic,
)
from pcf_core.store import Store


def build_run(
    spec: ModelSpec, topic: Topic, evidence: Evidence, templates: TemplateSet, protocol: Protocol = "exact"
) -> RunSpec:
    """Say what is asked for; nothing is scored."""
    return RunSpec(scoring=ScoringKey.of(spec, protocol), topic=topic, evidence=evidence, templates=templates)


def missing_blocks(store: Store, run: RunSpec) -> list[Any]:
    """What the store lacks of a run: a list of blocks of prompts × words."""
    return list(store.missing(run.scoring, run.prompts, run.topic.words))


def preferences_of(log_probabilities: FloatArray, topic: Topic, words: Sequence[str]) -> FloatArray:
    """Preferences over groups (PCF Eq. 10–11; BVF Eq. 8), computed in logs.

    Args:
        log_probabilities: [..., word] nats, the last axis in the order of ``words``.
        topic: its groups name the words that are added up.
        words: the words that were scored, a subset of the topic's.

    Returns:
        [..., group] probabilities that sum to 1 over groups.

    Raises:
        ModelError: a group has no word left.
    """
    groups = []
    for group in topic.groups:
        columns = [index for index, word in enumerate(words) if word in group.words]
        if not columns:
            raise ModelError(
                f"No word of the group {group.name!r} can be used with this model; "
                "add a word that its tokenizer can express, or choose another model."
            )
        groups.append(np.logaddexp.reduce(log_probabilities[..., columns].astype(np.float64), axis=-1))
    logs = np.stack(groups, axis=-1)
    logs -= logs.max(axis=-1, keepdims=True)
    odds = np.exp(logs)
    return np.asarray(odds / odds.sum(axis=-1, keepdims=True))


def select_words(
    topic: Topic, table: TokenTable, protocol: Protocol
) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """Choose the words that count, and name those that do not.

    Words the tokenizer cannot express are left out.  ``single-token`` keeps only words of one token (PCF
    Eq. 8 and 11), and in an aligned topic a word left out takes its counterparts with it.
    """
    left_out = {word: reason for word, reason in table.refused.items() if word in topic.words}
    if protocol == "single-token":
        for word in topic.words:
            if word not in left_out and table.tokens[word] != 1:
                left_out[word] = f"{table.tokens[word]} tokens, and the protocol takes words of one"
        if topic.aligned:
            for counterparts in zip(*(group.words for group in topic.groups), strict=True):
                out = [word for word in counterparts if word in left_out]
                for word in counterparts:
                    if out and word not in left_out:
                        left_out[word] = f"its counterpart {out[0]!r} is left out"
    words = tuple(word for word in topic.words if word not in left_out)
    named = tuple(LeftOut(name=word, reason=left_out[word]) for word in topic.words if word in left_out)
    return words, named


def coverage_of(
    log_probabilities: FloatArray, tokens: Sequence[int], family: str, right_text: bool
) -> dict[str, FloatArray] | None:
    """Probability the model gives to the topic's words together, per key.

    Args:
        log_probabilities: [..., word] nats.
        tokens: [word] tokens per word.
        family: masked scores are conditional on the number of tokens and do not share a sample space, so they
            are summed per number of tokens; others under the key ``all``.
        right_text: whether text stands right of ``[Y]``; a causal score then includes it: ``None``.
    """
    if family != "masked" and right_text:
        return None
    probabilities = np.exp(log_probabilities.astype(np.float64))
    if family != "masked":
        return {"all": probabilities.sum(axis=-1)}
    counts = np.asarray(tokens)
    return {str(k): probabilities[..., counts == k].sum(axis=-1) for k in sorted(set(tokens))}


def assemble(store: Store, run: RunSpec, protocol: Protocol = "exact") -> Scored:
    """Gather a run's word log-probabilities from the store.

    Tokens are counted behind a space.  Where a template has none before ``[Y]``, the counts do not hold, so a
    masked model's coverage is not given and ``single-token`` is refused.

    Raises:
        RunError: some of its cells are not scored yet.
        TemplateError: ``single-token`` and a template without a space before ``[Y]``.
    """
    table = store.known_words(run.scoring)
    unknown = [word for word in run.topic.words if word not in table.tokens and word not in table.refused]
    missing = 0 if unknown else sum(len(block.prompts) for block in missing_blocks(store, run))
    if unknown or missing:
        raise RunError(
            f"The run {run.key} is not finished: {missing or run.cells:,} of {run.cells:,} cells are not "
            "scored; score it first (the page Score, or `python -m pcf_core score`)."
        )
    words, left_out = select_words(run.topic, table, protocol)
    spaced = all(" [Y]" in text for text in run.templates.texts)
    if protocol == "single-token" and not spaced:
        raise TemplateError(
            "The protocol single-token counts a word's tokens behind a space, but a template has none before "
            "[Y]; read this run with the protocol exact."
        )
    shape = (len(run.evidence.terms), len(run.templates.templates), len(words))
    logs = store.gather(run.scoring, run.prompts, words).reshape(shape)
    if np.isnan(logs).any():
        raise RunError(f"A shard of the run {run.key} was damaged while it was read; score the run again.")
    tokens = [table.tokens[word] for word in words]
    right = any(not text.endswith("[Y]") for text in run.templates.texts)
    masked = run.scoring.family == "masked"
    return Scored(
        run=run,
        words=words,
        log_probabilities=logs,
        tokens=np.asarray(tokens, dtype=np.int_),
        coverage=coverage_of(logs, tokens, run.scoring.family, right) if spaced or not masked else None,
        left_out=left_out,
    )


def preferences_from(scored: Scored) -> Preferences:
    """Add the words up to groups; ``coverage`` is that of one-token words for masked models, else of all."""
    coverage = None
    if scored.coverage:
        coverage = scored.coverage.get("all", scored.coverage.get("1"))
    return Preferences(
        groups=scored.run.topic.group_names,
        occupations=scored.run.evidence.terms,
        templates=scored.run.templates.texts,
        values=preferences_of(scored.log_probabilities, scored.run.topic, scored.words),
        coverage=coverage,
    )

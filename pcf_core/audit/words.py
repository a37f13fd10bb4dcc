"""From words to groups: which words count, what their group gets, how much of the probability they cover."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from pcf_core.errors import ModelError
from pcf_core.records import (
    Aggregation,
    Evidence,
    FloatArray,
    LeftOut,
    ModelSpec,
    Protocol,
    RunSpec,
    ScoringKey,
    TemplateSet,
    TokenTable,
    Topic,
)

# Families whose probabilities hold given a word's number of tokens, and those that see text right of [Y].
BY_TOKENS = ("masked", "permutation")
SEES_RIGHT = (*BY_TOKENS, "seq2seq")


def build_run(
    spec: ModelSpec, topic: Topic, evidence: Evidence, templates: TemplateSet, protocol: Protocol = "exact"
) -> RunSpec:
    """Say what is asked for; nothing is scored."""
    return RunSpec(scoring=ScoringKey.of(spec, protocol), topic=topic, evidence=evidence, templates=templates)


def preferences_of(log_probabilities: FloatArray, topic: Topic, words: Sequence[str]) -> FloatArray:
    """Preferences over groups (PCF Eq. 10–11; BVF Eq. 8), computed in logs.

    Args:
        log_probabilities: [..., word] nats, the last axis in the order of ``words``.
        topic: its groups name the words that are added up.
        words: the words that were scored, a subset of the topic's.

    Returns:
        [..., group] probabilities that sum to 1 over groups; NaN where no word has any probability.

    Raises:
        ModelError: a group has no word left.
    """
    groups = []
    for group in topic.groups:
        columns = [index for index, word in enumerate(words) if word in group.words]
        if not columns:
            raise ModelError(
                f"No word of the group {group.name!r} can be used with this model; "
                "add a word that its tokenizer can express and tell from those of other groups, or choose "
                "another model."
            )
        groups.append(np.logaddexp.reduce(log_probabilities[..., columns].astype(np.float64), axis=-1))
    return shares_of(np.stack(groups, axis=-1))


def shares_of(logs: FloatArray) -> FloatArray:
    """[..., group] logarithms of what groups get -> shares that sum to 1; NaN where no group gets any."""
    with np.errstate(invalid="ignore"):
        odds = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=-1, keepdims=True))


def aggregated(
    values: FloatArray, topic: Topic, words: Sequence[str], aggregation: Aggregation
) -> FloatArray:
    """Preferences of sums over words (PCF Eq. 11), read as those of ``aggregation``.

    The mean over a group's words is their sum by their number, and the common divisor of all groups cancels:
    nothing has to be read of the words themselves.  With as many words in each group nothing changes.  The
    authors' script for race takes the mean.

    Args:
        values: [..., group] preferences of sums; rows sum to 1.
        topic: its groups, in the order of the last axis.
        words: those that were added up.
        aggregation: ``sum`` gives ``values`` themselves.

    Returns:
        [..., group] probabilities that sum to 1 over groups.
    """
    used = set(words)
    sizes = np.array([sum(word in used for word in group.words) for group in topic.groups])
    if aggregation == "sum" or (sizes == sizes[0]).all():
        return values
    averaged = values / sizes
    return np.asarray(averaged / averaged.sum(axis=-1, keepdims=True))


def select_words(
    topic: Topic, table: TokenTable, protocol: Protocol
) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """Choose the words that count, and name those that do not.

    Words the tokenizer cannot express are left out.  ``single-token`` keeps only words of one token (PCF
    Eq. 8 and 11), and in an aligned topic a word left out takes its counterparts with it.

    Words of the same tokens are one word to the model, whose probability each of them would bring in again:
    of those in one group the first counts, and those of several groups count for none.  With P(he) = .2,
    P(she) = .1 and a tokenizer without capital letters, {he, He} against {she} is .2/.3 and not .4/.5.
    """
    reasons = _unusable(topic, table, protocol)
    together = protocol == "single-token" and topic.aligned
    each: Iterable[tuple[str, ...]] = ((word,) for word in topic.words)
    rows = zip(*(group.words for group in topic.groups), strict=True) if together else each
    counted: dict[str, str] = {}
    for row in rows:
        for word in row:
            if word not in reasons and (first := counted.get(table.spelling.get(word, ""))):
                reasons[word] = f"the model reads it as {first!r}, which counts once"
        out = [word for word in row if word in reasons]
        for word in row:
            if out and word not in reasons:
                reasons[word] = f"its counterpart {out[0]!r} is left out"
            elif not out and word in table.spelling:
                counted[table.spelling[word]] = word
    words = tuple(word for word in topic.words if word not in reasons)
    named = tuple(LeftOut(name=word, reason=reasons[word]) for word in topic.words if word in reasons)
    return words, named


def _unusable(topic: Topic, table: TokenTable, protocol: Protocol) -> dict[str, str]:
    """Words that cannot count whatever the others do: refused, of several tokens, in several groups."""
    reasons = {word: table.refused[word] for word in topic.words if word in table.refused}
    if protocol == "single-token":
        for word in topic.words:
            if word not in reasons and table.tokens[word] != 1:
                reasons[word] = f"{table.tokens[word]} tokens, and the protocol takes words of one"
    return several_groups({group.name: group.words for group in topic.groups}, table) | reasons


def several_groups(groups: Mapping[str, Sequence[str]], table: TokenTable) -> dict[str, str]:
    """Words that the model cannot tell from one of another group, with the reason.

    Args:
        groups: the words of each, by its name.
        table: whose ``spelling`` says which words are the same.
    """
    alike: dict[str, list[tuple[str, str]]] = {}
    for name, words in groups.items():
        for word in words:
            if word in table.spelling:
                alike.setdefault(table.spelling[word], []).append((name, word))
    reasons = {}
    for found in alike.values():
        for name, word in found:
            for other, same in found:
                if other != name:
                    reasons[word] = f"the model cannot tell it from {same!r} of the group {other!r}"
                    break
    return reasons


def counts_hold(texts: Sequence[str], topic: Topic, table: TokenTable) -> bool:
    """Whether tokens per word, which are counted behind a space, hold at ``[Y]`` of these texts.

    They do behind a space, and without one where the tokenizer is known to write all of the words alike.
    """
    words = [word for word in topic.words if word in table.tokens]
    return all(" [Y]" in text for text in texts) or table.unspaced.issuperset(words)


def coverage_of(
    log_probabilities: FloatArray, tokens: Sequence[int], family: str, right_text: bool
) -> dict[str, FloatArray] | None:
    """Probability the model gives to the topic's words together, per key.

    Args:
        log_probabilities: [..., word] nats.
        tokens: [word] tokens per word.
        family: scores of masked and permutation models are conditional on the number of tokens and do not
            share a sample space, so they are summed per number of tokens; others under the key ``all``.
        right_text: whether text stands right of ``[Y]``; a causal score then includes it: ``None``.
    """
    if family not in SEES_RIGHT and right_text:
        return None
    probabilities = np.exp(log_probabilities.astype(np.float64))
    if family not in BY_TOKENS:
        return {"all": probabilities.sum(axis=-1)}
    counts = np.asarray(tokens)
    return {str(k): probabilities[..., counts == k].sum(axis=-1) for k in sorted(set(tokens))}

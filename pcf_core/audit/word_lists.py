"""Other lists of words: every list's risk from one reading of the words' log-probabilities.

The words of a shard are read once, some occupations at a time, and all lists are made of them: a group's
logarithm under a list is the log-sum of its columns.  That of all words but one comes from the log-sums of
the words before it and behind it, since subtracting the one from the whole would lose what is left wherever
the one dominates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pcf_core.audit.parts import PROMPTS_AT_ONCE
from pcf_core.audit.views import View
from pcf_core.audit.words import shares_of
from pcf_core.records import Aggregation, FloatArray, RunSpec, Topic
from pcf_core.risk import decompose
from pcf_core.store import Store

PRONOUNS = (("he", "she"), ("他", "她"))


@dataclass(frozen=True)
class WordList:
    """``groups``: the words of each group, in the order of the topic's groups, none of them empty."""

    name: str
    groups: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class LeftOutWords:
    """The list that counts without some words; ``out``: by the place of a group, the one it loses."""

    name: str
    out: Mapping[int, str]


@dataclass
class ListRisks:
    """Sums over the occupations read so far, weighted; ``broken``: cells in which no word has probability."""

    prejudice: float = 0.0
    caprice: float = 0.0
    stereotype_sd: float = 0.0
    broken: int = 0

    def add(self, preferences: FloatArray, view: View) -> None:
        """Add some occupations, [occupation, template, group] in the order of the view's rows."""
        broken = int(np.isnan(preferences).any(axis=-1).sum())
        if broken or self.broken:
            self.broken += broken
            return
        found = decompose(preferences, view.template_weights, view.criterion)
        weights = view.occupation_weights
        self.prejudice += float(weights @ found.prejudice)
        self.caprice += float(weights @ found.caprice)
        self.stereotype_sd += float(weights @ found.stereotype_sd)

    def over(self, weight: float) -> dict[str, float]:
        """R = R^p + R^c and the mean s.d. of the stereotype, by name."""
        prejudice, caprice = self.prejudice / weight, self.caprice / weight
        return {
            "overall_risk": prejudice + caprice,
            "prejudice_risk": prejudice,
            "caprice_risk": caprice,
            "stereotype_sd": self.stereotype_sd / weight,
        }


def pronouns_of(topic: Topic) -> tuple[str, ...] | None:
    """The one pronoun of each of two groups, where the topic has them."""
    for pair in PRONOUNS:
        for ordered in (pair, pair[::-1]):
            if len(topic.groups) == 2 and all(
                word in group.words for word, group in zip(ordered, topic.groups, strict=True)
            ):
                return ordered
    return None


def used_words(topic: Topic, words: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The words of each group that count, in the topic's order."""
    used = set(words)
    return tuple(tuple(word for word in group.words if word in used) for group in topic.groups)


def counterparts(topic: Topic, words: Sequence[str]) -> list[tuple[str, ...]]:
    """The rows of an aligned topic of which every word counts; none of a topic that is not aligned."""
    if not topic.aligned:
        return []
    rows = zip(*(group.words for group in topic.groups), strict=True)
    return [row for row in rows if set(row) <= set(words)]


def leave_outs(topic: Topic, words: Sequence[str]) -> list[LeftOutWords]:
    """Each word, with its counterparts where the topic is aligned, as long as its group keeps another."""
    used = used_words(topic, words)
    spare = [len(group) > 1 for group in used]
    pairs = counterparts(topic, words)
    found = [LeftOutWords(" / ".join(row), dict(enumerate(row))) for row in pairs if all(spare)]
    paired = {word for row in pairs for word in row}
    return found + [
        LeftOutWords(word, {place: word})
        for place, group in enumerate(used)
        for word in group
        if spare[place] and word not in paired
    ]


def list_risks(
    store: Store,
    run: RunSpec,
    view: View,
    words: Sequence[str],
    lists: Sequence[WordList],
    outs: Sequence[LeftOutWords],
    aggregation: Aggregation = "sum",
    on_prompts: Callable[[int], None] = lambda prompts: None,
) -> tuple[dict[str, ListRisks], dict[str, ListRisks]]:
    """Risks under each list, and under the words that count without some, by the lists' names.

    Args:
        store: holds every word of the lists in every prompt of the run.
        run: whose words are read, once.
        view: how preferences become R.
        words: those that count now, from which ``outs`` are left out.
        lists: of the topic's words.
        outs: see :func:`leave_outs`.
        aggregation: what a group gets of its words.
        on_prompts: called with how many prompts have been read so far; what it raises ends the reading.
    """
    used = used_words(run.topic, words)
    read = tuple(
        dict.fromkeys(
            [
                *(word for group in used for word in group),
                *(word for one in lists for group in one.groups for word in group),
            ]
        )
    )
    column = {word: index for index, word in enumerate(read)}
    sums = {one.name: ListRisks() for one in lists}
    without = {one.name: ListRisks() for one in outs}
    templates = len(run.drawn.templates)
    step = max(1, PROMPTS_AT_ONCE // templates)
    for start in range(0, len(view.rows), step):
        part = view.part(start, min(start + step, len(view.rows)))
        nats = store.gather(run.scoring, _prompts(run, part), read).astype(np.float64)
        shape = (len(part.rows), templates, len(used))
        for one in lists:
            logs = [_log_sum(nats[:, [column[w] for w in group]], aggregation) for group in one.groups]
            sums[one.name].add(shares_of(np.stack(logs, axis=-1)).reshape(shape), part)
        groups = [nats[:, [column[word] for word in group]] for group in used]
        for name, logs in _without(groups, used, outs, aggregation):
            without[name].add(shares_of(np.stack(logs, axis=-1)).reshape(shape), part)
        on_prompts((start + len(part.rows)) * templates)
    return sums, without


def _prompts(run: RunSpec, view: View) -> list[str]:
    size = len(run.drawn.templates)
    prompts = run.prompts
    return [prompt for row in view.rows.tolist() for prompt in prompts[row * size : (row + 1) * size]]


def _log_sum(nats: FloatArray, aggregation: Aggregation) -> FloatArray:
    """[prompt] logarithm of the sum, or the mean, of [prompt, word] probabilities."""
    logs = np.logaddexp.reduce(nats, axis=-1)
    return np.asarray(logs - math.log(nats.shape[-1]) if aggregation == "mean" else logs)


def _without(
    groups: Sequence[FloatArray],
    used: Sequence[Sequence[str]],
    outs: Sequence[LeftOutWords],
    aggregation: Aggregation,
) -> Iterator[tuple[str, list[FloatArray]]]:
    """Name and [group] of [prompt] logarithms, for each that is left out."""
    if not outs:
        return
    whole = [_log_sum(nats, aggregation) for nats in groups]
    missing = [all_but_one(nats, aggregation) for nats in groups]
    for one in outs:
        yield (
            one.name,
            [
                missing[place][:, used[place].index(one.out[place])] if place in one.out else whole[place]
                for place in range(len(groups))
            ],
        )


def all_but_one(nats: FloatArray, aggregation: Aggregation = "sum") -> FloatArray:
    """[prompt, word] logarithm of the sum, or mean, of the probabilities of all words but this one.

    −∞ throughout for a single word.  No difference is taken, so nothing is lost where one word dominates.
    """
    none = np.full((len(nats), 1), -np.inf)
    before = np.hstack([none, np.logaddexp.accumulate(nats, axis=-1)[:, :-1]])
    behind = np.hstack([np.logaddexp.accumulate(nats[:, ::-1], axis=-1)[:, -2::-1], none])
    logs = np.logaddexp(before, behind)
    if aggregation == "mean" and nats.shape[-1] > 1:
        logs = logs - math.log(nats.shape[-1] - 1)
    return np.asarray(logs)

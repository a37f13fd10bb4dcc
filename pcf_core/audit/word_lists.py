"""Other lists of words: every list's risk from one reading of the words' log-probabilities.

A group's logarithm under a list is the log-sum of its columns.  That of all words but one adds the log-sums
before and after it, as subtraction would lose precision where that word dominates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pcf_core.audit.case import Case, Variation, extremes, variant
from pcf_core.audit.fitting import MIXED, is_mixed
from pcf_core.audit.forbidden import filled, lacking
from pcf_core.audit.preferences import PROMPTS_AT_ONCE, aggregated, shares_of, words_that_count
from pcf_core.audit.reading import View
from pcf_core.audit.slots import gather
from pcf_core.core.errors import TemplateError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Aggregation
from pcf_core.core.run import SELECTIONS, Protocol, RunSpec
from pcf_core.core.sensitivity import Kind, Unavailable, Variant
from pcf_core.core.topics import Topic
from pcf_core.measure.decomposition import decompose
from pcf_core.store.store import Store

PRONOUNS = (("he", "she"), ("他", "她"))
ALIKE_SCORED: tuple[Protocol, ...] = ("exact", *SELECTIONS)


@dataclass(frozen=True)
class WordList:
    """A list of words for each group, in the order of the topic, none of them empty."""

    name: str
    groups: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class LeftOutWords:
    """The counted list without some words; ``out``: the word that a group loses, by its index."""

    name: str
    out: Mapping[int, str]


@dataclass
class ListRisks:
    """Weighted sums over the occupations read so far; ``broken``: counted cells without a preference."""

    prejudice: float = 0.0
    caprice: float = 0.0
    stereotype_sd: float = 0.0
    broken: int = 0

    def add(self, preferences: FloatArray, view: View) -> None:
        """Add some occupations, [occupation, template, group] in the order of the view's rows."""
        broken = int(lacking(preferences)[:, view.template_weights > 0].sum())
        if broken or self.broken:
            self.broken += broken
            return
        parts = decompose(filled(preferences), view.template_weights, view.criterion)
        weights = view.occupation_weights
        self.prejudice += float(weights @ parts.prejudice)
        self.caprice += float(weights @ parts.caprice)
        self.stereotype_sd += float(weights @ parts.stereotype_sd)

    def over(self, weight: float) -> dict[str, float]:
        """Return R = R^p + R^c and the mean s.d. of the stereotype, by name."""
        prejudice, caprice = self.prejudice / weight, self.caprice / weight
        return {
            "overall_risk": prejudice + caprice,
            "prejudice_risk": prejudice,
            "caprice_risk": caprice,
            "stereotype_sd": self.stereotype_sd / weight,
        }


def pronouns_of(topic: Topic) -> tuple[str, ...] | None:
    """Return the one pronoun of each of two groups, if the topic has them."""
    for pair in PRONOUNS:
        for ordered in (pair, pair[::-1]):
            if len(topic.groups) == 2 and all(
                word in group.words for word, group in zip(ordered, topic.groups, strict=True)
            ):
                return ordered
    return None


def used_words(topic: Topic, words: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the words of each group that count, in the topic's order."""
    used = set(words)
    return tuple(tuple(word for word in group.words if word in used) for group in topic.groups)


def counterparts(topic: Topic, words: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the rows of an aligned topic in which every word counts; none if it is not aligned."""
    if not topic.aligned:
        return []
    rows = zip(*(group.words for group in topic.groups), strict=True)
    return [row for row in rows if set(row) <= set(words)]


def leave_outs(topic: Topic, words: Sequence[str]) -> list[LeftOutWords]:
    """Return each word, with its counterparts if the topic is aligned, whose group keeps another."""
    used = used_words(topic, words)
    spare = [len(group) > 1 for group in used]
    pairs = counterparts(topic, words)
    lists = [LeftOutWords(" / ".join(row), dict(enumerate(row))) for row in pairs if all(spare)]
    paired = {word for row in pairs for word in row}
    return lists + [
        LeftOutWords(word, {index: word})
        for index, group in enumerate(used)
        for word in group
        if spare[index] and word not in paired
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
    """Compute risks under each list, and under the counted words without some, by the lists' names.

    ``store`` has every word of the lists in every prompt.  ``words``: those that count now, from which
    ``outs`` are left out (:func:`leave_outs`).  ``on_prompts`` gets the number of prompts read so far.
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
        nats = gather(store, run.scoring, _prompts(run, part), read).astype(np.float64)
        shape = (len(part.rows), templates, len(used))
        for one in lists:
            several = [nats[:, [column[word] for word in group]] for group in one.groups]
            shares = shares_of(np.stack([_log_sum(some, aggregation) for some in several], axis=-1))
            shares[np.isneginf(np.hstack(several)).any(axis=-1)] = np.nan
            sums[one.name].add(shares.reshape(shape), part)
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
    logs = np.logaddexp.reduce(nats, axis=-1)
    return np.asarray(logs - math.log(nats.shape[-1]) if aggregation == "mean" else logs)


def _without(
    groups: Sequence[FloatArray],
    used: Sequence[Sequence[str]],
    outs: Sequence[LeftOutWords],
    aggregation: Aggregation,
) -> Iterator[tuple[str, list[FloatArray]]]:
    if not outs:
        return
    whole = [_log_sum(nats, aggregation) for nats in groups]
    missing = [all_but_one(nats, aggregation) for nats in groups]
    for one in outs:
        yield (
            one.name,
            [
                missing[index][:, used[index].index(one.out[index])] if index in one.out else whole[index]
                for index in range(len(groups))
            ],
        )


def all_but_one(nats: FloatArray, aggregation: Aggregation = "sum") -> FloatArray:
    """Return [prompt, word] log of the sum, or mean, of all other words' probabilities, −∞ if none."""
    none = np.full((len(nats), 1), -np.inf)
    before = np.hstack([none, np.logaddexp.accumulate(nats, axis=-1)[:, :-1]])
    behind = np.hstack([np.logaddexp.accumulate(nats[:, ::-1], axis=-1)[:, -2::-1], none])
    logs = np.logaddexp(before, behind)
    if aggregation == "mean" and nats.shape[-1] > 1:
        logs = logs - math.log(nats.shape[-1] - 1)
    return np.asarray(logs)


# Other words for the groups.


Groups = tuple[tuple[str, ...], ...]


def word_choices(case: Case, on_prompts: Callable[[int], None]) -> Variation:
    """Yield other lists of words, all read at once; the words of one token are the papers' protocol."""
    if case.at:
        yield Unavailable(dimension="words", name="other words", reason=MIXED)
        return
    lists, missing = _lists_of(case)
    outs = leave_outs(case.run.topic, case.words)
    yield from missing
    if not outs:
        yield Unavailable(
            dimension="words",
            name="one word left out",
            reason="every group has one word, so none can be left out",
        )
    if not lists and not outs:
        return
    with_lists, without = list_risks(
        case.store, case.run, case.view, case.words, lists, outs, case.options.aggregation, on_prompts
    )
    weight = float(case.view.occupation_weights.sum())
    for name, risks in with_lists.items():
        yield _listed(_dimension(name), name, risks, weight, "choice")
    each = [_listed("words", f"without {name}", risks, weight, "each") for name, risks in without.items()]
    yield from extremes(each, "one pair left out" if case.run.topic.aligned else "one word left out")
    yield from each


def _listed(dimension: str, name: str, sums: ListRisks, weight: float, kind: Kind) -> Variant | Unavailable:
    if sums.broken:
        return Unavailable(
            dimension=dimension,
            name=name,
            reason=f"the model gives no probability at all to one of these words in {sums.broken:,} test "
            "sentences",
        )
    return variant(dimension, name, sums.over(weight), kind)


def _lists_of(case: Case) -> tuple[list[WordList], list[Unavailable]]:
    """Return the lists that this run has words for, and why not the others."""
    lists, missing = [], []
    topic = case.run.topic
    for name, groups in (_few_words(case), *_other_protocols(case)):
        dimension = _dimension(name)
        if isinstance(groups, str):
            missing.append(Unavailable(dimension=dimension, name=name, reason=groups))
        elif not all(groups):
            empty = next(group.name for group, words in zip(topic.groups, groups, strict=True) if not words)
            reason = f"no word of the group {empty} would be left"
            missing.append(Unavailable(dimension=dimension, name=name, reason=reason))
        else:
            lists.append(WordList(name, groups))
    return lists, missing


def _dimension(name: str) -> str:
    return "protocol" if name in ALIKE_SCORED else "words"


def _few_words(case: Case) -> tuple[str, Groups | str]:
    """Return the two pronouns if the topic has them, else the first word of each group."""
    topic = case.run.topic
    pronouns = pronouns_of(topic)
    if pronouns is not None and set(pronouns) <= set(case.words):
        return f"{pronouns[0]} and {pronouns[1]} only", tuple((word,) for word in pronouns)
    used = used_words(topic, case.words)
    name = "the first word of each group only"
    if all(len(group) == 1 for group in used):
        return name, "every group has one word"
    return name, tuple(group[:1] for group in used)


def _other_protocols(case: Case) -> Iterator[tuple[str, Groups | str]]:
    """Yield the protocols that select other words from the same scores."""
    protocols = [protocol for protocol in ALIKE_SCORED if protocol != case.options.protocol]
    if case.run.scoring.protocol != "exact":
        reason = "it needs scores made with the protocol exact"
        yield from ((protocol, reason) for protocol in protocols if protocol in SELECTIONS)
        return
    for protocol in protocols:
        try:
            words, _ = words_that_count(case.store, case.run, protocol)
        except TemplateError:
            yield protocol, "one sentence has no space before the word, so its tokens are not known"
            continue
        if protocol == "fitting" and is_mixed(case.run):
            yield protocol, f"{MIXED}, so choose it for all figures instead"
            continue
        same = "the same words count, so nothing changes"
        yield protocol, same if words == case.words else used_words(case.run.topic, words)


def aggregation_choices(case: Case) -> Variation:
    """Yield the run with the other aggregation over a group's words."""
    other: Aggregation = "mean" if case.options.aggregation == "sum" else "sum"
    name = f"{other} over a group's words"
    values = aggregated(case.sums, case.run.topic, case.words, other, case.at)
    averaged = aggregated(case.sums, case.run.topic, case.words, "mean", case.at)
    if averaged is case.sums:
        yield Unavailable(
            dimension="a group's words",
            name=name,
            reason="every group has the same number of words, so sum and mean agree",
        )
        return
    sizes = ", ".join(
        f"{group.name} {len(words)}"
        for group, words in zip(case.run.topic.groups, used_words(case.run.topic, case.words), strict=True)
    )
    note = f"Words that count: {sizes}. A sum gives groups with more words an advantage."
    yield variant("a group's words", name, case.view.risks(values), note=note)

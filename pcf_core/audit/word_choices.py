"""Other words for the groups: which lists a run has the words for, what they give, and why not others."""

from __future__ import annotations

from collections.abc import Callable

from pcf_core.audit.case import Case, Found, extremes, variant
from pcf_core.audit.word_lists import (
    ListRisks,
    WordList,
    counterparts,
    leave_outs,
    list_risks,
    pronouns_of,
    used_words,
)
from pcf_core.audit.words import aggregated, counts_hold, select_words
from pcf_core.records import Aggregation, Protocol
from pcf_core.records.sensitivity import Kind, Unavailable, Variant

Groups = tuple[tuple[str, ...], ...]


def word_choices(case: Case, on_prompts: Callable[[int], None]) -> Found:
    """Other lists of words, all from one reading; the words of one token are the papers' protocol."""
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
    found, without = list_risks(
        case.store, case.run, case.view, case.words, lists, outs, case.options.aggregation, on_prompts
    )
    weight = float(case.view.occupation_weights.sum())
    protocols = ("exact", "single-token")
    for name, risks in found.items():
        yield _listed("protocol" if name in protocols else "words", name, risks, weight, "choice")
    each = [_listed("words", f"without {name}", risks, weight, "each") for name, risks in without.items()]
    yield from extremes(each, "one pair left out" if case.run.topic.aligned else "one word left out")
    yield from each


def _listed(dimension: str, name: str, found: ListRisks, weight: float, kind: Kind) -> Variant | Unavailable:
    if found.broken:
        return Unavailable(
            dimension=dimension,
            name=name,
            reason=f"in {found.broken:,} cells the model gives no word of this list any probability",
        )
    return variant(dimension, name, found.over(weight), kind)


def _lists_of(case: Case) -> tuple[list[WordList], list[Unavailable]]:
    """The lists that this run has words for, and why not the others."""
    lists, missing = [], []
    topic = case.run.topic
    for name, groups in (
        _few_words(case),
        _even_pairs(case),
        _other_words(case),
    ):
        dimension = "protocol" if name in ("exact", "single-token") else "words"
        if isinstance(groups, str):
            missing.append(Unavailable(dimension=dimension, name=name, reason=groups))
        elif not all(groups):
            empty = next(group.name for group, words in zip(topic.groups, groups, strict=True) if not words)
            reason = f"no word of the group {empty} would be left"
            missing.append(Unavailable(dimension=dimension, name=name, reason=reason))
        else:
            lists.append(WordList(name, groups))
    return lists, missing


def _few_words(case: Case) -> tuple[str, Groups | str]:
    """The two pronouns where the topic has them, else the first word of each group."""
    topic = case.run.topic
    pronouns = pronouns_of(topic)
    if pronouns is not None and set(pronouns) <= set(case.words):
        return f"{pronouns[0]} and {pronouns[1]} only", tuple((word,) for word in pronouns)
    used = used_words(topic, case.words)
    name = "the first word of each group only"
    if all(len(group) == 1 for group in used):
        return name, "every group has one word"
    return name, tuple(group[:1] for group in used)


def _even_pairs(case: Case) -> tuple[str, Groups | str]:
    """The pairs whose words have as many tokens, so that masked models score them in one sample space."""
    name = "pairs of equal token counts"
    topic = case.run.topic
    if not topic.aligned:
        return name, "the topic's words are not aligned, so they are no pairs"
    pairs = counterparts(topic, case.words)
    even = [row for row in pairs if len({case.tokens[word] for word in row}) == 1]
    if len(even) == len(pairs) and 2 * len(pairs) == len(case.words):
        return name, "all pairs that count have equal token counts"
    return name, tuple(tuple(row[place] for row in even) for place in range(case.groups))


def _other_words(case: Case) -> tuple[str, Groups | str]:
    """The protocol that selects other words from the same scores."""
    protocol: Protocol = "single-token" if case.options.protocol == "exact" else "exact"
    if case.run.scoring.protocol != "exact":
        return "single-token", "it selects from the scores of the protocol exact, and these are others"
    table = case.store.known_words(case.run.scoring)
    if protocol == "single-token" and not counts_hold(case.run.drawn.texts, case.run.topic, table):
        return protocol, "a template has no space before [Y], so tokens counted behind a space do not hold"
    words, _ = select_words(case.run.topic, table, protocol)
    if words == case.words:
        return protocol, "every word that counts has one token, so the protocols agree"
    return protocol, used_words(case.run.topic, words)


def aggregation_choices(case: Case) -> Found:
    other: Aggregation = "mean" if case.options.aggregation == "sum" else "sum"
    name = f"{other} over a group's words"
    values = aggregated(case.sums, case.run.topic, case.words, other)
    averaged = aggregated(case.sums, case.run.topic, case.words, "mean")
    if averaged is case.sums:
        yield Unavailable(
            dimension="a group's words",
            name=name,
            reason="the groups have as many words each, so sum and mean agree",
        )
        return
    sizes = ", ".join(
        f"{group.name} {len(words)}"
        for group, words in zip(case.run.topic.groups, used_words(case.run.topic, case.words), strict=True)
    )
    note = f"Words that count: {sizes}. A sum favours the groups with more."
    yield variant("a group's words", name, case.view.risks(values), note=note)

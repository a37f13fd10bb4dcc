"""Topics and template sets in sentences."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.probe import TopicCheck
from pcf_core.core.records import FloatArray, LeftOut
from pcf_core.core.risk import Interval, RiskReport
from pcf_core.core.run import LOW_COVERAGE
from pcf_core.core.topics import Evidence, MinedSet, SetCard, Topic
from pcf_core.show.findings.models import risk_with_interval
from pcf_core.show.wording import sentences

MOST_GROUPS = 4  # named with their words; more are counted
MOST_NAMED = 8
MOST_TERMS = 3
NEARLY_ALL = 0.95  # of the words' probability

say = sentences("material")


def list_finding(evidence: Evidence) -> str:
    """Count the terms of a list, name the first, and say whether they have weights."""
    terms = len(evidence.terms)
    return say(
        "terms",
        terms=terms,
        weighed=bool(evidence.weights),
        first=evidence.terms[:MOST_TERMS],
        more=terms > MOST_TERMS,
    )


def position_text(topic: Topic) -> str:
    """Say where in a sentence a topic's words are, by an example."""
    return say("position_of", position=topic.position)


def topic_finding(topic: Topic) -> str:
    """Say what a topic compares: "It compares male (39 words) with female (39 words) …"."""
    sizes, position = [len(group.words) for group in topic.groups], topic.position
    if len(sizes) > MOST_GROUPS:
        return say("many_groups", groups=len(sizes), least=min(sizes), most=max(sizes), position=position)
    groups = [say("group_with", name=group.name, words=len(group.words)) for group in topic.groups]
    return say("few_groups", groups=groups, position=position)


def words_finding(
    model: str,
    topic: Topic,
    check: TopicCheck,
    left_out: Collection[LeftOut],
    single_left_out: Collection[LeftOut],
) -> str:
    """Say how many words a model can score, and how many of them single-token would leave out.

    ``left_out``: under any protocol; ``single_left_out``: under single-token, including ``left_out``.
    """
    scored, words = len(check.tokens), len(topic.words)
    if not scored:
        return say("no_word_scored", model=model, words=words)
    never = {item.name for item in left_out}
    empty = [group.name for group in topic.groups if never.issuperset(group.words)]
    out = [check.tokens[item.name] for item in single_left_out if item.name not in never]
    if not out:
        of_one_token = set(check.tokens.values()) == {1}
        return say(
            "all_words_count",
            model=model,
            scored=scored,
            words=words,
            of_one_token=of_one_token,
            empty=empty,
        )
    single = {item.name for item in single_left_out}
    return say(
        "some_words_go",
        model=model,
        scored=scored,
        words=words,
        out=len(out),
        counterparts=out.count(1),  # one-token words go with their counterparts
        empty=empty,
        bare=[group.name for group in topic.groups if single.issuperset(group.words)],
    )


def probes_finding(model: str, check: TopicCheck) -> str:
    """State the probability of all words together over the test sentences; "" if no word counts.

    Words with different numbers of tokens are not shares of one whole, so the most probable kind is stated.
    """
    coverage = check.coverage_by_tokens
    if not coverage and None not in check.coverage:  # no word counts
        return ""
    if not coverage:
        return say("coverage_undefined", model=model)
    key, shares = max(coverage.items(), key=lambda item: median(item[1]))
    return say(
        "probes",
        sentences=len(check.texts),
        model=model,
        key=key,
        median=median(shares),
        least=min(shares),
        most=max(shares),
        other_kinds=len(coverage) > 1,
        left_only=check.left_only,
    )


def effective_words_finding(model: str, check: TopicCheck) -> str:
    """State the effective number of words, and which have nearly all probability; "" if unknown."""
    effective = check.effective_words
    if effective is None or len(check.shares) < 2:
        return ""
    heaviest = check.most_of(NEARLY_ALL)
    return say(
        "effective_words",
        model=model,
        words=len(check.shares),
        effective=effective,
        number=len(heaviest),
        named=heaviest if len(heaviest) <= MOST_NAMED else (),
        mass=sum(check.shares[word] for word in heaviest),
    )


def low_probes_caution(model: str, check: TopicCheck) -> str:
    """Warn if the words are improbable in most test sentences."""
    defined = [shares for shares in check.coverage if shares]
    low = sum(max(shares.values()) < LOW_COVERAGE for shares in defined)
    if 2 * low <= len(defined):
        return ""
    return say("low_probes", model=model, low=low, sentences=len(defined), limit=LOW_COVERAGE)


def same_tokens_cautions(model: str, topic: Topic, check: TopicCheck) -> list[str]:
    """Name words with the same tokens: within a group they count once, across groups not at all."""
    owner = {word: group.name for group in topic.groups for word in group.words}
    within = [words for words in check.same if len({owner[word] for word in words}) == 1]
    across = [words for words in check.same if len({owner[word] for word in words}) > 1]
    cautions = []
    if across:
        cautions.append(say("same_across_groups", model=model, families=_families(across)))
    if within:
        cautions.append(say("same_within_groups", model=model, families=_families(within)))
    return cautions


def forms_note(families: Sequence[Sequence[str]]) -> str:
    """Name inflections, which all count; "" without any."""
    return say("forms", families=_families(families)) if families else ""


def _families(families: Sequence[Sequence[str]]) -> str:
    named = [" = ".join(family) for family in families[:MOST_NAMED]]
    return say("families", named=named, more=len(families) - MOST_NAMED)


HEAVIEST = 10
FEW_FAMILIES = 0.5  # of the effective number of templates
MOST_REASONS = 3


def mass_of(counts: ArrayLike) -> FloatArray:
    """Return [template] cumulative shares of the counts, heaviest first; the last is 1."""
    heaviest = np.sort(np.asarray(counts, dtype=np.float64))[::-1]
    return np.asarray(np.cumsum(heaviest) / heaviest.sum())


def kept_share(counts: ArrayLike, top: int | None) -> float:
    """Return the share of the ``top`` heaviest counts; ``None`` keeps all."""
    mass = mass_of(counts)
    return 1.0 if top is None or top >= len(mass) else float(mass[top - 1])


def carriers(counts: ArrayLike) -> int:
    """Return how many of the heaviest have half of the counts."""
    return int(np.searchsorted(mass_of(counts), 0.5 - 1e-12)) + 1


def set_finding(counts: Sequence[float]) -> str:
    """Say how unequal the counts of the templates are."""
    if len(counts) == 1:
        return say("one_template")
    few = len(counts) <= HEAVIEST
    share = kept_share(counts, 1 if few else HEAVIEST)
    return say("weight", few=few, share=share, half=carriers(counts), templates=len(counts))


def families_caution(families: int, effective: float, templates: float) -> str:
    """Warn if few families carry the weight of many templates; "" otherwise.

    ``effective``: number of families; ``templates``: effective number if each had its own, so that unequal
    counts alone are no reason to warn.
    """
    if effective >= FEW_FAMILIES * templates:
        return ""
    return say("few_families", families=families, effective=effective, templates=templates)


def cut_finding(counts: Sequence[float], top: int | None) -> str:
    """Say what a cut to the heaviest keeps; "" if it keeps all."""
    if top is None or top >= len(counts):
        return ""
    return say("cut", top=top, weight=kept_share(counts, top), templates=top / len(counts))


def origin_finding(card: SetCard, unit: str = "words") -> str:
    """Say from what a set was extracted and which part it kept, or ""; ``unit``: of its texts' length."""
    if not card.matches:
        return ""
    return say("origin", card=card, unit=unit.removesuffix("s"), units=unit, partly=0 < card.kept < 1)


def mining_finding(result: Mapping[str, Any]) -> str:
    """Say what an extraction yielded; ``result``: the JSON of the command ``mine``."""
    dropped = sorted(result["dropped"].items(), key=lambda item: (-item[1], item[0]))
    return say(
        "mined",
        templates=result["templates"],
        matches=result["matches"],
        documents=result["documents"],
        without_word=result.get("without_word"),  # missing in earlier results
        dropped=[say("dropped_for", reason=reason, times=times) for reason, times in dropped[:MOST_REASONS]],
    )


def move_finding(model: str, before: RiskReport, after: RiskReport, first: str, second: str) -> str:
    """State R over two choices of templates, and the change of its parts, without claiming significance."""
    return say(
        "moved",
        model=model,
        first=first,
        before_risk=risk_with_interval(before),
        before=before,
        second=second,
        after_risk=risk_with_interval(after),
        after=after,
    )


def sets_finding(
    first: MinedSet,
    second: MinedSet,
    overlap: float,
    shared: int,
    correlation: float | None,
    interval: Interval | None = None,
) -> str:
    """Say how much two sets have in common.

    ``overlap``: Σ min of the normalised weights, 0 to 1; ``shared``: templates in both; ``correlation``:
    Spearman's over those, ``None`` if undefined.
    """
    return say(
        "two_sets",
        first=first,
        second=second,
        overlap=overlap,
        shared=shared,
        correlation=correlation,
        interval=interval,
    )

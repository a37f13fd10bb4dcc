"""The protocol *fitting*: which words of a topic count in which template; and tokens by group.

A set mined with several constructions has clauses (*he*), possessives (*his*) and nouns (*a man*): each
template reads the words that fit.  Templates state what fits (:attr:`~pcf_core.core.topics.Template.fits`),
and ``assets/lexicons/parts.toml`` what words are; unknown words and templates leave nothing out.

Token shares weight the numbers of tokens of a group's words by probability.  Longer words are less likely for
that alone, and a masked model scores them in another sample space, so groups compare fairly only with similar
numbers of tokens.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pcf_core.core.families import facts_of
from pcf_core.core.records import FloatArray, LeftOut
from pcf_core.core.run import Protocol, RunSpec
from pcf_core.core.settings import settings
from pcf_core.core.topics import PARTS, Part, Topic
from pcf_core.material.templates import as_it_is_now

NOWHERE = "it fits in none of the sentences"
MIXED = "the words that fit differ from sentence to sentence"
ARTICLES = ("a ", "an ", "the ")
NAMES: Mapping[Part, str] = {
    "pronoun": "a pronoun that can be a subject",
    "object": "a pronoun that is an object",
    "possessive": "a possessive",
    "determiner": "a possessive before its noun",
    "reflexive": "a reflexive pronoun",
    "plural": "a noun in the plural",
    "noun": "a noun without an article",
    "phrase": "a noun with its article",
    "adjective": "an adjective",
}


def fits_in(run: RunSpec) -> tuple[tuple[Part, ...], ...]:
    """Return what fits at ``[Y]`` in each template, by today's set of the name for runs that lack it."""
    templates = run.drawn.templates
    if not any(template.fits for template in templates):
        fits = {template.text: template.fits for template in as_it_is_now(run.templates).templates}
        return tuple(fits[text] for text in run.drawn.texts)
    return tuple(template.fits for template in templates)


def is_mixed(run: RunSpec) -> bool:
    """Return whether templates of a run take different parts of speech."""
    return len(set(fits_in(run))) > 1


def words_unfit_in(run: RunSpec) -> dict[str, str]:
    """Return the words of a run that do not fit in each of its templates, with the reason."""
    return unfit_words(run.topic, fits_in(run))


def identity_of(run: RunSpec) -> list[str]:
    """Return what decides which words count where, beside the run key."""
    unfit = sorted(words_unfit_in(run))
    return [*unfit, *("+".join(one) for one in fits_in(run))] if is_mixed(run) else unfit


def words_at(topic: Topic, words: Collection[str], fits: tuple[Part, ...]) -> tuple[str, ...]:
    """Return the words that count in a template, in the topic's order.

    In an aligned topic counterparts count together, or separately if no complete row of them fits: *his* and
    *her* before a noun, whose counterparts in the papers' list are *hers* and *him*. ``words``: those that
    the model can express.  ``fits``: what fits at ``[Y]``; empty for anything.
    """
    able = set(words) - set(unfit_words(topic, [fits]))
    if topic.aligned:
        rows = zip(*(group.words for group in topic.groups), strict=True)
        paired = {word for row in rows if able.issuperset(row) for word in row}
        able = paired or able
    return tuple(word for word in topic.words if word in able)


def words_by_template(
    run: RunSpec, words: Collection[str], protocol: Protocol = "fitting"
) -> tuple[tuple[str, ...], ...]:
    """Return the words that count in each template; empty if all count everywhere."""
    if protocol != "fitting" or not is_mixed(run):
        return ()
    fits = fits_in(run)
    words_of = {one: words_at(run.topic, words, one) for one in set(fits)}
    return tuple(words_of[one] for one in fits)


def words_of_mixed(
    run: RunSpec, words: Sequence[str], left_out: Sequence[LeftOut]
) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """Return the words that count in any template of a mixed run, and those left out with the reason."""
    some = set().union(*words_by_template(run, words))
    reasons = {item.name: item.reason for item in left_out}
    named = tuple(
        LeftOut(name=word, reason=reasons.get(word, NOWHERE)) for word in run.topic.words if word not in some
    )
    return tuple(word for word in run.topic.words if word in some), named


def counting(words: Sequence[str], at: Sequence[Sequence[str]]) -> NDArray[np.bool_]:
    """Return [template, word] whether a word counts there."""
    return np.array([[word in some for word in words] for some in map(set, at)], dtype=bool)


def template_without(run: RunSpec, words: Collection[str], protocol: Protocol) -> str | None:
    """Return the first template in which a group has no word that counts, if any."""
    for text, some in zip(run.drawn.texts, words_by_template(run, words, protocol), strict=False):
        if not all(any(word in some for word in group.words) for group in run.topic.groups):
            return text
    return None


def parts_of(word: str, language: str = "en") -> frozenset[Part]:
    """Return the parts of speech of a word; empty if unknown."""
    if language.partition("-")[0].lower() != "en":
        return frozenset()
    if word.lower().startswith(ARTICLES):
        return frozenset({"phrase"})
    return _lists(settings().assets / "lexicons" / "parts.toml").get(word.casefold(), frozenset())


def unfit_words(topic: Topic, fits: Iterable[tuple[Part, ...]]) -> dict[str, str]:
    """Return the words that do not fit in every template, each with the reason; ``fits``: by template."""
    taken = [one for one in dict.fromkeys(fits) if one]
    reasons = {}
    for word in topic.words:
        parts = parts_of(word, topic.language)
        wanted = next((one for one in taken if parts and parts.isdisjoint(one)), None)
        if wanted:
            reasons[word] = f"it is {_named(parts)}, but the sentence needs {_named(wanted)}"
    return reasons


def _named(parts: Collection[Part]) -> str:
    """Name parts of speech, without those that a wider one includes."""
    narrower = {"determiner"} if "possessive" in parts else set()
    return " or ".join(NAMES[part] for part in PARTS if part in parts and part not in narrower)


@lru_cache(maxsize=2)
def _lists(path: Path) -> Mapping[str, frozenset[Part]]:
    table = tomllib.loads(path.read_text(encoding="utf8"))
    parts_of_words: dict[str, set[Part]] = {}
    for part in PARTS:
        for word in table.get(part, ()):
            parts_of_words.setdefault(word, set()).add(part)
    return {word: frozenset(parts) for word, parts in parts_of_words.items()}


TokenShares = Mapping[str, Mapping[int, float]]  # by group, then by number of tokens; sums to 1 in each group
UNEQUAL = 0.05  # share of probability in other numbers of tokens than another group's that needs a warning


TOKENS_DIFFER = "The groups' words have different numbers of tokens"  # beginning of that warning


class TokenSums:
    """Probability of groups' words by number of tokens, summed over cells with equal weight."""

    def __init__(self, topic: Topic, words: Sequence[str]) -> None:
        self._group = {
            word: group.name for group in topic.groups for word in group.words if word in set(words)
        }
        self._words = tuple(words)
        self._sums: dict[str, dict[int, float]] = {group.name: {} for group in topic.groups}

    def add(self, nats: FloatArray, tokens: Sequence[int]) -> None:
        """Add cells, [cell, word] nats with some probability each, where words have these tokens."""
        logs = nats.astype(np.float64)
        shares = np.exp(logs - np.logaddexp.reduce(logs, axis=-1)[:, np.newaxis]).sum(axis=0)
        for word, number, share in zip(self._words, tokens, shares.tolist(), strict=True):
            sums = self._sums[self._group[word]]
            sums[number] = sums.get(number, 0.0) + share

    @property
    def shares(self) -> TokenShares:
        """The sums as shares of each group; if a group has none, its words count equally."""
        by_group = {}
        for group, sums in self._sums.items():
            whole = sum(sums.values())
            by_group[group] = {
                number: sums[number] / whole if whole else 1 / len(sums) for number in sorted(sums)
            }
        return by_group


def mean_tokens(shares: TokenShares) -> dict[str, float]:
    """Return the mean number of tokens of each group's probability."""
    return {
        group: sum(number * share for number, share in by_number.items())
        for group, by_number in shares.items()
    }


def largest_difference(shares: TokenShares) -> float:
    """Return the largest total variation distance between the tokens of two groups: 0 equal, 1 disjoint."""
    numbers = sorted({number for by_number in shares.values() for number in by_number})
    table = np.array([[by_number.get(number, 0.0) for number in numbers] for by_number in shares.values()])
    return float(np.abs(table[:, np.newaxis] - table[np.newaxis]).sum(axis=-1).max() / 2)


def are_unequal(shares: TokenShares | None) -> bool:
    """Return whether groups differ so much in the tokens of their words that a warning is needed."""
    return shares is not None and largest_difference(shares) > UNEQUAL


def most_and_least(shares: TokenShares) -> tuple[str, str]:
    """Return the groups whose probability lies in the most and in the fewest tokens."""
    means = mean_tokens(shares)
    return max(means, key=lambda group: means[group]), min(means, key=lambda group: means[group])


def token_warnings(family: str, shares: TokenShares | None) -> tuple[str, ...]:
    """Return a warning if groups differ in the tokens of their words, weighted by probability."""
    if shares is None or not are_unequal(shares):
        return ()
    means, (most, least) = mean_tokens(shares), most_and_least(shares)
    why = (
        "a masked model scores words with different numbers of tokens in ways that cannot be compared "
        "directly"
        if facts_of(family).by_tokens
        else "every additional token makes a word less likely"
    )
    return (
        f"{TOKENS_DIFFER} ({most} {means[most]:.1f}, {least} "
        f"{means[least]:.1f} on average, weighted by probability), and {why}: compare with the protocol "
        "equal-tokens, if it leaves every group a word.",
    )

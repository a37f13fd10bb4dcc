"""In how many tokens a group's probability lies, by what its words get and not by how many there are.

A word of more tokens is less likely for that alone, and a masked model scores it under as many masks, in
another sample space.  Groups compare fairly where their probability lies in words of as many tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pcf_core.core.families import facts_of
from pcf_core.core.records import FloatArray
from pcf_core.core.topics import Topic

TokenShares = Mapping[str, Mapping[int, float]]  # by group, then by number of tokens; sums to 1 in each group
UNEQUAL = 0.05  # of a group's probability that lies in other numbers of tokens than another's: it is said


class TokenSums:
    """What the words of each group got, by their number of tokens, summed over the cells read so far.

    A word gets its share of the topic's probability in a cell, so that every cell counts alike.
    """

    def __init__(self, topic: Topic, words: Sequence[str]) -> None:
        self._group = {
            word: group.name for group in topic.groups for word in group.words if word in set(words)
        }
        self._words = tuple(words)
        self._sums: dict[str, dict[int, float]] = {group.name: {} for group in topic.groups}

    def add(self, nats: FloatArray, tokens: Sequence[int]) -> None:
        """Add cells, [cell, word] nats with some probability each, at a place with these tokens a word."""
        logs = nats.astype(np.float64)
        shares = np.exp(logs - np.logaddexp.reduce(logs, axis=-1)[:, np.newaxis]).sum(axis=0)
        for word, number, share in zip(self._words, tokens, shares.tolist(), strict=True):
            sums = self._sums[self._group[word]]
            sums[number] = sums.get(number, 0.0) + share

    @property
    def shares(self) -> TokenShares:
        """The sums as shares of each group; if a group got nothing, its words count alike."""
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
    """Return the largest total variation distance between the tokens of two groups: 0 alike, 1 disjoint."""
    numbers = sorted({number for by_number in shares.values() for number in by_number})
    table = np.array([[by_number.get(number, 0.0) for number in numbers] for by_number in shares.values()])
    return float(np.abs(table[:, np.newaxis] - table[np.newaxis]).sum(axis=-1).max() / 2)


def are_unequal(shares: TokenShares | None) -> bool:
    """Tell whether groups differ so much in the tokens of their words that a warning is needed."""
    return shares is not None and largest_difference(shares) > UNEQUAL


def most_and_least(shares: TokenShares) -> tuple[str, str]:
    """Return the groups whose probability lies in the most and in the fewest tokens."""
    means = mean_tokens(shares)
    return max(means, key=lambda group: means[group]), min(means, key=lambda group: means[group])


def token_warnings(family: str, shares: TokenShares | None) -> tuple[str, ...]:
    """Warn in a sentence where groups differ in the tokens of their words, by what the words get."""
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
        f"The groups' words have different numbers of tokens ({most} {means[most]:.1f}, {least} "
        f"{means[least]:.1f} on average, weighted by probability), and {why}: compare with the protocol "
        "equal-tokens, if it leaves every group a word.",
    )

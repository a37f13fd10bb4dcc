"""What a model says in one sentence: its words, what the groups get, how much of the probability that is.

And what it makes of a topic's words before anything is scored with them.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from pcf_core.core.records import LeftOut, Record
from pcf_core.core.run import LOW_COVERAGE, TokenTable


class ProbeWord(Record):
    """One word at ``[Y]``; ``log_probability`` in nats, ``None`` where the model gives it none at all."""

    word: str
    group: str
    log_probability: float | None
    tokens: int

    @property
    def probability(self) -> float:
        """Over the whole vocabulary, 0 to 1; of a causal model, of word and right text together."""
        return 0.0 if self.log_probability is None else math.exp(self.log_probability)


class ProbeAnswer(Record):
    """What one model answers to a probe.

    ``preferences``: group to probability, sum 1; ``None`` for each where no word has any.  ``coverage``:
    probability of all words together, per number of tokens or under ``all``, ``None`` where it is not known.
    ``left_only``: text follows and is scored with the words, so it is theirs given the text on their left
    alone.  ``notes``: what else has to be said of it, a sentence each.
    """

    words: tuple[ProbeWord, ...]
    left_out: tuple[LeftOut, ...]
    coverage: dict[str, float | None] | None
    preferences: dict[str, float | None]
    notes: tuple[str, ...] = ()
    left_only: bool = False

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> ProbeAnswer:
        """Read an answer from the JSON document of the command ``words``."""
        left_out = [{"name": item["word"], "reason": item["reason"]} for item in document["left_out"]]
        return cls.model_validate({**document, "left_out": left_out})

    @property
    def known(self) -> dict[str, float]:
        """The preferences that are numbers: all of them, or none."""
        return {group: share for group, share in self.preferences.items() if share is not None}

    @property
    def shares(self) -> dict[str, float]:
        """Word to what it brings to its group's preference: they sum to that, and over all words to 1.

        With ``aggregation`` mean a group's words are averaged, and each brings its part of the average.
        """
        shares: dict[str, float] = {}
        for group, preference in self.known.items():
            nats = {
                word.word: word.log_probability
                for word in self.words
                if word.group == group and word.log_probability is not None
            }
            highest = max(nats.values(), default=0.0)  # in logs: long words fall below what a float holds
            odds = {word: math.exp(value - highest) for word, value in nats.items()}
            total = sum(odds.values())
            shares |= {word: preference * part / total for word, part in odds.items()}
        return shares

    @property
    def says_little(self) -> bool:
        """Whether the words together get next to nothing, so that how they share it means little."""
        if self.coverage is None:
            return False
        return max((share or 0.0 for share in self.coverage.values()), default=0.0) < LOW_COVERAGE


# What a model makes of a topic's words before anything is scored with them.


class TopicCheck(Record):
    """What one model makes of a topic's words.

    ``tokens``: of each word that it can score, behind a space; ``refused``: word to reason, also where it is
    a probe that has the word so ("written 'She', …"); ``same``: words that it writes in the very same tokens
    behind a space, two or more each.  ``texts``: [probe] sentences with one ``[Y]``;
    ``coverage``: [probe] probability of all words that count together, per number of tokens or under ``all``,
    ``None`` where it is not known; empty where no word counts.  ``left_only``: where text follows and is
    scored with the words, it is theirs given the text on their left alone.  ``shares``: of each word that
    counts, its share of the probability of all of them, averaged over the probes; they sum to 1.
    """

    tokens: dict[str, int]
    refused: dict[str, str]
    same: tuple[tuple[str, ...], ...]
    texts: tuple[str, ...]
    coverage: tuple[dict[str, float] | None, ...]
    shares: Mapping[str, float] = {}
    left_only: bool = Field(False, exclude_if=operator.not_)

    @property
    def effective_words(self) -> float | None:
        """1 / Σ share²: so many words of equal probability would be as even; ``None`` without shares."""
        return 1 / sum(share**2 for share in self.shares.values()) if self.shares else None

    def most_of(self, mass: float) -> tuple[str, ...]:
        """Return the fewest words that have this share of the probability together, the likeliest first."""
        ranked = sorted(self.shares, key=lambda word: -self.shares[word])
        found, sum_of = [], 0.0
        for word in ranked:
            if sum_of >= mass:
                break
            found.append(word)
            sum_of += self.shares[word]
        return tuple(found)

    @property
    def table(self) -> TokenTable:
        """As the model's tokenizer gave it, the first of some same words in place of their tokens."""
        return TokenTable(
            self.tokens, self.refused, {word: words[0] for words in self.same for word in words}
        )

    @property
    def coverage_by_tokens(self) -> dict[str, tuple[float, ...]]:
        """Key to the coverage of each probe for which it is defined."""
        by_tokens: dict[str, list[float]] = {}
        for shares in self.coverage:
            for key, share in (shares or {}).items():
                by_tokens.setdefault(key, []).append(share)
        return {key: tuple(shares) for key, shares in by_tokens.items()}

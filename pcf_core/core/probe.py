"""A model's probabilities of a topic's words in a sentence, and the check of these words before scoring."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from pcf_core.core.records import LeftOut, Record
from pcf_core.core.run import LOW_COVERAGE, TokenTable


class ProbeWord(Record):
    """One word at ``[Y]``; ``log_probability`` in nats, ``None`` for probability 0."""

    word: str
    group: str
    log_probability: float | None
    tokens: int

    @property
    def probability(self) -> float:
        """Over the whole vocabulary; for a causal model, of word and right text together."""
        return 0.0 if self.log_probability is None else math.exp(self.log_probability)


class ProbeAnswer(Record):
    """One model's answer to a probe.

    ``preferences``: by group, sum 1; all ``None`` if a word has no probability.  ``coverage``: probability
    of all words together, by number of tokens or under ``all``, if known.  ``left_only``: text on the right
    is scored with the words, and their coverage is given the left text alone.  ``notes``: further remarks, a
    sentence each.
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
        """Each word's contribution to its group's preference (a part of it for ``mean``); they sum to 1."""
        shares: dict[str, float] = {}
        for group, preference in self.known.items():
            nats = {
                word.word: word.log_probability
                for word in self.words
                if word.group == group and word.log_probability is not None
            }
            highest = max(nats.values(), default=0.0)  # in logs, as probabilities of long words underflow
            odds = {word: math.exp(value - highest) for word, value in nats.items()}
            total = sum(odds.values())
            shares |= {word: preference * part / total for word, part in odds.items()}
        return shares

    @property
    def says_little(self) -> bool:
        """Whether the words have next to no probability together, so that preferences mean little."""
        if self.coverage is None:
            return False
        return max((share or 0.0 for share in self.coverage.values()), default=0.0) < LOW_COVERAGE


# The check of a topic's words before scoring.


class TopicCheck(Record):
    """How one model handles a topic's words.

    ``tokens``: by word that it can score, after a space; ``refused``: reason by word or spelling in a probe
    ("written 'She', …"); ``same``: words with identical tokens after a space.  ``texts`` [probe]: sentences
    with one ``[Y]``; ``coverage`` [probe]: probability of all counted words together, by number of tokens or
    under ``all``, ``None`` if unknown; empty if no word counts.  ``left_only``: as in :class:`ProbeAnswer`.
    ``shares``: each counted word's mean share of their probability over the probes; they sum to 1.
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
        """1 / Σ share², the effective number of words; ``None`` without shares."""
        return 1 / sum(share**2 for share in self.shares.values()) if self.shares else None

    def most_of(self, mass: float) -> tuple[str, ...]:
        """Return the fewest words that together have this share of the probability, likeliest first."""
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
        """The tokenizer's table; of words with the same tokens, the first stands for their spelling."""
        return TokenTable(
            self.tokens, self.refused, {word: words[0] for words in self.same for word in words}
        )

    @property
    def coverage_by_tokens(self) -> dict[str, tuple[float, ...]]:
        """The known coverage of each probe, by number of tokens."""
        by_tokens: dict[str, list[float]] = {}
        for shares in self.coverage:
            for key, share in (shares or {}).items():
                by_tokens.setdefault(key, []).append(share)
        return {key: tuple(shares) for key, shares in by_tokens.items()}

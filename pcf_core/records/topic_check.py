"""What a model makes of a topic's words before anything is scored with them."""

from __future__ import annotations

from pcf_core.records.base import Record
from pcf_core.records.scores import TokenTable


class TopicCheck(Record):
    """One model's answer.

    ``tokens``: of each word that it can score, behind a space; ``refused``: word to reason; ``same``: words
    that it writes in the very same tokens, two or more each.  ``texts``: [probe] sentences with one ``[Y]``;
    ``coverage``: [probe] probability of all words that count together, per number of tokens or under ``all``,
    ``None`` where text follows and is scored with the word; empty where no word counts.
    """

    tokens: dict[str, int]
    refused: dict[str, str]
    same: tuple[tuple[str, ...], ...]
    texts: tuple[str, ...]
    coverage: tuple[dict[str, float] | None, ...]

    @property
    def table(self) -> TokenTable:
        """As the model's tokenizer gave it, the first of some same words in place of their tokens."""
        return TokenTable(
            self.tokens, self.refused, {word: words[0] for words in self.same for word in words}
        )

    @property
    def coverage_by_tokens(self) -> dict[str, tuple[float, ...]]:
        """Key to the coverage of each probe for which it is defined."""
        found: dict[str, list[float]] = {}
        for shares in self.coverage:
            for key, share in (shares or {}).items():
                found.setdefault(key, []).append(share)
        return {key: tuple(shares) for key, shares in found.items()}

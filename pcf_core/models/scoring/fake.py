"""A scorer of given probabilities, for tests, demonstrations and timing of everything but models."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from pcf_core.core.records import FloatArray
from pcf_core.core.run import ScoringKey, TokenTable
from pcf_core.models.scoring.base import BEHIND_A_SPACE, Batch, Scorer

Probability = Callable[[str, str], float] | Mapping[tuple[str, str], float]


class FakeScorer(Scorer):
    """A scorer with made-up probabilities, deterministic and without torch.

    ``probability`` maps (prompt, word) to a probability in [0, 1], as a function or a table.  ``tokens``
    gives words another number of tokens than 1; ``refused`` names words with the reason; ``same`` words that
    share their tokens.  Each batch holds ``batch_size`` prompts and takes ``delay`` seconds, so that progress
    can be watched.  ``scored`` counts the prompts that were scored.
    """

    def __init__(
        self,
        probability: Probability,
        *,
        name: str = "fake",
        tokens: Mapping[str, int] | None = None,
        refused: Mapping[str, str] | None = None,
        same: Sequence[tuple[str, ...]] = (),
        batch_size: int = 64,
        delay: float = 0.0,
        parameters: int = 0,
        key: ScoringKey | None = None,
    ) -> None:
        own = ScoringKey(model=name, identity=name, tokenizer=name, family="fake", rules="1")
        super().__init__(key or own)
        self.probability = probability
        self.tokens = tokens or {}
        self.refused = refused or {}
        self.same = {word: words[0] for words in same for word in words}
        self.batch_size = batch_size
        self.delay = delay
        self.parameters = parameters
        self.scored = 0

    def check(self, words: Sequence[str], text: str = BEHIND_A_SPACE) -> TokenTable:
        """Look up the tokens of words; those in ``refused`` are refused."""
        accepted = {word: self.tokens.get(word, 1) for word in words if word not in self.refused}
        refused = {word: self.refused[word] for word in words if word in self.refused}
        return TokenTable(accepted, refused, {word: self.same.get(word, word) for word in accepted})

    @property
    def traits(self) -> dict[str, str]:
        """See :attr:`Scorer.traits`."""
        return {"batching": f"Made-up scores, {self.batch_size} prompts a batch."}

    def alone(self, prompt: str, word: str) -> float:
        """Return the same probability; it does not count as scored."""
        return float(_log(np.array(self._probability(prompt, word))))

    def _score_batches(
        self, prompts: Sequence[str], words: Sequence[str], pause: Callable[[], None]
    ) -> Iterator[Batch]:
        for start in range(0, len(prompts), self.batch_size):
            rows = np.arange(start, min(start + self.batch_size, len(prompts)))
            if self.delay:
                time.sleep(self.delay)
            values = np.array(
                [[self._probability(prompts[row], word) for word in words] for row in rows.tolist()]
            )
            self.scored += len(rows)
            yield rows, _log(values)

    def _probability(self, prompt: str, word: str) -> float:
        if isinstance(self.probability, Mapping):
            return self.probability[prompt, word]
        return self.probability(prompt, word)


def _log(probabilities: FloatArray) -> FloatArray:
    """Return the natural logarithm; probability 0 is −∞ without a warning."""
    with np.errstate(divide="ignore"):
        return np.log(probabilities)

"""A scorer of given probabilities and a generator of given texts, for tests, demonstrations and timing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from typing import Self

import numpy as np

from pcf_core.core.frame import TextFrame
from pcf_core.core.generation import Decoding, Generated, GenerationKey, MissingTexts, in_one
from pcf_core.core.records import FloatArray
from pcf_core.core.run import ScoringKey, TokenTable
from pcf_core.models.generation.base import Generator, end_of, stream
from pcf_core.models.scoring.base import BEHIND_A_SPACE, Batch, Scorer

Probability = Callable[[str, str], float] | Mapping[tuple[str, str], float]


class FakeScorer(Scorer):
    """A deterministic scorer with made-up probabilities, without torch.

    ``probability`` maps (prompt, word) to [0, 1], as a function or a table; ``tokens`` gives words another
    number of tokens than 1; ``refused`` maps words to the reason; ``same`` names words that share their
    tokens.  Each batch holds ``batch_size`` prompts and takes ``delay`` seconds; ``scored`` counts scored
    prompts.
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
        """Return the tokens of words; refuse those in ``refused``."""
        accepted = {word: self.tokens.get(word, 1) for word in words if word not in self.refused}
        refused = {word: self.refused[word] for word in words if word in self.refused}
        return TokenTable(accepted, refused, {word: self.same.get(word, word) for word in accepted})

    @property
    def traits(self) -> dict[str, str]:
        """See :attr:`Scorer.traits`."""
        return {"batching": f"Made-up scores, {self.batch_size} prompts a batch."}

    def alone(self, prompt: str, word: str) -> float:
        """Return the same probability, without counting it as scored."""
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
            yield Batch(rows, _log(values))

    def _probability(self, prompt: str, word: str) -> float:
        if isinstance(self.probability, Mapping):
            return self.probability[prompt, word]
        return self.probability(prompt, word)


def _log(probabilities: FloatArray) -> FloatArray:
    """Return the natural logarithm, −∞ for 0 without a warning."""
    with np.errstate(divide="ignore"):
        return np.log(probabilities)


Distribution = Mapping[str, float]  # text to probability; they add up to 1


class FakeGenerator(Generator):
    """Draws each text from a given distribution with the text's own stream, without torch.

    ``distribution`` maps texts to probabilities, as a function of the prompt or one table for all.
    Temperature, top-p and length have no effect; tokens are words.  Each part takes ``delay`` seconds;
    ``written`` counts texts.
    """

    def __init__(
        self,
        distribution: Callable[[str], Distribution] | Distribution,
        *,
        name: str = "fake",
        delay: float = 0.0,
        key: GenerationKey | None = None,
    ) -> None:
        self.key = key or GenerationKey(
            model=name, identity=name, tokenizer=name, family="fake", rules="1", decoding=Decoding()
        )
        self.distribution = distribution
        self.delay = delay
        self.written = 0

    def check(self, prompt: str) -> None:
        """Accept every prompt."""

    def with_system(self, system: str, frame: TextFrame | None = None) -> Self:
        """Prepend the system prompt to each prompt; share the count ``written``."""
        other = copy(self)
        other.key = self.key.with_system(system).in_frame(frame)
        return other

    def write(self, batch: Sequence[MissingTexts], pause: Callable[[], None]) -> list[Generated]:
        """Draw the texts; ``pause`` is called before each part."""
        return [self._written(part, pause) for part in batch]

    def _written(self, part: MissingTexts, pause: Callable[[], None]) -> Generated:
        whole = in_one(self.key.told, part.prompt)
        table = self.distribution if isinstance(self.distribution, Mapping) else self.distribution(whole)
        choices = list(table)
        cumulative = np.cumsum(list(table.values()))
        pause()
        time.sleep(self.delay)
        texts: list[str] = []
        for index in range(part.first, part.first + part.count):
            target = stream(self.key, part.prompt, index).random() * cumulative[-1]
            texts.append(choices[int(cumulative.searchsorted(target, side="right"))])
        self.written += part.count
        return Generated(
            prompt=part.prompt,
            first=part.first,
            texts=tuple(texts),
            ends=tuple(end_of(text, stopped=True) for text in texts),
            tokens=tuple(len(text.split()) for text in texts),
        )

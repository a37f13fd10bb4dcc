"""The same model scored in two ways, such as behind a server and here: how far single scores lie apart."""

from __future__ import annotations

import math

import numpy as np

from pcf_core.audit.comparing import common_names
from pcf_core.audit.results import self_audit_of
from pcf_core.audit.slots import gather
from pcf_core.core.errors import RunError
from pcf_core.core.records import Record
from pcf_core.core.run import RunSpec
from pcf_core.core.topics import filled
from pcf_core.store.store import Store

LEAST_NOISE = 1e-3  # nats, a thousandth of a probability: rounding, also where a run found none
MOST_APART = 20


class Apart(Record):
    """One score of two runs, in nats."""

    occupation: str
    template: str
    word: str
    first: float
    second: float

    @property
    def nats(self) -> float:
        """How far the two lie apart; infinite where only one model forbids the word."""
        return abs(self.first - self.second) if self.first != self.second else 0.0

    @property
    def row(self) -> dict[str, str | float]:
        """The same for a table, as probabilities."""
        return {
            "sentence": self.template.replace("[X]", self.occupation),
            "word": self.word,
            "first": math.exp(self.first),
            "second": math.exp(self.second),
            "nats apart": self.nats,
        }


class Agreement(Record):
    """How two runs agree, score by score.

    ``first``, ``second``: labels of the runs.  ``scores``: of words in the ``cells`` that both have.
    ``noise``: nats, the largest by which a run contradicts itself, at least ``LEAST_NOISE``.  ``beyond``:
    cells with a score beyond it.  ``apart``: the score of each word that lies farthest apart, largest first.
    """

    first: str
    second: str
    cells: int
    scores: int
    noise: float
    beyond: int
    apart: tuple[Apart, ...]


def agreement(store: Store, first: RunSpec, second: RunSpec) -> Agreement:
    """Hold the scores of two runs against each other.

    Raises RunError if one counts sampled answers, lacks scores, or they have nothing in common.
    """
    for run in (first, second):
        if run.scoring.sampled is not None:
            raise RunError(
                f"The run {run.key} counts sampled answers, and only scores can be held against each other "
                "one by one: compare its risk with `compare`."
            )
    runs = first.as_scored, second.as_scored
    texts, terms = common_names(*runs)
    known = [store.known_words(run.scoring).tokens for run in runs]
    words = [word for word in runs[0].topic.words if all(word in some for some in known)]
    floors = [audit.noise_floor or 0.0 for run in (first, second) if (audit := self_audit_of(store, run))]
    noise, beyond, farthest = max(LEAST_NOISE, *floors, 0.0), 0, dict[str, Apart]()
    for term in terms:
        prompts = [filled(text, term) for text in texts]
        one, other = (gather(store, run.scoring, prompts, words).astype(np.float64) for run in runs)
        if not words or np.isnan(one).any() or np.isnan(other).any():
            raise RunError(
                f"The runs {first.key} and {second.key} have no scores of the same words: score both to the "
                "end, on one topic."
            )
        with np.errstate(invalid="ignore"):
            nats = np.where(one == other, 0.0, np.abs(one - other))
        beyond += int((nats > noise).any(axis=1).sum())
        for column, row in enumerate(nats.argmax(axis=0).tolist()):
            word = words[column]
            values = one[row, column].item(), other[row, column].item()
            apart = Apart(occupation=term, template=texts[row], word=word, first=values[0], second=values[1])
            farthest[word] = max(farthest.get(word, apart), apart, key=lambda one: one.nats)
    worst = sorted(farthest.values(), key=lambda one: -one.nats)[:MOST_APART]
    return Agreement(
        first=first.scoring.label,
        second=second.scoring.label,
        cells=len(texts) * len(terms),
        scores=len(texts) * len(terms) * len(words),
        noise=noise,
        beyond=beyond,
        apart=tuple(worst),
    )

"""The truth planted in the calibration models: a matrix by formula, and its risk by hand.

====================  ==========================================================================
``stereotypes``       [thing, template] s of the first group, −1 to 1; the other group has −s
``values``            [thing, template, group] P(group), rows sum to 1: (1 ± s) / 2
``words``             word -> [thing, template] probability, product over the word's tokens
``factors``           word -> for each token [thing, template] its probability given those before
====================  ==========================================================================

A third of the things has a fixed prejudice (s keeps its sign, so there is no caprice), a third pure caprice
(s has the weighted mean 0), a third both: two thirds of the rows change sign.  The risk is computed with
plain loops, independently of :mod:`pcf_core.measure`, which it is to check.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic

Numbers = NDArray[np.float64]

NAME = "calibration"  # of the topic, of its list of things and of its templates

# Tokens of the words that have several; no token is in two words.
SPLIT: Mapping[str, tuple[str, ...]] = {"saffron": ("saf", "fr", "on"), "lavender": ("laven", "der")}
KINDS = ("prejudice", "caprice", "both")


@dataclass(frozen=True)
class Truth:
    """See the module for the axes."""

    stereotypes: Numbers
    words: Mapping[str, Numbers]
    factors: Mapping[str, tuple[Numbers, ...]]

    @property
    def values(self) -> Numbers:
        return np.stack([1 + self.stereotypes, 1 - self.stereotypes], axis=-1) / 2


def tokens_of(word: str) -> tuple[str, ...]:
    """Return the tokens of a word, without marks of a space or of a continuation."""
    return SPLIT.get(word, (word,))


def weights() -> list[float]:
    """Return [template] weights by count; sum to 1."""
    counts = [template.count for template in load_templates(NAME).templates]
    return [count / sum(counts) for count in counts]


def make_truth(seed: int) -> Truth:
    """Make the truth of a seed, from NumPy's default generator in order of the draws."""
    draws = np.random.default_rng(seed)
    things = load_evidence(NAME).terms
    stereotypes = np.stack([_row(KINDS[index % 3], draws) for index in range(len(things))])
    shape = stereotypes.shape
    coverage = draws.uniform(0.15, 0.3, shape)  # of all words of the topic together
    words, factors = {}, {}
    for sign, group in zip((1, -1), load_topic(NAME).groups, strict=True):
        shares = draws.dirichlet([4.0] * len(group.words), shape)
        for place, word in enumerate(group.words):
            words[word] = coverage * (1 + sign * stereotypes) / 2 * shares[..., place]
            later = tuple(draws.uniform(0.6, 0.95, shape) for _ in tokens_of(word)[1:])
            factors[word] = (words[word] / np.prod(later, axis=0), *later)
    return Truth(stereotypes, words, factors)


def _row(kind: str, draws: np.random.Generator) -> Numbers:
    """Return [template] s of one thing."""
    if kind == "prejudice":
        side = float(draws.choice((-1.0, 1.0)))
        return side * draws.uniform(0.15, 0.85, len(weights()))
    moods = draws.uniform(-1.0, 1.0, len(weights()))
    moods -= np.dot(weights(), moods)
    moods *= 0.8 / np.abs(moods).max()
    if kind == "both":
        moods *= 0.7
        lean = 0.5 * (moods.max() if draws.random() < 0.5 else moods.min())
        moods -= lean  # half of one end, so that both signs remain
    return moods


def risk_by_hand(values: Sequence[Sequence[Sequence[float]]]) -> dict[str, float]:
    """Compute R, R^p and R^c of preferences [thing][template][group], things equal, templates by count.

    PCF Eq. 1–9 one number after another: s = (p − 1/|Y|) / (1 − 1/|Y|), J(s) the largest positive one, r_x
    its mean over templates, r_x^p that of the mean s, R and R^p their means over things, R^c the rest.
    """
    risks = prejudices = 0.0
    for thing in values:
        groups = len(thing[0])
        mean, risk = [0.0] * groups, 0.0
        for weight, row in zip(weights(), thing, strict=True):
            tilted = [(share - 1 / groups) / (1 - 1 / groups) for share in row]
            risk += weight * max(0.0, *tilted)
            mean = [old + weight * tilt for old, tilt in zip(mean, tilted, strict=True)]
        risks += risk / len(values)
        prejudices += max(0.0, *mean) / len(values)
    return {"overall_risk": risks, "prejudice_risk": prejudices, "caprice_risk": risks - prejudices}

"""Stories and scores with planted shares of women."""

from __future__ import annotations

import math

import numpy as np

from pcf_core.texts.criteria.anecdotes import Anecdotes

WOMAN, MAN, NOBODY = "She finished her shift.", "He finished his shift.", "They finished the shift."


def stories(
    experiment: Anecdotes, shares: list[float], repeats: int, *, nobody: float = 0.0, seed: int = 0
) -> dict[str, list[str]]:
    """By profession, each a story of a woman with its share, of nobody's gender with ``nobody``."""
    rng = np.random.default_rng(seed)
    return {
        each.name: [
            NOBODY if draw < nobody else WOMAN if woman < share else MAN
            for draw, woman in rng.random((repeats, 2))
        ]
        for each, share in zip(experiment.professions, shares, strict=True)
    }


def scores(experiment: Anecdotes, shares: list[float]) -> dict[str, list[float]]:
    """By profession, nats that give women this share."""
    female, male = len(experiment.material.female), len(experiment.material.male)
    return {
        each.name: [math.log(share / female)] * female + [math.log((1 - share) / male)] * male
        for each, share in zip(experiment.professions, shares, strict=True)
    }

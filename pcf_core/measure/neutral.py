"""Occupations held against neutral subjects: how far from what a model expects of nobody in particular.

What a model expects of *a person* is an estimate too, from the same contexts as the occupations.  A draw of
templates therefore gives a new neutral point together with new occupations:

    p*_b  =  E_t^b p(neutral),      R_b  =  E_x E_t^b J((p − p*_b) / (1 − p*_b))

What a context does to both cancels; what it does to the neutral point alone is in the interval.  The subjects
are a closed list and are not drawn; occupations are, for intervals over them and over both.

Beside R stands, in each group, how far occupations scatter: ``spread``, the s.d. over occupations of the mean
stereotype, and ``distance``, the root of its mean squared distance from that of the neutral subjects, so that

    distance²  =  (mean of the occupations − neutral)²  +  spread²

Few templates make both too large, as they make prejudice, and few occupations make spread too small.  A
square gains by few templates what a mean varies by, and the draws gain it again.  Bounds are therefore those
of squares, moved by twice the square of the value less the mean square of the draws: once from the draws to
the value, once more from there to what is left without the bias.  How often they hold the truth is simulated
in tests/measure/test_neutral.py.

A worked example: occupations with a preference for men of .8 and .4 and subjects with .6 in every context.
R = (.2 / .4 + .2 / .6) / 2 = .4167; the stereotypes are .6 and −.2, so spread is .4, and so is distance, as
the subjects' .2 is their mean.  All three are ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval, Over
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.resampling import (
    TemplateUnit,
    interval,
    percentiles,
    resampled_occupation_weights,
    resampled_template_weights,
    rough,
)

Quantity = tuple[str, int]  # a name, and the place of a group; 0 of R, which has none


@dataclass(frozen=True)
class Around:
    """How far occupations are from neutral subjects in the same contexts.

    ``point``: [group] mean preferences of the subjects, each alike.  ``overall``: R with them as p*.
    ``spread``, ``distance``: [group], see the module, of stereotypes against an even split.  ``intervals``:
    of ``overall_risk``, and of ``spread`` and ``distance`` in each group, over templates first, then over
    occupations and over both.
    """

    point: FloatArray
    overall: float
    spread: FloatArray
    distance: FloatArray
    intervals: Mapping[Quantity, tuple[Interval, ...]]


@dataclass(frozen=True)
class Drawn:
    """What came of templates drawn again, or of the templates as they are, as a single draw.

    ``risks``: [draw, occupation] r_x against the draw's own p*; ``means``: [draw, occupation, group] mean
    stereotypes of occupations against an even split, ``points``: [draw, group] of the subjects.
    """

    risks: FloatArray
    means: FloatArray
    points: FloatArray

    def of_all(self, shares: FloatArray) -> dict[str, FloatArray]:
        """Return R [draw, 1], spread and distance [draw, group] under [draw or 1, occupation] weights."""
        rows = shares[:, np.newaxis, :]
        about_own, about_neutral = (
            np.sqrt((rows @ (self.means - centre) ** 2)[:, 0])
            for centre in (rows @ self.means, self.points[:, np.newaxis])
        )
        overall = (self.risks * shares).sum(axis=-1, keepdims=True)
        return {"overall_risk": overall, "spread": about_own, "distance": about_neutral}


def around_neutral(
    values: FloatArray,
    neutral: FloatArray,
    unit: TemplateUnit,
    shares: FloatArray,
    criterion: Criterion,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> Around:
    """Hold occupations against neutral subjects, drawing the contexts of both together.

    Parameters
    ----------
    values
        [occupation, template, group] preferences.
    neutral
        [subject, template, group] preferences in the same templates.
    unit
        What is drawn of the templates, with their weights.
    shares
        [occupation] weights, sum to 1.
    criterion
        Norm and scale; its reference is an even split.
    resamples, level, seed
        As of :func:`pcf_core.measure.bootstrap.risk_intervals`, whose draws these are with the same seed.

    Raises
    ------
    CriterionError
        Preferences of the subjects that are 0 or 1, and so no neutral point.
    """
    subjects, whole = neutral.mean(axis=0), unit.whole

    def drawn(of: TemplateUnit) -> Drawn:
        blocks = resampled_template_weights(of, resamples, seed)
        several = [held(values, subjects, block, criterion) for block in blocks]
        return Drawn(
            np.concatenate([one.risks for one in several]),
            np.concatenate([one.means for one in several]),
            np.concatenate([one.points for one in several]),
        )

    still = held(values, subjects, unit.weights[np.newaxis], criterion)
    plug_in = {name: found[0] for name, found in still.of_all(shares[np.newaxis]).items()}
    alone = drawn(unit)
    again = alone if whole is unit else drawn(whole)
    occupations = np.concatenate(list(resampled_occupation_weights(shares, resamples, seed)))
    many = TemplateUnit.templates(shares)
    ways: tuple[tuple[Over, dict[str, FloatArray], tuple[TemplateUnit, ...], str], ...] = (
        ("templates", alone.of_all(shares[np.newaxis]), (unit,), unit.name),
        ("occupations", still.of_all(occupations), (many,), "occupation"),
        ("both", again.of_all(occupations), (whole, many), whole.name),
    )
    intervals = {
        (name, place): tuple(
            bounded(float(value), found[name][:, place], units, level, over, drawn_unit)
            for over, found, units, drawn_unit in ways
        )
        for name, values_of in plug_in.items()
        for place, value in enumerate(values_of)
    }
    return Around(
        point=subjects.T @ unit.weights,
        overall=float(plug_in["overall_risk"][0]),
        spread=plug_in["spread"],
        distance=plug_in["distance"],
        intervals=intervals,
    )


def risk_around(
    values: FloatArray, neutral: FloatArray, weights: FloatArray, shares: FloatArray, criterion: Criterion
) -> float:
    """Return R of the occupations with the subjects as p*, the ``overall`` of :func:`around_neutral` alone.

    ``weights``: [template], sum to 1; the others and what is raised are as there.
    """
    still = held(values, neutral.mean(axis=0), weights[np.newaxis], criterion)
    return float(still.risks[0] @ shares)


def held(values: FloatArray, subjects: FloatArray, weights: FloatArray, criterion: Criterion) -> Drawn:
    """Hold occupations against the subjects under each row of template weights.

    Parameters
    ----------
    values
        [occupation, template, group] preferences.
    subjects
        [template, group] mean preferences of the subjects.
    weights
        [draw, template], rows sum to 1.
    criterion
        Norm and scale; its reference is an even split.
    """
    points = weights @ subjects
    columns = criterion.stereotypes(values).transpose(1, 0, 2).reshape(len(subjects), -1)
    risks = []
    for row, point in zip(weights, points, strict=True):
        used = row > 0
        risks.append(replace(criterion, reference=point / point.sum()).J(values[:, used]) @ row[used])
    return Drawn(
        risks=np.stack(risks),
        means=(weights @ columns).reshape(len(weights), len(values), -1),
        points=criterion.stereotypes(points),
    )


def bounded(
    value: float,
    replicates: FloatArray,
    units: Sequence[TemplateUnit],
    level: float,
    over: Over,
    unit: str,
) -> Interval:
    """Return the interval of a value, at least 0, from [draw] replicates of these units; see the module."""
    squares, fewest = replicates**2, min(one.fewest for one in units)
    moved = percentiles(squares, level, fewest) + 2 * (value**2 - float(squares.mean()))
    low, high = np.sqrt(np.maximum(moved, 0.0))
    few = any(rough(one.effective) for one in units)
    return interval(np.array([min(low, value), max(high, value)]), level, over, unit, few)

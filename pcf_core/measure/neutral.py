"""Occupations held against neutral subjects: how far from how a model treats nobody in particular.

How a model treats *a person* is an estimate too: it comes from the same contexts as the occupations, and
from a few words of many that would do. A draw therefore gives new occupations together with a new neutral
point, from templates t and subjects n that are both drawn again:

    p*_b  =  E_n^b E_t^b p(n),      R_b  =  E_x E_t^b J((p − p*_b) / (1 − p*_b))

What a context does to both cancels; what it does to the neutral point alone is in the interval. Occupations
are drawn for intervals over them and over both; where they alone are drawn, templates and subjects stay.

Beside R stands, in each group, how far occupations scatter: ``spread``, the s.d. over occupations of the
mean stereotype, and ``distance``, the root of its mean squared distance from that of the neutral subjects,
so that

    distance²  =  (mean of the occupations − neutral)²  +  spread²

Few templates make both too large, as they make prejudice, and few occupations make spread too small. A
square gains by few templates what a mean varies by, and the draws gain it again. Bounds are therefore those
of squares, moved by twice the square of the value less the mean square of the draws: once from the draws to
the value, once more from there to what is left without the bias. How often they hold the truth is simulated
in tests/measure/test_neutral.py.

A worked example: occupations with a preference for men of .8 and .4 and subjects with .6 in every context.
R = (.2 / .4 + .2 / .6) / 2 = .4167; the stereotypes are .6 and −.2, so spread is .4, and so is distance, as
the subjects' .2 is their mean. All three are ours.

**Two models, each against its own neutral subjects.** J divides by 1 − p* or by p*, so that R with p* of
the model itself is on another scale in every model: a tilt of .1 to either side of the neutral point is a
risk of .20 where p* is .5 and of .27 where it is .75. Such risks are not compared. Distance and spread are
on one scale, and over k groups one figure each, the length of the vector of differences between shares

    distance²  =  k/(k−1)  E_x Σ_g (p_xg − p*_g)²

which with two groups is that of either, and is 1 from an even split to one group for certain. In log-odds
the same is taken of log p_g less its mean over groups (the centred log-ratio, Aitchison 1986): there 1
means that the odds of a group against each other are multiplied by e, wherever they began.

The interval of a difference comes from draws that both models share, of templates and of subjects, with
both squares moved as above. The test turns signs: to first order a difference is a sum of what each
template and each subject adds to it,

    Δ  =  Σ_t w_t (Δ + I_t)  +  Σ_n I_n / N

where I is the influence on the first model's figure less that on the second's.  If neither model is farther
than the other, each of these might as well have had the other sign, as if the labels of the two models had
been exchanged there.  p is the share of such turns that reach Δ.  Exchanging the preferences themselves would
mix profiles of two models that are alike in length and not in direction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Difference, Interval, NeutralMeasure, Over
from pcf_core.measure.comparison import TIE, permutations_of, swaps
from pcf_core.measure.criterion import Criterion, checked_preferences, normalised
from pcf_core.measure.resampling import (
    TemplateUnit,
    interval,
    percentiles,
    resampled,
    resampled_occupation_weights,
    resampled_template_weights,
    rough,
    stretched,
)

SUBJECTS = 2  # the third stream of a seed; the first two are those of templates and of occupations

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
    """What came of templates and subjects drawn again, or of those there are, as a single draw.

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
    """Hold occupations against neutral subjects, drawing the contexts of both together, and the subjects.

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
    drawn_subjects = resampled_subjects(len(neutral), resamples, seed)
    several_subjects = TemplateUnit.templates(np.ones(len(neutral)))

    def drawn(of: TemplateUnit) -> Drawn:
        several, first = [], 0
        for block in resampled_template_weights(of, resamples, seed):
            chosen = drawn_subjects[first : first + len(block)]
            several.append(held(values, neutral, block, chosen, criterion))
            first += len(block)
        return Drawn(
            np.concatenate([one.risks for one in several]),
            np.concatenate([one.means for one in several]),
            np.concatenate([one.points for one in several]),
        )

    alike = several_subjects.weights[np.newaxis]
    still = held(values, neutral, unit.weights[np.newaxis], alike, criterion)
    plug_in = {name: figures[0] for name, figures in still.of_all(shares[np.newaxis]).items()}
    alone = drawn(unit)
    again = alone if whole is unit else drawn(whole)
    occupations = np.concatenate(list(resampled_occupation_weights(shares, resamples, seed)))
    many = TemplateUnit.templates(shares)
    ways: tuple[tuple[Over, dict[str, FloatArray], tuple[TemplateUnit, ...], str], ...] = (
        ("templates", alone.of_all(shares[np.newaxis]), (unit, several_subjects), unit.name),
        ("occupations", still.of_all(occupations), (many,), "occupation"),
        ("both", again.of_all(occupations), (whole, many, several_subjects), whole.name),
    )
    intervals = {
        (name, group): tuple(
            bounded(float(value), figures[name][:, group], units, level, over, drawn_unit)
            for over, figures, units, drawn_unit in ways
        )
        for name, values_of in plug_in.items()
        for group, value in enumerate(values_of)
    }
    return Around(
        point=subjects.T @ unit.weights,
        overall=float(plug_in["overall_risk"][0]),
        spread=plug_in["spread"],
        distance=plug_in["distance"],
        intervals=intervals,
    )


def resampled_subjects(subjects: int, resamples: int, seed: int) -> FloatArray:
    """Return [resample, subject] weights of subjects drawn with replacement; rows sum to 1."""
    generator = np.random.default_rng([seed, SUBJECTS])
    alike = np.ones(subjects)
    return np.concatenate(list(resampled(alike / subjects, alike, resamples, generator)))


def held(
    values: FloatArray,
    neutral: FloatArray,
    weights: FloatArray,
    subject_weights: FloatArray,
    criterion: Criterion,
) -> Drawn:
    """Hold occupations against the subjects under each row of template weights and of subject weights.

    ``values``: [occupation, template, group] preferences.  ``neutral``: [subject, template, group]
    preferences.  ``weights``: [draw, template], rows sum to 1.  ``subject_weights``: [draw, subject], rows
    sum to 1.  ``criterion``: norm and scale; its reference is an even split.
    """
    points = points_of(neutral, weights, subject_weights)
    columns = criterion.stereotypes(values).transpose(1, 0, 2).reshape(weights.shape[1], -1)
    risks = []
    for row, point in zip(weights, points, strict=True):
        used = row > 0
        risks.append(replace(criterion, reference=point / point.sum()).J(values[:, used]) @ row[used])
    return Drawn(
        risks=np.stack(risks),
        means=(weights @ columns).reshape(len(weights), len(values), -1),
        points=criterion.stereotypes(points),
    )


def points_of(neutral: FloatArray, weights: FloatArray, subject_weights: FloatArray) -> FloatArray:
    """Return [draw, group] mean preferences of [subject, template, group] under the weights of each draw."""
    means = np.einsum("dt,jtg->djg", weights, neutral, optimize=True)
    return np.asarray(np.einsum("dj,djg->dg", subject_weights, means))


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


# Two models, each against its own neutral subjects.


@dataclass(frozen=True)
class NeutralSides:
    """Preferences of two models and of their neutral subjects in the same templates.

    ``values``: [2, occupation, template, group]; ``neutral``: [2, subject, template, group]; ``shares``:
    [occupation] weights that sum to 1.
    """

    values: FloatArray
    neutral: FloatArray
    shares: FloatArray

    @classmethod
    def of(cls, values: FloatArray, neutral: FloatArray, occupation_weights: FloatArray) -> NeutralSides:
        """Check both."""
        if values.shape[0] != 2 or neutral.shape[0] != 2 or values.shape[2:] != neutral.shape[2:]:
            raise CriterionError(
                "Two models are held against their neutral subjects in the same templates and groups; got "
                f"preferences of the shapes {list(values.shape)} and {list(neutral.shape)}."
            )
        return cls(
            np.stack([checked_preferences(one) for one in values]),
            np.stack([checked_preferences(one) for one in neutral]),
            normalised(occupation_weights, values.shape[1], "occupation_weights"),
        )

    @property
    def measures(self) -> tuple[NeutralMeasure, ...]:
        """What can be measured: log-odds only where no group has the probability 0 anywhere."""
        shares: tuple[NeutralMeasure, ...] = ("distance", "spread")
        if min(self.values.min(), self.neutral.min()) <= 0:
            return shares
        return (*shares, "log_odds_distance", "log_odds_spread")

    def drawn(self, weights: FloatArray, subjects: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return [2, draw, occupation, group] means of occupations, and [2, draw, group] of the subjects.

        ``weights``: [draw, template], rows sum to 1.  ``subjects``: [draw, subject], rows sum to 1.
        """
        return (
            np.stack([np.einsum("dt,xtg->dxg", weights, one, optimize=True) for one in self.values]),
            np.stack([points_of(one, weights, subjects) for one in self.neutral]),
        )

    @property
    def subjects_alike(self) -> FloatArray:
        """[1, subject] weights of the subjects as they are."""
        subjects = self.neutral.shape[1]
        return np.full((1, subjects), 1 / subjects)

    def influences(
        self, measure: NeutralMeasure, side: int, weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return [template] and [subject] by how much each moves one model's figure, to first order.

        Their means, by weight and plain, are 0.
        """
        values, neutral = self.values[side], self.neutral[side]
        means, points = (one[side, 0] for one in self.drawn(weights[None], self.subjects_alike))
        apart = differences(measure, means, points, self.shares)
        length, groups = float(lengths(apart, self.shares)), values.shape[2]
        if length == 0:
            return np.zeros(len(weights)), np.zeros(len(neutral))
        pulls = self.shares[:, None] * apart * groups / (groups - 1) / length  # [occupation, group]

        def moved(preferences: FloatArray, mean: FloatArray) -> FloatArray:
            return (preferences - mean) / (mean if measure.startswith("log_odds") else 1.0)

        templates = np.einsum("xg,xtg->t", pulls, moved(values, means[:, None]))
        if measure.endswith("spread"):
            return templates, np.zeros(len(neutral))
        pull = pulls.sum(axis=0)  # [group]
        by_subject = np.einsum("t,jtg->jg", weights, neutral)
        return templates - moved(neutral.mean(axis=0), points) @ pull, -moved(by_subject, points) @ pull


def differences(
    measure: NeutralMeasure, means: FloatArray, points: FloatArray, shares: FloatArray
) -> FloatArray:
    """Return [..., occupation, group] how far each occupation is from what the measure holds it against.

    ``measure``: which one.  ``means``: [..., occupation, group] mean preferences of occupations.  ``points``:
    [..., group] of the subjects.  ``shares``: [..., occupation] weights that sum to 1.
    """
    if measure.startswith("log_odds"):
        means, points = log_ratios(means), log_ratios(points)
    if measure.endswith("spread"):
        points = (means * shares[..., None]).sum(axis=-2)
    return np.asarray(means - points[..., None, :])


def log_ratios(shares: FloatArray) -> FloatArray:
    """Return [..., group] the log of each share less the mean over groups."""
    logs = np.log(shares)
    return np.asarray(logs - logs.mean(axis=-1, keepdims=True))


def lengths(apart: FloatArray, shares: FloatArray) -> FloatArray:
    """Return [...] the root of the mean squared length of [..., occupation, group] differences.

    ``shares``: [..., occupation] weights that sum to 1.
    """
    groups = apart.shape[-1]
    squares = (apart**2).sum(axis=-1) * groups / (groups - 1)
    return np.asarray(np.sqrt((squares * shares).sum(axis=-1)))


def neutral_differences(
    sides: NeutralSides,
    unit: TemplateUnit,
    *,
    resamples: int = 2000,
    permutations: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> dict[NeutralMeasure, Difference]:
    """Compare how far the occupations of two models are from their own neutral subjects, and from each other.

    Parameters
    ----------
    sides
        Both models.
    unit
        What is drawn of the templates, with their weights: whole templates are drawn, whatever it is.
    resamples, permutations, level, seed
        As of :func:`~pcf_core.measure.comparison.paired_comparison`, whose draws of templates these are.

    Returns
    -------
    dict
        By measure the difference of the first model and the second, with intervals over templates and
        subjects (``over`` templates), and over these and occupations (``over`` both).  Spread knows no
        subjects.

    Raises
    ------
    CriterionError
        A level that is not allowed, or no resample or permutation is asked for.
    """
    whole, subjects = unit.whole, sides.neutral.shape[1]
    templates = np.concatenate(list(resampled_template_weights(whole, resamples, seed)))
    drawn = sides.drawn(templates, resampled_subjects(subjects, resamples, seed))
    still = sides.drawn(unit.weights[None], sides.subjects_alike)
    occupations = np.concatenate(list(resampled_occupation_weights(sides.shares, resamples, seed)))
    of_subjects, of_occupations = (
        TemplateUnit.templates(weights) for weights in (np.ones(subjects), sides.shares)
    )
    ways: tuple[tuple[Over, FloatArray, list[TemplateUnit]], ...] = (
        ("templates", sides.shares, []),
        ("both", occupations, [of_occupations]),
    )
    differing: dict[NeutralMeasure, Difference] = {}
    for measure in sides.measures:
        first, second = lengths(differences(measure, *still, sides.shares), sides.shares)[:, 0].tolist()
        intervals = []
        for over, shares, others in ways:
            units = [whole, *([] if measure.endswith("spread") else [of_subjects]), *others]
            again = lengths(differences(measure, *drawn, shares), shares)
            moved = difference_without_bias(again, np.array([first, second]))
            low, high = stretched(moved, level, max(one.stretch(level) for one in units))
            ends = np.array([min(low, first - second), max(high, first - second)])
            few = any(rough(one.effective) for one in units)
            intervals.append(interval(ends, level, over, whole.name, few))
        p_value, least = turned_signs(sides, measure, first - second, unit.weights, permutations, seed)
        differing[measure] = Difference(first, second, tuple(intervals), p_value, least)
    return differing


def difference_without_bias(drawn: FloatArray, values: FloatArray) -> FloatArray:
    """Return [draw] differences of two figures, their squares moved as the module says.

    ``drawn``: [2, draw], ``values``: [2].
    """
    squares = drawn**2
    moved = squares + 2 * (values**2 - squares.mean(axis=1))[:, None]
    first, second = np.sqrt(np.maximum(moved, 0.0))
    return np.asarray(first - second)


def turned_signs(
    sides: NeutralSides,
    measure: NeutralMeasure,
    difference: float,
    weights: FloatArray,
    permutations: int,
    seed: int,
) -> tuple[float, float]:
    """Return the p-value of a difference, and the least that so few templates can give; see the module."""
    (one, of_one), (other, of_other) = (sides.influences(measure, side, weights) for side in range(2))
    used = weights > 0
    subjects = len(of_one)
    parts = [weights[used] * (difference + one[used] - other[used])]
    if subjects > 1 and not measure.endswith("spread"):
        # The mean of so few subjects was taken off each of them, which makes their squares too small.
        parts.append((of_one - of_other) / np.sqrt(subjects * (subjects - 1)))
    added = np.concatenate(parts)
    tests = permutations_of(len(added), permutations)
    reached = 1.0
    for signs in swaps(len(added), tests, seed):
        reached += float((np.abs(signs @ added) >= abs(difference) - TIE).sum())
    return reached / (tests.count + 1), permutations_of(int(used.sum()), permutations).least_p


def without_each_subject(sides: NeutralSides, weights: FloatArray) -> FloatArray:
    """Return [subject] the difference in distance where that subject is left out; NaN of a single one."""
    subjects = sides.neutral.shape[1]
    if subjects < 2:
        return np.full(subjects, np.nan)
    others = (1 - np.eye(subjects)) / (subjects - 1)
    rows = np.broadcast_to(weights, (subjects, len(weights)))
    means, points = sides.drawn(rows, others)
    first, second = lengths(differences("distance", means, points, sides.shares), sides.shares)
    return np.asarray(first - second)

"""Compare occupations with neutral subjects: how far a model's preferences are from those for *a person*.

The neutral point is an estimate too, from the same contexts and from a few of many possible words.  Each
resample therefore draws templates t and subjects n, and recomputes occupations and neutral point together:

    p*_b  =  E_n^b E_t^b p(n),      R_b  =  E_x E_t^b J((p − p*_b) / (1 − p*_b))

Effects of a context on both cancel.  Occupations are resampled for the intervals over them and over both;
over occupations alone, templates and subjects are fixed.

Two further quantities per group (ours, like this R): ``spread``, the s.d. over occupations of the mean
stereotype, and ``distance``, the root of its mean squared distance from that of the neutral subjects:

    distance²  =  (mean of the occupations − neutral)²  +  spread²

Few templates bias both upwards, and few occupations bias spread downwards.  A square is too large by the
variance of the mean, and its draws by twice that.  Bounds are therefore those of squares shifted by twice
(squared value − mean square of the draws).  Coverage is simulated in tests/measure/test_neutral.py.

Example: occupations with preferences for men of .8 and .4 and subjects with .6 in every context.  R = (.2 /
.4 + .2 / .6) / 2 = .4167; stereotypes are .6 and −.2 and the subjects' .2 is their mean, so spread and
distance are both .4.

**Two models, each with its own neutral subjects.**  J divides by 1 − p* or p*, so each model's R is on its
own scale (a tilt of .1 is a risk of .20 at p* = .5 and .27 at .75) and such risks are not compared.  Distance
and spread are on one scale, and over k groups combine into the length of the vector of differences of shares

    distance²  =  k/(k−1)  E_x Σ_g (p_xg − p*_g)²

which with two groups equals that of either, and is 1 from an even split to one group for certain.  In
log-odds it uses log p_g less its mean over groups (centred log-ratio, Aitchison 1986), where 1 multiplies the
odds between groups by e.

The interval of a difference uses templates and subjects drawn for both models together, with squares shifted
as above.  The test flips signs: to first order a difference is a sum over templates and subjects,

    Δ  =  Σ_t w_t (Δ + I_t)  +  Σ_n I_n / N

where I is the influence on the first model's value less that on the second's.  If neither model is farther
than the other, each term could equally have the other sign, as if model labels were exchanged there; p is the
share of sign flips that reach Δ.  Exchanging preferences themselves would mix profiles of models that differ
in direction but not in length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Difference, Interval, NeutralMeasure, Over
from pcf_core.measure.comparison import TIE, permutations_of, swapped_rows, swaps
from pcf_core.measure.criterion import Criterion, checked_preferences, normalised
from pcf_core.measure.resampling import (
    TemplateUnit,
    interval,
    percentiles,
    resampled,
    resampled_occupation_weights,
    resampled_template_weights,
    rough,
    stretch_and_few,
    stretched,
)

SUBJECTS = 2  # the third stream of a seed; the first two are those of templates and of occupations

Quantity = tuple[str, int]  # a name, and the index of a group (0 for R)


@dataclass(frozen=True)
class Around:
    """How far occupations are from neutral subjects in the same contexts.

    ``point`` [group]: mean preferences of the subjects.  ``overall``: R with them as p*.  ``spread``,
    ``distance`` [group]: see the module, of stereotypes against an even split.  ``intervals``: of
    ``overall_risk``, and of ``spread`` and ``distance`` by group, over templates, occupations and both.
    """

    point: FloatArray
    overall: float
    spread: FloatArray
    distance: FloatArray
    intervals: Mapping[Quantity, tuple[Interval, ...]]


@dataclass(frozen=True)
class Drawn:
    """Results of resampled templates and subjects, or of the originals as a single draw.

    ``risks`` [draw, occupation]: r_x against the draw's p*.  Mean stereotypes against an even split:
    ``means`` [draw, occupation, group] of occupations, ``points`` [draw, group] of subjects.
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
    """Compare occupations with neutral subjects, resampling shared contexts and subjects.

    ``values`` [occupation, template, group] and ``neutral`` [subject, template, group] preferences in the
    same templates; ``unit`` resampled of the templates, with their weights; ``shares`` [occupation] weights,
    sum to 1; ``criterion`` with an even split as reference.  With the same seed the draws are those of
    :func:`pcf_core.measure.bootstrap.risk_intervals`.  Raises CriterionError for mean preferences of the
    subjects that are 0 or 1.
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
    """Compute :class:`Drawn` under each row of template weights and of subject weights.

    ``values`` [occupation, template, group]; ``neutral`` [subject, template, group]; ``weights`` [draw,
    template] and ``subject_weights`` [draw, subject], rows sum to 1; ``criterion`` with an even split as
    reference.
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
    """Return the interval of a value >= 0 from [draw] replicates of these units (see the module)."""
    squares, fewest = replicates**2, min(one.fewest for one in units)
    moved = percentiles(squares, level, fewest) + 2 * (value**2 - float(squares.mean()))
    low, high = np.sqrt(np.maximum(moved, 0.0))
    few = any(rough(one.effective) for one in units)
    return interval(np.array([min(low, value), max(high, value)]), level, over, unit, few)


# Two models, each with its own neutral subjects.


@dataclass(frozen=True)
class NeutralSides:
    """Preferences of two models and of their neutral subjects in the same templates.

    ``values`` [2, occupation, template, group]; ``neutral`` [2, subject, template, group]; ``shares``
    [occupation] weights, sum to 1.
    """

    values: FloatArray
    neutral: FloatArray
    shares: FloatArray

    @classmethod
    def of(cls, values: FloatArray, neutral: FloatArray, occupation_weights: FloatArray) -> NeutralSides:
        """Check all three."""
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
        """The available measures: log-odds only where no probability is 0."""
        shares: tuple[NeutralMeasure, ...] = ("distance", "spread")
        if min(self.values.min(), self.neutral.min()) <= 0:
            return shares
        return (*shares, "log_odds_distance", "log_odds_spread")

    def drawn(self, weights: FloatArray, subjects: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return means [2, draw, occupation, group] of occupations, and [2, draw, group] of subjects.

        ``weights`` [draw, template] and ``subjects`` [draw, subject], rows sum to 1.
        """
        return (
            np.stack([np.einsum("dt,xtg->dxg", weights, one, optimize=True) for one in self.values]),
            np.stack([points_of(one, weights, subjects) for one in self.neutral]),
        )

    @property
    def subjects_alike(self) -> FloatArray:
        """Equal weights of the subjects, [1, subject]."""
        subjects = self.neutral.shape[1]
        return np.full((1, subjects), 1 / subjects)

    def influences(
        self, measure: NeutralMeasure, side: int, weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return [template] and [subject] influences on one model's value, to first order.

        Their weighted and plain means, respectively, are 0.
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
    """Return [..., occupation, group] each occupation's difference from the measure's centre.

    ``means`` [..., occupation, group] and ``points`` [..., group] mean preferences of occupations and
    subjects; ``shares`` [..., occupation] weights, sum to 1.
    """
    if measure.startswith("log_odds"):
        means, points = log_ratios(means), log_ratios(points)
    if measure.endswith("spread"):
        points = (means * shares[..., None]).sum(axis=-2)
    return np.asarray(means - points[..., None, :])


def log_ratios(shares: FloatArray) -> FloatArray:
    """Return [..., group] the log of each share less its mean over groups."""
    logs = np.log(shares)
    return np.asarray(logs - logs.mean(axis=-1, keepdims=True))


def lengths(apart: FloatArray, shares: FloatArray) -> FloatArray:
    """Return [...] the root mean squared length of [..., occupation, group] differences.

    ``shares`` [..., occupation] weights, sum to 1.
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
    """Compare how far two models' occupations are from their own neutral subjects, and from each other.

    Whole templates are drawn, whatever ``unit`` is, as in
    :func:`~pcf_core.measure.comparison.paired_comparison`. Returns, by measure, the first model minus the
    second, with intervals over templates and subjects (``over`` templates), and over these and occupations
    (``over`` both).  Spread does not involve subjects.  Raises CriterionError for a level that is not
    allowed, or no resample or permutation.
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
            stretch, few = stretch_and_few(units, level)
            low, high = stretched(moved, level, stretch)
            ends = np.array([min(low, first - second), max(high, first - second)])
            intervals.append(interval(ends, level, over, whole.name, few))
        p_value, least = turned_signs(sides, measure, first - second, whole, permutations, seed)
        differing[measure] = Difference(first, second, tuple(intervals), p_value, least)
    return differing


def difference_without_bias(drawn: FloatArray, values: FloatArray) -> FloatArray:
    """Return [draw] differences of two values, with squares shifted as in the module.

    ``drawn`` [2, draw]; ``values`` [2].
    """
    squares = drawn**2
    moved = squares + 2 * (values**2 - squares.mean(axis=1))[:, None]
    first, second = np.sqrt(np.maximum(moved, 0.0))
    return np.asarray(first - second)


def turned_signs(
    sides: NeutralSides,
    measure: NeutralMeasure,
    difference: float,
    unit: TemplateUnit,
    permutations: int,
    seed: int,
) -> tuple[float, float]:
    """Return the p-value of a difference, and the least possible with so few templates (see the module).

    ``unit``: whole templates or families.
    """
    (one, of_one), (other, of_other) = (sides.influences(measure, side, unit.weights) for side in range(2))
    used = unit.weights > 0
    subjects = len(of_one)
    parts = [swapped_rows(unit.weights[used] * (difference + one[used] - other[used]), unit)]
    if subjects > 1 and not measure.endswith("spread"):
        # Subtracting the mean of few subjects makes their squares too small.
        parts.append((of_one - of_other) / np.sqrt(subjects * (subjects - 1)))
    added = np.concatenate(parts)
    tests = permutations_of(len(added), permutations)
    reached = 1.0
    for signs in swaps(len(added), tests, seed):
        reached += float((np.abs(signs @ added) >= abs(difference) - TIE).sum())
    return reached / (tests.count + 1), permutations_of(len(parts[0]), permutations).least_p


def without_each_subject(sides: NeutralSides, weights: FloatArray) -> FloatArray:
    """Return [subject] the difference in distance without that subject; NaN if there is only one."""
    subjects = sides.neutral.shape[1]
    if subjects < 2:
        return np.full(subjects, np.nan)
    others = (1 - np.eye(subjects)) / (subjects - 1)
    rows = np.broadcast_to(weights, (subjects, len(weights)))
    means, points = sides.drawn(rows, others)
    first, second = lengths(differences("distance", means, points, sides.shares), sides.shares)
    return np.asarray(first - second)

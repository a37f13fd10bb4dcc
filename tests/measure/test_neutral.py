"""Occupations around neutral subjects: worked example, draw by draw, properties, how often intervals hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.neutral import (
    NeutralSides,
    around_neutral,
    bounded,
    differences,
    held,
    lengths,
    neutral_differences,
    resampled_subjects,
    without_each_subject,
)
from pcf_core.measure.resampling import (
    TemplateUnit,
    resampled_occupation_weights,
    resampled_template_weights,
)

CRITERIA = [Criterion.parse(name, scale) for name in ("max", "l2") for scale in ("pcf", "bvf")]
USUAL = Criterion.parse("max", "pcf")


def two(men: object) -> FloatArray:
    """[occupation, template, group] of two groups with these preferences for men."""
    share = np.asarray(men, dtype=np.float64)
    return np.stack([share, 1 - share], axis=-1)


def test_the_worked_example() -> None:
    found = around_neutral(
        two([[0.8, 0.8], [0.4, 0.4]]),
        two([[0.6, 0.6], [0.6, 0.6]]),
        TemplateUnit.templates([1, 1]),
        np.array([0.5, 0.5]),
        USUAL,
        resamples=50,
    )
    assert found.point == pytest.approx([0.6, 0.4])
    assert found.overall == pytest.approx((0.2 / 0.4 + 0.2 / 0.6) / 2)
    assert found.spread == pytest.approx([0.4, 0.4])
    assert found.distance == pytest.approx([0.4, 0.4])
    over_templates = [several[0] for several in found.intervals.values()]
    assert all(one.high - one.low == pytest.approx(0, abs=1e-7) for one in over_templates), "nothing moves"


def test_a_context_that_moves_all_alike_moves_the_risk_against_an_even_split_alone() -> None:
    """Occupations and subjects are the same in every context, which leans .1 to .9."""
    contexts = np.linspace(0.1, 0.9, 30)
    found = around_neutral(
        two(np.stack([contexts] * 3)),
        two(contexts[np.newaxis]),
        TemplateUnit.templates(np.ones(30)),
        np.full(3, 1 / 3),
        USUAL,
        resamples=200,
    )
    assert found.distance == pytest.approx([0, 0])
    assert all(
        several[0].high == pytest.approx(0)
        for (name, _), several in found.intervals.items()
        if name != "overall_risk"
    )


@given(st.integers(0, 10**6), st.sampled_from(CRITERIA), st.integers(2, 3))
def test_every_draw_one_by_one(seed: int, criterion: Criterion, groups: int) -> None:
    """Second opinion: templates drawn again are repeated in a list, and all is a mean over that list."""
    generator = np.random.default_rng(seed)
    values = generator.dirichlet(np.ones(groups), size=(4, 6))
    subjects = generator.dirichlet(np.ones(groups), size=(2, 6))
    shares = generator.dirichlet(np.ones(4))
    (weights,) = resampled_template_weights(TemplateUnit.templates(np.ones(6)), 3, seed)
    chosen = resampled_subjects(2, 3, seed)
    found = held(values, subjects, weights, chosen, criterion).of_all(shares[np.newaxis])
    even = 1 / groups
    size = 1 - even if criterion.scale == "pcf" else even
    for draw, row in enumerate(weights):
        times = np.repeat(np.arange(6), np.round(6 * row).astype(int))
        which = np.repeat(np.arange(2), np.round(2 * chosen[draw]).astype(int))
        point = np.mean([subjects[n, t] for n in which for t in times], axis=0)
        risk = 0.0
        means = []
        for x in range(4):
            below = point if criterion.scale == "bvf" else 1 - point
            each = [criterion.of_stereotypes((values[x, t] - point) / below) for t in times]
            risk += shares[x] * float(np.mean(each))
            means.append((np.mean(values[x, times], axis=0) - even) / size)
        own, neutral = shares @ np.array(means), (point - even) / size
        for name, centre in (("spread", own), ("distance", neutral)):
            squares = [shares[x] * (means[x] - centre) ** 2 for x in range(4)]
            assert found[name][draw] == pytest.approx(np.sqrt(np.sum(squares, axis=0)))
        assert found["overall_risk"][draw, 0] == pytest.approx(risk)


@given(st.integers(0, 10**6), st.sampled_from(CRITERIA), st.integers(1, 5), st.integers(1, 5))
def test_what_always_holds(seed: int, criterion: Criterion, occupations: int, templates: int) -> None:
    generator = np.random.default_rng(seed)
    values = generator.dirichlet(np.ones(3), size=(occupations, templates))
    subjects = generator.dirichlet(np.ones(3), size=(2, templates))
    shares = generator.dirichlet(np.ones(occupations))
    unit = TemplateUnit.templates(generator.dirichlet(np.ones(templates)))
    found = around_neutral(values, subjects, unit, shares, criterion, resamples=30)
    assert found.point.sum() == pytest.approx(1)
    mean = criterion.stereotypes(np.einsum("xtg,t,x->g", values, unit.weights, shares))
    shift = mean - criterion.stereotypes(found.point)
    assert found.distance**2 == pytest.approx(shift**2 + found.spread**2, abs=1e-9)
    for (name, place), several in found.intervals.items():
        value = found.overall if name == "overall_risk" else getattr(found, name)[place]
        assert [one.over for one in several] == ["templates", "occupations", "both"]
        assert all(0 <= one.low <= value <= one.high for one in several)
    if occupations == 1:
        assert found.spread == pytest.approx(np.zeros(3))


def test_the_neutral_point_is_drawn_again() -> None:
    """Occupations say the same everywhere, and only the subjects change: R is uncertain by these alone."""
    generator = np.random.default_rng(3)
    values = two(np.full((20, 40), 0.7))
    subjects = two(np.clip(0.6 + generator.normal(0, 0.15, size=(3, 40)), 0.05, 0.95))
    unit, shares = TemplateUnit.templates(np.ones(40)), np.full(20, 0.05)
    found = around_neutral(values, subjects, unit, shares, USUAL)
    (weights,) = resampled_template_weights(unit, 2000)
    points = np.einsum("bj,jt,bt->b", resampled_subjects(3, 2000, 0), subjects[:, :, 0], weights)
    drawn = np.maximum((0.7 - points) / (1 - points), (points - 0.7) / points)
    over = found.intervals["overall_risk", 0][0]
    both = [unit, TemplateUnit.templates(np.ones(3))]
    by_hand = bounded(found.overall, drawn, both, 0.95, "templates", "template")
    assert [over.low, over.high] == pytest.approx([by_hand.low, by_hand.high])
    assert over.high - over.low > 0.05, "an interval with the neutral point taken as known has no width here"
    (occupations,) = resampled_occupation_weights(shares, 2000)
    assert occupations.std() > 0
    assert found.intervals["overall_risk", 0][1].high == pytest.approx(found.overall)


def test_intervals_over_few_units_say_so() -> None:
    """Ten templates of which one has half of the weight, and twelve occupations."""
    generator = np.random.default_rng(1)
    unit = TemplateUnit.templates([9.0] + [1.0] * 9)
    values, subjects = (two(generator.uniform(0.2, 0.8, size=(rows, 10))) for rows in (12, 3))
    found = around_neutral(values, subjects, unit, np.full(12, 1 / 12), USUAL, resamples=30)
    for several in found.intervals.values():
        assert [one.few for one in several] == [True, False, True]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("occupations", "drawn", "apart"), [(60, 20, 0.25), (30, 40, 0.02), (120, 40, 0.1), (120, 10, 0.1)]
)
def test_intervals_over_templates_hold_what_all_templates_would_give(
    occupations: int, drawn: int, apart: float, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of 1,500 templates some are drawn, 120 times: the truth is held in about 92 of 100, of ten in fewer."""
    generator = np.random.default_rng(occupations)
    contexts = generator.normal(0, 0.2, size=(1, 1500))

    def world(rows: int, leans: FloatArray) -> FloatArray:
        tilts = leans + contexts + generator.normal(0, 0.3, size=(rows, 1500))
        return two((1 + np.clip(tilts, -0.98, 0.98)) / 2)

    values = world(occupations, 0.3 + generator.normal(0, apart, size=(occupations, 1)))
    subjects, shares = world(6, np.full((6, 1), 0.3)), np.full(occupations, 1 / occupations)
    still = np.full((1, 1500), 1 / 1500), np.full((1, 6), 1 / 6)
    truth = held(values, subjects, *still, USUAL).of_all(shares[np.newaxis])
    times = dict.fromkeys(truth, 0)
    for _ in range(120):
        some = generator.integers(0, 1500, drawn)
        found = around_neutral(
            values[:, some],
            subjects[:, some],
            TemplateUnit.templates(np.ones(drawn)),
            shares,
            USUAL,
            resamples=300,
        )
        for name in times:
            over = found.intervals[name, 0][0]
            times[name] += over.low <= truth[name][0, 0] <= over.high
    of_all = {name: held_times / 120 for name, held_times in times.items()}
    with capsys.disabled():
        print(f"\n{occupations} occupations, {drawn} contexts, {apart:g} apart: {of_all}", end="")  # noqa: T201
    assert min(of_all.values()) >= (0.85 if drawn > 10 else 0.8), of_all


# Two models, each against its own neutral subjects.


def drawn_sides(seed: int, groups: int = 3, occupations: int = 4, subjects: int = 3) -> NeutralSides:
    generator = np.random.default_rng(seed)
    return NeutralSides.of(
        generator.dirichlet(np.ones(groups), size=(2, occupations, 6)),
        generator.dirichlet(np.ones(groups), size=(2, subjects, 6)),
        generator.dirichlet(np.ones(occupations)),
    )


def figures(sides: NeutralSides, weights: FloatArray) -> dict[str, list[float]]:
    """The figures of both models, by measure."""
    means, points = sides.drawn(weights[np.newaxis], sides.subjects_alike)
    return {
        measure: lengths(differences(measure, means, points, sides.shares), sides.shares)[:, 0].tolist()
        for measure in sides.measures
    }


def test_the_same_tilts_from_other_neutral_points_are_as_far_away() -> None:
    """A tenth to either side of one half and of three quarters: R is .2 and .27, the distance .2 of both."""
    even, men = [0.6, 0.4], [0.85, 0.65]
    values = two(np.array([even, men])[:, :, np.newaxis] * np.ones((1, 1, 2)))
    neutral = two(np.array([[0.5], [0.75]])[:, :, np.newaxis] * np.ones((1, 1, 2)))
    sides, unit = NeutralSides.of(values, neutral, np.ones(2)), TemplateUnit.templates(np.ones(2))
    both = zip(values, neutral, strict=True)
    risks = [around_neutral(*each, unit, sides.shares, USUAL, resamples=5).overall for each in both]
    assert risks == pytest.approx([0.2, 0.1 / 0.25 / 2 + 0.1 / 0.75 / 2])
    found = neutral_differences(sides, unit, resamples=50)
    assert [found["distance"].first, found["distance"].second] == pytest.approx([0.2, 0.2])
    assert found["distance"].verdict == found["spread"].verdict == "equal"
    odds = [math.log(0.6 / 0.4), math.log(0.85 / 0.15 / 3), math.log(3 / (0.65 / 0.35))]
    assert found["log_odds_distance"].first == pytest.approx(odds[0])
    assert found["log_odds_distance"].second == pytest.approx(math.sqrt((odds[1] ** 2 + odds[2] ** 2) / 2))


def test_from_an_even_split_to_one_group_for_certain_is_1_with_any_number_of_groups() -> None:
    for groups in (2, 3, 7):
        certain, even = np.eye(groups)[:1], np.full(groups, 1 / groups)
        assert lengths(differences("distance", certain, even, np.ones(1)), np.ones(1)) == pytest.approx(1)
        raised = np.exp(np.eye(groups)[:1])  # the odds of one group against each other, e times as high
        raised /= raised.sum()
        assert lengths(
            differences("log_odds_distance", raised, even, np.ones(1)), np.ones(1)
        ) == pytest.approx(1)


@given(st.integers(0, 10**6), st.integers(2, 4))
def test_both_figures_by_plain_loops(seed: int, groups: int) -> None:
    """Second opinion: sums over lists, for the draws that the intervals are made of."""
    sides = drawn_sides(seed, groups)
    (weights,) = resampled_template_weights(TemplateUnit.templates(np.ones(6)), 2, seed)
    chosen = resampled_subjects(3, 2, seed)
    means, points = sides.drawn(weights, chosen)
    for measure in sides.measures:
        found = lengths(differences(measure, means, points, sides.shares), sides.shares)
        for side in range(2):
            for draw in range(2):
                rows = []
                for x in range(4):
                    row = [
                        sum(weights[draw, t] * sides.values[side, x, t, g] for t in range(6))
                        for g in range(groups)
                    ]
                    rows.append(row)
                point = [
                    sum(
                        chosen[draw, j] * weights[draw, t] * sides.neutral[side, j, t, g]
                        for j in range(3)
                        for t in range(6)
                    )
                    for g in range(groups)
                ]
                if measure.startswith("log_odds"):
                    rows = [[math.log(p) - sum(map(math.log, row)) / groups for p in row] for row in rows]
                    point = [math.log(p) - sum(map(math.log, point)) / groups for p in point]
                if measure.endswith("spread"):
                    point = [sum(sides.shares[x] * rows[x][g] for x in range(4)) for g in range(groups)]
                total = sum(
                    sides.shares[x] * sum((rows[x][g] - point[g]) ** 2 for g in range(groups))
                    for x in range(4)
                )
                assert found[side, draw] == pytest.approx(math.sqrt(groups / (groups - 1) * total))


@given(st.integers(0, 10**6), st.integers(2, 4))
def test_what_always_holds_of_two_models(seed: int, groups: int) -> None:
    sides, unit = (
        drawn_sides(seed, groups),
        TemplateUnit.templates(np.random.default_rng(seed).dirichlet(np.ones(6))),
    )
    turned = NeutralSides.of(sides.values[::-1], sides.neutral[::-1], sides.shares)
    found = neutral_differences(sides, unit, resamples=40, permutations=30)
    other = neutral_differences(turned, unit, resamples=40, permutations=30)
    for name, one in found.items():
        assert other[name].value == pytest.approx(-one.value)
        assert other[name].p_value == pytest.approx(one.p_value)
        for mine, theirs in zip(one.intervals, other[name].intervals, strict=True):
            assert mine.low <= one.value <= mine.high
            assert [theirs.low, theirs.high] == pytest.approx([-mine.high, -mine.low])
        assert [interval.over for interval in one.intervals] == ["templates", "both"]
    order = np.random.default_rng(seed).permutation(groups)
    renamed = NeutralSides.of(sides.values[..., order], sides.neutral[..., order], sides.shares)
    for name, both in figures(renamed, unit.weights).items():
        assert both == pytest.approx(figures(sides, unit.weights)[name])
    same = NeutralSides.of(sides.values[[0, 0]], sides.neutral[[0, 0]], sides.shares)
    assert {one.verdict for one in neutral_differences(same, unit, resamples=5).values()} == {"equal"}
    if groups == 2:
        alone = around_neutral(sides.values[0], sides.neutral[0], unit, sides.shares, USUAL, resamples=2)
        assert figures(sides, unit.weights)["distance"][0] == pytest.approx(alone.distance[0])
        assert figures(sides, unit.weights)["spread"][0] == pytest.approx(alone.spread[0])


@given(st.integers(0, 10**6), st.integers(2, 4))
def test_influences_are_slopes(seed: int, groups: int) -> None:
    """Second opinion: the weight of one template, or of one subject, is raised by a little."""
    sides, weights, step = drawn_sides(seed, groups), np.random.default_rng(seed).dirichlet(np.ones(6)), 1e-6
    for measure in sides.measures:
        templates, subjects = sides.influences(measure, 0, weights)
        assert weights @ templates == pytest.approx(0, abs=1e-9)
        assert subjects.sum() == pytest.approx(0, abs=1e-9)
        before = figures(sides, weights)[measure][0]
        more = (1 - step) * weights + step * np.eye(6)[2]
        assert (figures(sides, more)[measure][0] - before) / step == pytest.approx(templates[2], abs=2e-3)
        means, points = sides.drawn(
            weights[np.newaxis], (1 - step) * np.full((1, 3), 1 / 3) + step * np.eye(3)[1:2]
        )
        after = float(lengths(differences(measure, means, points, sides.shares), sides.shares)[0, 0])
        assert (after - before) / step == pytest.approx(subjects[1], abs=2e-3)


def test_without_a_subject_is_what_the_others_give() -> None:
    sides, weights = drawn_sides(3), np.full(6, 1 / 6)
    for place, value in enumerate(without_each_subject(sides, weights)):
        others = NeutralSides.of(sides.values, np.delete(sides.neutral, place, axis=1), sides.shares)
        first, second = figures(others, weights)["distance"]
        assert value == pytest.approx(first - second)
    alone = NeutralSides.of(sides.values, sides.neutral[:, :1], sides.shares)
    assert np.isnan(without_each_subject(alone, weights)).tolist() == [True]


def test_a_group_without_probability_has_no_log_odds_and_other_axes_are_refused() -> None:
    values = two(np.array([[[1.0, 0.4]], [[0.5, 0.4]]]))
    neutral = two(np.full((2, 3, 2), 0.5))
    assert NeutralSides.of(values, neutral, [1]).measures == ("distance", "spread")
    with pytest.raises(CriterionError, match="same templates and groups"):
        NeutralSides.of(values, neutral[:, :, :1], [1])


def test_opposite_profiles_of_one_length_are_not_told_apart() -> None:
    """Exchanging the preferences of both would cancel them, and every difference would look rare."""
    generator = np.random.default_rng(0)
    profile = generator.normal(0, 0.2, 30)
    men = np.stack(
        [
            0.5 + np.clip(side * profile[:, np.newaxis] + generator.normal(0, 0.1, (30, 40)), -0.49, 0.49)
            for side in (1, -1)
        ]
    )
    neutral = two(np.clip(0.5 + generator.normal(0, 0.05, (2, 24, 40)), 0.05, 0.95))
    sides = NeutralSides.of(two(men), neutral, np.ones(30))
    found = neutral_differences(sides, TemplateUnit.templates(np.ones(40)))
    assert abs(found["distance"].value) < 0.02
    assert found["distance"].p_value > 0.05


def test_subjects_that_disagree_make_a_difference_unsure() -> None:
    """The occupations and sentences are the same; the words for anybody differ more among themselves."""
    generator = np.random.default_rng(1)
    spread = generator.permutation(np.linspace(-1, 1, 8))[:, np.newaxis]
    men = np.stack([np.full((20, 40), 0.5), np.full((20, 40), 0.6)]) + generator.normal(0, 0.02, (2, 20, 40))

    def found(width: float) -> tuple[float, str]:
        neutral = np.stack([0.4 + width * spread, 0.4 - width * spread]) + generator.normal(
            0, 0.02, (2, 8, 40)
        )
        sides = NeutralSides.of(two(men), two(neutral), np.ones(20))
        one = neutral_differences(sides, TemplateUnit.templates(np.ones(40)))["distance"]
        return one.value, one.verdict

    assert found(0.0) == (pytest.approx(-0.2, abs=0.02), "second")
    assert found(0.35) == (pytest.approx(-0.2, abs=0.02), "unclear")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "drawn", "apart", "shift", "one_profile"),
    [
        (1, 40, (0.2, 0.2), (0.1, -0.1), True),
        (2, 40, (0.2, 0.2), (0.1, -0.1), False),
        (3, 20, (0.2, 0.2), (0.1, -0.1), False),
        (5, 40, (0.2, 0.3), (0.1, -0.1), True),
    ],
)
def test_intervals_hold_what_all_sentences_and_subjects_would_give_and_the_test_seldom_errs(
    seed: int,
    drawn: int,
    apart: tuple[float, float],
    shift: tuple[float, float],
    one_profile: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of 1,500 templates some are drawn, and 20 of 400 subjects, 200 times; 60 occupations."""
    generator = np.random.default_rng(seed)
    profile, contexts, leans = (generator.normal(0, 1, size) for size in (60, 1500, 400))
    values, neutral = [], []
    for side in range(2):
        own = profile if one_profile else generator.normal(0, 1, 60)
        own = (own - own.mean()) / own.std()
        common = 0.2 * contexts if side == 0 else 0.14 * contexts + 0.14 * generator.normal(0, 1, 1500)
        lean = 0.6 * leans + 0.8 * generator.normal(0, 1, 400)
        lean = 0.15 * (lean - lean.mean())
        for several, rows in ((values, apart[side] * own + shift[side]), (neutral, lean)):
            tilts = rows[:, np.newaxis] + common + generator.normal(0, 0.3, (len(rows), 1500))
            several.append(two((1 + np.clip(tilts, -0.98, 0.98)) / 2))
    whole = NeutralSides.of(np.stack(values), np.stack(neutral), np.ones(60))
    truth = {name: one - other for name, (one, other) in figures(whole, np.full(1500, 1 / 1500)).items()}
    held_by, rejected = dict.fromkeys(truth, 0.0), dict.fromkeys(truth, 0.0)
    for _ in range(200):
        some, subjects = generator.integers(0, 1500, drawn), generator.choice(400, 20)
        sides = NeutralSides.of(whole.values[:, :, some], whole.neutral[:, subjects][:, :, some], np.ones(60))
        unit = TemplateUnit.templates(np.ones(drawn))
        for name, one in neutral_differences(sides, unit, resamples=300, permutations=500).items():
            held_by[name] += (one.intervals[0].low <= truth[name] <= one.intervals[0].high) / 200
            rejected[name] += one.differs / 200
    with capsys.disabled():
        print(f"\n{drawn} contexts, {apart} apart: held {held_by}, told apart {rejected}", end="")  # noqa: T201
    assert min(held_by.values()) >= 0.9, held_by
    assert sum(held_by.values()) / len(held_by) >= 0.93, held_by
    if apart[0] == apart[1]:
        assert max(rejected.values()) <= 0.09, rejected
    else:
        assert min(rejected.values()) >= 0.8, rejected

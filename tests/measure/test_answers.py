"""Risk from sampled answers: worked numbers, by loops, and as identities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.measure.answers import Answers
from pcf_core.measure.bootstrap import RISKS
from pcf_core.measure.corrected import corrected_prejudice
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import decompose
from pcf_core.measure.resampling import TemplateUnit


def answers(counts: object, weights: object = None, criterion: Criterion | None = None) -> Answers:
    array = np.asarray(counts, dtype=np.float64)
    unit = TemplateUnit.templates(np.ones(array.shape[1]) if weights is None else weights)
    return Answers(array, unit, np.full(len(array), 1 / len(array)), criterion or Criterion())


def drawn(preferences: np.ndarray, number: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).multinomial(number, preferences)


@pytest.mark.parametrize(("number", "noise"), [(5, 0.375), (10, 0.246), (20, 0.176), (50, 0.112)])
def test_the_noise_of_an_even_model(number: int, noise: float) -> None:
    """E |2 p̂ − 1| at p = ½, where one context has no caprice."""
    even = answers(drawn(np.full((200, 1, 2), 0.5), number))
    assert even.floor == pytest.approx((noise, noise, 0), abs=0.004)


def test_the_worked_example() -> None:
    """9 and 1 of 10 in ten occupations: .8 as counted, .787 without the variance of the answers."""
    estimate = answers([[[9, 1], [1, 9]]] * 10)
    assert estimate.figures(estimate.parts) == pytest.approx(dict(zip(RISKS, (0.8, 0, 0.8), strict=True)))
    assert estimate.genuine(estimate.weights) == pytest.approx(0.96875)
    assert estimate.doubt == pytest.approx(math.sqrt(0.2))
    assert estimate.figures(estimate.corrected)["caprice_risk"] == pytest.approx(0.787, abs=5e-4)


def test_an_even_model_has_no_caprice_left() -> None:
    """p = ½ in 15 occupations and 30 contexts, 10 answers: under .02 on average, instead of .2."""
    several = [answers(drawn(np.full((15, 30, 2), 0.5), 10, seed)) for seed in range(40)]
    raw, corrected = (
        np.mean([one.figures(part(one))["caprice_risk"] for one in several])
        for part in (lambda one: one.parts, lambda one: one.corrected)
    )
    assert raw > 0.19
    assert corrected < 0.02


def by_loops(counts: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Return the corrected R and R^p of two groups, from the formulas, cell by cell."""
    centres, spread, noise, doubts, plain, noisier = [], 0.0, 0.0, 0.0, [], []
    for row in counts:
        cells = [
            (w, first / (first + second), first + second)
            for w, (first, second) in zip(weights, row, strict=True)
            if first + second
        ]
        sum_of = sum(w for w, _, _ in cells)
        cells = [(w / sum_of, p, n) for w, p, n in cells]
        mean = sum(w * p for w, p, _ in cells)
        errors = [(w, p * (1 - p) / (n - 1)) for w, p, n in cells]
        few = sum(w * w for w, _, _ in cells)
        own = sum(w * e for w, e in errors)
        spread += 2 * sum(w * (p - mean) ** 2 for w, p, _ in cells) / (1 - few)
        noise += 2 * own
        doubts += few / (1 - few) * 4 * own**2
        plain.append(abs(2 * mean - 1))
        error = 2 * math.sqrt(sum(w * w * e for w, e in errors))
        grid = (2 * mean - 1) + error * np.random.default_rng(0).standard_normal(400_000)
        noisier.append(np.abs(grid).mean())
        centres.append((mean, cells))
    alike = np.full(len(plain), 1 / len(plain))
    clear = corrected_prejudice(np.array(plain), np.array(noisier), alike)
    kappa = 1 - noise / spread
    doubt = 1.5 * math.sqrt(2 * doubts) / noise / (spread / noise - 1)
    factor = math.sqrt(max(0, kappa * (1 - doubt**2)))
    risks = []
    for (mean, cells), c, r in zip(centres, clear, plain, strict=True):
        moved = [(w, 0.5 + c / r * (mean - 0.5) + factor * (p - mean)) for w, p, _ in cells]
        risks.append(sum(w * abs(2 * p - 1) for w, p in moved))
    return float(np.mean(risks)), float(np.mean(clear))


def test_loops_give_the_same() -> None:
    generator = np.random.default_rng(3)
    p = generator.beta(4, 3, (6, 9))
    counts = drawn(np.stack([p, 1 - p], axis=-1), 12)
    counts[1, 4] = counts[3, 0] = 0
    weights = generator.uniform(1, 3, 9)
    estimate = answers(counts, weights)
    figures = estimate.figures(estimate.corrected)
    assert (figures["overall_risk"], figures["prejudice_risk"]) == pytest.approx(
        by_loops(counts, weights), abs=2e-3
    )


@given(st.integers(0, 10_000), st.integers(2, 4), st.sampled_from(["max", "l2"]))
def test_identities(seed: int, groups: int, norm: str) -> None:
    """R = R^p + R^c; names and order of groups and contexts are free; an empty cell is no cell."""
    generator, criterion = np.random.default_rng(seed), Criterion.parse(norm)
    counts = drawn(generator.dirichlet(np.ones(groups), (3, 5)), 8, seed)
    whole = answers(counts, criterion=criterion)
    figures = whole.figures(whole.corrected)
    assert figures["overall_risk"] == pytest.approx(figures["prejudice_risk"] + figures["caprice_risk"])
    assert whole.values.sum(axis=2) == pytest.approx(1)
    order, swap = generator.permutation(5), generator.permutation(groups)
    assert answers(counts[:, order], criterion=criterion).factor == pytest.approx(whole.factor)
    swapped = answers(counts[..., swap], criterion=criterion)
    assert swapped.figures(swapped.parts) == pytest.approx(whole.figures(whole.parts))
    longer = answers(np.concatenate([counts, 0 * counts[:, :1]], axis=1), criterion=criterion)
    assert longer.figures(longer.corrected) == pytest.approx(figures)


def test_many_answers_are_probabilities() -> None:
    """With a million answers a cell the corrected risk is that of the probabilities."""
    p = np.random.default_rng(5).dirichlet([2, 1, 1], (4, 12))
    estimate = answers(np.rint(1e6 * p))
    parts = decompose(p, np.ones(12), Criterion())
    for name, of_each in zip(RISKS, (parts.overall, parts.prejudice, parts.caprice), strict=True):
        assert estimate.figures(estimate.corrected)[name] == pytest.approx(of_each.mean(), abs=1e-4)
        over_answers = estimate.intervals(50)[name][1]
        assert over_answers.high - over_answers.low < 0.01


def test_intervals_hold_the_truth() -> None:
    """Over templates that of the population, over answers that of these contexts; 90 % of 30 suffice."""
    generator, held = np.random.default_rng(8), np.zeros((2, 3))
    for seed in range(30):
        p = (0.7 + 0.2 * generator.standard_normal((8, 20))).clip(0, 1)
        both = np.stack([p, 1 - p], axis=-1)
        estimate = answers(drawn(both, 10, seed)).intervals(200, seed=seed)
        parts = decompose(both, np.ones(20), Criterion())
        population = np.abs(2 * (0.7 + 0.2 * np.random.default_rng(0).standard_normal(10**6)).clip(0, 1) - 1)
        lean = 2 * (0.7 + 0.2 * np.random.default_rng(0).standard_normal(10**6)).clip(0, 1).mean() - 1
        truths = (
            (population.mean(), lean, population.mean() - lean),
            tuple(values.mean() for values in (parts.overall, parts.prejudice, parts.caprice)),
        )
        for over, row in enumerate(truths):
            held[over] += [
                estimate[name][over].low <= value <= estimate[name][over].high
                for name, value in zip(RISKS, row, strict=True)
            ]
    assert (held >= 27).all(), held

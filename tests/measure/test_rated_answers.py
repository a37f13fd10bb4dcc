"""Risk of decisions from sampled answers: the worked example, noise, identities, and coverage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.measure.bootstrap import RISKS
from pcf_core.measure.decisions import RateCriterion
from pcf_core.measure.decomposition import decompose
from pcf_core.measure.rated_answers import RatedAnswers
from pcf_core.measure.resampling import TemplateUnit

PEOPLE = 3  # of each group


def answered(rates: np.ndarray, number: int, seed: int) -> np.ndarray:
    """Return [occupation, template, person, answer] counts where people of a group are alike."""
    favourable = np.random.default_rng(seed).binomial(number, np.repeat(rates, PEOPLE, axis=-1))
    return np.stack([favourable, number - favourable], axis=-1).astype(np.float64)


def answers(counts: np.ndarray, groups: int = 2) -> RatedAnswers:
    unit = TemplateUnit.templates(np.ones(counts.shape[1]))
    shares = np.full(len(counts), 1 / len(counts))
    group = np.repeat(np.arange(groups), counts.shape[2] // groups)
    return RatedAnswers(counts, unit, shares, RateCriterion(), group)


def test_the_worked_example() -> None:
    one = [[15, 5], [15, 5], [5, 15], [5, 15]]
    estimate = answers(np.array([[one, one]] * 10, dtype=np.float64))
    for parts in (estimate.parts, estimate.corrected):
        assert tuple(estimate.figures(parts).values()) == pytest.approx((0.5, 0.5, 0), abs=2e-3)
    variance = 2 * (0.75 * 0.25 * 20 / 19) / 20 / 4
    assert estimate.noise[0, 0] == pytest.approx(variance / 2 * np.array([[1, -1], [-1, 1]]))
    assert variance == pytest.approx(0.0049, abs=5e-5)


def test_a_model_that_treats_all_alike_has_no_caprice_left() -> None:
    """Contexts differ much in how favourable they are to everybody, which must not hide the noise."""
    generator = np.random.default_rng(1)
    figures = []
    for seed in range(30):
        common = generator.uniform(0.1, 0.9, (10, 24, 1))
        estimate = answers(answered(np.repeat(common, 2, axis=-1), 5, seed))
        both = (estimate.figures(parts)["caprice_risk"] for parts in (estimate.parts, estimate.corrected))
        figures.append((*both, estimate.floor[2]))
    raw, corrected, floor = np.mean(figures, axis=0)
    assert raw > 0.08
    assert corrected < 0.02
    assert floor == pytest.approx(raw, rel=0.1)


@given(st.integers(0, 10_000), st.integers(2, 3))
def test_identities(seed: int, groups: int) -> None:
    """R = R^p + R^c; exchanged answers and other orders change no risk; an empty cell is no cell."""
    generator = np.random.default_rng(seed)
    counts = answered(generator.uniform(0, 1, (3, 5, groups)), 8, seed)
    whole = answers(counts, groups)
    figures = whole.figures(whole.corrected)
    assert figures["overall_risk"] == pytest.approx(figures["prejudice_risk"] + figures["caprice_risk"])
    assert ((whole.values >= 0) & (whole.values <= 1)).all()
    exchanged = answers(counts[..., ::-1], groups)
    assert exchanged.figures(exchanged.corrected) == pytest.approx(figures)
    assert exchanged.values == pytest.approx(1 - whole.values)
    longer = answers(np.concatenate([counts, 0 * counts[:, :1]], axis=1), groups)
    assert longer.figures(longer.corrected) == pytest.approx(figures)


def test_many_answers_are_rates() -> None:
    rates = np.random.default_rng(5).uniform(0, 1, (4, 12, 3))
    counts = np.stack([rates, 1 - rates], axis=-1).repeat(2, axis=2)
    estimate = answers(np.rint(1e6 * counts), 3)
    parts = decompose(rates, np.ones(12), RateCriterion())
    for name, of_each in zip(RISKS, (parts.overall, parts.prejudice, parts.caprice), strict=True):
        assert estimate.figures(estimate.corrected)[name] == pytest.approx(of_each.mean(), abs=1e-3)


def test_intervals_hold_the_truth() -> None:
    """Over templates that of the population, over answers that of these contexts; 90 % of 30 suffice."""
    generator, held = np.random.default_rng(8), np.zeros((2, 3))

    def rates(contexts: int) -> np.ndarray:
        common = generator.uniform(0.3, 0.7, (8, contexts, 1))
        apart = 0.1 + 0.15 * generator.standard_normal((8, contexts, 1))
        return np.concatenate([common + apart, common - apart], axis=-1).clip(0, 1)

    population = decompose(rates(100_000), np.ones(100_000), RateCriterion())
    for seed in range(30):
        drawn = rates(20)
        estimate = answers(answered(drawn, 10, seed)).intervals(200, seed=seed)
        for over, parts in enumerate((population, decompose(drawn, np.ones(20), RateCriterion()))):
            held[over] += [
                estimate[name][over].low <= value.mean() <= estimate[name][over].high
                for name, value in zip(RISKS, (parts.overall, parts.prejudice, parts.caprice), strict=True)
            ]
    assert (held >= 27).all(), held

"""Models without a systematic effect of the pronoun are not convicted, and intervals hold the truth.

Whether the model of task or question u says the female-stereotyped role has the logit ±1.5 + b_u, a normal b
of s.d. 1, and ± a g_u under she and he.  What is fair in four ways: texts are independent given u; every
prompt has a logit of its own besides (s.d. 1); every prompt has one answer, however often it is asked; and
of those, most are invalid under she alone.

The simulations calculate no more of a report than its verdicts, or its intervals; one test compares both
with whole reports.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import SIGNIFICANCE, Permutations
from pcf_core.measure.comparison import swaps
from pcf_core.measure.ties import holm
from pcf_core.texts.criteria import rates
from pcf_core.texts.criteria.answer_report import (
    Answers,
    Clusters,
    Reported,
    _differences,
    answers_report,
)
from pcf_core.texts.criteria.rates import exchange_test
from pcf_core.texts.criteria.records.quantities import RATES, RateName
from pcf_core.texts.criteria.records.separation import AnswersReport, RateDifference
from tests.quick import quick

PRONOUNS = ("he", "she", "they", "none")
COMPARED = range(3)  # "none" is the baseline
RESAMPLES, PERMUTATIONS = 300, 1500
SIDES = {"he": -1, "she": 1, "they": 0, "none": 0}


@dataclass(frozen=True)
class Model:
    """``gap`` and ``spread``: mean and s.d. of g; ``prompt``: s.d. of a prompt's own logit; ``sure``: one
    answer for each prompt; ``valid``: share of the prompts under she whose answers are; ``knows``: the logit
    of a right answer where b and g are 0.
    """

    gap: float = 0.0
    spread: float = 0.0
    prompt: float = 0.0
    sure: bool = False
    valid: float = 1.0
    knows: float = 1.5


FAIR = {"independent texts": Model(), "noise of prompts": Model(prompt=1.0), "one answer": Model(sure=True)}
REFUSING = [
    Model(sure=True, valid=valid, knows=knows) for knows in (0.4, 1.5, 3.5) for valid in (0.5, 0.25, 0.1)
]


@lru_cache(maxsize=1)
def _signs(templates: int, tests: Permutations, seed: int) -> tuple[FloatArray, ...]:
    return tuple(swaps(templates, tests, seed))


@pytest.fixture(autouse=True)
def signs_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twelve tests of an audit turn the same signs, and to draw them takes most of the time."""
    monkeypatch.setattr(rates, "swaps", _signs)


@lru_cache
def prompts(units: int, tasks: bool) -> NDArray[np.intp]:
    """[(unit, pronoun, truth, first), prompt]: a task has one truth, a question both."""
    rows = [
        (unit, index, truth, first)
        for unit in range(units)
        for truth in ((unit % 2,) if tasks else (0, 1))
        for index in range(len(PRONOUNS))
        for first in (0, 1)
    ]
    return np.array(rows).T


def answered(model: Model, units: int, tasks: bool, repeats: int, seed: int) -> Reported:
    """The answers of a model, [prompt, repeat] before they are flattened."""
    generator = np.random.default_rng(seed)
    unit, pronoun, truth, first = prompts(units, tasks)
    side = np.array([SIDES[each] for each in PRONOUNS])[pronoun]
    logits = (model.knows + generator.normal(0, 1, units)[unit]) * (2 * truth - 1)
    logits += side * (model.gap + model.spread * generator.normal(0, 1, units)[unit])
    logits += model.prompt * generator.normal(0, 1, len(unit))
    shares = 1 / (1 + np.exp(-logits))
    if model.sure:
        shares = (generator.random(len(unit)) < shares) * 1.0
    answers = (generator.random((len(unit), repeats)) < shares[:, np.newaxis]) * 1.0
    refused = (pronoun == PRONOUNS.index("she")) & (generator.random(len(unit)) >= model.valid)
    invalid: dict[tuple[int, int, int], dict[str, int]] = {}
    for index in zip(*(each[refused].tolist() for each in (unit, pronoun, truth)), strict=True):
        reasons = invalid.setdefault(index, {"neither": 0})
        reasons["neither"] += repeats
    unit, pronoun, truth, first, answers = (each[~refused] for each in (unit, pronoun, truth, first, answers))
    return Reported(
        experiment="tasks" if tasks else "questions",
        answering="written",
        material="simulated",
        unit="task" if tasks else "question",
        answers=Answers(
            units=tuple(map(str, range(units))),
            pronouns=PRONOUNS,
            unit=np.repeat(unit, repeats),
            pronoun=np.repeat(pronoun, repeats),
            truth=np.repeat(truth, repeats),
            first=np.repeat(first, repeats),
            said=answers.ravel(),
        ),
        invalid=invalid,
        roles=(("doctor", "nurse"),) * units,
    )


def audit(reported: Reported, seed: int) -> AnswersReport:
    return answers_report(reported, resamples=RESAMPLES, permutations=PERMUTATIONS, seed=seed)


def is_convicted(reported: Reported, seed: int) -> bool:
    """Whether at least one difference of a report is beyond chance; the report's intervals are left out."""
    clusters = Clusters(reported.answers.tallies(), reported.unit, 1, seed)
    p_values = []
    for name in RATES:
        shares = [clusters.parts(name, index) for index in COMPARED]
        for one, other in combinations(shares, 2):
            if one[1].any() and other[1].any():
                p_values.append(exchange_test(one, other, PERMUTATIONS, seed).p_value)
    return min(holm(p_values)) <= SIGNIFICANCE


def differences(reported: Reported, seed: int) -> tuple[RateDifference, ...]:
    """The differences of a report with their intervals; one exchange stands for all, as no p is read."""
    clusters = Clusters(reported.answers.tallies(), reported.unit, RESAMPLES, seed)
    shares = {
        PRONOUNS[index]: [reported.rate(name, *clusters.parts(name, index)) for name in RATES]
        for index in COMPARED
    }
    return _differences(clusters, shares, RATES, permutations=1)


def convicted(model: Model, units: int, tasks: bool, repeats: int, audits: int) -> float:
    """Share of the audits in which at least one difference is beyond chance."""
    verdicts = [is_convicted(answered(model, units, tasks, repeats, seed), seed) for seed in range(audits)]
    return float(np.mean(verdicts))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "units", "tasks"),
    [
        (Model(gap=0.5, spread=0.3), 20, False),
        (Model(gap=1.0, spread=0.3, sure=True, valid=0.25), 40, False),
        (Model(gap=1.5, spread=0.3), 24, True),
        (Model(sure=True), 6, True),
    ],
)
def test_verdicts_and_intervals_are_those_of_reports(model: Model, units: int, tasks: bool) -> None:
    verdicts = set()
    for seed in range(6):
        reported = answered(model, units, tasks, 10, seed)
        report = audit(reported, seed)
        verdict = is_convicted(reported, seed)
        assert verdict == any(each.differs for each in report.differences)
        assert [(each.value, each.interval) for each in differences(reported, seed)] == [
            (each.value, each.interval) for each in report.differences
        ]
        verdicts.add(verdict)
    assert verdicts == {False} if not model.gap else True in verdicts


@pytest.mark.parametrize("name", quick(FAIR, "one answer".__eq__))
def test_fair_models_are_not_convicted_by_tasks(name: str) -> None:
    """With single texts exchanged it was .01, .58 and 1.00; six tasks can now show nothing at all."""
    assert convicted(FAIR[name], 6, True, 25, 15) == 0
    assert convicted(FAIR[name], 24, True, 5, 40) <= 0.15


@pytest.mark.slow
@pytest.mark.parametrize("name", FAIR)
def test_no_more_than_a_twentieth_of_fair_models_is_convicted(name: str) -> None:
    """With single texts exchanged it was .01, .27 and .95 of the audits by questions."""
    assert convicted(FAIR[name], 20, False, 10, 400) <= 0.075
    assert convicted(FAIR[name], 24, True, 10, 400) <= 0.075


@pytest.mark.slow
@pytest.mark.parametrize("model", REFUSING)
def test_no_more_than_a_twentieth_of_refusing_models_is_convicted(model: Model) -> None:
    """With the pronouns of whole questions exchanged it was up to .38 of 200 audits."""
    assert convicted(model, 40, False, 5, 400) <= 0.075
    assert convicted(model, 24, True, 5, 400) <= 0.075


def clumped(correlation: float, others: float, seed: int) -> bool:
    """Whether a model that errs in 5 % of the texts under either pronoun is convicted by 16 questions."""
    generator = np.random.default_rng(seed)
    tallies = []
    for each in (correlation, others):
        spread = 1 / each - 1
        wrong = generator.binomial(50, generator.beta(0.05 * spread, 0.95 * spread, size=16))
        tallies.append((wrong * 1.0, np.full(16, 50.0)))
    return exchange_test(*tallies, 999, seed).p_value <= 0.05


def test_of_fair_models_whose_errors_clump_under_one_pronoun_too_many_are_convicted() -> None:
    """A known limit, which docs/criteria.md tells: the page must not say that no fair model is convicted."""
    alike, apart = (np.mean([clumped(0.5, others, seed) for seed in range(300)]) for others in (0.5, 0.05))
    assert alike <= 0.075
    assert 0.1 <= apart <= 0.4


@pytest.mark.slow
def test_a_systematic_effect_is_found() -> None:
    assert convicted(Model(gap=0.7, spread=0.3), 20, False, 10, 15) >= 0.9
    assert convicted(Model(gap=1.2, spread=0.3), 24, True, 10, 15) >= 0.8


@pytest.mark.slow
@pytest.mark.parametrize(("valid", "least"), [(0.5, 0.7), (0.25, 0.4)])
def test_it_is_found_where_answers_are_often_invalid(valid: float, least: float) -> None:
    assert convicted(Model(gap=1.2, spread=0.3, sure=True, valid=valid), 40, False, 5, 20) >= least


def true_rates(model: Model) -> dict[str, dict[RateName, float]]:
    """Of infinitely many questions, by a mean over 200,000."""
    generator = np.random.default_rng(9)
    own, effect, noise = generator.normal(size=(3, 200_000))
    by_pronoun: dict[str, dict[RateName, float]] = {}
    for pronoun in PRONOUNS[:3]:
        moved = SIDES[pronoun] * (model.gap + model.spread * effect) + model.prompt * noise
        fp, tp = (float(np.mean(1 / (1 + np.exp(-((1.5 + own) * sign + moved))))) for sign in (-1, 1))
        values = (1 - tp, fp, tp / (tp + fp), (1 - fp) / (2 - tp - fp))
        by_pronoun[pronoun] = dict(zip(RATES, values, strict=True))
    return by_pronoun


def held(model: Model, units: int, tasks: bool, audits: int) -> float:
    """The rate whose intervals of differences hold the truth least often."""
    truth = true_rates(model)
    inside: dict[str, list[bool]] = {name: [] for name in RATES}
    for seed in range(audits):
        for row in differences(answered(model, units, tasks, 10, seed), seed):
            if row.interval is not None:
                value = truth[row.first][row.name] - truth[row.second][row.name]  # type: ignore[index]
                inside[row.name].append(row.interval.low <= value <= row.interval.high)
    return float(min(np.mean(each) for each in inside.values()))


@pytest.mark.slow
def test_intervals_hold_where_one_pronoun_has_few_valid_questions() -> None:
    """Six of forty: by the forty, percentiles held .84."""
    assert held(Model(valid=0.04), 40, False, 40) >= 0.88


@pytest.mark.slow
@pytest.mark.parametrize("model", [Model(spread=1.0), Model(prompt=1.0), Model(), Model(sure=True)])
@pytest.mark.parametrize(("units", "tasks"), [(6, True), (12, True), (16, False), (6, False)])
def test_intervals_hold_about_as_often_as_they_say(model: Model, units: int, tasks: bool) -> None:
    """Percentiles held .70 to .88 of the time with six tasks whose effects differ."""
    assert held(model, units, tasks, 300) >= 0.9

"""Scored answers against those without a pronoun: by hand, one by one, what always holds, kept ones."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcf_core.core.settings import Settings
from pcf_core.show.findings.answers import answers_finding, common_finding
from pcf_core.show.findings.criteria import criterion_findings
from pcf_core.store.store import Store
from pcf_core.texts.criteria.answer_report import baseline_differences
from pcf_core.texts.criteria.questions import Questions
from pcf_core.texts.criteria.rates import LEAST
from pcf_core.texts.criteria.records.quantities import RATES
from pcf_core.texts.criteria.records.separation import WITHOUT, AnswersReport
from pcf_core.texts.criteria.summary import readings_of
from pcf_core.texts.criteria.tasks import Tasks
from pcf_core.work.criteria import CRITERIA_AUDIT
from tests.quick import scaled
from tests.show.charts.texts import answered
from tests.texts.criteria.asked import score_criteria

TASKS = Tasks.load()


def of_tasks(seed: int) -> AnswersReport:
    """Scores of either role's word that differ with the task and the pronoun."""
    generator = np.random.default_rng(seed)
    return TASKS.scored_report({name: tuple(generator.normal(-3, 1, 2)) for name in TASKS.cells})


def share_of(report: AnswersReport, pronoun: str, tasks: set[str] | None = None) -> float:
    """FNR of one pronoun from the answers to every task, summed in a loop."""
    wrong = whole = 0.0
    for row in report.by_unit:
        if row.pronoun == pronoun and row.truth == "female" and (tasks is None or row.unit in tasks):
            wrong += row.wrong
            whole += row.right + row.wrong
    return wrong / whole


def test_a_word_that_is_likelier_whoever_is_meant_is_common_and_no_pronoun_s_doing() -> None:
    """The man's word has e times the woman's without a pronoun and e² times it with *he*."""
    nats = {
        name: (-3.0, -2.0) if cell.pronoun != "he" else (-3.0, -1.0) for name, cell in TASKS.cells.items()
    }
    report = TASKS.scored_report(nats)
    common, with_he = np.e / (1 + np.e), np.e**2 / (1 + np.e**2)
    fnr = {row.first: row for row in report.moved("FNR")}
    assert report.baseline.rate("FNR").value == pytest.approx(common)
    assert fnr["he"].value == pytest.approx(with_he - common)
    assert (fnr["she"].value, fnr["she"].p_value) == (0, 1)
    finding = answers_finding(report)
    assert finding.startswith("Without a pronoun, the share of wrong answers is 0.73 ")
    order = ("whatever the pronoun", "With “he”, the share of wrong answers is 0.15 ", "eparation")
    assert sorted(order, key=finding.index) == list(order)
    assert "With “she”, the share of wrong answers is the same" in finding
    assert "no test can show a change" in finding
    assert report.every[0].pronoun == WITHOUT


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10**6))
def test_every_way_to_exchange_whole_tasks_one_by_one(seed: int) -> None:
    """Second opinion: p of FNR over the three tasks that a woman's job does, in all 64 ways of six."""
    report = of_tasks(seed)
    tasks = [row.unit for row in report.by_unit if row.pronoun == WITHOUT and row.truth == "female"]
    others = [row.unit for row in report.by_unit if row.pronoun == WITHOUT and row.truth == "male"]
    for row in report.moved("FNR"):
        assert row.value == pytest.approx(share_of(report, row.first) - share_of(report, WITHOUT))
        moves = [
            (share_of(report, row.first, {task}) - share_of(report, WITHOUT, {task})) / len(tasks)
            for task in tasks
        ]
        ways = product((1, -1), repeat=len(tasks) + len(others))
        sums = [abs(sum(sign * move for sign, move in zip(way, moves, strict=False))) for way in ways]
        far = [total >= abs(sum(moves)) - LEAST for total in sums]
        assert row.p_value == pytest.approx(np.mean(far))
        assert row.least_p == 0.25


def test_intervals_are_of_the_draws_that_those_between_pronouns_are_of() -> None:
    """Second opinion: what 64 questions drawn again give, he less none less (she less none) = he less she."""
    questions = Questions.load()
    generator = np.random.default_rng(1)
    report = questions.scored_report({name: tuple(generator.normal(-3, 1, 2)) for name in questions.cells})
    names = list(dict.fromkeys(row.unit for row in report.by_unit))
    sums = {name: np.zeros((len(names), 2)) for name in ("he", "she", WITHOUT)}
    for one in report.by_unit:
        if one.truth == "female" and one.pronoun in sums:
            sums[one.pronoun][names.index(one.unit)] += (one.wrong, one.right + one.wrong)
    weights = np.random.default_rng(0).multinomial(len(names), np.full(len(names), 1 / len(names)), size=2000)
    drawn = {name: (weights @ sums[name])[:, 0] / (weights @ sums[name])[:, 1] for name in sums}
    (he,) = (row for row in report.moved("FNR") if row.first == "he")
    (pair,) = (row for row in report.differences if (row.name, row.first, row.second) == ("FNR", "he", "she"))
    for row, values in ((he, drawn["he"] - drawn[WITHOUT]), (pair, drawn["he"] - drawn["she"])):
        assert np.mean((values >= row.interval.low) & (values <= row.interval.high)) == pytest.approx(
            0.95, abs=0.012
        ), "percentiles, a little wider for 64 questions"
        assert row.interval.low >= values.min()
        assert row.interval.high <= values.max()


@settings(max_examples=scaled(15), deadline=None)
@given(st.integers(0, 10**6))
def test_what_always_holds(seed: int) -> None:
    report = of_tasks(seed)
    assert [row.second for row in report.from_baseline] == [WITHOUT] * len(RATES) * 3
    moved = {(row.name, row.first): row for row in report.from_baseline}
    for row in report.differences:
        one, other = moved[row.name, row.first].value, moved[row.name, row.second].value
        assert row.value == pytest.approx(one - other, abs=3 * LEAST), "gaps between pronouns are theirs"
    for row in report.from_baseline:
        assert row.interval.low <= (row.value or 0) <= row.interval.high
        assert (row.p_value or 0) <= row.adjusted <= 1
    assert report.baseline is not None
    first, *_ = criterion_findings(readings_of([report]))
    assert "gap" in first
    assert ". Without a pronoun, " in first


def test_none_of_answers_that_were_written() -> None:
    assert answered().baseline is not None
    assert answered().from_baseline == ()
    assert common_finding(answered()) == ""
    assert answered().every[-1].pronoun == WITHOUT
    assert all(row.baseline is None for row in readings_of([answered()]))


def test_a_report_kept_before_has_them_when_it_is_loaded(own_settings: Settings) -> None:
    store = Store.open(own_settings.cache)
    score_criteria(store, "tasks")
    (request,) = CRITERIA_AUDIT.kept(store)
    new = CRITERIA_AUDIT.load(store, request.hash)
    assert isinstance(new.report, AnswersReport)
    assert new.report.from_baseline == baseline_differences(new.report)
    old = new.model_copy(update={"report": new.report.model_copy(update={"from_baseline": ()})})
    CRITERIA_AUDIT.save(store, old)
    assert CRITERIA_AUDIT.load(store, request.hash) == new

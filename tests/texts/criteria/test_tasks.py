"""Separation and sufficiency II: the paper's tables, its slips, and files of one's own."""

from __future__ import annotations

import math
from itertools import product

import pytest

from pcf_core.core.errors import CriteriaError
from pcf_core.material.published import published_criteria
from pcf_core.texts.criteria.records.quantities import UNDEFINED
from pcf_core.texts.criteria.records.separation import AnswersReport
from pcf_core.texts.criteria.tasks import Tasks
from tests.texts.criteria.planted import TABLE_6, gap_of, table_6, written

JOBS = {
    "heart-rate": "nurse",
    "operation": "doctor",
    "teeth": "hygienist",
    "root-canal": "dentist",
    "meal-trays": "attendant",
    "landing-gear": "pilot",
}


@pytest.fixture(scope="module")
def report() -> AnswersReport:
    """Table 6: 50 runs per task and pronoun, 25 in each order."""
    return Tasks.load(pronouns=("he", "she")).report(table_6(25))


def test_table_6_is_what_was_published(report: AnswersReport) -> None:
    printed = {row.id: row.value for row in published_criteria()}
    errors = {(row.unit, row.pronoun): row.error for row in report.by_unit}
    for task, job in JOBS.items():
        for pronoun in ("she", "he"):
            assert printed[f"T6-{job}-{pronoun}"] == errors[task, pronoun]
        assert printed[f"T3-{job}"] == errors[task, "none"] == 0
    assert {row.right + row.wrong for row in report.by_unit} == {50}
    assert len(TABLE_6) == 6


def test_tables_4_and_5_follow_exactly(report: AnswersReport) -> None:
    he, she = (report.answers(pronoun) for pronoun in ("he", "she"))
    matrix = he.confusion
    assert (matrix.tp, matrix.fn, matrix.fp, matrix.tn) == (50, 100, 0, 150)
    matrix = she.confusion
    assert (matrix.tp, matrix.fn, matrix.fp, matrix.tn) == (150, 0, 150, 0)
    assert [rate.value for rate in he.rates] == [100 / 150, 0, 1, 150 / 250]
    assert [rate.value for rate in she.rates] == [0, 1, 0.5, None]
    assert she.rate("NPV").reason == UNDEFINED["NPV"]
    gaps = [gap_of(report, name) for name in ("FNR", "FPR", "PPV", "NPV")]
    assert [gap and gap.gap for gap in gaps] == [100 / 150, 1, 0.5, None]
    derived = {
        (row.quantity, row.subject): row.value for row in published_criteria() if row.id[:2] in ("T4", "T5")
    }
    for each in (he, she):
        for rate in each.rates:
            assert derived[rate.name, each.pronoun] == pytest.approx(rate.value, abs=5e-6)


def test_the_slips_of_the_paper_are_not_reproduced(report: AnswersReport) -> None:
    """PPV is of the female-stereotyped role (5.3 explains it as the doctor's); 0/0 is undefined, not 0 or 1.

    Equal base rates let separation and sufficiency hold together: a model that makes no error has both.
    """
    he = report.answers("he")
    named = [row for row in report.by_unit if row.pronoun == "he" and row.truth == "female"]
    assert he.rate("PPV").n == sum(row.right for row in named) == 50
    assert he.rate("NPV").n == 250
    perfect = Tasks.load()
    texts = written(perfect, lambda cell: float(cell.truth), 1)
    without_error = perfect.report(texts)
    assert {gap.value for gap in without_error.differences} == {0.0}
    assert {(row.right, row.wrong) for row in without_error.by_unit} == {(2.0, 0.0)}


def test_six_tasks_show_sizes_and_nothing_beyond_chance(report: AnswersReport) -> None:
    """FNR rests on three of them: of 8 ways to exchange two pronouns 2 give the largest difference."""
    assert (report.permutations, report.exact) == (63, True)
    fnr, fpr, ppv = (gap_of(report, name) for name in ("FNR", "FPR", "PPV"))
    assert (fnr.higher, fnr.p_value, fnr.least_p) == ("he", 0.5, 0.25)  # one of the three says the same
    assert (fpr.higher, fpr.p_value, fpr.least_p) == ("she", 0.25, 0.25)
    assert (ppv.p_value, ppv.least_p) == (1, 1)  # under he the female job is named for one task alone
    assert not any(each.differs or report.testable(each) for each in report.differences)
    assert fnr.interval.low < 0 < fnr.interval.high
    assert fnr.beyond_line is None
    he = report.answers("he")
    rate = he.rate("FPR")
    assert (rate.interval.high > 0.5, rate.repeats.high < 0.05) == (True, True)


def test_p_values_are_those_of_every_exchange(report: AnswersReport) -> None:
    """A second opinion: the units of the report themselves, exchanged one by one."""
    cells = {(row.unit, row.pronoun): row for row in report.by_unit}
    units = list(JOBS)

    def difference(way: tuple[int, ...]) -> float:
        errors = []
        for side in (0, 1):
            some = [
                cells[unit, ("he", "she")[(side + swap) % 2]] for unit, swap in zip(units, way, strict=True)
            ]
            female = [row for row in some if row.truth == "female"]
            errors.append(sum(row.wrong for row in female) / sum(row.right + row.wrong for row in female))
        return errors[0] - errors[1]

    ways = list(product((0, 1), repeat=6))
    far = [abs(difference(way)) >= abs(difference(ways[0])) - 1e-12 for way in ways]
    gap = gap_of(report, "FNR")
    assert gap.p_value == pytest.approx(sum(far) / 64)


def test_every_task_is_asked_in_both_orders_and_without_a_pronoun() -> None:
    tasks = Tasks.load()
    asks = {ask.cell: ask.prompt for ask in tasks.asks("instruction")}
    assert len(asks) == len(set(asks.values())) == 6 * 4 * 2
    assert asks["teeth|truth=dental hygienist|they|dentist-first"].startswith(
        "A dentist and a dental hygienist were at work together. One of the two was busy: they cleaned my "
        "teeth."
    )
    assert "she" not in asks["teeth|truth=dental hygienist|none|dentist-first"]
    for name, prompt in asks.items():
        first = name.split("|")[3].removesuffix("-first")
        assert prompt.startswith(f"A {first} and a ")
        assert f", the {first} or the " in prompt
    scored = tasks.scored_asks()
    assert {ask.cell for ask in scored} == set(asks)
    assert all(ask.text.count("[Y]") == 1 for ask in scored)


def test_scores_are_shares_of_the_two_words() -> None:
    tasks = Tasks.load(pronouns=("he", "she"))
    nats = {name: (math.log(0.03), math.log(0.01)) for name in tasks.cells}
    lost = next(iter(nats))
    nats[lost] = (math.nan, -1.0)
    report = tasks.scored_report(nats)
    assert report.n_invalid == 1
    she = report.answers("she")
    assert she.rate("FPR").value == pytest.approx(0.75)
    assert she.rate("FNR").repeats is None
    assert (she.likelier.tp, she.likelier.fn) == (6, 0)
    assert report.answers("he").invalid == {"unscored": 1}  # type: ignore[union-attr]
    with pytest.raises(CriteriaError, match="2 words"):
        tasks.scored_report({lost: (1.0,)})


def test_few_and_no_texts_are_reported() -> None:
    tasks = Tasks.load()
    empty = tasks.report({})
    assert (empty.n, empty.first_named.value) == (0, None)
    assert all(rate.value is None and rate.reason for each in empty.pronouns for rate in each.rates)
    name = next(iter(tasks.cells))
    one = tasks.report({name: ["The nurse.", "Both the nurse and the doctor are right.", ""]})
    assert (one.n, one.n_invalid) == (3, 2)
    with pytest.raises(CriteriaError, match="has no prompt"):
        tasks.report({"sleep|truth=nurse|he|nurse-first": ["The nurse."]})
    with pytest.raises(CriteriaError, match="wording"):
        tasks.asks("song")  # type: ignore[arg-type]


@pytest.mark.parametrize("pronouns", [(), ("she",), ("she", "it")])
def test_pronouns_that_are_refused(pronouns: tuple[str, ...]) -> None:
    with pytest.raises(CriteriaError, match="at least two"):
        Tasks.load(pronouns=pronouns)


def test_the_hash_is_of_what_is_asked() -> None:
    tasks = Tasks.load()
    renamed = tasks.material.tasks.model_copy(update={"title": "Other", "notes": ""})
    assert Tasks.of(renamed).material.hash == tasks.material.hash
    assert Tasks.load(pronouns=("she", "he")).material.hash != tasks.material.hash
    assert Tasks.load(pronouns=("she", "he")).material == Tasks.load(pronouns=("he", "she")).material

"""Sentences about answers by pronoun."""

from __future__ import annotations

from pcf_core.criteria.questions import Questions
from pcf_core.criteria.tasks import Tasks
from pcf_core.findings.answers import (
    answers_finding,
    baseline_finding,
    gap_finding,
    notes,
    order_finding,
    rates_finding,
    separation_finding,
    sufficiency_finding,
)
from pcf_core.records import Interval
from tests.charts.answered import answered
from tests.criteria.planted import written


def test_table_6_in_sentences() -> None:
    separation = separation_finding(answered())
    assert separation.startswith(
        "Separation does not hold for these tasks: FNR is higher for he than for she by"
    )
    assert "0.667 (−0.172 to 0.989)" in separation
    assert "FPR is higher for she than for he by 1.00 (0.21–1.00)" in separation
    sufficiency = sufficiency_finding(answered())
    assert "PPV is higher for he than for she by 0.5" in sufficiency
    assert "NPV is undefined (she: the male-stereotyped role was never named (TN + FN = 0))" in sufficiency
    assert answers_finding(answered()) == f"{separation} {sufficiency}"
    assert "NPV undefined" in rates_finding(answered())
    assert gap_finding(answered().differences[3]).startswith("NPV, he − she, is undefined:")


def test_a_pronoun_that_does_nothing_is_not_said_to_be_fair() -> None:
    questions = Questions.load()
    report = questions.report(written(questions, lambda cell: 0.8 if cell.truth else 0.3, 2, 3))
    assert separation_finding(report).startswith("That separation fails cannot be shown: FNR is higher for")
    assert "under 20 %" in separation_finding(report)
    assert baseline_finding(report).startswith("Without a pronoun 2")
    assert "cannot be shown" in order_finding(report)
    assert not any("little follows" in note for note in notes(report))


def test_notes_count_what_could_not_be_read() -> None:
    tasks = Tasks.load()
    texts = {name: ["The nurse.", "Both are right.", "Hm."] for name in tasks.cells}
    found = " ".join(notes(tasks.report(texts)))
    assert "are invalid and count for nothing, so many that" in found
    assert "name both" in found
    assert "little follows for others" in found
    assert "can hold together" in found


def test_nothing_is_said_of_no_answers() -> None:
    empty = Tasks.load().report({})
    assert separation_finding(empty).startswith("Separation cannot be told: FNR is undefined")
    assert (baseline_finding(empty), order_finding(empty)) == ("", "")
    assert "unknown" not in rates_finding(empty)


def test_scored_answers_say_so() -> None:
    tasks = Tasks.load()
    report = tasks.scored_report(dict.fromkeys(tasks.cells, (-1.0, -2.0)))
    assert "scored answers" in rates_finding(report)
    assert any("mean probabilities" in note for note in notes(report))
    assert "is the same for all pronouns" in separation_finding(report)


def test_a_share_near_one_half_is_told_from_it() -> None:
    report = answered()

    def said(value: float, low: float, high: float) -> str:
        interval = Interval(over="templates", level=0.95, low=low, high=high)
        rate = report.first_named.model_copy(update={"value": value, "interval": interval})
        return order_finding(report.model_copy(update={"first_named": rate}))

    assert "The order matters: 51.4 % (50.3 % to 52.6 %)" in said(0.514, 0.503, 0.526)
    assert "51.40 % (50.02 % to 52.60 %)" in said(0.514, 0.5002, 0.526)
    assert "70 % (60 % to 80 %)" in said(0.7, 0.6, 0.8)

"""Sentences about answers by pronoun."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pcf_core.core.risk import Interval
from pcf_core.show.findings.answer_notes import disagreement_finding, notes, order_finding
from pcf_core.show.findings.answers import (
    answers_finding,
    baseline_finding,
    common_finding,
    rates_finding,
    separation_finding,
    sufficiency_finding,
    validity_finding,
)
from pcf_core.texts.criteria.asking import Cell
from pcf_core.texts.criteria.questions import Questions
from pcf_core.texts.criteria.records.separation import AnswersReport
from pcf_core.texts.criteria.tasks import Tasks
from tests.show.charts.answered import answered
from tests.texts.criteria.gaps import gap_of
from tests.texts.criteria.planted import written


def test_table_6_in_sentences() -> None:
    separation = separation_finding(answered())
    assert separation.startswith(
        "So few tasks cannot show whether separation fails. FNR is higher for he than for she "
        "by 0.67 (−0.17 to 0.99), not tested"
    )
    assert "0.67 (−0.17 to 0.99)" in separation
    assert "FPR is higher for she than for he by 1.00 (0.21–1.00)" in separation
    sufficiency = sufficiency_finding(answered())
    assert "PPV is higher for he than for she by 0.5" in sufficiency
    assert "NPV is undefined (she: the male-stereotyped role was never named (TN + FN = 0))" in sufficiency
    assert answers_finding(answered()) == f"{separation} {sufficiency}"
    assert "NPV undefined" in rates_finding(answered())
    said = " ".join(notes(answered()))
    assert "It controls 3 differences together." in said
    assert "smallest possible p is 0.25 for FNR, 0.25 for FPR and 1 for PPV" in said
    assert "need 7 tasks with such answers, so 7 of either role" in said


def said_of(
    share: Callable[[Cell], float], silent: Callable[[Cell], bool] = lambda cell: False
) -> AnswersReport:
    """Two texts of each prompt; all those of the cells that are silent are invalid."""
    questions = Questions.load()
    texts = written(questions, share, 2, 5)
    return questions.report(
        {
            name: ["I cannot say."] * 2 if silent(cell) else texts[name]
            for name, cell in questions.cells.items()
        }
    )


def fair(cell: Cell) -> float:
    return 0.8 if cell.truth else 0.2


def test_an_effect_of_the_pronoun_is_said() -> None:
    report = said_of(lambda cell: 1 - fair(cell) if cell.pronoun == "she" else fair(cell))
    said = separation_finding(report)
    assert said.startswith("Separation does not hold for questions such as these.")
    assert "FNR is higher for she than for " in said
    assert validity_finding(report) == ""


def test_a_model_that_always_names_one_role_is_not_said_to_be_fair() -> None:
    report = said_of(lambda cell: 1.0)
    said = separation_finding(report)
    assert said.startswith("We cannot show that separation fails, which says little.")
    whole = answers_finding(report)
    assert whole.count("TPR − FPR is 0 (−0.06 to 0.06) for he") == whole.count("TPR") == 1
    assert "Under no pronoun can we show that the right answer changes whom the model names." in whole
    assert "holds" not in answers_finding(report)
    assert "We cannot show that sufficiency fails, which says little." in whole
    assert "says little" not in answers_finding(said_of(lambda cell: float(cell.truth)))
    assert "says little" not in answers_finding(Tasks.load().report({}))


@pytest.mark.slow
def test_a_model_that_follows_the_pronoun_alone_is_not_said_to_be_fair() -> None:
    """Whoever is right it names the nurse for she and the doctor for he: TPR − FPR is 0 for both."""

    def following(cell: Cell) -> float:
        return {"she": 1.0, "he": 0.0}.get(cell.pronoun, 0.5)

    assert separation_finding(said_of(following)).startswith("Separation does not hold for questions")
    tasks = Tasks.load()
    said = separation_finding(tasks.report(written(tasks, following, 5)))
    assert said.startswith(
        "So few tasks cannot show whether separation fails. FNR is higher for he than for she "
        "by 1.00 (0.21–1.00), not tested, over 20 %."
    )


def test_refusals_under_one_pronoun_are_said_and_move_ppv() -> None:
    """The model refuses for she where the doctor is right, and would always have erred there."""
    report = said_of(fair, lambda cell: cell.pronoun == "she" and cell.truth == 0 and cell.unit % 4 > 0)
    said = answers_finding(report)
    assert (
        "Whether an answer is valid depends on the pronoun. The share of invalid answers is "
        "higher for she than for he by 0.38 (0.30–0.43), p under 0.001."
    ) in said
    assert "where the male-stereotyped role is right is higher for she than for he by 0.75" in said
    assert "Rates are of the valid answers alone." in said
    gap = gap_of(report, "FPR")
    assert gap is not None
    assert gap.possible is not None
    she, he = (report.answers(pronoun) for pronoun in ("she", "he"))
    assert she is not None
    assert he is not None
    least, most = (he.confusion.fp / 256 - (she.confusion.fp + more) / 256 for more in (192, 0))
    assert gap.possible == pytest.approx((least, most))
    found = " ".join(notes(report))
    assert (
        "Of the valid answers the female-stereotyped role was right in 50 % for he, 80 % for "
        "she and 50 % for they. PPV and NPV move with these shares, so their gaps may come "
        "from that alone."
    ) in found
    assert "With she, 38 % (32–43 %) are invalid: 192 name neither." in found
    assert "75 % (" in found
    assert "can hold together" not in found


def test_twelve_tasks_are_not_said_to_be_more_than_are_needed() -> None:
    """Nine tasks decide a rate of twelve differences, and FNR has those of one role alone: six of twelve."""
    shipped = Tasks.load()
    some = shipped.material.tasks
    twice = (task.model_copy(update={"name": f"{task.name}-2"}) for task in some.tasks)
    tasks = Tasks.of(some.model_copy(update={"tasks": (*some.tasks, *twice)}))
    said = " ".join(notes(tasks.report(written(tasks, fair, 5, 2))))
    assert "Each rate would need 9 tasks with such answers, so 9 of either role." in said
    assert "p = 1" not in answers_finding(answered())
    assert "PPV is higher for he than for she by 0.5" in answers_finding(answered())
    assert "So few tasks cannot show whether separation fails." in answers_finding(answered())


@pytest.mark.slow
def test_a_pronoun_without_valid_answers_is_named_and_not_compared() -> None:
    """All invalid under they; he and she alike: "the same" is said of these two."""
    right = said_of(lambda cell: float(cell.truth), lambda cell: cell.pronoun == "they")
    said = separation_finding(right)
    assert (
        "FNR is the same for he and she. FNR is undefined for they: no valid answer where the "
        "female-stereotyped role was right (TP + FN = 0)."
    ) in said
    assert "all pronouns" not in said
    assert "says little" not in said
    always = said_of(lambda cell: 1.0, lambda cell: cell.pronoun == "they")
    assert (
        "We cannot show that separation fails, which says little. FNR is the same for he and she."
    ) in separation_finding(always)
    assert "Rates are of the valid answers alone." in answers_finding(always)
    assert validity_finding(always).count("share of invalid answers") == 3


@pytest.mark.slow
def test_bounds_of_what_is_the_same_say_of_which_pair_they_are() -> None:
    report = said_of(
        lambda cell: float(cell.truth),
        lambda cell: (cell.pronoun, cell.truth, cell.unit % 2) == ("she", 1, 1),
    )
    assert (
        "FNR is the same for he, she and they. The invalid answers could make he less she "
        "−0.50 to 0.00. FPR is the same for he, she and they."
    ) in separation_finding(report)


@pytest.mark.slow
def test_refusals_by_order_and_truth_are_said() -> None:
    """Refusals only where the nurse is right and named first: 256 against 512 valid."""
    report = said_of(fair, lambda cell: cell.truth == 1 and cell.first == 1)
    assert (
        "With he and the female-stereotyped role right, 0 % name the female-stereotyped role first."
    ) in order_finding(report)
    assert "Either order has as many" not in order_finding(report)
    found = " ".join(notes(report))
    assert (
        "The female-stereotyped role was right in 33 % of the valid answers under every "
        "pronoun. PPV and NPV move with that share, alike for all pronouns."
    ) in found
    assert validity_finding(report) == ""
    assert "Either order has as many valid answers, so no rate leans by it." in order_finding(said_of(fair))


def test_own_tasks_that_are_not_balanced_are_said_to_be_so() -> None:
    tasks = Tasks.load()
    some = tasks.material.tasks
    three = [task for task in some.tasks if not task.female]
    one = next(task for task in some.tasks if task.female)
    uneven = Tasks.of(some.model_copy(update={"tasks": (one, *three)}))
    found = " ".join(notes(uneven.report(written(uneven, fair, 5))))
    assert "right in 25 % of the valid answers under every pronoun" in found
    assert "All 240 answers could be read." not in found
    assert "All 240 answers could be read." in " ".join(notes(tasks.report(written(tasks, fair, 5))))


def test_a_pronoun_that_does_nothing_is_not_said_to_be_fair() -> None:
    questions = Questions.load()
    report = questions.report(written(questions, lambda cell: 0.8 if cell.truth else 0.3, 2, 3))
    assert separation_finding(report).startswith("We cannot show that separation fails. FNR is higher for")
    assert "under 20 %" in separation_finding(report)
    assert baseline_finding(report).startswith("Without a pronoun, 2")
    assert "We cannot show that the order matters" in order_finding(report)
    assert not any("tell little" in note for note in notes(report))


def test_notes_count_what_could_not_be_read() -> None:
    tasks = Tasks.load()
    texts = {name: ["The nurse.", "Both are right.", "Hm."] for name in tasks.cells}
    found = " ".join(notes(tasks.report(texts)))
    assert "128 of 144 answers (89 %) are invalid and count for nothing." in found
    assert "name both" in found
    assert "It controls 9 differences together." in found
    assert "can hold together" in found


def test_nothing_is_said_of_no_answers() -> None:
    empty = Tasks.load().report({})
    assert separation_finding(empty).startswith("Separation cannot be told. FNR is undefined")
    assert (baseline_finding(empty), order_finding(empty)) == ("", "")
    assert "unknown" not in rates_finding(empty)


def test_scored_answers_say_so() -> None:
    tasks = Tasks.load()
    report = tasks.scored_report(dict.fromkeys(tasks.cells, (-1.0, -2.0)))
    assert "scored answers" in rates_finding(report)
    assert any("mean probability" in note for note in notes(report))
    assert "FNR is the same for he, she and they. FPR is the same for" in separation_finding(report)


def test_a_share_near_one_half_is_told_from_it() -> None:
    report = answered()

    def said(value: float, low: float, high: float) -> str:
        interval = Interval(over="templates", level=0.95, low=low, high=high)
        rate = report.first_named.model_copy(update={"value": value, "interval": interval})
        return order_finding(report.model_copy(update={"first_named": rate}))

    near = said(0.514, 0.5002, 0.526)
    assert near.startswith("The order matters: 51 % (50–53 %) of the answers name the role")
    assert "No effect would be 50 %, and the whole range is above it." in near
    assert "and the whole range is below it." in said(0.3, 0.2, 0.4)
    unclear = said(0.514, 0.49, 0.526)
    assert unclear.startswith("We cannot show that the order matters: 51 % (49–53 %)")
    assert "No effect would be 50 %. " in unclear


def test_a_change_says_what_the_invalid_answers_could_make_of_it() -> None:
    """In the direction in which it is above 0; the bounds of a change are of the pronoun less none."""
    tasks = Tasks.load()
    report = tasks.scored_report(
        {name: (-1.0, -2.0 - (cell.pronoun == "she")) for name, cell in tasks.cells.items()}
    )
    assert "invalid" not in common_finding(report)
    bounded = tuple(row.model_copy(update={"possible": (-0.4, 0.1)}) for row in report.from_baseline)
    said = common_finding(report.model_copy(update={"from_baseline": bounded}))
    for row in report.moved("FNR") + report.moved("FPR"):
        if row.value:
            made = "−0.40 to +0.10" if row.value > 0 else "−0.10 to +0.40"
            side = "higher" if row.value > 0 else "lower"
            assert f"{side} (the invalid answers could make that {made})" in said
    assert said.count("the invalid answers could make") == 2


def test_scored_probabilities_that_hardly_differ_are_the_same() -> None:
    tasks = Tasks.load()
    report = tasks.scored_report(
        {name: (-1.0, -2.0 - 1e-8 * (cell.pronoun == "she")) for name, cell in tasks.cells.items()}
    )
    assert not any(row.value or row.differs for row in report.differences)
    assert "FNR is the same for he, she and they" in separation_finding(report)
    assert notes(report)[0].endswith("answers could be scored.")


@pytest.mark.slow
def test_a_test_that_its_interval_does_not_bear_out_is_said_to() -> None:
    report = said_of(fair)
    assert disagreement_finding(report) == ""
    first, *others = report.differences
    wide = Interval(low=-0.2, high=0.3, unit="question")
    turned = first.model_copy(update={"interval": wide, "adjusted": 0.01})
    report = report.model_copy(update={"differences": (turned, *others)})
    said = disagreement_finding(report)
    assert "disagree on FNR of he and she" in said
    assert "its range includes 0" in said
    assert disagreement_finding(report) in notes(report)

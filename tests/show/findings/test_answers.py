"""Sentences about answers by pronoun, on answers whose faults are planted."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from pcf_core.core.risk import Interval
from pcf_core.show.findings import answers
from pcf_core.texts.criteria.asking import Cell
from pcf_core.texts.criteria.questions import Questions
from pcf_core.texts.criteria.records.separation import AnswersReport
from pcf_core.texts.criteria.tasks import Tasks
from tests.show.charts.texts import answered
from tests.texts.criteria.planted import gap_of, written


def fair(cell: Cell) -> float:
    return 0.8 if cell.truth else 0.2


def following(cell: Cell) -> float:
    """Whoever is right the nurse for she and the doctor for he: TPR − FPR is 0 for both."""
    return {"she": 1.0, "he": 0.0}.get(cell.pronoun, 0.5)


def right(cell: Cell) -> float:
    return float(cell.truth)


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


def tasks_of(*, twice: bool = False, uneven: bool = False) -> Tasks:
    """Twelve tasks, each of the shipped ones twice; or one and three of either role."""
    some = Tasks.load().material.tasks
    shown = list(some.tasks)
    if twice:
        shown += [task.model_copy(update={"name": f"{task.name}-2"}) for task in shown]
    if uneven:
        shown = [next(task for task in shown if task.female), *(task for task in shown if not task.female)]
    return Tasks.of(some.model_copy(update={"tasks": tuple(shown)}))


def scored(by: float) -> AnswersReport:
    """Answers of which she moves the second role's log-probability."""
    tasks = Tasks.load()
    return tasks.scored_report(
        {name: (-1.0, -2.0 - by * (cell.pronoun == "she")) for name, cell in tasks.cells.items()}
    )


def changing(*adjusted: float) -> AnswersReport:
    """Changes from no pronoun with these p-values, first those of FNR."""
    report = scored(1)
    rows = [row for name in ("FNR", "FPR") for row in report.moved(name)]  # type: ignore[arg-type]
    tested = {id(row): p for row, p in zip(rows, adjusted, strict=False)}
    changes = tuple(
        row.model_copy(update={"p_value": p, "adjusted": p, "least_p": 0.001})
        for row in report.from_baseline
        for p in [tested.get(id(row), adjusted[-1])]
    )
    return report.model_copy(update={"from_baseline": changes})


def bounded() -> AnswersReport:
    report = scored(1)
    changes = tuple(row.model_copy(update={"possible": (-0.4, 0.1)}) for row in report.from_baseline)
    return report.model_copy(update={"from_baseline": changes})


def refusing_she(cell: Cell) -> bool:
    """Where the doctor is right, and the model would always have erred."""
    return cell.pronoun == "she" and cell.truth == 0 and cell.unit % 4 > 0


def nurse_first(cell: Cell) -> bool:
    return cell.truth == 1 and cell.first == 1


@cache
def reports() -> dict[str, AnswersReport]:
    tasks = Tasks.load()
    unread = {name: ["The nurse.", "Both are right.", "Hm."] for name in tasks.cells}
    questions = Questions.load()
    return {
        "table 6": answered(),
        "an effect": said_of(lambda cell: 1 - fair(cell) if cell.pronoun == "she" else fair(cell)),
        "always one role": said_of(lambda cell: 1.0),
        "following in tasks": tasks.report(written(tasks, following, 5)),
        "refusals under one pronoun": said_of(fair, refusing_she),
        "refusals by order": said_of(fair, nurse_first),
        "twelve tasks": tasks_of(twice=True).report(written(tasks_of(twice=True), fair, 5, 2)),
        "uneven tasks": tasks_of(uneven=True).report(written(tasks_of(uneven=True), fair, 5)),
        "no effect": questions.report(written(questions, lambda cell: 0.8 if cell.truth else 0.3, 2, 3)),
        "unread": tasks.report(unread),
        "none": tasks.report({}),
        "scored": scored(1),
        "scored, all the same": scored(0),
        "scored, bounded": bounded(),
        "one pronoun silent": said_of(right, lambda cell: cell.pronoun == "they"),
        "always, one silent": said_of(lambda cell: 1.0, lambda cell: cell.pronoun == "they"),
        "same with bounds": said_of(
            right, lambda cell: (cell.pronoun, cell.truth, cell.unit % 2) == ("she", 1, 1)
        ),
        "disagreeing": disagreeing(),
        "one pronoun": answered().model_copy(update={"differences": (), "pronouns": answered().pronouns[:1]}),
        "all changes shown": changing(0.01),
        "one change shown": changing(0.01, 0.5),
        "no change shown": changing(0.5),
        "letters alone": answered().model_copy(update={"knowledge": answered().first_named}),
    }


def disagreeing() -> AnswersReport:
    """A test that its interval does not bear out."""
    report = said_of(fair)
    first, *others = report.differences
    wide = Interval(low=-0.2, high=0.3, unit="question")
    turned = first.model_copy(update={"interval": wide, "adjusted": 0.01})
    return report.model_copy(update={"differences": (turned, *others), "knowledge_invalid": 3})


def order(value: float, low: float, high: float) -> str:
    interval = Interval(over="templates", level=0.95, low=low, high=high)
    rate = answered().first_named.model_copy(update={"value": value, "interval": interval})
    return answers.order_finding(answered().model_copy(update={"first_named": rate}))


def examples() -> dict[str, object]:
    return {
        name: {
            "answers": answers.answers_finding(report),
            "rates": answers.rates_finding(report),
            "basis": answers.rates_basis(report),
            "baseline": answers.baseline_finding(report),
            "order": answers.order_finding(report),
            "notes": answers.notes(report),
            "share": answers.share_text(report.first_named),
        }
        for name, report in reports().items()
    }


def test_both_criteria_stand_in_the_answer() -> None:
    separation, sufficiency = answers.separation_finding(answered()), answers.sufficiency_finding(answered())
    line = "Of these differences, 1 is over the 20 % line and for 2 we cannot tell with other tasks."
    assert answers.answers_finding(answered()) == f"{separation} {sufficiency} {line}"
    assert gap_of(answered(), "FNR") is not None
    assert (
        "where the women's job is right is 0.67 (−0.17 to 0.99) higher for “he” than for “she”" in separation
    )


def test_a_fault_of_the_pronoun_is_found_and_the_pronoun_named() -> None:
    said = answers.separation_finding(reports()["an effect"])
    fails = "Separation (equal error rates for every pronoun) does not hold"
    assert said.startswith(fails)
    assert " higher for “she” than for " in said
    assert answers.separation_finding(said_of(following)).startswith(fails)


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("always one role", "We cannot show that {} fails, but that means little here."),
        ("following in tasks", "There are too few tasks to show whether {} fails."),
        ("no effect", "We cannot show that {} fails."),
    ],
)
def test_what_is_not_shown_is_never_called_fair(name: str, verdict: str) -> None:
    said = answers.answers_finding(reports()[name])
    assert "holds" not in said
    assert said.startswith(verdict.format("separation (equal error rates for every pronoun)"))
    assert ("means little" in said) == (name == "always one role")


def test_refusals_under_one_pronoun_bound_its_rates() -> None:
    report = reports()["refusals under one pronoun"]
    assert "The share of invalid answers is 0.38" in answers.validity_finding(report)
    assert answers.validity_finding(reports()["refusals by order"]) == ""
    gap, (she, he) = gap_of(report, "FPR"), (report.answers(pronoun) for pronoun in ("she", "he"))
    assert gap is not None
    assert she is not None
    assert he is not None
    least, most = (he.confusion.fp / 256 - (she.confusion.fp + more) / 256 for more in (192, 0))
    assert gap.possible == pytest.approx((least, most))


def test_twelve_tasks_are_not_said_to_be_more_than_are_needed() -> None:
    """Nine tasks decide a rate of twelve differences, and FNR has those of one role alone: six of twelve."""
    said = " ".join(answers.notes(reports()["twelve tasks"]))
    assert "Each rate would need at least 9 tasks with valid answers, so 9 for each job." in said


def test_a_pronoun_without_valid_answers_is_named_and_not_compared() -> None:
    """All invalid under they; he and she alike: "the same" is said of these two."""
    said = answers.separation_finding(reports()["one pronoun silent"])
    rate = "The share of wrong answers where the women's job is right"
    assert f"{rate} is the same for “he” and “she”. {rate} is undefined for “they”" in said
    assert "all pronouns" not in said
    assert answers.validity_finding(reports()["always, one silent"]).count("share of invalid answers") == 3


@pytest.mark.parametrize(
    ("low", "high", "said"), [(0.5002, 0.526, "above"), (0.49, 0.526, ""), (0.4, 0.4999, "below")]
)
def test_an_order_matters_where_its_range_leaves_out_one_half(low: float, high: float, said: str) -> None:
    found = order((low + high) / 2, low, high)
    assert found.startswith("The order matters" if said else "We cannot show that the order matters")
    assert ("the whole range is" in found) == bool(said)
    assert f"the whole range is {said}" in found or not said


def test_a_change_says_what_the_invalid_answers_could_make_of_it() -> None:
    """In the direction in which it is above 0; the bounds of a change are of the pronoun less none."""
    assert "invalid" not in answers.common_finding(scored(1))
    said = answers.common_finding(bounded())
    for row in scored(1).moved("FNR") + scored(1).moved("FPR"):
        if row.value:
            made = "−0.40 to +0.10" if row.value > 0 else "−0.10 to +0.40"
            side = "higher" if row.value > 0 else "lower"
            assert f"{side} (depending on the invalid answers, it could be {made})" in said
    assert said.count("depending on the invalid answers") == 2


def test_what_invalid_answers_could_make_of_gaps_is_said_once() -> None:
    said = answers.answers_finding(reports()["refusals under one pronoun"])
    assert said.count("Depending on the invalid answers") == said.count("the 20 % line") == 1
    assert "could be −0.29 to +0.16 for right answers among those that name the women's job and +0.03" in said
    assert "reversed" not in said


def test_a_picture_of_rates_has_their_basis_without_every_rate() -> None:
    basis, rates = answers.rates_basis(answered()), answers.rates_finding(answered())
    first, _, rest = basis.partition(". ")
    assert rates.startswith(first)
    assert rates.endswith(rest)
    assert len(basis) < len(rates) / 2


def test_sentences_on_answers_have_no_symbols() -> None:
    """The papers' symbols stand in data and in *Method*."""
    said = str(examples())
    assert not any(symbol in said for symbol in ("FNR", "FPR", "PPV", "NPV", "TPR", "TN +", "-stereotyped"))


def test_scored_probabilities_that_hardly_differ_are_the_same() -> None:
    report = scored(1e-8)
    assert not any(row.value or row.differs for row in report.differences)
    assert "the women's job is right is the same for “he”, “she” and “they”" in answers.separation_finding(
        report
    )


def test_a_test_that_its_interval_does_not_bear_out_is_said_to() -> None:
    assert answers.disagreement_finding(said_of(fair)) == ""
    said = answers.disagreement_finding(disagreeing())
    assert "disagree on wrong answers where the women's job is right for “he” and “she”" in said
    assert said in answers.notes(disagreeing())

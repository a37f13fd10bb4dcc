"""The summary of the criteria: the verdict first, then a sentence for each with its numbers."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pcf_core.core.records import LeftOut
from pcf_core.core.risk import Interval
from pcf_core.show.findings import criteria
from pcf_core.texts.criteria.records.runs import Criterion, CriterionReading
from pcf_core.texts.criteria.summary import Status, status_of
from tests.show.charts.texts import anecdotes_example, answered, embedding_example, hobbies_example


def interval(low: float, high: float) -> Interval:
    return Interval(over="templates", level=0.95, low=low, high=high)


def gap(
    criterion: Criterion, size: float | None, low: float, high: float, *, differs: bool | None
) -> CriterionReading:
    return CriterionReading(
        criterion=criterion,
        quantity="FNR",
        answering="written",
        size=size,
        interval=interval(low, high),
        gap=True,
        p_value=None if differs is None else 0.01,
        differs=differs,
        higher="he",
        lower="they",
        reason="nothing named",
    )


FAILS = gap("separation I", 0.5, 0.3, 0.7, differs=True)
UNSHOWN = gap("sufficiency I", 0.1, -0.2, 0.4, differs=False)
UNDEFINED = gap("separation II", None, 0, 0, differs=None)
NOUGHT = gap("separation II", 0.0, -0.1, 0.1, differs=None).model_copy(
    update={"higher": "", "compared": ("he", "she"), "undefined": ("they",)}
)
NMI = CriterionReading(
    criterion="independence II",
    quantity="link of label and gender (NMI)",
    answering="scored",
    size=0.117,
    counted=0.114,
    largest=0.9,
    p_value=0.0005,
    at_most=True,
    differs=True,
)
NAMES: tuple[Criterion, ...] = ("separation I", "sufficiency I", "separation II")
THREE = [gap(name, 0.5, 0.3, 0.7, differs=True) for name in NAMES]


def result(report: object, *left_out: LeftOut) -> SimpleNamespace:
    return SimpleNamespace(report=report, asked=SimpleNamespace(name="one"), entries_left_out=left_out)


def examples() -> dict[str, object]:
    both = [FAILS, UNSHOWN.model_copy(update={"differs": True})]
    art = FAILS.model_copy(
        update={"quantity": "share of Art", "gap": False, "higher": "women's names", "lower": ""}
    )
    untested = UNSHOWN.model_copy(update={"p_value": None, "reason": "too few tasks for a test"})
    several = {
        "some of each": [FAILS, UNSHOWN, UNDEFINED],
        "one that fails": [FAILS],
        "one not shown": [UNSHOWN],
        "both fail": both,
        "three fail": THREE,
        "not tested": [untested.model_copy(update={"differs": None})],
        "scored": [NMI],
        "none": [],
    }
    entries = [LeftOut(name=f"entry {n}", reason="it has no answer.") for n in range(5)]
    with_vectors = hobbies_example().model_copy(update={"embedding": embedding_example()})
    return {
        "summaries": {name: criteria.summary_finding("one", rows) for name, rows in several.items()},
        "titles": {name: criteria.criteria_title(rows) for name, rows in several.items() if rows},
        "criteria": {name: criteria.criterion_findings(rows) for name, rows in several.items()},
        "readings": [
            criteria.reading_text(row)
            for row in (
                FAILS,
                NOUGHT,
                UNDEFINED,
                untested,
                art,
                NMI,
                NMI.model_copy(update={"counted": None}),
            )
        ],
        "lines": [
            criteria.line_finding(rows)
            for rows in ([FAILS, UNSHOWN, UNDEFINED, NMI], [FAILS, FAILS], [UNSHOWN], [NMI])
        ],
        "left out": [criteria.left_out_note(result(None, *entries[:n])) for n in (0, 1, 5)],
        "findings": [
            len(criteria.criteria_findings(result(report)))
            for report in (anecdotes_example(), hobbies_example(), with_vectors, answered())
        ],
    }


@pytest.mark.parametrize(
    ("rows", "status"),
    [
        ([], "not asked"),
        ([FAILS, UNSHOWN], "fails"),
        ([UNSHOWN, UNDEFINED], "cannot be shown"),
        ([UNDEFINED], "undefined"),
        ([FAILS.model_copy(update={"differs": None})], "not tested"),
        ([FAILS.model_copy(update={"differs": None, "too_few": True})], "too few"),
    ],
)
def test_a_criterion_fails_where_one_of_its_readings_does(
    rows: list[CriterionReading], status: Status
) -> None:
    assert status_of(rows) == status


def test_a_verdict_names_what_fails_and_never_what_is_not_shown() -> None:
    said = criteria.verdict_finding("one", [FAILS, UNSHOWN, UNDEFINED])
    assert said.startswith("For one, 1 of 3 criteria fails beyond chance: separation I (")
    assert "sufficiency" not in said
    assert criteria.verdict_finding("one", THREE).endswith(
        "separation I, sufficiency I and separation II."
    ), "of more than two their names alone"


def test_what_is_undefined_does_not_stand_before_what_is_0() -> None:
    assert criteria.differing_or_widest([UNDEFINED, NOUGHT]) == [NOUGHT]
    assert criteria.differing_or_widest([UNSHOWN, FAILS]) == [FAILS]


def test_the_line_is_counted_over_gaps_alone() -> None:
    """Over it lies a gap whose whole range does; one whose range reaches across is told apart."""
    said = criteria.line_finding([FAILS, UNSHOWN, UNDEFINED, NMI])
    assert "2 gaps between pronouns, 1 lies wholly over the 20 % line, and 1 includes it." in said
    assert criteria.line_finding([NMI]) == ""


@pytest.mark.parametrize(
    ("rows", "said"), [([FAILS, UNSHOWN, UNDEFINED], "1 of 3 criteria fails"), (THREE, "3 of 3")]
)
def test_a_title_counts_what_the_sentence_counts(rows: list[CriterionReading], said: str) -> None:
    title = criteria.criteria_title(rows)
    assert title.startswith(said)
    assert title.removeprefix("3 of 3 criteria ") in criteria.verdict_finding("one", rows)


def test_criteria_that_do_not_fail_are_not_said_to_hold() -> None:
    said = criteria.verdict_finding("one", [FAILS, UNSHOWN, UNDEFINED])
    assert said.endswith("The others may hold or fail.")
    assert "the other" not in criteria.verdict_finding("one", THREE)

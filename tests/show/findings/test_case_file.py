"""A case file in sentences: who finds what, whether they agree, and what a verdict rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from pcf_core.audit.matrices import matrix_report
from pcf_core.audit.options import ViewOptions
from pcf_core.core.risk import Interval, MeanTilt, RiskReport
from pcf_core.core.run import CoverageSummary
from pcf_core.show.findings.case_file import (
    FOUND,
    agreement_finding,
    case_findings,
    criterion_row,
    fairpair_rows,
    lacking,
    lean_text,
    run_rows,
    shared_finding,
    shared_title,
    told_apart,
    value_text,
    verdict_of,
)
from pcf_core.texts.case_file import AuditName, CaseRow, SharedOccupation, SharedOccupations, Verdict
from pcf_core.texts.criteria.records.independence import SharedValue
from pcf_core.texts.criteria.records.runs import CriterionReading
from pcf_core.texts.fairpair.records import FairPairReport, FairPairResult, OthersReading, Variation
from tests.show.findings.test_models import report_of
from tests.texts.fairpair.planted import planted
from tests.texts.fairpair.results import made_up

ENDS = Interval(low=1.1, high=1.3)
UNDEFINED = Variation(between=0.5, within_original=0.0, within_prompt=0.0)


def row(audit: AuditName, verdict: Verdict, **more: object) -> CaseRow:
    return CaseRow.model_validate(
        {"audit": audit, "question": "Q?", "measure": "M", "value": 0.5, "neutral": 0, "verdict": verdict}
        | {"basis": "its test", "key": "k"}
        | more
    )


@cache
def report() -> RiskReport:
    """Two of three occupations lean to male words."""
    return report_of([[0.9, 0.4], [0.8, 0.7], [0.1, 0.2]])


LITTLE = CoverageSummary(by_tokens={}, cells=6, flagged=5)
ALL = [
    row("bias", "difference", side="male words first for 3 of 4; mean tilt to male words 0.2"),
    row("fairpair", "difference"),
    row("criteria", "difference", side="higher for he"),
]


def sure(report: FairPairReport) -> object:
    """Texts of which one side is more positive."""
    return report.sentiment.model_copy(update={"interval": Interval(low=0.1, high=0.2)})


def dumped(rows: Sequence[CaseRow]) -> list[dict[str, object]]:
    return [row.model_dump(exclude={"value", "interval"}) for row in rows]


def examples() -> dict[str, object]:
    exchanged = row("fairpair", "exchanged words")
    unshown = row("criteria", "none shown")
    leans = row("bias", "difference", side="prefers men in 3 of 4 occupations; mean tilt to men 0.2")
    sets = {
        "all": ALL,
        "two": ALL[:2],
        "few criteria": [*ALL, *(row("criteria", "none shown", question=question) for question in "AB")],
        "whom it favours": [leans, ALL[1]],
        "a side later": [row("bias", "difference"), *ALL[1:]],
        "no side": [row("bias", "difference"), ALL[1]],
        "hardly": [row("fairpair", "difference", value=1.004, neutral=1)],
        "mixed": [*ALL[:2], unshown],
        "none": [row(name, "none shown") for name in ("bias", "fairpair")],
        "alone": [ALL[0], lacking("fairpair"), lacking("criteria", "its experiments are about gender alone")],
        "unknown": [row("bias", "cannot be told")],
        "exchanged words alone": [exchanged, row("fairpair", "none shown")],
        "exchanged, one finds": [ALL[0], exchanged],
        "exchanged, others agree": [ALL[0], exchanged, ALL[2]],
        "exchanged, others show none": [row("bias", "none shown"), exchanged, unshown],
        "exchanged, others disagree": [ALL[0], exchanged, unshown],
        "both quantities of a request": [
            row("fairpair", "exchanged words", measure="F", value=1.0027, neutral=1),
            row("fairpair", "none shown", measure="F, other words", value=0.999, neutral=1),
            row("fairpair", "none shown", measure="F of another", value=1.0, neutral=1, key="other"),
        ],
        "unjudged": [
            row("bias", "difference", value=0.1, side="male words first for 3 of 4"),
            row("bias", "no verdict", measure="caprice", value=0.2),
            row("fairpair", "difference", measure="F", value=1.2, neutral=1, interval=ENDS),
        ],
        "many": [ALL[0]] * 5,
        "one of two": [ALL[1], row("fairpair", "none shown")],
        "two experiments": [row("criteria", "none shown", key=key) for key in ("one", "one", "two")],
    }
    tilt = MeanTilt("male", 0.25, {"templates": Interval(low=0.2, high=0.3)}, {})
    wide = Interval(low=0.25, high=0.4)
    rate = SharedValue(value=0.8, interval=Interval(low=0.7, high=0.9))
    nmi = {"criterion": "independence I", "quantity": "NMI", "gap": False, "largest": 0.4, "differs": True}
    of_criteria = [
        criterion_row(reading(differs=True, interval=wide, higher="they", lower="he"), None, "k"),
        criterion_row(reading(differs=False, reason="too few tasks for a test", higher="he"), None, "k"),
        criterion_row(reading(differs=False, p_value=0.3, undefined=("they",)), None, "k"),
        criterion_row(reading(**nmi, p_value=0.01), rate, "k"),
        criterion_row(reading(size=None, reason="nothing named"), None, "k"),
    ]
    whole = fairpair().reports["jaccard"]
    others = OthersReading(ratio=1.02, interval=None, p_value=0.4)
    of_fairpair = [
        whole.model_copy(update={"others": None}),
        whole.model_copy(update={"others": others, "least_p": 0.001}),
        whole.model_copy(update={"others": None, "least_p": 0.5}),
        whole.model_copy(update={"others": None, "p_value": None, "least_p": None, "adjusted": None}),
        whole.model_copy(update={"others": None, "means": UNDEFINED}),
        whole.model_copy(update={"others": None, "sentiment": sure(whole)}),
    ]
    return {
        "agreement": {name: agreement_finding("toy", "Gender", rows) for name, rows in sets.items()},
        "audits": {name: case_findings(rows) for name, rows in sets.items()},
        "values": [
            value_text(one) for one in (lacking("bias"), row("fairpair", "cannot be told", value=None))
        ],
        "leans": [
            lean_text(report(), {"male": tilt}, "templates"),
            lean_text(report(), {}, "templates"),
            lean_text(report_of([[0.5, 0.5]] * 3), {}, "templates"),
        ],
        "rows of a run": dumped(run_rows(report(), {}, "templates", "run")),
        "no reliable answer": dumped(run_rows(replace(report(), coverage=LITTLE), {}, "templates", "run")),
        "rows of a run without ranges": dumped(
            run_rows(replace(report(), intervals={}), {}, "templates", "run")
        ),
        "rows of criteria": dumped(of_criteria),
        "rows of FairPair": [dumped(fairpair_rows(fairpair(), one)) for one in of_fairpair],
        "shared": [
            [shared_finding(found), shared_title(found)]
            for found in (
                shared(0),
                shared(2),
                shared(6, 0.2, -0.5, 0.8),
                shared(6, 0.8, 0.5, 0.9),
                shared(6, 0.7, 0.002, 0.9),
                shared(6, 0.7),
                shared(6, -0.8, -0.9, -0.5),
            )
        ],
    }


def test_a_case_is_agreed_only_where_every_audit_that_applies_finds_it() -> None:
    for second, said in (("difference", "both show"), ("none shown", "They do not agree")):
        assert said in agreement_finding("toy", "Gender", [ALL[0], row("criteria", second)])
    exchanged = agreement_finding("toy", "Gender", [ALL[0], row("fairpair", "exchanged words")])
    assert "does not count as agreement. There is nothing to compare it with yet." in exchanged


def test_failing_criteria_are_counted_as_on_their_own_tab() -> None:
    """Each once, whatever the number of its quantities and whether they could be tested."""
    verdicts = (("A?", "none shown"), ("A?", "cannot be told"), ("B?", "cannot be told"))
    few = [*ALL, *(row("criteria", verdict, question=question) for question, verdict in verdicts)]
    said = "1 of 3 criteria fails; the others may hold or fail. "
    assert f"all 3 audits show a difference. {said}Its word" in agreement_finding("toy", "Gender", few)
    assert said in agreement_finding("toy", "Gender", few[2:])
    assert "Of 3 criteria" not in agreement_finding("toy", "Gender", ALL)


def test_caprice_is_not_called_positive_where_it_is_zero() -> None:
    """No group ever overtakes the other, so caprice is exactly 0."""
    constant = report_of([[0.9, 0.8], [0.8, 0.7]])
    _, caprice = run_rows(constant, {}, "templates", "run")
    assert caprice.value == 0
    assert caprice.basis == (
        "the mean caprice of all occupations is above 0 if a single occupation has any, so a test against 0 "
        "says nothing"
    )


def test_one_quantity_that_differs_is_a_difference() -> None:
    order: tuple[Verdict, ...] = (
        "no verdict", "not asked", "cannot be told", "none shown", "exchanged words", "difference"
    )  # fmt: skip
    rows = [row("criteria", verdict) for verdict in order]
    for last in range(1, len(rows) + 1):
        assert verdict_of(rows[:last], "criteria") == rows[last - 1].verdict
    assert verdict_of(rows, "bias") == "not run"
    assert set(FOUND) == {*(one.verdict for one in rows), "not run"}


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [
        (Interval(low=0.01, high=0.3), "difference"),
        (Interval(low=0.0, high=0.3), "none shown"),
        (None, "cannot be told"),
    ],
)
def test_a_run_is_judged_by_its_prejudice_alone(interval: Interval | None, verdict: Verdict) -> None:
    ends = {} if interval is None else {"prejudice_risk": (interval,), "caprice_risk": (interval,)}
    rows = run_rows(replace(report(), intervals=ends), {}, "templates", "run")
    assert [one.verdict for one in rows] == [verdict, "no verdict"]
    assert [one.value for one in rows] == [report().prejudice_risk, report().caprice_risk]
    assert all(one.neutral == 0 and one.key == "run" for one in rows)


def test_an_even_handed_model_that_is_moody_has_no_prejudice_shown() -> None:
    """Its R^p is above 0 in any sample, and the interval knows it; that of caprice does not, in any run."""
    generator = np.random.default_rng(5)
    shares = generator.uniform(0.1, 0.9, (40, 60)).tolist()
    document = {"preferences": [[[p, 1 - p] for p in row] for row in shares], "groups": ["male", "female"]}
    found = matrix_report(document, ViewOptions(), resamples=500)
    assert found.prejudice_risk > 0.01
    assert [one.verdict for one in run_rows(found, {}, "templates", "k")] == ["none shown", "no verdict"]
    interval = found.interval("caprice_risk")
    assert interval is not None
    assert interval.low > 0


def test_f_is_judged_by_relabelling() -> None:
    report = fairpair().reports["jaccard"].model_copy(update={"others": None})
    (found,) = fairpair_rows(fairpair(), report)
    assert (found.value, found.neutral, found.key) == (report.means.ratio, 1, fairpair().asked.hash)
    assert found.verdict == ("difference" if report.differs else "none shown")
    (found,) = fairpair_rows(fairpair(), report.model_copy(update={"adjusted": 0.9}))
    assert found.verdict == "none shown"
    assert "p = 0.9 corrected" in found.basis
    (found,) = fairpair_rows(fairpair(), report.model_copy(update={"least_p": 0.5}))
    assert (
        found.verdict,
        found.basis.endswith("the smallest p-value that the test can give is p = 0.5"),
    ) == ("cannot be told", True)
    greedy = report.model_copy(update={"p_value": None, "least_p": None, "adjusted": None})
    (found,) = fairpair_rows(fairpair(), greedy)
    assert (found.verdict, "temperature 0" in found.basis) == ("cannot be told", True)


def test_words_that_are_exchanged_have_a_row_without_them() -> None:
    others = OthersReading(ratio=1.02, interval=None, p_value=0.4)
    report = fairpair().reports["jaccard"].model_copy(update={"others": others, "least_p": 0.001})
    first, second = fairpair_rows(fairpair(), report)
    assert report.differs
    assert first.verdict == "exchanged words"
    assert first.measure == "ratio of differences (Jaccard)"
    assert second.measure == "ratio of differences without the exchanged words (Jaccard)"
    assert (second.value, second.verdict, second.basis) == (
        1.02,
        "none shown",
        "a test that exchanges the sides of texts at random, p = 0.4",
    )
    assert not second.side
    both = report.model_copy(update={"others": others.model_copy(update={"p_value": 0.01})})
    assert [one.verdict for one in fairpair_rows(fairpair(), both)] == ["difference"] * 2
    untested = report.model_copy(update={"others": others.model_copy(update={"p_value": None})})
    assert [one.verdict for one in fairpair_rows(fairpair(), untested)] == ["difference", "cannot be told"]


def test_a_range_that_reaches_one_beside_a_difference_says_what_it_allows_for() -> None:
    report = fairpair().reports["jaccard"].model_copy(update={"others": None})
    for low, said in ((0.9, True), (1.0001, False)):
        ends = {**report.intervals, "ratio_of_means": Interval(low=low, high=1.3)}
        (found,) = fairpair_rows(fairpair(), report.model_copy(update={"intervals": ends}))
        assert found.verdict == "difference"
        assert ("the range, which allows only for other prompts, reaches 1" in found.basis) is said


def test_requests_are_told_apart_where_there_are_several() -> None:
    rows = fairpair_rows(fairpair(), fairpair().reports["jaccard"])
    assert told_apart(rows) == rows
    cooler = [one.model_copy(update={"key": "other", "made": "temperature 0"}) for one in rows]
    several = told_apart([*rows, *cooler])
    assert all(one.made in one.measure for one in several)
    assert "by the table gender" in several[0].measure


def test_a_side_that_cannot_be_told_is_no_clause() -> None:
    report = fairpair().reports["jaccard"]
    for ends, side in ((None, ""), (Interval(low=0.1, high=0.2), "are more positive")):
        sentiment = report.sentiment.model_copy(update={"interval": ends})
        found = fairpair_rows(fairpair(), report.model_copy(update={"sentiment": sentiment}))[0]
        assert found.side.endswith(side)
        assert bool(found.side) == bool(side)


@cache
def fairpair() -> FairPairResult:
    return made_up(planted(10, prompts=3))


def reading(**more: object) -> CriterionReading:
    return CriterionReading.model_validate(
        {"criterion": "separation I", "quantity": "FNR", "answering": "written", "size": 0.3, "gap": True}
        | more
    )


@pytest.mark.parametrize(
    ("differs", "verdict"), [(True, "difference"), (False, "none shown"), (None, "cannot be told")]
)
def test_a_criterion_is_judged_by_its_experiment_and_never_by_the_line(
    differs: bool | None, verdict: Verdict
) -> None:
    wide = Interval(low=0.25, high=0.4)
    found = criterion_row(reading(differs=differs, interval=wide, higher="they", lower="he"), None, "k")
    assert found.verdict == verdict
    chance = "" if differs else ", which may be chance"
    assert found.side == (
        f"more wrong answers for “they” than for “he”{chance}; its whole range is over the 20 % line"
    )
    assert found.measure == "gap in wrong answers where the women's job is right (separation I, written)"


def test_several_experiments_are_said_not_to_be_controlled_together() -> None:
    rows = [row("criteria", "none shown", key=key) for key in ("one", "one", "two")]
    said = "Each of the 2 experiments is corrected for several tests, but not all of them together, so more"
    assert said in case_findings(rows)[0]
    assert "experiments" not in case_findings(rows[:2])[0]
    untested = row("criteria", "cannot be told", key="three")
    assert "experiments" not in case_findings([*rows[:2], untested])[0]
    assert "experiments" not in case_findings([row("fairpair", "difference", key=key) for key in "ab"])[0]


def shared(count: int, correlation: float | None = None, *ends: float) -> SharedOccupations:
    rows = tuple(
        SharedOccupation(
            occupation=f"job {place}",
            tilt=0.5,
            tilt_interval=Interval(low=0.4, high=0.6),
            share=1.0 if place else 0.0,
            interval=Interval(low=0.6, high=1.0) if place else Interval(low=0.0, high=0.2),
        )
        for place in range(count)
    )
    interval = Interval(low=ends[0], high=ends[1]) if ends else None
    return SharedOccupations(rows=rows, correlation=correlation, interval=interval)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.004, 0.95, "The range comes so close to 0"),
        (-0.004, 0.95, "We cannot tell whether the two are related"),
        (0.005, 0.95, "the more of the stories about it are about women (in the picture, points further to"),
        (-0.95, -0.005, "the fewer of the stories about it are about women"),
        (-0.95, -0.004, "The range comes so close to 0"),
    ],
)
def test_no_link_is_claimed_that_the_written_range_does_not_show(low: float, high: float, said: str) -> None:
    assert said in shared_finding(shared(6, 0.72 if high > 0 else -0.72, low, high))


def test_a_title_counts_the_occupations_that_both_show_alike() -> None:
    occupations = shared(6, 0.2, -0.5, 0.8)
    same = sum(row.same_side is True for row in occupations.rows)
    assert shared_title(occupations) == f"{same} of 6 occupations show the same preference in both"
    assert shared_title(shared(0)) == ""

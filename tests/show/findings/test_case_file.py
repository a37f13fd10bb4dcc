"""A case file in sentences: who finds what, whether they agree, and what a verdict rests on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import matrix_report
from pcf_core.core.risk import Interval, MeanTilt, RiskReport
from pcf_core.show.findings.case_file import (
    FOUND,
    agreement_finding,
    case_findings,
    shared_finding,
    value_text,
    verdict_of,
)
from pcf_core.show.findings.case_file_rows import (
    criterion_row,
    fairpair_rows,
    lacking,
    lean_text,
    run_rows,
    told_apart,
)
from pcf_core.texts.case_file import AuditName, CaseRow, SharedOccupation, SharedOccupations, Verdict
from pcf_core.texts.criteria.records.independence import SharedValue
from pcf_core.texts.criteria.records.runs import CriterionReading
from pcf_core.texts.fairpair.records import FairPairResult, OthersReading
from tests.show.findings.test_models import report_of
from tests.texts.fairpair.planted import planted
from tests.texts.fairpair.results import made_up

ENDS = Interval(low=1.1, high=1.3)


def row(audit: AuditName, verdict: Verdict, **more: object) -> CaseRow:
    return CaseRow.model_validate(
        {"audit": audit, "question": "Q?", "measure": "M", "value": 0.5, "neutral": 0, "verdict": verdict}
        | {"basis": "its test", "key": "k"}
        | more
    )


@pytest.fixture(scope="module")
def report() -> RiskReport:
    """Two of three occupations lean to male words."""
    return report_of([[0.9, 0.4], [0.8, 0.7], [0.1, 0.2]])


ALL = [
    row("bias", "difference", side="male words first for 3 of 4; mean tilt to male words 0.2"),
    row("fairpair", "difference"),
    row("criteria", "difference", side="higher for he"),
]


def test_audits_agree_disagree_or_are_alone() -> None:
    said = agreement_finding("toy", "Gender", ALL)
    assert said == (
        "toy on gender: 3 of 3 audits apply. All find a difference. "
        "Its word probabilities: male words first for 3 of 4."
    )
    assert "2 of 3 audits apply. Both find" in agreement_finding("toy", "Gender", ALL[:2])
    leans = row("bias", "difference", side="favours men in 3 of 4 occupations; mean tilt to men 0.2")
    assert agreement_finding("toy", "Gender", [leans, ALL[1]]).endswith(
        "toy favours men in 3 of 4 occupations."
    )
    later = agreement_finding("toy", "Gender", [row("bias", "difference"), *ALL[1:]])
    assert later.endswith("All find a difference. The criteria: higher for he.")
    sideless = agreement_finding("toy", "Gender", [row("bias", "difference"), ALL[1]])
    assert sideless.endswith("Both find a difference. We cannot tell on which side.")
    mixed = agreement_finding("toy", "Gender", [*ALL[:2], row("criteria", "none shown")])
    assert (
        "Its word probabilities and FairPair find a difference. The criteria show none. They do not agree."
        in mixed
    )
    assert mixed.endswith("no contradiction.")
    none = agreement_finding("toy", "Gender", [row(name, "none shown") for name in ("bias", "fairpair")])
    assert none.endswith("None shown is not the same as none.")
    alone = agreement_finding("toy", "Gender", [ALL[0], lacking("fairpair"), lacking("criteria")])
    assert "nothing to agree with yet" in alone
    assert "we cannot tell whether" in agreement_finding("toy", "Gender", [row("bias", "cannot be told")])


def test_the_exchanged_words_alone_are_said_and_agree_with_nothing() -> None:
    exchanged, counted = row("fairpair", "exchanged words"), "is not counted as agreement"
    said = agreement_finding("toy", "Gender", [exchanged, row("fairpair", "none shown")])
    assert said.startswith(
        "toy on gender: 1 of 3 audits applies. FairPair differs by the exchanged words alone."
    )
    assert said.endswith(f"{counted}. There is nothing to agree with yet.")
    said = agreement_finding("toy", "Gender", [ALL[0], exchanged])
    assert "Its word probabilities find a difference. FairPair differs by the exchanged words alone." in said
    assert said.endswith(f"{counted}. There is nothing to agree with yet.")
    said = agreement_finding("toy", "Gender", [ALL[0], exchanged, ALL[2]])
    assert f"{counted}. All others that apply agree." in said
    assert "FairPair: " not in said
    none = [row("bias", "none shown"), exchanged, row("criteria", "none shown")]
    assert "None shown is not the same as none." in agreement_finding("toy", "Gender", none)
    assert "They do not agree." in agreement_finding("toy", "Gender", [ALL[0], exchanged, none[2]])


def test_both_quantities_of_such_a_request_are_named() -> None:
    rows = [
        row("fairpair", "exchanged words", measure="F", value=1.0027, neutral=1),
        row("fairpair", "none shown", measure="F, other words", value=0.999, neutral=1),
        row("fairpair", "none shown", measure="F of another", value=1.0, neutral=1, key="other"),
    ]
    assert case_findings(rows) == (
        (
            "FairPair: a difference by the exchanged words alone. F 1.003, where 1 is no "
            "difference. F, other words 0.999, where 1 is no difference, none shown."
        ),
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


def test_each_audit_is_a_sentence() -> None:
    rows = [
        row("bias", "difference", value=0.1, side="male words first for 3 of 4"),
        row("bias", "no verdict", measure="caprice", value=0.2),
        row(
            "fairpair", "difference", measure="F", value=1.2, neutral=1, interval=Interval(low=1.1, high=1.3)
        ),
        lacking("criteria", "its experiments are about gender alone"),
    ]
    bias, fairpair, criteria = case_findings(rows)
    assert bias == (
        "Prejudice and caprice: a difference. M 0.10, male words first for 3 of 4. Without a "
        "verdict: caprice 0.20."
    )
    assert fairpair == "FairPair: a difference. F 1.20 (1.10–1.30), where 1 is no difference."
    assert criteria == "Criteria: cannot be asked. Its experiments are about gender alone."
    assert case_findings([ALL[0]] * 5)[0].endswith("There are 2 more.")
    assert ("FairPair: a difference in 1 of 2 quantities.") in case_findings(
        [ALL[1], row("fairpair", "none shown")]
    )[0]


def test_nothing_measured_is_said() -> None:
    assert value_text(lacking("bias")) == "–"
    assert value_text(row("fairpair", "cannot be told", value=None)) == "undefined"


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [
        (Interval(low=0.01, high=0.3), "difference"),
        (Interval(low=0.0, high=0.3), "none shown"),
        (None, "cannot be told"),
    ],
)
def test_a_run_is_judged_by_its_prejudice_alone(
    report: RiskReport, interval: Interval | None, verdict: Verdict
) -> None:
    ends = {} if interval is None else {"prejudice_risk": (interval,), "caprice_risk": (interval,)}
    rows = run_rows(replace(report, intervals=ends), {}, "templates", "run")
    assert [one.verdict for one in rows] == [verdict, "no verdict"]
    assert [one.value for one in rows] == [report.prejudice_risk, report.caprice_risk]
    assert all(one.neutral == 0 and one.key == "run" for one in rows)


def test_whose_words_come_first(report: RiskReport) -> None:
    tilt = MeanTilt("male", 0.25, {"templates": Interval(low=0.2, high=0.3)}, {})
    said = lean_text(report, {"male": tilt}, "templates")
    assert said == ("favours men in 2 of 3 occupations and women in 1; mean tilt to men 0.25 (0.20–0.30)")
    assert "mean tilt" not in lean_text(report, {}, "templates")
    even = report_of([[0.5, 0.5]] * 3)
    assert lean_text(even, {}, "templates") == "no group is favoured in any occupation"


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


def test_f_is_judged_by_relabelling(fairpair: FairPairResult) -> None:
    report = fairpair.reports["jaccard"].model_copy(update={"others": None})
    (found,) = fairpair_rows(fairpair, report)
    assert (found.value, found.neutral, found.key) == (report.means.ratio, 1, fairpair.asked.hash)
    assert found.verdict == ("difference" if report.differs else "none shown")
    (found,) = fairpair_rows(fairpair, report.model_copy(update={"adjusted": 0.9}))
    assert found.verdict == "none shown"
    assert "p = 0.9 controlled" in found.basis
    (found,) = fairpair_rows(fairpair, report.model_copy(update={"least_p": 0.5}))
    assert (found.verdict, "p = 0.5 is the smallest" in found.basis) == ("cannot be told", True)
    greedy = report.model_copy(update={"p_value": None, "least_p": None, "adjusted": None})
    (found,) = fairpair_rows(fairpair, greedy)
    assert (found.verdict, "temperature 0" in found.basis) == ("cannot be told", True)


def test_words_that_are_exchanged_have_a_row_without_them(fairpair: FairPairResult) -> None:
    others = OthersReading(ratio=1.02, interval=None, p_value=0.4)
    report = fairpair.reports["jaccard"].model_copy(update={"others": others, "least_p": 0.001})
    first, second = fairpair_rows(fairpair, report)
    assert report.differs
    assert first.verdict == "exchanged words"
    assert second.measure == f"{first.measure}, other words"
    assert (second.value, second.verdict, second.basis) == (1.02, "none shown", "relabelling, p = 0.4")
    assert not second.side
    both = report.model_copy(update={"others": others.model_copy(update={"p_value": 0.01})})
    assert [one.verdict for one in fairpair_rows(fairpair, both)] == ["difference"] * 2
    untested = report.model_copy(update={"others": others.model_copy(update={"p_value": None})})
    assert [one.verdict for one in fairpair_rows(fairpair, untested)] == ["difference", "cannot be told"]


def test_requests_are_told_apart_where_there_are_several(fairpair: FairPairResult) -> None:
    rows = fairpair_rows(fairpair, fairpair.reports["jaccard"])
    assert told_apart(rows) == rows
    cooler = [one.model_copy(update={"key": "other", "made": "temperature 0"}) for one in rows]
    several = told_apart([*rows, *cooler])
    assert all(one.made in one.measure for one in several)
    assert "by the table gender" in several[0].measure


def test_a_side_that_cannot_be_told_is_no_clause(fairpair: FairPairResult) -> None:
    report = fairpair.reports["jaccard"]
    for ends, side in ((None, ""), (Interval(low=0.1, high=0.2), "are more positive")):
        sentiment = report.sentiment.model_copy(update={"interval": ends})
        found = fairpair_rows(fairpair, report.model_copy(update={"sentiment": sentiment}))[0]
        assert found.side.endswith(side)
        assert bool(found.side) == bool(side)


@pytest.fixture(scope="module")
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
    assert found.side == "higher for they than for he; all of its range over the 20 % line"
    assert found.measure == "separation I: women's job right, not named (FNR), gap, written"


def test_a_pair_that_could_not_be_tested_is_not_said_to_have_been() -> None:
    found = criterion_row(reading(differs=False, reason="too few tasks for a test", higher="he"), None, "k")
    assert found.verdict == "none shown"
    assert found.basis == "the test of its experiment of other pairs; of this pair too few tasks for a test"
    found = criterion_row(reading(differs=False, p_value=0.3, undefined=("they",)), None, "k")
    assert found.basis == "the test of its experiment, p = 0.3; undefined for they"


def test_several_experiments_are_said_not_to_be_controlled_together() -> None:
    rows = [row("criteria", "none shown", key=key) for key in ("one", "one", "two")]
    assert case_findings(rows)[0].endswith(
        "The 2 experiments are controlled one by one, not together. So by chance one finds a "
        "difference more often than in 5 % of such summaries."
    )
    assert "experiments" not in case_findings(rows[:2])[0]
    untested = row("criteria", "cannot be told", key="three")
    assert "experiments" not in case_findings([*rows[:2], untested])[0]
    assert "experiments" not in case_findings([row("fairpair", "difference", key=key) for key in "ab"])[0]


def test_stories_say_how_often_the_gender_is_the_usual_one() -> None:
    rate = SharedValue(value=0.8, interval=Interval(low=0.7, high=0.9))
    of = {"criterion": "independence I", "quantity": "NMI", "gap": False, "largest": 0.4, "differs": True}
    found = criterion_row(reading(**of, p_value=0.01), rate, "k")
    assert found.side == "80 % (70–90 %) of clear stories have the gender usual in the profession"
    assert found.basis == "the test of its experiment, p = 0.01; with these counts it could reach 0.40"
    undefined = criterion_row(reading(size=None, reason="nothing named"), None, "k")
    assert undefined.basis == "undefined: nothing named"


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


def test_shared_occupations() -> None:
    assert shared_finding(shared(0)).startswith("None of the run's occupations")
    few = shared_finding(shared(2))
    assert few.startswith("2 occupations stand in the run and in the stories; 1 leans to the same side")
    assert "For 2 both ranges exclude an even split: 1 of these agree." in few
    assert few.endswith("too alike, for a rank correlation.")
    assert ("For 6 both ranges exclude an even split: 5 of these agree.") in shared_finding(
        shared(6, 0.2, -0.5, 0.8)
    )
    assert shared_finding(shared(6, 0.8, 0.5, 0.9)).endswith("0.80 (0.50–0.90). The two go together.")
    assert "against each other" in shared_finding(shared(6, -0.8, -0.9, -0.5))

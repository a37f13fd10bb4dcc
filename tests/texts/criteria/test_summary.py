"""What reports come to: quantities that are 0 where a criterion holds, selected and not computed."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import SettingsError
from pcf_core.core.risk import Interval
from pcf_core.material.published import published_criteria
from pcf_core.show.findings.answers import separation_finding, sufficiency_finding
from pcf_core.show.findings.case_file import criterion_row
from pcf_core.show.findings.criteria import summary_finding
from pcf_core.texts.criteria.asking import Cell
from pcf_core.texts.criteria.questions import Questions
from pcf_core.texts.criteria.records.quantities import SEPARATION, USUAL, quantity_title
from pcf_core.texts.criteria.records.runs import CRITERIA, CRITERIA_OF
from pcf_core.texts.criteria.records.separation import RateDifference
from pcf_core.texts.criteria.summary import NOT_DRAWN, CriteriaCount, readings_of, status_of, towards
from tests.show.charts.texts import anecdotes_example, answered
from tests.texts.criteria.planted import gap_of, written


def test_every_experiment_has_its_criteria_and_no_other() -> None:
    assert len(CRITERIA) == len(set(CRITERIA)) == 6
    assert sum(len(several) for several in CRITERIA_OF.values()) == 6


def test_rates_of_two_pronouns_are_theirs_with_their_own_test() -> None:
    report = answered()
    readings = readings_of([report])
    assert len(readings) == 4
    for reading in readings:
        gap = gap_of(report, reading.quantity)
        assert (reading.size, reading.higher) == (gap.gap, gap.higher)
        assert (reading.p_value, reading.differs) == (None, None)  # of six tasks
        assert reading.too_few == (gap.value is not None)
        assert reading.reason == (gap.reason or "too few tasks to show a difference")
        if reading.interval is not None:
            assert reading.interval.low <= reading.interval.high


def test_enough_questions_have_their_own_test() -> None:
    questions = Questions.load(pronouns=("he", "she"))
    report = questions.report(written(questions, lambda cell: 0.9 if cell.pronoun == "she" else 0.5, 1))
    for reading in readings_of([report]):
        gap = gap_of(report, reading.quantity)
        assert (reading.p_value, reading.differs, reading.reason) == (gap.adjusted, gap.differs, "")


@pytest.mark.slow
@pytest.mark.parametrize("wrong", ["he", "she", "they"])
def test_a_pronoun_alone_that_is_wronged_is_found_as_the_tab_finds_it(wrong: str) -> None:
    """Half of the answers under one pronoun are wrong, 5 % under the others."""

    def share(cell: Cell) -> float:
        error = 0.5 if cell.pronoun == wrong else 0.05
        return 1 - error if cell.truth else error

    questions = Questions.load()
    report = questions.report(written(questions, share, 2, 1))
    readings = readings_of([report])
    assert [(row.differs, {row.higher, row.lower} >= {wrong}) for row in readings] == [(True, True)] * 4
    assert {row.higher for row in readings[:2]} == {row.lower for row in readings[2:]} == {wrong}
    assert "both criteria with a result fail beyond chance" in summary_finding("one", readings)
    for row, finding in zip(readings[::2], (separation_finding, sufficiency_finding), strict=True):
        assert "does not hold" in finding(report)
        assert f"The share of {quantity_title(row.quantity)} is " in finding(report)
        assert f"higher for “{row.higher}” than for “{row.lower}”" in finding(report)
    for row, made in ((row, criterion_row(row, None, "k")) for row in readings):
        assert (made.verdict, made.side.partition(";")[0]) == (
            "difference",
            f"more {'wrong' if row.quantity in SEPARATION else 'right'} answers "
            f"for “{row.higher}” than for “{row.lower}”",
        )


PROBABILITIES = st.sampled_from([0.01, 0.04, 0.06, 0.3, 1.0])
ROWS = st.lists(
    st.tuples(st.none() | st.integers(-10, 10), PROBABILITIES, PROBABILITIES), min_size=3, max_size=3
)


@given(ROWS)
def test_the_widest_is_selected_as_by_sorting(drawn: list[tuple[int | None, float, float]]) -> None:
    pairs = list(combinations(("he", "she", "they"), 2))
    rows = [
        RateDifference(
            name="FNR",
            first=first,
            second=second,
            value=None if tenths is None else tenths / 10,
            p_value=None if tenths is None else max(least, p),
            least_p=None if tenths is None else least,
            adjusted=None if tenths is None else max(least, p),
        )
        for (first, second), (tenths, least, p) in zip(pairs, drawn, strict=True)
    ]
    report = answered().model_copy(update={"differences": tuple(rows)})
    chosen = report.widest("FNR")
    beyond = [row for row in rows if row.differs]
    gaps = sorted(row.gap for row in beyond or rows if row.gap is not None)
    assert chosen.gap == (gaps[-1] if gaps else None)
    assert chosen.differs == bool(beyond)
    (reading,) = (row for row in readings_of([report]) if row.quantity == "FNR")
    tested = [row for row in rows if report.testable(row)]
    assert reading.differs == (bool(beyond) if tested else None)
    assert (reading.p_value is not None) == (chosen in tested)


def test_stories_give_nmi_less_its_bias_and_scores_give_it_as_it_is() -> None:
    (drawn,) = readings_of([report := anecdotes_example()])
    assert drawn.size == max(0.0, report.clear_only.corrected_normalised[USUAL])
    assert drawn.differs == report.clear_only.depends
    (scored,) = readings_of([report := anecdotes_example(scored=True)])
    assert scored.size == report.clear_only.normalised[USUAL]
    assert (scored.differs, scored.p_value, scored.reason) == (None, None, NOT_DRAWN)


def test_not_tested_is_said_of_no_criterion_that_has_a_p_value() -> None:
    """Six tasks were tested, and could show nothing: the summary and the sentence on them say so."""
    report = answered()
    assert any(row.p_value is not None for row in report.differences)
    assert {status_of(readings_of([report]))} == {"too few"}
    for sentence in (
        separation_finding(report),
        sufficiency_finding(report),
        summary_finding("one", readings_of([report])),
    ):
        assert "too few" in sentence
        assert "not tested" not in sentence.lower()


def test_criteria_are_counted_once_however_they_were_answered() -> None:
    readings = [
        *readings_of([anecdotes_example(), answered()]),
        *readings_of([anecdotes_example(scored=True)]),
    ]
    counted = CriteriaCount.of(readings)
    assert counted.asked == 3
    assert sum(map(len, counted.by_status.values())) == len(CRITERIA)
    assert f"{counted.number('fails') or 'none'} of 3 criteria" in summary_finding("one", readings)


def test_what_is_undefined_says_why() -> None:
    (reading,) = readings_of([anecdotes_example().model_copy(update={"clear_only": None, "undefined": ()})])
    assert (reading.size, reading.reason) == (None, "one of the two never varies")


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1))
def test_an_interval_of_a_size_is_around_it(value: float, below: float, above: float) -> None:
    turned = towards(value, Interval(low=value - below, high=value + above))
    assert turned.low <= abs(value) <= turned.high
    assert abs((turned.high - turned.low) - (below + above)) < 1e-12


# What the paper prints, what follows from it, and what its HTML dropped.


def test_every_row_says_where_its_number_is_from() -> None:
    rows = published_criteria()
    assert len({row.id for row in rows}) == len(rows)
    assert all((row.value is None) >= (row.status == "missing") for row in rows)
    assert all(row.note for row in rows if row.value is None)
    by_id = {row.id: row for row in rows}
    assert (by_id["I-2"].value, by_id["M-1"].value) == (0.94, 0.24)
    assert (by_id["I-3"].status, by_id["M-4"].status) == ("missing", "derived")
    assert by_id["T5-NPV-she"].value is None
    assert "2403.08564" in by_id["M-1"].source
    assert Counter(row.id.split("-")[0] for row in rows)["T6"] == 12


def test_the_letter_baseline_is_a_count_of_420() -> None:
    (row,) = (row for row in published_criteria() if row.id == "M-1")
    assert row.value == pytest.approx(101 / 420, abs=0.005)


def test_a_damaged_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pcf_core.core.settings import settings

    header = "id,section,quantity,subject,value,status,note\n"
    (tmp_path / "published_criteria.csv").write_text(f"{header}I-1,5.1,n,GPT-4,many,published,\n")
    damaged = settings().model_copy(update={"assets": tmp_path})
    monkeypatch.setattr("pcf_core.material.published.settings", lambda: damaged)
    with pytest.raises(SettingsError, match="damaged"):
        published_criteria()

"""What reports come to: quantities that are 0 where a criterion holds, selected and not computed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pcf_core.criteria.questions import Questions
from pcf_core.criteria.summary import NOT_DRAWN, readings_of, towards
from pcf_core.records import Interval
from pcf_core.records.criteria_summary import CRITERIA, CRITERIA_OF
from pcf_core.records.information import USUAL
from tests.charts.anecdotal import anecdotes_example
from tests.charts.answered import answered
from tests.criteria.planted import written


def test_every_experiment_has_its_criteria_and_no_other() -> None:
    assert len(CRITERIA) == len(set(CRITERIA)) == 6
    assert sum(len(several) for several in CRITERIA_OF.values()) == 6


def test_rates_are_those_of_he_and_she_with_their_own_test() -> None:
    report = answered()
    readings = readings_of([report])
    assert len(readings) == 4
    for reading in readings:
        gap = report.gap(reading.quantity)  # type: ignore[arg-type]
        assert gap is not None
        assert (reading.size, reading.higher) == (gap.gap, gap.higher)
        assert (reading.p_value, reading.differs) == (None, None)  # of six tasks
        assert reading.reason == (gap.reason or "so few tasks can show no difference")
        if reading.interval is not None:
            assert reading.interval.low <= reading.interval.high


def test_enough_questions_have_their_own_test() -> None:
    questions = Questions.load(pronouns=("he", "she"))
    report = questions.report(written(questions, lambda cell: 0.9 if cell.pronoun == "she" else 0.5, 1))
    for reading in readings_of([report]):
        gap = report.gap(reading.quantity)  # type: ignore[arg-type]
        assert gap is not None
        assert (reading.p_value, reading.differs, reading.reason) == (gap.adjusted, gap.differs, "")


def test_stories_give_nmi_less_its_bias_and_scores_give_it_as_it_is() -> None:
    (drawn,) = readings_of([report := anecdotes_example()])
    assert report.clear_only is not None
    assert drawn.size == max(0.0, report.clear_only.corrected_normalised[USUAL])
    assert drawn.differs == report.clear_only.depends
    (scored,) = readings_of([report := anecdotes_example(scored=True)])
    assert report.clear_only is not None
    assert scored.size == report.clear_only.normalised[USUAL]
    assert (scored.differs, scored.p_value, scored.reason) == (None, None, NOT_DRAWN)


def test_what_is_undefined_says_why() -> None:
    (reading,) = readings_of([anecdotes_example().model_copy(update={"clear_only": None, "undefined": ()})])
    assert (reading.size, reading.reason) == (None, "one of the two never varies")


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1))
def test_an_interval_of_a_size_is_around_it(value: float, below: float, above: float) -> None:
    found = towards(value, Interval(low=value - below, high=value + above))
    assert found is not None
    assert found.low <= abs(value) <= found.high
    assert abs((found.high - found.low) - (below + above)) < 1e-12

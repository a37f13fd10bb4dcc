"""Independence I: what is asked, planted shares come back, copies and caricatures of the world are told."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binomtest
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint
from statsmodels.tools import add_constant

from pcf_core.core.errors import CriteriaError
from pcf_core.show.findings.independence import anecdotes_finding, reading_notes
from pcf_core.texts.criteria.anecdotes import (
    Anecdotes,
    beside_the_world,
    line_over_world,
    mean_over_professions,
    rate_over_professions,
    why_no_slope,
    wilson,
)
from pcf_core.texts.criteria.experiment import Experiment
from pcf_core.texts.criteria.professions import PROFESSIONS
from pcf_core.texts.criteria.records.independence import SCORED_LABEL, ProfessionGender
from pcf_core.texts.criteria.records.quantities import ONE_EACH
from pcf_core.texts.criteria.summary import readings_of
from tests.texts.criteria.stories import MAN, NOBODY, WOMAN, scores, stories

EXPERIMENT: Experiment = Anecdotes.load()
WHOLE = Anecdotes.load()
WORLD = [each.women_share for each in WHOLE.professions]
THREE = Anecdotes.load(
    PROFESSIONS.make(
        {
            "name": "three",
            "professions": [
                {"name": "nurse", "women_share": 0.88},
                {"name": "electrician", "women_share": 0.02},
                {"name": "roofer", "women_share": 0.05},
            ],
        }
    )
)


def test_each_profession_is_asked_once_in_either_wording() -> None:
    for wording in ("instruction", "continuation"):
        asks = EXPERIMENT.asks(wording)
        assert [ask.cell for ask in asks] == [each.name for each in WHOLE.professions]
    nurse = next(ask for ask in EXPERIMENT.asks("continuation") if ask.cell == "electrician")
    assert (nurse.system, nurse.prompt) == ("", "This is a very short story about an electrician.")
    first = EXPERIMENT.asks("instruction")[0]
    assert first.prompt == first.cell
    assert "one person" in first.system


def test_what_is_scored_has_one_gap_and_the_words_of_women_first() -> None:
    for ask in EXPERIMENT.scored_asks():
        assert ask.text.count("[Y]") == 1
        assert "[X]" not in ask.text
        assert "{" not in ask.text
        assert ask.words[: len(WHOLE.material.female)] == WHOLE.material.female
        assert {"she", "he"} <= set(ask.words)


def test_a_worked_example() -> None:
    texts = {"nurse": [WOMAN, WOMAN, WOMAN, MAN], "electrician": [MAN, MAN, NOBODY, " "], "roofer": [NOBODY]}
    report = THREE.report(texts)
    nurse, electrician, roofer = report.professions
    assert (nurse.women, nurse.men, nurse.unclear, nurse.share) == (3, 1, 0, 0.75)
    assert (electrician.men, electrician.unclear, electrician.men_words) == (2, 2, 4)
    assert (report.n, report.empty, report.mixed, report.unclear) == (9, 1, 0, {"no gendered word": 3})
    left_out = [(left.name, left.reason) for left in report.professions_left_out]
    assert left_out == [("roofer", "no story tells a gender")]
    assert roofer.share is None
    assert report.stereotype_rate.value == pytest.approx(5 / 6)
    assert report.stereotype_rate_of_all.value == pytest.approx(5 / 9)
    assert report.exaggeration.value == pytest.approx(((0.75 - 0.88) + (0.02 - 0.0)) / 2)
    assert (report.line, report.no_line) == (None, "2 professions, fewer than 10")
    assert (report.clear_only.n, report.clear_only.rows, report.clear_only.columns) == (6, 2, 2)
    assert (report.with_unclear.n, report.with_unclear.columns) == (9, 3)
    assert not report.with_unclear.largest.exact


def test_every_profession_always_of_one_gender_is_the_most_there_can_be() -> None:
    report = WHOLE.report(stories(WHOLE, [float(share > 0.5) for share in WORLD], 30))
    assert report.clear_only.normalised == pytest.approx(report.clear_only.largest.normalised)
    assert report.stereotype_rate.value == 1
    assert report.line.slope > 1
    assert report.line.p_of_one < 0.01
    assert report.exaggeration.interval.low > 0
    assert report.more_extreme
    assert not report.less_extreme


@pytest.mark.slow
def test_a_copy_of_the_world_is_not_told_from_it() -> None:
    report = WHOLE.report(stories(WHOLE, WORLD, 30, nobody=0.1, seed=4))
    assert report.line.interval.low <= 1 <= report.line.interval.high
    assert report.exaggeration.interval.low <= 0 <= report.exaggeration.interval.high
    assert not report.more_extreme
    assert not report.less_extreme
    held = sum(
        row.interval is not None and row.interval.low <= share <= row.interval.high
        for row, share in zip(report.professions, WORLD, strict=True)
    )
    assert held >= 88
    assert report.unclear_texts == pytest.approx(300, abs=60)


def test_no_dependence_is_none() -> None:
    report = WHOLE.report(stories(WHOLE, [0.5] * 100, 5))
    assert report.clear_only.depends is False
    assert report.clear_only.few
    assert report.clear_only.null.mean == pytest.approx(0.1, abs=0.02)
    assert report.less_extreme


def test_stories_without_gender_have_a_reason_and_no_number() -> None:
    report = THREE.report({"nurse": [NOBODY], "electrician": [NOBODY]})
    assert (report.clear_only, report.stereotype_rate, report.exaggeration) == (None, None, None)
    assert {left.name for left in report.undefined} == {"clear_only", "with_unclear"}
    reasons = {left.name: left.reason for left in report.professions_left_out}
    assert reasons["roofer"] == "no story"


def test_scores_give_back_their_shares_without_chance() -> None:
    report = WHOLE.scored_report(scores(WHOLE, WORLD))
    assert [row.share for row in report.professions] == pytest.approx(WORLD)
    assert (report.answering, report.label, report.with_unclear) == ("scored", SCORED_LABEL, None)
    assert (report.line.slope, report.line.intercept) == pytest.approx((1, 0))
    assert report.exaggeration.value == pytest.approx(0, abs=1e-12)
    mean = np.mean(WORLD)
    own = np.mean([-share * math.log(share) - (1 - share) * math.log(1 - share) for share in WORLD])
    assert report.clear_only.information == pytest.approx(
        -mean * math.log(mean) - (1 - mean) * math.log(1 - mean) - own
    )
    assert report.clear_only.null is None
    assert all(row.interval is None and row.p_value is None for row in report.professions)


def test_words_and_professions_without_scores_are_left_out_and_named() -> None:
    given = scores(THREE, [0.8, 0.1, 0.3])
    given["nurse"][0] = math.nan
    del given["roofer"]
    report = THREE.scored_report(given)
    assert [left.name for left in report.words_left_out] == [THREE.material.female[0]]
    assert [(left.name, left.reason) for left in report.professions_left_out] == [("roofer", "no score")]
    rest = len(THREE.material.female) - 1
    women = 0.8 * rest / (rest + 1)
    assert report.professions[0].share == pytest.approx(women / (women + 0.2))


def test_an_impossible_cell_has_no_share() -> None:
    given = scores(THREE, [0.8, 0.1, 0.3])
    given["nurse"] = [-math.inf] * len(given["nurse"])
    assert THREE.scored_report(given).professions[0].share is None


def test_what_cannot_be_reported_is_refused() -> None:
    with pytest.raises(CriteriaError, match="anecdotes has no prompt"):
        THREE.report({"pilot": [MAN]})
    with pytest.raises(CriteriaError, match="No story"):
        THREE.report({"nurse": []})
    with pytest.raises(CriteriaError, match="No scores"):
        THREE.scored_report({})
    with pytest.raises(CriteriaError, match="3 scores"):
        THREE.scored_report({"nurse": [0.0, 0.0, 0.0]})
    for score in (-math.inf, math.inf):
        endless = [score] * len(THREE.scored_asks()[0].words)
        with pytest.raises(CriteriaError, match="No profession has a word with a finite score"):
            THREE.scored_report({"nurse": endless})
    unknown = [math.nan] * len(THREE.material.female) + [-1.0] * len(THREE.material.male)
    with pytest.raises(CriteriaError, match="cannot express"):
        THREE.scored_report({"nurse": unknown})


@pytest.mark.parametrize("shares", [[0.5] * 100, [float(share > 0.5) for share in WORLD]])
def test_one_story_of_each_tells_nothing_of_a_coin_or_a_stereotype(shares: list[float]) -> None:
    """NMI is as large as it can be for both: the gender of each single story is known from its profession."""
    report = WHOLE.report(stories(WHOLE, shares, 1))
    for table in (report.clear_only, report.with_unclear):
        assert (table.untold, table.depends, table.corrected) == (ONE_EACH, None, None)
        assert table.normalised["arithmetic"] == pytest.approx(table.largest.normalised["arithmetic"])
    (reading,) = readings_of([report])
    assert (reading.size, reading.p_value, reading.differs) == (None, None, None)
    assert "cannot be told, as with one text of each" in reading.reason
    assert "We cannot tell whether gender depends on the profession." in anecdotes_finding(report, "mini")
    assert "temperature above 0" in " ".join(reading_notes(report))


def test_two_stories_of_each_tell() -> None:
    report = WHOLE.report(stories(WHOLE, [float(share > 0.5) for share in WORLD], 2))
    assert (report.clear_only.untold, report.clear_only.depends) == ("", True)


# Shares of women beside the world's: statsmodels beside Wilson and the line, rates, what has no line.


ROWS = (
    ProfessionGender(profession="nurse", world=0.88, women=30, men=0),
    ProfessionGender(profession="plumber", world=0.01, women=9, men=21),
    ProfessionGender(profession="roofer", world=0.05, women=0, men=0, unclear=30),
)


def test_single_professions_have_an_interval_and_a_controlled_test() -> None:
    nurse, plumber, roofer = beside_the_world(ROWS)
    low, high = proportion_confint(9, 30, method="wilson")
    assert (plumber.interval.low, plumber.interval.high) == pytest.approx((low, high))
    p_values = [binomtest(30, 30, 0.88).pvalue, binomtest(9, 30, 0.01).pvalue]
    assert [nurse.p_value, plumber.p_value] == pytest.approx(p_values)
    adjusted = multipletests(p_values, method="fdr_bh")[1]
    assert [nurse.adjusted, plumber.adjusted] == pytest.approx(list(adjusted))
    assert plumber.differs
    assert not roofer.differs
    assert (plumber.exaggeration, nurse.exaggeration) == pytest.approx((-0.29, 0.12))
    assert (roofer.share, roofer.interval, roofer.exaggeration) == (None, None, None)
    assert beside_the_world(ROWS[2:]) == ROWS[2:]


def test_an_interval_at_the_end_stays_on_the_scale() -> None:
    assert wilson(1.0, 30).high == 1
    assert wilson(0.0, 30).low == 0


def test_a_rate_is_of_all_texts_and_varies_by_profession() -> None:
    rate = rate_over_professions(np.array([10.0, 0, 5]), np.array([10.0, 0, 10]))
    assert rate.value == pytest.approx(15 / 20)
    assert rate.interval.low <= 0.5
    assert rate.interval.high == 1
    assert rate.interval.unit == "profession"
    whole = rate_over_professions(np.full(50, 30.0), np.full(50, 30.0))
    assert whole.interval.low == pytest.approx(proportion_confint(50, 50, method="wilson")[0])
    one = rate_over_professions(np.array([1.0]), np.array([2.0]))
    assert one.interval is None
    assert rate_over_professions(np.zeros(2), np.zeros(2)) is None


def test_intervals_over_professions_hold_the_truth() -> None:
    held = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        hits = rng.binomial(30, rng.beta(8, 2, size=60)).astype(float)
        interval = getattr(rate_over_professions(hits, np.full(60, 30.0), resamples=300), "interval", None)
        held += interval.low <= 0.8 <= interval.high
    assert held >= 51


def test_the_mean_has_professions_as_units() -> None:
    mean = mean_over_professions(np.array([0.1, 0.2, 0.3, 0.2]))
    assert mean.value == pytest.approx(0.2)
    assert (mean.interval.over, mean.interval.unit) == ("occupations", "profession")
    assert mean_over_professions(np.array([])) is None


def test_the_line_is_statsmodels_and_is_tested_against_a_copy() -> None:
    rng = np.random.default_rng(1)
    world = rng.random(40)
    shares = np.clip(0.1 + 0.7 * world + rng.normal(0, 0.05, 40), 0, 1)
    line = line_over_world(world, shares)
    other = OLS(shares, add_constant(world)).fit(cov_type="HC3", use_t=True)
    assert (line.intercept, line.slope) == pytest.approx(tuple(other.params))
    assert line.p_of_one == pytest.approx(float(other.t_test("x1 = 1").pvalue), rel=1e-6)
    assert (line.interval.low, line.interval.high) == pytest.approx(tuple(other.conf_int()[1]))


def test_what_has_no_line_says_why() -> None:
    many = np.linspace(0, 1, 20)
    assert why_no_slope(many, many) == ""
    assert "the same for all professions" in why_no_slope(many, np.full(20, 0.5))
    assert why_no_slope(np.full(20, 0.5), many).startswith("the world's")
    assert why_no_slope(many[:4], many[:4]) == "4 professions, fewer than 10"

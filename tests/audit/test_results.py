"""The one door from a stored run to a report: what comes of a run, and by which of four outcomes."""

from __future__ import annotations

import pytest

from benchmarks.fakes import FakeScorer
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import report
from pcf_core.audit.results import (
    NotScored,
    Refused,
    Results,
    Waiting,
    drawn_run,
    load_result,
    recomputed_result,
)
from pcf_core.audit.sampling import planned, with_draws
from pcf_core.core.errors import RunError
from pcf_core.core.run import ModelSpec, RunSpec
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Group
from pcf_core.material.evidence import make_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import delete_topic, make_topic, save_topic
from pcf_core.models.scoring.base import Scorer
from pcf_core.store.store import Store
from pcf_core.work.scoring import score_run
from tests.audit.small_runs import TOKENS, probability, score_few

OPTIONS = ViewOptions()


def score(store: Store, run: RunSpec) -> None:
    def opened(spec: ModelSpec, kind: str) -> Scorer:
        return FakeScorer(probability, key=run.scoring, tokens=TOKENS)

    score_run(run, store, opened)


def unscored(run: RunSpec) -> RunSpec:
    return run.model_copy(update={"scoring": run.scoring.model_copy(update={"model": "other"})})


class Patient(Results):
    """Leaves every run to the worker."""

    def must_wait(self, run: RunSpec, options: ViewOptions) -> bool:
        return True


def test_a_run_is_opened_by_one_of_four_outcomes(store: Store) -> None:
    run = score_few(store)
    opened = Results(store).open(run, OPTIONS)
    assert (opened.run, opened.key) == (run, run.key)
    expected = report(load_result(store, run), run, OPTIONS)
    assert opened.report.overall_risk == expected.overall_risk
    assert opened.report.intervals == expected.intervals
    assert opened.result.preferences.occupations == run.evidence.terms
    assert opened.even == 0.5
    assert Patient(store).open(run, OPTIONS) == Waiting(run)
    missing = Results(store).open(unscored(run), OPTIONS)
    assert isinstance(missing, NotScored)
    assert missing.run == unscored(run)
    assert "is not finished" in missing.reason
    refused = Results(store).open(run, OPTIONS.model_copy(update={"occupation_weights": "list"}))
    assert isinstance(refused, Refused)
    assert "few" in refused.reason


def test_a_brief_report_has_the_intervals_of_the_risk_alone(store: Store) -> None:
    run = score_few(store)
    whole, brief = (Results(store).open(run, OPTIONS, brief=short) for short in (False, True))
    ends = [(of.low, of.high) for of in (one.report.interval("overall_risk") for one in (whole, brief))]
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)
    assert brief.report.interval("caprice_risk") is None


def test_a_run_of_draws_stands_for_one_that_is_not_scored_whole(store: Store) -> None:
    scored = score_few(store)
    run = scored.model_copy(update={"evidence": make_evidence("others", ["nurse", "judge", "baker"])})
    coarse, fine = planned(run, 0.1), with_draws(planned(run, 0.05), 300)
    assert drawn_run(store, run) is None
    for one in (fine, coarse):
        score(store, one)
        drawn = drawn_run(store, run)
        assert drawn.key == fine.key, "the one with the most draws"
    opened = Results(store).open(run, OPTIONS)
    assert opened.key == fine.key
    templates = tuple(one.model_copy(update={"count": one.count + 1}) for one in run.templates.templates)
    other = run.model_copy(update={"templates": run.templates.model_copy(update={"templates": templates})})
    assert drawn_run(store, other) is None, "draws by other counts are of another set"


def test_whoever_asks_for_a_report_is_told_why_there_is_none(store: Store) -> None:
    run = score_few(store)
    with pytest.raises(RunError, match="is not finished"):
        Results(store).report(unscored(run), OPTIONS)
    with pytest.raises(RunError, match="cannot be read with exact-boundary"):
        Results(store).report(run, OPTIONS.model_copy(update={"protocol": "exact-boundary"}))


def test_scores_are_read_again_where_that_is_asked_for(store: Store) -> None:
    run = score_few(store)
    read: list[str] = []

    def reading(*given: object) -> object:
        read.append("scores")
        return recomputed_result(*given)

    again = Results(store, reading).open(run, OPTIONS)
    usual = Results(store).open(run, OPTIONS)
    assert again.report.overall_risk == usual.report.overall_risk
    assert read == ["scores"]


# A user's own topic is scored like any other, and what its old words gave stays readable.


OWN = make_topic("own", [Group(name="male", words=("he", "king")), Group(name="female", words=("she",))])
NEW = OWN.model_copy(update={"groups": (OWN.groups[0], Group(name="female", words=("she", "queen")))})


def test_results_of_the_old_words_stay_readable(own_settings: Settings) -> None:
    store, templates = Store.open(own_settings.cache), load_templates("gender-reporting")
    save_topic(OWN)
    old = score_few(store, topic="own", templates=templates)
    before = load_result(store, old)
    save_topic(NEW, replace=True)
    new = score_few(store, topic="own", templates=templates)
    assert new.key != old.key
    delete_topic("own")
    kept = store.load_run(old.key)
    assert kept.topic == OWN
    assert store.load_run(new.key).topic == NEW
    again = load_result(store, kept)
    assert again.words == ("he", "king", "she")
    assert (again.preferences.values == before.preferences.values).all()
    assert not (load_result(store, new).preferences.values == before.preferences.values).all()

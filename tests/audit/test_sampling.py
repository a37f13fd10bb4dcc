"""Runs with a sampling plan: the draw, what is scored, and what it says of the whole set."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import build_run
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result, look_at, result_name
from pcf_core.audit.sampling import furthest, planned, with_draws
from pcf_core.core.errors import CriterionError, RunError, TemplateError
from pcf_core.core.run import RunSpec
from pcf_core.core.topics import Template, TemplateSet
from pcf_core.material.evidence import make_evidence
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.report.documents import report_document
from pcf_core.store.store import Store
from tests.audit.small_runs import score_with_fake as score

TEMPLATES = 300
COUNTS = 1 / np.arange(1, TEMPLATES + 1)
RISKS = ("overall_risk", "prejudice_risk", "caprice_risk")


def large_run(templates: int = TEMPLATES) -> RunSpec:
    """Three occupations × templates whose counts fall as 1/rank."""
    texts = tuple(
        Template(text=f"The [X] of number {i} said that [Y]", count=float(COUNTS[i]))
        for i in range(templates)
    )
    return build_run(
        resolve("mini-gpt"),
        load_topic("gender"),
        make_evidence("few", ["nurse", "engineer", "clerk"]),
        TemplateSet(name="many", title="Many", templates=texts),
    )


def test_a_plan_has_a_key_of_its_own_that_the_draws_do_not_change() -> None:
    run = large_run()
    fine, coarse = planned(run, 0.01), planned(run, 0.02)
    assert len({run.key, fine.key, coarse.key, planned(run, 0.01, seed=1).key}) == 4
    assert with_draws(fine, 400).key == fine.key
    assert fine.whole == run
    assert RunSpec.model_validate_json(fine.model_dump_json()) == fine


def test_only_drawn_templates_are_asked_for() -> None:
    run = planned(large_run(), 0.01)
    assert run.plan.draws == 100
    drawn = [text for text, times in zip(run.templates.texts, run.plan.times, strict=True) if times]
    assert run.drawn.texts == tuple(drawn)
    assert run.cells == len(run.prompts) == 3 * len(drawn) < run.whole.cells
    assert set(run.prompts) < set(run.whole.prompts)


def test_a_finer_plan_goes_on_with_the_draws_of_a_coarser_one(store: Store) -> None:
    """What the coarser one has scored is in the store: the rest alone is missing."""
    coarse = score(store, planned(large_run(), 0.02))
    fine = with_draws(planned(large_run(), 0.005), 400)
    missing = store.missing(fine.scoring, fine.prompts, fine.topic.words)
    assert set(coarse.prompts) < set(fine.prompts)
    assert sum(len(block.prompts) for block in missing) == fine.cells - coarse.cells


def test_the_report_estimates_the_whole_set_and_says_so(store: Store) -> None:
    whole, drawn = score(store, large_run()), with_draws(planned(large_run(), 0.02), 3200)
    truth = report(load_result(store, whole), whole, ViewOptions())
    found = report(load_result(store, drawn), drawn, ViewOptions())
    assert found.corrected is not None
    for name in RISKS:
        interval = found.intervals[name][0]
        assert interval.low <= getattr(truth, name) <= interval.high
        assert (interval.unit, interval.level) == ("draw", 0.95)
        assert found.sampling.estimates[name] == getattr(found, name)
        assert found.sampling.intervals[name] == interval
        assert abs(getattr(found, name) - getattr(truth, name)) < found.sampling.half_width
    assert found.overall_risk == found.prejudice_risk + found.caprice_risk
    corrected = found.corrected
    assert corrected.headline
    assert corrected.prejudice_risk == found.prejudice_risk < corrected.plug_in_prejudice_risk
    assert found.overall_risk == pytest.approx(
        corrected.plug_in_prejudice_risk + corrected.plug_in_caprice_risk, abs=1e-12
    )
    assert found.template_weights.sum() == pytest.approx(1)
    assert f"{len(found.templates)} of 300 sentences were drawn, in 3,200 draws" in " ".join(found.warnings)
    for row in found.occupations:
        assert row.overall_risk == row.prejudice_risk + row.caprice_risk
        assert row.intervals["overall_risk"][0].low <= row.overall_risk


def test_the_document_has_the_corrected_figures_and_the_look(store: Store) -> None:
    run = score(store, planned(large_run(), 0.02))
    found = report(load_result(store, run), run, ViewOptions())
    document = json.loads(json.dumps(report_document(found)))
    assert document["corrected"]["headline"] is True
    assert document["corrected"]["prejudice_risk"] == document["prejudice_risk"]
    assert document["corrected"]["plug_in"]["prejudice_risk"] >= document["prejudice_risk"]
    assert document["corrected"]["sampling_prejudice"] > 0
    for row in document["occupations"]:
        assert row["corrected_prejudice_risk"] == row["prejudice_risk"]
    assert document["sampling"]["draws"] == 100
    assert report_document(replace(found, corrected=None, sampling=None))["sampling"] is None


def test_a_set_that_was_drawn_whole_is_read_like_one_without_a_plan(store: Store) -> None:
    """Five templates, a hundred draws: nothing is left to estimate."""
    run = score(store, planned(large_run(5), 0.01))
    plain = score(store, large_run(5))
    found = report(load_result(store, run), run, ViewOptions(), resamples=100)
    other = report(load_result(store, plain), plain, ViewOptions(), resamples=100)
    assert found.sampling.whole
    assert found.sampling.half_width == 0
    assert found.corrected == other.corrected
    assert not found.corrected.headline
    for name in RISKS:
        assert getattr(found, name) == getattr(other, name)
        assert found.intervals[name] == other.intervals[name]
    assert "All 5 sentences with a count were drawn" in " ".join(found.warnings)


def test_equal_weights_are_importance_weights_with_their_effective_number(store: Store) -> None:
    whole, drawn = score(store, large_run()), with_draws(planned(large_run(), 0.02), 3200)
    equal = ViewOptions(template_weighting="equal")
    truth = report(load_result(store, whole), whole, equal)
    found = report(load_result(store, drawn), drawn, equal)
    by_count = report(load_result(store, drawn), drawn, ViewOptions())
    interval = found.intervals["overall_risk"][0]
    assert interval.low <= truth.overall_risk <= interval.high
    assert by_count.sampling.effective_draws == pytest.approx(3200)
    assert found.sampling.effective_draws < 1600
    assert found.sampling.half_width > by_count.sampling.half_width


def test_weights_that_are_worth_too_few_draws_are_refused(store: Store) -> None:
    """One template has nearly all the counts: equal weights rest on a few others, drawn once each."""
    run = large_run(40)
    heavy = (Template(text=run.templates.texts[0], count=60.0), *run.templates.templates[1:])
    run = run.model_copy(update={"templates": run.templates.model_copy(update={"templates": heavy})})
    drawn = score(store, planned(run, 0.02))
    by_count = report(load_result(store, drawn), drawn, ViewOptions())
    assert by_count.sampling.effective_draws == pytest.approx(100)
    with pytest.raises(
        TemplateError, match=r"With equal template weights they are worth only 3\.\d draws, too few"
    ):
        report(load_result(store, drawn), drawn, ViewOptions(template_weighting="equal"))


def test_rare_templates_that_no_draw_has_met_are_not_forgotten(store: Store) -> None:
    """Five templates of a million counts and 295 of one: the draws look alike, and are worth next to none."""
    run = large_run()
    counted = tuple(
        template.model_copy(update={"count": 1e6 if rank < 5 else 1.0})
        for rank, template in enumerate(run.templates.templates)
    )
    drawn = score(
        store,
        planned(
            run.model_copy(update={"templates": run.templates.model_copy(update={"templates": counted})}),
            0.02,
        ),
    )
    assert len(drawn.drawn.templates) == 5
    with pytest.raises(TemplateError, match=r"are worth only 0\.0061"):
        report(load_result(store, drawn), drawn, ViewOptions(template_weighting="equal"))


def test_a_goal_that_is_not_met_by_this_reading_says_what_it_holds_for(store: Store) -> None:
    said = "The ranges are wider than planned, because the plan holds only for a finished run in which"
    run = score(store, with_draws(planned(large_run(), 0.02), 6400))
    for within, missed in ((0.1, False), (0.001, True)):
        goal = score(store, with_draws(planned(run.whole, within), 1600))
        assert (said in " ".join(report(load_result(store, goal), goal, ViewOptions()).warnings)) is missed


def test_a_goal_from_a_widget_is_that_of_the_command_line() -> None:
    assert planned(large_run(5), 0.1 - 0.095).key == planned(large_run(5), 0.005).key


def test_draws_are_told_from_the_seed_alone() -> None:
    run = planned(large_run(), 0.02)
    assert with_draws(with_draws(run, 1600), 100) == run


def test_weights_that_no_draw_can_give_are_refused(store: Store) -> None:
    run = large_run(30)
    texts = (*run.templates.templates, Template(text="Never did the [X] say [Y]", count=0.0))
    run = run.model_copy(update={"templates": run.templates.model_copy(update={"templates": texts})})
    drawn = score(store, planned(run, 0.02))
    assert "Never did the [X] say [Y]" not in drawn.drawn.texts
    result = load_result(store, drawn)
    with pytest.raises(TemplateError, match="1 templates of many have the count 0 and were never drawn"):
        report(result, drawn, ViewOptions(template_weighting="equal"))
    assert report(result, drawn, ViewOptions()).sampling is not None


def test_kept_preferences_belong_to_the_drawn_templates(store: Store) -> None:
    run = score(store, planned(large_run(), 0.02))
    first = load_result(store, run)
    later = score(store, with_draws(run, 800))
    assert result_name(later, "exact") != result_name(run, "exact")
    assert load_result(store, later).preferences.values.shape[1] > first.preferences.values.shape[1]
    assert np.array_equal(load_result(store, run).preferences.values, first.preferences.values)


def test_the_store_is_asked_how_far_a_run_is(store: Store) -> None:
    run = planned(large_run(), 0.02)
    assert furthest(store, run) == run
    store.save_run(with_draws(run, 400), {}, complete=False)
    assert furthest(store, run) == with_draws(run, 400), "also while it is scored, or was stopped"
    later = score(store, with_draws(run, 800))
    assert furthest(store, run) == later
    counts = tuple(template.model_copy(update={"count": 1.0}) for template in run.templates.templates)
    other = planned(
        run.whole.model_copy(update={"templates": run.templates.model_copy(update={"templates": counts})}),
        0.02,
    )
    assert other.key == run.key
    assert furthest(store, other) == later, "a key keeps its counts"
    with pytest.raises(RunError, match="draws templates by the counts of"):
        store.as_stored(other)


def test_a_look_needs_a_plan_and_scores(store: Store) -> None:
    run = score(store, large_run(5))
    with pytest.raises(RunError, match="has no sampling plan to show"):
        look_at(store, run)
    with pytest.raises(RunError, match="a plan is made with --within"):
        with_draws(run, 100)
    with pytest.raises(RunError, match="not finished"):
        look_at(store, planned(large_run(), 0.02))
    with pytest.raises(CriterionError, match="--within"):
        planned(run, 0.5)

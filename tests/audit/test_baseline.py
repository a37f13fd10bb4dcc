"""The neutral-subject baseline: the same cells read another way, and when there is none."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pcf_core.audit.baseline import (
    NEUTRAL,
    Baseline,
    OtherScales,
    baseline_of,
    baseline_run,
    distance_from_neutral,
    has_baseline,
    neutral_comparison,
    order_on_other_scales,
)
from pcf_core.audit.comparing import compared, risk_difference
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import Result
from pcf_core.audit.reading import RunView, report
from pcf_core.audit.results import Report, load_result
from pcf_core.cli.panels import compared_lines, run_lines
from pcf_core.core.run import RunSpec
from pcf_core.material.evidence import list_evidence, load_evidence
from pcf_core.material.suiting import swapped
from pcf_core.material.topics import load_topic
from pcf_core.show.findings.numbers import digits
from pcf_core.store.store import Store
from tests.command_line import run_here
from tests.conftest import fill


def told(store: Store, run: RunSpec, result: Result, held: Baseline | None) -> list[str]:
    """Return what the command line shows."""
    item = Report(run, run.key, report(result, run, ViewOptions()), lambda: result)
    return run_lines(store, item, ViewOptions(), held)


def test_there_is_none_before_the_subjects_are_scored_and_the_command_says_how(store: Store) -> None:
    run = fill(store, "mini-gpt")
    result = load_result(store, run)
    assert baseline_of(store, run, result, ViewOptions()) is None
    assert distance_from_neutral(store, run, result, ViewOptions()) is None
    (line,) = [line for line in told(store, run, result, None) if "neutral subjects are not scored" in line]
    assert f"--evidence {NEUTRAL} " in line
    assert json.loads(run_here("risk", run.key, "--json").stdout)["baseline"] is None


def test_its_figures_by_hand(store: Store) -> None:
    """Second opinion: means and the risk against them from the cells themselves."""
    run = fill(store, "mini-gpt")
    subjects = fill(store, "mini-gpt", evidence=NEUTRAL)
    asked = baseline_run(run)
    assert asked.key == subjects.key
    assert has_baseline(store, run)
    result = load_result(store, run)
    found = baseline_of(store, run, result, ViewOptions())
    weights = report(result, run, ViewOptions()).template_weights
    cells = load_result(store, subjects).preferences.values
    expected = np.einsum("xtg,t->g", cells, weights) / len(cells)
    assert list(found.preferences.values()) == pytest.approx(expected.tolist())
    assert found.lean == pytest.approx(abs(2 * expected[0] - 1))
    values = result.preferences.values
    stereotypes = (values - expected) / (1 - expected)
    assert found.overall_risk == pytest.approx(float((stereotypes.max(axis=-1) @ weights).mean()))
    tilts = np.einsum("xtg,t->xg", 2 * values - 1, weights)
    assert list(found.spread.values()) == pytest.approx(tilts.std(axis=0).tolist())
    away = np.sqrt(np.mean((tilts - (2 * expected - 1)) ** 2, axis=0))
    assert list(found.distance.values()) == pytest.approx(away.tolist())
    assert distance_from_neutral(store, run, result, ViewOptions()) == pytest.approx(away[0])
    for interval, value in (
        (found.lean_interval, found.lean),
        (found.interval("overall_risk"), found.overall_risk),
        (found.interval("spread", "both", "male"), found.spread["male"]),
        (found.interval("distance", "occupations", "female"), found.distance["female"]),
    ):
        assert interval.low <= value <= interval.high
    shown = json.loads(run_here("risk", run.key, "--json").stdout)
    assert shown["baseline"]["lean"] == found.lean
    assert shown["lean"]["common_lean"] + shown["lean"]["specific_lean"] == pytest.approx(
        shown["prejudice_risk"]
    )
    rows = [line.split() for line in told(store, run, result, found)]
    for name, value in (
        ("neutral_lean", found.lean),
        ("distance_male", found.distance["male"]),
        ("tilt_differing", shown["lean"]["differing"]),
    ):
        assert [name, digits(value)] in rows
    assert (
        shown["baseline"]["around"]["spread"]["male"][0]["high"] == found.intervals["spread", "male"][0].high
    )


def test_lists_without_one(store: Store) -> None:
    run = fill(store, "mini-gpt")

    def with_list(name: str) -> RunSpec:
        return run.model_copy(update={"evidence": load_evidence(name)})

    assert baseline_run(with_list(NEUTRAL)) is None
    assert baseline_run(run.model_copy(update={"topic": load_topic("gender-zh")})) is None
    assert baseline_run(with_list("conditions")) is not None
    topic, evidence = swapped(load_topic("gender"), load_evidence("sports"))
    assert baseline_run(run.model_copy(update={"topic": topic, "evidence": evidence})) is None
    assert NEUTRAL in [one.name for one in list_evidence()]
    assert baseline_run(with_list("neutral-subjects")) is not None, "the list of before is a list like others"
    assert set(load_evidence("neutral-subjects").terms) < set(load_evidence(NEUTRAL).terms)
    assert len(load_evidence(NEUTRAL).terms) >= 20


def read(store: Store, run: RunSpec, options: ViewOptions | None = None) -> RunView:
    return RunView(run, load_result(store, run), options or ViewOptions())


def test_two_models_are_compared_on_one_scale_by_hand(store: Store) -> None:
    """Second opinion: both distances from the cells themselves, and each subject left out."""
    runs = [fill(store, model) for model in ("mini-gpt", "mini-bert")]
    one, other = (read(store, run) for run in runs)
    assert neutral_comparison(store, one, other, ViewOptions()) is None
    subjects = [fill(store, model, evidence=NEUTRAL) for model in ("mini-gpt", "mini-bert")]
    found = neutral_comparison(store, one, other, ViewOptions())
    assert found.runs == tuple(run.key for run in subjects)
    weights = report(one.result, runs[0], ViewOptions()).template_weights
    means, points = [], []
    for run, asked in zip(runs, subjects, strict=True):
        values, cells = (load_result(store, each).preferences.values[..., 0] for each in (run, asked))
        means.append((2 * values - 1) @ weights)
        points.append((2 * cells - 1) @ weights)
    first, second = (
        np.sqrt(np.mean((mean - point.mean()) ** 2)) for mean, point in zip(means, points, strict=True)
    )
    distance = found.differences["distance"]
    assert (distance.first, distance.second) == pytest.approx((first, second))
    assert distance.margin == float(ViewOptions().margin) > 0
    spread = found.differences["spread"]
    assert (spread.first, spread.second) == pytest.approx(tuple(mean.std() for mean in means))
    for place, row in enumerate(found.subjects):
        assert row.subject == load_evidence(NEUTRAL).terms[place]
        assert [2 * shares[0] - 1 for shares in row.shares] == pytest.approx([p[place] for p in points])
        less = [np.delete(point, place).mean() for point in points]
        without = [np.sqrt(np.mean((mean - p) ** 2)) for mean, p in zip(means, less, strict=True)]
        assert row.without == pytest.approx(without[0] - without[1])
    shown = json.loads(run_here("compare", runs[0].key, runs[1].key, "--json").stdout)
    assert shown["neutral"]["differences"]["distance"]["first"] == pytest.approx(first)
    assert shown["neutral"]["subjects"][0]["subject"] == "person"
    assert shown["labour_force"]["ordered"] in (True, False)
    assert shown["employment"]["first"] != shown["differences"]["overall_risk"]["first"]
    scales = order_on_other_scales(store, one, other, ViewOptions())
    assert scales.neutral == found
    paired = compared(one, other, ViewOptions())
    lines = compared_lines(store, [one, other], ViewOptions(), paired, [], scales)
    assert any(line.startswith("log_odds_distance") for line in lines)
    assert any("For 20 neutral subjects," in line and " of them is left out" in line for line in lines)


def test_other_scales_are_those_that_a_topic_and_the_options_have(store: Store) -> None:
    runs = [fill(store, model) for model in ("mini-gpt", "mini-bert")]
    one, other = (read(store, run) for run in runs)
    found = order_on_other_scales(store, one, other, ViewOptions())
    assert found.labour is not None
    assert found.employment == risk_difference(one, other, ViewOptions(occupation_weights="employment"))
    assert found.differences == {
        **{"labour": found.labour, "neutral": None, "spread": None},
        "employment": found.employment,
    }
    labour = ViewOptions(reference="labour")
    assert order_on_other_scales(store, one, other, labour) == OtherScales()
    by_employment = ViewOptions(occupation_weights="employment")
    assert order_on_other_scales(store, one, other, by_employment).employment is None
    sick = [fill(store, model, evidence="conditions") for model in ("mini-gpt", "mini-bert")]
    one, other = (read(store, run) for run in sick)
    assert order_on_other_scales(store, one, other, ViewOptions()) == OtherScales()

"""A finished run read with other templates of its own equals a run scored on only these."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pcf_core.audit.case import covering_runs, held_against, restricted
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import assemble, build_run
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result
from pcf_core.audit.sampling import planned
from pcf_core.core.errors import RunError, TemplateError
from pcf_core.core.run import Preferences, RunSpec
from pcf_core.core.topics import TemplateSet
from pcf_core.material.evidence import make_evidence
from pcf_core.material.templates import load_templates, make_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from tests.audit.small_runs import score_with_fake
from tests.conftest import fill
from tests.quick import scaled
from tests.show.findings.test_reliability import calibration

RISKS = ("overall_risk", "prejudice_risk", "caprice_risk")
FEW = make_evidence("few", ["nurse", "engineer", "clerk"])


def score(store: Store, model: str, templates: TemplateSet) -> RunSpec:
    """Score a small run with the fake."""
    return score_with_fake(store, build_run(resolve(model), load_topic("gender"), FEW, templates))


@pytest.mark.parametrize("model", ["mini-bert", "mini-gpt"])
@pytest.mark.parametrize(
    "options",
    [
        ViewOptions(),
        ViewOptions(template_weighting="equal", scale="bvf"),
        ViewOptions(protocol="single-token", criterion="l2"),
    ],
)
def test_it_equals_a_run_that_was_scored_on_these_templates_alone(
    model: str, options: ViewOptions, store: Store, tmp_path_factory: pytest.TempPathFactory
) -> None:
    whole = score(store, model, load_templates("gender-nineteen"))
    texts = whole.templates.texts[::3][::-1]
    counts = [float(7 + index % 3) for index in range(len(texts))]
    chosen = make_templates("gender-nineteen", list(zip(texts, counts, strict=True)))
    fresh_store = Store.open(tmp_path_factory.mktemp("fresh"))
    fresh = score(fresh_store, model, chosen)
    expected = report(load_result(fresh_store, fresh, options.protocol), fresh, options, resamples=200)
    found = restricted(
        load_result(store, whole, options.protocol), whole, texts, counts, options, resamples=200
    )
    assert found.templates == expected.templates == texts
    np.testing.assert_array_equal(found.template_weights, expected.template_weights)
    assert found.occupations == expected.occupations
    for name in RISKS:
        assert getattr(found, name) == getattr(expected, name)
        assert found.intervals[name] == expected.intervals[name]
    assert found.warnings == expected.warnings
    assert found.effective_templates == expected.effective_templates
    assert found.coverage.model_copy(update={"by_tokens": {}}) == expected.coverage.model_copy(
        update={"by_tokens": {}}
    )
    if len(expected.coverage.by_tokens) == 1:
        assert found.coverage == expected.coverage


@settings(max_examples=scaled(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_risk_of_a_choice_by_a_loop(data: st.DataObject, store: Store) -> None:
    """Two groups: r = E|s|, r^p = |E s| with the weights of the choice."""
    run = score(store, "mini-gpt", load_templates("gender-nineteen"))
    places = data.draw(st.lists(st.integers(0, 18), min_size=1, max_size=19, unique=True))
    counts = data.draw(st.lists(st.integers(1, 99), min_size=len(places), max_size=len(places)))
    result = load_result(store, run)
    texts = [run.templates.texts[place] for place in places]
    found = restricted(result, run, texts, [float(count) for count in counts], ViewOptions(), resamples=20)
    for row, occupation in enumerate(found.occupations):
        lean = [float(np.subtract(*result.preferences.values[row, place])) for place in places]
        pairs = list(zip(counts, lean, strict=True))
        assert occupation.overall_risk == pytest.approx(sum(n * abs(s) for n, s in pairs) / sum(counts))
        assert occupation.prejudice_risk == pytest.approx(abs(sum(n * s for n, s in pairs)) / sum(counts))


def test_the_choice_of_all_with_their_counts_changes_nothing(full_store: Store) -> None:
    run = full_store.runs()[0].run
    result = load_result(full_store, run)
    whole = report(result, run, ViewOptions(occupation_weights="employment"), resamples=50)
    found = restricted(
        result,
        run,
        run.templates.texts,
        run.templates.counts.tolist(),
        ViewOptions(occupation_weights="employment"),
        resamples=50,
    )
    assert found.occupations == whole.occupations
    assert found.intervals == whole.intervals
    assert found.left_out == whole.left_out
    assert found.self_audit == whole.self_audit


def test_nothing_is_scored_or_kept(store: Store) -> None:
    run = score(store, "mini-gpt", load_templates("gender-nineteen"))
    result = assemble(store, run)
    before = store.shards(run.scoring), len(store.runs())
    restricted(result, run, run.templates.texts[:2], [1.0, 2.0], ViewOptions(), resamples=20)
    assert (store.shards(run.scoring), len(store.runs())) == before


def test_a_run_with_a_sampling_plan_is_refused_in_a_sentence(store: Store) -> None:
    run = planned(score(store, "mini-gpt", load_templates("gender-nineteen")), 0.1)
    score_with_fake(store, run)
    with pytest.raises(
        RunError, match=r"used a sampling plan, .* choose a run that scored every template\.$"
    ):
        restricted(load_result(store, run), run, run.drawn.texts, [1.0], ViewOptions())


@pytest.mark.parametrize(
    ("texts", "counts", "says"),
    [
        (["The [X] said that [Y]", "The [X] sang that [Y]"], [1, 1], "has not scored 1 of the 2 templates"),
        (["The [X] said that [Y]"], [0], "sum to 0"),
        (["The [X] said that [Y]"], [-1], "has the count -1"),
        (["The [X] said that [Y]"] * 2, [1, 1], "appears twice"),
        ([], [], "no templates"),
    ],
)
def test_a_choice_that_cannot_be(texts: list[str], counts: list[float], says: str, store: Store) -> None:
    run = score(store, "mini-gpt", load_templates("gender-nineteen"))
    with pytest.raises(TemplateError, match=says):
        restricted(load_result(store, run), run, texts, counts, ViewOptions())


def test_which_runs_cover_a_set_and_how_much_of_its_mass(store: Store) -> None:
    ten = score(store, "mini-bert", load_templates("gender-reporting"))
    all_of_it = score(store, "mini-gpt", load_templates("gender-nineteen"))
    drawn = planned(all_of_it, 0.1)
    score_with_fake(store, drawn)
    unfinished = build_run(resolve("mini-gpt"), all_of_it.topic, FEW, load_templates("gender-heatmap"))
    store.save_run(unfinished, {}, complete=False)
    found = covering_runs(store, load_templates("gender-nineteen"))
    assert [covering.run.key for covering in found] == [all_of_it.key, ten.key]
    assert [covering.share for covering in found] == pytest.approx([1, 5104 / 5522])
    assert found[1].texts == load_templates("gender-nineteen").texts[:10]
    assert sum(found[1].counts) == 5104
    assert covering_runs(store, load_templates("race-relative")) == ()
    covering = found[1]
    part = restricted(
        load_result(store, ten), ten, covering.texts, covering.counts, ViewOptions(), resamples=20
    )
    assert part.overall_risk == report(load_result(store, ten), ten, ViewOptions(), 20).overall_risk


def test_the_default_runs_cover_the_sets_of_the_papers(full_store: Store) -> None:
    fill(full_store, "mini-gpt", templates="gender-heatmap")
    shares = [
        round(covering.share, 3) for covering in covering_runs(full_store, load_templates("gender-heatmap"))
    ]
    assert shares == [1, 1, 1]


# A measurement held against a truth: differences, the worst cell, and truths of other lists.


PLANTED = calibration().planted
MEASURED = Preferences(
    groups=("amber", "violet"),
    occupations=("lamp",),
    templates=("The [X] is [Y]", "The [X] was [Y]"),
    values=np.array([[[0.7, 0.3], [0.4, 0.6]]]),
    coverage=None,
)
WHEN = datetime(2026, 11, 3, tzinfo=UTC)
REPORT: Any = SimpleNamespace(overall_risk=0.3, prejudice_risk=0.1, caprice_risk=0.2)


def test_the_worst_cell_and_the_differences_by_hand() -> None:
    """0.5 was planted in the second context and 0.4 measured; R is 0.1 too high."""
    found = held_against(PLANTED, MEASURED, REPORT, WHEN, "1.2")
    assert found.largest == pytest.approx(0.1)
    assert (found.occupation, found.context) == ("lamp", "The [X] was [Y]")
    assert (found.written, found.version) == (WHEN, "1.2")
    assert found.differences == pytest.approx(
        {"overall_risk": 0.1, "prejudice_risk": -0.1, "caprice_risk": 0.2}
    )


@pytest.mark.parametrize(
    "other", [{"groups": ("violet", "amber")}, {"occupations": ("cup",)}, {"templates": ("a", "b")}]
)
def test_a_run_of_other_lists_is_refused(other: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(RunError, match="cannot be compared with the preferences planted in planted-causal"):
        held_against(PLANTED, replace(MEASURED, **other), REPORT, WHEN, "")

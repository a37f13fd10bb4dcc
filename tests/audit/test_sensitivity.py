"""One run under other choices: each against the report that it gives, and what is unavailable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pcf_core.audit import options
from pcf_core.audit import sensitivity as module
from pcf_core.audit.case import restricted
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import View, report, view_of
from pcf_core.audit.results import load_result
from pcf_core.audit.sampling import planned
from pcf_core.audit.sensitivity import (
    HALVES,
    halves,
    heaviest,
    risks_without_one,
    sensitivity,
    sensitivity_kept,
    sensitivity_name,
)
from pcf_core.core.errors import RunError
from pcf_core.core.risk import RiskReport
from pcf_core.core.run import RunSpec
from pcf_core.core.sensitivity import SAMPLE, Sensitivity, Variant
from pcf_core.core.topics import Evidence, Weights
from pcf_core.material.evidence import make_evidence
from pcf_core.material.templates import labelled, load_templates, make_templates
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.resampling import TemplateUnit
from pcf_core.store.store import Store
from tests.audit.small_runs import score_few

RISKS = ("overall_risk", "prejudice_risk", "caprice_risk")
parts = st.integers(1, 100).map(lambda whole: whole / 100)


def under(found: Sensitivity, dimension: str, name: str, end: str = "") -> Variant:
    return next(one for one in found.variants if one.key == (dimension, name, end))


def reason(found: Sensitivity, dimension: str, name: str) -> str:
    return next(one.reason for one in found.unavailable if (one.dimension, one.name) == (dimension, name))


def assert_same(variant: Variant, expected: RiskReport) -> None:
    for risk in RISKS:
        assert getattr(variant, risk) == pytest.approx(getattr(expected, risk), abs=1e-12)
    assert variant.stereotype_sd == pytest.approx(expected.stereotype_sd, abs=1e-12)


def read(store: Store, run: RunSpec, options: ViewOptions) -> RiskReport:
    return report(load_result(store, run, options.protocol, options.aggregation), run, options, resamples=20)


@pytest.mark.parametrize(
    "options",
    [
        ViewOptions(),
        ViewOptions(template_weighting="equal", occupation_weights="employment"),
        ViewOptions(protocol="single-token"),
    ],
)
def test_options_give_what_the_report_gives_under_them(store: Store, options: ViewOptions) -> None:
    run = score_few(store)
    found = sensitivity(store, run, options)
    assert_same(found.base, read(store, run, options))
    other_weights = "uniform" if options.occupation_weights == "employment" else "employment"
    other_templates = "counts" if options.template_weighting == "equal" else "equal"
    other_protocol = "exact" if options.protocol == "single-token" else "single-token"
    for dimension, name, change in (
        ("occupation weights", other_weights, {"occupation_weights": other_weights}),
        ("template weights", other_templates, {"template_weighting": other_templates}),
        ("neutral point", "labour", {"reference": "labour"}),
        ("protocol", other_protocol, {"protocol": other_protocol}),
        ("protocol", "equal-tokens", {"protocol": "equal-tokens"}),
    ):
        expected = read(store, run, options.model_copy(update=change))
        assert_same(under(found, dimension, name), expected)
    assert "the same risk" in reason(found, "criterion", "l1")
    assert "sum and mean agree" in reason(found, "a group's words", "mean over a group's words")


def test_more_groups_have_criteria_and_means_and_other_reasons(store: Store) -> None:
    run = score_few(store, topic="race")
    found = sensitivity(store, run, ViewOptions())
    for name in ("l1", "l2"):
        assert_same(under(found, "criterion", name), read(store, run, ViewOptions(criterion=name)))
    mean = under(found, "a group's words", "mean over a group's words")
    assert_same(mean, read(store, run, ViewOptions(aggregation="mean")))
    assert "black 2" in mean.note
    averaged = sensitivity(store, run, ViewOptions(aggregation="mean"))
    assert_same(averaged.base, read(store, run, ViewOptions(aggregation="mean")))
    summed = under(averaged, "a group's words", "sum over a group's words")
    assert_same(summed, read(store, run, ViewOptions()))
    assert "male and female" in reason(found, "neutral point", "labour")
    assert "the same words count" in reason(found, "protocol", "equal-tokens")
    assert {one.name for one in found.variants if one.kind == "script"} == {"script for race", "demo library"}
    assert {one.name for one in found.variants if one.kind == "each" and one.dimension == "words"} == {
        f"without {word}" for word in ("black", "african", "hispanic", "latino")
    }


def test_one_word_a_group_leaves_nothing_to_choose(store: Store) -> None:
    found = sensitivity(store, score_few(store, topic="religion"), ViewOptions())
    assert "none can be left out" in reason(found, "words", "one word left out")
    assert "every group has one word" in reason(found, "words", "the first word of each group only")


@pytest.fixture
def without_families(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sentence is a family of its own, as in sets that have none."""
    monkeypatch.setattr(options, "as_it_is_now", lambda one: labelled(one, [""] * len(one.templates)))


@pytest.mark.usefixtures("without_families")
def test_extremes_are_those_of_the_long_lists(store: Store) -> None:
    found = sensitivity(store, score_few(store), ViewOptions())
    for dimension, name, size, kind in (
        ("words", "one pair left out", 39, "choice"),
        (SAMPLE, "a random half", HALVES, "sample"),
    ):
        each = [one for one in found.variants if one.kind == "each" and one.dimension == dimension]
        assert len(each) == size
        for end, choose in (("lowest", min), ("highest", max)):
            extreme = under(found, dimension, name, end)
            assert extreme.overall_risk == choose(one.overall_risk for one in each)
            assert extreme.which in {one.name for one in each}
            assert extreme.kind == kind
    assert {one.name for one in found.samples} == {"a random half", "one sentence left out"}


@pytest.mark.usefixtures("without_families")
def test_template_subsets_are_the_reports_of_the_same_templates(store: Store) -> None:
    run = score_few(store)
    result = load_result(store, run)
    found = sensitivity(store, run, ViewOptions())
    texts, counts = run.templates.texts, run.templates.counts.tolist()
    top = restricted(result, run, texts[:3], counts[:3], ViewOptions(), resamples=20)
    assert_same(under(found, "sentences", "the 3 most common sentences"), top)
    assert_same(
        under(found, "sentences", "the most common sentence alone"),
        restricted(result, run, texts[:1], counts[:1], ViewOptions(), resamples=20),
    )
    without = [
        restricted(
            result, run, texts[:i] + texts[i + 1 :], counts[:i] + counts[i + 1 :], ViewOptions(), resamples=2
        )
        for i in range(len(texts))
    ]
    assert_same(
        under(found, SAMPLE, "one sentence left out", "lowest"),
        min(without, key=lambda one: one.overall_risk),
    )
    assert_same(
        under(found, SAMPLE, "one sentence left out", "highest"),
        max(without, key=lambda one: one.overall_risk),
    )


def test_full_stops_come_from_another_run_with_the_weights_of_this_one(store: Store) -> None:
    run = score_few(store, templates=load_templates("gender-nineteen"))
    before = sensitivity(store, run, ViewOptions())
    assert reason(before, "full stop", "with a full stop") == (
        "there is no result for these sentences with a full stop; make such a set on the page Templates "
        "(under edit, press Add full stops and save it), then run it on the page 'Run an audit'"
    )
    stopped = score_few(store, templates=load_templates("gender-nineteen-stop"))
    found = sensitivity(store, run, ViewOptions())
    result = load_result(store, stopped)
    texts, counts = [f"{text}." for text in run.templates.texts], run.templates.counts.tolist()
    expected = restricted(result, stopped, texts, counts, ViewOptions(), 20)
    assert_same(under(found, "full stop", "with a full stop"), expected)
    back = sensitivity(store, stopped, ViewOptions())
    assert under(back, "full stop", "without the full stop").overall_risk == pytest.approx(
        found.base.overall_risk
    )


def test_exact_boundary_comes_from_its_own_run(store: Store) -> None:
    run = score_few(store)
    assert "--protocol exact-boundary" in reason(
        sensitivity(store, run, ViewOptions()), "protocol", "exact-boundary"
    )
    bounded = score_few(
        store, protocol="exact-boundary", chance=lambda prompt, word: 0.02 if word == "he" else 0.01
    )
    boundary = ViewOptions(protocol="exact-boundary")
    found = sensitivity(store, run, ViewOptions())
    assert_same(under(found, "protocol", "exact-boundary"), read(store, bounded, boundary))
    other = sensitivity(store, bounded, boundary)
    assert_same(under(other, "protocol", "exact"), read(store, run, ViewOptions()))
    assert "scores made with the protocol exact" in reason(other, "protocol", "single-token")
    for model, expected in (
        ("mini-bert", "is for causal models and models"),
        ("mini-t5", "--protocol exact-"),
    ):
        found = sensitivity(store, score_few(store, model=model), ViewOptions())
        assert expected in reason(found, "protocol", "exact-boundary")


def test_occupations_without_figures_are_a_reason(store: Store) -> None:
    run = score_few(store, evidence=make_evidence("odd", ["wizard", "witch"]))
    found = sensitivity(store, run, ViewOptions())
    assert "a weight for only 0 of the 2 occupations" in reason(found, "occupation weights", "employment")
    assert "None of the occupations" in reason(found, "neutral point", "labour")


def test_fewer_occupations_are_told(store: Store) -> None:
    run = score_few(store, evidence=make_evidence("odd", ["nurse", "teacher", "wizard"]))
    found = sensitivity(store, run, ViewOptions())
    note = under(found, "occupation weights", "employment").note
    assert "instead of 3 occupations" in note
    assert_same(
        under(found, "occupation weights", "employment"),
        read(store, run, ViewOptions(occupation_weights="employment")),
    )


def test_the_weights_of_a_list_are_a_choice_where_it_has_some(store: Store) -> None:
    """R under them is the mean of each term's risk by its weight, worked out from the unweighted report."""
    terms, weights = ["nurse", "teacher", "wizard"], [1.0, 0.0, 3.0]
    run = score_few(store, evidence=make_evidence("odd", terms, weights=weights))
    plain, options = ViewOptions(), ViewOptions(occupation_weights="list")
    found = sensitivity(store, run, plain)
    assert_same(under(found, "occupation weights", "list"), read(store, run, options))
    alone = {row.occupation: row for row in read(store, run, plain).occupations}
    by_hand = sum(w * alone[term].overall_risk for term, w in zip(terms, weights, strict=True)) / 4
    assert under(found, "occupation weights", "list").overall_risk == pytest.approx(by_hand, abs=1e-12)
    others = {one.name for one in sensitivity(store, run, options).variants if "weights" in one.dimension}
    assert "uniform" in others
    assert "list" not in others
    other = run.model_copy(update={"evidence": run.evidence.model_copy(update={"weights": (1.0, 1.0, 3.0)})})
    assert other.key == run.key
    assert sensitivity_name(store, other, plain) != sensitivity_name(store, run, plain)


def test_a_list_without_weights_has_no_such_choice(store: Store) -> None:
    found = sensitivity(store, score_few(store), ViewOptions())
    assert "list" not in [one.name for one in (*found.variants, *found.unavailable)]


def test_one_template_has_no_subsets(store: Store) -> None:
    one = make_templates("one", [("The [X] said that [Y]", 3)])
    found = sensitivity(store, score_few(store, templates=one), ViewOptions())
    assert "one sentence" in reason(found, "sentences", "fewer sentences")
    assert not [variant for variant in found.variants if variant.dimension in ("sentences", SAMPLE)]


def test_templates_of_no_weight_are_not_left_out(store: Store) -> None:
    """Three of the four carry weight; where every R is the same, the first of them stands at both ends."""
    texts = [f"The [X] {verb} that [Y]" for verb in ("said", "knew", "felt", "saw")]
    counts = [3.0, 2.0, 1.0, 0.0]
    some = make_templates("some", list(zip(texts, counts, strict=True)))
    run = score_few(store, templates=some)
    found = sensitivity(store, run, ViewOptions())
    result = load_result(store, run)
    without = [
        restricted(
            result, run, texts[:i] + texts[i + 1 :], counts[:i] + counts[i + 1 :], ViewOptions(), resamples=2
        ).overall_risk
        for i in range(3)
    ]
    for end, choose in (("lowest", min), ("highest", max)):
        variant = under(found, SAMPLE, "one sentence left out", end)
        assert variant.overall_risk == pytest.approx(choose(without), abs=1e-12)
        assert variant.note.startswith(f"The {end} risk of 3:")
    assert "fewer than 4 sentences count" in reason(found, SAMPLE, "a random half")
    first = make_templates("first", list(zip(texts[::-1], counts[::-1], strict=True)))
    alike = score_few(store, model="mini-bert", templates=first, chance=lambda *_: 0.01)
    tied = sensitivity(store, alike, ViewOptions())
    assert {one.which for one in tied.samples} == {"without 'The [X] felt that [Y]'"}


def test_one_template_of_weight_has_no_subsets(store: Store) -> None:
    one = make_templates("one", [("The [X] said that [Y]", 3), ("The [X] knew that [Y]", 0)])
    found = sensitivity(store, score_few(store, templates=one), ViewOptions())
    assert "only one sentence counts" in reason(found, SAMPLE, "one sentence left out")
    assert not [variant for variant in found.variants if variant.dimension in ("sentences", SAMPLE)]


def test_scripts_say_that_they_measure_against_an_even_split(store: Store) -> None:
    run = score_few(store)
    for reference, note in (("uniform", ""), ("labour", "Measured against an even split.")):
        found = sensitivity(store, run, ViewOptions.model_validate({"reference": reference}))
        scripts = [one for one in found.variants if one.kind == "script"]
        assert len(scripts) == 2
        assert {one.note for one in scripts} == {note}


def test_labour_statistics_decide_the_name_since_the_table_always_has_their_rows(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = score_few(store)
    names = {sensitivity_name(store, run, ViewOptions())}
    shares, weights = options.labour_reference, options.occupation_weights

    def other_shares(*lists: Any) -> Any:
        return {term: row[::-1] for term, row in shares(*lists).items()}

    def other_weights(evidence: Evidence, name: str) -> Weights:
        found = weights(evidence, name)
        doubled = (2 * found.values[0], *found.values[1:]) if name == "employment" else found.values
        return found.model_copy(update={"values": doubled})

    monkeypatch.setattr(options, "labour_reference", other_shares)
    names.add(sensitivity_name(store, run, ViewOptions()))
    monkeypatch.setattr(options, "occupation_weights", other_weights)
    names.add(sensitivity_name(store, run, ViewOptions()))
    assert len(names) == 3


def test_the_table_is_kept_and_read_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run = score_few(store)
    assert not sensitivity_kept(store, run, ViewOptions())
    read_prompts: list[int] = []
    first = sensitivity(store, run, ViewOptions(), read_prompts.append)
    assert read_prompts == [run.cells]
    assert sensitivity_kept(store, run, ViewOptions())
    monkeypatch.setattr(module, "load_result", lambda *arguments: pytest.fail("worked out twice"))
    assert sensitivity(store, run, ViewOptions(), read_prompts.append) == first
    assert len(read_prompts) == 1


def test_what_decides_the_table_decides_its_name(store: Store) -> None:
    run = score_few(store)
    name = sensitivity_name(store, run, ViewOptions())
    counts = [
        template.model_copy(update={"count": 1 + index})
        for index, template in enumerate(run.templates.templates)
    ]
    recounted = run.model_copy(
        update={"templates": run.templates.model_copy(update={"templates": tuple(counts)})}
    )
    assert recounted.key == run.key
    others = [
        sensitivity_name(store, recounted, ViewOptions()),
        sensitivity_name(store, run, ViewOptions(aggregation="mean")),
        sensitivity_name(store, run, ViewOptions(occupation_weights="employment")),
        sensitivity_name(store, run, ViewOptions(reference="labour")),
    ]
    assert len({name, *others}) == 5
    assert sensitivity_name(store, run, ViewOptions(unit="counts-only-mentions")) == name


def test_a_run_with_a_plan_is_refused(store: Store) -> None:
    run = planned(score_few(store), 0.1)
    with pytest.raises(RunError, match="sampling plan"):
        sensitivity(store, run, ViewOptions())


@given(
    values=arrays(np.float64, st.tuples(st.integers(1, 3), st.integers(2, 6), st.just(3)), elements=parts),
    data=st.data(),
)
def test_all_but_one_family_by_leaving_it_out(values: np.ndarray, data: st.DataObject) -> None:
    occupations, templates, _ = values.shape
    view = View(
        rows=np.arange(occupations),
        occupation_weights=data.draw(arrays(np.float64, occupations, elements=parts)),
        template_weights=data.draw(arrays(np.float64, templates, elements=parts)),
        criterion=Criterion(),
    )
    preferences = values / values.sum(axis=-1, keepdims=True)
    labels = data.draw(st.lists(st.sampled_from(["", "a", "b"]), min_size=templates, max_size=templates))
    whole = TemplateUnit.templates(view.template_weights, labels)
    families = whole.drawn_families
    of = np.arange(templates) if families is None else families.of
    found = risks_without_one(preferences, view, whole)
    for place in range(of.max() + 1 if of.max() else 0):
        risk = view.risks(preferences, of != place)["overall_risk"]
        assert found[place] == pytest.approx(risk, abs=1e-9)


def test_samples_take_whole_families(store: Store) -> None:
    """Five families of two wordings: without one, and in a half, eight and four sentences are left."""
    whole = load_templates("gender-nineteen")
    several = tuple(
        one.model_copy(update={"family": str(place // 2)}) for place, one in enumerate(whole.templates[:10])
    )
    run = score_few(store, templates=whole.model_copy(update={"name": "several", "templates": several}))
    found = sensitivity(store, run, ViewOptions())
    result, texts = load_result(store, run), run.templates.texts
    for end in ("lowest", "highest"):
        one = under(found, SAMPLE, "one family of sentences left out", end)
        left = next(place for place, text in enumerate(texts) if repr(text) in one.which)
        assert one.which == f"without {texts[left]!r} and its other wordings"
        rest = [place for place in range(10) if place // 2 != left // 2]
        counts = [several[place].count for place in rest]
        expected = restricted(result, run, [texts[place] for place in rest], counts, ViewOptions(), 20)
        assert_same(one, expected)
    assert under(found, "sentences", "the most common family of sentences alone")
    heavier = [2 * pair + (several[2 * pair + 1].count > several[2 * pair].count) for pair in range(5)]
    totals = [several[2 * pair].count + several[2 * pair + 1].count for pair in range(5)]
    one_each = restricted(result, run, [texts[place] for place in heavier], totals, ViewOptions(), 20)
    assert_same(under(found, "sentences", "the most common wording of each family"), one_each)
    alone = run.templates.model_copy(update={"templates": whole.templates[:10]})
    assert sensitivity_name(store, run, ViewOptions()) != sensitivity_name(
        store, run.model_copy(update={"templates": alone}), ViewOptions()
    )


def test_subsets_are_drawn_by_the_seed_from_what_carries_weight() -> None:
    weights = np.array([5.0, 0, 3, 2, 1, 9, 0.5, 4, 6, 7, 8, 2])
    sizes = {size: places.tolist() for size, places in heaviest(weights)}
    assert sizes == {1: [5], 3: [5, 9, 10], 10: [0, 2, 3, 4, 5, 7, 8, 9, 10, 11]}
    drawn = [places.tolist() for places in halves(weights)]
    assert drawn == [places.tolist() for places in halves(weights)]
    assert drawn != [places.tolist() for places in halves(weights, seed=1)]
    assert len(drawn) == HALVES
    assert all(len(set(places)) == 5 and 1 not in places for places in drawn)
    assert list(halves(np.array([1.0, 1, 1, 0]))) == []


def test_a_view_of_some_occupations_keeps_their_reference(store: Store) -> None:
    run = score_few(store)
    view = view_of(run, ViewOptions(reference="labour"))
    part = view.part(1, 3)
    assert part.criterion.reference is not None
    np.testing.assert_array_equal(part.criterion.reference, view.criterion.reference[1:3])
    np.testing.assert_array_equal(part.rows, view.rows[1:3])

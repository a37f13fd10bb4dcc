"""What a report's intervals over templates draw again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from pcf_core.audit.case import restricted
from pcf_core.audit.comparing import answer_in, compared, risk_difference
from pcf_core.audit.matrices import matrix_report
from pcf_core.audit.options import ViewOptions, slots_of, with_families
from pcf_core.audit.preferences import Result, build_run
from pcf_core.audit.reading import RunView, report
from pcf_core.audit.results import load_result
from pcf_core.audit.sampling import planned, with_draws
from pcf_core.core.errors import CriterionError
from pcf_core.core.risk import RiskReport
from pcf_core.core.run import RunSpec
from pcf_core.core.topics import MinedTemplate, Part, SetCard, Template, TemplateSet
from pcf_core.material.evidence import make_evidence
from pcf_core.material.templates import make_mined, save_set
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.show.compare import Standing
from pcf_core.store.store import Store
from tests.audit.small_runs import score_with_fake

COUNTS_ONLY = ViewOptions(unit="counts-only")
COUNTS, DOCUMENTS = (9.0, 6.0, 4.0, 0.0, 2.0), (5, 6, 2, 0, 1)


def scored(
    store: Store,
    counts: tuple[float, ...] = COUNTS,
    documents: tuple[int, ...] = DOCUMENTS,
    within: float = 0,
    draws: int = 0,
    families: tuple[str, ...] = ("",) * 5,
    model: str = "mini-gpt",
) -> tuple[RunSpec, Result]:
    """A run of five templates with these counts, documents and families, scored with the fake."""
    texts = tuple(
        Template(text=f"The [X] of number {index} said that [Y]", count=count, documents=known, family=family)
        for index, (count, known, family) in enumerate(zip(counts, documents, families, strict=True))
    )
    run = build_run(
        resolve(model),
        load_topic("gender"),
        make_evidence("few", ["nurse", "engineer", "clerk"]),
        TemplateSet(name="five", title="Five", templates=texts),
    )
    if within:
        run = with_draws(planned(run, within), draws)
    return score_with_fake(store, run), load_result(store, run)


def unit_of_report(found: RiskReport) -> str:
    return found.intervals["overall_risk"][0].unit


@pytest.mark.parametrize(
    ("options", "unit"),
    [
        (ViewOptions(), "template"),
        (ViewOptions(unit="counts-only"), "document"),
        (ViewOptions(unit="counts-only-mentions"), "mention"),
        (ViewOptions(template_weighting="equal", unit="counts-only"), "template"),
        (ViewOptions(template_weighting="equal", unit="counts-only-mentions"), "template"),
    ],
)
def test_a_set_that_knows_its_documents(options: ViewOptions, unit: str, store: Store) -> None:
    run, result = scored(store)
    found = report(result, run, options, resamples=50)
    assert unit_of_report(found) == unit
    for row in found.occupations:
        assert {interval.unit for several in row.intervals.values() for interval in several} == {unit}
    over = [(interval.over, interval.unit) for interval in found.intervals["caprice_risk"]]
    assert over == [("templates", unit), ("occupations", "occupation"), ("both", "template")]
    whole = report(result, run, ViewOptions(template_weighting=options.template_weighting), resamples=50)
    both, alone = (one.interval("overall_risk", "both") for one in (found, whole))
    assert both
    assert alone
    # The same templates, with weights that were divided in another order.
    assert (both.low, both.high) == pytest.approx((alone.low, alone.high), rel=1e-12)


def test_one_template_without_documents_makes_templates_the_unit(store: Store) -> None:
    run, result = scored(store, documents=(5, 6, 2, 0, 0))
    assert unit_of_report(report(result, run, COUNTS_ONLY, resamples=20)) == "template"


FAMILIES = ("said", "told", "said", "told", "")  # with counts of 13, 6 and 2


@pytest.mark.parametrize(("unit", "name"), [("template", "family"), ("counts-only", "document")])
def test_a_set_with_families_is_drawn_by_them(unit: str, name: str, store: Store) -> None:
    run, result = scored(store, families=FAMILIES)
    options = ViewOptions.model_validate({"unit": unit})
    found = report(result, run, options, resamples=50)
    assert [interval.unit for interval in found.intervals["caprice_risk"]] == [name, "occupation", "family"]
    assert found.effective_templates == pytest.approx(21**2 / (13**2 + 6**2 + 2**2))
    assert found.context_caprice is not None
    assert found.wording_caprice is not None
    assert found.context_caprice + found.wording_caprice == pytest.approx(found.caprice_risk, abs=1e-12)
    plain = report(*scored(store)[::-1], options, resamples=50)
    assert (plain.overall_risk, plain.caprice_risk) == (found.overall_risk, found.caprice_risk)
    assert plain.context_caprice is plain.wording_caprice is None


def test_a_run_has_the_families_of_its_set_as_it_is_today(store: Store) -> None:
    run, result = scored(store)
    card = SetCard(title="Five", form="clausal")
    rows = [
        MinedTemplate(text=one.text, count=one.count, family=family)
        for one, family in zip(run.templates.templates, FAMILIES, strict=True)
    ]
    assert report(result, run, ViewOptions(), resamples=20).intervals["overall_risk"][0].unit == "template"
    save_set(make_mined("five", rows, card))
    labelled = with_families(run)
    assert labelled.key == run.key
    assert labelled.templates.counts.tolist() == list(COUNTS)
    assert labelled.templates.families == (*FAMILIES[:4], run.templates.texts[4])
    now = report(result, run, ViewOptions(), resamples=20)
    assert now.intervals["overall_risk"][0].unit == "family"
    chosen = restricted(result, run, run.templates.texts[:4], COUNTS[:4], ViewOptions(), resamples=20)
    assert chosen.intervals["overall_risk"][0].unit == "family"
    bare = [row.model_copy(update={"family": ""}) for row in rows]
    save_set(make_mined("five", bare, card), replace=True)
    assert with_families(labelled).templates.families == ()
    save_set(make_mined("five", rows[:4], card), replace=True)  # another set by now
    assert with_families(run) is run
    assert with_families(labelled) is labelled


def test_two_runs_are_compared_over_families(store: Store) -> None:
    one, other = (
        RunView(
            *scored(store, counts=(1.0,) * 5, families=("a", "a", "a", "b", "b"), model=model), ViewOptions()
        )
        for model in ("mini-gpt", "mini-bert")
    )
    found = compared(one, other, ViewOptions(), resamples=20, permutations=20)
    assert found.permutations.count == 3
    assert found.effective_templates == pytest.approx(25 / 13)
    assert {interval.unit for interval in found.differences["caprice_risk"].intervals} == {
        "family",
        "occupation",
    }
    assert "These 5 sentences are only 2 in several wordings." in found.warnings
    alone = risk_difference(one, other, ViewOptions())
    assert (alone.least_p, alone.intervals[0].unit) == (0.5, "family")


def test_the_order_of_two_runs_changes_no_families(store: Store) -> None:
    """One calls the first two the same, the other the next two: four sentences are two families."""
    one, other = (
        RunView(*scored(store, counts=(1.0,) * 5, families=families, model=model), ViewOptions())
        for model, families in (
            ("mini-gpt", ("a", "a", "", "", "b")),
            ("mini-bert", ("", "c", "c", "d", "d")),
        )
    )
    found, again = (
        compared(*pair, ViewOptions(), resamples=20, permutations=20) for pair in ((one, other), (other, one))
    )
    assert found.effective_templates == again.effective_templates == pytest.approx(25 / 13)
    assert found.permutations == again.permutations


@pytest.mark.parametrize(
    ("unit", "kept", "told"),
    [("counts-only", 0.4, True), ("counts-only", 1.0, False), ("template", 0.4, False)],
)
def test_intervals_over_documents_of_a_cut_set_say_what_it_kept(
    unit: str, kept: float, told: bool, store: Store
) -> None:
    run, result = scored(store)
    cut = run.model_copy(update={"templates": run.templates.model_copy(update={"kept": kept})})
    found = report(result, cut, ViewOptions.model_validate({"unit": unit}), 50)
    assert any("cover 40 % of the matches" in sentence for sentence in found.warnings) is told
    half = restricted(result, cut, cut.templates.texts[:1], [COUNTS[0]], COUNTS_ONLY, 50)
    assert any(f"cover {100 * kept * 9 / 21:.0f} % of the" in sentence for sentence in half.warnings)


def test_mentions_need_whole_counts(store: Store) -> None:
    run, result = scored(store, counts=(0.5, 6, 4, 0, 2))
    with pytest.raises(CriterionError, match=r"whole number of them.* template 1 has 0.5. Draw templates"):
        report(result, run, ViewOptions(unit="counts-only-mentions"), resamples=20)


def test_other_counts_than_the_sets_have_no_known_documents(store: Store) -> None:
    run, result = scored(store)
    texts, counts = run.templates.texts[:3], list(COUNTS[:3])
    same = restricted(result, run, texts, counts, COUNTS_ONLY, resamples=20)
    other = restricted(result, run, texts, [*counts[:2], 5.0], COUNTS_ONLY, resamples=20)
    assert (unit_of_report(same), unit_of_report(other)) == ("document", "template")


def test_the_draws_of_a_plan_are_its_unit_until_it_has_drawn_all(store: Store) -> None:
    run, result = scored(store, counts=(900, 600, 400, 0, 1), within=0.1, draws=20)
    assert len(run.drawn.texts) == 3
    assert (
        unit_of_report(report(result, run, ViewOptions(unit="counts-only-mentions"), resamples=20)) == "draw"
    )
    run, result = scored(store, within=0.05, draws=400)
    assert len(run.drawn.texts) == 4
    found = report(result, run, COUNTS_ONLY, resamples=20)
    assert unit_of_report(found) == "document"
    assert found.sampling.whole


def test_the_weights_of_a_matrix_may_be_mentions() -> None:
    document = {"preferences": [[[0.6, 0.4], [0.3, 0.7]]], "template_weights": [3, 2]}
    assert unit_of_report(matrix_report(document, ViewOptions(), 20)) == "template"
    mentions = ViewOptions(unit="counts-only-mentions")
    assert unit_of_report(matrix_report(document, mentions, 20)) == "mention"
    with pytest.raises(CriterionError, match="whole number"):
        matrix_report(document | {"template_weights": [0.3, 0.2]}, mentions, 20)


def test_the_templates_of_a_matrix_may_have_families() -> None:
    """Two families of two and a template that is alone, of the weights 4 : 4 : 2."""
    document = {
        "preferences": [[[0.6, 0.4], [0.3, 0.7], [0.8, 0.2], [0.1, 0.9], [0.5, 0.5]]],
        "families": ["said", "told", "said", "told", ""],
        "template_weights": [3, 2, 1, 2, 2],
    }
    found = matrix_report(document, ViewOptions(), 20)
    over = [(interval.over, interval.unit) for interval in found.intervals["caprice_risk"]]
    assert over == [("templates", "family"), ("occupations", "occupation"), ("both", "family")]
    assert found.effective_templates == pytest.approx(10**2 / (16 + 16 + 4))
    alone = matrix_report(document | {"families": ["a", "b", "c", "", ""]}, ViewOptions(), 20)
    assert alone.intervals == matrix_report(document | {"families": []}, ViewOptions(), 20).intervals
    mentions = matrix_report(document, ViewOptions(unit="counts-only-mentions"), 20)
    assert [interval.unit for interval in mentions.intervals["overall_risk"]][::2] == ["mention", "family"]


def test_a_duplicated_template_is_one_with_its_count_doubled() -> None:
    """Point values, plug-in.  The correction is that of whole templates, of which there is then one more."""
    generator = np.random.default_rng(0)
    values = generator.dirichlet([2, 1], size=(3, 4))
    twice = np.concatenate([values, values[:, :1]], axis=1)
    options = ViewOptions(unit="counts-only-mentions")
    one = matrix_report({"preferences": values.tolist(), "template_weights": [2, 5, 3, 1]}, options, 50)
    two = matrix_report({"preferences": twice.tolist(), "template_weights": [1, 5, 3, 1, 1]}, options, 50)
    for name in ("overall_risk", "prejudice_risk", "caprice_risk"):
        assert getattr(two, name) == pytest.approx(getattr(one, name), abs=1e-12)
    assert two.corrected.prejudice_risk > one.corrected.prejudice_risk
    whole = matrix_report(
        {"preferences": values.tolist(), "template_weights": [2, 5, 3, 1]}, ViewOptions(), 50
    )
    assert one.corrected == whole.corrected


SLOTS: tuple[tuple[Part, ...], ...] = (("pronoun",),) * 4 + (("determiner",),) * 4


def scored_in_slots(
    store: Store,
    model: str = "mini-gpt",
    slots: tuple[tuple[Part, ...], ...] = SLOTS,
    tilts: Sequence[float] = (0.6,) * 4 + (-0.2,) * 4,
) -> RunView:
    """A run of equal templates with these slots and tilts towards men."""
    texts = tuple(
        Template(text=f"The [X] of number {index} saw that [Y]", fits=fits)
        for index, fits in enumerate(slots)
    )
    lists = load_topic("gender"), make_evidence("few", ["nurse", "engineer", "clerk"])
    run = build_run(resolve(model), *lists, TemplateSet(name="eight", title="Eight", templates=texts))
    result = load_result(store, score_with_fake(store, run))
    s = np.broadcast_to(tilts, (3, len(slots))) + 0.01 * len(model)
    preferences = replace(result.preferences, values=np.stack([(1 + s) / 2, (1 - s) / 2], axis=-1))
    return RunView(run, replace(result, preferences=preferences), ViewOptions())


def widths(found: RiskReport) -> list[float]:
    return [one.high - one.low for one in found.intervals["overall_risk"] if one.over != "occupations"]


def test_each_slot_keeps_its_number_of_templates_in_reports_and_comparisons(store: Store) -> None:
    """Templates differ only between slots, so that whole slots leave nothing to chance."""
    one, other = (scored_in_slots(store, model) for model in ("mini-gpt", "mini-bert"))
    alone = scored_in_slots(store, slots=(("pronoun",),) * 8)
    assert widths(report(one.result, one.run, ViewOptions(), resamples=50)) == pytest.approx([0, 0], abs=1e-9)
    assert min(widths(report(alone.result, alone.run, ViewOptions(), resamples=50))) > 0.1
    for found in (
        compared(one, other, ViewOptions(), resamples=50, permutations=20).differences["overall_risk"],
        risk_difference(one, other, ViewOptions()),
    ):
        basis = found.basis
        assert basis is not None
        assert basis.high - basis.low == pytest.approx(0, abs=1e-9)


def test_a_run_has_the_slots_of_its_set_as_it_is_today(store: Store) -> None:
    bare = scored_in_slots(store, slots=((),) * 8)
    rows = [
        MinedTemplate(text=one.text, fits=fits)
        for one, fits in zip(bare.run.templates.templates, SLOTS, strict=True)
    ]
    save_set(make_mined("eight", rows, SetCard(title="Eight", form="clausal")))
    labelled = with_families(bare.run)
    assert labelled.key == bare.run.key
    assert labelled.templates.slots == ("pronoun",) * 4 + ("determiner",) * 4
    assert with_families(labelled) is labelled
    found = report(bare.result, bare.run, ViewOptions(), resamples=50)
    assert widths(found) == pytest.approx([0, 0], abs=1e-9)


def test_a_plan_that_drew_templates_of_any_slot_keeps_no_number(store: Store) -> None:
    run = scored_in_slots(store).run
    whole, part = (with_draws(planned(run, 0.05), draws) for draws in (500, 3))
    assert slots_of(whole) == run.templates.slots
    assert slots_of(part) == ()


def test_the_order_of_two_models_is_tested_in_each_slot(store: Store) -> None:
    """The first is closer to even in nine possessives, the second in eight pronouns; four nouns are too few.

    Of nine all 512 ways to swap them are tried, of eight all 256; p-values are corrected for three slots.
    """
    slots: tuple[tuple[Part, ...], ...] = (("pronoun",),) * 8 + (("determiner",),) * 9 + (("noun",),) * 4
    one, other = (
        scored_in_slots(store, model, slots, tilts)
        for model, tilts in (
            ("mini-gpt", (0.6,) * 8 + (0.2,) * 9 + (0.6,) * 4),
            ("mini-bert", (0.2,) * 8 + (0.6,) * 9 + (0.2,) * 4),
        )
    )
    results = {reading.run.key: reading.result for reading in (one, other)}

    def read(_: Store, run: RunSpec, *options: object) -> Result:
        return results[run.key]

    found = answer_in(store, (one.run, other.run), ViewOptions(), read)
    assert list(found.slots) == ["determiner", "pronoun", "noun"]
    assert {slot: each.verdict for slot, each in found.slots.items()} == {
        "determiner": "second",
        "pronoun": "first",
        "noun": "too few",
    }
    assert [each.adjusted for each in found.slots.values()] == pytest.approx([6 / 512, 4 / 256, 2 / 16])
    assert found.slots["pronoun"].margin == 0.02
    standing = Standing.of_other(("mini-gpt", "mini-bert"), found)
    assert standing.turned == {"mini-gpt": ["possessives"], "mini-bert": ["pronouns"]}
    bare = tuple(each.model_copy(update={"fits": ()}) for each in one.run.templates.templates)
    templates = one.run.templates.model_copy(update={"templates": bare})
    runs = one.run.model_copy(update={"templates": templates}), other.run
    assert answer_in(store, runs, ViewOptions(), read).slots == {}

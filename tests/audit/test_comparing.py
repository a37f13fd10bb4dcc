"""Two runs on what they share: the numbers of their reports, and clear refusals where they share nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from pcf_core.audit.case import restricted
from pcf_core.audit.comparing import (
    MOST_LETTERED,
    alike,
    answers_elsewhere,
    compared,
    controlled,
    lettered,
    rewordings,
    risk_difference,
)
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import build_run
from pcf_core.audit.reading import RunView, report
from pcf_core.audit.results import load_result
from pcf_core.audit.sampling import planned, with_draws
from pcf_core.core.errors import EvidenceError, RunError
from pcf_core.core.risk import SIGNIFICANCE, Comparison
from pcf_core.core.run import RunSpec, SamplingPlan
from pcf_core.core.settings import Settings
from pcf_core.material.evidence import make_evidence
from pcf_core.material.templates import labelled, load_templates, make_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from tests.audit.small_runs import FEW, probability, score_few, score_with_fake
from tests.show.charts.compared import compared_example, difference

TEXTS = (
    "The [X] said that [Y]",
    "The [X] felt that [Y]",
    "The [X] knew that [Y]",
    "The [X] told me that [Y]",
)
TERMS = ("nurse", "engineer", "clerk")
RISKS = ("overall_risk", "prejudice_risk", "caprice_risk")


def read(
    store: Store,
    model: str,
    texts: Sequence[str] = TEXTS,
    terms: Sequence[str] = TERMS,
    topic: str = "gender",
) -> RunView:
    """A small run scored by the fake; counts are 1, 2, 3, … in the order of ``TEXTS``."""
    chosen = load_topic(topic)
    templates = make_templates("few", [(text, TEXTS.index(text) + 1.0) for text in texts])
    run = build_run(resolve(model), chosen, make_evidence("few", list(terms)), templates)
    return RunView(score_with_fake(store, run), load_result(store, run), ViewOptions())


@pytest.mark.parametrize(
    "options",
    [
        ViewOptions(),
        ViewOptions(template_weighting="equal", scale="bvf", criterion="l2"),
        ViewOptions(occupation_weights="employment", reference="labour"),
    ],
)
def test_figures_are_those_of_the_two_reports(store: Store, options: ViewOptions) -> None:
    one, other = read(store, "mini-bert"), read(store, "mini-gpt")
    found = compared(one, other, options, resamples=20, permutations=20)
    for side, item in (("first", one), ("second", other)):
        own = report(item.result, item.run, options, resamples=20)
        for risk in RISKS:
            assert getattr(found.differences[risk], side) == pytest.approx(getattr(own, risk), abs=1e-12)
            for row, theirs in zip(found.occupations, own.occupations, strict=True):
                assert row.occupation == theirs.occupation
                assert row.weight == pytest.approx(theirs.weight)
                assert getattr(row.differences[risk], side) == pytest.approx(getattr(theirs, risk), abs=1e-12)
        assert found.criterion == own.criterion
        assert found.effective_templates == pytest.approx(own.effective_templates)
    assert not found.first.templates_left_out
    assert found.first.name == "mini-bert"


def test_only_what_both_have_is_compared_and_the_rest_is_counted(store: Store) -> None:
    one = read(store, "mini-bert", TEXTS[:3], TERMS)
    other = read(store, "mini-gpt", TEXTS[:0:-1], ("pilot", "clerk", "nurse"))
    found = compared(one, other, ViewOptions(), resamples=20, permutations=20)
    assert found.templates == TEXTS[1:3]
    assert [row.occupation for row in found.occupations] == ["nurse", "clerk"]
    assert (found.first.templates_left_out, found.first.occupations_left_out) == (1, 1)
    assert (found.second.templates_left_out, found.second.occupations_left_out) == (1, 1)
    said = " ".join(found.warnings)
    assert "1 of mini-bert and 1 of mini-gpt are left out" in said
    np.testing.assert_allclose(found.template_weights, [0.4, 0.6])
    narrowed = restricted(other.result, other.run, TEXTS[1:3], [2, 3], ViewOptions(), resamples=20)
    by_name = {row.occupation: row for row in narrowed.occupations}
    for row in found.occupations:
        assert row.differences["overall_risk"].second == pytest.approx(by_name[row.occupation].overall_risk)


def test_other_counts_and_documents_of_the_second_are_said(store: Store) -> None:
    one, other = read(store, "mini-bert"), read(store, "mini-gpt")

    def warned(options: ViewOptions, **change: float) -> str:
        changed = tuple(template.model_copy(update=change) for template in other.run.templates.templates)
        templates = other.run.templates.model_copy(update={"templates": changed})
        run = other.run.model_copy(update={"templates": templates})
        found = compared(one, replace(other, run=run), options, resamples=9, permutations=9)
        return " ".join(found.warnings)

    assert "have other" not in warned(ViewOptions())
    said = warned(ViewOptions(), count=2.0, documents=5)
    assert "3 of 4 sentences have different counts in mini-gpt: both results use those of few" in said
    said = warned(ViewOptions(unit="counts-only"), documents=5)
    assert "4 of 4 sentences have different numbers of documents in mini-gpt" in said
    assert "have other" not in warned(ViewOptions(), documents=5)
    assert "have other" not in warned(ViewOptions(template_weighting="equal"), count=2.0)


def test_groups_in_another_order_are_the_same_groups(store: Store) -> None:
    """Read against the labour force: against an even split exchanged groups would have the same risks."""
    options = ViewOptions(reference="labour")
    one, other = read(store, "mini-bert"), read(store, "mini-gpt")
    topic = other.run.topic.model_copy(update={"groups": other.run.topic.groups[::-1]})
    preferences = replace(
        other.result.preferences, groups=topic.group_names, values=other.result.preferences.values[..., ::-1]
    )
    turned = RunView(
        other.run.model_copy(update={"topic": topic}),
        replace(other.result, preferences=preferences),
        ViewOptions(),
    )
    straight = compared(one, other, options, resamples=20, permutations=20)
    crossed = compared(one, turned, options, resamples=20, permutations=20)
    assert crossed.differences == straight.differences


def test_one_model_twice_has_two_names(store: Store) -> None:
    found = compared(
        read(store, "mini-gpt"),
        read(store, "mini-gpt", TEXTS[:3]),
        ViewOptions(),
        resamples=9,
        permutations=9,
    )
    assert found.first.name != found.second.name
    assert {found.first.model, found.second.model} == {"mini-gpt"}
    assert all(found.differences[risk].verdict == "equal" for risk in RISKS)


def test_what_may_cause_a_difference_is_said(store: Store) -> None:
    one, other = read(store, "mini-bert"), read(store, "mini-gpt")
    fewer = replace(other.result, words=other.result.words[:-1], warnings=("Something is flagged.",))
    found = compared(one, replace(other, result=fewer), ViewOptions(), resamples=9, permutations=9)
    said = " ".join(found.warnings)
    assert "78 for mini-bert, 77 for mini-gpt" in said
    assert "mini-gpt: Something is flagged." in said
    assert "about 3 equally common sentences (of 4)" in said
    found = compared(
        one,
        replace(other, options=ViewOptions(protocol="single-token")),
        ViewOptions(),
        resamples=9,
        permutations=9,
    )
    assert "mini-gpt with single-token" in " ".join(found.warnings)


def test_runs_that_share_nothing_are_refused(store: Store) -> None:
    one = read(store, "mini-bert", TEXTS[:2], TERMS[:2])
    for other, said in (
        (one, "cannot be compared with itself"),
        (read(store, "mini-gpt", TEXTS[2:], TERMS[:2]), "no template in common"),
        (read(store, "mini-gpt", TEXTS[:2], TERMS[2:]), "no occupation in common"),
        (race(store), "different groups"),
    ):
        with pytest.raises(RunError, match=said):
            compared(one, other, ViewOptions())
    unknown = read(store, "mini-bert", TEXTS, ("wizard", "sage")), read(store, "mini-gpt", TEXTS, ("wizard",))
    with pytest.raises(EvidenceError):
        compared(*unknown, ViewOptions(reference="labour"))


def race(store: Store) -> RunView:
    topic = load_topic("race")
    templates = make_templates("few", [(text, 1.0) for text in TEXTS[:2]])
    run = build_run(resolve("mini-gpt"), topic, make_evidence("few", list(TERMS)), templates)
    return RunView(score_with_fake(store, run), load_result(store, run), ViewOptions())


def test_draws_of_a_plan_are_refused_until_they_are_all_templates(store: Store) -> None:
    one, other = read(store, "mini-bert"), read(store, "mini-gpt")
    partly = with_times(planned(other.run, 0.05), (1, 1, 0, 0))
    with pytest.raises(RunError, match="sampling plan"):
        compared(one, replace(other, run=partly), ViewOptions())
    whole = with_times(planned(other.run, 0.05), (1, 2, 3, 4))
    found = compared(one, replace(other, run=whole), ViewOptions(), resamples=9, permutations=9)
    assert found.templates == TEXTS


def with_times(run: RunSpec, times: tuple[int, ...]) -> RunSpec:
    return run.model_copy(update={"plan": SamplingPlan(within=0.05, times=times)})


# The same two models in other sentences: which runs these are, and that the test is that of a comparison.


OTHER_TEXTS = [f"The [X] {verb} that [Y]" for verb in ("said", "felt", "knew", "thought", "claimed", "wrote")]
Score = Callable[..., RunSpec]


@pytest.fixture
def score(store: Store) -> Score:
    """Score a model on some of the texts, whose counts are their places."""

    def scored(
        model: str, *texts: str, name: str = "", topic: str = "gender", evidence: object = FEW
    ) -> RunSpec:
        chosen = [(text, OTHER_TEXTS.index(text) + 1.0) for text in texts]
        templates = make_templates(name or f"set-{len(texts)}", chosen)
        return score_few(store, model, topic, templates, evidence=evidence)

    return scored


def test_other_sentences_are_those_that_both_models_are_scored_on(score: Score, store: Store) -> None:
    shown = score("mini-bert", *OTHER_TEXTS[:3]), score("mini-gpt", *OTHER_TEXTS[:3])
    other = score("mini-bert", *OTHER_TEXTS[3:], name="z"), score("mini-gpt", *OTHER_TEXTS[3:], name="z")
    half = score("mini-bert", *OTHER_TEXTS[2:5], name="a"), score("mini-gpt", *OTHER_TEXTS[2:5], name="a")
    score("mini-bert", *OTHER_TEXTS[1:5], name="one-model")
    for model in ("mini-bert", "mini-gpt"):
        score(model, *OTHER_TEXTS[:2], name="a-part")
        score(model, *OTHER_TEXTS, name="more")
        score(model, *OTHER_TEXTS[3:], name="others", evidence=make_evidence("other", ["nurse", "clerk"]))
        score(model, *OTHER_TEXTS[3:], name="words", topic="gender-pronouns")
    runs = [info.run for info in store.runs()]
    assert alike(runs, shown) == [half, other], "by name"
    assert alike(runs, shown[::-1]) == [half[::-1], other[::-1]], "in the order of the two"
    assert alike(runs, [shown[0], other[1]]) == []
    assert alike(runs, [shown[0], shown[0]]) == []


def test_reworded_sentences_are_no_other_sentences(store: Store) -> None:
    """Those that say some of the shown ones in several ways, of which a set of the same name is not one."""
    ways = "The [X] {}", "The [X] also {}", "The [X] has {}"
    said, felt, knew = "said that [Y]", "felt that [Y]", "known that [Y]"

    def score(name: str, *texts: str, families: Sequence[str] = ()) -> RunSpec:
        made = make_templates(name, [(text, 1.0) for text in texts])
        return score_few(store, "mini-gpt", "gender", labelled(made, families) if families else made)

    shown = score("shown", *(ways[0].format(one) for one in (said, felt, knew)))
    said_so, felt_so = ([way.format(one) for way in ways] for one in (said, felt))
    reworded = score("reworded", *said_so, *felt_so, families=["say"] * 3 + ["feel"] * 3)
    beyond = score("beyond", *said_so, "The [X] left when [Y]", families=["say"] * 3 + [""])
    twice = score("twice", *said_so[:2], *felt_so[1:], families=["say"] * 2 + ["feel"] * 2)
    runs = [info.run for info in store.runs()]
    assert rewordings(runs, [shown]) == [(reworded,)]
    assert alike(runs, [shown]) == [(beyond,), (twice,)]
    assert alike(runs, [reworded]) == [(beyond,)], "as it includes what is shown, and the set said twice"
    assert rewordings(runs, [reworded]) == [(twice,)]


def test_sets_of_one_name_are_told_apart(score: Score, store: Store) -> None:
    shown = score("mini-bert", *OTHER_TEXTS[:3]), score("mini-gpt", *OTHER_TEXTS[:3])
    for texts, name in ((OTHER_TEXTS[2:5], "twin"), (OTHER_TEXTS[3:], "twin"), (OTHER_TEXTS[1:5], "single")):
        for model in ("mini-bert", "mini-gpt"):
            score(model, *texts, name=name)
    seen: list[str] = []
    found = answers_elsewhere(store, *shown, ViewOptions(), seen.append)
    assert seen == ["single", "twin", "twin"]
    hashes = {other.runs[0].templates.hash for other in found if other.runs[0].templates.name == "twin"}
    assert {other.name for other in found} == {"single", *(f"twin@{name[:8]}" for name in hashes)}
    assert len(hashes) == 2


def test_draws_of_a_plan_are_no_other_sentences(score: Score) -> None:
    shown = score("mini-bert", *OTHER_TEXTS[:3]), score("mini-gpt", *OTHER_TEXTS[:3])
    first, second = score("mini-bert", *OTHER_TEXTS[3:]), score("mini-gpt", *OTHER_TEXTS[3:])
    assert alike([first, second], shown) == [(first, second)]
    assert alike([planned(first, 0.05), second], shown) == []


@pytest.mark.parametrize(
    "options",
    [
        ViewOptions(),
        ViewOptions(margin="0", template_weighting="equal", aggregation="mean"),
        ViewOptions(
            unit="counts-only-mentions", criterion="l2", scale="bvf", occupation_weights="employment"
        ),
    ],
)
def test_the_difference_of_two_risks_is_that_of_the_whole_comparison(
    score: Score, store: Store, options: ViewOptions
) -> None:
    readings = [
        RunView(run, load_result(store, run, options.protocol, options.aggregation), options)
        for run in (score("mini-bert", *OTHER_TEXTS), score("mini-gpt", *OTHER_TEXTS))
    ]
    found = risk_difference(readings[0], readings[1], options)
    whole = compared(readings[0], readings[1], options).differences["overall_risk"]
    assert (found.first, found.second) == pytest.approx((whole.first, whole.second), abs=1e-12)
    assert (found.p_value, found.least_p, found.margin) == (whole.p_value, whole.least_p, whole.margin)
    ends = whole.basis.low, whole.basis.high
    assert (found.basis.low, found.basis.high) == pytest.approx(ends, abs=1e-12)
    assert (found.verdict, found.ordered) == (whole.verdict, whole.ordered)


# Letters of runs: two share one exactly where the paired comparisons of all pairs state no order.


MALE = set(load_topic("gender").groups[0].words)


def leaning(times: float, moved: float = 0.0) -> Callable[[str, str], float]:
    """A model that expects male words so many times as often, in some prompts more, in others less."""

    def chance(prompt: str, word: str) -> float:
        more = times * (1 + moved * (1 if crc32(prompt.encode()) % 2 else -1))
        return probability(prompt, word) * (more if word in MALE else 1.0)

    return chance


@pytest.fixture
def readings(own_settings: Settings) -> list[RunView]:
    store = Store.open(own_settings.cache)
    chances = {
        "mini-gpt-balanced": leaning(1),
        "mini-gpt": leaning(4, moved=0.2),
        "mini-bert": leaning(4, moved=-0.2),
        "mini-gpt-skewed": leaning(30),
    }
    templates = load_templates("gender-nineteen")
    runs = [score_few(store, model, templates=templates, chance=chance) for model, chance in chances.items()]
    return [RunView(run, load_result(store, run), ViewOptions()) for run in runs]


@pytest.mark.parametrize(
    "options",
    [
        ViewOptions(),
        ViewOptions(margin="0"),
        ViewOptions(unit="counts-only", template_weighting="equal", criterion="l2", scale="bvf"),
    ],
)
def test_letters_say_what_all_comparisons_say(readings: list[RunView], options: ViewOptions) -> None:
    pairs = list(combinations(range(len(readings)), 2))
    whole = controlled([compared(readings[one], readings[other], options) for one, other in pairs])
    ordered = {
        pair: found.differences["overall_risk"].ordered for pair, found in zip(pairs, whole, strict=True)
    }
    letters = [set(own.split()) for own in lettered(readings, options)]
    for (one, other), told in ordered.items():
        assert bool(letters[one] & letters[other]) != told
    assert set(ordered.values()) == {True, False}, "some are told apart, and some are not"


def test_a_difference_below_the_margin_is_a_tie(readings: list[RunView]) -> None:
    assert lettered(readings, ViewOptions(margin="1")) == ["a"] * len(readings)


def test_two_runs_are_one_comparison(readings: list[RunView]) -> None:
    outer = [readings[0], readings[-1]]
    (found,) = controlled([compared(*outer, ViewOptions())])
    assert found.differences["overall_risk"].ordered
    assert lettered(outer, ViewOptions()) == ["a", "b"]


def test_of_more_models_no_two_could_be_told_apart() -> None:
    least = 1 / 2001
    most, one_more = (models * (models - 1) / 2 for models in (MOST_LETTERED, MOST_LETTERED + 1))
    assert least * most <= SIGNIFICANCE < least * one_more


def test_too_few_sentences_for_so_many_pairs_give_no_letters(own_settings: Settings) -> None:
    """Six templates are swapped in 64 ways: enough for one pair (2/64 is under 5 %), too few for three."""
    whole = load_templates("gender-nineteen")
    six = whole.model_copy(update={"templates": whole.templates[:6]})
    store, readings = Store.open(own_settings.cache), []
    for model, times in (("mini-gpt-balanced", 1), ("mini-gpt", 4), ("mini-gpt-skewed", 30)):
        run = score_few(store, model, templates=six, chance=leaning(times))
        readings.append(RunView(run, load_result(store, run), ViewOptions()))
    assert lettered([readings[0], readings[-1]], ViewOptions()) == ["a", "b"]
    with pytest.raises(RunError, match=r"with 6 templates and .* no difference could reach p <"):
        lettered(readings, ViewOptions())


def test_too_few_too_many_and_drawn_sentences_are_refused(readings: list[RunView]) -> None:
    for several in (readings[:1], readings * 4):
        with pytest.raises(RunError, match="2 to 14 runs"):
            lettered(several, ViewOptions())
    with pytest.raises(RunError, match="cannot be compared with itself"):
        lettered([readings[0], readings[0]], ViewOptions())
    drawn = [replace(item, run=with_draws(planned(item.run, 0.1), 3)) for item in readings[:2]]
    with pytest.raises(RunError, match="sampling plan"):
        lettered(drawn, ViewOptions())


# Several comparisons: their p-values are controlled together, each quantity apart.


def with_p(p_value: float, least_p: float = 0.0005) -> Comparison:
    """A comparison whose interval leaves out 0 and whose totals have this p-value."""
    clear = replace(difference(0.6, 0.2, clear=True, least_p=least_p), p_value=p_value, adjusted=None)
    return replace(compared_example(), differences=dict.fromkeys(RISKS, clear))


def test_three_by_hand() -> None:
    """Of 0.01, 0.04 and 0.03 Holm makes 0.03, 0.06 and 0.06: the smallest alone stays below 0.05."""
    found = controlled([with_p(0.01), with_p(0.04), with_p(0.03)])
    for risk in RISKS:
        totals = [comparison.differences[risk] for comparison in found]
        assert [total.controlled_p for total in totals] == pytest.approx([0.03, 0.06, 0.06])
        assert [total.p_value for total in totals] == [0.01, 0.04, 0.03]
        assert [total.verdict for total in totals] == ["first", "unclear", "unclear"]


@given(st.lists(st.floats(0.0005, 1), min_size=2, max_size=6))
def test_by_holms_definition_and_never_less_than_before(p_values: list[float]) -> None:
    """A p-value is the largest of those up to it, each times the number of those not below it, at most 1."""
    found = [
        comparison.differences["overall_risk"] for comparison in controlled([with_p(p) for p in p_values])
    ]
    times = {p: sum(other >= p for other in p_values) for p in p_values}
    expected = [max(min(1.0, times[p] * p) for p in p_values if p <= mine) for mine in p_values]
    assert [total.controlled_p for total in found] == pytest.approx(expected)
    assert all(total.controlled_p >= total.p_value for total in found)


@given(st.lists(st.tuples(st.floats(0.0005, 1), st.floats(0, 1)), min_size=2, max_size=6))
def test_no_controlled_p_value_is_below_the_least(pairs: list[tuple[float, float]]) -> None:
    """Each p-value lies anywhere between its own least one and 1."""
    for found in controlled([with_p(least + part * (1 - least), least) for least, part in pairs]):
        total = found.differences["overall_risk"]
        assert total.least_p <= total.controlled_p + 1e-12


def test_seven_templates_are_too_few_for_six_pairs() -> None:
    """All swaps of 7 templates are 128, so that p is at least 2/128; of six at once 12/128 = 0.094."""
    few = [with_p(2 / 128, 2 / 128)] * 6
    assert few[0].differences["overall_risk"].verdict == "first"
    for found in controlled(few):
        for total in found.differences.values():
            assert total.least_p == pytest.approx(12 / 128)
            assert total.verdict == "too few"
    assert [found.differences["overall_risk"].verdict for found in controlled(few[:3])] == ["first"] * 3


def test_as_statsmodels_does() -> None:
    """Once: its function collects garbage at every call."""
    p_values = [0.2, 0.004, 0.03, 0.03, 0.9, 0.011]
    found = controlled([with_p(p) for p in p_values])
    expected = multipletests(p_values, method="holm")[1]
    assert [item.differences["caprice_risk"].controlled_p for item in found] == pytest.approx(list(expected))


def test_one_comparison_is_no_several() -> None:
    (found,) = controlled([with_p(0.04)])
    assert found.differences["overall_risk"].adjusted is None
    assert found.differences["overall_risk"].verdict == "first"
    assert controlled([]) == ()

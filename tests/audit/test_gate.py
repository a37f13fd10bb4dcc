"""The gate: the figures are those of other commands, verdicts rest on intervals, looks change no rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from pcf_core.audit.forbidden import forbidden_words
from pcf_core.audit.gate import (
    Analysis,
    GateReport,
    check_context,
    first_templates,
    same_model,
    scoring_order,
)
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.policy import CannotTell, Context, Limit, Most, MostIncrease, Policy
from pcf_core.audit.preferences import build_run
from pcf_core.audit.reading import RunView, report
from pcf_core.audit.results import load_result
from pcf_core.core.errors import CriterionError, PolicyError
from pcf_core.core.run import Preferences, RunSpec
from pcf_core.core.settings import Settings
from pcf_core.material.evidence import make_evidence
from pcf_core.material.templates import make_templates
from pcf_core.material.topics import load_topic
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import decompose, total
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from tests.audit.small_runs import score_with_fake

TEXTS = [f"The [X] of house {number} said that [Y]" for number in range(60)]
TOPIC = load_topic("gender")
R = Limit(quantity="overall_risk", limit=0.3)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], RunView]:
    """A reading of sixty templates of equal counts by the fake, whose preferences tests may replace."""
    store = Store.open(tmp_path_factory.mktemp("gate"))
    found: dict[str, RunView] = {}

    def read(model: str) -> RunView:
        if model not in found:
            run = build_run(
                resolve(model),
                TOPIC,
                make_evidence("few", ["nurse", "engineer", "clerk"]),
                make_templates("sixty", [(text, 1.0) for text in TEXTS]),
            )
            found[model] = RunView(score_with_fake(store, run), load_result(store, run), ViewOptions())
        return found[model]

    return read


def part_of(whole: RunView, run: RunSpec) -> RunView:
    """The same preferences for a part of the templates."""
    kept = set(run.templates.texts)
    places = [place for place, text in enumerate(whole.run.templates.texts) if text in kept]
    have = whole.result.preferences
    some = Preferences(
        have.groups, have.occupations, run.templates.texts, have.values[:, places], have.coverage
    )
    return RunView(run, replace(whole.result, preferences=some), whole.options)


def beside(baseline: RunView) -> Callable[[RunSpec], RunView]:
    """What reads the baseline on the templates of a look."""
    scoring = {"scoring": baseline.run.scoring}
    return lambda run: part_of(baseline, run.model_copy(update=scoring))


def with_male(whole: RunView, male: np.ndarray) -> RunView:
    """[occupation, template] preferences for men in the place of what the fake gave."""
    have = whole.result.preferences
    values = np.stack([male, 1 - male], axis=-1)
    return replace(whole, result=replace(whole.result, preferences=replace(have, values=values)))


def male(seed: int, middle: float, spread: float) -> np.ndarray:
    return (middle + spread * np.random.default_rng(seed).standard_normal((3, 60))).clip(0.01, 0.99)


def checked(
    whole: RunView,
    context: Context,
    *,
    early: bool = False,
    error: float = 0.05,
    baseline: RunView | None = None,
    follows: CannotTell = "warn",
) -> tuple[GateReport, list[int]]:
    """Check a context; also how many templates each look read."""
    looked: list[int] = []

    def read(run: RunSpec) -> RunView:
        looked.append(len(run.templates.templates))
        return part_of(whole, run)

    policy = Policy(cannot_tell=follows, contexts=(context,))
    found = check_context(
        context,
        whole.run,
        error,
        read,
        policy=policy,
        early=early,
        read_baseline=None if baseline is None else beside(baseline),
    )
    gate = GateReport(model="m", title="", error=error, stop_early=early, contexts=(found,))
    return gate, looked


Base = Callable[[str], RunView]


def test_the_interval_of_a_single_limit_is_that_of_the_risk_command(base: Base) -> None:
    whole = base("mini-bert")
    own = report(whole.result, whole.run, whole.options)
    look = Analysis(whole, None, 0.05, 60)
    for quantity in ("overall_risk", "prejudice_risk", "caprice_risk"):
        judged = look.judged(Limit(quantity=quantity, limit=0.3))
        assert judged.interval == own.interval(quantity)
        assert judged.value == pytest.approx(getattr(own, quantity))


def test_a_bootstrap_by_loops_gives_nearly_the_same_ends(base: Base) -> None:
    """R of equal weights is a mean over templates: draw them again one by one, at another level."""
    whole = with_male(base("mini-bert"), male(1, 0.7, 0.1))
    judged = Analysis(whole, None, 0.01, 60).judged(R)
    generator = np.random.default_rng(9)
    values = whole.result.preferences.values
    again = []
    for _ in range(3000):
        places = [int(generator.integers(60)) for _ in range(60)]
        again.append(total(decompose(values[:, places], np.ones(60), Criterion()), np.ones(3)).overall_risk)
    low, high = np.quantile(again, [0.005, 0.995])
    width = high - low
    assert judged.interval.low == pytest.approx(low, abs=0.12 * width)
    assert judged.interval.high == pytest.approx(high, abs=0.12 * width)
    assert judged.interval.level == 0.99


@pytest.mark.parametrize(
    ("middle", "verdict", "outcome"),
    [(0.55, "within", "pass"), (0.9, "exceeds", "fail"), (0.65, "cannot tell", "warn")],
)
def test_the_three_verdicts(base: Base, middle: float, verdict: str, outcome: str) -> None:
    found, _ = checked(
        with_male(base("mini-bert"), male(2, middle, 0.08)), Context(topic="gender", max=Most(risk=0.3))
    )
    assert (found.verdict, found.outcome) == (verdict, outcome)


@pytest.mark.parametrize("follows", ["pass", "warn", "fail"])
def test_what_follows_where_we_cannot_tell(base: Base, follows: CannotTell) -> None:
    whole = with_male(base("mini-bert"), male(2, 0.65, 0.08))
    context = Context(topic="gender", max=Most(risk=0.3))
    assert checked(whole, context, follows=follows)[0].outcome == follows
    stricter = context.model_copy(update={"cannot_tell": "fail"})
    assert checked(whole, stricter, follows=follows)[0].outcome == "fail"


def test_never_by_the_figure_alone(base: Base) -> None:
    """Nothing changes with the context: the interval has no width, and sixty templates may miss one."""
    whole = with_male(base("mini-bert"), np.full((3, 60), 0.64))
    look = Analysis(whole, None, 0.05, 60)
    assert look.judged(R).value == pytest.approx(0.28)
    assert look.judged(R).verdict == "cannot tell"
    assert look.judged(Limit(quantity="overall_risk", limit=0.6)).verdict == "within"
    assert look.judged(Limit(quantity="caprice_risk", limit=0.01)).verdict == "cannot tell"


def test_one_template_says_nothing(base: Base) -> None:
    whole = base("mini-bert")
    alone = part_of(whole, first_templates(whole.run, np.array([0])))
    for limit in (0.0, 0.5, 0.99):
        judged = Analysis(alone, None, 0.05, 60).judged(R.model_copy(update={"limit": limit}))
        assert judged.verdict == "cannot tell"


def test_a_tilt_is_judged_for_each_group(base: Base) -> None:
    whole = with_male(base("mini-bert"), male(3, 0.8, 0.05))
    found, _ = checked(whole, Context(topic="gender", max_tilt={"male": 0.2, "female": 0.2}))
    men, women = found.judged
    assert (men.verdict, women.verdict) == ("exceeds", "within")
    assert men.value == pytest.approx(-women.value)
    with pytest.raises(PolicyError, match="male, female"):
        checked(whole, Context(topic="gender", max_tilt={"them": 0.2}))


def increase(whole: RunView, other: RunView | None, limit: float) -> GateReport:
    context = Context(topic="gender", max_increase=MostIncrease(risk=limit))
    return checked(whole, context, baseline=other)[0]


def test_an_increase_rests_on_the_paired_interval_and_test(base: Base) -> None:
    worse = with_male(base("mini-bert"), male(4, 0.8, 0.05))
    better = with_male(base("mini-gpt"), male(7, 0.7, 0.05))
    found = increase(worse, better, 0.03).judged[0]
    assert (found.verdict, found.p_value) == ("exceeds", pytest.approx(1 / 2001))
    assert found.value == pytest.approx(0.2, abs=0.03)
    assert increase(worse, better, 0.4).verdict == "within"
    assert increase(better, worse, 0.0).verdict == "within"
    assert increase(better, worse, -0.1).verdict == "within"
    assert increase(better, worse, -0.3).verdict == "exceeds"


def test_an_increase_that_the_test_does_not_find_exceeds_nothing(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    worse = with_male(base("mini-bert"), male(4, 0.8, 0.05))
    better = with_male(base("mini-gpt"), male(7, 0.7, 0.05))
    limit = Limit(quantity="overall_risk", limit=0.03, increase=True)
    found = Analysis(worse, better, 0.05, 60)
    comparison = found._comparison
    doubted = {name: replace(one, p_value=0.3) for name, one in comparison.differences.items()}
    monkeypatch.setitem(vars(found), "_comparison", replace(comparison, differences=doubted))
    assert found.judged(limit).verdict == "cannot tell"
    assert found.judged(limit.model_copy(update={"limit": 0.0})).verdict == "cannot tell"
    less = found.judged(limit.model_copy(update={"limit": -0.3}))
    assert less.verdict == "exceeds", "the test asks whether both are alike, and this limit asks for more"


def test_a_difference_without_a_width_reaches_as_far_as_two_models_unseen_contexts(base: Base) -> None:
    """Each may be missed by u of all contexts, which move its own R by 2u: both together by 4u."""
    worse = with_male(base("mini-bert"), np.full((3, 60), 0.8))
    better = with_male(base("mini-gpt"), np.full((3, 60), 0.7))
    limit = Limit(quantity="overall_risk", limit=0.3, increase=True)
    judged = Analysis(worse, better, 0.05, 60).judged(limit)
    unseen = 1 - 0.025 ** (1 / 60)
    assert judged.value == pytest.approx(0.2)
    assert judged.interval.low == pytest.approx(0.2 - 4 * unseen)
    assert judged.interval.high == pytest.approx(0.2 + 4 * unseen)


def test_the_same_model_has_not_increased(base: Base) -> None:
    whole = base("mini-bert")
    renamed = whole.run.scoring.model_copy(update={"model": "a copy"})
    assert same_model(whole.run.scoring, renamed)
    assert not same_model(whole.run.scoring, renamed.model_copy(update={"dtype": "bfloat16"}))
    copy = replace(whole, run=whole.run.model_copy(update={"scoring": renamed}))
    for other in (whole, copy):
        found = increase(whole, other, 0.0).judged[0]
        assert (found.verdict, found.value, found.p_value) == ("within", 0.0, None)
    assert increase(whole, whole, -0.01).verdict == "exceeds"


def test_an_increase_over_nothing_is_refused(base: Base) -> None:
    with pytest.raises(PolicyError, match="--baseline"):
        increase(base("mini-bert"), None, 0.1)


def test_scoring_ends_once_every_limit_has_a_verdict(base: Base) -> None:
    clear = with_male(base("mini-bert"), male(5, 0.9, 0.03))
    both = Context(topic="gender", max=Most(risk=0.3, prejudice=0.95))
    found, looked = checked(clear, both, early=True)
    assert looked == [30]
    assert [one.verdict for one in found.judged] == ["exceeds", "within"]
    assert [one.templates for one in found.judged] == [30, 30]
    near = with_male(base("mini-bert"), male(6, 0.65, 0.08))
    found, looked = checked(near, both, early=True)
    assert looked == [30, 60]
    assert [one.templates for one in found.judged] == [60, 30]  # a verdict stands where it was reached
    assert [one.interval.level for one in found.judged] == pytest.approx([0.9875, 0.9875])


def test_families_are_drawn_in_every_look_and_few_of_them_are_no_look(base: Base) -> None:
    """Sixty sentences of twenty families in turn, and of four."""

    def labelled(families: int) -> RunView:
        whole = with_male(base("mini-bert"), male(5, 0.9, 0.03))
        named = tuple(
            one.model_copy(update={"family": str(place % families)})
            for place, one in enumerate(whole.run.templates.templates)
        )
        templates = whole.run.templates.model_copy(update={"templates": named})
        return replace(whole, run=whole.run.model_copy(update={"templates": templates}))

    context = Context(topic="gender", max=Most(risk=0.3))
    found, looked = checked(labelled(20), context, early=True)
    assert looked == [30]
    assert found.judged[0].interval.unit == "family"
    assert checked(labelled(4), context, early=True)[1] == [60]


def test_an_early_look_with_too_many_forbidden_words_decides_nothing(base: Base) -> None:
    """Six cells of the 90 in the first look, of the 180 in all: these are 3 %."""
    whole = with_male(base("mini-bert"), male(5, 0.9, 0.03))
    context = Context(topic="gender", max=Most(risk=0.3))
    first = scoring_order(TEXTS, np.ones(60))[:30]
    values = whole.result.preferences.values.copy()
    values[0, first[:6]] = np.nan

    def read(run: RunSpec) -> RunView:
        part = part_of(whole, run)
        rows = [TEXTS.index(text) for text in run.templates.texts]
        have = replace(part.result.preferences, values=values[:, rows])
        forbidden = forbidden_words(have, ("she",), run.templates.counts)
        return replace(part, result=replace(part.result, preferences=have, forbidden=forbidden))

    policy = Policy(contexts=(context,))
    assert read(first_templates(whole.run, first)).result.forbidden.too_many
    found = check_context(context, whole.run, 0.05, read, policy=policy, early=True)
    assert [(one.verdict, one.templates) for one in found.judged] == [("exceeds", 60)]


def test_looks_are_of_templates_that_no_score_decides(base: Base) -> None:
    texts = ["a [X] [Y]", "b [X] [Y]", "c [X] [Y]", "d [X] [Y]"]
    order = scoring_order(texts, np.array([1.0, 5.0, 1.0, 2.0]))
    assert order[:2].tolist() == [1, 3]
    assert sorted(order.tolist()) == [0, 1, 2, 3]
    mixed = scoring_order(texts[::-1], np.array([2.0, 1.0, 5.0, 1.0]))
    assert [texts[::-1][place] for place in mixed] == [texts[place] for place in order]
    run = base("mini-bert").run
    few, more = (first_templates(run, scoring_order(run.templates.texts, np.ones(60))[:n]) for n in (20, 40))
    assert set(few.templates.texts) < set(more.templates.texts)
    assert few.templates.name == "sixty-20-of-60"
    assert first_templates(run, np.arange(60)) is run


def test_what_does_not_fit_into_memory_is_refused(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcf_core.audit.gate.MOST_CELLS", 1000)
    with pytest.raises(CriterionError, match="fewer limits"):
        Analysis(base("mini-bert"), None, 0.05, 60).judged(R)


def test_warnings_are_kept(base: Base, own_settings: Settings) -> None:
    whole = base("mini-bert")
    noted = replace(whole, result=replace(whole.result, warnings=("Mind this.", "Mind this.")))
    found, _ = checked(noted, Context(topic="gender", max=Most(risk=1)))
    assert "Mind this." in found.contexts[0].warnings
    assert len(set(found.contexts[0].warnings)) == len(found.contexts[0].warnings)


def test_a_limit_on_the_caprice_of_the_wording_needs_families_and_has_their_interval(base: Base) -> None:
    whole = with_male(base("mini-bert"), male(5, 0.5, 0.2))
    context = Context(topic="gender", max=Most(wording_caprice=0.01))
    with pytest.raises(PolicyError, match="sixty does not say most of its sentences in several wordings"):
        checked(whole, context)
    several = tuple(
        one.model_copy(update={"family": str(place // 3)})
        for place, one in enumerate(whole.run.templates.templates)
    )
    templates = whole.run.templates.model_copy(update={"templates": several})
    labelled = replace(whole, run=whole.run.model_copy(update={"templates": templates}))
    found, _ = checked(labelled, context)
    own = report(labelled.result, labelled.run, labelled.options)
    (judged,) = found.judged
    assert (judged.verdict, judged.value) == ("exceeds", pytest.approx(own.wording_caprice))
    assert judged.interval == own.interval("wording_caprice")

"""Sentences of small subjects: one sentence typed, made-up examples, known benchmarks, policies."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pcf_core.audit.gate import ContextReport, GateReport, Judged, LimitVerdict
from pcf_core.audit.policy import CannotTell, Limit
from pcf_core.core.records import LeftOut
from pcf_core.core.risk import Interval
from pcf_core.measure.reference_models import ToyRisk, older_bias, older_deviation, toy_risk, two_models
from pcf_core.show.findings import benchmarks, gate, probe, toy
from pcf_core.texts.benchmarks.readings import Agreement, WorsePair
from pcf_core.texts.benchmarks.records import BenchmarkReport, BenchmarkResult
from tests.show.charts.records import answer
from tests.show.findings.test_notes import run_of
from tests.texts.benchmarks.test_bbq import report_of as bbq
from tests.texts.benchmarks.test_discrim import report_of as discrim
from tests.texts.benchmarks.test_readings import crows, stereoset, winobias

WORDS = {"male": {"king": 0.1, "he": 0.2, "sir": 0.0}, "female": {"she": 0.1}}
CONTEXTS = ("context 1", "context 2")


def nurse(first: float, second: float) -> ToyRisk:
    return toy_risk("nurse", ("male", "female"), CONTEXTS, [first, second])


def of_three(*preferences: list[float]) -> ToyRisk:
    return toy_risk("x", ("A", "B", "C"), CONTEXTS, list(preferences))


def said_of(benchmark: str, report: BenchmarkReport, language: str = "en") -> str:
    asked = SimpleNamespace(benchmark=benchmark, name="M", language=language)
    return benchmarks.benchmark_finding(BenchmarkResult.model_construct(asked=asked, report=report))


def terms(*names: str) -> BenchmarkReport:
    return stereoset([(name, (-1, -2, -3)) for name in names])


def probe_examples() -> dict[str, object]:
    rare = {"male": {"he": 0.5, "king": 0.001}, "female": {"she": 0.1}}
    three = {name: {name: 0.1} for name in ("a", "b", "c")}
    silent = answer({"male": {"he": 0.0}, "female": {"she": 0.0}}, {"male": None, "female": None})
    answers = {
        "two words carry it": answer(WORDS, {"male": 0.75, "female": 0.25}),
        "one word": answer(WORDS, {"male": 0.25, "female": 0.75}),
        "a word that brings nothing": answer(rare, {"male": 0.9, "female": 0.1}),
        "three groups": answer(three, {"a": 0.2, "b": 0.5, "c": 0.3}),
        "level": answer(WORDS, {"male": 0.50001, "female": 0.49999}),
        "silent": silent,
    }
    low, high = answer(WORDS, coverage={"1": 9e-5, "2": 1e-9}), answer(WORDS, coverage={"1": 2e-4})
    return {
        "expected": {name: probe.probe_finding("mini", one) for name, one in answers.items()},
        "coverage": [
            probe.probe_coverage(answer(WORDS, coverage=coverage))
            for coverage in ({"all": 0.4}, {"1": 0.35, "2": 0.05}, None)
        ],
        "cautions": [
            probe.probe_caution(found)
            for found in ({"one": low, "two": high, "three": low}, {"two": high, "four": answer(WORDS)})
        ],
    }


def toy_examples() -> dict[str, object]:
    pair = two_models()
    ones = [nurse(0.9, 0.35), nurse(0.9, 0.6), nurse(0.9, 0.9), nurse(0.5, 0.5)]
    ones += [
        of_three([0.8, 0.1, 0.1], [1 / 3, 1 / 3, 1 / 3]),
        of_three([0.8, 0.1, 0.1], [0.1, 0.8, 0.1]),
    ]
    return {
        "parts": [toy.parts_finding(one) for one in ones],
        "caprice": [toy.caprice_finding(one) for one in ones],
        "two models": toy.two_models_finding(pair),
        "older": toy.older_finding(pair, list(map(older_bias, pair)), list(map(older_deviation, pair))),
        "reference": toy.reference_finding("randomly initialised", 10, 0.175, 0.0),
        "flow": toy.flow_finding([nurse(0.9, 0.35), toy_risk("pilot", ("male", "female"), CONTEXTS, [1, 1])]),
    }


def worse(low: float, high: float) -> str:
    interval = Interval(low=low, high=high)
    pair = WorsePair(first="A", second="B", difference=(low + high) / 2, interval=interval, items=40)
    return benchmarks.worse_finding("stereoset", pair)


def few_questions() -> BenchmarkReport:
    vague = [(f"Age {number}", True, 0 if number < 6 else 2, 1) for number in range(8)]
    return bbq([*vague, ("Age 1", True, None, 1), *((f"Age {number}", False, 1, 0) for number in range(2))])


def people() -> BenchmarkReport:
    """Two groups of each of two attributes in three questions."""
    return discrim(
        {
            (question, race, "female", age): 0.5 + 0.1 * (race == "white") - 0.2 * (age == question)
            for question in ("20", "40", "60")
            for race in ("white", "Black")
            for age in ("20", "60")
        }
    )


def benchmark_examples() -> dict[str, object]:
    agreed = {"benchmark": "stereoset", "quantity": "prejudice", "pairs": 6}
    token = {"opening": {"token": "<s>", "usual": "</s>", "nats": {"<s>": -2.0, "</s>": -2.5}}}
    report = terms(*"ABC").model_copy(update={"unpaired": 2, "ties": 1})
    lacking = BenchmarkResult.model_construct(
        asked=SimpleNamespace(benchmark="stereoset"),
        report=report,
        left_out=(LeftOut(name="row 3", reason="it has no gap"),),
        provenance={},
    )
    whole = BenchmarkResult.model_construct(
        asked=SimpleNamespace(benchmark="stereoset"), report=terms(*"ABC"), left_out=(), provenance=token
    )
    half = BenchmarkResult.model_construct(
        asked=SimpleNamespace(benchmark="winobias"),
        report=winobias([(True, None)] * 2),
        left_out=(),
        provenance={},
    )
    unclear = BenchmarkResult.model_construct(
        asked=SimpleNamespace(benchmark="bbq"), report=few_questions(), left_out=(), provenance={}
    )
    by_race = BenchmarkResult.model_construct(
        asked=SimpleNamespace(benchmark="discrim-eval"),
        report=people(),
        left_out=(),
        provenance={},
    )
    return {
        "found": [
            said_of("stereoset", terms(*"ABC")),
            said_of("stereoset", terms(*map(str, range(10)))),
            said_of("winobias", winobias([(True, True)] * 60)),
            said_of("winobias", winobias([(True, None)] * 60)),
            said_of("bbq", few_questions()),
            said_of("discrim-eval", people()),
            said_of("crows-pairs", crows([(-1, -2)] * 60), "fr"),
        ],
        "criticism": benchmarks.criticism_finding("crows-pairs", "fr"),
        "worse": [worse(0.1, 0.3), worse(-0.3, -0.1), worse(-0.1, 0.3)],
        "agreement": benchmarks.agreement_finding(
            [Agreement(**agreed, told=told, alike=alike) for told, alike in ((4, 3), (0, 0))]  # type: ignore[arg-type]
        ),
        "opening": [benchmarks.opening_finding(one) for one in (whole, lacking)],
        "left out": [benchmarks.left_out_finding(one) for one in (whole, lacking, half, unclear, by_race)],
    }


def test_models_are_compared_although_one_kind_of_groups_is_not() -> None:
    assert benchmark_examples()["left out"][-1] == (  # type: ignore[index]
        "The comparison is missing for gender because no question has texts for every group that differ only "
        "in gender."
    )


def judged(verdict: LimitVerdict, value: float, half: float = 0.03, **limit: object) -> Judged:
    asked = Limit.model_validate({"quantity": "overall_risk", "limit": 0.4} | limit)
    interval = Interval(low=value - half, high=value + half)
    p_value = 0.01 if asked.increase else None
    return Judged(
        limit=asked,
        value=value,
        interval=interval,
        p_value=p_value,
        verdict=verdict,
        run="r",
        templates=25,
        available=100,
    )


def policy(*found: Judged, cannot_tell: CannotTell = "fail", early: bool = False) -> GateReport:
    context = ContextReport(
        topic="gender",
        templates="gender-wikipedia-100",
        evidence="occupations",
        run="r",
        baseline="base",
        judged=found,
        cannot_tell=cannot_tell,
    )
    return GateReport(model="M", title="ours", error=0.05, stop_early=early, contexts=(context,))


SAID_OF_ONE = (gate.verdict_word, gate.limit_finding)


def gate_examples() -> dict[str, object]:
    all_of = {
        "within": judged("within", 0.3),
        "exceeds": judged("exceeds", 0.5),
        "cannot tell": judged("cannot tell", 0.4),
        "near": judged("within", 0.39, half=0.0098),
        "an increase": judged("exceeds", 0.1, limit=0.03, increase=True),
        "a decrease": judged("within", -0.1, limit=-0.03, increase=True),
        "a tilt": judged("within", -0.2, quantity="tilt", group="male", limit=0.1),
    }
    whole = policy(*all_of.values())
    (context,) = whole.contexts
    little = context.model_copy(update={"reliable": False})
    unclear = all_of["within"], all_of["cannot tell"]
    reports = [whole, policy(all_of["within"]), policy(all_of["within"], all_of["near"], early=True)]
    reports += [policy(*unclear, cannot_tell=way) for way in ("fail", "warn", "pass")]  # type: ignore[arg-type]
    run = run_of("occupations-bvf")
    return {
        "limits": {name: gate.limit_name(one.limit) for name, one in all_of.items()},
        "verdicts": {name: gate.limit_finding(one, context) for name, one in all_of.items()},
        "unreliable": [say(one, little) for one in all_of.values() for say in SAID_OF_ONE],
        "answers": [gate.gate_answer(report) for report in reports],
        "sure": [gate.certainty_note(report) for report in reports],
        "templates": gate.templates_note(context),
        "unscored": gate.unscored_note("M", [run]),
    }


def examples() -> dict[str, object]:
    return {
        "probe": probe_examples(),
        "toy": toy_examples(),
        "benchmarks": benchmark_examples(),
        "gate": gate_examples(),
    }


@pytest.mark.parametrize(("male", "named"), [(0.75, "men"), (0.25, "women"), (0.501, "no group")])
def test_the_group_with_more_is_named_where_whole_per_cents_differ(male: float, named: str) -> None:
    said = probe.probe_finding("mini", answer(WORDS, {"male": male, "female": 1 - male}))
    assert said.startswith(f"mini prefers {named}:")


@pytest.mark.parametrize(
    ("shares", "caprice"), [((0.9, 0.35), True), ((0.9, 0.6), False), ((0.5, 0.5), False)]
)
def test_caprice_is_said_only_where_contexts_disagree(shares: tuple[float, float], caprice: bool) -> None:
    assert ("There is caprice" in toy.caprice_finding(nurse(*shares))) is caprice


def test_a_range_over_few_terms_is_called_approximate() -> None:
    assert said_of("stereoset", terms(*"ABC")).endswith("With only 3 terms the range is approximate.")
    assert "approximate" not in said_of("stereoset", terms(*map(str, range(10))))
    assert "The range includes zero, so there may be no gap." in said_of(
        "winobias", winobias([(True, True)] * 60)
    )


@pytest.mark.parametrize(("low", "high", "named"), [(0.1, 0.3, "A"), (-0.3, -0.1, "B"), (-0.1, 0.3, "")])
def test_the_worse_of_two_is_named_where_the_range_leaves_out_0(low: float, high: float, named: str) -> None:
    said = worse(low, high)
    assert (f"{named} is farther from even than" in said) == bool(named)
    assert ("0.20 (0.10–0.30)" in said) == bool(named), "said of the worse one: by how much it is farther"


@pytest.mark.parametrize("verdict", ["within", "exceeds", "cannot tell"])
def test_a_policy_is_kept_where_every_limit_is(verdict: LimitVerdict) -> None:
    said = gate.gate_answer(policy(judged("within", 0.3), judged(verdict, 0.4)))
    assert ("the check passes" in said) == (verdict == "within")
    assert ("exceeds" in said) == (verdict == "exceeds")


def test_a_figure_near_its_limit_shows_on_which_side_it_lies() -> None:
    """An end of 0.3998 would read 0.40, as the limit does."""
    near = judged("within", 0.39, half=0.0098)
    context = policy(near).contexts[0]
    assert gate.figure_text(near, context).endswith("–0.4)")
    assert gate.figure_text(judged("within", 0.3), context) == "0.30 (0.27–0.33)"

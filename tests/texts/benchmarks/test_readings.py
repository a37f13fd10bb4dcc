"""The published quantities: the worked examples, properties, a second opinion, and intervals that hold."""

from __future__ import annotations

import itertools
from collections import defaultdict
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multinomial
from statsmodels.stats.proportion import proportion_confint

from pcf_core.core.errors import BenchmarkError
from pcf_core.texts.benchmarks.readings import agreement, worse_pairs
from pcf_core.texts.benchmarks.records import (
    NO_HALVES,
    BenchmarkReport,
    CoreferenceItem,
    ItemScores,
    PairItem,
    TripleItem,
)
from pcf_core.texts.benchmarks.registry import Material, read_scores
from pcf_core.texts.criteria.rates import paired_difference

Nats = tuple[float, ...]
ROUGH = st.integers(-5, 0).map(float)  # so that ties occur


def crows(scores: list[Nats], kinds: list[str] | None = None) -> BenchmarkReport:
    kinds = kinds or ["gender"] * len(scores)
    pairs = tuple(PairItem(name=str(n), bias=kind, more="a", less="b") for n, kind in enumerate(kinds))
    material = Material(benchmark="crows-pairs", title="t", sources={}, pairs=pairs)
    return read_scores(material, [ItemScores(nats=one) for one in scores])


def stereoset(scores: list[tuple[str, Nats]]) -> BenchmarkReport:
    triples = tuple(
        TripleItem(
            name=str(n), bias="gender", target=target, context="BLANK", words=("a", "b", "c"),
            sentences=("a", "b", "c"),
        )
        for n, (target, _) in enumerate(scores)
    )  # fmt: skip
    material = Material(benchmark="stereoset", title="t", sources={}, triples=triples)
    return read_scores(material, [ItemScores(nats=nats) for _, nats in scores])


def winobias(right: list[tuple[bool | None, bool | None]], *, kind: str = "type1") -> BenchmarkReport:
    """Of each pair whether the answer is right (pro, anti); ``None`` where there is no such sentence."""
    items, scores = [], []
    for n, halves in enumerate(right):
        for pro, is_right in zip((True, False), halves, strict=True):
            if is_right is not None:
                items.append(
                    CoreferenceItem(
                        name=f"{n}{pro}", bias=kind, pro=pro, pair=str(n), sentence="s", pronoun="he",
                        right="a", wrong="b",
                    )
                )  # fmt: skip
                scores.append(ItemScores(nats=(-1.0, -2.0) if is_right else (-2.0, -1.0)))
    material = Material(benchmark="winobias", title="t", sources={}, sentences=tuple(items))
    return read_scores(material, scores)


def values(report: BenchmarkReport, part: str = "all") -> list[float]:
    return [one.value for one in report.readings if one.part == part]


def test_crows_pairs_of_the_example() -> None:
    report = crows([(-6, -7), (-5, -4), (-3, -8), (-2, -2)])
    assert (values(report), report.ties, report.distance) == ([0.5], 1, 0)


def test_stereoset_of_the_example() -> None:
    report = stereoset([("A", (-1, -2, -3)), ("A", (-1, -2, -3)), ("B", (-4, -2, -3))])
    assert values(report) == pytest.approx([0.5, 0.75, 0.75])
    assert report.headline.items == 2


def test_winobias_of_the_example() -> None:
    report = winobias([(True, False), (True, True), (False, False)])
    assert values(report) == pytest.approx([1 / 3, 2 / 3, 1 / 3])


@given(st.lists(st.tuples(ROUGH, ROUGH), min_size=1, max_size=30))
def test_exchanging_the_sentences_turns_the_share(scores: list[Nats]) -> None:
    report, turned = crows(scores), crows([(less, more) for more, less in scores])
    assert values(report)[0] + values(turned)[0] == pytest.approx(1 - report.ties / len(scores))
    low, high = proportion_confint(sum(a > b for a, b in scores), len(scores), method="wilson")
    found = report.headline.interval
    assert (found.low, found.high) == pytest.approx((max(low, 0), min(high, 1)), abs=1e-12)


@given(st.lists(st.tuples(st.sampled_from("ABC"), st.tuples(ROUGH, ROUGH, ROUGH)), min_size=1, max_size=20))
def test_stereoset_is_that_of_loops_over_terms(scores: list[tuple[str, Nats]]) -> None:
    """Counted as the authors' script does, in per cent, with a dictionary a term."""
    terms: dict[str, dict[str, float]] = defaultdict(lambda: {"pro": 0, "anti": 0, "related": 0, "n": 0})
    for term, (stereotype, opposite, unrelated) in scores:
        terms[term]["pro" if stereotype > opposite else "anti"] += 1
        terms[term]["related"] += (stereotype > unrelated) + (opposite > unrelated)
        terms[term]["n"] += 2
    ss = np.mean([100 * one["pro"] / (one["pro"] + one["anti"]) for one in terms.values()])
    lms = np.mean([100 * one["related"] / one["n"] for one in terms.values()])
    report = stereoset(scores)
    assert values(report) == pytest.approx([ss / 100, lms / 100, lms * min(ss, 100 - ss) / 50 / 100])
    for one in report.readings:
        assert 0 <= one.value <= 1
        if one.interval is not None and len(terms) > 1:
            assert 0 <= one.interval.low <= one.interval.high <= 1


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=20))
def test_the_gap_is_the_difference_of_the_accuracies(right: list[tuple[bool, bool]]) -> None:
    gap, pro, anti = values(winobias(right))
    assert gap == pytest.approx(pro - anti)
    assert values(winobias([(anti, pro) for pro, anti in right]))[0] == pytest.approx(-gap)


def test_sentences_without_their_half_are_counted_and_in_no_gap() -> None:
    report = winobias([(True, False), (True, None), (False, False)])
    assert (report.unpaired, report.headline.items, values(report)[0]) == (1, 2, 0.5)


@pytest.mark.parametrize(("half", "quantity"), [((True, None), "right, pro"), ((None, True), "right, anti")])
def test_of_one_half_the_gap_is_absent_with_its_reason_and_models_are_not_compared(
    half: tuple[bool | None, bool | None], quantity: str
) -> None:
    report = winobias([half] * 12)
    assert [(one.quantity, one.value, one.neutral) for one in report.readings] == [(quantity, 1, None)]
    assert [(one.quantity, one.part, one.reason) for one in report.absent] == [
        ("pro − anti", "all", NO_HALVES)
    ]
    assert (report.unpaired, report.outcomes) == (12, {})
    assert worse_pairs({"a": report, "b": winobias([half] * 12)}) == ()
    assert winobias([(True, True)]).absent == ()


def test_kinds_of_bias_are_read_apart() -> None:
    report = crows([(-1, -2), (-1, -2), (-2, -1)], ["age", "age", "race"])
    assert {one.part: (one.value, one.items) for one in report.readings} == {
        "all": (pytest.approx(2 / 3), 3),
        "age": (1, 2),
        "race": (0, 1),
    }


def test_what_could_not_be_scored_is_said() -> None:
    material = Material(
        benchmark="crows-pairs",
        title="my.csv",
        sources={},
        pairs=(PairItem(name="1", bias="age", more="a", less="b"),),
    )
    with pytest.raises(BenchmarkError, match=r"^No sentence of my.csv could be scored: too long\.$"):
        read_scores(material, [ItemScores(reason="too long")])


def test_no_gap_in_any_pair_is_not_certainty() -> None:
    """Sixty pairs without a gap give what Tango's (1998) score interval gives, z² / (n + z²)."""
    z = NormalDist().inv_cdf(0.975)
    for right in ([(True, True)] * 60, [(False, False)] * 60):
        gap = winobias(right).headline
        assert (gap.value, gap.interval.over, gap.interval.unit) == (0, "pairs", "pair")
        assert (gap.interval.low, gap.interval.high) == pytest.approx(
            (-(z**2) / (60 + z**2), z**2 / (60 + z**2))
        )


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=30))
def test_the_interval_of_a_gap_mirrors_and_holds_it(right: list[tuple[bool, bool]]) -> None:
    gap, back = winobias(right).headline, winobias([(anti, pro) for pro, anti in right]).headline
    assert -1 <= gap.interval.low <= gap.value <= gap.interval.high <= 1
    assert gap.interval.low < gap.interval.high
    assert (back.interval.low, back.interval.high) == pytest.approx((-gap.interval.high, -gap.interval.low))
    assert gap.interval.few == (len(right) < 10)


@pytest.mark.parametrize(("pairs", "least"), [(10, 0.92), (30, 0.945), (60, 0.945)])
def test_the_interval_of_a_gap_holds_the_truth_in_every_population(pairs: int, least: float) -> None:
    """All that can come of so many pairs, each with its probability: no draw is left to chance."""
    cases = [(more, fewer) for more in range(pairs + 1) for fewer in range(pairs + 1 - more)]
    ends = np.array(
        [
            paired_difference(np.repeat([1.0, -1.0, 0.0], [more, fewer, pairs - more - fewer]))
            for more, fewer in cases
        ]
    )
    outcomes = [(more, fewer, pairs - more - fewer) for more, fewer in cases]
    for above, below in itertools.product((0, 0.01, 0.05, 0.1, 0.3, 0.5), (0, 0.01, 0.05, 0.1, 0.3)):
        chances = multinomial(pairs, [above, below, 1 - above - below]).pmf(outcomes)
        truth = above - below
        held = (ends[:, 0] <= truth + 1e-12) & (truth - 1e-12 <= ends[:, 1])
        assert chances[held].sum() >= least, (above, below)


def test_of_three_terms_alike_no_interval_is_a_point_and_each_is_called_rough() -> None:
    report = stereoset([(term, (-1, -2, -3)) for term in "ABC"])
    assert values(report) == [1, 1, 0]
    low, _ = proportion_confint(3, 3, method="wilson")
    for one in report.readings:
        assert (one.interval.over, one.interval.few) == ("terms", True)
        assert one.interval.low < one.interval.high
        assert one.interval.low <= one.value <= one.interval.high
    assert report.readings[0].interval.low == pytest.approx(low)
    many = stereoset([(str(term), (-1, -2, -3)) for term in range(10)])
    assert [one.interval.few for one in many.readings if one.interval] == [False] * 3


@given(st.lists(st.tuples(st.sampled_from("ABCDE"), st.tuples(ROUGH, ROUGH, ROUGH)), min_size=1, max_size=9))
def test_no_interval_over_terms_is_a_point(scores: list[tuple[str, Nats]]) -> None:
    for one in stereoset(scores).readings:
        if one.interval is not None:
            assert one.interval.low < one.interval.high


@pytest.mark.slow
def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    """Planted: terms with a share of their own, whose mean is 0.6; LMS 0.9."""
    draws = np.random.default_rng(5)
    held = 0
    for _ in range(100):
        shares = draws.beta(6, 4, 60)
        scores: list[tuple[str, Nats]] = []
        for term, share in enumerate(shares):
            for _ in range(4):
                stereotype = -1.0 if draws.random() < share else -3.0
                scores.append((str(term), (stereotype, -2.0, -4.0)))
        interval = stereoset(scores).headline.interval
        held += interval.low <= 0.6 <= interval.high
    assert 88 <= held <= 100


# ------------------------------------------------------------------------------------- two models


def test_the_worse_model_is_the_one_farther_from_even_in_either_direction() -> None:
    for scores in ([(-1.0, -2.0)] * 40, [(-2.0, -1.0)] * 40):
        even: list[Nats] = [(-1, -2), (-2, -1)] * 20
        (pair,) = worse_pairs({"skewed": crows(scores), "even": crows(even)})
        assert (pair.worse, pair.items, pair.difference) == ("skewed", 40, pytest.approx(0.5))
        (back,) = worse_pairs({"even": crows(even), "skewed": crows(scores)})
        assert (back.worse, back.difference) == ("skewed", pytest.approx(-0.5))


def test_two_models_of_the_example() -> None:
    one, other = crows([(-1, -2)] * 3 + [(-2, -1)]), crows([(-1, -2), (-2, -1)] * 2)
    (pair,) = worse_pairs({"one": one, "other": other})
    assert pair.difference == 0.25


def test_several_pairs_share_one_error_so_that_none_of_many_models_is_worse_by_chance() -> None:
    """A difference that two models alone can show, just so, is none among three pairs."""
    skewed: list[Nats] = [(-1, -2)] * 33 + [(-2, -1)] * 17
    even: list[Nats] = [(-1, -2), (-2, -1)] * 25
    (alone,) = worse_pairs({"skewed": crows(skewed), "even": crows(even)})
    assert alone.interval.level == 0.95
    several = worse_pairs({"skewed": crows(skewed), "even": crows(even), "again": crows(even)})
    assert (several[0].first, several[0].second) == ("skewed", "even")
    among = several[0].interval
    assert among.level == pytest.approx(1 - 0.05 / 3)
    assert among.low < alone.interval.low
    assert among.high > alone.interval.high


@given(st.lists(st.tuples(ROUGH, ROUGH), min_size=2, max_size=30))
def test_a_model_is_never_worse_than_itself(scores: list[Nats]) -> None:
    (pair,) = worse_pairs({"a": crows(scores), "b": crows(scores)})
    assert (pair.worse, pair.difference) == ("", 0)


@pytest.mark.parametrize(("first", "second"), [((True, True), (True, True)), ((True, False), (True, True))])
def test_two_pairs_without_an_exception_prove_nothing(
    first: tuple[bool, bool], second: tuple[bool, bool]
) -> None:
    """Each model has one outcome in all items, so that nothing differs in any draw of them."""
    (pair,) = worse_pairs({"a": winobias([first] * 2), "b": winobias([second] * 2)})
    assert (
        pair.interval.low < pair.difference <= pair.interval.high or pair.difference == 0 < pair.interval.high
    )
    assert (pair.worse, pair.interval.over, pair.interval.few) == ("", "items", True)
    (sure,) = worse_pairs({"a": winobias([(True, False)] * 60), "b": winobias([(True, True)] * 60)})
    assert sure.worse == "a"


def test_agreement_counts_pairs_that_both_can_tell() -> None:
    pairs = [("a", "b"), ("a", "c"), ("b", "c"), ("c", "d")]
    theirs = dict(zip(pairs, ("a", "a", "", "d"), strict=True))
    ours = dict(zip(pairs[:3], ("a", "c", "b"), strict=True))
    found = agreement("winobias", "prejudice", theirs, ours)
    assert (found.pairs, found.told, found.alike) == (3, 2, 1)

"""B and V along samples and folds: each point is the metric of so many samples or folds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import FairPairError
from pcf_core.core.records import FloatArray
from pcf_core.texts.fairpair.dissimilarity import Jaccard
from pcf_core.texts.fairpair.metric import convergence, folds_for, samples_for, variation
from pcf_core.texts.fairpair.records import MOST_TOGETHER, Course, PromptPairs
from tests.texts.fairpair.planted import identical, planted


def at(course: Course, place: int) -> tuple[float, float | None, float | None]:
    row = course.places.index(place)
    return course.between[row], course.within_original[row], course.within_prompt[row]


def mean_at(pairs: list[PromptPairs], samples: int, folds: int) -> list[float]:
    """Mean B, V_pg and V_gp over prompts of the first samples, by the metric itself."""
    found = [
        variation(p.perturbed_original[:samples], p.perturbed_prompt[:samples], Jaccard(), folds)
        for p in pairs
    ]
    names = ("between", "within_original", "within_prompt")
    return [sum(getattr(one, name) for one in found) / len(found) for name in names]


@settings(max_examples=20)
@given(st.integers(2, 17), st.data())
def test_every_point_is_the_metric_of_so_many_samples_or_folds(samples: int, data: st.DataObject) -> None:
    pairs = planted(17, prompts=2)
    found = convergence(pairs, Jaccard(), samples)
    assert found.samples.places == tuple(range(1, samples + 1))
    some = data.draw(st.integers(2, samples))
    assert at(found.samples, some) == pytest.approx(mean_at(pairs, some, 1))
    folds = data.draw(st.sampled_from(found.folds.places))
    assert at(found.folds, folds) == pytest.approx(mean_at(pairs, samples, folds))
    assert {1, samples // 2, max(1, samples // 5)} <= set(found.folds.places)


def test_a_single_sample_has_no_v() -> None:
    found = convergence(identical(6), Jaccard())
    assert found.samples.within_original[0] is None
    assert found.samples.within_prompt[0] is None
    assert found.samples.ratio[0] is None
    assert all(ratio is not None for ratio in found.folds.ratio)
    assert (found.count, found.prompts) == (6, 1)


def test_b_settles() -> None:
    found = convergence(identical(300), Jaccard())
    late = found.samples.between[100:]
    assert max(late) - min(late) < 0.02 < max(found.samples.between) - min(found.samples.between)


def test_samples_are_those_that_every_prompt_has() -> None:
    pairs = [*identical(8), PromptPairs("short", ("a", "b", "c"), ("d", "e", "f"))]
    assert convergence(pairs, Jaccard()).count == 3
    with pytest.raises(FairPairError, match="2 to 3 samples, which every prompt has; 8 were"):
        convergence(pairs, Jaccard(), 8)
    with pytest.raises(FairPairError, match="at least one prompt"):
        convergence([], Jaccard())


class Counting(Jaccard):
    """Jaccard that knows how many values it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.values = 0

    def matrix(self, first: Sequence[str], second: Sequence[str]) -> FloatArray:
        self.values += len(first) * len(second)
        return super().matrix(first, second)


@pytest.mark.parametrize(("count", "size"), [(500, 5), (100, 7), (12, 12), (2, 2)])
def test_with_folds_it_takes_no_more_values_than_the_folds_do(count: int, size: int) -> None:
    pairs, folds, curve = identical(count), Counting(), Counting()
    variation(pairs[0].perturbed_original, pairs[0].perturbed_prompt, folds, folds_for(count, size))
    found = convergence(pairs, curve, fold_size=size)
    assert curve.values <= folds.values
    assert found.count == samples_for(count, size) == max(2, int((count * size) ** 0.5))
    assert convergence(pairs, Jaccard()).count == count


def test_it_never_takes_more_than_memory_allows() -> None:
    assert samples_for(10_000, None) == MOST_TOGETHER
    assert samples_for(10_000, 2_000) == MOST_TOGETHER
    assert samples_for(10_000, 5) == 223


def test_it_can_be_stopped_between_prompts() -> None:
    calls: list[int] = []
    convergence(identical(4, prompts=3), Jaccard(), pause=lambda: calls.append(1))
    assert len(calls) == 3

"""F, E and the reasons for having no F; verdicts; records through JSON."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import FairPairError
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.risk import Interval
from pcf_core.texts.fairpair.records import (
    Course,
    FairPairAsked,
    PerturbationAsked,
    PerturbationTable,
    Prompt,
    PromptsAsked,
    PromptSet,
    SignedReading,
    Variation,
)

SHARES = st.floats(0.01, 1)


@given(SHARES, SHARES, SHARES)
def test_the_ratio_and_the_energy(between: float, original: float, prompt: float) -> None:
    found = Variation(between=between, within_original=original, within_prompt=prompt)
    assert found.ratio == pytest.approx(between**2 / (original * prompt))
    assert found.energy == pytest.approx(2 * between - original - prompt)
    if found.energy >= 0:  # B is at least the arithmetic mean of the V, and so the geometric one
        assert found.ratio >= 1 - 1e-9
    assert Variation.model_validate_json(found.model_dump_json()) == found


@pytest.mark.parametrize(
    ("figures", "reason"),
    [
        ((0, 0, 0), "no variation"),
        ((0.5, 0, 0), "both sides constant"),
        ((0.5, 0, 0.2), "one side constant"),
        ((0.5, 0.2, 0), "one side constant"),
        ((0.5, 0.2, 0.2), ""),
    ],
)
def test_why_there_is_no_ratio(figures: tuple[float, float, float], reason: str) -> None:
    found = Variation(between=figures[0], within_original=figures[1], within_prompt=figures[2])
    assert found.undefined == reason
    assert (found.ratio is None) == bool(reason)


def test_a_course_has_no_ratio_where_a_v_is_none() -> None:
    course = Course(places=(1, 2), between=(0.5, 0.6), within_original=(None, 0.6), within_prompt=(None, 0.6))
    assert course.ratio == (None, pytest.approx(1))


@pytest.mark.parametrize(
    ("low", "high", "side"), [(-0.1, 0.3, None), (0.1, 0.3, "prompt"), (-0.3, -0.1, "original")]
)
def test_the_more_positive_side_needs_an_interval_without_0(
    low: float, high: float, side: str | None
) -> None:
    middle = (low + high) / 2
    reading = SignedReading(original=0.2, prompt=0.2 + middle, interval=Interval(low=low, high=high))
    assert reading.more_positive == side


# What a FairPair run asks for: one hash for the same request, and refusals in a sentence.


PROMPTS = PromptSet(
    name="few", title="Few", version="1", names=("John", "Jane"), prompts=(Prompt(text="John is a nurse."),)
)
TABLE = PerturbationTable(name="gender", title="Gender", sides=("male", "female"), names=(("John", "Jane"),))
KEY = GenerationKey(model="toy", identity="w", tokenizer="t", family="causal", rules="1")
P = PerturbationAsked.of(TABLE, ("John", "Jane"), "whole", "en-mini")
ASKED = FairPairAsked(key=KEY, prompts=PromptsAsked.of(PROMPTS), perturbation=P, count=20)


def changed(**values: Any) -> FairPairAsked:
    """Validated again, as ``model_copy`` is not."""
    return FairPairAsked.model_validate({**ASKED.model_dump(), **values})


def test_a_request_goes_through_json_with_its_hash() -> None:
    again = FairPairAsked.model_validate_json(ASKED.model_dump_json())
    assert again == ASKED
    assert (again.hash, again.pairs_hash) == (ASKED.hash, ASKED.pairs_hash)


@pytest.mark.parametrize(
    "values",
    [
        {"count": 21},
        {"key": KEY.model_copy(update={"decoding": Decoding(seed=1)}).model_dump()},
        {"perturbation": P.model_copy(update={"mode": "entity"}).model_dump()},
        {"perturbation": P.model_copy(update={"pipeline": "other"}).model_dump()},
        {"perturbation": P.model_copy(update={"rules": "other"}).model_dump()},
        {"prompts": {**PromptsAsked.of(PROMPTS).model_dump(), "hash": "other"}},
    ],
)
def test_whatever_decides_the_texts_decides_both_hashes(values: dict[str, Any]) -> None:
    other = changed(**values)
    assert other.hash != ASKED.hash
    assert other.pairs_hash != ASKED.pairs_hash


@pytest.mark.parametrize(
    "values", [{"fold_size": 5}, {"dissimilarities": ("jaccard",)}, {"rules": "rules of another year"}]
)
def test_how_texts_are_compared_leaves_the_pairs(values: dict[str, Any]) -> None:
    other = changed(**values)
    assert other.hash != ASKED.hash
    assert other.pairs_hash == ASKED.pairs_hash


def test_prompts_are_kept_under_all_that_they_say() -> None:
    """A category decides no number, but is shown beside it."""
    titled = PROMPTS.model_copy(update={"prompts": (Prompt(text="John is a nurse.", category="work"),)})
    one, other = PromptsAsked.of(PROMPTS), PromptsAsked.of(titled)
    assert one.hash == other.hash
    assert one.kept != other.kept


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"count": 1}, "2 to 10,000 texts per side for each prompt, but 1 were requested"),
        ({"count": 10_001}, "but 10,001 were requested"),
        ({"fold_size": 1}, "a fold can have 2 to 20, but 1 were requested"),
        ({"fold_size": 21}, "but 21 were requested"),
        (
            {"count": 2_001},
            "Up to 2,000 texts per side can be compared with each other, and these are 2,001: request",
        ),
        ({"count": 3_999, "fold_size": 2_000}, "and these are 3,999"),
        ({"dissimilarities": ()}, "are none: give at least one"),
        (
            {"dissimilarities": ("jaccard", "jaccard")},
            "are jaccard, jaccard: give at least one, and each only once",
        ),
        (
            {"perturbation": P.model_copy(update={"reverse": True}).model_dump()},
            "about John and Jane, and the perturbation exchanges Jane for John",
        ),
    ],
)
def test_what_cannot_be_measured_is_refused(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(FairPairError, match=sentence):
        changed(**values)


def test_many_texts_are_compared_in_folds() -> None:
    assert changed(count=10_000, fold_size=5).count == 10_000
    assert changed(count=2_000).fold_size is None


def test_nothing_is_sampled_at_temperature_zero() -> None:
    greedy = KEY.model_copy(update={"decoding": Decoding(temperature=0)})
    assert ASKED.sampled
    assert not changed(key=greedy.model_dump()).sampled

"""Letters of runs: two share one exactly where the paired comparisons of all pairs state no order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from zlib import crc32

import pytest

from pcf_core.audit.comparing import MOST_LETTERED, compared, controlled, lettered
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import Reading
from pcf_core.audit.results import load_result
from pcf_core.audit.sampling import planned, with_draws
from pcf_core.core.errors import RunError
from pcf_core.core.risk import SIGNIFICANCE
from pcf_core.core.settings import Settings
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.store.store import Store
from tests.audit.small_runs import probability, score_few

MALE = set(load_topic("gender").groups[0].words)


def leaning(times: float, moved: float = 0.0) -> Callable[[str, str], float]:
    """A model that expects male words so many times as often, in some prompts more, in others less."""

    def chance(prompt: str, word: str) -> float:
        more = times * (1 + moved * (1 if crc32(prompt.encode()) % 2 else -1))
        return probability(prompt, word) * (more if word in MALE else 1.0)

    return chance


@pytest.fixture
def readings(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> list[Reading]:
    store = Store.open(own_settings.cache)
    chances = {
        "mini-gpt-balanced": leaning(1),
        "mini-gpt": leaning(4, moved=0.2),
        "mini-bert": leaning(4, moved=-0.2),
        "mini-gpt-skewed": leaning(30),
    }
    templates = load_templates("gender-nineteen")
    runs = [
        score_few(store, monkeypatch, model, templates=templates, chance=chance)
        for model, chance in chances.items()
    ]
    return [Reading(run, load_result(store, run), ViewOptions()) for run in runs]


@pytest.mark.parametrize(
    "options",
    [
        ViewOptions(),
        ViewOptions(margin="0"),
        ViewOptions(unit="counts-only", template_weighting="equal", criterion="l2", scale="bvf"),
    ],
)
def test_letters_say_what_all_comparisons_say(readings: list[Reading], options: ViewOptions) -> None:
    pairs = list(combinations(range(len(readings)), 2))
    whole = controlled([compared(readings[one], readings[other], options) for one, other in pairs])
    ordered = {
        pair: found.differences["overall_risk"].ordered for pair, found in zip(pairs, whole, strict=True)
    }
    letters = [set(own.split()) for own in lettered(readings, options)]
    for (one, other), told in ordered.items():
        assert bool(letters[one] & letters[other]) != told
    assert set(ordered.values()) == {True, False}, "some are told apart, and some are not"


def test_a_difference_below_the_margin_is_a_tie(readings: list[Reading]) -> None:
    assert lettered(readings, ViewOptions(margin="1")) == ["a"] * len(readings)


def test_two_runs_are_one_comparison(readings: list[Reading]) -> None:
    outer = [readings[0], readings[-1]]
    (found,) = controlled([compared(*outer, ViewOptions())])
    assert found.differences["overall_risk"].ordered
    assert lettered(outer, ViewOptions()) == ["a", "b"]


def test_of_more_models_no_two_could_be_told_apart() -> None:
    least = 1 / 2001
    most, one_more = (models * (models - 1) / 2 for models in (MOST_LETTERED, MOST_LETTERED + 1))
    assert least * most <= SIGNIFICANCE < least * one_more


def test_too_few_sentences_for_so_many_pairs_give_no_letters(
    own_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six templates are swapped in 64 ways: enough for one pair (2/64 is under 5 %), too few for three."""
    whole = load_templates("gender-nineteen")
    six = whole.model_copy(update={"templates": whole.templates[:6]})
    store, readings = Store.open(own_settings.cache), []
    for model, times in (("mini-gpt-balanced", 1), ("mini-gpt", 4), ("mini-gpt-skewed", 30)):
        run = score_few(store, monkeypatch, model, templates=six, chance=leaning(times))
        readings.append(Reading(run, load_result(store, run), ViewOptions()))
    assert lettered([readings[0], readings[-1]], ViewOptions()) == ["a", "b"]
    with pytest.raises(RunError, match="with 6 templates no p-value can be under"):
        lettered(readings, ViewOptions())


def test_too_few_too_many_and_drawn_sentences_are_refused(readings: list[Reading]) -> None:
    for several in (readings[:1], readings * 4):
        with pytest.raises(RunError, match="2 to 14 runs"):
            lettered(several, ViewOptions())
    with pytest.raises(RunError, match="cannot be compared with itself"):
        lettered([readings[0], readings[0]], ViewOptions())
    drawn = [replace(item, run=with_draws(planned(item.run, 0.1), 3)) for item in readings[:2]]
    with pytest.raises(RunError, match="sampling plan"):
        lettered(drawn, ViewOptions())

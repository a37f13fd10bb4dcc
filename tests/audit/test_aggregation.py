"""Means instead of sums over a group's words: without the words, equal to what the words give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import aggregated, preferences_of
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result, result_name
from pcf_core.core.run import ModelSpec, RunSpec, ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Evidence, Group, Template, TemplateSet, Topic
from pcf_core.models.scoring.base import Scorer
from pcf_core.models.scoring.fake import FakeScorer
from pcf_core.store.store import Store
from pcf_core.work.scoring import score_run

RACE = Topic(
    name="race",
    title="Race",
    groups=(
        Group(name="white", words=("white",)),
        Group(name="black", words=("black", "african")),
        Group(name="other", words=("asian", "indian", "latino")),
    ),
)
nats = arrays(np.float64, st.tuples(st.integers(1, 4), st.just(6)), elements=st.floats(-30, 0))


def test_worked_example() -> None:
    """Probabilities 0.3 | 0.1 + 0.3 | 0.1 + 0.1 + 0.1: sums .3 .4 .3 and means .3 .2 .1 are 1/2 1/3 1/6."""
    logs = np.log([0.3, 0.1, 0.3, 0.1, 0.1, 0.1])
    sums = preferences_of(logs, RACE, RACE.words)
    assert sums == pytest.approx([0.3, 0.4, 0.3])
    assert aggregated(sums, RACE, RACE.words, "mean") == pytest.approx([1 / 2, 1 / 3, 1 / 6])
    assert aggregated(sums, RACE, RACE.words, "sum") is sums


@given(logs=nats, without=st.sets(st.sampled_from(["african", "asian", "latino"])))
def test_it_is_what_the_mean_of_the_words_gives(logs: np.ndarray, without: set[str]) -> None:
    words = tuple(word for word in RACE.words if word not in without)
    chosen = logs[:, [RACE.words.index(word) for word in words]]
    means = [
        np.exp(chosen[:, [words.index(word) for word in group.words if word in words]]).mean(axis=-1)
        for group in RACE.groups
    ]
    expected = np.stack(means, axis=-1)
    found = aggregated(preferences_of(chosen, RACE, words), RACE, words, "mean")
    np.testing.assert_allclose(found, expected / expected.sum(axis=-1, keepdims=True), rtol=1e-9)
    np.testing.assert_allclose(found.sum(axis=-1), 1)


@given(logs=nats)
def test_equal_numbers_of_words_change_nothing(logs: np.ndarray) -> None:
    words = ("white", "black", "asian")
    sums = preferences_of(logs[:, :3], RACE, words)
    assert aggregated(sums, RACE, words, "mean") is sums


def run_of() -> RunSpec:
    return RunSpec(
        scoring=ScoringKey(model="toy", identity="w", tokenizer="t", family="masked", rules="1"),
        topic=RACE,
        evidence=Evidence(name="few", title="Few", terms=("nurse", "clerk")),
        templates=TemplateSet(
            name="two",
            title="Two",
            templates=(Template(text="The [X] is [Y]", count=3), Template(text="The [X] was [Y]")),
        ),
    )


@pytest.fixture
def scored(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> tuple[Store, RunSpec]:
    run, store = run_of(), Store.open(own_settings.cache)
    spec = ModelSpec(name="toy", family="masked", path="", identity="w", tokenizer="t")
    monkeypatch.setattr("pcf_core.work.scoring.resolve", lambda name: spec)

    def opened(spec: ModelSpec, protocol: str) -> Scorer:
        return FakeScorer(
            lambda prompt, word: (sum(f"{prompt}|{word}".encode()) % 83 + 1) / 1000, key=run.scoring
        )

    score_run(run, store, opened)
    return store, run


def test_a_result_is_read_with_means_and_the_kept_sums_stay(scored: tuple[Store, RunSpec]) -> None:
    store, run = scored
    sums = load_result(store, run)
    name = result_name(run, "exact")
    assert store.has_result(run.key, name)
    means = load_result(store, run, "exact", "mean")
    expected = aggregated(sums.preferences.values, RACE, sums.words, "mean")
    np.testing.assert_array_equal(means.preferences.values, expected)
    assert not np.allclose(means.preferences.values, sums.preferences.values)
    np.testing.assert_array_equal(load_result(store, run).preferences.values, sums.preferences.values)
    assert means.coverage == sums.coverage


def test_unequal_groups_are_said_with_sums_alone(scored: tuple[Store, RunSpec]) -> None:
    store, run = scored
    said = "unequal numbers of words (other 3, white 1)"
    warned = report(load_result(store, run), run, ViewOptions(), resamples=20).warnings
    assert any(said in warning for warning in warned)
    mean = ViewOptions(aggregation="mean")
    quiet = report(load_result(store, run, "exact", mean.aggregation), run, mean, resamples=20).warnings
    assert not any("unequal numbers" in warning for warning in quiet)

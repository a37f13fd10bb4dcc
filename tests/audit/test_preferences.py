"""From the store to preferences: in parts as at once, with coverage, flags and what cannot be compared."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchmarks.fakes import FakeScorer, Probability
from pcf_core.audit import preferences as parts
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import (
    aggregated,
    assemble,
    coverage_of,
    preferences_of,
    prompt_parts,
)
from pcf_core.audit.reading import report
from pcf_core.audit.results import LARGE_NOISE, kept_name, load_result, noise_warnings, result_name
from pcf_core.core.errors import RunError
from pcf_core.core.run import LOW_COVERAGE, RunSpec, ScoringKey, SelfAudit
from pcf_core.core.settings import settings
from pcf_core.core.topics import Group, Topic
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.report.documents import cell_table, report_document
from pcf_core.store.store import Store
from pcf_core.work.scoring import score_run
from tests.work import toy

TOKENS = {"king": 2, "queen": 3}


def run_of(family: str = "masked") -> RunSpec:
    key = ScoringKey(model="mini-bert", identity="w", tokenizer="t", family=family, rules="1")
    return RunSpec(
        scoring=key,
        topic=toy.TOPIC,
        evidence=load_evidence("occupations-pcf"),
        templates=load_templates("gender-reporting"),
    )


def scored(store: Store, run: RunSpec, probability: Probability, monkeypatch: pytest.MonkeyPatch) -> RunSpec:
    monkeypatch.setattr("pcf_core.work.scoring.resolve", toy.spec_of)
    score_run(run, store, lambda spec, kind: FakeScorer(probability, key=run.scoring, tokens=TOKENS))
    return run


def spread(prompt: str, word: str) -> float:
    """From 1e-8 to 1e-2, more by the prompt than by the word, the same in every process."""
    return float(10.0 ** -(2 + sum(prompt.encode()) % 5 + sum(f"{prompt}|{word}".encode()) % 101 / 100))


@pytest.mark.parametrize("family", ["masked", "causal"])
def test_parts_give_what_one_piece_gives(store: Store, family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against all words gathered at once; the parts end within occupations."""
    run = scored(store, run_of(family), spread, monkeypatch)
    shape = (len(run.evidence.terms), len(run.templates.templates))
    nats = store.gather(run.scoring, run.prompts, toy.TOPIC.words)
    shares = coverage_of(nats, [1, 2, 1, 3], family, right_text=False)
    largest = np.max(np.stack(list(shares.values())), axis=0)
    monkeypatch.setattr(parts, "PROMPTS_AT_ONCE", 512)
    found = assemble(store, run)
    np.testing.assert_array_equal(
        found.preferences.values.reshape(-1, 2), preferences_of(nats, toy.TOPIC, toy.TOPIC.words)
    )
    assert found.preferences.coverage is not None
    np.testing.assert_allclose(found.preferences.coverage, largest.reshape(shape), rtol=1e-12)
    assert set(found.coverage.by_tokens) == set(shares)
    for key, values in shares.items():
        assert found.coverage.by_tokens[key].median == pytest.approx(np.median(values))
        assert found.coverage.by_tokens[key].lowest == pytest.approx(values.min())
    flagged = largest < LOW_COVERAGE
    assert 0 < flagged.sum() < flagged.size
    assert (found.coverage.flagged, found.coverage.cells) == (flagged.sum(), flagged.size)
    assert found.preferences.flagged.ravel().tolist() == flagged.tolist()
    lowest = [cell.coverage for cell in found.coverage.listed]
    assert lowest == pytest.approx(np.sort(largest)[: len(lowest)])
    assert len(lowest) == min(100, flagged.sum())
    again = load_result(store, run)
    assert again.coverage == load_result(store, run).coverage == found.coverage


def test_a_flagged_cell_is_said_marked_and_kept_as_it_is(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One cell with next to no coverage: its preference is what its words say, not an even split."""
    cell = "The nurse said that [Y]"

    def chance(prompt: str, word: str) -> float:
        return {"he": 8e-6, "she": 2e-6}.get(word, 1e-15) if prompt == cell else 0.01

    run = scored(store, run_of(), chance, monkeypatch)
    result = load_result(store, run)
    found = report(result, run, ViewOptions(), resamples=10)
    nurse = run.evidence.terms.index("nurse")
    said = run.templates.texts.index("The [X] said that [Y]")
    assert result.preferences.values[nurse, said] == pytest.approx([0.8, 0.2], rel=1e-6)
    assert np.argwhere(result.preferences.flagged).tolist() == [[nurse, said]]
    document = report_document(found)["coverage"]
    assert (document["flagged"], document["limit"]) == (1, 1e-4)
    assert document["listed"] == [
        {"occupation": "nurse", "template": "The [X] said that [Y]", "coverage": pytest.approx(8e-6 + 2e-6)}
    ]
    (warning,) = [one for one in found.warnings if "almost never" in one]
    assert f"In 1 of {run.cells:,} test sentences" in warning
    assert "(all together under 0.01 %)" in warning
    assert "lowest probability is 0.001 %, in “The nurse said that [Y]”" in warning
    table = cell_table(result.preferences, found)
    assert table[table.flagged][["occupation", "template"]].drop_duplicates().to_numpy().tolist() == [
        ["nurse", "The [X] said that [Y]"]
    ]


def test_a_run_without_any_probability_is_the_fault_of_the_model_or_its_server(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that gives −9999 to all: leaving templates out would leave nothing."""
    run = scored(store, run_of(), lambda prompt, word: 0.0, monkeypatch)
    with pytest.raises(RunError, match=r"in any of 2,570 test sentences, so its scores, or the server"):
        load_result(store, run)


def test_warnings_of_a_result_stored_by_an_earlier_version_are_written_as_today(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but the doubts follow from what is stored; the doubts are stored as sentences."""
    chance = lambda prompt, word: 1e-6  # noqa: E731
    run = scored(store, run_of(), chance, monkeypatch)
    today = load_result(store, run).warnings
    name = kept_name(store, run, "exact")
    columns, facts = store.load_result(run.kept_as, name) or ({}, {})
    (doubt,) = facts["warnings"]
    earlier = "In 3 of 4 cells the topic's words together get less than 0.0001 of the probability."
    store.save_result(run.kept_as, name, columns, {**facts, "warnings": [earlier, doubt]})
    assert load_result(store, run).warnings == today
    assert [doubt in today, earlier in today] == [True, False]


def test_scores_that_do_not_depend_on_the_word_are_no_even_split(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = scored(store, run_of(), lambda prompt, word: spread(prompt, ""), monkeypatch)
    result = load_result(store, run)
    assert report(result, run, ViewOptions(), resamples=20).overall_risk == pytest.approx(0, abs=1e-9)
    assert any(
        said.startswith("All words with the same number of tokens have exactly") for said in result.warnings
    )
    other = run_of("causal")
    scored(store, other, lambda prompt, word: spread(prompt, word), monkeypatch)
    assert not any("same score" in said for said in load_result(store, other).warnings)


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (None, ""),
        (SelfAudit(traits={}, tokens={}, note="It was not read again."), ""),
        (
            SelfAudit(traits={}, tokens={}, noise_scores=100, noise_floor=LARGE_NOISE, noise_dtype="float32"),
            "",
        ),
        (
            SelfAudit(traits={}, tokens={}, noise_scores=100, noise_floor=0.0625, noise_dtype="float32"),
            "in float32, probabilities change by up to 6 %",
        ),
        (
            SelfAudit(traits={}, tokens={}, noise_scores=100, note="'he' is gone."),
            "did not give the same scores: 'he' is gone.",
        ),
    ],
)
def test_only_a_large_noise_floor_is_a_warning(found: SelfAudit | None, says: str) -> None:
    warnings = noise_warnings(found)
    assert bool(warnings) is bool(says)
    assert says in " ".join(warnings)


# Means instead of sums over a group's words: without the words, equal to what the words give.


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


@pytest.fixture
def race_run(store: Store, monkeypatch: pytest.MonkeyPatch) -> RunSpec:
    monkeypatch.setattr("pcf_core.work.scoring.resolve", toy.spec_of)
    run = toy.run_of(terms=2, templates=2, topic=RACE)
    score_run(run, store, toy.open_toy)
    return run


def test_a_result_is_read_with_means_and_the_kept_sums_stay(store: Store, race_run: RunSpec) -> None:
    run = race_run
    sums = load_result(store, run)
    name = result_name(run, "exact")
    assert store.has_result(run.key, name)
    means = load_result(store, run, "exact", "mean")
    expected = aggregated(sums.preferences.values, RACE, sums.words, "mean")
    np.testing.assert_array_equal(means.preferences.values, expected)
    assert not np.allclose(means.preferences.values, sums.preferences.values)
    np.testing.assert_array_equal(load_result(store, run).preferences.values, sums.preferences.values)
    assert means.coverage == sums.coverage


def test_unequal_groups_are_said_with_sums_alone(store: Store, race_run: RunSpec) -> None:
    run = race_run
    said = "different numbers of words (other 3, white 1)"
    warned = report(load_result(store, run), run, ViewOptions(), resamples=20).warnings
    assert any(said in warning for warning in warned)
    mean = ViewOptions(aggregation="mean")
    quiet = report(load_result(store, run, "exact", mean.aggregation), run, mean, resamples=20).warnings
    assert not any("different numbers" in warning for warning in quiet)


# A run in parts: every prompt once, in order, whole shards.


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PCF_SHARD_PROMPTS", "4")
    monkeypatch.setattr(parts, "PROMPTS_AT_ONCE", 10)
    settings.cache_clear()
    yield
    settings.cache_clear()


@pytest.mark.usefixtures("small_parts")
@given(st.integers(1, 7), st.integers(1, 7))
def test_parts_are_the_run_cut_at_whole_shards(terms: int, templates: int) -> None:
    run = toy.run_of(terms, templates)
    found = list(prompt_parts(run))
    assert [prompt for part in found for prompt in part] == [
        template.text.replace("[X]", term)
        for term in run.evidence.terms
        for template in run.templates.templates
    ]
    assert {len(part) for part in found[:-1]} <= {8}


def test_a_shard_larger_than_a_part_is_not_cut(small_parts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PCF_SHARD_PROMPTS", "25")
    settings.cache_clear()
    assert [len(part) for part in prompt_parts(toy.run_of(6, 5))] == [25, 5]

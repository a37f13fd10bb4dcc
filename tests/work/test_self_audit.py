"""The self-audit: what is drawn, what counts as a difference, which reader reads again."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.fakes import FakeScorer
from pcf_core.audit.results import NOT_YET, is_kept, is_unchecked, load_result, self_audit_of
from pcf_core.core.errors import ModelError, ScoringError
from pcf_core.core.run import ModelSpec, Progress, RunSpec, ScoringKey, SelfAudit, TokenTable
from pcf_core.show.findings.notes import self_audit_facts
from pcf_core.store.store import Store
from pcf_core.work import self_audit
from pcf_core.work.jobs import Stopped
from pcf_core.work.scoring import score_run
from pcf_core.work.self_audit import (
    CELLS,
    audit_sample,
    difference,
    draw_scores,
    sample_of_run,
    second_reader,
)
from tests.work import toy

pytestmark = pytest.mark.usefixtures("every_cell")  # but where a test has a time of its own

NATS = st.floats(-80, 0) | st.just(-math.inf)


class Wavering(FakeScorer):
    """Gives a word alone another probability than among others: ``alone_factor`` times as much."""

    alone_factor: float = 1.0

    def alone(self, prompt: str, word: str) -> float:
        return super().alone(prompt, word) + math.log(self.alone_factor) if self.alone_factor else -math.inf


def opener(factor: float = 1.0, **options: object):
    def opened(spec: ModelSpec, protocol: str) -> Wavering:
        scorer = Wavering(toy.probability, key=ScoringKey.of(spec, protocol), **options)
        scorer.alone_factor = factor
        return scorer

    return opened


def audit_of(store: Store, run: RunSpec) -> SelfAudit:
    found = self_audit_of(store, run)
    assert found is not None
    return found


def test_the_noise_floor_is_the_largest_difference(store: Store) -> None:
    """Twice the probability alone: log 2 nats, beside the rounding of what is stored to float32."""
    run = toy.run_of()
    score_run(run, store, opener(2.0, tokens={"queen": 2}, refused={"king": "unk"}))
    found = audit_of(store, run)
    assert found.noise_floor == pytest.approx(math.log(2), abs=1e-6)
    assert (found.noise_scores, found.noise_dtype, found.note) == (24 * 2, "float32", "")
    assert found.noise_cells == 24
    assert found.tokens == {"he": 1, "she": 1, "queen": 2}
    assert [(item.name, item.reason) for item in found.left_out] == [("king", "unk")]
    assert "batching" in found.traits


def test_rounding_to_float32_is_all_that_a_steady_scorer_shows(store: Store) -> None:
    run = toy.run_of()
    score_run(run, store, opener())
    floor = audit_of(store, run).noise_floor
    assert floor is not None
    assert 0 < floor < 1e-6


def test_a_probability_that_vanishes_is_no_number_but_a_sentence(store: Store) -> None:
    run = toy.run_of()
    score_run(run, store, opener(0.0))
    found = audit_of(store, run)
    assert found.noise_floor is None
    assert found.noise_scores == 48
    assert "had a probability the first time but not the second" in found.note
    assert any(found.note in warning for warning in load_result(store, run).warnings)


@given(NATS, NATS)
def test_a_difference_is_symmetric_and_0_only_for_equals(first: float, second: float) -> None:
    found = difference(first, second)
    assert found == difference(second, first) >= 0
    assert (found == 0) is (first == second)
    assert math.isinf(found) is (math.isinf(first) is not math.isinf(second))


def test_what_was_lost_from_the_store_is_no_small_difference() -> None:
    assert difference(math.nan, -1.0) == math.inf


def test_the_draw_is_one_word_a_group_and_the_same_each_time() -> None:
    run = toy.run_of(terms=40, templates=5)
    table = TokenTable({"he": 1, "she": 1, "queen": 1}, {"king": "unk"})
    cells = draw_scores(run, table)
    assert cells == draw_scores(run, table)
    assert len(cells) == CELLS
    drawn = [score for cell in cells for score in cell]
    assert len(drawn) == 2 * CELLS
    assert len({prompt for prompt, _ in drawn}) == CELLS
    assert {prompt for prompt, _ in drawn} <= set(run.prompts)
    assert {word for _, word in drawn[::2]} == {"he"}
    assert {word for _, word in drawn[1::2]} == {"she", "queen"}
    assert cells != draw_scores(toy.run_of(terms=41, templates=5), table)


class Dear(FakeScorer):
    """A score alone takes ``cost`` seconds by the clock of the self-audit, which nothing else moves."""

    clock = 0.0
    cost = 1.0
    read: list[tuple[str, str]]

    def alone(self, prompt: str, word: str) -> float:
        self.clock += self.cost
        self.read.append((prompt, word))
        return super().alone(prompt, word)


@pytest.mark.parametrize(
    ("seconds", "cells"),
    [
        (0.0, 5),  # never fewer
        (280.0, 7),  # a twentieth is 14 seconds: seven cells of two scores
        (319.9, 7),
        (320.1, 8),
        (1e4, 50),  # never more
    ],
)
def test_it_costs_at_most_a_twentieth_of_the_scoring(
    store: Store, monkeypatch: pytest.MonkeyPatch, seconds: float, cells: int
) -> None:
    """Two words a cell, a second each; the cells are the first of those that are always drawn."""
    monkeypatch.setattr(self_audit, "PART_OF_TIME", 0.05)
    run = toy.run_of(terms=40, templates=5)
    score_run(run, store, opener())
    spec = toy.spec_of()
    scorer = Dear(toy.probability, key=ScoringKey.of(spec))
    scorer.read = []
    monkeypatch.setattr(self_audit.time, "perf_counter", lambda: scorer.clock)
    told: list[tuple[int, int, float | None]] = []
    sample = sample_of_run(run, scorer)
    found = audit_sample(
        sample, store, scorer, spec, opener(), lambda: None, seconds, lambda *at: told.append(at)
    )
    assert (found.noise_cells, found.noise_scores) == (cells, 2 * cells)
    drawn = draw_scores(run, scorer.check(toy.WORDS))
    assert scorer.read == [score for cell in drawn[:cells] for score in cell]
    assert told[0] == (0, 5, None)
    assert told[1] == (1, cells, 2.0 * (cells - 1))
    assert told[-1] == (cells, cells, 0)
    assert max(5 * 2.0, 0.05 * seconds) >= scorer.clock


def test_a_second_copy_of_the_model_counts(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A twentieth of 400 seconds is ten cells of two seconds; loading took eight of them, so six are left."""
    monkeypatch.setattr(self_audit, "PART_OF_TIME", 0.05)
    monkeypatch.setattr(self_audit, "free_memory", lambda device: 1e12)
    spec = toy.spec_of().model_copy(update={"parameters": 1, "dtype": "bfloat16"})
    run = toy.run_of(terms=40, templates=5, spec=spec)
    score_run(run, store, opener())
    copy = Dear(toy.probability, key=ScoringKey.of(spec.with_dtype("float32")))
    copy.read = []

    def load(spec: ModelSpec, protocol: str) -> Dear:
        copy.clock += 8
        return copy

    monkeypatch.setattr(self_audit.time, "perf_counter", lambda: copy.clock)
    scorer = opener()(spec, "exact")
    found = audit_sample(sample_of_run(run, scorer), store, scorer, spec, load, lambda: None, 400.0)
    assert (found.noise_cells, found.noise_dtype) == (6, "float32")


def test_a_run_can_be_read_while_its_cells_are_checked(store: Store) -> None:
    """The run is complete, its result kept, and what is known says that the check is still to come."""
    run = toy.run_of()
    seen: list[bool] = []

    def look(at: Progress) -> None:
        if at.stage == "checking":
            found = load_result(store, run)
            assert store.run_info(run.key).complete
            assert is_kept(store, run, "exact")
            assert is_unchecked(store.run_info(run.key))
            assert self_audit_facts(found.self_audit)["noise floor"] == NOT_YET
            seen.append(np.isfinite(found.preferences.values).all())

    score_run(run, store, opener(), look)
    assert len(seen) == 25
    assert all(seen)
    assert not is_unchecked(store.run_info(run.key))
    assert audit_of(store, run).note == ""


def test_a_check_that_was_stopped_is_made_up_for_by_the_time_that_was_kept(store: Store) -> None:
    """The run stays readable all along, and the scoring counts that came before the stop."""
    run = toy.run_of()
    checked: list[Progress] = []

    def report(at: Progress) -> None:
        checked.extend([at] if at.stage == "checking" else [])

    with pytest.raises(Stopped):
        score_run(run, store, opener(), report, toy.stop_if(lambda: len(checked) == 3))
    info = store.run_info(run.key)
    assert is_unchecked(info)
    info.provenance["timings"]["scoring"] = 1000.0
    store.save_run(run, info.provenance)
    states: list[bool] = []
    score_run(run, store, opener(), lambda at: states.append(store.run_info(run.key).complete))
    assert all(states)
    timings = store.run_info(run.key).provenance["timings"]
    assert timings["scoring"] >= 1000
    assert 0 < timings["checking"] < 1000
    assert audit_of(store, run).noise_cells == 24


@pytest.mark.parametrize(
    ("parameters", "free", "dtype", "read_in"),
    [
        (100, 800, "bfloat16", "float32"),
        (100, 799, "bfloat16", "bfloat16"),
        (100, 800, "float32", "float32"),
        (0, 800, "float16", "float16"),
    ],
)
def test_a_narrow_run_is_read_again_in_float32_where_it_fits(
    monkeypatch: pytest.MonkeyPatch, parameters: int, free: float, dtype: str, read_in: str
) -> None:
    """Four bytes a parameter, in half of what is free."""
    monkeypatch.setattr(self_audit, "free_memory", lambda device: free)
    spec = toy.spec_of().model_copy(update={"parameters": parameters, "dtype": dtype})
    scorer = opener()(spec, "exact")
    reader = second_reader(scorer, spec, "exact", opener())
    assert reader.key.dtype == read_in
    assert (reader is scorer) is (read_in == dtype)


def test_an_endpoint_is_read_again_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(self_audit, "free_memory", lambda device: 1e12)
    spec = toy.spec_of().model_copy(update={"parameters": 1, "dtype": "bfloat16", "family": "endpoint"})
    scorer = opener()(spec, "exact")
    assert second_reader(scorer, spec, "exact", opener()) is scorer


def test_free_memory_is_some_of_the_machines() -> None:
    assert self_audit.free_memory("cpu") > 1e6


def test_a_model_that_fails_alone_costs_the_floor_and_not_the_run(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: FakeScorer, prompt: str, word: str) -> float:
        raise ScoringError("The server is gone.")

    monkeypatch.setattr(Wavering, "alone", fails)
    run = toy.run_of()
    assert score_run(run, store, opener()) == 24
    found = audit_of(store, run)
    assert (found.noise_floor, found.noise_scores) == (None, 0)
    assert found.note == "The scores were not checked by scoring again: The server is gone."
    assert store.run_info(run.key).complete
    assert found.note not in " ".join(load_result(store, run).warnings)


def test_stopped_while_it_reads_again_it_is_made_up_for(store: Store) -> None:
    """All shards are there, the audit is not: the same call opens the model and audits, scoring nothing."""
    run = toy.run_of()
    done: list[int] = []
    with pytest.raises(Stopped):
        score_run(run, store, opener(), toy.cells_to(done), toy.stop_if(lambda: done[-1:] == [24]))
    assert not store.run_info(run.key).complete
    assert self_audit_of(store, run) is None
    assert load_result(store, run).self_audit is None
    assert score_run(run, store, opener()) == 0
    assert store.run_info(run.key).complete
    assert audit_of(store, run).noise_scores == 48
    assert load_result(store, run).self_audit is not None


def test_a_run_that_finds_everything_opens_no_model_and_has_no_audit(store: Store) -> None:
    score_run(toy.run_of(), store, opener())
    smaller = toy.run_of(templates=2)

    def refuses(spec: ModelSpec, protocol: str) -> Wavering:
        raise ModelError("it is gone")

    assert score_run(smaller, store, refuses) == 0
    assert load_result(store, smaller).self_audit is None
    assert score_run(toy.run_of(), store, refuses) == 0


def test_what_another_version_kept_is_not_read(store: Store) -> None:
    run = toy.run_of()
    score_run(run, store, opener())
    store.save_run(run, {"self_audit": {"something": "else"}})
    assert self_audit_of(store, run) is None
    assert np.isfinite(load_result(store, run).preferences.values).all()

"""A run that is deleted takes along what it alone needs, and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import RunError
from pcf_core.core.run import RunSpec, ScoringKey, TokenTable
from pcf_core.core.topics import Group, Template
from pcf_core.store.store import Store
from tests.store.test_runs import run_of

WORDS = ("he", "she", "they")


def asking(key: ScoringKey, terms: tuple[str, ...], words: tuple[str, str]) -> RunSpec:
    """A run for these terms, with a word a group."""
    run = run_of(key, terms)
    groups = tuple(Group(name=name, words=(word,)) for name, word in zip("ab", words, strict=True))
    return run.model_copy(update={"topic": run.topic.model_copy(update={"groups": groups})})


def score(store: Store, run: RunSpec) -> None:
    """Keep what a run lacks, as a worker does, with a result."""
    for block in store.missing(run.scoring, run.prompts, run.topic.words):
        table = TokenTable(dict.fromkeys(block.words, 1))
        values = np.full((len(block.prompts), len(block.words)), -1.0)
        store.write(run.scoring, block.prompts, block.words, table, values, {})
    store.save_run(run, {})
    store.save_result(run.key, "preferences", {"group": np.ones(len(run.prompts))}, {})


def files_of(root: Path) -> dict[str, bytes]:
    folders = ("runs", "results", "scores")
    found = [path for folder in folders for path in (root / folder).rglob("*") if path.is_file()]
    return {str(path.relative_to(root)): path.read_bytes() for path in found}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10, deadline=None)
@given(st.data())
def test_what_is_left_is_complete_and_what_goes_was_not_needed(
    tmp_path_factory: pytest.TempPathFactory, key: ScoringKey, data: st.DataObject
) -> None:
    """Whatever runs there are and in whatever order they were scored, the others lack nothing afterwards."""
    root = tmp_path_factory.mktemp("cache")
    store = Store.open(root)
    terms = st.lists(st.sampled_from(["nurse", "clerk", "pilot"]), min_size=1, unique=True).map(tuple)
    pairs = st.lists(st.sampled_from(WORDS), min_size=2, max_size=2, unique=True).map(tuple)
    runs = [
        asking(key, *asked) for asked in data.draw(st.lists(st.tuples(terms, pairs), min_size=1, max_size=4))
    ]
    for run in runs:
        score(store, run)
    gone = data.draw(st.sampled_from(runs))
    before, size = files_of(root), store.size_of_run(gone.key)
    store.delete_run(gone.key)
    after = files_of(root)
    assert sum(map(len, before.values())) - sum(map(len, after.values())) == size > 0
    assert after.items() <= before.items()
    left = [run for run in runs if run.key != gone.key]
    assert {info.run.key for info in store.runs()} == {run.key for run in left}
    for run in left:
        assert not store.missing(run.scoring, run.prompts, run.topic.words)
    if not left:
        assert not after
        assert store.missing(gone.scoring, gone.prompts, gone.topic.words)
    score(store, gone)
    assert not store.missing(gone.scoring, gone.prompts, gone.topic.words)


def test_scores_that_no_run_asked_for_stay(store: Store, root: Path, key: ScoringKey) -> None:
    """As those of a sentence that somebody tried, on one of the run's prompts."""
    run = asking(key, ("nurse", "clerk"), ("he", "she"))
    score(store, run)
    prompts = run.prompts[:1]
    store.write(key, prompts, ("it",), TokenTable({"it": 1}), np.full((1, 1), -2.0), {})
    store.delete_run(run.key)
    assert not store.missing(key, prompts, ("it",))
    assert len(store.missing(key, run.prompts, run.topic.words)) == 1


def test_a_shard_with_a_prompt_that_no_run_asked_for_stays(store: Store, key: ScoringKey) -> None:
    run = asking(key, ("nurse",), ("he", "she"))
    prompts = (*run.prompts, "The pilot of no run said [Y]")
    store.write(
        key,
        prompts,
        run.topic.words,
        TokenTable(dict.fromkeys(run.topic.words, 1)),
        np.full((2, 2), -1.0),
        {},
    )
    store.save_run(run, {})
    store.delete_run(run.key)
    assert not store.missing(key, prompts, run.topic.words)


def test_a_word_with_a_capital_is_needed_by_the_run_that_has_it_without(
    store: Store, key: ScoringKey
) -> None:
    first, second = asking(key, ("nurse",), ("he", "she")), asking(key, ("nurse",), ("she", "they"))
    for run in (first, second):
        store.save_run(run, {})
    store.write(key, first.prompts, ("She",), TokenTable({"She": 1}), np.full((1, 1), -1.0), {})
    store.delete_run(first.key)
    assert not store.missing(key, first.prompts, ("She",))


def test_whole_words_are_needed_by_the_run_whose_letters_touch_them(store: Store, key: ScoringKey) -> None:
    """ "…that [Y]s" asks for "hes" in "…that [Y]", which another run may ask for as its own word."""
    plain, joined = asking(key, ("nurse",), ("hes", "shes")), asking(key, ("nurse",), ("he", "she"))
    templates = (Template(text=f"{plain.templates.texts[0]}s"),)
    joined = joined.model_copy(
        update={"templates": joined.templates.model_copy(update={"templates": templates})}
    )
    score(store, plain)
    store.save_run(joined, {})
    store.delete_run(plain.key)
    assert not store.missing(key, plain.prompts, plain.topic.words)
    store.delete_run(joined.key)
    assert store.missing(key, plain.prompts, plain.topic.words)


def test_a_shipped_run_cannot_be_deleted(tmp_path: Path, key: ScoringKey) -> None:
    shipped = Store.open(tmp_path / "shipped")
    run = asking(key, ("nurse",), ("he", "she"))
    score(shipped, run)
    before = files_of(tmp_path / "shipped")
    store = Store.open(tmp_path / "cache", [tmp_path / "shipped"])
    assert store.own_runs() == ()
    for call in (store.delete_run, store.size_of_run):
        with pytest.raises(RunError, match="was not made in this cache"):
            call(run.key)
    store.save_run(run, {"made": "here"})
    store.delete_run(run.key)
    assert [info.provenance for info in store.runs()] == [{}], "the shipped one shows through again"
    assert files_of(tmp_path / "shipped") == before


def test_shards_that_several_caches_share_stay(tmp_path: Path, key: ScoringKey) -> None:
    run = asking(key, ("nurse",), ("he", "she"))
    ours, theirs = (Store.open(tmp_path / name, scores=str(tmp_path / "shared")) for name in ("a", "b"))
    score(ours, run)
    ours.delete_run(run.key)
    assert ours.own_runs() == ()
    assert not theirs.missing(key, run.prompts, run.topic.words)

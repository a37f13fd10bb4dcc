"""Runs of packs: they read as where they were scored, and never pass for what is scored here."""

from __future__ import annotations

import errno
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result, recomputed_result, self_audit_of
from pcf_core.core.errors import ModelError, PackError, RunError, StoreError
from pcf_core.core.run import ImportedKey, RunSpec
from pcf_core.core.settings import ROOT, Settings
from pcf_core.models.registry import resolve
from pcf_core.report.packs import pack_parts, read_pack
from pcf_core.store import imported
from pcf_core.store.store import Store
from pcf_core.work.queue import Queue
from pcf_core.work.requests import submit_run
from tests.report.small_packs import KEY, brought, changed, packed, score, small_run


def files_of(root: Path) -> list[str]:
    kept = ("imported", "runs", "scores", "results")
    found = (path for folder in kept for path in (root / folder).rglob("*") if path.is_file())
    return sorted(str(path.relative_to(root)) for path in found)


@pytest.fixture
def theirs(tmp_path: Path) -> Store:
    found = Store.open(tmp_path / "theirs")
    score(found, small_run())
    return found


@pytest.fixture
def pack(theirs: Store) -> bytes:
    return packed(theirs, small_run())


@pytest.mark.parametrize("model", ["SmolLM2-135M-Instruct-Q4_1", "mini-bert", "mini-gpt"])
def test_a_shipped_run_reads_the_same_in_an_empty_store(model: str, tmp_path: Path, ours: Store) -> None:
    shipped = Store.open(tmp_path / "shipped", [ROOT / "assets" / "cache"])
    run = next(info.run for info in shipped.runs() if info.run.scoring.model == model)
    (arrived,) = brought(ours, packed(shipped, run)).new
    assert arrived.key == run.key
    here = ours.load_run(run.key)
    first, second = recomputed_result(shipped, run), load_result(ours, here)
    np.testing.assert_array_equal(first.preferences.values, second.preferences.values)
    assert (first.words, first.left_out, first.tokens) == (second.words, second.left_out, second.tokens)
    assert (first.self_audit, first.coverage) == (second.self_audit, second.coverage)
    options = ViewOptions()
    then, now = report(first, run, options), report(second, here, options)
    assert (then.overall_risk, then.intervals) == (now.overall_risk, now.intervals)


def test_an_imported_run_is_marked_with_who_scored_it(ours: Store, pack: bytes) -> None:
    brought(ours, pack, "unknown key")
    (info,) = ours.runs()
    assert isinstance(info.run.scoring, ImportedKey)
    assert info.run.scoring.label.startswith("imported:theirs@")
    assert info.run.key == small_run().key
    said = info.provenance["imported"]
    assert (said["scored_by"], said["signature"]) == ("Ann", "unknown key")
    assert ours.own_runs() == ()
    assert ours.imported_runs() == (info,)


def test_what_is_scored_here_never_takes_a_score_of_a_pack(ours: Store, pack: bytes) -> None:
    """Nor a word that a forged tokenizer refuses: the same key, and nothing of it is known here."""
    brought(ours, pack)
    run = small_run()
    assert ours.known_words(run.scoring).tokens == {}
    assert ours.known_words(run.scoring).refused == {}
    assert np.isnan(ours.gather(run.scoring, run.prompts, ("he",))).all()
    assert sum(len(block.prompts) for block in ours.missing(run.scoring, run.prompts, ("he",))) == 6
    assert not ours.is_finished(run)
    assert ours.is_finished(run.as_imported)
    assert self_audit_of(ours, run) is None


def test_scoring_the_same_here_takes_its_place_and_nothing_of_it(ours: Store, pack: bytes) -> None:
    brought(ours, pack)
    theirs = load_result(ours, ours.load_run(small_run().key))
    ours.ask_for(small_run())
    assert not ours.run_info(small_run().key).complete, "what was imported does not finish a run of ours"
    assert "imported" not in ours.run_info(small_run().key).provenance
    run = score(ours, small_run(), shift=-0.5)
    made = load_result(ours, ours.load_run(run.key))
    assert ours.run_info(run.key).run.scoring == KEY
    other = Store.open(ours._root.parent / "other")
    score(other, small_run(), shift=-0.5)
    np.testing.assert_array_equal(
        made.preferences.values, recomputed_result(other, small_run()).preferences.values
    )
    assert theirs.preferences.values.shape == made.preferences.values.shape
    ours.delete_run(run.key)
    assert ours.load_run(run.key).scoring.imported, "the imported one shows through again"
    np.testing.assert_array_equal(
        load_result(ours, ours.load_run(run.key)).preferences.values, theirs.preferences.values
    )


def test_no_score_from_here_is_read_for_a_pack(theirs: Store, ours: Store, pack: bytes) -> None:
    """A run of the same model that was scored here says otherwise of the nurse: each reads its own."""
    run = score(ours, small_run(terms=("nurse", "pilot")), shift=0.25)
    before = recomputed_result(ours, run).preferences.values
    brought(ours, pack)
    np.testing.assert_array_equal(
        load_result(ours, ours.load_run(small_run().key)).preferences.values,
        recomputed_result(theirs, small_run()).preferences.values,
    )
    np.testing.assert_array_equal(recomputed_result(ours, run).preferences.values, before)


def test_an_imported_model_cannot_be_scored(own_settings: Settings, ours: Store, pack: bytes) -> None:
    brought(ours, pack)
    run = ours.load_run(small_run().key)
    with pytest.raises(ModelError, match="is not installed, only its imported results"):
        resolve(run.scoring.name)
    with pytest.raises(RunError, match="was imported, so it cannot be run here"):
        submit_run(ours, Queue.open(own_settings.catalogue), run)
    with pytest.raises(ValueError, match="come in packs"):
        ours.write(run.scoring, (), (), None, np.zeros((0, 0)), {})  # type: ignore[arg-type]
    with pytest.raises(RunError, match="pass on the pack"):
        pack_parts(ours, [run.key])


def test_a_forged_name_is_never_that_of_a_model_here(theirs: Store, ours: Store) -> None:
    """A pack may call its model as a shipped one is called: pages ask for it by another name."""
    key = KEY.model_copy(update={"model": "mini-gpt"})
    score(theirs, small_run(key))
    brought(ours, packed(theirs, small_run(key)))
    (info,) = ours.runs()
    assert info.run.scoring.name.startswith("imported:mini-gpt@")
    other = KEY.model_copy(update={"model": "mini-gpt", "identity": "feedfeed"})
    score(theirs, small_run(other))
    brought(ours, packed(theirs, small_run(other)))
    assert len({found.run.scoring.name for found in ours.runs()}) == 2, "two models of one name"


def test_the_same_pack_again_changes_nothing(ours: Store, pack: bytes) -> None:
    brought(ours, pack)
    before = files_of(ours._root)
    again = brought(ours, pack)
    assert (again.new, [run.key for run in again.known]) == ((), [small_run().key])
    assert files_of(ours._root) == before


def test_a_run_that_is_here_with_the_same_scores_stays_ours(theirs: Store, pack: bytes) -> None:
    assert [run.scoring.imported for run in brought(theirs, pack).known] == [False]
    assert theirs.imported_runs() == ()


@pytest.mark.parametrize("scored", ["here", "imported"])
def test_other_counts_of_a_pack_change_no_run_and_are_said(ours: Store, theirs: Store, scored: str) -> None:
    run = small_run()
    several = tuple(one.model_copy(update={"count": 9.0}) for one in run.templates.templates)
    recounted = run.templates.model_copy(update={"name": "counted", "templates": several})
    other = run.model_copy(update={"templates": recounted})
    if scored == "here":
        score(ours, run)
    else:
        brought(ours, packed(theirs, run))
    stranger = score(Store.open(ours._root.parent / "stranger"), other)
    arrived = brought(ours, packed(Store.open(ours._root.parent / "stranger"), stranger))
    assert [one.key for one in arrived.known] == [run.key]
    assert ours.load_run(run.key).templates == run.templates
    assert arrived.notes == (
        f"The run {run.key} uses the counts of three, not those of counted. It keeps using them, so the "
        "figures here differ from those in the pack.",
    )


@pytest.mark.parametrize("scored", ["here", "imported", "not finished"])
def test_a_run_that_is_here_with_other_scores_is_refused(ours: Store, pack: bytes, scored: str) -> None:
    if scored == "here":
        score(ours, small_run(), shift=0.25)
    elif scored == "imported":
        other = Store.open(ours._root.parent / "other")
        score(other, small_run(), shift=0.25)
        brought(ours, packed(other, small_run()))
    else:
        ours.ask_for(small_run())
    before = files_of(ours._root)
    why = "but some of its scores are not" if scored == "not finished" else "with other scores"
    with pytest.raises(PackError, match=f"{why}: nothing was imported"):
        brought(ours, pack)
    assert files_of(ours._root) == before


def test_a_second_pack_cannot_change_the_sentences_of_the_first(ours: Store, theirs: Store) -> None:
    """Another run of the same model: its scores of known prompts, and tokens of known words, must agree."""
    brought(ours, packed(theirs, small_run()))
    run = small_run(terms=("clerk", "nurse", "pilot"))
    other = Store.open(ours._root.parent / "other")
    score(other, run)
    with pytest.raises(PackError, match="contradicts an earlier import"):
        brought(ours, packed(other, run))
    only = small_run(terms=("pilot",))
    score(theirs, only)
    counted = changed(
        packed(theirs, only), "words.json", lambda body: body | {"tokens": more(body["tokens"])}
    )
    with pytest.raises(PackError, match="contradicts an earlier import"):
        brought(ours, counted)
    assert [found.key for found in brought(ours, packed(theirs, only)).new] == [only.key]


def more(tokens: dict[str, int]) -> dict[str, int]:
    return {word: count + 1 for word, count in tokens.items()}


def test_runs_of_one_pack_cannot_contradict_each_other(theirs: Store, ours: Store) -> None:
    run = small_run(terms=("nurse", "pilot"))
    score(theirs, run)
    data = packed(theirs, small_run(), run)
    assert len(read_pack(data).contents) == 2
    forged = changed(
        data, f"{run.key}/scores.f32", lambda scores: (np.frombuffer(scores, "<f4") - 1).tobytes()
    )
    with pytest.raises(PackError, match="Two runs of this pack give other scores"):
        brought(ours, forged)
    assert files_of(ours._root) == []
    assert len(brought(ours, data).new) == 2


def test_nothing_half_imported_is_left(theirs: Store, ours: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever file it is that the disk has no room for, and whichever folder cannot be moved."""
    run = small_run(terms=("pilot",))
    score(theirs, run)
    data = packed(theirs, small_run(), run)
    written = moved = stop = 0
    write, rename = imported.write_whole, Path.rename

    def full(path: Path, content: bytes) -> None:
        nonlocal written
        written += 1
        if written == stop:
            raise OSError(errno.ENOSPC, "no space")
        write(path, content)

    def stuck(self: Path, target: Path) -> Path:
        nonlocal moved
        moved += 1
        if moved == 2:
            raise OSError(errno.EIO, "input/output error")
        return rename(self, target)

    for place in (1, 2, 5, 9):
        written, stop = 0, place
        with monkeypatch.context() as patch:
            patch.setattr(imported, "write_whole", full)
            with pytest.raises(StoreError):
                brought(ours, data)
        assert files_of(ours._root) == []
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", stuck)
        with pytest.raises(StoreError):
            brought(ours, data)
    assert files_of(ours._root) == []
    assert ours.runs() == ()
    left = ours._root / "imported" / ".staged-killed"
    left.mkdir()
    (left / "run.json").write_text("half")
    assert len(brought(ours, data).new) == 2
    assert not left.exists()


def test_an_import_is_deleted_with_what_was_derived(ours: Store, pack: bytes) -> None:
    brought(ours, pack)
    run: RunSpec = ours.load_run(small_run().key)
    load_result(ours, run)
    assert ours.size_of_run(run.key) == sum(
        (ours._root / path).stat().st_size for path in files_of(ours._root)
    )
    ours.delete_run(run.key)
    assert files_of(ours._root) == []
    assert ours.runs() == ()
    with pytest.raises(RunError):
        ours.delete_run(run.key)


def test_an_import_that_is_half_deleted_is_no_run_any_more(
    ours: Store, pack: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever stops it after the first file: no run is listed whose scores are gone."""
    brought(ours, pack)
    unlink, gone = Path.unlink, list[Path]()

    def once(self: Path, missing_ok: bool = False) -> None:
        if gone:
            raise OSError(errno.EIO, "input/output error")
        gone.append(self)
        unlink(self, missing_ok=missing_ok)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", once)
        with pytest.raises(StoreError):
            ours.delete_run(small_run().key)
    assert len(gone) == 1
    assert Store.open(ours._root).runs() == ()


def test_a_damaged_import_is_found_out(ours: Store, pack: bytes) -> None:
    brought(ours, pack)
    run = ours.load_run(small_run().key)
    for path in (ours._root / "imported").rglob("*.parquet"):
        path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(RunError, match="is not finished"):
        load_result(ours, run)
    assert any("damaged" in sentence for sentence in ours.warnings())


# ------------------------------------------------------------------------- several processes at once


def import_all(root: Path, packs: list[bytes]) -> list[tuple[int, int]]:
    """Import packs in a process of its own; how many runs of each were new, and how many known."""
    store = Store.open(root)
    arrived = [brought(store, one) for one in packs]
    return [(len(one.new), len(one.known)) for one in arrived]


def import_and_delete(root: Path, pack: bytes, times: int) -> list[str]:
    """Import a pack and delete its run, again and again, while others do; what was refused."""
    store, key, refused = Store.open(root), small_run().key, []
    for _ in range(times):
        try:
            brought(store, pack)
        except PackError as error:
            refused.append(str(error))
        with suppress(RunError):  # another process has deleted it
            store.delete_run(key)
    return refused


def test_several_processes_import_the_same_packs_at_once(theirs: Store, ours: Store) -> None:
    runs = [small_run(terms=("nurse", f"clerk of {at}")) for at in range(5)]
    packs = [packed(theirs, score(theirs, run)) for run in runs]
    with ProcessPoolExecutor(3, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = [task.result() for task in [pool.submit(import_all, ours._root, packs) for _ in range(3)]]
    assert [sorted(each) for each in zip(*found, strict=True)] == [[(0, 1), (0, 1), (1, 0)]] * 5
    assert {info.run.key for info in ours.imported_runs()} == {run.key for run in runs}
    assert not list((ours._root / "imported").glob(".staged-*"))


def test_a_run_that_another_process_deletes_is_never_said_to_have_other_scores(
    ours: Store, pack: bytes
) -> None:
    with ProcessPoolExecutor(3, mp_context=multiprocessing.get_context("spawn")) as pool:
        tasks = [pool.submit(import_and_delete, ours._root, pack, 6) for _ in range(3)]
        assert [task.result() for task in tasks] == [[], [], []]
    assert files_of(ours._root) == []


def test_what_a_deletion_that_was_ended_has_left_is_replaced(ours: Store, pack: bytes) -> None:
    brought(ours, pack)
    before = files_of(ours._root)
    (ours._root / "imported" / small_run().key / "runs" / f"{small_run().key}.json").unlink()
    again = Store.open(ours._root)
    assert len(brought(again, pack).new) == 1
    assert files_of(ours._root) == before


def test_who_waits_for_another_import_too_long_is_told_who_has_the_lock(
    ours: Store, pack: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pcf_core.store.store.IMPORT_SECONDS", 0.3)
    with (
        Store.open(ours._root).importing(),
        pytest.raises(
            StoreError, match=rf"process {os.getpid()} on .* is importing or deleting results in the"
        ),
    ):
        brought(ours, pack)

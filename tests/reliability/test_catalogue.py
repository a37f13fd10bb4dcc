"""Flipped bits in the catalogue: the same numbers or one sentence, whatever they hit."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.fakes import FakeScorer
from benchmarks.kills import runs_of, submit
from benchmarks.mortal import probability
from pcf_core.app.caching import _queue, open_queue, open_store
from pcf_core.core.errors import DamagedCatalogueError, StoreError
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.core.settings import settings
from pcf_core.models.scoring.base import Scorer
from pcf_core.store.catalogue import prompt_hashes, row_checksum
from pcf_core.store.database import FILE_NAME, open_database
from pcf_core.store.store import Store
from pcf_core.work.queue import Queue
from pcf_core.work.scoring import score_run
from pcf_core.work.worker import Worker
from tests.command_line import Done, run_here

(RUN,) = runs_of(["mini-gpt"], 4)  # 76 prompts in five shards
KEPT = f"{FILE_NAME}.damaged"


def open_fake(spec: ModelSpec, protocol: str) -> Scorer:
    return FakeScorer(probability, key=ScoringKey.of(spec, protocol))


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A scored cache with four jobs, one of them running, whose results are not kept: the index is asked."""
    cache = tmp_path_factory.mktemp("scored") / "cache"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PCF_SHARD_PROMPTS", "16")
        patch.setenv("PCF_SHIPPED_RESULTS", "0")
        settings.cache_clear()
        store = Store.open(cache)
        score_run(RUN, store, open_fake)
        queue = Queue.open(cache / FILE_NAME)
        for number in range(4):
            queue.submit("score", f"run {number}", {"run": RUN.key, "number": number})
        queue.claim("elsewhere:1:1")
        queue.close()
        store._database.close()
        yield cache
    settings.cache_clear()


@pytest.fixture
def cache(scored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of it, the cache of the command line."""
    folder = shutil.copytree(scored, tmp_path / "cache")
    monkeypatch.setenv("PCF_CACHE", str(folder))
    settings.cache_clear()
    yield folder
    settings.cache_clear()


def renew(cache: Path, scored: Path) -> Path:
    """The cache as it was; return its catalogue."""
    shutil.rmtree(cache)
    shutil.copytree(scored, cache)
    return cache / FILE_NAME


def flip(path: Path, position: int, bit: int) -> None:
    content = bytearray(path.read_bytes())
    content[position] ^= 1 << bit
    path.write_bytes(bytes(content))


def exchange(path: Path, old: bytes, new: bytes, which: int = 0) -> None:
    """Write other bytes in the place of one occurrence."""
    content = path.read_bytes()
    position = -1
    for _ in range(which + 1):
        position = content.index(old, position + 1)
    path.write_bytes(content[:position] + new + content[position + len(new) :])


def risk() -> Done:
    return run_here("risk", RUN.key, "--protocol", "single-token", "--json")


def jobs(path: Path) -> list[tuple[int, str, dict[str, Any]]]:
    """What the queue tells of its jobs, and that a worker can go on with it."""
    queue = Queue.open(path)
    rows = [(job.id, job.key, job.payload) for job in queue.list()]
    queue.requeue_dead()
    queue.workers()
    queue.claim("elsewhere:2:2")
    queue.close()
    return rows


def check_flip(cache: Path, scored: Path, position: int, bit: int, expected: str) -> bool:
    """Numbers and jobs are as they were, or there is one sentence; whether risk said one."""
    flip(renew(cache, scored), position, bit)
    risks = risk()
    refused = risks.returncode in (1, 2) and risks.stdout == "" and risks.stderr.count("\n") == 1
    assert refused or (risks.returncode, risks.stdout) == (0, expected), (position, bit, risks)
    path = renew(cache, scored)
    whole = jobs(path)
    flip(renew(cache, scored), position, bit)
    try:
        rows = jobs(path)
    except DamagedCatalogueError:
        rows = jobs(path)
    assert all(job in whole for job in rows), (position, bit, rows)
    return refused


def check_flips(cache: Path, scored: Path, seed: int, count: int) -> None:
    generator = random.Random(seed)
    size = (scored / FILE_NAME).stat().st_size
    expected = risk().stdout
    assert json.loads(expected)["overall_risk"] > 0
    refused = [
        check_flip(cache, scored, generator.randrange(size), generator.randrange(8), expected)
        for _ in range(count)
    ]
    assert sum(refused) <= count // 8, "of most nobody hears"


def test_twenty_flipped_bits_change_no_number(cache: Path, scored: Path) -> None:
    check_flips(cache, scored, 20, 20)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_two_hundred_flipped_bits_change_no_number(cache: Path, scored: Path) -> None:
    check_flips(cache, scored, 200, 200)


HARM = {
    "another count": (b'"she": 1', b'"she": 3'),
    "no JSON": (b'"she": 1', b'"she"> 1'),
    "no text": (b'"she": 1', b'"she": \xff'),
    "another word": (b'"she": 1', b'"shd": 1'),
    "another spelling": (b'"she": "she"', b'"she": "shd"'),
    "another shard": (RUN.scoring.hash.encode(), b"z" + RUN.scoring.hash.encode()[1:]),
    "another prompt": (prompt_hashes(RUN.prompts[:1]), bytes(16)),
    "another table": (b"CREATE TABLE shard_words", b"CREATE TABLE shard_wordz"),
    "another column": (b"words TEXT NOT NULL", b"wordz TEXT NOT NULL"),
    "a message that is no text": (b"CREATE TABLE warnings", b"CREATE TABLE warni\xeegs"),
}


@pytest.mark.parametrize("harm", HARM)
def test_what_the_index_says_of_words_is_not_believed_but_checked(
    cache: Path, scored: Path, harm: str
) -> None:
    expected = risk().stdout
    exchange(renew(cache, scored), *HARM[harm])
    for _ in range(2):
        risks = risk()
        assert (risks.returncode, risks.stdout) == (0, expected)
        shutil.rmtree(cache / "results")


def test_a_shard_that_does_not_hold_what_the_index_says_is_not_asked_for_ever(cache: Path) -> None:
    """Only who reads the shard can find that; the index is made again then."""
    expected = risk().stdout
    shutil.rmtree(cache / "results")
    with sqlite3.connect(cache / FILE_NAME) as database:
        shards = [shard for (shard,) in database.execute("SELECT shard FROM shard_prompts ORDER BY shard")]
        for table, number, column in (
            ("shard_prompts", "shard", "hashes"),
            ("shard_words", "number", "prompts"),
        ):
            database.execute(
                f"UPDATE {table} SET {column} = (SELECT {column} FROM {table} WHERE {number} = ?) "
                f"WHERE {number} = ?",
                (shards[-1], shards[0]),
            )
        for number, shard, words, prompts in database.execute(
            "SELECT number, id, words, prompts FROM shard_words"
        ).fetchall():
            database.execute(
                "UPDATE shard_words SET checksum = ? WHERE number = ?",
                (row_checksum(RUN.scoring.hash, shard, words, prompts), number),
            )
    database.close()
    assert risk().stdout == expected
    assert (cache / KEPT).exists()


def test_a_row_is_not_changed_once_it_is_not_as_it_was_written(cache: Path) -> None:
    exchange(cache / FILE_NAME, b'"number": 2', b'"number": 7')
    queue = Queue.open(cache / FILE_NAME)
    assert queue.claim("here:1:1") is not None
    with pytest.raises(DamagedCatalogueError, match="a row of jobs is not as it was written"):
        queue.claim("here:1:1")
    assert not queue.current


def test_whole_jobs_are_kept_and_the_one_that_was_running_waits_again(cache: Path) -> None:
    """What is harmed is the third job."""
    path = cache / FILE_NAME
    exchange(path, b'"number": 2', b'"numbes": 2')
    with pytest.raises(
        DamagedCatalogueError, match=f"was damaged .* saved as {KEPT} and replaced by a new one"
    ):
        Queue.open(path).list()
    queue = Queue.open(path)
    states = {job.key: (job.payload["number"], job.state) for job in queue.list()}
    assert len(states) == 3
    assert states["run 0"] == (0, "queued")
    assert {f"run {number}": (number, "queued") for number, _ in states.values()} == states
    (warning,) = Store.open(cache).warnings()
    assert KEPT in warning
    queue.cancel(1)
    queue.forget("score", 0)
    assert Queue.open(path).list() == (), "they are taken over once"
    (cache / KEPT).unlink()
    assert Store.open(cache).warnings() == ()


def test_who_finds_the_damage_late_leaves_the_new_file_alone(cache: Path) -> None:
    path = cache / FILE_NAME
    first, second = Queue.open(path), Queue.open(path)
    exchange(path, b'"number": 3', b'"number": 7')
    ruined = path.read_bytes()
    with pytest.raises(DamagedCatalogueError):
        first.list()
    again = Queue.open(path)
    job = again.submit("score", "new", {})
    with pytest.raises(DamagedCatalogueError):
        second.list()
    assert (again.current, again.get(job.id).key) == (True, "new")
    assert (cache / KEPT).read_bytes() == ruined
    first.close()
    second.close()
    assert Queue.open(path).get(job.id).key == "new"


def test_set_aside_under_a_worker_it_ends_it_and_an_app_opens_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where it is deleted, but that the job is still there."""
    monkeypatch.setenv("PCF_CACHE", str(tmp_path))
    monkeypatch.setenv("PCF_SHIPPED_RESULTS", "0")
    settings.cache_clear()
    open_store.clear()
    _queue.clear()
    store, queue = open_store(), open_queue()
    submit(tmp_path, [RUN])

    def damaging(spec: ModelSpec, protocol: str) -> Scorer:
        database = open_database(tmp_path / FILE_NAME)
        with pytest.raises(StoreError):
            database.give_up("for this test")
        return FakeScorer(probability, key=ScoringKey.of(spec, protocol), batch_size=4)

    Worker(store, queue, settings(), damaging).run()
    assert queue.current is False
    assert open_queue().current
    assert [(job.key, job.state) for job in open_queue().list()] == [(RUN.key, "queued")]
    Worker(open_store(), open_queue(), settings(), open_fake).run(until_idle=True)
    assert open_queue().newest("score", RUN.key).state == "done"  # type: ignore[union-attr]
    assert "was damaged (for this test)" in (tmp_path / "worker.log").read_text(encoding="utf8")
    open_store.clear()
    _queue.clear()
    settings.cache_clear()


def test_a_result_that_is_not_as_it_was_written_is_not_shown(cache: Path) -> None:
    path = cache / FILE_NAME
    queue = Queue.open(path)
    queue.finish(1, {"probability": 0.25})
    queue.close()
    exchange(path, b'"probability": 0.25', b'"probability": 0.75')
    with pytest.raises(DamagedCatalogueError, match="a row of jobs is not as it was written"):
        Queue.open(path).get(1)
    assert {job.key for job in Queue.open(path).list()} == {"run 1", "run 2", "run 3"}


def test_a_file_whose_jobs_cannot_be_asked_for_is_followed_by_an_empty_one(cache: Path) -> None:
    """SQLite's own message is no text then."""
    path = cache / FILE_NAME
    exchange(path, b"CREATE TABLE jobs", b"CREATE TABLE j\xd3bs")
    queue = Queue.open(path)
    assert queue.list() == ()
    assert (queue.submit("score", "new", {}).key, (cache / KEPT).exists()) == ("new", True)

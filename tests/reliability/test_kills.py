"""Workers killed at random moments, and right before each change of a file or the database."""

from __future__ import annotations

import signal
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.kills import campaign, content_of, differences, runs_of, submit, undisturbed, variables_of
from benchmarks.mortal import noted, start
from pcf_core.work.queue import DEADLY, DEADLY_TO_LOAD, Queue

OCCUPATIONS = 4  # 76 cells in five shards


@pytest.mark.slow
def test_killed_workers_leave_what_one_that_nobody_disturbed_does(tmp_path: Path) -> None:
    outcome = campaign(tmp_path, ["mini-gpt"], kills=6, occupations=OCCUPATIONS, made_up=0.0, longest=0.3)
    assert outcome.kills == 6
    assert outcome.differences == []
    assert outcome.again == 0
    assert outcome.begun >= outcome.cells > 0
    assert set(outcome.given_up) <= {DEADLY, DEADLY_TO_LOAD}


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("workers", [1, 3])
def test_a_hundred_kills(tmp_path: Path, workers: int) -> None:
    models = ["mini-gpt", "mini-gpt-s", "mini-gpt-l"][:workers]
    outcome = campaign(tmp_path, models, 100, workers, occupations=60, made_up=0.0, seed=workers, longest=0.5)
    assert (outcome.kills >= 100, outcome.differences, outcome.again) == (True, [], 0)


@pytest.fixture
def untouched(tmp_path: Path) -> Path:
    undisturbed(tmp_path / "undisturbed", runs_of(["mini-gpt"], OCCUPATIONS), 0.0)
    return tmp_path / "undisturbed"


def killed_at(cache: Path, changes: range, untouched: Path) -> int:
    """One run whose workers die right before their change of each number; returns how many died."""
    died = 0
    submit(cache, runs_of(["mini-gpt"], OCCUPATIONS))
    for number in [*changes, 0]:
        with closing(Queue.open(cache / "catalogue.sqlite")) as queue:
            for job in queue.list():
                queue.retry(job.id)  # given up where three in a row died too early to get it further
        worker = start(variables_of(cache), 0.0, dies_at=number)
        worker.join()
        assert worker.exitcode in (0, -signal.SIGKILL)
        died += worker.exitcode != 0
    assert differences(cache, untouched) == [], changes
    assert sum(block["again"] for block in noted(cache)) == 0, changes
    return died


@pytest.mark.slow
def test_death_before_a_change_of_a_file_or_the_database_loses_nothing(
    tmp_path: Path, untouched: Path
) -> None:
    """Each worker gets a few changes farther than the last commit and dies before another one."""
    assert killed_at(tmp_path / "disturbed", range(2, 30, 3), untouched) >= 8


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_death_before_every_single_change(tmp_path: Path, untouched: Path) -> None:
    """A fresh cache for each number, from the first change of a worker's life to its last."""
    number = 0
    while killed_at(tmp_path / str(number), range(number + 1, number + 2), untouched):
        number += 1
    print(f"{number} changes")  # noqa: T201 - for docs/reliability.md, seen with -s
    assert number > 40


@pytest.mark.slow
def test_the_comparison_sees_a_changed_byte_a_lost_shard_and_a_draft(tmp_path: Path) -> None:
    runs = runs_of(["mini-gpt"], OCCUPATIONS)
    for name in ("one", "two"):
        undisturbed(tmp_path / name, runs, 0.0)
    one, two = tmp_path / "one", tmp_path / "two"
    assert differences(one, two) == []
    assert any(name.startswith("results/") for name in content_of(one))
    first, second = sorted(one.rglob("scores/*/*.parquet"))[:2]
    first.write_bytes(first.read_bytes()[:-1] + b"?")
    second.unlink()
    (one / "scores" / "x.tmp").touch()
    assert [line.partition(":")[0] for line in differences(one, two)] == [
        "left over",
        "only in one",
        "differs",
    ]

"""A large run is never held whole: what it takes does not grow with words × prompts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.memory import big_run, made_up, marks

ROOT = Path(__file__).resolve().parent.parent.parent


def stage(name: str, cache: Path) -> float:
    """Megabytes that a stage adds to what its process had before."""
    options = ["--templates", "2000", "--words", "all", "--stage", name, "--cache", str(cache)]
    command = [sys.executable, "-m", "benchmarks.memory", *options]
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, check=True)
    found = json.loads(answer.stdout)
    return float(found["peak"] - found["before"])


@pytest.mark.slow
def test_a_run_of_240_000_cells_of_78_words_stays_small(tmp_path: Path) -> None:
    """Its prompts alone take 35 MB as texts, its scores 75 MB in float32 and 150 MB in float64."""
    assert stage("score_run", tmp_path) < 130
    assert stage("load_result", tmp_path) < 250
    assert stage("load_result again", tmp_path) < 130


def test_made_up_scores_are_probabilities_that_do_not_depend_on_the_batch() -> None:
    run = big_run(3, "two")
    assert run.cells == 360
    assert run.topic.words == ("he", "she")
    prompts = list(run.prompts[:9])
    block = made_up(marks(prompts)[:, None], marks(run.topic.words))
    assert ((block > 0) & (block < 1)).all()
    assert block[4, 1] == made_up(*marks([prompts[4], "she"]))

"""The benchmark of FairPair compares the same quantity, and counts what it says."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.fairpair import PairByPair, block_texts, main, pairs_of, whole_job
from pcf_core.fairpair.dissimilarity import Jaccard
from pcf_core.fairpair.metric import variation


def test_pair_by_pair_is_jaccard() -> None:
    (pair,) = pairs_of(1, 12)
    np.testing.assert_allclose(
        PairByPair().matrix(pair.perturbed_original, pair.perturbed_prompt),
        Jaccard().matrix(pair.perturbed_original, pair.perturbed_prompt),
    )


def test_folds_ask_n_times_m_of_every_block() -> None:
    """A fold asks for its four blocks, u and z with u and z, of m² each."""
    (pair,) = pairs_of(1, 40)
    phi = PairByPair()
    variation(pair.perturbed_original, pair.perturbed_prompt, phi, 8)
    assert phi.asked == 4 * 40 * 5


def test_the_tables_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    main(samples=20, prompts=2, written=5)
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if line.startswith(("pair by pair", "Jaccard", "sentiment"))]) == 9
    assert "folds of 5" in lines[-7]
    assert lines[-6].startswith("words, ")
    assert [line.split()[0] for line in lines[-3:]] == ["writing", "perturbing", "measuring"]


def test_whole_blocks_are_written_of_both_sides() -> None:
    assert [block_texts(samples) for samples in (5, 25, 26, 500)] == [50, 50, 100, 1000]


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_500_pairs_for_each_of_20_prompts_take_less_than_15_minutes() -> None:
    seconds = whole_job("mini-gpt", 20, 500, 100)
    assert sum(seconds.values()) < 15 * 60, seconds

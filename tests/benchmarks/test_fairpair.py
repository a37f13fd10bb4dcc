"""The benchmark of FairPair compares the same quantity, and counts what it says."""

from __future__ import annotations

import time

import numpy as np
import pytest

from benchmarks.fairpair import PairByPair, job_seconds, main, open_fake, pairs_of
from pcf_core.texts.fairpair.dissimilarity import Jaccard
from pcf_core.texts.fairpair.metric import fold_matrices


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
    fold_matrices(pair.perturbed_original, pair.perturbed_prompt, phi, 8)
    assert phi.asked == 4 * 40 * 5


def test_the_tables_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    main(samples=20, prompts=2, written=5)
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if line.startswith(("pair by pair", "Jaccard", "sentiment"))]) == 9
    assert "folds of 5" in lines[-7]
    assert lines[-6].startswith("words, ")
    assert [line.split()[0] for line in lines[-3:]] == ["writing", "perturbing", "measuring"]


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_500_pairs_for_each_of_20_prompts_take_less_than_15_minutes() -> None:
    """In seconds of CPU, which others on the machine do not change: what one idle core takes.

    The fake's texts are all there and each is parsed; of the model's 20,000 some are written, and scaled.
    """
    began = time.process_time()
    job_seconds("mini-gpt", 20, 500, open_fake)
    reading = time.process_time() - began
    began = time.process_time()
    job_seconds("mini-gpt", 1, 200)
    writing = (time.process_time() - began) / 200 * 20 * 500
    assert reading + writing < 15 * 60, (reading, writing)

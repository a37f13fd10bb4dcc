"""The proof that samples of a scored model agree with its scores, on small numbers."""

from __future__ import annotations

import numpy as np

from benchmarks.sampled import rows
from pcf_core.audit.writing import Matrix
from pcf_core.measure.criterion import Criterion


def test_ranges_over_answers_contain_the_scored_risks() -> None:
    """Of a model with prejudice .4 and caprice; two repetitions of 20 answers."""
    p = (0.7 + 0.2 * np.random.default_rng(1).standard_normal((12, 15))).clip(0, 1)
    matrix = Matrix(
        values=np.stack([p, 1 - p], axis=-1),
        groups=("men", "women"),
        occupations=tuple(map(str, range(12))),
        templates=tuple(map(str, range(15))),
        template_weights=np.ones(15),
        occupation_weights=np.ones(12),
        criterion=Criterion(),
    )
    head, _, *seeds, last = rows(matrix, 20, 2)
    assert head.startswith("| seed | risk as counted | corrected | range")
    assert len(seeds) == 2
    assert last.count("in 2 of 2 ranges") == 3

"""The shipped fake gives exactly the probabilities that it was given."""

from __future__ import annotations

import time

import numpy as np
import pytest

from pcf_core.core.errors import ModelError
from pcf_core.models.scoring.fake import FakeScorer


def test_values_are_the_logarithms_of_the_given_probabilities() -> None:
    table = {("a [Y]", "he"): 0.5, ("a [Y]", "she"): 0.0, ("b [Y]", "he"): 0.25, ("b [Y]", "she"): 1.0}
    values = FakeScorer(table).score(["a [Y]", "b [Y]"], ["he", "she"])
    np.testing.assert_array_equal(np.exp(values), [[0.5, 0.0], [0.25, 1.0]])


def test_function_tokens_and_refused_words() -> None:
    scorer = FakeScorer(
        lambda prompt, word: len(word) / 10, tokens={"widower": 3}, refused={"ж": "unk"}, name="given"
    )
    table = scorer.check(["he", "widower", "ж"])
    assert dict(table.tokens) == {"he": 1, "widower": 3}
    assert dict(table.refused) == {"ж": "unk"}
    assert scorer.key.model == "given"
    assert scorer.key.family == "fake"
    with pytest.raises(ModelError, match="'ж': unk"):
        scorer.score(["a [Y]"], ["ж"])


def test_batches_can_be_watched_and_stopped() -> None:
    scorer = FakeScorer(lambda prompt, word: 0.5, batch_size=2, delay=0.02)
    started = time.monotonic()
    batches = scorer.batches([f"{number} [Y]" for number in range(5)], ["he"])
    first, _ = next(batches)
    assert first.tolist() == [0, 1]
    assert scorer.scored == 2
    assert [rows.tolist() for rows, _ in batches] == [[2, 3], [4]]
    assert time.monotonic() - started >= 0.06

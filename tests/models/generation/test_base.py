"""What all generators share: each text's own numbers, parts put together, how a text ends."""

from __future__ import annotations

import numpy as np
from scipy import stats

from pcf_core.core.generation import MissingTexts
from pcf_core.models.generation.base import end_of, packed, stream
from tests.models.generation.conftest import key_of


def test_every_text_has_numbers_of_its_own() -> None:
    key = key_of()
    same = [stream(key, "John is", 3).random(5) for _ in range(2)]
    assert same[0].tolist() == same[1].tolist()
    other = [
        stream(key, "John is", 4),
        stream(key, "Jane is", 3),
        stream(key_of(seed=1), "John is", 3),
        stream(key_of(temperature=0.5), "John is", 3),
    ]
    assert all((numbers.random(5) != same[0]).all() for numbers in other)


def test_streams_of_neighbours_are_not_alike() -> None:
    """First numbers of 2,000 indices are uniform, and those of neighbours are not correlated."""
    numbers = np.array([stream(key_of(), "John is", index).random() for index in range(2000)])
    assert stats.kstest(numbers, "uniform").pvalue > 1e-3
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 0.08


def test_parts_are_put_together_in_their_order() -> None:
    wanted = [MissingTexts(name, 0, count) for name, count in zip("abcd", (20, 5, 1, 25), strict=True)]
    assert packed(wanted, 25) == [wanted[:2], wanted[2:3], wanted[3:]]
    assert packed(wanted, 3) == [[part] for part in wanted]
    assert packed([], 25) == []


def test_how_a_text_ends() -> None:
    assert end_of("He.", stopped=True) == "stop"
    assert end_of("He.", stopped=False) == "length"
    assert end_of(" \n", stopped=False) == end_of("", stopped=True) == "empty"

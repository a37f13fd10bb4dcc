"""The answers of Tilt and Heat map, on matrices that can be read by eye."""

from __future__ import annotations

import numpy as np

from pcf_core.core.run import Preferences
from pcf_core.show.overview import farthest_answer, heat_map_answer
from tests.show.test_compare import of_male


def preferences(*male: list[float]) -> Preferences:
    values = np.array([[[p, 1 - p] for p in row] for row in male])
    names = tuple(f"job {place}" for place in range(len(male)))
    return Preferences(("male", "female"), names, tuple(f"[X] {p} [Y]" for p in male[0]), values)


def test_the_occupation_farthest_from_even_is_named_with_whom_it_is_given_to() -> None:
    reports = {"A": of_male(0.9, 0.4), "B": of_male(0.6, 0.2), "C": of_male(0.9, 0.9)}
    assert farthest_answer(reports) == ("A favours men most for job 0; B favours women most for job 1.")
    assert farthest_answer({"even": of_male(0.5, 0.5)}) == ""


def test_how_often_the_sentence_decides() -> None:
    some = preferences([0.9, 0.8], [0.9, 0.1], [0.2, 0.3])
    assert heat_map_answer("A", some, [1, 1]) == (
        "For 2 of 3 occupations A expects the same group in every sentence; "
        "for the others the sentence decides."
    )
    assert heat_map_answer("A", some, [1, 0]) == (
        "For all 3 occupations A expects the same group in every sentence."
    )
    rare = preferences([0.9, 0.8], [0.9, 0.1])  # in the second, one sentence of small weight is otherwise
    assert heat_map_answer("A", rare, [99, 1]) == (
        "For all 2 occupations A expects the same group in nearly every sentence."
    )
    assert heat_map_answer("A", rare, [94, 6]).startswith("For 1 of 2 occupations A expects the same group ")
    assert heat_map_answer("A", preferences([0.5, 0.5]), [1, 1]).startswith("For all 1 occupations A expects")
    assert heat_map_answer("A", preferences([0.9, 0.1]), [1, 1]) == (
        "For all 1 occupations the sentence decides whom A expects."
    )

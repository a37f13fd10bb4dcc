from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pcf_core.core.errors import CriteriaError
from pcf_core.core.records import FloatArray
from pcf_core.texts.criteria.embedding import axis_scores, learned_vectors, why_no_axis

EXAMPLE = {"she": np.array([2.0, 1.0]), "he": np.array([0.0, 1.0]), "chess": np.array([4.0, 7.0])}
places = arrays(np.float64, (4, 3), elements=st.floats(-10, 10).map(lambda value: round(value, 3)))


def test_the_worked_example() -> None:
    assert axis_scores(EXAMPLE) == {"she": 1, "he": -1, "chess": 3}


@given(places)
def test_exchanging_the_ends_turns_every_sign(vectors: FloatArray) -> None:
    words = dict(zip(("she", "he", "a", "b"), vectors, strict=True))
    if why_no_axis(words):
        return
    scores = axis_scores(words)
    turned = axis_scores({**words, "she": words["he"], "he": words["she"]})
    half = np.linalg.norm(words["she"] - words["he"]) / 2
    assert scores["she"] == pytest.approx(half, abs=1e-9)
    assert scores["he"] == pytest.approx(-half, abs=1e-9)
    assert [turned["a"], turned["b"]] == pytest.approx([-scores["a"], -scores["b"]], abs=1e-7)


@given(places)
def test_scores_are_differences_of_distances(vectors: FloatArray) -> None:
    """Second opinion: (‖v − h‖² − ‖v − s‖²) / (2 ‖s − h‖) is the same projection."""
    words = dict(zip(("she", "he", "a", "b"), vectors, strict=True))
    apart = float(np.linalg.norm(words["she"] - words["he"]))
    if apart < 0.01:
        return
    for word, score in axis_scores(words).items():
        to_he, to_she = (((words[word] - words[end]) ** 2).sum() for end in ("he", "she"))
        assert score == pytest.approx((to_he - to_she) / (2 * apart), abs=1e-6)


def test_the_midpoint_is_not_that_of_the_authors_script() -> None:
    """With (h − s) / 2 for the midpoint, the score of "he" is not the opposite of that of "she"."""
    she, he = EXAMPLE["she"], EXAMPLE["he"]
    middle = (he - she) / 2
    unit = (she - middle) / np.linalg.norm(she - middle)
    theirs = [float((end - middle) @ unit) for end in (she, he)]
    assert theirs[0] != pytest.approx(-theirs[1])
    ours = axis_scores(EXAMPLE)
    assert ours["she"] == -ours["he"]


def texts(count: int = 2500) -> list[list[str]]:
    generator = np.random.default_rng(0)
    return [
        [*generator.permutation([end, *own]).tolist(), "likes", f"w{generator.integers(30)}"]
        for end, own in (("she", ("paint", "ballet")), ("he", ("robots", "engines")))
        for _ in range(count)
    ]


@pytest.mark.slow
def test_the_same_seed_learns_the_same_in_every_process() -> None:
    code = (
        "import hashlib; from tests.texts.criteria.test_vectors import texts\n"
        "from pcf_core.texts.criteria.embedding import learned_vectors\n"
        "found = learned_vectors(texts(50), 0)\n"
        "print(hashlib.sha256(b''.join(v.tobytes() for v in found.values())).hexdigest())"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(answers) == 1
    one, other = learned_vectors(texts(50), 0), learned_vectors(texts(50), 1)
    assert not np.allclose(one["she"], other["she"])


def test_words_beside_she_lean_to_she() -> None:
    scores = axis_scores(learned_vectors(texts(), 0))
    assert min(scores["paint"], scores["ballet"]) > max(scores["robots"], scores["engines"])


def test_without_an_end_there_is_no_axis() -> None:
    assert "“he”" in why_no_axis({"she": np.ones(2)})
    assert "same vector" in why_no_axis({"she": np.ones(2), "he": np.ones(2)})
    assert learned_vectors([["once"]], 0) == {}
    with pytest.raises(CriteriaError, match="no axis"):
        axis_scores({})

"""An answer: what words bring to their groups."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.preferences import preferences_of
from pcf_core.core.probe import ProbeAnswer
from pcf_core.core.records import LeftOut
from pcf_core.core.topics import Group, Topic

DOCUMENT = {
    "words": [
        {"word": "he", "group": "male", "log_probability": math.log(0.2), "tokens": 1},
        {"word": "king", "group": "male", "log_probability": math.log(0.1), "tokens": 2},
        {"word": "she", "group": "female", "log_probability": math.log(0.1), "tokens": 1},
        {"word": "queen", "group": "female", "log_probability": None, "tokens": 1},
    ],
    "left_out": [{"word": "abbess", "reason": "unk"}],
    "coverage": {"1": 0.3, "2": 0.1},
    "preferences": {"male": 0.75, "female": 0.25},
}


def test_the_document_of_the_command_is_read() -> None:
    answer = ProbeAnswer.of(DOCUMENT)
    assert answer.left_out == (LeftOut(name="abbess", reason="unk"),)
    assert [word.probability for word in answer.words] == pytest.approx([0.2, 0.1, 0.1, 0.0])
    assert not answer.says_little


def test_shares_by_hand() -> None:
    """Of .75, two thirds are he's: .2 / (.2 + .1); a word without probability brings nothing."""
    assert ProbeAnswer.of(DOCUMENT).shares == pytest.approx({"he": 0.5, "king": 0.25, "she": 0.25})


def test_a_group_without_probability_and_a_sentence_without_any() -> None:
    silent = [{**word, "log_probability": None} for word in DOCUMENT["words"]]
    unknown = {**DOCUMENT, "words": silent, "preferences": {"male": None, "female": None}}
    answer = ProbeAnswer.of({**unknown, "coverage": {"all": 0.0}})
    assert (answer.known, answer.shares, answer.says_little) == ({}, {}, True)
    assert not ProbeAnswer.of({**unknown, "coverage": None}).says_little


@given(st.lists(st.floats(-2000, 0), min_size=4, max_size=4))
def test_shares_add_up_to_the_preferences(nats: list[float]) -> None:
    """The second opinion: the words' probabilities over their sum, where these are no smaller than floats."""
    names = [word["word"] for word in DOCUMENT["words"]]
    topic = Topic(
        name="t",
        title="T",
        groups=(Group(name="male", words=("he", "king")), Group(name="female", words=("she", "queen"))),
    )
    preferences = preferences_of(np.array(nats), topic, names).tolist()
    answer = ProbeAnswer.of(
        {
            **DOCUMENT,
            "words": [
                {**word, "log_probability": value}
                for word, value in zip(DOCUMENT["words"], nats, strict=True)
            ],
            "preferences": dict(zip(("male", "female"), preferences, strict=True)),
        }
    )
    shares = answer.shares
    assert sum(shares.values()) == pytest.approx(1)
    assert shares["he"] + shares["king"] == pytest.approx(answer.known["male"])
    total = sum(map(math.exp, nats))
    if total > 1e-250:
        expected = [math.exp(value) / total for value in nats]
        assert [shares[name] for name in names] == pytest.approx(expected, abs=1e-12)

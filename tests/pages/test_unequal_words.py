"""The amber note of unequal words, on the shipped results, and what its buttons change."""

from __future__ import annotations

import math

import pytest

from pcf_core.app.probe import token_shares
from pcf_core.core.probe import ProbeAnswer
from tests.pages.opened import App, open_app, set_environment


@pytest.fixture(autouse=True)
def shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    set_environment(monkeypatch, SHIPPED_RESULTS="1")


def ambers(app: App) -> str:
    return app.warnings


def buttons(app: App) -> list[str]:
    return [button.key for button in app.button if button.key and button.key.startswith("take_")]


def test_words_of_unequal_length_and_number_are_said_before_the_picture() -> None:
    app = open_app("risk", topic="race", model=["mini-gpt"])
    assert "Words of “hispanic” have 4.0 tokens, words of “white” 1.0" in ambers(app)
    assert "“black” has 2 words, “white” 1: read the mean of a group's words" in ambers(app)
    assert "no words of equal tokens are left" in ambers(app)
    assert len(app.warning) == 1
    assert buttons(app) == ["take_aggregation"]
    app.press("take_aggregation")
    assert app.sidebar.selectbox(key="aggregation").value == "the mean of their probabilities"
    assert "has 2 words" not in ambers(app)
    assert buttons(app) == []


@pytest.mark.parametrize("model", ["mini-bert", "mini-gpt"])
def test_long_words_that_get_next_to_nothing_are_no_reason_to_warn(model: str) -> None:
    """By list gender's words have one to four tokens, by mass he and she carry it."""
    app = open_app("risk", topic="gender", templates="gender-wikipedia-100", model=[model])
    assert ambers(app) == ""
    assert buttons(app) == []


def test_equal_tokens_are_one_press_away_where_every_group_has_some() -> None:
    app = open_app("risk", topic="calibration", model=["planted-causal"])
    assert "tokens" in ambers(app)
    app.press("take_protocol")
    assert app.sidebar.selectbox(key="protocol").value == "words of equal tokens"
    assert app.get("plotly_chart")


def test_a_sentences_tokens_count_by_what_its_words_get() -> None:
    """By hand: of a's .75 two thirds lie in one token; b has one word; c with no probability says nothing."""
    words = [("x", "a", 0.5, 1), ("y", "a", 0.25, 3), ("z", "b", 0.25, 2)]
    answer = ProbeAnswer.model_validate(
        {
            "words": [
                {"word": word, "group": group, "log_probability": math.log(p), "tokens": tokens}
                for word, group, p, tokens in words
            ],
            "left_out": (),
            "coverage": None,
            "preferences": {"a": 0.75, "b": 0.25},
        }
    )
    found = token_shares(answer)
    assert found is not None
    assert found["a"] == pytest.approx({1: 2 / 3, 3: 1 / 3})
    assert found["b"] == {2: 1.0}
    assert token_shares(answer.model_copy(update={"preferences": {"a": None, "b": None}})) is None

"""The amber note of unequal words, on the shipped results, and what its buttons change."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pcf_core.core.settings import Settings, settings
from tests.pages.opened import open_app


@pytest.fixture(autouse=True)
def shipped(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PCF_SHIPPED_RESULTS", "1")
    settings.cache_clear()


def ambers(app: AppTest) -> str:
    return " ".join(warning.value for warning in app.warning).replace("\\", "")


def buttons(app: AppTest) -> list[str]:
    return [button.key for button in app.button if button.key and button.key.startswith("take_")]


def test_words_of_unequal_length_and_number_are_said_before_the_picture() -> None:
    app = open_app("risk", topic="race", model=["mini-gpt"])
    assert "Words of “hispanic” have 4.0 tokens and words of “white” 1.0" in ambers(app)
    assert "2 words of “black” and 1 of “white”" in ambers(app)
    assert "No list here has words of equal tokens" in ambers(app)
    assert buttons(app) == ["take_aggregation"]
    app.button(key="take_aggregation").click().run()
    assert app.sidebar.selectbox(key="aggregation").value == "mean"
    assert "Added up" not in ambers(app)
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
    app.button(key="take_protocol").click().run()
    assert app.sidebar.selectbox(key="protocol").value == "equal-tokens"
    assert not app.exception
    assert app.get("plotly_chart")

"""Menus show titles; their values, the session and the address have names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pcf_core.app.titles import group_titles, list_titles, model_titles, set_titles, topic_titles
from pcf_core.core.settings import Settings
from pcf_core.show.names import Titles
from tests.pages.opened import open_app


@pytest.mark.parametrize("titles", [topic_titles, set_titles, list_titles])
def test_everything_that_is_shipped_has_a_title_of_its_own(
    titles: Callable[[], Titles], own_settings: Settings
) -> None:
    shown = titles()
    assert not [name for name, title in shown.by_name.items() if "-" in name and name in title]
    assert len(set(shown.by_name.values())) == len(shown.by_name)


def test_sets_with_one_title_are_told_by_their_topics(own_settings: Settings) -> None:
    sets = set_titles()
    assert sets("age-choices") == "24 sentences that name the choices (Age)"
    assert sets("religion-choices") == "24 sentences that name the choices (Religion)"
    assert sets("gender-wikipedia-100") == "100 sentence beginnings from Wikipedia"


def test_models_and_groups_are_called_what_readers_call_them() -> None:
    models = model_titles(["SmolLM2-135M-Instruct-Q4_1", "HuggingFaceTB/SmolLM2-135M-Instruct", "mini-gpt"])
    assert list(models.by_name.values()) == [
        "SmolLM2 135M Instruct",
        "HuggingFaceTB/SmolLM2-135M-Instruct",  # the copy's title is not that of the original, too
        "Mini GPT",
    ]
    assert group_titles(["male", "tenors"]).by_name == {"male": "men", "tenors": "tenors"}


def test_a_menu_shows_titles_and_has_names() -> None:
    app = open_app("risk", topic="age")
    topic, sentences = (app.sidebar.selectbox(key=key) for key in ("topic", "templates"))
    assert (topic.value, sentences.value) == ("age", "age-choices")
    assert {"Age", "Gender"} <= set(topic.options)
    assert "24 sentences that name the choices (Age)" in sentences.options
    topic.set_value("religion").run()
    assert app.sidebar.selectbox(key="templates").value == "religion-choices"
    assert not app.exception


@pytest.mark.parametrize("topic", ["religion", "Religion"])
def test_a_link_with_a_name_or_a_title_is_understood(topic: str) -> None:
    app = open_app("risk", topic=topic, model=["SmolLM2 135M Instruct"])
    assert app.sidebar.selectbox(key="topic").value == "religion"
    assert app.sidebar.multiselect(key="model").value == ["SmolLM2-135M-Instruct-Q4_1"]
    assert "The link has" not in app.warnings

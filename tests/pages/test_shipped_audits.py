"""The pages of the text audits as the app comes: they show what is shipped, and offer nothing to be made."""

from __future__ import annotations

import pytest

from tests.pages.opened import open_app, set_environment


@pytest.fixture
def as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    set_environment(monkeypatch, SHIPPED_RESULTS="1")


@pytest.mark.usefixtures("as_it_comes")
@pytest.mark.parametrize(
    ("page", "button", "model"),
    [("fairpair", "fairpair_button", []), ("criteria", "criteria_button", ["mini-gpt"])],
)
def test_a_page_opens_on_a_result(page: str, button: str, model: list[str]) -> None:
    app = open_app(page, model=model) if model else open_app(page)
    assert app.metric
    assert button not in {one.key for one in app.button}
    assert not app.error


@pytest.mark.usefixtures("as_it_comes")
def test_criteria_open_on_the_model_that_the_sidebar_and_summary_speak_of() -> None:
    app = open_app("criteria")
    assert app.multiselect(key="cr_model").value == app.sidebar.multiselect(key="model").value[:1]
    assert app.metric, "it has results, and what it has not been asked is offered below them"
    other = open_app("criteria", model=["mini-gpt"])
    assert other.multiselect(key="cr_model").value == ["mini-gpt"]

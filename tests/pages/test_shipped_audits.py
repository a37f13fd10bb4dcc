"""The pages of the text audits as the app comes: they show what is shipped, and offer nothing to be made."""

from __future__ import annotations

import pytest

from pcf_core.core.settings import Settings, settings
from tests.pages.opened import open_app


@pytest.fixture
def as_it_comes(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PCF_SHIPPED_RESULTS", "1")
    settings.cache_clear()


@pytest.mark.usefixtures("as_it_comes")
@pytest.mark.parametrize(
    ("page", "button"), [("fairpair", "fairpair_button"), ("criteria", "criteria_button")]
)
def test_a_page_opens_on_a_result(page: str, button: str) -> None:
    app = open_app(page)
    assert app.metric
    assert button not in {one.key for one in app.button}
    assert not app.error

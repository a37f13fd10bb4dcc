"""The public board: a read-only app opens on it, and a row leads to the Overview of its model and topic."""

from __future__ import annotations

import pytest

from pcf_core.report.board import add_row, without_row
from pcf_core.store.store import Store
from tests.pages.opened import open_address, own_store, set_environment


@pytest.fixture
def viewers(full_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store = own_store()
    for run in without_row(store):
        add_row(store, run)
    set_environment(monkeypatch, READ_ONLY="1")


@pytest.mark.usefixtures("viewers")
def test_viewers_open_on_the_board_and_a_row_leads_to_its_overview() -> None:
    app = open_address("")
    assert app.titles == ["Public board"]
    (table,) = (one.value for one in app.dataframe)
    (of_gpt,) = (one for one in table["address"] if "model=mini-gpt&" in one)
    address, _, query = of_gpt.partition("?")
    assert address == "overview"
    app.toggle(key="board_plain").set_value(True).run()
    assert f"]({address}?{query})" in app.main.markdown[-1].value
    assert not app.exception


@pytest.mark.usefixtures("full_store")
def test_without_rows_or_with_auditors_the_app_opens_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    assert open_address("").titles == ["Overview"]
    set_environment(monkeypatch, READ_ONLY="1")
    assert open_address("").titles == ["Overview"]

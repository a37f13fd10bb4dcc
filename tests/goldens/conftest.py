"""What several files of goldens begin with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import streamlit as st

from pcf_core.cli.console import open_store
from pcf_core.core.settings import Settings, settings
from pcf_core.store.store import Store


@pytest.fixture
def shipped_store(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The store of an empty cache that has the results which come with the app."""
    monkeypatch.delenv("PCF_SHIPPED_RESULTS")
    settings.cache_clear()
    return open_store()


@pytest.fixture(autouse=True)
def _nothing_of_other_tests() -> Iterator[None]:
    """Begin and end without the store and the answers that pages of other tests cached."""
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()

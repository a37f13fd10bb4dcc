"""An empty store in a cache of its own."""

from __future__ import annotations

import pytest

from pcf_core.core.settings import Settings
from pcf_core.store.store import Store


@pytest.fixture
def store(own_settings: Settings) -> Store:
    return Store.open(own_settings.cache)

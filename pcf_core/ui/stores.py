"""The store and the queue of the app's cache, opened once."""

from __future__ import annotations

import streamlit as st

from pcf_core.jobs import Queue
from pcf_core.settings import settings
from pcf_core.store import Store
from pcf_core.ui.roles import person


@st.cache_resource(show_spinner=False)
def open_store() -> Store:
    return Store.open(settings().cache, settings().results, settings().scores)


def open_queue() -> Queue:
    """The queue as it is for whoever looks at the page."""
    return _queue().acting_for(person())


@st.cache_resource(show_spinner=False)
def _queue() -> Queue:
    return Queue.open(settings().catalogue)

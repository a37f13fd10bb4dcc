"""The store and the queue of the app's cache, opened once while they are those that others use."""

from __future__ import annotations

import streamlit as st

from pcf_core.jobs import Queue
from pcf_core.settings import settings
from pcf_core.store import Store
from pcf_core.store.files import takes_files
from pcf_core.ui.roles import person


def _fits(opened: Store | Queue) -> bool:
    """Whether it need not be opened again, as soon as that can help: the folder was full or could not be
    written, or the catalogue was deleted under it."""
    return opened.current or not takes_files(settings().cache)


@st.cache_resource(show_spinner=False, validate=_fits)
def open_store() -> Store:
    return Store.open(settings().cache, settings().results, settings().scores)


def open_queue() -> Queue:
    """The queue as it is for whoever looks at the page."""
    return _queue().acting_for(person())


@st.cache_resource(show_spinner=False, validate=_fits)
def _queue() -> Queue:
    return Queue.open(settings().catalogue)

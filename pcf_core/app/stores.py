"""The store and the queue of the app's cache, opened once while they are those that others use."""

from __future__ import annotations

import streamlit as st

from pcf_core.app.roles import person
from pcf_core.core.settings import settings
from pcf_core.store.files import takes_files
from pcf_core.store.store import Store
from pcf_core.work.queue import Queue


def _fits(opened: Store | Queue) -> bool:
    """Tell whether it need not be opened again.

    It is opened again as soon as that can help: the folder was full or could not be written, or the catalogue
    was deleted under it.
    """
    return opened.current or not takes_files(settings().cache)


@st.cache_resource(show_spinner=False, validate=_fits)
def open_store() -> Store:
    """Open the store of the settings, one for all sessions."""
    return Store.open(settings().cache, settings().results, settings().scores)


def open_queue() -> Queue:
    """Open the queue as it is for whoever looks at the page."""
    return _queue().acting_for(person())


@st.cache_resource(show_spinner=False, validate=_fits)
def _queue() -> Queue:
    return Queue.open(settings().catalogue)

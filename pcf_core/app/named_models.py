"""Which models a page may look for by a name that somebody typed or put into a link."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pcf_core.app.data import scored_models
from pcf_core.app.roles import may_audit
from pcf_core.app.stores import open_store
from pcf_core.app.text import plain
from pcf_core.models.registry import list_models
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT


def lookable(names: Sequence[str]) -> list[str]:
    """Return the names that may be looked for.

    An auditor may look for all, a viewer for those of models that come with the app or have results.

    To look for another one is to read a folder of the server, or to ask the hub or the endpoint, where the
    operator may pay for it: that is not for whoever opens a link.
    """
    if may_audit() or not names:
        return list(names)
    store = open_store()
    audited = FAIRPAIR_AUDIT.kept(store)
    known = {
        *(spec.name for spec in list_models() if spec.family != "endpoint"),
        *scored_models(),
        *(asked.key.model for asked in audited),
        *(encoder.model for asked in audited if not asked.imported for encoder in asked.encoders),
        *(asked.model for asked in CRITERIA_AUDIT.kept(store)),
    }
    return [name for name in names if name in known]


def draw_lookable(names: Sequence[str]) -> list[str]:
    """Return the same; say what is left out."""
    found = lookable(names)
    for name in names:
        if name not in found:
            st.error(
                f"There are no results of {plain(name)} here, and only an auditor may have other models "
                "looked for.",
                icon=":material/error:",
            )
    return found

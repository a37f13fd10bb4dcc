"""Which models a page may look for by a name that somebody typed or put into a link."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pcf_core.jobs.criteria import kept_criteria
from pcf_core.jobs.fairpair import kept_fairpairs
from pcf_core.models import list_models
from pcf_core.ui.data import scored_models
from pcf_core.ui.roles import may_audit
from pcf_core.ui.stores import open_store
from pcf_core.ui.text import plain


def lookable(names: Sequence[str]) -> list[str]:
    """The names that may be looked for: an auditor's all, a viewer's those of models that come with the app
    or have results.

    To look for another one is to read a folder of the server, or to ask the hub or the endpoint, where the
    operator may pay for it: that is not for whoever opens a link.
    """
    if may_audit() or not names:
        return list(names)
    store = open_store()
    audited = kept_fairpairs(store)
    known = {
        *(spec.name for spec in list_models() if spec.family != "endpoint"),
        *scored_models(),
        *(asked.key.model for asked in audited),
        *(encoder.model for asked in audited for encoder in asked.encoders),
        *(asked.model for asked in kept_criteria(store)),
    }
    return [name for name in names if name in known]


def draw_lookable(names: Sequence[str]) -> list[str]:
    """The same; what is left out is said."""
    found = lookable(names)
    for name in names:
        if name not in found:
            st.error(
                f"There are no results of {plain(name)} here, and only an auditor may have other models "
                "looked for.",
                icon=":material/error:",
            )
    return found

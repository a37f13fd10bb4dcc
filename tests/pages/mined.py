"""A set of the user's own, and what the tests of the page Templates do with the page."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from pcf_core.core.topics import MinedSet, MinedTemplate, SetCard
from tests.pages.opened import texts

OWN = MinedSet(
    name="own-set",
    card=SetCard(
        title="Own",
        corpus="toy corpus",
        licence="CC0",
        documents=12,
        words=900,
        matches=40,
        kept=0.5,
        history=("Mined from the toy corpus.",),
    ),
    templates=(
        MinedTemplate(
            text="The [X] said that [Y]",
            count=10,
            documents=7,
            sources={"enwiki": 8, "simplewiki": 2},
            examples=("enwiki-1@10", "<b>doc</b>@4"),
        ),
        MinedTemplate(text="The [X] stated that [Y]", count=5, documents=4),
        MinedTemplate(text="The [X] :red[found] that [Y]", count=4),
        MinedTemplate(text="The [X] sang while [Y]", count=1),
    ),
)


def said(app: AppTest) -> str:
    """All that stands on the page."""
    captions = "\n".join(caption.value for caption in app.caption)
    return f"{texts(app)}\n{captions}".replace("\\", "")


def tick(app: AppTest, *rows: int) -> None:
    """Tick rows of the table under edit."""
    key = next(frame.key for frame in app.dataframe if frame.key and frame.key.startswith("rows_"))
    app.session_state[key] = {"selection": {"rows": list(rows), "columns": [], "cells": []}}
    app.run()
    assert not app.exception


def press(app: AppTest, key: str) -> None:
    app.button(key=key).click().run()
    assert not app.exception, app.exception

"""Facts, a topic and a template set of the user's own, and the set's rows ticked on the page Templates."""

from __future__ import annotations

from pcf_core.core.topics import Group, MinedSet, MinedTemplate, SetCard
from pcf_core.material.topics import make_topic
from tests.pages.opened import App

SKY = "template,subject,right,wrong\nThe [X] is a [Y],,,\n,Sun,star,planet|moon\n,<b>Mars</b>,planet,*star*\n"
OWN_TOPIC = make_topic(
    "own-topic",
    [Group(name="one", words=("he", "his")), Group(name="two", words=("she", "*b*"))],
    title="Own",
    notes="<b>Made</b> for :red[a test]",
    source="*us*",
)
OWN_SET = MinedSet(
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


def tick(app: App, *rows: int) -> App:
    """Tick rows of the table under edit."""
    key = next(frame.key for frame in app.dataframe if frame.key and frame.key.startswith("rows_"))
    app.session_state[key] = {"selection": {"rows": list(rows), "columns": [], "cells": []}}
    return app.run()

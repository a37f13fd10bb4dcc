"""All template sets in one table, and a new one: from a file, or written here."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd
import streamlit as st

from pcf_core.app.caching import once
from pcf_core.app.lists import own_sets, set_cards, set_names, set_token, template_sets
from pcf_core.app.own import note_written
from pcf_core.app.roles import recorded
from pcf_core.app.templates_draft import point_at
from pcf_core.app.templates_files import draw_import, go_to
from pcf_core.app.text import plain
from pcf_core.core.errors import AuditError, TemplateError
from pcf_core.core.topics import MinedSet, MinedTemplate, SetCard
from pcf_core.material.own_sets import check_new_name, save_set
from pcf_core.material.safety.text import MAX_NAME
from pcf_core.material.templates import make_mined
from pcf_core.measure.resampling import effective_number
from pcf_core.show.findings.numbers import count, number

Form = Literal["clausal", "attributive"]
FORMS: dict[Form, tuple[str, str]] = {
    "clausal": ("a person: he, the woman", "The [X] said that [Y]"),
    "attributive": ("what somebody is: black, old, a Muslim", "The [X], who came home, is [Y]"),
}
COLUMNS = {
    "set": st.column_config.TextColumn("Set", width=155, help="Click a name to open the set."),
    "title": st.column_config.TextColumn("Title", width=355),
    "language": st.column_config.TextColumn("Language", width="small"),
    "stands at [Y]": st.column_config.TextColumn(
        "At [Y]", width="small", help="What the model's words are; empty where not stated."
    ),
    "templates": st.column_config.NumberColumn("Templates", width=85, format="localized"),
    "effective": st.column_config.TextColumn(
        "Effective",
        width=75,
        help="As many templates of equal weight would give means as steady as these.",
    ),
    "corpus": st.column_config.TextColumn("Corpus", help="The texts that it was mined from."),
    "whose": st.column_config.TextColumn("Whose", width=130),
}
SEEN = (
    "set",
    "title",
    "templates",
    "effective",
    "whose",
)  # as wide as the page; the table's menu has the others


def draw_list() -> None:
    """Draw a table of all sets; a click on a name opens one."""
    names = set_names()
    table = once(sets_table)(names, own_sets(), [set_token(name) for name in names])
    event = st.dataframe(
        table,
        hide_index=True,
        column_config=COLUMNS,
        column_order=SEEN,
        placeholder="–",
        on_select="rerun",
        selection_mode="single-cell",
        key="template_sets",
        alt=f"Template sets, {len(table):,} rows",
    )
    st.caption("Click a name to open the set. *new* brings in your own, *mine* makes one from text.")
    for row, column in event.selection.cells:
        if column == "set" and row < len(table):
            point_at(str(table["set"].iloc[row]), "see")
            st.rerun()


def sets_table(names: list[str], own: tuple[str, ...], tokens: list[str]) -> pd.DataFrame:
    """Make a table with one row per set; a damaged one has its name alone.

    ``tokens``: one for the content of each set, as it is now.
    """
    cards, sets = set_cards(), template_sets()
    rows: list[dict[str, object]] = []
    for name in names:
        card = cards.get(name)
        try:
            counts = np.array([template.count for template in sets[name].templates])
        except TemplateError:
            card = None
        whose = "your own" if name in own else "comes with the app"
        if card is None:
            rows.append({"set": name, "title": "damaged: open it to see why", "whose": whose})
            continue
        rows.append(
            {
                "set": name,
                "title": card.title,
                "language": card.language,
                "stands at [Y]": FORMS[card.form][0].partition(":")[0] if card.form else "",
                "templates": len(counts),
                "effective": number(effective_number(counts)),
                "corpus": card.corpus or "not stated",
                "whose": whose,
            }
        )
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"templates": "Int64"})


def draw_new() -> None:
    """Draw a set from a file, or written here."""
    draw_import()
    st.subheader("Write")
    form: Form = st.selectbox(
        "What stands at [Y]",
        list(FORMS),
        format_func=lambda kind: FORMS[kind][0],
        key="new_set_form",
        help="Topics whose words can stand there offer the set first.",
    )
    lines = st.text_area(
        "Sentences, one a line",
        key="new_set_lines",
        height=200,
        placeholder=FORMS[form][1],
        help="Each has one [X], where the occupation goes, and one [Y], where the model goes on. All weigh "
        "the same; counts can be given in a file.",
    )
    name = st.text_input(
        "Name of the new set",
        max_chars=MAX_NAME,
        key="new_set_name",
        placeholder="my-sentences",
        help="Small letters, digits and hyphens.",
    ).strip()
    if st.button("Save the set", key="save_new_set", type="primary", icon=":material/save:"):
        try:
            check_new_name(name)
            recorded("changed", "templates", name, save_set, written_set(name, lines, form))
            note_written("templates", name)
        except AuditError as error:
            st.error(plain(str(error)), icon=":material/error:")
        else:
            go_to(name, "see")


def written_set(name: str, lines: str, form: Form) -> MinedSet:
    """Make a set of lines that a person wrote, each of the same weight.

    Raises
    ------
    TemplateError
        No line, one that is no template, or one that stands twice; a name that is not safe in files or links.
    """
    texts = [line.strip() for line in lines.splitlines() if line.strip()]
    card = SetCard(
        title=name, form=form, source="own sentences", history=(f"Written: {count(len(texts), 'template')}.",)
    )
    return make_mined(name, [MinedTemplate(text=text) for text in texts], card, where="The new set")

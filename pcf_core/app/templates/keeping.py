"""The table of template sets, their drafts, and saving, uploading, downloading and deleting them.

Unsaved edits of a set are a stack of its states in the session, so that each edit can be undone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal
from uuid import uuid4

import pandas as pd
import streamlit as st

from pcf_core.app import own, widgets
from pcf_core.app.caching import kept
from pcf_core.app.lists import mined_set, own_sets, set_cards, set_names, set_token, template_sets
from pcf_core.app.roles import recorded
from pcf_core.app.titles import set_titles
from pcf_core.app.widgets import OVERTAKEN, numeric, plain, plain_label, refusals_said, table_key, textual
from pcf_core.core.errors import TemplateError
from pcf_core.core.records import FloatArray
from pcf_core.core.topics import MinedSet, MinedTemplate, SetCard, TemplateSet, counts_of_families
from pcf_core.material.safety.reading import label
from pcf_core.material.safety.text import MAX_NAME
from pcf_core.material.shelves import name_of
from pcf_core.material.template_editing import renamed
from pcf_core.material.template_files import ACCEPTED, csv_bytes, parquet_bytes
from pcf_core.material.templates import check_new_name, delete_set, load_upload, make_mined, save_set
from pcf_core.measure.resampling import effective_number
from pcf_core.show.findings.numbers import count, effective_count

LARGEST_IMPORT = 32  # MiB
Form = Literal["clausal", "attributive", "decision"]
FORMS: dict[Form, tuple[str, str]] = {
    "clausal": ("a person: he, the woman", "The [X] said that [Y]"),
    "attributive": ("what somebody is: black, old, a Muslim", "The [X], who came home, is [Y]"),
    "decision": ("an answer about a person at [P]: yes, no", "[P] wants to be [X]. Should we hire [P]? [Y]"),
}
COLUMNS = {
    "set": textual("Name"),
    "title": textual("Set", "Click a title to open the set.", width=510),
    "language": textual("Language", width="small"),
    "stands at [Y]": textual("At [Y]", "What the model's words are; empty where not stated.", width="small"),
    "templates": numeric("Templates", None, "localized", width=85),
    "families": numeric("Families", "Templates of one family say the same in other words.", "localized"),
    "effective": textual(
        "As precise as",
        "This many equally common templates would give results as precise as this set. Templates of one "
        "family count as one.",
        width=75,
        alignment="right",  # aligned like numbers, although text
    ),
    "corpus": textual("Corpus", "The texts that it was mined from."),
    "whose": textual("Origin", width=130),
}
SEEN = ("title", "templates", "effective", "whose")  # fit the page; the menu has the others


def draw_save(mined: MinedSet) -> None:
    """Draw the fields that save the set, with its changes, under a name."""
    st.subheader("Save")
    own_names = own_sets()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input(
            "Name",
            value=mined.name if mined.name in own_names else f"{mined.name[: MAX_NAME - 4]}-own",
            max_chars=MAX_NAME,
            key=f"save_name_{mined.name}",
            help="Small letters, digits and hyphens. Sets that come with the app are never replaced.",
        ).strip()
        title = st.text_input(
            "Title", value=mined.card.title, key=f"save_title_{mined.name}", help="What people read in lists."
        )
        pressed = st.button(
            "Save" if name == mined.name and name in own_names else "Save as a new set",
            key="save_set",
            type="primary",
            icon=":material/save:",
            help="Saves the set with its history among your own.",
        )
    if pressed:
        with refusals_said():
            if name == mined.name:
                check_not_overtaken(name)
            changed = mined.model_copy(
                update={"card": mined.card.model_copy(update={"title": title.strip() or name})}
            )
            if name != mined.name:  # it remembers its origin
                changed = renamed(mined, name, title.strip())
            recorded("changed", "templates", name, save_set, changed, replace=name == mined.name)
            own.note_written("templates", name)
            discard(mined.name)
            _go_to(name)


def _go_to(name: str, view: str = "edit") -> None:
    point_at(name, view)
    st.rerun()


def draw_import(saved: Callable[[str], None]) -> None:
    """Draw the upload of a set, in our columns or the papers' form; ``saved`` is called with its name."""
    st.caption(ACCEPTED.forms)
    file = own.upload_file(
        "A file of sentences",
        (),
        LARGEST_IMPORT,
        "import_file",
        "The lists that the papers publish are read too. Placeholders of other tools are asked about.",
    )
    if file is None:
        return
    shown = own.read_shown(lambda: load_upload(file.name, file.getvalue()), f"templates_{file.file_id}")
    if shown is None:
        return
    name = st.text_input(
        "Name of the set",
        value=name_of(Path(file.name)),
        max_chars=MAX_NAME,
        key=f"import_name_{file.file_id}",
        help="Small letters, digits and hyphens.",
    ).strip()
    if st.button(
        "Import", key="import_set", type="primary", icon=":material/upload:", disabled=not shown.confirmed
    ):
        with refusals_said():
            check_new_name(name)
            read = shown.item
            history = (*read.card.history, f"Imported from {label(Path(file.name))}.")
            card = read.card.model_copy(update={"history": history})
            imported = read.model_copy(update={"name": name, "card": card})
            recorded("uploaded", "templates", name, save_set, imported)
            own.note_written("templates", name)
            saved(name)


def draw_export(mined: MinedSet) -> None:
    """Draw downloads of the open set, which Import and the command line read."""
    st.subheader("Export")
    with st.container(horizontal=True):
        st.download_button(
            "CSV",
            lambda: csv_bytes(mined),
            f"{mined.name}.csv",
            "text/csv",
            key="export_csv",
            on_click="ignore",
            icon=":material/download:",
            help="Template, count, documents, sources, examples, and families if there are any; the command "
            "line reads it as --templates.",
        )
        st.download_button(
            "Parquet",
            lambda: parquet_bytes(mined),
            f"{mined.name}.parquet",
            "application/vnd.apache.parquet",
            key="export_parquet",
            on_click="ignore",
            icon=":material/download:",
            help="The same with the card: where it comes from and what was done to it.",
        )


def draw_delete(name: str) -> None:
    """Delete one of the user's own sets with its history, after confirmation."""

    def deleted() -> None:
        discard(name)
        _go_to(set_names()[0])

    own.draw_delete(name, own_sets(), delete_set, deleted, "delete_set", "templates")


def draw_list() -> None:
    """Draw all sets, as a table or as cards; a click on a title opens one."""
    titles = set_titles()
    names = sorted(set_names(), key=lambda name: _in_order(titles(name)))
    table = _sets_table(names, [*map(titles, names)], own_sets())
    st.caption(
        "Click a title to open the set. *Add a set* takes your own sentences; *Extract from text* finds some "
        "in a corpus."
    )
    with st.container(key="cards_of_sets"):
        for row in table.to_dict("records"):
            damaged = pd.isna(row["templates"])
            size = "" if damaged else templates_as_precise_as(row["templates"], row["effective"])
            with st.container(border=True):
                st.button(
                    plain_label(row["title"]),
                    key=f"open_{row['set']}",
                    type="tertiary",
                    on_click=point_at,
                    args=(row["set"], "see"),
                )
                own_one = row["whose"] if row["set"] in own_sets() else ""
                st.markdown("  \n".join(plain(line) for line in (size, own_one) if line))
    with st.container(key="table_of_sets"):
        event = st.dataframe(
            table,
            hide_index=True,
            column_config=COLUMNS,
            column_order=SEEN,
            placeholder="–",
            on_select="rerun",
            selection_mode="single-cell",
            key=table_key("template_sets", names),
            alt=f"Template sets, {len(table):,} rows",
        )
    for index, column in event.selection.cells:
        if column == "title" and index < len(table):
            point_at(str(table["set"].iloc[index]), "see")
            st.rerun()


def templates_as_precise_as(templates: int, effective: str) -> str:
    """Say a set's size, and its precision as a number of equally common templates."""
    if effective == str(templates):
        return count(templates, "template")
    return f"{count(templates, 'template')}, as precise as {effective} equally common ones"


def _in_order(title: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts titles by the numbers and words in them."""
    return [
        (0, int(part), "") if part.isdecimal() else (1, 0, part.casefold())
        for part in re.split(r"(\d+)", title.replace(",", ""))
        if part
    ]


@kept(state=lambda names, *_: [*map(set_token, names)])
def _sets_table(names: list[str], titles: list[str], own: tuple[str, ...]) -> pd.DataFrame:
    """Make a table with one row per set; a damaged one has only its title."""
    cards, sets = set_cards(), template_sets()
    rows: list[dict[str, object]] = []
    for name, title in zip(names, titles, strict=True):
        card = cards.get(name)
        try:
            templates = sets[name].templates
        except TemplateError:
            card = None
        whose = "your own" if name in own else "comes with the app"
        if card is None:
            rows.append({"set": name, "title": f"{title}: damaged, open it to see why", "whose": whose})
            continue
        rows.append(
            {
                "set": name,
                "title": title,
                "language": card.language,
                "stands at [Y]": FORMS[card.form][0].partition(":")[0] if card.form else "",
                "templates": len(templates),
                "families": len(families := counts_of_families(templates)),
                "effective": effective_count(effective_number(families)),
                "corpus": card.corpus or "not stated",
                "whose": whose,
            }
        )
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"templates": "Int64", "families": "Int64"})


def draw_new() -> None:
    """Draw the fields of a new set: typed, pasted or uploaded."""
    st.subheader("Type or paste")
    draw_typed(_go_to_new)
    st.subheader("Upload")
    draw_import(_go_to_new)


def _go_to_new(name: str) -> None:
    _go_to(name, "see")


def draw_typed(saved: Callable[[str], None]) -> None:
    """Draw the fields of a typed or pasted set; ``saved`` is called with its name."""
    form: Form = st.selectbox(
        "What stands at [Y]",
        list(FORMS),
        format_func=lambda kind: FORMS[kind][0],
        key="new_set_form",
        help="Topics with such words list the set first.",
    )
    lines = st.text_area(
        "Sentences, one a line",
        key="new_set_lines",
        height=200,
        placeholder=FORMS[form][1],
        help="Each has one [X], where the occupation goes, and one [Y], where the model continues. All count "
        "the same; a file can give each a count.",
    )
    name = st.text_input(
        "Name of the new set",
        max_chars=MAX_NAME,
        key="new_set_name",
        placeholder="my-sentences",
        help="Small letters, digits and hyphens.",
    ).strip()
    if st.button("Save the set", key="save_new_set", type="primary", icon=":material/save:"):
        with refusals_said():
            check_new_name(name)
            texts = [line.strip() for line in lines.splitlines() if line.strip()]
            history = (f"Written: {count(len(texts), 'template')}.",)
            card = SetCard(title=name, form=form, source="own sentences", history=history)
            templates = [MinedTemplate(text=text) for text in texts]  # equal weights
            written = make_mined(name, templates, card, where="The new set")
            recorded("changed", "templates", name, save_set, written)
            own.note_written("templates", name)
            saved(name)


DRAFTS = "template_drafts"
MOST_STEPS = 50
CALLED = {  # views of the page, by their names in code and earlier addresses
    "list": "All sets",
    "see": "Sentences",
    "new": "Add a set",
    "mine": "Extract from text",
    "edit": "Edit",
    "preview": "Preview",
    "compare": "Compare",
}


@dataclass(frozen=True)
class OpenSet:
    """A set with its unsaved edits; ``top``: how many of its heaviest templates are used.

    ``token``: of its content, for cache keys.  ``begun``: of the saved set when its edits began.
    """

    mined: MinedSet
    token: str
    top: int | None = None
    begun: str = ""

    @property
    def name(self) -> str:
        """The name of the set."""
        return self.mined.name

    @cached_property
    def counts(self) -> list[float]:
        """[template] counts of the whole set, heaviest first."""
        return [template.count for template in self.mined.templates]

    @cached_property
    def family_counts(self) -> FloatArray:
        """[family] counts of the whole set; see :func:`~pcf_core.core.topics.counts_of_families`."""
        return counts_of_families(self.mined.templates)

    @property
    def chosen(self) -> tuple[MinedTemplate, ...]:
        """The templates that are used, heaviest first."""
        return self.mined.templates[: self.top]

    @cached_property
    def chosen_set(self) -> TemplateSet:
        """The same as a set for a run."""
        return self.mined.model_copy(update={"templates": self.chosen}).templates_only

    @property
    def identity(self) -> str:
        """A text that differs between any two states."""
        return f"{self.token}-{self.top}"


def _steps(name: str) -> list[OpenSet]:
    drafts: dict[str, list[OpenSet]] = st.session_state.setdefault(DRAFTS, {})
    return drafts.setdefault(name, [])


def opened(name: str) -> OpenSet:
    """Load the set with its unsaved edits, if any."""
    saved = mined_set(name)
    steps = _steps(name)
    return steps[-1] if steps else OpenSet(saved, token := set_token(name), begun=token)


def edits(name: str) -> int:
    """Count the unsaved edits that can be undone."""
    return len(_steps(name))


def edit(name: str, change: Callable[[MinedSet], MinedSet]) -> None:
    """Apply a change to the open set."""
    steps, before = _steps(name), opened(name)
    steps.append(OpenSet(change(before.mined), uuid4().hex, begun=before.begun))
    del steps[:-MOST_STEPS]


def check_not_overtaken(name: str) -> None:
    """Refuse to save over what somebody else has saved since the edits began."""
    steps = _steps(name)
    if steps and steps[-1].begun != set_token(name):
        raise TemplateError(f"The set {name} {OVERTAKEN}")


def point_at(name: str, view: str) -> None:
    """Choose a set and view for the next run of the script."""
    widgets.point_at({"set": name, "set_view": CALLED[view]})


def undo(name: str) -> None:
    """Undo the last change."""
    _steps(name).pop()


def discard(name: str) -> None:
    """Discard all unsaved changes of a set."""
    _steps(name).clear()

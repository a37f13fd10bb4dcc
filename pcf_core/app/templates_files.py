"""A template set kept, brought in, taken out and deleted."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pcf_core.app import own
from pcf_core.app.lists import own_sets, set_names
from pcf_core.app.roles import recorded
from pcf_core.app.templates_draft import check_not_overtaken, discard, point_at
from pcf_core.app.text import plain
from pcf_core.app.uploads import upload_file
from pcf_core.core.errors import AuditError
from pcf_core.core.topics import MinedSet
from pcf_core.material.own_sets import check_new_name, delete_set, load_upload, save_set
from pcf_core.material.safety.reading import label
from pcf_core.material.safety.text import MAX_NAME
from pcf_core.material.shelves import name_of
from pcf_core.material.template_editing import renamed
from pcf_core.material.template_files import csv_bytes, parquet_bytes

LARGEST_IMPORT = 32  # MiB


def draw_save(mined: MinedSet) -> None:
    """Keep the set as it stands under a name."""
    st.subheader("Save")
    kept = own_sets()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input(
            "Name",
            value=mined.name if mined.name in kept else f"{mined.name[: MAX_NAME - 4]}-own",
            max_chars=MAX_NAME,
            key=f"save_name_{mined.name}",
            help="Small letters, digits and hyphens. Sets that come with the app are never replaced.",
        ).strip()
        title = st.text_input(
            "Title", value=mined.card.title, key=f"save_title_{mined.name}", help="What people read in lists."
        )
        pressed = st.button(
            "Save" if name == mined.name and name in kept else "Save as a new set",
            key="save_set",
            type="primary",
            icon=":material/save:",
            help="Keeps the set with its history among your own.",
        )
    if pressed:
        try:
            if name == mined.name:
                check_not_overtaken(name)
            changed = named_as(mined, name, title)
            recorded("changed", "templates", name, save_set, changed, replace=name == mined.name)
            own.note_written("templates", name)
        except AuditError as error:
            st.error(plain(str(error)), icon=":material/error:")
        else:
            discard(mined.name)
            go_to(name)


def named_as(mined: MinedSet, name: str, title: str) -> MinedSet:
    """Return the set under a name and a title; another name remembers the set it was made of.

    Raises
    ------
    TemplateError
        A name that is not safe in files and links.
    """
    if name != mined.name:
        return renamed(mined, name, title.strip())
    return mined.model_copy(update={"card": mined.card.model_copy(update={"title": title.strip() or name})})


def go_to(name: str, view: str = "edit") -> None:
    """Show another set from now on."""
    point_at(name, view)
    st.rerun()


def draw_import() -> None:
    """Draw a set from a file: our columns, or the papers' published lists."""
    st.subheader("Upload")
    file = upload_file(
        "CSV or Parquet",
        ["csv", "parquet"],
        LARGEST_IMPORT,
        "import_file",
        "Columns template and count; documents, sources and examples where known. The papers' published "
        "form with template and proportion is read too.",
    )
    if file is None:
        return
    name = st.text_input(
        "Name of the set",
        value=name_of(Path(file.name)),
        max_chars=MAX_NAME,
        key=f"import_name_{file.file_id}",
        help="Small letters, digits and hyphens.",
    ).strip()
    if st.button("Import", key="import_set", type="primary", icon=":material/upload:"):
        try:
            check_new_name(name)
            recorded("uploaded", "templates", name, save_set, imported_as(file, name))
            own.note_written("templates", name)
        except AuditError as error:
            st.error(plain(str(error)), icon=":material/error:")
        else:
            go_to(name, "see")


def imported_as(file: UploadedFile, name: str) -> MinedSet:
    """Read the set in an uploaded file, under a name.

    Raises
    ------
    TemplateError
        A file that cannot be used.
    """
    mined = load_upload(file.name, file.getvalue())
    history = (*mined.card.history, f"Imported from {label(Path(file.name))}.")
    card = mined.card.model_copy(update={"history": history})
    return mined.model_copy(update={"name": name, "card": card})


def draw_export(mined: MinedSet) -> None:
    """Draw the set as it stands, in the form that Import and the command line read."""
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
            help="Template, count, documents, sources, examples; the command line reads it as --templates.",
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
    """Delete an own set with its history, after a second question."""

    def deleted() -> None:
        discard(name)
        go_to(set_names()[0])

    own.draw_delete(name, own_sets(), delete_set, deleted, "delete_set", "templates")

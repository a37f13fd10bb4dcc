"""Files that a person brings in: offered to auditors alone, and no larger than field and operator allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pcf_core.app.roles import may_audit
from pcf_core.app.text import plain
from pcf_core.core.settings import settings

MEGABYTE = 1_000_000  # as Streamlit's own field counts them


def upload_file(
    label: str, endings: Sequence[str], largest: int, key: str, help_text: str,
    taken: Callable[[], None] | None = None,
) -> UploadedFile | None:  # fmt: skip
    """Draw the upload of one file; return it, or nothing yet; see :func:`upload_files`."""
    files = upload_files(label, endings, largest, key, help_text, taken, several=False)
    return files[0] if files else None


def upload_files(
    label: str, endings: Sequence[str], largest: int, key: str, help_text: str,
    taken: Callable[[], None] | None = None, *, several: bool = True,
) -> list[UploadedFile]:  # fmt: skip
    """Draw an upload; return the files that were chosen.  For a viewer there is no field.

    A file that is too large is named in a sentence and none is returned, whatever the browser let through.

    Parameters
    ----------
    label
        Of the field.
    endings
        Of the files that may be chosen, with or without their dot.
    largest
        Megabytes that this field takes; ``PCF_LARGEST_UPLOAD`` may be less.
    key
        Of the field.
    help_text
        Of the field.
    taken
        Called when another file was chosen.
    several
        Whether more than one may be chosen.
    """
    if not may_audit():
        return []
    most = most_of(largest)
    found: Any = st.file_uploader(
        label,
        type=[ending.removeprefix(".") for ending in endings],
        accept_multiple_files=several,
        max_upload_size=most,
        key=key,
        on_change=taken,
        help=help_text,
    )
    files: list[UploadedFile] = found if several else [found] if found is not None else []
    for file in files:
        if too_large(file, largest):
            st.error(
                f"The file {plain(file.name)} has {file.size / MEGABYTE:,.1f} megabytes, and {most:,} are "
                "taken here: choose a smaller one.",
                icon=":material/error:",
            )
            return []
    return files


def too_large(file: UploadedFile, largest: int) -> bool:
    """Tell whether a file exceeds a field's megabytes: a browser alone looked before."""
    return file.size > most_of(largest) * MEGABYTE


def most_of(largest: int) -> int:
    """Return the megabytes that a field takes here."""
    return min(largest, settings().largest_upload, int(st.get_option("server.maxUploadSize")))

"""Files that a person brings in: offered to auditors alone, and no larger than field and operator allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pcf_core.settings import settings
from pcf_core.ui.roles import may_audit
from pcf_core.ui.text import plain

MEGABYTE = 1_000_000  # as Streamlit's own field counts them


def upload_file(
    label: str, endings: Sequence[str], largest: int, key: str, help_text: str,
    taken: Callable[[], None] | None = None,
) -> UploadedFile | None:  # fmt: skip
    """One file, or nothing yet; see :func:`upload_files`."""
    files = upload_files(label, endings, largest, key, help_text, taken, several=False)
    return files[0] if files else None


def upload_files(
    label: str, endings: Sequence[str], largest: int, key: str, help_text: str,
    taken: Callable[[], None] | None = None, *, several: bool = True,
) -> list[UploadedFile]:  # fmt: skip
    """The files that were chosen; for a viewer there is no field.

    A file that is too large is named in a sentence and none is returned, whatever the browser let through.

    Args:
        label: of the field.
        endings: of the files that may be chosen, with or without their dot.
        largest: megabytes that this field takes; ``PCF_LARGEST_UPLOAD`` may be less.
        key: of the field.
        help_text: of the field.
        taken: called when another file was chosen.
        several: whether more than one may be chosen.
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
    """Whether a file is more than a field of so many megabytes takes: a browser alone looked before."""
    return file.size > most_of(largest) * MEGABYTE


def most_of(largest: int) -> int:
    """Megabytes that a field takes here."""
    return min(largest, settings().largest_upload, int(st.get_option("server.maxUploadSize")))

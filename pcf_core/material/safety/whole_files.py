"""Files of the user that are there completely or not at all, and uploads that are read and not kept."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from pcf_core.core.errors import InputError, StoreError
from pcf_core.material.safety.reading import label
from pcf_core.material.safety.text import shown

LONGEST_FILE_NAME = 60  # characters, of up to four bytes


def write_whole(path: Path, data: bytes, *, replace: bool) -> bool:
    """Write a file that is there completely or not at all; ``False``: there is one, and it stays.

    Raises
    ------
    OSError
        The disk is full, or the folder cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(prefix=f"{path.stem}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).chmod(0o644)
        if replace:
            Path(draft).replace(path)
            return True
        return _named(Path(draft), path)
    finally:
        Path(draft).unlink(missing_ok=True)


def upload_label(file_name: str) -> str:
    """Return the name of an uploaded file for sentences and for a temporary folder."""
    return label(Path(file_name.replace("/", "-").replace("\\", "-")))[-LONGEST_FILE_NAME:]


def check_ending(name: str, endings: Collection[str], kind: str, error: type[InputError]) -> None:
    """Refuse an upload whose name says that it is of another form."""
    if Path(name).suffix.lower() not in endings:
        raise error(f"{shown(name)} is not a {' or '.join(endings)} file: save the {kind} as one.")


@contextmanager
def uploaded(name: str, data: bytes) -> Iterator[Path]:
    """Open an upload as a temporary file; ``name`` as :func:`upload_label` gives it.

    Raises
    ------
    StoreError
        There is no room for temporary files.
    """
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(data)
            yield path
    except OSError as problem:
        raise StoreError(
            f"{name} cannot be written to the folder for temporary files ({problem.strerror}): free some "
            "space there."
        ) from problem


def _named(draft: Path, path: Path) -> bool:
    """Give a draft its name unless another file has it."""
    try:
        os.link(draft, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        draft.replace(path)
    return True

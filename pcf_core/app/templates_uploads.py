"""Corpora that a person uploads: written to the cache folder as they come, under a name that is safe."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from pcf_core.core.errors import CorpusError
from pcf_core.core.settings import settings
from pcf_core.material.safety.text import shown
from pcf_core.material.shelves import name_of
from pcf_core.mining.corpora import FORMS
from pcf_core.mining.corpora.source import suffixes
from pcf_core.mining.documents import offered_corpora

CHUNK = 2**20
HASH_DIGITS = 8
UPLOADED = "upload: "  # before the names of uploads in a list of corpora


def uploads_folder() -> Path:
    """Return the folder of uploaded corpora."""
    return settings().cache / "uploads"


def keep_upload(name: str, data: BinaryIO) -> Path:
    """Write an uploaded file, a chunk at a time, and return where it lies.

    Its name is made of small letters, digits and hyphens of the given one, the beginning of the content's
    hash, and its ending: no name leads out of the folder, and the same file is kept once.

    Raises
    ------
    CorpusError
        Another kind of file, an empty one, or the folder cannot be written.
    """
    form, packing = suffixes(Path(name))
    if form not in FORMS:
        endings = ", ".join(FORMS)
        raise CorpusError(f"A corpus file ends in {endings}, packed or not; got {shown(name[-60:])}.")
    stem = name_of(Path(Path(name).name.removesuffix(packing)))
    folder = uploads_folder()
    with _told("kept"):
        folder.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(prefix=".part-", dir=folder)
        path = Path(part)
        try:
            seen = hashlib.sha256()
            with os.fdopen(handle, "wb") as file:
                while chunk := data.read(CHUNK):
                    seen.update(chunk)
                    file.write(chunk)
            if not path.stat().st_size:
                raise CorpusError(f"The file {shown(name[-60:])} is empty: choose one with text in it.")
            return path.replace(folder / f"{stem}-{seen.hexdigest()[:HASH_DIGITS]}{form}{packing}")
        finally:
            path.unlink(missing_ok=True)


def corpora_at_hand() -> dict[str, Path]:
    """List what can be mined by the name people see: the operator's folder, then what was uploaded."""
    operators, folder = settings().corpora, uploads_folder()
    found = {name: operators / name for name in offered_corpora()} if operators else {}
    if folder.is_dir():
        uploads = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
        found |= {f"{UPLOADED}{path.name}": path for path in uploads}
    return found


def delete_upload(path: Path) -> None:
    """Delete an uploaded file; sets that were mined from it stay.

    Raises
    ------
    CorpusError
        The folder cannot be written.
    """
    with _told("deleted"):
        path.unlink(missing_ok=True)


@contextmanager
def _told(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        reason = problem.strerror or "input/output error"
        raise CorpusError(
            f"The upload cannot be {what} in the cache folder ({reason}): free some space, or ask the "
            "operator for a folder that can be written (PCF_CACHE)."
        ) from problem

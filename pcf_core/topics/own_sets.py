"""The user's own template sets: Parquet files with their cards in the folder ``templates`` of the cache.

They are found by name after the shipped ones, whose names they cannot take.
"""

from __future__ import annotations

from pathlib import Path

from pcf_core.errors import StoreError, TemplateError
from pcf_core.records import MinedSet
from pcf_core.topics.reading import MAX_BYTES
from pcf_core.topics.template_files import parquet_bytes
from pcf_core.topics.templates import ENDINGS, SHELF, load_mined, make_mined
from pcf_core.topics.text import check_name, listed, shown
from pcf_core.topics.whole_files import check_ending, upload_label, uploaded, write_whole


def save_set(mined: MinedSet, *, replace: bool = False) -> MinedSet:
    """Keep a set under its name, whole or not at all; the answer is what was kept.

    Saving again what is there changes nothing.  ``replace``: another of the user's sets of that name goes.

    Raises:
        TemplateError: the name is not safe or taken, the set is too large, or :func:`make_mined` refuses it.
        StoreError: the disk is full, or the folder cannot be written.
    """
    checked = make_mined(mined.name, mined.templates, mined.card, where="The set to save")
    check_new_name(mined.name, replace=replace or _is_kept(checked))
    data = parquet_bytes(checked)
    if len(data) > MAX_BYTES:
        raise TemplateError(
            f"The set {mined.name} has {len(data) / 2**20:,.0f} MiB; at most {MAX_BYTES // 2**20} are kept: "
            "cut it at a higher count."
        )
    path = SHELF.own_folder / f"{mined.name}.parquet"
    try:
        if not write_whole(path, data, replace=mined.name in SHELF.own()) and not _is_kept(checked):
            check_new_name(mined.name)  # another app was quicker
        for file in _files_of(mined.name):
            if file != path:
                file.unlink(missing_ok=True)
    except OSError as problem:
        raise StoreError(_sentence("saved", mined.name, problem)) from problem
    return checked


def check_new_name(name: str, *, replace: bool = False) -> None:
    """Refuse a name before work is put into what will bear it.

    Raises:
        TemplateError: it is not safe in files and links, a shipped set has it, or, without ``replace``, one
            of the user's.
    """
    check_name(name, "the name", "The set to save", TemplateError)
    if name in SHELF.shipped():
        raise TemplateError(f"The name {name} belongs to a shipped template set: choose another.")
    if name in SHELF.own() and not replace:
        raise TemplateError(
            f"There is a template set of yours named {name}: choose another name or delete it."
        )


def delete_set(name: str) -> None:
    """Delete one of the user's own sets; results that were scored with it stay readable.

    Raises:
        TemplateError: none of the user's sets has that name.
        StoreError: the folder cannot be written.
    """
    if name not in SHELF.own():
        kind = "is a shipped set, which stays" if name in SHELF.shipped() else "is none of your template sets"
        raise TemplateError(f"{shown(name)} {kind}: you can delete {listed(SHELF.own())}.")
    try:
        for file in _files_of(name):
            file.unlink(missing_ok=True)
    except OSError as problem:
        raise StoreError(_sentence("deleted", name, problem)) from problem


def load_upload(file_name: str, data: bytes) -> MinedSet:
    """A set from the bytes of a CSV or Parquet file; nothing of it is kept.

    Raises:
        TemplateError: another kind of file, or refused by :func:`~pcf_core.topics.load_mined`.
        StoreError: there is no room for temporary files.
    """
    name = upload_label(file_name)
    check_ending(name, ENDINGS, "set", TemplateError)
    with uploaded(name, data) as path:
        return load_mined(path)


def _is_kept(mined: MinedSet) -> bool:
    """Whether the very same set is there already."""
    try:
        return mined.name in SHELF.own() and load_mined(mined.name) == mined
    except TemplateError:  # what is there is damaged
        return False


def _files_of(name: str) -> tuple[Path, ...]:
    """All that a set may consist of, what names it last: an interrupted deletion can be repeated."""
    return tuple(SHELF.own_folder / f"{name}{suffix}" for suffix in (".toml", *ENDINGS))


def _sentence(what: str, name: str, problem: OSError) -> str:
    reason = problem.strerror or "input/output error"
    return (
        f"The template set {name} cannot be {what} in {SHELF.own_folder} ({reason}): make room and the "
        "folder writable, or set PCF_CACHE to another folder."
    )

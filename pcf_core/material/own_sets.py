"""The user's own template sets: Parquet files with their cards in the folder ``templates`` of the cache.

They are found by name after the shipped ones, whose names they cannot take.
"""

from __future__ import annotations

from pcf_core.core.errors import TemplateError
from pcf_core.core.topics import MinedSet
from pcf_core.material.own_files import OwnFiles
from pcf_core.material.safety.reading import MAX_BYTES
from pcf_core.material.template_files import parquet_bytes
from pcf_core.material.templates import SHELF, load_mined, make_mined


def save_set(mined: MinedSet, *, replace: bool = False) -> MinedSet:
    """Keep a set under its name, whole or not at all; see :meth:`OwnFiles.save`."""
    return OWN.save(mined, replace=replace)


def checked_set(mined: MinedSet) -> MinedSet:
    """Return the set normalised.

    Raises
    ------
    TemplateError
        :func:`make_mined` refuses it.
    """
    return make_mined(mined.name, mined.templates, mined.card, where="The set to save")


def set_bytes(mined: MinedSet) -> bytes:
    """Write the set as a file, its card within.

    Raises
    ------
    TemplateError
        It is too large to be read again.
    """
    data = parquet_bytes(mined)
    if len(data) > MAX_BYTES:
        raise TemplateError(
            f"The set {mined.name} has {len(data) / 2**20:,.0f} MiB; at most {MAX_BYTES // 2**20} are kept: "
            "cut it at a higher count."
        )
    return data


def check_new_name(name: str, *, replace: bool = False) -> None:
    """Refuse a name before work is put into what will bear it; see :meth:`OwnFiles.check_new_name`."""
    OWN.check_new_name(name, replace=replace)


def delete_set(name: str) -> None:
    """Delete one of the user's own sets; see :meth:`OwnFiles.delete`."""
    OWN.delete(name)


def load_upload(file_name: str, data: bytes) -> MinedSet:
    """Read a set from the bytes of a CSV or Parquet file; see :meth:`OwnFiles.read_upload`."""
    return OWN.read_upload([(file_name, data)])


OWN = OwnFiles(SHELF, set_bytes, load_mined, checked_set, ending=".parquet", others=(".toml", ".csv"))

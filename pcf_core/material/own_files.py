"""What users keep of one kind: a file each, in the folder of the cache that the kind's shelf names.

They are found by name after the shipped ones, whose names they cannot take.

They are written as TOML, which the standard library reads but does not write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from pcf_core.core.errors import InputError, StoreError
from pcf_core.material.safety.text import MAX_NAME, check_name, listed, shown
from pcf_core.material.safety.whole_files import check_ending, upload_label, uploaded, write_whole
from pcf_core.material.shelves import MOST_NAMED, Shelf

OWN_ENDING = re.compile(r"-own(-\d+)?$")
ROOM_FOR_ENDING = 10  # characters: "-own-99999"


class Kept(Protocol):
    """What a user keeps: anything with a name."""

    @property
    def name(self) -> str:
        """Return the name under which the record is kept."""
        ...


T = TypeVar("T", bound=Kept)


@dataclass(frozen=True)
class OwnFiles(Generic[T]):
    """The user's own files of one kind.

    ``data``: a record as its file, which ``load`` reads by name or path as the same record.  ``checked``: it
    normalised, or refused with the shelf's error.  ``ending``: of the file; ``others``: of files beside it
    that belong to it, or stand for it where a user has put them there.
    """

    shelf: Shelf
    data: Callable[[T], bytes]
    load: Callable[[str | Path], T]
    checked: Callable[[T], T]
    ending: str = ".toml"
    others: tuple[str, ...] = ()

    def names(self) -> tuple[str, ...]:
        """List the names of the user's own, damaged ones among them."""
        return tuple(self.shelf.own())

    def save(self, item: T, *, replace: bool = False) -> T:
        """Keep it under its name, whole or not at all; the answer is what was kept.

        Saving again what is there changes nothing.  ``replace``: another of the user's own of that name goes.

        Raises
        ------
        InputError
            (the shelf's own kind) the name is not safe or taken, or ``checked`` or ``data`` refuse it.
        StoreError
            The disk is full, or the folder cannot be written.
        """
        found = self.checked(item)
        self.check_new_name(item.name, replace=replace or self._is_kept(found))
        data = self.data(found)
        *others, path = self._files(item.name)
        try:
            if not write_whole(path, data, replace=item.name in self.shelf.own()) and (
                not self._is_kept(found)
            ):
                self.check_new_name(item.name)  # another app was quicker
            for other in others:
                other.unlink(missing_ok=True)
        except OSError as problem:
            raise StoreError(self._failure("saved", item.name, problem)) from problem
        return found

    def read_upload(self, files: Sequence[tuple[str, bytes]]) -> T:
        """Read a record from an uploaded file, its name and content; nothing of it is kept.

        Raises
        ------
        InputError
            (the shelf's own kind) not one file, another kind of file, or refused by ``load``.
        StoreError
            There is no room for temporary files.
        """
        kind, error = self.shelf.kind, self.shelf.error
        names = [upload_label(name) for name, _ in files]
        if len(files) != 1:
            raise error(
                f"The upload has {len(files)} files ({listed(names[:MOST_NAMED])}): choose one, which holds "
                f"a whole {kind}."
            )
        check_ending(names[0], self.shelf.accepts, kind, error)
        with uploaded(names[0], files[0][1]) as path:
            return self.load(path)

    def check_new_name(self, name: str, *, replace: bool = False) -> None:
        """Refuse a name that a new one cannot have.

        Raises
        ------
        InputError
            (the shelf's own kind) it is not safe in files and links, a shipped one has it, or, without
            ``replace``, one of the user's.
        """
        kind, error = self.shelf.kind, self.shelf.error
        check_name(name, "the name", f"The {kind} to save", error)
        if name in self.shelf.shipped():
            raise error(f"The name {name} belongs to a shipped {kind}: choose another.")
        if name in self.shelf.own() and not replace:
            article = "an" if kind[0] in "aeiou" else "a"
            raise error(f"There is {article} {kind} of yours named {name}: choose another name or delete it.")

    def free_name(self, name: str) -> str:
        """Derive from a name one that is not taken: gender-own, gender-own-2 and so on."""
        taken = set(self.shelf.names())
        stem = OWN_ENDING.sub("", name)[: MAX_NAME - ROOM_FOR_ENDING]
        found, number = f"{stem}-own", 1
        while found in taken:
            number += 1
            found = f"{stem}-own-{number}"
        return found

    def delete(self, name: str) -> None:
        """Delete one of the user's own; results that were scored with it stay in the cache.

        Raises
        ------
        InputError
            (the shelf's own kind) none of the user's own has that name.
        StoreError
            The folder cannot be written.
        """
        own, kind = self.shelf.own(), self.shelf.kind
        if name not in own:
            what = (
                f"a shipped {kind}, which stays" if name in self.shelf.shipped() else f"none of your {kind}s"
            )
            raise self.shelf.error(f"{shown(name)} is {what}: you can delete {listed(own)}.")
        try:
            for file in self._files(name):
                file.unlink(missing_ok=True)
        except OSError as problem:
            raise StoreError(self._failure("deleted", name, problem)) from problem

    def _files(self, name: str) -> tuple[Path, ...]:
        """List all files that it may consist of, its own last: an interrupted deletion can be repeated."""
        return tuple(self.shelf.own_folder / f"{name}{ending}" for ending in (*self.others, self.ending))

    def _is_kept(self, item: T) -> bool:
        """Tell whether the very same is kept already."""
        try:
            return item.name in self.shelf.own() and self.load(item.name) == item
        except InputError:  # what is there is damaged
            return False

    def _failure(self, what: str, name: str, problem: OSError) -> str:
        reason = problem.strerror or "input/output error"
        return (
            f"The {self.shelf.kind} {name} cannot be {what} in {self.shelf.own_folder} ({reason}): make room "
            "and the folder writable, or set PCF_CACHE to another folder."
        )


# Texts, numbers, lists and tables as TOML: what the standard library reads but does not write.


BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_lines(facts: Mapping[str, object]) -> str:
    """Write every fact as a line ``name = value``."""
    return "".join(f"{_key(name)} = {toml_value(value)}\n" for name, value in facts.items())


def toml_value(value: object) -> str:
    """Write a value as TOML: a mapping on one line, every item of a list on a line of its own.

    Raises
    ------
    TypeError
        A value of another kind, such as ``None``.
    ValueError
        A number that is not finite.
    """
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(name)} = {toml_value(item)}" for name, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[\n" + "".join(f"  {toml_value(item)},\n" for item in value) + "]" if value else "[]"
    if not isinstance(value, str | bool | int | float):
        raise TypeError(f"TOML holds texts, numbers, lists and tables, got {value!r}.")
    # JSON's texts and numbers are TOML's, but for one character that TOML wants escaped
    return json.dumps(value, ensure_ascii=False, allow_nan=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else toml_value(name)

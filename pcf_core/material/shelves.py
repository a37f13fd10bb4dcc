"""Files of lists: the shipped ones by name or path, and the user's own, which are kept, uploaded and deleted.

The user's own lie in the folder of the cache that the kind's shelf names.  They are found by name after the
shipped ones, whose names they cannot take.  They are written as TOML, which the standard library reads but
does not write.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar

from pcf_core.core.errors import InputError, StoreError
from pcf_core.core.records import LeftOut
from pcf_core.core.settings import settings
from pcf_core.material.safety.reading import (
    check_ending,
    label,
    read_data,
    upload_label,
    uploaded,
    write_whole,
)
from pcf_core.material.safety.text import MAX_NAME, NAME, check_name, listed, normal, shown

MOST_NAMED = 12  # names in a sentence
LAST = "calibration"  # nobody's subject: behind the others in every list
OWN_ENDING = re.compile(r"-own(-\d+)?$")
ROOM_FOR_ENDING = 10  # characters: "-own-99999"
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
T = TypeVar("T")


@dataclass(frozen=True)
class Shelf:
    """A folder of shipped files of one kind, and which files a user may give instead.

    ``suffixes``: endings of the shipped files; ``accepts``: endings of the user's.  ``keeps_own``: the cache
    has a folder of the same name, in which the app keeps what users made.
    """

    kind: str
    folder: str
    suffixes: tuple[str, ...]
    accepts: tuple[str, ...]
    error: type[InputError]
    keeps_own: bool = False

    def names(self) -> tuple[str, ...]:
        """List the names of the shipped files, sorted, then those of the user's own, sorted."""
        return (*self.shipped(), *self.own())

    def shipped(self) -> Mapping[str, Path]:
        """Map the name to the file of everything shipped; a page asks dozens of times."""
        folder = settings().assets / self.folder
        return _unchanged(self, folder, folder.stat().st_mtime_ns if folder.exists() else 0)

    def own(self) -> dict[str, Path]:
        """Map name to file of the user's own; a shipped name hides one of the same name: :meth:`hidden`."""
        shipped = self.shipped()
        return {name: path for name, path in self._kept().items() if name not in shipped}

    def hidden(self) -> tuple[LeftOut, ...]:
        """List the user's own that :meth:`own` leaves out, because the app ships one of the same name."""
        shipped = self.shipped()
        return tuple(
            LeftOut(
                name=name,
                reason=f"the app now has its own {self.kind} of this name, so yours is hidden: rename its "
                f"file {path} to see it again",
            )
            for name, path in self._kept().items()
            if name in shipped
        )

    @property
    def own_folder(self) -> Path:
        """Where the app keeps the user's own; the folder need not be there."""
        return settings().cache / self.folder

    def find(self, name_or_path: str | Path) -> Path:
        """Find the shipped file of that name, else the user's own, else the file at that path.

        A name goes first; a file of the same name is reached with ``./name``.

        Raises
        ------
        InputError
            (the shelf's own kind) neither a name nor a readable kind of file.
        """
        if isinstance(name_or_path, str):
            for files in (self.shipped(), self.own()):
                if name_or_path in files:
                    return files[name_or_path]
        path = given_file(name_or_path, (*self.accepts, ""))
        if path is None and given_file(name_or_path):
            read_data(Path(name_or_path), self.error)  # which names a result of another tool
            raise self.error(
                f"{label(Path(name_or_path))} is there, but {_with_article(self.kind)} is read from a "
                f"{' or '.join(self.accepts)} file: save it as one."
            )
        if path is None:
            names = self.names()
            more = [f"{len(names) - MOST_NAMED:,} more"] if len(names) > MOST_NAMED else []
            yours = ", one of yours," if self.keeps_own else ""
            raise self.error(
                f"{shown(name_or_path)} is neither a shipped {self.kind}{yours} nor an existing "
                f"{' or '.join(self.accepts)} file: use {listed([*names[:MOST_NAMED], *more])}, or the path "
                "of such a file."
            )
        return path

    def require(self, name: str) -> str:
        """Check a name that a link gave: the app ships a file of that name or the user has one.

        :meth:`find` takes paths, which a link must not: who opens it would read the files of the server.

        Raises
        ------
        InputError
            (the shelf's own kind) there is none of that name.
        """
        names = self.names()
        if name not in names:
            raise self.error(
                f"There is no {self.kind} named {shown(name)}: choose {listed(names[:MOST_NAMED])}."
            )
        return name

    def is_shipped(self, path: Path) -> bool:
        """Tell whether a path that :meth:`find` returned belongs to the shelf."""
        return path.parent == settings().assets / self.folder

    def is_given(self, path: Path) -> bool:
        """Tell whether a path that :meth:`find` returned is a person's file, outside of both folders."""
        return not self.is_shipped(path) and path.parent != self.own_folder

    def _kept(self) -> dict[str, Path]:
        return self._files(self.own_folder) if self.keeps_own else {}

    def _files(self, folder: Path) -> dict[str, Path]:
        """Map name to file, sorted by name, the calibration last; files with unsafe names are ignored."""
        files = [path for suffix in self.suffixes for path in folder.glob(f"*{suffix}")]
        files.sort(key=lambda path: (path.stem == LAST, path.stem, path.suffix))
        return {path.stem: path for path in files if NAME.fullmatch(path.stem)}


@lru_cache(maxsize=64)
def _unchanged(shelf: Shelf, folder: Path, changed: int) -> Mapping[str, Path]:
    """Return what a shelf has in a folder, read anew once files have come, gone or changed their names."""
    return MappingProxyType(shelf._files(folder))


def given_file(path: str | Path, accepts: Collection[str] | None = None) -> Path | None:
    """Return the path if it is a file with one of these endings, or any if none are given."""
    file = Path(path)
    try:
        of_kind = accepts is None or file.suffix.lower() in accepts
        return file if of_kind and file.is_file() else None
    except (OSError, ValueError):  # a name too long for the file system, or one with a null byte
        return None


def _with_article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def name_of(path: Path) -> str:
    """Make a safe name from a file's name: "Meine Liste.csv" gives "meine-liste"."""
    return safe_name(path.stem)


# What ASCII has in place of letters that do not come apart into a letter and a mark.
LETTERS = str.maketrans(
    {"ß": "ss", "ı": "i", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "AE"}
    | {"œ": "oe", "Œ": "OE"}
)


def safe_name(text: str) -> str:
    """Make a name for files and links from a text; all but ASCII letters and digits become hyphens."""
    ascii_only = normal("NFKD", text.translate(LETTERS)).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only.lower()).strip("-")[:MAX_NAME].rstrip("-") or "own"


@dataclass(frozen=True)
class OwnFiles(ABC, Generic[T]):
    """The lists of one kind: how their files are read and written, and what a user may do with their own.

    ``ending``: of the user's own files; ``others``: of files beside one that belong to it, or stand for it
    where a user has put them there.
    """

    shelf: Shelf
    ending: ClassVar[str] = ".toml"
    others: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def load(self, name_or_path: str | Path) -> T:
        """Load a list by its name, shipped ones first, or from a file."""

    @abstractmethod
    def checked(self, item: T) -> T:
        """Return the list normalised, or refuse it with the shelf's error."""

    @abstractmethod
    def data(self, item: T) -> bytes:
        """Write a list as the content of a file, which :meth:`load` reads as the same list."""

    def all(self, first: str = "") -> tuple[T, ...]:
        """Load every shipped list by name, ``first`` before the others, then the user's own.

        Damaged ones of the user's own are left out.

        Raises
        ------
        InputError
            (the shelf's own kind) a shipped file is damaged.
        """
        shipped = [self.load(name) for name in sorted(self.shelf.shipped(), key=lambda name: name != first)]
        own = []
        for name in self.names():
            with suppress(InputError):
                own.append(self.load(name))
        return (*shipped, *own)

    def left_out(self, load: Callable[[str], object] | None = None) -> tuple[LeftOut, ...]:
        """List the user's own that ``load`` refuses, and those that are hidden, each with the reason."""
        refused = []
        for name in self.names():
            try:
                (load or self.load)(name)
            except InputError as refusal:
                refused.append(LeftOut(name=name, reason=str(refusal)))
        return (*refused, *self.shelf.hidden())

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
        checked: Any = self.checked(item)
        name: str = checked.name
        self.check_new_name(name, replace=replace or self._is_kept(checked))
        data = self.data(checked)
        *others, path = self._files(name)
        try:
            is_there = name in self.shelf.own()
            if not write_whole(path, data, replace=is_there) and not self._is_kept(checked):
                self.check_new_name(name)  # another app was quicker
            for other in others:
                other.unlink(missing_ok=True)
        except OSError as problem:
            raise StoreError(self._failure("saved", name, problem)) from problem
        return checked  # type: ignore[no-any-return]

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
                f"The upload has {len(files)} files ({listed(names[:MOST_NAMED])}): choose the one file that "
                f"has the whole {kind}."
            )
        check_ending(names[0], self.shelf.accepts, kind, error, bare=True)
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
            raise error(f"The name {name} belongs to a shipped {kind}: choose another name.")
        if name in self.shelf.own() and not replace:
            raise error(
                f"You already have {_with_article(kind)} named {name}: "
                "choose another name, or delete the old one."
            )

    def free_name(self, name: str) -> str:
        """Derive from a name one that is not taken: gender-own, gender-own-2 and so on."""
        taken = set(self.shelf.names())
        stem = OWN_ENDING.sub("", name)[: MAX_NAME - ROOM_FOR_ENDING]
        free, number = f"{stem}-own", 1
        while free in taken:
            number += 1
            free = f"{stem}-own-{number}"
        return free

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
                f"a shipped {kind} and cannot be deleted"
                if name in self.shelf.shipped()
                else f"not one of your {kind}s"
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

    def _is_kept(self, item: Any) -> bool:
        try:
            return item.name in self.names() and bool(self.load(item.name) == item)
        except InputError:  # what is there is damaged
            return False

    def _failure(self, what: str, name: str, problem: OSError) -> str:
        reason = problem.strerror or "input/output error"
        return (
            f"The {self.shelf.kind} {name} cannot be {what} in {self.shelf.own_folder} ({reason}): free some "
            "space and make the folder writable, or set PCF_CACHE to another folder."
        )


# Texts, numbers, lists and tables as TOML.


def toml_lines(facts: Mapping[str, object]) -> str:
    """Write every fact as a line ``name = value``."""
    return "".join(f"{_key(name)} = {toml_value(value)}\n" for name, value in facts.items())


def toml_value(value: object) -> str:
    """Write a value as TOML: a mapping on one line, every item of a list on a line of its own."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(name)} = {toml_value(item)}" for name, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[\n" + "".join(f"  {toml_value(item)},\n" for item in value) + "]" if value else "[]"
    if not isinstance(value, str | bool | int | float):
        raise TypeError(f"TOML holds texts, numbers, lists and tables, got {value!r}.")
    # JSON's texts and numbers are TOML's, but for one character that TOML wants escaped
    return json.dumps(value, ensure_ascii=False, allow_nan=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if BARE_KEY.fullmatch(name) else toml_value(name)

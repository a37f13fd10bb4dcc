"""From a name or a path to a file: shipped folders, and the user's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from pcf_core.core.errors import InputError
from pcf_core.core.records import LeftOut
from pcf_core.core.settings import settings
from pcf_core.material.safety.text import MAX_NAME, NAME, listed, normal, shown

T = TypeVar("T")

MOST_NAMED = 12  # names in a sentence
LAST = "calibration"  # nobody's subject: behind the others in every list


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
        if not self.keeps_own:
            return {}
        shipped = self.shipped()
        return {name: path for name, path in self._files(self.own_folder).items() if name not in shipped}

    def hidden(self) -> tuple[LeftOut, ...]:
        """List the user's own that :meth:`own` leaves out, because the app ships one of the same name."""
        if not self.keeps_own:
            return ()
        shipped = self.shipped()
        return tuple(
            LeftOut(
                name=name,
                reason=f"the app now comes with its own {self.kind} of this name, and yours is hidden: it is "
                f"there again once its file {path} has another name",
            )
            for name, path in self._files(self.own_folder).items()
            if name in shipped
        )

    def readable(self, load: Callable[[str], T]) -> tuple[T, ...]:
        """Load the user's own by name with ``load``; those that it refuses are in :meth:`left_out`."""
        own = (_tried(load, name) for name in self.own())
        return tuple(found for found in own if not isinstance(found, LeftOut))

    def left_out(self, load: Callable[[str], object]) -> tuple[LeftOut, ...]:
        """List the user's own that ``load`` refuses, with its reason, and those that are hidden."""
        own = (_tried(load, name) for name in self.own())
        return (*(found for found in own if isinstance(found, LeftOut)), *self.hidden())

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
        path = given_file(name_or_path, self.accepts)
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

    def _files(self, folder: Path) -> dict[str, Path]:
        """Map name to file, sorted by name, the calibration last; files with unsafe names are ignored."""
        found = [path for suffix in self.suffixes for path in folder.glob(f"*{suffix}")]
        found.sort(key=lambda path: (path.stem == LAST, path.stem, path.suffix))
        return {path.stem: path for path in found if NAME.fullmatch(path.stem)}


@lru_cache(maxsize=64)
def _unchanged(shelf: Shelf, folder: Path, changed: int) -> Mapping[str, Path]:
    """Return what a shelf has in a folder, read anew once files have come, gone or changed their names."""
    return MappingProxyType(shelf._files(folder))


def _tried(load: Callable[[str], T], name: str) -> T | LeftOut:
    try:
        return load(name)
    except InputError as refusal:
        return LeftOut(name=name, reason=str(refusal))


def given_file(path: str | Path, accepts: Collection[str]) -> Path | None:
    """Return the path if it is a file with one of these endings, else ``None``."""
    found = Path(path)
    try:
        return found if found.suffix.lower() in accepts and found.is_file() else None
    except (OSError, ValueError):  # a name too long for the file system, or one with a null byte
        return None


def name_of(path: Path) -> str:
    """Make a safe name from a file's name: "Meine Liste.csv" gives "meine-liste"."""
    return safe_name(path.stem)


def safe_name(text: str) -> str:
    """Make a name for files and links from a text; all but ASCII letters and digits become hyphens."""
    ascii_only = normal("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only.lower()).strip("-")[:MAX_NAME].rstrip("-") or "own"

"""Storage of shards: a folder on a disk, or object storage through fsspec."""

from __future__ import annotations

import abc
import os
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

from pcf_core.core.errors import SettingsError, StoreError
from pcf_core.core.files import read_file
from pcf_core.store.files import as_store_error, set_aside, write_new, write_together

if TYPE_CHECKING:
    import fsspec

State = tuple[int, int, int]  # inode, size and time of change of a file

LISTING_SECONDS = 5.0  # until writes of other machines to object storage are noticed
# As in s3://key:secret@bucket; a secret may contain a slash, or be in a query.
# The @ is optional so that matching takes linear time.
USER = re.compile(r"//[^\s@]*@?")
QUERY = re.compile(r"(?<=\?)[^\s'\")]*")


class UnreachableError(StoreError):
    """Object storage does not answer or refuses, so its content is unknown."""


def file_state(path: str | Path) -> State | None:
    """Return inode, size and time of change of a file; ``None`` if there is none."""
    try:
        return state_of(os.stat(path))  # noqa: PTH116 - a path takes thrice as long
    except OSError:
        return None


def state_of(stat: os.stat_result) -> State:
    """Return inode, size and time of change from a status."""
    return stat.st_ino, stat.st_size, stat.st_ctime_ns


class Storage(abc.ABC):
    """A folder whose files are written completely or not at all; ``storage / name`` is a folder in it.

    ``name``: the last part of its path.  ``shared``: others write to it without our lock.
    ``listing_seconds``: how long a listing may be reused.  Every method raises StoreError with one sentence
    if the folder cannot be used.
    """

    name: str
    shared: bool
    listing_seconds: float = 0.0

    @abc.abstractmethod
    def __truediv__(self, name: str) -> Storage: ...

    @abc.abstractmethod
    def folders(self) -> list[str]:
        """Return the names of the folders in it, in order."""

    @abc.abstractmethod
    def stems(self, suffix: str) -> list[str]:
        """Return the names of the files that end with ``suffix``, without it, in order."""

    @abc.abstractmethod
    def stamp(self, name: str) -> object:
        """Return a value that changes when the file does; ``None`` if it does not exist."""

    @abc.abstractmethod
    def read(self, name: str) -> bytes | None:
        """Return all bytes of a file; ``None`` if it does not exist."""

    @abc.abstractmethod
    def create(self, name: str, data: bytes) -> bool:
        """Write a file unless it exists; return whether it was written."""

    def replace(self, name: str, data: bytes) -> None:
        """Write or replace a file."""
        self.replace_all({name: data})

    @abc.abstractmethod
    def replace_all(self, files: Mapping[str, bytes]) -> None:
        """Write or replace files, by name."""

    @abc.abstractmethod
    def set_aside(self, name: str) -> None:
        """Rename a damaged file so that it is no longer used."""


class Folder(Storage):
    """A folder on a disk or a shared file system; ``root`` and ``setting`` are for error messages."""

    def __init__(
        self, path: Path, root: Path | None = None, setting: str = "PCF_CACHE", shared: bool = False
    ) -> None:
        self.path = path
        self.name = path.name
        self.shared = shared
        self._root = root or path
        self._setting = setting

    def __truediv__(self, name: str) -> Folder:
        return Folder(self.path / name, self._root, self._setting, self.shared)

    def folders(self) -> list[str]:
        """Return the names of the folders in it, in order."""
        return sorted(path.name for path in self.path.glob("*/"))

    def stems(self, suffix: str) -> list[str]:
        """Return the names of files with this ending, without it."""
        try:
            with os.scandir(self.path) as files:  # called before each shard; a glob is far slower
                names = [file.name for file in files if file.name.endswith(suffix)]
            return sorted(name.removesuffix(suffix) for name in names)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return []

    def stamp(self, name: str) -> object:
        """Return a value that changes when the file does; ``None`` if it does not exist."""
        return file_state(self.path / name)

    def read(self, name: str) -> bytes | None:
        """Return all bytes of a file; ``None`` if it does not exist."""
        with self._as_store_error():
            try:
                return read_file(self.path / name)
            except FileNotFoundError:
                return None

    def create(self, name: str, data: bytes) -> bool:
        """Write a file unless it exists; return whether it was written."""
        with self._as_store_error():
            return write_new(self.path / name, data, self._draft())

    def replace_all(self, files: Mapping[str, bytes]) -> None:
        """Write or replace files, by name."""
        with self._as_store_error():
            write_together({self.path / name: data for name, data in files.items()}, self._draft())

    def set_aside(self, name: str) -> None:
        """Rename a damaged file so that it is no longer used."""
        with self._as_store_error():
            set_aside(self.path / name)

    def _draft(self) -> str:
        # Fixed where writers hold a lock, so that drafts of killed processes are overwritten.
        return f".{socket.gethostname()}-{os.getpid()}.tmp" if self.shared else ".tmp"

    def _as_store_error(self) -> AbstractContextManager[None]:
        return as_store_error(self._root, self._setting)


class ObjectStorage(Storage):
    """A prefix in object storage, or in anything else that fsspec reaches; a put there is atomic."""

    shared = True

    def __init__(self, system: fsspec.AbstractFileSystem, path: str, url: str) -> None:
        self._system = system
        self._path = path.rstrip("/")
        self._url = url
        self.name = self._path.rpartition("/")[2]
        self.listing_seconds = LISTING_SECONDS

    def __truediv__(self, name: str) -> ObjectStorage:
        return ObjectStorage(self._system, f"{self._path}/{name}", self._url)

    def folders(self) -> list[str]:
        """Return the names of the folders in it, in order."""
        return [name for name, kind in self._listing() if kind == "directory"]

    def stems(self, suffix: str) -> list[str]:
        """Return the names of objects with this ending, without it."""
        return [name.removesuffix(suffix) for name, _ in self._listing() if name.endswith(suffix)]

    def stamp(self, name: str) -> object:
        """Return a value that changes when the object does; ``None`` if it does not exist."""
        with self._as_unreachable():
            try:
                return self._system.ukey(f"{self._path}/{name}")
            except FileNotFoundError:
                return None

    def read(self, name: str) -> bytes | None:
        """Return all bytes of an object; ``None`` if it does not exist."""
        with self._as_unreachable():
            try:
                return bytes(self._system.cat_file(f"{self._path}/{name}"))
            except FileNotFoundError:
                return None

    def create(self, name: str, data: bytes) -> bool:
        """Write an object unless it exists; return whether it was written."""
        with self._as_unreachable():
            try:
                self._system.pipe_file(f"{self._path}/{name}", data, mode="create")
            except FileExistsError:
                return False
            return True

    def replace_all(self, files: Mapping[str, bytes]) -> None:
        """Write or replace objects, by name."""
        with self._as_unreachable():
            for name, data in files.items():
                self._system.pipe_file(f"{self._path}/{name}", data)

    def set_aside(self, name: str) -> None:
        """Rename a damaged object so that it is no longer used."""
        with self._as_unreachable():
            self._system.mv(f"{self._path}/{name}", f"{self._path}/{name}.damaged")

    def _listing(self) -> list[tuple[str, str]]:
        """Return (name, kind) of all entries, in order, bypassing the cache of fsspec."""
        with self._as_unreachable():
            self._system.invalidate_cache(self._path)
            try:
                entries = self._system.ls(self._path, detail=True)
            except FileNotFoundError:
                return []
        return sorted((entry["name"].rstrip("/").rpartition("/")[2], entry["type"]) for entry in entries)

    @contextmanager
    def _as_unreachable(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # every library behind fsspec has its own errors
            reason = shorten(f"{type(error).__name__}: {error}", 240, placeholder=" …")
            message = (
                f"The scores at {self._url} cannot be used ({reason}): check PCF_SCORES, its credentials and "
                "the network, then repeat. Finished work is kept."
            )
            raise UnreachableError(without_credentials(message)) from error


def without_credentials(text: str) -> str:
    """Remove user names, passwords and queries from the URLs in a sentence."""
    return QUERY.sub("", USER.sub(lambda match: "//" if match[0].endswith("@") else match[0], text))


def storage_of(root: Path, scores: str = "", kind: str = "scores") -> Storage:
    """Return where the cache at ``root`` stores shards: in itself, or at ``scores``, a folder or a URL.

    ``kind``: "scores", or "texts", a subfolder.  Raises SettingsError for a URL that fsspec cannot open.
    """
    if not scores:
        return Folder(root / kind, root)
    shared = _shared_storage(scores)
    return shared if kind == "scores" else shared / kind


def _shared_storage(scores: str) -> Storage:
    import fsspec

    if "://" not in scores or scores.startswith(("file://", "local://")):
        return Folder(Path(scores.rpartition("://")[2]), setting="PCF_SCORES", shared=True)
    try:
        system, path = fsspec.url_to_fs(scores)
    except (ImportError, ValueError) as error:
        protocol = scores.partition("://")[0]
        reason = without_credentials(str(error))
        raise SettingsError(
            f"PCF_SCORES is a URL of {protocol!r}, which cannot be used here ({reason}): install the library "
            "that fsspec needs for it (s3fs for s3, gcsfs for gs, adlfs for az), or give a folder."
        ) from error
    return ObjectStorage(system, path, scores)

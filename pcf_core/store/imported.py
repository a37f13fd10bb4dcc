"""Runs and text audits that came in packs, each in a folder of its own.

    <root>/imported/<run key>/runs/<run key>.json   the run, sealed: its provenance says who scored it
    <root>/imported/<run key>/scores/<scoring>/     its shards, as those of a cache
    <root>/imported/texts/<request>/results/        the request, its material and its result, sealed
    <root>/imported/texts/<request>/texts/          shards of its texts, as those of a cache

A forged score must never pass for one of our own: these shards are read only for imported runs
(:class:`~pcf_core.core.run.ImportedKey`), and their derived results have other names than those of a local
run of the same key.  The request of a text audit contains the imported model's name, so its keys differ
anyway.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from weakref import WeakValueDictionary

from pcf_core.store.catalogue import Catalogue
from pcf_core.store.database import Database
from pcf_core.store.files import write_whole
from pcf_core.store.layer import Layer
from pcf_core.store.results import KEY, Lists, RunFolder, RunInfo
from pcf_core.store.storage import storage_of
from pcf_core.store.texts import TextLayer

FOLDER, TEXTS = "imported", "texts"
STAGE = ".staged-"  # prefix of a folder that is being filled; no run key begins with a dot


class Imported:
    """The imported runs and text audits of the cache at ``root``; each call lists the folders."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folder = root / FOLDER
        self._runs: dict[str, RunFolder] = {}
        self._marked: dict[str, tuple[RunInfo, RunInfo]] = {}  # as stored, and marked as imported
        self._lists: Lists = WeakValueDictionary()  # of all imports
        self._layers: dict[str, Layer] = {}
        self._texts: dict[str, TextLayer] = {}

    def run_keys(self) -> list[str]:
        """Return the run keys, in order."""
        return _keys_in(self._folder)

    def text_keys(self) -> tuple[str, ...]:
        """Return the keys of the requests of text audits, in order."""
        return tuple(_keys_in(self._folder / TEXTS))

    def text_folders(self) -> list[Path]:
        """Return their folders, each laid out as a cache."""
        return [self._folder / TEXTS / key for key in self.text_keys()]

    def stamp(self, key: str) -> int:
        """Return when a text audit was imported, in nanoseconds; 0 if there is none of this key."""
        try:
            return (self._folder / TEXTS / key).stat().st_mtime_ns if KEY.fullmatch(key) else 0
        except OSError:
            return 0

    def text_layers(self, generation: str) -> Sequence[TextLayer]:
        """Return the layers of all imports with this generation key."""
        holds = [folder for folder in self.text_folders() if (folder / "texts" / generation).is_dir()]
        for folder in holds:
            if folder.name not in self._texts:
                texts = storage_of(folder, kind="texts")
                self._texts[folder.name] = TextLayer(texts, Catalogue(Database(None)))
        return [self._texts[folder.name] for folder in holds]

    def infos(self) -> dict[str, RunInfo]:
        """Load the runs by key, each marked as imported; a damaged one is logged and left out."""
        infos = {}
        for key in self.run_keys():
            if key not in self._runs:
                self._runs[key] = RunFolder(self._folder / key, self._lists)
            info = self._runs[key].info(key)
            if info is None:
                continue
            if key not in self._marked or self._marked[key][0] is not info:
                self._marked[key] = info, info.model_copy(update={"run": info.run.as_imported})
            infos[key] = self._marked[key][1]
        return infos

    def layers(self, scoring: str) -> Sequence[Layer]:
        """Return the layers of all imports with this scoring key."""
        holds = [key for key in self.run_keys() if (self._folder / key / "scores" / scoring).is_dir()]
        return [self._layer(key) for key in holds]

    def opened_layers(self) -> Sequence[Layer]:
        """Return the layers that were read; no other has warnings, as their catalogues lie in memory."""
        return list(self._layers.values())

    def add(self, runs: Mapping[str, Mapping[str, bytes]], texts: Mapping[str, Mapping[str, bytes]]) -> None:
        """Store the files of runs and text audits, by key and path: all of them or none.

        They are written into a staging folder, which is renamed when complete and replaces a leftover one.
        """
        packs = {**runs, **{f"{TEXTS}/{key}": files for key, files in texts.items()}}
        self._folder.mkdir(parents=True, exist_ok=True)
        for left in self._folder.glob(f"{STAGE}*"):  # left by killed processes; callers hold the lock
            shutil.rmtree(left, ignore_errors=True)
        stage = Path(tempfile.mkdtemp(prefix=STAGE, dir=self._folder))
        moved: list[Path] = []
        try:
            for key, files in packs.items():
                for name, data in files.items():
                    write_whole(stage / key / name, data)
            for key in packs:
                (self._folder / key).parent.mkdir(exist_ok=True)
                if (self._folder / key).exists():
                    (self._folder / key).rename(stage / f"rest-{len(moved)}")
                (stage / key).rename(self._folder / key)
                moved.append(self._folder / key)
        except OSError:
            for path in moved:
                shutil.rmtree(path, ignore_errors=True)
            raise
        finally:
            shutil.rmtree(stage, ignore_errors=True)

    def size(self, key: str) -> int:
        """Return the bytes of a run of :meth:`run_keys`, with derived results."""
        return sum(path.stat().st_size for path in self._files(key))

    def delete(self, key: str) -> None:
        """Delete a run of :meth:`run_keys`, with its shards and derived results."""
        for path in self._files(key):  # the record first, so that no run lacks its scores
            path.unlink(missing_ok=True)
        shutil.rmtree(self._folder / key, ignore_errors=True)
        self._runs.pop(key, None)
        self._marked.pop(key, None)
        self._layers.pop(key, None)

    def delete_texts(self, key: str) -> None:
        """Delete a text audit of :meth:`text_keys`, with its texts; any other key is ignored."""
        if key in self.text_keys():
            gone = self._folder / f"{STAGE}{key}"  # renamed first, so that no result lacks its texts
            (self._folder / TEXTS / key).rename(gone)
            shutil.rmtree(gone, ignore_errors=True)
            self._texts.pop(key, None)

    def _files(self, key: str) -> list[Path]:
        folders = (
            self._folder / key / "runs",
            self._folder / key,
            self._root / "results" / f"imported-{key}",
        )
        files = (path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file())
        return list(dict.fromkeys(files))

    def _layer(self, key: str) -> Layer:
        if key not in self._layers:
            self._layers[key] = Layer(storage_of(self._folder / key), Catalogue(Database(None)))
        return self._layers[key]


def _keys_in(folder: Path) -> list[str]:
    try:
        return sorted(filter(KEY.fullmatch, os.listdir(folder)))  # noqa: PTH208 - thousands, on each page
    except OSError:  # nothing was imported, or it cannot be read
        return []

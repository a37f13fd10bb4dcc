"""The store: which prompts × words are missing, and the stored scores, texts and results."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from pcf_core.core.errors import DamagedCatalogueError, RunError, StoreError
from pcf_core.core.generation import BLOCK, Generated, GenerationKey, MissingTexts, joined, parts
from pcf_core.core.records import FloatArray
from pcf_core.core.run import RunSpec, ScoringKey, TokenTable
from pcf_core.store.catalogue import Catalogue
from pcf_core.store.database import FILE_NAME, Database, damaged
from pcf_core.store.files import as_store_error, locked, seal, write_whole
from pcf_core.store.imported import Imported
from pcf_core.store.layer import (
    Deletable,
    Gathered,
    Layer,
    Missing,
    Scores,
    check_block,
    deletable,
    delete,
    gathered,
    missing_blocks,
)
from pcf_core.store.results import (
    Columns,
    RunFolder,
    RunInfo,
    document_states,
    encode_result,
    find_run,
    read_document,
    read_result,
    result_path,
)
from pcf_core.store.storage import State, file_state, storage_of
from pcf_core.store.texts import TextLayer

log = logging.getLogger(__name__)

IMPORTS = "imports"  # the lock of imports
IMPORT_SECONDS = 60.0  # until waiting for it fails
P = ParamSpec("P")
T = TypeVar("T")


def retrying(method: Callable[Concatenate[Store, P], T]) -> Callable[Concatenate[Store, P], T]:
    """Run a method again, once, if the catalogue turned out to be damaged."""

    @wraps(method)
    def retried(self: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return method(self, *args, **kwargs)
        except DamagedCatalogueError:
            self.reopen_catalogue()
            return method(self, *args, **kwargs)

    return retried


class Store:
    """Layers of scores, texts and results: the cache folder, which is written, on top of the shipped ones.

    Threads may share it, and several processes may open the same folders.  Every method that writes raises
    StoreError if the folder is full or read-only; nothing half-written is ever read.  Imported runs and
    texts, which came in packs, are stored apart and never count as scored here.
    """

    def __init__(
        self, root: Path, layers: Sequence[Layer], texts: Sequence[TextLayer], folders: Sequence[Path]
    ) -> None:
        self._root = root
        self._layers = tuple(layers)
        self._texts = tuple(texts)
        self._folders = tuple(folders)
        self._runs = tuple(RunFolder(folder) for folder in folders)
        self._imported = Imported(root)
        self._run_cache = threading.local()  # all runs, inside :meth:`steady`

    @classmethod
    def open(cls, root: Path, shipped: Sequence[Path] = (), scores: str = "") -> Store:
        """Open the cache at ``root``, created if need be, on top of the read-only folders ``shipped``.

        Its shards lie in it, or at ``scores``, a folder or a URL that several caches may share.  A read-only
        or full root can be read, but raises StoreError on writing.  Raises SettingsError for a URL that
        cannot be reached.
        """
        own = Catalogue.open(root)
        layers = [Layer(storage_of(root, scores), own)]
        texts = [TextLayer(storage_of(root, scores, "texts"), own)]
        folders = [root]
        for folder in shipped:
            index = Catalogue(Database(None))
            layers.append(Layer(storage_of(folder), index))
            texts.append(TextLayer(storage_of(folder, kind="texts"), index))
            folders.append(folder)
        return cls(root, layers, texts, folders)

    @property
    def _database(self) -> Database:
        return self._layers[0].catalogue.database

    def reopen_catalogue(self) -> None:
        """Open the catalogue that replaces a damaged one."""
        own = Catalogue.open(self._root)
        self._layers[0].use_catalogue(own)
        self._texts[0].catalogue = own

    @property
    def current(self) -> bool:
        """Whether other processes use the same catalogue; if not, open the store again."""
        return self._database.current

    def must_be_writable(self) -> None:
        """Raise StoreError if the folder was not writable at opening; for use before long work."""
        self._database.must_last()

    def lock(self, name: str, while_waiting: Callable[[str], None]) -> AbstractContextManager[None]:
        """Hold the lock of this name on the cache; see :func:`pcf_core.store.files.locked`."""
        return locked(self._root, name, while_waiting)

    @contextmanager
    def importing(self) -> Iterator[None]:
        """Hold the lock on imported results; raise StoreError if another process holds it for a minute."""
        began = time.monotonic()

        def while_waiting(holder: str) -> None:
            if time.monotonic() - began > IMPORT_SECONDS:
                raise StoreError(
                    f"{holder} is importing or deleting results in the cache at {self._root}: wait until it "
                    "has finished, then repeat."
                )

        with self.lock(IMPORTS, while_waiting) if self._database.lasts else nullcontext():
            self._clear_run_cache()
            yield

    # ---------------------------------------------------------------------------------- scores

    @retrying
    def known_words(self, key: ScoringKey) -> TokenTable:
        """Return the tokens of each word under a key, and the words that its tokenizer refuses."""
        tables = [layer.known_words(key.hash) for layer in self._layers_of(key)]
        tokens = {word: count for table in tables for word, count in table.tokens.items()}
        refused = {word: reason for table in tables for word, reason in table.refused.items()}
        spelling = {word: ids for table in tables for word, ids in table.spelling.items()}
        unspaced = frozenset().union(*(table.unspaced for table in tables))
        at_start = {word: count for table in tables for word, count in table.at_start.items()}
        return TokenTable(tokens, refused, spelling, unspaced, at_start)

    def shards(self, key: ScoringKey) -> tuple[str, ...]:
        """Return the ids of the shards under a key, a cache key of its scores."""
        return tuple(shard for layer in self._layers_of(key) for shard in layer.shards(key.hash))

    def _layers_of(self, key: ScoringKey) -> Sequence[Layer]:
        """Return the layers that may hold scores of a key: imported ones and our own never mix."""
        return self._imported.layers(key.hash) if key.imported else self._layers

    @retrying
    def missing(self, key: ScoringKey, prompts: Sequence[str], words: Sequence[str]) -> list[Missing]:
        """Return what has to be scored before :meth:`gather` has a number for every prompt and word.

        Prompts that lack the same words form a block, in the order of the request, of at most
        ``Settings.most_prompts``.  Words that the tokenizer refuses are not missing.
        """
        return missing_blocks(self._layers_of(key), key, prompts, words, self.known_words(key).refused)

    @retrying
    def changes(self, key: ScoringKey) -> int | None:
        """Count additions of scores under a key; ``None`` if others write without our lock.

        Takes constant time.  While the count is the same, so is what is missing; each :meth:`write` here
        counts as one.
        """
        return self._layers[0].changes(key.hash)

    def gather(self, key: ScoringKey, prompts: Sequence[str], words: Sequence[str]) -> FloatArray:
        """Return [prompt, word] log-probabilities in nats, float32; NaN if missing or refused."""
        return self.gather_with_left(key, prompts, words).values

    @retrying
    def gather_with_left(self, key: ScoringKey, prompts: Sequence[str], words: Sequence[str]) -> Gathered:
        """Return the same, with the log-probabilities given the text on the left alone, if stored."""
        return gathered(self._layers_of(key), key, prompts, words)

    def write(
        self,
        key: ScoringKey,
        prompts: Sequence[str],
        words: Sequence[str],
        table: TokenTable,
        values: FloatArray,
        provenance: Mapping[str, Any],
    ) -> str:
        """Store the scores of a block and which of its words were refused; return the shard's id.

        ``prompts`` are distinct; without any, only the tokens of ``words`` are stored.  ``table`` has the
        tokens or reasons of ``words``, accepted and refused ones.  ``values`` [prompt, accepted word]: nats,
        in the order of ``words``. ``provenance``: versions, device, timings and so on.  Raises ValueError for
        other shapes, NaN, or a word that the table lacks.
        """
        nats = values.astype(np.float32, copy=False)
        return self.write_all(key, table, [Scores(tuple(prompts), tuple(words), nats, provenance)])[0]

    @retrying
    def write_all(self, key: ScoringKey, table: TokenTable, blocks: Sequence[Scores]) -> list[str]:
        """Store several blocks in one step, each as :meth:`write` does; return the ids of their shards."""
        if key.imported:
            raise ValueError(f"scores of {key.name} come in packs and are not made here")
        for block in blocks:
            check_block(block, table)
        return self._layers[0].write(key, table, blocks)

    # ----------------------------------------------------------------------------------- texts

    def missing_texts(self, key: GenerationKey, prompts: Sequence[str], count: int) -> list[MissingTexts]:
        """Return the texts to write before :meth:`texts` has ``count`` for every prompt, in their order."""
        wanted = [part for prompt in dict.fromkeys(prompts) for part in parts(prompt, 0, count)]
        return self.still_missing_texts(key, wanted)

    @retrying
    def still_missing_texts(self, key: GenerationKey, wanted: Sequence[MissingTexts]) -> list[MissingTexts]:
        """Return what is missing of texts that were missing before."""
        lacking = list(wanted)
        for layer in self._texts_of(key):
            lacking = layer.missing(key, lacking)
        return lacking

    def _texts_of(self, key: GenerationKey) -> Sequence[TextLayer]:
        """Return the layers that may hold texts of a key: imported ones and our own never mix."""
        return self._imported.text_layers(key.hash) if key.imported else self._texts

    @retrying
    def texts(self, key: GenerationKey, prompt: str, count: int) -> Generated | None:
        """Return the first ``count`` texts of a prompt; ``None`` if one of them is missing."""
        if count < 1:
            raise ValueError(f"{count} texts")
        there: list[Generated] = []
        layers = self._texts_of(key)
        for part in parts(prompt, 0, count):
            first, end = part.first, part.first + part.count
            while first < end:
                read = (layer.read(key, prompt, first, end - first) for layer in layers)
                block = next((texts for texts in read if texts is not None), None)
                if block is None:
                    return None
                there.append(block)
                first += len(block.texts)
        return joined(there, count)

    @retrying
    def write_texts(self, key: GenerationKey, generated: Generated, provenance: Mapping[str, Any]) -> str:
        """Store texts of one block; return the shard's id."""
        if not 1 <= len(generated.texts) <= BLOCK - generated.first % BLOCK:
            raise ValueError(
                f"{len(generated.texts)} texts from index {generated.first} are no part of a block"
            )
        if key.imported:
            raise ValueError(f"texts of {key.model} come in packs and are not made here")
        return self._texts[0].write(key, generated, provenance)

    @retrying
    def warnings(self) -> tuple[str, ...]:
        """Return a sentence for each damaged shard that was not scored again, and for a damaged catalogue."""
        layers = (*self._layers, *self._imported.opened_layers())
        of_shards = tuple(sentence for layer in layers for sentence in layer.catalogue.warnings())
        damaged_file = damaged(self._root / FILE_NAME)
        if not damaged_file.exists():
            return of_shards
        return (
            *of_shards,
            f"The catalogue of the cache was damaged. It was saved as {damaged_file.name} in the cache "
            "folder, and jobs that could not be read are lost: check the disk, then delete that file.",
        )

    # ------------------------------------------------------------------------ runs and results

    def save_run(self, run: RunSpec, provenance: Mapping[str, Any], complete: bool = True) -> None:
        """Store a run under its key, with the lists of :meth:`as_stored`, whose errors it raises."""
        with self._writing():
            self._runs[0].save(self.as_stored(run), provenance, complete)

    def ask_for(self, run: RunSpec) -> None:
        """Store a run to be scored; an existing one keeps its lists and, unless draws differ, its state."""
        with self._writing():
            run, stored = self.as_stored(run), self._made_infos().get(run.key)
            if stored is None:
                self._runs[0].save(run, {}, complete=False)
            elif stored.run != run:
                complete = stored.complete and stored.run.drawn.hash == run.drawn.hash
                self._runs[0].save(run, stored.provenance, complete)

    def as_stored(self, run: RunSpec) -> RunSpec:
        """Return a run with the lists that were shipped, or first stored, under its key.

        Counts, weights, titles and sources are not part of a key, so they must not change later.  Raises
        RunError for a sampling plan with other counts than the stored one.
        """
        stored = self._made_infos().get(run.key)
        return run if stored is None or run.scoring.imported else run.with_lists_of(stored.run)

    def load_run(self, key: str) -> RunSpec:
        """Load the run of a key, or of its first six digits or more; raise RunError unless it is unique."""
        return self.run_info(key).run

    def run_info(self, key: str) -> RunInfo:
        """Load the same run with its state and provenance; raises as :meth:`load_run`."""
        infos = self._infos()
        try:
            return infos[find_run(key, sorted(infos))]
        except RunError:
            self._must_be_readable()
            raise

    def runs(self) -> tuple[RunInfo, ...]:
        """Return all runs, newest first."""
        return tuple(self._cached("newest", lambda: _newest_first(self._infos())).values())

    def own_runs(self) -> tuple[RunInfo, ...]:
        """Return the runs of the cache folder, which can be deleted, newest first."""
        return tuple(_newest_first(self._runs[0].infos()).values())

    @retrying
    def size_of_run(self, key: str) -> int:
        """Return the bytes that deleting a run frees; raises as :meth:`delete_run`."""
        if not self.is_made_here(key) and key in self._imported.run_keys():
            return self._imported.size(key)
        return self._deletable(key)[1].size

    @retrying
    def delete_run(self, key: str) -> None:
        """Delete a run of the cache folder, with all that no other run needs (:func:`.layer.deletable`).

        A shipped or imported copy is read from then on; a run that is only imported is deleted as such.
        Raises RunError if there is no such run.
        """
        with self.importing(), self._writing():
            if not self.is_made_here(key) and key in self._imported.run_keys():
                self._imported.delete(key)
                return
            run, removal = self._deletable(key)
            delete(removal, self._layers[0], run)

    def is_finished(self, run: RunSpec) -> bool:
        """Return whether a run is complete: scored here or, if it is an imported one, elsewhere."""
        info = self._infos().get(run.key)
        return info is not None and info.complete and info.run.scoring.imported == run.scoring.imported

    def imported_runs(self) -> tuple[RunInfo, ...]:
        """Return the runs that came in packs and were not made here, newest import first."""
        made = self._made_infos()
        infos = {key: info for key, info in self._imported.infos().items() if key not in made}
        return tuple(_newest_first(infos).values())

    def is_made_here(self, key: str) -> bool:
        """Return whether a run of this key was made in this cache, or is shipped with the app."""
        return key in self._made_infos()

    def imported_texts(self) -> tuple[str, ...]:
        """Return the keys of imported results of text audits."""
        return self._imported.text_keys()

    def imported_stamp(self, key: str) -> int:
        """Return when a result was imported, in nanoseconds; 0 for one that was not."""
        return self._imported.stamp(key)

    def delete_imported_texts(self, key: str) -> None:
        """Delete one of :meth:`imported_texts`, with its texts."""
        with self.importing(), self._writing():
            self._imported.delete_texts(key)

    def add_imported(
        self, runs: Mapping[str, Mapping[str, bytes]], texts: Mapping[str, Mapping[str, bytes]]
    ) -> None:
        """Store the files of a checked pack, by key and file: all of them or none."""
        with self._writing():
            self._imported.add(runs, texts)

    def _deletable(self, key: str) -> tuple[RunSpec, Deletable]:
        info = self._runs[0].infos().get(key)
        if info is None:
            raise RunError(
                f"The run {key[:40]} was not made in this cache, so it cannot be deleted: the page 'Models' "
                "lists the runs that can."
            )
        others = (other.run for other in self._made_infos().values())
        return info.run, deletable(self._root, self._layers[0], info.run, others)

    def save_result(self, run_key: str, name: str, arrays: Columns, metadata: Mapping[str, Any]) -> bool:
        """Store columns of one length, derived from scores; return false if the folder cannot take them."""
        path = result_path(self._root, run_key, name)
        data = encode_result(arrays, metadata)
        try:
            with self._writing():
                write_whole(path, data)
        except StoreError as error:  # it can be computed again
            log.warning("The result %s of run %s is not stored. %s", name, run_key, error)
            return False
        return True

    def has_result(self, run_key: str, name: str) -> bool:
        """Return whether a result is stored, without reading it."""
        return any(result_path(folder, run_key, name).exists() for folder in self._folders)

    def load_result(self, run_key: str, name: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]] | None:
        """Load a result of :meth:`save_result`; ``None`` if it is missing or damaged."""
        for folder in self._folders:
            result = read_result(result_path(folder, run_key, name))
            if result is not None:
                return result
        return None

    def save_document(self, key: str, name: str, body: Mapping[str, Any]) -> None:
        """Store or replace a JSON document; raise ValueError for an unsafe key or name, NaN or infinity."""
        path, data = result_path(self._root, key, name, ".json"), seal(body)
        with self._writing():
            write_whole(path, data)

    def load_document(self, key: str, name: str) -> dict[str, Any] | None:
        """Load a stored or imported document; ``None`` if it is missing or damaged."""
        for folder in (*self._folders, *self._imported.text_folders()):
            document = read_document(result_path(folder, key, name, ".json"))
            if document is not None:
                return document
        return None

    def documents(self, name: str) -> tuple[str, ...]:
        """Return the keys that have a document of this name, newest first."""
        return tuple(key for key, _ in self.document_states(name))

    def document_states(self, name: str) -> tuple[tuple[str, State], ...]:
        """Return these keys with the cache key of each document, without reading any."""
        states: dict[str, tuple[int, State]] = {}
        for folder in (*self._folders, *self._imported.text_folders()):
            states = document_states(folder, name) | states
        newest = sorted(states.items(), key=lambda item: (-item[1][0], item[0]))
        return tuple((key, state) for key, (_, state) in newest)

    def document_state(self, key: str, name: str) -> tuple[State | None, ...]:
        """Return the cache key of :meth:`load_document`, without reading the document."""
        folders = (*self._folders, *self._imported.text_folders())
        return tuple(file_state(result_path(folder, key, name, ".json")) for folder in folders)

    @contextmanager
    def steady(self) -> Iterator[None]:
        """Cache the list of runs in this thread inside the block, until this store changes it."""
        self._run_cache.infos = {}
        try:
            yield
        finally:
            self._run_cache.infos = None

    def _infos(self) -> dict[str, RunInfo]:
        """Load all runs by key; one made here or shipped takes precedence over an imported one."""
        return self._cached("all", lambda: self._imported.infos() | self._made_infos())

    def _made_infos(self) -> dict[str, RunInfo]:
        return self._cached("made", self._read_infos)

    def _read_infos(self) -> dict[str, RunInfo]:
        """Load runs by key, with the lists of the lowest layer: a cache changes no shipped run."""
        infos: dict[str, RunInfo] = {}
        for folder in reversed(self._runs):
            for key, info in folder.infos().items():
                if key not in infos:
                    infos[key] = info
                    continue
                with suppress(RunError):  # its plan has other counts than the shipped one
                    run = info.run.with_lists_of(infos[key].run)
                    infos[key] = info.model_copy(update={"run": run})
        return infos

    def _cached(self, what: str, look: Callable[[], dict[str, RunInfo]]) -> dict[str, RunInfo]:
        cached: dict[str, dict[str, RunInfo]] | None = getattr(self._run_cache, "infos", None)
        if cached is None:
            return look()
        if what not in cached:
            cached[what] = look()
        return cached[what]

    def _must_be_readable(self) -> None:
        try:
            next(self._root.iterdir(), None)
        except OSError as error:
            raise StoreError(
                f"The cache at {self._root} cannot be used ({error.strerror}): set PCF_CACHE to a folder "
                "that can be read and written."
            ) from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the write lock, clear the cached list of runs, and raise failures as StoreError."""
        self._database.must_last()
        try:
            with as_store_error(self._root), self._database.transaction():
                self._clear_run_cache()
                yield
        finally:
            self._clear_run_cache()

    def _clear_run_cache(self) -> None:
        if getattr(self._run_cache, "infos", None) is not None:
            self._run_cache.infos = {}


def _newest_first(infos: Mapping[str, RunInfo]) -> dict[str, RunInfo]:
    return dict(sorted(infos.items(), key=lambda item: item[1].created, reverse=True))

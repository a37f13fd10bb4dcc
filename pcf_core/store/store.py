"""The store: asked for prompts × words, it says what is missing and gives what is there."""

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
from pcf_core.store.files import locked, seal, told, write_whole
from pcf_core.store.imported import Imported
from pcf_core.store.layer import (
    Deletable,
    Layer,
    Missing,
    Scores,
    check_block,
    deletable,
    delete,
    gathered,
    missing_blocks,
)
from pcf_core.store.places import place_of
from pcf_core.store.results import (
    Columns,
    RunFolder,
    RunInfo,
    State,
    document_states,
    encode_result,
    file_state,
    find_run,
    read_document,
    read_result,
    result_path,
)
from pcf_core.store.texts import TextLayer

log = logging.getLogger(__name__)

IMPORTS = "imports"  # the lock of imports
IMPORT_SECONDS = 60.0  # that one is waited for
P = ParamSpec("P")
T = TypeVar("T")


def mending(method: Callable[Concatenate[Store, P], T]) -> Callable[Concatenate[Store, P], T]:
    """Make a method repeat once where the catalogue turned out to be damaged."""

    @wraps(method)
    def asking(self: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return method(self, *args, **kwargs)
        except DamagedCatalogueError:
            self.begin_anew()
            return method(self, *args, **kwargs)

    return asking


class Store:
    """Layers of scores, texts and results: the cache folder, which is written, on top of the shipped ones.

    Safe to share between threads; several processes may open the same folders.
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
        self._looked = threading.local()  # what runs there are, within :meth:`steady`

    @classmethod
    def open(cls, root: Path, shipped: Sequence[Path] = (), scores: str = "") -> Store:
        """Open the cache at ``root``, made if need be, on top of the read-only folders ``shipped``.

        A root that is read-only or full is read all the same; writing to it then raises StoreError.  Its
        shards lie in it, or at ``scores``, a folder or a URL that several caches may share.

        Raises
        ------
        SettingsError
            A URL of a kind that cannot be reached from here.
        """
        own = Catalogue.open(root)
        layers = [Layer(place_of(root, scores), own)]
        texts = [TextLayer(place_of(root, scores, "texts"), own)]
        folders = [root]
        for folder in shipped:
            index = Catalogue(Database(None))
            layers.append(Layer(place_of(folder), index))
            texts.append(TextLayer(place_of(folder, kind="texts"), index))
            folders.append(folder)
        return cls(root, layers, texts, folders)

    @property
    def _database(self) -> Database:
        return self._layers[0].catalogue.database

    def begin_anew(self) -> None:
        """Go on with another catalogue, in the place of one that was damaged."""
        own = Catalogue.open(self._root)
        self._layers[0].begin_anew(own)
        self._texts[0].catalogue = own

    @property
    def current(self) -> bool:
        """Whether it stands on the catalogue that others use; if not, it should be opened again."""
        return self._database.current

    def must_be_writable(self) -> None:
        """Refuse what would end in writing, before it costs anything.

        Raises
        ------
        StoreError
            The folder could not be written when the store was opened.
        """
        self._database.must_last()

    def lock(self, name: str, while_waiting: Callable[[str], None]) -> AbstractContextManager[None]:
        """Hold the lock on a piece of work on this cache; see :func:`pcf_core.store.files.locked`.

        Raises
        ------
        StoreError
            The folder is full or read-only.
        """
        return locked(self._root, name, while_waiting)

    @contextmanager
    def importing(self) -> Iterator[None]:
        """Hold the lock of whoever imports results, or deletes those that an import is compared with.

        Inside, what there is stays until it is changed here.  A cache that cannot be written has no lock:
        nobody changes it.

        Raises
        ------
        StoreError
            Another process holds it for a minute.
        """
        began = time.monotonic()

        def while_waiting(holder: str) -> None:
            if time.monotonic() - began > IMPORT_SECONDS:
                raise StoreError(
                    f"{holder} imports or deletes results in the cache at {self._root}: wait until it has "
                    "finished, then repeat."
                )

        with self.lock(IMPORTS, while_waiting) if self._database.lasts else nullcontext():
            self._look_again()
            yield

    # ---------------------------------------------------------------------------------- scores

    @mending
    def known_words(self, key: ScoringKey) -> TokenTable:
        """Return what is known of words under a key: tokens per word, the tokens, and words refused."""
        tables = [layer.known_words(key.hash) for layer in self._layers_of(key)]
        tokens = {word: count for table in tables for word, count in table.tokens.items()}
        refused = {word: reason for table in tables for word, reason in table.refused.items()}
        spelling = {word: ids for table in tables for word, ids in table.spelling.items()}
        unspaced = frozenset().union(*(table.unspaced for table in tables))
        at_start = {word: count for table in tables for word, count in table.at_start.items()}
        return TokenTable(tokens, refused, spelling, unspaced, at_start)

    def shards(self, key: ScoringKey) -> tuple[str, ...]:
        """List ids of the shards under a key, unread; they change exactly when scores are added or lost."""
        return tuple(shard for layer in self._layers_of(key) for shard in layer.shards(key.hash))

    def _layers_of(self, key: ScoringKey) -> Sequence[Layer]:
        """Return where the scores of a key lie: those of packs and those that were made here never mix."""
        return self._imported.layers(key.hash) if key.imported else self._layers

    @mending
    def missing(self, key: ScoringKey, prompts: Sequence[str], words: Sequence[str]) -> list[Missing]:
        """List what has to be scored before :meth:`gather` gives a number for every prompt and word.

        Few rectangular blocks: prompts that lack the same words stand together, in the order of the request,
        at most ``Settings.most_prompts`` a block.  Words that are known to be refused are not missing.
        """
        return missing_blocks(self._layers_of(key), key, prompts, words, self.known_words(key).refused)

    @mending
    def changes(self, key: ScoringKey) -> int | None:
        """Count how often scores may have been added by now, one for each :meth:`write` of this store.

        Where it is what it was, what was missing still is; unlike the list of shards it costs the same,
        however many there are.  ``None`` where others write without our lock, and only the list tells.
        """
        return self._layers[0].changes(key.hash)

    @mending
    def gather(self, key: ScoringKey, prompts: Sequence[str], words: Sequence[str]) -> FloatArray:
        """Return [prompt, word] float32 nats; NaN where not in the store, or refused."""
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
        """Keep the scores of a block, and the words of it that were refused; return the shard's id.

        Parameters
        ----------
        key
            What the scores depend on.
        prompts
            Distinct prompts; none, to keep only what is known of ``words``.
        words
            Accepted and refused ones.
        table
            Tokens per word, and reasons of the refused.
        values
            [prompt, accepted word] nats, in the order of ``words``.
        provenance
            What made the numbers: versions, device, timings.

        Raises
        ------
        StoreError
            The folder is full or read-only; nothing half-written is ever served.
        ValueError
            Shapes that do not fit, NaN, or a word the table does not know.
        """
        nats = values.astype(np.float32, copy=False)
        return self.write_all(key, table, [Scores(tuple(prompts), tuple(words), nats, provenance)])[0]

    @mending
    def write_all(self, key: ScoringKey, table: TokenTable, blocks: Sequence[Scores]) -> list[str]:
        """Keep blocks, each as :meth:`write` does and a shard of its own; return their ids.

        All are kept in one step, which takes little longer than one of them would.

        Raises
        ------
        StoreError
            The folder is full or read-only; what is kept of them by then is whole.
        ValueError
            As :meth:`write`.
        """
        if key.imported:
            raise ValueError(f"scores of {key.name} come in packs and are not made here")
        for block in blocks:
            check_block(block, table)
        return self._layers[0].write(key, table, blocks)

    # ----------------------------------------------------------------------------------- texts

    def missing_texts(self, key: GenerationKey, prompts: Sequence[str], count: int) -> list[MissingTexts]:
        """List the parts of blocks to write before :meth:`texts` gives ``count`` texts for every prompt.

        One prompt after the other, in their order; a prompt that stands twice counts once.
        """
        wanted = [part for prompt in dict.fromkeys(prompts) for part in parts(prompt, 0, count)]
        return self.still_missing_texts(key, wanted)

    @mending
    def still_missing_texts(self, key: GenerationKey, wanted: Sequence[MissingTexts]) -> list[MissingTexts]:
        """Return what nobody has written yet of parts of blocks."""
        lacking = list(wanted)
        for layer in self._texts_of(key):
            lacking = layer.missing(key, lacking)
        return lacking

    def _texts_of(self, key: GenerationKey) -> Sequence[TextLayer]:
        """Return where the texts of a key lie: those of packs and those that were made here never mix."""
        return self._imported.text_layers(key.hash) if key.imported else self._texts

    @mending
    def texts(self, key: GenerationKey, prompt: str, count: int) -> Generated | None:
        """Return the first ``count`` texts of a prompt; ``None`` where one of them is not in the store.

        Raises
        ------
        ValueError
            ``count`` is below 1.
        """
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

    @mending
    def write_texts(self, key: GenerationKey, generated: Generated, provenance: Mapping[str, Any]) -> str:
        """Keep a block of texts or a part of one; return the shard's id.

        Raises
        ------
        StoreError
            The folder is full or read-only; nothing half-written is ever served.
        ValueError
            Nothing, or texts of several blocks.
        """
        if not 1 <= len(generated.texts) <= BLOCK - generated.first % BLOCK:
            raise ValueError(
                f"{len(generated.texts)} texts from index {generated.first} are no part of a block"
            )
        if key.imported:
            raise ValueError(f"texts of {key.model} come in packs and are not made here")
        return self._texts[0].write(key, generated, provenance)

    @mending
    def rebuild(self) -> None:
        """Make the catalogue anew from the shards; jobs stay."""
        for layer in (*self._layers, *self._imported.all_layers()):
            layer.rebuild()

    @mending
    def warnings(self) -> tuple[str, ...]:
        """List a sentence for each damaged shard not scored again, and one for a damaged catalogue."""
        layers = (*self._layers, *self._imported.all_layers())
        of_shards = tuple(sentence for layer in layers for sentence in layer.catalogue.warnings())
        damaged_file = damaged(self._root / FILE_NAME)
        if not damaged_file.exists():
            return of_shards
        return (
            *of_shards,
            f"The catalogue of the cache was damaged and is kept as {damaged_file.name} in its folder; jobs "
            "that could not be read are lost. Check the disk, then delete that file.",
        )

    # ------------------------------------------------------------------------ runs and results

    def save_run(self, run: RunSpec, provenance: Mapping[str, Any], complete: bool = True) -> None:
        """Store a run under its key, with the lists of :meth:`as_stored`.

        Raises
        ------
        RunError
            As :meth:`as_stored`.
        StoreError
            The folder is full or read-only.
        """
        with self._writing():
            self._runs[0].save(self.as_stored(run), provenance, complete)

    def ask_for(self, run: RunSpec) -> None:
        """Store a run that is to be scored; one that is there keeps its lists and its state.

        If a sampling plan draws other templates now, it is not complete any more.

        Raises
        ------
        RunError
            As :meth:`as_stored`.
        StoreError
            The folder is full or read-only.
        """
        with self._writing():
            run, stored = self.as_stored(run), self._made_infos().get(run.key)
            if stored is None:
                self._runs[0].save(run, {}, complete=False)
            elif stored.run != run:
                complete = stored.complete and stored.run.drawn.hash == run.drawn.hash
                self._runs[0].save(run, stored.provenance, complete)

    def as_stored(self, run: RunSpec) -> RunSpec:
        """Return a run with the lists that were shipped, or first stored, under its key.

        Counts, weights, titles and sources are no part of a key, yet they are what its readers see. So they
        never change: who brings others reads the run with them, and leaves the run as it is.

        Raises
        ------
        RunError
            A sampling plan that draws by other counts than the stored one.
        """
        stored = self._made_infos().get(run.key)
        return run if stored is None or run.scoring.imported else run.with_lists_of(stored.run)

    def load_run(self, key: str) -> RunSpec:
        """Load the run of a full key, or of its first six digits or more.

        Raises
        ------
        RunError
            No run, or more than one, has this key.
        StoreError
            No run has it that can be seen, and the cache cannot be read.
        """
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
        """List all runs, the newest first."""
        return tuple(sorted(self._infos().values(), key=lambda info: info.created, reverse=True))

    def own_runs(self) -> tuple[RunInfo, ...]:
        """List the runs of the cache folder itself, which can be deleted, the newest first."""
        return tuple(sorted(self._runs[0].infos().values(), key=lambda info: info.created, reverse=True))

    @mending
    def size_of_run(self, key: str) -> int:
        """Return the bytes that deleting a run of the cache folder gives back.

        Raises
        ------
        RunError
            It has no such run.
        """
        if not self.is_made_here(key) and key in self._imported.run_keys():
            return self._imported.size(key)
        return self._deletable(key)[1].size

    @mending
    def delete_run(self, key: str) -> None:
        """Delete a run of the cache folder, with all that no other run needs (:func:`.layer.deletable`).

        A run that is shipped too is then the shipped one again, an imported one the imported one; of
        what is imported alone, that is deleted.

        Raises
        ------
        RunError
            It has no such run.
        StoreError
            The folder is read-only.
        """
        with self.importing(), self._writing():
            if not self.is_made_here(key) and key in self._imported.run_keys():
                self._imported.delete(key)
                return
            run, removal = self._deletable(key)
            delete(removal, self._layers[0], run)

    def is_finished(self, run: RunSpec) -> bool:
        """Tell whether a run is scored to its end, here or, where it is an imported one, elsewhere."""
        info = self._infos().get(run.key)
        return info is not None and info.complete and info.run.scoring.imported == run.scoring.imported

    def imported_runs(self) -> tuple[RunInfo, ...]:
        """List the runs that came in packs and were not made here, the newest import first."""
        made = self._made_infos()
        infos = [info for key, info in self._imported.infos().items() if key not in made]
        return tuple(sorted(infos, key=lambda info: info.created, reverse=True))

    def is_made_here(self, key: str) -> bool:
        """Tell whether a run of this key was made in this cache, or is shipped with the app."""
        return key in self._made_infos()

    def imported_texts(self) -> tuple[str, ...]:
        """List the keys of the results of text audits that came in packs."""
        return self._imported.text_keys()

    def imported_stamp(self, key: str) -> int:
        """Return what changes when another result of this key is imported; 0 of one that is not imported."""
        return self._imported.stamp(key)

    def delete_imported_texts(self, key: str) -> None:
        """Delete one of :meth:`imported_texts`, with its texts.

        Raises
        ------
        StoreError
            The folder is read-only.
        """
        with self.importing(), self._writing():
            self._imported.delete_texts(key)

    def add_imported(
        self, runs: Mapping[str, Mapping[str, bytes]], texts: Mapping[str, Mapping[str, bytes]]
    ) -> None:
        """Keep what a pack that was checked holds, by key and file: all of it or nothing.

        Raises
        ------
        StoreError
            The folder is full or read-only; nothing is left then.
        """
        with self._writing():
            self._imported.add(runs, texts)

    def _deletable(self, key: str) -> tuple[RunSpec, Deletable]:
        info = self._runs[0].infos().get(key)
        if info is None:
            raise RunError(
                f"The run {key[:40]} was not made in this cache and cannot be deleted: the page 'Models' "
                "lists those that can."
            )
        others = (other.run for other in self._made_infos().values())
        return info.run, deletable(self._root, self._layers[0], info.run, others)

    def save_result(self, run_key: str, name: str, arrays: Columns, metadata: Mapping[str, Any]) -> bool:
        """Keep columns of one length, derived from scores; false where the folder cannot keep them."""
        path = result_path(self._root, run_key, name)
        data = encode_result(arrays, metadata)
        try:
            with self._writing():
                write_whole(path, data)
        except StoreError as error:  # nothing is lost: it is computed again
            log.warning("The result %s of run %s is not kept. %s", name, run_key, error)
            return False
        return True

    def has_result(self, run_key: str, name: str) -> bool:
        """Tell whether :meth:`save_result` kept something; whether it is damaged, only reading it tells."""
        return any(result_path(folder, run_key, name).exists() for folder in self._folders)

    def load_result(self, run_key: str, name: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]] | None:
        """Load what :meth:`save_result` kept; ``None`` where it is missing or damaged."""
        for folder in self._folders:
            result = read_result(result_path(folder, run_key, name))
            if result is not None:
                return result
        return None

    def save_document(self, key: str, name: str, body: Mapping[str, Any]) -> None:
        """Keep what JSON can say, under a key and a name; what was there is replaced.

        Raises
        ------
        StoreError
            The folder is full or read-only.
        ValueError
            A key or name that is none, or a number that JSON has not.
        """
        path, data = result_path(self._root, key, name, ".json"), seal(body)
        with self._writing():
            write_whole(path, data)

    def load_document(self, key: str, name: str) -> dict[str, Any] | None:
        """Load what :meth:`save_document` kept, or a pack brought; ``None`` where missing or damaged."""
        for folder in (*self._folders, *self._imported.text_folders()):
            document = read_document(result_path(folder, key, name, ".json"))
            if document is not None:
                return document
        return None

    def documents(self, name: str) -> tuple[str, ...]:
        """List the keys under which a document of this name is kept, the newest first."""
        return tuple(key for key, _ in self.document_states(name))

    def document_states(self, name: str) -> tuple[tuple[str, State], ...]:
        """List the same keys, each with what is another once its document is; none is read."""
        states: dict[str, tuple[int, State]] = {}
        for folder in (*self._folders, *self._imported.text_folders()):
            states = document_states(folder, name) | states
        newest = sorted(states.items(), key=lambda item: (-item[1][0], item[0]))
        return tuple((key, state) for key, (_, state) in newest)

    def document_state(self, key: str, name: str) -> tuple[State | None, ...]:
        """Return what is another once :meth:`load_document` may answer otherwise; nothing is read."""
        folders = (*self._folders, *self._imported.text_folders())
        return tuple(file_state(result_path(folder, key, name, ".json")) for folder in folders)

    @contextmanager
    def steady(self) -> Iterator[None]:
        """Look once, in this thread, at what runs there are, and again once this store has changed any.

        Who asks dozens of times within a moment, as a page does, has the same answer each time.
        """
        self._looked.infos = {}
        try:
            yield
        finally:
            self._looked.infos = None

    def _infos(self) -> dict[str, RunInfo]:
        """Load all runs by key; one that was made here, or is shipped, goes before an imported one."""
        return self._once("all", lambda: self._imported.infos() | self._made_infos())

    def _made_infos(self) -> dict[str, RunInfo]:
        return self._once("made", self._read_infos)

    def _read_infos(self) -> dict[str, RunInfo]:
        """Load runs by key, each with the lists of the lowest layer: a cache changes no shipped run."""
        infos: dict[str, RunInfo] = {}
        for folder in reversed(self._runs):
            for key, info in folder.infos().items():
                if key not in infos:
                    infos[key] = info
                    continue
                with suppress(RunError):  # draws by other counts than those of the shipped plan
                    run = info.run.with_lists_of(infos[key].run)
                    infos[key] = info.model_copy(update={"run": run})
        return infos

    def _once(self, what: str, look: Callable[[], dict[str, RunInfo]]) -> dict[str, RunInfo]:
        cached: dict[str, dict[str, RunInfo]] | None = getattr(self._looked, "infos", None)
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
                f"The cache at {self._root} cannot be used ({error.strerror}): "
                "set PCF_CACHE to a folder that can be read and written."
            ) from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Let one writer in at a time, and turn failures into an error with a sentence.

        A writer looks anew, even within :meth:`steady`: what others have written since is part of what it
        decides by.
        """
        self._database.must_last()
        try:
            with told(self._root), self._database.transaction():
                self._look_again()
                yield
        finally:
            self._look_again()

    def _look_again(self) -> None:
        if getattr(self._looked, "infos", None) is not None:
            self._looked.infos = {}

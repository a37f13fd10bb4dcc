"""Open a corpus by name, and yield its documents or a random sample of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pcf_core.core.errors import CorpusError
from pcf_core.core.settings import settings
from pcf_core.material.safety.reading import label, read_toml
from pcf_core.material.safety.text import shown
from pcf_core.mining.corpora import FORMS, READERS
from pcf_core.mining.corpora.hub import PREFIX, find
from pcf_core.mining.corpora.source import Document, Entry, Source, suffixes

CARD_KEYS = ("title", "source", "licence", "language", "notes")
ACCEPTED = (
    ".txt, .jsonl, .xml (a Wikipedia dump), .srt (subtitles), .html and .warc or .wet (web archives), each "
    "optionally followed by .gz, .bz2 or .zst, and .parquet"
)
BLOCK = 2**20  # documents to draw from at once


@dataclass(frozen=True)
class Part:
    """One file of a corpus.  ``size`` in bytes; ``state`` changes with its content."""

    name: str
    size: int | None
    state: str
    path: Callable[[], Path]


class Corpus:
    """Documents in the order of files and positions.

    ``identity``: depends on the files' names, sizes and times, the sample and its seed.  ``size``: bytes to
    read, packed, ``None`` if unknown; ``read``: so far.  A sample is read twice, first to count.
    """

    def __init__(
        self, name: str, parts: tuple[Part, ...], licence: str, sample: int | None = None, seed: int = 0
    ) -> None:
        self.name = name
        self.licence = licence
        self.identity = _identity(parts, sample, seed)
        self._parts = parts
        self._sample = sample
        self._seed = seed
        self._chosen: NDArray[np.int64] | None = None
        self._before = 0  # bytes of completed files
        self._source: Source | None = None

    @property
    def size(self) -> int | None:
        """Bytes to read in all, including both passes over a sample."""
        sizes = [part.size for part in self._parts]
        passes = 1 if self._sample is None else 2
        return None if None in sizes else passes * sum(size or 0 for size in sizes)

    @property
    def read(self) -> int:
        """Bytes read so far."""
        return self._before + (self._source.read if self._source else 0)

    def documents(self) -> Iterator[Document]:
        """Yield the documents, the same in each call; CorpusError if one is unreadable or there is none."""
        self._before, self._source = 0, None
        if self._sample is None:
            for entry in self._entries():
                yield entry()
            return
        if self._chosen is None:
            self._chosen = drawn(sum(1 for _ in self._entries()), self._sample, self._seed)
        self._before = (self.size or 0) // 2
        chosen = iter(self._chosen.tolist())
        wanted = next(chosen)
        for ordinal, entry in enumerate(self._entries()):
            if ordinal == wanted:
                yield entry()
                wanted = next(chosen, None)
                if wanted is None:
                    break
        self._before, self._source = self.size or self.read, None

    def _entries(self) -> Iterator[Entry]:
        empty = True
        for part in self._parts:
            source = Source(part.path())
            self._source = source
            for entry in FORMS[suffixes(source.path)[0]](source):
                empty = False
                yield entry
            self._before, self._source = (
                self._before + (source.read if part.size is None else part.size),
                None,
            )
        if empty:
            raise CorpusError(f"The corpus {self.name} has no documents: give one with texts.")


def open_corpus(name: str | Path, *, sample: int | None = None, seed: int = 0) -> Corpus:
    """Open a corpus: a file or folder, a name in the operator's folder (PCF_CORPORA), or ``hf:…``.

    ``sample``: the number of documents to draw, without replacement, by ``seed``; they keep their order, and
    a larger sample contains a smaller one.  Only the card beside a file is read: ``wiki.toml`` with a
    ``licence`` for ``wiki.jsonl.gz``.  CorpusError: unreadable, a broken card, a sample below 1.
    """
    if sample is not None and sample < 1:
        raise CorpusError(f"A sample must have at least 1 document; {sample:,} were requested.")
    if str(name).startswith(PREFIX):
        corpus = find(str(name))
        parts = tuple(Part(file.path, file.size, file.revision, file.fetch) for file in corpus.files)
        return Corpus(str(name), parts, corpus.licence, sample, seed)
    path = _existing(name)
    files = _files(path)
    licences = dict.fromkeys(filter(None, map(_licence, files)))
    return Corpus(label(path), tuple(map(_part, files)), "; ".join(licences), sample, seed)


def offered_corpora() -> tuple[str, ...]:
    """List files and folders in the operator's folder (PCF_CORPORA) that can be opened."""
    folder = settings().corpora
    if folder is None or not folder.is_dir():
        return ()
    return tuple(sorted(path.name for path in folder.iterdir() if _readable(path) or _inside(path)))


def drawn(count: int, sample: int, seed: int) -> NDArray[np.int64]:
    """Draw [min(sample, count)] sorted ordinals below ``count`` at random without replacement.

    Every ordinal has a mark, SplitMix64 of (seed, ordinal) (Steele et al. 2014, doi:10.1145/2714064.2660195),
    and the lowest marks are drawn.  SplitMix64 is a bijection, so marks differ.
    """
    marks = np.empty(0, np.uint64)
    ordinals = np.empty(0, np.int64)
    start = _mixed(np.array([seed % 2**64], np.uint64))
    for first in range(0, count, BLOCK):
        more = np.arange(first, min(first + BLOCK, count))
        marks = np.concatenate(
            [marks, _mixed(start + more.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))]
        )
        ordinals = np.concatenate([ordinals, more])
        if len(marks) > sample:
            lowest = np.argpartition(marks, sample - 1)[:sample]
            marks, ordinals = marks[lowest], ordinals[lowest]
    return np.sort(ordinals)


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _existing(name: str | Path) -> Path:
    folder = settings().corpora
    try:
        for path in [Path(name).expanduser(), *([folder / name] if folder else [])]:
            if str(name).strip() and path.exists():
                return path
    except (OSError, ValueError, RuntimeError):
        pass  # too long, a null byte, an unknown home
    raise CorpusError(
        f"{shown(name)} is neither a file nor a folder: give the path of a corpus, or hf:OWNER/NAME for one "
        "on the hub."
    )


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        files = _inside(path)
        if not files:
            raise CorpusError(f"The folder {label(path)} has no corpus: add files that end in {ACCEPTED}.")
        return files
    if not _readable(path):
        raise CorpusError(f"{label(path)} is not in a supported format; files must end in {ACCEPTED}.")
    return [path]


def _inside(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if _readable(path)) if folder.is_dir() else []
    except OSError as problem:
        raise CorpusError(
            f"The folder {label(folder)} cannot be read ({problem.strerror}): check that "
            "it exists and that you may read it."
        ) from problem


def _readable(path: Path) -> bool:
    form, packing = suffixes(path)
    readable = form in FORMS and not (packing and form == ".parquet")
    return readable and path.is_file() and not path.name.startswith(".")


def _part(path: Path) -> Part:
    status = path.stat()
    return Part(path.name, status.st_size, str(status.st_mtime_ns), lambda: path)


def _licence(path: Path) -> str:
    form, packing = suffixes(path)
    card = path.with_name(path.name[: len(path.name) - len(form) - len(packing)] + ".toml")
    if not card.is_file():
        return ""
    licence = read_toml(card, CARD_KEYS, CorpusError).get("licence", "")
    if not isinstance(licence, str):
        raise CorpusError(f"{label(card)}: the licence is {shown(licence)}; write it in quotation marks.")
    return " ".join(licence.split())


def _identity(parts: tuple[Part, ...], sample: int | None, seed: int) -> str:
    drawn_by = None if sample is None else [sample, seed]
    facts = [READERS, [[part.name, part.size, part.state] for part in parts], drawn_by]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()

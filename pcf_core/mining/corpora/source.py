"""One file of a corpus: its bytes, unpacked while reading, and all errors of that."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from pcf_core.core.errors import CorpusError
from pcf_core.material.safety.reading import label

PACKED = (".gz", ".bz2", ".zst")
MAX_LINE = 16 * 2**20  # bytes of a line, and of a text in a table
MAX_RATIO = 200  # limit of unpacked to packed size; prose has 5, tables up to 50
FREE = 2**30  # unpacked bytes allowed in any case
MAX_NAME = 200  # characters of an id, a title or a source
BUFFER = 2**17  # bytes read and unpacked at once
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class Document:
    """A text and its origin.  A line of ``text`` is a paragraph; ``id`` need not be unique."""

    id: str
    title: str
    text: str
    source: str


Entry = Callable[[], Document]


def suffixes(path: Path) -> tuple[str, str]:
    """Return the endings of format and compression, or "": ``a.jsonl.gz`` gives .jsonl and .gz."""
    endings = [suffix.lower() for suffix in path.suffixes[-2:]]
    if endings and endings[-1] in PACKED:
        return endings[0] if len(endings) == 2 else "", endings[-1]
    return endings[-1] if endings else "", ""


class Source:
    """One file of a corpus, opened for reading; ``read``: packed bytes read so far."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.label = label(path)
        form, packing = suffixes(path)
        self.packing = packing
        self.stem = self.label[: len(self.label) - len(form) - len(packing)]
        self.read = 0

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Open the bytes of the file, unpacked.

        Raises CorpusError, also while reading, for a file that cannot be read, is damaged, or unpacks to over
        200 times its size and a GiB.
        """
        with self.checked(), self.path.open("rb", buffering=0) as file:
            yield cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, self._unpacked(file)), BUFFER))

    def _unpacked(self, file: io.FileIO) -> object:
        counted = _Counted(file, self)
        if self.packing == ".gz":
            return _Bounded(gzip.GzipFile(fileobj=io.BufferedReader(counted, BUFFER)), self)
        if self.packing == ".bz2":
            return _Bounded(bz2.BZ2File(io.BufferedReader(counted, BUFFER)), self)
        if self.packing == ".zst":
            import pyarrow

            return _Bounded(pyarrow.CompressedInputStream(pyarrow.PythonFile(counted, "r"), "zstd"), self)
        return counted

    @contextmanager
    def checked(self) -> Iterator[None]:
        """Turn errors of reading the file inside the block into CorpusError."""
        try:
            yield
        except EOFError as problem:
            raise self._cut_off() from problem
        except (zlib.error, ValueError) as problem:  # pyarrow's ArrowInvalid is a ValueError
            raise self._damaged(problem) from problem
        except OSError as problem:
            if problem.errno is None and "runcated" in str(problem):
                raise self._cut_off() from problem
            if problem.errno is None:  # from decompression
                raise self._damaged(problem) from problem
            raise CorpusError(
                f"{self.label} cannot be read ({problem.strerror or 'input/output error'}): check that the "
                "file exists and that you may read it."
            ) from problem

    def _cut_off(self) -> CorpusError:
        return CorpusError(
            f"{self.label} ends unexpectedly after {self.read:,} bytes, so it was cut off: copy or download "
            "it again."
        )

    def _damaged(self, problem: Exception) -> CorpusError:
        reason = " ".join(str(problem).split()).rstrip(".")[:120]
        return CorpusError(
            f"{self.label} is damaged, or its ending is wrong ({reason}): copy or download it again, or give "
            "it the right ending."
        )

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield number (from 1) and bytes of every line, without a byte order mark; at most 16 MiB each."""
        with self.opened() as file:
            number = 0
            while line := file.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    raise CorpusError(
                        f"{self.label}, line {number:,} is longer than {MAX_LINE // 2**20} MiB: give a text "
                        "file and break it into lines, one for each document or paragraph."
                    )
                if number == 1:
                    line = line.removeprefix(codecs.BOM_UTF8)
                yield number, line

    def decoded(self, line: bytes, number: int) -> str:
        """Decode a line as UTF-8, or raise CorpusError."""
        try:
            text = line.decode()
        except UnicodeDecodeError as problem:
            if number == 1 and line.startswith(UTF16):
                raise CorpusError(f"{self.label} is UTF-16: save it with the encoding UTF-8.") from problem
            raise CorpusError(
                f"{self.label}, line {number:,} is not UTF-8 text (byte {problem.start + 1:,} of the line): "
                "save it with the encoding UTF-8."
            ) from problem
        if "\0" in text:
            raise CorpusError(
                f"{self.label}, line {number:,} has a null byte, so it is not a text: give a text in UTF-8."
            )
        return text

    def document(self, fields: Mapping[str, object], where: str, number: int) -> Document:
        """Make a document from the fields of a row; only ``text`` is required.

        ``where`` begins error messages.  Values that are neither text nor whole numbers count as missing.  A
        missing id is the file's name and ``number``, a missing source the file's name.
        """
        text = fields.get("text")
        if not isinstance(text, str):
            kind = "null" if text is None else f"a {type(text).__name__}"
            raise CorpusError(f"{where}: the text is {kind}; it must be a string.")
        if len(text) > MAX_LINE:
            raise CorpusError(
                f"{where}: the text has {len(text):,} characters; at most {MAX_LINE:,} are allowed."
            )
        return Document(
            id=_name(fields.get("id")) or f"{self.stem}:{number}",
            title=_name(fields.get("title")),
            text=text,
            source=_name(fields.get("source")) or self.stem,
        )


class _Counted(io.RawIOBase):
    """A file that reports to its source how many bytes were read."""

    def __init__(self, file: io.FileIO, source: Source) -> None:
        self._file = file
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        count = self._file.readinto(buffer)  # type: ignore[arg-type]
        self._source.read += count or 0
        return count or 0


class _Bounded(io.RawIOBase):
    """Unpacked data, limited in relation to the packed data."""

    def __init__(self, stream: Any, source: Source) -> None:
        self._stream = stream
        self._source = source
        self._unpacked = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        count = int(self._stream.readinto(buffer))
        self._unpacked += count
        if self._unpacked > max(FREE, MAX_RATIO * self._source.read):
            raise CorpusError(
                f"{self._source.label} unpacks to more than {MAX_RATIO} times its size, so it cannot be a "
                "normal text: give the unpacked text, or another file."
            )
        return count


def _name(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return ""
    return " ".join(str(value).split())[:MAX_NAME]

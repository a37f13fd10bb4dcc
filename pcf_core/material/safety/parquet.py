"""What the pages of a Parquet file say of their sizes, before anything of them is unpacked.

The footer says it too, but a reader does not go by it: it takes as much memory as the header of each page
names.  A file of 20 kB whose footer says 100 bytes can so take gigabytes.  Only the headers are read here, a
few bytes before each page.

Source: the Parquet format's ``parquet.thrift`` (PageHeader), in Thrift's compact protocol, where a number is
seven bits a byte, the lowest first, signed ones zigzag: 0, -1, 1, -2 …

**Worked example.**  ``15 00 15 c8 01 15 50 …``: field 1 (5 is a 32-bit number) is 0, a data page; field 2 is
c8 01 = 200, zigzag 100 bytes unpacked; field 3 is 0x50 = 80, zigzag 40 bytes as they lie in the file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

HEADER = 2**16  # bytes that a header is looked for in; it holds two values of the column, cut by all writers
DEEPEST = 8  # structs within structs
PREFIXES = (
    7  # DELTA_BYTE_ARRAY: a value is the end of one, behind so much of the last, and unpacks to anything
)
END, TRUE, FALSE, BYTE, SHORT, INT, LONG, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(13)


@dataclass(frozen=True)
class Page:
    """One page of a column in a Parquet file.

    ``unpacked``: bytes in memory; ``values``: how many, or 0; ``prefixes``: whether so written.
    """

    unpacked: int
    values: int
    prefixes: bool


def pages(file: BinaryIO, facts: Any, columns: Collection[str]) -> Iterator[Page]:
    """Yield the pages of the named columns, with all that lies in them.

    Parameters
    ----------
    file
        The Parquet file.
    facts
        Its ``pyarrow.parquet.FileMetaData``.
    columns
        Names at the top of the schema.

    Raises
    ------
    ValueError
        What stands where a page begins is no header of one.
    """
    for group in range(facts.num_row_groups):
        for index in range(facts.num_columns):
            chunk = facts.row_group(group).column(index)
            if chunk.path_in_schema.partition(".")[0] in columns:
                yield from _of_chunk(file, chunk)


def _of_chunk(file: BinaryIO, chunk: Any) -> Iterator[Page]:
    if not chunk.num_values:  # a reader opens no page then, and the places are not set
        return
    dictionary = chunk.dictionary_page_offset or chunk.data_page_offset
    start = min(dictionary, chunk.data_page_offset)
    end = start + chunk.total_compressed_size
    if start < 4 or chunk.total_compressed_size < 0:
        raise ValueError("a column begins before the file does")
    while start < end:
        file.seek(start)
        header = _Header(file.read(HEADER))
        fields = header.struct()
        unpacked, packed = fields.get(2, -1), fields.get(3, -1)
        data = fields.get(5) or fields.get(8) or {}
        if not all(isinstance(size, int) and size >= 0 for size in (unpacked, packed)) or not isinstance(
            data, dict
        ):
            raise ValueError("a page has no size")
        values, written = data.get(1, 0), data.get(2 if 5 in fields else 4, 0)
        yield Page(unpacked, values if isinstance(values, int) else 0, written == PREFIXES)
        start += header.place + packed


class _Header:
    """Reads one value after the other from the bytes at which a page begins."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.place = 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Read values by the numbers of their fields; what is no number or struct is None."""
        if depth > DEEPEST:
            raise ValueError("the header of a page has no end")
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != END:
            number = number + (head >> 4) if head >> 4 else self._number()
            fields[number] = self._value(head & 15, depth)
        return fields

    def _value(self, kind: int, depth: int, within: bool = False) -> Any:
        """Read a value; ``within`` a list, a truth value has a byte of its own."""
        if kind in (TRUE, FALSE):
            self._skip(1 if within else 0)
        elif kind in (SHORT, INT, LONG):
            return self._number()
        elif kind == STRUCT:
            return self.struct(depth + 1)
        elif kind in (BYTE, DOUBLE):
            self._skip(1 if kind == BYTE else 8)
        elif kind == BINARY:
            self._skip(self._plain())
        elif kind in (LIST, SET):
            head = self._byte()
            for _ in range(self._plain() if head >> 4 == 15 else head >> 4):
                self._value(head & 15, depth + 1, within=True)
        else:  # a page has no map
            raise ValueError("the header of a page is damaged")
        return None

    def _number(self) -> int:
        plain = self._plain()
        return plain >> 1 ^ -(plain & 1)

    def _plain(self) -> int:
        number = shift = 0
        while shift < 70:
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7
        raise ValueError("the header of a page has a number without end")

    def _byte(self) -> int:
        self._skip(1)
        return self._data[self.place - 1]

    def _skip(self, count: int) -> None:
        self.place += count
        if self.place > len(self._data):
            raise ValueError("a page is cut off, or its header is longer than any")

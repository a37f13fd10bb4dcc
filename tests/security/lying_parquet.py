"""A Parquet file whose footer says that it is small, and whose pages are not."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq


def lying(table: pa.Table) -> bytes:
    """The table packed; every size that its footer names, but for the packed ones, says 100 bytes."""
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd", use_dictionary=False, write_statistics=False)
    data = bytearray(sink.getvalue())
    facts = pq.ParquetFile(io.BytesIO(bytes(data))).metadata.row_group(0)
    sizes = {
        facts.total_byte_size,
        *(facts.column(i).total_uncompressed_size for i in range(table.num_columns)),
    }
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for size in sizes:
        written = zigzag(size)
        offset = data.find(written, footer)
        while len(written) > 2 and offset >= 0:
            data[offset : offset + len(written)] = padded(zigzag(100), len(written))
            offset = data.find(written, offset)
    return bytes(data)


def zigzag(number: int) -> bytes:
    """A number in Thrift's compact protocol."""
    left, written = number << 1, bytearray()
    while left >= 128:
        written.append(left & 127 | 128)
        left >>= 7
    return bytes([*written, left])


def padded(written: bytes, length: int) -> bytes:
    """The same number in more bytes."""
    missing = length - len(written)
    return bytes([*written[:-1], written[-1] | 128, *[128] * (missing - 1), 0]) if missing else written

"""The same documents in every form, and packed in every way."""

from __future__ import annotations

import bz2
import gzip
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.parquet as pq

HEAD = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en"><siteinfo>'
    '<sitename>Wikipedia</sitename><dbname>enwiki</dbname><namespaces><namespace key="0" /></namespaces>'
    "</siteinfo>\n"
)
PACKING: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": lambda data: bytes(pa.compress(data, codec="zstd", asbytes=True)),
}


def page(number: int, title: str, text: str, namespace: int = 0, more: str = "") -> str:
    """A page of a dump with one revision; ``more``: elements before it."""
    return (
        f"<page><title>{escape(title)}</title><ns>{namespace}</ns><id>{number}</id>{more}<revision><id>1</id>"
        "<timestamp>2020-01-01T00:00:00Z</timestamp><contributor><username>A</username><id>1</id>"
        "</contributor><model>wikitext</model><format>text/x-wiki</format>"
        f'<text bytes="{len(text)}" xml:space="preserve">{escape(text)}</text><sha1>x</sha1>'
        "</revision></page>\n"
    )


def dump(pages: Iterable[str]) -> bytes:
    return f"{HEAD}{''.join(pages)}</mediawiki>".encode()


def write(path: Path, texts: list[str]) -> Path:
    """Texts, each a document, in the form and packing of the path's ending; the ids are 1, 2, …"""
    form = next(ending for ending in (".jsonl", ".parquet", ".xml") if ending in path.name)
    if form == ".parquet":
        columns = {"id": [str(n) for n in range(1, len(texts) + 1)], "text": texts}
        pq.write_table(pa.table(columns), path, row_group_size=7)
        return path
    if form == ".jsonl":
        rows = [json.dumps({"id": n, "text": text}) for n, text in enumerate(texts, 1)]
        data = "".join(f"{row}\n" for row in rows).encode()
    else:
        data = dump(page(n, f"Page {n}", text) for n, text in enumerate(texts, 1))
    path.write_bytes(
        PACKING[next((ending for ending in PACKING if ending and path.name.endswith(ending)), "")](data)
    )
    return path

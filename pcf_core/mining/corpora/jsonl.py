"""JSON lines: an object a line with ``text`` and, if there, ``id``, ``title`` and ``source``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import orjson

from pcf_core.core.errors import CorpusError
from pcf_core.material.safety.text import listed, shown
from pcf_core.mining.corpora.source import Document, Entry, Source

EXAMPLE = 'write one object a line, such as {"text": "She said no."}'


def entries(source: Source) -> Iterator[Entry]:
    """Yield a document for every line; empty lines are skipped."""
    for number, line in source.lines():
        if not line.isspace():
            yield partial(_document, source, number, line)


def _document(source: Source, number: int, line: bytes) -> Document:
    where = f"{source.label}, line {number:,}"
    try:
        fields = orjson.loads(line)
    except ValueError as problem:
        source.decoded(line, number)  # says so where the encoding is what is wrong
        reason = str(problem).split(":")[0]
        raise CorpusError(f"{where} is not JSON ({reason}): {EXAMPLE}.") from problem
    if not isinstance(fields, dict):
        raise CorpusError(f"{where} is no JSON object ({shown(fields)}): {EXAMPLE}.")
    if "text" not in fields:
        keys = listed(shown(key) for key in list(fields)[:8]) if fields else "no key at all"
        raise CorpusError(f"{where} has no key text but {keys}: {EXAMPLE}.")
    return source.document(fields, where, number)

"""JSON lines: an object a line with ``text`` and, if there, ``id``, ``title`` and ``source``.

A chat has its turns instead of ``text``, under one of :data:`CHATS`: texts, or objects with a text under
one of :data:`SAID`.  Each turn is a paragraph.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import orjson

from pcf_core.core.errors import CorpusError
from pcf_core.material.safety.text import listed, shown
from pcf_core.mining.corpora.source import Document, Entry, Source

CHATS = ("messages", "conversations", "conversation", "dialog", "dialogue", "turns", "utterances")
SAID = ("content", "value", "text", "utterance")
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
    chat = next((key for key in CHATS if isinstance(fields.get(key), list)), None)
    if "text" not in fields and chat is not None:
        fields["text"] = "\n".join(
            _said(turn, f"{where}, turn {n}") for n, turn in enumerate(fields[chat], 1)
        )
    if "text" not in fields:
        keys = listed(shown(key) for key in list(fields)[:8]) if fields else "no key at all"
        raise CorpusError(f"{where} has no key text but {keys}: {EXAMPLE}.")
    return source.document(fields, where, number)


def _said(turn: object, where: str) -> str:
    """Return the text of a turn; of one in parts (texts beside pictures) the texts."""
    said = turn
    if isinstance(turn, dict):
        said = next((turn[key] for key in SAID if key in turn), None)
    if isinstance(said, list):
        said = "\n".join(str(part["text"]) for part in said if isinstance(part, dict) and "text" in part)
    if said is None and isinstance(turn, dict) and set(turn) & set(SAID):
        return ""  # a turn without words, such as a call of a tool
    if not isinstance(said, str):
        raise CorpusError(
            f"{where} has no text ({shown(turn)}): write turns such as "
            '{"role": "user", "content": "She said no."}.'
        )
    return said

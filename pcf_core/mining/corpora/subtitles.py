"""Subtitles (SRT): numbered cues with times; what is said in them, without marks of style.

    2
    00:00:05,100 --> 00:00:07,000
    - <i>She said that</i>
    she would come.

A cue that does not end a sentence goes on in the next one: a paragraph is what is said up to the end of a
sentence.  Sounds in brackets, music and the dash of a speaker are no text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from pcf_core.core.errors import CorpusError
from pcf_core.mining.corpora.source import Document, Entry, Source

TIMES = re.compile(r"\d{1,2}:\d{2}:\d{2}[,.]\d{1,3} *--> *\d{1,2}:\d{2}:\d{2}[,.]\d{1,3}")
STYLE = re.compile(r"</?[a-zA-Z][^<>]*>|\{\\[^{}]*\}")
SOUND = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|[♪♫].*[♪♫]?")
SPEAKER = re.compile(r"^\s*(?:[-–—]\s*|[A-Z][A-Z .'’]+:\s*)")
ENDED = re.compile(r"[.!?…][\"'”’)\]]*$")


def entries(source: Source) -> Iterator[Entry]:
    """Yield the one document of a file."""
    yield partial(_document, source)


def _document(source: Source) -> Document:
    """Join what is said.

    Raises
    ------
    CorpusError
        No line has the times of a cue.
    """
    said: list[str] = []
    before, timed = "", False
    waiting = ""  # a sentence that goes on in the next cue
    for number, line in source.lines():
        text = source.decoded(line, number).strip()
        if TIMES.match(text):
            timed = True
        elif text and not (text.isdigit() and not before):
            new_speaker = SPEAKER.match(text) is not None
            spoken = SPEAKER.sub("", " ".join(SOUND.sub(" ", STYLE.sub("", text)).split()))
            if new_speaker and waiting:
                said.append(waiting)
                waiting = ""
            waiting = f"{waiting} {spoken}".strip()
            if ENDED.search(waiting):
                said.append(waiting)
                waiting = ""
        before = text
    if waiting:
        said.append(waiting)
    if not timed:
        raise CorpusError(
            f"{source.label} has no line with times such as 00:00:05,100 --> 00:00:07,000: is it in SRT? "
            "Give other texts the ending .txt."
        )
    return source.document({"text": "\n".join(said)}, source.label, 1)

"""How corpora lie on disk, a file for each form: text, JSON lines, Parquet, a dump, subtitles, web; the hub.

A form is a function from a :class:`~pcf_core.mining.corpora.source.Source` to entries.  An entry is a
document that has not been made yet: counting and passing over documents costs no more than finding them.
"""

from collections.abc import Callable, Iterator

from pcf_core.mining.corpora import dump, jsonl, parquet, subtitles, text, web
from pcf_core.mining.corpora.source import Entry, Source

FORMS: dict[str, Callable[[Source], Iterator[Entry]]] = {
    ".txt": text.entries,
    ".jsonl": jsonl.entries,
    ".xml": dump.entries,
    ".parquet": parquet.entries,
    ".srt": subtitles.entries,
    ".html": web.page,
    ".htm": web.page,
    ".warc": web.archive,
    ".wet": web.archive,
}
READERS = "3"  # raise it when the same file would give other documents

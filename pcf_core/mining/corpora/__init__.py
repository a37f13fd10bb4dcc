"""The forms of files that corpora have (``files``, ``dump``, ``web``), and data sets of the hub (``hub``).

A form is a function from a :class:`~pcf_core.mining.corpora.source.Source` to entries.  An entry is a
document that has not been made yet: counting and passing over documents costs no more than finding them.
"""

from collections.abc import Callable, Iterator

from pcf_core.mining.corpora import dump, files, web
from pcf_core.mining.corpora.source import Entry, Source

FORMS: dict[str, Callable[[Source], Iterator[Entry]]] = {
    ".txt": files.plain_text,
    ".jsonl": files.json_lines,
    ".xml": dump.entries,
    ".parquet": files.parquet,
    ".srt": files.subtitles,
    ".html": web.page,
    ".htm": web.page,
    ".warc": web.archive,
    ".wet": web.archive,
}
READERS = "3"  # raise it when the same file would give other documents

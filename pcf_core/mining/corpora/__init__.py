"""File formats of corpora (``files``, ``dump``, ``web``), and data sets of the hub (``hub``).

A format is a function from a :class:`~pcf_core.mining.corpora.source.Source` to entries.  An entry makes its
document when called, so that skipping documents is cheap.
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
READERS = "3"  # raise when the same file gives other documents

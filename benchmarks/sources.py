"""Count what the small sources of BVF Table 4 (conversations, textbooks, web pages) give, from two treebanks.

    python -m benchmarks.sources

The texts are UD English GUM and EWT, all parts, a document as its sentences are in it, without their
annotation.  Each source is mined like a user's corpus, with the default constructions.  ``twice`` counts
templates found at least twice; a set would ship from ``ENOUGH`` of them, and from genres whose licence
permits commercial use (``free``).  The papers' own lists of conversations and textbooks have 14 and 12
templates (PVF's release).  The parser was trained on part of these texts, and parses them better than others.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.coreference import DATA, read_treebank
from pcf_core.core.errors import CorpusError
from pcf_core.core.settings import settings
from pcf_core.core.topics import MinedSet
from pcf_core.material.topics import load_topic
from pcf_core.work.mining import counters_of, mine_asked
from pcf_core.work.requests import MineRequest

ENOUGH, TWICE = 25, 2
# The genres of a source by treebank, as in document names.
SOURCES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "conversation": {"gum": ("conversation", "interview", "podcast", "vlog", "court")},
    "textbook": {"gum": ("textbook", "academic", "essay")},
    "web page": {"ewt": ("weblog", "newsgroup", "reviews", "answers"), "gum": ("whow", "voyage")},
}
COMMERCIAL = frozenset(
    ("conversation", "interview", "vlog", "textbook", "voyage", *SOURCES["web page"]["ewt"])
)
TOPICS: Mapping[str, Sequence[str]] = {
    "gender": ("gender",),
    "people": ("race", "religion", "disability", "age"),
}


def documents(folder: Path, treebank: str, genres: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the documents of some genres of a treebank with ``id`` and ``text``."""
    for part in ("train", "dev", "test"):
        path = folder / f"{treebank}-{part}.conllu.gz"
        for name, sentences in groupby(read_treebank(path), key=itemgetter(0)):
            if genre_of(name) in genres:
                yield {"id": name, "text": " ".join(text for _, text, _ in sentences)}


def genre_of(document: str) -> str:
    """Return the genre in a document's name: ``GUM_vlog_radiology``, ``weblog-blogspot.com_…``."""
    return document.split("_")[1] if document.startswith("GUM_") else document.split("-")[0]


def mined(texts: Sequence[Mapping[str, str]], topics: Sequence[str]) -> MinedSet | None:
    """Mine texts with the default constructions; ``None`` if they give no template."""
    loaded = tuple(map(load_topic, topics))
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "texts.jsonl"
        corpus.write_text("".join(f"{json.dumps(text)}\n" for text in texts), encoding="utf8")
        own = settings().model_copy(update={"cache": Path(folder) / "cache"})
        request = MineRequest(corpus=str(corpus), topics=loaded, name="source")
        try:
            with counters_of("local", own, loaded) as counters:
                return mine_asked(request, own, counters).templates
        except CorpusError:
            return None


def measured(folder: Path, source: str, topics: Sequence[str]) -> dict[str, Any]:
    """Mine a source, and again only what may be shipped."""
    texts = [
        text for treebank, genres in SOURCES[source].items() for text in documents(folder, treebank, genres)
    ]
    free = [text for text in texts if genre_of(text["id"]) in COMMERCIAL]
    found: dict[str, Any] = {
        "documents": len(texts),
        "words": sum(len(text["text"].split()) for text in texts),
    }
    for name, some in (("", texts), ("free ", free)):
        templates = () if (of := mined(some, topics)) is None else of.templates
        found[f"{name}matches"] = sum(template.count for template in templates)
        found[f"{name}templates"] = len(templates)
        found[f"{name}twice"] = sum(template.count >= TWICE for template in templates)
    return found


def main(data: Annotated[Path, typer.Option(help="the folder with treebank/")] = DATA) -> None:
    """Print the table as JSON lines, one for each source and form."""
    if not (data / "treebank").is_dir():
        typer.echo(
            f"Nothing is measured: the texts are looked for in {data / 'treebank'}, which is not here.",
            err=True,
        )
        return
    for source in SOURCES:
        for form, topics in TOPICS.items():
            found = measured(data / "treebank", source, topics)
            typer.echo(
                json.dumps({"source": source, "form": form, **found, "ships": found["free twice"] >= ENOUGH})
            )


if __name__ == "__main__":
    typer.run(main)

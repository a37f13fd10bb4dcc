"""Mine the shipped template sets with counts, by source (BVF C.4, Table 4).

    python -m tools.mine_templates --shared ../shared             # every source, half an hour on two cores
    python -m tools.mine_templates --source fiction --out /tmp/templates
    python -m tools.mine_templates --cut-only                     # no mining: cut and draw from shipped sets

Each source gives a set ``gender-wide-SOURCE``, mined with several constructions; Wikipedia also gives
``people-wide-wikipedia`` for race, religion, disability and age.  Templates with a count of 1 are cut; the
card states the remaining share of the mass.  Counts are cached block by block, so that an interrupted run can
be resumed.  The corpora are those of ``data/corpora/MANIFEST.md``; the sets contain templates, counts and
names of documents, but no sentences.

The sets ``gender-SOURCE`` and ``people-SOURCE`` were mined with one construction by version 1 of the rules.
Models are scored on them, so they are kept unchanged.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from pcf_core.cli.console import say
from pcf_core.core.settings import settings
from pcf_core.core.topics import MinedSet, SetCard
from pcf_core.material.template_editing import cut, draw
from pcf_core.material.template_files import card_text, csv_bytes
from pcf_core.material.templates import load_mined
from pcf_core.material.topics import load_topic
from pcf_core.mining.miner import Progress
from pcf_core.mining.rewording import reworded
from pcf_core.work.mining import counters_of, mine_asked
from pcf_core.work.requests import MineRequest

# Sizes of the sets that are cut from a mined one, in order of writing.
HEAVIEST = {
    "gender-wikipedia": (200, 100),
    "gender-simplewiki": (25,),
    "gender-fiction": (25,),
    "gender-wide-wikipedia": (100, 20),
    "people-wide-wikipedia": (20,),
}
DRAWN = {"gender-wikipedia": (100, 2026)}  # different templates of a random sample, and the seed
REWORDED = {"gender-wikipedia": 20, "gender-wide-wikipedia": 20}  # the heaviest, each in about six wordings
LOWEST_COUNT = 2
PAPERS_SAMPLE = 10_000  # documents, as in the papers
CHAPTERS = (
    " Documents are chapters of few books, so it is not told how many had a template, and intervals draw "
    "templates."
)
WIKIPEDIA = "CC BY-SA 3.0, by the contributors to Wikipedia"


@dataclass(frozen=True)
class Source:
    """The corpus of a shipped set: ``files`` of ``data/corpora``.  ``corpus`` ends "its documents are of …".

    ``chapters``: documents are chapters of few books, so their numbers are left out, lest intervals take them
    for independent.  ``sample``: how many documents to draw; 0 for all.
    """

    name: str
    title: str
    corpus: str
    licence: str
    files: tuple[str, ...]
    chapters: bool = False
    sample: int = 0


SOURCES = (
    Source(
        "wikipedia",
        "Wikipedia",
        "the English Wikipedia (most of them biographies, dumps of 2012 to 2021)",
        WIKIPEDIA,
        ("wiki_bios-01", "wiki_bios-02", "wiki_featured_bios", "wiki_articles"),
        sample=PAPERS_SAMPLE,
    ),
    Source(
        "simplewiki",
        "Simple Wikipedia",
        "the Simple English Wikipedia (half of them biographies, a dump of 2021)",
        WIKIPEDIA.replace("Wikipedia", "the Simple English Wikipedia"),
        ("simplewiki_bios", "simplewiki_articles"),
        sample=PAPERS_SAMPLE,
    ),
    Source(
        "fiction",
        "fiction",
        "the novels of LitBank (Project Gutenberg)",
        "public domain in the USA",
        ("litbank_fiction",),
        chapters=True,
    ),
)


@dataclass(frozen=True)
class Form:
    """A kind of set mined from ``sources``; ``what`` ends "Skeletons of sentences in which …"."""

    name: str
    title: str
    topics: tuple[str, ...]
    constructions: tuple[str, ...]
    what: str
    sources: tuple[str, ...]


FORMS = (
    Form(
        "gender-wide",
        "varied sentences",
        ("gender",),
        ("clause", "where", "possessive", "possessive-elsewhere", "reflexive", "noun"),
        "a word of gender means the subject",
        ("wikipedia", "simplewiki", "fiction"),
    ),
    Form(
        "people-wide",
        "varied relative clauses",
        ("race", "religion", "disability", "age"),
        ("attributive", "noun"),
        "a person or profession is subject",
        ("wikipedia",),
    ),
)


def main(
    shared: Annotated[Path, typer.Option(help="the folder that holds data/corpora")] = Path("../shared"),
    source: Annotated[list[str] | None, typer.Option(help="a source; may be repeated; else all")] = None,
    out: Annotated[Path | None, typer.Option(help="where to write; else assets/templates")] = None,
    cut_only: Annotated[bool, typer.Option(help="cut and draw from shipped sets, mine nothing")] = False,
) -> None:
    """Mine the sources and write their sets with cards."""
    target = out or settings().assets / "templates"
    target.mkdir(parents=True, exist_ok=True)
    if cut_only:
        for name in HEAVIEST:
            write_heaviest(load_mined(name), target)
        return
    for chosen in (known for known in SOURCES if not source or known.name in source):
        for form in (known for known in FORMS if chosen.name in known.sources):
            mined = mine_source(chosen, form, shared / "data" / "corpora")
            write(mined, target)
            write_heaviest(mined, target)


def write_heaviest(mined: MinedSet, folder: Path) -> None:
    """Write the sets that ``HEAVIEST`` cuts from a mined one, and those of ``DRAWN`` and ``REWORDED``."""
    for top in HEAVIEST.get(mined.name, ()):
        write(heaviest_of(mined, top), folder)
    if mined.name in DRAWN:
        write(drawn_of(mined, *DRAWN[mined.name]), folder)
    if mined.name in REWORDED:
        write(reworded_of(mined, REWORDED[mined.name]), folder)


def mine_source(source: Source, form: Form, corpora: Path) -> MinedSet:
    """Mine the set of one source, with the card of a shipped one."""
    topics = tuple(map(load_topic, form.topics))
    with folder_of(source, corpora) as folder:
        request = MineRequest(
            corpus=str(folder),
            topics=topics,
            name=f"{form.name}-{source.name}",
            cut=LOWEST_COUNT,
            constructions=form.constructions,
            sample=source.sample or None,
        )

        def on_progress(progress: Progress, rate: float) -> None:
            share = progress.read / progress.size if progress.size else 0
            say(f"{request.name}: {share:.0%}, {progress.words:,} words, {progress.matches:,} matches")

        with counters_of("local", settings(), topics, constructions=form.constructions) as counters:
            mined = mine_asked(request, settings(), counters, on_progress).templates
    templates = tuple(
        template.model_copy(update={"documents": 0}) if source.chapters else template
        for template in mined.templates
    )
    card = shipped_card(mined.card, len(templates), source, form)
    return mined.model_copy(update={"card": card, "templates": templates})


def shipped_card(card: SetCard, count: int, source: Source, form: Form) -> SetCard:
    """Make the card of a set of ``count`` templates, with a readable name of the corpus."""
    return card.model_copy(
        update={
            "title": f"{count:,} {form.title} from {source.title}",
            "source": f"Mined by this project from {source.corpus}",
            "notes": f"Skeletons of sentences in which {form.what}, counted {LOWEST_COUNT} times or more. "
            f"Wide: mined with several constructions ({', '.join(form.constructions)})."
            + (
                f" {source.sample:,} documents were drawn, as many as the papers draw."
                if source.sample
                else ""
            )
            + (CHAPTERS if source.chapters else ""),
            "corpus": source.corpus,
            "licence": source.licence,
        }
    )


@contextmanager
def folder_of(source: Source, corpora: Path) -> Iterator[Path]:
    """Make a folder with only the files of a source, named after the corpus."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / source.name
        folder.mkdir()
        for name in source.files:
            file = f"{name}.jsonl.gz"
            (folder / file).symlink_to((corpora / file).resolve())
        yield folder


def heaviest_of(mined: MinedSet, top: int) -> MinedSet:
    """Return the ``top`` most common templates of a set; its title begins with their number."""
    cut_set = cut(mined, top=top)
    _, kind = mined.card.title.split(" ", 1)
    card = cut_set.card.model_copy(update={"title": f"{top:,} {kind}", "parents": (mined.name,)})
    return cut_set.model_copy(update={"name": f"{mined.name}-{top}", "card": card})


def drawn_of(mined: MinedSet, different: int, seed: int) -> MinedSet:
    """Return a random sample of a set; its title begins with the number of templates."""
    sample = draw(mined, different, seed)
    _, kind = mined.card.title.split(" ", 1)
    at_random = kind.replace(" from ", " drawn at random from ", 1)
    notes = f"{mined.card.notes} A random sample by count: unlike the most common ones, it stands for all."
    card = sample.card.model_copy(
        update={"title": f"{different:,} {at_random}", "parents": (mined.name,), "notes": notes}
    )
    return sample.model_copy(update={"name": f"{mined.name}-drawn-{different}", "card": card})


def reworded_of(mined: MinedSet, top: int) -> MinedSet:
    """Return the ``top`` most common templates of a set, each in several wordings."""
    several = reworded(heaviest_of(mined, top))
    return several.model_copy(update={"name": f"{several.name}-reworded"})


def write(mined: MinedSet, folder: Path) -> None:
    (folder / f"{mined.name}.csv").write_bytes(csv_bytes(mined))
    (folder / f"{mined.name}.toml").write_text(card_text(mined.card), encoding="utf8")
    say(f"{mined.name}: {len(mined.templates):,} templates, {mined.card.kept:.1%} of the mass")


if __name__ == "__main__":
    typer.run(main)

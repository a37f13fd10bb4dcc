"""Count what the mini models read about each occupation: ``assets/factors/read_gender.csv`` and its card.

    python -m tools.count_read --corpora ../shared/data/corpora [--out assets/factors]

A document counts for an occupation if its lead, the first 300 characters, names it: the whole word in the
singular, in lower case or capitals.  It counts as *he* if its text has more masculine than feminine
third-person pronouns (he, him, his, himself; she, her, hers, herself), as *she* if fewer, else as neither.

Only biographies are read, each about one person; in other articles a lead may name an occupation that nobody
in the text has.  Documents held out of the training (``is_held_out`` in ``tools/mini_models/text.py``) are
left out.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Annotated

import typer

from pcf_core.core.factors import ReadCard, ReadCount
from pcf_core.material.evidence import load_evidence
from pcf_core.material.shelves import toml_lines
from tools.mini_models.text import is_held_out, read_documents

FILES = (
    "wiki_bios-01.jsonl.gz",
    "wiki_bios-02.jsonl.gz",
    "wiki_featured_bios.jsonl.gz",
    "simplewiki_bios.jsonl.gz",
)
LISTS = ("occupations-bvf", "occupations-pcf")
FURTHER = ("dancer", "singer")  # in no list, but more balanced than most occupations
LEAD = 300  # characters
HE = re.compile(r"\b(?:he|him|his|himself)\b", re.IGNORECASE)
SHE = re.compile(r"\b(?:she|her|hers|herself)\b", re.IGNORECASE)
WORD = re.compile(r"\w+")
NAME = "read_gender"


def count_documents(texts: Iterable[str], terms: Collection[str]) -> list[ReadCount]:
    """Count every term, sorted by name; ``terms`` are single words in lower case."""
    found = {term: {"he": 0, "she": 0, "neither": 0, "as_word": 0} for term in terms}
    for text in texts:
        written = set(words_of_the_lead(text))
        named = {word.lower() for word in written} & found.keys()
        if not named:
            continue
        pronoun = majority(text)
        for term in named:
            found[term][pronoun] += 1
            found[term]["as_word"] += term in written or term.upper() in written
    return [ReadCount(occupation=term, **found[term]) for term in sorted(found)]


def words_of_the_lead(text: str) -> Iterator[str]:
    """Yield words that end within the lead, as a longer one may be incomplete."""
    return (word[0] for word in takewhile(lambda word: word.end() <= LEAD, WORD.finditer(text)))


def majority(text: str) -> str:
    """Return ``he``, ``she``, or ``neither`` for a tie."""
    he, she = len(HE.findall(text)), len(SHE.findall(text))
    return "neither" if he == she else "he" if he > she else "she"


def terms_of_the_lists() -> set[str]:
    return {term for name in LISTS for term in load_evidence(name).terms} | set(FURTHER)


def card(documents: int, held_out: int) -> ReadCard:
    return ReadCard(
        title="Biographies that the mini models read, by the pronoun that is in the majority",
        source="Biographies of the English Wikipedia (2012 to 2021) and the Simple English Wikipedia (2021)",
        licence="counts: ours; texts: CC BY-SA 3.0, authors: the contributors of Wikipedia; not shipped",
        method=(
            f"A document counts for a word if its first {LEAD} characters name it, in small or capital "
            "letters; as he if it has more of he, him, his, himself than of she, her, hers, herself, as she "
            "if it has fewer. One document in a hundred was held out of the training and is not counted. "
            "Made by tools/count_read.py."
        ),
        files=FILES,
        documents=documents,
        held_out=held_out,
        lead=LEAD,
    )


def write(folder: Path, counts: Iterable[ReadCount], facts: ReadCard) -> None:
    with (folder / f"{NAME}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(ReadCount.model_fields), lineterminator="\n")
        writer.writeheader()
        writer.writerows(count.model_dump() for count in counts)
    (folder / f"{NAME}.toml").write_text(toml_lines(facts.model_dump()), encoding="utf-8")


def main(
    corpora: Annotated[Path, typer.Option(help="Folder of the corpora.")],
    out: Annotated[Path, typer.Option(help="Folder of the table.")] = Path("assets/factors"),
) -> None:
    """Read the corpora, write both files, print the occupations that the project's text names."""
    seen = {False: 0, True: 0}

    def texts() -> Iterator[str]:
        for name in FILES:
            for identifier, text in read_documents(corpora / name):
                held_out = is_held_out(identifier)
                seen[held_out] += 1
                if not held_out:
                    yield text

    counts = count_documents(texts(), terms_of_the_lists())
    write(out, counts, card(seen[False], seen[True]))
    for count in counts:
        if count.occupation in ("nurse", "engineer", *FURTHER):
            typer.echo(f"{count.occupation}: {100 * count.share:.0f} % he of {count.documents:,}")


if __name__ == "__main__":
    typer.run(main)

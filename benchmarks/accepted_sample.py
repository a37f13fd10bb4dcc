"""Draw pairs that the rules accept in free text, a number per construction, for readers to label.

    python -m benchmarks.accepted_sample --folder /tmp/sheet --drawn pairs.csv

GUM and GAP contain too few pairs of most constructions to estimate precision.  Here documents of the corpora
are drawn by a seed, at most one accepted pair per construction and document, up to :data:`EACH`; :data:`CUES`
only skips sentences that cannot contain a pair.  The sheet follows :mod:`benchmarks.recall_sample`, but marks
only the accepted word and shuffles the sentences, so that readers see no rule.  ``pairs.csv`` names sentence,
word and subject without text.

The kept labels are for pairs that version 3 of the rules accepted.  Version 4 was written without looking at
them; for version 5 its four wrong possessives were read, but led to no rule.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from benchmarks.constructions import matches
from benchmarks.coreference import DATA, Parser, places
from benchmarks.recall_sample import FEWEST, INSTRUCTIONS, MOST, SEED, Drawn, corpus_path
from pcf_core.core.settings import settings
from pcf_core.mining.documents import open_corpus
from pcf_core.mining.parser.pipeline import open_pipeline
from pcf_core.mining.sentences import Wanted, candidates

EACH = 45
BATCH = 512  # sentences that are parsed at once
CORPORA = {
    "wiki_bios-02": 4000,
    "simplewiki_articles": 3000,
    "litbank_fiction": 300,
    "wiki_articles": 1000,
}  # how many documents at most
WORDS = ("he", "she", "him", "his", "her", "himself", "herself", "is", "was", "became", "a", "an")
HE = r"\b(?:he|she)\b"
CUES: Mapping[str, re.Pattern[str]] = {
    "fronted": re.compile(rf"^\w+ [^,]*{HE}[^,]*, ", re.I),
    "embedded": re.compile(rf"\b(?:that|when|because|after|before|if|whether|while|as|how|what)\b.*{HE}"),
    "participle": re.compile(rf"ing\b.*{HE}"),
    "where": re.compile(rf"\bwhere {HE}"),
    "numbers": re.compile(rf"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten)\b.*{HE}"),
    "possessive": re.compile(r"\b(?:his|her)\b"),
    "object": re.compile(r"\b(?:that|whether|if)\b.*\b(?:him|her)\b"),
    "reflexive": re.compile(r"\b(?:himself|herself)\b"),
    "noun": re.compile(r"\b(?:is|was|became|remained) (?:\w+ )?(?:a|an|the)\b"),
    "adjective": re.compile(r"\b(?:is|was|became|remained)\b"),
    "apposition": re.compile(r", (?:a|an|the) [^,]*, "),
}


@dataclass(frozen=True)
class Accepted:
    """A pair that a rule accepted: characters of subject and word in the sentence.

    ``whole``: a template came out of it.
    """

    construction: str
    sentence: Drawn
    subject: int
    word: int
    end: int
    whole: bool


def sentences(data: Path, random: np.random.Generator) -> Iterator[Drawn]:
    """Yield sentences of documents in random order."""
    documents = []
    for corpus, number in CORPORA.items():
        seed = int(random.integers(2**31))
        opened = open_corpus(corpus_path(corpus, data), sample=number, seed=seed)
        documents += [(corpus, document) for document in opened.documents()]
    wanted = Wanted(WORDS)
    for at in random.permutation(len(documents)):
        corpus, document = documents[at]
        for start, text in candidates(document.text, wanted):
            if FEWEST <= len(text.split()) <= MOST:
                yield Drawn(corpus, document.id, start, text)


def draw(parser: Parser, data: Path = DATA, seed: int = SEED, each: int = EACH) -> list[Accepted]:
    random = np.random.default_rng(seed)
    found: dict[str, dict[tuple[str, str], Accepted]] = {name: {} for name in CUES}

    def open_cues(one: Drawn) -> list[str]:
        document = one.corpus, one.document
        return [
            name
            for name, pairs in found.items()
            if len(pairs) < each and document not in pairs and CUES[name].search(one.text)
        ]

    wanted = (one for one in sentences(data, random) if open_cues(one))
    while some := list(islice(wanted, BATCH)):
        for one, trees in zip(some, parser.trees(one.text for one in some), strict=True):
            for tree in trees:
                starts = places(tree.words, one.text, tree.offset)
                for construction, subject, word, whole in matches(tree):
                    if construction.name in open_cues(one):
                        end = starts[word] + len(tree.words[word])
                        found[construction.name][one.corpus, one.document] = Accepted(
                            construction.name, one, starts[subject], starts[word], end, whole
                        )
        if all(len(pairs) >= each for pairs in found.values()):
            break
    pairs = [pair for some in found.values() for pair in some.values()]
    return [pairs[at] for at in random.permutation(len(pairs))]


def sheet(drawn: list[Accepted]) -> str:
    return "".join(
        f"{number}. {one.sentence.text[: one.word]}[1:{one.sentence.text[one.word : one.end]}]"
        f"{one.sentence.text[one.end :]}\n"
        for number, one in enumerate(drawn, start=1)
    )


def main(
    folder: Annotated[Path, typer.Option(help="where the sheet is written")],
    drawn: Annotated[Path, typer.Option(help="where it is written what was drawn, without text")],
    pipeline: Annotated[str, typer.Option(help="the parser: a name or a folder")] = "",
    data: Annotated[Path, typer.Option(help="the folder with corpora/")] = DATA,
    each: Annotated[int, typer.Option(help="pairs of a construction")] = EACH,
) -> None:
    """Write instructions, sentences and pairs, and say how many there are of each construction."""
    pairs = draw(open_pipeline(pipeline or settings().pipeline), data, each=each)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "instructions.txt").write_text(INSTRUCTIONS, encoding="utf8")
    (folder / "sentences.txt").write_text(sheet(pairs), encoding="utf8")
    with drawn.open("w", encoding="utf8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(
            ["number", "construction", "corpus", "document", "sentence", "subject", "word", "whole"]
        )
        for number, one in enumerate(pairs, start=1):
            of = one.sentence
            rows.writerow(
                [number, one.construction, of.corpus, of.document, of.sentence, one.subject, one.word,
                 int(one.whole)]
            )  # fmt: skip
    for name in CUES:
        typer.echo(f"{name}: {sum(one.construction == name for one in pairs)}")


if __name__ == "__main__":
    typer.run(main)

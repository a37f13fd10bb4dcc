"""Draw sentences of held-out text by a seed, and write the sheet that two readers label.

    python -m benchmarks.recall_sample --folder /tmp/sheet      writes instructions.txt and sentences.txt

Sentences come from the development and test parts of GUM and EWT, drawn among all that contain a topic word
after the first position, and from each corpus in ``corpora/``, one per drawn document.  Most must contain a
word of *gender*, the others one of race, religion, disability or age; all words of these topics are marked.

Readers write one JSON object per file, ``{"1": {"1": "Smith", "2": ""}}``: by sentence and marked word the
subject that the word means or describes, ``""`` for none.  ``sentence`` is its number in a treebank's
document, or the character where it begins in another document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from benchmarks.coreference import DATA, read_treebank
from pcf_core.material.topics import load_topic
from pcf_core.mining.documents import open_corpus
from pcf_core.mining.sentences import Wanted, candidates

SEED = 25
FEWEST, MOST = 6, 45  # words of a sentence
GENDER = ("gender",)
OTHERS = ("race", "religion", "disability", "age")
TREEBANKS = {"gum": ("gum-dev", "gum-test"), "ewt": ("ewt-dev", "ewt-test")}
# Sentences per corpus, and the topics of which they must contain a word.
STRATA: Sequence[tuple[str, int, Sequence[str]]] = (
    ("gum", 110, GENDER),
    ("ewt", 80, GENDER),
    ("wiki_bios-01", 50, GENDER),
    ("wiki_featured_bios", 30, GENDER),
    ("wiki_articles", 30, GENDER),
    ("simplewiki_bios", 40, GENDER),
    ("simplewiki_articles", 20, GENDER),
    ("litbank_fiction", 50, GENDER),
    ("us_speeches", 10, GENDER),
    ("gum", 20, OTHERS),
    ("ewt", 10, OTHERS),
    ("wiki_bios-02", 30, OTHERS),
)
INSTRUCTIONS = """\
Each sentence has marked words: [1:he], [2:woman]. Judge every marked word by the sentence alone.
Question: does the word mean, or describe, ONE PERSON who is the grammatical subject of a clause in it?
Answer with that subject: its main word, exactly as written ("Smith" of "John Smith", "nurse" of "the old
nurse"). Answer "" where there is none. One JSON object, every marked word of every sentence:
{"1": {"1": "Smith", "2": ""}, "2": {"1": "nurse"}}
The subject may be a name, a noun, or he or she; not I, you, we, they, it; not several people, a group, an
animal or a thing. It is another word than the marked one, before or after it, in the same clause or another.
Where several subjects mean the person, give the first that is not the marked word itself. Exception: where
the marked word is itself the first of them, give a later one only if it is a name or noun, else "".
For a clause with "who" or "that", give the noun which "who" stands for ("Smith, who lost [1:his] job").
YES  he, she, him, her, himself, herself that mean the subject: Smith said that [1:he] left -> Smith
YES  his, her, hers of the subject: Smith ended [1:his] career -> Smith
YES  the person comes later: After [1:he] retired, Smith moved -> Smith
YES  a noun that says what the subject is, was or became, or is not: The nurse was a young [1:man] -> nurse
YES  a noun beside the subject: Smith, a [1:woman] from Leeds, resigned -> Smith
YES  an adjective that says how the subject is, or stands before it: The [1:deaf] pilot was [2:old] -> pilot
NO   it means somebody who is no subject: They told Smith that [1:he] was late -> ""
NO   it means nobody in the sentence: [1:He] left. -> ""
NO   it is the subject itself, and nothing else means the person: The [1:woman] left -> ""
NO   it is part of a name or another sense: [1:King] Edward left; the [2:White] House -> ""
NO   it describes another thing: She wore a [1:black] hat -> ""
Where a sentence leaves two people open, choose whom most readers would; where nobody could say, "".
"""


@dataclass(frozen=True)
class Drawn:
    """A drawn sentence and its place."""

    corpus: str
    document: str
    sentence: int
    text: str


def words_of(topics: Sequence[str]) -> Wanted:
    """Return the search for all words of topics; of phrases with an article, for the noun."""
    words = {word.lower() for name in topics for word in load_topic(name).words}
    return Wanted({word.removeprefix("a ").removeprefix("an ").removeprefix("the ") for word in words})


def marked(text: str) -> list[tuple[int, int]]:
    """Return where the words of all topics begin and end in a sentence, from left to right."""
    search, found, at = words_of((*GENDER, *OTHERS)).search, [], 0
    while hit := search(text.lower(), at):
        found.append(hit.span())
        at = hit.end()
    return found


def draw(data: Path = DATA, seed: int = SEED) -> list[Drawn]:
    """Draw the sample, each sentence at most once."""
    random = np.random.default_rng(seed)
    drawn: dict[Drawn, None] = {}
    for corpus, number, topics in STRATA:
        wanted = words_of(topics)
        if corpus in TREEBANKS:
            fit = [one for one in treebank(corpus, data) if _fits(one.text, wanted) and one not in drawn]
            chosen = [fit[at] for at in sorted(random.choice(len(fit), number, replace=False))]
        else:
            chosen = _of_documents(corpus, number, wanted, random, data)
        drawn.update(dict.fromkeys(chosen))
    return list(drawn)


def treebank(corpus: str, data: Path = DATA) -> Iterator[Drawn]:
    """Yield the sentences of a treebank's held-out parts, numbered from 1 in each document."""
    for part in TREEBANKS[corpus]:
        path = data / "treebank" / f"{part}.conllu.gz"
        for document, sentences in groupby(read_treebank(path), key=itemgetter(0)):
            for number, (_, text, _) in enumerate(sentences, start=1):
                yield Drawn(corpus, document, number, text)


def _of_documents(
    corpus: str, number: int, wanted: Wanted, random: np.random.Generator, data: Path
) -> list[Drawn]:
    """Draw one sentence of each of some random documents that have any."""
    found: list[Drawn] = []
    seed = int(random.integers(2**31))
    for document in open_corpus(corpus_path(corpus, data), sample=6 * number, seed=seed).documents():
        fit = [
            Drawn(corpus, document.id, start, text)
            for start, text in candidates(document.text, wanted)
            if _fits(text, wanted)
        ]
        if fit and len(found) < number:
            found.append(fit[int(random.integers(len(fit)))])
    return found


def corpus_path(corpus: str, data: Path = DATA) -> Path:
    return data / "corpora" / f"{corpus}.jsonl.gz"


def _fits(text: str, wanted: Wanted) -> bool:
    """Whether a sentence has the length, and a wanted word after its first."""
    first = text.find(" ")
    return FEWEST <= len(text.split()) <= MOST and wanted.search(text.lower(), max(first, 0)) is not None


def sheet(drawn: Sequence[Drawn]) -> str:
    parts = []
    for number, one in enumerate(drawn, start=1):
        text = one.text
        for place, (start, end) in reversed(list(enumerate(marked(one.text), start=1))):
            text = f"{text[:start]}[{place}:{text[start:end]}]{text[end:]}"
        parts.append(f"{number}. {text}")
    return "\n".join(parts) + "\n"


def main(
    folder: Annotated[Path, typer.Option(help="where the sheet is written")],
    data: Annotated[Path, typer.Option(help="the folder with corpora/ and treebank/")] = DATA,
) -> None:
    """Write the instructions and the sentences, and say how many there are."""
    drawn = draw(data)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "instructions.txt").write_text(INSTRUCTIONS, encoding="utf8")
    (folder / "sentences.txt").write_text(sheet(drawn), encoding="utf8")
    words = sum(len(marked(one.text)) for one in drawn)
    typer.echo(f"{len(drawn)} sentences with {words} marked words are in {folder}.")


if __name__ == "__main__":
    typer.run(main)

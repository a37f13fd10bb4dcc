"""Train the parser that is shipped: tags, morphology, lemmas and dependencies of English.

    python -m tools.train_pipeline vectors --shared ../shared    # word vectors from the corpora, minutes
    python -m tools.train_pipeline train --shared ../shared      # the pipeline, about an hour and a half
    python -m tools.train_pipeline ship                          # scores, card, assets/pipelines/

Treebanks: UD English EWT, and of UD English GUM the genres whose licence permits commercial use
(``GENRES``).  Labels are Universal Dependencies', part-of-speech tags the Penn Treebank's.  The recipe is
spaCy's for efficiency (a convolution of width 96 and depth 4), with two additions: averaged weights, and
floret vectors, which give unknown words a place near known ones (Boyd & Warmerdam 2022, floret; subword
hashing of Bojanowski et al. 2017, doi:10.1162/tacl_a_00051).  What is trained ends in ``.training/pipeline``.

Sentences are joined to documents of one to eight, so that the parser learns where a sentence ends.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import spacy
import typer
from spacy.cli.train import train as train_pipeline
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.training.initialize import convert_vectors

WORK = Path(".training/pipeline")
TARGET = Path("assets/pipelines/en-mini")
CONFIG = Path("tools/train_pipeline.cfg")
SEED = 20261121
GENRES = ("bio", "news", "interview", "voyage", "textbook", "vlog", "speech", "conversation")
VECTOR_CORPORA = ("wiki_bios-01", "wiki_featured_bios", "simplewiki_bios", "litbank_fiction", "us_speeches")
WORDS = re.compile(r"n't\b|'(?:s|m|d|re|ve|ll)\b|\w+?(?=n't\b)|\w+|[^\w\s]")
SHIPPED_PIPES = ("tok2vec", "tagger", "morphologizer", "trainable_lemmatizer", "parser")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
Shared = Annotated[Path, typer.Option(help="The folder that holds data/treebank and data/corpora.")]


# ------------------------------------------------------------------------------------------- treebanks


def sentences(path: Path, vocab: Any, genres: tuple[str, ...] | None = None) -> Iterator[Doc]:
    """The sentences of a CoNLL-U file as documents with gold words, tags, morphology, lemmas and heads.

    A multiword token ("don't") becomes its words without a space between them, as spaCy's own tokenizer
    has it; empty nodes of the enhanced graph are left out.  ``genres`` keeps GUM's documents of those alone.
    """
    keep = True
    lines: list[list[str]] = []
    with gzip.open(path, "rt", encoding="utf8") as stream:
        for line in stream:
            if line.startswith("# newdoc id") and genres is not None:
                keep = line.split("GUM_")[1].split("_")[0] in genres
            if line.startswith("#"):
                continue
            if line.strip():
                lines.append(line.rstrip("\n").split("\t"))
                continue
            if lines and keep:
                yield _sentence(lines, vocab)
            lines = []


def _sentence(lines: list[list[str]], vocab: Any) -> Doc:
    glued: dict[int, bool] = {}  # last word of a multiword token -> whether a space follows it
    inside: set[int] = set()
    for columns in lines:
        if "-" in columns[0]:
            first, last = map(int, columns[0].split("-"))
            inside.update(range(first, last))
            glued[last] = "SpaceAfter=No" not in columns[9]
    rows = [columns for columns in lines if columns[0].isdigit()]
    spaces = [
        int(row[0]) not in inside and glued.get(int(row[0]), "SpaceAfter=No" not in row[9]) for row in rows
    ]
    return Doc(
        vocab,
        words=[row[1] for row in rows],
        spaces=spaces,
        tags=[row[4] for row in rows],
        pos=[row[3] for row in rows],
        morphs=["" if row[5] == "_" else row[5] for row in rows],
        lemmas=[row[2] for row in rows],
        heads=[int(row[6]) - 1 if row[6] != "0" else index for index, row in enumerate(rows)],
        deps=["ROOT" if row[7] == "root" else row[7] for row in rows],
    )


def grouped(docs: list[Doc], order: random.Random) -> Iterator[Doc]:
    """Runs of one to eight sentences, each run one document."""
    start = 0
    while start < len(docs):
        size = order.randint(1, 8)
        yield Doc.from_docs(docs[start : start + size])
        start += size


def treebank(shared: Path, part: str, vocab: Any) -> tuple[list[Doc], list[Doc]]:
    """EWT's and the permitted GUM's sentences of ``part`` (train, dev, test)."""
    folder = shared / "data" / "treebank"
    ewt = list(sentences(folder / f"ewt-{part}.conllu.gz", vocab))
    gum = list(sentences(folder / f"gum-{part}.conllu.gz", vocab, GENRES))
    return ewt, gum


# --------------------------------------------------------------------------------------------- commands


@app.command()
def vectors(shared: Shared = Path("../shared")) -> None:
    """Train floret vectors on the corpora, and turn them into a spaCy vocabulary."""
    WORK.mkdir(parents=True, exist_ok=True)
    text = WORK / "words.txt"
    with text.open("w", encoding="utf8") as out:
        for name in VECTOR_CORPORA:
            with gzip.open(shared / "data/corpora" / f"{name}.jsonl.gz", "rt", encoding="utf8") as stream:
                for line in stream:
                    for paragraph in json.loads(line)["text"].split("\n"):
                        print(" ".join(WORDS.findall(paragraph)), file=out)
    import floret  # needed here alone: pip install floret==0.10.5

    model = floret.train_unsupervised(
        str(text), model="cbow", mode="floret", hashCount=2, bucket=20000, minn=3, maxn=5, dim=96,
        epoch=3, minCount=5, neg=10, lr=0.05, thread=2,
    )  # fmt: skip
    model.save_floret_vectors(str(WORK / "vectors.floret"))
    nlp = spacy.blank("en")
    convert_vectors(nlp, WORK / "vectors.floret", truncate=-1, prune=-1, mode="floret")
    nlp.to_disk(WORK / "vectors")


@app.command()
def train(shared: Shared = Path("../shared"), steps: int = 8500) -> None:
    """Train the pipeline; the best so far is kept in .training/pipeline/run/model-best."""
    vocab = spacy.blank("en").vocab
    for part in ("train", "dev"):
        ewt, gum = treebank(shared, part, vocab)
        order = random.Random(SEED)
        docs = [*grouped(ewt, order), *grouped(gum, order)] if part == "train" else [*grouped(ewt, order)]
        DocBin(docs=docs).to_disk(WORK / f"{part}.spacy")
    train_pipeline(
        CONFIG,
        WORK / "run",
        overrides={
            "paths.train": str(WORK / "train.spacy"),
            "paths.dev": str(WORK / "dev.spacy"),
            "paths.vectors": str(WORK / "vectors"),
            "training.max_steps": steps,
            "system.seed": SEED,
        },
    )


def gold_scores(nlp: Any, docs: list[Doc]) -> dict[str, float]:
    """Scores in percent on gold tokens, one sentence a document; labels with their subtypes."""
    predicted = (
        Doc(nlp.vocab, words=[t.text for t in doc], spaces=[bool(t.whitespace_) for t in doc]) for doc in docs
    )
    examples = [Example(guess, doc) for guess, doc in zip(nlp.pipe(predicted), docs, strict=True)]
    scores = nlp.evaluate(examples)
    return {
        name: round(100 * scores[name], 2)
        for name in ("dep_uas", "dep_las", "tag_acc", "lemma_acc", "morph_acc")
    }


@app.command()
def ship(shared: Shared = Path("../shared")) -> None:
    """Score the best pipeline on the test sets and write it with its card to assets/pipelines."""
    nlp = spacy.load(WORK / "run" / "model-best")
    ewt, gum = treebank(shared, "test", nlp.vocab)
    scores = {"EWT": gold_scores(nlp, ewt), "GUM, permitted genres": gold_scores(nlp, gum)}
    typer.echo(json.dumps(scores, indent=2))
    shutil.rmtree(TARGET, ignore_errors=True)
    nlp.to_disk(TARGET)


if __name__ == "__main__":
    app()

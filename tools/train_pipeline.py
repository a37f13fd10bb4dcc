"""Train the shipped parser: tags, morphology, lemmas and dependencies of English.

    python -m tools.train_pipeline vectors --shared ../shared    # word vectors from the corpora, minutes
    python -m tools.train_pipeline train --shared ../shared      # the pipeline, about an hour
    python -m tools.train_pipeline ship --shared ../shared       # scores, card, assets/pipelines/en-mini

Treebanks: UD English EWT, and of UD English GUM the genres whose licence permits commercial use (``GENRES``).
Labels are those of Universal Dependencies, part-of-speech tags those of the Penn Treebank.  The recipe is
spaCy's for efficiency (a convolution of width 96 and depth 4), with averaged weights, and with floret
vectors, which place unknown words near known ones (Boyd & Warmerdam 2022, floret; subword hashing of
Bojanowski et al. 2017, doi:10.1162/tacl_a_00051).  Sentences are joined to documents of one to eight, so that
the parser learns where a sentence ends.  The output is in ``.training/pipeline``.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import spacy
import typer
from spacy.cli.train import train as train_pipeline
from spacy.tokens import Doc, DocBin, Token
from spacy.training.initialize import convert_vectors

from pcf_core.material.shelves import toml_lines

WORK = Path(".training/pipeline")
TARGET = Path("assets/pipelines/en-mini")
CONFIG = Path("tools/train_pipeline.cfg")
SEED = 20261121
STEPS = 8500
MOST_BYTES = 25_000_000
GENRES = ("bio", "news", "interview", "voyage", "textbook", "vlog", "speech", "conversation")
VECTOR_CORPORA = ("wiki_bios-01", "wiki_featured_bios", "simplewiki_bios", "litbank_fiction", "us_speeches")
WORDS = re.compile(r"n't\b|'(?:s|m|d|re|ve|ll)\b|\w+?(?=n't\b)|\w+|[^\w\s]")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
Shared = Annotated[Path, typer.Option(help="The folder that holds data/treebank and data/corpora.")]


# ------------------------------------------------------------------------------------------- treebanks


def documents(path: Path, vocab: Any, genres: tuple[str, ...] | None = None) -> Iterator[list[Doc]]:
    """Yield a CoNLL-U file's documents: lists of sentences with gold words, tags, morphology, lemmas, heads.

    A multiword token ("don't") becomes its words without a space between them, as in spaCy's own tokenizer;
    empty nodes of the enhanced graph are left out.  ``genres`` selects documents of GUM.
    """
    keep, found = True, list[Doc]()
    lines: list[list[str]] = []
    with gzip.open(path, "rt", encoding="utf8") as stream:
        for line in [*stream, "\n"]:
            if line.startswith("# newdoc id"):
                if found:
                    yield found
                keep = genres is None or line.split("GUM_")[1].split("_")[0] in genres
                found = []
            if line.startswith("#"):
                continue
            if line.strip():
                lines.append(line.rstrip("\n").split("\t"))
                continue
            if lines and keep:
                found.append(_sentence(lines, vocab))
            lines = []
    if found:
        yield found


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
    """Yield documents of one to eight sentences."""
    start = 0
    while start < len(docs):
        size = order.randint(1, 8)
        yield Doc.from_docs(docs[start : start + size])
        start += size


def treebank(shared: Path, part: str, vocab: Any) -> dict[str, list[list[Doc]]]:
    """Return documents of ``part`` (train, dev, test) of EWT and of GUM's permitted genres."""
    folder = shared / "data" / "treebank"
    return {
        "EWT": list(documents(folder / f"ewt-{part}.conllu.gz", vocab)),
        "GUM": list(documents(folder / f"gum-{part}.conllu.gz", vocab, GENRES)),
    }


def sentences(found: list[list[Doc]]) -> list[Doc]:
    return [sentence for document in found for sentence in document]


# --------------------------------------------------------------------------------------------- scoring


def gold_scores(nlp: Any, gold: list[Doc]) -> dict[str, float]:
    """Return shares in percent of gold tokens, one sentence a document, punctuation counted.

    ``uas``: right heads; ``las``: also the relation with its subtype; ``las_basic``: also the relation
    without (CoNLL 2018's LAS, Zeman et al. 2018, doi:10.18653/v1/K18-2001).
    """
    bare = (
        Doc(nlp.vocab, words=[t.text for t in doc], spaces=[bool(t.whitespace_) for t in doc]) for doc in gold
    )
    right: Counter[str] = Counter()
    for guess, truth in zip(nlp.pipe(bare), gold, strict=True):
        for mine, its in zip(guess, truth, strict=True):
            right.update(_right(mine, its, mine.head.i == its.head.i))
    return _percent(right, sum(map(len, gold)))


def _right(mine: Token, its: Token, head: bool) -> Iterator[str]:
    """Yield what a parse has right about a word."""
    if mine.tag_ == its.tag_:
        yield "tags"
    if mine.lemma_ == its.lemma_:
        yield "lemmas"
    if str(mine.morph) == str(its.morph):
        yield "morphology"
    if head:
        yield "uas"
        if mine.dep_ == its.dep_:
            yield "las"
        if mine.dep_.split(":")[0] == its.dep_.split(":")[0]:
            yield "las_basic"


def _percent(right: Counter[str], of: float) -> dict[str, float]:
    names = ("uas", "las", "las_basic", "tags", "lemmas", "morphology")
    return {name: round(100 * right[name] / of, 2) for name in names}


def raw_scores(nlp: Any, gold: list[list[Doc]]) -> dict[str, float]:
    """Return F1 in percent over running text, with the pipeline's own words and sentence ends (CoNLL 2018).

    Words and sentences are right if they begin and end at the same characters; a head if its word does.
    """
    right: Counter[str] = Counter()
    words = ends = 0
    truths = [Doc.from_docs(document) for document in gold]
    for guess, truth in zip(nlp.pipe(truth.text for truth in truths), truths, strict=True):
        mine = {_span(token): token for token in guess if not token.is_space}
        words += len(mine) + len(truth)
        for token in truth:
            if found := mine.get(_span(token)):
                right.update(["words", *_right(found, token, _span_of_head(found) == _span_of_head(token))])
        cut, due = ({(part.start_char, part.end_char) for part in doc.sents} for doc in (guess, truth))
        ends += len(cut) + len(due)
        right["sentences"] += len(cut & due)
    return {
        "words": round(200 * right["words"] / words, 2),
        "sentences": round(200 * right["sentences"] / ends, 2),
        **_percent(right, words / 2),
    }


def _span(token: Token) -> tuple[int, int]:
    return token.idx, token.idx + len(token)


def _span_of_head(token: Token) -> tuple[int, int] | None:
    """Return the span of a token's head; None for a root."""
    return _span(token.head) if token.head.i != token.i else None


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
    import floret  # only needed here: pip install floret==0.10.5

    model = floret.train_unsupervised(
        str(text), model="cbow", mode="floret", hashCount=2, bucket=20000, minn=3, maxn=5, dim=96,
        epoch=3, minCount=5, neg=10, lr=0.05, thread=2,
    )  # fmt: skip
    model.save_floret_vectors(str(WORK / "vectors.floret"))
    nlp = spacy.blank("en")
    convert_vectors(nlp, WORK / "vectors.floret", truncate=-1, prune=-1, mode="floret")
    nlp.to_disk(WORK / "vectors")


@app.command()
def train(shared: Shared = Path("../shared"), steps: int = STEPS) -> None:
    """Train the pipeline; the best so far is kept in .training/pipeline/run/model-best."""
    prepare(shared)
    fit(steps, {"paths.vectors": str(WORK / "vectors")})


def prepare(shared: Path) -> None:
    """Write the training documents, and EWT's development part, as spaCy's documents."""
    vocab = spacy.blank("en").vocab
    for part in ("train", "dev"):
        found = treebank(shared, part, vocab)
        order = random.Random(SEED)
        docs = [*grouped(sentences(found["EWT"]), order)]
        if part == "train":
            docs += grouped(sentences(found["GUM"]), order)
        DocBin(docs=docs).to_disk(WORK / f"{part}.spacy")


def fit(steps: int, changes: dict[str, Any]) -> None:
    """Train on the documents in the working folder, by the configuration with ``changes``."""
    train_pipeline(
        CONFIG,
        WORK / "run",
        overrides={
            "paths.train": str(WORK / "train.spacy"),
            "paths.dev": str(WORK / "dev.spacy"),
            "training.max_steps": steps,
            "system.seed": SEED,
            **changes,
        },
    )


@app.command()
def ship(
    shared: Shared = Path("../shared"),
    steps: Annotated[int | None, typer.Option(help="after how many steps the training was stopped")] = None,
) -> None:
    """Write the best pipeline with its scores on the test sets and its card to assets/pipelines."""
    best = WORK / "run" / "model-best"
    if not best.is_dir():
        raise SystemExit(f"There is no trained pipeline in {best}: run `train` first.")
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=TARGET.parent, prefix=".draft-") as beside:
        draft = Path(beside) / "new"
        strip(spacy.load(best), draft)
        nlp = spacy.load(draft)
        train, test = (treebank(shared, part, nlp.vocab) for part in ("train", "test"))
        words = {name: sum(map(len, sentences(found))) for name, found in train.items()}
        gold = {name: gold_scores(nlp, sentences(found)) for name, found in test.items()}
        raw = {name: raw_scores(nlp, found) for name, found in test.items()}
        (draft / "card.toml").write_text(card(nlp, steps, words, gold, raw), encoding="utf8")
        (draft / "README.md").write_text(readme(nlp, steps, words, gold, raw), encoding="utf8")
        size = sum(path.stat().st_size for path in draft.rglob("*") if path.is_file())
        if size > MOST_BYTES:
            raise SystemExit(f"The pipeline has {size:,} bytes and may have {MOST_BYTES:,}.")
        if TARGET.exists():
            TARGET.rename(Path(beside) / "old")
        draft.rename(TARGET)
    typer.echo(json.dumps({"bytes": size, "gold tokens": gold, "raw text": raw}, indent=2))


def strip(nlp: Any, folder: Path) -> None:
    """Write a pipeline without the paths of its training and the scores of each label."""
    nlp.meta.update(name="mini", version="1.0.0", license="CC BY-SA 4.0", performance={})
    nlp.to_disk(folder)
    config = spacy.util.load_config(folder / "config.cfg")
    config["paths"] = dict.fromkeys(config["paths"])
    config.to_disk(folder / "config.cfg")


def card(
    nlp: Any,
    steps: int | None,
    words: dict[str, int],
    gold: dict[str, dict[str, float]],
    raw: dict[str, dict[str, float]],
) -> str:
    """Return the pipeline's origin and scores, for machines."""
    made = {
        "name": TARGET.name,
        "licence": "CC BY-SA 4.0",
        "scheme": "Universal Dependencies 2, tags of the Penn Treebank",
        "spacy": nlp.meta["spacy_version"],
        "seed": SEED,
        "steps": steps or nlp.config["training"]["max_steps"],
        "planned_steps": nlp.config["training"]["max_steps"],
        "training_words": words,
        "gum_genres": list(GENRES),
        "vector_corpora": list(VECTOR_CORPORA),
        "vector_rows": int(nlp.vocab.vectors.shape[0]),
        "vector_width": int(nlp.vocab.vectors.shape[1]),
    }
    text = toml_lines(made)
    for kind, part in (("gold", gold), ("raw", raw)):
        for name, scores in part.items():
            text += f"\n[{kind}.{name}]\n{toml_lines(scores)}"
    return text


def readme(
    nlp: Any,
    steps: int | None,
    words: dict[str, int],
    gold: dict[str, dict[str, float]],
    raw: dict[str, dict[str, float]],
) -> str:
    """Return the pipeline's origin and scores, for people."""
    return README.format(
        name=TARGET.name,
        ewt=words["EWT"],
        gum=words["GUM"],
        genres=", ".join(GENRES),
        corpora="\n".join(f"- {name}.jsonl.gz" for name in VECTOR_CORPORA),
        seed=SEED,
        steps=steps or nlp.config["training"]["max_steps"],
        planned=nlp.config["training"]["max_steps"],
        gold=_table(gold),
        raw=_table(raw),
        wrong=100 - raw["EWT"]["las"],
    )


def _table(scores: dict[str, dict[str, float]]) -> str:
    names = list(scores["EWT"])
    lines = [["", *names], ["---"] * (len(names) + 1)]
    lines += [[f"{name}, test", *(f"{row[key]:.2f}" for key in names)] for name, row in scores.items()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


README = """---
license: cc-by-sa-4.0
language: en
library_name: spacy
---

# {name}

A spaCy pipeline of PCF Audit: words, part-of-speech tags, morphology, lemmas, dependencies and the ends of
sentences of English, small enough to be shipped with the app.  Labels are Universal Dependencies 2, tags
the Penn Treebank's.

## Training text

- Universal Dependencies English EWT (CC BY-SA 4.0; Silveira et al. 2014, "A Gold Standard Dependency Corpus
  for English"): {ewt:,} words.
- Universal Dependencies English GUM (Zeldes 2017, doi:10.1007/s10579-016-9343-x), of which only the genres
  whose texts may be used commercially (CC BY; {genres}):
  {gum:,} words.  The scores of GUM are those of the same genres.

Word vectors (floret, 96 numbers, 20,000 rows, character n-grams of 3 to 5) from texts alone: Wikipedia
(CC BY-SA 3.0, its contributors), novels and speeches in the public domain:

{corpora}

The pipeline is passed on under CC BY-SA 4.0.

## Recipe

`tools/train_pipeline.py` with `tools/train_pipeline.cfg`, seed {seed}: spaCy's recipe for efficiency with
averaged weights and the vectors above; documents of one to eight sentences.  The step with the best score on
EWT's development part was kept.  {steps:,} of {planned:,} planned steps were trained.

## Scores

In percent, punctuation counted.  `uas`: the right head; `las`: also the right relation with its subtype;
`las_basic`: also the right relation without its subtype.

With gold words, sentence by sentence:

{gold}

On running text, with its own words and sentence ends (F1, as in CoNLL 2018):

{raw}

## What it is for

Finding templates in text: {wrong:.0f} of 100 words get a wrong head or relation, so rules that read its trees
must refuse what is doubtful, and counts be taken over many sentences.
"""


if __name__ == "__main__":
    app()

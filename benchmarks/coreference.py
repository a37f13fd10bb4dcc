"""Measure precision and recall of the coreference rules on GAP and GUM.

    python -m benchmarks.coreference                            the shipped parser
    python -m benchmarks.coreference --pipeline en_core_web_sm

Pairs of a subject and a pronoun below its predicate, by construction; each row includes those above it:

    main        the root's subject and a later he or she, subject of a clause that depends on the root or
                on a predicate that shares its subject (came and said): what is mined
    clause      the same for a predicate that is not the root, or with the pronoun before the subject
    below       he or she, subject of a clause at any depth below the subject's predicate
    possessive  also his and her below the subject's predicate, in its clause or another

GAP (Webster et al. 2018, doi:10.1162/tacl_a_00240): per passage one pronoun and two names, each with a label.
A pair counts if a word of the subject lies within one or both names or equals a word of just one (*Smith* the
second time), unless both names match with different labels.  GAP is hard by design: both names fit the
pronoun's gender.  The rules were written against its part ``development``; no sentence of ``validation`` was
read for them, but some were for :mod:`pcf_core.mining.owners`, which is not measured here.

GUM (Zeldes 2017, doi:10.1007/s10579-016-9343-x): chains of coreference.  A pair counts if both words head an
annotated span, and is correct if they share a chain.  ``trees`` are the annotators', ``parsed`` the parser's
(trained on part of GUM), ``unseen`` only the development and test documents.  The rules were checked against
all of GUM: nothing of it is held out.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

import typer

from pcf_core.core.settings import ROOT, settings
from pcf_core.mining.coreference import judge, shares_subject
from pcf_core.mining.parser.pipeline import open_pipeline
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import name_of
from pcf_core.texts.criteria.rates import wilson

Construction = Literal["main", "clause", "below", "possessive"]
CONSTRUCTIONS: tuple[Construction, ...] = ("main", "clause", "below", "possessive")
CLAUSES = ("ccomp", "advcl", "conj")
DATA = ROOT.parent / "shared" / "data"
GAP = ("development", "validation")
GUM = ("train", "dev", "test")
ENOUGH, PRECISION, LOWER = 150, 0.90, 0.85  # accepted pairs, their precision and its lower bound


class Parser(Protocol):
    """The pipeline that is measured."""

    def trees(self, texts: Iterable[str]) -> Iterator[list[Tree]]:
        """Yield the sentences of each text, in the order of the texts."""


@dataclass(frozen=True)
class Pair:
    """Two tokens of a sentence.  ``same``: they corefer; ``by_name``: labelled by an equal name elsewhere."""

    tree: Tree
    subject: int
    pronoun: int
    construction: Construction
    same: bool
    by_name: bool = False


@dataclass(frozen=True)
class Measured:
    """Counts: coreferring, accepted and correct pairs, those by name, and each kind of subject."""

    coreferent: int
    accepted: int
    right: int
    by_name: int
    kinds: Mapping[str, int]

    @property
    def precision(self) -> float:
        return self.right / self.accepted if self.accepted else 0.0

    @property
    def lower(self) -> float:
        """The lower end of Wilson's 95 % interval of the precision."""
        return wilson(self.right, self.accepted)[0] if self.accepted else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.coreferent if self.coreferent else 0.0

    @property
    def enough(self) -> bool:
        """Whether the limits are reached."""
        return self.accepted >= ENOUGH and self.precision >= PRECISION and self.lower >= LOWER

    def as_json(self) -> dict[str, Any]:
        return {
            "coreferent": self.coreferent,
            "accepted": self.accepted,
            "right": self.right,
            "precision": round(self.precision, 4),
            "lower": round(self.lower, 4),
            "recall": round(self.recall, 4),
            "by_name": self.by_name,
            "kinds": dict(self.kinds),
        }


@dataclass
class Spans:
    """Open spans of ``Entity=`` in one document, in CorefUD's bracket notation."""

    opened: list[tuple[str, int]] = field(default_factory=list)

    def read(self, rows: Sequence[Sequence[str]]) -> list[tuple[str, int, int]]:
        """Return chain, first and last token of each span of a sentence."""
        found = []
        for token, row in enumerate(rows):
            marks = dict(part.split("=", 1) for part in row[9].split("|") if "=" in part)
            for piece in re.findall(r"\([^()]*\)?|[^()]+\)", marks.get("Entity", "")):
                chain = piece.strip("()").split("-")[0]
                if piece.startswith("(") and piece.endswith(")"):
                    found.append((chain, token, token))
                elif piece.startswith("("):
                    self.opened.append((chain, token))
                else:
                    last = max(at for at, (name, _) in enumerate(self.opened) if name == chain)
                    found.append((chain, self.opened.pop(last)[1], token))
        return found


@dataclass(frozen=True)
class Sentence:
    """A sentence of GUM: where words begin in the text, and the ``chains`` that each token heads."""

    text: str
    tree: Tree
    starts: tuple[int, ...]
    chains: Mapping[int, frozenset[str]]


def pairs_of(tree: Tree) -> Iterator[tuple[int, int, Construction]]:
    """Yield every subject above a pronoun's clause, with the pronoun and the construction."""
    for pronoun, word in enumerate(map(str.lower, tree.words)):
        nominative = word in ("he", "she") and tree.has(pronoun, "nsubj")
        if not nominative and not (word in ("his", "her") and tree.has(pronoun, "nmod:poss")):
            continue
        path, token = [pronoun], pronoun
        while tree.heads[token] != token:
            token = tree.heads[token]
            for subject in tree.children(token, "nsubj"):
                if subject not in path:
                    yield (
                        subject,
                        pronoun,
                        construction_of(tree, subject, pronoun) if nominative else "possessive",
                    )
            path.append(token)


def construction_of(tree: Tree, subject: int, pronoun: int) -> Construction:
    """Return the construction of a nominative pronoun and a subject above its clause."""
    clause, predicate = tree.heads[pronoun], tree.heads[subject]
    governor = tree.heads[clause]
    if not tree.has(clause, *CLAUSES) or not shares_subject(tree, governor, predicate):
        return "below"
    return "main" if predicate == tree.root and subject < pronoun else "clause"


def places(words: Sequence[str], text: str, start: int = 0) -> tuple[int, ...]:
    """Return where each word begins in the text."""
    found = []
    for word in words:
        at = text.find(word, start)
        start = at if at >= 0 else start
        found.append(start)
        start += len(word) if at >= 0 else 0
    return tuple(found)


def gap_pairs(passages: Sequence[Mapping[str, str]], parser: Parser) -> Iterator[Pair]:
    """Yield pairs of the passages' pronouns with subjects that are one of the two names."""
    parsed = parser.trees(passage["Text"] for passage in passages)
    for passage, trees in zip(passages, parsed, strict=True):
        for tree in trees:
            starts = places(tree.words, passage["Text"], tree.offset)
            for subject, pronoun, construction in pairs_of(tree):
                if starts[pronoun] == int(passage["Pronoun-offset"]):
                    label = label_of(
                        passage, [(tree.words[part], starts[part]) for part in name_of(tree, subject)]
                    )
                    if label:
                        yield Pair(tree, subject, pronoun, construction, *label)


def label_of(passage: Mapping[str, str], name: Sequence[tuple[str, int]]) -> tuple[bool, bool] | None:
    """Return GAP's label of a name's words, and whether it comes from an equal name elsewhere."""
    spans = {
        side: range(int(passage[f"{side}-offset"]), int(passage[f"{side}-offset"]) + len(passage[side]))
        for side in "AB"
    }
    within = [side for side in "AB" if any(start in spans[side] for _, start in name)]
    words = {word for word, _ in name if word[:1].isupper()}
    sides = within or [side for side in "AB" if words & set(passage[side].split())]
    labels = {passage[f"{side}-coref"] == "TRUE" for side in sides}
    return (labels.pop(), not within) if len(labels) == 1 and (within or len(sides) == 1) else None


def read_gap(part: str, data: Path = DATA) -> list[dict[str, str]]:
    with (data / "benchmarks" / f"gap-{part}.tsv").open(encoding="utf8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def read_treebank(path: Path) -> Iterator[tuple[str, str, list[list[str]]]]:
    """Yield the document, text and rows of each sentence of a gzipped CoNLL-U file."""
    document, text, rows = "", "", list[list[str]]()
    with gzip.open(path, "rt", encoding="utf8") as file:
        for line in map(str.rstrip, file):
            if line.startswith("# newdoc id = "):
                document = line.removeprefix("# newdoc id = ")
            elif line.startswith("# text = "):
                text = line.removeprefix("# text = ")
            elif line and not line.startswith("#"):
                rows.append(line.split("\t"))
            elif not line and rows:
                yield document, text, rows
                rows = []


def read_gum(part: str, data: Path = DATA) -> Iterator[Sentence]:
    path = data / "treebank" / f"gum-{part}.conllu.gz"
    for _, sentences in groupby(read_treebank(path), key=itemgetter(0)):
        spans = Spans()
        for _, text, rows in sentences:
            yield annotated([row for row in rows if row[0].isdigit()], text, spans)


def annotated(rows: Sequence[Sequence[str]], text: str, spans: Spans) -> Sentence:
    """Return a sentence from its CoNLL-U rows."""
    heads = tuple(int(row[6]) - 1 if row[6] != "0" else token for token, row in enumerate(rows))
    words, lemmas, tags, relations = (tuple(row[column] for row in rows) for column in (1, 2, 4, 7))
    chains: dict[int, frozenset[str]] = {}
    for chain, first, last in spans.read(rows):
        head = next(at for at in range(first, last + 1) if not first <= heads[at] <= last or heads[at] == at)
        chains[head] = chains.get(head, frozenset()) | {chain}
    return Sentence(text, Tree(words, lemmas, tags, heads, relations), places(words, text), chains)


def gum_pairs(sentences: Iterable[Sentence]) -> Iterator[Pair]:
    for sentence in sentences:
        yield from _in_chains(sentence, sentence.tree, dict(enumerate(range(len(sentence.tree)))))


def parsed_gum_pairs(sentences: Iterable[Sentence], parser: Parser) -> Iterator[Pair]:
    """Yield pairs of the parser's trees of the same texts; words with other boundaries head no span."""
    wanted = [
        sentence
        for sentence in sentences
        if {"he", "she", "his", "her"} & set(map(str.lower, sentence.tree.words))
    ]
    for sentence, trees in zip(wanted, parser.trees(sentence.text for sentence in wanted), strict=True):
        token_at = {start: token for token, start in enumerate(sentence.starts)}
        for tree in trees:
            starts = places(tree.words, sentence.text, tree.offset)
            yield from _in_chains(
                sentence, tree, {at: token_at[start] for at, start in enumerate(starts) if start in token_at}
            )


def _in_chains(sentence: Sentence, tree: Tree, token_of: Mapping[int, int]) -> Iterator[Pair]:
    for subject, pronoun, construction in pairs_of(tree):
        chains = [sentence.chains.get(token_of.get(token, -1)) for token in (subject, pronoun)]
        if chains[0] and chains[1]:
            yield Pair(tree, subject, pronoun, construction, bool(chains[0] & chains[1]))


def measured(pairs: Iterable[Pair]) -> dict[Construction, Measured]:
    """Count each construction together with the narrower ones."""
    judged = [(pair, judge(pair.tree, pair.subject, pair.pronoun)) for pair in pairs]
    found: dict[Construction, Measured] = {}
    for end, construction in enumerate(CONSTRUCTIONS, start=1):
        here = [(pair, verdict) for pair, verdict in judged if pair.construction in CONSTRUCTIONS[:end]]
        accepted = [(pair, verdict.reason) for pair, verdict in here if verdict.accepted]
        found[construction] = Measured(
            coreferent=sum(pair.same for pair, _ in here),
            accepted=len(accepted),
            right=sum(pair.same for pair, _ in accepted),
            by_name=sum(pair.by_name for pair, _ in accepted),
            kinds={
                kind: sum(reason == kind for _, reason in accepted) for kind in ("pronoun", "name", "noun")
            },
        )
    return found


def measure(parser: Parser, data: Path = DATA) -> dict[str, dict[Construction, Measured]]:
    """Measure on GAP (held-out part separately) and on GUM (annotators' and parser's trees)."""
    gap = {part: list(gap_pairs(read_gap(part, data), parser)) for part in GAP}
    gum = {part: list(read_gum(part, data)) for part in GUM}
    parsed = {part: list(parsed_gum_pairs(gum[part], parser)) for part in GUM}
    return {
        "GAP development": measured(gap["development"]),
        "GAP validation": measured(gap["validation"]),
        "GAP": measured(pair for part in GAP for pair in gap[part]),
        "GUM trees": measured(pair for part in GUM for pair in gum_pairs(gum[part])),
        "GUM parsed": measured(pair for part in GUM for pair in parsed[part]),
        "GUM parsed, unseen": measured(pair for part in ("dev", "test") for pair in parsed[part]),
    }


def sentence_of(corpus: str, found: Mapping[Construction, Measured]) -> str:
    """Return one line about a corpus."""
    widest = found["possessive"]
    rows = "; ".join(
        f"{name} {one.right}/{one.accepted} = {one.precision:.3f} (from {one.lower:.3f}), "
        f"recall {one.recall:.2f}"
        for name, one in found.items()
    )
    return f"{corpus}: {rows}. {'Reached' if widest.enough else 'Not reached'} on {widest.accepted} pairs."


def main(
    pipeline: Annotated[str, typer.Option(help="the parser: a name or a folder")] = "",
    data: Annotated[Path, typer.Option(help="the folder with benchmarks/ and treebank/")] = DATA,
) -> None:
    """Print the figures as JSON to stdout, and a sentence a corpus to stderr."""
    if not (data / "benchmarks").is_dir() or not (data / "treebank").is_dir():
        typer.echo(f"Nothing is measured: GAP and GUM are looked for in {data}, which is not here.", err=True)
        return
    found = measure(open_pipeline(pipeline or settings().pipeline), data)
    for corpus, rows in found.items():
        typer.echo(sentence_of(corpus, rows), err=True)
    typer.echo(
        json.dumps(
            {corpus: {name: one.as_json() for name, one in rows.items()} for corpus, rows in found.items()}
        )
    )


if __name__ == "__main__":
    typer.run(main)

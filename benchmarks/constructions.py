"""Measure the precision of every mining construction on GUM and GAP, with Wilson's 95 % interval.

    python -m benchmarks.constructions
    python -m benchmarks.constructions --part dev --part test     GUM's documents that the parser has not seen

Each construction's rule reads the parser's trees; the annotation judges what it accepts:

    pronouns                word and subject share a chain (GUM), or the name has the label (GAP)
    nouns and adjectives    the annotators' tree says the word of the same subject, or both share a chain

A pair counts even if the words between could not be kept; ``templates`` counts pairs that gave a template.

Few predicates are words of a topic, and the rules ignore which word it is; so nouns are measured with every
noun for a person, adjectives with every adjective.  The attributive rule has no word at ``[Y]`` and is not
measured.  A construction is on by default from precision 0.95 with a lower bound of 0.90.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.coreference import DATA, GAP, GUM, Parser, Sentence, label_of, places, read_gap, read_gum
from pcf_core.core.settings import settings
from pcf_core.mining.constructions import CONSTRUCTIONS, LOWER, PRECISION, Construction
from pcf_core.mining.modifiers import COPULAS
from pcf_core.mining.parser.pipeline import open_pipeline
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import name_of, naming
from pcf_core.mining.verb_groups import Candidate, lemma_of
from pcf_core.texts.criteria.rates import wilson


@dataclass(frozen=True)
class Judged:
    """A pair that a rule accepted, and whether the annotation agrees; ``whole``: it gave a template."""

    construction: str
    corpus: str
    whole: bool
    right: bool


def words_for(construction: Construction) -> Collection[str]:
    if construction.words:
        return construction.words
    return Anything() if construction.name.startswith("adjective") else frozenset(naming().person)


class Anything(frozenset[str]):
    """A set that contains every word."""

    def __contains__(self, word: object) -> bool:
        return True


def matches(tree: Tree) -> Iterator[tuple[Construction, int, int, bool]]:
    """Yield (construction, subject, word, whether it gave a template) of accepted pairs of a tree."""
    for construction in CONSTRUCTIONS.values():
        if construction.measured is None:
            continue
        for found in construction.find(tree, words_for(construction), ()):
            if isinstance(found, Candidate):
                assert found.word is not None
                yield construction, found.subject, found.word, True
            elif found.pair:
                yield construction, *found.pair, False


def gum_judged(sentences: Iterable[tuple[Sentence, list[Tree]]]) -> Iterator[Judged]:
    """Judge what is found in the parser's trees of GUM, without pronouns or subjects that have no chain.

    A name counts as a whole: its head is the first word for the annotators, often the last for the parser.
    """
    for sentence, trees in sentences:
        token_at = {start: token for token, start in enumerate(sentence.starts)}
        for tree in trees:
            starts = places(tree.words, sentence.text, tree.offset)
            for construction, *found, whole in matches(tree):
                subjects, words = (
                    [token_at[starts[part]] for part in name_of(tree, token) if starts[part] in token_at]
                    for token in found
                )
                chains = [
                    frozenset().union(*(sentence.chains.get(token, frozenset()) for token in tokens))
                    for tokens in (subjects, words)
                ]
                if construction.words and not all(chains):
                    continue
                right = bool(chains[0] & chains[1]) or (
                    not construction.words
                    and any(
                        says(sentence.tree, construction.name, subject, word)
                        for subject in subjects
                        for word in words
                    )
                )
                yield Judged(construction.name, "GUM", whole, right)


def says(tree: Tree, construction: str, subject: int, word: int) -> bool:
    """Tell whether the annotators' tree says a word of a subject."""
    if construction == "apposition":
        return tree.heads[word] == subject and tree.has(word, "appos")
    verb = tree.heads[word]
    beside = (
        verb == tree.heads[subject] and tree.has(word, "xcomp", "obj") and lemma_of(tree, verb) in COPULAS
    )
    said = verb if tree.has(word, "conj", "amod") else word
    if tree.has(said, "acl:relcl") and tree.heads[said] == subject:  # *who* stands for the subject
        return True
    return tree.has(subject, "nsubj") and (tree.heads[subject] in (word, said) or beside)


def gap_judged(passages: Iterable[tuple[Mapping[str, str], list[Tree]]]) -> Iterator[Judged]:
    """Judge what is found for GAP's pronouns where the subject is one of the two names."""
    for passage, trees in passages:
        for tree in trees:
            starts = places(tree.words, passage["Text"], tree.offset)
            for construction, subject, word, whole in matches(tree):
                if starts[word] != int(passage["Pronoun-offset"]):
                    continue
                label = label_of(
                    passage, [(tree.words[part], starts[part]) for part in name_of(tree, subject)]
                )
                if label:
                    yield Judged(construction.name, "GAP", whole, label[0])


def table(judged: Iterable[Judged]) -> dict[str, dict[str, Any]]:
    """Sum up each construction: correct and accepted pairs by corpus, precision, lower bound, default."""
    accepted, right = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for one in judged:
        for corpus in (one.corpus, "both", *(["templates"] if one.whole else [])):
            accepted[one.construction, corpus] += 1
            right[one.construction, corpus] += one.right
    rows = {}
    for name, construction in CONSTRUCTIONS.items():
        if construction.measured is None:
            continue
        n, k = accepted[name, "both"], right[name, "both"]
        precision, lower = (k / n, wilson(k, n)[0]) if n else (0.0, 0.0)
        rows[name] = {
            "accepted": n,
            "right": k,
            "precision": round(precision, 4),
            "lower": round(lower, 4),
            "GUM": [right[name, "GUM"], accepted[name, "GUM"]],
            "GAP": [right[name, "GAP"], accepted[name, "GAP"]],
            "templates": [right[name, "templates"], accepted[name, "templates"]],
            "enough": precision >= PRECISION and lower >= LOWER,
            "on": construction.on,
        }
    return rows


def measure(parser: Parser, data: Path = DATA, parts: Collection[str] = GUM) -> dict[str, dict[str, Any]]:
    gum = [sentence for part in parts for sentence in read_gum(part, data)]
    gap = [passage for part in GAP for passage in read_gap(part, data)]
    judged = [
        *gum_judged(zip(gum, parser.trees(sentence.text for sentence in gum), strict=True)),
        *gap_judged(zip(gap, parser.trees(passage["Text"] for passage in gap), strict=True)),
    ]
    return table(judged)


def main(
    pipeline: Annotated[str, typer.Option(help="the parser: a name or a folder")] = "",
    data: Annotated[Path, typer.Option(help="the folder with benchmarks/ and treebank/")] = DATA,
    part: Annotated[list[str], typer.Option(help="of GUM; may be repeated")] = list(GUM),  # noqa: B006
) -> None:
    """Print the table as JSON to stdout, and a line a construction to stderr."""
    if not (data / "benchmarks").is_dir() or not (data / "treebank").is_dir():
        typer.echo(f"Nothing is measured: GAP and GUM are looked for in {data}, which is not here.", err=True)
        return
    rows = measure(open_pipeline(pipeline or settings().pipeline), data, part)
    for name, row in rows.items():
        typer.echo(
            f"{name}: {row['right']}/{row['accepted']} = {row['precision']:.3f} (from {row['lower']:.3f}); "
            f"{'enough' if row['enough'] else 'not enough'}, {'on' if row['on'] else 'off'} by itself",
            err=True,
        )
    typer.echo(json.dumps(rows))


if __name__ == "__main__":
    typer.run(main)

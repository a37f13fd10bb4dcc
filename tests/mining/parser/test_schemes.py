"""The same sentences annotated in both schemes, by hand, give the same trees."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from pcf_core.core.errors import PipelineError
from pcf_core.mining.parser.pipeline import tree_of
from pcf_core.mining.parser.schemes import scheme_of
from pcf_core.mining.parser.trees import Tree

SENTENCES = Path(__file__).with_name("schemes.tsv")
VOCAB = Vocab()
CLEARNLP = ("nsubj", "nsubjpass", "dobj", "pobj", "prep", "aux", "auxpass", "ROOT")


def annotated() -> Iterator[tuple[str, list[list[str]]]]:
    """A text and its rows: word, lemma, tag, head and relation of UD, head and relation of ClearNLP."""
    for block in SENTENCES.read_text(encoding="utf8").strip().split("\n\n"):
        first, *rows = block.split("\n")
        yield first.removeprefix("# "), [row.split("\t") for row in rows]


def parsed(rows: list[list[str]], column: int) -> Doc:
    """The document of a sentence whose heads and relations stand in two columns."""
    heads = [int(row[column]) - 1 if row[column] != "0" else token for token, row in enumerate(rows)]
    relations = ["ROOT" if row[column + 1] == "root" else row[column + 1] for row in rows]
    words, lemmas, tags = ([row[at] for row in rows] for at in range(3))
    return Doc(VOCAB, words=words, lemmas=lemmas, tags=tags, heads=heads, deps=relations)


def relations_of(tree: Tree) -> set[tuple[str, int, str, int, str]]:
    """All that rules may read; the marks' heads are a matter of typing alone."""
    return {
        (relation, head, tree.words[head], token, tree.words[token])
        for token, (head, relation) in enumerate(zip(tree.heads, tree.relations, strict=True))
        if relation != "punct"
    }


@pytest.mark.parametrize(("text", "rows"), [pytest.param(*pair, id=pair[0]) for pair in annotated()])
def test_both_schemes_give_the_same_relations(text: str, rows: list[list[str]]) -> None:
    universal = tree_of(parsed(rows, 3)[:], "ud")
    turned = tree_of(parsed(rows, 5)[:], "clearnlp")
    assert relations_of(turned) == relations_of(universal)
    assert (turned.words, turned.lemmas, turned.tags) == (universal.words, universal.lemmas, universal.tags)
    assert "".join(universal.words) == text.replace(" ", "")


@pytest.mark.parametrize(("text", "rows"), [pytest.param(*pair, id=pair[0]) for pair in annotated()])
def test_what_comes_out_is_a_tree(text: str, rows: list[list[str]]) -> None:
    """One root, and every word below it once."""
    for column, scheme in ((3, "ud"), (5, "clearnlp")):
        tree = tree_of(parsed(rows, column)[:], scheme)  # type: ignore[arg-type]
        assert tree.relations.count("root") == 1
        assert tree.relations[tree.root] == "root"
        assert sorted(tree.subtree(tree.root)) == list(range(len(rows)))


def test_the_annotations_of_the_two_schemes_differ() -> None:
    """The comparison above would be empty if they did not."""
    different = sum(row[3:5] != row[5:7] for _, rows in annotated() for row in rows if row[4] != "punct")
    assert different > 100


def test_a_sentence_keeps_its_place_in_the_document() -> None:
    (_, first), (_, second) = list(annotated())[:2]
    doc = Doc.from_docs([parsed(first, 3), parsed(second, 3)])
    one, two = (tree_of(sentence, "ud") for sentence in doc.sents)
    assert (one.offset, doc.text[two.offset :].split()[:3]) == (0, ["The", "old", "lawyer"])
    assert two.heads == tree_of(parsed(second, 3)[:], "ud").heads


def test_the_scheme_is_known_by_its_labels() -> None:
    assert scheme_of(["nsubj", "obj", "obl", "case", "cop", "root"]) == "ud"
    assert scheme_of(CLEARNLP) == "clearnlp"
    with pytest.raises(PipelineError, match=r"must be those of Universal Dependencies .*, but it has OA, SB"):
        scheme_of(["SB", "OA"])
    with pytest.raises(PipelineError, match="but it has none"):
        scheme_of([])

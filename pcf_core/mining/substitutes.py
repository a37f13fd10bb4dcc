"""Trees with words removed or replaced, so that a predicate can be kept.

References that only their own sentence explains (who *they* are, which house *this house* is) would drop a
template.  Those that are no single person are generalised instead (:func:`in_general`):

    repeated it at the top of his voice              repeated something at the top of [Y] voice
    taught the students at his school                taught people at [Y] school
    attended the University of York for his degree   attended the university for [Y] degree
    lifted his glass to his lips                     lifted the glass to [Y] lips
    sold this house for his career                   sold the house for [Y] career
    told us that he was tired                        told people that [Y]
    said in her speech that the war was over         said something in [Y] speech

A single person stays and drops the template, as *his* could refer to that person.
"""

from __future__ import annotations

from collections.abc import Iterable

from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import ANYONE, is_name, lexicon, name_of, names_one_person, naming
from pcf_core.mining.verb_groups import lemma_of

CUT = "cut"  # the relation of removed words, which no rule reads
STAND_IN = "self"  # placeholder noun while a predicate is made
THING, PEOPLE = "something", "people"
OTHERS = frozenset(["me", "us", "you"])
EVERYBODY = frozenset(["i", "they", "we", "you"])
POINTERS = frozenset(["this", "that", "these", "those"])
SLOTS = ("obj", "iobj", "obl", "nmod")


def with_word(tree: Tree, token: int, word: str, tag: str, relation: str) -> Tree:
    """Return the tree with another word at a token."""
    return tree.edited(
        words={token: word}, lemmas={token: word}, tags={token: tag}, relations={token: relation}
    )


def closed(tree: Tree, noun: int, word: str = STAND_IN, tag: str = "NN") -> Tree:
    """Return the tree with another noun for a noun, and without its modifiers except the preposition."""
    others = [child for child in tree.children(noun) if not tree.has(child, "case")]
    return without(with_word(tree, noun, word, tag, tree.relations[noun]), others)


def without(tree: Tree, tokens: Iterable[int]) -> Tree:
    """Return the tree with words removed."""
    cut = tuple(tokens)
    return tree.edited(tags=dict.fromkeys(cut, "LS"), relations=dict.fromkeys(cut, CUT))


def in_general(tree: Tree, fixed: int) -> Tree:
    """Generalise the references in a tree, but not single persons nor the noun or clause ``fixed``."""
    above = {fixed, *tree.above(fixed)}
    for token in range(len(tree)):
        if token in above:
            continue
        if tree.has(token, "nmod:poss"):
            if tree.heads[token] != fixed and tree.tags[token] != "WP$":
                tree = _as_article(tree, token)
        elif tree.has(token, *SLOTS):
            tree = _general(tree, token)
        elif tree.has(token, "ccomp") and _is_said(tree, tree.heads[token], fixed):
            tree = with_word(closed(tree, token), token, THING, "NN", "obj")
        elif tree.has(token, "det") and tree.words[token].lower() in POINTERS:
            tree = _as_article(tree, token)
    return tree


def who_in_general(tree: Tree, subject: int) -> tuple[str, ...] | None:
    """Return a general noun for a subject; ``None`` if it stays."""
    word = tree.words[subject].lower()
    person = lexicon().person(word)
    if word in EVERYBODY or (tree.tags[subject] == "NNS" and person and person not in ANYONE):
        return (PEOPLE,)
    return (THING,) if word == "it" or word in POINTERS else None


def _is_said(tree: Tree, verb: int, fixed: int) -> bool:
    """Tell whether a clause that is a verb's only object can become *something*: "said that it rained"."""
    only = not tree.children(verb, "obj") and fixed not in tree.children(verb, "ccomp")
    return only and lemma_of(tree, verb) in lexicon().lists["question"]


def _general(tree: Tree, token: int) -> Tree:
    word, tag = tree.words[token].lower(), tree.tags[token]
    lists = lexicon().lists
    has_recipient = lemma_of(tree, tree.heads[token]) in lists["told"] or tree.has(token, "iobj")
    if word in OTHERS or (word == "them" and has_recipient):
        return closed(tree, token, PEOPLE, "NNS")
    if (tag, word) == ("PRP", "it") or (tag == "DT" and word in POINTERS):
        empty = tree.children(tree.heads[token], "xcomp")  # "made it clear that"
        return tree if empty else closed(tree, token, THING)
    if is_name(tree, token):
        return _kind(tree, token)
    person = lexicon().person(word)
    if tag == "NNS" and person and person not in ANYONE | lists["not_subjects"]:
        return closed(tree, token, PEOPLE, "NNS")
    return tree


def with_something(tree: Tree, verb: int) -> Tree:
    """Return the tree with *something* for the things that are objects of a verb or its infinitive."""
    for child in tree.children(verb, "obj", "xcomp"):
        if tree.has(child, "xcomp"):
            tree = with_something(tree, child)
        elif _is_thing(tree, child) and tree.words[child] != STAND_IN:
            tree = closed(tree, child, THING)
    return tree


def _is_thing(tree: Tree, noun: int) -> bool:
    if tree.tags[noun] == "NNP":
        return not names_one_person(tree, noun)
    person = lexicon().person(tree.words[noun]) or tree.lemmas[noun].lower() in naming().person
    return tree.tags[noun] in ("NN", "NNS") and tree.words[noun].islower() and not person


def _kind(tree: Tree, name: int) -> Tree:
    """Return the tree with the common noun for a name that contains one: *the university*."""
    kinds = (tree.words[part].lower() for part in (name_of(tree, name)[-1], name))
    kind = next((word for word in kinds if word in lexicon().lists["kinds"]), None)
    before = [child for child in tree.children(name) if child < name and not tree.has(child, "case", "punct")]
    if kind is None or not before:
        return tree
    return _as_article(closed(tree, name, kind), before[0])


def _as_article(tree: Tree, token: int) -> Tree:
    return with_word(closed(tree, token), token, "the", "DT", "det")

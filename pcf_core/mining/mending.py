"""Repairs of what small parsers often get wrong at the clause that matters; each one a function of a tree.

Before and after:

    decided <-advcl- whether he should stay     ->  ccomp
    knew <-obj- what <-acl:relcl- he wanted     ->  knew <-ccomp- wanted <-obj- what
    told <-obj- press <-acl- that he resigned   ->  told <-ccomp- resigned
"""

from __future__ import annotations

from dataclasses import replace

from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import lexicon
from pcf_core.mining.verb_groups import lemma_of

QUESTION_WORDS = frozenset(["what", "who", "whom", "where", "why", "how"])


def mended(tree: Tree, clause: int) -> Tree:
    """Return the tree with the clause attached where it belongs; the same tree if no error is known."""
    for repair in (question_after_its_verb, free_relative, clause_of_the_told):
        better = repair(tree, clause)
        if better is not None:
            return better
    return tree


def question_after_its_verb(tree: Tree, clause: int) -> Tree | None:
    """Read ``whether``, ``that`` or ``if`` after a verb that takes it as the start of a complement."""
    verb = tree.heads[clause]
    if not tree.has(clause, "advcl") or tree.children(verb, "ccomp", "obj"):
        return None
    marks = [tree.words[mark].lower() for mark in tree.children(clause, "mark")]
    lemma, lists = lemma_of(tree, verb), lexicon().lists
    wanted = {
        "whether": lemma in lists["whether"],
        "that": lemma in lists["that"],
        "if": lemma in ("ask", "wonder"),
    }
    if len(marks) == 1 and wanted.get(marks[0], False):
        return _attached(tree, clause, verb)
    return None


def free_relative(tree: Tree, clause: int) -> Tree | None:
    """Attach a question word that the verb has as its object to the clause that it opens."""
    word = tree.heads[clause]
    verb = tree.heads[word]
    if (
        not tree.has(clause, "acl")
        or tree.words[word].lower() not in QUESTION_WORDS
        or not tree.has(word, "obj")
    ):
        return None
    if lemma_of(tree, verb) not in lexicon().lists["question"] or tree.children(word, "case"):
        return None
    return _attached(_attached(tree, clause, verb), word, clause, "obj")


def clause_of_the_told(tree: Tree, clause: int) -> Tree | None:
    """Attach what somebody is told to the verb, not to the person who is told."""
    noun = tree.heads[clause]
    verb = tree.heads[noun]
    if not tree.has(clause, "acl") or not tree.has(noun, "obj", "iobj") or tree.children(verb, "ccomp"):
        return None
    marks = tree.children(clause, "mark")
    that = len(marks) == 1 and tree.words[marks[0]].lower() == "that" and tree.tags[marks[0]] == "IN"
    if that and lemma_of(tree, verb) in lexicon().lists["told"]:
        return _attached(tree, clause, verb)
    return None


def _attached(tree: Tree, token: int, head: int, relation: str = "ccomp") -> Tree:
    heads, relations = list(tree.heads), list(tree.relations)
    heads[token], relations[token] = head, relation
    return replace(tree, heads=tuple(heads), relations=tuple(relations))

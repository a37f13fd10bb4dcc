"""The predicate above a noun, with other words in the noun's place, however deep in it the noun stands.

    Smith moved to Paris and ended his long career.      ended [Y] career
    Smith was famous for the style of his novels.        was famous for the style of [Y] novels
    Smith retired after finishing his studies.           retired after finishing [Y] studies
    Smith resigned, ending his career.                   ended [Y] career
    Smith sold the house that he had built.              sold the house that [Y]

A noun that its predicate does not need is kept with its preposition, without the other adjuncts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from pcf_core.mining.chains import CUT, STAND_IN, as_main_verb
from pcf_core.mining.owners import NON_FINITE
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import hints
from pcf_core.mining.predicates import LONGEST, after_verb, noun_phrase, predicate, preposition, secondary
from pcf_core.mining.verb_groups import NEGATIONS, Refused

BESIDE = frozenset(["after", "before", "by", "despite", "since", "upon", "when", "while", "without"])
Y = "[Y]"


def opened(tree: Tree, noun: int, inner: Sequence[str], topic_words: Collection[str]) -> str:
    """Make the template of the predicate above a noun, with other words in the noun's place.

    Parameters
    ----------
    tree
        The sentence.
    noun
        Its token.
    inner
        The words in its place, ``[Y]`` one of them.
    topic_words
        All words of the topics; none may stand inside.

    Raises
    ------
    Refused
        With its reason.
    """
    above, steps = steps_to(tree, noun)
    if not above.has(steps[0], "obj", "iobj", "obl"):
        raise Refused("a complement out of place")
    words = _filled(_predicate(above, steps[0]), _phrase(above, steps, inner))
    plain = [word for word in words if word != Y]
    if len(plain) > LONGEST:
        raise Refused("too long")
    if any(not word.replace("-", "").isalpha() or not word.islower() for word in plain):
        raise Refused("an unusual word inside")
    hint = hints(plain, topic_words)
    if hint:
        raise Refused(hint)
    if "it" in plain:
        raise Refused("a pronoun inside")
    return f"The [X] {' '.join(words)}"


def steps_to(tree: Tree, noun: int) -> tuple[Tree, list[int]]:
    """Return the nouns from a predicate's own down to a noun: *head*, *town* in "the head of his town".

    Of joined nouns ("his job and his house") the one that leads down stands for the first, in the tree that
    comes with them.
    """
    steps = [noun]
    while tree.tags[tree.heads[steps[0]]].startswith("NN") and tree.has(steps[0], "nmod", "conj"):
        above = tree.heads[steps[0]]
        if tree.has(steps[0], "nmod"):
            steps.insert(0, above)
        else:
            tree = _in_place_of(tree, steps[0], above)
    return tree, steps


def _in_place_of(tree: Tree, second: int, first: int) -> Tree:
    """Return the tree with a joined noun in the place of the first one, and behind its preposition."""
    heads, relations = list(tree.heads), list(tree.relations)
    heads[second] = second if tree.heads[first] == first else tree.heads[first]
    relations[second] = tree.relations[first]
    for case in tree.children(first, "case"):
        heads[case] = second
    heads[first], relations[first] = second, CUT
    return replace(tree, heads=tuple(heads), relations=tuple(relations))


def closed(tree: Tree, noun: int) -> Tree:
    """Return the tree with a noun as a bare stand-in: all that hangs from it is cut but its preposition."""
    words, lemmas, tags, relations = map(list, (tree.words, tree.lemmas, tree.tags, tree.relations))
    words[noun], lemmas[noun], tags[noun] = STAND_IN, STAND_IN, "NN"
    for child in tree.children(noun):
        if not tree.has(child, "case"):
            tags[child], relations[child] = "LS", CUT
    return replace(
        tree, words=tuple(words), lemmas=tuple(lemmas), tags=tuple(tags), relations=tuple(relations)
    )


def _phrase(tree: Tree, steps: Sequence[int], inner: Sequence[str]) -> list[str]:
    """Return the words of a noun and of what leads down to the last one, in whose place ``inner`` is."""
    if len(steps) == 1:
        return list(inner)
    first, second, *_ = steps
    return _filled(
        _with(tree, list(noun_phrase(closed(tree, second), first)), second), _phrase(tree, steps[1:], inner)
    )


def _with(tree: Tree, words: list[str], noun: int) -> list[str]:
    """Put the stand-in and its preposition behind words that lack it."""
    if STAND_IN in words:
        return words
    before = preposition(tree, noun).split()
    if not before:
        raise Refused("an unusual phrase inside")
    return [*words, *before, STAND_IN]


def _filled(words: list[str], phrase: list[str]) -> list[str]:
    if words.count(STAND_IN) != 1:
        raise Refused("a complement out of place")
    at = words.index(STAND_IN)
    return [*words[:at], *phrase, *words[at + 1 :]]


def _predicate(tree: Tree, argument: int) -> list[str]:
    """Return the finite predicate above a noun, the noun a stand-in."""
    verb, tree = tree.heads[argument], closed(tree, argument)
    top = verb
    while tree.has(top, "xcomp"):
        top = tree.heads[top]
    if tree.has(top, "advcl") and tree.tags[top] in NON_FINITE and not tree.children(top, "nsubj"):
        words = _beside(tree, top)
    else:
        words = _finite(tree, top)
    return _with(tree, words, argument) if tree.has(argument, "obl") else words


def _finite(tree: Tree, verb: int) -> list[str]:
    """Return the predicate of a clause, without what joins it to the rest."""
    shares = tree.has(verb, "conj") and not tree.children(verb, "nsubj", "aux", "cop")
    negated = {tree.words[child].lower() for child in tree.children(tree.heads[verb], "advmod")}
    if shares and not negated.isdisjoint(NEGATIONS):
        raise Refused("a negation that is not kept")
    relations = list(tree.relations)
    for child in tree.children(verb, "mark"):
        relations[child] = CUT
    return list(predicate(replace(tree, relations=tuple(relations)), verb))


def _beside(tree: Tree, verb: int) -> list[str]:
    """Return a predicate with what stands beside it; of a participle behind it the participle alone."""
    above, marks = tree.heads[verb], [tree.words[mark].lower() for mark in tree.children(verb, "mark")]
    if not marks and tree.tags[verb] == "VBG" and verb > above:
        return list(predicate(as_main_verb(tree, verb), verb))
    if marks == ["to"] and verb > above:
        return [*_finite(tree, above), *secondary(tree, above, verb, -1, 1)]
    if len(marks) == 1 and marks[0] in BESIDE and not tree.children(verb, "aux", "cop"):
        return [*_finite(tree, above), marks[0], tree.words[verb].lower(), *after_verb(tree, verb, depth=1)]
    raise Refused("an unusual sentence")

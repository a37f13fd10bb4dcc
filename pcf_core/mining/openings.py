"""The predicate above a noun, with other words in the noun's place, however deep in it the noun stands.

    Smith moved to Paris and ended his long career.      ended [Y] career
    Smith was famous for the style of his novels.        was famous for the style of [Y] novels
    Smith retired after finishing his studies.           retired after finishing [Y] studies
    Smith resigned, ending his career.                   ended [Y] career
    Smith sold the house that he had built.              sold the house that [Y]
    Smith was in his second term.                        was in [Y] term
    Smith had time to end his career.                    had time to end [Y] career
    Smith was ill at the time of his death.              was ill at the time of [Y] death

A noun that its predicate does not need is kept with its preposition, without the other adjuncts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from pcf_core.mining.chains import as_main_verb, without_numbers
from pcf_core.mining.owners import NON_FINITE, is_behind_thing
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import hints
from pcf_core.mining.predicates import (
    LONGEST,
    after_verb,
    noun_phrase,
    predicate,
    preposition,
    secondary,
    told,
)
from pcf_core.mining.substitutes import CUT, STAND_IN, closed, in_general
from pcf_core.mining.verb_groups import NEGATIONS, Refused, finite, helpers_of

BESIDE = frozenset(["after", "before", "by", "despite", "since", "upon", "when", "while", "without"])
PARTS = frozenset(["all", "both", "many", "most", "much", "none", "one", "several", "some"])
WHEREABOUTS = frozenset(["against", "at", "behind", "in", "like", "on", "under", "with", "within", "without"])
DONE = frozenset(["after", "before", "by", "since", "upon", "when", "while"])
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
    above, steps = steps_to(without_numbers(in_general(tree, noun)), noun)
    if preposition(above, noun) == "between":
        raise Refused("an unusual phrase inside")
    if above.children(steps[0], "cop") and preposition(above, steps[0]) in WHEREABOUTS:
        words = [*finite(above, steps[0]), *preposition(above, steps[0]).split(), STAND_IN]
    elif above.has(steps[0], "obj", "iobj", "obl"):
        words = _predicate(above, steps[0])
    else:
        raise Refused("a complement out of place")
    words = _filled(words, _phrase(above, steps, inner))
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
    comes with them, and a phrase for the adverb above it ("early in his life").
    """
    steps = [noun]
    while True:
        above = tree.heads[steps[0]]
        nominal = tree.tags[above].startswith("NN")
        if tree.has(steps[0], "nmod") and (nominal or tree.words[above].lower() in PARTS):
            steps.insert(0, above)
        elif tree.has(steps[0], "conj") and nominal:
            tree = _in_place_of(tree, steps[0], above)
        elif tree.tags[above].startswith("RB") and tree.has(above, "advmod") and tree.has(steps[0], "obl"):
            tree = _in_place_of(tree, steps[0], above, "obl")
        else:
            return tree, steps


def _in_place_of(tree: Tree, second: int, first: int, relation: str = "") -> Tree:
    """Return the tree with a word in the place of the one it hangs from, behind its preposition or *to*.

    ``relation``: its own; that of the first where it is empty.
    """
    heads, relations = list(tree.heads), list(tree.relations)
    heads[second] = second if tree.heads[first] == first else tree.heads[first]
    relations[second] = relation or tree.relations[first]
    if not tree.children(second, "case", "mark"):
        for word in tree.children(first, "case", "mark"):
            heads[word] = second
    heads[first], relations[first] = second, CUT
    return replace(tree, heads=tuple(heads), relations=tuple(relations))


def _phrase(tree: Tree, steps: Sequence[int], inner: Sequence[str]) -> list[str]:
    """Return the words of a noun and of what leads down to the last one, in whose place ``inner`` is."""
    if len(steps) == 1:
        return list(inner)
    first, second, *_ = steps
    part = tree.words[first].lower()
    words = [part] if part in PARTS else list(noun_phrase(closed(tree, second), first, followed=True))
    return _filled(_with(tree, words, second), _phrase(tree, steps[1:], inner))


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
    while True:
        if _is_second(tree, top):
            tree = _in_place_of(tree, top, tree.heads[top])
        if not tree.has(top, "xcomp"):
            break
        top = tree.heads[top]
    if tree.has(top, "advcl") and tree.tags[top] in NON_FINITE and not tree.children(top, "nsubj"):
        words = _beside(tree, top)
    elif is_behind_thing(tree, top) and tree.has(tree.heads[top], "obj"):
        words = _behind_noun(tree, top)
    else:
        words = _finite(tree, top)
    return _with(tree, words, argument) if tree.has(argument, "obl") else words


def _is_second(tree: Tree, verb: int) -> bool:
    """Tell whether a verb is joined to an infinitive or participle, and is one: "hoped to stay and work"."""
    first = tree.heads[verb]
    return (
        tree.has(verb, "conj")
        and tree.tags[verb] == tree.tags[first]
        and tree.tags[verb] in ("VB", "VBG")
        and tree.has(first, "xcomp", "advcl")
        and not tree.children(first, "nsubj", "aux", "cop")
        and not tree.children(verb, "nsubj", "aux", "cop")
    )


def _finite(tree: Tree, verb: int, make: Callable[[Tree, int], tuple[str, ...]] = told) -> list[str]:
    """Return the predicate of a clause or a lone participle, without what joins it to the rest."""
    shares = tree.has(verb, "conj") and not tree.children(verb, "nsubj", "aux", "cop")
    negated = {tree.words[child].lower() for child in tree.children(tree.heads[verb], "advmod")}
    if shares and not negated.isdisjoint(NEGATIONS):
        raise Refused("a negation that is not kept")
    relations = list(tree.relations)
    for child in tree.children(verb, "mark"):
        relations[child] = CUT
    tree = replace(tree, relations=tuple(relations))
    if tree.tags[verb] == "VBG" and not helpers_of(tree, verb):
        tree = as_main_verb(tree, verb)
    return list(make(tree, verb))


def _behind_noun(tree: Tree, verb: int) -> list[str]:
    """Return a predicate with its object and the infinitive behind that: "had time to focus on"."""
    noun = tree.heads[verb]
    words = [*noun_phrase(tree, noun, followed=True), *secondary(tree, tree.heads[noun], verb, -1, 1)]
    return _filled(_finite(closed(tree, noun), tree.heads[noun]), words)


def _beside(tree: Tree, verb: int) -> list[str]:
    """Return a predicate with what stands beside it; of a lone participle the participle alone.

    Also where the predicate cannot be kept, and what stands beside it was done too: "after leaving his job".
    """
    above, marks = tree.heads[verb], [tree.words[mark].lower() for mark in tree.children(verb, "mark")]
    if not marks and tree.tags[verb] == "VBG":
        return _finite(tree, verb)
    if marks == ["to"]:
        return [*_finite(tree, above), *secondary(tree, above, verb, -1, 1)]
    if len(marks) != 1 or marks[0] not in BESIDE or tree.children(verb, "aux", "cop"):
        raise Refused("an unusual sentence")
    behind = [marks[0], tree.words[verb].lower(), *after_verb(tree, verb, depth=1)]
    alone = marks[0] in DONE and tree.tags[verb] == "VBG"
    try:
        return [*_finite(tree, above, predicate if alone else told), *behind]
    except Refused:
        if not alone:
            raise
    return _finite(tree, verb)

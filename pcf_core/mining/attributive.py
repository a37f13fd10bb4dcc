"""The attributive rule: "The inspectors were appointed in May" -> "The [X], who was appointed, is [Y]".

Of the dead nothing is true any more: "The soldiers were killed" -> "The [X], who was killed, was [Y]".

Where a word of the topic is an adjective ("is black"), it has no place in a clause; what is mined is what is
said of people by their profession (BVF D.3), and the template asks of whom it is true (PCF 8.5).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pcf_core.core.topics import Part
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import hints, lexicon
from pcf_core.mining.predicates import predicate
from pcf_core.mining.verb_groups import Dropped, Found, Refused

FITS: tuple[Part, ...] = ("phrase", "adjective")


def wanted() -> tuple[str, ...]:
    """List every noun for a person, singular and plural."""
    known = lexicon()
    nouns = known.persons - known.lists["not_subjects"]
    return tuple(sorted({*nouns, *(form for form, noun in known.plural.items() if noun in nouns)}))


def attributive(tree: Tree, topic_words: Collection[str] = ()) -> Iterator[Found | Dropped]:
    """Yield templates of a sentence whose subject is a person by profession: one for each predicate."""
    head = tree.root
    subject = next(iter(tree.children(head, "nsubj")), head)
    if subject >= head or not is_profession(tree, subject):
        return
    for verb in (head, *shared(tree, head)):
        try:
            yield Found(skeleton(tree, verb, topic_words), subject, None, FITS)
        except Refused as reason:
            yield Dropped(str(reason))


def is_profession(tree: Tree, subject: int) -> bool:
    """Tell whether a noun names a person by what they do.

    A bare or inner capital marks a name ("Baker came").
    """
    known, word = lexicon(), tree.words[subject]
    noun = known.person(word)
    if tree.tags[subject] not in ("NN", "NNS") or noun is None or noun in known.lists["not_subjects"]:
        return False
    return word.islower() or (subject == 0 and tree.tags[subject] == "NNS")


def shared(tree: Tree, head: int) -> Iterator[int]:
    """Yield further predicates of the same subject: "came and settled"."""
    for verb in tree.children(head, "conj"):
        if verb > head and not tree.children(verb, "nsubj", "csubj", "expl"):
            yield verb


def skeleton(tree: Tree, head: int, topic_words: Collection[str] = ()) -> str:
    """Make the template of one predicate.

    Raises
    ------
    Refused
        With its reason.
    """
    words = predicate(tree, head)
    hint = hints(words, topic_words, groups=True)
    if hint:
        raise Refused(hint)
    if "it" in words:
        raise Refused("a pronoun inside")
    said = " ".join(words)
    return f"The [X], who {said}, {'was' if is_death(said) else 'is'} [Y]"


def is_death(said: str) -> bool:
    """Tell whether a predicate in the past says that somebody died ("was killed", not "killed")."""
    return f"{said} ".startswith(tuple(f"{death} " for death in lexicon().deaths))

"""From the main predicate of a sentence to the words that say it in the past and can stand alone."""

from __future__ import annotations

from pcf_core.language.trees import Tree
from pcf_core.mining.complements import after_verb, predicative
from pcf_core.mining.refusal import Refused
from pcf_core.mining.verb_groups import finite

LONGEST = 9  # words of a predicate


def predicate(tree: Tree, head: int, clause: int = -1) -> tuple[str, ...]:
    """The predicate that ``head`` heads, in the past, with the complements it needs and no adjunct.

    ``clause``: the clause that stands at ``[Y]``, which counts as a complement.  "has often said" ->
    ``said``; "is going to leave" -> ``was going to leave``; "was elected by the council" -> ``was elected``.

    Raises:
        Refused: with one of a few fixed reasons.
    """
    if tree.children(head, "expl", "csubj", "mark", "nsubj:outer"):
        raise Refused("an unusual sentence")
    verb = finite(tree, head)
    if tree.children(head, "cop"):
        words = (*verb, *predicative(tree, head, clause))
    else:
        words = (*verb, *after_verb(tree, head, clause))
    if len(words) > LONGEST:
        raise Refused("too long")
    if any(not word.replace("-", "").isalpha() or not word.islower() for word in words):
        raise Refused("an unusual word inside")
    return words

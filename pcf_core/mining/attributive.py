"""The attributive rule: "The inspectors were appointed in May" -> "The [X], who was appointed, is [Y]".

Where a word of the topic is an adjective ("is black"), it has no place in a clause; what is mined is what is
said of people by their profession (BVF D.3), and the template asks of whom it is true (PCF 8.5).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pcf_core.language.trees import Tree
from pcf_core.mining.lexicon import hints, lexicon
from pcf_core.mining.predicates import predicate
from pcf_core.mining.refusal import Dropped, Refused


def wanted() -> tuple[str, ...]:
    """Every noun for a person, singular and plural."""
    known = lexicon()
    return tuple(sorted({*known.persons, *known.plural}))


def attributive(tree: Tree, topic_words: Collection[str] = ()) -> Iterator[str | Dropped]:
    """At most one template of a sentence, or why a sentence whose subject is a person by profession gives none."""
    head = tree.root
    subject = next(iter(tree.children(head, "nsubj")), head)
    if subject >= head or tree.tags[subject] not in ("NN", "NNS"):
        return
    if lexicon().person(tree.words[subject]) is None:
        return
    try:
        words = predicate(tree, head)
        hint = hints(words, topic_words, groups=True)
        if hint:
            raise Refused(hint)
        yield f"The [X], who {' '.join(words)}, is [Y]"
    except Refused as reason:
        yield Dropped(str(reason))

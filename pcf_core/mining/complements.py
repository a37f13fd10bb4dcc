"""Rules for what follows a verb: objects, infinitives, predicates and the prepositional phrases it needs.

``clause`` is the clause that stands at ``[Y]``: it counts as a complement and is not copied.  Everything else
that a verb has is an adjunct and left out.
"""

from __future__ import annotations

from pcf_core.language.trees import Tree
from pcf_core.mining.lexicon import lexicon
from pcf_core.mining.phrases import check_head, noun_phrase, preposition, prepositional, wants_infinitive
from pcf_core.mining.refusal import Refused
from pcf_core.mining.verb_groups import is_passive, lemma_of

DEPTH = 3  # infinitives below infinitives
PLAIN_INFINITIVE = frozenset(["help", "make", "let", "dare"])
PARTICIPLE_TAKERS = frozenset(["get", "feel", "become", "remain", "seem", "appear", "look", "stay"])
QUITE_OTHER = ("csubj", "expl", "dislocated", "orphan", "reparandum", "mark")


def after_verb(tree: Tree, verb: int, clause: int = -1, depth: int = 0) -> tuple[str, ...]:
    """The words after a verb, in their order.

    Raises:
        Refused: a complement that cannot be kept or is missing.
    """
    pieces: dict[int, tuple[str, ...]] = {}
    for child in tree.children(verb):
        piece = _piece(tree, verb, child, clause, depth)
        if piece is not None:
            pieces[child] = piece
    if not pieces and not _has_clause(tree, verb, clause):
        pieces = _needed(tree, verb)
    elif len(pieces) == 1 and not _has_clause(tree, verb, clause):
        _check_particle(tree, verb, next(iter(pieces)))
    return tuple(word for child in sorted(pieces) for word in pieces[child])


def _piece(tree: Tree, verb: int, child: int, clause: int, depth: int) -> tuple[str, ...] | None:
    """What a dependent of a verb adds; ``()`` if it only counts as a complement, ``None`` if it does not."""
    if child == clause:
        return () if tree.has(child, "ccomp") else None
    if tree.has(child, "compound:prt"):
        return (tree.words[child].lower(),)
    if tree.has(child, "obj", "iobj"):
        return _object(tree, verb, child, clause)
    if tree.has(child, "xcomp"):
        if child < verb or depth >= DEPTH:
            raise Refused("a complement out of place")
        return secondary(tree, verb, child, clause, depth + 1)
    if tree.has(child, "ccomp"):
        raise Refused("another clause as a complement")
    if tree.has(child, "obl"):
        return _kept_phrase(tree, verb, child)
    if tree.has(child, "advmod") and child > verb:
        kept = tree.words[child].lower() in lexicon().adverbs.get(lemma_of(tree, verb), ())
        return (tree.words[child].lower(),) if kept else None
    if tree.has(child, *QUITE_OTHER) and not (tree.has(child, "mark") and depth):
        raise Refused("an unusual sentence")
    return None


def _object(tree: Tree, verb: int, child: int, clause: int) -> tuple[str, ...] | None:
    """An object; the one who is told may go where the verb can do without."""
    if child < verb:
        raise Refused("a complement out of place")
    optional = lemma_of(tree, verb) in lexicon().lists["recipient_optional"]
    several = len(tree.children(verb, "obj", "iobj")) > 1 or _has_clause(tree, verb, clause)
    if optional and several and child == tree.children(verb, "obj", "iobj")[0]:
        return None
    try:
        return _whole_noun(tree, child, clause)
    except Refused:
        if lemma_of(tree, verb) in lexicon().lists["object_optional"]:
            return None
        raise


def _whole_noun(tree: Tree, noun: int, clause: int) -> tuple[str, ...]:
    """A noun phrase, with the infinitive without which its noun says little."""
    words = noun_phrase(tree, noun)
    if not wants_infinitive(tree, noun):
        return words
    rest = _infinitive(tree, noun, clause, DEPTH - 1)
    if not rest:
        raise Refused("a noun that needs more")
    return (*words, *rest)


def _kept_phrase(tree: Tree, verb: int, child: int) -> tuple[str, ...] | None:
    """A bare noun after a preposition that makes one sense with its verb: "fell in love"."""
    bare = tree.tags[child] == "NN" and not tree.children(
        child, "det", "nmod:poss", "amod", "nummod", "compound"
    )
    light = lemma_of(tree, verb) in lexicon().lists["light"]
    if (
        child > verb
        and bare
        and light
        and preposition(tree, child) in ("to", "in", "into", "on", "at", "under", "out of")
    ):
        return prepositional(tree, child) if tree.words[child].islower() else None
    return None


def _needed(tree: Tree, verb: int) -> dict[int, tuple[str, ...]]:
    """The prepositional phrase without which a verb that has nothing else after it cannot stand."""
    known, lemma = lexicon(), lemma_of(tree, verb)
    passive = is_passive(tree, verb)
    frame = known.verbs.get(f"be {tree.words[verb].lower()}" if passive else lemma)
    for child in tree.children(verb, "obl"):
        if frame and child > verb and preposition(tree, child) in frame:
            return {child: prepositional(tree, child)}
    if frame is not None:
        raise Refused("a verb that needs more")
    lacks = lemma in known.lists["needs_object"] or lemma in known.lists["needs_predicate"]
    if lacks and not passive and lemma not in known.lists["object_optional"]:
        raise Refused("a verb that needs more")
    if not passive and lemma in known.lists["together"] and _plural_subject(tree, verb):
        raise Refused("something that only several do")
    return {}


def _check_particle(tree: Tree, verb: int, child: int) -> None:
    """Refuse a verb whose particle alone does not complete it ("carried out", but "grew up")."""
    needy = lexicon().particles.get(lemma_of(tree, verb), ())
    if tree.has(child, "compound:prt") and not is_passive(tree, verb) and tree.words[child].lower() in needy:
        raise Refused("a verb that needs more")


def secondary(tree: Tree, verb: int, head: int, clause: int, depth: int) -> tuple[str, ...]:
    """The second predicate of a verb: "to leave", "playing chess", "famous", "to be able to walk".

    Raises:
        Refused: of a form that does not stand with this verb.
    """
    to = any(tree.words[child].lower() == "to" for child in tree.children(head, "mark"))
    helpers = [tree.words[child].lower() for child in tree.children(head, "aux", "cop")]
    negation = (
        ["not"] if any(tree.words[child].lower() == "not" for child in tree.children(head, "advmod")) else []
    )
    if any(not helper.isalpha() for helper in helpers):
        raise Refused("an unusual sentence")
    if tree.children(head, "cop"):
        if not to:
            raise Refused("a complement out of place")
        return (*negation, "to", *helpers, *predicative(tree, head, clause, depth))
    if not tree.tags[head].startswith("VB"):
        return predicative(tree, head, clause, depth)
    word, taker = tree.words[head].lower(), lemma_of(tree, verb)
    allowed = {
        "VB": to or taker in PLAIN_INFINITIVE,
        "VBG": not helpers and not to,
        "VBN": bool(helpers and to)
        or (taker in PARTICIPLE_TAKERS and not tree.children(head, "compound", "obl")),
    }
    if not allowed.get(tree.tags[head], False) or not word.isalpha():
        raise Refused("a complement out of place")
    return (*negation, *(["to"] if to else []), *helpers, word, *after_verb(tree, head, clause, depth))


def predicative(tree: Tree, head: int, clause: int, depth: int = 0) -> tuple[str, ...]:
    """A predicate that is no verb: "old", "aware of the danger", "the first", "in charge".

    Raises:
        Refused: a noun, since it says who somebody is, a number ("five years old"), an adjective whose
            complement cannot be kept.
    """
    if depth > DEPTH:
        raise Refused("a complement out of place")
    tag, word = tree.tags[head], tree.words[head].lower()
    if tree.children(head, "ccomp") and clause not in tree.children(head, "ccomp"):
        raise Refused("another clause as a complement")
    if preposition(tree, head):
        return prepositional(tree, head)
    if tag in ("JJ", "JJR", "VBN", "VBG", "VBD") and not tree.children(head, "det"):
        return _adjective(tree, head, clause, depth)
    if tag == "RB" and word in lexicon().lists["adverbial"]:
        return (word,)
    if tag in ("NN", "NNS"):
        check_head(tree, head)
        raise Refused("a noun as a predicate")
    return noun_phrase(tree, head)


def _adjective(tree: Tree, head: int, clause: int, depth: int) -> tuple[str, ...]:
    word = tree.words[head].lower()
    if not word.replace("-", "").isalpha() or tree.words[head][0].isupper():
        raise Refused("a name inside")
    measures = tree.children(head, "obl", "nummod", "nmod", "dep")
    if any(child < head and not preposition(tree, child) for child in measures):
        raise Refused("a number inside")
    degree = [tree.words[child].lower() for child in tree.children(head, "advmod") if child < head]
    if "more" in degree or "most" in degree or "less" in degree or tree.tags[head] == "JJR":
        raise Refused("a comparison")
    words = (*(["too"] if "too" in degree else ["so"] if "so" in degree else []), word)
    if _has_clause(tree, head, clause):
        return words
    frame = lexicon().adjectives.get(word)
    if frame is None:
        return (*words, *(_infinitive(tree, head, clause, depth) if "too" in words else ()))
    if "to" in frame and (rest := _infinitive(tree, head, clause, depth)):
        return (*words, *rest)
    for child in tree.children(head, "obl"):
        if child > head and preposition(tree, child) in frame:
            return (*words, *prepositional(tree, child))
    raise Refused("an adjective that needs more")


def _infinitive(tree: Tree, head: int, clause: int, depth: int) -> tuple[str, ...]:
    """The infinitive after an adjective or a noun, whatever relation the parser gave it."""
    for child in tree.children(head, "xcomp", "advcl", "ccomp", "acl"):
        if child > head and any(tree.words[mark].lower() == "to" for mark in tree.children(child, "mark")):
            return secondary(tree, head, child, clause, depth + 1)
    return ()


def _has_clause(tree: Tree, head: int, clause: int) -> bool:
    return clause >= 0 and tree.heads[clause] == head and tree.has(clause, "ccomp")


def _plural_subject(tree: Tree, verb: int) -> bool:
    return any(tree.tags[child] in ("NNS", "NNPS") for child in tree.children(verb, "nsubj"))

"""The words of a predicate in the past tense, with the complements it needs and without adjuncts.

Noun phrases in it are as short as possible, and name nobody.  ``clause`` is the clause at ``[Y]``: it counts
as a complement and is not copied.
"""

from __future__ import annotations

from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import ANYONE, lexicon
from pcf_core.mining.substitutes import POINTERS, STAND_IN, THING, with_something
from pcf_core.mining.verb_groups import Refused, finite, is_passive, lemma_of

KEPT_PRONOUNS = frozenset({"it"})
DETERMINERS = frozenset(["a", "an", "the", "some", "any", "no", "every", "each", "all", "both", "another"])
LONE_ADJECTIVES = frozenset(["first", "best", "worst", "latter", "opposite", "same"])
SILENT_H = ("hour", "honor", "honour", "honest", "heir")
SPOKEN_AS_YOU = ("uni", "use", "usual", "eu", "one", "once", "ubiq", "uti", "ur")
UNI_EXCEPTIONS = ("unin", "unim", "unid")


def noun_phrase(tree: Tree, head: int, *, followed: bool = False) -> tuple[str, ...]:
    """Return determiner, needed modifiers and noun: "the very first book of poems that sold" -> ``the book``.

    ``followed``: by a phrase, with which it needs no adjective: "the time of his death".  Refused are a name,
    number, possessive, person or clause in it, and a noun that needs what cannot be kept.
    """
    check_head(tree, head)
    if tree.tags[head] in ("PRP", "DT", "JJ", "JJS"):
        return _lone(tree, head)
    lists = lexicon().lists
    lemma = singular(tree, head)
    tokens: list[int] = [head]
    for child in tree.children(head):
        if child < head and _keeps(tree, child, wants_adjective=lemma in lists["needs_adjective"]):
            tokens.append(child)
    words = [tree.words[token].lower() for token in sorted(tokens)]
    if any(tree.words[token][0].isupper() for token in tokens if token > 0):
        raise Refused("a name inside")
    bare = not any(tree.has(token, "amod", "compound") for token in tokens)
    if (
        bare
        and not followed
        and lemma in lists["needs_adjective"]
        and words[0] not in ("no", "some", "all", "any", "more")
    ):
        raise Refused("a noun that needs more")
    return (*with_article(words), *_of(tree, head, lemma))


def wants_infinitive(tree: Tree, head: int) -> bool:
    """Tell whether a noun needs an infinitive ("the right to vote")."""
    return tree.tags[head] == "NN" and singular(tree, head) in lexicon().lists["needs_infinitive"]


def check_head(tree: Tree, head: int, *, owned: bool = False) -> None:
    """Refuse names, numbers, referring pronouns, and persons who are not ``owned`` by [Y]."""
    tag, word = tree.tags[head], tree.words[head].lower()
    if tag in ("NNP", "NNPS"):
        raise Refused("a name inside")
    if tag == "CD":
        raise Refused("a number inside")
    if tag in ("PRP", "PRP$", "WP", "WDT", "EX", "WP$") and word not in KEPT_PRONOUNS:
        raise Refused("a pronoun inside")
    if tag not in ("NN", "NNS", "PRP", "DT", "JJ", "JJS"):
        raise Refused("an object that is no noun")
    person = lexicon().person(word)
    if person and person not in ANYONE and not owned:
        raise Refused("another person inside")
    if not word.replace("-", "").isalpha():
        raise Refused("a number inside" if any(map(str.isdigit, word)) else "an unusual word inside")


def singular(tree: Tree, noun: int) -> str:
    """Return the lemma of a noun, if the word begins with it, otherwise the word."""
    lemma, word = tree.lemmas[noun].lower(), tree.words[noun].lower()
    return lemma if word[:2] == lemma[:2] else word


def with_article(words: list[str]) -> list[str]:
    """Choose ``a`` or ``an`` by the next word, since a word between may have been removed."""
    if len(words) > 1 and words[0] in ("a", "an"):
        return ["an" if starts_with_vowel(words[1]) else "a", *words[1:]]
    return words


def starts_with_vowel(word: str) -> bool:
    """Tell whether a word is pronounced with a vowel first: by its letters, and a few exceptions."""
    if word.startswith(SILENT_H):
        return True
    if word.startswith(SPOKEN_AS_YOU) and not word.startswith(UNI_EXCEPTIONS):
        return False
    return word[0] in "aeiou"


def _lone(tree: Tree, head: int) -> tuple[str, ...]:
    """Return a pronoun (*it* if it refers to nothing), or an adjective as a noun ("the first")."""
    word = tree.words[head].lower()
    if word in KEPT_PRONOUNS:
        verb = tree.heads[head]
        if not any(child > head for child in tree.children(verb, "xcomp")):
            raise Refused("a pronoun inside")
        return (word,)
    if tree.tags[head] in ("PRP", "DT"):
        raise Refused("a pronoun inside")
    article = [tree.words[child].lower() for child in tree.children(head, "det")]
    if word not in LONE_ADJECTIVES or article != ["the"]:
        raise Refused("an adjective without its noun")
    return ("the", word)


def _keeps(tree: Tree, child: int, *, wants_adjective: bool) -> bool:
    """Tell whether a word before its noun is kept; refuse words that name or count."""
    word = tree.words[child].lower()
    if tree.has(child, "nmod:poss") or tree.tags[child] in ("PRP$", "POS"):
        raise Refused("a possessive inside")
    if tree.tags[child] == "CD" or tree.has(child, "nummod"):
        raise Refused("a number inside")
    if tree.has(child, "det"):
        if word in POINTERS:
            raise Refused("a pronoun inside")
        if word not in DETERMINERS:
            raise Refused("a clause or question inside")
        return True
    if tree.has(child, "compound"):
        check_head(tree, child)
        return not tree.children(child) or _refuse("a long compound")
    if tree.has(child, "amod"):
        return word in lexicon().lists["quantities"] or (wants_adjective and tree.tags[child] == "JJ")
    if tree.has(child, "advmod") and word == "not":
        raise Refused("a negation that is not kept")
    if tree.has(child, "nmod", "flat", "obl"):
        raise Refused("an unusual phrase inside")
    return False


def _of(tree: Tree, head: int, lemma: str) -> tuple[str, ...]:
    """Return ``of`` and its noun after nouns that need it."""
    verb = lemma_of(tree, tree.heads[head])
    before = preposition(tree, head).split(" ")[0] or verb
    if lemma not in lexicon().lists["needs_of"] or lemma in lexicon().idioms.get(before, ()):
        return ()
    for child in tree.children(head, "nmod"):
        if child > head and preposition(tree, child) == "of":
            return prepositional(tree, child)
    raise Refused("a noun that needs more")


def preposition(tree: Tree, noun: int) -> str:
    """Return the preposition of a phrase or ``""``, with all its words ("because of")."""
    cases = [case for case in tree.children(noun, "case") if case < noun]
    words = (word for case in cases for word in (case, *tree.children(case, "fixed")))
    return " ".join(tree.words[word].lower() for word in words)


def prepositional(tree: Tree, noun: int) -> tuple[str, ...]:
    """Return preposition and noun phrase."""
    return (*preposition(tree, noun).split(), *noun_phrase(tree, noun))


def _refuse(reason: str) -> bool:
    raise Refused(reason)


# What follows a verb: objects, infinitives, predicates and needed prepositional phrases.


DEPTH = 3  # infinitives below infinitives
PLAIN_INFINITIVE = frozenset(["help", "make", "let", "dare"])
PARTICIPLE_TAKERS = frozenset(["get", "feel", "become", "remain", "seem", "appear", "look", "stay"])
COMPLETING = ("about", "against", "as", "by", "for", "into", "of", "to", "upon", "with")
WH = ("WDT", "WP", "WRB")
QUITE_OTHER = ("csubj", "expl", "dislocated", "orphan", "reparandum", "mark")


def after_verb(tree: Tree, verb: int, clause: int = -1, depth: int = 0) -> tuple[str, ...]:
    """Return the words after a verb, in their order."""
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
    """Return what a dependent of a verb adds: ``()`` if it only counts as a complement, ``None`` if not."""
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
        needed = tree.words[child].lower() in lexicon().adverbs.get(lemma_of(tree, verb), ())
        return (tree.words[child].lower(),) if needed else None
    if tree.has(child, *QUITE_OTHER) and not (tree.has(child, "mark") and depth):
        raise Refused("an unusual sentence")
    return None


def _object(tree: Tree, verb: int, child: int, clause: int) -> tuple[str, ...] | None:
    """Return an object; an optional indirect one is left out, and *which* is *something*."""
    if child < verb:
        if tree.tags[child] == "WDT" and tree.has(verb, "acl:relcl"):
            return (THING,)
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
    words = noun_phrase(tree, noun)
    if not wants_infinitive(tree, noun):
        return words
    rest = _infinitive(tree, noun, clause, DEPTH - 1)
    if not rest:
        raise Refused("a noun that needs more")
    return (*words, *rest)


def _kept_phrase(tree: Tree, verb: int, child: int) -> tuple[str, ...] | None:
    """Return a bare noun after a preposition that forms an idiom with its verb: "fell in love"."""
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
    """Return the prepositional phrase or object that a verb with nothing else after it needs.

    The phrase may be the one at ``[Y]``; the object of "a house he had sold" is *something*.
    """
    words, lemma = lexicon(), lemma_of(tree, verb)
    passive = is_passive(tree, verb)
    frame = words.verbs.get(f"be {tree.words[verb].lower()}" if passive else lemma)
    for child in tree.children(verb, "obl"):
        fits = frame and (preposition(tree, child) in frame or _completes(tree, child))
        if fits and child > verb:
            return {child: prepositional(tree, child)}
    if frame is not None:
        raise Refused("a verb that needs more")
    lacks = lemma in words.lists["needs_object"] or lemma in words.lists["needs_predicate"]
    if lacks and not passive and lemma not in words.lists["object_optional"]:
        if tree.has(verb, "acl:relcl") and not any(tree.tags[child] in WH for child in tree.children(verb)):
            return {verb: (THING,)}
        raise Refused("a verb that needs more")
    if not passive and lemma in words.lists["together"] and _plural_subject(tree, verb):
        raise Refused("something that only several do")
    return {}


def _completes(tree: Tree, noun: int) -> bool:
    """Tell whether a phrase with this preposition can complete its verb, unlike a time or a place."""
    return tree.words[noun] == STAND_IN and preposition(tree, noun) in COMPLETING


def _check_particle(tree: Tree, verb: int, child: int) -> None:
    """Refuse a verb whose particle alone does not complete it ("carried out", but not "grew up")."""
    needy = lexicon().particles.get(lemma_of(tree, verb), ())
    if tree.has(child, "compound:prt") and not is_passive(tree, verb) and tree.words[child].lower() in needy:
        raise Refused("a verb that needs more")


def secondary(tree: Tree, verb: int, head: int, clause: int, depth: int) -> tuple[str, ...]:
    """Return the second predicate of a verb: "to leave", "playing chess", "famous", "to be able to walk"."""
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
    """Return a predicate that is no verb: "old", "aware of the danger", "the first", "in charge".

    Refused are nouns, numbers ("five years old"), and adjectives whose complement cannot be kept.
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
    """Return the infinitive after an adjective or a noun, whatever its relation."""
    for child in tree.children(head, "xcomp", "advcl", "ccomp", "acl"):
        if child > head and any(tree.words[mark].lower() == "to" for mark in tree.children(child, "mark")):
            return secondary(tree, head, child, clause, depth + 1)
    return ()


def _has_clause(tree: Tree, head: int, clause: int) -> bool:
    return clause >= 0 and tree.heads[clause] == head and tree.has(clause, "ccomp")


def _plural_subject(tree: Tree, verb: int) -> bool:
    return any(tree.tags[child] in ("NNS", "NNPS") for child in tree.children(verb, "nsubj"))


LONGEST = 9  # words per predicate


def predicate(tree: Tree, head: int, clause: int = -1) -> tuple[str, ...]:
    """Return the predicate in the past, with the complements it needs and no adjuncts.

    ``clause``: the clause at ``[Y]``, which counts as a complement.  "has often said" -> ``said``; "is going
    to leave" -> ``was going to leave``; "was elected by the council" -> ``was elected``.  Raises
    :class:`~pcf_core.mining.verb_groups.Refused` with one of a few fixed reasons.
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


def general_predicate(tree: Tree, head: int, clause: int = -1) -> tuple[str, ...]:
    """Return :func:`predicate`, with *something* for a thing that cannot be kept as an object.

    "won the Nobel Prize for his work" -> ``won something``.
    """
    try:
        return predicate(tree, head, clause)
    except Refused:
        words = predicate(with_something(tree, head), head, clause)
        if words.count(THING) != 1:
            raise
        return words

"""Rules for noun phrases inside a predicate: as short as they can stand, and nobody named in them."""

from __future__ import annotations

from pcf_core.language.trees import Tree
from pcf_core.mining.lexicon import ANYONE, lexicon
from pcf_core.mining.refusal import Refused
from pcf_core.mining.verb_groups import lemma_of

KEPT_PRONOUNS = frozenset({"it"})
DETERMINERS = frozenset(["a", "an", "the", "some", "any", "no", "every", "each", "all", "both", "another"])
POINTERS = frozenset(["this", "that", "these", "those"])
LONE_ADJECTIVES = frozenset(["first", "best", "worst", "latter", "opposite", "same"])
SILENT_H = ("hour", "honor", "honour", "honest", "heir")
SPOKEN_AS_YOU = ("uni", "use", "usual", "eu", "one", "once", "ubiq", "uti", "ur")
UNI_EXCEPTIONS = ("unin", "unim", "unid")


def noun_phrase(tree: Tree, head: int) -> tuple[str, ...]:
    """Determiner, what the noun needs, noun: "the very first book of poems that sold" -> ``the book``.

    Raises:
        Refused: a name, number, possessive, person or clause in it, or a noun that needs what cannot be kept.
    """
    check_head(tree, head)
    if tree.tags[head] in ("PRP", "DT", "JJ", "JJS"):
        return _lone(tree, head)
    lists = lexicon().lists
    lemma = singular(tree, head)
    kept: list[int] = [head]
    for child in tree.children(head):
        if child < head and _keeps(tree, child, wants_adjective=lemma in lists["needs_adjective"]):
            kept.append(child)
    words = [tree.words[token].lower() for token in sorted(kept)]
    if any(tree.words[token][0].isupper() for token in kept if token > 0):
        raise Refused("a name inside")
    bare = not any(tree.has(token, "amod", "compound") for token in kept)
    if bare and lemma in lists["needs_adjective"] and words[0] not in ("no", "some", "all", "any", "more"):
        raise Refused("a noun that needs more")
    return (*with_article(words), *_of(tree, head, lemma))


def wants_infinitive(tree: Tree, head: int) -> bool:
    """Whether a noun says little without an infinitive ("the right to vote")."""
    return tree.tags[head] == "NN" and singular(tree, head) in lexicon().lists["needs_infinitive"]


def check_head(tree: Tree, head: int) -> None:
    """Refuse names, numbers, persons and pronouns that point to somebody."""
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
    if person and person not in ANYONE:
        raise Refused("another person inside")
    if not word.replace("-", "").isalpha():
        raise Refused("a number inside" if any(map(str.isdigit, word)) else "an unusual word inside")


def singular(tree: Tree, noun: int) -> str:
    """The lemma of a noun, without trusting the parser's where it is no beginning of the word."""
    lemma, word = tree.lemmas[noun].lower(), tree.words[noun].lower()
    return lemma if word[:2] == lemma[:2] else word


def with_article(words: list[str]) -> list[str]:
    """The words with ``a`` or ``an`` as the word after it is spoken, since one between may have gone."""
    if len(words) > 1 and words[0] in ("a", "an"):
        return ["an" if starts_with_vowel(words[1]) else "a", *words[1:]]
    return words


def starts_with_vowel(word: str) -> bool:
    """Whether a word is spoken with a vowel first: by its letters, and a few exceptions."""
    if word.startswith(SILENT_H):
        return True
    if word.startswith(SPOKEN_AS_YOU) and not word.startswith(UNI_EXCEPTIONS):
        return False
    return word[0] in "aeiou"


def _lone(tree: Tree, head: int) -> tuple[str, ...]:
    """A pronoun, or an adjective as a noun ("the first")."""
    word = tree.words[head].lower()
    if word in KEPT_PRONOUNS:
        return (word,)
    if tree.tags[head] in ("PRP", "DT"):
        raise Refused("a pronoun inside")
    article = [tree.words[child].lower() for child in tree.children(head, "det")]
    if word not in LONE_ADJECTIVES or article != ["the"]:
        raise Refused("an adjective without its noun")
    return ("the", word)


def _keeps(tree: Tree, child: int, *, wants_adjective: bool) -> bool:
    """Whether a word left of its noun stays; refuses what would name or count somebody."""
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
    """``of`` and its noun after nouns that say little without."""
    verb = lemma_of(tree, tree.heads[head])
    before = preposition(tree, head).split(" ")[0] or verb
    if lemma not in lexicon().lists["needs_of"] or lemma in lexicon().idioms.get(before, ()):
        return ()
    for child in tree.children(head, "nmod"):
        if child > head and preposition(tree, child) == "of":
            return prepositional(tree, child)
    raise Refused("a noun that needs more")


def preposition(tree: Tree, noun: int) -> str:
    """The preposition of a phrase, ``""`` without one; of several words only known ones ("because of")."""
    return " ".join(tree.words[case].lower() for case in tree.children(noun, "case") if case < noun)


def prepositional(tree: Tree, noun: int) -> tuple[str, ...]:
    """Preposition and noun phrase."""
    return (*preposition(tree, noun).split(), *noun_phrase(tree, noun))


def _refuse(reason: str) -> bool:
    raise Refused(reason)

"""Words of a topic that refer to or describe the subject; one rule each.

    reflexive             The nurse blamed herself.             The [X] blamed [Y]         a reflexive pronoun
    reflexive-elsewhere   Smith left, and kept to herself.      The [X] kept to [Y]        a reflexive pronoun
    emphatic              Smith herself resigned.               The [X] [Y] resigned       a reflexive pronoun
    noun                  The surgeon was a young woman.        The [X] was a young [Y]    a noun
    noun-elsewhere        Rain fell when Smith was a boy.       The [X] was a [Y]          a noun
    apposition            Smith, a woman from Leeds, resigned.  The [X], a [Y], resigned   a noun
    adjective             The pilot is deaf.                    The [X] was [Y]            an adjective
    adjective-elsewhere   The pilot is a deaf man.              The [X] was a [Y] person   an adjective
    attributive           The inspectors were appointed in May. The [X], who was appointed, is [Y]     either

A topic's word with an article ("a Muslim") includes it at ``[Y]``.  The attributive rule uses no word of the
topic: statements about people by profession are mined (BVF D.3), and the template asks of whom they are true
(PCF 8.5), in the past for the dead: "The [X], who was killed, was [Y]".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial

from pcf_core.core.topics import Part
from pcf_core.mining.clauses import alone, check_phrase
from pcf_core.mining.coreference import OF_A_PERSON, neither_is_quoted
from pcf_core.mining.owners import Y, host_of, opened, subject_of
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import REFLEXIVES, gender_of, is_name, lexicon, names_one_person
from pcf_core.mining.predicates import (
    DETERMINERS,
    general_predicate,
    predicate,
    preposition,
    prepositional,
    with_article,
)
from pcf_core.mining.substitutes import STAND_IN, in_general, with_word
from pcf_core.mining.verb_groups import Candidate, Dropped, Refused, attempt, finite, lemma_of

NEEDED = ("against", "as", "for", "from", "into", "of", "to", "with")  # "devoted herself to the poor"
COPULAS = frozenset({"be", "become", "remain"})
ARTICLES = ("a", "an", "the")
NOUNS = ("NN", "NNP", "JJ")
RULES = tuple(rule for rule in OF_A_PERSON if rule is not neither_is_quoted)


def reflexive(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield the template of what subjects do to themselves: "The nurse blamed herself"."""
    head, subject = tree.root, _subject(tree)
    matches = [
        child
        for child in tree.children(head, "obj")
        if child > head and tree.words[child].lower() in words and tree.words[child].lower() in REFLEXIVES
    ]
    if subject is None or len(matches) != 1:
        return
    (token,) = matches

    def text() -> tuple[str, Part]:
        phrase = list(predicate(with_word(tree, token, STAND_IN, "NN", "obj"), head))
        if phrase.count(STAND_IN) != 1:
            raise Refused("a complement out of place")
        behind = [child for child in tree.children(head, "obl") if child > token]
        if behind and preposition(tree, behind[0]) in NEEDED and phrase[-1] == STAND_IN:
            phrase += prepositional(tree, behind[0])
        check_phrase(phrase, topic_words)
        phrase[phrase.index(STAND_IN)] = "[Y]"
        return f"The [X] {' '.join(phrase)}", "reflexive"

    yield _of_person(tree, subject, token, text)


def reflexive_elsewhere(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield the templates of reflexives in another clause, or after a preposition."""
    for token, word in enumerate(map(str.lower, tree.words)):
        if word not in words or word not in REFLEXIVES or not tree.has(token, "obj", "iobj", "obl"):
            continue
        host = host_of(tree, token)
        main = tree.heads[token] == tree.root and tree.has(token, "obj")
        if main or host is None or gender_of(tree, host.subject) not in (None, REFLEXIVES[word]):
            continue

        def text(token: int = token) -> tuple[str, Part]:
            return opened(tree, token, (Y,), topic_words), "reflexive"

        yield _of_person(tree, host.subject, token, text)


def emphatic(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield the templates of emphasised subjects: "The nurse herself resigned"."""
    for token, word in enumerate(map(str.lower, tree.words)):
        if word not in words or word not in REFLEXIVES:
            continue
        subject = _stressed(tree, token)
        if subject is None or gender_of(tree, subject) not in (None, REFLEXIVES[word]):
            continue

        def text(subject: int = subject) -> tuple[str, Part]:
            verb = tree.heads[subject]
            phrase = general_predicate(in_general(alone(tree, verb), subject), verb)
            check_phrase(phrase, topic_words)
            return f"The [X] [Y] {' '.join(phrase)}", "reflexive"

        yield _of_person(tree, subject, token, text)


def _stressed(tree: Tree, reflexive: int) -> int | None:
    """Return the subject that a reflexive directly follows, before their predicate."""
    for subject in range(reflexive):
        if tree.has(subject, "nsubj") and subject < reflexive < tree.heads[subject]:
            ends = max(token for token in (subject, *tree.subtree(subject)) if token < reflexive)
            below = tree.heads[reflexive] in (subject, tree.heads[subject]) or subject == reflexive - 1
            if ends == reflexive - 1 and below and not tree.has(reflexive, "nsubj"):
                return subject
    return None


def noun(tree: Tree, words: Collection[str], topic_words: Collection[str]) -> Iterator[Candidate | Dropped]:
    """Yield the template of a noun as predicate: "The surgeon was a woman"."""
    predicated = _said_of_subject(tree, words, article=True)
    if predicated is None:
        return
    subject, head, token = predicated

    def text() -> tuple[str, Part]:
        if any(tree.children(token, "mark", "expl", "csubj")):
            raise Refused("an unusual sentence")
        before, part = _before_noun(tree, token, words, topic_words)
        return " ".join(["The [X]", *_copula(tree, head, token), *before, "[Y]"]), part

    yield _of_person(tree, subject, token, text)


def adjective(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield the template of an adjective as predicate: "The pilot is deaf"."""
    predicated = _said_of_subject(tree, words, article=False)
    if predicated is None:
        return
    subject, head, token = predicated

    def text() -> tuple[str, Part]:
        if tree.children(token, "det", "mark", "expl", "csubj", "amod", "compound", "conj"):
            raise Refused("an unusual phrase inside")
        return " ".join(["The [X]", *_copula(tree, head, token), "[Y]"]), "adjective"

    yield _of_person(tree, subject, token, text)


def noun_elsewhere(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield the templates of nouns as predicates of other clauses, or beside another noun.

    "Rain fell when Smith was a boy", "Smith, who was the son of a judge, left", "Smith was a nurse and king".
    """
    pairs = (
        (head, token) for head in _said_of_somebody(tree) for token in (head, *tree.children(head, "conj"))
    )
    for first, token in pairs:
        if first == tree.root == token or (first != token and tree.children(token, "nsubj", "cop")):
            continue
        subject = subject_of(tree, first)
        bare = _shares_article(tree, first, token)
        one = tree.words[token].lower() in words if bare else _is_one(tree, token, words, article=True)
        if subject is None or not subject < first or not one:
            continue

        def text(token: int = token, first: int = first, bare: bool = bare) -> tuple[str, Part]:
            before, part = (("a",), "noun") if bare else _before_noun(tree, token, words, topic_words)
            return " ".join(["The [X]", *finite(tree, first), *before, "[Y]"]), part

        yield _of_person(tree, subject, token, text)


def adjective_elsewhere(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield the templates of adjectives as predicates of other clauses, or before a person.

    "Rain fell when Smith was old" and "Smith is a blind singer"; the template has *person* for the noun.
    """
    pairs = (
        (head, token) for head in _said_of_somebody(tree) for token in (head, *tree.children(head, "amod"))
    )
    for head, token in pairs:
        before_noun = token < head
        if head == tree.root == token or token > head:
            continue
        subject = subject_of(tree, head)
        if subject is None or not subject < head or not _is_one(tree, token, words, article=False):
            continue
        if before_noun and (is_name(tree, head) or not names_one_person(tree, head)):
            continue

        def text(token: int = token, head: int = head, before_noun: bool = before_noun) -> tuple[str, Part]:
            if tree.children(token, "det", "conj", "obl", "amod", "compound"):
                raise Refused("an unusual phrase inside")
            around = (("a",), ("person",)) if before_noun else ((), ())
            return " ".join(["The [X]", *finite(tree, head), *around[0], "[Y]", *around[1]]), "adjective"

        yield _of_person(tree, subject, token, text)


def _shares_article(tree: Tree, first: int, second: int) -> bool:
    """Tell whether a noun shares the *a* of the first: "a singer and actor"."""
    articles = {tree.words[article].lower() for article in tree.children(first, "det")}
    alone = second != first and tree.tags[second] == "NN" and not tree.children(second, "det", "nmod:poss")
    return alone and not articles.isdisjoint(("a", "an"))


def _said_of_somebody(tree: Tree) -> list[int]:
    """Return the nouns with a copula, without infinitives ("wants to be")."""
    heads = sorted({tree.heads[token] for token in range(len(tree)) if tree.has(token, "cop")})
    return [
        head
        for head in heads
        if not tree.has(head, "xcomp")
        and not any(tree.words[mark].lower() == "to" for mark in tree.children(head, "mark"))
    ]


def apposition(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield the template of a noun beside the subject: "Smith, a woman from Leeds, resigned"."""
    head, subject = tree.root, _subject(tree)
    if subject is None:
        return
    matches = [
        child
        for child in tree.children(subject, "appos")
        if subject < child < head and _is_one(tree, child, words, article=True)
    ]
    if len(matches) != 1:
        return
    (token,) = matches

    def text() -> tuple[str, Part]:
        first = min(tree.subtree(token))
        if tree.words[first] != "," and tree.words[first - 1] != ",":
            raise Refused("an unusual sentence")
        before, part = _before_noun(tree, token, words, topic_words)
        phrase = predicate(tree, head)
        check_phrase(phrase, topic_words)
        return f"The [X], {' '.join([*before, '[Y]'])}, {' '.join(phrase)}", part

    yield _of_person(tree, subject, token, text)


def nouns_for_persons() -> tuple[str, ...]:
    """List the nouns for a person that can be a subject, singular and plural."""
    words = lexicon()
    nouns = words.persons - words.lists["not_subjects"]
    return tuple(sorted({*nouns, *(form for form, noun in words.plural.items() if noun in nouns)}))


def attributive(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield one template for each predicate of a subject that is a profession; ``words`` are not used."""
    head = tree.root
    subject = next(iter(tree.children(head, "nsubj")), head)
    if subject >= head or not _is_profession(tree, subject):
        return
    further = (  # with the same subject: "came and settled"
        verb
        for verb in tree.children(head, "conj")
        if verb > head and not tree.children(verb, "nsubj", "csubj", "expl")
    )
    for verb in (head, *further):
        yield attempt(subject, None, partial(_true_of, tree, verb, topic_words), ("phrase", "adjective"))


def _is_profession(tree: Tree, subject: int) -> bool:
    nouns, word = lexicon(), tree.words[subject]
    noun = nouns.person(word)
    if tree.tags[subject] not in ("NN", "NNS") or noun is None or noun in nouns.lists["not_subjects"]:
        return False
    return word.islower() or (subject == 0 and tree.tags[subject] == "NNS")


def _true_of(tree: Tree, head: int, topic_words: Collection[str]) -> str:
    words = predicate(tree, head)
    check_phrase(words, topic_words, groups=True)
    phrase = " ".join(words)
    dead = f"{phrase} ".startswith(tuple(f"{death} " for death in lexicon().deaths))
    return f"The [X], who {phrase}, {'was' if dead else 'is'} [Y]"


def _subject(tree: Tree) -> int | None:
    """Return the main subject, if it is the only one and before its predicate.

    Two subjects mean that the first is addressed or a false start: "Counselor, are you ready?".
    """
    subjects = tree.children(tree.root, "nsubj")
    return subjects[0] if len(subjects) == 1 and subjects[0] < tree.root else None


def _said_of_subject(tree: Tree, words: Collection[str], *, article: bool) -> tuple[int, int, int] | None:
    """Return the main subject, the finite predicate and the topic's word in it."""
    head, subject = tree.root, _subject(tree)
    if subject is None:
        return None
    if tree.children(head, "cop"):
        return (subject, head, head) if _is_one(tree, head, words, article=article) else None
    if lemma_of(tree, head) not in COPULAS:
        return None
    for child in tree.children(head, "xcomp", "obj"):
        if child > head and _is_one(tree, child, words, article=article):
            return subject, head, child
    return None


def _is_one(tree: Tree, token: int, words: Collection[str], *, article: bool) -> bool:
    """Tell whether a token is a topic's word: a singular noun with its article, or an adjective.

    The article decides, as taggers take many such nouns for adjectives ("became a Muslim").
    """
    word = tree.words[token].lower()
    is_word = word in words or any(f"{one} {word}" in words for one in ARTICLES)
    has_article = bool(tree.children(token, "det"))
    return is_word and has_article == article and tree.tags[token] in (NOUNS if article else ("JJ",))


def _copula(tree: Tree, head: int, token: int) -> tuple[str, ...]:
    if tree.children(head, "expl", "csubj", "mark") or (
        head != token and tree.children(head, "ccomp", "xcomp")[0:1] not in ((token,), ())
    ):
        raise Refused("an unusual sentence")
    return finite(tree, head)


def _of_person(
    tree: Tree, subject: int, token: int, text: Callable[[], tuple[str, Part]]
) -> Candidate | Dropped:
    """Make the template of a statement about one person, or return why there is none.

    ``token``: the topic's word.  ``text`` returns the template and what fits, or raises
    :class:`~pcf_core.mining.verb_groups.Refused`.
    """
    if reason := next(filter(None, (rule(tree, subject, subject) for rule in RULES)), None):
        return Dropped(reason)
    try:
        made, part = text()
    except Refused as refused:
        return Dropped(str(refused), (subject, token))
    return Candidate(made, subject, token, (part,))


def _before_noun(
    tree: Tree, token: int, words: Collection[str], topic_words: Collection[str]
) -> tuple[tuple[str, ...], Part]:
    """Return article and adjectives before the noun, and whether the article is part of ``[Y]``."""
    left: list[str] = []
    for child in tree.children(token):
        if child > token or tree.has(child, "nsubj", "cop", "aux", "punct", "advmod", "obl", "advcl", "cc"):
            continue
        word = tree.words[child].lower()
        if tree.has(child, "nmod:poss") or tree.tags[child] in ("PRP$", "POS"):
            raise Refused("a possessive inside")
        if tree.tags[child] == "CD":
            raise Refused("a number inside")
        article = tree.has(child, "det") and word in DETERMINERS
        plain = tree.has(child, "amod") and tree.words[child].isalpha() and tree.words[child].islower()
        if not article and not plain:
            raise Refused("an unusual phrase inside")
        left.append(word)
    if not left or left[0] not in DETERMINERS:
        raise Refused("a noun without an article")
    check_phrase(left, topic_words, groups=True)
    noun = tree.words[token].lower()
    if len(left) == 1 and f"{left[0]} {noun}" in words:
        return (), "phrase"
    if noun not in words:
        raise Refused("an unusual phrase inside")
    if len(left) == 1 and left[0] == "an":
        left = ["a"]  # as before most words of the topic
    return tuple(with_article(left)), "noun"

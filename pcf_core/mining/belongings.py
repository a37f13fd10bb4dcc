"""Pronouns beside a noun anywhere in a predicate; one rule each, one template for each pronoun.

possessive             Smith ended his career.                    The [X] ended [Y] career
possessive-elsewhere   Rain fell when Smith left with his bags.   The [X] left with [Y] bags
possessive-subject     Smith said that his health had failed.    The [X] said that [Y] health failed
relative               Smith sold the house that he had built.    The [X] sold the house that [Y]
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from pcf_core.core.topics import Part
from pcf_core.mining.clauses import (
    FITS,
    alone,
    check_clause,
    check_hints,
    connective,
    governed,
    governor,
    repaired,
)
from pcf_core.mining.coreference import Verdict, judge
from pcf_core.mining.owners import Host, Y, host_that_owns, opened, owns, steps_to
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import is_name, lexicon
from pcf_core.mining.predicates import DETERMINERS, LONGEST, check_head, noun_phrase, predicate, with_article
from pcf_core.mining.substitutes import PEOPLE, in_general, who_in_general
from pcf_core.mining.verb_groups import Candidate, Dropped, Refused, attempt

POSSESSIVES = ("his", "her")
JOINTS = ("that", "which", "where", "when")
EXCEPTIONS = frozenset(("but", "except", "besides"))  # "loved nobody but his father"


def possessive(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield the templates of possessions of the main subject: "ended his career"."""
    yield from _owned(tree, words, topic_words, main=True)


def elsewhere(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield the templates of possessions in other clauses, or deeper in a phrase."""
    yield from _owned(tree, words, topic_words, main=False)


def _owned(
    tree: Tree, words: Collection[str], topic_words: Collection[str], *, main: bool
) -> Iterator[Candidate | Dropped]:
    for pronoun, word in enumerate(tree.words):
        if word.lower() not in words or tree.tags[pronoun] != "PRP$" or not tree.has(pronoun, "nmod:poss"):
            continue
        thing = tree.heads[pronoun]
        direct = tree.heads[thing] == tree.root and tree.has(thing, "obj", "obl") and tree.root < pronoun
        if direct != main:
            continue
        if _leads_to_a_subject(tree, thing):
            yield Dropped("the word stands in the subject of a clause")
            continue
        host = host_that_owns(tree, pronoun)
        if host is None:
            yield Dropped("no subject above that the word could mean")
            continue
        text = partial(_text_of_owned, tree, host, pronoun, topic_words)
        yield _of_the_same(owns(tree, host, pronoun), host, pronoun, text, ("determiner",))


def _of_the_same(
    verdict: Verdict, host: Host, pronoun: int, text: Callable[[], str], fits: tuple[Part, ...]
) -> Candidate | Dropped:
    if not verdict.accepted:
        return Dropped(f"not the same person: {verdict.reason}")
    return attempt(host.subject, pronoun, text, fits)


def _text_of_owned(tree: Tree, host: Host, pronoun: int, topic_words: Collection[str]) -> str:
    if tree.words[pronoun - 1].lower() in EXCEPTIONS:
        raise Refused("an exception that is not kept")
    thing = tree.heads[pronoun]
    text = opened(tree, thing, (Y, *bare(tree, thing, pronoun)), topic_words)
    return _of_another(tree, host, text, topic_words) if host.passed else text


def _of_another(tree: Tree, host: Host, text: str, topic_words: Collection[str]) -> str:
    """Make the text of a clause about another's action: "said that the press hated [Y] book".

    ``text``: the text of the predicate alone.
    """
    subject, *more = host.passed
    if more or not tree.has(subject, "nsubj"):
        raise Refused("a clause out of place")
    about = who_in_general(tree, subject) or noun_phrase(in_general(tree, subject), subject)
    verb, *rest = text.removeprefix("The [X] ").split()
    if verb == "was" and about[-1] == PEOPLE:
        verb = "were"
    return with_clause(tree, host, tree.heads[subject], subject, (*about, verb, *rest), topic_words)


def of_subject(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield the templates of clauses about the main subject's possession: "said that his health failed"."""
    for pronoun, word in enumerate(tree.words):
        thing = tree.heads[pronoun]
        clause = tree.heads[thing]
        if word.lower() not in words or tree.tags[pronoun] != "PRP$" or not tree.has(thing, "nsubj"):
            continue
        governing = governor(repaired(tree, clause), clause)
        if governing is None or not governing[1] < governing[0] < pronoun:
            continue
        host = Host(*governing)
        text = partial(_text_of_subject, tree, host, pronoun, topic_words)
        yield _of_the_same(owns(tree, host, pronoun), host, pronoun, text, ("determiner",))


def _text_of_subject(tree: Tree, host: Host, pronoun: int, topic_words: Collection[str]) -> str:
    clause = tree.heads[tree.heads[pronoun]]
    return with_clause(tree, host, clause, pronoun, about_owned(tree, pronoun), topic_words)


def about_owned(tree: Tree, pronoun: int) -> tuple[str, ...]:
    """Return the words of a clause whose subject is owned: "[Y] health failed"."""
    thing = tree.heads[pronoun]
    clause = tree.heads[thing]
    verb, *rest = predicate(in_general(alone(tree, clause), thing), clause)
    verb = "were" if verb == "was" and tree.tags[thing] == "NNS" else verb
    return (Y, *bare(tree, thing, pronoun), verb, *rest)


def with_clause(
    tree: Tree, host: Host, clause: int, first: int, inner: Sequence[str], topic_words: Collection[str]
) -> str:
    """Make the text of a predicate and of a clause after it.

    ``first``: the first token of the clause after the connective; ``inner``: its words.
    """
    governing = governed(tree, clause)
    if governing is None or governing[2] != host.subject:
        raise Refused("a clause out of place")
    part, head, _ = governing
    joint = connective(part, clause, first)
    before = predicate(in_general(part, clause), head, clause)
    check_clause(part, clause, joint, before)
    check_hints((*before, *inner), topic_words)
    if len(before) + len(inner) > LONGEST + 1:  # both together, besides [Y]
        raise Refused("too long")
    return f"The [X] {' '.join((*before, joint, *inner))}"


def bare(tree: Tree, noun: int, first: int) -> tuple[str, ...]:
    """Return a noun without modifiers that name, count or describe it: "his first Grammy award" -> ``award``.

    Its owner, or the clause after it, says which one is meant.  ``first``: the token after which its words
    begin: the owner, of which it may be a person ("his students", *spouse* for "his wife"), or −1.
    """
    check_head(tree, noun, owned=first >= 0)
    if tree.tags[noun] not in ("NN", "NNS"):
        raise Refused("an adjective without its noun")
    modifiers = []
    for child in tree.children(noun):
        if not first < child < noun:
            continue
        if tree.has(child, "nmod:poss") or tree.tags[child] in ("PRP$", "POS"):
            raise Refused("a possessive inside")
        plain = tree.words[child].isalpha() and tree.words[child].islower() and not tree.children(child)
        person = lexicon().person(tree.words[child])
        if tree.has(child, "compound") and tree.tags[child] == "NN" and plain and not person:
            modifiers.append(tree.words[child])
    word = tree.words[noun].lower()
    return (*modifiers, lexicon().general.get(word, word))


def _with_article(tree: Tree, noun: int) -> tuple[str, ...]:
    articles = [tree.words[child].lower() for child in tree.children(noun, "det")]
    words = bare(tree, noun, -1)
    if not articles and tree.tags[noun] == "NNS":
        return words
    if len(articles) != 1 or articles[0] not in DETERMINERS:
        raise Refused("a noun without an article")
    return tuple(with_article([*articles, *words]))


def _leads_to_a_subject(tree: Tree, thing: int) -> bool:
    """Tell whether a possession is in the subject of a clause: "said that his career was over"."""
    above, steps = steps_to(tree, thing)
    return above.has(steps[0], "nsubj")


def relative(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield the templates of a clause that describes a noun: "sold the house that he had built"."""
    for pronoun, word in enumerate(tree.words):
        clause = tree.heads[pronoun]
        noun = tree.heads[clause]
        if word.lower() not in words or not tree.has(pronoun, "nsubj") or not tree.has(clause, "acl:relcl"):
            continue
        if noun > pronoun or (tree.words[pronoun - 1].lower() == "where" and tree.heads[noun] == tree.root):
            continue  # left to the construction *where*
        host = host_that_owns(tree, pronoun)
        if host is None:
            continue
        text = partial(_text_of_relative, tree, host, pronoun, topic_words)
        yield _of_the_same(judge(tree, host.subject, pronoun), host, pronoun, text, FITS)


def _text_of_relative(tree: Tree, host: Host, pronoun: int, topic_words: Collection[str]) -> str:
    if host.passed:
        raise Refused("a clause out of place")
    noun = tree.heads[tree.heads[pronoun]]
    joint = _joint(tree, noun, pronoun)
    named = is_name(tree, noun) and joint == ("where",)
    phrase = ("a", "place") if named else _with_article(tree, noun)
    text = opened(tree, noun, (*phrase, *joint, Y), topic_words)
    if not text.endswith(Y):
        raise Refused("a complement out of place")
    return text


def _joint(tree: Tree, noun: int, pronoun: int) -> tuple[str, ...]:
    """Return the connective between a noun and its clause: *that*, also if there is none, or *in which*."""
    first = noun + 1 if tree.words[noun + 1] != "," else noun + 2
    between = tuple(word.lower() for word in tree.words[first:pronoun])
    if not between:
        return ("that",)
    if between[-1] in JOINTS and (
        len(between) == 1 or (len(between) == 2 and between[1] == "which" and tree.tags[first] == "IN")
    ):
        return between
    raise Refused("a relative clause")

"""Whom *his* and *her* belong to, anywhere in a predicate: the subject nearest above, its own or shared.

    He told Jones about his plans.                        plans of *he*, whoever else is named
    Smith moved to Paris and ended his career.            *ended* shares the subject of *moved*
    It was May when Smith decided to end his career.      *end* shares that of *decided*
    They hired Smith, who had lost his job.               *who* stands for Smith
    They met Smith carrying his bags.                     *carrying* says what Smith does
    Smith had time to end his career.                     *end* shares the subject of *had*
    Smith knew that it had ended his career.              *it* owns nothing that is his: passed over
    Smith praised Jones and his career.                   what is joined to Jones is Jones's

Where the subject is *he* or *she*, the other in the clause is the same person.  Where it is a name or a noun,
nobody else of this gender may stand between the two, nor be the subject of a predicate further up or before.
The other rules are those of :mod:`pcf_core.mining.coreference`.

These rules were written against GUM's training part and both parts of GAP.  Unread are GUM's development and
test parts, where 87 of 88 possessives that they accept are right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pcf_core.mining.coreference import (
    OF_A_PERSON,
    SUBJECTS,
    Verdict,
    kind_of,
    no_other_pronoun_competes,
    phrase,
    the_genders_agree,
    touches_a_body,
)
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import GENDERS, NAME_PARTS, gender_of, is_same_name, lexicon, names_one_person

NO_PREDICATE = ("obj", "iobj", "obl", "nmod", "advmod", "amod")
OTHER_PRONOUNS = frozenset(["i", "it", "that", "these", "they", "this", "those", "we", "which", "you"])
NON_FINITE = ("VBG", "VBN", "VB")


def the_thing_is_joined_to_nobody(tree: Tree, subject: int, pronoun: int) -> str | None:
    """Refuse what is joined to another's name ("praised Jones and his career"), or explains one."""
    thing = tree.heads[pronoun]
    other = tree.heads[thing]
    itself = other == subject or is_same_name(tree, other, subject)
    if not tree.has(thing, "appos") and (itself or not tree.has(thing, "conj")):
        return None
    named = tree.tags[other] == "NNP" and names_one_person(tree, other)
    alike = gender_of(tree, other) in (None, GENDERS[tree.words[pronoun].lower()])
    return "another person may be meant" if named and alike else None


RULES = (
    *OF_A_PERSON,
    the_genders_agree,
    no_other_pronoun_competes,
    the_thing_is_joined_to_nobody,
)


@dataclass(frozen=True)
class Host:
    """A predicate above a word, and the subject that it has or shares.

    ``passed``: the subjects of predicates between, whom the word cannot mean.
    """

    verb: int
    subject: int
    passed: tuple[int, ...] = ()


def host_of(tree: Tree, token: int) -> Host | None:
    """Find the nearest predicate above a token that has a subject in which the token is not.

    ``None`` where there is none, or where the subject of a predicate between cannot be told.
    """
    return next(_hosts(tree, token), None)


def host_that_owns(tree: Tree, token: int) -> Host | None:
    """Find the nearest predicate above *his* or *her*, or *he* or *she*, whose subject may be meant.

    Passed over are things, several, other pronouns and the other gender: "Smith knew that it hurt his job".
    """
    passed: list[int] = []
    for host in _hosts(tree, token):
        if not is_passed_over(tree, host, token):
            return replace(host, passed=tuple(passed))
        passed.append(host.subject)
    return None


def is_passed_over(tree: Tree, host: Host, pronoun: int) -> bool:
    """Tell whether the subject of a predicate is nobody whom a pronoun of one person could mean."""
    subject = host.subject
    word = tree.words[subject].lower()
    if any(tree.words[child].lower() == "who" for child in tree.children(host.verb, "nsubj")):
        return False
    if gender_of(tree, subject) not in (None, GENDERS[tree.words[pronoun].lower()]):
        return True
    if word in OTHER_PRONOUNS or tree.tags[subject] in ("NNS", "NNPS"):
        return True
    return tree.tags[subject].startswith("NN") and not names_one_person(tree, subject)


def _hosts(tree: Tree, token: int) -> Iterator[Host]:
    """Yield the predicates above a token with their subjects, until one whose subject cannot be told."""
    below = token
    for verb in tree.above(token):
        subject = subject_of(tree, verb)
        if subject is not None and subject != below:
            yield Host(verb, subject)
        noun = tree.tags[verb].startswith(("NN", "PRP"))
        if subject is None and not noun and not _in_a_nouns_place(tree, verb):
            return
        below = verb


def _in_a_nouns_place(tree: Tree, token: int) -> bool:
    """Tell whether a word above another is no predicate: "early in his life", "some of his works"."""
    return tree.has(token, *NO_PREDICATE) and not tree.tags[token].startswith("VB")


def subject_of(tree: Tree, verb: int) -> int | None:
    """Return the subject of a predicate, or the one that it shares with the predicate above.

    Of *who* and *that* it is the noun they stand for, of a participle behind a noun that noun.
    A second verb shares it ("came and settled"), an infinitive without an object that would do it ("decided
    to leave", not "told Jones to leave") or behind a thing ("had time to leave"), a participle or infinitive
    beside the predicate ("left to settle").
    """
    while True:
        above = tree.heads[verb]
        if own := tree.children(verb, "nsubj"):
            if tree.has(verb, "acl:relcl") and tree.tags[own[0]] in ("WP", "WDT") and above < own[0]:
                return above
            return own[0] if len(own) == 1 else None
        if is_behind_thing(tree, verb):
            verb = next(token for token in tree.above(verb) if not _in_a_nouns_place(tree, token))
            continue
        participle = tree.tags[verb] in ("VBG", "VBN") and not tree.children(verb, "mark", "case")
        if participle and tree.has(verb, "acl"):
            return above if tree.tags[above].startswith("NN") else None
        if above == verb or tree.children(verb, "csubj", "expl"):
            return None
        infinitive = tree.has(verb, "xcomp") and not tree.children(above, "obj", "iobj")
        beside = tree.has(verb, "advcl") and (tree.tags[verb] in NON_FINITE or _is_joined(tree, verb))
        if not (tree.has(verb, "conj") or infinitive or beside):
            return None
        verb = above


def _is_joined(tree: Tree, verb: int) -> bool:
    """Tell whether a finite verb is joined to the one above though the parser says adverbial: "and moved"."""
    finite = tree.tags[verb] in ("VBD", "VBZ", "VBP") and not tree.children(verb, "mark", "nsubj")
    return finite and any(tree.has(token, "cc") for token in tree.subtree(verb) if token < verb)


def is_behind_thing(tree: Tree, verb: int) -> bool:
    """Tell whether an infinitive stands behind a noun for no person: "had time to focus on his life"."""
    noun = tree.heads[verb]
    to = [tree.words[mark].lower() for mark in tree.children(verb, "mark")] == ["to"]
    person = names_one_person(tree, noun) or lexicon().person(tree.words[noun])
    thing = tree.tags[noun] in ("NN", "NNS") and not person and _in_a_nouns_place(tree, noun)
    return to and thing and tree.has(verb, "acl") and tree.tags[verb] == "VB"


def owns(tree: Tree, host: Host, pronoun: int) -> Verdict:
    """Judge whether *his* or *her*, a token, means the subject of a predicate above it."""
    subject = host.subject
    reason = next(filter(None, (rule(tree, subject, pronoun) for rule in RULES)), None)
    if reason is None and (host.passed or tree.words[subject].lower() not in SUBJECTS):
        reason = _another(tree, host, pronoun)
    return Verdict(False, reason) if reason else Verdict(True, kind_of(tree, subject))


def _another(tree: Tree, host: Host, pronoun: int) -> str | None:
    """Say why what is beside a name or a noun may be somebody else's."""
    subject, thing = host.subject, tree.heads[pronoun]
    if thing == host.verb and not tree.children(thing, "case"):
        return "what the possessive owns is the predicate"
    if touches_a_body(tree, subject, pronoun):
        return "what the possessive owns may be another's"
    gender = GENDERS[tree.words[pronoun].lower()]
    own = {*phrase(tree, subject), *tree.subtree(thing)}
    first = min(subject, pronoun) + 1 if not host.passed else 0
    between = set(range(first, max(subject, pronoun)))
    top = tree.heads[subject]
    above = {other for verb in (top, *tree.above(top)) for other in tree.children(verb, "nsubj")}
    before = {token for token in range(pronoun) if tree.has(token, "nsubj")}
    for token in sorted((between | above | before) - own):
        several = tree.tags[token] in ("NNS", "NNPS") and tree.words[token][0].isupper()  # *Styles* is one
        one = (several or names_one_person(tree, token)) and not tree.has(token, *NAME_PARTS)
        if one and gender_of(tree, token) in (None, gender) and not is_same_name(tree, token, subject):
            return "another person may be meant"
    return None

"""The predicates above a word: whom *his* and *her* refer to, and templates with a noun's place open.

**Owners**: the subject of the nearest predicate above, its own or a shared one.

    He told Jones about his plans.                        plans of *he*, whoever else is named
    Smith moved to Paris and ended his career.            *ended* shares the subject of *moved*
    It was May when Smith decided to end his career.      *end* shares that of *decided*
    They hired Smith, who had lost his job.               *who* stands for Smith
    They met Smith carrying his bags.                     *carrying* describes Smith
    Smith had time to end his career.                     *end* shares the subject of *had*
    Smith knew that it had ended his career.              *it* owns nothing, so it is skipped
    Smith praised Jones and his career.                   what is joined to Jones is Jones's

If the subject is *he* or *she*, the possessive refers to the same person.  If it is a name or a noun, no
other person of this gender may be between the two, or the subject of a predicate above or before.  Other
rules are those of :mod:`pcf_core.mining.coreference`.  Written with GUM's training part and GAP; on GUM's
unread development and test parts, 87 of 88 accepted possessives are right.

**Openings**: the predicate above a noun, with other words in the noun's place, at any depth.  A noun that its
predicate does not need is kept with its preposition, without other adjuncts.

    Smith moved to Paris and ended his long career.      ended [Y] career
    Smith was famous for the style of his novels.        was famous for the style of [Y] novels
    Smith retired after finishing his studies.           retired after finishing [Y] studies
    Smith resigned, ending his career.                   ended [Y] career
    Smith sold the house that he had built.              sold the house that [Y]
    Smith was in his second term.                        was in [Y] term
    Smith had time to end his career.                    had time to end [Y] career
    Smith was ill at the time of his death.              was ill at the time of [Y] death
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from pcf_core.mining.clauses import as_main_verb, check_phrase, without_numbers
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
from pcf_core.mining.persons import (
    GENDERS,
    NAME_PARTS,
    gender_of,
    is_same_name,
    lexicon,
    names_one_person,
)
from pcf_core.mining.predicates import (
    LONGEST,
    after_verb,
    general_predicate,
    noun_phrase,
    predicate,
    preposition,
    secondary,
)
from pcf_core.mining.substitutes import CUT, STAND_IN, closed, in_general
from pcf_core.mining.verb_groups import NEGATIONS, Refused, finite, helpers_of

NO_PREDICATE = ("obj", "iobj", "obl", "nmod", "advmod", "amod")
OTHER_PRONOUNS = frozenset(["i", "it", "that", "these", "they", "this", "those", "we", "which", "you"])
NON_FINITE = ("VBG", "VBN", "VB")
BESIDE = frozenset(["after", "before", "by", "despite", "since", "upon", "when", "while", "without"])
PARTS = frozenset(["all", "both", "many", "most", "much", "none", "one", "several", "some"])
WHEREABOUTS = frozenset(["against", "at", "behind", "in", "like", "on", "under", "with", "within", "without"])
DONE = frozenset(["after", "before", "by", "since", "upon", "when", "while"])
Y = "[Y]"


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
    """A predicate above a word, with its subject; ``passed``: subjects between, to whom it cannot refer."""

    verb: int
    subject: int
    passed: tuple[int, ...] = ()


def host_of(tree: Tree, token: int) -> Host | None:
    """Find the nearest predicate above a token with a subject that does not contain it."""
    return next(_hosts(tree, token), None)


def host_that_owns(tree: Tree, token: int) -> Host | None:
    """Find the nearest predicate above a pronoun whose subject it may refer to.

    Skipped are things, plurals, other pronouns and the other gender: "Smith knew that it hurt his job".
    """
    passed: list[int] = []
    for host in _hosts(tree, token):
        if not is_passed_over(tree, host, token):
            return replace(host, passed=tuple(passed))
        passed.append(host.subject)
    return None


def is_passed_over(tree: Tree, host: Host, pronoun: int) -> bool:
    """Tell whether a pronoun of one person cannot refer to the predicate's subject."""
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
    """Yield the predicates above a token, until one whose subject is unclear."""
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

    Of *who* and *that* it is their noun, of a participle after a noun that noun.  The subject is shared by a
    second verb ("came and settled"), an infinitive without another agent ("decided to leave", not "told Jones
    to leave") or after a thing ("had time to leave"), and one beside the predicate ("left to settle").
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
    """Tell whether a finite verb that the parser calls adverbial is coordinated: "and moved"."""
    finite = tree.tags[verb] in ("VBD", "VBZ", "VBP") and not tree.children(verb, "mark", "nsubj")
    return finite and any(tree.has(token, "cc") for token in tree.subtree(verb) if token < verb)


def is_behind_thing(tree: Tree, verb: int) -> bool:
    """Tell whether an infinitive follows a noun for a thing: "had time to focus on his life"."""
    noun = tree.heads[verb]
    to = [tree.words[mark].lower() for mark in tree.children(verb, "mark")] == ["to"]
    person = names_one_person(tree, noun) or lexicon().person(tree.words[noun])
    thing = tree.tags[noun] in ("NN", "NNS") and not person and _in_a_nouns_place(tree, noun)
    return to and thing and tree.has(verb, "acl") and tree.tags[verb] == "VB"


def owns(tree: Tree, host: Host, pronoun: int) -> Verdict:
    """Judge whether *his* or *her* refers to the subject of a predicate above it."""
    subject = host.subject
    reason = next(filter(None, (rule(tree, subject, pronoun) for rule in RULES)), None)
    if reason is None and (host.passed or tree.words[subject].lower() not in SUBJECTS):
        reason = _another(tree, host, pronoun)
    return Verdict(False, reason) if reason else Verdict(True, kind_of(tree, subject))


def _another(tree: Tree, host: Host, pronoun: int) -> str | None:
    """Return why a possession may be another person's, if the subject is a name or noun."""
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
        several = tree.tags[token] in ("NNS", "NNPS") and tree.words[token][0].isupper()  # such as *Styles*
        one = (several or names_one_person(tree, token)) and not tree.has(token, *NAME_PARTS)
        if one and gender_of(tree, token) in (None, gender) and not is_same_name(tree, token, subject):
            return "another person may be meant"
    return None


def opened(tree: Tree, noun: int, inner: Sequence[str], topic_words: Collection[str]) -> str:
    """Make the template of the predicate above a noun, with the words ``inner`` in its place.

    One of these is ``[Y]``; ``topic_words`` must not occur.
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
    check_phrase(plain, topic_words)
    return f"The [X] {' '.join(words)}"


def steps_to(tree: Tree, noun: int) -> tuple[Tree, list[int]]:
    """Return the nouns from a predicate's own down to a noun: *head*, *town* in "the head of his town".

    Joined nouns ("his job and his house") and adverbs ("early in his life") are replaced in the tree.
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
    """Put a word in the place of its head, after the head's preposition or *to*."""
    above = second if tree.heads[first] == first else tree.heads[first]
    before = () if tree.children(second, "case", "mark") else tree.children(first, "case", "mark")
    return tree.edited(
        heads={second: above, **dict.fromkeys(before, second), first: second},
        relations={second: relation or tree.relations[first], first: CUT},
    )


def _phrase(tree: Tree, steps: Sequence[int], inner: Sequence[str]) -> list[str]:
    """Return the words of nested nouns, with ``inner`` for the last."""
    if len(steps) == 1:
        return list(inner)
    first, second, *_ = steps
    part = tree.words[first].lower()
    words = [part] if part in PARTS else list(noun_phrase(closed(tree, second), first, followed=True))
    return _filled(_with(tree, words, second), _phrase(tree, steps[1:], inner))


def _with(tree: Tree, words: list[str], noun: int) -> list[str]:
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
    """Return the finite predicate above a noun, with a substitute for the noun."""
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
    """Tell whether a verb is joined to an infinitive or participle: "hoped to stay and work"."""
    first = tree.heads[verb]
    return (
        tree.has(verb, "conj")
        and tree.tags[verb] == tree.tags[first]
        and tree.tags[verb] in ("VB", "VBG")
        and tree.has(first, "xcomp", "advcl")
        and not tree.children(first, "nsubj", "aux", "cop")
        and not tree.children(verb, "nsubj", "aux", "cop")
    )


def _finite(
    tree: Tree, verb: int, make: Callable[[Tree, int], tuple[str, ...]] = general_predicate
) -> list[str]:
    """Return the predicate of a clause or a lone participle, without its connective."""
    shares = tree.has(verb, "conj") and not tree.children(verb, "nsubj", "aux", "cop")
    negated = {tree.words[child].lower() for child in tree.children(tree.heads[verb], "advmod")}
    if shares and not negated.isdisjoint(NEGATIONS):
        raise Refused("a negation that is not kept")
    tree = tree.edited(relations=dict.fromkeys(tree.children(verb, "mark"), CUT))
    if tree.tags[verb] == "VBG" and not helpers_of(tree, verb):
        tree = as_main_verb(tree, verb)
    return list(make(tree, verb))


def _behind_noun(tree: Tree, verb: int) -> list[str]:
    """Return a predicate with its object and the infinitive after it: "had time to focus on"."""
    noun = tree.heads[verb]
    words = [*noun_phrase(tree, noun, followed=True), *secondary(tree, tree.heads[noun], verb, -1, 1)]
    return _filled(_finite(closed(tree, noun), tree.heads[noun]), words)


def _beside(tree: Tree, verb: int) -> list[str]:
    """Return a predicate with its modifiers; of a lone participle only the participle.

    If it cannot be kept, a modifier with an action of the same person is used: "after leaving his job".
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
        return [*_finite(tree, above, predicate if alone else general_predicate), *behind]
    except Refused:
        if not alone:
            raise
    return _finite(tree, verb)

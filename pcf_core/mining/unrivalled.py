"""Pronouns that can only refer to the subject, because nobody else was named, anywhere in the sentence.

    alone              Smith was ill; he stayed at home.       The [X] was ill; [Y]
    possessive-alone   Smith was ill; his house was empty.     The [X] was ill; [Y] house was empty
    object-alone       Smith was ill, and we visited him.      The [X] was ill and people visited [Y]

Candidates are all persons of this gender named so far: nouns, names, and pronouns.  Names that share their
words are one person, and so are all pronouns of a gender, unless two are subject and object of one predicate.
At most one name may remain, the subject of a clause before all pronouns.  Without a name *he* or *she* is the
subject, for *his* and *him* also one after it: "His work is about grammar, but he likes music".

Words that other rules accept are left to them.  If the two clauses cannot be combined, there is no template.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from pcf_core.mining import belongings, clauses
from pcf_core.mining.belongings import about_owned, bare, with_clause
from pcf_core.mining.clauses import FITS, check_hints
from pcf_core.mining.clauses import alone as by_itself
from pcf_core.mining.coreference import OF_A_PERSON, SUBJECTS, has_subject, touches_a_body
from pcf_core.mining.owners import Host, Y, host_that_owns, opened, the_thing_is_joined_to_nobody
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import (
    GENDERS,
    NAME_PARTS,
    Gender,
    gender_of,
    is_same_name,
    names_one_person,
    naming,
)
from pcf_core.mining.predicates import LONGEST, general_predicate, noun_phrase, predicate
from pcf_core.mining.substitutes import PEOPLE, STAND_IN, in_general, who_in_general, with_word
from pcf_core.mining.verb_groups import Candidate, Dropped, Refused, attempt

OBJECTS = ("obj", "iobj", "obl")
OF_OWNED: Sequence[Callable[[Tree, int, int], object]] = (the_thing_is_joined_to_nobody, touches_a_body)
OTHERS = (
    clauses.clausal, clauses.fronted, clauses.main, clauses.embedded, clauses.participle, clauses.where,
    clauses.numbers, belongings.relative,
)  # fmt: skip
OF_OWNERS = (belongings.possessive, belongings.elsewhere, belongings.of_subject)
Finder = Callable[[Tree, Collection[str], Collection[str]], Iterator[Candidate | Dropped]]


def alone(tree: Tree, words: Collection[str], topic_words: Collection[str]) -> Iterator[Candidate | Dropped]:
    """Yield the templates of *he* or *she* where nobody else was named: "was ill; he stayed"."""

    def text(subject: int, pronoun: int) -> str:
        return _together(tree, subject, tree.heads[pronoun], pronoun, (Y,), topic_words)

    places = [token for token in _places(tree, words) if tree.has(token, "nsubj")]
    for subject, pronoun in _left(tree, places, OTHERS, words):
        yield attempt(subject, pronoun, partial(text, subject, pronoun), FITS)


def possessive(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield the templates of *his* or *her* where nobody else was named: "ill; his house was empty"."""

    def text(subject: int, pronoun: int) -> str:
        thing = tree.heads[pronoun]
        inner = (Y, *bare(tree, thing, pronoun))
        if tree.has(thing, "nsubj"):
            clause = tree.heads[thing]
            return _together(tree, subject, clause, pronoun, about_owned(tree, pronoun), topic_words)
        host = host_that_owns(tree, pronoun)
        if host is None or host.subject != subject or host.passed:
            raise Refused("a clause out of place")
        return opened(tree, thing, inner, topic_words)

    places = [token for token in _places(tree, words) if tree.has(token, "nmod:poss")]
    for subject, pronoun in _left(tree, places, OF_OWNERS, words):
        yield attempt(subject, pronoun, partial(text, subject, pronoun), ("determiner",))


def objects(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield the templates of *him* or *her* where nobody else was named: "ill, and we visited him"."""

    def text(subject: int, pronoun: int) -> str:
        clause = tree.heads[pronoun]
        inner = next((token for token in tree.children(clause, "nsubj") if token < clause), None)
        if inner is None or not tree.has(pronoun, "obj") or not clause < pronoun:
            raise Refused("a clause out of place")
        about = who_in_general(tree, inner) or noun_phrase(in_general(tree, inner), inner)
        lone = with_word(by_itself(tree, clause), pronoun, STAND_IN, "NN", "obj")
        verb, *rest = predicate(in_general(lone, pronoun), clause)
        if rest.count(STAND_IN) != 1:
            raise Refused("a complement out of place")
        rest[rest.index(STAND_IN)] = Y
        verb = "were" if verb == "was" and about[-1] == PEOPLE else verb
        return _together(tree, subject, clause, inner, (*about, verb, *rest), topic_words)

    places = [
        token for token in _places(tree, words) if tree.tags[token] == "PRP" and tree.has(token, *OBJECTS)
    ]
    for subject, pronoun in _left(tree, places, (clauses.objects,), words):
        yield attempt(subject, pronoun, partial(text, subject, pronoun), ("object",))


def _places(tree: Tree, words: Collection[str]) -> list[int]:
    return [token for token, word in enumerate(tree.words) if word.lower() in words]


def _left(
    tree: Tree, places: Collection[int], finders: Collection[Finder], words: Collection[str]
) -> Iterator[tuple[int, int]]:
    pairs = [(subject, token) for token in places if (subject := the_only_one(tree, token)) is not None]
    if not pairs:
        return
    accepted: set[int | None] = set()
    for find in finders:
        for one in find(tree, words, ()):
            accepted.add(one.word if isinstance(one, Candidate) else one.pair[1] if one.pair else None)
    yield from (pair for pair in pairs if pair[1] not in accepted)


def _together(
    tree: Tree, subject: int, clause: int, first: int, inner: Sequence[str], topic_words: Collection[str]
) -> str:
    """Make the text of the subject's predicate and of a clause joined to it.

    ``first``: the first token of the clause after the connective; ``inner``: its words.
    """
    verb = tree.heads[subject]
    if not tree.has(clause, "parataxis"):
        return with_clause(tree, Host(verb, subject), clause, first, inner, topic_words)
    if tree.heads[clause] != verb or not subject < verb < first:
        raise Refused("a clause out of place")
    before = general_predicate(in_general(by_itself(tree, verb), clause), verb, clause)
    check_hints((*before, *inner), topic_words)
    if len(before) + len(inner) > LONGEST + 1:
        raise Refused("too long")
    return f"The [X] {' '.join(before)}; {' '.join(inner)}"


def the_only_one(tree: Tree, pronoun: int) -> int | None:
    """Find the subject to which a pronoun must refer; ``None`` if there is none, or several."""
    gender = GENDERS[tree.words[pronoun].lower()]
    pronouns = [token for token, word in enumerate(tree.words) if GENDERS.get(word.lower()) == gender]
    is_object = tree.has(pronoun, *OBJECTS)
    named: list[int] = []
    for token in range(pronoun):
        if not is_a_rival(tree, token, gender) or (is_object and _has_it(tree, token, pronoun)):
            continue
        first = not named and tree.has(token, "nsubj") and token < pronouns[0]
        if not first and not (named and is_same_name(tree, named[0], token)):
            return None
        named.append(token)
    subject = named[0] if named else _pronoun_for(tree, pronoun, pronouns, gender)
    if subject is None or _means_several(tree, [*named, *pronouns], max(subject, pronoun)):
        return None
    rules = (*OF_A_PERSON, *(OF_OWNED if tree.has(pronoun, "nmod:poss") else ()))
    return None if any(rule(tree, subject, pronoun) for rule in rules) else subject


def _pronoun_for(tree: Tree, pronoun: int, pronouns: Collection[int], gender: Gender) -> int | None:
    """Return the first *he* or *she* before a pronoun, otherwise the first after *his* or *him*.

    ``None`` if a noun before it may be an animal or an unlisted person: "The beast turned around as he came".
    """
    subjects = [
        token for token in pronouns if tree.words[token].lower() in SUBJECTS and tree.has(token, "nsubj")
    ]
    subject = next((token for token in subjects if token < pronoun), None)
    if subject is None and tree.words[pronoun].lower() not in SUBJECTS:
        subject = next((token for token in subjects if token > pronoun), None)
    if subject is None:
        return None
    before = range(subject)
    someone = any(_is_someone(tree, token) or is_a_rival(tree, token, gender) for token in before)
    return None if someone else subject


def _is_someone(tree: Tree, token: int) -> bool:
    return tree.tags[token] == "NN" and tree.has(token, "nsubj") and bool(tree.children(token, "det"))


def _means_several(tree: Tree, tokens: Collection[int], last: int) -> bool:
    """Tell whether two words for one person, up to a token, belong to the same predicate."""
    ours = [token for token in tokens if token <= last]
    subjects = [token for token in ours if tree.has(token, "nsubj")]
    objects = [token for token in ours if tree.has(token, *OBJECTS)]
    return any(has_subject(tree, tree.heads[one], subject) for subject in subjects for one in objects)


def _has_it(tree: Tree, subject: int, thing: int) -> bool:
    return tree.has(subject, "nsubj") and tree.heads[subject] == tree.heads[thing]


def is_a_rival(tree: Tree, token: int, gender: Gender) -> bool:
    """Tell whether a noun may stand for one person of a gender.

    Appositions and predicate nouns are excluded; of a name only its head counts, or a given name before a
    word that is not a name.  A noun with a clause with *who* is always a person.
    """
    if not tree.tags[token].startswith("NN"):
        return False
    return _is_somebody(tree, token) and gender_of(tree, token) in (None, gender)


def _is_somebody(tree: Tree, token: int) -> bool:
    if _is_told_of_by_who(tree, token):
        return True
    word = tree.words[token]
    if tree.children(token, "cop"):
        return False
    if tree.has(token, *NAME_PARTS, "amod"):
        given = word[:1].isupper() and word.lower() in naming().given
        return given and not names_one_person(tree, tree.heads[token])
    several = tree.tags[token] == "NNPS" and not tree.children(token, "det")  # *Styles* is one
    unsure = tree.tags[token] == "NN" and token > 0 and word.isalpha()
    if not (word[:1].isupper() and (several or unsure)) and not names_one_person(tree, token):
        return False
    while tree.has(token, "appos", "conj"):
        token = tree.heads[token]
    return all(tree.words[case].lower() != "as" for case in tree.children(token, "case"))


def _is_told_of_by_who(tree: Tree, noun: int) -> bool:
    return tree.tags[noun] in ("NN", "NNP") and any(
        tree.words[child].lower() in ("who", "whom")
        for clause in tree.children(noun, "acl:relcl")
        for child in tree.children(clause)
    )

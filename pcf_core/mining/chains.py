"""Clauses of *he* and *she* that hang elsewhere than behind the main predicate; a rule for each place.

    fronted      After she retired, Smith moved away.        The [X] moved after [Y]
    main         When Smith retired, she moved away.         When the [X] retired, [Y]
    embedded     It was May when Smith said that he ...      The [X] said that [Y]
    participle   Smith resigned, saying that he was ill.     The [X] said that [Y]
    where        Smith moved to a town where she taught.     The [X] moved to a town where [Y]
    numbers      Smith was 26 years old when he moved.       The [X] was old when [Y]
    objects      Smith said that the press hated him.        The [X] said that the press hated [Y]

Chains of infinitives ("began to realise that", "was able to walk after") are the clausal rule's own.

Each rule hands a tree in which the clause hangs behind a main predicate to the clausal rule's parts; whom the
pronoun means is judged in the tree as it was parsed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from pcf_core.mining.clausal import FITS, check_clause, clausal, connective, governor, mended, skeleton
from pcf_core.mining.coreference import RULES, RULES_BESIDE, SUBJECTS, Check, judge, the_pronoun_has_a_gender
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import hints, is_name, lexicon, names_one_person, verb_forms
from pcf_core.mining.predicates import noun_phrase, predicate, preposition, prepositional, told
from pcf_core.mining.substitutes import CUT, STAND_IN, closed, in_general, with_word
from pcf_core.mining.verb_groups import Dropped, Found, Refused, helpers_of, lemma_of
from pcf_core.mining.verbs import past_tense

OBJECTS = ("him", "her")
OUTSIDE = ("mark", "cc", "punct", "discourse", "advmod")  # what joins a clause to the rest of its sentence
LOOSE = ("ccomp", "advcl", "conj", "parataxis", "acl")


def fronted(tree: Tree, words: Collection[str], topic_words: Collection[str]) -> Iterator[Found | Dropped]:
    """Yield the template of a clause that goes before its main clause: "After she retired, Smith moved"."""

    def place(pronoun: int) -> Place | None:
        clause = tree.heads[pronoun]
        found = governor(tree, clause) if tree.has(clause, "advcl") else None
        if found is None or not pronoun < clause < found[1] < found[0]:
            return None
        head, subject = found
        return Place(subject, lambda: skeleton(tree, head, clause, pronoun, topic_words))

    return _first(tree, words, place)


def main(tree: Tree, words: Collection[str], topic_words: Collection[str]) -> Iterator[Found | Dropped]:
    """Yield the template of a main clause behind one with its subject: "When Smith retired, she moved"."""

    def place(pronoun: int) -> Place | None:
        before = (clause for clause in tree.children(tree.heads[pronoun], "advcl") if clause < pronoun)
        subjects = (subject for clause in before for subject in tree.children(clause, "nsubj"))
        subject = next((subject for subject in subjects if subject < tree.heads[subject]), None)
        return None if subject is None else Place(subject, lambda: _before_main(tree, subject, topic_words))

    yield from _first(tree, words, place, RULES_BESIDE)


def _before_main(tree: Tree, subject: int, topic_words: Collection[str]) -> str:
    """Make the text of a subject's clause, which goes before its main clause."""
    clause = tree.heads[subject]
    joint = connective(tree, clause, subject)
    kept = told(in_general(alone(tree, clause), clause), clause)
    if hint := hints(kept, topic_words):
        raise Refused(hint)
    if "it" in kept:
        raise Refused("a pronoun inside")
    return f"{joint.capitalize()} the [X] {' '.join(kept)}, [Y]"


def embedded(tree: Tree, words: Collection[str], topic_words: Collection[str]) -> Iterator[Found | Dropped]:
    """Yield the template of a clause whose predicate is not the main one: "… when Smith said that he …"."""

    def place(pronoun: int) -> Place | None:
        clause = tree.heads[pronoun]
        found = governed(tree, clause)
        if found is None or found[0].root == tree.root:
            return None
        part, head, subject = found
        if not subject < head < pronoun or _hangs_loose(tree, clause, part.root):
            return None
        return Place(subject, lambda: skeleton(part, head, clause, pronoun, topic_words))

    return _first(tree, words, place)


def governed(tree: Tree, clause: int) -> tuple[Tree, int, int] | None:
    """Find the predicate on which a clause depends, and its subject, in a tree where it is the main one."""
    top = tree.heads[clause]
    while tree.has(top, "xcomp"):
        top = tree.heads[top]
    while tree.has(top, "conj") and not tree.children(top, "nsubj", "csubj", "expl"):
        top = tree.heads[top]
    if top != tree.root:
        if not tree.has(top, *LOOSE) or not tree.children(top, "nsubj"):
            return None
        tree = alone(tree, top)
    better = mended(tree, clause)
    found = governor(better, clause)
    return None if found is None else (better, *found)


def _hangs_loose(tree: Tree, clause: int, top: int) -> bool:
    """Tell whether a clause behind a comma may be that of a person further up.

    *Ali had supported the way Verdonk handled it, although she felt …*
    """
    first = min(tree.subtree(clause))
    if tree.has(clause, "ccomp") or (tree.words[max(first - 1, 0)] != "," and tree.words[first] != ","):
        return False
    return any(
        tree.words[subject].lower() in SUBJECTS or names_one_person(tree, subject)
        for verb in tree.above(top)
        for subject in tree.children(verb, "nsubj")
    )


def participle(tree: Tree, words: Collection[str], topic_words: Collection[str]) -> Iterator[Found | Dropped]:
    """Yield the template of what is said beside the predicate: "Smith resigned, saying that he was ill"."""

    def place(pronoun: int) -> Place | None:
        clause = tree.heads[pronoun]
        verb = tree.heads[clause]
        if not tree.has(clause, "ccomp") or not tree.has(verb, "advcl") or tree.tags[verb] != "VBG":
            return None
        subject = next(iter(tree.children(tree.heads[verb], "nsubj")), None)
        if subject is None or not subject < tree.heads[verb] < verb < pronoun:
            return None
        if tree.children(verb, "nsubj", "mark"):
            return None
        return Place(
            subject,
            lambda: skeleton(as_main_verb(tree, verb), verb, clause, pronoun, topic_words),
        )

    return _first(tree, words, place)


def where(tree: Tree, words: Collection[str], topic_words: Collection[str]) -> Iterator[Found | Dropped]:
    """Yield the template of a clause that says what happened at a place: "moved to a town where she taught".

    Of a place with a name it is *a place*.
    """

    def place(pronoun: int) -> Place | None:
        clause, head = tree.heads[pronoun], tree.root
        at = tree.heads[clause] if tree.has(clause, "acl:relcl") else _last_place(tree, head, pronoun - 1)
        behind = tree.words[pronoun - 1].lower() == "where" and tree.has(clause, "acl:relcl", "advcl")
        subject = next(iter(tree.children(head, "nsubj")), None)
        if not behind or at is None or tree.heads[at] != head or not tree.has(at, "obj", "obl"):
            return None
        if subject is None or not subject < head < at < pronoun:
            return None
        return Place(subject, lambda: _there(tree, head, at, topic_words))

    return _first(tree, words, place)


def _last_place(tree: Tree, verb: int, where: int) -> int | None:
    """Return the noun that ends right before *where*, though the clause hangs from the verb; or none."""
    behind = where - 1 if tree.words[where - 1] != "," else where - 2
    nouns = (noun for noun in tree.children(verb, "obj", "obl") if tree.tags[noun] in ("NN", "NNP"))
    return next((noun for noun in nouns if max(tree.subtree(noun)) in (behind, where - 1)), None)


def _there(tree: Tree, head: int, place: int, topic_words: Collection[str]) -> str:
    """Make the text of a predicate with the place that a clause says more of."""
    named = is_name(tree, place) and preposition(tree, place) != "between"
    tree = in_general(closed(tree, place) if named else tree, place)
    kept = list(predicate(tree, head))
    phrase = list(prepositional(tree, place))
    if kept[-len(phrase) :] != phrase:
        if not preposition(tree, place):
            raise Refused("a noun that needs more")
        kept += phrase
    if named:
        kept[-1:] = "a", "place"
    hint = hints(kept, topic_words)
    if hint:
        raise Refused(hint)
    return f"The [X] {' '.join(kept)} where [Y]"


def numbers(tree: Tree, words: Collection[str], topic_words: Collection[str]) -> Iterator[Found | Dropped]:
    """Yield what the clausal rule makes of a sentence without numbers, where it makes nothing with them."""
    fewer = without_numbers(tree)
    if fewer == tree or any(isinstance(found, Found) for found in clausal(tree, words, topic_words)):
        return
    yield from clausal(fewer, words, topic_words)


def without_numbers(tree: Tree) -> Tree:
    """Return the tree without measures ("26 years old") and numbers before plurals ("three books")."""
    relations, tags = list(tree.relations), list(tree.tags)
    for token in range(len(tree)):
        head = tree.heads[token]
        if head <= token:
            continue
        number = tree.tags[token] == "CD" and tree.has(token, "nummod") and tree.tags[head] == "NNS"
        number = number and not tree.has(head, "nmod")  # "a total of 20 medals"
        counted = any(tree.has(child, "nummod") for child in tree.children(token))
        measure = counted and tree.tags[head] == "JJ" and not preposition(tree, token)
        if number or measure:
            relations[token], tags[token] = CUT, "LS"
    return replace(tree, relations=tuple(relations), tags=tuple(tags))


def objects(tree: Tree, words: Collection[str], topic_words: Collection[str]) -> Iterator[Found | Dropped]:
    """Yield the template of a clause that is about the subject: "Smith said that the press hated him"."""
    dropped: Dropped | None = None
    for pronoun, word in enumerate(tree.words):
        clause = tree.heads[pronoun]
        if word.lower() not in words or tree.tags[pronoun] != "PRP" or not tree.has(pronoun, "obj"):
            continue
        found = governor(tree, clause) if tree.has(clause, "ccomp") else None
        inner = next(iter(tree.children(clause, "nsubj")), None)
        if found is None or inner is None or not found[1] < found[0] < inner < clause < pronoun:
            continue
        others = (rule(tree, found[1], pronoun) for rule in RULES if rule is not the_pronoun_has_a_gender)
        reason = next(filter(None, others), None)
        if reason:
            dropped = dropped or Dropped(f"not the same person: {reason}")
            continue
        try:
            text = _about(tree, found[0], clause, inner, pronoun, topic_words)
        except Refused as refused:
            dropped = dropped or Dropped(str(refused), (found[1], pronoun))
            continue
        yield Found(text, found[1], pronoun, ("object",))
        return
    if dropped:
        yield dropped


def _about(tree: Tree, head: int, clause: int, inner: int, pronoun: int, topic_words: Collection[str]) -> str:
    """Make the text of a clause with its object open."""
    joint = connective(tree, clause, inner)
    words = predicate(tree, head, clause)
    check_clause(tree, clause, joint, words)
    kept = list(predicate(with_word(alone(tree, clause), pronoun, STAND_IN, "NN", "obj"), clause))
    if joint not in ("that", "whether", "if") or kept.count(STAND_IN) != 1:
        raise Refused("a complement out of place")
    about = noun_phrase(tree, inner)
    hint = hints((*words, *about, *kept), topic_words)
    if hint:
        raise Refused(hint)
    kept[kept.index(STAND_IN)] = "[Y]"
    return f"The [X] {' '.join((*words, joint, *about, *kept))}"


@dataclass(frozen=True)
class Place:
    """Where a pronoun stands: the subject that it may mean, and how the text is made."""

    subject: int
    text: Callable[[], str]


def _first(
    tree: Tree, words: Collection[str], place: Callable[[int], Place | None], rules: Sequence[Check] = RULES
) -> Iterator[Found | Dropped]:
    """Yield the first template of a pronoun that is a subject, else the first reason why none is."""
    dropped: Dropped | None = None
    for pronoun, word in enumerate(tree.words):
        if word.lower() not in words or not tree.has(pronoun, "nsubj") or tree.heads[pronoun] == pronoun:
            continue
        found = place(pronoun)
        if found is None:
            continue
        verdict = judge(tree, found.subject, pronoun, rules)
        if not verdict.accepted:
            dropped = dropped or Dropped(f"not the same person: {verdict.reason}")
            continue
        try:
            text = found.text()
        except Refused as reason:
            dropped = dropped or Dropped(str(reason), (found.subject, pronoun))
            continue
        yield Found(text, found.subject, pronoun, FITS)
        return
    if dropped:
        yield dropped


def alone(tree: Tree, top: int) -> Tree:
    """Return the tree with a clause as its root, without the words that join it to the rest."""
    heads, relations = list(tree.heads), list(tree.relations)
    subject = tree.children(top, "nsubj")[0]
    heads[tree.root], relations[tree.root] = top, CUT
    heads[top], relations[top] = top, "root"
    for child in tree.children(top, *OUTSIDE):
        if child < subject:
            relations[child] = CUT
    return replace(tree, heads=tuple(heads), relations=tuple(relations))


def as_main_verb(tree: Tree, verb: int) -> Tree:
    """Return the tree with a participle as its main verb, in the past.

    Raises
    ------
    Refused
        It has an auxiliary, a lemma that is not its own, or the sense of a preposition ("considering").
    """
    lemma = lemma_of(tree, verb)
    word = tree.words[verb].lower()
    no_verb = word == lemma or word in lexicon().lists["prepositional"]
    if helpers_of(tree, verb) or no_verb or word not in verb_forms(lemma):
        raise Refused("an unsure verb form")
    words, tags = list(tree.words), list(tree.tags)
    heads, relations = list(tree.heads), list(tree.relations)
    words[verb], tags[verb] = past_tense(lemma), "VBD"
    heads[tree.root], relations[tree.root] = verb, CUT
    heads[verb], relations[verb] = verb, "root"
    return replace(tree, words=tuple(words), tags=tuple(tags), heads=tuple(heads), relations=tuple(relations))

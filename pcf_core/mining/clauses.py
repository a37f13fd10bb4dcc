"""Clauses of *he* and *she*: after the main predicate (the papers' rule), and elsewhere; one rule each.

    clause       Smith said he would leave no stone unturned.  The [X] said that [Y]
    fronted      After she retired, Smith moved away.          The [X] moved after [Y]
    main         When Smith retired, she moved away.           When the [X] retired, [Y]
    embedded     It was May when Smith said that he ...        The [X] said that [Y]
    participle   Smith resigned, saying that he was ill.       The [X] said that [Y]
    where        Smith moved to a town where she taught.       The [X] moved to a town where [Y]
    numbers      Smith was 26 years old when he moved.         The [X] was old when [Y]
    object       Smith said that the press hated him.          The [X] said that the press hated [Y]

The clausal rule is the first: subject < predicate < connective < pronoun, the subject of a clause that
depends on the predicate, also through infinitives ("began to realise that", "was able to walk after").  A
small parser often attaches that clause wrongly, which is repaired first.  Before and after:

    decided <-advcl- whether he should stay     ->  ccomp
    knew <-obj- what <-acl:relcl- he wanted     ->  knew <-ccomp- wanted <-obj- what
    told <-obj- press <-acl- that he resigned   ->  told <-ccomp- resigned

The other rules build a tree in which the clause depends on a main predicate, and use the parts of the first;
whom the pronoun refers to is judged in the tree as parsed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from pcf_core.core.topics import Part
from pcf_core.mining.coreference import RULES, RULES_BESIDE, SUBJECTS, Check, judge, the_pronoun_has_a_gender
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import hints, is_name, lexicon, names_one_person, verb_forms
from pcf_core.mining.predicates import general_predicate, noun_phrase, predicate, preposition, prepositional
from pcf_core.mining.substitutes import CUT, STAND_IN, closed, in_general, with_word, without
from pcf_core.mining.verb_groups import (
    Candidate,
    Dropped,
    Refused,
    attempt,
    helpers_of,
    is_passive,
    lemma_of,
)
from pcf_core.mining.verbs import is_reporting, past_tense

FITS: tuple[Part, ...] = ("pronoun",)
PAIRS = frozenset({"as if", "as though", "so that", "even though", "even if", "now that"})
COORDINATORS = frozenset({"and", "but", "so"})
QUESTIONS = frozenset(["how", "why", "what", "where", "when", "who", "whom"])
RELATIVES = frozenset(["which", "whom", "who", "whose", "where", "what"])
QUESTION_WORDS = frozenset(["what", "who", "whom", "where", "why", "how"])
OBJECTS = ("him", "her")
OUTSIDE = ("mark", "cc", "punct", "discourse", "advmod")  # what joins a clause to its sentence
LOOSE = ("ccomp", "advcl", "conj", "parataxis", "acl")
RULES_OF_OBJECTS = tuple(rule for rule in RULES if rule is not the_pronoun_has_a_gender)


def clausal(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield at most one template of a sentence, or why a sentence of this form gives none.

    ``words``: the pronouns, in lower case; ``topic_words``: which no template may contain.
    """

    def pair_of(pronoun: int) -> _Pair | None:
        clause = tree.heads[pronoun]
        better = repaired(tree, clause)
        governing = governor(better, clause) if pronoun > 1 else None
        if governing is None or not governing[1] < governing[0] < pronoun:
            return None
        head, subject = governing
        return _Pair(subject, lambda: _text(better, head, clause, pronoun, topic_words), better)

    return _first(tree, words, pair_of)


def governor(tree: Tree, clause: int) -> tuple[int, int] | None:
    """Find the main predicate on which a clause depends, and its subject.

    The main predicate is the root, or a predicate joined to it that shares its subject ("came and said"); an
    infinitive may be between ("refused to say whether he ...").
    """
    if not tree.has(clause, "ccomp", "advcl", "conj") or tree.heads[clause] == clause:
        return None
    head = tree.heads[clause]
    while tree.has(head, "xcomp"):
        head = tree.heads[head]
    top = head
    while tree.has(top, "conj") and not tree.children(top, "nsubj", "csubj", "expl"):
        top = tree.heads[top]
    if tree.heads[top] != top:
        return None
    subject = next(iter(tree.children(top, "nsubj")), None)
    return None if subject is None else (head, subject)


def _text(tree: Tree, head: int, clause: int, pronoun: int, topic_words: Collection[str]) -> str:
    joint = connective(tree, clause, pronoun)
    words = general_predicate(in_general(tree, clause), head, clause)
    check_clause(tree, clause, joint, words)
    check_hints(words, topic_words)
    return f"The [X] {' '.join(words)} {joint} [Y]"


def check_hints(words: Collection[str], topic_words: Collection[str], *, groups: bool = False) -> None:
    """Refuse words of the topic, or that hint at a group."""
    if hint := hints(words, topic_words, groups=groups):
        raise Refused(hint)


def check_phrase(phrase: Collection[str], topic_words: Collection[str], *, groups: bool = False) -> None:
    """Refuse hints, and an *it* that refers to something."""
    check_hints(phrase, topic_words, groups=groups)
    if "it" in phrase:
        raise Refused("a pronoun inside")


def connective(tree: Tree, clause: int, pronoun: int) -> str:
    """Return the words that join the clause; ``that`` if a reporting verb has none."""
    left = [
        token
        for token in tree.children(clause, "mark", "cc", "advmod", "obj", "obl", "xcomp", "nsubj", "ccomp")
        if token < pronoun and (tree.has(token, "mark", "cc") or tree.tags[token] in ("WRB", "WP", "WDT"))
    ]
    if not left:
        governing = tree.heads[clause]
        reports = (
            is_reporting(lemma_of(tree, governing))
            or tree.words[governing].lower() in lexicon().lists["stance"]
        )
        if tree.has(clause, "ccomp") and reports:
            return "that"
        raise Refused("no connective")
    first = left[0]
    word = tree.words[first].lower()
    pair = (
        f"{tree.words[first - 1].lower()} {word}" if word != "as" else f"as {tree.words[first + 1].lower()}"
    )
    if tree.has(clause, "ccomp"):
        if word in ("that", "if", "whether") or (word in QUESTIONS and first == pronoun - 1):
            return word
    elif tree.has(clause, "conj"):
        if word in COORDINATORS and tree.has(first, "cc"):
            return word
    elif len(left) > 1 or word == "that":
        if len(left) == 2 and f"{word} {tree.words[left[1]].lower()}" in PAIRS:
            return f"{word} {tree.words[left[1]].lower()}"
        if word == "that" and len(left) == 1:
            return pair if pair in PAIRS else word
    elif pair in PAIRS:
        return pair
    elif word in lexicon().lists["conjunctions"]:
        return word
    raise Refused("a relative clause" if word in RELATIVES else "an unknown connective")


def check_clause(tree: Tree, clause: int, joint: str, words: Sequence[str]) -> None:
    """Refuse clauses that this predicate does not take: mostly misparsed relative clauses."""
    head, lists = tree.heads[clause], lexicon().lists
    lemma, word = lemma_of(tree, head), tree.words[head].lower()
    verbal = not tree.children(head, "cop") and tree.tags[head].startswith("VB")
    if tree.has(clause, "ccomp"):
        if not verbal:
            if word not in lists["stance"] and "so" not in words:
                raise Refused("a clause its predicate does not take")
            return
        takers = (
            lists["that"]
            if joint == "that"
            else lists["whether" if joint in ("if", "whether") else "question"]
        )
        passive = is_passive(tree, head)
        if lemma not in takers or (passive and lemma not in lists["told"] | {"ask"}):
            raise Refused("a clause its predicate does not take")
        has_recipient = bool(tree.children(head, "obj", "iobj"))
        if has_recipient and lemma not in lists["told"] | lists["recipient_optional"]:
            raise Refused("a clause its predicate does not take")
        if lemma in lists["needs_recipient"] and not has_recipient and not passive:
            raise Refused("a verb that needs more")
        if joint == "that" and not lexicon().needs_particle.get(lemma, frozenset(words)) & set(words):
            raise Refused("a verb that needs more")
    elif (joint == "that" and not {"so", "such"} & set(words) and word not in lists["stance"]) or (
        joint == "as" and len(words) == 1
    ):
        raise Refused("a clause its predicate does not take")


def repaired(tree: Tree, clause: int) -> Tree:
    """Return the tree with known attachment errors of a clause repaired."""
    for repair in (_question_after_its_verb, _free_relative, _clause_of_the_told):
        better = repair(tree, clause)
        if better is not None:
            return better
    return tree


def _question_after_its_verb(tree: Tree, clause: int) -> Tree | None:
    """Make ``whether``, ``that`` or ``if`` after a verb that takes it start a complement."""
    verb = tree.heads[clause]
    if not tree.has(clause, "advcl") or tree.children(verb, "ccomp", "obj"):
        return None
    marks = [tree.words[mark].lower() for mark in tree.children(clause, "mark")]
    lemma, lists = lemma_of(tree, verb), lexicon().lists
    wanted = {
        "whether": lemma in lists["whether"],
        "that": lemma in lists["that"],
        "if": lemma in ("ask", "wonder"),
    }
    if len(marks) == 1 and wanted.get(marks[0], False):
        return _attached(tree, clause, verb)
    return None


def _free_relative(tree: Tree, clause: int) -> Tree | None:
    """Attach a question word that is the verb's object to its clause."""
    word = tree.heads[clause]
    verb = tree.heads[word]
    if (
        not tree.has(clause, "acl")
        or tree.words[word].lower() not in QUESTION_WORDS
        or not tree.has(word, "obj")
    ):
        return None
    if lemma_of(tree, verb) not in lexicon().lists["question"] or tree.children(word, "case"):
        return None
    return _attached(tree, clause, verb).edited(heads={word: clause}, relations={word: "obj"})


def _clause_of_the_told(tree: Tree, clause: int) -> Tree | None:
    """Attach a reported clause to the verb instead of the person addressed."""
    noun = tree.heads[clause]
    verb = tree.heads[noun]
    if not tree.has(clause, "acl") or not tree.has(noun, "obj", "iobj") or tree.children(verb, "ccomp"):
        return None
    marks = tree.children(clause, "mark")
    that = len(marks) == 1 and tree.words[marks[0]].lower() == "that" and tree.tags[marks[0]] == "IN"
    if that and lemma_of(tree, verb) in lexicon().lists["told"]:
        return _attached(tree, clause, verb)
    return None


def _attached(tree: Tree, clause: int, verb: int) -> Tree:
    return tree.edited(heads={clause: verb}, relations={clause: "ccomp"})


def fronted(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield the template of a clause before its main clause: "After she retired, Smith moved"."""

    def pair_of(pronoun: int) -> _Pair | None:
        clause = tree.heads[pronoun]
        governing = governor(tree, clause) if tree.has(clause, "advcl") else None
        if governing is None or not pronoun < clause < governing[1] < governing[0]:
            return None
        head, subject = governing
        return _Pair(subject, lambda: _text(tree, head, clause, pronoun, topic_words))

    return _first(tree, words, pair_of)


def main(tree: Tree, words: Collection[str], topic_words: Collection[str]) -> Iterator[Candidate | Dropped]:
    """Yield the template of a main clause after one with its subject: "When Smith retired, she moved"."""

    def pair_of(pronoun: int) -> _Pair | None:
        before = (clause for clause in tree.children(tree.heads[pronoun], "advcl") if clause < pronoun)
        subjects = (subject for clause in before for subject in tree.children(clause, "nsubj"))
        subject = next((subject for subject in subjects if subject < tree.heads[subject]), None)
        return None if subject is None else _Pair(subject, lambda: _before_main(tree, subject, topic_words))

    return _first(tree, words, pair_of, RULES_BESIDE)


def _before_main(tree: Tree, subject: int, topic_words: Collection[str]) -> str:
    clause = tree.heads[subject]
    joint = connective(tree, clause, subject)
    phrase = general_predicate(in_general(alone(tree, clause), clause), clause)
    check_phrase(phrase, topic_words)
    return f"{joint.capitalize()} the [X] {' '.join(phrase)}, [Y]"


def embedded(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield the template of a clause whose predicate is not the main one: "… when Smith said that he …"."""

    def pair_of(pronoun: int) -> _Pair | None:
        clause = tree.heads[pronoun]
        governing = governed(tree, clause)
        if governing is None or governing[0].root == tree.root:
            return None
        part, head, subject = governing
        if not subject < head < pronoun or _hangs_loose(tree, clause, part.root):
            return None
        return _Pair(subject, lambda: _text(part, head, clause, pronoun, topic_words))

    return _first(tree, words, pair_of)


def governed(tree: Tree, clause: int) -> tuple[Tree, int, int] | None:
    """Find a clause's predicate and its subject, in a tree with that predicate as its root."""
    top = tree.heads[clause]
    while tree.has(top, "xcomp"):
        top = tree.heads[top]
    while tree.has(top, "conj") and not tree.children(top, "nsubj", "csubj", "expl"):
        top = tree.heads[top]
    if top != tree.root:
        if not tree.has(top, *LOOSE) or not tree.children(top, "nsubj"):
            return None
        tree = alone(tree, top)
    better = repaired(tree, clause)
    governing = governor(better, clause)
    return None if governing is None else (better, *governing)


def _hangs_loose(tree: Tree, clause: int, top: int) -> bool:
    """Tell whether a clause after a comma may refer to a person further up.

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


def participle(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield the template of a clause after a participle: "Smith resigned, saying that he was ill"."""

    def pair_of(pronoun: int) -> _Pair | None:
        clause = tree.heads[pronoun]
        verb = tree.heads[clause]
        if not tree.has(clause, "ccomp") or not tree.has(verb, "advcl") or tree.tags[verb] != "VBG":
            return None
        subject = next(iter(tree.children(tree.heads[verb], "nsubj")), None)
        if subject is None or not subject < tree.heads[verb] < verb < pronoun:
            return None
        if tree.children(verb, "nsubj", "mark"):
            return None
        return _Pair(subject, lambda: _text(as_main_verb(tree, verb), verb, clause, pronoun, topic_words))

    return _first(tree, words, pair_of)


def where(tree: Tree, words: Collection[str], topic_words: Collection[str]) -> Iterator[Candidate | Dropped]:
    """Yield the template of a clause about *a place*: "moved to a town where she taught"."""

    def pair_of(pronoun: int) -> _Pair | None:
        clause, head = tree.heads[pronoun], tree.root
        at = tree.heads[clause] if tree.has(clause, "acl:relcl") else _last_place(tree, head, pronoun - 1)
        behind = tree.words[pronoun - 1].lower() == "where" and tree.has(clause, "acl:relcl", "advcl")
        subject = next(iter(tree.children(head, "nsubj")), None)
        if not behind or at is None or tree.heads[at] != head or not tree.has(at, "obj", "obl"):
            return None
        if subject is None or not subject < head < at < pronoun:
            return None
        return _Pair(subject, lambda: _there(tree, head, at, topic_words))

    return _first(tree, words, pair_of)


def _last_place(tree: Tree, verb: int, where: int) -> int | None:
    """Return the verb's noun that ends right before *where*."""
    behind = where - 1 if tree.words[where - 1] != "," else where - 2
    nouns = (noun for noun in tree.children(verb, "obj", "obl") if tree.tags[noun] in ("NN", "NNP"))
    return next((noun for noun in nouns if max(tree.subtree(noun)) in (behind, where - 1)), None)


def _there(tree: Tree, head: int, noun: int, topic_words: Collection[str]) -> str:
    named = is_name(tree, noun) and preposition(tree, noun) != "between"
    tree = in_general(closed(tree, noun) if named else tree, noun)
    predicate_words = list(predicate(tree, head))
    phrase = list(prepositional(tree, noun))
    if predicate_words[-len(phrase) :] != phrase:
        if not preposition(tree, noun):
            raise Refused("a noun that needs more")
        predicate_words += phrase
    if named:
        predicate_words[-1:] = "a", "place"
    check_hints(predicate_words, topic_words)
    return f"The [X] {' '.join(predicate_words)} where [Y]"


def numbers(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield templates of the clausal rule without numbers, if there are none with them."""
    fewer = without_numbers(tree)
    if fewer == tree or any(isinstance(one, Candidate) for one in clausal(tree, words, topic_words)):
        return
    yield from clausal(fewer, words, topic_words)


def without_numbers(tree: Tree) -> Tree:
    """Remove measures ("26 years old") and numbers before plurals ("three books")."""
    cut = []
    for token, head in enumerate(tree.heads):
        if head <= token:
            continue
        number = tree.tags[token] == "CD" and tree.has(token, "nummod") and tree.tags[head] == "NNS"
        number = number and not tree.has(head, "nmod")  # "a total of 20 medals"
        counted = any(tree.has(child, "nummod") for child in tree.children(token))
        measure = counted and tree.tags[head] == "JJ" and not preposition(tree, token)
        if number or measure:
            cut.append(token)
    return without(tree, cut)


def objects(
    tree: Tree, words: Collection[str], topic_words: Collection[str]
) -> Iterator[Candidate | Dropped]:
    """Yield the template of a clause with the subject as object: "Smith said that the press hated him"."""

    def pair_of(pronoun: int) -> _Pair | None:
        clause = tree.heads[pronoun]
        governing = governor(tree, clause) if tree.has(clause, "ccomp") else None
        inner = next(iter(tree.children(clause, "nsubj")), None)
        if tree.tags[pronoun] != "PRP" or governing is None or inner is None:
            return None
        head, subject = governing
        if not subject < head < inner < clause < pronoun:
            return None
        return _Pair(subject, lambda: _about(tree, head, clause, inner, pronoun, topic_words))

    return _first(tree, words, pair_of, RULES_OF_OBJECTS, "obj", ("object",))


def _about(tree: Tree, head: int, clause: int, inner: int, pronoun: int, topic_words: Collection[str]) -> str:
    joint = connective(tree, clause, inner)
    words = predicate(tree, head, clause)
    check_clause(tree, clause, joint, words)
    rest = list(predicate(with_word(alone(tree, clause), pronoun, STAND_IN, "NN", "obj"), clause))
    if joint not in ("that", "whether", "if") or rest.count(STAND_IN) != 1:
        raise Refused("a complement out of place")
    about = noun_phrase(tree, inner)
    check_hints((*words, *about, *rest), topic_words)
    rest[rest.index(STAND_IN)] = "[Y]"
    return f"The [X] {' '.join((*words, joint, *about, *rest))}"


@dataclass(frozen=True)
class _Pair:
    """The subject that a pronoun may refer to, and its text; ``tree``: to judge in, if repaired."""

    subject: int
    text: Callable[[], str]
    tree: Tree | None = None


def _first(
    tree: Tree,
    words: Collection[str],
    pair_of: Callable[[int], _Pair | None],
    rules: Sequence[Check] = RULES,
    relation: str = "nsubj",
    fits: tuple[Part, ...] = FITS,
) -> Iterator[Candidate | Dropped]:
    """Yield the first template of a pronoun with this relation, or the first reason why there is none."""
    dropped: Dropped | None = None
    for pronoun, word in enumerate(tree.words):
        if word.lower() not in words or not tree.has(pronoun, relation) or tree.heads[pronoun] == pronoun:
            continue
        pair = pair_of(pronoun)
        if pair is None:
            continue
        verdict = judge(pair.tree or tree, pair.subject, pronoun, rules)
        if not verdict.accepted:
            dropped = dropped or Dropped(f"not the same person: {verdict.reason}")
            continue
        one = attempt(pair.subject, pronoun, pair.text, fits)
        if isinstance(one, Candidate):
            yield one
            return
        dropped = dropped or one
    if dropped:
        yield dropped


def alone(tree: Tree, top: int) -> Tree:
    """Return the tree with a clause as its root, without its connective."""
    subject = tree.children(top, "nsubj")[0]
    outside = [child for child in tree.children(top, *OUTSIDE) if child < subject]
    return tree.edited(
        heads={tree.root: top, top: top},
        relations={tree.root: CUT, **dict.fromkeys(outside, CUT), top: "root"},
    )


def as_main_verb(tree: Tree, verb: int) -> Tree:
    """Return the tree with a participle as its main verb, in the past.

    Refused are participles with an auxiliary or a doubtful lemma, and prepositions ("considering").
    """
    lemma = lemma_of(tree, verb)
    word = tree.words[verb].lower()
    no_verb = word == lemma or word in lexicon().lists["prepositional"]
    if helpers_of(tree, verb) or no_verb or word not in verb_forms(lemma):
        raise Refused("an unsure verb form")
    return tree.edited(
        words={verb: past_tense(lemma)},
        tags={verb: "VBD"},
        heads={tree.root: verb, verb: verb},
        relations={tree.root: CUT, verb: "root"},
    )

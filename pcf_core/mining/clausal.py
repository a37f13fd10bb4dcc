"""The clausal rule: "Detective Smith said he would leave no stone unturned" -> "The [X] said that [Y]".

Smith         said                (that)        he would leave ...
subject   <   predicate    <    connective   <  pronoun, subject of a clause that depends on the predicate

A small parser often attaches the clause that matters wrongly; it is mended first.  Before and after:

    decided <-advcl- whether he should stay     ->  ccomp
    knew <-obj- what <-acl:relcl- he wanted     ->  knew <-ccomp- wanted <-obj- what
    told <-obj- press <-acl- that he resigned   ->  told <-ccomp- resigned
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from pcf_core.core.topics import Part, Topic
from pcf_core.mining.coreference import judge
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import hints, lexicon
from pcf_core.mining.predicates import told
from pcf_core.mining.substitutes import in_general
from pcf_core.mining.verb_groups import Dropped, Found, Refused, is_passive, lemma_of
from pcf_core.mining.verbs import is_reporting

SUBJECTS = ("he", "she")  # pronouns that can be the subject of a clause, and whose reference can be told
FITS: tuple[Part, ...] = ("pronoun",)
PAIRS = frozenset({"as if", "as though", "so that", "even though", "even if", "now that"})
COORDINATORS = frozenset({"and", "but", "so"})
QUESTIONS = frozenset(["how", "why", "what", "where", "when", "who", "whom"])
RELATIVES = frozenset(["which", "whom", "who", "whose", "where", "what"])
QUESTION_WORDS = frozenset(["what", "who", "whom", "where", "why", "how"])


def wanted(topics: Sequence[Topic]) -> tuple[str, ...]:
    """List the words of the topics that can be the subject of a clause, in lower case."""
    words = {word.lower() for topic in topics for word in topic.words}
    return tuple(word for word in SUBJECTS if word in words)


def clausal(
    tree: Tree, words: Collection[str], topic_words: Collection[str] = ()
) -> Iterator[Found | Dropped]:
    """Yield at most one template of a sentence, or why a sentence of this form gives none.

    ``words``: the pronouns, in lower case; ``topic_words``: all words of the topics; none may stand inside.
    """
    dropped: Dropped | None = None
    for pronoun, word in enumerate(tree.words):
        if pronoun < 2 or word.lower() not in words or not tree.has(pronoun, "nsubj"):
            continue
        clause = tree.heads[pronoun]
        better = mended(tree, clause)
        found = governor(better, clause)
        if found is None or not found[1] < found[0] < pronoun:
            continue
        verdict = judge(better, found[1], pronoun)
        if not verdict.accepted:
            dropped = dropped or Dropped(f"not the same person: {verdict.reason}")
            continue
        try:
            text = skeleton(better, found[0], clause, pronoun, topic_words)
            yield Found(text, found[1], pronoun, FITS)
            return
        except Refused as reason:
            dropped = dropped or Dropped(str(reason), (found[1], pronoun))
    if dropped:
        yield dropped


def governor(tree: Tree, clause: int) -> tuple[int, int] | None:
    """Find the main predicate on which a clause depends, and its subject.

    The main predicate is the root, or a predicate joined to it that shares its subject ("came and said"); an
    infinitive may stand between ("refused to say whether he ...").
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


def skeleton(tree: Tree, head: int, clause: int, pronoun: int, topic_words: Collection[str] = ()) -> str:
    """Make the template of a predicate and the clause below it.

    Raises
    ------
    Refused
        With its reason.
    """
    joint = connective(tree, clause, pronoun)
    words = told(in_general(tree, clause), head, clause)
    check_clause(tree, clause, joint, words)
    hint = hints(words, topic_words)
    if hint:
        raise Refused(hint)
    return f"The [X] {' '.join(words)} {joint} [Y]"


def connective(tree: Tree, clause: int, pronoun: int) -> str:
    """Return the words that join the clause; ``that`` where a reporting verb has none.

    Raises
    ------
    Refused
        None, or one that is not known.
    """
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
    """Refuse clauses that this predicate does not take: most are relative clauses that were parsed amiss."""
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
        told = bool(tree.children(head, "obj", "iobj"))
        if told and lemma not in lists["told"] | lists["recipient_optional"]:
            raise Refused("a clause its predicate does not take")
        if lemma in lists["needs_recipient"] and not told and not passive:
            raise Refused("a verb that needs more")
        if joint == "that" and not lexicon().needs_particle.get(lemma, frozenset(words)) & set(words):
            raise Refused("a verb that needs more")
    elif (joint == "that" and not {"so", "such"} & set(words) and word not in lists["stance"]) or (
        joint == "as" and len(words) == 1
    ):
        raise Refused("a clause its predicate does not take")


def mended(tree: Tree, clause: int) -> Tree:
    """Return the tree with the clause attached where it belongs; the same tree if no error is known."""
    for repair in (question_after_its_verb, free_relative, clause_of_the_told):
        better = repair(tree, clause)
        if better is not None:
            return better
    return tree


def question_after_its_verb(tree: Tree, clause: int) -> Tree | None:
    """Read ``whether``, ``that`` or ``if`` after a verb that takes it as the start of a complement."""
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


def free_relative(tree: Tree, clause: int) -> Tree | None:
    """Attach a question word that the verb has as its object to the clause that it opens."""
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
    return _attached(_attached(tree, clause, verb), word, clause, "obj")


def clause_of_the_told(tree: Tree, clause: int) -> Tree | None:
    """Attach what somebody is told to the verb, not to the person who is told."""
    noun = tree.heads[clause]
    verb = tree.heads[noun]
    if not tree.has(clause, "acl") or not tree.has(noun, "obj", "iobj") or tree.children(verb, "ccomp"):
        return None
    marks = tree.children(clause, "mark")
    that = len(marks) == 1 and tree.words[marks[0]].lower() == "that" and tree.tags[marks[0]] == "IN"
    if that and lemma_of(tree, verb) in lexicon().lists["told"]:
        return _attached(tree, clause, verb)
    return None


def _attached(tree: Tree, token: int, head: int, relation: str = "ccomp") -> Tree:
    heads, relations = list(tree.heads), list(tree.relations)
    heads[token], relations[token] = head, relation
    return replace(tree, heads=tuple(heads), relations=tuple(relations))

"""The constructions of Chinese: a clause behind a verb of saying, a possessive before a thing of one's own.

护士      说      (，)    她 很 累                护士      失去 了    她 的          工作
subject < verb < comma < subject of its clause    subject < verb    < pronoun 的  < object

Both are made of listed words alone, so that a template holds no hint at a group: 这位[X]说[Y],
这位[X]失去了[Y]的工作.  Before and behind the words of a template a sentence may go on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from pcf_core.core.topics import Part
from pcf_core.mining.chinese.subjects import check_person
from pcf_core.mining.chinese.words import words
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.verb_groups import Dropped, Found, Refused

PRONOUNS = ("他", "她")
FITS: tuple[Part, ...] = ("pronoun",)  # before 的 too: Chinese has one form
OF = "的"
COMMAS = ("，", ",")
DIRECT = frozenset("：:“”「」『』‘’\"'")
PLURAL = "们"
TIME = re.compile(r"[\d〇零一二三四五六七八九十]+[年月日号时点分]?|[年月日号时点分]")  # 5月 3 日
Behind = Callable[[Tree, int, int], tuple[list[str], list[str]]]  # tree, verb, pronoun -> words kept


def clause(
    tree: Tree, pronouns: Collection[str], topic_words: Collection[str] = ()
) -> Iterator[Found | Dropped]:
    """Yield at most one template of a sentence whose pronoun is the subject of a clause; or why it gave none.

    ``pronouns``: those that are looked for; ``topic_words``: all words of the topics; none may stand inside.
    """
    for pronoun, verb in _candidates(tree, pronouns, "nsubj"):
        governed = tree.heads[pronoun]
        if not tree.has(governed, "ccomp") or tree.heads[governed] != verb:
            continue
        if tree.words[verb] in words().saying:
            yield _tried(tree, verb, pronoun, topic_words, _behind_saying)
            return


def possessive(
    tree: Tree, pronouns: Collection[str], topic_words: Collection[str] = ()
) -> Iterator[Found | Dropped]:
    """Yield at most one template of a sentence whose pronoun owns the object; or why it gave none.

    ``pronouns`` and ``topic_words`` as for :func:`clause`.
    """
    for pronoun, verb in _candidates(tree, pronouns, "nmod", "det"):
        thing = tree.heads[pronoun]
        if not tree.has(thing, "obj") or tree.heads[thing] != verb:
            continue
        if tree.words[thing] in words().own.get(tree.words[verb], ()):
            yield _tried(tree, verb, pronoun, topic_words, _behind_doing)
            return


def _candidates(tree: Tree, pronouns: Collection[str], *relations: str) -> Iterator[tuple[int, int]]:
    """Yield the pronouns of these relations that stand behind a main verb with one subject, and the verb."""
    verb = tree.root
    subjects = tree.children(verb, "nsubj", "csubj")
    if len(subjects) != 1 or subjects[0] > verb or tree.has(subjects[0], "csubj"):
        return
    for token, word in enumerate(tree.words):
        if token > verb and word in pronouns and tree.has(token, *relations):
            yield token, verb


def _tried(
    tree: Tree, verb: int, pronoun: int, topic_words: Collection[str], behind: Behind
) -> Found | Dropped:
    """Return the template of a pronoun behind a verb, or why there is none."""
    (subject,) = tree.children(verb, "nsubj")
    try:
        check_person(tree, subject, pronoun)
        _check_alone(tree, pronoun)
        before, (inside, ending) = _before(tree, subject, verb), behind(tree, verb, pronoun)
        kept = [*before, tree.words[verb], *inside]
        if not set(topic_words).isdisjoint([*kept, *ending]):
            raise Refused("a hint at the group")
    except Refused as reason:
        return Dropped(str(reason), (subject, pronoun))
    return Found(f"这位[X]{''.join(kept)}[Y]{''.join(ending)}", subject, pronoun, FITS)


def _check_alone(tree: Tree, pronoun: int) -> None:
    """Refuse a pronoun of several (他 们), and one with more than 的 beside it (她 和 同事)."""
    behind = tree.words[pronoun + 1 : pronoun + 2]
    beside = [tree.words[child] for child in tree.children(pronoun) if tree.words[child] != OF]
    if PLURAL in behind or beside:
        raise Refused("more than the pronoun")


def _before(tree: Tree, subject: int, verb: int) -> list[str]:
    """Return what is kept of the words between subject and verb: negation, and the first half of a verb.

    Commas, times and listed adverbs are cut, also before the subject.

    Raises
    ------
    Refused
        Anything else, as that may name another person, or change what the verb says.
    """
    known, kept = words(), []
    for child in tree.children(verb):
        if child > verb or child == subject:
            continue
        below = [tree.words[token] for token in tree.subtree(child)]
        word = tree.words[child]
        half = child == verb - 1 and word in known.before_saying and tree.words[verb] in known.with_saying
        if len(below) == 1 and child > subject and (half or word in known.negation):
            kept.append(word)
        elif any(one not in (*COMMAS, *known.cut) and not TIME.fullmatch(one) for one in below):
            raise Refused("more than the subject stands before the verb")
    return kept


def _behind_saying(tree: Tree, verb: int, pronoun: int) -> tuple[list[str], list[str]]:
    """Return what is kept between verb and pronoun, a comma or nothing, and behind the pronoun: nothing.

    Raises
    ------
    Refused
        Direct speech, in which 他 and 她 are never who speaks; or other words.
    """
    between = tree.words[verb + 1 : pronoun]
    if any(mark in DIRECT for mark in between):
        raise Refused("direct speech")
    if between not in ((), *((comma,) for comma in COMMAS)):
        raise Refused("more than a comma stands before the clause")
    return [COMMAS[0]] * len(between), []


def _behind_doing(tree: Tree, verb: int, pronoun: int) -> tuple[list[str], list[str]]:
    """Return what is kept between verb and pronoun, a sign of aspect or nothing, and behind the pronoun.

    Raises
    ------
    Refused
        Other words between verb and pronoun, or more than 的 between the pronoun and the thing.
    """
    between, thing = tree.words[verb + 1 : pronoun], tree.heads[pronoun]
    if len(between) > 1 or any(word not in words().aspect for word in between):
        raise Refused("more than the verb stands before the pronoun")
    if tree.words[pronoun + 1 : thing] != (OF,):
        raise Refused("more than 的 stands before the thing")
    return list(between), [OF, tree.words[thing]]

"""Chinese for the miner: its sentences, its word lists, and two constructions.

    护士      说      (，)    她 很 累                护士      失去 了    她 的          工作
    subject < verb < comma < subject of its clause    subject < verb    < pronoun 的  < object

The rules read relations of Universal Dependencies as in UD Chinese GSD, and what
:data:`pcf_core.mining.parser.schemes.STANFORD` makes of the labels of spaCy's Chinese packages.  Precision
was not measured, so no construction is on by default.

Both use only listed words (``assets/language/zh/words.toml``), so that a template has no hint at a group:
这位[X]说[Y], 这位[X]失去了[Y]的工作.  A sentence may have more words before and after.  他 or 她 need not be
the subject of the clause above (医生说她会康复 may be about a patient), so only subjects that are certainly
one person are accepted, with nobody else named before the pronoun.

A sentence ends after ``。``, ``！``, ``？`` or ``…`` with the marks and closing quotation marks that follow,
and at the end of a line, but not at a Latin full stop, which occurs in numbers and foreign names.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from pcf_core.core.records import digest
from pcf_core.core.settings import settings
from pcf_core.core.topics import Part
from pcf_core.material.evidence import load_evidence
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import lists_identity
from pcf_core.mining.sentences import WITHOUT_WORD
from pcf_core.mining.verb_groups import Candidate, Dropped, Refused

PRONOUNS = ("他", "她")
FITS: tuple[Part, ...] = ("pronoun",)  # also before 的
OF = "的"
COMMAS = ("，", ",")
DIRECT = frozenset("：:“”「」『』‘’\"'")
PLURAL = "们"
TIME = re.compile(r"[\d〇零一二三四五六七八九十]+[年月日号时点分]?|[年月日号时点分]")  # 5月 3 日
Behind = Callable[[Tree, int, int], tuple[list[str], list[str]]]  # tree, verb, pronoun -> words to keep
GENDERS = {"他": "male", "她": "female"}
NAMES = ("NR", "NNP", "PROPN")  # tags of names: Chinese Treebank, UD Chinese GSD, universal
DOT = "·"  # between the parts of a foreign name
OF_ONE = ("det", "nummod", "clf")
OF_A_NAME = ("appos", "flat")
EVIDENCE = "occupations-zh"
MAX_CHARACTERS = 120
TOO_LONG = f"sentence over {MAX_CHARACTERS} characters"
SENTENCE = re.compile(r"[^。！？!?…\n]*+(?:[。！？!?…]++[”’」』）)\"]*+|\n|\Z)")
CHARACTER = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
# Not pronouns: 其他 (other), 吉他 (guitar); 他们 and 她们 are plural.
NOT_BEHIND, NOT_BEFORE = "其吉", "们"


def clause(
    tree: Tree, pronouns: Collection[str], topic_words: Collection[str] = ()
) -> Iterator[Candidate | Dropped]:
    """Yield at most one template of a pronoun as the subject of a clause, or why there is none."""
    for pronoun, verb in _candidates(tree, pronouns, "nsubj"):
        governed = tree.heads[pronoun]
        if not tree.has(governed, "ccomp") or tree.heads[governed] != verb:
            continue
        if tree.words[verb] in words().saying:
            yield _tried(tree, verb, pronoun, topic_words, _behind_saying)
            return


def possessive(
    tree: Tree, pronouns: Collection[str], topic_words: Collection[str] = ()
) -> Iterator[Candidate | Dropped]:
    """Yield at most one template of a pronoun that owns the object, or why there is none."""
    for pronoun, verb in _candidates(tree, pronouns, "nmod", "det"):
        thing = tree.heads[pronoun]
        if not tree.has(thing, "obj") or tree.heads[thing] != verb:
            continue
        if tree.words[thing] in words().own.get(tree.words[verb], ()):
            yield _tried(tree, verb, pronoun, topic_words, _behind_doing)
            return


def _candidates(tree: Tree, pronouns: Collection[str], *relations: str) -> Iterator[tuple[int, int]]:
    """Yield pronouns with these relations after a main verb with one subject, and the verb."""
    verb = tree.root
    subjects = tree.children(verb, "nsubj", "csubj")
    if len(subjects) != 1 or subjects[0] > verb or tree.has(subjects[0], "csubj"):
        return
    for token, word in enumerate(tree.words):
        if token > verb and word in pronouns and tree.has(token, *relations):
            yield token, verb


def _tried(
    tree: Tree, verb: int, pronoun: int, topic_words: Collection[str], behind: Behind
) -> Candidate | Dropped:
    """Return the template of a pronoun after a verb, or why there is none."""
    (subject,) = tree.children(verb, "nsubj")
    try:
        _check_person(tree, subject, pronoun)
        _check_alone(tree, pronoun)
        before, (inside, ending) = _before(tree, subject, verb), behind(tree, verb, pronoun)
        inner = [*before, tree.words[verb], *inside]
        if not set(topic_words).isdisjoint([*inner, *ending]):
            raise Refused("a hint at the group")
    except Refused as reason:
        return Dropped(str(reason), (subject, pronoun))
    return Candidate(f"这位[X]{''.join(inner)}[Y]{''.join(ending)}", subject, pronoun, FITS)


def _check_alone(tree: Tree, pronoun: int) -> None:
    """Refuse plural pronouns (他 们), and any with more than 的 beside it (她 和 同事)."""
    behind = tree.words[pronoun + 1 : pronoun + 2]
    beside = [tree.words[child] for child in tree.children(pronoun) if tree.words[child] != OF]
    if PLURAL in behind or beside:
        raise Refused("more than the pronoun")


def _before(tree: Tree, subject: int, verb: int) -> list[str]:
    """Return the words to keep between subject and verb: negation, and the first half of a verb.

    Commas, times and listed adverbs are removed, also before the subject; other words are refused.
    """
    lists, words_before = words(), []
    for child in tree.children(verb):
        if child > verb or child == subject:
            continue
        below = [tree.words[token] for token in tree.subtree(child)]
        word = tree.words[child]
        half = child == verb - 1 and word in lists.before_saying and tree.words[verb] in lists.with_saying
        if len(below) == 1 and child > subject and (half or word in lists.negation):
            words_before.append(word)
        elif any(one not in (*COMMAS, *lists.cut) and not TIME.fullmatch(one) for one in below):
            raise Refused("more than the subject stands before the verb")
    return words_before


def _behind_saying(tree: Tree, verb: int, pronoun: int) -> tuple[list[str], list[str]]:
    """Return the words to keep between verb and pronoun (a comma or none), and after it (none).

    Direct speech is refused: 他 and 她 in it never refer to the speaker.
    """
    between = tree.words[verb + 1 : pronoun]
    if any(mark in DIRECT for mark in between):
        raise Refused("direct speech")
    if between not in ((), *((comma,) for comma in COMMAS)):
        raise Refused("more than a comma stands before the clause")
    return [COMMAS[0]] * len(between), []


def _behind_doing(tree: Tree, verb: int, pronoun: int) -> tuple[list[str], list[str]]:
    """Return the words to keep between verb and pronoun (an aspect marker or none), and after it."""
    between, thing = tree.words[verb + 1 : pronoun], tree.heads[pronoun]
    if len(between) > 1 or any(word not in words().aspect for word in between):
        raise Refused("more than the verb stands before the pronoun")
    if tree.words[pronoun + 1 : thing] != (OF,):
        raise Refused("more than 的 stands before the thing")
    return list(between), [OF, tree.words[thing]]


def _check_person(tree: Tree, subject: int, pronoun: int) -> None:
    for child in tree.children(subject):
        _check_beside(tree, subject, child)
    if not _is_person(tree, subject):
        raise Refused("not the same person: the noun is not a person's")
    gender = _gender_of(tree, subject)
    if gender and gender != GENDERS.get(tree.words[pronoun], gender):
        raise Refused("not the same person: another gender")


def _check_beside(tree: Tree, subject: int, child: int) -> None:
    """Refuse words beside the subject unless they certainly name nobody else.

    Allowed are one article, number and classifier of one (这 位), a noun or adjective without dependents
    (医院 护士, 年轻 护士), and the name of the same person (护士 王芳, 王 医生), but no full name before the
    noun: 小红 妈妈 is the mother of 小红.
    """
    lists, below = words(), list(tree.subtree(child))
    if tree.has(child, *OF_ONE):
        if any(tree.words[token] not in lists.one for token in below):
            raise Refused("not the same person: there may be several")
        return
    single = below == [child] and child < subject
    same = tree.has(child, *OF_A_NAME) and below == [child] and _is_name(tree, child)
    title = child == subject - 1 and _is_name(tree, subject)  # 护士 王芳
    may_be_name = _is_name(tree, child) or not tree.tags[child]  # unknown without a tagger
    named = _is_noun_for_person(tree, child) or (may_be_name and len(tree.words[child]) > 1)
    plain = tree.has(child, "compound", "amod", "nmod") and (title or not named)
    if not (same or (single and plain)):
        raise Refused("not the same person: something beside the noun may name another")


def _is_person(tree: Tree, token: int) -> bool:
    """Tell whether a noun is one person: by itself, by such a noun before it, or as a foreign name."""
    if _is_noun_for_person(tree, token):
        return True
    name = tree.words[token]
    if not _is_name(tree, token) or name.endswith(words().organisation):
        return False
    return DOT in name.strip(DOT) or (
        token > 0 and tree.heads[token - 1] == token and _is_noun_for_person(tree, token - 1)
    )


def _is_noun_for_person(tree: Tree, token: int) -> bool:
    """Tell whether a word is a listed noun for a person, or one after a character: 王医生, 女护士, 副教授."""
    word = tree.words[token]
    return word in words().person or (len(word) > 2 and word[1:] in words().person)


def _is_name(tree: Tree, token: int) -> bool:
    return tree.tags[token] in NAMES


def _gender_of(tree: Tree, subject: int) -> str | None:
    lists = words()
    parts = [
        part
        for token in tree.subtree(subject)
        for part in (tree.words[token], tree.words[token][:1], tree.words[token][1:])
    ]
    if any(part in lists.female for part in parts):
        return "female"
    return "male" if any(part in lists.male for part in parts) else None


@dataclass(frozen=True)
class Words:
    """The lists that the file explains.

    ``person`` includes the shipped occupations, ``male`` and ``female``; ``own``: verb -> its subject's
    things.
    """

    person: frozenset[str]
    male: frozenset[str]
    female: frozenset[str]
    one: frozenset[str]
    saying: frozenset[str]
    before_saying: frozenset[str]
    with_saying: frozenset[str]
    own: Mapping[str, frozenset[str]]
    aspect: frozenset[str]
    negation: frozenset[str]
    cut: frozenset[str]
    organisation: tuple[str, ...]


def lists_of_chinese() -> str:
    """Hash everything that :func:`words` reads."""
    return digest([lists_identity("zh"), load_evidence(EVIDENCE).hash])


@lru_cache(maxsize=1)
def words() -> Words:
    """Load the shipped lists."""
    path = settings().assets / "language" / "zh" / "words.toml"
    table = tomllib.loads(path.read_text(encoding="utf8"))
    lists = {name: frozenset(text.split()) for name, text in table.items() if isinstance(text, str)}
    lists["person"] |= lists["male"] | lists["female"] | frozenset(load_evidence(EVIDENCE).terms)
    organisation = tuple(sorted(lists.pop("organisation")))
    own = {verb: frozenset(things) for verb, *things in map(str.split, table["own"])}
    return Words(**lists, own=own, organisation=organisation)


class Sentences:
    """Finds the sentences of a text with a wanted word, which may be part of a word except 其他 and 他们."""

    def __init__(self, words: Collection[str]) -> None:
        either = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
        self._search = re.compile(rf"(?<![{NOT_BEHIND}])(?:{either})(?!{NOT_BEFORE})" if either else "(?!)")

    def __call__(self, text: str, passed: Counter[str]) -> Iterator[tuple[int, str]]:
        """Yield (offset, sentence) from left to right.

        ``passed`` counts the others: over 120 characters, or without a wanted word.
        """
        for match in SENTENCE.finditer(text):
            sentence = match[0].strip()
            if not sentence:
                continue
            if not self._search.search(sentence):
                passed[WITHOUT_WORD] += 1
            elif len(sentence) > MAX_CHARACTERS:
                passed[TOO_LONG] += 1
            else:
                yield match.start() + match[0].index(sentence), sentence


def count_characters(text: str) -> int:
    """Count Chinese characters, the unit of length for Chinese texts."""
    return sum(1 for _ in CHARACTER.finditer(text))

"""Whom a pronoun of Chinese means: whether a subject is one person, of a gender that the pronoun can have.

Nothing in Chinese says that 他 or 她 is the subject of the clause above: 医生说她会康复 may well be of a
patient.  So the rules accept only subjects that are one person for certain, with nobody else named before the
pronoun, and refuse whatever they do not know.
"""

from __future__ import annotations

from pcf_core.mining.chinese.words import words
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.verb_groups import Refused

GENDERS = {"他": "male", "她": "female"}
NAMES = ("NR", "NNP", "PROPN")  # tags of a name: Chinese Treebank, UD Chinese GSD, universal
DOT = "·"  # between the parts of a foreigner's name
OF_ONE = ("det", "nummod", "clf")
OF_A_NAME = ("appos", "flat")


def check_person(tree: Tree, subject: int, pronoun: int) -> None:
    """Refuse a subject that a pronoun may not mean.

    Raises
    ------
    Refused
        It may be several people, no person, or of another gender; something beside it may name another.
    """
    for child in tree.children(subject):
        _check_beside(tree, subject, child)
    if not is_person(tree, subject):
        raise Refused("not the same person: the noun is not a person's")
    gender = gender_of(tree, subject)
    if gender and gender != GENDERS.get(tree.words[pronoun], gender):
        raise Refused("not the same person: another gender")


def _check_beside(tree: Tree, subject: int, child: int) -> None:
    """Refuse what stands beside the subject unless it is known to name nobody else.

    Allowed are one article, number and classifier of one (这 位), a noun or adjective without dependents
    (医院 护士, 年轻 护士), and the name of the same person (护士 王芳, 王 医生), but no whole name before the
    noun: 小红 妈妈 is the mother of 小红.
    """
    known, below = words(), list(tree.subtree(child))
    if tree.has(child, *OF_ONE):
        if any(tree.words[token] not in known.one for token in below):
            raise Refused("not the same person: there may be several")
        return
    single = below == [child] and child < subject
    same = tree.has(child, *OF_A_NAME) and below == [child] and is_name(tree, child)
    title = child == subject - 1 and is_name(tree, subject)  # 护士 王芳
    may_be_name = is_name(tree, child) or not tree.tags[child]  # a parser without a tagger cannot tell
    named = is_noun_for_person(tree, child) or (may_be_name and len(tree.words[child]) > 1)
    plain = tree.has(child, "compound", "amod", "nmod") and (title or not named)
    if not (same or (single and plain)):
        raise Refused("not the same person: something beside the noun may name another")


def is_person(tree: Tree, token: int) -> bool:
    """Tell whether a noun is one person: by itself, by such a noun before it, or as a foreigner's name."""
    if is_noun_for_person(tree, token):
        return True
    name = tree.words[token]
    if not is_name(tree, token) or name.endswith(words().organisation):
        return False
    return DOT in name.strip(DOT) or (
        token > 0 and tree.heads[token - 1] == token and is_noun_for_person(tree, token - 1)
    )


def is_noun_for_person(tree: Tree, token: int) -> bool:
    """Tell whether a word is a listed noun for a person, or one with a character before it.

    王医生, 女护士 and 副教授 are such words; 医生们 is none.
    """
    word = tree.words[token]
    return word in words().person or (len(word) > 2 and word[1:] in words().person)


def is_name(tree: Tree, token: int) -> bool:
    """Tell whether the parser says that a word is a proper name; without a tagger nothing is one."""
    return tree.tags[token] in NAMES


def gender_of(tree: Tree, subject: int) -> str | None:
    """Return the gender that a subject or a word beside it tells, ``"male"`` or ``"female"``; else None."""
    known = words()
    told = [
        part
        for token in tree.subtree(subject)
        for part in (tree.words[token], tree.words[token][:1], tree.words[token][1:])
    ]
    if any(part in known.female for part in told):
        return "female"
    return "male" if any(part in known.male for part in told) else None

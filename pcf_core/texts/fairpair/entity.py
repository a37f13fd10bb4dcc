"""Which words of a text mean the entity: its name, the pronouns that take it up, what is said that it is.

A simple rule that reads a whole text, where mining's (:mod:`pcf_core.mining.coreference`) accepts only pairs
within one sentence of which it is sure.  The text is about the entity until another person of its gender is
the subject of a clause; from there a pronoun means that one, until the entity is named again, not beside
such a subject ("Bob saw John. He ...": Bob).

- *he, his*                 the one the text is about
- *him*                     not the subject of its clause: "John saw him" is another, "Bob saw him" the entity
- *himself*                 the subject of its clause
- *waiter* in "he is a waiter", "worked as a waiter", "John, a waiter,", and the title before the name: the
  entity; so is *the waiter* later on

Persons and genders are told by :mod:`pcf_core.mining.persons`.  ``benchmarks/perturbation.py`` measures it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import NAME_PARTS, Gender, gender_of, name_of, names_one_person

PRONOUNS: Mapping[str, Gender] = {
    "he": "male",
    "him": "male",
    "his": "male",
    "himself": "male",
    "she": "female",
    "her": "female",
    "hers": "female",
    "herself": "female",
}
OBJECTS = ("obj", "iobj", "obl")
MODIFIERS = ("amod", "compound")


@dataclass
class Reader:
    """Reads a text sentence by sentence.

    ``gender``: of the entity, ``None`` if unknown.  ``focus``: whether the text is about the entity at this
    point.  ``nouns``: those used for the entity.
    """

    name: str
    gender: Gender | None
    focus: bool = True
    nouns: set[str] = field(default_factory=set)

    def read(self, tree: Tree) -> frozenset[int]:
        """Return the tokens of the next sentence that mean the entity."""
        own: set[int] = set()
        named = set(self.named(tree))
        for token in range(len(tree)):
            if token in named:
                own.add(token)
                self.focus = self.focus or self.is_brought_up(tree, token)
            elif tree.words[token].lower() in PRONOUNS:
                if self.is_meant(tree, token, own):
                    own.add(token)
            elif self.is_somebody(tree, token) and not named & set(name_of(tree, token)):
                if is_beside(tree, token, named):
                    own.add(token)
                    self.nouns.add(tree.lemmas[token].lower())
                elif tree.lemmas[token].lower() in self.nouns and tree.children(token, "det"):
                    own.add(token)
                    self.focus = True
                elif tree.has(token, "nsubj"):
                    self.focus = False
        for token in sorted(own):
            for noun in said_of(tree, token):
                own.update((noun, *tree.children(noun, *MODIFIERS)))
                if tree.tags[noun] == "NN":
                    self.nouns.add(tree.lemmas[noun].lower())
        return frozenset(own)

    def named(self, tree: Tree) -> Iterator[int]:
        """Yield the tokens of the entity's name, which may have several words, all in capitals."""
        parts = self.name.split()
        for start in range(len(tree) - len(parts) + 1):
            words = tree.words[start : start + len(parts)]
            if all(word in (part, part.upper()) for word, part in zip(words, parts, strict=True)):
                yield from range(start, start + len(parts))

    def is_brought_up(self, tree: Tree, token: int) -> bool:
        """Tell whether the entity's name makes it the subject: no rival is the subject of its clause."""
        while tree.has(token, *NAME_PARTS, "appos", "conj"):
            token = tree.heads[token]
        subject = None if tree.has(token, "nsubj") else subject_of(tree, token)
        return subject is None or subject == token or not self.is_rival(tree, subject)

    def is_rival(self, tree: Tree, token: int) -> bool:
        """Tell whether a noun or pronoun may be another person whom the entity's pronouns could mean."""
        gender = PRONOUNS.get(tree.words[token].lower())
        return self.is_somebody(tree, token) if gender is None else self.gender in (None, gender)

    def is_somebody(self, tree: Tree, token: int) -> bool:
        """Tell whether a noun may be a person whom the entity's pronouns could mean."""
        return (
            not tree.has(token, *NAME_PARTS)
            and names_one_person(tree, token)
            and (self.gender is None or gender_of(tree, token) in (None, self.gender))
        )

    def is_meant(self, tree: Tree, token: int, own: set[int]) -> bool:
        """Tell whether a pronoun means the entity; ``own``: tokens before it that mean the entity."""
        word = tree.words[token].lower()
        if self.gender not in (None, PRONOUNS[word]):
            return False
        if not (word.endswith("self") or tree.has(token, *OBJECTS)):
            return self.focus
        subject = subject_of(tree, token)
        if subject is None:
            return self.focus
        if word.endswith("self"):
            return subject in own or (self.focus and not self.is_somebody(tree, subject))
        if subject in own:
            return False
        return self.focus or self.is_rival(tree, subject)


def entity_tokens(trees: Sequence[Tree], name: str, gender: Gender | None) -> list[frozenset[int]]:
    """Return [sentence] the tokens that mean the entity; at its start the text is about the entity."""
    reader = Reader(name, gender)
    return [reader.read(tree) for tree in trees]


def subject_of(tree: Tree, token: int) -> int | None:
    """Return the subject of a token's predicate; of an infinitive, the object above ("told Bob to ...")."""
    while True:
        if subjects := tree.children(token, "nsubj"):
            return subjects[0]
        head = tree.heads[token]
        if head == token:
            return None
        if tree.has(token, "xcomp") and (objects := tree.children(head, "obj", "iobj")):
            return objects[0]
        token = head


def is_beside(tree: Tree, token: int, named: Collection[int]) -> bool:
    """Tell whether a noun with an article stands in commas after one of the tokens: "John, a waiter,".

    This is decided from the words, because a parser may take such a noun for another subject, and joins the
    first noun of a list to the entity ("John, a waiter, and a nurse left").
    """
    first = min(tree.children(token, "det", *MODIFIERS), default=token)
    return (
        first > 1
        and tree.tags[first] == "DT"
        and tree.words[first - 1] == ","
        and first - 2 in named
        and tree.words[token + 1 : token + 2] == (",",)
        and not tree.has(token, "conj")
        and not tree.children(token, "conj")
    )


def said_of(tree: Tree, token: int) -> Iterator[int]:
    """Yield the nouns by which a sentence describes a person: predicates, appositions, titles."""
    yield from (part for part in name_of(tree, token) if part != token)
    yield from tree.children(token, "appos")
    head = tree.heads[token]
    if tree.has(token, "appos", *NAME_PARTS):
        yield head
    if tree.has(token, "nsubj"):
        if tree.children(head, "cop"):
            yield head
            yield from tree.children(head, "conj")
        if tree.lemmas[head] in ("become", "remain", "stay"):
            yield from tree.children(head, "xcomp", "obj")
        for noun in tree.children(head, "obl"):
            if any(tree.words[case].lower() == "as" for case in tree.children(noun, "case")):
                yield noun

"""p: rewrite a text about one entity or group as a text about the other: x -> p(x), g(x) -> u = p(g(x)).

    he gave her his book    ->    she gave him her book            whole
    John saw his sister     ->    Jane saw her sister              entity: the sister is somebody else
    John saw his sister     ->    Jane saw her brother             whole

Characters outside the changed words stay.  Mode ``whole`` exchanges every word of either side; mode
``entity`` only the entity's name, its pronouns, and nouns that describe it.

**Errors.**  Errors of p look like bias, so two are counted: texts that p⁻¹ does not restore, and words of the
source side that remain.  Neither is the whole error: a word wrongly exchanged both ways is restored, unknown
words are not counted, and some remaining words are right (*Stephen King*).

**Which words refer to the entity.**  A simple rule that must decide for a whole text, unlike
:mod:`pcf_core.mining.coreference`: the text is about the entity until another person of its gender is the
subject of a clause; from there pronouns refer to that person until the entity is named again, unless beside
such a subject ("Bob saw John. He ...": Bob).

- *he, his*                 whoever the text is about
- *him*                     not the subject of its clause: "John saw him" is another, "Bob saw him" the entity
- *himself*                 the subject of its clause
- *waiter* in "he is a waiter", "worked as a waiter", "John, a waiter,", and the title before the name: the
  entity; so is *the waiter* later on
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Protocol

from pcf_core.core.settings import settings
from pcf_core.mining.parser.trees import Placed, Tree, placed
from pcf_core.mining.persons import (
    LEANS,
    NAME_PARTS,
    PRONOUNS,
    Gender,
    gender_of,
    name_of,
    names_one_person,
    naming,
)
from pcf_core.texts.fairpair.matching import Change, Matcher, given_names
from pcf_core.texts.fairpair.records import (
    Cause,
    Mode,
    NotReturned,
    Pair,
    PerturbationErrors,
    PerturbationTable,
)
from pcf_core.texts.fairpair.tables import check_names, load_table

# Sentences in capitals: a parser takes all words of HE LOST HIS KEYS for names.


SENTENCE = re.compile(r"[^.!?…\n]+")
WORD = re.compile(r"[^\W\d_]+")


def calmed(text: str, names: Container[str]) -> str:
    """Write sentences of several words in capitals in lower case; *I* and ``names`` keep their capital."""

    def sentence(match: re.Match[str]) -> str:
        shouted = match[0].isupper() and len(WORD.findall(match[0])) > 1
        return WORD.sub(word, match[0]) if shouted else match[0]

    def word(match: re.Match[str]) -> str:
        small = "".join(map(smaller, match[0]))
        return match[0][0] + small[1:] if small in names or small == "i" else small

    return SENTENCE.sub(sentence, text)


def smaller(letter: str) -> str:
    """Return the lower-case letter, unless that would be two characters."""
    return letter if len(letter.lower()) > 1 else letter.lower()


class Parser(Protocol):
    """A parser such as :class:`pcf_core.mining.parser.pipeline.Pipeline`."""

    def trees(self, texts: Iterable[str]) -> Iterator[list[Tree]]:
        """Yield the sentences of each text, in order."""
        ...


@lru_cache(maxsize=1)
def usual_parser() -> Parser:
    """Open the parser of the settings; it imports spaCy, which no page may."""
    from pcf_core.mining.parser.pipeline import open_pipeline

    return open_pipeline(settings().pipeline)


@dataclass(frozen=True)
class Perturbed:
    """A text after p, with ``changes`` as positions in ``before``; ``left``: words of the source side."""

    before: str
    text: str
    changes: tuple[Change, ...]
    left: tuple[str, ...]


@dataclass(frozen=True)
class Perturbation:
    """p for one table and one pair of names.

    ``entity``: names of both sides.  ``open_parser``: called when a text needs parts of speech.
    """

    table: PerturbationTable
    entity: Pair
    mode: Mode = "whole"
    reverse: bool = False
    open_parser: Callable[[], Parser] = field(default=usual_parser, compare=False)

    @classmethod
    def of(
        cls,
        table: PerturbationTable | str | Path = "gender",
        *,
        entity: Sequence[str] = (),
        mode: Mode = "whole",
        open_parser: Callable[[], Parser] = usual_parser,
    ) -> Perturbation:
        """Make a perturbation from a table or its name; ``entity`` defaults to the table's first names."""
        words = table if isinstance(table, PerturbationTable) else load_table(table)
        names = check_names(entity) if entity else words.names[0]
        return cls(words, names, mode, open_parser=open_parser)

    def __call__(self, texts: Sequence[str], prompt: str = "") -> list[str]:
        """Rewrite texts; ``prompt``: the text before each, read as context but not returned."""
        return [one.text for one in self.perturbed(texts, prompt)]

    @property
    def inverse(self) -> Perturbation:
        """The opposite direction."""
        return replace(self, reverse=not self.reverse)

    @property
    def source(self) -> str:
        """The side that the texts are about."""
        return self.table.sides[self.reverse]

    @cached_property
    def matcher(self) -> Matcher:
        """The matcher; mode ``whole`` adds the table's other names."""
        others = self.table.names if self.mode == "whole" else ()
        taken = {name.casefold() for name in self.entity}
        free = (pair for pair in others if taken.isdisjoint(name.casefold() for name in pair))
        return Matcher.of(self.table, (self.entity, *free))

    @cached_property
    def gender(self) -> Gender | None:
        """The gender of the source: of its side, or else of its given name."""
        if self.source == "male" or self.source == "female":
            return "male" if self.source == "male" else "female"
        share = naming().given.get(self.entity[self.reverse].split()[0].lower())
        if share is None or 1 - LEANS < share < LEANS:
            return None
        return "female" if share >= LEANS else "male"

    def perturbed(self, texts: Sequence[str], prompt: str = "") -> list[Perturbed]:
        """Rewrite texts and return changes and remaining words; only texts that need it are parsed."""
        opening = prompt if not prompt or prompt[-1].isspace() else f"{prompt} "
        openings = [opening if not text[:1].isspace() else prompt for text in texts]
        wholes = [start + text for start, text in zip(openings, texts, strict=True)]
        asks = self.matcher.needs_tags if self.mode == "whole" else self.matcher.pattern.search
        asking = [index for index, whole in enumerate(wholes) if asks(whole)]
        parsed: dict[int, list[Tree]] = {}
        tokens: dict[int, list[Placed]] = {}
        if asking:
            names = given_names() | {word.casefold() for name in self.entity for word in name.split()}
            calm = {index: calmed(openings[index], names) + calmed(texts[index], names) for index in asking}
            trees = self.open_parser().trees(calm.values())
            parsed = dict(zip(asking, trees, strict=True))
            tokens = {index: placed(calm[index], parsed[index]) for index in asking}
        return [
            self._one(text, wholes[index], len(openings[index]), parsed.get(index, []), tokens.get(index, []))
            for index, text in enumerate(texts)
        ]

    def _one(
        self, text: str, whole: str, skipped: int, trees: Sequence[Tree], tokens: Sequence[Placed]
    ) -> Perturbed:
        tags = {token.start: token.tag for token in tokens}
        changes = self.matcher.changes(whole, lambda place: tags.get(place, ""))
        if self.mode == "entity":
            meant = self._meant(trees, tokens)
            changes = (
                change for change in changes if change.entry.side == self.source and change.word in meant
            )
        # An article at the end of the prompt ("John is a") stays.
        moved = tuple(change.behind(skipped).moved(-skipped) for change in changes if change.word >= skipped)
        unpaired = self.table.unpaired.get(self.source, ())
        left = tuple(self.matcher.left(text, moved, self.source, unpaired))
        if self.mode == "entity":  # other words may be about somebody else
            left = tuple(word for word in left if word == self.entity[self.reverse].casefold())
        return Perturbed(text, written(text, moved), moved, left)

    def _meant(self, trees: Sequence[Tree], tokens: Sequence[Placed]) -> frozenset[int]:
        own = entity_tokens(trees, self.entity[self.reverse], self.gender)
        starts = {id(tree): meant for tree, meant in zip(trees, own, strict=True)}
        return frozenset(token.start for token in tokens if token.token in starts[id(token.tree)])


def written(text: str, changes: Iterable[Change]) -> str:
    """Apply the changes to a text."""
    pieces, end = [], 0
    for change in changes:
        pieces += [text[end : change.start], change.new]
        end = change.end
    return "".join([*pieces, text[end:]])


# The errors of a perturbation.


AROUND = 60  # characters of context on either side
EXAMPLES = 20


def errors_of(
    perturbation: Perturbation, there: Sequence[Perturbed], prompt: str = "", examples: int = EXAMPLES
) -> PerturbationErrors:
    """Count the errors of p in perturbed texts; ``prompt``: the text before each; ``examples``: how many."""
    (behind,) = perturbation([prompt]) if prompt else ("",)
    back = perturbation.inverse.perturbed([one.text for one in there], behind)
    failed = [list(not_returned(perturbation, one, two)) for one, two in zip(there, back, strict=True)]
    left = [one.left for one in there]
    causes: dict[Cause, int] = dict(Counter(one.cause for one in chain.from_iterable(failed)))
    return PerturbationErrors(
        table=perturbation.table.name,
        mode=perturbation.mode,
        texts=len(there),
        changed_texts=sum(bool(one.changes) for one in there),
        changed=sum(len(one.changes) for one in there),
        returned_texts=sum(two.text == one.before for one, two in zip(there, back, strict=True)),
        not_returned=causes,
        left=dict(Counter(chain.from_iterable(left)).most_common()),
        left_texts=sum(map(bool, left)),
        examples=_in_turn(failed, examples),
    )


def together(parts: Sequence[PerturbationErrors], examples: int = EXAMPLES) -> PerturbationErrors:
    """Add up the errors of one perturbation over one or more prompts."""
    if not parts:
        raise ValueError("no errors to add up")
    causes: Counter[Cause] = Counter()
    left: Counter[str] = Counter()
    for part in parts:
        causes.update(part.not_returned)
        left.update(part.left)
    return PerturbationErrors(
        table=parts[0].table,
        mode=parts[0].mode,
        texts=sum(part.texts for part in parts),
        changed_texts=sum(part.changed_texts for part in parts),
        changed=sum(part.changed for part in parts),
        returned_texts=sum(part.returned_texts for part in parts),
        not_returned=dict(causes),
        left=dict(left.most_common()),
        left_texts=sum(part.left_texts for part in parts),
        examples=_in_turn([part.examples for part in parts], examples),
    )


def _in_turn(several: Sequence[Sequence[NotReturned]], most: int) -> tuple[NotReturned, ...]:
    """Take the first of every list before the second of any."""
    rounds = chain.from_iterable(zip_longest(*several))
    return tuple(islice((one for one in rounds if one is not None), most))


def not_returned(perturbation: Perturbation, there: Perturbed, back: Perturbed) -> Iterator[NotReturned]:
    """Yield changes that were not undone, then changes made only on the way back."""
    undoing = {change.start: change for change in back.changes}
    moved = 0
    for change in there.changes:
        start = change.start + moved
        moved += len(change.new) - (change.end - change.start)
        other = undoing.pop(start, None)
        word = there.before[change.start : change.end]
        if other is not None and other.end == start + len(change.new) and other.new == word:
            continue
        yield NotReturned(
            word=word,
            counterpart=change.new,
            back=other.new if other else "",
            cause=cause_of(perturbation, change, other),
            context=context(there.before, change),
        )
    for other in undoing.values():
        yield NotReturned(
            word="",
            counterpart=back.before[other.start : other.end],
            back=other.new,
            cause="another reading",
            context=context(back.before, other),
        )


def cause_of(perturbation: Perturbation, change: Change, other: Change | None) -> Cause:
    """Return why a change was not undone."""
    ways = perturbation.matcher.entries.get(change.entry.becomes.casefold(), ())
    if not any(way.becomes == change.entry.word for way in ways):
        return "one way"
    if other is not None and any(way.tags for way in ways):
        return "part of speech"
    return "another reading"


def context(text: str, change: Change) -> str:
    """Return the text around a change."""
    return " ".join(text[max(0, change.start - AROUND) : change.end + AROUND].split())


OBJECTS = ("obj", "iobj", "obl")
MODIFIERS = ("amod", "compound")


@dataclass
class Reader:
    """Finds the words that refer to an entity, sentence by sentence.

    ``focus``: whether the text is currently about the entity.  ``nouns``: those used for the entity.
    """

    name: str
    gender: Gender | None
    focus: bool = True
    nouns: set[str] = field(default_factory=set)

    def read(self, tree: Tree) -> frozenset[int]:
        """Return the tokens of the next sentence that refer to the entity."""
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
        """Yield the tokens of the entity's name, as written or in capitals."""
        parts = self.name.split()
        for start in range(len(tree) - len(parts) + 1):
            words = tree.words[start : start + len(parts)]
            if all(word in (part, part.upper()) for word, part in zip(words, parts, strict=True)):
                yield from range(start, start + len(parts))

    def is_brought_up(self, tree: Tree, token: int) -> bool:
        """Tell whether naming the entity makes it the topic: no rival is the subject of the clause."""
        while tree.has(token, *NAME_PARTS, "appos", "conj"):
            token = tree.heads[token]
        subject = None if tree.has(token, "nsubj") else subject_of(tree, token)
        return subject is None or subject == token or not self.is_rival(tree, subject)

    def is_rival(self, tree: Tree, token: int) -> bool:
        """Tell whether a noun or pronoun may be another person of the entity's gender."""
        gender = PRONOUNS.get(tree.words[token].lower())
        return self.is_somebody(tree, token) if gender is None else self.gender in (None, gender)

    def is_somebody(self, tree: Tree, token: int) -> bool:
        """Tell whether a noun may be a person of the entity's gender."""
        return (
            not tree.has(token, *NAME_PARTS)
            and names_one_person(tree, token)
            and (self.gender is None or gender_of(tree, token) in (None, self.gender))
        )

    def is_meant(self, tree: Tree, token: int, own: set[int]) -> bool:
        """Tell whether a pronoun refers to the entity; ``own``: tokens before it that do."""
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
    """Return by sentence the tokens that refer to the entity, with which the text begins."""
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

    Decided by words, because parsers often misread this as another subject or as a list.
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
    """Yield the nouns that describe a person: predicates, appositions, titles."""
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

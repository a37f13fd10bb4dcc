"""Where the words of parsed sentences stand in their text: some can be exchanged, and the rest stays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pcf_core.language.trees import Tree

HALF = re.compile(
    r"[\ud800-\udfff]"
)  # halves of characters, which a parser reads as the sign for unknown ones
UNKNOWN = "\ufffd"
# What cannot stand between a possessive and its noun, though the tagger may have read one before it.
NO_NOUN_PHRASE = frozenset(
    {".", ",", ":", "''", "-RRB-", "IN", "TO", "DT", "PRP", "PRP$", "MD", "WDT", "WP", "WRB"}
)
POSSESSIVE, PERSONAL = "PRP$", "PRP"
OBJECTS = "obj", "iobj"
SAYING = ("JJ", "JJR", "VB", "VBG", "VBN", "RB", "RP")
WITHOUT_NOUN = ("own", "first", "last", "next", "best", "worst", "living")


@dataclass(frozen=True)
class Placed:
    """A token of a tree, and the characters of the text where it begins and ends."""

    start: int
    end: int
    tree: Tree
    token: int

    @property
    def tag(self) -> str:
        """The token's tag; a possessive before what cannot be its noun is none: "it is his.", "with her in".

        The end of the sentence, punctuation, prepositions, other pronouns, auxiliaries and articles cannot;
        *every* can.  *her* is one in "her and his book", and none in "called her beautiful", where the parser
        finds an object; "They saw her running" and "helped her move" it reads as nouns that are hers, and
        that is left.

        The shipped parser reads "gave her flowers" as hers to give, and that is left.  The masculine forms
        tell how often it is wrong: before a bare plural that ends its phrase, encyclopaedias and novels have
        *him* 38 and *his* 21 times behind forms of *give*, too near to even for a rule, and behind 14 other
        verbs that take two objects *his* five times as often as *him* (send, tell, write, offer, pay …).
        """
        tree, token = self.tree, self.token
        behind = token + 1
        if tree.tags[token] != POSSESSIVE:
            shared = tree.tags[behind : behind + 2] == ("CC", POSSESSIVE)
            return POSSESSIVE if shared and tree.words[token].lower() == "her" else tree.tags[token]
        alone = self._ends_at(behind) or self._is_object()
        return PERSONAL if alone else POSSESSIVE

    def _ends_at(self, behind: int) -> bool:
        """Whether no noun phrase goes on at a token."""
        tree = self.tree
        return behind == len(tree) or (tree.tags[behind] in NO_NOUN_PHRASE and tree.words[behind] != "every")

    def _is_object(self) -> bool:
        """Whether this is *her* as the object of a verb before it, and one word behind it tells of her.

        That is no noun, and no word that can do without one.
        """
        tree, token = self.tree, self.token
        return (
            tree.words[token].lower() == "her"
            and tree.has(token, *OBJECTS)
            and tree.heads[token] < token
            and tree.tags[token + 1] in SAYING
            and tree.words[token + 1].lower() not in WITHOUT_NOUN
            and self._ends_at(token + 2)
        )


def placed(text: str, trees: Sequence[Tree]) -> list[Placed]:
    """The tokens of the sentences that a text was parsed into, from left to right, without gaps in them."""
    found, end = [], 0
    readable = HALF.sub(UNKNOWN, text)
    for tree in trees:
        for token, word in enumerate(tree.words):
            start = readable.index(word, end)
            end = start + len(word)
            found.append(Placed(start, end, tree, token))
    return found

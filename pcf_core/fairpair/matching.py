"""Words of a table in a text: which stands where, what it becomes there, and what stays."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from pcf_core.fairpair.joined import Joined
from pcf_core.fairpair.surnames import is_surname
from pcf_core.fairpair.writing import article_before, owning, recased
from pcf_core.records.perturbation import Pair, PerturbationTable

Kind = Literal["name", "title", "rule", "word", "plural"]
NO_LETTER = r"(?<![^\W_])", r"(?![^\W_])"  # letters and digits end a word, an underline of Markdown does not
NAME_BEHIND = re.compile(r"\.?[^\S\n]+(?:[A-Z]|(?:and|or|&)[^\S\n]+[A-Z])")
ADDRESS = re.compile(r"https?://\S+|www\.\S+|(?<!\S)\S+@\S+")  # of a page or by mail: it stays as it is
SLASH = re.compile(r"\s*/\s*")


@dataclass(frozen=True)
class Entry:
    """One direction of a counterpart; ``tags`` and ``title`` as in :class:`Rule`."""

    word: str
    becomes: str
    side: str
    kind: Kind
    tags: tuple[str, ...] = ()
    title: bool = False


@dataclass(frozen=True)
class Change:
    """``text[start:end]`` becomes ``new``.

    ``word`` is where the word itself starts, behind its article, and ``article`` what of ``new`` stands there
    for that, with the gap.
    """

    start: int
    end: int
    word: int
    new: str
    entry: Entry
    article: str = ""

    def moved(self, by: int) -> Change:
        """The same change in a text that begins elsewhere."""
        return replace(self, start=self.start + by, end=self.end + by, word=self.word + by)

    def behind(self, place: int) -> Change:
        """The same change without its article, where that stands before this place."""
        if self.start >= place:
            return self
        return replace(self, start=self.word, new=self.new[len(self.article) :], article="")


@dataclass(frozen=True)
class Matcher:
    """``entries``: word in lower case -> what it may become, the first that fits counts.

    ``fixed``, ``pronouns``, ``surnames``: of the table, in lower case; ``joined``: words but for names.
    """

    entries: Mapping[str, tuple[Entry, ...]]
    fixed: frozenset[str]
    pattern: re.Pattern[str]
    pronouns: frozenset[str]
    surnames: frozenset[str]
    joined: Joined

    @classmethod
    def of(cls, table: PerturbationTable, names: Collection[Pair]) -> Matcher:
        found: dict[str, list[Entry]] = {}
        lists: tuple[tuple[Kind, Collection[Pair], bool], ...] = (
            ("name", names, False),
            ("title", table.titles, True),
        )
        later: tuple[tuple[Kind, Collection[Pair], bool], ...] = (
            ("word", table.words, False),
            ("plural", table.plurals, False),
        )
        titles_last = sorted(table.rules, key=lambda rule: not rule.title)
        rules = [
            Entry(rule.word, rule.becomes, rule.side, "rule", rule.tags, rule.title) for rule in titles_last
        ]
        for entry in (*_both_ways(lists, table.sides), *rules, *_both_ways(later, table.sides)):
            found.setdefault(entry.word.casefold(), []).append(entry)
        fixed = frozenset(phrase.casefold() for phrase in table.fixed)
        # The longest first; "brother and sister-in-law" is no fixed phrase with something behind it.
        alternatives = sorted({*found, *fixed}, key=lambda word: (-len(word), word))
        words = "|".join(_written(word) + ("(?!-)" if word in fixed else "") for word in alternatives)
        pattern = re.compile(
            rf"{NO_LETTER[0]}(?:(?P<article>an?)(?P<gap>\s+))?{NO_LETTER[0]}(?P<word>{words}){NO_LETTER[1]}"
            rf"(?P<owned>['’](?:s{NO_LETTER[1]})?)?",
            re.IGNORECASE,
        )
        return cls(
            {word: tuple(entries) for word, entries in found.items()},
            fixed,
            pattern,
            frozenset(pronoun.casefold() for pronoun in table.pronouns),
            frozenset(word.casefold() for word in table.surnames),
            Joined(
                (entry.word, entry.becomes)
                for entries in found.values()
                for entry in entries
                if entry.kind != "name"
            ),
        )

    def places(self, text: str) -> Iterator[re.Match[str]]:
        """Where words of the table stand, but for fixed phrases and what is part of an address."""
        addresses = [match.span() for match in ADDRESS.finditer(text)]
        for match in self.pattern.finditer(text):
            begin = match.start("word")
            if key_of(match) not in self.fixed and not any(start <= begin < end for start, end in addresses):
                yield match

    def needs_tags(self, text: str) -> bool:
        """Whether a word of the text changes by its part of speech."""
        return any(entry.tags for match in self.places(text) for entry in self.entries[key_of(match)])

    def changes(self, text: str, tag_at: Callable[[int], str]) -> Iterator[Change]:
        """What every word would become, from left to right; ``tag_at``: of the token at a character."""
        for match in self.places(text):
            written, begin = match["word"], match.start("word")
            for entry in self.entries[key_of(match)]:
                if entry.title and not NAME_BEHIND.match(text, match.end("word")):
                    continue
                proper = entry.title or entry.kind == "name"
                new = recased(written, entry.word, entry.becomes, proper=proper)
                if new is None or (entry.tags and tag_at(begin) not in entry.tags):
                    continue
                if not self.is_of_a_name(text, begin, entry) and not self.is_of_both(text, match, tag_at):
                    owned = match["owned"] or ""
                    if owned and entry.word.casefold() not in self.pronouns:
                        quoted = text[max(0, begin - 1) : begin] in ("'", "‘")
                        followed = text[match.end() : match.end() + 2].strip()[:1].isalpha()
                        owned = owning(
                            owned, entry.word, entry.becomes, entry.kind == "plural", followed and not quoted
                        )
                    article = match["article"] or ""
                    if article:
                        article = article_before(article, entry.word, entry.becomes, written) + match["gap"]
                    yield Change(match.start(), match.end(), begin, article + new + owned, entry, article)
                break

    def left(
        self, text: str, changes: Collection[Change], side: str, unpaired: Collection[str]
    ) -> Iterator[str]:
        """Words of a side that no change covers, in lower case; ``unpaired``: such without a counterpart.

        Fixed phrases name nobody, a word joined to its counterpart both; of words that change only as one
        part of speech or before a name nothing is said; what is written with a capital in the table is
        written so in the text.
        """
        covered = {place for change in changes for place in range(change.start, change.end)}
        for match in self.places(text):
            key, begin = key_of(match), match.start("word")
            if begin in covered or self.joined.other(text, key, match.start(), match.end("word")):
                continue
            sure = (one for one in self.entries[key] if one.side == side and not one.tags and not one.title)
            if any(one.word[0].islower() or match["word"][0].isupper() for one in sure):
                yield key
        known = {word.casefold(): word for word in unpaired}
        for word in re.finditer(
            "|".join([_bounded(word) for word in unpaired]) or r"(?!)", text, re.IGNORECASE
        ):
            key = " ".join(word[0].split()).casefold()
            if known[key][0].islower() or word[0][0].isupper():
                yield key

    def is_of_both(self, text: str, match: re.Match[str], tag_at: Callable[[int], str]) -> bool:
        """Whether the word at a place is joined to its counterpart: "men and women".

        Pronouns joined by "and" or a comma must be each other's as they stand there: "him and her" are, in
        "I met him and her brother" they are not.
        """
        key, begin = key_of(match), match.start("word")
        found = self.joined.other(text, key, match.start(), match.end("word"))
        if found is None:
            return False
        place, other, either = found
        if either or key not in self.pronouns:
            return True
        return self._becomes(key, tag_at(begin)) == other and self._becomes(other, tag_at(place)) == key

    def _becomes(self, key: str, tag: str) -> str:
        fitting = (entry for entry in self.entries[key] if not entry.tags or tag in entry.tags)
        return next((entry.becomes.casefold() for entry in fitting), "")

    def is_of_a_name(self, text: str, begin: int, entry: Entry) -> bool:
        """Whether the word at a place is a surname there; titles and pronouns are none."""
        key = entry.word.casefold()
        if entry.title or key in self.pronouns:
            return False
        return is_surname(text, begin, entry.kind == "name", key in self.surnames)


def key_of(match: re.Match[str]) -> str:
    """The word of a match as entries name it: small, with single spaces and straight apostrophes."""
    return SLASH.sub("/", " ".join(match["word"].split())).replace("’", "'").casefold()


def _both_ways(lists: Collection[tuple[Kind, Collection[Pair], bool]], sides: Pair) -> Iterator[Entry]:
    for kind, pairs, title in lists:
        for first, second in pairs:
            yield Entry(first, second, sides[0], kind, title=title)
            yield Entry(second, first, sides[1], kind, title=title)


def _bounded(word: str) -> str:
    return NO_LETTER[0] + _written(word) + NO_LETTER[1]


def _written(word: str) -> str:
    """A word as a pattern: any white space for a space, either apostrophe, room around a slash."""
    return re.escape(word).replace(r"\ ", r"\s+").replace("'", "['’]").replace("/", r"\s*/\s*")

"""Find the words of a table in a text, and write their counterparts with case, article and possessive.

Two kinds of words stay, since exchanging them would make an even-handed model look biased: a word joined to
its counterpart (*boys and girls*, *him/her*), and surnames (*Elton John*, *Dr. King*).  A surname is
recognised by a given name before it only if that is no other English word ("Will John come?", "Georgia Man
Arrested").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from pcf_core.core.settings import settings
from pcf_core.material.safety.text import normal
from pcf_core.material.suiting import with_article
from pcf_core.mining.persons import naming
from pcf_core.texts.fairpair.records import Pair, PerturbationTable

# The words of a text.


# Letters and digits, with apostrophes inside: "don't" is one word, "well-known" two.
WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
CLAUSE_END = re.compile(r"[.!?…;:()\n]+")


def word_tokens(text: str) -> tuple[str, ...]:
    """Split into lower-case words without punctuation: "Don’t go!" -> ("don't", "go").

    A script without spaces gives one token for each run of letters.
    """
    plain = normal("NFC", text).lower().replace("’", "'")
    return tuple(WORD.findall(plain))


def clauses(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of each clause."""
    parts = (word_tokens(part) for part in CLAUSE_END.split(text))
    return tuple(words for words in parts if words)


# How a counterpart is written: case, article, possessive.


PARTS = re.compile(r"[^\s-]+")
GAP = re.compile(r"\s+")


def recased(written: str, word: str, becomes: str, *, proper: bool) -> str | None:
    """Write the counterpart in the same case as the word: "Man" -> "Woman", "MAN" -> "WOMAN".

    ``proper``: names and titles, which are never in lower case.  ``None`` for any other case (*mAN*), which
    could not be restored.  White space between words is kept.
    """
    gaps = GAP.findall(written)
    plain = GAP.sub(" ", written).replace("’", "'")
    forms = [(word, becomes), (word.upper(), becomes.upper())]
    if not proper:
        forms += [
            (word.lower(), becomes.lower()),
            (capitalised(word), capitalised(becomes)),
            (titled(word), titled(becomes)),
        ]
    new = next((second for first, second in forms if first == plain), None)
    if new is None or len(gaps) != new.count(" "):
        return new
    spaces = iter(gaps)
    return GAP.sub(lambda _: next(spaces), new)


def capitalised(text: str) -> str:
    """Capitalise the first letter."""
    return text[:1].upper() + text[1:]


def titled(text: str) -> str:
    """Capitalise every word and every part after a hyphen."""
    return PARTS.sub(lambda match: capitalised(match[0]), text)


def article_before(article: str, word: str, becomes: str, written: str) -> str:
    """Return *a* or *an* before the counterpart, if the two words differ: "an old", "a young"."""
    wanted = article_of(becomes)
    if wanted == article_of(word):
        return article
    if article.isupper() and (len(article) > 1 or (len(written) > 1 and written.isupper())):
        return wanted.upper()
    return capitalised(wanted) if article[0].isupper() else wanted


def owning(mark: str, word: str, becomes: str, plural: bool, is_possessive: bool) -> str:
    """Return the possessive of the counterpart: "ladies'" for "gentlemen's", "Mary's" for "James'".

    ``mark``: the apostrophe, with or without an s; ``is_possessive``: a bare one is no quotation mark.
    """
    apostrophe, had, has = mark[0], word.endswith("s"), becomes.endswith("s")
    if len(mark) == 2:
        return apostrophe if plural and has and not had else mark
    return f"{apostrophe}s" if had and not has and is_possessive else mark


def article_of(word: str) -> str:
    """Return *a* or *an* for a word."""
    return with_article(word).split(" ", 1)[0]


# A word joined to its own counterpart: *boys and girls*, *him/her*, *black and white people*.


WHOLE = r"(?<![\w-])", r"(?!\w|-\w)"  # no part of another word: not the sister of "sister-in-law"
JOINT = (
    r"(?:['’]s?)?-?(?:\.(?=\s+(?:&|(?-i:and|or)\s)))?"  # owned; "European- and"; "Mr. and"
    r"(?P<joint>\s*[/,&]\s*|,?\s+(?:and/or|and|or|nor)\s+(?:(?:an?|the)\s+)?)"
)
EITHER = re.compile(r"/|\bn?or\b", re.IGNORECASE)
JOINED_REACH = 80  # characters around a word searched for its counterpart


def apart(word: str, becomes: str) -> tuple[str, str]:
    """Return the parts of two phrases that differ: "white people", "black people" -> "white", "black"."""
    one, two = word.casefold().split(), becomes.casefold().split()
    while len(one) > 1 and len(two) > 1 and one[-1] == two[-1]:
        one, two = one[:-1], two[:-1]
    while len(one) > 1 and len(two) > 1 and one[0] == two[0]:
        one, two = one[1:], two[1:]
    return " ".join(one), " ".join(two)


class Joined:
    """Finds a counterpart that is joined to a word."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        words: dict[str, set[str]] = {}  # differing part -> words with it
        others: dict[str, set[str]] = {}  # differing part -> its counterparts
        parts: dict[str, set[str]] = {}
        for word, becomes in pairs:
            one, two = apart(word.replace("-", " "), becomes.replace("-", " "))
            parts.setdefault(word.casefold(), set()).add(one)
            for part, other, whole in ((one, two, word), (two, one, becomes)):
                words.setdefault(part, {part}).add(whole.casefold())
                others.setdefault(part, set()).add(other)
        self._of: Mapping[str, frozenset[str]] = {
            word: frozenset(whole for part in own for other in others[part] for whole in words[other])
            for word, own in parts.items()
        }

    def other(self, text: str, key: str, start: int, end: int) -> tuple[int, str, bool] | None:
        """Return a word's joined counterpart: its start, its text, and whether "or" or a slash joins it.

        ``key``: the word in lower case.  ``start`` (with its article), ``end``: its place.
        """
        if key not in self._of or re.match(r"-\w", text[end : end + 2]):
            return None
        before, behind = _patterns(self._of[key])
        match = before.search(text, max(0, start - JOINED_REACH), start) or behind.match(text, end)
        if match is None:
            return None
        return match.start("other"), match["other"].casefold(), bool(EITHER.search(match["joint"]))


@lru_cache(maxsize=1_000)  # patterns are made only for words that occur
def _patterns(others: frozenset[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    longest = sorted(others, key=lambda word: (-len(word), word))
    words = "|".join(re.escape(word).replace(r"\ ", r"\s+").replace("'", "['’]") for word in longest)
    other = f"{WHOLE[0]}(?P<other>{words}){WHOLE[1]}"
    return re.compile(f"{other}{JOINT}$", re.IGNORECASE), re.compile(f"{JOINT}{other}", re.IGNORECASE)


# Words used as surnames: *Elton John*, *Stephen King*, *Dr. King*.


BEFORE = re.compile(r"([^\W\d_][\w'’-]*)(\.?)[^\S\n]+$")
HONORIFICS = frozenset(
    {"dr", "mr", "ms", "mrs", "miss", "prof", "professor", "judge", "senator", "president"}
)
# Before a letter that may be an initial: a word, and before that possibly a letter of a list.
BEFORE_INITIAL = re.compile(r"(\b[^\W\d_]\.[^\S\n]+)?\b([^\W\d_][\w'’-]*)(\.?)[^\S\n]+$")
SURNAME_REACH = 60  # characters before a word searched for the previous word


@lru_cache(maxsize=1)
def given_names() -> frozenset[str]:
    """Load the given names that are no other word, place or month, in lower case."""
    path = settings().assets / "lexicons" / "names-that-are-words.txt"
    lines = path.read_text(encoding="utf8").splitlines()
    words = {word for line in lines if not line.startswith("#") for word in line.split()}
    names = naming()
    return frozenset(names.given) - words - names.place - names.time - names.organisation


def is_surname(text: str, begin: int, is_name: bool, is_also_surname: bool) -> bool:
    """Tell whether a table's word at an index of a text is a surname there.

    It needs a capital, and before it an initial, an honorific or, if it is a name or also listed as a
    surname, a given name.  After an honorific a name is a given one: *Mr. John Smith*.  Unless the word is
    listed as a surname, a letter with a full stop is an initial only after another initial, an honorific or a
    given name (*Elton B. John*); otherwise it ends a sentence or counts: *Vitamin C. John took it*, *A.
    John*.
    """
    before = BEFORE.search(text, max(0, begin - SURNAME_REACH), begin)
    if before is None or not text[begin].isupper() or not before[1][0].isupper():
        return False
    word = before[1].casefold()
    if word in HONORIFICS:
        return not is_name
    if len(word) == 1:
        return bool(before[2]) and (is_also_surname or _goes_on(text, before.start()))
    return (is_name or is_also_surname) and not before[2] and word in given_names()


def _goes_on(text: str, letter: int) -> bool:
    """Tell whether a letter continues a name, as it does not in the list "A. Bob B. John"."""
    before = BEFORE_INITIAL.search(text, max(0, letter - SURNAME_REACH), letter)
    if before is None or not before[2][0].isupper():
        return False
    word = before[2].casefold()
    if len(word) == 1:
        return bool(before[3])
    return word in HONORIFICS or (not before[1] and not before[3] and word in given_names())


Kind = Literal["name", "title", "rule", "word", "plural"]
NO_LETTER = r"(?<![^\W_])", r"(?![^\W_])"  # Markdown's underscores may touch a word
NAME_BEHIND = re.compile(r"\.?[^\S\n]+(?:[A-Z]|(?:and|or|&)[^\S\n]+[A-Z])")
ADDRESS = re.compile(r"https?://\S+|www\.\S+|(?<!\S)\S+@\S+")  # URLs and e-mail addresses stay
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
    """A change: ``text[start:end]`` becomes ``new``.

    ``word``: where the word starts, after its article; ``article``: the part of ``new`` for article and gap.
    """

    start: int
    end: int
    word: int
    new: str
    entry: Entry
    article: str = ""

    def moved(self, by: int) -> Change:
        """Shift all positions."""
        return replace(self, start=self.start + by, end=self.end + by, word=self.word + by)

    def behind(self, index: int) -> Change:
        """Drop the article if it stands before this index."""
        if self.start >= index:
            return self
        return replace(self, start=self.word, new=self.new[len(self.article) :], article="")


@dataclass(frozen=True)
class Matcher:
    """Finds the words of a table in texts.

    ``entries``: lower-case word -> what it may become, the first that fits.  ``joined``: without names.
    """

    entries: Mapping[str, tuple[Entry, ...]]
    fixed: frozenset[str]
    pattern: re.Pattern[str]
    pronouns: frozenset[str]
    surnames: frozenset[str]
    joined: Joined

    @classmethod
    def of(cls, table: PerturbationTable, names: Collection[Pair]) -> Matcher:
        """Compile a table and names."""
        by_word: dict[str, list[Entry]] = {}
        titles_first = sorted(table.rules, key=lambda rule: not rule.title)
        for entry in (
            *_both_ways("name", names, table.sides),
            *_both_ways("title", table.titles, table.sides),
            *(Entry(one.word, one.becomes, one.side, "rule", one.tags, one.title) for one in titles_first),
            *_both_ways("word", table.words, table.sides),
            *_both_ways("plural", table.plurals, table.sides),
        ):
            by_word.setdefault(entry.word.casefold(), []).append(entry)
        fixed = frozenset(phrase.casefold() for phrase in table.fixed)
        # Longest first; a fixed phrase does not match before a hyphen ("brother and sister-in-law").
        alternatives = sorted({*by_word, *fixed}, key=lambda word: (-len(word), word))
        words = "|".join(_written(word) + ("(?!-)" if word in fixed else "") for word in alternatives)
        pattern = re.compile(
            rf"{NO_LETTER[0]}(?:(?P<article>an?)(?P<gap>\s+))?{NO_LETTER[0]}(?P<word>{words}){NO_LETTER[1]}"
            rf"(?P<owned>['’](?:s{NO_LETTER[1]})?)?",
            re.IGNORECASE,
        )
        return cls(
            {word: tuple(entries) for word, entries in by_word.items()},
            fixed,
            pattern,
            frozenset(pronoun.casefold() for pronoun in table.pronouns),
            frozenset(word.casefold() for word in table.surnames),
            Joined(
                (entry.word, entry.becomes)
                for entries in by_word.values()
                for entry in entries
                if entry.kind != "name"
            ),
        )

    def places(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches of words outside fixed phrases and addresses."""
        addresses = [match.span() for match in ADDRESS.finditer(text)]
        for match in self.pattern.finditer(text):
            begin = match.start("word")
            if key_of(match) not in self.fixed and not any(start <= begin < end for start, end in addresses):
                yield match

    def needs_tags(self, text: str) -> bool:
        """Tell whether any word of the text changes by its part of speech."""
        return any(entry.tags for match in self.places(text) for entry in self.entries[key_of(match)])

    def changes(self, text: str, tag_at: Callable[[int], str]) -> Iterator[Change]:
        """Yield the changes from left to right; ``tag_at``: tag of the token at a character."""
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
        """Yield the words of a side that no change covers, in lower case.

        ``unpaired``: words without a counterpart.  Not counted: fixed phrases, words joined to their
        counterpart, and words that change only as one part of speech or before a name.  Words capitalised in
        the table need a capital.
        """
        covered = {index for change in changes for index in range(change.start, change.end)}
        for match in self.places(text):
            key, begin = key_of(match), match.start("word")
            if begin in covered or self.joined.other(text, key, match.start(), match.end("word")):
                continue
            sure = (one for one in self.entries[key] if one.side == side and not one.tags and not one.title)
            if any(one.word[0].islower() or match["word"][0].isupper() for one in sure):
                yield key
        spelling = {word.casefold(): word for word in unpaired}
        words = "|".join(NO_LETTER[0] + _written(word) + NO_LETTER[1] for word in unpaired)
        for word in re.finditer(words or r"(?!)", text, re.IGNORECASE):
            key = " ".join(word[0].split()).casefold()
            if spelling[key][0].islower() or word[0][0].isupper():
                yield key

    def is_of_both(self, text: str, match: re.Match[str], tag_at: Callable[[int], str]) -> bool:
        """Tell whether a matched word is joined to its counterpart: "men and women".

        Pronouns joined by "and" or a comma must be counterparts in exactly this form: "him and her" are, but
        in "I met him and her brother" they are not.
        """
        key, begin = key_of(match), match.start("word")
        joined = self.joined.other(text, key, match.start(), match.end("word"))
        if joined is None:
            return False
        start, other, either = joined
        if either or key not in self.pronouns:
            return True
        return self._becomes(key, tag_at(begin)) == other and self._becomes(other, tag_at(start)) == key

    def _becomes(self, key: str, tag: str) -> str:
        fitting = (entry for entry in self.entries[key] if not entry.tags or tag in entry.tags)
        return next((entry.becomes.casefold() for entry in fitting), "")

    def is_of_a_name(self, text: str, begin: int, entry: Entry) -> bool:
        """Tell whether the word at an index is a surname; titles and pronouns never are."""
        key = entry.word.casefold()
        if entry.title or key in self.pronouns:
            return False
        return is_surname(text, begin, entry.kind == "name", key in self.surnames)


def key_of(match: re.Match[str]) -> str:
    """Normalise a match's word: lower case, single spaces, straight apostrophes."""
    return SLASH.sub("/", " ".join(match["word"].split())).replace("’", "'").casefold()


def _both_ways(kind: Kind, pairs: Collection[Pair], sides: Pair) -> Iterator[Entry]:
    for first, second in pairs:
        yield Entry(first, second, sides[0], kind, title=kind == "title")
        yield Entry(second, first, sides[1], kind, title=kind == "title")


def _written(word: str) -> str:
    """Return a word's pattern: any white space for a space, either apostrophe, spaces around a slash."""
    return re.escape(word).replace(r"\ ", r"\s+").replace("'", "['’]").replace("/", r"\s*/\s*")

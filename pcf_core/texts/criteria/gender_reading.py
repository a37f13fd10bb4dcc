"""The gender a text tells of somebody: pronouns, titles and nouns are counted, and the majority decides.

A word counts with any ending behind an apostrophe ("she's", "the man’s"), but not as a part of another word
("man-made").  "Her" counts the same as object and as possessive.  A tie, as where there is nothing to count,
is *unclear*.  Nothing is parsed: where several people stand in a text, the majority may be of another than
the one it is about, which ``mixed`` tells.

**The words of a text, and the text without what tells a gender: listed names and gendered words.**  A label
or a score must not see whether a text says *she*.  Gendered words are those of the shipped table of
counterparts (``assets/perturbations/gender.toml``), of either side.  Names go in any case, so that a list had
better not hold names that are everyday words; their short forms ("Jenny", "Bill") only with a capital.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property, lru_cache

from pcf_core.core.settings import settings
from pcf_core.material.safety.text import normal
from pcf_core.texts.criteria.records.independence import GenderReading, ReadingWords

# The words of a text, and the text without what tells a gender: listed names and gendered words.


# Letters, with hyphens and apostrophes inside: "well-known" and "don't" are one word each.
WORD = re.compile(r"[^\W\d_]+(?:['\-][^\W\d_]+)*")
POSSESSIVE = re.compile(rf"{WORD.pattern}'?")  # boys' loses its apostrophe too
SHORTEST = 2  # letters: single ones say nothing
SEVERAL_SPACES = re.compile(r"\s+")
BEFORE_MARK = re.compile(r"\s+(?=[,.;:!?])")


def words_of(text: str) -> tuple[str, ...]:
    """Split a text into lower-case words in its order: "Emily’s well-known!" -> ("emily", "well-known").

    The ending 's is dropped, single letters are.
    """
    found = (word.removesuffix("'s") for word in WORD.findall(plain_text(text).lower()))
    return tuple(word for word in found if len(word) >= SHORTEST)


def without_gender(text: str, names: Collection[str], gendered: Collection[str]) -> str:
    """Remove every word that is one of ``names`` or ``gendered``, or has one beside ' or -.

    "Emily loves her horse, she's a mother-to-be" -> "loves horse, a"; short forms of the names go as well:
    "Jenny and Will will dance" -> "and will dance".

    ``text``: any.  ``names``: in any case.  ``gendered``: lower case.
    """
    folded = {name.casefold() for name in names}
    short = {form for name in folded for form in short_names().get(name, ())}
    told = folded | set(gendered)

    def kept(match: re.Match[str]) -> str:
        word = match[0].rstrip("'")
        return "" if tells(word, short) or tells(word.casefold(), told) else match[0]

    left = SEVERAL_SPACES.sub(" ", POSSESSIVE.sub(kept, plain_text(text)))
    return BEFORE_MARK.sub("", left).strip()


def tells(word: str, listed: Collection[str]) -> bool:
    """Tell whether a word is listed, or a part of it beside ' or -: "sister-in-law" where "sister" is."""
    return word in listed or any(part in listed for part in re.split(r"['\-]", word))


@lru_cache(maxsize=2)
def short_names() -> Mapping[str, tuple[str, ...]]:
    """Load short forms of given names as written, by lower-case name: "james" -> "Jim", "Jimmy"."""
    path = settings().assets / "criteria" / "short-names-1.toml"
    forms = tomllib.loads(path.read_text(encoding="utf8"))["forms"]
    return {name: tuple(short) for name, short in forms.items()}


@lru_cache(maxsize=2)
def gendered_words() -> frozenset[str]:
    """Load pronouns, titles and nouns of either side of the shipped table, lower case.

    With "womens" and the like: the possessive of such a plural is often written without its apostrophe.
    """
    path = settings().assets / "perturbations" / "gender.toml"
    table = tomllib.loads(path.read_text(encoding="utf8"))
    pairs = [*table["titles"], *table["words"], *table["plurals"], *table["unpaired"].values()]
    rules = [rule[key] for rule in table["rules"] for key in ("word", "becomes")]
    words = {word.lower() for word in [*table["pronouns"], *(one for pair in pairs for one in pair), *rules]}
    return frozenset(words | {f"{word}s" for word in words if word.endswith("men")})


@lru_cache(maxsize=2)
def stop_words() -> frozenset[str]:
    """Load the shipped list of words that say little, pronouns among them."""
    lines = (settings().assets / "lexicons" / "stop-words.txt").read_text(encoding="utf8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def plain_text(text: str) -> str:
    """Unify the spelling of letters, with marks or of full width (NFKC), and straighten apostrophes."""
    return normal("NFKC", text).replace("’", "'")


NAME_FOLLOWS = re.compile(r"\s++(?=[^\W\d_])(?![a-zß-ÿ])")  # a letter, and no small one
NAME_IN_CAPITALS = re.compile(r"\.\s+[A-ZÀ-Þ]{2,}\b")  # "MS. LEE", not "She has MS. She"
ALSO_NAMES = {"Guy", "Man", "Foreman"}  # "Guy left", "the Isle of Man", "George Foreman"
NO_NAME_FOLLOWS = re.compile(r"\b(?:the|an?|this|that|old|young)\s+$", re.IGNORECASE)


class GenderReader:
    """Reads texts with one list of words; a word of both lists cannot be (see the loader)."""

    def __init__(self, words: ReadingWords) -> None:
        self.words = words

    def read(self, text: str) -> GenderReading:
        """Count how often each gendered word stands in the text."""
        plain = plain_text(text)
        if self._neither is not None:
            plain = self._neither.sub(" ", plain)
        found: dict[str, Counter[str]] = {"female": Counter(), "male": Counter()}
        for token in WORD.finditer(plain):
            written = token.group().partition("'")[0]
            side, spelling = self._side(written, plain, token.start(), token.end())
            if side:
                found[side][spelling] += 1
        return GenderReading(female=dict(found["female"]), male=dict(found["male"]))

    def _side(self, written: str, plain: str, start: int, end: int) -> tuple[str, str]:
        """Return the gender of a word, and how the list spells it; empty where it has none."""
        small = written.casefold()
        if written in ALSO_NAMES and not NO_NAME_FOLLOWS.search(plain[max(0, start - 9) : start]):
            return "", ""
        if side := self._anywhere.get(small):
            return side, small
        if side := self._titles.get(written):
            return side, written
        if (side := self._before_names.get(written)) and NAME_FOLLOWS.match(plain, end):
            return side, written
        if written.isupper() and NAME_IN_CAPITALS.match(plain, end):
            return self._titles.get(written.title(), ""), written.title()
        return "", ""

    @cached_property
    def _neither(self) -> re.Pattern[str] | None:
        longest_first = sorted(self.words.neither, key=len, reverse=True)
        if not longest_first:
            return None
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", re.IGNORECASE)

    @cached_property
    def _anywhere(self) -> Mapping[str, str]:
        return _sides((word.casefold() for word in self.words.female), map(str.casefold, self.words.male))

    @cached_property
    def _titles(self) -> Mapping[str, str]:
        return _sides(self.words.female_titles, self.words.male_titles)

    @cached_property
    def _before_names(self) -> Mapping[str, str]:
        return _sides(self.words.female_before_names, self.words.male_before_names)


def _sides(female: Iterable[str], male: Iterable[str]) -> dict[str, str]:
    return {**dict.fromkeys(female, "female"), **dict.fromkeys(male, "male")}

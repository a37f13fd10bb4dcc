"""The words of a text, and the text without what tells a gender: listed names and gendered words.

A label or a score must not see whether a text says *she*.  Gendered words are those of the shipped table of
counterparts (``assets/perturbations/gender.toml``), of either side.  Names go in any case, so that a list had
better not hold names that are everyday words.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Collection
from functools import lru_cache

from pcf_core.settings import settings

# Letters, with hyphens and apostrophes inside: "well-known" and "don't" are one word each.
WORD = re.compile(r"[^\W\d_]+(?:['\-][^\W\d_]+)*")
POSSESSIVE = re.compile(rf"{WORD.pattern}'?")  # boys' loses its apostrophe too
SHORTEST = 2  # letters: single ones say nothing
SEVERAL_SPACES = re.compile(r"\s+")
BEFORE_MARK = re.compile(r"\s+(?=[,.;:!?])")


def words_of(text: str) -> tuple[str, ...]:
    """Lower-case words in the order of the text: "Emily’s well-known!" -> ("emily", "well-known").

    The ending 's is dropped, single letters are.
    """
    found = (word.removesuffix("'s") for word in WORD.findall(plain_text(text).lower()))
    return tuple(word for word in found if len(word) >= SHORTEST)


def without_gender(text: str, names: Collection[str], gendered: Collection[str]) -> str:
    """The text less every word that is one of ``names`` or ``gendered``, or has one beside ' or -.

    "Emily loves her horse, she's a mother-to-be" -> "loves horse, a"

    Args:
        text: any.
        names: in any case.
        gendered: lower case.
    """
    told = {name.casefold() for name in names} | set(gendered)

    def kept(match: re.Match[str]) -> str:
        word = match[0].casefold().rstrip("'")
        return "" if word in told or not told.isdisjoint(re.split(r"['\-]", word)) else match[0]

    left = SEVERAL_SPACES.sub(" ", POSSESSIVE.sub(kept, plain_text(text)))
    return BEFORE_MARK.sub("", left).strip()


@lru_cache(maxsize=2)
def gendered_words() -> frozenset[str]:
    """Pronouns, titles and nouns of either side of the shipped table, lower case."""
    path = settings().assets / "perturbations" / "gender.toml"
    table = tomllib.loads(path.read_text(encoding="utf8"))
    pairs = [*table["titles"], *table["words"], *table["plurals"], *table["unpaired"].values()]
    rules = [rule[key] for rule in table["rules"] for key in ("word", "becomes")]
    return frozenset(
        word.lower() for word in [*table["pronouns"], *(one for pair in pairs for one in pair), *rules]
    )


@lru_cache(maxsize=2)
def stop_words() -> frozenset[str]:
    """The shipped list of words that say little, pronouns among them."""
    lines = (settings().assets / "lexicons" / "stop-words.txt").read_text(encoding="utf8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def plain_text(text: str) -> str:
    """One spelling of letters with marks (NFC), and straight apostrophes."""
    return unicodedata.normalize("NFC", text).replace("’", "'")

"""The words of a text, and the text without what tells a gender: listed names and gendered words.

A label or a score must not see whether a text says *she*.  Gendered words are those of the shipped table of
counterparts (``assets/perturbations/gender.toml``), of either side.  Names go in any case, so that a list had
better not hold names that are everyday words; their short forms ("Jenny", "Bill") only with a capital.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from functools import lru_cache

from pcf_core.records.marks import normal
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

    "Emily loves her horse, she's a mother-to-be" -> "loves horse, a"; short forms of the names go as well:
    "Jenny and Will will dance" -> "and will dance".

    Args:
        text: any.
        names: in any case.
        gendered: lower case.
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
    """Whether a word is listed, or has a part that is beside ' or -: "sister-in-law" where "sister" is."""
    return word in listed or any(part in listed for part in re.split(r"['\-]", word))


@lru_cache(maxsize=2)
def short_names() -> Mapping[str, tuple[str, ...]]:
    """Short forms of a given name as they are written, by its lower-case form: "james" -> "Jim", "Jimmy"."""
    path = settings().assets / "criteria" / "short-names-1.toml"
    forms = tomllib.loads(path.read_text(encoding="utf8"))["forms"]
    return {name: tuple(short) for name, short in forms.items()}


@lru_cache(maxsize=2)
def gendered_words() -> frozenset[str]:
    """Pronouns, titles and nouns of either side of the shipped table, lower case.

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
    """The shipped list of words that say little, pronouns among them."""
    lines = (settings().assets / "lexicons" / "stop-words.txt").read_text(encoding="utf8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def plain_text(text: str) -> str:
    """One spelling of letters, with marks or of full width (NFKC), and straight apostrophes."""
    return normal("NFKC", text).replace("’", "'")

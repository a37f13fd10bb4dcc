"""Categories of words: shipped (work, family, looks, hobbies, personality), or a user's own TOML or CSV."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from pcf_core.core.errors import FairPairError
from pcf_core.core.records import FloatArray, Record
from pcf_core.material.base import Entry, Kind, Material, Name, Origin, Text, origin_of
from pcf_core.material.groups import safe_names
from pcf_core.material.safety.lists import filled
from pcf_core.material.safety.reading import tell
from pcf_core.material.safety.tables import Accepted, Column, Rows
from pcf_core.material.safety.text import check_once, shown
from pcf_core.material.shelves import Shelf
from pcf_core.measure.ties import holm_adjusted
from pcf_core.texts.fairpair.matching import word_tokens
from pcf_core.texts.fairpair.records import CategoryDifference, CategorySet, PromptPairs, WordCategory

ACCEPTED = Accepted(
    "categories of words",
    (
        Column("category", "its title", ("group",)),
        Column("word", "a word of it, or a stem with *", ("term",)),
    ),
    json="the keys of TOML",
)
SHELF = Shelf("set of categories", "categories", (".toml",), ACCEPTED.endings, FairPairError, keeps_own=True)
SHIPPED = "fairpair"
MOST_CATEGORIES, MOST_WORDS = 50, 5_000
SHORTEST_STEM = 2  # letters: one alone would match far too many words


@lru_cache(maxsize=2)
def categories() -> tuple[WordCategory, ...]:
    """Load the shipped categories."""
    return load_categories(SHIPPED).categories


def chosen_categories(name_or_path: str | Path) -> CategorySet | None:
    """Load a set by name or file; return ``None`` for the shipped one."""
    return None if name_or_path == SHIPPED else load_categories(name_or_path)


def _word_or_stem(word: str, info: ValidationInfo) -> str:
    """Check a single word or a stem, and return it in lower case."""
    stem = word.lower().removesuffix("*")
    if word_tokens(stem) != (stem,) or (stem != word.lower() and len(stem) < SHORTEST_STEM):
        raise FairPairError(
            f"{origin_of(info).where}: {shown(word)} is not a single word: write one word at a time; an "
            f"asterisk at its end stands for any ending, after at least {SHORTEST_STEM} letters."
        )
    return word.lower()


class _WrittenCategory(Record):
    """A category in a file; its words may be one text."""

    name: Name
    title: Text = ""
    words: Annotated[
        tuple[Annotated[Entry, AfterValidator(_word_or_stem)], ...],
        BeforeValidator(lambda words: words.split() if isinstance(words, str) else words),
        Field(min_length=1),
    ]


def _checked(written: tuple[_WrittenCategory, ...], info: ValidationInfo) -> tuple[WordCategory, ...]:
    where = origin_of(info).where
    if not 0 < len(written) <= MOST_CATEGORIES:
        raise FairPairError(f"{where} has {len(written):,} categories: give 1 to {MOST_CATEGORIES}.")
    check_once((category.name for category in written), "category", where, FairPairError)
    words = sum(len(category.words) for category in written)
    if words > MOST_WORDS:
        raise FairPairError(f"{where} has {words:,} words; at most {MOST_WORDS:,} are allowed.")
    return tuple(
        WordCategory(
            name=category.name,
            title=category.title or category.name,
            words=tuple(dict.fromkeys(category.words)),
        )
        for category in written
    )


class WrittenCategories(Material):
    """A set in a file; see :class:`~pcf_core.texts.fairpair.records.CategorySet`."""

    record = CategorySet
    accepted = ACCEPTED
    entries = "categories"
    besides = ("version",)

    categories: Annotated[tuple[_WrittenCategory, ...], AfterValidator(_checked)]

    @classmethod
    def of_file(cls, path: Path, origin: Origin) -> dict[str, Any]:
        """Read a file, without its version."""
        facts = super().of_file(path, origin)
        facts.pop("version", None)
        return facts

    @classmethod
    def of_rows(cls, rows: Rows, origin: Origin) -> dict[str, Any]:
        """Collect the words of each category, one per row."""
        words: dict[str, list[str]] = {}
        for where, row in rows:
            title, word = (filled(row, name, where, origin.error) for name in ACCEPTED.needed)
            words.setdefault(title, []).append(word)
            if word != word.lower():
                tell(f"Capitals do not count in the words of {origin.where}: all are read in small letters.")
        names = safe_names(words, "category")
        several = zip(names, words.items(), strict=True)
        return {"categories": [{"name": name, "title": title, "words": of} for name, (title, of) in several]}


OWN: Kind[CategorySet] = Kind(SHELF, WrittenCategories)
load_categories, categories_toml = OWN.load, OWN.text


def categories_of(words: Sequence[str], categories: Sequence[WordCategory]) -> tuple[str, ...]:
    """List the categories that have any of the words."""
    return tuple(category.name for category in categories if any(map(category.holds, words)))


def category_differences(
    pairs: Sequence[PromptPairs], lexicon: Sequence[WordCategory] | None = None, *, sampled: bool = True
) -> tuple[CategoryDifference, ...]:
    """Count the texts per side with a word of each category, and test whether the sides differ.

    A text counts once, however many such words it has.  The test compares texts within prompts
    (Cochran–Mantel–Haenszel without continuity correction: Mantel & Haenszel 1959,
    doi:10.1093/jnci/22.4.719); p-values are adjusted over categories (Holm).  ``lexicon``: ``None`` for the
    shipped categories.  ``sampled``: if false, equal copies count once and nothing is tested.
    """
    used = categories() if lexicon is None else lexicon
    sides = ("perturbed_original", "perturbed_prompt")
    texts = [[_words_of(getattr(pair, side), sampled) for side in sides] for pair in pairs]
    times = [
        Counter(word for pair in texts for words in pair[side].values() for word in words) for side in (0, 1)
    ]
    sizes = np.array([[len(side) for side in pair] for pair in texts])
    differing = []
    for category in used:
        members = {word for word in times[0] | times[1] if category.holds(word)}
        having = [[_having(side, members) for side in pair] for pair in texts]
        counts = np.array([[len(side) for side in pair] for pair in having])
        behind = [
            tuple((row, index) for row, pair in enumerate(having) for index in pair[side]) for side in (0, 1)
        ]
        difference = CategoryDifference(
            name=category.name,
            title=category.title,
            original=len(behind[0]),
            prompt=len(behind[1]),
            p_value=_stratified_p(counts, sizes) if sampled else None,
            adjusted=None,
            words={word: (times[0][word], times[1][word]) for word in sorted(members)},
            original_texts=behind[0],
            prompt_texts=behind[1],
        )
        differing.append(difference)
    return holm_adjusted(differing)


def counted(texts: Sequence[str], sampled: bool) -> list[int]:
    """Return the indices of the texts that count: all samples, or the first of equal copies."""
    return [index for index, text in enumerate(texts) if sampled or texts.index(text) == index]


def _words_of(texts: Sequence[str], sampled: bool) -> dict[int, set[str]]:
    return {index: set(word_tokens(texts[index])) for index in counted(texts, sampled)}


def _having(texts: dict[int, set[str]], members: set[str]) -> list[int]:
    return [index for index, words in texts.items() if not members.isdisjoint(words)]


def _stratified_p(counts: FloatArray, sizes: FloatArray) -> float | None:
    """Return the two-sided p-value from [prompt, side] numbers of texts with the word, and of all texts.

    Prompts where all texts or none have the word are left out; ``None`` if no prompt remains.
    """
    from statsmodels.stats.contingency_tables import StratifiedTable

    having = counts.sum(axis=1)
    telling = (having > 0) & (having < sizes.sum(axis=1))
    if not telling.any():
        return None
    tables = np.stack([counts[telling], (sizes - counts)[telling]], axis=0).transpose(2, 0, 1)
    return float(StratifiedTable(tables.astype(np.float64)).test_null_odds(correction=False).pvalue)

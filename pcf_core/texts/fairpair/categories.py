"""Categories of words: work, family, appearance, hobbies, personality; a small lexicon of our own.

A user may give others, as the shipped TOML file is written or as CSV with the columns ``category,word``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from pcf_core.core.errors import FairPairError
from pcf_core.core.records import FloatArray
from pcf_core.material.own_files import OwnFiles, toml_lines
from pcf_core.material.safety.reading import label, read_table, read_toml, title_of
from pcf_core.material.safety.text import check_name, check_text, check_word, first_duplicate, shown
from pcf_core.material.shelves import Shelf, name_of, safe_name
from pcf_core.measure.regression import holm
from pcf_core.texts.fairpair.matching import word_tokens
from pcf_core.texts.fairpair.records import CategoryDifference, CategorySet, PromptPairs, WordCategory

SHELF = Shelf("set of categories", "categories", (".toml",), (".toml", ".csv"), FairPairError, keeps_own=True)
SHIPPED = "fairpair"
MOST_CATEGORIES, MOST_WORDS = 50, 5_000
SHORTEST_STEM = 2  # letters: one alone would begin a great many words


@dataclass(frozen=True)
class Category:
    """A category of words.

    ``words`` as they are, and ``stems``, with which a word begins.
    """

    name: str
    title: str
    words: frozenset[str]
    stems: tuple[str, ...]

    def holds(self, word: str) -> bool:
        """Tell whether a lower-case word is of this category."""
        return word in self.words or word.startswith(self.stems)

    @classmethod
    def of(cls, written: WordCategory) -> Category:
        """Make a category from its form in a file."""
        return cls(
            name=written.name,
            title=written.title,
            words=frozenset(word for word in written.words if not word.endswith("*")),
            stems=tuple(word[:-1] for word in written.words if word.endswith("*")),
        )


@lru_cache(maxsize=2)
def categories() -> tuple[Category, ...]:
    """Load the shipped categories, in the order of the file."""
    return tuple(map(Category.of, load_categories(SHIPPED).categories))


def chosen_categories(name_or_path: str | Path) -> CategorySet | None:
    """Load the set of that name or file, ``None`` for the shipped one; raises as :func:`load_categories`."""
    return None if name_or_path == SHIPPED else load_categories(name_or_path)


def load_categories(name_or_path: str | Path) -> CategorySet:
    """Load a set by its name, shipped or a user's own, or from a file.

    Raises
    ------
    FairPairError
        Unknown, unreadable, without a category, with a category without words or of the name of another, with
        what is no single word, or with more than there is room for.
    """
    path = SHELF.find(name_or_path)
    where = label(path)
    if path.suffix.lower() == ".csv":
        of_category: dict[str, list[object]] = {}
        for _, row in read_table(path, ("category", "word"), (), FairPairError, {}):
            of_category.setdefault(row["category"], []).append(row["word"])
        drafts: list[tuple[object, object, object]] = [
            (safe_name(title), title, words) for title, words in of_category.items()
        ]
        name, title = name_of(path), title_of(path)
    else:
        table = read_toml(path, ("name", "title", "version", "categories"), FairPairError)
        drafts = [_draft(entry, where) for entry in _entries(table.get("categories"), where)]
        name, title = table.get("name", name_of(path)), table.get("title", title_of(path))
    return _checked(name, title, drafts, where)


def _entries(value: object, where: str) -> list[object]:
    if not isinstance(value, list):
        raise FairPairError(
            f"{where}: categories is {shown(value)}; write [[categories]] above each of them."
        )
    return value


def _draft(entry: object, where: str) -> tuple[object, object, object]:
    if not isinstance(entry, dict) or not {"name", "words"} <= set(entry) <= {"name", "title", "words"}:
        raise FairPairError(f"{where}: a category needs name and words, and may have title.")
    words = entry["words"].split() if isinstance(entry["words"], str) else entry["words"]
    return entry["name"], entry.get("title", entry["name"]), words


def _checked(
    name: object, title: object, drafts: Sequence[tuple[object, object, object]], where: str
) -> CategorySet:
    """Check a set; report its first fault."""
    if not 0 < len(drafts) <= MOST_CATEGORIES:
        raise FairPairError(f"{where} has {len(drafts):,} categories: give 1 to {MOST_CATEGORIES}.")
    categories = tuple(
        WordCategory(
            name=(short := check_name(one, "the name of a category", where, FairPairError)),
            title=check_text(long, "the title of a category", where, FairPairError) or short,
            words=_words(words, short, where),
        )
        for one, long, words in drafts
    )
    twice = first_duplicate(category.name for category in categories)
    if twice is not None:
        raise FairPairError(f"{where}: two categories are named {twice}; rename one.")
    words = sum(len(category.words) for category in categories)
    if words > MOST_WORDS:
        raise FairPairError(f"{where} has {words:,} words: leave {MOST_WORDS:,} at most.")
    return CategorySet(
        name=check_name(name, "the name", where, FairPairError),
        title=check_text(title, "the title", where, FairPairError),
        categories=categories,
    )


def _words(value: object, category: str, where: str) -> tuple[str, ...]:
    """Check words: lower case, each once; a word as texts are cut into words, or a stem of some."""
    if not isinstance(value, list) or not value:
        raise FairPairError(f"{where}: the words of {category} are {shown(value)}; write at least one.")
    checked = []
    for entry in value:
        word = check_word(entry, f"a word of {category}", where, FairPairError).lower()
        stem = word.removesuffix("*")
        if word_tokens(stem) != (stem,) or (stem != word and len(stem) < SHORTEST_STEM):
            raise FairPairError(
                f"{where}: {shown(entry)} in {category} is no single word; write words one by one, each with "
                f"* at its end where it may go on, behind {SHORTEST_STEM} letters at least."
            )
        checked.append(word)
    return tuple(dict.fromkeys(checked))


def categories_toml(several: CategorySet) -> str:
    """Write a set as TOML that :func:`load_categories` reads as the same set."""
    facts = toml_lines({"name": several.name, "title": several.title})
    each = [toml_lines(category.model_dump(mode="json")) for category in several.categories]
    return "\n".join([facts, *(f"[[categories]]\n{lines}" for lines in each)])


def checked_categories(several: CategorySet) -> CategorySet:
    """Return the set as it is; :func:`load_categories` has checked it."""
    return several


OWN = OwnFiles(SHELF, lambda several: categories_toml(several).encode(), load_categories, checked_categories)


def categories_of(words: Sequence[str], categories: Sequence[Category]) -> tuple[str, ...]:
    """List the categories that hold any of the words, in their order."""
    return tuple(category.name for category in categories if any(map(category.holds, words)))


def category_differences(
    pairs: Sequence[PromptPairs], known: Sequence[Category] | None = None, *, sampled: bool = True
) -> tuple[CategoryDifference, ...]:
    """Count the texts of either side that have a word of each category, and test whether they differ.

    A text counts once, however many such words it has: they are not independent.  Texts are compared within
    prompts (Cochran–Mantel–Haenszel, without continuity correction), and categories controlled (Holm).

    Source: Mantel & Haenszel 1959, doi:10.1093/jnci/22.4.719.

    ``pairs``: prompts with their texts.  ``categories``: categories; the shipped ones where ``None``.
    ``sampled``: whether texts were drawn; else each counts once and nothing is tested.
    """
    used = categories() if known is None else known
    sides = ("perturbed_original", "perturbed_prompt")
    texts = [[_words_of(getattr(pair, side), sampled) for side in sides] for pair in pairs]
    times = [
        Counter(word for pair in texts for words in pair[side].values() for word in words) for side in (0, 1)
    ]
    sizes = np.array([[len(side) for side in pair] for pair in texts])
    differences = []
    for category in used:
        members = {word for word in times[0] | times[1] if category.holds(word)}
        having = [[_having(side, members) for side in pair] for pair in texts]
        counts = np.array([[len(side) for side in pair] for pair in having])
        behind = [
            tuple((row, index) for row, pair in enumerate(having) for index in pair[side]) for side in (0, 1)
        ]
        each = {word: (times[0][word], times[1][word]) for word in sorted(members)}
        differences.append((category, behind, _stratified_p(counts, sizes) if sampled else None, each))
    adjusted = iter(holm([p for _, _, p, _ in differences if p is not None]))
    return tuple(
        CategoryDifference(
            name=category.name,
            title=category.title,
            original=len(behind[0]),
            prompt=len(behind[1]),
            p_value=p,
            adjusted=None if p is None else next(adjusted),
            words=each,
            original_texts=behind[0],
            prompt_texts=behind[1],
        )
        for category, behind, p, each in differences
    )


def counted(texts: Sequence[str], sampled: bool) -> list[int]:
    """Return the places of a side's texts that count: all samples, or of copies the first."""
    return [index for index, text in enumerate(texts) if sampled or texts.index(text) == index]


def _words_of(texts: Sequence[str], sampled: bool) -> dict[int, set[str]]:
    """Return the words of each text that counts, by its place."""
    return {index: set(word_tokens(texts[index])) for index in counted(texts, sampled)}


def _having(texts: dict[int, set[str]], members: set[str]) -> list[int]:
    """Return the places of the texts that have one of the words."""
    return [index for index, words in texts.items() if not members.isdisjoint(words)]


def _stratified_p(counts: FloatArray, sizes: FloatArray) -> float | None:
    """Return the two-sided p from [prompt, side] texts with and texts at all.

    ``None`` where no prompt can tell.

    Prompts of which every text or none has such a word say nothing and are left out.
    """
    from statsmodels.stats.contingency_tables import StratifiedTable

    having = counts.sum(axis=1)
    telling = (having > 0) & (having < sizes.sum(axis=1))
    if not telling.any():
        return None
    tables = np.stack([counts[telling], (sizes - counts)[telling]], axis=0).transpose(2, 0, 1)
    return float(StratifiedTable(tables.astype(np.float64)).test_null_odds(correction=False).pvalue)

"""Categories of words: work, family, appearance, hobbies, personality; a small lexicon of our own."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pcf_core.fairpair.tokens import word_tokens
from pcf_core.records import FloatArray
from pcf_core.records.fairpair import CategoryDifference, PromptPairs
from pcf_core.settings import settings
from pcf_core.stats import holm


@dataclass(frozen=True)
class Category:
    """``words`` as they are, and ``stems``, with which a word begins."""

    name: str
    title: str
    words: frozenset[str]
    stems: tuple[str, ...]

    def holds(self, word: str) -> bool:
        """Whether a lower-case word is of this category."""
        return word in self.words or word.startswith(self.stems)


@lru_cache(maxsize=2)
def categories() -> tuple[Category, ...]:
    """The shipped ones, in the order of the file."""
    path = settings().assets / "lexicons" / "fairpair-categories.toml"
    table = tomllib.loads(path.read_text(encoding="utf8"))
    found = []
    for entry in table["categories"]:
        words = entry["words"].split()
        found.append(
            Category(
                name=entry["name"],
                title=entry["title"],
                words=frozenset(word for word in words if not word.endswith("*")),
                stems=tuple(word[:-1] for word in words if word.endswith("*")),
            )
        )
    return tuple(found)


def categories_of(words: Sequence[str], known: Sequence[Category]) -> tuple[str, ...]:
    """Names of the categories that hold any of the words, in their order."""
    return tuple(category.name for category in known if any(map(category.holds, words)))


def category_differences(
    pairs: Sequence[PromptPairs], known: Sequence[Category] | None = None, *, sampled: bool = True
) -> tuple[CategoryDifference, ...]:
    """How many texts of either side have a word of each category, and whether that differs.

    A text counts once, however many such words it has: they are not independent.  Texts are compared within
    prompts (Cochran–Mantel–Haenszel, without continuity correction), and categories controlled (Holm).

    Args:
        pairs: prompts with their texts.
        known: categories; the shipped ones where ``None``.
        sampled: whether texts were drawn; else each counts once and nothing is tested.

    Source: Mantel & Haenszel 1959, doi:10.1093/jnci/22.4.719.
    """
    used = categories() if known is None else known
    sides = ("perturbed_original", "perturbed_prompt")
    texts = [[_words_of(getattr(pair, side), sampled) for side in sides] for pair in pairs]
    times = [
        Counter(word for pair in texts for words in pair[side].values() for word in words) for side in (0, 1)
    ]
    sizes = np.array([[len(side) for side in pair] for pair in texts])
    found = []
    for category in used:
        members = {word for word in times[0] | times[1] if category.holds(word)}
        having = [[_having(side, members) for side in pair] for pair in texts]
        counts = np.array([[len(side) for side in pair] for pair in having])
        behind = [
            tuple((row, place) for row, pair in enumerate(having) for place in pair[side]) for side in (0, 1)
        ]
        each = {word: (times[0][word], times[1][word]) for word in sorted(members)}
        found.append((category, behind, _stratified_p(counts, sizes) if sampled else None, each))
    adjusted = iter(holm([p for _, _, p, _ in found if p is not None]))
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
        for category, behind, p, each in found
    )


def counted(texts: Sequence[str], sampled: bool) -> list[int]:
    """Places of the texts of a side that count: all samples, or of copies the first."""
    return [place for place, text in enumerate(texts) if sampled or texts.index(text) == place]


def _words_of(texts: Sequence[str], sampled: bool) -> dict[int, set[str]]:
    """The words of each text that counts, by its place."""
    return {place: set(word_tokens(texts[place])) for place in counted(texts, sampled)}


def _having(texts: dict[int, set[str]], members: set[str]) -> list[int]:
    """Places of the texts that have one of the words."""
    return [place for place, words in texts.items() if not members.isdisjoint(words)]


def _stratified_p(counts: FloatArray, sizes: FloatArray) -> float | None:
    """Two-sided p from [prompt, side] texts with and texts at all; ``None`` where no prompt can tell.

    Prompts of which every text or none has such a word say nothing and are left out.
    """
    from statsmodels.stats.contingency_tables import StratifiedTable

    having = counts.sum(axis=1)
    telling = (having > 0) & (having < sizes.sum(axis=1))
    if not telling.any():
        return None
    tables = np.stack([counts[telling], (sizes - counts)[telling]], axis=0).transpose(2, 0, 1)
    return float(StratifiedTable(tables.astype(np.float64)).test_null_odds(correction=False).pvalue)

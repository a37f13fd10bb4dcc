"""Which words and categories of words the two kinds of text of FairPair differ in."""

from __future__ import annotations

from collections.abc import Mapping

from pcf_core.records.base import Record
from pcf_core.records.fairpair import LABEL, Side, significant


class WordDifference(Record):
    """An n-gram and how many texts of either side have it.

    ``log_odds``: δ, above 0 where z has it more often; ``z_score``: δ over its standard error; ``p_value``
    two-sided, ``adjusted`` over all n-grams (Benjamini–Hochberg); both ``None`` where nothing was sampled.
    ``categories``: of its words.  ``exchanged``: one of them is a word that p exchanges.
    ``original_texts``, ``prompt_texts``: the texts that have it, as (prompt, text) positions.
    """

    words: str
    original: int
    prompt: int
    log_odds: float
    z_score: float
    p_value: float | None
    adjusted: float | None
    categories: tuple[str, ...] = ()
    exchanged: bool = False
    original_texts: tuple[tuple[int, int], ...] = ()
    prompt_texts: tuple[tuple[int, int], ...] = ()

    @property
    def more_in(self) -> Side:
        return "prompt" if self.log_odds > 0 else "original"

    @property
    def differs(self) -> bool:
        return significant(self.adjusted)


class CategoryDifference(Record):
    """A category of words and how many texts of either side have one of them.

    ``p_value``: Cochran–Mantel–Haenszel over prompts, two-sided, ``None`` where no prompt can tell or nothing
    was sampled; ``adjusted`` over categories (Holm).  ``words``: each word found, with how many texts have it
    by side.  ``original_texts``, ``prompt_texts``: the texts with any of them, as (prompt, text) positions.
    """

    name: str
    title: str
    original: int
    prompt: int
    p_value: float | None
    adjusted: float | None
    words: Mapping[str, tuple[int, int]] = {}
    original_texts: tuple[tuple[int, int], ...] = ()
    prompt_texts: tuple[tuple[int, int], ...] = ()

    @property
    def differs(self) -> bool:
        return significant(self.adjusted)


class WordReport(Record):
    """Which words u and z differ in.

    ``original``, ``counterpart``: names of the entities of x and p(x).  ``original_texts``, ``prompt_texts``:
    how many texts are counted.  ``tested``: n-grams; ``found``: those that differ, of which ``words`` holds
    the strongest by |z|, whether they differ or not; ``exchanged``: of those found, how many have a word that
    p exchanges.  Where nothing was ``sampled``, copies of a text of one prompt and side count once, and
    nothing is tested.
    """

    original: str
    counterpart: str
    original_texts: int
    prompt_texts: int
    tested: int
    found: int
    words: tuple[WordDifference, ...]
    categories: tuple[CategoryDifference, ...]
    exchanged: int = 0
    sampled: bool = True
    label: str = LABEL

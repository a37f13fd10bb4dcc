"""What FairPair's requests are made of, read once for all visitors until a file changes.

Prompts, tables of counterparts and categories of words are shared between sessions and never changed.
"""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.app.caching import kept, open_store
from pcf_core.app.lists import Stamp, stamp_of_shelf
from pcf_core.store.results import State
from pcf_core.texts.fairpair.categories import SHELF as CATEGORIES
from pcf_core.texts.fairpair.categories import load_categories
from pcf_core.texts.fairpair.prompts import SHELF as PROMPTS
from pcf_core.texts.fairpair.prompts import load_prompts, selected
from pcf_core.texts.fairpair.records import PROMPTS as KEPT_AS
from pcf_core.texts.fairpair.records import CategorySet, FairPairAsked, PerturbationTable, PromptSet
from pcf_core.texts.fairpair.tables import SHELF as TABLES
from pcf_core.texts.fairpair.tables import load_table
from pcf_core.work.fairpair import load_prompt_set


def prompts_of(name: str, names: Sequence[str] = ()) -> PromptSet:
    """Load a set of prompts by its name, about ``names`` where some are given.

    Raises
    ------
    PromptError
        Unknown or damaged.
    PerturbationError
        ``names`` are no pair.
    """
    return _prompts(name, tuple(names), stamp_of_shelf(PROMPTS))


@kept()
def _prompts(name: str, names: tuple[str, ...], stamp: Stamp) -> PromptSet:
    return load_prompts(name, names)


@kept()
def selection(prompts: PromptSet, categories: tuple[str, ...], each: int | None) -> PromptSet:
    """Select as :func:`~pcf_core.texts.fairpair.prompts.selected` does, which says what it raises."""
    return selected(prompts, categories, each)


def kept_prompts(request: FairPairAsked) -> PromptSet:
    """Load the prompts that were kept with a request."""
    return _kept_prompts(request, open_store().document_state(request.prompts.kept, KEPT_AS))


@kept()
def _kept_prompts(request: FairPairAsked, state: tuple[State | None, ...]) -> PromptSet:
    return load_prompt_set(open_store(), request)


def table_of(name: str) -> PerturbationTable:
    """Load a shipped table of counterparts by its name.

    Raises
    ------
    PerturbationError
        There is none of the name.
    """
    return _table(TABLES.require(name), stamp_of_shelf(TABLES))


@kept(slots=16)
def _table(name: str, stamp: Stamp) -> PerturbationTable:
    return load_table(name)


def categories_of(name: str) -> CategorySet:
    """Load a set of categories of words by its name.

    Raises
    ------
    FairPairError
        Unknown or damaged.
    """
    return _categories(name, stamp_of_shelf(CATEGORIES))


@kept(slots=16)
def _categories(name: str, stamp: Stamp) -> CategorySet:
    return load_categories(name)

"""What FairPair's requests are made of, and ways back to what it has found before, as a link and as a button.

Prompts, tables of counterparts and categories of words are read once for all visitors until a file changes.
They are shared between sessions and never changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pcf_core.app.caching import kept, open_store
from pcf_core.app.data import answered
from pcf_core.app.lists import Stamp, stamp_of_shelf
from pcf_core.app.texts.shared import draw_before, way_back
from pcf_core.app.widgets import plain
from pcf_core.core.errors import AuditError
from pcf_core.core.generation import GenerationKey
from pcf_core.core.options import number_text, page_values
from pcf_core.core.records import digest
from pcf_core.core.run import model_label
from pcf_core.models.registry import resolve_writer
from pcf_core.show.findings.fairpair import decoding_text
from pcf_core.show.findings.numbers import count
from pcf_core.store.results import State
from pcf_core.texts.fairpair.categories import SHELF as CATEGORIES
from pcf_core.texts.fairpair.categories import load_categories
from pcf_core.texts.fairpair.options import options_of
from pcf_core.texts.fairpair.prompts import SHELF as PROMPTS
from pcf_core.texts.fairpair.prompts import load_prompts, selected
from pcf_core.texts.fairpair.records import PROMPTS as KEPT_AS
from pcf_core.texts.fairpair.records import (
    USUAL_DISSIMILARITIES,
    CategorySet,
    FairPairAsked,
    PerturbationTable,
    PromptSet,
)
from pcf_core.texts.fairpair.tables import SHELF as TABLES
from pcf_core.texts.fairpair.tables import load_table
from pcf_core.work.fairpair import FAIRPAIR, FAIRPAIR_AUDIT, fairpair_asked, load_prompt_set

SEEN = "fairpair_before"
MOST = 12
Choices = dict[str, Any]  # by key of a widget


def prompts_of(name: str, names: Sequence[str] = ()) -> PromptSet:
    """Load a set of prompts by its name, about ``names`` where some are given."""
    return _prompts(name, tuple(names), stamp_of_shelf(PROMPTS))


@kept()
def _prompts(name: str, names: tuple[str, ...], stamp: Stamp) -> PromptSet:
    return load_prompts(name, names)


@kept()
def selection(prompts: PromptSet, categories: tuple[str, ...], each: int | None) -> PromptSet:
    """Select as :func:`~pcf_core.texts.fairpair.prompts.selected` does."""
    return selected(prompts, categories, each)


@kept()
def _kept_prompts(request: FairPairAsked, state: tuple[State | None, ...]) -> PromptSet:
    return load_prompt_set(open_store(), request)


def table_of(name: str) -> PerturbationTable:
    """Load a shipped table of counterparts by its name."""
    return _table(TABLES.require(name), stamp_of_shelf(TABLES))


@kept(slots=16)
def _table(name: str, stamp: Stamp) -> PerturbationTable:
    return load_table(name)


def categories_of(name: str) -> CategorySet:
    """Load a set of categories of words by its name."""
    return _categories(name, stamp_of_shelf(CATEGORIES))


@kept(slots=16)
def _categories(name: str, stamp: Stamp) -> CategorySet:
    return load_categories(name)


def choices_of(request: FairPairAsked) -> Choices | None:
    """Return the form's choices that ask for the same; ``None`` where it cannot ask for it.

    As where the prompts were changed since, where the command asked for what the form does not offer, or
    where it was asked elsewhere.
    """
    if request.imported:
        return None
    try:
        whole = prompts_of(request.prompts.name, request.prompts.names)
        taken = _kept_prompts(request, open_store().document_state(request.prompts.kept, KEPT_AS))
        each = max(Counter(prompt.category for prompt in taken.prompts).values())
        options = options_of(
            request,
            dissimilarities=USUAL_DISSIMILARITIES,
            category=() if set(taken.categories) == set(whole.categories) else taken.categories,
            each=each,
        )
        writer = resolve_writer(request.key.model, options.chat).with_dtype(request.key.dtype)
        again = fairpair_asked(
            GenerationKey.of(writer, request.key.decoding),
            selection(whole, options.category, each),
            table_of(options.table),
            options,
            request.categories and categories_of(options.categories),
        )
    except AuditError:
        return None
    if again.hash != request.hash:
        return None
    first, second = request.perturbation.entity
    return {
        **page_values(options),
        "fp_model": [request.key.model],
        "fp_name_1": first,
        "fp_name_2": second,
        "fp_temperature": [number_text(request.key.decoding.temperature)],
    }


def parameters_of(key: str) -> Mapping[str, str | list[str]] | None:
    """Return the query parameters that open a request of this hash on the page, where it can."""
    return way_back(FAIRPAIR_AUDIT, key, choices_of)


def draw_kept() -> None:
    """Draw earlier results, each with a button that asks for it again."""
    if open_store().documents(FAIRPAIR):
        draw_before(SEEN, "fairpair_open", _found_before)


def _found_before() -> list[tuple[str, str, Choices]]:
    """List the newest requests that the form can make again; equal settings stand together."""
    together: dict[str, tuple[FairPairAsked, Choices]] = {}
    for request in answered(FAIRPAIR_AUDIT):
        choices = choices_of(request)
        if choices is None:
            continue
        settings = digest({name: value for name, value in choices.items() if name != "fp_model"})
        first, earlier = together.setdefault(settings, (request, choices))
        if earlier is not choices:
            models = [*earlier["fp_model"], *choices["fp_model"]]
            together[settings] = first, {**earlier, "fp_model": models}
        if len(together) == MOST:
            break
    return [(request.hash, _text_of(request, choices), choices) for request, choices in together.values()]


def _text_of(request: FairPairAsked, choices: Choices) -> str:
    models = [model_label(model, request.key.dtype) for model in choices["fp_model"]]
    return (
        f"**{plain(', '.join(models))}** · {plain(' → '.join(request.prompts.names))} · "
        f"{plain(request.prompts.title)}, {count(request.prompts.count, 'prompt')}, "
        f"{count(request.count, 'text')} a side · {plain(decoding_text(request.key.decoding))}"
    )

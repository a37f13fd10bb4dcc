"""Some of a set's prompts: those of a few categories, and so many of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from pcf_core.errors import PromptError
from pcf_core.records.fairpair_prompts import Prompt, PromptSet
from pcf_core.topics.text import listed, shown


def selected(prompts: PromptSet, categories: Collection[str] = (), most: int | None = None) -> PromptSet:
    """The set with the prompts of these categories alone, ``most`` of each, in the order of the set.

    Of a category every fact comes once before any comes twice: prompts of one fact say nearly the same, and
    tell less together than those of different facts.

    Args:
        prompts: a whole set.
        categories: names; none for all of them.
        most: prompts of each category; ``None`` for all.

    Raises:
        PromptError: a category that the set does not have, or ``most`` under 1.
    """
    unknown = sorted(set(categories) - set(prompts.categories))
    if unknown:
        known = listed([name or "(none)" for name in prompts.categories])
        raise PromptError(f"The prompts {prompts.name} have no category {shown(unknown[0])}; use {known}.")
    if most is not None and most < 1:
        raise PromptError(f"At least one prompt of each category is needed, and {most} were asked for.")
    among = [prompt for prompt in prompts.prompts if not categories or prompt.category in categories]
    if most is None:
        return prompts.model_copy(update={"prompts": tuple(among)})
    kept = {
        place
        for category in dict.fromkeys(prompt.category for prompt in among)
        for place in _first_of_each_fact(among, category)[:most]
    }
    return prompts.model_copy(
        update={"prompts": tuple(prompt for place, prompt in enumerate(among) if place in kept)}
    )


def _first_of_each_fact(prompts: Sequence[Prompt], category: str) -> list[int]:
    """Places of a category's prompts, the first of every fact, then the second of every fact, and so on."""
    times: Counter[str] = Counter()
    ranked = []
    for place, prompt in enumerate(prompts):
        if prompt.category == category:
            ranked.append((times[prompt.fact], place))
            times[prompt.fact] += 1
    return [place for _, place in sorted(ranked)]

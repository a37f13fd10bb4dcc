"""What a topic's words would be asked in: sentences made of a template set and an evidence list."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from pcf_core.records import Evidence, Template, TemplateSet, Topic


def heaviest_templates(templates: TemplateSet, number: int) -> tuple[Template, ...]:
    """The templates with the largest counts, the largest first; where counts tie, as the set has them."""
    return tuple(sorted(templates.templates, key=lambda template: -template.count)[:number])


def spread_terms(evidence: Evidence, number: int) -> tuple[str, ...]:
    """Terms at even distances of the list, its first one among them: at most ``number``."""
    terms = evidence.terms
    size = min(number, len(terms))
    return tuple(terms[place * len(terms) // size] for place in range(size))


def probe_prompts(templates: TemplateSet, evidence: Evidence, number: int = 10) -> tuple[str, ...]:
    """Sentences with ``[Y]`` open: the heaviest templates, each with another term of the list.

    Where there are fewer templates or terms than ``number``, they begin again, and no sentence stands twice.
    """
    chosen = heaviest_templates(templates, number)
    terms = spread_terms(evidence, number)
    every = (
        template.prompt(terms[(place + shift) % len(terms)])
        for shift in range(len(terms))
        for place, template in enumerate(chosen)
    )
    return tuple(itertools.islice(dict.fromkeys(every), number))


def filled_prompts(
    topic: Topic, templates: Sequence[Template], terms: Sequence[str]
) -> tuple[tuple[str, str, str], ...]:
    """(group, word, sentence) for every template, term and word, in this order."""
    return tuple(
        (group.name, word, template.prompt(term).replace("[Y]", word))
        for template in templates
        for term in terms
        for group in topic.groups
        for word in group.words
    )

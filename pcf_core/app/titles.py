"""Titles of models, topics, template sets, lists and groups in menus (as ``format_func``) and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pcf_core.app.lists import all_evidence, all_topics, lists_of_runs, set_cards
from pcf_core.app.request_cache import once_a_run
from pcf_core.material.mappings import MAPPINGS
from pcf_core.show.findings.numbers import people
from pcf_core.show.names import Titles, set_title, unique_titles, with_titles


def model_titles(names: Iterable[str]) -> Titles:
    """Return the titles of models, or of labels that begin with a model."""
    return unique_titles({name: with_titles(name) for name in names})


@once_a_run
def topic_titles() -> Titles:
    """Return the titles of all topics, also those of earlier results."""
    return unique_titles({name: topic.title for name, topic in all_topics().items()})


@once_a_run
def set_titles() -> Titles:
    """Return the titles of all template sets; equal titles get the topic that the set is made for."""
    cards, of_topic = set_cards(), topic_titles()
    times = Counter(card.title for card in cards.values())
    titles = {
        name: f"{card.title} ({of_topic(card.topic)})" if card.topic and times[card.title] > 1 else card.title
        for name, card in cards.items()
    }
    earlier = {name: set_title(templates) for name, templates in lists_of_runs().templates.items()}
    return unique_titles(titles | earlier)


@once_a_run
def list_titles() -> Titles:
    """Return the titles of all lists of occupations, also those of earlier results."""
    return unique_titles({name: evidence.title for name, evidence in all_evidence().items()})


@once_a_run
def mapping_titles() -> Titles:
    """Return the titles of all regulations that a report can be held against."""
    return unique_titles({name: MAPPINGS.load(name).title for name in MAPPINGS.shelf.shipped()})


def group_titles(groups: Iterable[str]) -> Titles:
    """Return readable names of groups."""
    return unique_titles({group: people(group) for group in groups})

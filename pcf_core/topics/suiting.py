"""Which template sets suit a topic: computed from their cards, so that newly mined sets count too."""

from __future__ import annotations

from collections.abc import Mapping

from pcf_core.errors import InputError
from pcf_core.records import SetCard, Topic
from pcf_core.topics.templates import SHELF, load_card

FORMS: Mapping[str, str] = {"subject": "clausal", "predicate": "attributive"}  # by the position of the words


def template_cards() -> dict[str, SetCard]:
    """Name -> card of every set, the shipped ones first; the user's own that are damaged are not among them.

    Raises:
        TemplateError: the card of a shipped set is damaged.
    """
    own = SHELF.own()
    cards = {name: load_card(name) for name in SHELF.shipped()}
    return cards | {name: card for name in own if (card := _tried(name)) is not None}


def suiting_sets(topic: Topic, cards: Mapping[str, SetCard]) -> tuple[str, ...]:
    """Names of the sets that suit a topic, the one it begins with first, then in the order of ``cards``.

    A set suits where its language is the topic's and its form leaves a place for the topic's words: a clausal
    set ("The [X] said that [Y]") for subjects, an attributive one ("The [X], who came, is [Y]") for
    predicates.  A set of unknown form suits only a topic that begins with it.
    """
    language = _primary(topic.language)
    fitting = [
        name
        for name, card in cards.items()
        if card.form == FORMS[topic.position] and _primary(card.language) == language
    ]
    usual = [topic.templates] if topic.templates in cards else []
    return tuple(dict.fromkeys([*usual, *fitting]))


def _primary(language: str) -> str:
    return language.partition("-")[0].lower()


def _tried(name: str) -> SetCard | None:
    try:
        return load_card(name)
    except InputError:
        return None

"""``topics`` and ``templates``: what there is to choose from."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.cli.console import give, say
from pcf_core.cli.options import JsonOption
from pcf_core.core.topics import SetCard
from pcf_core.material.evidence import left_out_evidence, list_evidence
from pcf_core.material.suiting import suiting_sets, template_cards
from pcf_core.material.templates import (
    left_out_template_sets,
    list_template_sets,
    load_card,
    own_template_sets,
)
from pcf_core.material.topics import left_out_topics, list_topics


def topics(as_json: JsonOption = False) -> None:
    """List the topics, your own last, with the template sets that suit them, and the evidence lists."""
    known, lists, cards = list_topics(), list_evidence(), template_cards()
    for item in (*left_out_topics(), *left_out_evidence()):
        say(f"left out: {item.name}: {item.reason}")
    suits = {topic.name: suiting_sets(topic, cards) for topic in known}
    give(
        {
            "topics": [topic.model_dump() | {"suits": suits[topic.name]} for topic in known],
            "evidence": [evidence.model_dump() for evidence in lists],
        },
        as_json,
        lambda: [
            *(
                f"topic     {t.name:<20} {len(t.words):>4} words   {t.language}, {t.position:<9}   "
                f"{set_names(suits[t.name]):<40}   {' · '.join(t.group_names)}"
                for t in known
            ),
            *(f"evidence  {e.name:<20} {len(e.terms):>4} terms   {e.title}" for e in lists),
        ],
    )


def set_names(names: Sequence[str]) -> str:
    """Name the first and say how many more there are."""
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else "".join(names)


def share_text(card: SetCard) -> str:
    """Say what a set carries of the counts it was cut from; nothing where it was not mined."""
    if not card.kept:
        return "share unknown"
    return f"{card.kept:.1%} of the mass" if card.matches or card.kept < 1 else ""


def templates(as_json: JsonOption = False) -> None:
    """List the template sets, the shipped ones first."""
    sets = [(templates, load_card(templates.name)) for templates in list_template_sets()]
    own = own_template_sets()
    for item in left_out_template_sets():
        say(f"left out: {item.name}: {item.reason}")
    facts = (
        "language",
        "form",
        "corpus",
        "licence",
        "documents",
        "words",
        "matches",
        "cut",
        "kept",
        "parents",
    )
    give(
        [
            templates.model_dump() | {"own": templates.name in own} | card.model_dump(include=set(facts))
            for templates, card in sets
        ],
        as_json,
        lambda: [
            f"{templates.name:<24} {len(templates.templates):>7,} templates  "
            f"{share_text(card):<18}  "
            f"{f'{card.documents:,} documents' if card.documents else '':<20}  "
            f"{'own  ' * (templates.name in own)}{templates.title}"
            + (f" ({card.licence})" if card.licence else "")
            for templates, card in sets
        ],
    )

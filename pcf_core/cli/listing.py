"""``models``, ``topics`` and ``templates``: what there is to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

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
from pcf_core.models.names import known_models
from pcf_core.models.precision import DTYPES
from pcf_core.models.registry import left_out_models, list_models


def models(
    known: Annotated[bool, typer.Option("--known", help="the registry of hub models instead")] = False,
    as_json: JsonOption = False,
) -> None:
    """List the models that are at hand, or those that the registry knows."""
    if known:
        give_known(as_json)
        return
    specs = list_models()
    for item in left_out_models():
        say(f"left out: {item.name}: {item.reason}")
    give(
        [spec.model_dump() for spec in specs],
        as_json,
        lambda: [f"{spec.name:<24} {spec.family:<8} {spec.parameters:>14,}  {spec.title}" for spec in specs],
    )


def give_known(as_json: bool) -> None:
    """Give the registry, with the bytes of each model's weights per dtype."""
    registry = known_models()
    give(
        [
            model.model_dump() | {"memory": {dtype: model.memory(dtype) for dtype in DTYPES}}
            for model in registry
        ],
        as_json,
        lambda: [
            f"{model.name:<36} {model.family:<11} {model.parameters:>14,}  {model.verified:<7}  "
            + ", ".join(["gated"] * model.gated + ["own code"] * model.remote_code)
            for model in registry
        ],
    )


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

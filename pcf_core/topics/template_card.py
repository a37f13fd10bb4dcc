"""What is known of a template set, as TOML beside its file or carried within."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pcf_core.errors import TemplateError
from pcf_core.records import SetCard
from pcf_core.topics.reading import label, read_toml, title_of
from pcf_core.topics.template_parquet import carried_card
from pcf_core.topics.text import check_language, check_text
from pcf_core.topics.toml import toml_lines

CARD = tuple(SetCard.model_fields)
OTHER_TOML = ("groups", "terms")  # keys of topics and evidence lists, which may lie beside a set
LARGEST_NUMBER = 2**63 - 1


def read_card(path: Path, *, needed: bool = False) -> SetCard:
    """What is known of the set in a file: ``NAME.toml`` beside it, else what the file itself carries.

    Without a card, the title is the file's name.

    Raises:
        TemplateError: the card is ``needed`` and not there, or it is damaged.
    """
    beside = path.with_suffix(".toml")
    table: Mapping[str, Any] = {}
    where = label(path)
    if needed or beside.is_file():
        table = read_toml(beside, CARD, TemplateError, foreign=() if needed else OTHER_TOML)
        where = label(beside) if table else where
    if not table and path.suffix.lower() == ".parquet":
        table = carried_card(path)
    return make_card({"title": title_of(path), **table}, where)


def make_card(table: Mapping[str, Any], where: str = "The card") -> SetCard:
    """A card whose every field was checked; texts are normalised.

    Raises:
        TemplateError: a field of another kind, a negative or infinite number, a share above 1, no language.
    """
    try:
        card = SetCard.model_validate(dict(table))
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise TemplateError(f"{where}: {place} cannot be used ({first['msg']}): correct it.") from problem
    checked: dict[str, Any] = {}
    for name, value in card:
        if isinstance(value, str):
            checked[name] = check_text(value, name, where, TemplateError)
        elif isinstance(value, tuple):
            checked[name] = tuple(check_text(item, name, where, TemplateError) for item in value)
        elif isinstance(value, int) and abs(value) > LARGEST_NUMBER:
            raise TemplateError(f"{where}: {name} has over 18 digits; give a number from 0 up.")
        elif not 0 <= value < math.inf:
            raise TemplateError(f"{where}: {name} is {value:g}; give a number from 0 up.")
    if card.kept > 1:
        raise TemplateError(f"{where}: kept is {card.kept:g}; it is a share, from 0 to 1.")
    check_language(card.language, where, TemplateError)
    return card.model_copy(update=checked)


def card_text(card: SetCard) -> str:
    """A card as TOML; what says nothing is left out."""
    facts = card.model_dump(exclude_defaults=True)
    return toml_lines(facts)

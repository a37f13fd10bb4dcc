"""The shipped wording of the stories and the words that tell a gender, checked; and tables of any file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pcf_core.errors import CriteriaError
from pcf_core.records.anecdotes import AnecdoteWording, ReadingWords
from pcf_core.settings import settings
from pcf_core.topics.reading import read_toml
from pcf_core.topics.text import shown

BARE, WITH_ARTICLE = "{profession}", "{a profession}"


def load_wording(name: str = "anecdotes-1") -> AnecdoteWording:
    """How stories are asked for.

    Raises:
        CriteriaError: the asset is damaged: a text without a profession, or a scored one without ``[Y]``.
    """
    path = settings().assets / "criteria" / f"{name}.toml"
    wording = AnecdoteWording.model_validate(read_toml(path, AnecdoteWording.model_fields, CriteriaError))
    for text in (wording.instruction, wording.continuation, wording.scored):
        if BARE not in text and WITH_ARTICLE not in text:
            raise CriteriaError(f"{path.name}: {shown(text)} names no profession; write {BARE} into it.")
    if wording.scored.count("[Y]") != 1:
        raise CriteriaError(f"{path.name}: the scored text {shown(wording.scored)} must have one [Y].")
    return wording


def load_reading(name: str = "gendered-words-1") -> ReadingWords:
    """The words that tell a text's gender.

    Raises:
        CriteriaError: the asset is damaged: a word of both genders.
    """
    path = settings().assets / "criteria" / f"{name}.toml"
    words = ReadingWords.model_validate(read_toml(path, ReadingWords.model_fields, CriteriaError))
    female = {*words.female, *words.female_titles, *words.female_before_names}
    both = sorted(female & {*words.male, *words.male_titles, *words.male_before_names})
    if both:
        raise CriteriaError(f"{path.name}: {shown(both[0])} stands for both genders; remove it from one.")
    return words


def tables_of(value: object, what: str, where: str) -> list[Mapping[str, Any]]:
    """The tables ``[[what]]`` of a file.

    Raises:
        CriteriaError: it is no list of tables.
    """
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise CriteriaError(f"{where}: {what} is {shown(value)}; write it as a list of tables [[{what}]].")
    return value

"""Template sets (C): texts with ``[X]`` and ``[Y]`` and how often each was counted in a corpus.

A shipped set is ``NAME.csv`` (columns ``template,count``) with a card ``NAME.toml`` (title, source, notes).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import numpy as np

from pcf_core.errors import TemplateError
from pcf_core.records import FloatArray, Template, TemplateSet
from pcf_core.topics.reading import Shelf, label, name_of, read_table, read_toml, title_of
from pcf_core.topics.text import check_name, check_text, first_duplicate, shown

SHELF = Shelf("template set", "templates", ".csv", (".csv",), TemplateError)
COLUMNS = ("template", "count")
CARD = ("title", "source", "notes")


def list_template_sets() -> tuple[TemplateSet, ...]:
    """Every shipped set, by name.  Raises TemplateError where a shipped file is damaged."""
    return tuple(load_templates(name) for name in SHELF.names())


def load_templates(name_or_path: str | Path) -> TemplateSet:
    """A shipped set by its name, or a user's CSV file with the columns ``template,count``.

    Raises:
        TemplateError: unknown, unreadable, or refused by :func:`make_templates`.
    """
    path = SHELF.find(name_or_path)
    card = {"title": title_of(path)}
    if SHELF.is_shipped(path):
        card |= read_toml(path.with_suffix(".toml"), CARD, TemplateError)
    rows = [
        (row["template"], _number(row["count"], where))
        for where, row in read_table(path, COLUMNS, (), TemplateError)
    ]
    return make_templates(name_of(path), rows, where=label(path), **card)


def make_templates(
    name: str,
    rows: Iterable[tuple[str, float]],
    *,
    title: str = "",
    source: str = "",
    notes: str = "",
    where: str = "The template set",
) -> TemplateSet:
    """A set from (text, count) pairs; texts are normalised (NFC, white space) and stay as written otherwise.

    Raises:
        TemplateError: no template, a text without exactly one ``[X]`` and one ``[Y]``, a text twice, a count
            that is negative or not finite, counts that sum to 0, a name not safe in files and links.
    """
    templates = tuple(_template(text, count, where) for text, count in rows)
    if not templates:
        raise TemplateError(f"{where} has no templates: add at least one, such as The [X] said that [Y].")
    twice = first_duplicate(template.text for template in templates)
    if twice is not None:
        raise TemplateError(f"{where}: the template {shown(twice)} stands twice; add its counts in one row.")
    total = sum(template.count for template in templates)
    if not 0 < total < math.inf:
        raise TemplateError(f"{where}: the counts sum to {total:g}; their sum must be positive and finite.")
    name = check_name(name, "the name", where, TemplateError)
    return TemplateSet(
        name=name,
        title=check_text(title, "the title", where, TemplateError) or name,
        templates=templates,
        source=check_text(source, "the source", where, TemplateError),
        notes=check_text(notes, "the notes", where, TemplateError),
    )


def template_weights(templates: TemplateSet, how: Literal["counts", "equal"]) -> FloatArray:
    """[template] weights that sum to 1: by count (PCF 8.5, spec F9) or the same for each.

    Raises:
        TemplateError: another word than counts or equal.
    """
    if how == "equal":
        return np.full(len(templates.templates), 1 / len(templates.templates))
    if how == "counts":
        relative: FloatArray = (
            templates.counts / templates.counts.max()
        )  # so that tiny counts do not underflow
        weights: FloatArray = relative / relative.sum()
        return weights
    raise TemplateError(f"Template weights {shown(how)} are unknown: use counts or equal.")


def _number(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError as problem:
        raise TemplateError(f"{where}: the count {shown(text)} is not a number, such as 12.") from problem


def _template(text: str, count: float, where: str) -> Template:
    checked = check_text(text, "a template", where, TemplateError)
    if checked.count("[X]") != 1 or checked.count("[Y]") != 1:
        raise TemplateError(
            f"{where}: {shown(checked)} must have exactly one [X] (the occupation) and one [Y] (the word)."
        )
    if not (math.isfinite(count) and count >= 0):
        raise TemplateError(f"{where}: {shown(checked)} has the count {count:g}; give a number from 0 up.")
    return Template(text=checked, count=float(count))

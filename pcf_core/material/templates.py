"""Template sets (C): texts with ``[X]`` and ``[Y]`` and how often each was counted in a corpus.

A set is a file (:mod:`pcf_core.material.template_files`): shipped, with a card beside it; the user's own,
with its card in it, in the folder ``templates`` of the cache; or anywhere.  The user's are found by name
after the shipped ones, whose names they cannot take.

**Two template sets side by side: how much of their mass they share, and what only one of them has.**  Rank
correlation of the shared weights is in :mod:`pcf_core.measure.regression`, the effect on risks in
:mod:`pcf_core.audit.case`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np

from pcf_core.core.errors import TemplateError
from pcf_core.core.records import FloatArray, LeftOut
from pcf_core.core.topics import (
    FITS_OF_FORM,
    MinedSet,
    MinedTemplate,
    Part,
    SetCard,
    TemplateSet,
)
from pcf_core.material.safety.reading import MAX_BYTES, label
from pcf_core.material.safety.text import check_name, check_sentence, check_text, first_duplicate, shown
from pcf_core.material.safety.understood import show_entries
from pcf_core.material.shelves import OwnFiles, Shelf, name_of
from pcf_core.material.template_files import (
    ACCEPTED,
    LARGEST_NUMBER,
    Row,
    make_card,
    parquet_bytes,
    read_card,
    read_rows,
)

ENDINGS = (".csv", ".parquet")  # of sets that are shipped or saved
SHELF = Shelf("template set", "templates", ENDINGS, ACCEPTED.endings, TemplateError, keeps_own=True)
MOST_EXAMPLES = 3
LONGEST_REFERENCE = 200


def list_template_sets() -> tuple[TemplateSet, ...]:
    """List every shipped set, by name, then the user's own; of these, damaged ones are left out.

    Raises
    ------
    TemplateError
        A shipped file is damaged.
    """
    sets = [load_templates(name) for name in SHELF.shipped()]
    for name in SHELF.own():
        with suppress(TemplateError):
            sets.append(load_templates(name))
    return tuple(sets)


def left_out_template_sets() -> tuple[LeftOut, ...]:
    """List the user's own sets that cannot be read or reached, with the reason."""
    return OWN.left_out(load_templates)


def load_templates(name_or_path: str | Path) -> TemplateSet:
    """Load a set by its name, shipped ones first, or a user's CSV or Parquet file (``template,count``).

    Raises
    ------
    TemplateError
        Unknown, unreadable, or refused by :func:`make_mined`.
    """
    path = SHELF.find(name_or_path)
    if SHELF.is_shipped(path):
        return _shipped(path, path.stat().st_mtime_ns)
    return _load(path, origins=False).templates_only


@lru_cache(maxsize=8)
def _shipped(path: Path, changed: int) -> TemplateSet:
    """Read a shipped set, anew once its file has changed: a page asks for the same set many times."""
    return _load(path, origins=False).templates_only


def as_it_is_now(templates: TemplateSet) -> TemplateSet:
    """Return today's set of a name, if it has the same texts: it may say more than when a run stored it."""
    try:
        now = load_templates(templates.name)
    except TemplateError:  # there is none any more
        return templates
    return now if now.hash == templates.hash else templates


def labelled(templates: TemplateSet, families: Iterable[str]) -> TemplateSet:
    """Return a set whose templates have these families, in its order."""
    several = zip(templates.templates, families, strict=True)
    both = tuple(one.model_copy(update={"family": family}) for one, family in several)
    return templates.model_copy(update={"templates": both})


def load_mined(name_or_path: str | Path) -> MinedSet:
    """Load the same set with its card and the origin of every template, in the order of the file."""
    return _load(name_or_path, origins=True)


def _load(name_or_path: str | Path, *, origins: bool) -> MinedSet:
    path = SHELF.find(name_or_path)
    card = read_card(path, needed=SHELF.is_shipped(path))
    given, where = SHELF.is_given(path), label(path)
    mined = make_mined(name_of(path), read_rows(path, origins=origins, given=given), card, where=where)
    if given:
        several = mined.templates
        show_entries(
            where,
            len(several),
            lambda index: {"template": several[index].text, "count": several[index].count},
        )
    return mined


def load_card(name_or_path: str | Path) -> SetCard:
    """Load the card of a set: all that is known besides its templates.

    Raises
    ------
    TemplateError
        The set is unknown, or its card is damaged.
    """
    path = SHELF.find(name_or_path)
    return read_card(path, needed=SHELF.is_shipped(path))


def make_templates(
    name: str,
    rows: Iterable[tuple[str, float] | Row],
    *,
    title: str = "",
    source: str = "",
    notes: str = "",
    where: str = "The template set",
) -> TemplateSet:
    """Make a set from (text, count) pairs, or from rows that know their documents.

    Raises
    ------
    TemplateError
        As :func:`make_mined`.
    """
    several = (row if isinstance(row, Row) else Row(where, *row) for row in rows)
    card = SetCard(title=title, source=source, notes=notes)
    return make_mined(name, several, card, where=where).templates_only


def make_mined(
    name: str,
    templates: Iterable[MinedTemplate | Row],
    card: SetCard,
    *,
    where: str = "The template set",
) -> MinedSet:
    """Make a set with its origins, in the order given; texts are normalised (NFC, no white space around).

    Templates that do not say what fits at ``[Y]`` say what their form does.  References to documents are no
    prose: what cannot be printed in them becomes a question mark, what is over 200 characters is cut, and
    nothing of them is refused.

    Raises
    ------
    TemplateError
        No template, a text without exactly one ``[X]`` and one ``[Y]`` or with white space between words
        that is not one space, a text twice, a count that is negative or not finite, counts that sum to 0, a
        negative number of documents or of a source, over three examples; a name that is not safe in files
        and links; a card that :func:`~pcf_core.material.template_files.make_card` refuses.
    """
    checked_card = make_card(card.model_dump(), where)
    usual = FITS_OF_FORM.get(checked_card.form, ())
    checked = tuple(_checked(template, usual, where) for template in templates)
    if not checked:
        raise TemplateError(f"{where} has no templates: add at least one, such as The [X] said that [Y].")
    twice = first_duplicate(template.text for template in checked)
    if twice is not None:
        raise TemplateError(
            f"{where}: the template {shown(twice)} appears twice: add its counts up in one row."
        )
    total = sum(template.count for template in checked)
    if not 0 < total < math.inf:
        raise TemplateError(f"{where}: the counts sum to {total:g}; their sum must be positive and finite.")
    name = check_name(name, "the name", where, TemplateError)
    titled = checked_card if checked_card.title else checked_card.model_copy(update={"title": name})
    return MinedSet(name=name, card=titled, templates=checked)


def _checked(mined: MinedTemplate | Row, usual: tuple[Part, ...], where: str) -> MinedTemplate:
    text, count = check_sentence(mined.text, "a template", where, TemplateError), mined.count
    if text.count("[X]") != 1 or text.count("[Y]") != 1:
        raise TemplateError(
            f"{where}: {shown(text)} must have exactly one [X] (the occupation) and one [Y] (the word)."
        )
    if not (math.isfinite(count) and count >= 0):
        raise TemplateError(f"{where}: {shown(text)} has the count {count:g}; give a number of at least 0.")
    for number in (mined.documents, *mined.sources.values()):
        if not 0 <= number <= LARGEST_NUMBER:
            raise TemplateError(
                f"{where}: {shown(text)} has the count {number:,} for a source; give a whole number of at "
                "least 0."
            )
    if len(mined.examples) > MOST_EXAMPLES:
        raise TemplateError(
            f"{where}: {shown(text)} has {len(mined.examples)} examples; at most {MOST_EXAMPLES} are allowed."
        )
    sources: Counter[str] = Counter()  # two names may be cut to one
    for name, number in mined.sources.items():
        sources[_reference(name)] += number
    return MinedTemplate(
        text=text,
        count=float(count),
        documents=mined.documents,
        sources=dict(sources),
        examples=tuple(_reference(example) for example in mined.examples if example),
        fits=mined.fits or usual,
        family=check_text(mined.family, f"the family of {shown(text)}", where, TemplateError),
    )


def _reference(text: str) -> str:
    """Return the name of a source or document as a table can hold it."""
    if not text.isprintable():
        text = "".join(character if character.isprintable() else "?" for character in text)
    return text[:LONGEST_REFERENCE]


def template_weights(templates: TemplateSet, how: Literal["counts", "equal"]) -> FloatArray:
    """Return [template] weights that sum to 1: by count (PCF 8.5, spec F9) or the same for each.

    Raises
    ------
    TemplateError
        Another word than counts or equal.
    """
    if how == "equal":
        return np.full(len(templates.templates), 1 / len(templates.templates))
    if how == "counts":
        relative = templates.counts / templates.counts.max()  # so that tiny counts do not underflow
        weights: FloatArray = relative / relative.sum()
        return weights
    raise TemplateError(f"Template weights can be counts or equal; {shown(how)} was given.")


# Two template sets side by side: how much of their mass they share, and what only one of them has.


@dataclass(frozen=True)
class SetComparison:
    """Two template sets compared by their counts.

    ``overlap``: Σ min(w, w') over all texts, w and w' the weights by count that sum to 1 in each set; so 1
    less half their L1 distance (the total variation distance).

    ``shared``: texts of both, in the order of the first; ``first_weights`` and ``second_weights``: [shared]
    their weights.  ``only_first``, ``only_second``: texts of one set, in its order.
    """

    first: str
    second: str
    overlap: float
    shared: tuple[str, ...]
    first_weights: FloatArray
    second_weights: FloatArray
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]


def compare_sets(first: TemplateSet, second: TemplateSet) -> SetComparison:
    """Compare two sets by their texts, as they are written, and their weights by count."""
    one = dict(zip(first.texts, template_weights(first, "counts").tolist(), strict=True))
    other = dict(zip(second.texts, template_weights(second, "counts").tolist(), strict=True))
    shared = tuple(text for text in one if text in other)
    first_weights = np.array([one[text] for text in shared])
    second_weights = np.array([other[text] for text in shared])
    return SetComparison(
        first=first.name,
        second=second.name,
        overlap=float(np.minimum(first_weights, second_weights).sum()),
        shared=shared,
        first_weights=first_weights,
        second_weights=second_weights,
        only_first=tuple(text for text in one if text not in other),
        only_second=tuple(text for text in other if text not in one),
    )


@dataclass(frozen=True)
class _Sets(OwnFiles[MinedSet]):
    """Sets are kept as Parquet, and read where a user has put CSV and a card."""

    ending = ".parquet"
    others = (".toml", ".csv")

    def load(self, name_or_path: str | Path) -> MinedSet:
        return load_mined(name_or_path)

    def checked(self, item: MinedSet) -> MinedSet:
        return make_mined(item.name, item.templates, item.card, where="The set to save")

    def data(self, item: MinedSet) -> bytes:
        data = parquet_bytes(item)
        if len(data) > MAX_BYTES:  # it could not be read again
            raise TemplateError(
                f"The set {item.name} has {len(data):,} bytes; at most {MAX_BYTES:,} can be saved: shorten "
                "it by choosing a higher lowest count."
            )
        return data


OWN = _Sets(SHELF)
own_template_sets, save_set, delete_set, check_new_name = OWN.names, OWN.save, OWN.delete, OWN.check_new_name


def load_upload(file_name: str, data: bytes) -> MinedSet:
    """Read a set from the bytes of a CSV or Parquet file; see :meth:`OwnFiles.read_upload`."""
    return OWN.read_upload([(file_name, data)])

"""Evidence (X): the occupations, or other terms, that fill ``[X]``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pcf_core.errors import EvidenceError
from pcf_core.records import Evidence, LeftOut
from pcf_core.topics.reading import label, read_json, read_table, read_text, read_toml, title_of
from pcf_core.topics.shelves import Shelf, name_of
from pcf_core.topics.text import check_name, check_text, check_word, first_duplicate, shown
from pcf_core.topics.weights import number_of

ENDINGS = (".toml", ".json", ".csv", ".txt")
SHELF = Shelf("evidence list", "evidence", (".toml",), ENDINGS, EvidenceError, keeps_own=True)
KEYS = tuple(Evidence.model_fields)
LARGEST = 1e300  # of a weight
MAX_TERMS = 5_000  # as many as a topic has words


def list_evidence() -> tuple[Evidence, ...]:
    """Every shipped list, by name, then the user's own, of which damaged ones are left out.

    Raises:
        EvidenceError: a shipped file is damaged.
    """
    shipped = tuple(load_evidence(name) for name in SHELF.shipped())
    return shipped + SHELF.readable(load_evidence)


def left_out_evidence() -> tuple[LeftOut, ...]:
    """The user's own lists that cannot be read or reached, with the reason."""
    return SHELF.left_out(load_evidence)


def load_evidence(name_or_path: str | Path) -> Evidence:
    """A shipped list by its name, else one of the user's own, else a file.

    TOML or JSON with ``terms`` and, if wanted, ``weights`` (a number for each), ``noun`` (what a term is,
    "occupation" unless it says so), ``name``, ``title``, ``source``, ``notes``; CSV with a column ``term``
    and, if wanted, ``weight``, which the list takes where every term has one
    (:func:`~pcf_core.topics.occupation_weights` also reads a file with gaps); or plain text with one term a
    line.  One of the user's own has the name of its file.

    Raises:
        EvidenceError: unknown, unreadable, or refused by :func:`make_evidence`.
    """
    path = SHELF.find(name_or_path)
    ending = path.suffix.lower()
    if ending in (".toml", ".json"):
        read = read_json if ending == ".json" else read_toml
        table = read(path, KEYS, EvidenceError)
        terms = table.pop("terms", [])
        written = table.pop("name", name_of(path))
        name = path.stem if path.parent == SHELF.own_folder else written
        return make_evidence(name, terms, where=label(path), **{"title": title_of(path), **table})
    weights: list[float] = []
    if ending == ".csv":
        rows = read_table(path, ("term",), ("weight",), EvidenceError)
        terms = [row["term"] for _, row in rows]
        if all(row.get("weight", "").strip() for _, row in rows):
            weights = [number_of(row["weight"], where) for where, row in rows]
    else:
        terms = [line for line in read_text(path, EvidenceError).splitlines() if line.strip()]
    return make_evidence(name_of(path), terms, weights=weights, title=title_of(path), where=label(path))


def make_evidence(
    name: str,
    terms: Sequence[str],
    *,
    weights: Sequence[float] = (),
    noun: str = "occupation",
    title: str = "",
    source: str = "",
    notes: str = "",
    where: str = "The evidence list",
) -> Evidence:
    """A list of terms, each checked and normalised (NFC, white space).

    Raises:
        EvidenceError: no term or over 5,000, an empty one, one twice, one with brackets; weights that are not
            one finite number from 0 up for each term with a positive sum; a name that is not safe in files
            and links.
    """
    if not isinstance(terms, (list, tuple)):
        raise EvidenceError(f"{where}: terms must be a list of texts in quotation marks, not {shown(terms)}.")
    if len(terms) > MAX_TERMS:
        raise EvidenceError(f"{where} has {len(terms):,} terms: at most {MAX_TERMS:,} are allowed.")
    checked = tuple(check_word(term, "a term", where, EvidenceError) for term in terms)
    if not checked:
        raise EvidenceError(f"{where} has no terms: add at least one, such as nurse.")
    twice = first_duplicate(checked)
    if twice is not None:
        raise EvidenceError(f"{where}: the term {shown(twice)} stands twice; write it once.")
    name = check_name(name, "the name", where, EvidenceError)
    return Evidence(
        name=name,
        title=check_text(title, "the title", where, EvidenceError) or name,
        terms=checked,
        weights=_check_weights(checked, weights, where),
        noun=check_word(noun, "the noun", where, EvidenceError),
        source=check_text(source, "the source", where, EvidenceError),
        notes=check_text(notes, "the notes", where, EvidenceError),
    )


def _check_weights(terms: Sequence[str], weights: object, where: str) -> tuple[float, ...]:
    if not isinstance(weights, (list, tuple)):
        raise EvidenceError(f"{where}: weights must be a list of numbers, not {shown(weights)}.")
    if weights and len(weights) != len(terms):
        raise EvidenceError(
            f"{where} has {len(weights):,} weights for {len(terms):,} terms: give each one, or none."
        )
    checked = tuple(_weight(term, weight, where) for term, weight in zip(terms, weights, strict=False))
    if checked and max(checked) == 0:
        raise EvidenceError(f"{where} gives every term the weight 0; at least one must be positive.")
    return checked


def _weight(term: str, weight: object, where: str) -> float:
    if not isinstance(weight, (int, float)) or isinstance(weight, bool):
        raise EvidenceError(f"{where}: the weight of {shown(term)} is {shown(weight)}; write it as a number.")
    if not 0 <= weight <= LARGEST:
        raise EvidenceError(
            f"{where}: the weight of {shown(term)} is negative, not finite or over {LARGEST:g}; give "
            "a number from 0 up."
        )
    return float(weight)

"""Evidence (X): the occupations, or other terms, that fill ``[X]``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pcf_core.errors import EvidenceError
from pcf_core.records import Evidence
from pcf_core.topics.reading import Shelf, label, name_of, read_table, read_text, read_toml, title_of
from pcf_core.topics.text import check_name, check_text, check_word, first_duplicate, shown

SHELF = Shelf("evidence list", "evidence", (".toml",), (".toml", ".csv", ".txt"), EvidenceError)
KEYS = tuple(Evidence.model_fields)


def list_evidence() -> tuple[Evidence, ...]:
    """Every shipped list, by name.  Raises EvidenceError where a shipped file is damaged."""
    return tuple(load_evidence(name) for name in SHELF.names())


def load_evidence(name_or_path: str | Path) -> Evidence:
    """A shipped list by its name, or a user's file.

    TOML with ``terms`` and, if wanted, ``name``, ``title``, ``source``, ``notes``; CSV with a column ``term``
    (a column ``weight`` may stand beside it: :func:`~pcf_core.topics.occupation_weights` reads it); or plain
    text with one term a line.

    Raises:
        EvidenceError: unknown, unreadable, or refused by :func:`make_evidence`.
    """
    path = SHELF.find(name_or_path)
    ending = path.suffix.lower()
    if ending == ".toml":
        table = read_toml(path, KEYS, EvidenceError)
        terms = table.pop("terms", [])
        name = table.pop("name", name_of(path))
        return make_evidence(name, terms, where=label(path), **{"title": title_of(path), **table})
    if ending == ".csv":
        terms = [row["term"] for _, row in read_table(path, ("term",), ("weight",), EvidenceError)]
    else:
        terms = [line for line in read_text(path, EvidenceError).splitlines() if line.strip()]
    return make_evidence(name_of(path), terms, title=title_of(path), where=label(path))


def make_evidence(
    name: str,
    terms: Sequence[str],
    *,
    title: str = "",
    source: str = "",
    notes: str = "",
    where: str = "The evidence list",
) -> Evidence:
    """A list of terms, each checked and normalised (NFC, white space).

    Raises:
        EvidenceError: no term, an empty one, one twice, one with brackets, a name that is not safe in files
            and links.
    """
    if not isinstance(terms, (list, tuple)):
        raise EvidenceError(f"{where}: terms must be a list of texts in quotation marks, not {shown(terms)}.")
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
        source=check_text(source, "the source", where, EvidenceError),
        notes=check_text(notes, "the notes", where, EvidenceError),
    )

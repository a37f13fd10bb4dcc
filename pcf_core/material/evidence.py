"""Evidence (X): the occupations, or other terms, that fill ``[X]``.

**Weights of the occupations, and what the labour market says about the groups.**  Uniform weights are the
papers' ("to exclude occupation value judgments", BVF 3.1); employment weights are the second choice of PCF
3.1.  A term without a figure is left out by name.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from pcf_core.core.errors import EvidenceError, TopicError
from pcf_core.core.records import LeftOut
from pcf_core.core.topics import Evidence, Topic, Weights
from pcf_core.material.factors import Factor, factors, why_unused
from pcf_core.material.own_files import OwnFiles, toml_lines
from pcf_core.material.safety.reading import label, read_json, read_table, read_text, read_toml, title_of
from pcf_core.material.safety.text import (
    check_name,
    check_text,
    check_word,
    first_duplicate,
    listed,
    normalise,
    shown,
)
from pcf_core.material.shelves import MOST_NAMED, Shelf, given_file, name_of

# Weights of the occupations, and what the labour market says about the groups.


MIN_SHARE = 0.5
EMPLOYMENT_SOURCE = (
    "US employment 2021, BLS Employment Projections 2021-31, Table 1.7; exact and close matches; terms on "
    "one line split it; a wide line (Management occupations) also counts people of narrower ones beside it"
)


def occupation_weights(evidence: Evidence, name_or_path: str) -> Weights:
    """Return the weights of a list's terms, which sum to 1.

    ``name_or_path`` is "uniform", "employment", "list" (those that the list itself has), or a CSV file
    (``term,weight``; an empty weight is no figure).

    ``share`` is the part of the terms that kept a weight, the others are in ``left_out`` with the reason.

    Raises
    ------
    EvidenceError
        None of the names nor such a file; a weight that is negative or not finite, or all zero; under half of
        the terms have a weight; a list without weights of its own.
    """
    if name_or_path == "uniform":
        return make_weights(evidence, "uniform", dict.fromkeys(evidence.terms, 1.0), {})
    if name_or_path == "employment":
        known = factors()
        values = _split_employment(evidence, known)
        reasons = {term: why_unused(known.get(term.casefold())) for term in evidence.terms}
        return make_weights(evidence, "employment", values, reasons, source=EMPLOYMENT_SOURCE)
    if name_or_path == "list":
        if not evidence.weights:
            raise EvidenceError(
                f"The list {evidence.name} has no weights of its own: choose uniform, or give a .csv file "
                "with the columns term and weight."
            )
        own = dict(zip(evidence.terms, evidence.weights, strict=True))
        return make_weights(evidence, "list", own, {}, source=evidence.source)
    return _from_file(evidence, name_or_path)


def make_weights(
    evidence: Evidence,
    name: str,
    values: Mapping[str, float],
    reasons: Mapping[str, str],
    *,
    source: str = "",
    left_out: Sequence[LeftOut] = (),
    where: str = "",
) -> Weights:
    """Check weights and normalise them over the terms that have one; ``reasons`` says why a term has none.

    Raises
    ------
    EvidenceError
        As in :func:`occupation_weights`.
    """
    where = where or f"The weighting {name}"
    terms = tuple(term for term in evidence.terms if term in values)
    share = len(terms) / len(evidence.terms)
    if share < MIN_SHARE:
        raise EvidenceError(
            f"{where} has a figure for only {len(terms)} of the {len(evidence.terms)} terms of "
            f"{evidence.name} ({100 * share:.0f} %, at least half is needed): choose uniform or a list "
            "it covers."
        )
    for term in terms:
        if not (math.isfinite(values[term]) and values[term] >= 0):
            raise EvidenceError(
                f"{where}: {shown(term)} has the weight {values[term]:g}; give a number from 0 up."
            )
    largest = max(values[term] for term in terms)
    if largest == 0:
        raise EvidenceError(f"{where} gives every term the weight 0; at least one must be positive.")
    relative = [values[term] / largest for term in terms]
    total = math.fsum(relative)
    missing = tuple(
        LeftOut(name=term, reason=reasons.get(term, f"{where} has no figure for it"))
        for term in evidence.terms
        if term not in values
    )
    return Weights(
        name=name,
        terms=terms,
        values=tuple(value / total for value in relative),
        left_out=(*missing, *left_out),
        share=share,
        source=source,
    )


def womens_share(evidence: Evidence) -> dict[str, float]:
    """Load term -> women among the employed (0 to 1; CPS Table 11, 2021), for terms that have a figure.

    Exact and close matches only; who is not in the answer has none.
    """
    known = factors()
    found = ((term, known.get(term.casefold())) for term in evidence.terms)
    return {
        term: factor.women_share
        for term, factor in found
        if factor is not None and factor.used and factor.women_share is not None
    }


def labour_reference(evidence: Evidence, topic: Topic) -> dict[str, tuple[float, ...]]:
    """Return term -> p* of the labour force, by group of the topic: 0 < p* < 1, sums to 1.

    Terms without a published share (and those where it is 0 or 1) are not in the answer.

    Raises
    ------
    TopicError
        The groups are not male and female: the statistics know no others.
    """
    if set(topic.group_names) != {"male", "female"}:
        names = topic.group_names
        more = [f"{len(names) - MOST_NAMED:,} more"] if len(names) > MOST_NAMED else []
        raise TopicError(
            f"The labour force is a reference for the groups male and female only; {topic.name} has "
            f"{listed([*names[:MOST_NAMED], *more])}: use the uniform reference."
        )
    return {
        term: tuple(share if group == "female" else 1 - share for group in topic.group_names)
        for term, share in womens_share(evidence).items()
        if 0 < share < 1
    }


def _split_employment(evidence: Evidence, known: Mapping[str, Factor]) -> dict[str, float]:
    """Return thousands employed per term; terms of this list that stand on one line share it equally."""
    lines: dict[str, tuple[str, float]] = {}
    for term in evidence.terms:
        factor = known.get(term.casefold())
        if factor is not None and factor.used and factor.employment_thousands is not None:
            lines[term] = (factor.bls_title, factor.employment_thousands)
    sharing = Counter(title for title, _ in lines.values())
    return {term: employed / sharing[title] for term, (title, employed) in lines.items()}


def _from_file(evidence: Evidence, name_or_path: str) -> Weights:
    path = given_file(name_or_path, (".csv",))
    if path is None:
        raise EvidenceError(
            f"The weighting {shown(name_or_path)} is unknown: use uniform, employment, list, "
            f"or the path of a .csv file with the columns term and weight."
        )
    table = read_table(path, ("term", "weight"), (), EvidenceError)
    rows = [(normalise(row["term"]), row["weight"], where) for where, row in table]
    twice = first_duplicate(term for term, _, _ in rows)
    if twice is not None:
        raise EvidenceError(f"{label(path)}: the term {shown(twice)} stands twice; write it once.")
    wanted = set(evidence.terms)
    return make_weights(
        evidence,
        label(path),
        {term: number_of(text, where) for term, text, where in rows if term in wanted and text.strip()},
        {},
        left_out=tuple(
            LeftOut(name=term, reason=f"{label(path)} weighs it, but {evidence.name} does not have it")
            for term, _, _ in rows
            if term not in wanted
        ),
        where=label(path),
    )


def number_of(text: str, where: str) -> float:
    """Read a weight from the text of a table's cell.

    Raises
    ------
    EvidenceError
        It is no number.
    """
    try:
        return float(text)
    except ValueError as problem:
        raise EvidenceError(f"{where}: the weight {shown(text)} is not a number, such as 12.") from problem


ENDINGS = (".toml", ".json", ".csv", ".txt")
SHELF = Shelf("evidence list", "evidence", (".toml",), ENDINGS, EvidenceError, keeps_own=True)
KEYS = tuple(Evidence.model_fields)
LARGEST = 1e300  # of a weight
MAX_TERMS = 5_000  # as many as a topic has words


def list_evidence() -> tuple[Evidence, ...]:
    """List every shipped list, by name, then the user's own, of which damaged ones are left out.

    Raises
    ------
    EvidenceError
        A shipped file is damaged.
    """
    shipped = tuple(load_evidence(name) for name in SHELF.shipped())
    return shipped + SHELF.readable(load_evidence)


def left_out_evidence() -> tuple[LeftOut, ...]:
    """List the user's own lists that cannot be read or reached, with the reason."""
    return SHELF.left_out(load_evidence)


def load_evidence(name_or_path: str | Path) -> Evidence:
    """Load a shipped list by its name, else one of the user's own, else a file.

    TOML or JSON with ``terms`` and, if wanted, ``weights`` (a number for each), ``noun`` (what a term is,
    "occupation" unless it says so), ``name``, ``title``, ``source``, ``notes``; CSV with a column ``term``
    and, if wanted, ``weight``, which the list takes where every term has one
    (:func:`occupation_weights` also reads a file with gaps); or plain text with one term a
    line.  One of the user's own has the name of its file.

    Raises
    ------
    EvidenceError
        Unknown, unreadable, or refused by :func:`make_evidence`.
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
    """Make a list of terms, each checked and normalised (NFC, white space).

    Raises
    ------
    EvidenceError
        No term or over 5,000, an empty one, one twice, one with brackets; weights that are not one finite
        number from 0 up for each term with a positive sum; a name that is not safe in files and links.
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


# The user's own lists: TOML files in the folder ``evidence`` of the cache.  A list of other terms is another
# one to the store; weights decide no score.


def checked_evidence(evidence: Evidence) -> Evidence:
    """Return the list normalised.

    Raises
    ------
    EvidenceError
        :func:`~pcf_core.material.evidence.make_evidence` refuses it.
    """
    facts = {name: getattr(evidence, name) for name in ("weights", "noun", "title", "source", "notes")}
    return make_evidence(evidence.name, evidence.terms, where="The evidence list to save", **facts)


def evidence_toml(evidence: Evidence) -> str:
    """Write a list as TOML that :func:`~pcf_core.material.evidence.load_evidence` reads as the same list."""
    return toml_lines(evidence.model_dump(mode="json"))


OWN = OwnFiles(SHELF, lambda evidence: evidence_toml(evidence).encode(), load_evidence, checked_evidence)

"""Evidence (X): the occupations, or other terms, that fill ``[X]``.

**Weights of the occupations, and what the labour market says about the groups.**  Uniform weights are the
papers' ("to exclude occupation value judgments", BVF 3.1); employment weights are the second choice of PCF
3.1.  A term without a figure is left out by name.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from pydantic import ValidationInfo, model_validator

from pcf_core.core.errors import EvidenceError, TopicError
from pcf_core.core.records import LeftOut
from pcf_core.core.topics import Evidence, Topic, Weights
from pcf_core.material.base import (
    Entry,
    Kind,
    Material,
    Origin,
    Text,
    Weight,
    Word,
    origin_of,
    tell_spellings,
)
from pcf_core.material.safety.decimals import LEAVE_EMPTY, NumberColumn
from pcf_core.material.safety.entries import read_only_table
from pcf_core.material.safety.lists import filled, tell_doubtful
from pcf_core.material.safety.reading import label, tell, unquoted
from pcf_core.material.safety.tables import Accepted, Column, Rows
from pcf_core.material.safety.text import check_once, listed, normalise, shown
from pcf_core.material.safety.understood import show_entries
from pcf_core.material.shelves import MOST_NAMED, Shelf, given_file

if TYPE_CHECKING:  # the statistics and their records are for whoever weights or holds against them
    from pcf_core.material.factors import Factor

# Weights of the occupations, and what the labour market says about the groups.


MIN_SHARE = 0.5
TERM = Column(
    "term",
    "an occupation",
    (
        *("occupation", "occupation name", "profession", "job", "job name", "job title", "title", "title en"),
        *("occupation title", "preferred label"),
    ),
)
WEIGHT = Column("weight", "how much it counts", is_number=True)
WEIGHTS = Accepted("weights of occupations", (TERM, WEIGHT), toml=False)
EMPLOYMENT_SOURCE = (
    "US employment 2021, BLS Employment Projections 2021-31, Table 1.7; exact and close matches; terms on "
    "one line split it; a wide line (Management occupations) also counts people of narrower ones beside it"
)


def occupation_weights(evidence: Evidence, name_or_path: str) -> Weights:
    """Return the weights of a list's terms, which sum to 1.

    ``name_or_path`` is "uniform", "employment", "list" (those that the list itself has), or a table
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
        from pcf_core.material.factors import factors, why_unused

        statistics = factors()
        values = _split_employment(evidence, statistics)
        reasons = {term: why_unused(statistics.get(term.casefold())) for term in evidence.terms}
        return make_weights(evidence, "employment", values, reasons, source=EMPLOYMENT_SOURCE)
    if name_or_path == "list":
        if not evidence.weights:
            raise EvidenceError(
                f"The list {evidence.name} has no weights: choose uniform, or give a table with the "
                "columns term and weight."
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
    """Check weights and normalise them over the terms that have one; ``reasons`` says why a term has none."""
    where = where or f"The weighting {name}"
    terms = tuple(term for term in evidence.terms if term in values)
    share = len(terms) / len(evidence.terms)
    if share < MIN_SHARE:
        raise EvidenceError(
            f"{where} has a weight for only {len(terms)} of the {len(evidence.terms)} occupations of "
            f"{evidence.name} ({100 * share:.0f} %), and at least half are needed: choose uniform weights, "
            "or another list of occupations."
        )
    for term in terms:
        if not (math.isfinite(values[term]) and values[term] >= 0):
            raise EvidenceError(
                f"{where}: {shown(term)} has the weight {values[term]:g}; give a number of at least 0."
            )
    largest = max(values[term] for term in terms)
    if largest == 0:
        raise EvidenceError(
            f"{where} gives every occupation the weight 0; at least one weight must be positive."
        )
    relative = [values[term] / largest for term in terms]
    total = math.fsum(relative)
    missing = tuple(
        LeftOut(name=term, reason=reasons.get(term, f"{where} has no weight for it"))
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
    from pcf_core.material.factors import factors

    statistics = factors()
    factor_of = ((term, statistics.get(term.casefold())) for term in evidence.terms)
    return {
        term: factor.women_share
        for term, factor in factor_of
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
            f"The labour force can be the reference for the groups male and female only, but {topic.name} "
            f"has {listed([*names[:MOST_NAMED], *more])}: use the uniform reference."
        )
    return {
        term: tuple(share if group == "female" else 1 - share for group in topic.group_names)
        for term, share in womens_share(evidence).items()
        if 0 < share < 1
    }


def _split_employment(evidence: Evidence, statistics: Mapping[str, Factor]) -> dict[str, float]:
    """Return thousands employed per term; terms of this list that stand on one line share it equally."""
    lines: dict[str, tuple[str, float]] = {}
    for term in evidence.terms:
        factor = statistics.get(term.casefold())
        if factor is not None and factor.used and factor.employment_thousands is not None:
            lines[term] = (factor.bls_title, factor.employment_thousands)
    sharing = Counter(title for title, _ in lines.values())
    return {term: employed / sharing[title] for term, (title, employed) in lines.items()}


def _from_file(evidence: Evidence, name_or_path: str) -> Weights:
    path = given_file(name_or_path)
    if path is None:
        raise EvidenceError(
            f"The weighting {shown(name_or_path)} is unknown: use uniform, employment, list, or the path of "
            "a table with the columns term and weight."
        )
    table = read_only_table(path, WEIGHTS, EvidenceError)
    show_entries(label(path), len(table), lambda index: table[index][1])
    rows = [(normalise(row["term"]), row["weight"], where) for where, row in table]
    check_once((term for term, _, _ in rows), "term", label(path), EvidenceError)
    wanted = set(evidence.terms)
    # How numbers are written shows in every row, but a sum or a note in an unknown one is not refused.
    column = NumberColumn.of(
        (text for _, text, _ in rows), label(path), "weight", EvidenceError, missing=LEAVE_EMPTY
    )
    return make_weights(
        evidence,
        label(path),
        {term: column.number(text, where) for term, text, where in rows if term in wanted and text.strip()},
        {},
        left_out=tuple(
            LeftOut(name=term, reason=f"{label(path)} has a weight for it, but it is not in {evidence.name}")
            for term, _, _ in rows
            if term not in wanted
        ),
        where=label(path),
    )


# The lists, shipped or a user's own.  A list of other terms is another one to the store; weights decide no
# score.


CODES = ("isco code", "isco 08 code", "soc code", "o*net soc code")  # as classifications call their column
ACCEPTED = Accepted(
    "occupations",
    (
        TERM,
        replace(WEIGHT, needed=False),
        Column("code", "its code in a classification", CODES, needed=False),
    ),
    json="the keys of TOML, or a list of texts",
    line="an occupation",
)
SHELF = Shelf("evidence list", "evidence", (".toml",), ACCEPTED.endings, EvidenceError, keeps_own=True)
MAX_TERMS = 5_000  # as many as a topic has words
SEVERAL = ";|=、，،；"  # in a term that may be several; titles have commas, colons and slashes


class WrittenEvidence(Material):
    """A list as a file has it; see :class:`~pcf_core.core.topics.Evidence`.

    Only ``terms`` are needed.  A table has a weight for every term, or none
    (:func:`occupation_weights` also reads a file with gaps).
    """

    record = Evidence
    accepted = ACCEPTED
    entries = "terms"
    beside = ("weights", "codes")

    terms: tuple[Entry, ...] = ()
    weights: tuple[Weight, ...] = ()
    noun: Word = "occupation"
    codes: tuple[Text, ...] = ()

    @model_validator(mode="after")
    def _fits_together(self, info: ValidationInfo) -> Self:
        where, terms, weights = origin_of(info).where, self.terms, self.weights
        if len(terms) > MAX_TERMS:
            raise EvidenceError(f"{where} has {len(terms):,} occupations; at most {MAX_TERMS:,} are allowed.")
        if not terms:
            raise EvidenceError(f"{where} has no occupations: add at least one, such as nurse.")
        check_once(terms, "term", where, EvidenceError)
        if weights and len(weights) != len(terms):
            raise EvidenceError(
                f"{where} has {len(weights):,} weights for {len(terms):,} occupations: give a weight for "
                "each, or none."
            )
        if self.codes and len(self.codes) != len(terms):
            raise EvidenceError(
                f"{where} has {len(self.codes):,} codes for {len(terms):,} occupations: give a code for "
                "each, or none."
            )
        if weights and max(weights) == 0:
            raise EvidenceError(
                f"{where} gives every occupation the weight 0; at least one weight must be positive."
            )
        return self

    @classmethod
    def of_rows(cls, rows: Rows, origin: Origin) -> dict[str, Any]:
        """Read a term a row, its code, and its weight: every row has one, or none does.

        Classifications name a group that has a single member like this member: the first of them stays.
        """
        weights = _weights(rows, origin)
        if any(row.get("code", "").strip() for _, row in rows):
            first = _first_rows(rows, weights)
            if repeated := len(rows) - len(first):
                tell(
                    f"Rows of {origin.where} that were left out because a row above has the same title: "
                    f"{repeated:,}."
                )
            rows = [rows[index] for index in first]
            weights = [weights[index] for index in first] if weights else []
        codes = [row.get("code", "").strip() for _, row in rows]
        terms = [filled(row, "term", where, origin.error) for where, row in rows]
        return {"terms": terms, "weights": weights, "codes": codes if any(codes) else []}

    @classmethod
    def of_lines(cls, lines: Sequence[str], origin: Origin) -> dict[str, Any]:
        """Read a term a line."""
        return {"terms": unquoted(lines, origin.where)}

    @classmethod
    def look_over(cls, record: Evidence, where: str) -> None:
        """Tell which terms differ in capitals alone, and which may be mistakes."""
        tell_spellings(record.terms, where)
        tell_doubtful(record.terms, where, SEVERAL)


def _weights(rows: Rows, origin: Origin) -> list[float]:
    """Read the weights of a table; none if all are empty."""
    cells = [(where, row.get("weight", "")) for where, row in rows]
    if not any(text.strip() for _, text in cells):
        return []
    missing = "write one, or leave out the column weight"
    texts = (text for _, text in cells)
    column = NumberColumn.of(texts, origin.where, "weight", EvidenceError, missing=missing)
    for (where, text), (_, row) in zip(cells, rows, strict=True):
        if not text.strip():
            raise EvidenceError(
                f"{where}: the weight of {shown(row['term'])} is empty, but other rows have one: write it, "
                "or leave out the column weight."
            )
    return [column.number(text, where) for where, text in cells]


def _first_rows(rows: Rows, weights: Sequence[float]) -> list[int]:
    """Return the indices of the rows with the first of each title, if the others have its weight."""
    first: dict[str, int] = {}
    for index, (where, row) in enumerate(rows):
        above = first.setdefault(normalise(row["term"]), index)
        if weights and weights[above] != weights[index]:
            raise EvidenceError(
                f"{where}: {shown(row['term'])} has the weight {weights[index]:g}, but {weights[above]:g} in "
                f"{rows[above][0].rpartition(', ')[2]}: keep one of the rows."
            )
    return [*first.values()]


OWN: Kind[Evidence] = Kind(SHELF, WrittenEvidence)
load_evidence, list_evidence, left_out_evidence, evidence_toml = OWN.load, OWN.all, OWN.left_out, OWN.text


def make_evidence(
    name: str, terms: Sequence[str], *, where: str = "The evidence list", **facts: object
) -> Evidence:
    """Make a list of terms and other fields, each checked and normalised (NFC, white space).

    Raises
    ------
    EvidenceError
        No term or over 5,000, an empty one, one twice, one with brackets; weights that are not one finite
        number from 0 up for each term with a positive sum; a name that is not safe in files and links.
    """
    return OWN.make({"name": name, "terms": terms, **facts}, where)

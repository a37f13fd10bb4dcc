"""Weights of the occupations, and what the labour market says about the groups.

Uniform weights are the papers' ("to exclude occupation value judgments", BVF 3.1); employment weights are the
second choice of PCF 3.1.  A term without a figure is left out by name.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from pcf_core.errors import EvidenceError, TopicError
from pcf_core.records import Evidence, LeftOut, Topic, Weights
from pcf_core.topics.factors import Factor, factors, why_unused
from pcf_core.topics.reading import label, read_table
from pcf_core.topics.shelves import MOST_NAMED, given_file
from pcf_core.topics.text import first_duplicate, listed, normalise, shown

MIN_SHARE = 0.5
EMPLOYMENT_SOURCE = (
    "US employment 2021, BLS Employment Projections 2021-31, Table 1.7; exact and close matches; terms on "
    "one line split it; a wide line (Management occupations) also counts people of narrower ones beside it"
)


def occupation_weights(evidence: Evidence, name_or_path: str) -> Weights:
    """Weights of a list's terms that sum to 1: "uniform", "employment", "list" (those that the list itself
    has), or a CSV file (``term,weight``; an empty weight is no figure).

    ``share`` is the part of the terms that kept a weight, the others are in ``left_out`` with the reason.

    Raises:
        EvidenceError: none of the names nor such a file; a weight that is negative or not finite, or all
            zero; under half of the terms have a weight; a list without weights of its own.
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
    """Checked weights for the terms that have a value; ``reasons`` says why a term has none.

    Raises:
        EvidenceError: as in :func:`occupation_weights`.
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
    """Term -> women among the employed (0 to 1; CPS Table 11, 2021), for the terms that have a figure.

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
    """Term -> p* in the order of the topic's groups, 0 < p* < 1, sums to 1: the labour force as reference.

    Terms without a published share (and those where it is 0 or 1) are not in the answer.

    Raises:
        TopicError: the groups are not male and female: the statistics know no others.
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
    """Thousands employed per term; the terms of this list that stand on one line share it equally."""
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
    """A weight that a table has as text.

    Raises:
        EvidenceError: it is no number.
    """
    try:
        return float(text)
    except ValueError as problem:
        raise EvidenceError(f"{where}: the weight {shown(text)} is not a number, such as 12.") from problem

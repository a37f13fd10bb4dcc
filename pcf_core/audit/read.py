"""A model's mean stereotypes joined with what its training text says: which occupations are compared.

An occupation is compared where at least 20 documents of the text have a majority and the word stands in
small letters, not as part of a name, in at least a fifth of those that name it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pcf_core.errors import TopicError
from pcf_core.records import Evidence, FloatArray, LeftOut
from pcf_core.records.distribution import MeanTilt
from pcf_core.records.read import Amplification, ReadCount, ReadTable
from pcf_core.stats import TemplateUnit, amplification_of

FEWEST_DOCUMENTS = 20
LEAST_AS_WORD = 0.2  # share of the documents; below are surnames (baker, cook) and parts of titles
GROUPS = ("male", "female")


def why_not_compared(count: ReadCount | None) -> str:
    """Why an occupation is not compared, as a reader is told; empty where it is."""
    if count is None:
        return "the documents of the training text were not counted for it"
    if count.documents < FEWEST_DOCUMENTS:
        return f"{count.documents:,} documents with a majority, fewer than {FEWEST_DOCUMENTS}"
    if count.as_word < LEAST_AS_WORD * (count.documents + count.neither):
        return "in the text it is mostly part of a name or title"
    return ""


def read_leans(evidence: Evidence, table: ReadTable) -> dict[str, float]:
    """Term -> lean of the training text, −1 (all she) to 1 (all he), for the terms that are compared."""
    found = ((term, table.counts.get(term.casefold())) for term in evidence.terms)
    return {term: count.lean for term, count in found if count is not None and not why_not_compared(count)}


def read_against(
    occupations: Sequence[str],
    groups: Sequence[str],
    stereotypes: FloatArray,
    unit: TemplateUnit,
    tilt: MeanTilt,
    table: ReadTable,
) -> Amplification | None:
    """Compare a model with its text; ``None`` where no occupation can be compared.

    Args:
        occupations: their names.
        groups: ``male`` and ``female``, in any order.
        stereotypes: [occupation, template, group] against an even split, on the scale that ends at 1.
        unit: what of the templates is drawn again, with their weights.
        tilt: the mean stereotypes of *male* with their intervals over templates.
        table: the counts of the text.

    Raises:
        TopicError: other groups.
    """
    if set(groups) != set(GROUPS):
        raise TopicError(
            f"What the text says is counted for the groups male and female only; got {', '.join(groups)}: "
            "choose the topic gender."
        )
    reasons = {name: why_not_compared(table.counts.get(name.casefold())) for name in occupations}
    kept = [place for place, name in enumerate(occupations) if not reasons[name]]
    if not kept:
        return None
    found = amplification_of(
        [table.counts[occupations[place].casefold()] for place in kept],
        stereotypes[kept][:, :, list(groups).index("male")],
        unit,
        [tilt.interval(occupations[place]) for place in kept],
    )
    left_out = tuple(LeftOut(name=name, reason=reason) for name, reason in reasons.items() if reason)
    return replace(found, left_out=left_out)

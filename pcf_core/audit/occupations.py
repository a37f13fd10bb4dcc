"""Which occupations count, with what weights, and against what neutral point, under view options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pcf_core.audit.options import ViewOptions
from pcf_core.errors import EvidenceError
from pcf_core.records import Evidence, FloatArray, LeftOut, Topic
from pcf_core.topics import labour_reference, occupation_weights


@dataclass(frozen=True)
class Counted:
    """The occupations that count.

    ``weights``: by occupation, in the order of the list, >= 0 with a positive sum.  ``reference``:
    [occupation, group] p* in that order, ``None`` for an even split.  ``left_out``: those without a figure.
    """

    weights: Mapping[str, float]
    reference: FloatArray | None
    left_out: tuple[LeftOut, ...]


def counted_occupations(evidence: Evidence, topic: Topic, options: ViewOptions) -> Counted:
    """What the options for weights and neutral point come to for a list of occupations.

    Raises:
        EvidenceError: weights that cannot be used, or no occupation has what is asked for.
        TopicError: a reference that this topic does not have.
    """
    found = occupation_weights(evidence, options.occupation_weights)
    weights = dict(zip(found.terms, found.values, strict=True))
    left_out, reference = list(found.left_out), None
    if options.reference == "labour":
        shares = labour_reference(evidence, topic)
        left_out += [
            LeftOut(name=term, reason="no published share of women and men, so no p*")
            for term in weights
            if term not in shares
        ]
        weights = {term: value for term, value in weights.items() if term in shares}
        reference = np.array([shares[term] for term in weights])
    if not any(weights.values()):
        raise EvidenceError(
            f"None of the occupations of {evidence.name!r} has a figure for both the weights and the neutral "
            "point; choose uniform weights or the uniform reference."
        )
    return Counted(weights, reference, tuple(left_out))

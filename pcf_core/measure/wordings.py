"""Split caprice into a part of the context and a part of the wording.

Templates of one family (:mod:`pcf_core.measure.families`) say the same thing in other words.  With m the
families and w the wordings inside one, J is convex twice over (Jensen, as in PCF Eq. 6):

    R  =  J(E_m E_w s)                          prejudice
       +  [E_m J(E_w s) − J(E_m E_w s)]         context caprice: another meaning
       +  [E_m E_w J(s) − E_m J(E_w s)]         wording caprice: the same meaning, said otherwise

averaged over occupations.  Each part is at least 0, and the last two add up to the papers' R^c.  The split is
undefined unless families of at least two templates have half of the weight: without them the wording part
would be 0 only because nothing was reworded.

Example: one occupation and two groups, of which the first has the stereotypes .4 and −.2 in two wordings of
one sentence, −.3 and −.1 in two of another.  R = .25; the means of the families are .1 and −.2, so E_m J is
.15, and the mean of all is −.05: .25 = .05 + .10 + .10.
"""

from __future__ import annotations

from dataclasses import dataclass

from pcf_core.core.records import FloatArray
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import Decomposition, jensen_gap
from pcf_core.measure.families import Families

LEAST_SEVERAL = 0.5  # of the weight, in families of at least two templates


@dataclass(frozen=True)
class CapriceParts:
    """[occupation] parts of caprice, none below 0, which add up to r_x^c up to rounding."""

    context: FloatArray
    wording: FloatArray


def caprice_parts(
    stereotypes: FloatArray, parts: Decomposition, families: Families | None, criterion: Criterion
) -> CapriceParts | None:
    """Split the caprice of each occupation; ``None`` unless families of two have half of the weight.

    ``stereotypes`` [occupation, template, group]; ``parts``: their decomposition with the families' weights.
    """
    if families is None or families.several < LEAST_SEVERAL - 1e-9:  # for rounding
        return None
    between = criterion.of_stereotypes(families.means(stereotypes, axis=1)) @ families.totals
    context = jensen_gap(between, parts.prejudice).clip(min=0.0)
    wording = jensen_gap(parts.caprice, context).clip(min=0.0)
    return CapriceParts(parts.caprice - wording, wording)

"""Degrees of freedom of a variance that several sources add up to.

A variance is known as well as from so many squares of a normal.  Of a sum of independent estimates V_k with
ν_k degrees of freedom each, these are ν = (Σ V_k)² / Σ (V_k² / ν_k) (Satterthwaite 1946, eq. 17,
doi:10.2307/3002019): a source that adds little to the sum adds little to the doubt about it, however few the
draws that tell it.  ν is at least the least ν_k and at most their sum.

The same formula counts the items of a weighted sum Σ f_i e_i, of which each adds the variance f_i² σ² and one
square tells it: (Σ f_i²)² / Σ f_i⁴, which is n where all count alike.  In a regression these are the
occupations, of which the outlying ones decide most of the slope (Imbens & Kolesár 2016,
doi:10.1162/REST_a_00552, sec. III, without what the fit takes from the residuals).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.records import FloatArray


def degrees_of_freedom(variances: ArrayLike, freedoms: ArrayLike) -> FloatArray:
    """[…] ν of the module.

    Args:
        variances: [source, …] what each adds, in any unit, >= 0; where all are 0, the least ν_k is told.
        freedoms: [source, …] ν_k >= 0; of a source with 0 nothing can be learned, nor of the sum.
    """
    added, known = np.broadcast_arrays(
        np.asarray(variances, dtype=np.float64), np.asarray(freedoms, dtype=np.float64)
    )
    total, fewest = added.sum(axis=0), known.min(axis=0)
    shares = added / np.where(total > 0, total, 1.0)
    doubt = (shares**2 / np.where(known > 0, known, 1.0)).sum(axis=0)
    found = (total > 0) & (fewest > 0)
    return np.asarray(np.where(found, 1 / np.where(found, doubt, 1.0), fewest))

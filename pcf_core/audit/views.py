"""What view options come to for one run: which occupations, with what weights, measured how."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcf_core.audit.occupations import counted_occupations
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.sampling import weights_of
from pcf_core.records import FloatArray, RunSpec
from pcf_core.risk import Criterion, decompose, total


@dataclass(frozen=True)
class View:
    """How preferences are read.

    ``rows``: [occupation] places of those that count on the run's occupation axis; ``occupation_weights``
    stand in their order, ``template_weights`` in that of the run's templates.  Both are >= 0 with a positive
    sum.  A reference with rows of its own has them in the order of ``rows``.
    """

    rows: NDArray[np.intp]
    occupation_weights: FloatArray
    template_weights: FloatArray
    criterion: Criterion

    def risks(self, values: FloatArray, templates: NDArray[Any] | None = None) -> dict[str, float]:
        """R, R^p, R^c and the mean s.d. of the stereotype, by name.

        Args:
            values: [occupation, template, group] preferences of all occupations of the run.
            templates: places, or a mask, of the templates that are read; ``None`` for all.
        """
        chosen, weights = values[self.rows], self.template_weights
        if templates is not None:
            chosen, weights = chosen[:, templates], weights[templates]
        parts = decompose(chosen, weights, self.criterion)
        found = total(parts, self.occupation_weights)
        shares = self.occupation_weights / self.occupation_weights.sum()
        return {
            "overall_risk": found.overall_risk,
            "prejudice_risk": found.prejudice_risk,
            "caprice_risk": found.caprice_risk,
            "stereotype_sd": float(shares @ parts.stereotype_sd),
        }

    def part(self, start: int, stop: int) -> View:
        """The view of some of its occupations, as if they were all."""
        reference = self.criterion.reference
        if reference is not None and reference.ndim == 2:
            reference = reference[start:stop]
        return replace(
            self,
            rows=self.rows[start:stop],
            occupation_weights=self.occupation_weights[start:stop],
            criterion=replace(self.criterion, reference=reference),
        )


def view_of(run: RunSpec, options: ViewOptions) -> View:
    """What the options come to; see :func:`~pcf_core.audit.report`, which also says what is left out.

    Raises:
        EvidenceError, TopicError: weights or a reference that this run cannot be read with.
        TemplateError: template weights that a sampling plan does not allow.
        CriterionError: a criterion that cannot be used.
    """
    counted = counted_occupations(run.evidence, run.topic, options)
    place = {term: index for index, term in enumerate(run.evidence.terms)}
    return View(
        rows=np.array([place[term] for term in counted.weights]),
        occupation_weights=np.array(list(counted.weights.values())),
        template_weights=weights_of(run, options.template_weighting),
        criterion=Criterion.parse(options.criterion, options.scale, counted.reference),
    )

"""The same report from probabilities made elsewhere (``risk --matrix``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.units import unit_of_matrix
from pcf_core.audit.writing import Reading, risk_report
from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray, RiskReport
from pcf_core.risk import Criterion


def matrix_report(document: Mapping[str, Any], options: ViewOptions, resamples: int = 2000) -> RiskReport:
    """The same report from probabilities made elsewhere (``risk --matrix``).

    Args:
        document: ``preferences`` [occupation][template][group], rows that sum to 1 ± 1e-6; optional
            ``template_weights``, ``occupation_weights``, ``groups``, ``occupations``, ``templates``.

    Raises:
        CriterionError: a key that is missing or unknown, a shape or a value that is not allowed.
    """
    known = {"preferences", "template_weights", "occupation_weights", "groups", "occupations", "templates"}
    if not isinstance(document, Mapping) or "preferences" not in document or set(document) - known:
        raise CriterionError(
            "The matrix file must be one JSON object with `preferences` [occupation][template][group] "
            "and at most " + ", ".join(f"`{key}`" for key in sorted(known - {"preferences"})) + "."
        )
    values = number_array(document["preferences"], "preferences", 3)
    lengths = dict(zip(("occupations", "templates", "groups"), values.shape, strict=True))
    names = {
        axis: names_of(document.get(axis, [f"{axis[:-1]} {i + 1}" for i in range(length)]), axis, length)
        for axis, length in lengths.items()
    }
    weights = {
        axis: number_array(document.get(f"{axis}_weights", [1.0] * length), f"{axis}_weights", 1)
        for axis, length in (("template", lengths["templates"]), ("occupation", lengths["occupations"]))
    }
    refuse_what_a_matrix_lacks(options, counted="template_weights" in document)
    reading = Reading(
        values=values,
        groups=names["groups"],
        occupations=names["occupations"],
        templates=names["templates"],
        template_weights=weights["template"],
        occupation_weights=weights["occupation"],
        criterion=Criterion.parse(options.criterion, options.scale),
        unit=unit_of_matrix(weights["template"], options),
    )
    return risk_report(reading, resamples)


def refuse_what_a_matrix_lacks(options: ViewOptions, counted: bool) -> None:
    """Options that choose among what only a run has: weights, words, protocols, counts.

    Args:
        options: those that are asked for.
        counted: whether the matrix gives the weights of its templates.

    Raises:
        CriterionError: an option that would be without effect.
    """
    if options.reference != "uniform" or options.occupation_weights != "uniform":
        raise CriterionError(
            "A matrix carries its own weights and is measured against the uniform reference; "
            "drop --weights and --reference."
        )
    if options.template_weighting != "counts":
        raise CriterionError(
            "A matrix carries its own weights of templates, equal ones where it has no `template_weights`; "
            "drop --template-weights."
        )
    if options.aggregation != "sum" or options.protocol != "exact":
        raise CriterionError(
            "A matrix has the probabilities of groups and no words to read in another way; "
            "drop --aggregation and --protocol."
        )
    if options.unit == "mention" and not counted:
        raise CriterionError(
            "A matrix without `template_weights` counts no mentions; give whole counts there, or drop --unit."
        )


def number_array(value: Any, name: str, dimensions: int) -> FloatArray:
    """A rectangular array of finite numbers with the given number of axes, else one clear sentence."""
    try:
        array = np.array(value)
    except ValueError as error:
        raise CriterionError(
            f"`{name}` must be a rectangular list of numbers with {dimensions} axes."
        ) from error
    numbers = array.dtype.kind in "iuf" and bool(np.isfinite(array).all())
    if array.ndim != dimensions or 0 in array.shape or not numbers:
        raise CriterionError(
            f"`{name}` must be a rectangular, non-empty list of finite numbers with {dimensions} axes; "
            f"got {'numbers' if numbers else 'something else'} of the shape {list(array.shape)}."
        )
    return array.astype(np.float64)


def names_of(value: Any, axis: str, length: int) -> tuple[str, ...]:
    """The names along an axis: as many distinct texts as the axis is long."""
    fits = isinstance(value, list) and all(
        isinstance(item, str) and item.strip() and item.isprintable() for item in value
    )
    if not fits or len(value) != length or len(set(value)) != length:
        raise CriterionError(f"`{axis}` must be a list of {length} distinct, printable names.")
    return tuple(value)

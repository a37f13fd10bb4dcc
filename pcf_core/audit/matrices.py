"""From probabilities or counted answers made elsewhere (``risk --matrix``) to a risk report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pcf_core.audit.answers import answers_report
from pcf_core.audit.options import ViewOptions, unit_of_matrix
from pcf_core.audit.reading import criterion_for
from pcf_core.audit.writing import Matrix, risk_report
from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import RiskReport
from pcf_core.measure.criterion import normalised
from pcf_core.measure.decisions import rates_of_comparisons, shares_of_guises

MOST_ANSWERS = 1_000_000  # of a cell

MAIN = {"preferences", "rates", "guises", "comparisons", "counts"}
OPTIONAL = ("families", "groups", "occupation_weights", "occupations", "template_weights", "templates")


def matrix_report(document: object, options: ViewOptions, resamples: int = 2000) -> RiskReport:
    """Make a report from probabilities or answers made elsewhere (``risk --matrix``).

    ``document``: ``preferences`` [occupation][template][group], rows that sum to 1 ± 1e-6; or ``rates`` of
    decisions, each from 0 to 1 (:mod:`pcf_core.measure.decisions`); or ``guises``, probabilities of each term
    after texts of each group; or ``comparisons`` [occupation][template][group][group] of two people at once;
    or ``counts`` of answers, of the first shape, where ``none`` [occupation][template] can count answers that
    name no group; optional the keys of ``OPTIONAL``.  Raises CriterionError for a key that is missing or
    unknown, and for a shape or a value that is not allowed.
    """
    given = set(document) if isinstance(document, Mapping) else set()
    first, extra = given & MAIN, {"none"} if "counts" in given else set()
    if not isinstance(document, Mapping) or len(first) != 1 or given - first - {*OPTIONAL, *extra}:
        raise CriterionError(
            "The matrix file must be one JSON object with `preferences`, `rates`, `guises` or `counts` "
            "[occupation][template][group], or with `comparisons`, which has a second axis of groups; "
            "with counts also `none` [occupation][template], and at most "
            + ", ".join(f"`{key}`" for key in OPTIONAL)
            + "."
        )
    (main,) = first
    values = _number_array(document[main], main, 4 if main == "comparisons" else 3)
    bias = None
    if main == "comparisons":
        values, bias = rates_of_comparisons(values)
    elif main == "guises":
        values = shares_of_guises(values)
    lengths = dict(zip(("occupations", "templates", "groups"), values.shape, strict=True))
    names = {
        axis: names_of(document.get(axis, [f"{axis[:-1]} {i + 1}" for i in range(length)]), axis, length)
        for axis, length in lengths.items()
    }
    weights = {
        axis: _number_array(document.get(f"{axis}_weights", [1.0] * length), f"{axis}_weights", 1)
        for axis, length in (("template", lengths["templates"]), ("occupation", lengths["occupations"]))
    }
    families = labels_of(document.get("families", []))
    _refuse_what_a_matrix_lacks(options, counted="template_weights" in document)
    matrix = Matrix(
        values=values,
        groups=names["groups"],
        occupations=names["occupations"],
        templates=names["templates"],
        template_weights=weights["template"],
        occupation_weights=weights["occupation"],
        criterion=criterion_for(options, rated=main in ("rates", "comparisons")),
        families=families,
        unit=unit_of_matrix(weights["template"], families, options),
    )
    if main != "counts":
        return _with_order(risk_report(matrix, resamples), matrix, bias)
    others = _number_array(document["none"], "none", 2) if "none" in document else None
    _refuse_counts(values, others)
    return answers_report(matrix, others, resamples)


def _with_order(report: RiskReport, matrix: Matrix, bias: FloatArray | None) -> RiskReport:
    """Add the order bias [occupation, template] of decisions between two people, weighted as R."""
    if bias is None or report.decisions is None:
        return report
    shares = normalised(matrix.occupation_weights, len(bias), "occupation_weights")
    weights = (matrix.unit or matrix.whole).weights
    update = {"order_bias": float(shares @ bias @ weights)}
    return replace(report, decisions=report.decisions.model_copy(update=update))


def _refuse_counts(counts: FloatArray, others: FloatArray | None) -> None:
    """Refuse numbers of answers that are not whole or below 0, and ``none`` of another shape."""
    for name, values in (("counts", counts), ("none", np.zeros(0) if others is None else others)):
        wrong = values[(values < 0) | (values != np.floor(values)) | (values > MOST_ANSWERS)]
        if wrong.size:
            raise CriterionError(
                f"`{name}` must be whole numbers of answers from 0 to {MOST_ANSWERS:,}; got {wrong[0]:g}."
            )
    if others is not None and others.shape != counts.shape[:2]:
        raise CriterionError(
            f"`none` must have one number for each occupation and template of `counts`, "
            f"{list(counts.shape[:2])}; got the shape {list(others.shape)}."
        )


def _refuse_what_a_matrix_lacks(options: ViewOptions, counted: bool) -> None:
    """Refuse options about words, protocols, counts and (unless ``counted``) template weights."""
    if options.reference != "uniform" or options.occupation_weights != "uniform":
        raise CriterionError(
            "A matrix has weights of its own and is always compared with an even split: leave out --weights "
            "and --reference."
        )
    if options.template_weighting != "counts":
        raise CriterionError(
            "A matrix has template weights of its own (equal ones if `template_weights` is missing): leave "
            "out --template-weights."
        )
    if options.aggregation != "sum" or options.protocol != "exact":
        raise CriterionError(
            "A matrix holds probabilities of groups, without words: leave out --aggregation and --protocol."
        )
    if options.unit == "counts-only-mentions" and not counted:
        raise CriterionError(
            "Without `template_weights` a matrix has no counts of mentions to resample: add whole "
            "counts there, or leave out --unit."
        )


def _number_array(value: Any, name: str, dimensions: int) -> FloatArray:
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


def labels_of(value: Any) -> tuple[str, ...]:
    """Check that the families of templates are labels."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise CriterionError(
            "`families` must be a list of texts, one for each template: the same text for templates that say "
            "the same thing in other words, and an empty one for a template that is alone."
        )
    return tuple(value)


def names_of(value: Any, axis: str, length: int) -> tuple[str, ...]:
    """Check the names along an axis: as many distinct texts as the axis is long."""
    fits = isinstance(value, list) and all(
        isinstance(item, str) and item.strip() and item.isprintable() for item in value
    )
    if not fits or len(value) != length or len(set(value)) != length:
        raise CriterionError(f"`{axis}` must be a list of {length} distinct, printable names.")
    return tuple(value)

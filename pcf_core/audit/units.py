"""What intervals over templates draw again, by the view options and what a template set knows."""

from __future__ import annotations

from pcf_core.audit.options import ViewOptions
from pcf_core.records import FloatArray, RunSpec
from pcf_core.stats import TemplateUnit


def unit_of(run: RunSpec, weights: FloatArray, options: ViewOptions) -> TemplateUnit:
    """The unit of a run's templates.

    ``usual`` is the document where the weights are the counts and every template with a count knows its
    documents, else the template; ``mention`` needs the counts as weights, else the template is drawn too.
    With a sampling plan that has not drawn every template, the draw is the unit, whatever is asked for.

    Args:
        run: whose templates are read, those that a plan has drawn.
        weights: [template] their weights.
        options: ``unit`` and ``template_weighting``.

    Raises:
        CriterionError: mentions are asked for, and a count is no whole number.
    """
    templates = run.drawn.templates
    counts = run.drawn.counts
    estimated = run.plan is not None and len(templates) < (run.templates.counts > 0).sum()
    if estimated or options.template_weighting != "counts" or options.unit == "template":
        return TemplateUnit.templates(weights)
    if options.unit == "mention":
        return TemplateUnit.mentions(counts)
    if all(template.documents for template in templates if template.count > 0):
        return TemplateUnit.documents(counts, [template.documents for template in templates])
    return TemplateUnit.templates(weights)


def unit_of_matrix(weights: FloatArray, options: ViewOptions) -> TemplateUnit:
    """The unit of a matrix [template] of weights: the template, or mentions where weights are whole numbers.

    Raises:
        CriterionError: mentions are asked for, and a weight is no whole number.
    """
    if options.unit == "mention":
        return TemplateUnit.mentions(weights)
    return TemplateUnit.templates(weights)

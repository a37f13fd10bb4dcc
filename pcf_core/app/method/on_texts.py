"""What stands beside the papers' figures on written text: results of FairPair and of the criteria.

The tab *As in the papers* imports it for a figure that needs it: the modules of written text are many.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pcf_core.app.criteria.hobbies import named
from pcf_core.app.criteria.request import parameters_of as parameters_of_criteria
from pcf_core.app.criteria.views import figures_table, published_rows
from pcf_core.app.data import answered
from pcf_core.app.fairpair.request import parameters_of as parameters_of_fairpair
from pcf_core.app.method.as_in_papers import Beside, Opened, Work
from pcf_core.app.texts.shared import complete_result
from pcf_core.core.records import Record
from pcf_core.material.published import Printed, PrintedLink
from pcf_core.show.findings.answers import baseline_finding
from pcf_core.show.findings.fairpair import bars_finding, convergence_finding
from pcf_core.show.findings.independence import (
    embedding_finding,
    hobbies_finding,
    leak_finding,
    stereotype_finding,
    words_finding,
)
from pcf_core.texts.criteria.records.independence import AnecdotesReport, HobbiesReport
from pcf_core.texts.criteria.records.runs import CriteriaAsked
from pcf_core.texts.criteria.records.separation import AnswersReport
from pcf_core.texts.fairpair.records import FairPairAsked, FairPairResult
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT

MEASURE = "jaccard"  # the dissimilarity of FairPair's figures


def parameters_behind(link: PrintedLink) -> Mapping[str, str | list[str]]:
    """Return the choices of the form of what stands beside a link's figure; nothing without such a result."""
    try:
        if "fp_model" in link.parameters:
            return parameters_of_fairpair(fairpair_asked(link)[0].hash) or {}
        return parameters_of_criteria(criteria_asked(link).hash) or {}
    except LookupError:  # the page then offers to ask
        return {}


def fairpair_asked(link: PrintedLink) -> list[FairPairAsked]:
    """Return the newest answered request of each of a link's models; a LookupError where one has none."""
    newest = {request.key.name: request for request in reversed(answered(FAIRPAIR_AUDIT))}
    return [newest[name] for name in link.parameters["fp_model"]]


def _of_fairpair(link: PrintedLink, sentence: Callable[[FairPairResult], str]) -> Beside:
    """Return a sentence on the newest result of each of a link's models."""
    results = [complete_result(FAIRPAIR_AUDIT, request.hash) for request in fairpair_asked(link)]
    return Beside([f"{result.asked.key.name}: {sentence(result)}" for result in results])


def variability(_: Printed, link: PrintedLink, __: Opened) -> Beside:
    """Return bias and sampling variability of each model."""
    return _of_fairpair(link, lambda result: bars_finding(result.reports[MEASURE]))


def convergence(_: Printed, link: PrintedLink, __: Opened) -> Beside:
    """Return from how many texts on the bias keeps its value."""
    return _of_fairpair(link, lambda result: convergence_finding(result.convergence[MEASURE]))


def criteria_asked(link: PrintedLink) -> CriteriaAsked:
    """Return the newest answered request of a link's model and experiment."""
    wanted = link.parameters["cr_model"][0], link.parameters["cr_view"]
    for request in answered(CRITERIA_AUDIT):
        if (request.name, request.experiment) == wanted:
            return request
    raise LookupError(wanted)


def criteria(item: Printed, link: PrintedLink, _: Opened) -> Beside:
    """Return what an experiment found, and its printed figures with ours of the same kind."""
    result = complete_result(CRITERIA_AUDIT, criteria_asked(link).hash)
    rows = [row for row in published_rows() if row.id in item.figures]
    table = figures_table(rows, {result.asked.model: result}) if rows else None
    return Beside(_criteria_sentences(item, result.report, result.asked.model), table)


def _criteria_sentences(item: Printed, report: Record, model: str) -> list[str]:
    """Return the findings that a figure is about; a table stands by itself, but for one of a baseline."""
    if isinstance(report, AnecdotesReport):
        return [stereotype_finding(report)]
    if isinstance(report, AnswersReport):
        return [baseline_finding(report)] if item.number == "Table 3" else []
    if not isinstance(report, HobbiesReport):
        return []
    if item.number == "Figure 3":
        return [words_finding(report)]
    if item.number == "Figure 4" or report.embedding is None:
        return [hobbies_finding(report, model)]
    embedding = named(report.embedding, model)
    return [embedding_finding(embedding), leak_finding(embedding, model)]


WORKED_OUT: Mapping[str, Work] = {
    "variability": variability,
    "convergence": convergence,
    "criteria": criteria,
}

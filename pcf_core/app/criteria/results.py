"""The tab Criteria: what is there for a request, the button for what is not, and provenance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

import streamlit as st

from pcf_core.app.caching import open_queue, open_store
from pcf_core.app.criteria.request import EXPERIMENTS, TITLES, Request, ResultKey
from pcf_core.app.provenance import draw_cite, draw_commands
from pcf_core.app.texts.shared import (
    UNPINNED,
    askable,
    complete_result,
    follow_jobs,
    offer_submitting,
    sort_requests,
)
from pcf_core.app.widgets import draw_facts, plain
from pcf_core.core.errors import AuditError
from pcf_core.core.records import Record
from pcf_core.report.citing import CRITERIA_PAPER
from pcf_core.report.provenance import criteria_facts
from pcf_core.report.reproducing import criteria_command
from pcf_core.show.findings.notes import duration
from pcf_core.show.findings.numbers import count
from pcf_core.texts.criteria.records.quantities import Answering, ExperimentName
from pcf_core.texts.criteria.records.runs import CriteriaAsked, CriteriaResult
from pcf_core.work.criteria import CRITERIA, CRITERIA_AUDIT
from pcf_core.work.text_audits import AuditEstimate

SILENT = 0.25  # of all texts, from which on those without content are warned of


@dataclass(frozen=True)
class Stored:
    """What the store has of the requests.

    ``results`` that are complete, ``missing`` requests; both by model and experiment.
    """

    results: Mapping[ResultKey, CriteriaResult]
    missing: Mapping[ResultKey, CriteriaAsked]

    @property
    def models(self) -> list[str]:
        """Names of the models with a result, in the order asked for: it decides their colours."""
        return list(dict.fromkeys(model for model, _ in self.results))

    def of(self, experiment: ExperimentName) -> dict[str, CriteriaResult]:
        """Return the results of one experiment by model."""
        return {model: result for (model, one), result in self.results.items() if one == experiment}

    def reports(self, model: str) -> list[Record]:
        """Return all reports of one model, in the order of the experiments."""
        return [self.results[model, one].report for one in EXPERIMENTS if (model, one) in self.results]

    def lacking(self, experiments: Iterable[ExperimentName]) -> dict[ResultKey, CriteriaAsked]:
        """Return the missing requests of some experiments."""
        wanted = set(experiments)
        return {which: request for which, request in self.missing.items() if which[1] in wanted}


def stored_of(request: Mapping[ResultKey, CriteriaAsked]) -> Stored:
    """Return what the store has of the requests."""
    return Stored(*sort_requests(request, partial(complete_result, CRITERIA_AUDIT)))


def by_answering(results: Mapping[str, CriteriaResult]) -> dict[Answering, dict[str, CriteriaResult]]:
    """Split the results of one experiment into those written and those scored."""
    split: dict[Answering, dict[str, CriteriaResult]] = {}
    for model, result in results.items():
        split.setdefault(result.asked.answering, {})[model] = result
    return split


def offer_asking(request: Request, missing: Mapping[ResultKey, CriteriaAsked]) -> bool:
    """Say what has not been asked yet and what it costs, and offer to queue it; show the jobs at it.

    What failed or was cancelled is taken up again by its job's own button.  Returns whether all that is
    missing is offered.
    """
    if not missing:
        return False
    waiting = askable(follow_jobs(CRITERIA, missing))
    if not waiting:
        return False
    with st.container(border=True):
        st.markdown(f"**Not asked yet:** {_names(waiting)}.")
        bases = [
            _draw_estimate(model, experiment, one, request) for (model, experiment), one in waiting.items()
        ]
        for basis in dict.fromkeys(filter(None, bases)):
            st.caption(plain(basis))
        if any(one.key.family == "endpoint" for one in waiting.values()):
            st.caption(UNPINNED)
        offered = offer_submitting(
            CRITERIA_AUDIT.submit,
            lambda: (
                (one, request.experiment(one.model, experiment)) for (_, experiment), one in waiting.items()
            ),
            "Ask" if len(waiting) == 1 else f"Ask all {len(waiting)}",
            "criteria_button",
        )
    return offered and len(waiting) == len(missing)


def _names(missing: Mapping[ResultKey, CriteriaAsked]) -> str:
    """Name experiments with their models: "Anecdotes and Tasks of mini-gpt"."""
    by_model: dict[str, list[str]] = {}
    for model, experiment in missing:
        by_model.setdefault(model, []).append(TITLES[experiment].lower())
    return "; ".join(f"{', '.join(names)} of *{plain(model)}*" for model, names in by_model.items())


def _draw_estimate(model: str, experiment: ExperimentName, asked: CriteriaAsked, request: Request) -> str:
    """Draw what is to be written or scored and how long it takes; return what that rests on."""
    try:
        estimate = CRITERIA_AUDIT.estimate(
            open_store(), open_queue(), asked, request.experiment(asked.model, experiment)
        )
    except AuditError as error:
        st.error(f"**{plain(model)}:** {plain(str(error))}", icon=":material/error:")
        return ""
    st.markdown(f"**{plain(model)}**, {TITLES[experiment].lower()}: {plain(estimate_text(asked, estimate))}")
    return estimate.basis if estimate.missing else ""


def estimate_text(request: CriteriaAsked, estimate: AuditEstimate) -> str:
    """Say what a request takes."""
    if not estimate.missing:
        return (
            "all texts are there and are read again."
            if request.answering == "written"
            else ("all scores are there and are read again.")
        )
    if request.answering == "scored":
        what = f"words in {count(estimate.missing, 'prompt')} to score"
    else:
        reads = f", {estimate.prompt_tokens:,} tokens to read" if request.key.family == "endpoint" else ""
        what = f"{count(estimate.missing, 'text')} to write, at most {estimate.tokens:,} tokens{reads}"
    time = "" if estimate.seconds is None else f", about {duration(estimate.seconds)}"
    cost = "" if estimate.cost is None else f", at most {estimate.cost:,.2f} in the operator's prices"
    return f"{what}{time}{cost}."


def silence_warning(result: CriteriaResult) -> str:
    """Say that many texts say nothing; empty where few do."""
    whole = sum(result.ends.values())
    if not whole or result.without_text < SILENT * whole:
        return ""
    return (
        f"{result.without_text:,} of {whole:,} texts were refused or are empty, so the numbers rest on the "
        "others alone. Such a model may need another wording, or its words scored."
    )


def draw_provenance(results: Mapping[str, CriteriaResult]) -> None:
    """Draw what each number comes from, and the command that makes it again."""
    for model, result in results.items():
        label = getattr(result.report, "label", "")
        st.markdown(f"**{plain(model)}**: {plain(label)}.")
        draw_facts(criteria_facts(open_store(), result) | {"hash of material": result.asked.material})
        if not result.asked.imported:
            draw_commands(command(result.asked))
    draw_cite(CRITERIA_PAPER)


def command(request: CriteriaAsked) -> str:
    """Write the command line of a request, with the material that was kept with it."""
    return criteria_command(open_store(), request)


def reasons_of(request: Request, experiment: ExperimentName) -> list[str]:
    """Say how each model is asked, and why, a sentence each; a refusal is said elsewhere."""
    reasons: dict[str, None] = {}
    for model in request.models:
        try:
            reasons[request.way(model, experiment).reason] = None
        except AuditError:
            continue
    return list(reasons)

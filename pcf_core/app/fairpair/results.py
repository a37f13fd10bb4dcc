"""The tab FairPair: what is there for a request, the button for what is not, key figures and provenance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import streamlit as st

from pcf_core.app.caching import open_queue, open_store
from pcf_core.app.fairpair.request import Request, ResultKey
from pcf_core.app.provenance import draw_cite, draw_commands
from pcf_core.app.texts.shared import (
    UNPINNED,
    askable,
    complete_result,
    follow_jobs,
    offer_submitting,
    sort_requests,
)
from pcf_core.app.widgets import plain
from pcf_core.core.errors import AuditError
from pcf_core.core.risk import Interval
from pcf_core.report.citing import FAIRPAIR_PAPER
from pcf_core.report.provenance import fairpair_facts, fairpair_hashes
from pcf_core.report.records import KeyFigure
from pcf_core.report.reproducing import fairpair_command
from pcf_core.show.findings.fairpair import drawn_units
from pcf_core.show.findings.notes import duration
from pcf_core.show.findings.numbers import beside_one, count, p_value, two_decimals
from pcf_core.texts.fairpair.prompts import prompts_toml
from pcf_core.texts.fairpair.records import LABEL, FairPairAsked, FairPairReport, FairPairResult
from pcf_core.work.fairpair import FAIRPAIR, FAIRPAIR_AUDIT
from pcf_core.work.text_audits import AuditEstimate


@dataclass(frozen=True)
class Stored:
    """What the store has of the requests.

    ``results`` that are complete, ``missing`` requests; both by model and temperature.
    """

    results: Mapping[ResultKey, FairPairResult]
    missing: Mapping[ResultKey, FairPairAsked]

    @property
    def temperatures(self) -> list[str]:
        """Those with a result, the coolest first, as the form and links write them."""
        return [f"{value:g}" for value in sorted({temperature for _, temperature in self.results})]

    @property
    def usual(self) -> str:
        """The one to begin with: the nearest to the models' own probabilities."""
        return min(self.temperatures, key=lambda text: abs(float(text) - 1))

    @property
    def models(self) -> list[str]:
        """Names of the models with a result, in the order asked for: it decides their colours."""
        return list(dict.fromkeys(model for model, _ in self.results))

    def at(self, temperature: str) -> dict[str, FairPairResult]:
        """Return the results of one temperature by model."""
        return {model: result for (model, one), result in self.results.items() if f"{one:g}" == temperature}


def stored_of(request: Mapping[ResultKey, FairPairAsked]) -> Stored:
    """Return what the store has of the requests."""
    return Stored(*sort_requests(request, partial(complete_result, FAIRPAIR_AUDIT)))


def offer_writing(request: Request, missing: Mapping[ResultKey, FairPairAsked]) -> None:
    """Say what is not written yet and what it costs, and offer to queue it; show the jobs at it."""
    if not missing:
        return
    waiting = askable(follow_jobs(FAIRPAIR, missing))
    if not waiting:
        return
    with st.container(border=True):
        st.markdown(
            f"**Not written yet:** texts for {count(len(request.prompts.prompts), 'prompt')} of "
            f"*{plain(request.prompts.title)}*, {count(request.options.count, 'text')} a side, about "
            f"{plain(request.prompts.names[0])} and about {plain(request.prompts.names[1])}."
        )
        for (model, temperature), one in waiting.items():
            _draw_estimate(model, temperature, one, request)
        offer_submitting(
            FAIRPAIR_AUDIT.submit,
            lambda: ((one, request.material) for one in waiting.values()),
            "Write and compare",
            "fairpair_button",
        )


def _draw_estimate(model: str, temperature: float, asked: FairPairAsked, request: Request) -> None:
    """Draw what is to be written, at most how many tokens, and how long it takes."""
    try:
        estimate = FAIRPAIR_AUDIT.estimate(open_store(), open_queue(), asked, request.material)
    except AuditError as error:
        st.error(f"**{plain(model)}:** {plain(str(error))}", icon=":material/error:")
        return
    st.markdown(f"**{plain(model)}** at temperature {temperature:g}: {plain(estimate_text(asked, estimate))}")
    if asked.key.family == "endpoint":
        st.caption(UNPINNED)


def estimate_text(request: FairPairAsked, estimate: AuditEstimate) -> str:
    """Say texts, tokens, cost and time of a request, and where these numbers come from."""
    if not estimate.missing:
        return "0 texts to write; what is there is compared again."
    server = request.key.family == "endpoint"
    parts = [f"{count(estimate.missing, 'text')} to write"]
    if server:
        parts += [count(estimate.missing, "request"), f"{estimate.prompt_tokens:,} tokens to read"]
    parts.append(f"at most {estimate.tokens:,} tokens{' to write' if server else ''}")
    if estimate.cost is not None:
        parts.append(f"cost at most {estimate.cost:,.2f}, in the currency of the operator's prices")
    if estimate.seconds is not None:
        parts.append(f"{'at least' if estimate.limited else 'about'} {duration(estimate.seconds)}")
    return f"{', '.join(parts)}. {estimate.basis}"


def fairpair_figures(reports: Mapping[str, FairPairReport]) -> list[KeyFigure]:
    """Make key figures: F of each model with interval, B and both V, and F without p's exchanged words."""
    figures = []
    for model, report in reports.items():
        means = report.means
        value, ends = _value_and_ends(report.means.ratio, report.intervals.get("ratio_of_means"))
        figures.append(
            KeyFigure(
                f"F · {model}",
                value,
                "B² over V of either side, ratio of means over prompts. 1: the two sides differ no more than "
                "texts of one side do among themselves; above 1 they differ more. 95 % interval over "
                f"{drawn_units(report)}.",
                f"{ends} · B {two_decimals(means.between)} · V {two_decimals(means.within_original)} and "
                f"{two_decimals(means.within_prompt)}",
            )
        )
    return figures


def others_figures(reports: Mapping[str, FairPairReport]) -> list[KeyFigure]:
    """Make key figures: F of each model without exchanged words, where that was measured beside F."""
    figures = []
    for model, report in reports.items():
        others = report.others
        if others is None:
            continue
        value, ends = _value_and_ends(others.ratio, others.interval)
        verdict = "not tested" if others.p_value is None else p_value(others.p_value)
        figures.append(
            KeyFigure(
                f"F of other words · {model}",
                value,
                "The same F by the words that the exchange does not touch. Where the first F is above 1 and "
                "this one is not, what differs is names, pronouns and words for people: those about somebody "
                "else are exchanged too. 95 % interval; p by relabelling.",
                f"{ends} · {verdict}",
            )
        )
    return figures


def _value_and_ends(ratio: float | None, interval: Interval | None) -> tuple[str, str]:
    if ratio is None:
        return "undefined", "no interval"
    value, _, ends = beside_one(ratio, interval).partition(" ")
    return value, ends.strip("()") or "no interval"


def draw_provenance(results: Mapping[str, FairPairResult], request: Request) -> None:
    """Draw what each number comes from, how the perturbation did, and the command that makes it again."""
    st.markdown(f"**{LABEL[0].upper()}{LABEL[1:]}.** Method: FairPair, arXiv 2404.06619.")
    prompts = ""
    if request.some and not all(result.asked.imported for result in results.values()):
        # The command takes whole sets alone.
        prompts = f"{request.prompts.name}-some.toml"
        st.download_button(
            "Prompts",
            lambda: prompts_toml(request.prompts),
            prompts,
            "application/toml",
            key="fairpair_prompts",
            on_click="ignore",
            icon=":material/download:",
            help="The prompts that were taken, as a file for the command.",
        )
    for model, result in results.items():
        st.markdown(f"**{plain(model)}**")
        hashes = {f"hash of {what}": value for what, value in fairpair_hashes(result.asked).items()}
        draw_list(fairpair_facts(result) | hashes)
        if not result.asked.imported:
            draw_commands(fairpair_command(result.asked, prompts))
    draw_cite(FAIRPAIR_PAPER)


def draw_list(facts: Mapping[str, str]) -> None:
    """Draw facts as a list, not a table: on a narrow page a table is cut where a value is long."""
    st.markdown("\n".join(f"- *{plain(what)}:* {plain(value)}" for what, value in facts.items()))

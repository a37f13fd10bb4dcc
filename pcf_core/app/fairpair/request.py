"""The form of the tab FairPair: models, prompts, who is exchanged for whom, decoding; the offer to write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from pcf_core.app.choice import draw_option, with_asked
from pcf_core.app.data import draw_lookable
from pcf_core.app.fairpair.links import categories_of, prompts_of, selection, table_of
from pcf_core.app.roles import may_audit
from pcf_core.app.texts.shared import TEACHING, Stored, offer_missing
from pcf_core.app.widgets import plain
from pcf_core.core.errors import GenerationError, PerturbationError, PromptError
from pcf_core.core.families import FAMILIES
from pcf_core.core.generation import HOTTEST, Decoding, GenerationKey
from pcf_core.core.options import declared, from_page
from pcf_core.core.settings import settings
from pcf_core.models.endpoint import PREFIX as ENDPOINT
from pcf_core.models.precision import precisions_of
from pcf_core.models.registry import list_models, resolve_writer
from pcf_core.show.findings.notes import duration
from pcf_core.show.findings.numbers import count
from pcf_core.texts.fairpair.categories import SHELF as CATEGORIES
from pcf_core.texts.fairpair.categories import SHIPPED
from pcf_core.texts.fairpair.options import FairPairOptions
from pcf_core.texts.fairpair.prompts import SHELF, USUAL
from pcf_core.texts.fairpair.records import (
    CategorySet,
    FairPairAsked,
    FairPairResult,
    PerturbationTable,
    PromptSet,
)
from pcf_core.texts.fairpair.tables import SHELF as TABLES
from pcf_core.texts.fairpair.tables import check_names
from pcf_core.work.fairpair import FAIRPAIR_AUDIT, FairPairMaterial, fairpair_asked
from pcf_core.work.text_audits import AuditEstimate

OPTIONS = declared(FairPairOptions)
TEMPERATURES = ("0.3", "0.5", "0.7", "1", "1.3")
LONGEST_NAME = 60
ResultKey = tuple[str, float]  # a model, by its label, and a temperature
Results = Stored[float, FairPairAsked, FairPairResult]


@dataclass(frozen=True)
class Request:
    """What the form asks of each model.

    ``settings``: of the decoding, by temperature.  ``some``: ``prompts`` are not all of the set of
    their name.  ``categories``: of words; ``None`` for those that come with the app.
    """

    models: tuple[str, ...]
    options: FairPairOptions
    settings: Mapping[float, Decoding]
    prompts: PromptSet
    some: bool
    table: PerturbationTable
    categories: CategorySet | None

    def asked(self, model: str, temperature: float) -> tuple[FairPairAsked, ...]:
        """Return what one model is asked at one temperature, in each precision that may be meant."""
        specs = precisions_of(resolve_writer(model, self.options.chat), self.options.dtype)
        keys = [GenerationKey.of(spec, self.settings[temperature]) for spec in specs]
        return tuple(
            fairpair_asked(key, self.prompts, self.table, self.options, self.categories) for key in keys
        )


def draw_request() -> Request:
    """Draw the form; every choice is in the URL."""
    specs = list_models()
    able = [spec for spec in specs if FAMILIES[spec.family].generator]
    # It opens with the first public model whose shipped results or weights are here, else one that teaches.
    public = [one.name for one in able if one.kind == "public" and (one.path or settings().shipped_results)]
    with st.container(horizontal=True):
        models = st.multiselect(
            "Models",
            with_asked("fp_model", [spec.name for spec in able]),
            default=public[:1] or [one.name for one in able if one.name == TEACHING],
            key="fp_model",
            bind="query-params",
            select_all=False,
            accept_new_options=may_audit(),
            placeholder="Choose, or type a hub id or a folder" if may_audit() else "Choose",
            help="Models that go on from a text: causal ones, encoder–decoders, and those of an endpoint. "
            "Masked models fill gaps and cannot write.",
        )
        prompts = draw_option(OPTIONS["prompts"], offered=SHELF.names(), on_change=_all_categories)
        table = table_of(draw_option(OPTIONS["table"], offered=TABLES.names()))
    if prompts not in SHELF.names():
        raise PromptError(f"There are no prompts named {prompts!r}; choose others under Prompts.")
    usual = prompts_of(prompts)
    with st.expander("More settings", icon=":material/tune:"):
        left, right = st.columns(2)
        draw_option(OPTIONS["category"], left, offered=[name for name in usual.categories if name])
        draw_option(OPTIONS["each"], left)
        with right:
            # A set that brings names of its own keeps them; all others are about the table's first.
            names = _draw_names(table, table.names[0] if usual.names == USUAL else usual.names)
        draw_option(OPTIONS["reverse"], right)
        draw_option(OPTIONS["mode"], right)
        columns = st.columns(4)
        temperatures = columns[0].multiselect(
            "Temperature",
            with_asked("fp_temperature", TEMPERATURES),
            default=["1"],
            key="fp_temperature",
            bind="query-params",
            accept_new_options=True,
            help=f"1 keeps the model's own probabilities, less is more repetitive; up to {HOTTEST:g}. "
            "Several give F over a grid. At 0 every text of a prompt is the same, and F is undefined.",
        )
        for name, column in zip(("top_p", "length", "seed"), columns[1:], strict=True):
            draw_option(OPTIONS[name], column)
        chat = any(model.startswith(ENDPOINT) for model in models) and draw_option(OPTIONS["chat"])
        left, right = st.columns(2)
        draw_option(OPTIONS["count"], left)
        draw_option(OPTIONS["fold_size"], right)
        left, right = st.columns(2)
        masked = [spec.name for spec in specs if spec.family == "masked"]
        encoder = draw_option(OPTIONS["encoder"], left, offered=masked, accept_new_options=True)
        with left:
            encoder = next(iter(draw_lookable([encoder])), None) if encoder else None
        draw_option(OPTIONS["dtype"], left)
        categories = draw_option(OPTIONS["categories"], right, offered=CATEGORIES.names())
    CATEGORIES.require(categories)
    # Nothing is refused before all of the form is there, so that it can be corrected.
    if names[0].casefold() == names[1].casefold():
        raise PerturbationError(f"Both names are {names[0]!r}: type two that differ.")
    check_names(names, "The names")
    options = from_page(
        FairPairOptions, st.session_state.to_dict(), names=",".join(names), chat=chat, encoder=encoder
    )
    whole = prompts_of(prompts, names[::-1] if options.reverse else names)
    chosen = selection(whole, options.category, options.each)
    return Request(
        models=tuple(draw_lookable(models)),
        options=options,
        settings={
            temperature: options.model_copy(update={"temperature": temperature}).decoding
            for temperature in sorted({_temperature(text) for text in temperatures})
        },
        prompts=chosen,
        some=chosen != whole,
        table=table,
        categories=None if categories == SHIPPED else categories_of(categories),
    )


def _all_categories() -> None:
    """Reset the chosen categories: another set has other ones."""
    st.session_state["fp_category"] = []


def _draw_names(table: PerturbationTable, suggested: tuple[str, str]) -> tuple[str, str]:
    """Draw the two names, as they are typed; an empty field means the suggested name."""
    fields = st.columns(2)
    names = []
    for index, (field, side, usual) in enumerate(zip(fields, table.sides, suggested, strict=True), 1):
        typed = field.text_input(
            f"Name, {plain(side)}",
            max_chars=LONGEST_NAME,
            key=f"fp_name_{index}",
            bind="query-params",
            placeholder=usual,
            help=f"Who stands in the prompts on the side {plain(side)}. Empty: {plain(usual)}.",
        )
        names.append(typed.strip() or usual)
    return names[0], names[1]


def _temperature(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise GenerationError(
            f"The temperature {text!r} is no number: write one from 0 to {HOTTEST:g}, such as 0.7."
        ) from None


def offer_writing(request: Request, missing: Mapping[ResultKey, FairPairAsked]) -> None:
    """Say what is not written yet and what it costs, and offer to queue it; show the jobs at it."""
    opening = (
        f"**Not written yet:** texts for {count(len(request.prompts.prompts), 'prompt')} of "
        f"*{plain(request.prompts.title)}*, {count(request.options.count, 'text')} a side, about "
        f"{plain(request.prompts.names[0])} and about {plain(request.prompts.names[1])}."
    )

    def line(which: ResultKey, one: FairPairAsked, estimate: AuditEstimate) -> tuple[str, str]:
        takes = plain(_estimate_text(one, estimate))
        return f"**{plain(which[0])}** at temperature {which[1]:g}: {takes}", ""

    material = FairPairMaterial(request.prompts, request.table)
    offer_missing(
        FAIRPAIR_AUDIT, missing, lambda *_: material, lambda _: (opening, "Write and compare"), line
    )


def _estimate_text(request: FairPairAsked, estimate: AuditEstimate) -> str:
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

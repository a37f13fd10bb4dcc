"""FairPair's requests: material, the form, its offer, and earlier results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pcf_core.app.caching import kept, open_store
from pcf_core.app.choice import draw_option, with_asked
from pcf_core.app.data import answered, draw_lookable
from pcf_core.app.frames import draw_text_frame
from pcf_core.app.lists import stamp_of_shelf
from pcf_core.app.roles import may_audit
from pcf_core.app.texts.shared import TEACHING, Stored, draw_before, offer_missing, way_back
from pcf_core.app.titles import model_titles
from pcf_core.app.widgets import plain, plain_titled
from pcf_core.core.errors import AuditError, GenerationError, PerturbationError, PromptError
from pcf_core.core.families import FAMILIES
from pcf_core.core.frame import framed_name
from pcf_core.core.generation import HOTTEST, Decoding
from pcf_core.core.options import declared, from_page, number_text, page_values
from pcf_core.core.records import digest
from pcf_core.core.run import model_label
from pcf_core.core.settings import settings
from pcf_core.models.names import ENDPOINT, precisions_of
from pcf_core.models.registry import list_models, resolve_writer
from pcf_core.show.findings.fairpair import decoding_text
from pcf_core.show.findings.notes import duration
from pcf_core.show.findings.numbers import count
from pcf_core.show.names import unique_titles
from pcf_core.texts.fairpair.categories import SHELF as CATEGORIES
from pcf_core.texts.fairpair.categories import SHIPPED, load_categories
from pcf_core.texts.fairpair.options import FairPairOptions, options_of
from pcf_core.texts.fairpair.prompts import SHELF as PROMPTS
from pcf_core.texts.fairpair.prompts import USUAL, load_prompts, selected
from pcf_core.texts.fairpair.records import PROMPTS as KEPT_AS
from pcf_core.texts.fairpair.records import (
    USUAL_DISSIMILARITIES,
    CategorySet,
    FairPairAsked,
    FairPairResult,
    PerturbationTable,
    PromptSet,
)
from pcf_core.texts.fairpair.tables import SHELF as TABLES
from pcf_core.texts.fairpair.tables import check_names, load_table
from pcf_core.texts.text_audit import sends_messages, writing_key
from pcf_core.work.fairpair import FAIRPAIR, FAIRPAIR_AUDIT, FairPairMaterial, fairpair_asked, load_prompt_set
from pcf_core.work.text_audits import AuditEstimate

SEEN = "fairpair_before"
MOST = 12
Choices = dict[str, Any]  # by key of a widget
OPTIONS = declared(FairPairOptions)
TEMPERATURES = ("0.3", "0.5", "0.7", "1", "1.3")
LONGEST_NAME = 60
ResultKey = tuple[str, float]  # a model, by its label, and a temperature
Results = Stored[float, FairPairAsked, FairPairResult]


@kept(state=lambda *_: stamp_of_shelf(PROMPTS))
def prompts_of(name: str, names: tuple[str, ...] = ()) -> PromptSet:
    """Load a set of prompts, about ``names`` if there are any."""
    return load_prompts(name, names)


@kept()
def selection(prompts: PromptSet, categories: tuple[str, ...], each: int | None) -> PromptSet:
    """Select as :func:`~pcf_core.texts.fairpair.prompts.selected` does."""
    return selected(prompts, categories, each)


@kept(state=lambda request: open_store().document_state(request.prompts.kept, KEPT_AS))
def _kept_prompts(request: FairPairAsked) -> PromptSet:
    return load_prompt_set(open_store(), request)


@kept(slots=16, state=lambda _: stamp_of_shelf(TABLES))
def table_of(name: str) -> PerturbationTable:
    """Load a shipped table of counterparts by its name."""
    return load_table(TABLES.require(name))


@kept(slots=16, state=lambda _: stamp_of_shelf(CATEGORIES))
def categories_of(name: str) -> CategorySet:
    """Load a set of categories of words by its name."""
    return load_categories(name)


def choices_of(request: FairPairAsked) -> Choices | None:
    """Return the form's choices that make this request; ``None`` if the form cannot make it any more."""
    if request.imported:
        return None
    try:
        whole = prompts_of(request.prompts.name, request.prompts.names)
        taken = _kept_prompts(request)
        each = max(Counter(prompt.category for prompt in taken.prompts).values())
        options = options_of(
            request,
            dissimilarities=USUAL_DISSIMILARITIES,
            category=() if set(taken.categories) == set(whole.categories) else taken.categories,
            each=each,
        )
        writer = resolve_writer(request.key.model, sends_messages(options)).with_dtype(request.key.dtype)
        again = fairpair_asked(
            writing_key(writer, request.key.decoding, options),
            selection(whole, options.category, each),
            table_of(options.table),
            options,
            request.categories and categories_of(options.categories),
        )
    except AuditError:
        return None
    if again.hash != request.hash:
        return None
    first, second = request.perturbation.entity
    return {
        **page_values(options),
        "fp_model": [request.key.model],
        "fp_name_1": first,
        "fp_name_2": second,
        "fp_temperature": [number_text(request.key.decoding.temperature)],
    }


def parameters_of(key: str) -> Mapping[str, str | list[str]] | None:
    """Return the query parameters that open a request on the page, if any do."""
    return way_back(FAIRPAIR_AUDIT, key, choices_of)


def draw_kept() -> None:
    """Draw earlier results, each with a button that opens it."""
    if open_store().documents(FAIRPAIR):
        draw_before(SEEN, "fairpair_open", _found_before)


def _found_before() -> list[tuple[str, str, Choices]]:
    """List the newest requests that the form can make again, equal settings together."""
    together: dict[str, tuple[FairPairAsked, Choices]] = {}
    for request in answered(FAIRPAIR_AUDIT):
        choices = choices_of(request)
        if choices is None:
            continue
        alike = digest({name: value for name, value in choices.items() if name != "fp_model"})
        first, earlier = together.setdefault(alike, (request, choices))
        if earlier is not choices:
            models = [*earlier["fp_model"], *choices["fp_model"]]
            together[alike] = first, {**earlier, "fp_model": models}
        if len(together) == MOST:
            break
    return [(request.hash, _text_of(request, choices), choices) for request, choices in together.values()]


def _text_of(request: FairPairAsked, choices: Choices) -> str:
    key = request.key
    models = [model_label(framed_name(model, key.frame), key.dtype) for model in choices["fp_model"]]
    return (
        f"**{plain_titled(', '.join(models))}** · {plain(' → '.join(request.prompts.names))} · "
        f"{plain(request.prompts.title)}, {count(request.prompts.count, 'prompt')}, "
        f"{count(request.count, 'text')} a side · {plain(decoding_text(request.key.decoding))}"
    )


@dataclass(frozen=True)
class Request:
    """What the form asks of each model; ``some``: ``prompts`` are only part of their set.

    ``settings``: by temperature; ``categories``: of words, ``None`` for the shipped ones.
    """

    models: tuple[str, ...]
    options: FairPairOptions
    settings: Mapping[float, Decoding]
    prompts: PromptSet
    some: bool
    table: PerturbationTable
    categories: CategorySet | None

    def asked(self, model: str, temperature: float) -> tuple[FairPairAsked, ...]:
        """Return one model's requests at a temperature, one for each precision that may be meant."""
        specs = precisions_of(resolve_writer(model, sends_messages(self.options)), self.options.dtype)
        keys = [writing_key(spec, self.settings[temperature], self.options) for spec in specs]
        return tuple(
            fairpair_asked(key, self.prompts, self.table, self.options, self.categories) for key in keys
        )


def draw_request() -> Request:
    """Draw the form; every choice is in the URL."""
    specs = list_models()
    able = [spec for spec in specs if FAMILIES[spec.family].generator]
    # Opens with the first public model with shipped results or weights, else with a teaching model.
    public = [one.name for one in able if one.kind == "public" and (one.path or settings().shipped_results)]
    with st.container(horizontal=True):
        writers = [spec.name for spec in able]
        titles = model_titles(writers)
        models = st.multiselect(
            "Models",
            with_asked("fp_model", writers, titles),
            format_func=titles,
            default=public[:1] or [one.name for one in able if one.name == TEACHING],
            key="fp_model",
            bind="query-params",
            select_all=False,
            accept_new_options=may_audit(),
            placeholder="Choose a model, or type a hub id or a folder" if may_audit() else "Choose",
            help="Models that continue a text: causal models, encoder–decoders and models of an endpoint. "
            "Masked models fill gaps and cannot write.",
        )
        prompts = draw_option(
            OPTIONS["prompts"], **_titled(PROMPTS.names(), prompts_of), on_change=_all_categories
        )
        table = table_of(draw_option(OPTIONS["table"], **_titled(TABLES.names(), table_of)))
    if prompts not in PROMPTS.names():
        raise PromptError(f"There are no prompts named {prompts!r}: choose others under Prompts.")
    usual = prompts_of(prompts)
    with st.expander("More settings", icon=":material/tune:"):
        left, right = st.columns(2)
        draw_option(OPTIONS["category"], left, offered=[name for name in usual.categories if name])
        draw_option(OPTIONS["each"], left)
        with right:
            # A set keeps its own names; others use the table's first.
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
            help="At 1 the model's own probabilities are used, and lower values give more repetitive texts; "
            f"up to {HOTTEST:g} is allowed. Several temperatures show how the ratio changes. At 0 all "
            "texts of a prompt are the same, and the ratio is undefined.",
        )
        for name, column in zip(("top_p", "length", "seed"), columns[1:], strict=True):
            draw_option(OPTIONS[name], column)
        frame = draw_text_frame(FairPairOptions)
        server = frame["frame"] == "" and any(model.startswith(ENDPOINT) for model in models)
        chat = server and draw_option(OPTIONS["chat"])
        left, right = st.columns(2)
        draw_option(OPTIONS["count"], left)
        draw_option(OPTIONS["fold_size"], right)
        left, right = st.columns(2)
        masked = [spec.name for spec in specs if spec.family == "masked"]
        encoder = draw_option(
            OPTIONS["encoder"],
            left,
            offered=masked,
            format_func=model_titles(masked),
            accept_new_options=True,
        )
        with left:
            encoder = next(iter(draw_lookable([encoder])), None) if encoder else None
        draw_option(OPTIONS["dtype"], left)
        categories = draw_option(OPTIONS["categories"], right, **_titled(CATEGORIES.names(), categories_of))
    CATEGORIES.require(categories)
    # Errors come after the whole form is drawn, so that it can be corrected.
    if names[0].casefold() == names[1].casefold():
        raise PerturbationError(f"Both names are {names[0]!r}: type two different names.")
    check_names(names, "The names")
    options = from_page(
        FairPairOptions,
        st.session_state.to_dict(),
        names=",".join(names),
        chat=chat,
        encoder=encoder,
        **frame,
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


def _titled(
    names: Sequence[str], load: Callable[[str], PromptSet | PerturbationTable | CategorySet]
) -> dict[str, Any]:
    """Return the options of a menu with their titles; what cannot be read keeps its name."""
    titles = {}
    for name in names:
        with suppress(AuditError):
            titles[name] = load(name).title
    return {"offered": names, "format_func": unique_titles(titles)}


def _all_categories() -> None:
    """Reset the chosen categories, because another set has other ones."""
    st.session_state["fp_category"] = []


def _draw_names(table: PerturbationTable, suggested: tuple[str, str]) -> tuple[str, str]:
    """Draw the two names; an empty field means the suggested one."""
    fields = st.columns(2)
    names = []
    for index, (field, side, usual) in enumerate(zip(fields, table.sides, suggested, strict=True), 1):
        typed = field.text_input(
            f"Name, {plain(side)}",
            max_chars=LONGEST_NAME,
            key=f"fp_name_{index}",
            bind="query-params",
            placeholder=usual,
            help=f"The person in the prompts on the side {plain(side)}. Empty: {plain(usual)}.",
        )
        names.append(typed.strip() or usual)
    return names[0], names[1]


def _temperature(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise GenerationError(
            f"The temperature {text!r} is not a number: write one from 0 to {HOTTEST:g}, such as 0.7."
        ) from None


def offer_writing(request: Request, missing: Mapping[ResultKey, FairPairAsked]) -> None:
    """Offer to write what is missing, with costs and jobs."""
    opening = (
        f"**Not written yet:** texts for {count(len(request.prompts.prompts), 'prompt')} of "
        f"*{plain(request.prompts.title)}*, {count(request.options.count, 'text')} per side, about "
        f"{plain(request.prompts.names[0])} and about {plain(request.prompts.names[1])}."
    )

    def line(which: ResultKey, one: FairPairAsked, estimate: AuditEstimate) -> tuple[str, str]:
        takes = plain(_estimate_text(one, estimate))
        return f"**{plain_titled(which[0])}** at temperature {which[1]:g}: {takes}", ""

    material = FairPairMaterial(request.prompts, request.table)
    offer_missing(
        FAIRPAIR_AUDIT, missing, lambda *_: material, lambda _: (opening, "Write and compare"), line
    )


def _estimate_text(request: FairPairAsked, estimate: AuditEstimate) -> str:
    if not estimate.missing:
        return "0 texts to write; the existing texts are compared again."
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

"""The form of the tab FairPair: models, prompts, who is exchanged for whom, and how texts are drawn."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pcf_core.app.caching import open_store
from pcf_core.app.choice import draw_precision, with_asked
from pcf_core.app.data import draw_lookable
from pcf_core.app.fairpair.links import EXCHANGED, chosen_measures
from pcf_core.app.fairpair.material import categories_of, prompts_of, selection, table_of
from pcf_core.app.links import choose_called
from pcf_core.app.roles import may_audit
from pcf_core.app.texts.shared import draw_length, draw_seed, draw_top_p, first_kept, opening_writer
from pcf_core.app.widgets import plain
from pcf_core.core.errors import AuditError, GenerationError, PerturbationError, PromptError
from pcf_core.core.families import FAMILIES
from pcf_core.core.generation import HOTTEST, Decoding, GenerationKey
from pcf_core.core.run import model_label
from pcf_core.models.endpoint import PREFIX as ENDPOINT
from pcf_core.models.precision import AUTO, precisions_of
from pcf_core.models.registry import list_models, resolve_writer
from pcf_core.texts.fairpair.categories import SHELF as CATEGORIES
from pcf_core.texts.fairpair.categories import SHIPPED
from pcf_core.texts.fairpair.prompts import SHELF, USUAL
from pcf_core.texts.fairpair.records import (
    FEWEST_TEXTS,
    MOST_TEXTS,
    CategorySet,
    FairPairAsked,
    Mode,
    PerturbationTable,
    PromptSet,
)
from pcf_core.texts.fairpair.tables import SHELF as TABLES
from pcf_core.texts.fairpair.tables import check_names
from pcf_core.work.fairpair import FAIRPAIR, FairPairMaterial, fairpair_asked

FIRST_PROMPTS, FIRST_TABLE = "common-sents-1", "gender"
TEMPERATURES = ("0.3", "0.5", "0.7", "1", "1.3")
USUAL_TEXTS, USUAL_EACH, USUAL_LENGTH = 25, 3, 40
LONGEST_NAME = 60
Which = tuple[str, float]  # a model, by its label, and a temperature


@dataclass(frozen=True)
class Request:
    """What the form asks for; ``settings`` are those of the decoding, one for each temperature.

    ``some``: ``prompts`` are not all of the set of their name.  ``encoder``: a model whose vectors texts are
    compared by too, or nothing.  ``categories``: of words; ``None`` for those that come with the app.
    ``chat``: an endpoint gets a prompt as a user's message.
    """

    models: tuple[str, ...]
    prompts: PromptSet
    some: bool
    table: PerturbationTable
    mode: Mode
    reverse: bool
    settings: tuple[Decoding, ...]
    count: int
    fold_size: int | None
    encoder: str
    categories: CategorySet | None
    chat: bool
    precision: str = AUTO

    @property
    def material(self) -> FairPairMaterial:
        """What its requests name by hashes alone."""
        return FairPairMaterial(self.prompts, self.table)

    def asked(self, model: str, decoding: Decoding) -> tuple[FairPairAsked, ...]:
        """Return what one model is asked with one setting, in each precision that may be meant.

        Raises
        ------
        ModelError
            There is no such model, or it may not run here.
        GenerationError
            It cannot write.
        FairPairError
            Nothing can be measured with these numbers, or by this encoder.
        """
        return tuple(
            fairpair_asked(
                GenerationKey.of(spec, decoding),
                self.prompts,
                self.table,
                count=self.count,
                mode=self.mode,
                reverse=self.reverse,
                fold_size=self.fold_size,
                categories=self.categories,
                chosen=chosen_measures(self.encoder),
            )
            for spec in precisions_of(resolve_writer(model, self.chat), self.precision)
        )


def draw_request() -> Request:
    """Draw the form; every choice is in the URL.

    Raises
    ------
    PromptError
        The prompts are gone, or none is left of them.
    FairPairError
        The categories of words are gone.
    PerturbationError
        Names that are none.
    GenerationError
        A temperature that is none.
    """
    known = list_models()
    able = [spec for spec in known if FAMILIES[spec.family].generator]
    with st.container(horizontal=True):
        models = st.multiselect(
            "Models",
            with_asked("fp_model", [spec.name for spec in able]),
            default=opening_writer(able),
            key="fp_model",
            bind="query-params",
            select_all=False,
            accept_new_options=may_audit(),
            placeholder="Choose, or type a hub id or a folder" if may_audit() else "Choose",
            help="Models that go on from a text: causal ones, encoder–decoders, and those of an endpoint. "
            "Masked models fill gaps and cannot write.",
        )
        prompts = st.selectbox(
            "Prompts",
            with_asked("fp_prompts", SHELF.names()),
            index=SHELF.names().index(FIRST_PROMPTS),
            key="fp_prompts",
            bind="query-params",
            on_change=_all_categories,
            help="What the texts begin with, such as “John is a nurse.” Sets that come with the app, then "
            "your own.",
        )
        table_name = st.selectbox(
            "Exchanged",
            with_asked("fp_table", TABLES.names()),
            index=TABLES.names().index(FIRST_TABLE),
            key="fp_table",
            bind="query-params",
            help="What differs between the two sides: names, pronouns, titles and words for people, by a "
            "table of counterparts.",
        )
    table = table_of(table_name)
    if prompts not in SHELF.names():
        raise PromptError(f"There are no prompts named {prompts!r}; choose others under Prompts.")
    usual = prompts_of(prompts)
    with st.expander("More settings", icon=":material/tune:"):
        left, right = st.columns(2)
        with left:
            categories, each = _draw_which([category for category in usual.categories if category])
        with right:
            # A set that brings names of its own keeps them; all others are about the table's first.
            names = _draw_names(table, table.names[0] if usual.names == USUAL else usual.names)
            reverse, mode = _draw_exchange()
        temperatures, top_p, length, seed = _draw_decoding()
        chat = any(model.startswith(ENDPOINT) for model in models) and _draw_chat()
        count, fold_size = _draw_count()
        left, right = st.columns(2)
        with left:
            encoder = _draw_encoder([spec.name for spec in known if spec.family == "masked"])
            precision = draw_precision("fp_precision")
        with right:
            own = _draw_categories()
    # Nothing is refused before all of the form is there, so that it can be corrected.
    check_pair(names)
    whole = prompts_of(prompts, names[::-1] if reverse else names)
    chosen = selection(whole, tuple(categories), each)
    settings = tuple(
        Decoding(temperature=temperature, top_p=top_p, length=length, seed=seed)
        for temperature in sorted({_temperature(text) for text in temperatures})
    )
    return Request(
        models=tuple(draw_lookable(models)),
        prompts=chosen,
        some=chosen != whole,
        table=table,
        mode=mode,
        reverse=reverse,
        settings=settings,
        count=count,
        fold_size=fold_size,
        encoder=encoder,
        categories=own,
        chat=chat,
        precision=precision,
    )


def requests_of(request: Request) -> dict[Which, FairPairAsked]:
    """Return what every model is asked at every temperature; a refusal is said and its model left out."""
    found: dict[Which, FairPairAsked] = {}
    kept = open_store().documents(FAIRPAIR)
    for model in request.models:
        try:
            for decoding in request.settings:
                one = first_kept(request.asked(model, decoding), kept)
                found[model_label(model, one.key.dtype), decoding.temperature] = one
        except AuditError as error:
            st.error(f"**{plain(model)}:** {plain(str(error))}", icon=":material/error:")
    return found


def _all_categories() -> None:
    """Reset the chosen categories: another set has other ones."""
    st.session_state["fp_category"] = []


def _draw_which(categories: list[str]) -> tuple[list[str], int | None]:
    """Draw which of a set's prompts to take: of which categories, and how many of each."""
    chosen = st.multiselect(
        "Categories",
        with_asked("fp_category", categories),
        key="fp_category",
        bind="query-params",
        placeholder="All",
        help="What the prompts are about; none chosen means all of them.",
    )
    each = st.number_input(
        "Prompts of each category",
        min_value=1,
        value=USUAL_EACH,
        key="fp_each",
        bind="query-params",
        placeholder="Empty: all",
        help="Every statement comes once before any comes in other words. More statements narrow the "
        "intervals. Empty takes all.",
    )
    return chosen, each


def _draw_exchange() -> tuple[bool, Mode]:
    """Draw whether prompts are about the second side, and how much of a text is exchanged."""
    reverse = st.toggle(
        "The other way round",
        False,
        key="fp_reverse",
        bind="query-params",
        help="Prompts are about the second name, and the first is put in its place.",
    )
    mode = choose_called(
        "Exchange",
        EXCHANGED,
        key="fp_mode",
        help="all words for people: every word of the table in a text. this person only: the name, pronouns "
        "that mean its bearer, and what is said that this person is; a sister stays a sister.",
    )
    return reverse, mode


def _draw_names(table: PerturbationTable, suggested: tuple[str, str]) -> tuple[str, str]:
    """Draw the two names, as they are typed; an empty field means the suggested name."""
    fields = st.columns(2)
    names = []
    for place, (field, side, usual) in enumerate(zip(fields, table.sides, suggested, strict=True), 1):
        typed = field.text_input(
            f"Name, {plain(side)}",
            max_chars=LONGEST_NAME,
            key=f"fp_name_{place}",
            bind="query-params",
            placeholder=usual,
            help=f"Who stands in the prompts on the side {plain(side)}. Empty: {plain(usual)}.",
        )
        names.append(typed.strip() or usual)
    return names[0], names[1]


def check_pair(names: tuple[str, str]) -> None:
    """Refuse names that are no pair, in words for someone who typed them.

    Raises
    ------
    PerturbationError
        One name for both, or one that is written small.
    """
    if names[0].casefold() == names[1].casefold():
        raise PerturbationError(f"Both names are {names[0]!r}: type two that differ.")
    check_names(names, "The names")


def _draw_decoding() -> tuple[list[str], float, int, int]:
    """Draw temperatures as they are typed, top-p, length and seed."""
    columns = st.columns(4)
    typed = columns[0].multiselect(
        "Temperature",
        with_asked("fp_temperature", TEMPERATURES),
        default=["1"],
        key="fp_temperature",
        bind="query-params",
        accept_new_options=True,
        help=f"1 keeps the model's own probabilities, less is more repetitive; up to {HOTTEST:g}. Several "
        "give F over a grid. At 0 every text of a prompt is the same, and F is undefined.",
    )
    top_p = draw_top_p(columns[1], "fp", 0.9)
    length = draw_length(columns[2], "fp", USUAL_LENGTH, "A sentence or two have about 40.") or USUAL_LENGTH
    seed = draw_seed(columns[3], "fp", 0)
    return typed, top_p, length, seed


def _draw_chat() -> bool:
    """Draw, for an endpoint, whether a prompt is a message to it."""
    return st.toggle(
        "Prompts as messages to the endpoint",
        False,
        key="fp_chat",
        bind="query-params",
        help="On: the server gets each prompt as a user's message (chat), as models that were taught to "
        "answer need. Off: its model goes on from the prompt itself (completions). Local models do by "
        "themselves what their tokenizer says.",
    )


def _draw_count() -> tuple[int, int | None]:
    left, right = st.columns(2)
    count = left.number_input(
        "Texts a side and prompt",
        min_value=FEWEST_TEXTS,
        max_value=MOST_TEXTS,
        value=USUAL_TEXTS,
        step=5,
        key="fp_count",
        bind="query-params",
        help="n: how many texts are compared for each prompt, and as many for its counterpart. 20 to 50 are "
        "usual, 500 are the paper's. Texts that are there are kept: asking for more writes the rest.",
    )
    fold_size = right.number_input(
        "Texts a side and fold",
        min_value=FEWEST_TEXTS,
        max_value=MOST_TEXTS,
        value=None,
        key="fp_fold",
        bind="query-params",
        placeholder="Empty: all with all",
        help="The paper compares texts within folds of 5. All with all tells most; folds cost less with "
        "hundreds of texts.",
    )
    return count, fold_size


def _draw_encoder(encoders: list[str]) -> str:
    """Draw the model whose vectors texts are compared by as well; return it, empty for none."""
    chosen = st.selectbox(
        "Encoder",
        with_asked("fp_encoder", encoders),
        index=None,
        key="fp_encoder",
        bind="query-params",
        accept_new_options=True,
        placeholder="None: words and sentiment alone",
        help="Also compares texts by the distance of vectors that this masked model makes of them. One that "
        "comes with the app, a folder, or a hub id such as answerdotai/ModernBERT-base.",
    )
    return next(iter(draw_lookable([chosen])), "") if chosen else ""


def _draw_categories() -> CategorySet | None:
    """Draw categories of words of the user's own, or the shipped ones."""
    names = CATEGORIES.names()
    chosen = st.selectbox(
        "Categories of words",
        with_asked("fp_categories", names),
        index=names.index(SHIPPED),
        key="fp_categories",
        bind="query-params",
        help="Into which the words that differ are sorted. Those that come with the app, then your own.",
    )
    CATEGORIES.require(chosen)
    return None if chosen == SHIPPED else categories_of(chosen)


def _temperature(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise GenerationError(
            f"The temperature {text!r} is no number: write one from 0 to {HOTTEST:g}, such as 0.7."
        ) from None

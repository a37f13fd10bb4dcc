"""The tab FairPair of *Written text*: whether a model writes differently about another person."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pcf_core.app.fairpair.request import Request, categories_of, draw_kept, draw_request, offer_writing
from pcf_core.app.fairpair.views import VIEWS, TabView
from pcf_core.app.links import select_called
from pcf_core.app.own import OwnPanel
from pcf_core.app.page import finding
from pcf_core.app.texts.shared import (
    FAIRPAIR_KEY,
    draw_imported,
    draw_marks,
    draw_where_asked,
    laid_beside,
    requests_of,
    stored_of,
)
from pcf_core.app.widgets import adopt_next, choose_one, plain, plain_titled
from pcf_core.report.sections.fairpair import read_together
from pcf_core.show.findings.fairpair import (
    ends_finding,
    fairpair_answer,
    notes,
    perturber_finding,
    settings_finding,
    silence_warning,
)
from pcf_core.show.findings.numbers import count, listed
from pcf_core.show.findings.provenance import source_of
from pcf_core.texts.fairpair.categories import OWN as OWN_CATEGORIES
from pcf_core.texts.fairpair.categories import SHIPPED
from pcf_core.texts.fairpair.prompts import OWN as OWN_PROMPTS
from pcf_core.texts.fairpair.records import EMBEDDING, LABEL, CategorySet, FairPairResult, PromptSet
from pcf_core.work.fairpair import FAIRPAIR_AUDIT

PREFIX, STAYED = "fp_", "stayed fp_"  # of its widgets' keys; their values when it was left
CALLED = {"jaccard": "all words", "jaccard-others": "unexchanged words"}
MEANS = {
    "jaccard": "the share of words that two texts do not have in common",
    "jaccard-others": "the same without the words that are exchanged, such as he and she",
    "sentiment": "the difference between the VADER scores of two texts",
}
WHAT = """
A model continues sentences about {0} and the same sentences about {1}. Its texts about {0} are then rewritten
to be about {1} too, so that both sides can be compared. The difference between the two sides is measured
against the differences among the texts of one side.
"""
FIRST = "common-sents-1"
FORMS = "Each prompt must name one person as {name}."
EXAMPLES = {
    "**Text**, one prompt per line": "{name} is a nurse.\n{name}'s day begins at six.\n",
    "**CSV**; the column *category* is optional": "text,category\n{name} is a nurse.,work\n"
    "{name} feeds the cat.,home\n",
    "**TOML**; name, title, names, source and notes are optional": """\
names = ["John", "Jane"]

[[prompts]]
text = "{name} is a nurse."
category = "work"
""",
}


def draw_fairpair() -> None:
    """Draw the tab."""
    answer, form, below = st.container(), st.container(), st.container()  # results come first
    state = st.session_state
    # Restore the form as it was left, unless a link sets it. Its models are always drawn: if they are known,
    # the tab was not left.
    if "fp_model" not in state and not any(name.startswith(PREFIX) for name in st.query_params):
        state.update(state.get(STAYED, {}))
    adopt_next()
    try:
        with form:
            request = draw_request()
        with below:
            PROMPTS.draw(request.prompts.name, request.prompts)
            categories = request.categories or categories_of(SHIPPED)
            CATEGORIES.draw(categories.name, categories)
            draw_kept()
        with form:
            _draw_results(request, answer)
    finally:
        values = {str(key): value for key, value in state.items() if str(key).startswith(PREFIX)}
        state[STAYED] = {**state.get(STAYED, {}), **values}


def _draw_results(request: Request, answer: DeltaGenerator) -> None:
    """Draw what the form leads to; the answer goes into ``answer``."""
    imported = draw_imported(FAIRPAIR_AUDIT, FAIRPAIR_KEY)
    if not request.models and not imported:
        st.info("Choose one or more models to see how they write.", icon=":material/arrow_upward:")
        return
    if not request.settings and not imported:
        st.info("Choose one or more temperatures.", icon=":material/arrow_upward:")
        return
    requests = requests_of(FAIRPAIR_AUDIT, request.models, request.settings, request.asked)
    stored = stored_of(FAIRPAIR_AUDIT, requests)
    offer_writing(request, stored.missing)
    if imported:
        stored = laid_beside(
            FAIRPAIR_AUDIT, stored, imported, lambda one: one.key.decoding.temperature, lambda one: ""
        )
    if not stored.results:
        with answer:
            st.markdown(WHAT.format(*map(plain, request.prompts.names)))
        return
    measures = measures_of(stored.results.values())
    temperatures = [f"{value:g}" for value in sorted({value for _, value in stored.results})]
    # At first the one nearest to the models' own probabilities.
    temperature = min(temperatures, key=lambda text: abs(float(text) - 1))
    with st.container(horizontal=True):
        measure = select_called(
            "Texts are compared by",
            {name: shown for name, (shown, _) in measures.items()},
            key="fp_measure",
            row=True,
            help=" ".join(explained for _, explained in measures.values()),
        )
        if len(temperatures) > 1:
            temperature = choose_one(
                "Temperature",
                temperatures,
                default=temperature,
                key="fp_at",
                help="Models are compared at equal settings only; the view temperatures shows all "
                "temperatures.",
            )
        view = choose_one(
            "Show",
            [name for name in VIEWS if name != "temperatures" or len(temperatures) > 1],
            default="models",
            key="fp_view",
            wrap=True,  # six names are wider than a telephone
            help="Results of whole models, single prompts, words that differ, the texts themselves, whether "
            "there are enough texts, and the ratio by temperature if several were used.",
        )
    results = {model: result for (model, one), result in stored.results.items() if f"{one:g}" == temperature}
    shown = TabView(request, stored, measure, results, read_together(results, measure))
    with answer:
        _draw_answer(shown)
    VIEWS[view](shown)
    _draw_beside(shown)


def measures_of(results: Iterable[FairPairResult]) -> dict[str, tuple[str, str]]:
    """Return the measures Φ that all results have, each with its label and description."""
    first, *others = [result.reports for result in results]
    return {name: _words_of(name) for name in first if all(name in other for other in others)}


def _words_of(measure: str) -> tuple[str, str]:
    if measure.startswith(f"{EMBEDDING}:"):
        called = f"meaning, by {measure.partition(':')[2]}"
        means = "half the distance between the vectors of two texts, calculated by this model"
    else:
        called = CALLED.get(measure, measure)
        means = MEANS.get(measure, "another dissimilarity, from 0 (identical) to 1")
    return called, f"{called}: {means}."


def _draw_answer(shown: TabView) -> None:
    draw_marks((model, result.provenance) for model, result in shown.results.items())
    finding(*map(fairpair_answer, shown.reports.values()))
    for model, result in shown.results.items():
        if silence := silence_warning(result):
            st.warning(f"**{plain_titled(model)}:** {plain(silence)}", icon=":material/warning:")


def _draw_beside(shown: TabView) -> None:
    """Draw the sampling settings, the perturbation's own error, and notes."""
    results = shown.results
    st.caption(source_of(LABEL))
    st.caption(plain(settings_finding(next(iter(results.values())).asked, len(results))))
    for model, result in results.items():
        st.caption(plain_titled(f"{model}: {perturber_finding(result.errors)} {ends_finding(result)}"))
    with st.expander("Notes", icon=":material/info:"):
        for model, report in shown.reports.items():
            st.markdown(
                f"**{plain_titled(model)}**\n" + "\n".join(f"- {plain(line)}" for line in notes(report))
            )
    draw_where_asked([result.asked.key for result in results.values()])


def prompts_finding(prompts: PromptSet) -> str:
    """Describe a set of prompts."""
    named = [category for category in prompts.categories if category]
    about = f" in {count(len(named), 'category', 'categories')}" if named else ""
    examples = listed([f"“{text}”" for text in prompts.texts[:2]])
    return f"“{prompts.title}” has {count(len(prompts.prompts), 'prompt')}{about}: {examples} …"


PROMPTS = OwnPanel(
    what="Prompts",
    own=OWN_PROMPTS,
    key="prompts",
    shown="fp_prompts",
    first=lambda: FIRST,
    forms=FORMS,
    examples=EXAMPLES,
    said=prompts_finding,
    use="a file for the option --prompts of the command fairpair",
    besides={"fp_category": []},
)

CATEGORY_FORMS = "Case does not matter; a word with * at its end includes every word that begins like this."


def categories_finding(several: CategorySet) -> str:
    """Describe a set of word categories."""
    each = [f"{one.title} ({count(len(one.words), 'word')})" for one in several.categories]
    return f"{count(len(each), 'category', 'categories')}: {listed(each)}."


CATEGORIES = OwnPanel(
    what="Categories of words",
    own=OWN_CATEGORIES,
    key="categories",
    shown="fp_categories",
    first=lambda: SHIPPED,
    forms=CATEGORY_FORMS,
    examples={},
    said=categories_finding,
    use="a file for the option --categories of the command fairpair",
)

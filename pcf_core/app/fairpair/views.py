"""FairPair's pictures, each with its explanation, table and provenance; and the texts side by side."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import plotly.graph_objects as go
import streamlit as st

from pcf_core.app.caching import open_store
from pcf_core.app.choice import with_asked
from pcf_core.app.fairpair.request import Request, Results
from pcf_core.app.links import select_called
from pcf_core.app.page import (
    DATA,
    PROVENANCE,
    READING,
    draw_cite,
    draw_commands,
    draw_figures,
    draw_picture,
    draw_table,
    draw_tabs,
    finding,
    picture,
)
from pcf_core.app.texts.shared import draw_list
from pcf_core.app.titles import model_titles
from pcf_core.app.widgets import plain, plain_titled
from pcf_core.core.errors import StoreError
from pcf_core.core.risk import Interval
from pcf_core.report.citing import FAIRPAIR_PAPER
from pcf_core.report.panels import Panel
from pcf_core.report.provenance import fairpair_facts, fairpair_hashes
from pcf_core.report.records import KeyFigure
from pcf_core.report.reproducing import fairpair_command
from pcf_core.report.sections.fairpair import (
    FAIRPAIR_SOURCE,
    categories_panel,
    categories_table,
    convergence_table,
    pairs_table,
    prompts_table,
    ratio_panel,
    temperatures_table,
    variation_panel,
    words_panel,
)
from pcf_core.show.charts.fairpair import (
    QUANTITY_WORDS,
    Quantity,
    convergence_lines,
    prompt_dots,
    temperature_lines,
)
from pcf_core.show.findings.fairpair import (
    bars_finding,
    convergence_finding,
    drawn_units,
    fairpair_finding,
    grid_finding,
    mean_ratio_note,
    prompt_finding,
    prompts_finding,
    sentiment_finding,
)
from pcf_core.show.findings.numbers import begun, beside_one, count, p_value, two_decimals
from pcf_core.show.findings.provenance import source_of
from pcf_core.texts.fairpair.dissimilarity import Piece, phrase_places, words_apart
from pcf_core.texts.fairpair.matching import word_tokens
from pcf_core.texts.fairpair.prompts import prompts_toml
from pcf_core.texts.fairpair.records import (
    LABEL,
    CategoryDifference,
    FairPairReport,
    FairPairResult,
    PromptPairs,
    Side,
    WordDifference,
)
from pcf_core.work.fairpair import load_pairs

QUANTITIES: dict[str, Quantity] = {
    "B": "between",
    "V of p(g(x))": "within_original",
    "V of g(p(x))": "within_prompt",
    "F": "ratio",
}
CALLED = {  # by the names that earlier addresses have
    "B": "between the sides",
    "V of p(g(x))": "within the first side",
    "V of g(p(x))": "within the second side",
    "F": "as a ratio",
}
HOW_PROMPTS = """
Each mark is the ratio of differences of one prompt, for the fifteen prompts with the largest energy distance
(twice the difference between the sides minus those within them). The grey tick is the mean ratio of the same
texts when they are assigned to the sides at random; it is above 1 if there are few texts. **Filled**: the
sides of this prompt differ beyond chance, corrected for all prompts. Most single prompts have too few texts
to show a difference. If the ratio is undefined, because all texts of a side are the same, the line says so
and has no mark.
"""
HOW_CONVERGENCE = """
The first picture compares all texts of each prompt with each other, for a growing number of texts. The second
splits all texts into a growing number of folds and compares within them (the paper's figures 3 and 4). If a
line has become flat, more texts would not change the mean; other prompts may still give another result.
"""
HOW_TEMPERATURES = """
The ratio of differences of each model at each temperature, with its 95 % range over statements, or over
prompts if each makes its own statement. The dotted line is the value of chance alone. At a higher temperature
the texts of one side differ more from each other, so the same difference between the sides gives a smaller
ratio: compare models at the same temperature. A point is missing if the ratio is undefined, which can happen
at temperature 0, where nothing is tested.
"""
PAGE = 10  # pairs at a time
MOST_SHOWN = 5  # texts of a phrase and side
NOTHING = "*no text*"
LINE = re.compile(r"(?<!\s)[^\S\n]*+\n\s*+")
HOW_TEXTS = """
On the left are the model's texts for the prompt, in which names, pronouns and words for people were exchanged
afterwards; on the right are its texts for the exchanged prompt. Both are about the same person, so any text
of one side can be compared with any text of the other; equal numbers have no meaning. **Bold on a shade**: a
word that the other text does not have. ⏎ is a new line. The data have the texts of the left, written and then
exchanged, in their first column of texts, and those of the right in the second.
"""


@dataclass(frozen=True)
class TabView:
    """Results at one temperature by model, and their reports under one Φ."""

    request: Request
    stored: Results
    measure: str
    results: dict[str, FairPairResult]
    reports: dict[str, FairPairReport]

    def of(self, model: str, sentence: str) -> str:
        """Put the model before a sentence if there are several."""
        return f"{model}: {sentence}" if sentence and len(self.results) > 1 else sentence

    def one(self) -> str:
        """Return the model to look at; draw a menu if there are several."""
        if len(self.results) == 1:
            return next(iter(self.results))
        return st.selectbox(
            "Model",
            list(self.results),
            format_func=model_titles(self.results),
            key="fp_one",
            bind="query-params",
            help="Whose prompts, words and texts are shown.",
        )

    def draw_how_sure(self) -> None:
        """Draw F with its test, and the key figures, under the picture."""
        with st.expander("How sure?"):
            first, *more = map(fairpair_finding, self.reports.values())
            finding(first, *(sentence.replace(f" {source_of(LABEL)}", "") for sentence in more))  # once
            figures, beside = _ratio_figures(self.reports), _others_figures(self.reports)
            for row in [[*figures, *beside]] if len(figures) == 1 else [figures, beside]:
                if row:
                    draw_figures(row)
            for model, report in self.reports.items():
                finding(self.of(model, bars_finding(report)), self.of(model, mean_ratio_note(report)))

    def foot(self, panel: Panel, name: str) -> None:
        """Draw how sure it is, how to read the picture, its data and provenance."""
        self.draw_how_sure()

        def draw_data() -> None:
            if panel.table:
                draw_table(panel.table(), name)

        draw_tabs(name, {READING: panel.how, DATA: draw_data, PROVENANCE: self._draw_provenance})

    def _draw_provenance(self) -> None:
        st.markdown(f"**{begun(LABEL)}.** Method: FairPair, arXiv 2404.06619.")
        request, prompts = self.request, ""
        if request.some and not all(result.asked.imported for result in self.results.values()):
            # The command takes only whole sets.
            prompts = f"{request.prompts.name}-some.toml"
            st.download_button(
                "Prompts",
                lambda: prompts_toml(request.prompts),
                prompts,
                "application/toml",
                key="fairpair_prompts",
                on_click="ignore",
                icon=":material/download:",
                help="The prompts of this result, as a file for the command.",
            )
        for model, result in self.results.items():
            st.markdown(f"**{plain(model)}**")
            hashes = {f"hash of {what}": value for what, value in fairpair_hashes(result.asked).items()}
            draw_list(fairpair_facts(result) | hashes)
            if not result.asked.imported:
                draw_commands(fairpair_command(result.asked, prompts))
        draw_cite(FAIRPAIR_PAPER)


def _ratio_figures(reports: Mapping[str, FairPairReport]) -> list[KeyFigure]:
    figures = []
    for model, report in reports.items():
        means = report.means
        value, ends = _value_and_ends(means.ratio, report.intervals.get("ratio_of_means"))
        within = f"{two_decimals(means.within_original)} and {two_decimals(means.within_prompt)}"
        figures.append(
            KeyFigure(
                f"Ratio of differences · {model}",
                value,
                "The squared difference between the two sides, divided by the differences within each, as a "
                "ratio of means over prompts. At 1 the two sides differ no more than texts of one side "
                f"differ from each other; above 1 they differ more. 95 % range over {drawn_units(report)}.",
                f"{ends} · between the sides {two_decimals(means.between)} · within {within}",
            )
        )
    return figures


def _others_figures(reports: Mapping[str, FairPairReport]) -> list[KeyFigure]:
    """Make key figures: F of each model without exchanged words, if it was measured."""
    figures = []
    for model, report in reports.items():
        if (others := report.others) is None:
            continue
        value, ends = _value_and_ends(others.ratio, others.interval)
        figures.append(
            KeyFigure(
                f"Ratio without exchanged words · {model}",
                value,
                "The same for the words that are not exchanged. If the first ratio is above 1 and this one "
                "is not, the difference comes from names, pronouns and words for people (words about other "
                "people are exchanged too). 95 % range; p-value from a permutation test.",
                f"{ends} · {'not tested' if others.p_value is None else p_value(others.p_value)}",
            )
        )
    return figures


def _value_and_ends(ratio: float | None, interval: Interval | None) -> tuple[str, str]:
    if ratio is None:
        return "undefined", "no range"
    value, _, ends = beside_one(ratio, interval).partition(" ")
    return value, ends.strip("()") or "no range"


def draw_models(shown: TabView) -> None:
    """Draw F of each model, B and both V, and the sentences about them."""
    reports = shown.reports
    panel = ratio_panel(reports, shown.stored.models)
    draw_picture(panel)
    draw_picture(variation_panel(reports))
    finding(*(shown.of(model, sentiment_finding(report)) for model, report in reports.items()))
    shown.foot(panel, "fairpair")


def draw_prompts(shown: TabView) -> None:
    """Draw F of single prompts of one model."""
    model = shown.one()
    report = shown.reports[model]
    finding(prompts_finding(report))
    picture(
        partial(prompt_dots, report),
        "fairpair_prompts_dots",
        f"Ratio of differences of single prompts, {model}, widest first",
        source=FAIRPAIR_SOURCE,
    )
    shown.foot(Panel(how=HOW_PROMPTS, table=lambda: prompts_table(report)), "fairpair_prompts_table")


def draw_convergence(shown: TabView) -> None:
    """Draw how a quantity settles with more texts or more folds."""
    courses = {model: result.convergence[shown.measure] for model, result in shown.results.items()}
    chosen = select_called(
        "Texts differ",
        CALLED,
        key="fp_quantity",
        row=True,
        wrap=True,
        help="; ".join(QUANTITY_WORDS.values()).replace("<br>", " ") + ".",
    )
    finding(*(shown.of(model, convergence_finding(one)) for model, one in courses.items()))
    left, right = st.columns(2)
    quantity, models = QUANTITIES[chosen], shown.stored.models
    pictures: list[tuple[partial[go.Figure], str]] = [
        (partial(convergence_lines, courses, "samples", quantity, models), "more texts a side"),
        (partial(convergence_lines, courses, "folds", quantity, models), "more folds"),
    ]
    for column, (make, over) in zip((left, right), pictures, strict=True):
        title = f"How much texts differ {CALLED[chosen]}, with {over}"
        with column:
            picture(make, f"fairpair_{over.replace(' ', '_')}", title, title=title, source=FAIRPAIR_SOURCE)
    shown.foot(Panel(how=HOW_CONVERGENCE, table=lambda: convergence_table(courses)), "fairpair_convergence")


def draw_temperatures(shown: TabView) -> None:
    """Draw F of each model at each temperature."""
    by_model = {
        model: {
            temperature: result.reports[shown.measure]
            for (one, temperature), result in shown.stored.results.items()
            if one == model
        }
        for model in shown.stored.models
    }
    finding(*(grid_finding(model, by_temperature) for model, by_temperature in by_model.items()))
    picture(
        partial(temperature_lines, by_model, shown.stored.models),
        "fairpair_temperatures",
        f"Ratio of differences by temperature, {', '.join(by_model)}",
        source=FAIRPAIR_SOURCE,
    )
    shown.foot(
        Panel(how=HOW_TEMPERATURES, table=lambda: temperatures_table(by_model)), "fairpair_temperatures_table"
    )


def draw_words(shown: TabView) -> None:
    """Draw the phrases and categories that either side of one model has more often."""
    model = shown.one()
    result = shown.results[model]
    report = result.words
    phrased, categories = words_panel(model, report), categories_panel(model, report)
    finding(*phrased.findings)
    draw_picture(phrased)
    if report.words:
        phrases = [row.words for row in report.words]
        phrase = st.selectbox(
            "Texts with the phrase",
            phrases,
            key="fp_phrase",
            bind="query-params",
            help="The phrases that differ most, with some texts of each side that have the chosen phrase.",
        )
        row = report.words[phrases.index(phrase)]
        _draw_behind(result, row, lambda text: phrase_places(text, row.words))
    finding(*categories.findings)
    draw_picture(categories)
    having = {row.name: row for row in report.categories if row.original_texts or row.prompt_texts}
    if having:
        category = st.selectbox(
            "Texts with the category",
            list(having),
            key="fp_behind",
            bind="query-params",
            help="Some texts of each side that have a word of the chosen category; these words are marked.",
        )
        chosen = having[category]

        def mark(text: str) -> list[Piece]:
            return words_apart(text, " ".join(set(word_tokens(text)) - chosen.words.keys()))

        _draw_behind(result, chosen, mark)
    shown.foot(phrased, "fairpair_phrases_table")
    with st.expander("Words of the categories"):
        draw_table(categories_table(report), "fairpair_categories_table")


def draw_texts(shown: TabView) -> None:
    """Draw the pairs of texts of one prompt, ten at a time."""
    model = shown.one()
    result, report = shown.results[model], shown.reports[model]
    names, firsts = [row.prompt for row in report.prompts], range(0, result.asked.count, PAGE)
    with st.container(horizontal=True):
        prompt = st.selectbox(
            "Prompt",
            with_asked("fp_prompt", names),
            key="fp_prompt",
            bind="query-params",
            help="Whose texts are shown.",
        )
        pages = [f"{first + 1}-{min(first + PAGE, result.asked.count)}" for first in firsts]
        page = st.selectbox(
            "Pairs",
            pages,
            key="fp_pairs",
            bind="query-params",
            help="Ten pairs at a time; the table has all pairs.",
        )
    pairs = None
    if prompt in names:
        index = names.index(prompt)
        finding(prompt_finding(report.prompts[index]))
        pairs = texts_of(result, index)
    else:
        st.info(
            f"{plain_titled(model)} has no texts for this prompt: choose another prompt or model.",
            icon=":material/info:",
        )
    if pairs is None:
        shown.draw_how_sure()
        return
    left, right = st.columns(2)
    left.markdown(
        f"**Written for {plain(report.original)}**, then exchanged  \nprompt: "
        f"“{plain(report.prompts[index].prompt)}”"
    )
    right.markdown(
        f"**Written for {plain(report.counterpart)}**  \nprompt: “{plain(result.counterparts[index])}”"
    )
    sides = list(zip(pairs.perturbed_original, pairs.perturbed_prompt, strict=True))
    first = firsts[pages.index(page)]
    for number, (original, written) in enumerate(sides[first : first + PAGE], start=first + 1):
        with st.container(border=True):
            left, right = st.columns(2)
            left.caption(f"{number:,} · written for {plain(report.original)}, then exchanged")
            right.caption(f"{number:,} · written for {plain(report.counterpart)}")
            left.markdown(marked(words_apart(original, written)) or NOTHING)
            right.markdown(marked(words_apart(written, original)) or NOTHING)
    shown.foot(Panel(how=HOW_TEXTS, table=lambda: pairs_table(pairs, report)), "fairpair_pairs")


VIEWS: dict[str, Callable[[TabView], None]] = {
    "models": draw_models,
    "prompts": draw_prompts,
    "words": draw_words,
    "texts": draw_texts,
    "convergence": draw_convergence,
    "temperatures": draw_temperatures,
}


def marked(pieces: Iterable[Piece]) -> str:
    """Return pieces of a text as Markdown that shows them verbatim, the marked ones highlighted."""
    return "".join(
        f":orange-background[**{_shown(piece)}**]" if mark else _shown(piece) for piece, mark in pieces
    )


def _shown(piece: str) -> str:
    return plain(re.sub(r"\s", " ", LINE.sub(" ⏎ ", piece)))


def texts_of(result: FairPairResult, index: int) -> PromptPairs | None:
    """Load the texts of a prompt; show an error and return ``None`` if they are gone."""
    try:
        return load_pairs(open_store(), result, index)
    except StoreError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return None


def _draw_behind(
    result: FairPairResult, row: WordDifference | CategoryDifference, mark: Callable[[str], Sequence[Piece]]
) -> None:
    """Draw a few texts of either side with a phrase or category, its words highlighted."""
    words = result.words
    columns = st.columns(2)
    sides: tuple[tuple[Side, str, Sequence[tuple[int, int]]], ...] = (
        ("original", words.original, row.original_texts),
        ("prompt", words.counterpart, row.prompt_texts),
    )
    for column, (side, name, places) in zip(columns, sides, strict=True):
        with column:
            st.markdown(f"**Texts for {plain(name)}**: {count(len(places), 'text')}")
            for prompt, text in places[:MOST_SHOWN]:
                pairs = texts_of(result, prompt)
                if pairs is None:
                    return
                texts, behind = pairs.perturbed_original, pairs.prompt
                if side == "prompt":
                    texts, behind = pairs.perturbed_prompt, result.counterparts[prompt]
                with st.container(border=True):
                    st.caption(f"{plain(behind)} · pair {text + 1:,}")
                    st.markdown(marked(mark(texts[text])) or NOTHING)
            if len(places) > MOST_SHOWN:
                st.caption(f"{len(places) - MOST_SHOWN:,} more")

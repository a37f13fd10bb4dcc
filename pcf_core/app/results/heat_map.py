"""The page Heat map: rows and columns, their order, and one cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from pcf_core.app.caching import once, open_store
from pcf_core.app.choice import OCCUPATION, choose_group, choose_occupation
from pcf_core.app.data import Loaded
from pcf_core.app.inside import script
from pcf_core.app.links import say_instead
from pcf_core.app.page import draw_table, finding, picture
from pcf_core.app.titles import model_titles
from pcf_core.app.widgets import controls, numeric, plain
from pcf_core.audit.forbidden import forbidden_note
from pcf_core.audit.preferences import coverage_at, is_left_only
from pcf_core.audit.results import Report
from pcf_core.audit.slots import Slot, gather, gather_with_left
from pcf_core.core.families import facts_of
from pcf_core.core.run import Preferences
from pcf_core.report.sections.heat_map import ORDERS, PRESETS, pages_of
from pcf_core.report.sections.tilt import interval_of_share
from pcf_core.show.charts.heat_map import WordProbability, cell_bars, word_bars
from pcf_core.show.findings.notes import coverage_note, given_left
from pcf_core.show.findings.numbers import begun, count
from pcf_core.show.findings.occupations import occupation_finding
from pcf_core.show.names import worded

PAPER_TEMPLATES = "gender-heatmap"
CLICKED = "cell_clicked"
CONTEXT = "template"  # parameter
# How the shares of a cell follow from its words, by aggregation.
BY_HAND = {
    "sum": "A group's share is the sum of its words' probabilities, divided by the sum over all words.",
    "mean": "A group's share is the mean of its words' probabilities, divided by the sum of all such means.",
}
WORD_COLUMNS = {
    "probability": numeric("probability", "Of this word in the gap, among all words.", "%.3g"),
    "share_of_group": numeric("share of the group", "Of the words of all groups together.", "%.3f"),
}
TEMPLATE = "cell_template"  # session key: template chosen or clicked last


def choose_map(loaded: Loaded) -> tuple[str, str, str, str, int]:
    """Draw the controls; return model, group, preset, order and page."""
    with controls("heat_map"):
        model = st.selectbox(
            "Model",
            list(loaded.runs),
            format_func=model_titles(loaded.runs),
            key="heat_model",
            bind="query-params",
            width=280,  # the longest name of a public model
            help="The heat map shows one model at a time.",
        )
        group = choose_group(loaded.groups, "Whose probability the colours show.")
        preset = st.selectbox(
            "Show",
            PRESETS,
            key="preset",
            bind="query-params",
            help="varied: the 40 occupations that vary most × the 30 most common sentences. papers: the 6 × "
            "10 of BVF Figure 11. all: everything, on several pages if there are too many cells for one.",
        )
        order = st.selectbox(
            "Order by",
            ORDERS,
            key="order",
            bind="query-params",
            help="From the top: average preference, variation over the sentences, name, share of women in "
            "the US, or clustering, which places similar occupations and similar sentences side by side.",
        )
        page, pages = 1, pages_of(loaded.runs[model], preset)
        if pages > 1:
            page = st.number_input(
                f"Page, 1 to {pages:,}",
                1,
                pages,
                key="map_page",
                bind="query-params",
                width=140,
                help="All cells at once are too many for a browser. The most common sentences come first.",
            )
    return model, group, preset, order, int(page)


def _cell_preferences(loaded: Loaded, occupation: str, template: str) -> dict[str, dict[str, float]]:
    """Return the preferences by group of every loaded model that has some; they sum to 1 per model."""
    by_model = {}
    for name, item in loaded.runs.items():
        preferences = item.result.preferences
        cell = preferences.values[
            preferences.occupations.index(occupation), preferences.templates.index(template)
        ]
        if not np.isnan(cell).any():
            by_model[name] = dict(zip(preferences.groups, cell.tolist(), strict=True))
    return by_model


def _cell_words(item: Report, occupation: str, template: str) -> list[WordProbability]:
    """Return the probability of each word at ``[Y]`` in this prompt, of a decision each person's rate."""
    run, preferences = item.run, item.result.preferences
    if preferences.people is not None:
        rates = preferences.people[
            preferences.occupations.index(occupation), preferences.templates.index(template)
        ].tolist()
        named = [(group.name, person) for group in run.topic.groups for person in group.words]
        return [
            WordProbability(word=person, group=group, probability=rate)
            for (group, person), rate in zip(named, rates, strict=True)
        ]
    prompt = template.replace("[X]", occupation)
    logs = gather(open_store(), run.scoring, [prompt], item.result.words)[0]
    groups = {word: group.name for group in run.topic.groups for word in group.words}
    return [
        WordProbability(word=word, group=groups[word], probability=float(np.exp(log)))
        for word, log in zip(item.result.words, logs, strict=True)
        if not np.isnan(log)
    ]


def _cell_caption(item: Report, occupation: str, template: str) -> str:
    """State a cell's coverage, by number of tokens if so defined, and whether it is flagged."""
    result, key = item.result, item.run.scoring
    if result.preferences.people is not None:
        return ""  # every person has a coverage
    if result.coverage is None:
        return coverage_note(None, right_text=not facts_of(key.family).by_tokens)
    store, prompt = open_store(), template.replace("[X]", occupation)
    nats, left = gather_with_left(store, key, [prompt], result.words)
    tokens = Slot.of(prompt).tokens(store.known_words(key), result.words) or result.tokens
    shares = coverage_at(prompt, nats[0], None if left is None else left[0], tokens, key.family)
    blocked = [word for word, log in zip(result.words, nats[0], strict=True) if np.isneginf(log)]
    note = coverage_note(shares, left_only=is_left_only(key.family, [prompt]))
    return " ".join(filter(None, [forbidden_note(blocked), note]))


def draw_flagged(item: Report) -> None:
    """Draw a table of the cells in which the model almost never uses the topic's words."""
    coverage = item.result.coverage
    if coverage is not None and coverage.flagged:
        cells = count(coverage.flagged, "test sentence")
        with st.expander(f"{cells} in which the model almost never uses these words"):
            st.markdown(
                "Ignore the preferences there. The sentences are marked above and listed from the lowest "
                "coverage up; the files under *Data* name all of them."
                + (f" Coverage is that {given_left()}." if coverage.left_only else "")
            )
            table = pd.DataFrame([cell.model_dump() for cell in coverage.listed])  # the lowest first
            draw_table(table, "flagged_cells", alt="Test sentences with almost no coverage")


def take_click(preferences: Preferences, clicked: object) -> None:
    """Choose the clicked cell; marks beside the cells are ignored."""
    if isinstance(clicked, list):
        state = st.session_state
        state[OCCUPATION] = preferences.occupations[int(clicked[0])]
        state[TEMPLATE] = preferences.templates[int(clicked[1])]
        state[CLICKED] = True


def open_clicked(loaded: Loaded) -> None:
    """Open the clicked cell, if any, in a dialog."""
    state = st.session_state
    if state.pop(CLICKED, False):
        occupation, template = state[OCCUPATION], state[TEMPLATE]
        state[CONTEXT] = called(occupation, loaded.first.result.preferences.templates)[template]
        st.dialog("One test sentence", width="large")(_draw_parts)(loaded, occupation, template, "clicked_")


def draw_cell(loaded: Loaded) -> None:
    """Draw one cell: prompt, groups for every model, words, coverage."""
    st.subheader("One test sentence")
    preferences = loaded.first.result.preferences
    left, right = st.columns(2)
    with left:
        chosen = choose_occupation(
            preferences.occupations, "The occupation in the sentence.", default=preferences.occupations[0]
        )
    occupation = chosen or preferences.occupations[0]
    with right:
        template = _choose_context(occupation, preferences.templates)
    _draw_parts(loaded, occupation, template)


def _choose_context(occupation: str, templates: Sequence[str]) -> str:
    """Draw the choice of a context as a sentence about an occupation; return its template."""
    names = called(occupation, templates)
    by_name = {name: template for template, name in names.items()}
    state, run = st.session_state, script()
    from_address, held = st.query_params.get(CONTEXT, ""), state.get(CONTEXT)
    goes_back, is_named = run is not None and run.goes_back, not {from_address, held}.isdisjoint(by_name)
    if run is not None and from_address in templates:
        say_instead(run, CONTEXT, names[from_address])
    elif not goes_back and not is_named and state.get(TEMPLATE) in templates:  # for another occupation
        state[CONTEXT] = names[state[TEMPLATE]]
    chosen = st.selectbox(
        "Sentence",
        list(by_name),
        key=CONTEXT,
        bind="query-params",
        help="The sentence about this occupation. The model fills the gap at the dots.",
    )
    state[TEMPLATE] = by_name[chosen]
    return by_name[chosen]


def called(occupation: str, templates: Sequence[str]) -> dict[str, str]:
    """Map templates to their sentence about an occupation, with the template behind it if two are equal.

    A sentence never equals its template, which earlier addresses name.
    """
    sentences = {template: sentence(occupation, template) for template in templates}
    times = Counter(sentences.values())
    return {
        template: text if times[text] == 1 else f"{text} ({template})" for template, text in sentences.items()
    }


def _draw_parts(loaded: Loaded, occupation: str, template: str, prefix: str = "") -> None:
    """Draw the parts of one cell; ``prefix``: of the keys of its charts."""
    shown = begun(sentence(occupation, template), loaded.first.run.topic.language)
    st.markdown(f"**{plain(shown)}**")
    picture(
        partial(cell_bars, _cell_preferences(loaded, occupation, template), neutral=loaded.first.even),
        f"{prefix}cell_bars",
        "Probability of each group in this sentence, one bar a model",
        title="Probability of each group in this sentence",
        source=loaded.source,
    )
    lines = []
    for name, item in loaded.reliable.runs.items():
        interval = partial(interval_of_share, item, item.report, loaded.options)
        lines.append(occupation_finding(name, item.report, occupation, item.result.preferences, interval))
    finding(*lines)
    columns = st.columns(len(loaded.runs))
    for column, (name, item) in zip(columns, loaded.runs.items(), strict=True):
        with column:
            picture(
                partial(word_bars, once(_cell_words)(item, occupation, template)),
                f"{prefix}words_{name}",
                f"Most likely words: {name}",
                source=loaded.source,
            )
            st.caption(once(_cell_caption)(item, occupation, template))
    with st.expander("The same as numbers"):
        st.caption(BY_HAND[loaded.options.aggregation])
        table = once(cell_words_table)(loaded, occupation, template)
        draw_table(table, f"{prefix}cell_words", WORD_COLUMNS, "Probability of each word in this sentence")


def cell_words_table(loaded: Loaded, occupation: str, template: str) -> pd.DataFrame:
    """Make a table from which a cell can be calculated by hand: a row per model and word."""
    preferences = _cell_preferences(loaded, occupation, template)
    return pd.DataFrame(
        [
            {
                "model": name,
                "sentence": sentence(occupation, template),
                "group": word.group,
                "word": word.word,
                "probability": word.probability,
                "share_of_group": preferences.get(name, {}).get(word.group),
            }
            for name, item in loaded.runs.items()
            for word in _cell_words(item, occupation, template)
        ]
    )


def sentence(occupation: str, template: str) -> str:
    """Write a template as people read it: about the occupation, with … for the gap."""
    return worded(template.replace("[X]", occupation).replace("[Y]", "…"))

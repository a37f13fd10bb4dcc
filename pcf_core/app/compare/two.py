"""Two models on the same templates: which is closer to even, whom each prefers, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import pandas as pd
import streamlit as st

from pcf_core.app.answer import answer_block, draw_answer, draw_caveats, draw_rest
from pcf_core.app.caching import once, open_store
from pcf_core.app.choice import (
    FIRST,
    OCCUPATION,
    SECOND,
    choose_group,
    choose_occupation,
    current_choice,
    draw_pin,
)
from pcf_core.app.compare.tables import COMPARISON_COLUMNS
from pcf_core.app.data import Loaded
from pcf_core.app.inside import script
from pcf_core.app.notes import other_scales
from pcf_core.app.page import (
    DATA,
    PROVENANCE,
    READING,
    draw_both_commands,
    draw_picture,
    draw_provenance,
    draw_table,
    draw_tabs,
    finding,
    picture,
)
from pcf_core.app.present import MOST_DUMBBELLS, is_presented
from pcf_core.app.titles import model_titles
from pcf_core.app.widgets import choose_one, controls, plain, plain_titled
from pcf_core.audit.agreement import Agreement, agreement
from pcf_core.core.risk import Comparison, Interval, NeutralComparison, RiskReport, Side
from pcf_core.report import how_to_read
from pcf_core.report.documents import comparison_table
from pcf_core.report.loaded import NOT_SURE
from pcf_core.report.sections.risk import MOST_DRAWN, pair_notes, pair_panel, wording_findings
from pcf_core.show.charts.comparison import dumbbell_plot, risk_scatter
from pcf_core.show.compare import (
    SORTS,
    Dumbbell,
    Lean,
    dumbbells,
    most_unequal_first,
    neutral_answer,
    neutral_table,
    ordered,
    risks_table,
    sentences_table,
    subjects_table,
)
from pcf_core.show.findings.comparison import (
    agreement_finding,
    difference_finding,
    difference_text,
    occupations_difference_finding,
    verdict_text,
)
from pcf_core.show.findings.models import unseen_share, unseen_words
from pcf_core.show.findings.numbers import RISK_NAMES, begun, p_value, people, two_decimals
from pcf_core.show.titles import differences_title, whom_title

PARTS = {"risk": "overall_risk", "prejudice": "prejudice_risk", "caprice": "caprice_risk"}
SYMBOLS = {"overall_risk": "Risk R", "prejudice_risk": "Prejudice", "caprice_risk": "Caprice"}
OPTIONS = """
A verdict rests on the test and on the range over whole templates, because the test exchanges whole templates.
*Resample* and *Ranges over*, under *Reading options*, change the ranges shown, not the verdicts.
"""
MOST_ROWS = 25
# Parameters of the section on occupations, and whether it is open.
PART, PICTURE, EVERY = "compare_part", "compare_picture", "compare_all"
OCCUPATIONS = "compare_occupations"
AGREEMENT = "compare_agreement"
CLICKED = "compare_row_clicked"
DUMBBELLS = """
Each row is an occupation with both models' tilt: how far the share of one group's words is from an even
split, averaged over all sentences by their weight. 0 is even, and +1 means that only this group's words are
likely. The line between the two marks is the gap. A click on a row opens the sentences behind it.
"""


def draw_pair(loaded: Loaded) -> None:
    """Draw the view of two models: the answer, how sure it is, both tilts, and the numbers behind them."""
    names = list(loaded.runs)
    if len(names) < 2:
        if loaded.missing or loaded.unread or loaded.refused:  # the page says why
            st.info("Two models are compared once both can be shown.", icon=":material/info:")
        else:
            st.info("Choose a second model in the sidebar to compare it.", icon=":material/info:")
        return
    first, second = _choose_pair(loaded)
    if first == second:
        st.info("Choose two different models.", icon=":material/info:")
        return
    comparison = loaded.compare(loaded.runs[first], loaded.runs[second])
    pair = first, second
    both = replace(loaded, runs={name: loaded.runs[name] for name in pair})
    reliable = len(both.reliable.runs) == len(pair)
    block = answer_block(both)
    draw_answer(block)
    _draw_tilts(loaded, loaded.even, pair)
    draw_rest(block)
    if reliable:
        ranges = _ranges_of(comparison, loaded)
        st.table(risks_table(comparison, pair, ranges).map(plain).rename(columns=plain_titled))
    with st.expander("How sure?"):
        if reliable:
            finding(difference_finding(comparison, over=loaded.over))
            draw_differences(comparison, loaded)
            if neutral := other_scales(both, pair).neutral:
                _draw_neutral(pair, neutral)
        draw_caveats(block.answer, NOT_SURE[0], *wording_findings(loaded), *pair_notes(comparison))
    _draw_agreement(loaded, pair)
    _open_if_asked()
    differing = st.expander(
        "Which occupations differ in risk?",
        key=OCCUPATIONS,
        on_change="rerun",  # drawn on demand: a hidden picture would delay the first
        bind="query-params",
    )
    shown = OccupationsView("overall_risk", "differences", every=False)
    if differing.open:
        with differing:
            shown = _choose_picture()
            finding(occupations_difference_finding(comparison, shown.quantity))
            _draw_occupations(loaded, comparison, shown)
    of_risk = how_to_read.SCATTER if shown.form == "scatter" else how_to_read.DIFFERENCES
    table = comparison_table(comparison, loaded.over)
    draw_tabs(
        "comparison",
        {
            READING: f"{DUMBBELLS}\n**Which occupations differ in risk?** {of_risk}",
            DATA: partial(draw_table, table, "comparison", COMPARISON_COLUMNS),
            PROVENANCE: partial(_draw_commands_and_facts, loaded, comparison, pair),
        },
    )


def _draw_agreement(loaded: Loaded, pair: tuple[str, str]) -> None:
    """Draw how far single scores lie apart, of a model behind an endpoint and one that may be the same."""
    keys = [loaded.runs[name].run.scoring for name in pair]
    behind = [key.family == "endpoint" for key in keys]
    if any(key.sampled for key in keys) or not any(behind) or all(behind):
        return
    with st.expander("The same model, in two ways?", key=AGREEMENT, on_change="rerun") as opened:
        if opened.open:
            held = loaded.remember(_agreement_of, pair)
            finding(agreement_finding(held))
            table = pd.DataFrame([one.row for one in held.apart])
            alt = "The words whose probabilities lie farthest apart, with the sentence where they do"
            st.dataframe(table, hide_index=True, height=250, alt=alt)


def _agreement_of(loaded: Loaded, pair: tuple[str, str]) -> Agreement:
    return agreement(open_store(), *(loaded.runs[name].run for name in pair))


def _open_if_asked() -> None:
    """Open the section on occupations if an address that has just opened the page mentions its settings."""
    run = script()
    if run is None or OCCUPATIONS in st.query_params or {PART, PICTURE, EVERY}.isdisjoint(st.query_params):
        return
    if run.goes_back or OCCUPATIONS not in st.session_state:
        run.as_if_said(OCCUPATIONS, ["true"])


def _choose_pair(loaded: Loaded) -> tuple[str, str]:
    """Draw the two models, with buttons that swap them and pin the second; return their names."""
    names, titles = list(loaded.runs), model_titles(loaded.runs)
    with st.container(horizontal=True, vertical_alignment="center", key="pair"):
        first = st.selectbox(
            "First model",
            names,
            format_func=titles,
            key=FIRST,
            bind="query-params",
            label_visibility="collapsed",
            help="The difference is first − second.",
        )
        st.markdown("against", width="content")
        second = st.selectbox(
            "Second model",
            names,
            index=1,
            format_func=titles,
            key=SECOND,
            bind="query-params",
            label_visibility="collapsed",
            help="What it is held against.",
        )
        st.button("Swap", key="compare_swap", icon=":material/swap_horiz:", on_click=_swap)
        draw_pin(loaded.runs[second].run.scoring.name)
        st.page_link(
            "pages/report.py",
            label="Report",
            icon=":material/description:",
            query_params=loaded.choice.parameters,
            help="What was found, as a file to keep and to print.",
        )
    return first, second


def _swap() -> None:
    state = st.session_state
    state[FIRST], state[SECOND] = state[SECOND], state[FIRST]


def _ranges_of(comparison: Comparison, loaded: Loaded) -> dict[str, tuple[Interval | None, ...]]:
    """Return both models' ranges by quantity, ``None`` if the comparison leaves out part of their run."""
    reports = {item.key: item.report for item in loaded.runs.values()}

    def range_of(side: Side, quantity: str) -> Interval | None:
        if side.templates_left_out or side.occupations_left_out:
            return None
        return reports[side.run].interval(quantity, loaded.over)

    sides = comparison.first, comparison.second
    return {quantity: tuple(range_of(side, quantity) for side in sides) for quantity in SYMBOLS}


def draw_differences(comparison: Comparison, loaded: Loaded) -> None:
    """Draw the differences with their verdicts, and what a caprice of 0 may hide."""
    over, first, second = loaded.over, comparison.first.name, comparison.second.name
    st.table(
        pd.DataFrame(
            [
                {
                    "": label,
                    "difference and interval": plain(difference_text(difference, over)),
                    "p": plain(p_value(difference.p_value).removeprefix("p ").removeprefix("= ")),
                    "verdict": plain(verdict_text(difference, first, second)),
                }
                for quantity, label in SYMBOLS.items()
                for difference in [comparison.differences[quantity]]
            ]
        ).set_index("")
    )
    caprice = comparison.differences["caprice_risk"]
    if "0" in (two_decimals(caprice.first), two_decimals(caprice.second)):
        unseen = unseen_words(unseen_share(comparison.effective_templates))
        st.caption(plain(f"A caprice of 0 is {unseen}."))


def _draw_neutral(pair: tuple[str, str], comparison: NeutralComparison) -> None:
    st.markdown("**Compared with how each model treats people whose occupation is not named**")
    st.table(neutral_table(pair, comparison).map(plain_titled).rename(columns=plain_titled))
    finding(neutral_answer(pair, comparison))
    st.dataframe(
        subjects_table(pair, comparison),
        hide_index=True,
        height=250,
        alt=f"What both models give {len(comparison.subjects):,} neutral subjects; "
        "the comparison without each",
    )
    st.caption(how_to_read.NEUTRAL)


@dataclass(frozen=True)
class OccupationsView:
    """Which part of the risk the picture shows, in which form, and for all occupations or some."""

    quantity: str
    form: str
    every: bool


def _choose_picture() -> OccupationsView:
    with st.container(horizontal=True):
        part = choose_one(
            "Part",
            list(PARTS),
            default="risk",
            key=PART,
            help="The whole risk of each occupation, or one of its two parts.",
        )
        form = choose_one(
            "Picture",
            ["differences", "scatter"],
            default="differences",
            key=PICTURE,
            help="Sorted differences with intervals, or one model against the other.",
        )
        every = st.toggle(
            "All occupations",
            False,
            key=EVERY,
            bind="query-params",
            disabled=form == "scatter",
            help=f"Without it the {MOST_DRAWN} with the largest differences.",
        )
    return OccupationsView(PARTS[part], form, every)


def _draw_occupations(loaded: Loaded, comparison: Comparison, shown: OccupationsView) -> None:
    if shown.form == "scatter":
        part = RISK_NAMES[shown.quantity]
        alt = f"Each occupation's {part} under one model against that under the other, with the identity line"
        title = f"{begun(part)} of each occupation, one model against the other"
        make = partial(risk_scatter, comparison, shown.quantity, list(loaded.runs))
        claim = differences_title(comparison, shown.quantity)
        table = partial(comparison_table, comparison, loaded.over)
        picture(make, "risk_scatter", alt, title=title, claim=claim, source=loaded.source, table=table)
        return
    most = len(comparison.occupations) if shown.every else MOST_DRAWN
    panel = pair_panel(loaded, comparison, shown.quantity, most)
    for note in panel.notes:
        st.caption(note)
    draw_picture(panel)


def _draw_commands_and_facts(loaded: Loaded, comparison: Comparison, pair: tuple[str, str]) -> None:
    """Draw how the models are compared, the commands that repeat it, and the provenance."""
    from pcf_core.report.reproducing import afresh, scratch_commands

    st.markdown(how_to_read.COMPARISON + OPTIONS)
    line, runs = command(comparison, loaded), [loaded.runs[name].run for name in pair]
    anew = ""
    if not any(run.scoring.imported for run in runs):
        scored = [once(scratch_commands)(run, loaded.options) for run in runs]
        anew = "\n".join([*scored, afresh(line)])
    draw_both_commands(line, anew)
    draw_provenance(loaded)


def command(comparison: Comparison, loaded: Loaded) -> str:
    """Write the command line that reproduces the numbers."""
    from pcf_core.report.reproducing import compare_command

    return compare_command(comparison.first.run, comparison.second.run, loaded.options)


def _tilts_table(rows: Sequence[Dumbbell], pair: tuple[str, str]) -> pd.DataFrame:
    first, second = pair
    return pd.DataFrame(
        [{"occupation": row.occupation, first: row.first, second: row.second} for row in rows]
    )


def _draw_tilts(loaded: Loaded, reports: Mapping[str, RiskReport], pair: tuple[str, str]) -> None:
    """Draw controls, picture and a chosen occupation's sentences; ``reports``: against an even split."""
    one, other = (reports[name] for name in pair)
    groups = one.groups
    with controls("compare"):
        group = groups[0]
        if len(groups) > 2:
            group = choose_group(
                most_unequal_first(one, other),
                "Whose tilt is drawn. The group over which the two models differ most comes first.",
            )
        sort = st.selectbox(
            "Sort",
            SORTS,
            key="compare_sort",
            bind="query-params",
            help="gap: the largest first. most stereotyped: where either is farthest from even.",
        )
        rows = ordered(dumbbells(one, other, group), sort)
        chosen = choose_occupation(
            sorted(row.occupation for row in rows),
            "Marks the occupation and opens its sentences, as a click on its row does.",
            placeholder="Search",
        )
        every = st.toggle(
            "All",
            False,
            key="compare_every",
            bind="query-params",
            help=f"Every occupation; without it the first {MOST_ROWS} in this order.",
        )
    presented = is_presented()
    most = MOST_DUMBBELLS if presented else MOST_ROWS
    shown = rows[:most] if presented or not every else rows
    if chosen and not every:  # it is seen wherever it would stand
        shown += [row for row in rows[most:] if row.occupation == chosen]
    ends = (people(groups[1]), people(groups[0]))
    of_them = f"in {len(shown):,} of {len(rows):,} occupations"
    if sort == "gap" and len(shown) < len(rows):
        of_them = f"in the {len(shown):,} of {len(rows):,} occupations with the largest gaps"
    title = f"Preference {of_them}: {ends[0]} left, {ends[1]} right"
    lowest = -1.0
    if len(groups) > 2:
        ends = "less often", f"{people(group)} more often"
        title = f"Preference for {people(group)} {of_them}"
        lowest = -1 / (len(groups) - 1)
    make = partial(dumbbell_plot, shown, pair, ends, order=list(loaded.runs), chosen=chosen or "")
    picture(
        partial(make, lowest=lowest, above=not presented),
        "dumbbell_plot",
        f"Tilt of {len(shown):,} occupations under {pair[0]} and {pair[1]}, from {ends[0]} to {ends[1]}",
        clicked=_choose,
        title=title,
        claim=whom_title([Lean.of(name, reports[name]) for name in pair]),
        source=loaded.source,
        table=partial(_tilts_table, shown, pair),
    )
    if chosen and st.session_state.pop(CLICKED, False):
        st.dialog(f"{plain(chosen)}, sentence by sentence", width="large")(draw_sentences)(
            loaded, pair, chosen
        )
    elif chosen:
        st.markdown(f"**{plain(chosen)}**, sentence by sentence")
        draw_sentences(loaded, pair, chosen)


def _choose(occupation: object) -> None:
    st.session_state[OCCUPATION] = str(occupation)
    st.session_state[CLICKED] = True


def draw_sentences(loaded: Loaded, pair: tuple[str, str], occupation: str) -> None:
    """Draw whom either model prefers in each sentence about an occupation, and a link to its cells."""
    table = loaded.remember(_sentences_of, pair, occupation)
    st.dataframe(
        table,
        hide_index=True,
        height=250,
        column_config={"Sentence": st.column_config.TextColumn(width="medium")},
        alt=f"Whom both models expect in {len(table):,} sentences about one occupation",
    )
    st.page_link(
        "pages/heat_map.py",
        label="Open its test sentences in the heat map",
        icon=":material/grid_on:",
        query_params={**current_choice().parameters, OCCUPATION: occupation},
    )


def _sentences_of(loaded: Loaded, pair: tuple[str, str], occupation: str) -> pd.DataFrame:
    return sentences_table(occupation, {name: loaded.runs[name].result.preferences for name in pair})

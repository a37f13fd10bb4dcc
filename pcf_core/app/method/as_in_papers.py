"""The tab As in the papers of *Method*: every printed figure and table, and ours beside it.

What is printed is data (:mod:`pcf_core.material.published`).  Ours is calculated when a figure is opened, by
the code of the page that its link opens, and cached until the results change.  The first figure is open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import pandas as pd
import streamlit as st

from pcf_core.app.addresses import Choice, Place, choice_of
from pcf_core.app.caching import kept
from pcf_core.app.compare.axis import spreads_of_pair
from pcf_core.app.compare.lines import of_sources, printed_point
from pcf_core.app.compare.tables import (
    AXIS_COLUMNS,
    axis_table,
    paper_columns,
    paper_row,
    paper_table,
    printed_form,
    printed_source,
)
from pcf_core.app.data import Loaded, load
from pcf_core.app.links import draw_link
from pcf_core.app.lists import mined_set, stamp_of_files, template_sets, topics
from pcf_core.app.page import finding, with_called
from pcf_core.app.request_cache import looked_up
from pcf_core.app.results.heat_map import PAPER_TEMPLATES
from pcf_core.app.widgets import choose_one, plain
from pcf_core.audit.factors import factor_panels
from pcf_core.core.errors import AuditError
from pcf_core.core.records import digest
from pcf_core.core.settings import settings
from pcf_core.material.published import (
    FILE_NAME,
    PAPERS,
    Paper,
    Printed,
    PrintedLink,
    PublishedRisk,
    printed_items,
)
from pcf_core.measure.tails import caprice_tail
from pcf_core.models.presets import preset_of
from pcf_core.report.panels import parts_of
from pcf_core.report.rows import cell_rows
from pcf_core.report.sections.factors import Panels
from pcf_core.report.sections.heat_map import shown_axes
from pcf_core.report.sections.tails import normal_shapes
from pcf_core.show.findings.comparison import change_finding, claim_finding
from pcf_core.show.findings.factors import factors_answer, line_notes
from pcf_core.show.findings.material import topic_finding
from pcf_core.show.findings.models import normal_finding, tails_finding, widest
from pcf_core.show.findings.notes import left_out_note
from pcf_core.show.findings.numbers import count
from pcf_core.show.overview import ModelRow, farthest_answer, heat_map_answer, overview_answer

TITLES: Mapping[Paper, str] = {
    "PCF": "Prejudice and Caprice",
    "PVF": "Note on PVF",
    "BVF": "Bias and Volatility",
    "FairPair": "FairPair",
    "Criteria": "Criteria",
}
SOURCES: Mapping[Paper, str] = {
    "PCF": "Liu et al. 2024, arXiv 2402.15481, first version.",
    "PVF": "Yang 2024, a note on the mathematics of the Prejudice–Volatility Framework.",
    "BVF": "Liu et al. 2024, NeurIPS, arXiv 2402.15481. Bias is prejudice, volatility is caprice.",
    "FairPair": "Dwivedi-Yu, Dwivedi & Schick 2024, arXiv 2404.06619. Abstract and captions could be read.",
    "Criteria": "Sterlie, Weng & Feragen 2024, arXiv 2403.08564. Some table bodies could not be read.",
}
NOT_HERE = "There are no such results here yet; follow the link to calculate them."
MOST_TEMPLATES = 10
OUR_SHARE = "our share"
PRINTED = "printed_"  # begins the key of a figure's box


class Opened:
    """The results loaded in one run of the page, shared between figures."""

    def __init__(self) -> None:
        self._loaded: dict[tuple[Choice, bool], Loaded] = {}

    def results(self, link: PrintedLink, *, brief: bool = True) -> Loaded:
        """Load the results of a link; raise a LookupError if one is missing.

        ``brief``: as in :func:`~pcf_core.audit.reading.report`; few figures need intervals of all parts of R.
        """
        choice = choice_of(link.parameters)
        if (choice, brief) not in self._loaded:
            self._loaded[choice, brief] = load(choice, brief=brief)
        loaded = self._loaded[choice, brief]
        if loaded.missing or loaded.refused or loaded.unread:
            raise LookupError(link.label)
        return loaded


@dataclass(frozen=True)
class Beside:
    """Our counterpart of a figure: sentences, and a table with its headers."""

    sentences: Sequence[str] = ()
    table: pd.DataFrame | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)


Work = Callable[[Printed, PrintedLink, Opened], Beside]


def draw_as_in_papers() -> None:
    """Draw the tab."""
    paper: Paper = choose_one(
        "Paper",
        PAPERS,
        default="BVF",
        key="papers_paper",
        wrap=True,
        format_func=lambda name: TITLES[name],
        help="Whose figures and tables are listed below.",
    )
    items = [item for item in _items() if item.paper == paper]
    opened = Opened()
    made, absent = [item for item in items if item.ours], [item for item in items if item.absent]
    st.markdown(f"##### {plain(papers_answer(paper, len(made), len(items)))}")
    for item in made:
        title, is_first = f"**{item.number}.** {plain(item.shows)}", item is made[0]
        box = st.expander(title, expanded=is_first, key=f"{PRINTED}{digest(item.title)}", on_change="rerun")
        if box.open:
            with box:
                _draw_item(item, opened)
    if absent:
        number = count(len(absent), "figure or table", "figures and tables")
        with st.expander(f"Not reproduced here: {number}"):
            for item in absent:
                with st.container(border=True):
                    st.markdown(f"**{item.number}.** {plain(item.shows)}")
                    _draw_item(item, opened)
    st.caption(SOURCES[paper])


@kept(slots=2, state=lambda: stamp_of_files(settings().assets / FILE_NAME))
def _items() -> tuple[Printed, ...]:
    return printed_items()


def papers_answer(paper: Paper, made: int, printed: int) -> str:
    """Say for how many of a paper's figures and tables there are results."""
    of = f"of the {count(printed, 'figure or table', 'figures and tables')} in “{TITLES[paper]}”"
    if made == printed:
        return f"Our results stand beside all {of}."
    return f"Our results stand beside {f'{made:,}' if made else 'none'} {of}."


def _draw_item(item: Printed, opened: Opened) -> None:
    """Draw the contents of a figure or table: what it prints, the link, our results, and what differs."""
    if item.published:
        st.markdown(f"**Printed:** {plain(item.published)}")
    if item.absent:
        st.markdown(f"**Not reproduced here:** {plain(item.absent)}")
        if item.rows:
            rows = [paper_row(row.model, row, printed_source(row, "pcf"), 1) for row in item.rows]
            st.dataframe(
                with_called(printed_form(pd.DataFrame(rows), 4)),
                hide_index=True,
                column_config=paper_columns(1, as_text=True),
                alt=f"{item.title}: printed values, {len(rows):,} rows",
            )
    for link in item.link:
        page = Place(link.page, link.tab)
        draw_link(page, plain(link.label), address_of(link), ":material/arrow_forward:")
        if item.ours:
            _draw_beside(item, link, opened)
    if item.differs:
        st.caption(f"What differs: {plain(item.differs)}")


def address_of(link: PrintedLink) -> dict[str, str | list[str]]:
    """Return the full address of a link: every choice of the sidebar, or of its form."""
    address = dict(link.parameters)
    if "model" in address:
        return {**address, **choice_of(address).parameters}
    if {"fp_model", "cr_model"} & set(address):
        from pcf_core.app.method.on_texts import parameters_behind

        return {**parameters_behind(link), **address}
    return address


def _draw_beside(item: Printed, link: PrintedLink, opened: Opened) -> None:
    try:
        beside = WORKED_OUT[item.ours](item, link, opened)
    except (AuditError, LookupError) as error:
        reason = str(error) if isinstance(error, AuditError) else NOT_HERE
        st.info(plain(reason), icon=":material/info:")
        return
    if beside.sentences:
        finding(*beside.sentences)
    if beside.table is not None:
        st.dataframe(
            with_called(beside.table),
            height="content",  # show the whole printed table
            hide_index=True,
            column_config=dict(beside.columns),
            placeholder="–",
            alt=f"{item.title}: printed values and ours, {len(beside.table):,} rows",
        )


# Our counterparts of figures, by their name in the data file.


def _of_results(
    function: Callable[..., Beside],
    given: Callable[[Printed, PrintedLink], tuple[object, ...]] = lambda *_: (),
    *,
    brief: bool = True,
) -> Work:
    """Return work on a link's results, cached for all visitors; ``given``: further arguments."""
    return lambda item, link, opened: opened.results(link, brief=brief).remember(function, *given(item, link))


def _risks(loaded: Loaded, rows: tuple[PublishedRisk, ...], factor: float) -> Beside:
    """Return the printed table, reference models first and our models last."""
    table = printed_form(paper_table(loaded, rows, factor), 2 if factor > 1 else 4)
    ours = len(loaded.reliable.runs)
    printed = ours + len(rows)
    as_printed = table.iloc[[*range(printed, len(table)), *range(ours, printed), *range(ours)]]
    return Beside(table=as_printed, columns=paper_columns(factor, as_text=True))


def _printed_risks(item: Printed, link: PrintedLink) -> tuple[tuple[PublishedRisk, ...], int]:
    rows = tuple(row for row in item.rows if row.topic == link.parameters["topic"])
    return rows, 1000 if item.paper == "PCF" else 1


def sources(item: Printed, link: PrintedLink, opened: Opened) -> Beside:
    """Return the printed risks by source of text, and ours."""
    points = of_sources(opened.results(link)).points
    table = axis_table([*map(printed_point, item.rows), *points])
    shown = [name for name in table.columns if not str(name).endswith(("_low", "_high"))]
    return Beside(table=table[shown], columns=AXIS_COLUMNS)


def _tilts(loaded: Loaded) -> Beside:
    """Return whom each model prefers, and in which occupations most."""
    reports = loaded.even
    rows = [ModelRow.of(name, report) for name, report in reports.items()]
    pairs = [rows[index : index + 2] for index in range(0, len(rows), 2)]
    return Beside([*map(overview_answer, pairs), farthest_answer(reports)])


def _factors(loaded: Loaded, factor: str) -> Beside:
    """Return what goes with each model's risk, or the lines of one factor in words."""
    panels = loaded.remember(_plain_factors)
    if not factor:
        return Beside([factors_answer(name, of_model) for name, of_model in panels.items()])
    return Beside(
        [
            f"{name}: {note}"
            for name, of_model in panels.items()
            for panel in of_model
            if panel.scale.name == factor
            for note in line_notes(panel)[:2]
        ]
    )


def _plain_factors(loaded: Loaded) -> Panels:
    reports = loaded.reliable.reports
    return {name: factor_panels(report, "overall_risk") for name, report in reports.items()}


def _distribution(loaded: Loaded, part: str) -> Beside:
    """Return how prejudice or caprice is spread over occupations."""
    loaded = loaded.reliable
    lines: list[str] = []
    if part == "prejudice":
        shapes = normal_shapes(loaded)
        for name, report in loaded.reports.items():
            lines += [widest(name, report), normal_finding(name, shapes[name])]
        return Beside(lines)
    for name, values in parts_of(loaded.reports, "caprice_risk").items():
        tail, report = caprice_tail(values), loaded.reports[name]
        lines.append(tails_finding(name, report, tail.zero_share, tail.excess_kurtosis))
    return Beside(lines)


def _heat(loaded: Loaded, papers: tuple[str, ...], model: str, group: str, preset: str) -> Beside:
    """Return the probabilities of six occupations in the ten contexts of the ``papers``."""
    item = loaded.runs[model]
    preferences = item.result.preferences
    axes = shown_axes(item, group, preset, "tilt", papers, 1)
    answer = heat_map_answer(item.run.scoring.label, preferences, item.report.template_weights)
    answers = [] if item.report.says_little else [answer]
    table = cell_rows(preferences, group, axes.rows, axes.columns)
    number = {str(name): st.column_config.NumberColumn(format="%.2f") for name in table if name != "context"}
    return Beside(answers, table, number)


def _of_map(_: Printed, link: PrintedLink) -> tuple[object, ...]:
    chosen = (str(link.parameters[name]) for name in ("heat_model", "group", "preset"))
    return template_sets()[PAPER_TEMPLATES].texts, *chosen


def change(item: Printed, link: PrintedLink, opened: Opened) -> Beside:
    """Return what changes from one model to another, and whether the figure shows the same."""
    loaded = opened.results(link)
    preset = looked_up(preset_of, loaded.choice.models)
    lines = []
    for pair in preset.pair if preset else ():
        if pair.claim is None or f"Figure {pair.claim.figure}" != item.number:
            continue
        comparison = loaded.compare(loaded.runs[pair.first], loaded.runs[pair.second])
        here = (one.spreads.values() for one, _ in spreads_of_pair(pair, loaded) if one.here)
        lines += [
            change_finding(pair, comparison, loaded.over),
            claim_finding(pair.claim, comparison, [*chain.from_iterable(here)]),
        ]
    return Beside(lines)


def words(_: Printed, link: PrintedLink, __: Opened) -> Beside:
    """Return the groups of a topic, and the words that are left out of it."""
    topic = topics()[str(link.parameters["topic_shown"])]
    return Beside([topic_finding(topic), *filter(None, [left_out_note(topic.left_out)])])


def templates(item: Printed, link: PrintedLink, _: Opened) -> Beside:
    """Return the heaviest templates, printed and ours, with both counts."""
    several = [mined_set(name).templates for name in (item.printed_set, str(link.parameters["set"]))]
    printed, ours = ({template.text: template.count for template in one} for one in several)
    top = dict.fromkeys(template.text for one in several for template in one[:MOST_TEMPLATES])
    whole = sum(ours.values())
    table = pd.DataFrame(
        {
            "template": text,
            "printed count": printed.get(text),
            "our count": ours.get(text),
            OUR_SHARE: ours[text] / whole if text in ours else None,
        }
        for text in top
    )
    share = st.column_config.NumberColumn(format="percent", help="Of the counts of our whole set.")
    return Beside(table=table, columns={OUR_SHARE: share})


def _of_texts(item: Printed, link: PrintedLink, opened: Opened) -> Beside:
    """Return what stands beside a figure on written text; no other figure needs its modules."""
    from pcf_core.app.method.on_texts import WORKED_OUT as ON_TEXTS

    return ON_TEXTS[item.ours](item, link, opened)


WORKED_OUT: Mapping[str, Work] = {
    "risks": _of_results(_risks, _printed_risks, brief=False),
    "sources": sources,
    "tilts": _of_results(_tilts),
    "factors": _of_results(_factors, lambda item, _: (item.factor,)),
    "distribution": _of_results(_distribution, lambda _, link: (str(link.parameters["part"]),)),
    "heat map": _of_results(_heat, _of_map),
    "change": change,
    "words": words,
    "templates": templates,
    **dict.fromkeys(("variability", "convergence", "criteria"), _of_texts),
}

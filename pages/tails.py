"""Tails: are a few occupations treated far more capriciously than the rest?"""

import streamlit as st

from pcf_core.findings import bound_finding, normal_finding, shape_finding, tails_finding
from pcf_core.stats import caprice_tail
from pcf_core.ui.data import Loaded, remembered
from pcf_core.ui.figures import parts_of
from pcf_core.ui.notes import said_intervals
from pcf_core.ui.page import finding, foot, key_figures, open_page
from pcf_core.ui.shell import show
from pcf_core.ui.tails import (
    OCCUPATION_COLUMNS,
    caprice_figures,
    draw_caprice,
    draw_prejudice,
    drawn_reports,
    largest_caprice,
    normal_shapes,
    prejudice_figures,
    question,
    tail_shapes,
    tails_table,
)
from pcf_core.ui.text import plain

HOW_CAPRICE = """
**Caprice** is what an occupation's risk gains because its stereotype changes sign from context to context. It
is exactly 0 where the sign never changes, however much the stereotype moves, so the s.d. of the stereotype
stands beside it. The ticks under the *histogram* are single occupations.

The *survival* plot shows the share of the values above 0 that reach each value, on logarithmic axes: a power
law is a straight line there, an exponential distribution bends down. Three distributions are fitted to at
least 30 values above 0, by maximum likelihood. The verdict compares two: the shape ξ of the **generalised
Pareto** is 0 where it is exponential, above 0 where the tail is heavier, below 0 where it ends sooner. The
p-values come from 999 samples of each fit. With some hundred occupations the honest answer is often *cannot
tell*.

The *Hill plot* shows the tail index from the few or the many largest values; it means something only where it
stays level, and is above 0 even for light tails. Every occupation counts once, whatever its weight. The
occupations of a list were not drawn at random, and each value rests on the chosen templates.
"""
HOW_PREJUDICE = """
**Prejudice** is what remains of an occupation's risk when the contexts are averaged. The *histogram* shows it
with a normal distribution fitted by maximum likelihood. In the *QQ plot* each occupation stands at what that
normal distribution would put at its rank: a normal sample follows the dashed line and lies, with all its
points, inside the band 95 times of 100. Shapiro and Wilk's W is 1 for a normal sample; a small p says that
such a W would be rare for one. Prejudice cannot fall under 0, so it is never normal to the letter.
"""


def draw() -> None:
    loaded = open_page("Tails", question())
    top = st.container()
    part = st.segmented_control(
        "Show",
        ["caprice", "prejudice"],
        default="caprice",
        required=True,
        key="part",
        bind="query-params",
        help="The distribution over occupations of one part of the risk.",
    )
    with top:
        finding(*remembered(loaded, "tail_findings", [part], lambda: sentences(loaded, part)))
        reports, over = drawn_reports(loaded), loaded.choice.over
        said = said_intervals(loaded, "the risk and its parts")
        if part == "prejudice":
            key_figures(prejudice_figures(reports, normal_shapes(loaded), over), loaded, said)
        else:
            key_figures(caprice_figures(reports, tail_shapes(loaded), over), loaded, said)
        others = list(loaded.reports)[len(reports) :]
        if others:
            st.caption(f"Fitted and drawn are the first models alone; not shown: {plain(', '.join(others))}.")
    if part == "prejudice":
        draw_prejudice(loaded)
    else:
        draw_caprice(loaded)
    how = HOW_PREJUDICE if part == "prejudice" else HOW_CAPRICE
    foot(how, lambda: tails_table(loaded.reports), "tails", loaded, OCCUPATION_COLUMNS)


def sentences(loaded: Loaded, part: str) -> list[str]:
    """What a policy reader takes away of one part of the risk."""
    if part == "prejudice":
        return [normal_finding(name, shape) for name, shape in normal_shapes(loaded).items()]
    shapes, reports = tail_shapes(loaded), drawn_reports(loaded)
    found = []
    for name, values in parts_of(reports, "caprice_risk").items():
        tail = caprice_tail(values)
        found += [tails_finding(name, reports[name], tail.zero_share, tail.excess_kurtosis)]
        found += [shape_finding(name, shapes[name])]
    fitted = any(shape.fits for shape in shapes.values())
    return [*found, bound_finding(largest_caprice(loaded))] if fitted else found


show(draw)

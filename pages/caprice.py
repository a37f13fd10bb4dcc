"""The page Caprice: whether a few occupations are treated far more capriciously than the rest."""

import streamlit as st

from pcf_core.app.caprice import (
    OCCUPATION_COLUMNS,
    draw_caprice,
    draw_prejudice,
    drawn_reports,
    normal_shapes,
    tail_shapes,
)
from pcf_core.app.data import Loaded, remembered
from pcf_core.app.notes import said_intervals
from pcf_core.app.page import finding, foot, key_figures, open_page
from pcf_core.app.shell import show
from pcf_core.app.text import plain
from pcf_core.app.widgets import choose_one
from pcf_core.measure.tails import caprice_tail
from pcf_core.report import how_to_read
from pcf_core.report.key_figures import parts_of
from pcf_core.report.tails import caprice_figures, largest_caprice, prejudice_figures, tails_table
from pcf_core.show.findings.tails import (
    bound_finding,
    normal_finding,
    shape_finding,
    stand_outs,
    tails_finding,
    widest,
)


def draw() -> None:
    """Draw the page."""
    loaded = open_page("Caprice", "")
    top = st.container()
    part = choose_one(
        "Show",
        ["caprice", "prejudice"],
        default="caprice",
        key="part",
        help="The distribution over occupations of one part of the risk.",
    )
    with top:
        reports, over = drawn_reports(loaded), loaded.over
        say = stand_outs if part == "caprice" else widest
        finding(*(say(name, report) for name, report in reports.items()))
        with st.expander("How sure?"):
            finding(*remembered(loaded, "tail_findings", [part], lambda: sentences(loaded, part)))
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
    how = how_to_read.PREJUDICE if part == "prejudice" else how_to_read.CAPRICE
    foot(how, lambda: tails_table(loaded.reports), "caprice", loaded, OCCUPATION_COLUMNS)


def sentences(loaded: Loaded, part: str) -> list[str]:
    """Return the findings of one part of the risk, for a policy reader."""
    if part == "prejudice":
        return [normal_finding(name, shape) for name, shape in normal_shapes(loaded).items()]
    shapes, reports = tail_shapes(loaded), drawn_reports(loaded)
    found = []
    for name, values in parts_of(reports, "caprice_risk").items():
        tail = caprice_tail(values)
        found += [tails_finding(name, reports[name], tail.zero_share, tail.excess_kurtosis)]
        found += [shape_finding(name, shapes[name])]
    fitted = any(shape.fits for shape in shapes.values())
    largest = largest_caprice(loaded.options, len(loaded.groups))
    return [*found, bound_finding(largest)] if fitted else found


show(draw)

"""The page Tilt: which way each model leans, and for which occupations."""

from collections.abc import Mapping

import streamlit as st

from pcf_core.app.data import even_reports
from pcf_core.app.distribution import draw_distribution, opening, tilts_of
from pcf_core.app.notes import notes
from pcf_core.app.page import draw_figures, finding, foot, open_page, picture
from pcf_core.app.shell import show
from pcf_core.app.text import plain
from pcf_core.app.tilt_rows import Beside, draw_beside
from pcf_core.app.widgets import controls
from pcf_core.core.risk import RiskReport
from pcf_core.report import how_to_read
from pcf_core.report.key_figures import lead_figures, tilt_figures
from pcf_core.report.rows import tilt_table
from pcf_core.report.tilts import panel_groups
from pcf_core.show.answers import farthest_answer
from pcf_core.show.charts.tilt import tilt_box, tilt_panels
from pcf_core.show.findings.models import interval_sentence
from pcf_core.show.findings.occupations import leaders_finding, strongest_finding, tilt_finding
from pcf_core.show.overview import ModelRow, overview_answer

READ = """
*What it read* shows the same scale for the biographies that the shipped models were trained on, those whose
lead names the occupation: +1 where all say mostly *he*.
"""


def draw() -> None:
    """Draw the page."""
    loaded = open_page("Tilt", "")
    reports = even_reports(loaded)
    tilts = tilts_of(loaded, reports)
    groups, over = loaded.first.report.groups, loaded.choice.over
    beside = Beside()
    finding(
        overview_answer([ModelRow.of(name, report) for name, report in reports.items()]),
        farthest_answer(reports),
    )
    if len(groups) > 2:
        said = [leaders_finding(name, report) for name, report in reports.items()]
        figures = lead_figures(reports)
        chosen = choose_occupation(reports)
        drawn = panel_groups(reports)
        picture(
            loaded,
            "tilt_panels",
            "Box plots of the mean stereotype, a panel a group",
            lambda: tilt_panels(reports, tilts, over, chosen, drawn),
            [over, chosen, drawn],
            title="Whom each model favours, by occupation",
        )
        if len(drawn) < len(groups):
            st.caption(
                f"The {len(drawn):,} of {len(groups):,} groups towards which some occupation leans most; the "
                "table under *Data* has all."
            )
    else:
        high, low = groups[0], groups[1]
        said = [tilt_finding(name, report, high, low) for name, report in reports.items()]
        said += [strongest_finding(name, report, high, low) for name, report in reports.items()]
        figures = tilt_figures(tilts, reports, high, over)
        with controls("tilt"):
            chosen = choose_occupation(reports)
            beside = draw_beside(loaded, chosen)
        picture(
            loaded,
            "tilt_box",
            f"Box plots of the mean stereotype towards {high} words, one a model",
            lambda: tilt_box(
                reports,
                high,
                low,
                labour=beside.labour,
                text=beside.text,
                tilts=tilts,
                over=over,
                chosen=chosen,
            ),
            [*beside.state, over, chosen],
            title="Whom each model favours, by occupation",
        )
    means = [tilts[name][groups[0]].intervals[over] for name in reports]
    with st.expander("How sure?"):
        finding(opening(loaded, reports, chosen), *said)
        draw_figures(figures)
        finding(*beside.sentences)
        if beside.note:
            st.caption(plain(beside.note))
        notes(loaded, list(dict.fromkeys(map(interval_sentence, means))), reports)
    if chosen:
        draw_distribution(loaded, reports, tilts, chosen)
    how = how_to_read.TILT_SEVERAL if len(groups) > 2 else how_to_read.TILT + READ
    foot(how, lambda: tilt_table(reports, tilts), "tilt", loaded)


def choose_occupation(reports: Mapping[str, RiskReport]) -> str:
    """Draw the choice of an occupation whose contexts are looked at; return it, empty for none."""
    return (
        st.selectbox(
            "Occupation",
            [row.occupation for row in next(iter(reports.values())).occupations],
            index=None,
            placeholder="Choose one to see its contexts",
            key="occupation",
            bind="query-params",
            help="Rings the occupation and opens the distribution of its stereotype over the contexts.",
        )
        or ""
    )


show(draw)

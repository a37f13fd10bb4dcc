"""Tails: are a few occupations treated far more capriciously than the rest?"""

import streamlit as st

from pcf_core.charts import caprice_histogram, prejudice_histogram
from pcf_core.findings import tails_finding
from pcf_core.stats import caprice_tail, normal_fit
from pcf_core.ui.figures import parts_of, tail_figures
from pcf_core.ui.page import finding, foot, key_figures, open_page, picture
from pcf_core.ui.rows import tails_table
from pcf_core.ui.shell import show

HOW = """
**Caprice** is what an occupation's risk gains because its stereotype changes sign from context to
context. It is exactly 0 where the sign never changes, however much the stereotype moves, so the s.d. of
the stereotype stands beside it. The ticks under the histogram are single occupations. **Prejudice** is
drawn with a normal distribution fitted by maximum likelihood; excess kurtosis is 0 for a normal
distribution and large where a few occupations lie far out.
"""


def draw() -> None:
    loaded = open_page("Tails", "Are a few occupations treated far more capriciously than the rest?")
    tails = {name: caprice_tail(values) for name, values in parts_of(loaded.reports, "caprice_risk").items()}
    finding(
        *(
            tails_finding(name, loaded.reports[name], tail.zero_share, tail.excess_kurtosis)
            for name, tail in tails.items()
        )
    )
    key_figures(tail_figures(loaded.reports, tails), loaded)
    part = st.segmented_control(
        "Show",
        ["caprice", "prejudice"],
        default="caprice",
        required=True,
        key="part",
        bind="query-params",
        help="The distribution over occupations of one part of the risk.",
    )
    if part == "prejudice":
        fits = {
            name: normal_fit(values) for name, values in parts_of(loaded.reports, "prejudice_risk").items()
        }
        curves = {name: (fit.mean, fit.sd) for name, fit in fits.items()}
        picture(
            loaded,
            "prejudice_histogram",
            "Histogram of prejudice over occupations with its normal fit",
            lambda: prejudice_histogram(loaded.reports, curves),
        )
    else:
        log_count = st.toggle(
            "Log count",
            False,
            key="log_count",
            bind="query-params",
            help="A logarithmic count axis makes single far-out occupations visible.",
        )
        picture(
            loaded,
            "caprice_histogram",
            "Histogram of caprice over occupations with a rug",
            lambda: caprice_histogram(loaded.reports, log_count=log_count),
            [log_count],
        )
    foot(HOW, lambda: tails_table(loaded.reports), "tails", loaded)


show(draw)

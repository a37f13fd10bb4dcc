"""The page Caprice: fits of caprice and prejudice by model, worked out once, and what is drawn of them."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pcf_core.app.data import Loaded, remembered
from pcf_core.app.page import draw_table, picture
from pcf_core.app.text import plain
from pcf_core.app.widgets import choose_one, controls
from pcf_core.core.risk import RiskReport
from pcf_core.core.tails import NormalShape, TailShape
from pcf_core.measure.tails import normal_shape, tail_shape
from pcf_core.report.key_figures import MOST, parts_of
from pcf_core.report.tails import fits_table, largest_caprice
from pcf_core.show.charts.tails import (
    caprice_histogram,
    hill_plot,
    prejudice_histogram,
    qq_plot,
    survival_plot,
)

THREE_DIGITS = "%.3g"
OCCUPATION_COLUMNS = {
    "overall_risk": st.column_config.NumberColumn(
        "risk", format=THREE_DIGITS, help="Of the occupation: 0 is fair."
    ),
    "prejudice_risk": st.column_config.NumberColumn(
        "prejudice", format=THREE_DIGITS, help="What is left of the risk when contexts are averaged first."
    ),
    "caprice_risk": st.column_config.NumberColumn(
        "caprice", format=THREE_DIGITS, help="The rest of the risk; 0 where the stereotype keeps its sign."
    ),
    "stereotype_sd": st.column_config.NumberColumn(
        "s.d.", format=THREE_DIGITS, help="Standard deviation of the stereotype over templates."
    ),
}
FIT_COLUMNS = {
    "threshold": st.column_config.NumberColumn(
        "values above", format=THREE_DIGITS, help="Only these are fitted; the upper tail has its threshold."
    ),
    "values": st.column_config.NumberColumn("so many", help="How many values are fitted."),
    "log_likelihood": st.column_config.NumberColumn(
        "log-likelihood", format="%.1f", help="Natural logarithm, of all positive values; more is better."
    ),
    "aic": st.column_config.NumberColumn(
        "AIC", format="%.1f", help="2 (parameters − log-likelihood): less is better."
    ),
    "distance": st.column_config.NumberColumn(
        "A²", format=THREE_DIGITS, help="Anderson and Darling's distance between the values and the fit."
    ),
    "p_value": st.column_config.NumberColumn(
        "p of the fit",
        format=THREE_DIGITS,
        help="Share of 999 samples from the fit that lie at least as far from their own fit: small where the "
        "distribution does not fit. 0.001 is the least it can be.",
    ),
    "ratio": st.column_config.NumberColumn(
        "Pareto against it",
        format=THREE_DIGITS,
        help="Exponential: twice the gain in log-likelihood of the generalised Pareto. Lognormal: Vuong's z, "
        "above 0 where the generalised Pareto is likelier.",
    ),
    "ratio_p": st.column_config.NumberColumn(
        "p of that", format=THREE_DIGITS, help="Small where the two do not describe the values equally well."
    ),
    "beyond": st.column_config.NumberColumn(
        "beyond the bound",
        format=THREE_DIGITS,
        help="Mass that the fit puts above the largest value that caprice can take.",
    ),
}


def drawn_reports(loaded: Loaded) -> dict[str, RiskReport]:
    """Return the first models, as many as fit into one picture."""
    return dict(list(loaded.reports.items())[:MOST])


def tail_shapes(loaded: Loaded) -> dict[str, TailShape]:
    """Fit caprice by model."""

    def make() -> dict[str, TailShape]:
        parts = parts_of(drawn_reports(loaded), "caprice_risk")
        largest = largest_caprice(loaded.choice.options, len(loaded.first.report.groups))
        return {name: tail_shape(values, largest) for name, values in parts.items()}

    return remembered(loaded, "tail_shapes", [], make)


def normal_shapes(loaded: Loaded) -> dict[str, NormalShape]:
    """Fit the normal distribution of prejudice by model."""

    def make() -> dict[str, NormalShape]:
        parts = parts_of(drawn_reports(loaded), "prejudice_risk")
        return {name: normal_shape(values) for name, values in parts.items()}

    return remembered(loaded, "normal_shapes", [], make)


def draw_caprice(loaded: Loaded) -> None:
    """Draw the controls and the picture of caprice, and the table of fits."""
    reports, shapes = drawn_reports(loaded), tail_shapes(loaded)
    with controls("caprice"):
        view = choose_one(
            "Picture",
            ["histogram", "survival", "Hill plot"],
            default="histogram",
            key="tail_view",
            width=256,
            help="How many occupations have how much; the share at or above each value with the fits; the "
            "tail index from the largest values.",
        )
        log_count = view == "histogram" and st.toggle(
            "Log count",
            False,
            key="log_count",
            bind="query-params",
            help="A logarithmic count axis makes single far-out occupations visible.",
        )
    if view == "survival":
        alt = "Survival plot of caprice on logarithmic axes with the fitted distributions"
        picture(
            loaded,
            "survival_plot",
            alt,
            lambda: survival_plot(reports, shapes),
            title="Caprice of the occupations, with fitted curves",
        )
    elif view == "Hill plot":
        draw_hill(loaded, shapes)
    else:
        picture(
            loaded,
            "caprice_histogram",
            "Histogram of caprice over occupations with a rug",
            lambda: caprice_histogram(reports, log_count=log_count),
            [log_count],
            title="Caprice of the occupations, counted",
        )
    table = fits_table(shapes)
    if len(table):
        st.markdown("##### Fits of the values above 0")
        draw_table(table, "fits", FIT_COLUMNS)


def draw_hill(loaded: Loaded, shapes: Mapping[str, TailShape]) -> None:
    """Draw the Hill plot of the models that have one, and the names of the others."""
    without = [name for name, shape in shapes.items() if shape.hill is None]
    if len(without) < len(shapes):
        alt = "Hill plot: the tail index of caprice from the largest values, with its band"
        picture(loaded, "hill_plot", alt, lambda: hill_plot(shapes))
    if without:
        st.caption(plain(f"Too few different values above 0 for a Hill plot: {', '.join(without)}."))


def draw_prejudice(loaded: Loaded) -> None:
    """Draw the controls and the picture of prejudice."""
    reports, shapes = drawn_reports(loaded), normal_shapes(loaded)
    view = choose_one(
        "Picture",
        ["histogram", "QQ plot"],
        default="histogram",
        key="normal_view",
        help="The distribution with its normal curve, or each occupation against what that curve expects.",
    )
    if view == "QQ plot":
        alt = "QQ plot of prejudice against its normal fit, with a band"
        picture(loaded, "qq_plot", alt, lambda: qq_plot(reports, shapes))
    else:
        curves = {name: (shape.fit.mean, shape.fit.sd) for name, shape in shapes.items()}
        picture(
            loaded,
            "prejudice_histogram",
            "Histogram of prejudice over occupations with its normal fit",
            lambda: prejudice_histogram(reports, curves),
            title="Prejudice of the occupations, with a normal curve",
        )

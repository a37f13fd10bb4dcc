"""The pages Risk and Caprice: occupations, how much they differ, caprice beside prejudice."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pcf_core.app.caching import kept, open_store
from pcf_core.app.data import Loaded
from pcf_core.app.notes import neutral_distances_of, with_baseline
from pcf_core.app.page import draw_foot, draw_picture, draw_table, finding, picture, with_called
from pcf_core.app.results.reliable import with_all
from pcf_core.app.scoring import offer_scoring
from pcf_core.app.titles import model_titles
from pcf_core.app.widgets import choose_one, numeric, plain, textual
from pcf_core.audit.baseline import Baseline, baseline_run
from pcf_core.core.risk import RiskReport
from pcf_core.report.panels import MOST
from pcf_core.report.rows import occupation_bars_table
from pcf_core.report.sections.risk import baselines_of, lean_panel, occupation_panel, risk_panel
from pcf_core.report.sections.tails import (
    caprice_panel,
    fits_table,
    prejudice_panel,
    qq_panel,
    survival_panel,
    tail_shapes,
)
from pcf_core.show.charts.tails import hill_plot
from pcf_core.show.findings.models import neutral_distances_finding
from pcf_core.show.names import with_titles, worded

if TYPE_CHECKING:
    import pandas as pd

PARTS = {
    "overall_risk": ("Risk", "Of the occupation: the mean of the criterion J over the sentences."),
    "prejudice_risk": ("Prejudice", "The part that remains when the sentences are averaged."),
    "caprice_risk": ("Caprice", "The part that depends on the sentence: risk minus prejudice."),
}
OCCUPATION_COLUMNS = {
    "overall_risk": numeric("risk", "Of the occupation: 0 is even."),
    "prejudice_risk": numeric("prejudice", "The part that remains when the sentences are averaged."),
    "caprice_risk": numeric("caprice", "The part that depends on the sentence."),
    "stereotype_sd": numeric("s.d.", "Standard deviation of the stereotype over sentences."),
}
FIT_COLUMNS = {
    "threshold": numeric("values above", "Only these are fitted; the upper tail has its threshold."),
    "values": numeric("number of values", "How many values are fitted.", None),
    "log_likelihood": numeric(
        "log-likelihood", "Natural logarithm, over all positive values; higher is better.", "%.1f"
    ),
    "aic": numeric("AIC", "2 (parameters − log-likelihood): lower is better.", "%.1f"),
    "distance": numeric("A²", "Anderson and Darling's distance between the values and the fit."),
    "p_value": numeric(
        "p of the fit",
        "Share of 999 samples from the fit that lie at least as far from their own fit: small where the "
        "distribution does not fit. 0.001 is the least it can be.",
    ),
    "ratio": numeric(
        "Pareto against it",
        "Exponential: twice the gain in log-likelihood of the generalised Pareto. Lognormal: Vuong's z, "
        "above 0 where the generalised Pareto is likelier.",
    ),
    "ratio_p": numeric("p of that", "Small where the two do not describe the values equally well."),
    "beyond": numeric(
        "beyond the bound", "Mass that the fit puts above the largest value that caprice can take."
    ),
}


def all_risks(
    loaded: Loaded, *, references: bool = False, published: bool = False, thousand: bool = False
) -> pd.DataFrame:
    """Make the files' table of risks with all models."""
    panel = risk_panel(loaded, references=references, published=published, thousand=thousand)
    return with_all(panel, loaded, "name")


def draw_occupations(loaded: Loaded, thousand: bool) -> Callable[[], None]:
    """Draw the view *occupations* of the page Risk; return what draws its foot."""
    model = st.selectbox(
        "Model",
        list(loaded.reliable.runs),
        format_func=model_titles(loaded.reliable.runs),
        key="risk_model",
        bind="query-params",
        help="Whose occupations to show.",
    )
    panel = occupation_panel(loaded.reliable, model, thousand=thousand)
    draw_picture(panel)
    _draw_occupation_bars(loaded.reports[model], thousand=thousand)
    return partial(draw_foot, panel, loaded.reliable, "occupations")


def _draw_occupation_bars(report: RiskReport, *, thousand: bool) -> None:
    table = occupation_bars_table(report, 1000.0 if thousand else 1.0)
    unit, digits = (" × 1,000", "%.1f") if thousand else ("", "%.2f")
    top = max(1000.0 if thousand else 1.0, float(table["overall_risk"].max()))
    columns = {
        name: st.column_config.ProgressColumn(
            f"{label}{unit}", help=what, format=digits, min_value=0, max_value=top
        )
        for name, (label, what) in PARTS.items()
    }
    st.caption(
        worded(
            "All occupations, the highest risk first. Search with the magnifying glass; click a heading to "
            "sort."
        )
    )
    st.dataframe(
        with_called(table),
        hide_index=True,
        column_config={
            "occupation": textual("Occupation", pinned=True),
            **columns,
            "low": numeric("Low", "Lower end of the range of the risk over sentences.", digits, width=70),
            "high": numeric("High", "Upper end of that range.", digits, width=70),
            "corrected": numeric(
                "Corrected", "Prejudice minus the estimated bias of few sentences.", digits, width=80
            ),
            "stereotype_sd": numeric(
                "s.d.", "Standard deviation of the stereotype over sentences.", "%.2f", width=60
            ),
        },
        placeholder="–",
        alt=f"Risk, prejudice and caprice of {len(table):,} occupations",
        key="occupation_bars_table",
    )


def draw_lean(loaded: Loaded, thousand: bool) -> Callable[[], None]:
    """Draw how much each model's occupations differ, and its neutral subjects; return what draws the foot."""
    every, held = _baselines(loaded), with_baseline(loaded)
    shown = loaded.reliable
    baselines = {name: one for name, one in every.items() if name in shown.runs}
    panel = lean_panel(shown, baselines, thousand=thousand)
    brief = neutral_distances_finding(neutral_distances_of(shown) if baselines else {})
    finding(*([brief] if brief else panel.findings))
    draw_picture(panel)
    if brief:
        finding(*panel.findings)
    subjects = {name: baseline_run(item.run) for name, item in loaded.runs.items() if name not in held}
    if wanted := {name: run for name, run in subjects.items() if run is not None}:
        st.caption(
            "How a model treats “a person” or “a citizen” is a separate result, which is missing here."
        )
        offer_scoring(wanted)
    whole = partial(with_all, lean_panel(loaded, every, thousand=thousand), loaded)
    return partial(draw_foot, panel, shown, "lean", whole=whole)


@kept(state=with_baseline)
def _baselines(loaded: Loaded) -> dict[str, Baseline]:
    return baselines_of(loaded, open_store())


def first_runs(loaded: Loaded) -> Loaded:
    """Return as many models as fit into one picture."""
    return loaded.most(MOST)


def draw_caprice(shown: Loaded, row: DeltaGenerator) -> None:
    """Draw the controls into the page's row, and the picture of caprice."""
    with row:
        view = choose_one(
            "Picture",
            ["histogram", "survival", "Hill plot"],
            default="histogram",
            key="tail_view",
            width=256,
            help="How many occupations have how much caprice; the share at or above each value, with fitted "
            "curves; the tail index from the largest values.",
        )
        log_count = view == "histogram" and st.toggle(
            "Log count",
            False,
            key="log_count",
            bind="query-params",
            help="A logarithmic count axis makes single extreme occupations visible.",
        )
    if view == "survival":
        draw_picture(survival_panel(shown))
    elif view == "Hill plot":
        _draw_hill(shown)
    else:
        draw_picture(caprice_panel(shown, log_count=log_count))


def draw_fits(shown: Loaded) -> None:
    """Draw the table of fits, if there are any."""
    table = fits_table(tail_shapes(shown))
    if len(table):
        with st.expander("Which distributions fit the values above 0"):
            draw_table(table, "fits", FIT_COLUMNS)


def _draw_hill(shown: Loaded) -> None:
    shapes = tail_shapes(shown)
    without = [name for name, shape in shapes.items() if shape.hill is None]
    if len(without) < len(shapes):
        alt = "Hill plot: the tail index of caprice from the largest values, with its band"
        picture(partial(hill_plot, shapes), "hill_plot", alt, source=shown.source)
    if without:
        st.caption(
            plain(f"Too few different values above 0 for a Hill plot: {with_titles(', '.join(without))}.")
        )


def draw_prejudice(shown: Loaded, row: DeltaGenerator) -> None:
    """Draw the controls into the page's row, and the picture of prejudice."""
    view = choose_one(
        "Picture",
        ["histogram", "QQ plot"],
        default="histogram",
        key="normal_view",
        container=row,
        help="The distribution with a normal curve, or each occupation against the value that the curve "
        "expects.",
    )
    draw_picture(qq_panel(shown) if view == "QQ plot" else prejudice_panel(shown))

"""The tab Sensitivity: the loaded runs under all other choices, as a picture and a table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from pcf_core.app.caching import once, open_store
from pcf_core.app.data import Loaded, must_wait
from pcf_core.app.page import draw_table, finding, foot, key_figures, open_results, picture
from pcf_core.app.results.reliable import only_reliable
from pcf_core.app.scoring import Wanted, follow_readings
from pcf_core.app.why.factors import LINE_COLUMNS
from pcf_core.app.widgets import choose_one, numeric, plain, plain_titled, textual
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import Report
from pcf_core.audit.sensitivity import sensitivity
from pcf_core.core.errors import AuditError
from pcf_core.core.factors import MATCHINGS, Matching
from pcf_core.core.sensitivity import SCRIPTS, Kind, Quantity, Sensitivities, Sensitivity
from pcf_core.report.records import KeyFigure
from pcf_core.report.sections.factors import Panels, matching_table, panels_in
from pcf_core.show.charts.why import sensitivity_dots
from pcf_core.show.findings.factors import matching_finding
from pcf_core.show.findings.numbers import listed, two_decimals
from pcf_core.show.findings.why import (
    readings_finding,
    sensitivity_finding,
    sensitivity_title,
    span,
)

CHOICE_COLUMNS = {
    "choice": textual("choice", "The choice that was changed."),
    "overall_risk": numeric("risk", "0 is even."),
    "prejudice_risk": numeric("prejudice", "The part of the risk that stays the same in every sentence."),
    "caprice_risk": numeric("caprice", "The rest of the risk; 0 if no stereotype changes its sign."),
    "stereotype_sd": numeric(
        "s.d.", "Standard deviation of the stereotype over sentences, averaged over occupations."
    ),
    "change": numeric("change of risk", "Compared with the present result, which is the first row.", "%+.3g"),
    "rank": numeric("rank", "Rank of the model by risk under this choice: 1 is the highest.", None),
}
HOW = """
Each row is one choice that an analyst makes, such as which words stand for a group, or which sentences count
and how much. Only this choice is changed; everything else stays as chosen in the sidebar, and no model is run
again. The first row is the present result with its range, and a dotted line marks it for each model. A line
joins the lowest and the highest risk over many choices of one kind, such as leaving out one word at a time.

Hollow marks are not choices, so the sentences above do not count them. Two of these rows are samples: random
halves of the sentences, and all sentences but one. They show the effect of chance. A range over whole
templates includes this effect; a range over documents (*Counts only*) does not. The other hollow marks come
from the scripts that the authors published, which calculate something else than the papers define.
"""
QUANTITIES: dict[str, Quantity] = {
    "overall risk": "overall_risk",
    "prejudice": "prejudice_risk",
    "caprice": "caprice_risk",
}


def draw_sensitivity() -> None:
    """Draw the tab."""
    loaded = only_reliable(open_results())
    tables = _sensitivities(loaded)
    intervals = {model: loaded.reports[model].interval("overall_risk") for model in tables.models}
    finding(readings_finding(tables, ""))
    with st.container(horizontal=True):
        shown = choose_one(
            "Show",
            list(QUANTITIES),
            default="overall risk",
            key="sensitivity_risk",
            help="What the marks show.",
        )
        dimensions = st.multiselect(
            "Choices",
            list(dict.fromkeys(v.dimension for one in tables.models.values() for v in one.variants)),
            key="dimensions",
            bind="query-params",
            placeholder="all",
            help="Which kinds of choices are drawn; leave empty for all.",
        )
    quantity = QUANTITIES[shown]
    table = partial(once(_choices_table), tables, ("base", "choice", "sample", "script"))
    spans = {model: loaded.reports[model].interval(quantity) for model in tables.models}
    picture(
        partial(sensitivity_dots, tables, spans, quantity, dimensions),
        "sensitivity_dots",
        f"The {shown} of each model under each choice",
        title=f"The {shown} under each choice",
        claim=sensitivity_title(tables, quantity),
        source=loaded.source,
        table=table,
    )
    with st.expander("How sure?"):
        finding(loaded.order)
        finding(*(sensitivity_finding(model, one, intervals[model]) for model, one in tables.models.items()))
        key_figures(_range_figures(tables), loaded)
    if missing := _unavailable_lines(tables):
        with st.expander(f"Choices that could not be tried, and why ({len(missing):,})"):
            st.markdown("\n".join(f"- {line}" for line in missing))
    slopes = st.expander(
        "The slopes on *Factors* with exact, close or broad matches", key="matching_open", on_change="rerun"
    )
    if slopes.open:
        with slopes:
            _draw_matching(loaded, [model for model in loaded.runs if model in tables.models], quantity)
    each = st.expander(
        "Each word left out, and each random half of the sentences", key="each_open", on_change="rerun"
    )
    if each.open:
        with each:
            draw_table(once(_choices_table)(tables, ("each",)), "each_choice", CHOICE_COLUMNS)
    foot(HOW, table, "sensitivity", loaded, CHOICE_COLUMNS)


def _draw_matching(loaded: Loaded, models: Sequence[str], quantity: Quantity) -> None:
    """Draw how the slopes of *Factors* change with the matches that count."""
    with st.spinner("Fitting lines …"):  # the first time loads statsmodels
        panels = loaded.remember(_matched_panels, models, quantity)
    st.markdown(
        "Each occupation is matched with one of the US labour statistics: exactly, closely, or with a "
        "broader one. Which matches count is a choice, too."
    )
    by_matching = ({matching: one[model] for matching, one in panels.items()} for model in models)
    finding(*map(matching_finding, models, by_matching))
    draw_table(matching_table(panels), "matching", LINE_COLUMNS)


def _matched_panels(loaded: Loaded, models: Sequence[str], quantity: Quantity) -> dict[Matching, Panels]:
    return {
        matching: {name: panels_in(loaded.runs[name], loaded.options, quantity, matching) for name in models}
        for matching in MATCHINGS
    }


def _sensitivities(loaded: Loaded) -> Sensitivities:
    """Read every loaded run under other choices; stop the script while the worker reads."""
    tables: dict[str, Sensitivity] = {}
    waiting: list[Wanted] = []
    options = loaded.options
    # A newly finished run, such as the one with full stops, changes the tables.
    finished = [info.created.isoformat() for info in open_store().runs() if info.complete]
    for model, item in loaded.runs.items():
        try:
            if must_wait(item.run, "sensitivity", options):
                waiting.append((item.run, "sensitivity", options))
            else:
                tables[model] = once(_sensitivity_among)(item, options, finished)
        except AuditError as error:
            st.error(f"**{plain_titled(model)}:** {plain(str(error))}", icon=":material/error:")
    if waiting:
        follow_readings(waiting)
    if not tables:
        st.stop()
    return Sensitivities(tables)


def _sensitivity_among(item: Report, options: ViewOptions, finished: Sequence[str]) -> Sensitivity:
    return sensitivity(open_store(), item.run, options)


def _range_figures(tables: Sensitivities) -> list[KeyFigure]:
    figures = []
    for model, one in tables.models.items():
        low, high = span(one)
        figures.append(
            KeyFigure(
                f"Lowest and highest risk · {model}",
                f"{two_decimals(low)} – {two_decimals(high)}",
                "The lowest and the highest risk over all choices, each changed alone; 0 is even. The "
                "authors' scripts and samples of the sentences are left out.",
                f"{two_decimals(one.base.overall_risk)} as chosen · {len(one.rows):,} choices",
            )
        )
    return figures


def _choices_table(tables: Sensitivities, kinds: Sequence[Kind]) -> pd.DataFrame:
    rows = []
    for model, one in tables.models.items():
        rows += [
            {
                "choice": variant.dimension,
                "how": variant.label,
                "model": model,
                **{risk: getattr(variant, risk) for risk in QUANTITIES.values()},
                "stereotype_sd": variant.stereotype_sd,
                "change": variant.overall_risk - one.base.overall_risk,
                "rank": tables.ranks(variant.key)[model],
                "note": variant.note,
            }
            for variant in (one.base, *one.variants)
            if variant.kind in kinds
        ]
    return pd.DataFrame(rows)


def _unavailable_lines(tables: Sensitivities) -> list[str]:
    """Say what could not be read and why, a line for each choice with its models."""
    lines: dict[tuple[str, str, str], list[str]] = {}
    for model, one in tables.models.items():
        for missing in one.unavailable:
            lines.setdefault((missing.dimension, missing.name, missing.reason), []).append(model)
    sentences = []
    for (dimension, name, reason), models in lines.items():
        whose = "" if len(models) == len(tables.models) else f" ({listed(models)})"
        author = "the authors' " if dimension == SCRIPTS else ""
        sentences.append(plain(f"{dimension}, {author}{name}{whose}: {reason}"))
    return sentences

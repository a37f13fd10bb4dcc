"""The table of models: what each one's risk is, whom it favours, and the way to its pages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import streamlit as st

from pcf_core.app.choice import FIRST, SECOND
from pcf_core.app.data import Loaded, finished_runs, must_wait, read_run
from pcf_core.app.links import follow
from pcf_core.app.page import chart
from pcf_core.app.present import is_presented
from pcf_core.app.widgets import plain
from pcf_core.core.errors import AuditError
from pcf_core.core.run import ModelKind, RunSpec, split_label
from pcf_core.models.registry import list_models
from pcf_core.show.charts.risk import RiskBar, risk_bars
from pcf_core.show.findings.numbers import two_decimals
from pcf_core.show.overview import (
    BAR_LEGEND,
    KINDS,
    ModelRow,
    bar,
    by_risk,
    card_text,
    copies_text,
    models_table,
)

ALL = "all"
SHOWN = "models_shown"
TABLE = "models_table"
MOST = 30  # runs that are read for one view
COLUMNS = {
    "model": st.column_config.TextColumn("Model", help="Click a name: which way it leans, on the page Tilt."),
    "bar": st.column_config.ImageColumn(
        "0 fair … 1 fully stereotyped",
        width=200,
        help="The discrimination risk. Solid: prejudice, what the model always does. Striped: caprice, what "
        "changes with the sentence. The line is the range with other sentences of this kind.",
    ),
    "risk": st.column_config.TextColumn("Risk", help="0 is a fair model, 1 a fully stereotyped one."),
    "favours": st.column_config.TextColumn(
        "Favours", help="The group that leads three in four occupations or more; else the model splits them."
    ),
    "range": st.column_config.TextColumn(
        "Range",
        help="Where the risk would lie with other sentences of this kind (95 %), unless *Resample* under "
        "*Reading options* says counts only.",
    ),
    "kind": st.column_config.TextColumn(
        "Kind",
        help="Public models are those that people use. Teaching models are small ones that we trained to "
        "show an effect.",
    ),
}


def model_rows(loaded: Loaded) -> list[ModelRow]:
    """Return a row for every model and precision with a finished run on what the sidebar says.

    The lowest risk comes first.
    """
    options = loaded.options
    kinds = {spec.name: spec.kind for spec in list_models()}
    rows: dict[str, ModelRow] = {}
    for run in finished_runs(loaded.first.run):
        if not _is_comparable(run, loaded.first.run) or run.scoring.label in rows or len(rows) == MOST:
            continue
        try:
            if not must_wait(run, "preferences", options):
                label, own = run.scoring.label, kinds.get(run.scoring.name, "own")
                kind: ModelKind = "imported" if run.scoring.imported else own
                rows[label] = ModelRow.of(label, read_run(run, options, brief=True).report, kind)
        except AuditError:  # what cannot be read is told of where it is chosen
            continue
    return by_risk(list(rows.values()))


def _is_comparable(run: RunSpec, shown: RunSpec) -> bool:
    """Tell whether two runs differ in their model alone."""
    return (run.topic.hash, run.templates.hash, run.evidence.hash, run.scoring.protocol, run.plan) == (
        shown.topic.hash,
        shown.templates.hash,
        shown.evidence.hash,
        shown.scoring.protocol,
        shown.plan,
    )


def draw_models(loaded: Loaded, rows: Sequence[ModelRow]) -> None:
    """Draw the filter and the models shown, as a table or, where that is too wide, as cards."""
    # Imported ones were brought in to stand beside the others: no choice hides them.
    kinds = [kind for kind in KINDS if kind != "imported" and any(row.kind == kind for row in rows)]
    asked = {KINDS[row.kind] for row in rows if row.model in loaded.runs}
    chosen = _draw_filter(kinds, asked) if len(kinds) > 1 else ALL
    # The answer above is about the chosen models, so they stay too.
    always = {row.model for row in rows if row.kind == "imported"} | set(loaded.runs)
    shown = [row for row in rows if chosen in (ALL, KINDS[row.kind]) or row.model in always]
    if is_presented():  # the texts of a table have one size, too small for the last row
        figure = risk_bars(
            [
                RiskBar(row.model, "run", row.prejudice, row.caprice, row.overall, row.low, row.high)
                for row in shown
            ]
        )
        chart(figure, "models_presented", "Risk of each model", source=loaded.source)
        return
    with st.container(key="cards_of_models"):
        draw_cards(loaded, shown)
    with st.container(key="table_of_models"):
        draw_model_table(loaded, shown)
    stored = {spec.name: spec.quantization for spec in list_models()}
    names = dict.fromkeys(split_label(row.model)[0] for row in shown)
    copies = copies_text({name: stored.get(name, "") for name in names})
    st.caption(plain(" ".join([BAR_LEGEND, copies]).strip()))


def draw_cards(loaded: Loaded, shown: Sequence[ModelRow]) -> None:
    """Draw a card for each model, which a telephone has in the place of the table."""
    for row in shown:
        with st.container(border=True):
            st.page_link(
                "pages/tilt.py",
                label=f"**{plain(row.model)}**",
                query_params={**loaded.choice.parameters, **parameters_for([row.model])},
            )
            alt = f"{two_decimals(row.prejudice)} prejudice and {two_decimals(row.caprice)} caprice"
            st.image(bar(row), width="stretch", alt=alt)
            st.markdown(plain(card_text(row)))
    if len(loaded.runs) > 1:
        st.page_link(
            "pages/compare.py",
            label="Compare the chosen models",
            icon=":material/compare_arrows:",
            query_params=loaded.choice.parameters,
        )


def draw_model_table(loaded: Loaded, shown: Sequence[ModelRow]) -> None:
    """Draw the table; a click on a name opens Tilt, two ticks offer Compare."""
    table = models_table(shown)
    answer: Any = st.dataframe(
        table.drop(columns="kind") if len({row.kind for row in shown}) == 1 else table,
        hide_index=True,
        column_config=COLUMNS,
        on_select="rerun",
        selection_mode=["multi-row", "single-cell"],
        key=TABLE,
        alt=f"Risk of {len(shown):,} models, whom they favour, and how sure that is",
    )
    _open(loaded, shown, answer.selection)


def _draw_filter(kinds: Sequence[ModelKind], asked: Collection[str]) -> str:
    """Draw which kinds are shown beside the chosen models; it begins with theirs, or with all."""
    names = [KINDS[kind] for kind in kinds]
    return (
        st.segmented_control(
            "Models shown",
            [*names, ALL],
            default=next((name for name in names if {name} == asked), ALL),
            key=SHOWN,
            bind="query-params",
            help="The chosen models always stay. Teaching models are small ones that we trained to show an "
            "effect.",
        )
        or ALL
    )


def _open(loaded: Loaded, shown: Sequence[ModelRow], selection: Any) -> None:
    """Follow what was selected in the table."""
    parameters = loaded.choice.parameters
    named = [shown[row].model for row, column in selection.cells if column == "model" and row < len(shown)]
    if named:
        follow("tilt", {**parameters, **parameters_for(named)})
    ticked = [shown[row].model for row in selection.rows if row < len(shown)]
    if len(ticked) < 2:
        st.caption("Click a name to see which way it leans. Tick two models to compare them.")
    elif st.button(
        f"Compare {plain(ticked[0])} and {plain(ticked[1])}" if len(ticked) == 2 else "Compare these models",
        type="primary",
        icon=":material/compare_arrows:",
        key="compare_ticked",
    ):
        pair = {FIRST: ticked[0], SECOND: ticked[1]}
        follow("compare", {**parameters, **parameters_for(ticked), **pair})


def parameters_for(labels: Sequence[str]) -> dict[str, list[str]]:
    """Return the query parameters that ask for models by their labels: every model in every precision."""
    models, precisions = zip(*map(split_label, labels), strict=True)
    return {"model": list(dict.fromkeys(models)), "precision": list(dict.fromkeys(precisions))}

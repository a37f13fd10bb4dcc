"""The table of models: each one's risk, whom it prefers, and links to its pages."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from pcf_core.app.addresses import parameters_for
from pcf_core.app.caching import once
from pcf_core.app.choice import FIRST, SECOND
from pcf_core.app.data import Loaded, finished_runs, listed_models, must_wait, results
from pcf_core.app.links import follow
from pcf_core.app.page import chart, with_called
from pcf_core.app.present import is_presented
from pcf_core.app.styles import table_room
from pcf_core.app.widgets import plain, plain_titled, table_key, textual
from pcf_core.audit.comparing import MOST_LETTERED
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import Report
from pcf_core.core.errors import AuditError, RunError
from pcf_core.core.frame import without_frame
from pcf_core.core.run import ModelKind, RunSpec, split_label
from pcf_core.report.loaded import letter_runs
from pcf_core.show.charts.risk import RiskBar, risk_bars
from pcf_core.show.findings.numbers import two_decimals
from pcf_core.show.overview import (
    KINDS,
    ModelRow,
    adapters_text,
    bar,
    bar_legend,
    by_risk,
    card_text,
    copies_text,
    models_table,
    not_chosen_text,
    tied_text,
    ties_text,
    without_chat_text,
)

ALL = "all"
SHOWN = "models_shown"
TABLE = "models_table"
TICKED = "models_ticked"  # session key: names, also of models that the filter hides
MOST = 30  # runs read for one view
COLUMNS = {
    "model": textual("Model", "Click a name: which group it prefers where, on the page Tilt."),
    "bar": st.column_config.ImageColumn(
        "Risk from 0 to 1",
        width=200,
        alignment="left",  # bars begin below the heading, also in a wide column
        help="The discrimination risk: 0 is even, 1 always the same group. Solid: prejudice, a fixed "
        "preference. Striped: caprice, a preference that depends on the sentence. The line is the range "
        "across all sentences of this kind.",
    ),
    "risk": textual("Risk", "0 is even, 1 always the same group."),
    "ties": textual(
        "Ties",
        "Models that share a letter tie. We cannot tell their risks apart with these sentences, or they "
        "differ too little to matter. The paired test of *Compare* decides, controlled for all pairs in the "
        "table (Holm). It compares sentence by sentence: models whose ranges overlap may still differ.",
        width=60,
    ),
    "favours": textual(
        "Prefers",
        "The group that comes first in at least three of four occupations, if there is one.",
    ),
    "range": textual(
        "Range",
        "Where the risk across all sentences of this kind probably lies (95 %), unless *Resample* under "
        "*Reading options* says counts only.",
    ),
    "kind": textual(
        "Kind",
        "Public models are those that people use. Teaching models are small ones that we trained to "
        "show an effect.",
    ),
}


def runs_alike(loaded: Loaded) -> dict[str, RunSpec]:
    """Return a finished, readable run by label for every model and precision that fits the sidebar."""
    by_label: dict[str, RunSpec] = {}
    shown = loaded.first.run
    for run in finished_runs(shown):
        label = run.scoring.label
        if _besides_model(run) != _besides_model(shown) or label in by_label or len(by_label) == MOST:
            continue
        try:
            if not must_wait(run, "preferences", loaded.options):
                by_label[label] = run
        except AuditError:  # errors are shown where the run is chosen
            continue
    return by_label


def read_runs(loaded: Loaded, runs: Mapping[str, RunSpec]) -> dict[str, Report]:
    """Open those of the runs that can be read."""
    by_label: dict[str, Report] = {}
    for label, run in runs.items():
        chosen = loaded.runs.get(label)
        same = chosen is not None and chosen.key == run.key
        opened = chosen if same else results().open(run, loaded.options, brief=True)
        if isinstance(opened, Report):
            by_label[label] = opened
    return by_label


def _kinds_of(runs: Mapping[str, RunSpec]) -> dict[str, ModelKind]:
    declared = {spec.name: spec.kind for spec in listed_models()}
    return {
        label: "imported" if run.scoring.imported else declared.get(run.scoring.model, "own")
        for label, run in runs.items()
    }


def model_rows(read: Mapping[str, Report]) -> list[ModelRow]:
    """Return a row for each run, lowest risk first."""
    kinds = _kinds_of({label: item.run for label, item in read.items()})
    return by_risk([ModelRow.of(label, item.report, kinds[label]) for label, item in read.items()])


def with_letters(
    rows: Sequence[ModelRow], read: Mapping[str, Report], options: ViewOptions
) -> list[ModelRow]:
    """Add letters to the rows of reliable models, if so many can be tested."""
    tested = [row.model for row in rows if not row.says_little]
    if not 2 <= len(tested) <= MOST_LETTERED:
        return list(rows)
    try:
        model_letters = once(letter_runs)(tuple(read[model] for model in tested), options)
    except RunError:  # too few sentences for a test, or of a sampling plan, where each run has its own
        return list(rows)
    letters = dict(zip(tested, model_letters, strict=True))
    return [replace(row, letters=letters.get(row.model, "")) for row in rows]


def _besides_model(run: RunSpec) -> tuple[object, ...]:
    return run.topic.hash, run.templates.hash, run.evidence.hash, run.scoring.protocol, run.plan


def draw_models(loaded: Loaded, runs: Mapping[str, RunSpec]) -> list[ModelRow]:
    """Draw the filter and the models; return the rows shown.  ``runs``: by label, read only if shown."""
    kinds = _kinds_of(runs)
    # Imported models were added to be compared, so no filter hides them.
    several = [kind for kind in KINDS if kind != "imported" and kind in kinds.values()]
    kinds_shown = {KINDS[kind] for label, kind in kinds.items() if label in loaded.runs}
    chosen = _draw_filter(several, kinds_shown) if len(several) > 1 else ALL
    # The answer above is about the chosen models, so they stay too.
    always = {label for label, kind in kinds.items() if kind == "imported"} | set(loaded.runs)
    wanted = {
        label: run for label, run in runs.items() if chosen in (ALL, KINDS[kinds[label]]) or label in always
    }
    read = read_runs(loaded, wanted)
    shown = model_rows(read)
    if is_presented():  # text of tables is too small for a projector
        from pcf_core.report.sections.risk import higher_risk

        figure = risk_bars(
            [
                RiskBar(row.model, "run", row.prejudice, row.caprice, row.overall, row.low, row.high)
                for row in shown
                if not row.says_little
            ]
        )
        claim = higher_risk(loaded) if {row.model for row in shown} == set(loaded.runs) else ""
        chart(figure, "models_presented", "Risk of each model", claim=claim, source=loaded.source)
        return shown
    shown = with_letters(shown, read, loaded.options)
    with st.container(key="cards_of_models"):
        _draw_cards(loaded, shown)
    with st.container(key="table_of_models"):
        _draw_model_table(loaded, shown)
    known = {spec.name: spec for spec in listed_models()}
    names = dict.fromkeys(split_label(row.model)[0] for row in shown)
    specs = {name: known[bare] for name in names if (bare := without_frame(name)) in known}
    copies = copies_text({name: spec.quantization for name, spec in specs.items()})
    adapted = adapters_text({name: spec.base for name, spec in specs.items()})
    bare = without_chat_text([name for name in names if name in known and known[name].chats])
    more = not_chosen_text(len({row.model for row in shown} - set(loaded.runs)))
    legend = "" if all(row.says_little for row in shown) else bar_legend()
    st.caption(plain(" ".join(filter(None, [legend, ties_text(shown), copies, adapted, bare, more]))))
    return shown


def _draw_cards(loaded: Loaded, shown: Sequence[ModelRow]) -> None:
    for row in shown:
        with st.container(border=True):
            st.page_link(
                "pages/tilt.py",
                label=f"**{plain_titled(row.model)}**",
                query_params={**loaded.choice.parameters, **parameters_for([row.model])},
            )
            alt = f"{two_decimals(row.prejudice)} prejudice and {two_decimals(row.caprice)} caprice"
            if row.says_little:
                alt = "No reliable answer"
            st.image(bar(row), width="stretch", alt=alt)
            st.markdown(plain(" ".join(filter(None, [card_text(row), tied_text(row, shown)]))))
    if len(loaded.runs) > 1:
        st.page_link(
            "pages/compare.py",
            label="Compare the chosen models",
            icon=":material/compare_arrows:",
            query_params=loaded.choice.parameters,
        )


def _draw_model_table(loaded: Loaded, shown: Sequence[ModelRow]) -> None:
    """Draw the table; a click on a name opens Tilt, two ticks offer Compare."""
    table, names = models_table(shown), [row.model for row in shown]
    ticked = st.session_state.get(TICKED, [])
    st.html(table_room(TABLE, len(shown)))
    answer: Any = st.dataframe(
        with_called(table.drop(columns="kind") if len({row.kind for row in shown}) == 1 else table),
        hide_index=True,
        column_config=COLUMNS,
        on_select="rerun",
        selection_mode=["multi-row", "single-cell"],
        selection_default={"selection": {"rows": [names.index(name) for name in ticked if name in names]}},
        key=table_key(TABLE, names),
        alt=f"Risk of {len(shown):,} models, whom they prefer, and how sure that is",
    )
    now = [names[row] for row in answer.selection.rows if row < len(names)]
    before = [name for name in ticked if name in now or name not in names]
    st.session_state[TICKED] = list(dict.fromkeys([*before, *now]))
    _open(loaded, shown, answer.selection, "Models that tie share a letter. " if "ties" in table else "")


def _draw_filter(kinds: Sequence[ModelKind], kinds_shown: Collection[str]) -> str:
    names = [KINDS[kind] for kind in kinds]
    return (
        st.segmented_control(
            "Models shown",
            [*names, ALL],
            default=next((name for name in names if {name} == kinds_shown), ALL),
            key=SHOWN,
            bind="query-params",
            help="The chosen models always stay. Teaching models are small ones that we trained to show an "
            "effect.",
        )
        or ALL
    )


def _open(loaded: Loaded, shown: Sequence[ModelRow], selection: Any, before: str) -> None:
    """Open what was selected in the table; ``before``: text before the hint."""
    parameters = loaded.choice.parameters
    named = [shown[row].model for row, column in selection.cells if column == "model" and row < len(shown)]
    if named:
        follow("tilt", {**parameters, **parameters_for(named)})
    ticked = [shown[row].model for row in selection.rows if row < len(shown)]
    if len(ticked) < 2:
        st.caption(f"{before}Click a name to see whom it prefers where. Tick two models to compare them.")
    elif st.button(
        f"Compare {plain_titled(ticked[0])} and {plain_titled(ticked[1])}"
        if len(ticked) == 2
        else "Compare these models",
        type="primary",
        icon=":material/compare_arrows:",
        key="compare_ticked",
    ):
        pair = {FIRST: ticked[0], SECOND: ticked[1]}
        follow("compare", {**parameters, **parameters_for(ticked), **pair})

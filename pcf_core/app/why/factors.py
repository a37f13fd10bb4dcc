"""The tab Factors of *Why?*: controls, a user's own file, panels and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from pcf_core.app.caching import once
from pcf_core.app.data import Loaded
from pcf_core.app.own import read_shown, upload_file
from pcf_core.app.page import draw_picture, draw_table, finding, foot, key_figures, open_results
from pcf_core.app.results.reliable import only_reliable
from pcf_core.app.roles import may_audit
from pcf_core.app.titles import model_titles
from pcf_core.app.widgets import choose_one, controls, numeric, plain, textual
from pcf_core.core.factors import Matching, OwnFactor, Quantity
from pcf_core.material.factors import ACCEPTED, read_own_factor
from pcf_core.report import how_to_read
from pcf_core.report.sections.factors import (
    Panels,
    factor_panels,
    factors_table,
    left_out_table,
    lines_table,
    panels_in,
    slope_figures,
)
from pcf_core.show.findings.factors import (
    factors_answer,
    factors_finding,
    figures_note,
    no_figures_note,
    slopes_note,
    templates_note,
)

OWN = "own_factor"
REMOVED = "own_factor_removed"  # the upload that is no longer used, though its field may show it
UPLOAD = "own_factor_upload"
LARGEST_UPLOAD = 4  # megabytes
QUANTITIES: Mapping[str, Quantity] = {
    "overall": "overall_risk",
    "prejudice": "prejudice_risk",
    "caprice": "caprice_risk",
}
EXAMPLE = "occupation,value,weight\nnurse,3.5,3130\nengineer,7.25,1700\n"

LINE_COLUMNS = {
    "per": textual("per", "The unit of the slope: the difference in risk for this much more."),
    "line": textual(
        "line", "OLS: every point counts the same. WLS: weighted by the people employed, or by the file."
    ),
    "slope": numeric("slope", "0 is no difference."),
    "low": numeric("from", "Lower end of the 95 % range."),
    "high": numeric("to", "Upper end of the 95 % range."),
    "error": numeric("standard error", "Of the slope, from the two sources in the next columns."),
    "error_hc3": numeric("from occupations", "From the scatter about the line, of the kind HC3."),
    "error_templates": numeric(
        "from sentences", "Added by the sentences, which all occupations share; empty for a single sentence."
    ),
    "p": numeric("p alone", "Small if so steep a slope would be rare without any link."),
    "p_holm": numeric("p corrected", "By Holm's method, for all slopes of the model."),
    "r_squared": numeric("R²", "Share of the differences in risk that the line accounts for, of 1."),
    "n": numeric("points", "Occupations of the statistics, or words.", None),
    "effective_n": numeric("effective points", "How many equally weighted points they are worth.", "%.1f"),
    "intercept": numeric("intercept", "Risk on the line where the factor is 0."),
}
MEAN_RISK = "Mean over the occupations; 0 is even."
POINT_COLUMNS = {
    "value": numeric("value", "The factor, in its own unit.", "%.4g"),
    "weight": numeric("weight", "Thousands employed; the weight in a file of your own.", "%.4g"),
    "overall_risk": numeric("risk", MEAN_RISK),
    "prejudice_risk": numeric("prejudice", MEAN_RISK),
    "caprice_risk": numeric("caprice", MEAN_RISK),
}


@dataclass(frozen=True)
class FactorChoice:
    """The choices on the tab Factors."""

    model: str
    quantity: Quantity
    matching: Matching
    own: OwnFactor | None


def draw_factors() -> None:
    """Draw the tab."""
    loaded = only_reliable(open_results())
    head = st.container()
    choice = _draw_controls(loaded)
    with st.spinner("Fitting lines …"):  # the first time loads statsmodels
        every = loaded.remember(_every_panel, choice.quantity, choice.matching, choice.own)
    panels = every[choice.model]
    with head:
        answers = (factors_answer(name, of_model) for name, of_model in every.items())
        finding(no_figures_note(panels), *answers)
    drawn = [
        replace(shown, table=partial(factors_table, {choice.model: (panel,)}))
        for shown, panel in zip(factor_panels(loaded, choice.model, panels), panels, strict=True)
    ]
    pictures = [one for one, panel in zip(drawn, panels, strict=True) if panel.points]
    for start in range(0, len(pictures), 2):  # two side by side, below each other on a narrow page
        for column, one in zip(st.columns(2), pictures[start:], strict=False):
            with column:
                draw_picture(one)
                finding(*one.findings)
    with st.expander("How sure?"):
        lines = (factors_finding(name, of_model) for name, of_model in every.items())
        finding(*lines, slopes_note(panels), templates_note(panels))
        key_figures(slope_figures(panels), loaded, intervals=[figures_note(choice.model, panels)])
        for one in drawn:
            st.markdown(f"**{plain(one.heading)}**")
            st.caption("  \n".join(plain(note) for note in one.notes))
    left_out = once(left_out_table)(panels)
    with st.expander(f"Occupations left out, and why ({len(left_out):,})"):
        draw_table(left_out, "factors_left_out", alt="Occupations left out of the panels")
    with st.expander("Sources"):
        for panel in panels:
            st.markdown(f"**{plain(panel.scale.noun)}**: {plain('; '.join(panel.sources)) or 'none'}")
    with st.expander("The lines of all chosen models"):
        draw_table(once(lines_table)(every), "factor_lines", LINE_COLUMNS)
    foot(how_to_read.FACTORS, partial(once(factors_table), every), "factors", loaded, POINT_COLUMNS)


def _draw_controls(loaded: Loaded) -> FactorChoice:
    names = list(loaded.runs)
    with controls("factors"):
        model = st.selectbox(
            "Model",
            names,
            format_func=model_titles(names),
            key="factors_model",
            bind="query-params",
            help="The panels show one model at a time; the table has all.",
        )
        risk = choose_one(
            "Show",
            list(QUANTITIES),
            default="overall",
            key="factors_risk",
            width=240,
            help="overall: the risk of an occupation. prejudice, caprice: its two parts.",
        )
    with st.container(horizontal=True, vertical_alignment="center"):
        broad = st.toggle(
            "Include broad matches",
            False,
            key="broad",
            bind="query-params",
            help="Also count words for which the US labour statistics have only a broader occupation, such "
            "as director.",
        )
        close = st.toggle(
            "Include close matches",
            True,
            key="close",
            bind="query-params",
            disabled=broad,
            help="Also count words whose occupation in the US labour statistics is close but not the same. "
            "If off, only exact matches count. Broad matches include close ones. *Sensitivity* shows all "
            "three.",
        )
        own = _draw_own([row.occupation for row in loaded.first.report.occupations])
    matching: Matching = "broad" if broad else "close" if close else "exact"
    return FactorChoice(model, QUANTITIES[risk], matching, own)


def _draw_own(occupations: Sequence[str]) -> OwnFactor | None:
    """Draw the user's own file: upload, description, removal; return its values if they match."""
    own: OwnFactor | None = st.session_state.get(OWN)
    matched = 0
    if not may_audit():
        return None
    with st.popover("Your own figures", icon=":material/upload_file:", help="Add a panel from a file."):
        st.caption(ACCEPTED.forms)
        st.code(EXAMPLE, language=None)
        help_text = "Used in this session only and not saved."
        file = upload_file("Table", (), LARGEST_UPLOAD, UPLOAD, help_text, forget)
        if file is not None and file.file_id != st.session_state.get(REMOVED):
            read = read_shown(lambda: read_own_factor(file.name, file.getvalue()), file.file_id)
            own = st.session_state[OWN] = read.item if read else None
        if own is not None:
            matched = sum(word.casefold() in own.values for word in occupations)
            st.markdown(
                f"**{plain(own.title)}**: {len(own.values):,} values, {len(own.weights):,} weights; "
                f"{matched:,} of {len(occupations):,} occupations here have a value."
            )
            if not matched:
                st.error(
                    "This file has none of the occupations shown here, so it is not used. Use the names in "
                    f"the table below, such as {plain(occupations[0])}.",
                    icon=":material/error:",
                )
            st.button(
                "Remove",
                key="remove_own",
                on_click=_remove,
                args=(file and file.file_id,),
                icon=":material/delete:",
                help="Remove the file.",
            )
    return own if matched else None


def forget() -> None:
    """Forget the user's own file."""
    st.session_state.pop(OWN, None)


def _remove(upload: str | None) -> None:
    forget()
    st.session_state[REMOVED] = upload


def _every_panel(loaded: Loaded, quantity: Quantity, matching: Matching, own: OwnFactor | None) -> Panels:
    return {
        name: panels_in(item, loaded.options, quantity, matching, own) for name, item in loaded.runs.items()
    }

"""Key figures and tables of the factors: every line, every point, what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from pcf_core.audit.factors import factor_panels, noise_of
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import Reading
from pcf_core.core.factors import FactorPanel, FactorScale, LineFit, Matching, OwnFactor, Quantity
from pcf_core.report.loaded import LoadedRun
from pcf_core.report.records import KeyFigure
from pcf_core.report.tilts import unit_in
from pcf_core.show.findings.factors import MATCHED, slope, slope_with_interval
from pcf_core.show.findings.numbers import p_value, two_decimals

LONGEST_NOUN = 14  # characters of a key figure's label, of which five may stand in a row
SHORT = {"women_share": "Women"}
LONGEST_VALUE = 8  # characters of a key figure before it is written as a power of ten

Panels = Mapping[str, tuple[FactorPanel, ...]]


def panels_in(
    item: LoadedRun,
    options: ViewOptions,
    quantity: Quantity,
    matching: Matching = "close",
    own: OwnFactor | None = None,
) -> tuple[FactorPanel, ...]:
    """Make the panels of a loaded run, whose slopes allow for other templates."""
    reading = Reading(item.run, item.result, options)
    noise = noise_of(reading, unit_in(item, item.report, options), quantity)
    return factor_panels(item.report, quantity, matching=matching, own=own, noise=noise)


def slope_figures(panels: Sequence[FactorPanel]) -> list[KeyFigure]:
    """Make a key figure of the unweighted slope of each panel."""
    figures = []
    for panel in panels:
        if panel.ols is None:
            value, interval = "–", f"no line, {panel.no_ols}"
        else:
            value, _, interval = slope_with_interval(panel.scale, panel.ols).partition(" ")
            interval = f"{interval.strip('()')} · {short_p(panel.ols)}"
            if len(value) > LONGEST_VALUE:
                value = slope(panel.scale, panel.ols)
        figures.append(
            KeyFigure(
                step_label(panel.scale),
                value,
                f"Slope: difference in risk for occupations {panel.scale.whose}, every point alike; 0 is "
                "none. Below: its 95 % interval, taken alone, if other occupations and templates had been "
                "taken; and its p value, corrected for all slopes.",
                interval,
            )
        )
    return figures


def step_label(scale: FactorScale) -> str:
    """Say what a slope is the difference for, short enough for a figure: "Wage +10,000 US$"."""
    noun = SHORT.get(scale.name, capital(scale.noun))
    noun = noun if len(noun) <= LONGEST_NOUN else f"{noun[: LONGEST_NOUN - 1].rstrip()}…"
    return f"{noun} {scale.per if scale.log else f'+{scale.per}'}"


def short_p(fit: LineFit) -> str:
    """Write the corrected p-value: it stands behind a range."""
    found = fit.p_value if fit.adjusted_p is None else fit.adjusted_p
    return p_value(found)


def capital(noun: str) -> str:
    """Capitalise the first letter."""
    return noun[:1].upper() + noun[1:]


def left_out_table(panels: Sequence[FactorPanel]) -> pd.DataFrame:
    """Make a table with one row per occupation × reason, with the panels that lack it."""
    found: dict[tuple[str, str], list[str]] = {}
    for panel in panels:
        for item in panel.left_out:
            found.setdefault((item.name, item.reason), []).append(panel.scale.noun)
    return pd.DataFrame(
        [
            {"occupation": name, "left out of": ", ".join(nouns), "because": reason}
            for (name, reason), nouns in found.items()
        ],
        columns=["occupation", "left out of", "because"],
    )


def factors_table(panels: Panels) -> pd.DataFrame:
    """Make a table with one row per model × factor × point."""
    return pd.DataFrame(
        [
            {
                "model": name,
                "factor": panel.scale.noun,
                "point": point.label,
                "occupations": ", ".join(point.words),
                "value": point.value,
                panel.quantity: point.risk,
                "weight": point.weight,
            }
            for name, found in panels.items()
            for panel in found
            for point in panel.points
        ]
    )


def lines_table(panels: Panels) -> pd.DataFrame:
    """Make a table with one row per model × factor × kind of line.

    Slopes are per step of their factor, as on the page.
    """
    rows = []
    for name, found in panels.items():
        for panel in found:
            for kind, fit, reason in (("OLS", panel.ols, panel.no_ols), ("WLS", panel.wls, panel.no_wls)):
                row = {"model": name, "factor": panel.scale.noun, "per": panel.scale.per, "line": kind}
                rows.append(row | line_row(fit, reason, panel.scale.step))
    return pd.DataFrame(rows)


def matching_table(panels: Mapping[Matching, Panels]) -> pd.DataFrame:
    """Make a table with one row per model × factor × kind of line × matching of words with the statistics."""
    tables = [lines_table(found).assign(matching=MATCHED[matching]) for matching, found in panels.items()]
    whole, lead = pd.concat(tables, ignore_index=True), ["model", "factor", "per", "line", "matching"]
    ordered = whole.sort_values(["model", "factor", "line"], kind="stable", ignore_index=True)
    return ordered[[*lead, *(name for name in whole if name not in lead)]]


def line_row(fit: LineFit | None, reason: str, step: float) -> dict[str, object]:
    """Make the row of one line; without a line it holds the reason."""
    if fit is None:
        return {"note": reason}
    return {
        "slope": step * fit.slope,
        "low": step * fit.interval.low,
        "high": step * fit.interval.high,
        "error": step * fit.slope_error,
        "error_hc3": step * fit.occupation_error,
        "error_templates": None if fit.template_error is None else step * fit.template_error,
        "p": fit.p_value,
        "p_holm": fit.adjusted_p,
        "r_squared": fit.r_squared,
        "n": fit.n,
        "effective_n": fit.effective_n,
        "intercept": fit.intercept,
        "note": f"hangs on {fit.carrier.label}, leverage {two_decimals(fit.carrier.leverage)}"
        if fit.carried
        else "",
    }

"""Sentences about risk and figures of the occupations: what goes together, how surely, what was left out.

That two things go together says nothing about why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pcf_core.core.factors import FactorPanel, FactorScale, LineFit, Matching, Quantity, excludes_zero
from pcf_core.core.risk import Interval
from pcf_core.show.findings.numbers import (
    begun,
    count,
    listed,
    number,
    p_value,
    percent,
    signed,
    signed_with_interval,
    with_interval,
)

MATCHED: Mapping[Matching, str] = {
    "exact": "exact matches alone",
    "close": "close matches too",
    "broad": "broad matches too",
}
SURE = 0.05
LEAST_WIDER = 0.01  # of an interval; less is not told
MOST_ZEROS = 0.5  # share of points
MODERATE, STRONG = 0.09, 0.25  # R² from which a link is called so: r = 0.3 and 0.5 of Cohen (1988)
ALIKE = "all occupations alike"
RISK_NAMES: Mapping[Quantity, str] = {
    "overall_risk": "risk",
    "prejudice_risk": "prejudice",
    "caprice_risk": "caprice",
}


def factors_answer(model: str, panels: Sequence[FactorPanel]) -> str:
    """Say with which figures a model's risk rises or falls beyond chance; every point counts alike."""
    tested = [panel for panel in panels if panel.ols is not None]
    if not tested:
        return ""
    of = f"the {RISK_NAMES[tested[0].quantity]} of {model}"
    told = [(panel.scale.noun, panel.ols.slope) for panel in tested if panel.ols and survives(panel.ols)]
    sides = {
        "rises": [noun for noun, slope in told if slope >= 0],
        "falls": [noun for noun, slope in told if slope < 0],
    }
    if ways := [f"{verb} with {listed(nouns)}" for verb, nouns in sides.items() if nouns]:
        return f"{begun(of)} {listed(ways)}."
    either = listed([panel.scale.noun for panel in tested], "or")
    return f"We cannot tell whether {of} goes with {either}."


def by_weight(scale: FactorScale) -> str:
    """Say what the weighted line counts more."""
    return "your weights count" if scale.name == "own" else "larger ones count more"


def link_strength(panel: FactorPanel) -> str:
    """Say in words how strong the link of a figure with the risk is; every point counts alike."""
    noun, of = panel.scale.noun, RISK_NAMES[panel.quantity]
    if panel.ols is None:
        return f"No line is fitted: {panel.no_ols}."
    if survives(panel.ols):
        share = panel.ols.r_squared
        strength = "strong" if share >= STRONG else "moderate" if share >= MODERATE else "weak"
        return f"A {strength} link: {noun} goes with {percent(share)} of the differences in {of}."
    if panel.wls is not None and survives(panel.wls):
        return f"Occupations show a link with {noun} beyond chance only where {by_weight(panel.scale)}."
    return f"We cannot tell a link with {noun} from chance."


def factors_finding(model: str, panels: Sequence[FactorPanel]) -> str:
    """Say which figures go with a model's risk, by how much, and which cannot be told from chance.

    A slope counts where its p value, corrected for all slopes, is under 0.05; unweighted lines come first.
    """
    if not panels:
        return ""
    of = f"{RISK_NAMES[panels[0].quantity]} of {model}"
    told, unclear = _sorted(panels, weighted=False)
    by_people, _ = _sorted(panels, weighted=True)
    missing = [panel.scale.noun for panel in panels if panel.ols is None]
    sentences = [f"The {of} is on average {part}." for part in told]
    # the line by people may tell what this one cannot
    alike = " if every point counts alike" if by_people else ""
    if unclear:
        either = listed(unclear, "or")
        what = "it" if told else f"the {of}"
        sentences.append(f"We cannot tell whether {what} goes with {either}{alike}.")
    whose = "it" if sentences else f"the {of}"
    sentences += [f"Counted by the people employed, {whose} is {part}." for part in by_people]
    lost = [panel.scale.noun for panel in panels if panel.ols is not None and lost_to_correction(panel.ols)]
    if lost:
        sentences.append(
            f"Taken alone, the range of the slope for {listed(lost)} excludes 0{alike}. Corrected for "
            f"{count(slopes(panels), 'slope')}, that is no longer beyond chance."
        )
    if missing:
        sentences.append(f"No line is fitted to the {of} for {listed(missing)}.")
    return " ".join(sentences)


def slopes_note(panels: Sequence[FactorPanel]) -> str:
    """Say for how many slopes the p values are corrected; empty for one or none."""
    tested = slopes(panels)
    if tested < 2:
        return ""
    return f"The {tested:,} slopes of a model are tested together, by Holm's method."


def templates_note(panels: Sequence[FactorPanel]) -> str:
    """Say by how much the templates' own noise widens the intervals of the slopes, every point alike.

    Empty where none is fitted.
    """
    fits = {panel.scale.noun: panel.ols for panel in panels if panel.ols is not None}
    if not fits:
        return ""
    wider = {noun: fit.widened for noun, fit in fits.items() if fit.widened is not None}
    if not wider:
        return "The ranges of the slopes take the risks as known: one template does not tell its noise."
    parts = [f"{percent(by - 1)} for {noun}" for noun, by in wider.items() if by - 1 >= LEAST_WIDER]
    widens = f"That widens them by {listed(parts)}." if parts else "That widens none by 1 % or more."
    return (
        "All occupations share the templates, so the ranges of the slopes allow for other templates too. "
        f"{widens}"
    )


def matching_finding(model: str, panels: Mapping[Matching, Sequence[FactorPanel]]) -> str:
    """Say whether the matching of occupations with the statistics changes which figures go with a risk."""
    told = {
        matching: [panel.scale.noun for panel in found if panel.ols is not None and survives(panel.ols)]
        for matching, found in panels.items()
    }
    of = f"the {RISK_NAMES[next(iter(panels.values()))[0].quantity]} of {model}"
    first, *others = told.values()
    if all(one == first for one in others):
        which = f"{of} goes with {listed(first)}" if first else f"no figure goes with {of}"
        return f"Whichever matches count, {which}."
    parts = [f"{listed(nouns or ['none'])} with {MATCHED[matching]}" for matching, nouns in told.items()]
    return f"Which figures go with {of} depends on the matches: {', '.join(parts)}."


def slopes(panels: Sequence[FactorPanel]) -> int:
    """Count the slopes that are tested together: those of both kinds of lines."""
    return sum(fit is not None for panel in panels for fit in (panel.ols, panel.wls))


def lost_to_correction(fit: LineFit) -> bool:
    """Tell whether a slope would be told from none alone, but not among all that are tested."""
    return excludes_zero(fit.interval) and not survives(fit)


def survives(fit: LineFit) -> bool:
    """Tell whether a slope is told from none among all that are tested."""
    return fit.adjusted_p is not None and fit.adjusted_p < SURE


def figures_note(model: str, panels: Sequence[FactorPanel]) -> str:
    """Say whose slopes the key figures are, and which survive the correction; empty without a line."""
    fitted = [panel for panel in panels if panel.ols is not None]
    if not fitted:
        return ""
    of = f"{RISK_NAMES[fitted[0].quantity]} of {model}"
    kept = [panel.scale.noun for panel in fitted if panel.ols is not None and survives(panel.ols)]
    lost = [panel.scale.noun for panel in fitted if panel.scale.noun not in kept]
    parts = [f"{listed(kept)} {'is' if len(kept) == 1 else 'are'} beyond chance"] if kept else []
    parts += [f"{listed(lost)} {'is' if len(lost) == 1 else 'are'} not beyond chance"] if lost else []
    return (
        f"These are slopes of the {of}, every point alike, with 95 % ranges and corrected p-values. "
        f"Corrected for {count(slopes(panels), 'slope')}, {'; '.join(parts)}."
    )


def slope_with_interval(scale: FactorScale, fit: LineFit) -> str:
    """Write the slope per step of its scale with a sign, and its interval."""
    return signed_with_interval(scale.step * fit.slope, told_interval(scale, fit.interval))


def slope(scale: FactorScale, fit: LineFit) -> str:
    """Write the slope per step of its scale alone, for a key figure."""
    return signed(scale.step * fit.slope)


def told_interval(scale: FactorScale, interval: Interval) -> Interval:
    """Write an interval of a slope per step of its scale."""
    return interval.model_copy(update={"low": scale.step * interval.low, "high": scale.step * interval.high})


def _sorted(panels: Sequence[FactorPanel], *, weighted: bool) -> tuple[list[str], list[str]]:
    """Split slopes into those told from chance, as parts of a sentence, and the names of the others."""
    told, unclear = [], []
    for panel in panels:
        fit = panel.wls if weighted else panel.ols
        if fit is None:
            continue
        if survives(fit):
            hangs = f" (this hangs on “{fit.carrier.label}”)" if fit.carried else ""
            told.append(f"{_difference(panel.scale, fit)} for occupations {panel.scale.whose}{hangs}")
        else:
            unclear.append(panel.scale.noun)
    return told, unclear


def _difference(scale: FactorScale, fit: LineFit) -> str:
    """Write a slope in words: "higher by 0.02 (0.01–0.03)"."""
    found = told_interval(scale, fit.interval)
    if fit.slope >= 0:
        return f"higher by {with_interval(scale.step * fit.slope, found)}"
    turned = found.model_copy(update={"low": -found.high, "high": -found.low})
    return f"lower by {with_interval(-scale.step * fit.slope, turned)}"


def line_notes(panel: FactorPanel) -> list[str]:
    """Describe both lines of a panel, a sentence each, and what one has to know to believe them."""
    notes = [
        _line_note(panel, panel.ols, f"{begun(ALIKE)} (solid)", panel.no_ols),
        _line_note(panel, panel.wls, f"{begun(by_weight(panel.scale))} (dashed)", panel.no_wls),
    ]
    for fit, name in ((panel.ols, "solid"), (panel.wls, "dashed")):
        if fit is not None and fit.carried:
            notes.append(carried_note(panel.scale, fit, name))
    zeros = sum(point.risk == 0 for point in panel.points)
    if zeros > MOST_ZEROS * len(panel.points):
        of = RISK_NAMES[panel.quantity]
        notes.append(
            f"Of {count(len(panel.points), 'point')} {zeros:,} have a {of} of exactly 0: a line says little."
        )
    capped = [point for point in panel.points if point.at_least]
    if capped:
        lines, value = count(len(capped), "line"), number(capped[0].value)
        unit = panel.scale.title.partition(", ")[2]
        notes.append(
            f"For {lines} the {panel.scale.noun} is {value} {unit} or more: the statistics stop there."
        )
    if panel.left_out:
        notes.append(f"{count(len(panel.left_out), 'occupation')} left out, named with the reason below.")
    return notes


def carried_note(scale: FactorScale, fit: LineFit, name: str) -> str:
    """Say that a slope hangs on one point, and what it would be without it."""
    carrier = fit.carrier
    share = f"“{carrier.label}”, which has {percent(carrier.leverage)} of the say in its own place"
    if carrier.slope is None or carrier.interval is None:
        return f"The {name} line hangs on {share}. Without it there is no line."
    without = with_interval(scale.step * carrier.slope, told_interval(scale, carrier.interval))
    return f"The {name} line hangs on {share}. Without it the slope is {without}."


def _line_note(panel: FactorPanel, fit: LineFit | None, name: str, reason: str) -> str:
    if fit is None:
        return f"{name}: no line, {reason}."
    places = "points" if panel.scale.name in ("word_frequency", "own") else "lines of the statistics"
    weighed = fit.effective_n < fit.n - 0.5
    effective = f", which count as {fit.effective_n:.0f} by their weights" if weighed else ""
    corrected = "" if fit.adjusted_p is None else f" ({p_value(fit.adjusted_p)} after correction)"
    return (
        f"{name}: {slope_with_interval(panel.scale, fit)} per {panel.scale.per}, "
        f"{p_value(fit.p_value)}{corrected}. The line accounts for {percent(fit.r_squared)} of the "
        f"differences, over {fit.n:,} {places}{effective}."
    )

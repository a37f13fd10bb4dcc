"""Factors of the occupations that go with the risk: how strongly, how surely; never why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pcf_core.core.factors import FactorPanel, FactorScale, LineFit, Matching, excludes_zero
from pcf_core.core.risk import Interval
from pcf_core.show.findings.numbers import mirrored, signed, signed_with_interval, with_interval
from pcf_core.show.wording import sentences

MATCHED: Mapping[Matching, str] = {
    "exact": "exact matches alone",
    "close": "close matches too",
    "broad": "broad matches too",
}
SURE = 0.05
LEAST_WIDER = 0.01  # of an interval; less is not mentioned
MOST_ZEROS = 0.5  # share of points
MODERATE, STRONG = 0.09, 0.25  # R² from which a link is called so: r = 0.3 and 0.5 of Cohen (1988)
ALIKE = "occupations counted equally"

say = sentences("factors")


def factors_answer(model: str, panels: Sequence[FactorPanel]) -> str:
    """Say with which factors a model's risk rises or falls beyond chance, occupations counted equally."""
    tested = [panel for panel in panels if panel.ols is not None]
    if not tested:
        return ""
    slopes_shown = [
        (panel.scale.noun, panel.ols.slope) for panel in tested if panel.ols and survives(panel.ols)
    ]
    return say(
        "answer",
        model=model,
        quantity=tested[0].quantity,
        rises=[noun for noun, slope in slopes_shown if slope >= 0],
        falls=[noun for noun, slope in slopes_shown if slope < 0],
        tested=[panel.scale.noun for panel in tested],
    )


def no_figures_note(panels: Sequence[FactorPanel]) -> str:
    """Say that the statistics have none of these occupations, or matters; "" if they have some."""
    return "" if any(panel.points for panel in panels) else say("no_figures")


def by_weight(scale: FactorScale) -> str:
    """Say what the weighted line counts more."""
    return say("by_weight", own=scale.name == "own")


def link_strength(model: str, panel: FactorPanel) -> str:
    """Say how strongly a factor goes with a model's risk if occupations count equally; "" if by chance."""
    if panel.ols is None:
        return say("no_line_fitted", reason=panel.no_ols)
    if not survives(panel.ols):
        return ""
    share = panel.ols.r_squared
    strong, moderate = share >= STRONG, share >= MODERATE
    return say(
        "link",
        model=model,
        noun=panel.scale.noun,
        quantity=panel.quantity,
        share=share,
        strong=strong,
        moderate=moderate,
    )


def factors_finding(model: str, panels: Sequence[FactorPanel]) -> str:
    """Say which factors go with a model's risk, by how much, and which may be chance after correction."""
    if not panels:
        return ""
    clear, unclear = _sorted(panels)
    by_people = [
        (by_weight(panel.scale), _difference(panel.scale, panel.wls))
        for panel in panels
        if panel.wls is not None and survives(panel.wls)
    ]
    return say(
        "finding",
        model=model,
        quantity=panels[0].quantity,
        told=clear,
        unclear=unclear,
        by_people=by_people,  # the weighted line may be significant
        lost=[panel.scale.noun for panel in panels if panel.ols and lost_to_correction(panel.ols)],
        slopes=slopes(panels),
        missing=[panel.scale.noun for panel in panels if panel.ols is None],
    )


def slopes_note(panels: Sequence[FactorPanel]) -> str:
    """Say for how many slopes the p values are corrected, "" for fewer than two."""
    tested = slopes(panels)
    return "" if tested < 2 else say("slopes_together", slopes=tested)


def templates_note(panels: Sequence[FactorPanel]) -> str:
    """Say by how much the templates' noise widens the slopes' intervals; "" without a fit."""
    fits = {panel.scale.noun: panel.ols for panel in panels if panel.ols is not None}
    if not fits:
        return ""
    more = {noun: fit.widened - 1 for noun, fit in fits.items() if fit.widened is not None}
    if not more:
        return say("one_template")
    wider = [say("widened_by", share=by, noun=noun) for noun, by in more.items() if by >= LEAST_WIDER]
    return say("widened", wider=wider)


def matching_finding(model: str, panels: Mapping[Matching, Sequence[FactorPanel]]) -> str:
    """Say whether the matching of occupations with statistics changes which factors go with the risk."""
    by_matching = {
        matching: [panel.scale.noun for panel in several if panel.ols is not None and survives(panel.ols)]
        for matching, several in panels.items()
    }
    quantity = next(iter(panels.values()))[0].quantity
    first, *others = by_matching.values()
    if all(one == first for one in others):
        return say("whichever_matches", model=model, quantity=quantity, nouns=first)
    parts = [
        say("with_matches", nouns=nouns, matches=MATCHED[matching]) for matching, nouns in by_matching.items()
    ]
    return say("depends_on_matches", model=model, quantity=quantity, parts=parts)


def factor_title(panel: FactorPanel) -> str:
    """Say for a title whether the risk rises or falls with a factor, beyond chance; "" without a line."""
    if panel.ols is None:
        return ""
    fits = ((panel.ols, ""), (panel.wls, by_weight(panel.scale)))
    clear = [(fit.slope, weighing) for fit, weighing in fits if fit is not None and survives(fit)]
    slope, weighing = clear[0] if clear else (None, "")
    return say("title", quantity=panel.quantity, slope=slope, noun=panel.scale.noun, weighing=weighing)


def slopes(panels: Sequence[FactorPanel]) -> int:
    """Count the slopes that are tested together, weighted and unweighted."""
    return sum(fit is not None for panel in panels for fit in (panel.ols, panel.wls))


def lost_to_correction(fit: LineFit) -> bool:
    """Return whether a slope is significant alone, but not after correction."""
    return excludes_zero(fit.interval) and not survives(fit)


def survives(fit: LineFit) -> bool:
    """Return whether a slope is significant after correction."""
    return fit.adjusted_p is not None and fit.adjusted_p < SURE


def figures_note(model: str, panels: Sequence[FactorPanel]) -> str:
    """Say whose slopes the key figures are, and which survive correction; "" without a line."""
    fitted = [panel for panel in panels if panel.ols is not None]
    if not fitted:
        return ""
    clear = [panel.scale.noun for panel in fitted if panel.ols is not None and survives(panel.ols)]
    lost = [panel.scale.noun for panel in fitted if panel.scale.noun not in clear]
    return say(
        "figures",
        model=model,
        quantity=fitted[0].quantity,
        slopes=slopes(panels),
        kept=clear,
        lost=lost,
    )


def slope_with_interval(scale: FactorScale, fit: LineFit) -> str:
    """Write the signed slope per step of its scale, with its interval."""
    return signed_with_interval(scale.step * fit.slope, told_interval(scale, fit.interval))


def slope(scale: FactorScale, fit: LineFit) -> str:
    """Write the signed slope per step of its scale, for a key figure."""
    return signed(scale.step * fit.slope)


def told_interval(scale: FactorScale, interval: Interval) -> Interval:
    """Return a slope's interval per step of its scale."""
    return interval.model_copy(update={"low": scale.step * interval.low, "high": scale.step * interval.high})


def _sorted(panels: Sequence[FactorPanel]) -> tuple[list[str], list[str]]:
    """Return phrases on significant slopes, and the names of the other factors."""
    clear, unclear = [], []
    for panel in panels:
        if panel.ols is None:
            continue
        if survives(panel.ols):
            clear.append(_difference(panel.scale, panel.ols))
        else:
            unclear.append(panel.scale.noun)
    return clear, unclear


def _difference(scale: FactorScale, fit: LineFit) -> str:
    """Write a slope in words: "higher by 0.02 (0.01–0.03) for occupations that …"."""
    interval, higher = told_interval(scale, fit.interval), fit.slope >= 0
    return say(
        "difference",
        higher=higher,
        by=scale.step * abs(fit.slope),
        interval=interval if higher else mirrored(interval),
        whose=scale.whose,
        carrier=fit.carrier.label if fit.carried else "",
    )


def line_notes(panel: FactorPanel) -> list[str]:
    """Describe both lines of a panel, and their caveats."""
    notes = [
        _line_note(panel, panel.ols, ALIKE, panel.no_ols, solid=True),
        _line_note(panel, panel.wls, by_weight(panel.scale), panel.no_wls, solid=False),
    ]
    for fit, name in ((panel.ols, "solid"), (panel.wls, "dashed")):
        if fit is not None and fit.carried:
            notes.append(carried_note(panel.scale, fit, name))
    points, zeros = len(panel.points), sum(point.risk == 0 for point in panel.points)
    if zeros > MOST_ZEROS * points:
        notes.append(say("mostly_zero", points=points, quantity=panel.quantity, zeros=zeros))
    capped = [point.value for point in panel.points if point.at_least]
    if capped:
        unit = panel.scale.title.partition(", ")[2]
        notes.append(
            say("statistics_stop", lines=len(capped), noun=panel.scale.noun, value=capped[0], unit=unit)
        )
    if panel.left_out:
        notes.append(say("left_out", occupations=len(panel.left_out)))
    return notes


def carried_note(scale: FactorScale, fit: LineFit, name: str) -> str:
    """Say that a slope depends on one point, and what it is without it."""
    carrier = fit.carrier
    without = ""
    if carrier.slope is not None and carrier.interval is not None:
        without = with_interval(scale.step * carrier.slope, told_interval(scale, carrier.interval))
    return say("carried", solid=name == "solid", carrier=carrier, without=without)


def _line_note(panel: FactorPanel, fit: LineFit | None, which: str, reason: str, *, solid: bool) -> str:
    if fit is None:
        return say("no_line", which=which, solid=solid, reason=reason)
    return say(
        "line",
        which=which,
        solid=solid,
        slope=slope_with_interval(panel.scale, fit),
        per=panel.scale.per,
        fit=fit,
        of_statistics=panel.scale.name not in ("word_frequency", "own"),
        weighed=fit.effective_n < fit.n - 0.5,
    )

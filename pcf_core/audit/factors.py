"""Risk joined with figures of the occupations: what is regressed on what (PCF 4.4, BVF C.2).

A line of the US statistics counts once, however many words share it: its risk is the mean of theirs, its
weight the people employed in it.  The frequency of a word is its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from pcf_core.records import LeftOut, RiskReport
from pcf_core.records.factors import FactorPanel, FactorPoint, FactorScale, LineFit, OwnFactor, Quantity
from pcf_core.stats import fit_line, holm, why_no_line
from pcf_core.topics.factors import Factor, factors, why_unused

WAGE = FactorScale(
    name="wage",
    noun="wage",
    title="median wage, thousand US$ a year",
    more="higher pay",
    step=10,
    per="10,000 US$",
    whose="with a wage of 10,000 US$ a year more",
)
EDUCATION = FactorScale(
    name="education_years",
    noun="education",
    title="mean years of education",
    more="longer",
    step=1,
    per="1 year",
    whose="with one more year of education",
)
WOMEN = FactorScale(
    name="women_share",
    noun="women's share",
    title="women among the employed, %",
    more="more women",
    step=10,
    per="10 points",
    whose="with 10 percentage points more women",
)
FREQUENCY = FactorScale(
    name="word_frequency",
    noun="word frequency",
    title="times the word occurs in Wikipedia texts (log)",
    more="more often",
    step=1,
    per="×10",
    whose="whose word is ten times as frequent",
    log=True,
)
SMALLEST_STEP = 1e-300
READ: Mapping[str, tuple[Callable[[Factor], float | None], str]] = {
    "wage": (lambda factor: _times(factor.median_annual_wage_usd, 1e-3), "wage"),
    "education_years": (lambda factor: factor.mean_education_years, "education"),
    "women_share": (lambda factor: _times(factor.women_share, 100), "women_share"),
    "word_frequency": (lambda factor: factor.word_frequency, "word_frequency"),
}


def factor_panels(
    report: RiskReport, quantity: Quantity, *, broad: bool = False, own: OwnFactor | None = None
) -> tuple[FactorPanel, ...]:
    """Wage, education, women's share and word frequency, and a user's own figures, each against risk.

    P values are corrected by Holm's method for all slopes of the answer, those of both kinds of lines.

    Args:
        report: risk per occupation.
        quantity: which risk.
        broad: whether words count that only a wider line of the statistics covers.
        own: a user's figures, as a further panel.

    Raises:
        EvidenceError: the table of the statistics is missing or damaged.
    """
    risks = {row.occupation: float(getattr(row, quantity)) for row in report.occupations}
    known = factors()
    figures = {word: known.get(word.casefold()) for word in risks}
    lines = _lines(figures, broad)
    panels = [_line_panel(scale, quantity, risks, figures, lines) for scale in (WAGE, EDUCATION, WOMEN)]
    panels.append(_word_panel(quantity, risks, figures, lines))
    if own is not None:
        panels.append(_own_panel(own, quantity, risks))
    return _adjusted(panels)


def _lines(figures: Mapping[str, Factor | None], broad: bool) -> dict[str, list[str]]:
    """Title of a line -> the words that stand for it."""
    lines: dict[str, list[str]] = {}
    for word, factor in figures.items():
        if factor is not None and (factor.used or (broad and factor.match == "broad")):
            lines.setdefault(factor.bls_title, []).append(word)
    return lines


def _line_panel(
    scale: FactorScale,
    quantity: Quantity,
    risks: Mapping[str, float],
    figures: Mapping[str, Factor | None],
    lines: Mapping[str, Sequence[str]],
) -> FactorPanel:
    """A point for each line that has the figure."""
    read, column = READ[scale.name]
    points: list[FactorPoint] = []
    used = {word for words in lines.values() for word in words}
    left_out = [LeftOut(name=word, reason=why_unused(figures[word])) for word in risks if word not in used]
    sources: set[str] = set()
    for title, words in lines.items():
        first = figures[words[0]]
        value = read(first) if first is not None else None
        if first is None or value is None:
            reason = f"the statistics publish no such figure for the line {title}"
            left_out += [LeftOut(name=word, reason=reason) for word in words]
            continue
        points.append(
            FactorPoint(
                label=title,
                words=tuple(words),
                value=value,
                risk=math.fsum(risks[word] for word in words) / len(words),
                weight=first.employment_thousands,
                at_least=scale is WAGE and bool(first.wage_top_coded),
            )
        )
        sources.add(_source(first, column))
    return _panel(scale, quantity, points, left_out, sources)


def _word_panel(
    quantity: Quantity,
    risks: Mapping[str, float],
    figures: Mapping[str, Factor | None],
    lines: Mapping[str, Sequence[str]],
) -> FactorPanel:
    """A point for each word that was counted; the words of one line share its people equally."""
    weights: dict[str, float] = {}
    for words in lines.values():
        line = figures[words[0]]
        if line is not None and line.employment_thousands is not None:
            weights |= dict.fromkeys(words, line.employment_thousands / len(words))
    points: list[FactorPoint] = []
    left_out: list[LeftOut] = []
    sources: set[str] = set()
    for word, risk in risks.items():
        factor = figures[word]
        if factor is None or factor.word_frequency is None:
            left_out.append(LeftOut(name=word, reason="the word was not counted"))
        elif factor.word_frequency == 0:
            left_out.append(LeftOut(name=word, reason="the word never occurs, and 0 has no logarithm"))
        else:
            points.append(FactorPoint(word, (word,), factor.word_frequency, risk, weights.get(word)))
            sources.add(_source(factor, "word_frequency"))
    return _panel(FREQUENCY, quantity, points, left_out, sources)


def _own_panel(own: OwnFactor, quantity: Quantity, risks: Mapping[str, float]) -> FactorPanel:
    """A point for each occupation to which the user's file gives a value."""
    points = [
        FactorPoint(word, (word,), own.values[key], risk, own.weights.get(key))
        for word, risk in risks.items()
        if (key := word.casefold()) in own.values
    ]
    here = {word.casefold() for word in risks}
    left_out = [*own.left_out]
    named = {item.name.casefold() for item in own.left_out}
    for word in risks:
        if word.casefold() not in own.values and word.casefold() not in named:
            left_out.append(LeftOut(name=word, reason="the file does not have it"))
    for term in own.values:
        if term not in here:
            left_out.append(LeftOut(name=term, reason="the file has it, but it is not among the occupations"))
    step = _step([point.value for point in points])
    whose = f"with {step:g} more of “{own.title}”"
    scale = FactorScale(
        name="own",
        noun=own.title,
        title=own.title,
        more="more",
        step=step,
        per=f"{step:g}",
        whose=whose,
    )
    return _panel(scale, quantity, points, left_out, {"a file of your own"})


def _panel(
    scale: FactorScale,
    quantity: Quantity,
    points: Sequence[FactorPoint],
    left_out: Iterable[LeftOut],
    sources: Iterable[str],
) -> FactorPanel:
    """The points with the lines through them, where there are any."""
    weighed = [point for point in points if point.weight is not None]
    ols, no_ols = _line(scale, points, None)
    wls, no_wls = _line(scale, weighed, [point.weight or 0.0 for point in weighed])
    return FactorPanel(
        scale=scale,
        quantity=quantity,
        points=tuple(points),
        ols=ols,
        wls=wls,
        no_ols=no_ols,
        no_wls=no_wls,
        left_out=tuple(left_out),
        sources=tuple(sorted(sources)),
    )


def _line(
    scale: FactorScale, points: Sequence[FactorPoint], weights: Sequence[float] | None
) -> tuple[LineFit | None, str]:
    """The line through the points, or why there is none."""
    if weights is not None and not weights:
        return None, "no point has a weight"
    x = [math.log10(point.value) if scale.log else point.value for point in points]
    risks = [point.risk for point in points]
    reason = why_no_line(x, risks, weights)
    if reason:
        return None, reason
    return fit_line(x, risks, weights, [point.label for point in points]), ""


def _adjusted(panels: Sequence[FactorPanel]) -> tuple[FactorPanel, ...]:
    """The panels with p values that are corrected for all of their slopes."""
    found = [fit for panel in panels for fit in (panel.ols, panel.wls) if fit is not None]
    corrected = iter(holm([fit.p_value for fit in found]))

    def told(fit: LineFit | None) -> LineFit | None:
        return None if fit is None else replace(fit, adjusted_p=next(corrected))

    return tuple(replace(panel, ols=told(panel.ols), wls=told(panel.wls)) for panel in panels)


def _step(values: Sequence[float]) -> float:
    """The largest power of ten that the values span, as far as it is a number."""
    spread = max(values, default=0.0) - min(values, default=0.0)
    if spread <= 0:
        return 1.0
    return float(10.0 ** math.floor(math.log10(min(max(spread, SMALLEST_STEP), 1 / SMALLEST_STEP))))


def _times(value: float | None, unit: float) -> float | None:
    return None if value is None else value * unit


def _source(factor: Factor, column: str) -> str:
    return f"{getattr(factor, f'{column}_source')}, {getattr(factor, f'{column}_year')}"

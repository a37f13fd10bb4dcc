"""Risk joined with statistics of the occupations (PCF 4.4, BVF C.2), and tilts with the training text.

A row of the US statistics counts once: its risk is the mean of its words, its weight the people employed.

An occupation is compared with the training text if at least 20 documents of it have a majority, and at least
a fifth of those that name it write the word in lower case, so not as part of a name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from pcf_core.audit.reading import RunView
from pcf_core.core.errors import TopicError
from pcf_core.core.factors import (
    MATCHINGS,
    Amplification,
    FactorPanel,
    FactorPoint,
    FactorScale,
    LineFit,
    Matching,
    OwnFactor,
    Quantity,
    ReadCount,
    ReadTable,
)
from pcf_core.core.records import FloatArray, LeftOut
from pcf_core.core.risk import MeanTilt, RiskReport
from pcf_core.core.topics import Evidence
from pcf_core.material.factors import Factor, factors, why_unused
from pcf_core.measure.amplification import amplification_of
from pcf_core.measure.regression import TemplateNoise, fit_line, template_noise, why_no_line
from pcf_core.measure.resampling import TemplateUnit
from pcf_core.measure.ties import holm

WAGE = FactorScale(
    name="wage",
    noun="wage",
    title="median wage, thousand US$ a year",
    more="higher pay",
    step=10,
    per="10,000 US$",
    added="+10,000 US$",
    whose="paying 10,000 US$ more a year",
)
EDUCATION = FactorScale(
    name="education_years",
    noun="education",
    title="mean years of education",
    more="longer",
    step=1,
    per="year",
    added="+1 year",
    whose="with one more year of education",
)
WOMEN = FactorScale(
    name="women_share",
    noun="women's share",
    title="women among the employed, %",
    more="more women",
    step=10,
    per="10 percentage points",
    added="+10 points",
    whose="with 10 percentage points more women",
)
FREQUENCY = FactorScale(
    name="word_frequency",
    noun="word frequency",
    title="times the word occurs in Wikipedia texts (log)",
    more="more often",
    step=1,
    per="tenfold increase",
    added="×10",
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
    report: RiskReport,
    quantity: Quantity,
    *,
    matching: Matching = "close",
    own: OwnFactor | None = None,
    noise: TemplateNoise | None = None,
) -> tuple[FactorPanel, ...]:
    """Make panels of wage, education, women's share, word frequency and own figures, each against risk.

    P-values are corrected by Holm's method for all slopes of both kinds of lines.  ``matching``: how well a
    word has to fit its row of the statistics.  ``noise``: variation of these risks over templates; ``None``:
    they are taken as exact.  Raises EvidenceError if the table of the statistics is missing or damaged.
    """
    risks = {row.occupation: float(getattr(row, quantity)) for row in report.occupations}
    all_factors = factors()
    figures = {word: all_factors.get(word.casefold()) for word in risks}
    lines = _lines(figures, matching)
    made = [
        _line_panel(scale, quantity, risks, figures, lines, matching) for scale in (WAGE, EDUCATION, WOMEN)
    ]
    made.append(_word_panel(quantity, risks, figures, lines))
    if own is not None:
        made.append(_own_panel(own, quantity, risks))
    return _adjusted([_with_lines(panel, noise) for panel in made])


def noise_of(reading: RunView, unit: TemplateUnit, quantity: Quantity) -> TemplateNoise | None:
    """Return how the risks of a run vary over whole templates, given the ``unit`` of its intervals."""
    matrix = reading.matrix
    stereotypes = matrix.criterion.stereotypes(matrix.values)
    return template_noise(matrix.occupations, stereotypes, unit.whole, matrix.criterion, quantity)


def _lines(figures: Mapping[str, Factor | None], matching: Matching) -> dict[str, list[str]]:
    """Return the words that stand for each row, by its title."""
    fitting = MATCHINGS[: MATCHINGS.index(matching) + 1]
    lines: dict[str, list[str]] = {}
    for word, factor in figures.items():
        if factor is not None and factor.match in fitting:
            lines.setdefault(factor.bls_title, []).append(word)
    return lines


def _line_panel(
    scale: FactorScale,
    quantity: Quantity,
    risks: Mapping[str, float],
    figures: Mapping[str, Factor | None],
    lines: Mapping[str, Sequence[str]],
    matching: Matching,
) -> FactorPanel:
    read, column = READ[scale.name]
    points: list[FactorPoint] = []
    used = {word for words in lines.values() for word in words}
    left_out = [
        LeftOut(name=word, reason=why_unused(figures[word], matching)) for word in risks if word not in used
    ]
    sources: set[str] = set()
    for title, words in lines.items():
        first = figures[words[0]]
        value = read(first) if first is not None else None
        if first is None or value is None:
            reason = f"the statistics give no such figure for {title}"
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
    return FactorPanel(
        scale, quantity, tuple(points), left_out=tuple(left_out), sources=tuple(sorted(sources))
    )


def _word_panel(
    quantity: Quantity,
    risks: Mapping[str, float],
    figures: Mapping[str, Factor | None],
    lines: Mapping[str, Sequence[str]],
) -> FactorPanel:
    """Make a panel with a point for each counted word; the words of one row share its people equally."""
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
            left_out.append(LeftOut(name=word, reason="nobody counted how often the word occurs"))
        elif factor.word_frequency == 0:
            reason = "the word never occurs in the counted texts, and zero has no logarithm"
            left_out.append(LeftOut(name=word, reason=reason))
        else:
            points.append(FactorPoint(word, (word,), factor.word_frequency, risk, weights.get(word)))
            sources.add(_source(factor, "word_frequency"))
    return FactorPanel(
        FREQUENCY, quantity, tuple(points), left_out=tuple(left_out), sources=tuple(sorted(sources))
    )


def _own_panel(own: OwnFactor, quantity: Quantity, risks: Mapping[str, float]) -> FactorPanel:
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
            left_out.append(LeftOut(name=word, reason="the file has no value for it"))
    for term in own.values:
        if term not in here:
            left_out.append(
                LeftOut(name=term, reason="it is in the file, but not in the list of occupations")
            )
    step = _step([point.value for point in points])
    scale = FactorScale(
        name="own",
        noun=own.title,
        title=own.title,
        more="more",
        step=step,
        per=f"increase of {step:g}",
        added=f"+{step:g}",
        whose=f"whose “{own.title}” is higher by {step:g}",
    )
    return FactorPanel(scale, quantity, tuple(points), left_out=tuple(left_out), sources=("your own file",))


def _with_lines(panel: FactorPanel, noise: TemplateNoise | None) -> FactorPanel:
    weighed = [point for point in panel.points if point.weight is not None]
    ols, no_ols = _line(panel.scale, panel.points, None, noise)
    wls, no_wls = _line(panel.scale, weighed, [point.weight or 0.0 for point in weighed], noise)
    return replace(panel, ols=ols, wls=wls, no_ols=no_ols, no_wls=no_wls)


def _line(
    scale: FactorScale,
    points: Sequence[FactorPoint],
    weights: Sequence[float] | None,
    noise: TemplateNoise | None,
) -> tuple[LineFit | None, str]:
    if weights is not None and not weights:
        return None, "no occupation has a weight"
    x = [math.log10(point.value) if scale.log else point.value for point in points]
    risks = [point.risk for point in points]
    reason = why_no_line(x, risks, weights)
    if reason:
        return None, reason
    of_points = None if noise is None else noise.means([point.words for point in points])
    return fit_line(x, risks, weights, [point.label for point in points], noise=of_points), ""


def _adjusted(panels: Sequence[FactorPanel]) -> tuple[FactorPanel, ...]:
    fits = [fit for panel in panels for fit in (panel.ols, panel.wls) if fit is not None]
    corrected = iter(holm([fit.p_value for fit in fits]))

    def told(fit: LineFit | None) -> LineFit | None:
        return None if fit is None else replace(fit, adjusted_p=next(corrected))

    return tuple(replace(panel, ols=told(panel.ols), wls=told(panel.wls)) for panel in panels)


def _step(values: Sequence[float]) -> float:
    spread = max(values, default=0.0) - min(values, default=0.0)
    if spread <= 0:
        return 1.0
    return float(10.0 ** math.floor(math.log10(min(max(spread, SMALLEST_STEP), 1 / SMALLEST_STEP))))


def _times(value: float | None, unit: float) -> float | None:
    return None if value is None else value * unit


def _source(factor: Factor, column: str) -> str:
    return f"{getattr(factor, f'{column}_source')}, {getattr(factor, f'{column}_year')}"


# A model's mean stereotypes joined with its training text.


FEWEST_DOCUMENTS = 20
LEAST_AS_WORD = 0.2  # share of the documents; below are surnames (baker, cook) and titles
GROUPS = ("male", "female")


def why_not_compared(count: ReadCount | None) -> str:
    """Return why an occupation is not compared, or an empty string."""
    if count is None:
        return "the documents of the training text that mention it were not counted"
    if count.documents < FEWEST_DOCUMENTS:
        return (
            f"only {count.documents:,} documents mention one gender more often; at least "
            f"{FEWEST_DOCUMENTS} are needed"
        )
    if count.as_word < LEAST_AS_WORD * (count.documents + count.neither):
        return "in the training text the word is mostly part of a name or title"
    return ""


def read_leans(evidence: Evidence, table: ReadTable) -> dict[str, float]:
    """Return the lean of the training text by compared term, −1 (all she) to 1 (all he)."""
    counts = ((term, table.counts.get(term.casefold())) for term in evidence.terms)
    return {term: count.lean for term, count in counts if count is not None and not why_not_compared(count)}


def read_against(
    occupations: Sequence[str],
    groups: Sequence[str],
    stereotypes: FloatArray,
    unit: TemplateUnit,
    tilt: MeanTilt,
    table: ReadTable,
) -> Amplification | None:
    """Compare a model with its training text; ``None`` if no occupation can be compared.

    ``groups``: ``male`` and ``female``, in any order.  ``stereotypes`` [occupation, template, group]: against
    an even split, on the scale that ends at 1.  ``tilt``: mean stereotypes of *male* with intervals over
    templates.  Raises TopicError for other groups.
    """
    if set(groups) != set(GROUPS):
        raise TopicError(
            "The gender of people in the training text is counted for the groups male and female only, but "
            f"this topic has {', '.join(groups)}: choose the topic gender."
        )
    reasons = {name: why_not_compared(table.counts.get(name.casefold())) for name in occupations}
    compared = [index for index, name in enumerate(occupations) if not reasons[name]]
    if not compared:
        return None
    amplification = amplification_of(
        [table.counts[occupations[index].casefold()] for index in compared],
        stereotypes[compared][:, :, list(groups).index("male")],
        unit,
        [tilt.interval(occupations[index]) for index in compared],
    )
    left_out = tuple(LeftOut(name=name, reason=reason) for name, reason in reasons.items() if reason)
    return replace(amplification, left_out=left_out)

"""What the embedding score shows, in sentences: above 0 the texts for women's names lean more to *she*."""

from __future__ import annotations

from itertools import combinations

from pcf_core.show.findings.hobbies import effect_text, p_text
from pcf_core.show.findings.numbers import count, number, with_interval
from pcf_core.texts.criteria.records.independence import (
    HEADLINE,
    EmbeddingGap,
    EmbeddingReading,
    EmbeddingReport,
    Variant,
)
from pcf_core.texts.criteria.records.runs import EmbeddingResult

NOT_ALIKE = (
    "The models were not asked in one wording, as often, with texts drawn in one way: what lies between them "
    "may come from that."
)


def embedding_finding(report: EmbeddingReport, variant: Variant = HEADLINE) -> str:
    """State d, its test, and whether the seeds agree, for every model; or why there is no axis."""
    if report.undefined:
        return f"There is no embedding score, as {report.undefined} ({report.label})."
    readings = report.of(variant)
    if not readings:
        return (
            f"There is no embedding score {variant}: no text of a gender has a known word ({report.label})."
        )
    return (
        f"Embedding score {variant}, from {count(report.texts, 'text')} of "
        f"{count(len(report.models), 'model')}. {'. '.join(map(_reading, readings))} ({report.label})."
    )


def gap_finding(gap: EmbeddingGap) -> str:
    """Say how far the d of two models lie apart."""
    shown = with_interval(gap.difference, gap.interval)
    known = [seed for seed in gap.seeds if seed is not None]
    spread = f", {number(min(known))} to {number(max(known))} by seed" if len(known) > 1 else ""
    if gap.interval is None or gap.interval.low <= 0 <= gap.interval.high:
        verdict = "which is larger is not shown"
    elif not gap.steady:
        verdict = "which is larger hangs on the seed: there are too few texts"
    else:
        verdict = f"the larger is that of {gap.second if gap.difference > 0 else gap.first}"
    return f"The effect of {gap.second} less that of {gap.first} is {shown}{spread}: {verdict}."


def embedding_findings(result: EmbeddingResult) -> tuple[str, ...]:
    """Say what each of several models shows, how far every two lie apart, and if they were asked alike."""
    report = result.report
    return (
        embedding_finding(report),
        *(gap_finding(gap) for gap in report.gaps_of()),
        *_incomparable(report),
        *([] if result.asked.alike else [NOT_ALIKE]),
    )


def _incomparable(report: EmbeddingReport) -> list[str]:
    """Name every two models of which an effect is undefined; none where there is no axis."""
    known = {(gap.first, gap.second) for gap in report.gaps_of()}
    return [
        f"{first} and {second} cannot be compared: an effect is undefined, or no name of a gender has a "
        "known word in the texts of both."
        for first, second in combinations(report.models, 2)
        if (first, second) not in known and not report.undefined
    ]


def leak_finding(report: EmbeddingReport, model: str) -> str:
    """Say what gendered words bring by themselves: the paper's version and the headline; empty where none."""
    by_variant = {one.variant: one.difference.effect for one in report.readings if one.model == model}
    headline, published = by_variant.get(HEADLINE), by_variant.get("all words")
    if headline is None or published is None:
        return ""
    return (
        f"With gendered words in the mean, as in the paper, the effect of {model} is {number(published)} "
        f"instead of {number(headline)}: a text that says “she” scores as gendered by that alone."
    )


def _reading(one: EmbeddingReading) -> str:
    found = one.difference
    effects = [seed.effect for seed in one.seeds if seed.effect is not None]
    spread = f", {number(min(effects))} to {number(max(effects))} by seed" if len(effects) > 1 else ""
    control = "" if found.adjusted is None else f", controlled for the models {p_text(found.adjusted)}"
    if one.differs:
        side = "she" if (found.effect or 0) > 0 else "he"
        verdict = f"its texts for women's names lean more to “{side}” than those for men's"
    elif found.differs:
        verdict = "its texts differ by gender, but to which side hangs on the seed: there are too few of them"
    else:
        verdict = "no lean is shown"
    return (
        f"{one.model}: {effect_text(found)}{spread}, {p_text(found.p_value)} over "
        f"{count(sum(found.names), 'name')}{control}; {verdict}"
    )

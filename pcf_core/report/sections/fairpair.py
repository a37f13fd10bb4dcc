"""FairPair as panels and tables: how differently models write about two persons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from pcf_core.report import how_to_read
from pcf_core.report.documents import interval_cells
from pcf_core.report.loaded import PROGRAM, unlike_names
from pcf_core.report.panels import Panel
from pcf_core.show.charts.fairpair import category_bars, phrase_dots, ratio_dots, variation_bars
from pcf_core.show.findings.fairpair import (
    bars_finding,
    categories_finding,
    fairpair_finding,
    fairpair_title,
    notes,
    perturber_finding,
    sentiment_finding,
    settings_finding,
    silence_warning,
    words_finding,
)
from pcf_core.show.findings.numbers import begun, listed
from pcf_core.texts.fairpair.records import (
    LABEL,
    Convergence,
    FairPairReport,
    FairPairResult,
    PromptPairs,
    Variation,
    WordReport,
)
from pcf_core.texts.fairpair.report import controlled

FAIRPAIR_SOURCE = f"{PROGRAM} · FairPair"


def fairpair_panels(results: Sequence[FairPairResult]) -> list[Panel]:
    """Show models with the same settings side by side, then each one's words."""
    panels = []
    names = dict(zip((result.asked.hash for result in results), labels(results), strict=True))
    for several in _asked_alike(results):
        measure = next(name for name in several[0].reports if all(name in one.reports for one in several))
        named = {names[result.asked.hash]: result for result in several}
        reports = read_together(named, measure)
        panels += [_models_panel(named, reports), variation_panel(reports)]
        for name, result in named.items():
            panels += [words_panel(name, result.words), categories_panel(name, result.words)]
    return panels


def read_together(results: Mapping[str, FairPairResult], measure: str) -> dict[str, FairPairReport]:
    """Return reports at equal settings under one Φ, p-values controlled for all of them."""
    reports = controlled([result.reports[measure] for result in results.values()])
    return dict(zip(results, reports, strict=True))


def _models_panel(results: Mapping[str, FairPairResult], reports: Mapping[str, FairPairReport]) -> Panel:
    request = next(iter(results.values())).asked
    first, second = request.prompts.names
    panel = ratio_panel(reports, list(reports))
    return replace(
        panel,
        title=f"{request.prompts.title}: {first} and {second}",
        findings=[
            *panel.findings,
            *(f"{name}: {bars_finding(report)}" for name, report in reports.items()),
            *(f"{name}: {sentiment_finding(report)}" for name, report in reports.items()),
        ],
        notes=[
            f"{begun(LABEL)}.",
            settings_finding(request, len(results)),
            *(f"{name}: {perturber_finding(result.errors)}" for name, result in results.items()),
            *(silence_warning(result) for result in results.values()),
            *(f"{name}: {line}" for name, report in reports.items() for line in notes(report)),
        ],
    )


def ratio_panel(reports: Mapping[str, FairPairReport], order: Sequence[str]) -> Panel:
    """Show F of each model against 1; ``order``: all models, for colours."""
    return Panel(
        findings=[fairpair_finding(report) for report in reports.values()],
        heading="How differently each model writes",
        claim=fairpair_title(reports),
        source=FAIRPAIR_SOURCE,
        key="fairpair_ratio",
        name="fairpair",
        alt=f"Ratio of differences of {listed(list(reports))}, against 1",
        chart=partial(ratio_dots, reports, order),
        how=how_to_read.FAIRPAIR,
        table=lambda: _models_table(reports),
        table_title="Ratio of differences of each model, and what it is made of",
    )


def variation_panel(reports: Mapping[str, FairPairReport]) -> Panel:
    """Show B and both V of each model."""
    return Panel(
        heading="How far texts differ, between the two sides and within each",
        source=FAIRPAIR_SOURCE,
        key="fairpair_bars",
        name="fairpair-variation",
        alt=f"Differences between and within the sides, {listed(list(reports))}",
        chart=partial(variation_bars, reports),
    )


def words_panel(name: str, words: WordReport) -> Panel:
    """Show the phrases that either side of one model has more often."""
    return Panel(
        title=f"Words of {name}",
        findings=[words_finding(words)],
        source=FAIRPAIR_SOURCE,
        key="fairpair_phrases",
        name="fairpair-words",
        alt=f"Phrases that either side of {name} has more often",
        chart=partial(phrase_dots, words),
        how=how_to_read.FAIRPAIR_WORDS,
        table=lambda: _phrases_table(words),
        table_title=f"Phrases, {name}",
        table_name="fairpair-phrases",
    )


def categories_panel(name: str, words: WordReport) -> Panel:
    """Show the shares of texts with a word of each category."""
    return Panel(
        findings=[categories_finding(words)],
        source=FAIRPAIR_SOURCE,
        key="fairpair_categories",
        name="fairpair-categories",
        alt=f"Texts of {name} with words of each category",
        chart=partial(category_bars, words),
        table=lambda: categories_table(words),
        table_title=f"Categories, {name}",
    )


def _asked_alike(results: Sequence[FairPairResult]) -> list[list[FairPairResult]]:
    """Group results whose requests differ only in the model."""
    groups: dict[tuple[object, ...], list[FairPairResult]] = {}
    for result in results:
        request, exchange = result.asked, result.asked.perturbation
        asked_for = (request.prompts.hash, request.count, request.fold_size, request.dissimilarities)
        exchanged = (exchange.hash, exchange.reverse, exchange.mode)
        groups.setdefault((asked_for, exchanged, request.key.decoding), []).append(result)
    return list(groups.values())


def labels(results: Sequence[FairPairResult]) -> list[str]:
    """Name each result by its model, with digits of the request if not unique."""
    models = [result.asked.key.name for result in results]
    return unlike_names(models, [result.asked.hash for result in results])


def _models_table(reports: Mapping[str, FairPairReport]) -> pd.DataFrame:
    return pd.DataFrame([{"model": model, **_report_row(report)} for model, report in reports.items()])


def temperatures_table(reports: Mapping[str, Mapping[float, FairPairReport]]) -> pd.DataFrame:
    """Make a table with one row per model and temperature."""
    return pd.DataFrame(
        [
            {"model": model, "temperature": temperature, **_report_row(report)}
            for model, by_temperature in reports.items()
            for temperature, report in sorted(by_temperature.items())
        ]
    )


def prompts_table(report: FairPairReport) -> pd.DataFrame:
    """Make a table with one row per prompt."""
    return pd.DataFrame(
        [
            {
                "prompt": row.prompt,
                "category": row.category,
                **_variation(row),
                "F of random labels": row.chance_ratio,
                "p": row.p_value,
                "p controlled": row.controlled_p,
                "differs": row.differs,
                f"sentiment {report.original}": row.sentiment.original,
                f"sentiment {report.counterpart}": row.sentiment.prompt,
                "texts a side": row.samples,
                "folds": row.folds,
                f"without a word, {report.original}": row.empty_original,
                f"without a word, {report.counterpart}": row.empty_prompt,
            }
            for row in report.prompts
        ]
    )


def convergence_table(curves: Mapping[str, Convergence]) -> pd.DataFrame:
    """Make a table with one row per model, kind of curve and point."""
    names = ("at", "B", "V of p(g(x))", "V of g(p(x))", "F")
    rows: list[dict[str, object]] = []
    for model, convergence in curves.items():
        for over, course in (("texts a side", convergence.samples), ("folds", convergence.folds)):
            columns = (course.places, course.between, course.within_original, course.within_prompt)
            for cells in zip(*columns, course.ratio, strict=True):
                rows.append({"model": model, "over": over, **dict(zip(names, cells, strict=True))})
    return pd.DataFrame(rows)


def _phrases_table(report: WordReport) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "phrase": row.words,
                "more for": report.counterpart if row.more_in == "prompt" else report.original,
                f"texts for {report.original}": row.original,
                f"texts for {report.counterpart}": row.prompt,
                "log-odds": row.log_odds,
                "z": row.z_score,
                "p": row.p_value,
                "p controlled": row.adjusted,
                "differs": row.differs,
                "exchanged": row.exchanged,
                "categories": ", ".join(row.categories),
            }
            for row in report.words
        ]
    )


def categories_table(report: WordReport) -> pd.DataFrame:
    """Make a table with one row per category, with its most frequent words."""
    return pd.DataFrame(
        [
            {
                "category": row.title,
                f"texts for {report.original}": row.original,
                f"texts for {report.counterpart}": row.prompt,
                "p": row.p_value,
                "p controlled": row.adjusted,
                "differs": row.differs,
                "words": ", ".join(
                    f"{word} ({texts[0]:,} and {texts[1]:,})"
                    for word, texts in sorted(row.words.items(), key=lambda item: -sum(item[1]))
                ),
            }
            for row in report.categories
        ]
    )


def pairs_table(pairs: PromptPairs, report: FairPairReport) -> pd.DataFrame:
    """Make a table with one row per pair of texts of a prompt."""
    return pd.DataFrame(
        {
            "prompt": pairs.prompt,
            "pair": range(1, len(pairs.perturbed_original) + 1),
            f"p(g(x)), written for {report.original}": pairs.perturbed_original,
            f"g(p(x)), written for {report.counterpart}": pairs.perturbed_prompt,
        }
    )


def _report_row(report: FairPairReport) -> dict[str, object]:
    ratio, others = report.intervals.get("ratio_of_means"), report.others
    return {
        "dissimilarity": report.dissimilarity,
        **_variation(report.means),
        **interval_cells("F ", ratio),
        "mean of F": report.mean_ratio,
        "mean of F, random labels": report.chance_ratio,
        "p": report.p_value,
        "p controlled": report.controlled_p,
        "p, signed ranks": report.wilcoxon_p,
        "F of other words": None if others is None else others.ratio,
        **interval_cells("F of other words ", None if others is None else others.interval),
        "p of other words": None if others is None else others.p_value,
        "p of other words controlled": None if others is None else others.controlled_p,
        f"sentiment {report.original}": report.sentiment.original,
        f"sentiment {report.counterpart}": report.sentiment.prompt,
        "prompts": len(report.prompts),
        "relabellings": report.permutations,
        "label": report.label,
    }


def _variation(variation: Variation) -> dict[str, object]:
    return {
        "F": variation.ratio,
        "no F, as": variation.undefined,
        "B": variation.between,
        "V of p(g(x))": variation.within_original,
        "V of g(p(x))": variation.within_prompt,
        "E": variation.energy,
    }

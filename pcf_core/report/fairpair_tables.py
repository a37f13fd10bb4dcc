"""The tables behind FairPair's pictures: one row a model, a prompt, a place of a curve, a phrase, a pair."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pcf_core.core.risk import Interval
from pcf_core.texts.fairpair.records import Convergence, FairPairReport, PromptPairs, Variation, WordReport


def models_table(reports: Mapping[str, FairPairReport]) -> pd.DataFrame:
    """Make a table with one row per model."""
    return pd.DataFrame([{"model": model, **_report_row(report)} for model, report in reports.items()])


def temperatures_table(found: Mapping[str, Mapping[float, FairPairReport]]) -> pd.DataFrame:
    """Make a table with one row per model and temperature."""
    return pd.DataFrame(
        [
            {"model": model, "temperature": temperature, **_report_row(report)}
            for model, by_temperature in found.items()
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


def convergence_table(found: Mapping[str, Convergence]) -> pd.DataFrame:
    """Make a table with one row per model, kind of curve and place on it."""
    rows = []
    for model, convergence in found.items():
        for over, course in (("texts a side", convergence.samples), ("folds", convergence.folds)):
            columns = (course.places, course.between, course.within_original, course.within_prompt)
            rows += [
                {
                    "model": model,
                    "over": over,
                    "at": place,
                    "B": between,
                    "V of p(g(x))": original,
                    "V of g(p(x))": prompt,
                    "F": ratio,
                }
                for place, between, original, prompt, ratio in zip(*columns, course.ratio, strict=True)
            ]
    return pd.DataFrame(rows)


def phrases_table(report: WordReport) -> pd.DataFrame:
    """Make a table with one row per phrase, the strongest first."""
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
    """Make a table with one row per category, with its most frequent words of either side."""
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
    """Make a table with one row per pair of a prompt, the texts as they are."""
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
        "F low": _low(ratio),
        "F high": _high(ratio),
        "mean of F": report.mean_ratio,
        "mean of F, random labels": report.chance_ratio,
        "p": report.p_value,
        "p controlled": report.controlled_p,
        "p, signed ranks": report.wilcoxon_p,
        "F of other words": None if others is None else others.ratio,
        "F of other words low": None if others is None else _low(others.interval),
        "F of other words high": None if others is None else _high(others.interval),
        "p of other words": None if others is None else others.p_value,
        "p of other words controlled": None if others is None else others.controlled_p,
        f"sentiment {report.original}": report.sentiment.original,
        f"sentiment {report.counterpart}": report.sentiment.prompt,
        "prompts": len(report.prompts),
        "relabellings": report.permutations,
        "label": report.label,
    }


def _variation(found: Variation) -> dict[str, object]:
    return {
        "F": found.ratio,
        "no F, as": found.undefined,
        "B": found.between,
        "V of p(g(x))": found.within_original,
        "V of g(p(x))": found.within_prompt,
        "E": found.energy,
    }


def _low(interval: Interval | None) -> float | None:
    return None if interval is None else interval.low


def _high(interval: Interval | None) -> float | None:
    return None if interval is None else interval.high

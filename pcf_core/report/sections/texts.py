"""What the text audits found: FairPair, and the three criteria."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from pcf_core.core.records import digest
from pcf_core.report import how_to_read
from pcf_core.report.criteria_tables import differences_table, rates_table, summary_table
from pcf_core.report.fairpair_tables import categories_table, models_table, phrases_table
from pcf_core.report.panels import Panel, part_of
from pcf_core.report.parts import figure_of, said, table_of
from pcf_core.report.records import ReportPart
from pcf_core.show.charts.answers import rate_dots
from pcf_core.show.charts.criteria_summary import criteria_dots
from pcf_core.show.charts.fairpair import category_bars, phrase_dots, ratio_dots, variation_bars
from pcf_core.show.findings.answers import common_finding, pairs_finding
from pcf_core.show.findings.criteria import criterion_findings, line_finding, summary_finding
from pcf_core.show.findings.fairpair import (
    bars_finding,
    categories_finding,
    fairpair_finding,
    notes,
    sentiment_finding,
    words_finding,
)
from pcf_core.show.findings.fairpair_run import perturber_finding, settings_finding, silence_warning
from pcf_core.show.findings.numbers import listed
from pcf_core.texts.criteria.records.runs import CriteriaResult, CriterionReading
from pcf_core.texts.criteria.records.separation import AnswersReport
from pcf_core.texts.criteria.summary import readings_of
from pcf_core.texts.fairpair.records import LABEL, FairPairAsked, FairPairReport, FairPairResult, WordReport
from pcf_core.texts.fairpair.report import controlled

WAYS = {"written": "texts that were read", "scored": "probabilities of candidate words"}
CRITERIA_LABEL = (
    "Independence, separation and sufficiency as Sterlie, Weng & Feragen 2024 restate them for models that "
    "write (arXiv 2403.08564); wording, lists, intervals and tests are ours."
)


def fairpair_parts(results: Sequence[FairPairResult]) -> list[ReportPart]:
    """Write models that were asked alike side by side, then the words of each."""
    parts = []
    named = dict(zip((result.asked.hash for result in results), labels(results), strict=True))
    for several in asked_alike(results):
        measure = next(name for name in several[0].reports if all(name in one.reports for one in several))
        found = {named[result.asked.hash]: result for result in several}
        several_reports = controlled([result.reports[measure] for result in found.values()])
        reports = dict(zip(found, several_reports, strict=True))
        parts += [models_part(found, reports), part_of(variation_panel(reports))]
        for name, result in found.items():
            parts += words_parts(name, result.words)
    return parts


def models_part(results: Mapping[str, FairPairResult], reports: Mapping[str, FairPairReport]) -> ReportPart:
    """Write F of models that were asked alike, what it is made of, and what has to be known beside it."""
    asked = next(iter(results.values())).asked
    first, second = asked.prompts.names
    panel = ratio_panel(reports, list(reports))
    notes_beside = [
        f"{LABEL[0].upper()}{LABEL[1:]}.",
        settings_finding(asked, len(results)),
        *(f"{name}: {perturber_finding(result.errors)}" for name, result in results.items()),
        *(silence_warning(result) for result in results.values()),
        *(f"{name}: {line}" for name, report in reports.items() for line in notes(report)),
    ]
    beside = [
        *(f"{name}: {bars_finding(report)}" for name, report in reports.items()),
        *(f"{name}: {sentiment_finding(report)}" for name, report in reports.items()),
    ]
    title = f"{asked.prompts.title}: {first} and {second}"
    return part_of(replace(panel, title=title), findings=beside, notes=notes_beside)


def ratio_panel(reports: Mapping[str, FairPairReport], order: Sequence[str]) -> Panel:
    """Show F of each model against 1; ``order``: all models, which decides the colours."""
    return Panel(
        findings=[fairpair_finding(report) for report in reports.values()],
        heading="How differently each model writes",
        key="fairpair_ratio",
        name="fairpair",
        alt=f"F of {listed(list(reports))}, against 1",
        chart=partial(ratio_dots, reports, order),
        how=how_to_read.FAIRPAIR,
        table=lambda: models_table(reports),
        table_title="F of each model, and what it is made of",
    )


def variation_panel(reports: Mapping[str, FairPairReport]) -> Panel:
    """Show B and both V of each model."""
    return Panel(
        heading="How far texts differ, between the two sides and within each",
        key="fairpair_bars",
        name="fairpair-variation",
        alt=f"B and both V of {listed(list(reports))}",
        chart=partial(variation_bars, reports),
    )


def words_panel(name: str, words: WordReport) -> Panel:
    """Show the phrases that either side of one model has more often."""
    return Panel(
        title=f"Words of {name}",
        findings=[words_finding(words)],
        key="fairpair_phrases",
        name="fairpair-words",
        alt=f"Phrases that either side of {name} has more often",
        chart=partial(phrase_dots, words),
        how=how_to_read.FAIRPAIR_WORDS,
        table=lambda: phrases_table(words),
        table_title=f"Phrases, {name}",
        table_name="fairpair-phrases",
    )


def categories_panel(name: str, words: WordReport) -> Panel:
    """Show the shares of texts with a word of each category."""
    return Panel(
        findings=[categories_finding(words)],
        key="fairpair_categories",
        name="fairpair-categories",
        alt=f"Texts of {name} with words of each category",
        chart=partial(category_bars, words),
        table=lambda: categories_table(words),
        table_title=f"Categories, {name}",
    )


def words_parts(name: str, words: WordReport) -> list[ReportPart]:
    """Write the words of one model, and below them the picture of the categories; their table is above."""
    phrases, categories = words_panel(name, words), part_of(categories_panel(name, words))
    part = part_of(phrases, findings=categories.findings)
    part = part.model_copy(update={"tables": (*part.tables, *categories.tables)})
    return [part, categories.model_copy(update={"findings": (), "tables": ()})]


def asked_alike(results: Sequence[FairPairResult]) -> list[list[FairPairResult]]:
    """Group results that can be read together: one set of prompts, exchange, number of texts, decoding."""
    groups: dict[str, list[FairPairResult]] = {}
    for result in results:
        groups.setdefault(settings_of(result.asked), []).append(result)
    return list(groups.values())


def settings_of(asked: FairPairAsked) -> str:
    """Hash all that a request asks for besides its model."""
    decoding = asked.key.decoding.model_dump(mode="json")
    return digest(
        [
            *(asked.prompts.hash, asked.perturbation.hash, asked.count, asked.fold_size),
            *(asked.perturbation.reverse, asked.perturbation.mode, list(asked.dissimilarities), decoding),
        ]
    )


def labels(results: Sequence[FairPairResult]) -> list[str]:
    """Name each by its model; where one stands there twice, with the first digits of the request."""
    models = [result.asked.key.model for result in results]
    return [
        model if models.count(model) == 1 else f"{model} · {result.asked.hash[:6]}"
        for model, result in zip(models, results, strict=True)
    ]


def criteria_parts(results: Sequence[CriteriaResult]) -> list[ReportPart]:
    """Write all criteria of all models, those that wrote apart from those that were scored."""
    models = list(dict.fromkeys(result.asked.model for result in results))
    found = {
        model: readings_of(result.report for result in results if result.asked.model == model)
        for model in models
    }
    parts = []
    for place, way in enumerate(
        way for way in WAYS if any(row.answering == way for rows in found.values() for row in rows)
    ):
        some = {model: [row for row in rows if row.answering == way] for model, rows in found.items()}
        drawn = {model: rows for model, rows in some.items() if rows}
        panel = criteria_panel(drawn, models, way)
        sentences = [
            *(f"{model}: {line}" for model, rows in drawn.items() for line in criterion_findings(rows)),
            line_finding([row for rows in drawn.values() for row in rows]),
        ]
        title = f"{way.capitalize()}: {WAYS[way]}"
        parts.append(
            part_of(
                replace(panel, title=title),
                findings=sentences,
                notes=[CRITERIA_LABEL] if place == 0 else [],
            )
        )
    return parts + [part for result in results for part in baseline_parts(result)]


def criteria_panel(found: Mapping[str, Sequence[CriterionReading]], order: Sequence[str], way: str) -> Panel:
    """Show how far models are from each criterion by what they wrote, or by what was scored.

    ``order``: all models, which decides the colours.
    """
    are = "is" if len(found) == 1 else "are"
    return Panel(
        findings=[summary_finding(model, rows) for model, rows in found.items()],
        key=f"criteria_summary_{way}",
        name="criteria",
        alt=f"How far {listed(list(found))} {are} from each criterion",
        chart=partial(criteria_dots, found, order),
        how=how_to_read.CRITERIA,
        table=lambda: summary_table(found),
        table_title="Every quantity of every criterion",
    )


def baseline_parts(result: CriteriaResult) -> list[ReportPart]:
    """Write the rates of scored answers without a pronoun, and what each pronoun changes; else nothing."""
    report, model = result.report, result.asked.model
    if not isinstance(report, AnswersReport) or not report.from_baseline:
        return []
    name = f"criteria-{report.experiment}"
    return [
        ReportPart(
            title=f"{model}, {report.experiment}: without a pronoun, and what each changes",
            findings=said([f"{model}: {common_finding(report)}", pairs_finding(report)]),
            figure=figure_of(rate_dots(report), name, f"Rates of {model} without a pronoun, and with each"),
            how=how_to_read.FROM_NO_PRONOUN,
            tables=(
                table_of(rates_table({model: report}), f"{name}-rates", "Rates, without a pronoun first"),
                table_of(differences_table({model: report}), f"{name}-gaps", "Gaps, from no pronoun first"),
            ),
        )
    ]

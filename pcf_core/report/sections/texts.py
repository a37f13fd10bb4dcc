"""What the text audits found: FairPair, and the three criteria."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pcf_core.core.records import digest
from pcf_core.report import how_to_read
from pcf_core.report.criteria_tables import differences_table, rates_table, summary_table
from pcf_core.report.fairpair_tables import categories_table, models_table, phrases_table
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
from pcf_core.texts.criteria.records.runs import CriteriaResult
from pcf_core.texts.criteria.records.separation import AnswersReport
from pcf_core.texts.criteria.summary import readings_of
from pcf_core.texts.fairpair.records import LABEL, FairPairAsked, FairPairReport, FairPairResult
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
        parts += [models_part(found, reports), bars_part(reports)]
        for name, result in found.items():
            parts += [words_part(name, result), categories_part(name, result)]
    return parts


def models_part(results: Mapping[str, FairPairResult], reports: Mapping[str, FairPairReport]) -> ReportPart:
    """Write F of models that were asked alike, what it is made of, and what has to be known beside it."""
    asked = next(iter(results.values())).asked
    first, second = asked.prompts.names
    return ReportPart(
        title=f"{asked.prompts.title}: {first} and {second}",
        findings=said(
            [
                *map(fairpair_finding, reports.values()),
                *(f"{name}: {bars_finding(report)}" for name, report in reports.items()),
                *(f"{name}: {sentiment_finding(report)}" for name, report in reports.items()),
            ]
        ),
        figure=figure_of(
            ratio_dots(reports, list(reports)), "fairpair", f"F of {listed(list(reports))}, against 1"
        ),
        how=how_to_read.FAIRPAIR,
        tables=(table_of(models_table(reports), "fairpair", "F of each model, and what it is made of"),),
        notes=said(
            [
                f"{LABEL[0].upper()}{LABEL[1:]}.",
                settings_finding(asked, len(results)),
                *(f"{name}: {perturber_finding(result.errors)}" for name, result in results.items()),
                *(silence_warning(result) for result in results.values()),
                *(f"{name}: {line}" for name, report in reports.items() for line in notes(report)),
            ]
        ),
    )


def categories_part(name: str, result: FairPairResult) -> ReportPart:
    """Draw the shares of texts with a word of each category."""
    return ReportPart(
        figure=figure_of(
            category_bars(result.words),
            "fairpair-categories",
            f"Texts of {name} with words of each category",
        )
    )


def bars_part(reports: Mapping[str, FairPairReport]) -> ReportPart:
    """Draw B and both V of each model."""
    return ReportPart(
        figure=figure_of(
            variation_bars(reports), "fairpair-variation", f"B and both V of {listed(list(reports))}"
        )
    )


def words_part(name: str, result: FairPairResult) -> ReportPart:
    """Write the phrases that either side of one model has more often, and the categories."""
    return ReportPart(
        title=f"Words of {name}",
        findings=said([words_finding(result.words), categories_finding(result.words)]),
        figure=figure_of(
            phrase_dots(result.words), "fairpair-words", f"Phrases that either side of {name} has more often"
        ),
        how=how_to_read.FAIRPAIR_WORDS,
        tables=(
            table_of(phrases_table(result.words), "fairpair-phrases", f"Phrases, {name}"),
            table_of(categories_table(result.words), "fairpair-categories", f"Categories, {name}"),
        ),
    )


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
        parts.append(
            ReportPart(
                title=f"{way.capitalize()}: {WAYS[way]}",
                findings=said(
                    [
                        *(summary_finding(model, rows) for model, rows in drawn.items()),
                        *(
                            f"{model}: {line}"
                            for model, rows in drawn.items()
                            for line in criterion_findings(rows)
                        ),
                        line_finding([row for rows in drawn.values() for row in rows]),
                    ]
                ),
                figure=figure_of(
                    criteria_dots(drawn, models),
                    "criteria",
                    f"How far {listed(list(drawn))} {'is' if len(drawn) == 1 else 'are'} from each criterion",
                ),
                how=how_to_read.CRITERIA,
                tables=(table_of(summary_table(drawn), "criteria", "Every quantity of every criterion"),),
                notes=(CRITERIA_LABEL,) if place == 0 else (),
            )
        )
    return parts + [part for result in results for part in baseline_parts(result)]


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

"""What the text audits found: FairPair, and the three criteria."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from pcf_core.core.records import digest
from pcf_core.report import how_to_read
from pcf_core.report.criteria_tables import differences_table, rates_table, summary_table
from pcf_core.report.fairpair_tables import categories_table, models_table, phrases_table
from pcf_core.report.loaded import PROGRAM
from pcf_core.report.panels import Panel
from pcf_core.show.charts.answers import gap_dots, rate_dots
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
from pcf_core.texts.criteria.records.quantities import Answering
from pcf_core.texts.criteria.records.runs import CriteriaResult, CriterionReading
from pcf_core.texts.criteria.records.separation import AnswersReport
from pcf_core.texts.criteria.summary import readings_of
from pcf_core.texts.fairpair.records import LABEL, FairPairAsked, FairPairReport, FairPairResult, WordReport
from pcf_core.texts.fairpair.report import controlled

FAIRPAIR_SOURCE, CRITERIA_SOURCE = f"{PROGRAM} · FairPair", f"{PROGRAM} · Criteria"
WAYS: Mapping[Answering, str] = {
    "written": "Written: texts that were read",
    "scored": "Scored: probabilities of candidate words",
}
CRITERIA_LABEL = (
    "Independence, separation and sufficiency as Sterlie, Weng & Feragen 2024 restate them for models that "
    "write (arXiv 2403.08564); wording, lists, intervals and tests are ours."
)


def fairpair_panels(results: Sequence[FairPairResult]) -> list[Panel]:
    """Show models that were asked alike side by side, then the words of each."""
    panels = []
    named = dict(zip((result.asked.hash for result in results), labels(results), strict=True))
    for several in asked_alike(results):
        measure = next(name for name in several[0].reports if all(name in one.reports for one in several))
        found = {named[result.asked.hash]: result for result in several}
        reports = read_together(found, measure)
        panels += [models_panel(found, reports), variation_panel(reports)]
        for name, result in found.items():
            panels += [words_panel(name, result.words), categories_panel(name, result.words)]
    return panels


def read_together(results: Mapping[str, FairPairResult], measure: str) -> dict[str, FairPairReport]:
    """Return reports at equal settings under one Φ, their p-values controlled for all of them."""
    reports = controlled([result.reports[measure] for result in results.values()])
    return dict(zip(results, reports, strict=True))


def models_panel(results: Mapping[str, FairPairResult], reports: Mapping[str, FairPairReport]) -> Panel:
    """Show F of models that were asked alike, what it is made of, and what has to be known beside it."""
    asked = next(iter(results.values())).asked
    first, second = asked.prompts.names
    panel = ratio_panel(reports, list(reports))
    return replace(
        panel,
        title=f"{asked.prompts.title}: {first} and {second}",
        findings=[
            *panel.findings,
            *(f"{name}: {bars_finding(report)}" for name, report in reports.items()),
            *(f"{name}: {sentiment_finding(report)}" for name, report in reports.items()),
        ],
        notes=[
            f"{LABEL[0].upper()}{LABEL[1:]}.",
            settings_finding(asked, len(results)),
            *(f"{name}: {perturber_finding(result.errors)}" for name, result in results.items()),
            *(silence_warning(result) for result in results.values()),
            *(f"{name}: {line}" for name, report in reports.items() for line in notes(report)),
        ],
    )


def ratio_panel(reports: Mapping[str, FairPairReport], order: Sequence[str]) -> Panel:
    """Show F of each model against 1; ``order``: all models, which decides the colours."""
    return Panel(
        findings=[fairpair_finding(report) for report in reports.values()],
        heading="How differently each model writes",
        source=FAIRPAIR_SOURCE,
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
        source=FAIRPAIR_SOURCE,
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
        source=FAIRPAIR_SOURCE,
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
        source=FAIRPAIR_SOURCE,
        key="fairpair_categories",
        name="fairpair-categories",
        alt=f"Texts of {name} with words of each category",
        chart=partial(category_bars, words),
        table=lambda: categories_table(words),
        table_title=f"Categories, {name}",
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


def criteria_panels(results: Sequence[CriteriaResult]) -> list[Panel]:
    """Show all criteria of all models, those that wrote apart from those that were scored."""
    models = list(dict.fromkeys(result.asked.model for result in results))
    found = {
        model: readings_of(result.report for result in results if result.asked.model == model)
        for model in models
    }
    panels: list[Panel] = []
    for way, some in by_way(found).items():
        panel = criteria_panel(some, models, way)
        sentences = [
            *(f"{model}: {line}" for model, rows in some.items() for line in criterion_findings(rows)),
            line_finding([row for rows in some.values() for row in rows]),
        ]
        label = [] if panels else [CRITERIA_LABEL]
        panels.append(replace(panel, title=WAYS[way], findings=[*panel.findings, *sentences], notes=label))
    return panels + [panel for result in results for panel in baseline_panels(result)]


def by_way(
    found: Mapping[str, Sequence[CriterionReading]],
) -> dict[Answering, dict[str, list[CriterionReading]]]:
    """Split readings by model into those of texts and those of scores, without models that have none."""
    split = {
        way: {model: [row for row in rows if row.answering == way] for model, rows in found.items()}
        for way in WAYS
    }
    kept = {way: {model: rows for model, rows in some.items() if rows} for way, some in split.items()}
    return {way: some for way, some in kept.items() if some}


def criteria_panel(
    found: Mapping[str, Sequence[CriterionReading]], order: Sequence[str], way: Answering
) -> Panel:
    """Show how far models are from each criterion by what they wrote, or by what was scored.

    ``order``: all models, which decides the colours.
    """
    are = "is" if len(found) == 1 else "are"
    return Panel(
        findings=[summary_finding(model, rows) for model, rows in found.items()],
        source=CRITERIA_SOURCE,
        key=f"criteria_summary_{way}",
        name="criteria",
        alt=f"How far {listed(list(found))} {are} from each criterion, {way}",
        chart=partial(criteria_dots, found, order),
        how=how_to_read.CRITERIA,
        table=lambda: summary_table(found),
        table_title="Every quantity of every criterion",
    )


def baseline_panels(result: CriteriaResult) -> list[Panel]:
    """Show the rates of scored answers without a pronoun, and what each pronoun changes; else nothing."""
    report, model = result.report, result.asked.model
    if not isinstance(report, AnswersReport) or not report.from_baseline:
        return []
    whose = f"{model}, {report.experiment}"
    return [
        replace(
            rates_panel(model, report),
            title=f"{whose}: without a pronoun, and with each",
            findings=[f"{model}: {common_finding(report)}"],
            how=how_to_read.FROM_NO_PRONOUN,
        ),
        replace(
            gaps_panel(model, report),
            title=f"{whose}: what each pronoun changes",
            findings=[pairs_finding(report)],
        ),
    ]


def rates_panel(model: str, report: AnswersReport) -> Panel:
    """Show the four rates of one model by pronoun; where answers were scored, without one too."""
    return Panel(
        source=CRITERIA_SOURCE,
        key=f"{report.experiment}_{report.answering}_rates",
        name=f"criteria-{report.experiment}-rates",
        alt=f"How often {model} is right and wrong, by pronoun",
        chart=partial(rate_dots, report),
        table=lambda: rates_table({model: report}),
        table_title=f"Rates, {model}",
    )


def gaps_panel(model: str, report: AnswersReport) -> Panel:
    """Show how far the rates of one model differ between pronouns, or from no pronoun."""
    from_what = "from no pronoun" if report.from_baseline else "between pronouns"
    return Panel(
        source=CRITERIA_SOURCE,
        key=f"{report.experiment}_{report.answering}_gaps",
        name=f"criteria-{report.experiment}-gaps",
        alt=f"Differences {from_what} in four rates of {model}",
        chart=partial(gap_dots, report),
        table=lambda: differences_table({model: report}),
        table_title=f"Gaps, {model}",
    )

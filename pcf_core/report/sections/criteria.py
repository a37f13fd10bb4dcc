"""The criteria as panels and tables: distance from independence, separation and sufficiency."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from pcf_core.report import how_to_read
from pcf_core.report.documents import interval_cells, picked
from pcf_core.report.loaded import PROGRAM
from pcf_core.report.panels import Panel
from pcf_core.report.records import KeyFigure
from pcf_core.show.charts.criteria import criteria_dots, gap_dots, rate_dots
from pcf_core.show.findings.answers import common_finding, pairs_finding
from pcf_core.show.findings.criteria import (
    criteria_title,
    criterion_findings,
    line_finding,
    summary_finding,
)
from pcf_core.show.findings.numbers import listed
from pcf_core.texts.criteria.records.independence import (
    AnecdotesReport,
    EmbeddingReport,
    HobbiesReport,
    ProfessionGender,
)
from pcf_core.texts.criteria.records.quantities import (
    CONFUSION_WORDS,
    FORMULAS,
    Answering,
    GenderDifference,
    MutualInformation,
    Rate,
    in_words,
)
from pcf_core.texts.criteria.records.runs import CriteriaResult, CriterionReading
from pcf_core.texts.criteria.records.separation import AnswersReport
from pcf_core.texts.criteria.summary import CriteriaCount, readings_of

CRITERIA_SOURCE = f"{PROGRAM} · Criteria"
WAYS: Mapping[Answering, str] = {
    "written": "Written: texts that were read",
    "scored": "Scored: probabilities of candidate words",
}
CRITERIA_LABEL = (
    "Independence, separation and sufficiency as Sterlie, Weng & Feragen 2024 restate them for models that "
    "write (arXiv 2403.08564); wording, lists, ranges and tests are ours."
)
Row = dict[str, object]


def criteria_panels(results: Sequence[CriteriaResult]) -> list[Panel]:
    """Show all criteria of all models, written and scored ones apart."""
    models = list(dict.fromkeys(result.asked.name for result in results))
    readings = {
        model: readings_of(result.report for result in results if result.asked.name == model)
        for model in models
    }
    verdicts = [summary_finding(model, rows) for model, rows in readings.items()]
    panels: list[Panel] = []
    for way, some in by_way(readings).items():
        panel = criteria_panel(some, models, way)
        sentences = [
            *(f"{model}: {line}" for model, rows in some.items() for line in criterion_findings(rows)),
            line_finding([row for rows in some.values() for row in rows]),
        ]
        once = ([], []) if panels else (verdicts, [CRITERIA_LABEL])  # of all criteria, however answered
        panels.append(replace(panel, title=WAYS[way], findings=[*once[0], *sentences], notes=once[1]))
    return panels + [panel for result in results for panel in _baseline_panels(result)]


def by_way(
    readings: Mapping[str, Sequence[CriterionReading]],
) -> dict[Answering, dict[str, list[CriterionReading]]]:
    """Split readings by model into written and scored ones, without empty models."""
    split: dict[Answering, dict[str, list[CriterionReading]]] = {}
    for way in WAYS:
        for model, rows in readings.items():
            if some := [row for row in rows if row.answering == way]:
                split.setdefault(way, {})[model] = some
    return split


def criteria_panel(
    readings: Mapping[str, Sequence[CriterionReading]], order: Sequence[str], way: Answering
) -> Panel:
    """Show how far models are from each criterion; ``order``: all models, for colours."""
    are = "is" if len(readings) == 1 else "are"
    return Panel(
        source=CRITERIA_SOURCE,
        key=f"criteria_summary_{way}",
        name="criteria",
        claim=criteria_title(next(iter(readings.values()))) if len(readings) == 1 else "",
        alt=f"How far {listed(list(readings))} {are} from each criterion, {way}",
        chart=partial(criteria_dots, readings, order),
        how=how_to_read.CRITERIA,
        table=lambda: summary_table(readings),
        table_title="Every quantity of every criterion",
    )


def _baseline_panels(result: CriteriaResult) -> list[Panel]:
    report, model = result.report, result.asked.name
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
    """Show a model's four rates by pronoun, for scored answers also without one."""
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
    """Show how far a model's rates differ between pronouns, or from no pronoun."""
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


def failing_figure(readings: Sequence[CriterionReading], model: str = "") -> KeyFigure:
    """Make a key figure of how many criteria fail; ``model``: named if there are several."""
    counted = CriteriaCount.of(readings)
    failing, unshown = counted.number("fails"), counted.number("cannot be shown")
    rest = counted.asked - failing - unshown
    return KeyFigure(
        f"Criteria that fail{f' · {model}' if model else ''}",
        f"{failing:,} of {counted.asked:,}",
        "Criteria that fail by more than chance, of those with a result; at 5 %, controlled within each "
        "experiment. That a failure cannot be shown does not mean that a criterion holds.",
        f"{unshown:,} cannot be shown to fail · {rest:,} too few, not tested or undefined",
    )


def summary_table(readings: Mapping[str, Iterable[CriterionReading]]) -> pd.DataFrame:
    """Make a table with one row per model, criterion and quantity."""
    return pd.DataFrame(
        [
            {
                "model": model,
                "criterion": row.criterion,
                "quantity": in_words(row.quantity),
                "answers": row.answering,
                "without a pronoun": row.baseline,
                **interval_cells("without a pronoun, ", row.baseline_interval),
                "size": row.size,
                "as counted": row.counted,
                **interval_cells("", row.interval),
                "p controlled": row.p_value,
                "beyond chance": row.differs,
                "higher for": row.higher,
                "than for": row.lower,
                "undefined for": ", ".join(row.undefined),
                "at most": row.largest,
                "why not": row.reason,
            }
            for model, rows in readings.items()
            for row in rows
        ]
    )


def professions_table(reports: Mapping[str, AnecdotesReport]) -> pd.DataFrame:
    """Make a table with one row per model and profession."""
    return pd.DataFrame(
        [
            {"model": model, **_profession(row)}
            for model, report in reports.items()
            for row in report.professions
        ]
    )


def information_table(measures: Mapping[str, Mapping[str, MutualInformation | None]]) -> pd.DataFrame:
    """Make a table with one row per model, kind of table and normaliser."""
    return pd.DataFrame(
        [
            {"model": model, "table": what, **row}
            for model, several in measures.items()
            for what, one in several.items()
            if one is not None
            for row in _normalised(one)
        ]
    )


def anecdote_tables(report: AnecdotesReport) -> dict[str, MutualInformation | None]:
    """Return one model's measures by what its two tables count."""
    return {"women, men": report.clear_only, "women, men, unclear": report.with_unclear}


def _profession(row: ProfessionGender) -> Row:
    return {
        "profession": row.profession,
        "women in the world": row.world,
        "women in the texts": row.share,
        **interval_cells("", row.interval),
        "more one-sided by": row.exaggeration,
        "women": row.women,
        "men": row.men,
        "unclear": row.unclear,
        "both genders named": row.mixed,
        "words for women": row.women_words,
        "words for men": row.men_words,
        "p": row.p_value,
        "p controlled": row.adjusted,
        "differs": row.differs,
    }


def _normalised(measure: MutualInformation) -> list[Row]:
    null = measure.null
    return [
        {
            "normaliser": name,
            "formula": formula,
            "link (NMI)": measure.normalised.get(name),
            "link corrected (NMI)": measure.corrected_normalised.get(name),
            **interval_cells("corrected, ", measure.intervals.get(name)),
            **interval_cells("other categories, ", measure.category_intervals.get(name)),
            "chance, mean": None if null is None else null.means.get(name),
            "chance, 95 % point": None if null is None else null.highs.get(name),
            "largest": measure.largest.normalised.get(name),
            "largest is exact": measure.largest.exact,
            "mutual information (I), nats": measure.information,
            "mutual information corrected (I), nats": measure.corrected,
            "p": None if null is None or measure.untold else null.p_value,
            "texts": measure.n,
        }
        for name, formula in FORMULAS.items()
    ]


def labels_table(reports: Mapping[str, HobbiesReport]) -> pd.DataFrame:
    """Make a table with one row per model and label."""
    return pd.DataFrame(
        [
            {"model": model, "label": row.title, **_difference(row.difference)}
            for model, report in reports.items()
            for row in report.labels
        ]
    )


def hobby_information(reports: Mapping[str, HobbiesReport]) -> dict[str, dict[str, MutualInformation | None]]:
    """Return the measures of labels and genders for :func:`information_table`, by model."""
    return {
        model: {"labels by gender": report.information.measure}
        for model, report in reports.items()
        if report.information is not None
    }


def label_counts_table(reports: Mapping[str, HobbiesReport]) -> pd.DataFrame:
    """Make a table with one row per model and label: in how many texts it is the clearest."""
    rows: list[Row] = []
    for model, report in reports.items():
        if report.information is None:
            continue
        counted = zip(report.information.labels, report.information.counts, strict=True)
        for label, (female, male) in [*counted, ("unclear", report.information.unclear)]:
            rows.append({"model": model, "label": label, "women's names": female, "men's names": male})
    return pd.DataFrame(rows)


def hobby_words_table(reports: Mapping[str, HobbiesReport]) -> pd.DataFrame:
    """Make a table with one row per model and word."""
    return pd.DataFrame(
        [
            {
                "model": model,
                "word": row.word,
                "texts, women's names": row.texts[0],
                "texts, men's names": row.texts[1],
                "uses, women's names": row.uses[0],
                "uses, men's names": row.uses[1],
                "difference": row.difference,
                "p": row.p_value,
                "p controlled": row.adjusted,
                "differs": row.differs,
            }
            for model, report in reports.items()
            if report.words is not None
            for row in report.words.words
        ]
    )


def embedding_table(reports: Mapping[str, EmbeddingReport]) -> pd.DataFrame:
    """Make a table with one row per model and variant, then one per seed."""
    rows: list[Row] = []
    for report in reports.values():
        for reading in report.readings:
            head = {"model": reading.model, "variant": reading.variant}
            rows.append({**head, "seed": "mean of all", **_difference(reading.difference)})
            rows += [
                {**head, "seed": str(seed.seed), "effect (Cohen's d)": seed.effect, "p": seed.p_value}
                for seed in reading.seeds
            ]
    return pd.DataFrame(rows)


def _difference(difference: GenderDifference) -> Row:
    return {
        "mean, women's names": difference.female,
        "mean, men's names": difference.male,
        "difference": difference.difference,
        **interval_cells("", difference.interval),
        "effect (Cohen's d)": difference.effect,
        **interval_cells("effect, ", difference.effect_interval),
        "no effect, as": difference.undefined,
        "p": difference.p_value,
        "p controlled": difference.controlled_p,
        "differs": difference.differs,
        "p, texts as if independent": difference.texts_p_value,
        "women's names": difference.names[0],
        "men's names": difference.names[1],
        "texts, women's names": difference.texts[0],
        "texts, men's names": difference.texts[1],
    }


def rates_table(reports: Mapping[str, AnswersReport]) -> pd.DataFrame:
    """Make a table with one row per model, pronoun (also none) and rate."""
    return pd.DataFrame(
        [
            {"model": model, "pronoun": answers.pronoun, **_rate(rate)}
            for model, report in reports.items()
            for answers in report.every
            for rate in (*answers.rates, answers.error)
        ]
    )


def confusion_table(reports: Mapping[str, AnswersReport]) -> pd.DataFrame:
    """Make a table with one row per model and pronoun."""
    return pd.DataFrame(
        [
            {
                "model": model,
                "pronoun": answers.pronoun,
                **{words: getattr(answers.confusion, kind) for kind, words in CONFUSION_WORDS.items()},
                "invalid": answers.n_invalid,
                **{f"invalid, {reason}": times for reason, times in answers.invalid.items()},
            }
            for model, report in reports.items()
            for answers in report.every
        ]
    )


def differences_table(reports: Mapping[str, AnswersReport]) -> pd.DataFrame:
    """Make a table with one row per model, pair of pronouns (first those with none) and rate."""
    return pd.DataFrame(
        [
            {
                "model": model,
                "rate": in_words(row.name),
                "first": row.first,
                "second": row.second,
                "first less second": row.value,
                **interval_cells("", row.interval),
                "gap": row.gap,
                "p": row.p_value,
                "smallest p possible": row.least_p,
                "p controlled": row.adjusted,
                "differs": row.differs,
                "over 20 %": row.beyond_line,
                "why not": row.reason,
            }
            for model, report in reports.items()
            for row in (*report.from_baseline, *report.differences, *report.invalid_differences)
        ]
    )


def units_table(reports: Mapping[str, AnswersReport]) -> pd.DataFrame:
    """Make a table with one row per model, question or task, truth and pronoun."""
    return pd.DataFrame(
        [
            {
                "model": model,
                report.unit: row.unit,
                "right role": row.role,
                **picked(row, "pronoun", "right", "wrong", "invalid", "error"),
            }
            for model, report in reports.items()
            for row in report.by_unit
        ]
    )


def _rate(rate: Rate) -> Row:
    return {
        "rate": in_words(rate.name),
        "value": rate.value,
        **interval_cells("", rate.interval),
        **interval_cells("same prompts, ", rate.repeats),
        "why not": rate.reason,
        "answers": rate.n,
        "units": rate.units,
    }

"""The tab Criteria (does gender change what a model writes and believes?) and three of its views."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pcf_core.app.criteria.hobbies import draw_hobbies
from pcf_core.app.criteria.request import EXPERIMENTS, Request, draw_kept, draw_request
from pcf_core.app.criteria.views import Draw, TabView, criteria_picture, draw_experiment, draw_summary
from pcf_core.app.page import draw_figures, draw_notes, draw_picture, finding
from pcf_core.app.texts.shared import (
    CRITERIA_KEY,
    draw_imported,
    draw_marks,
    laid_beside,
    requests_of,
    stored_of,
)
from pcf_core.app.widgets import adopt_next, choose_one
from pcf_core.core.risk import Interval
from pcf_core.report.records import KeyFigure
from pcf_core.report.sections.criteria import (
    CRITERIA_LABEL,
    anecdote_tables,
    confusion_table,
    differences_table,
    gaps_panel,
    information_table,
    professions_table,
    rates_panel,
    rates_table,
    units_table,
)
from pcf_core.show.charts.criteria import confusion_tiles, unit_errors
from pcf_core.show.charts.independence import information_dots, share_against_world
from pcf_core.show.findings.answers import (
    answers_finding,
    baseline_finding,
    common_finding,
    notes,
    order_finding,
    pairs_finding,
    rates_basis,
)
from pcf_core.show.findings.independence import (
    amplification_finding,
    anecdotes_answer,
    profession_link_finding,
    reading_notes,
)
from pcf_core.show.findings.numbers import begun, ends, p_value, percent, signed, two_decimals
from pcf_core.texts.criteria.records.independence import AnecdotesReport
from pcf_core.texts.criteria.records.quantities import (
    RATES,
    USUAL,
    Answering,
    ExperimentName,
    Rate,
    plain_reason,
    short_title,
)
from pcf_core.texts.criteria.records.runs import CriteriaResult
from pcf_core.texts.criteria.records.separation import AnswersReport
from pcf_core.texts.criteria.summary import towards
from pcf_core.work.criteria import CRITERIA_AUDIT

HOW_TOLD = """
Each point is a profession: across is the share of women among the people employed in it in the United States,
upwards their share in the model's texts. On the dotted line the model copies the world; above it women are
overrepresented, below it men. The whisker is the 95 % range of the stories about that profession. Filled
points differ from the world by more than chance, with false discoveries controlled.

The second picture shows the mutual information of profession and gender, normalised in four ways. The bar is
what assigning genders at random gives, the upright tick the most that these counts allow: with more
professions than genders only the value divided by the smaller entropy can reach 1. With *unclear* as a third
gender the table also counts stories without a gender.
"""
HOW_ANSWERED = """
The *women's job* is the one that stereotype makes a woman's, such as the nurse. **Wrong if the women's job is
right**: of the answers where that job is right, the share that name the other one; accordingly for the men's
job. Separation means that both shares are the same under every pronoun. **Right if it names the women's
job**: of the answers that name that job, the share that is right; accordingly for the men's job. Sufficiency
means that these are the same. The data have the papers' names of these rates.

{pictures} Filled marks are more than chance, controlled for all differences. A mark may be hollow although
its range excludes 0: a range is of one difference alone, the tests are corrected for all, and a few {units}
cannot show any difference. The dotted lines are the 20 % rule, a convention and no verdict. A rate is
*undefined*, never 0 or 1, if there is no answer to divide by. Several answers to one prompt are not
independent, so ranges are clustered and tests exchange the pronouns of whole {units}; {few}.
"""
WRITTEN = """The first picture shows the differences between two pronouns, with 95 % ranges over
{units} where there are enough, the second the rates themselves, the third how many answers named
which job."""
SCORED = """A word has a probability of its own, whoever the sentence is about. The first picture therefore
begins with the rate **without a pronoun**, and the dashed line carries it down to the pronouns. The second
shows what each pronoun changes, with 95 % ranges over {units}; the third which share of the answers named
which job. The criteria themselves compare the pronouns with each other: see *Differences* under *Data*."""
LINKED = "Gender linked to profession"
FEW = {
    "question": "they allow for other questions of the same kind",
    "task": "with so few tasks they say little about other tasks",
}


def _draw_anecdotes(shown: TabView, answering: Answering, results: dict[str, CriteriaResult]) -> None:
    """Draw independence I for models that answered in the same way."""
    reports = {
        model: result.report
        for model, result in results.items()
        if isinstance(result.report, AnecdotesReport)
    }
    for model, report in reports.items():
        finding(anecdotes_answer(report, model))
    draw_figures(anecdote_figures(reports))
    model = shown.one(results, answering)
    report = reports[model]
    finding(amplification_finding(report))
    alt = f"Share of women by profession, {model} against the world"
    models = shown.stored.models
    criteria_picture(f"anecdotes_world_{answering}", alt, share_against_world, report, model, models)
    tables = {name: table for name, table in anecdote_tables(report).items() if table is not None}
    if tables:
        counted = next(iter(tables))
        if len(tables) > 1:
            counted = choose_one(
                "Genders",
                list(tables),
                default=counted,
                key=f"cr_genders_{answering}",
                help="Count only stories with a clear gender, or include those without one as a third kind.",
            )
        finding(f"{model}: {profession_link_finding(tables[counted])}")
        alt = f"Link between profession and gender in stories of {model}, measured in four ways"
        criteria_picture(f"anecdotes_information_{answering}", alt, information_dots, tables[counted])
    draw_notes(reading_notes(report))
    shown.foot(
        HOW_TOLD,
        {
            "Professions": lambda: professions_table(reports),
            "Mutual information": lambda: information_table(
                {model: anecdote_tables(report) for model, report in reports.items()}
            ),
        },
        results,
        f"anecdotes_{answering}",
        ["anecdotes"],
    )


def anecdote_figures(reports: dict[str, AnecdotesReport]) -> list[KeyFigure]:
    """Make four key figures for one model, or the first of each for several."""
    report = next(iter(reports.values()))
    if len(reports) > 1:
        return [_stereotypes(f" · {name}", one) for name, one in reports.items()]
    figures = [_stereotypes("", report), _information(report)]
    if report.exaggeration is not None:
        further = report.exaggeration
        figures.append(
            KeyFigure(
                "Compared with reality",
                f"{100 * further.value:+.1f} points".replace("-", "−"),
                "How much further the model's share of women lies towards each profession's majority than "
                "in the world, as a mean over professions in percentage points. Below 0 it lies less "
                "far towards the majority than in the world.",
                "" if further.interval is None else _points(further.interval),
            )
        )
    if report.line is not None:
        line = report.line
        figures.append(
            KeyFigure(
                "Follows reality (1 = copies it)",
                two_decimals(line.slope),
                "How much the model's share of women rises when the world's share rises by 1. At 1 it "
                "copies the world, above 1 it exaggerates.",
                ends(line.interval, line.slope),
            )
        )
    return figures


def _stereotypes(whose: str, report: AnecdotesReport) -> KeyFigure:
    rate = report.stereotype_rate
    what = (
        "Share of clear stories in which the gender is the majority of that profession in the world. A coin "
        "would give ½; the paper prints 94 % for GPT-4, with other prompts and professions."
    )
    if rate is None:
        return KeyFigure(f"Usual gender in the profession{whose}", "undefined", what)
    ends = (
        "no range"
        if rate.interval is None
        else f"{percent(rate.interval.low)} to {percent(rate.interval.high)}"
    )
    return KeyFigure(f"Usual gender in the profession{whose}", percent(rate.value), what, ends)


def _information(report: AnecdotesReport) -> KeyFigure:
    information = report.clear_only
    what = (
        "Normalised mutual information of profession and gender: 0 if they are independent. If texts were "
        "drawn, its bias is subtracted. Because other stories have other frequencies, the range may exceed "
        "the largest possible value for these stories."
    )
    if information is None:
        return KeyFigure(LINKED, "undefined", what)
    if information.untold:
        return KeyFigure(LINKED, "not determined", f"{what} Here {information.untold}.")
    drawn = information.null is not None
    value = max(0.0, information.corrected_normalised[USUAL]) if drawn else information.normalised[USUAL]
    interval = (information.intervals if drawn else information.category_intervals).get(USUAL)
    shown = "" if interval is None else ends(interval, value)
    most = f"most {two_decimals(information.largest.normalised[USUAL])}"
    return KeyFigure(LINKED, two_decimals(value), what, f"{shown} · {most}" if shown else most)


def _points(interval: Interval) -> str:
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f}".replace("-", "−")


def _draw_answers(shown: TabView, answering: Answering, results: dict[str, CriteriaResult]) -> None:
    """Draw separation and sufficiency for models that answered in the same way."""
    reports = {
        model: result.report for model, result in results.items() if isinstance(result.report, AnswersReport)
    }
    first = next(iter(reports.values()))
    name = f"{first.experiment}_{answering}"
    against = any(report.from_baseline for report in reports.values())
    first_finding = common_finding if against else answers_finding
    finding(*(f"{model}: {first_finding(one) or answers_finding(one)}" for model, one in reports.items()))
    draw_figures(_gap_figures(reports))
    model = shown.one(results, answering)
    report = reports[model]
    if against:
        draw_picture(rates_panel(model, report))
        draw_picture(gaps_panel(model, report))
        finding(*(f"{model}: {pairs_finding(report)}" for model, report in reports.items()))
    else:
        draw_picture(gaps_panel(model, report))
        finding(rates_basis(report))
        draw_picture(rates_panel(model, report))
    alt = f"Who was right and whom {model} named, by pronoun"
    criteria_picture(f"{name}_confusion", alt, confusion_tiles, report)
    finding(baseline_finding(report), order_finding(report))
    alt = f"Wrong answers of {model} by {report.unit} and pronoun"
    criteria_picture(f"{name}_units", alt, unit_errors, report)
    draw_notes(notes(report))
    tables = {
        "Rates": lambda: rates_table(reports),
        "Differences": lambda: differences_table(reports),
        "Answers": lambda: confusion_table(reports),
        f"{first.unit.capitalize()}s": lambda: units_table(reports),
    }
    pictures = (SCORED if against else WRITTEN).format(units=f"{first.unit}s")
    how = HOW_ANSWERED.format(pictures=pictures, units=f"{first.unit}s", few=FEW[first.unit])
    shown.foot(how, tables, results, name, [first.experiment])


def _gap_figures(reports: Mapping[str, AnswersReport]) -> list[KeyFigure]:
    """Make key figures: the widest gap between pronouns, or scored rates without a pronoun and changes."""
    if len(reports) == 1:
        report = next(iter(reports.values()))
        if report.baseline is not None and report.from_baseline:
            return [_common_figure(report, rate) for rate in report.baseline.rates]
        return [_gap_figure(f"Gap: {short_title(name)}", report, (name,)) for name in RATES]
    return [_gap_figure(f"Widest gap · {model}", report, RATES) for model, report in reports.items()]


def _common_figure(report: AnswersReport, rate: Rate) -> KeyFigure:
    changes = [
        f"{row.first} {signed(row.value)}"
        for row in report.from_baseline
        if row.name == rate.name and row.value is not None
    ]
    return KeyFigure(
        f"{begun(short_title(rate.name))}, no pronoun",
        "undefined" if rate.value is None else two_decimals(rate.value),
        "The rate if no pronoun says who is meant: how likely the model finds the role words anyway. Beside "
        "it, what each pronoun changes.",
        " · ".join(changes),
    )


def _gap_figure(label: str, report: AnswersReport, names: tuple[str, ...]) -> KeyFigure:
    what = (
        "The difference between two pronouns in a rate, 0 to 1: 0 if the criterion holds. It is the widest "
        f"that is more than chance, else the widest of all, with its 95 % range over {report.unit}s and p "
        "corrected for all differences. The rate is higher for the pronoun that is named first."
    )
    gaps = [gap for name in RATES if name in names and (gap := report.widest(name)) is not None]
    defined = [gap for gap in gaps if gap.gap is not None]
    if not defined:
        why = gaps[0].reason if gaps else "fewer than two pronouns were used"
        return KeyFigure(label, "undefined", f"{what} Undefined here: {plain_reason(why)}.")
    beyond = [gap for gap in defined if gap.differs]
    gap = max(beyond or defined, key=lambda one: one.gap or 0.0)
    value, interval = two_decimals(gap.gap or 0.0), towards(gap.value, gap.interval)
    shown = "" if interval is None else ends(interval, gap.gap or 0.0)
    parts = [f"{short_title(gap.name)} {shown}".strip() if len(names) > 1 else shown]
    if gap.adjusted is not None and not report.testable(gap):
        parts.append(f"too few {report.unit}s to show a difference")
    elif gap.adjusted is not None:
        parts.append(p_value(gap.adjusted))
    whose = f", {gap.higher} − {gap.lower}" if gap.higher else ""
    return KeyFigure(f"{label}{whose}", value, what, " · ".join(filter(None, parts)))


SUMMARY = "summary"
DRAW: dict[ExperimentName, Draw] = {
    "anecdotes": _draw_anecdotes,
    "hobbies": draw_hobbies,
    "questions": _draw_answers,
    "tasks": _draw_answers,
}


def draw_criteria() -> None:
    """Draw the tab."""
    adopt_next()
    try:
        _draw_results(draw_request())
    finally:  # an answer that is missing stops the script
        draw_kept()
        st.caption(CRITERIA_LABEL)


def _draw_results(request: Request) -> None:
    imported = draw_imported(CRITERIA_AUDIT, CRITERIA_KEY)
    if not request.models and not imported:
        st.info("Choose one or more models to test.", icon=":material/arrow_upward:")
        return
    stored = stored_of(
        CRITERIA_AUDIT, requests_of(CRITERIA_AUDIT, request.models, EXPERIMENTS, request.asked)
    )
    if imported:
        stored = laid_beside(
            CRITERIA_AUDIT, stored, imported, lambda one: one.experiment, lambda one: one.experiment
        )
        draw_marks((model, result.provenance) for (model, _), result in stored.results.items())
    view = choose_one(
        "Show",
        [SUMMARY, *EXPERIMENTS],
        default=SUMMARY,
        key="cr_view",
        help="All criteria together, or one experiment: anecdotes and hobbies for independence, questions "
        "and tasks for separation and sufficiency.",
    )
    shown = TabView(request, stored)
    experiment = next((one for one in EXPERIMENTS if one == view), None)
    if experiment is None:
        draw_summary(shown)
    else:
        draw_experiment(shown, experiment, DRAW[experiment])

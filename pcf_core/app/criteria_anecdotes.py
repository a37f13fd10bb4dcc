"""The view Anecdotes of the tab Criteria: stories by profession, against the world and against chance."""

from __future__ import annotations

from pcf_core.app.criteria_views import Shown
from pcf_core.app.page import CRITERIA_SOURCE, chart, draw_figures, draw_notes, finding
from pcf_core.app.widgets import choose_one
from pcf_core.core.risk import Interval
from pcf_core.report.criteria_tables import anecdote_tables, information_table, professions_table
from pcf_core.report.records import KeyFigure
from pcf_core.show.charts.anecdotes import information_dots, share_against_world
from pcf_core.show.findings.anecdotes import (
    amplification_finding,
    anecdotes_finding,
    information_finding,
    reading_notes,
)
from pcf_core.show.findings.numbers import ends, percent, two_decimals
from pcf_core.texts.criteria.records.independence import AnecdotesReport
from pcf_core.texts.criteria.records.quantities import USUAL, Answering
from pcf_core.texts.criteria.records.runs import CriteriaResult

HOW = """
Each point is a profession: to the right the share of women among those employed in it in the United States,
upwards their share in what the model wrote. On the dotted line the model copies the world; above it women
are overstated, below it men. The whisker is the 95 % interval of the stories about that profession; filled
points differ from the world, false discoveries controlled.

The second picture has the mutual information of profession and gender under each of the four ways to
normalise it. The bar is what dealing the genders out at random gives, the upright tick the most that these
margins allow: with more professions than genders only I / min(H(C), H(A)) can reach 1. With *unclear*
as a third gender the table also counts stories that tell none.
"""


def draw_anecdotes(shown: Shown, answering: Answering, results: dict[str, CriteriaResult]) -> None:
    """Draw independence I of models that answered in one way."""
    reports = {
        model: result.report
        for model, result in results.items()
        if isinstance(result.report, AnecdotesReport)
    }
    for model, report in reports.items():
        finding(anecdotes_finding(report, model))
    draw_figures(anecdote_figures(reports))
    model = shown.one(results, answering) if len(reports) > 1 else next(iter(reports))
    report = reports[model]
    finding(amplification_finding(report))
    chart(
        share_against_world(report, model, shown.found.models),
        f"anecdotes_world_{answering}",
        f"Share of women by profession, {model} against the world",
        source=CRITERIA_SOURCE,
    )
    tables = {name: found for name, found in anecdote_tables(report).items() if found is not None}
    if tables:
        counted = next(iter(tables))
        if len(tables) > 1:
            counted = choose_one(
                "Genders",
                list(tables),
                default=counted,
                key=f"cr_genders_{answering}",
                help="Clear stories alone, or those that tell no gender as a third kind.",
            )
        finding(f"{model}: {information_finding(tables[counted])}")
        chart(
            information_dots(tables[counted]),
            f"anecdotes_information_{answering}",
            f"Mutual information of profession and gender of {model}, four ways",
            source=CRITERIA_SOURCE,
        )
    draw_notes(reading_notes(report))
    shown.foot(
        HOW,
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
    """Make four key figures for one model; for several the first of each."""
    report = next(iter(reports.values()))
    if len(reports) > 1:
        return [_stereotypes(f" · {name}", one) for name, one in reports.items()]
    found = [_stereotypes("", report), _information(report)]
    if report.exaggeration is not None:
        further = report.exaggeration
        found.append(
            KeyFigure(
                "Beyond the world",
                f"{100 * further.value:+.1f} points".replace("-", "−"),
                "How much farther the model's share of women lies towards each profession's majority than "
                "the world's does, mean over professions in percentage points; below 0 it falls short of it.",
                "" if further.interval is None else points(further.interval),
            )
        )
    if report.line is not None:
        line = report.line
        found.append(
            KeyFigure(
                "Slope over the world",
                two_decimals(line.slope),
                "How much the model's share rises for 1 of the world's; 1 copies it, above 1 is steeper.",
                ends(line.interval, line.slope),
            )
        )
    return found


def _stereotypes(whose: str, report: AnecdotesReport) -> KeyFigure:
    rate = report.stereotype_rate
    what = (
        "Share of clear stories whose gender is the majority of the profession in the world. ½ is what a "
        "coin gives; the paper prints 94 % for GPT-4, with other prompts and professions."
    )
    if rate is None:
        return KeyFigure(f"As the stereotype{whose}", "undefined", what)
    ends = (
        "no interval"
        if rate.interval is None
        else f"{percent(rate.interval.low)} to {percent(rate.interval.high)}"
    )
    return KeyFigure(f"As the stereotype{whose}", percent(rate.value), what, ends)


def _information(report: AnecdotesReport) -> KeyFigure:
    found = report.clear_only
    what = (
        "Normalised mutual information of profession and gender, 2 I / (H(C) + H(A)): 0 where they are "
        "independent. Less its bias where texts were drawn. Other stories have other margins, so the "
        "interval may pass the most that these allow."
    )
    if found is None:
        return KeyFigure("NMI", "undefined", what)
    if found.untold:
        return KeyFigure("NMI", "cannot be told", f"{what} Here {found.untold}.")
    drawn = found.null is not None
    value = max(0.0, found.corrected_normalised[USUAL]) if drawn else found.normalised[USUAL]
    interval = (found.intervals if drawn else found.category_intervals).get(USUAL)
    shown = "" if interval is None else ends(interval, value)
    most = f"most {two_decimals(found.largest.normalised[USUAL])}"
    return KeyFigure("NMI", two_decimals(value), what, f"{shown} · {most}" if shown else most)


def points(interval: Interval) -> str:
    """Convert an interval of shares to percentage points."""
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f}".replace("-", "−")

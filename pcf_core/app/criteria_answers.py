"""The views Questions and Tasks of the tab Criteria: whom a model believes, by pronoun."""

from __future__ import annotations

from collections.abc import Mapping

from pcf_core.app.criteria_views import Shown
from pcf_core.app.page import CRITERIA_SOURCE, chart, draw_figures, draw_notes, finding
from pcf_core.report.criteria_tables import confusion_table, differences_table, rates_table, units_table
from pcf_core.report.records import KeyFigure
from pcf_core.show.charts.answers import confusion_tiles, gap_dots, rate_dots, unit_errors
from pcf_core.show.findings.answer_notes import notes, order_finding
from pcf_core.show.findings.answers import (
    answers_finding,
    baseline_finding,
    common_finding,
    pairs_finding,
    rates_finding,
)
from pcf_core.show.findings.numbers import ends, p_value, signed, two_decimals
from pcf_core.texts.criteria.records.quantities import RATES, Answering, Rate
from pcf_core.texts.criteria.records.runs import CriteriaResult
from pcf_core.texts.criteria.records.separation import AnswersReport
from pcf_core.texts.criteria.summary import towards

HOW = """
The positive class is the role that stereotype makes a woman's, such as the nurse. **FNR**: of the answers
where that role is right, the share that name the other; **FPR**: of those where the other is right, the share
that name it. Separation asks both to be alike under every pronoun. **PPV** and **NPV**: of the answers that
name either role, the share that is right; sufficiency asks for those.

{pictures} Filled marks are beyond chance, controlled for all differences, and the dotted lines are the 20 %
rule, a convention and no verdict. A rate with nothing to divide by is *undefined*, never 0 or 1. Several
answers to one prompt are not independent, so intervals are clustered and tests exchange the pronouns of whole
{units}; {few}.
"""
WRITTEN = """The first picture has the differences between two pronouns with their 95 % intervals over
{units}, the second the rates themselves, the third how many answers named whom."""
SCORED = """A scored word has a probability of its own, whoever is spoken of. The first picture therefore
begins with the rate **without a pronoun**: the dashed line carries it down to the pronouns. The second has
what each pronoun changes, with 95 % intervals over {units}; the third how much of the answers named whom. The
criteria themselves compare the pronouns with each other: see *Differences* under *Data*."""
FEW = {
    "question": "they say what other questions of the kind would show",
    "task": "with so few tasks they say little about others",
}


def draw_answers(shown: Shown, answering: Answering, results: dict[str, CriteriaResult]) -> None:
    """Draw separation and sufficiency of models that answered in one way."""
    reports = {
        model: result.report for model, result in results.items() if isinstance(result.report, AnswersReport)
    }
    first = next(iter(reports.values()))
    name = f"{first.experiment}_{answering}"
    against = any(report.from_baseline for report in reports.values())
    said = common_finding if against else answers_finding
    finding(*(f"{model}: {said(report) or answers_finding(report)}" for model, report in reports.items()))
    draw_figures(gap_figures(reports))
    model = shown.one(results, answering) if len(reports) > 1 else next(iter(reports))
    report = reports[model]
    if against:
        _draw_rates(report, model, name)
        _draw_gaps(report, model, name)
        finding(*(f"{model}: {pairs_finding(report)}" for model, report in reports.items()))
    else:
        _draw_gaps(report, model, name)
        finding(rates_finding(report))
        _draw_rates(report, model, name)
    chart(
        confusion_tiles(report),
        f"{name}_confusion",
        f"Who was right and whom {model} named, by pronoun",
        source=CRITERIA_SOURCE,
    )
    finding(baseline_finding(report), order_finding(report))
    chart(
        unit_errors(report),
        f"{name}_units",
        f"Wrong answers of {model} by {report.unit} and pronoun",
        source=CRITERIA_SOURCE,
    )
    draw_notes(notes(report))
    tables = {
        "Rates": lambda: rates_table(reports),
        "Differences": lambda: differences_table(reports),
        "Answers": lambda: confusion_table(reports),
        f"{first.unit.capitalize()}s": lambda: units_table(reports),
    }
    pictures = (SCORED if against else WRITTEN).format(units=f"{first.unit}s")
    how = HOW.format(pictures=pictures, units=f"{first.unit}s", few=FEW[first.unit])
    shown.foot(how, tables, results, name, [first.experiment])


def _draw_gaps(report: AnswersReport, model: str, name: str) -> None:
    from_what = "from no pronoun" if report.from_baseline else "between pronouns"
    chart(
        gap_dots(report),
        f"{name}_gaps",
        f"Differences {from_what} in four rates of {model}",
        source=CRITERIA_SOURCE,
    )


def _draw_rates(report: AnswersReport, model: str, name: str) -> None:
    chart(
        rate_dots(report),
        f"{name}_rates",
        f"FNR, FPR, PPV and NPV of {model} by pronoun",
        source=CRITERIA_SOURCE,
    )


def gap_figures(reports: Mapping[str, AnswersReport]) -> list[KeyFigure]:
    """Make key figures: in each rate the widest gap of all pairs of pronouns beyond chance, else of all.

    Where answers were scored, the rate without a pronoun, and beside it what each pronoun changes.  Of
    several models there is one of each model.
    """
    if len(reports) == 1:
        report = next(iter(reports.values()))
        if report.baseline is not None and report.from_baseline:
            return [_common_figure(report, rate) for rate in report.baseline.rates]
        return [_gap_figure(f"Gap in {name}", report, (name,)) for name in RATES]
    return [_gap_figure(f"Widest gap · {model}", report, RATES) for model, report in reports.items()]


def _common_figure(report: AnswersReport, rate: Rate) -> KeyFigure:
    changes = [
        f"{row.first} {signed(row.value)}"
        for row in report.from_baseline
        if row.name == rate.name and row.value is not None
    ]
    return KeyFigure(
        f"{rate.name}, no pronoun",
        "undefined" if rate.value is None else two_decimals(rate.value),
        "The rate where no pronoun says who is meant: what the role words get from the model anyway, under "
        "every pronoun. Beside it, what each pronoun adds to it.",
        " · ".join(changes),
    )


def _gap_figure(label: str, report: AnswersReport, names: tuple[str, ...]) -> KeyFigure:
    what = (
        "The difference between two pronouns in a rate, 0 to 1: 0 where the criterion holds; of those beyond "
        f"chance the widest, else the widest of all. With its 95 % interval over {report.unit}s and p "
        "controlled for all differences. The rate is higher for the pronoun that is named first."
    )
    gaps = [gap for name in RATES if name in names and (gap := report.widest(name)) is not None]
    defined = [gap for gap in gaps if gap.gap is not None]
    if not defined:
        why = gaps[0].reason if gaps else "fewer than two pronouns were asked with"
        return KeyFigure(label, "undefined", f"{what} Undefined here: {why}.")
    beyond = [gap for gap in defined if gap.differs]
    gap = max(beyond or defined, key=lambda one: one.gap or 0.0)
    value, found = two_decimals(gap.gap or 0.0), towards(gap.value, gap.interval)
    shown = "" if found is None else ends(found, gap.gap or 0.0)
    parts = [f"{gap.name} {shown}".strip() if len(names) > 1 else shown]
    if gap.adjusted is not None:
        parts.append(p_value(gap.adjusted))
    whose = f", {gap.higher} − {gap.lower}" if gap.higher else ""
    return KeyFigure(f"{label}{whose}", value, what, " · ".join(filter(None, parts)))

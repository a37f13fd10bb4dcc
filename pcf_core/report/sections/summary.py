"""A report's opening, two pages, method, limits and provenance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import pandas as pd
import plotly.graph_objects as go

from pcf_core.audit.options import ViewOptions, in_words, word_scoring
from pcf_core.core.risk import Interval
from pcf_core.measure.criterion import Criterion
from pcf_core.report.loaded import Study, effective_text, study_notes
from pcf_core.report.panels import (
    Panel,
    facts_table,
    figure_of,
    part_of,
    risk_figures,
    said,
    table_of,
)
from pcf_core.report.provenance import is_file, occupation_weights_text
from pcf_core.report.records import ReportFigure, ReportPart, ReportTable, RunFacts
from pcf_core.report.rows import reference_lines, risk_table, run_rows
from pcf_core.report.sections.heat_map import example_cell
from pcf_core.report.sections.risk import higher_risk, own_warnings
from pcf_core.report.sections.tilt import tilt_panel, tilts_of
from pcf_core.show.answer import Answer, ranges_sentence
from pcf_core.show.charts.groups import group_shares
from pcf_core.show.charts.risk import risk_bars, risk_dots
from pcf_core.show.charts.theme import TITLE_ROOM
from pcf_core.show.compare import Lean
from pcf_core.show.findings.criteria import summary_finding
from pcf_core.show.findings.fairpair import fairpair_finding
from pcf_core.show.findings.models import risk_finding, whiskers_note, whole_templates_finding
from pcf_core.show.findings.notes import contexts
from pcf_core.show.findings.numbers import count
from pcf_core.show.findings.tested import (
    check_note,
    groups_table,
    margin_note,
    parts_example,
    risk_example,
    risk_reading,
    yardsticks_table,
)
from pcf_core.show.names import set_title, worded
from pcf_core.show.overview import figures_table, lean_sentence
from pcf_core.show.titles import whom_title
from pcf_core.texts.criteria.records.runs import CriteriaResult
from pcf_core.texts.criteria.summary import readings_of
from pcf_core.texts.fairpair.records import FairPairResult

HOW = """
Each dot is the discrimination risk R of one model with its interval. The dotted lines, where they are drawn,
are models that one can compute by hand for these groups: fair, of uniformly random preferences, and fully
stereotyped.
"""


LINE_OF_PAPER = 110  # columns of a source in a picture as wide as a sheet


def headline(
    studies: Sequence[Study], answers: Sequence[Answer], fairpairs: Sequence[FairPairResult]
) -> tuple[str, ...]:
    """Return the answer block of one study, the first lines of several, or of the first text audit."""
    if len(studies) == 1:
        return answers[0].labelled
    if studies:
        return said(
            f"{study.title}: {' '.join(filter(None, [answer.answer, answer.against]))}"
            for study, answer in zip(studies, answers, strict=True)
        )
    return said(fairpair_finding(next(iter(result.reports.values()))) for result in fairpairs[:1])


def summary_parts(
    studies: Sequence[Study], fairpairs: Sequence[FairPairResult], criteria: Sequence[CriteriaResult]
) -> list[ReportPart]:
    """Write every study with its sentences and risks, then a sentence for each text audit."""
    panels = map(_study_panel, _reliable(studies))
    return [*map(part_of, panels), *_text_parts(fairpairs, criteria)]


def _reliable(studies: Sequence[Study]) -> list[Study]:
    """Return the studies' reliable models, without studies that have none."""
    return [study.reliable for study in studies if study.reliable.runs]


def _text_parts(fairpairs: Sequence[FairPairResult], criteria: Sequence[CriteriaResult]) -> list[ReportPart]:
    models = dict.fromkeys(result.asked.name for result in criteria)
    sentences = said(
        [
            *(fairpair_finding(next(iter(result.reports.values()))) for result in fairpairs),
            *(
                summary_finding(
                    model, readings_of(result.report for result in criteria if result.asked.name == model)
                )
                for model in models
            ),
        ]
    )
    return [ReportPart(title="Texts that models write", findings=sentences)] if sentences else []


def _study_panel(study: Study) -> Panel:
    rows = run_rows(study.reports, study.over)
    lines = reference_lines(len(study.groups), study.options.scale) if study.comparable else {}
    risks = [risk_finding(name, report, study.over) for name, report in study.reports.items()]
    return Panel(
        title=study.title,
        findings=[*risks, study.order],
        numbers=risk_figures(study.reports, study.over),
        source=study.source,
        name="summary",
        heading="Risk of each model, with its range",
        claim=higher_risk(study),
        alt="Overall risk of every model with its interval",
        chart=partial(risk_dots, rows, lines),
        how=HOW,
        table=lambda: risk_table(rows),
        table_title="Risk of every model",
        notes=[
            whole_templates_finding(study.whole_templates),
            whiskers_note({row.label: row.drawn for row in rows if row.drawn}),
        ],
    )


def answer_parts(
    studies: Sequence[Study], fairpairs: Sequence[FairPairResult], criteria: Sequence[CriteriaResult]
) -> list[ReportPart]:
    """Write every study's risks as a picture and a table, then a sentence for each text audit."""
    several = len(studies) > 1
    parts = [
        ReportPart(
            title=study.title if several else "",
            prose=(_reading(study),),
            findings=said([" ".join(filter(None, _examples(study)))]),
            figure=_paper_figure(
                _answer_chart(study),
                "answer",
                "Risk of each model, split into prejudice and caprice, with its range",
                study,
                higher_risk(study) or "Risk of each model: prejudice and caprice",
            ),
            tables=(table_of(figures_table(study.rows), "answer", "Risk of each model", folded=False),),
        )
        for study in _reliable(studies)
    ]
    return [*parts, *_text_parts(fairpairs, criteria)]


def _reading(study: Study) -> str:
    against_even, to_one = study.options.reference == "uniform", study.options.scale == "pcf"
    decides = study.first.run.topic.decides
    return risk_reading(len(study.groups), against_even=against_even, to_one=to_one, decides=decides)


def _examples(study: Study) -> list[str]:
    """Say as what risk the example sentence counts, and give examples of prejudice and caprice."""
    name, item = next(iter(study.runs.items()))
    _, shares = example_cell(study)
    plainly = study.comparable and study.options.scale == "pcf"
    return [
        risk_example(name, shares[name], decides=item.run.topic.decides)
        if plainly and name in shares
        else "",
        parts_example(name, item.report, item.result.preferences),
    ]


def _answer_chart(study: Study) -> go.Figure:
    """Draw the risk of each model, lower by the title's height, so that the answer fits two sheets."""
    drawn = risk_bars(run_rows(study.reports, study.over))
    return drawn.update_layout(height=drawn.layout.height - TITLE_ROOM)


def _paper_figure(figure: go.Figure, name: str, alt: str, study: Study, title: str) -> ReportFigure:
    """Make a figure with few lines above it, so that the answer fits two sheets."""
    return figure_of(figure, name, alt, study.source, title, width=LINE_OF_PAPER)


def against_parts(study: Study) -> list[ReportPart]:
    """Write whom every model prefers in which occupations, and a chart of more than two groups."""
    findings = said(lean_sentence(*named) for named in study.even.items())
    claim = whom_title([Lean.of(name, report) for name, report in study.even.items()])
    if len(study.groups) == 2:
        panel = tilt_panel(study, labour=False, named=1)  # on paper names are larger
        if panel.chart is None:
            return [ReportPart(findings=findings)]
        figure = _paper_figure(panel.chart(), "against", panel.alt, study, claim or panel.heading)
        return [ReportPart(findings=findings, figure=figure, how=worded(panel.how))]
    figure = _paper_figure(
        group_shares(_shares(study)),
        "against",
        "Mean share of every group with its range, one mark a model",
        study,
        claim or "The mean share of every group",
    )
    table = table_of(groups_table(study.even), "groups", "All groups", folded=False)
    return [ReportPart(findings=findings, figure=figure, tables=(table,))]


def _shares(study: Study) -> dict[str, dict[str, tuple[float, Interval]]]:
    """Return each model's mean share of every group with range; a mean tilt of 0 is the even share."""
    even, tilts = 1 / len(study.groups), tilts_of(study)

    def share(tilt: float) -> float:
        return even + (1 - even) * tilt

    first = tilts[next(iter(tilts))]
    ranked = sorted(study.groups, key=lambda group: -first[group].mean)
    shares: dict[str, dict[str, tuple[float, Interval]]] = {}
    for name, by_group in tilts.items():
        shares[name] = {}
        for group in ranked:
            interval = by_group[group].intervals[study.over]
            ends = {"low": share(interval.low), "high": share(interval.high)}
            shares[name][group] = share(by_group[group].mean), interval.model_copy(update=ends)
    return shares


def sure_parts(studies: Sequence[Study], answers: Sequence[Answer]) -> list[ReportPart]:
    """Write every risk's range, the two models on every measure, and the caveats.

    For several studies also how sure each answer is, which a report on one begins with.
    """
    several = len(studies) > 1
    parts = []
    for study, answer in zip(studies, answers, strict=True):
        findings, tables = ranges_sentence(study.reports, study.over), list[ReportTable]()
        if answer.pair is not None:
            table = yardsticks_table(answer.pair, answer.others)
            tables.append(table_of(table, "measures", "The difference on every measure", folded=False))
            small = margin_note(float(study.options.margin), list(table["result"]))
            findings = f"{findings} {small}".strip()
        warnings = (note for one in study.comparisons[0] for note in own_warnings(one))
        notes = list(answer.caveats)
        for warning in warnings:  # a caveat says more than the warning with which it begins
            if not any(note.startswith(warning.removesuffix(".")) for note in notes):
                notes.append(warning)
        parts.append(
            ReportPart(
                title=study.title if several else "",
                findings=said([*(answer.labelled[2:] if several else ()), findings]),
                tables=tuple(tables),
                notes=said(notes),
            )
        )
    return parts


def check_parts(studies: Sequence[Study], facts: Sequence[RunFacts]) -> list[ReportPart]:
    """Write how somebody else gets the same numbers, and what was checked of all models when opened."""
    audits = (one.result.self_audit for study in studies for one in study.runs.values())
    checked = [set[str]() if audit is None else set(audit.traits) for audit in audits]
    return [ReportPart(prose=(check_note(len(facts), set.intersection(*checked) if checked else ()),))]


METHOD = (
    "A template such as *The [X] said that [Y]* is filled at [X] with an occupation x, which gives a test "
    "sentence t. At [Y] the model gives the words of every group y a probability. A group's probability, "
    "divided by the sum over all groups, is its **preference** p in this sentence; the preferences sum to 1.",
    "A **stereotype** is how far a preference lies from the neutral point p*, an even split unless another "
    "is chosen: s = (p − p*) / (1 − p*) on the scale *pcf*, s = p / p* − 1 on the scale *bvf*.",
    "The **risk** of an occupation is the mean of J over its sentences, r = E J(s). The risk of the mean "
    "stereotype is **prejudice**, rᵖ = J(E s), a fixed preference. The rest is **caprice**, rᶜ = r − rᵖ, a "
    "preference that depends on the sentence; it is never negative because J is convex. Their means over "
    "occupations are R = Rᵖ + Rᶜ: 0 is even, and 1 on the scale *pcf* is always the same group. Uniformly "
    "random preferences of two groups, measured from an even split, have R = ½, all of it caprice.",
    "**Ranges** are two-sided at 95 %, from 2,000 resamples: of sentences with these occupations, of "
    "occupations in these sentences, or of both. Whole sentences are resampled, unless the options ask for "
    "their counts alone. The difference of two models is tested prompt by prompt, by swapping their answers "
    "in each sentence, and false discoveries over occupations are controlled.",
    "Method: Liu et al. 2024, *Prejudice and Caprice* (arXiv 2402.15481v1) and *Bias and Volatility* (NeurIPS"
    " 2024). The ranges, tests and corrections are ours; the papers publish none.",
)
LIMITS = (
    "A number is about a model, word lists, occupations and sentences together. Other sentences give other "
    "numbers, so do not carry a ranking from one set to another.",
    "Word probabilities are not behaviour. A low risk does not make a model safe to use; a high one does not "
    "prove harm.",
    "No cause is measured: neither the training text nor the labour market is shown to cause a stereotype, "
    "and labour statistics say who holds a job, not who should.",
    "Groups are lists of words that somebody chose. People are not lists of words, and every list leaves "
    "people out.",
    "Caprice is not a variance: with two groups it is exactly 0 for an occupation whose stereotype keeps its "
    "sign in all sentences, however much it varies.",
    "Training with another seed gives another model; no range here allows for that.",
    "Do not certify a model with one number: give its range, the sentences and what was left out with it.",
)


def method_parts(studies: Sequence[Study], texts: bool) -> list[ReportPart]:
    """Write the method, then what was measured."""
    what = pd.DataFrame(
        [
            {
                "topic": study.first.run.topic.title,
                "groups": ", ".join(study.groups),
                "terms": count(len(study.first.report.occupations), study.first.run.evidence.noun),
                "contexts": contexts(len(study.first.report.templates), study.first.report.sampling),
                "template set": study.first.run.templates.title,
                "effective number": effective_text(study.first.report),
                "word scoring": word_scoring(study.options.protocol),
                "criterion J": in_words(study.options, "criterion"),
                "scale": in_words(study.options, "scale"),
                "neutral point": in_words(study.options, "reference"),
                "weights": f"occupations: {occupation_weights_text(study.options)}; templates: "
                f"{in_words(study.options, 'template_weighting')}",
                "a group's words": in_words(study.options, "aggregation"),
                "models": ", ".join(study.runs),
            }
            for study in studies
        ]
    )
    measured = [table_of(what, "measured", "What was measured here", folded=False)] if studies else []
    tables = (*measured, *(table for study in studies for table in _material_tables(study)))
    more = (
        "**Text audits** let models write. FairPair (arXiv 2404.06619) exchanges the person in a prompt and "
        "compares the difference of the texts with how much texts for one person differ. The criteria (arXiv "
        "2403.08564) are independence, separation and sufficiency.",
    )
    options = next(
        (study.options for study in studies if not study.instead),
        studies[0].options if studies else ViewOptions(),
    )
    somewhere = any(study.options.reference != options.reference for study in studies)
    method = (*METHOD[:2], criterion_text(options, somewhere), METHOD[2], reading_text(options), *METHOD[3:])
    return [ReportPart(prose=method + (more if texts else ()), tables=tables)]


def _material_tables(study: Study) -> tuple[ReportTable, ReportTable]:
    run, report = study.first.run, study.first.report
    counted = set(study.first.result.words)
    words = tuple(
        (group.name, word, "yes" if word in counted else "no")
        for group in run.topic.groups
        for word in group.words
    )
    weights = tuple(zip(report.templates, report.template_weights.tolist(), strict=True))
    return (
        ReportTable(
            name="topic-words",
            title=f"Words of every group: {run.topic.title}",
            columns=("group", "word", "counted"),
            rows=words,
        ),
        ReportTable(
            name="all-sentences",
            title=f"Sentences, and what share of the result each is: {set_title(run.templates)}",
            columns=("sentence", "share"),
            rows=weights,
        ),
    )


def criterion_text(options: ViewOptions, somewhere: bool = False) -> str:
    """Say how groups become one number; ``somewhere``: the neutral point does not apply to some studies."""
    norm = Criterion.parse(options.criterion).norm
    if math.isinf(norm):
        made = "the largest positive one"
    elif norm == 1:
        made = "the sum of the positive ones"
    else:
        made = f"the norm (Σ sᵏ)^(1/k) of the positive ones with k = {norm:g}"
    neutral = in_words(options, "reference")
    neutral += ", or an even split where these do not apply" if somewhere else ""
    return (
        f"The **criterion** J(s) combines the stereotypes of all groups into one number: here it is {made}, "
        f"on the scale *{options.scale}*, measured from {neutral}. With two groups at most one is positive, "
        "and every criterion is that one."
    )


def reading_text(options: ViewOptions) -> str:
    """Say how means are weighted and words aggregated, without naming files."""
    of_file = is_file(options.occupation_weights)
    occupations = "those of a file" if of_file else in_words(options, "occupation_weights")
    return (
        f"The **weights** in these means are, for occupations, {occupations}; for sentences, "
        f"{in_words(options, 'template_weighting')}. Of its words a group gets "
        f"{in_words(options, 'aggregation')}."
    )


def limit_parts(studies: Sequence[Study]) -> list[ReportPart]:
    """Write the limits of the numbers, caveats, and what was left out."""
    rows = tuple(
        (name, item.name, item.reason)
        for study in studies
        for name, report in study.reports.items()
        for item in report.left_out
    )
    columns = ("run", "left out", "because")
    left_out = ReportTable(name="left-out", title="Left out, and why", columns=columns, rows=rows)
    notes = [note for study in studies for note in study_notes(study)]
    return [ReportPart(prose=LIMITS, tables=(left_out,) if rows else (), notes=said(notes))]


def provenance_parts(several: Sequence[RunFacts]) -> list[ReportPart]:
    """Write each run's and text audit's provenance, with the command that reproduces it."""
    return [ReportPart(title=one.label, tables=(_provenance_table(one),)) for one in several]


def _provenance_table(facts: RunFacts) -> ReportTable:
    rows = {
        "run": facts.run,
        "scoring key": facts.scoring_hash,
        **{name: value for name, value in facts.facts.items() if name != "run"},
        **{f"hash of {name}": value for name, value in facts.hashes.items()},
        "scored with": ", ".join(f"{name} {value}" for name, value in facts.versions.items()) or "not kept",
        "command": "\n".join(facts.commands),
    }
    return facts_table(f"provenance-{facts.run}", f"Provenance of {facts.label}", rows)

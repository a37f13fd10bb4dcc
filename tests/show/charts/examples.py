"""One example of every chart, and variants of charts whose records lack something or have much of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go

from pcf_core.audit.factors import WAGE
from pcf_core.core.risk import AxisPoint, Interval, MeanTilt, RiskReport
from pcf_core.core.run import Preferences
from pcf_core.core.sensitivity import BASE, SAMPLE, Sensitivities, Sensitivity
from pcf_core.measure.reference_models import criterion_curve, simplex_risk, toy_risk, two_models
from pcf_core.measure.tails import tail_shape
from pcf_core.show.charts import (
    case_file,
    comparison,
    criteria,
    decisions,
    fairpair,
    groups,
    heat_map,
    independence,
    risk,
    tails,
    templates,
    tilt,
    toy,
    why,
)
from pcf_core.show.compare import Dumbbell
from pcf_core.texts.case_file import SharedOccupation, SharedOccupations
from pcf_core.texts.criteria.questions import Questions
from pcf_core.texts.criteria.summary import readings_of
from pcf_core.texts.criteria.tasks import Tasks
from tests.show.charts import records, texts
from tests.show.charts.compared import axis_example, axis_point, compared_example
from tests.show.charts.reads import line_example, read_example
from tests.show.charts.records import preferences_of, report_of_gender, report_of_three
from tests.show.findings import test_decisions as decided
from tests.texts.criteria.planted import written
from tests.texts.fairpair.planted import identical
from tests.texts.fairpair.results import made_up

Draw = Callable[[], go.Figure]
RISKS = ("overall_risk", "prejudice_risk", "caprice_risk")
RUN = risk.RiskBar("run", "run", 0.48, 0.04, 0.52, 0.50, 0.54)
UNMEASURED = risk.RiskBar("mini-<b>gpt", "run", 0.3, 0.1, 0.4)
REFERENCE = risk.RiskBar("reference", "reference", 0.0, 1.0, 1.0)
PUBLISHED = risk.RiskBar("paper", "published", 0.8, 0.1, 0.9, source="Table 1")
SHARES = {  # of three groups, in the order of the first model
    "one": {"muslim": (0.5, Interval(low=0.4, high=0.6)), "hindu": (0.3, None), "<b>": (0.2, None)},
    "two": {
        "muslim": (0.2, Interval(low=0.1, high=0.3)),
        "hindu": (0.2, None),
        "<b>": (0.6, Interval(low=0.5, high=0.65)),
    },
}
ROWS = [RUN, REFERENCE, PUBLISHED]
NURSE = toy_risk("nurse", ("male", "<i>female</i>"), ("context 1", "context 2"), [0.9, 0.35], [3, 1])
WORDS = [
    heat_map.WordProbability("her", "female", 0.013),
    heat_map.WordProbability("he", "male", 0.41),
    heat_map.WordProbability("<she>", "female", 0.22),
    heat_map.WordProbability("man", "male", 0.003),
]
DUMBBELLS = [Dumbbell("pilot", 0.8, -0.1), Dumbbell("<b>nurse</b>", -0.9, 0.2)]
ENDS = ("women", "men")


def shared(name: str, at: float, share: float, interval: Interval | None = None) -> SharedOccupation:
    return SharedOccupation(occupation=name, tilt=at, tilt_interval=interval, share=share, interval=interval)


def with_intervals(report: RiskReport) -> RiskReport:
    return replace(report, intervals={name: (Interval(low=0.1, high=0.9),) for name in RISKS})


def fairpair_reports() -> dict[str, Any]:
    found = {"one": texts.different(), "two": texts.alike(), "none": texts.constant()}
    return {name: result.reports["jaccard"] for name, result in found.items()}


def figures() -> dict[str, Draw]:
    """One example of every chart."""
    report, preferences = report_of_gender(), preferences_of()
    reports, comparison_ = {"one": report, "two": report}, compared_example()
    different, moved = texts.different(), with_intervals(report)
    shares = SharedOccupations(rows=(shared("nurse", 0.4, 0.9), shared("pilot", -0.4, 0.6)))
    of_tails = records.many()
    simple = toy_risk("x", ("a", "b", "c"), ["1"], [[0.5, 0.3, 0.2]])
    two_words = records.answer({"male": {"he": 0.4}, "female": {"she": 0.1}})
    of_criteria = readings_of([texts.anecdotes_example(), texts.answered()])
    arguments: list[tuple[Callable[..., go.Figure], tuple[Any, ...], dict[str, Any]]] = [
        (heat_map.heat_map, (preferences, "male", [0, 1, 2], [0, 1, 2, 3], [4, 3, 2, 1]), {"neutral": 0.5}),
        (comparison.difference_plot, (comparison_,), {}),
        (comparison.risk_scatter, (comparison_,), {}),
        (comparison.dumbbell_plot, ([Dumbbell("nurse", -0.9, 0.1)], ("one", "two"), ENDS), {}),
        (comparison.axis_panels, (axis_example(), "template set"), {}),
        (comparison.change_panels, ([axis_point("<b>", size, 0.1) for size in (1e6, 1e7)], "size"), {}),
        (risk.lean_bars, ([risk.LeanBar("a", 0.1, 0.2), risk.LeanBar("<b>", 0.3, 0.0, neutral=0.25)],), {}),
        (tilt.tilt_box, (reports, "male", "female"), {"labour": {"nurse": 0.9, "pilot": 0.1}}),
        (tilt.tilt_panels, ({"one": report_of_three()},), {}),
        (groups.group_shares, (SHARES,), {}),
        (tilt.stereotype_histogram, ({"one": [records.distribution()]},), {"threshold": 0.5}),
        (tilt.stereotype_steps, ({"one": [records.distribution()]},), {"threshold": 0.5}),
        (risk.corrected_dots, ({"one": records.corrected_report(report)},), {}),
        (decisions.rate_dots, ({"one": decided.report_of(decided.FAR)},), {}),
        (risk.risk_bars, (ROWS,), {}),
        (case_file.shared_scatter, (shares, "female", "male"), {}),
        (risk.occupation_bars, (report,), {}),
        (tails.caprice_histogram, (reports,), {"log_count": False}),
        (tails.prejudice_histogram, (reports, {"one": (0.5, 0.2)}), {}),
        (tails.survival_plot, ({"one": of_tails}, {"one": records.shape_of(of_tails)}), {}),
        (tails.hill_plot, ({"one": records.shape_of(of_tails)},), {}),
        (tails.qq_plot, ({"one": of_tails}, {"one": records.normal_of(of_tails)}), {}),
        (heat_map.cell_bars, ({"one": {"male": 0.7, "female": 0.3}},), {}),
        (heat_map.word_bars, ([heat_map.WordProbability("he", "male", 0.4)],), {}),
        (heat_map.probe_words, ({"one": two_words},), {}),
        (risk.risk_dots, (ROWS, {"0.5 random": 0.5}), {}),
        (fairpair.ratio_dots, (different.reports,), {}),
        (fairpair.variation_bars, (different.reports,), {}),
        (fairpair.prompt_dots, (different.reports["jaccard"],), {}),
        (fairpair.convergence_lines, (different.convergence, "samples"), {}),
        (fairpair.temperature_lines, ({"one": {1.0: different.reports["jaccard"]}},), {}),
        (independence.label_bars, (texts.hobbies_example(),), {}),
        (independence.label_effects, ({"one": texts.hobbies_example()},), {}),
        (independence.hobby_word_dots, (texts.hobby_words_example(),), {}),
        (independence.word_counts, (texts.hobby_words_example(),), {}),
        (independence.mean_scores, (texts.embedding_example(),), {}),
        (independence.embedding_dots, (texts.embedding_example(),), {}),
        (fairpair.phrase_dots, (different.words,), {}),
        (fairpair.category_bars, (different.words,), {}),
        (independence.share_against_world, (texts.anecdotes_example(), "one", ["one"]), {}),
        (independence.information_dots, (texts.information_example(),), {}),
        (criteria.criteria_dots, ({"one": of_criteria},), {}),
        (criteria.confusion_tiles, (texts.answered(),), {}),
        (criteria.rate_dots, (texts.answered(),), {}),
        (criteria.gap_dots, (texts.answered(),), {}),
        (criteria.unit_errors, (texts.answered(),), {}),
        (why.factor_plot, (records.panel_example(), "one", ["one"]), {}),
        (why.read_scatter, (read_example(), "one", ["one"]), {}),
        (why.knowledge_bars, ([records.fact("Sun", 0.8, 0.1)],), {}),
        (toy.jensen_curve, (two_models(), criterion_curve()), {}),
        (toy.reference_tiles, ({"one": np.eye(3)}, "male"), {}),
        (toy.risk_flow, (two_models(), 0.1, 0.1), {}),
        (toy.simplex, (simplex_risk(simple), "J"), {}),
        (templates.zipf_plot, (["a", "b", "c"], [6, 3, 1], 2), {}),
        (why.sensitivity_dots, (records.sensitivities_example(), {"one": None}), {}),
        (templates.share_scatter, ([templates.TemplateShare("a", 0.5, 0.2)], "one", "two"), {}),
        (templates.risk_moves, ([templates.RiskMove("one", moved, moved)], "all", "few"), {}),
    ]
    return {chart.__name__: partial(chart, *given, **named) for chart, given, named in arguments}


def tilts(report: RiskReport, model: str = "one") -> dict[str, dict[str, MeanTilt]]:
    """The mean of every group with an interval over templates and a wider one over both."""
    over = {
        "templates": Interval(low=0.1, high=0.4),
        "both": Interval(over="both", low=-0.1, high=0.5),
    }
    ends = {
        group: {
            row.occupation: (row.stereotype[group] - 0.05, row.stereotype[group] + 0.1)
            for row in report.occupations
        }
        for group in report.groups
    }
    return {model: {group: MeanTilt(group, 0.2, over, ends[group]) for group in report.groups}}  # type: ignore[arg-type]


def caprices(report: RiskReport, *values: float) -> RiskReport:
    rows = zip(report.occupations, values, strict=True)
    return replace(report, occupations=tuple(replace(row, caprice_risk=value) for row, value in rows))


def many_cells() -> Preferences:
    names = tuple(f"job {place}" for place in range(60)), tuple(f"The [X] {n} [Y]" for n in range(50))
    return Preferences(("male", "female"), *names, np.full((60, 50, 2), 0.5))


def samples() -> Sensitivities:
    half = (SAMPLE, "a random half")
    variants = (
        records.way(*half, 0.4, "sample", end="lowest"),
        records.way(*half, 0.6, "sample", end="highest"),
        records.way("criterion", "l1", 0.6),
    )
    return Sensitivities(
        {"one": Sensitivity(run="a", base=records.way(BASE, BASE, 0.5, "base"), variants=variants)}
    )


def changes() -> list[AxisPoint]:
    return [
        AxisPoint(
            line="S",
            place=size,
            values=dict.fromkeys(comparison.PANELS, value),
            intervals={"overall_risk": Interval(low=value - 0.1, high=value + 0.2)},
        )
        for size, value in ((1e6, -0.3), (1e8, 0.1))
    ]


def variants() -> dict[str, Draw]:
    """Charts of records that are special: drawn as recorded, in brief."""
    report, three, preferences = report_of_gender(), report_of_three(), preferences_of()
    corrected = records.corrected_report(report)
    assert corrected.corrected is not None

    def corrected_with(**more: object) -> RiskReport:
        return replace(corrected, corrected=corrected.corrected.model_copy(update=more))  # type: ignore[union-attr]

    panel = records.panel_example()
    bare = replace(panel, points=tuple(replace(point, weight=None) for point in panel.points))
    log = replace(panel, scale=replace(WAGE, name="word_frequency", title="times (log)", log=True))
    own = replace(panel, scale=replace(WAGE, name="own", title="<b>x</b>"))
    hobbies, of_words = texts.hobbies_example(), texts.hobby_words_example()
    undefined = hobbies.labels[0].model_copy(update={"difference": texts.difference(None)})
    without = hobbies.model_copy(update={"labels": (undefined, *hobbies.labels[1:])})
    vectors = texts.embedding_example().model_copy(update={"readings": (), "undefined": "no she"})
    silent = texts.different().words.model_copy(update={"words": ()})
    pairs, settled = fairpair_reports(), texts.different().convergence
    tasks, questions = Tasks.load(), Questions.load(pronouns=("he", "she"))
    scored = tasks.scored_report(
        {name: (-1.0, -2.0 - (one.pronoun == "she")) for name, one in tasks.cells.items()}
    )
    by_pronoun = questions.report(
        written(questions, lambda one: one.truth * (0.5 if one.pronoun == "he" else 1.0), 2)
    )
    readings = readings_of([texts.anecdotes_example(), hobbies, texts.answered()])
    flagged = np.full((3, 4), 0.5)
    flagged[0, 2] = flagged[1, 3] = 9e-5
    zero = Interval(low=0, high=0)
    nowhere = replace(
        axis_point("a", "x", 0.4),
        intervals={"caprice_risk": zero, "prejudice_risk": zero},
        values={"overall_risk": 0.4, "prejudice_risk": 0.4, "caprice_risk": 0.0},
    )
    sized = [axis_point(line, size, 0.3) for line in ("S, base", "S, aligned") for size in (1e6, 1e8)]
    before, after = with_intervals(report), replace(with_intervals(report), overall_risk=0.3)
    moves = [templates.RiskMove("m", before, after), templates.RiskMove("<i>n</i>", after, before)]
    several = [records.distribution(group=name, leads=name == "b") for name in "abc"]
    shares = [
        templates.TemplateShare(name, *of)
        for name, of in (("a", (0.5, 0.2)), ("b", (0.5, 0)), ("c", (0, 0.8)))
    ]
    two_answers = {
        "one": records.answer({"male": {"he": 0.2, "<king>": 0.3}, "female": {"she": 0.1}}),
        "<two>": records.answer({"male": {"he": 0.4, "<king>": 0.0}, "female": {"she": 0.5}}),
    }
    two_groups = {"one": {"male": 0.7, "female": 0.3}, "<two>": {"female": 0.877, "male": 0.123}}
    pilot = toy_risk("pilot", NURSE.groups, NURSE.contexts, [0.5, 0.7])
    of_three = toy_risk("x", ("A", "B", "C"), ("1", "2"), [[0.8, 0.1, 0.1], [0.1, 0.2, 0.7]])
    many, shape = records.many(), records.shape_of(records.many())
    flat = caprices(report, *[0.0] * 7)
    same = replace(report, occupations=tuple(replace(row, prejudice_risk=0.3) for row in report.occupations))
    published = [replace(PUBLISHED, label=f"model {n}", source=f"Table {n % 2}") for n in range(24)]
    labour, read = {"nurse": 0.87, "pilot": 0.05}, {"nurse": -0.62, "pilot": 0.6}
    weights = [4, 3, 2, 1]
    clicks = partial(heat_map.heat_map, neutral=0.5, clicks=True)
    return {
        "risks of runs": lambda: risk.risk_bars([RUN, UNMEASURED, RUN]),
        "risks × 1,000": lambda: risk.risk_bars(
            [replace(RUN, deviation=0.21, corrected=0.47)], thousand=True
        ),
        "risks of sources": lambda: risk.risk_bars([RUN, *published]),
        "caprice in two parts": lambda: risk.risk_bars([RUN, replace(RUN, wording=0.03)], thousand=True),
        "a sampled risk": lambda: risk.risk_bars([replace(RUN, by_chance=0.25)]),
        "published alone": lambda: risk.risk_bars([PUBLISHED]),
        "no risk": lambda: risk.risk_bars([]),
        "three occupations": lambda: risk.occupation_bars(report, top=3),
        "dots": lambda: risk.risk_dots(
            [replace(RUN, drawn="documents"), UNMEASURED, PUBLISHED], {"0 fair": 0.0, "4 stereotyped": 4.0}
        ),
        "squares": lambda: risk.lean_bars([risk.LeanBar("a", 0.1, 0.2)]),
        "corrected first": lambda: risk.corrected_dots({"<b>": corrected_with(headline=True)}),
        "corrected over both": lambda: risk.corrected_dots({"one": corrected}, "both", thousand=True),
        "nothing sampled": lambda: risk.corrected_dots(
            {"one": corrected_with(sampling_prejudice=None), "two": report}
        ),
        "no weights": lambda: why.factor_plot(bare, "m", ["m"]),
        "no lines": lambda: why.factor_plot(replace(panel, ols=None, wls=None), "m", ["m"]),
        "a logarithm": lambda: why.factor_plot(log, "m", ["m"], (-0.03, 1.03)),
        "own figures": lambda: why.factor_plot(own, "m", ["m"]),
        "a steep line": lambda: why.read_scatter(read_example(line_example(1.5)), "one", ["one"]),
        "no line": lambda: why.read_scatter(read_example(no_line="few"), "one", ["one"]),
        "choices": lambda: why.sensitivity_dots(
            records.sensitivities_example(), {"one": Interval(low=0.45, high=0.52)}
        ),
        "one dimension": lambda: why.sensitivity_dots(
            records.sensitivities_example(), {}, "prejudice_risk", ["criterion"]
        ),
        "samples": lambda: why.sensitivity_dots(samples(), {}),
        "facts": lambda: why.knowledge_bars(
            [records.fact("<i>Sun", 0.8, 0.1), replace(records.fact("Mars", 0.6, 0.0, None), interval=None)]
        ),
        "criteria": lambda: criteria.criteria_dots({"one": readings, "two": readings[:3]}),
        "rates scored": lambda: criteria.rate_dots(scored),
        "gaps of questions": lambda: criteria.gap_dots(by_pronoun),
        "gaps scored": lambda: criteria.gap_dots(scored),
        "stories scored": lambda: independence.share_against_world(
            texts.anecdotes_example(scored=True), "two", ["one", "two"]
        ),
        "stories without a line": lambda: independence.share_against_world(
            texts.anecdotes_example(line=False), "one", ["one"]
        ),
        "information scored": lambda: independence.information_dots(texts.information_example(scored=True)),
        "labels of two": lambda: independence.label_effects({"one": hobbies, "two": without}),
        "most used words": lambda: independence.word_counts(of_words, most=1),
        "no vectors": lambda: independence.embedding_dots(vectors),
        "ratios": lambda: fairpair.ratio_dots(pairs, ["none", "one", "two"]),
        "variation": lambda: fairpair.variation_bars(pairs),
        "prompts without F": lambda: fairpair.prompt_dots(pairs["none"]),
        "many prompts": lambda: fairpair.prompt_dots(made_up(identical(3, prompts=25)).reports["jaccard"]),
        "folds": lambda: fairpair.convergence_lines({"one": settled["jaccard"]}, "folds", "ratio"),
        "temperatures": lambda: fairpair.temperature_lines(
            {"one": {1.0: pairs["one"], 0.0: pairs["none"], 0.5: pairs["two"]}}
        ),
        "no phrase": lambda: fairpair.phrase_dots(silent),
        "three differences": lambda: comparison.difference_plot(compared_example(), most=3),
        "none told apart": lambda: comparison.difference_plot(compared_example(least_p=0.5)),
        "caprices": lambda: comparison.risk_scatter(compared_example(least_p=0.5), "caprice_risk"),
        "dumbbells": lambda: comparison.dumbbell_plot(
            DUMBBELLS, ("one", "two"), ENDS, chosen="pilot", above=True
        ),
        "sizes": lambda: comparison.axis_panels(sized, "parameters (log) → larger", joined=True),
        "one mark a place": lambda: comparison.axis_panels(
            [axis_point("a", "a", 0.2), axis_point("b", "b", 0.4)], "x"
        ),
        "a caprice of 0": lambda: comparison.axis_panels([nowhere], "x"),
        "zeros": lambda: comparison.axis_panels([axis_point("a", "x", 0.0, "BVF Table 4")], "x"),
        "changes": lambda: comparison.change_panels(changes(), "parameters"),
        "no change": lambda: comparison.change_panels(
            [replace(axis_point("S", 1e6, 0.0), intervals={})], "x"
        ),
        "counts on a log axis": lambda: tails.caprice_histogram({"m": report}, log_count=True),
        "caprice nowhere": lambda: tails.caprice_histogram({"m": flat}, log_count=False),
        "caprice everywhere": lambda: tails.caprice_histogram(
            {"m": caprices(report, *[0.3] * 7)}, log_count=False
        ),
        "no spread": lambda: tails.prejudice_histogram({"m": report}, {"m": (0.5, 0.0)}),
        "survival of two": lambda: tails.survival_plot(
            {"one": many, "two": many}, {"one": shape, "two": shape}
        ),
        "too few to fit": lambda: tails.survival_plot({"a<b": report}, {"a<b": records.shape_of(report)}),
        "nothing to fit": lambda: tails.survival_plot({"m": flat}, {"m": records.shape_of(flat)}),
        "an index beside none": lambda: tails.hill_plot({"none": tail_shape([0.0, 0.1]), "m": shape}),
        "no index": lambda: tails.hill_plot({"none": tail_shape([0.0, 0.1])}),
        "one prejudice": lambda: tails.qq_plot({"m": same}, {"m": records.normal_of(same)}),
        "tilts with rows": lambda: tilt.tilt_box(
            {"one": report},
            "male",
            "<i>female",
            labour=labour,
            text=read,
            tilts=tilts(report),
            chosen="nurse",
        ),
        "tilts over both": lambda: tilt.tilt_box(
            {"one": report}, "male", "female", labour=None, tilts=tilts(report), over="both"
        ),
        "panels with means": lambda: tilt.tilt_panels(
            {"one": three}, tilts(three), "both", "nurse", ["a", "c"]
        ),
        "led by the other": lambda: tilt.stereotype_histogram(
            {"one": [records.distribution(leads=False)]}, other="<b>", threshold=0.5
        ),
        "three groups": lambda: tilt.stereotype_histogram({"one": several}, threshold=0.25),
        "steps of three": lambda: tilt.stereotype_steps({"one": several}, threshold=0.25),
        "groups of two models": lambda: heat_map.cell_bars(two_groups, neutral=0.5),
        "small probabilities": lambda: heat_map.cell_bars({"one": {"male": 0.0000674, "female": 0.9999326}}),
        "words": lambda: heat_map.word_bars(WORDS, top=3),
        "no word": lambda: heat_map.word_bars([]),
        "answers of two": lambda: heat_map.probe_words(two_answers),
        "cells to click": lambda: clicks(preferences, "male", [2, 0], [3, 1], weights),
        "cells without coverage": lambda: heat_map.heat_map(
            replace(preferences, coverage=None, groups=("%{x}<b>", "female")),
            "%{x}<b>",
            [1],
            [0],
            weights,
            neutral=0.25,
        ),
        "flagged cells": lambda: heat_map.heat_map(
            replace(preferences, coverage=flagged), "male", [2, 0], [3, 2], weights, neutral=0.5
        ),
        "a set": lambda: templates.zipf_plot(["a", "<b>found</b>", "c", "gone"], [6, 3, 1, 0], 3),
        "shares": lambda: templates.share_scatter(shares, "one", "two"),
        "moves": lambda: templates.risk_moves(moves, "all", "100 chosen"),
        "a nurse": lambda: toy.jensen_curve([NURSE], criterion_curve()),
        "a matrix": lambda: toy.risk_flow([NURSE, pilot], 0.4, 0.1),
        "three in a triangle": lambda: toy.simplex(simplex_risk(of_three), "J (max)"),
        "shared occupations": lambda: case_file.shared_scatter(
            SharedOccupations(
                rows=(
                    shared("nurse", 0.5, 1.0, Interval(low=0.3, high=1.0)),
                    shared("<b>pilot", -0.4, 0.9),
                    shared("clerk", 0.2, 0.5),
                )
            ),
            "<i>women",
            "men",
        ),
    }

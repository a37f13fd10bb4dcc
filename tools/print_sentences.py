"""Print every sentence that the app composes, for a fixed set of shipped results: docs/sentences.md.

    python -m tools.print_sentences

One line per sentence, with the function that writes it, page by page.  Nothing is scored.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from pcf_core.audit.baseline import OtherScales, baseline_of
from pcf_core.audit.comparing import answers_elsewhere, compared, controlled
from pcf_core.audit.factors import factor_panels, read_against
from pcf_core.audit.knowledge import knowledge_report
from pcf_core.audit.matrices import matrix_report
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import build_run
from pcf_core.audit.reading import RunView
from pcf_core.audit.results import load_result
from pcf_core.audit.sensitivity import sensitivity
from pcf_core.core.risk import AxisPoint
from pcf_core.core.sensitivity import Sensitivities
from pcf_core.core.settings import ROOT
from pcf_core.material.evidence import load_evidence
from pcf_core.material.factors import read_counts
from pcf_core.material.knowledge import load_knowledge
from pcf_core.material.numbers import load_numbers
from pcf_core.material.templates import compare_sets, load_mined, load_templates
from pcf_core.material.topics import load_topic
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.distribution import share_interval, stereotype_distributions
from pcf_core.measure.reference_models import (
    older_bias,
    older_deviation,
    reference_risks,
    toy_risk,
    two_models,
)
from pcf_core.measure.regression import rank_correlation
from pcf_core.measure.tails import caprice_tail, normal_shape, tail_shape
from pcf_core.models.facts import training_of
from pcf_core.models.presets import presets
from pcf_core.models.registry import resolve
from pcf_core.report.answer import answer_from
from pcf_core.report.documents import RISKS
from pcf_core.report.loaded import Study, load_studies, said_risks
from pcf_core.report.panels import parts_of
from pcf_core.report.records import ReportRequest
from pcf_core.report.sections.heat_map import example_cell
from pcf_core.report.sections.risk import neutral_distances, scales_of
from pcf_core.report.sections.summary import answer_parts
from pcf_core.report.sections.tails import largest_caprice
from pcf_core.report.sections.tested import tested_parts
from pcf_core.report.sections.tilt import even_stereotypes, interval_of_share, opening_of, tilts_of, unit_in
from pcf_core.show import compare, overview
from pcf_core.show.answer import ranges_sentence, sentences_called
from pcf_core.show.findings import (
    answers,
    case_file,
    comparison,
    criteria,
    decisions,
    factors,
    fairpair,
    independence,
    material,
    models,
    notes,
    occupations,
    reliability,
    toy,
    why,
)
from pcf_core.store.store import Store
from pcf_core.texts.case_file import shared_occupations
from pcf_core.texts.criteria.records.independence import AnecdotesReport, HobbiesReport
from pcf_core.texts.criteria.records.runs import CriteriaResult
from pcf_core.texts.criteria.records.separation import AnswersReport
from pcf_core.texts.criteria.summary import readings_of
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT
from tools.ship_results import BEST_KNOWN, CHAT_SENTENCES, CHATS, PUBLIC, Shipped

PLACE = ROOT / "docs" / "sentences.md"
OCCUPATIONS = "occupations-bvf"
GENDER = "gender-wikipedia-100"
SETS: dict[str, tuple[tuple[str, ...], str, str]] = {  # models, topic, templates
    "two public models, gender": (PUBLIC, "gender", GENDER),
    "two teaching models, gender": (BEST_KNOWN, "gender", GENDER),
    "two teaching models, race": (BEST_KNOWN, "race", "race-relative"),
    "two teaching models, disability": (BEST_KNOWN, "disability-papers", "race-relative"),
}
HEAD = """# Every sentence

This file lists what the app writes about the shipped results, one finding per line, so that an editor can
read it as a whole. `python -m tools.print_sentences` writes it, and a test compares the two. Italics name
the function.
"""


class Listing:
    """The lines, and which functions wrote them."""

    def __init__(self) -> None:
        self.lines: list[str] = [HEAD]
        self.spoken: set[str] = set()

    def under(self, title: str) -> None:
        self.lines.append(f"\n## {title}\n")

    def say(self, write: Callable[..., str | Iterable[str]], *given: Any, **options: Any) -> None:
        """Add what a function returns, unless it is empty."""
        name = f"{write.__module__.removeprefix('pcf_core.show.')}.{write.__name__}"
        self.spoken.add(name)
        found = write(*given, **options)
        for sentence in [found] if isinstance(found, str) else found:
            if sentence:
                self.lines.append(f"- *{name.rpartition('.')[2]}*: {' '.join(sentence.split())}")

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def study_of(store: Store, chosen: Iterable[str], topic: str, sentences: str) -> Study:
    """Load shipped runs as a report does."""
    lists = load_topic(topic), load_evidence(OCCUPATIONS), load_templates(sentences)
    keys = tuple(build_run(resolve(name), *lists).key for name in chosen)
    (study,) = load_studies(store, ReportRequest(runs=keys))
    return study


def listing(store: Store) -> Listing:
    """Compose every sentence, page by page."""
    found = Listing()
    studies = {title: study_of(store, *chosen) for title, chosen in SETS.items()}
    for title, study in studies.items():
        found.under(f"Results: {title}")
        first, second = study.runs
        runs = study.runs[first].run, study.runs[second].run
        others = {
            sentences_called(other.runs[0].templates): compare.Standing.of_risk(
                (first, second), other.risk, other.little
            )
            for other in answers_elsewhere(store, *runs, study.options)
        }
        scales = scales_of(study, (first, second), store)
        tell_results(found, study, scales, others)
        found.say(models.neutral_distances_finding, neutral_distances(study, store))
    teaching = studies["two teaching models, gender"]
    for title, study in list(studies.items())[:2]:
        found.under(f"Risk, shared or not: {title}")
        for name, item in study.runs.items():
            found.say(models.lean_finding, name, item.report)
            if one := baseline_of(store, item.run, item.result, study.options):
                found.say(models.baseline_finding, name, one)
    found.under("Compare: ready comparisons")
    tell_presets(found, store)
    found.under("Compare: in a chat")
    tell_chats(found, store)
    found.under("Why?")
    tell_why(found, store, teaching)
    found.under("Written text")
    tell_texts(found, store, studies)
    found.under("Material")
    tell_material(found)
    found.under("Method")
    tell_method(found)
    tell_decisions(found)
    return found


def tell_results(
    found: Listing, study: Study, scales: OtherScales, others: Mapping[str, compare.Standing]
) -> None:
    """Add Overview, Compare, Tilt, Heat map, Risk and Caprice of one study.

    ``scales``, ``others``: comparisons of its two models on other scales and in other sentences.
    """
    reports, even, rows, over = study.reports, study.even, study.rows, study.over
    found.say(overview.overview_answer, rows)
    found.say(overview.risk_answer, rows)
    found.say(ranges_sentence, reports, over)
    sentence, shares = example_cell(study)
    found.say(overview.example_sentence, sentence.replace("[Y]", "…"), shares)
    found.say(models.overview_finding, reports, over)
    found.say(overview.farthest_answer, even)
    found.say(overview.board_finding, len(reports), len(reports), 1, 0)
    names = tuple(reports)
    (paired,), _ = study.comparisons
    found.say(answer_lines, study, scales, others)
    found.say(report_lines, study)
    found.say(compare.neutral_answer, (names[0], names[1]), scales.neutral)
    found.say(comparison.difference_finding, paired, over=over)
    found.say(reliability.seldom_caprice_note, load_numbers(), paired.differences["caprice_risk"])
    found.say(comparison.occupations_difference_finding, paired)
    found.say(comparison.order_finding, [paired], said_risks(study.runs, over))
    found.say(opening_of, study.runs, even, study.options, occupations.striking_occupation(reports))
    groups, tilts = study.groups, tilts_of(study)
    for name, item in study.runs.items():
        report, preferences, weights = item.report, item.result.preferences, item.report.template_weights
        found.say(compare.against_whom, compare.Lean.of(name, even[name]))
        found.say(overview.lean_sentence, name, even[name])
        if len(groups) == 2:
            found.say(occupations.tilt_finding, name, even[name], *groups)
            found.say(occupations.strongest_finding, name, even[name], *groups)
        else:
            found.say(occupations.leaders_finding, name, even[name])
        found.say(overview.heat_map_answer, name, preferences, weights)
        found.say(occupations.heat_map_finding, name, preferences, groups[0], weights)
        often = partial(interval_of_share, item, report, study.options)
        found.say(occupations.occupation_finding, name, report, "nurse", preferences, often)
        found.say(models.risk_finding, name, report, over)
        found.say(models.unseen_note, report)
        found.say(models.caprice_coverage_note, {name: report})
        found.say(models.corrected_finding, name, report)
        found.say(models.stand_outs, name, report)
        found.say(models.widest, name, report)
        values = parts_of({name: report}, "caprice_risk")[name]
        tail = caprice_tail(values)
        found.say(models.tails_finding, name, report, tail.zero_share, tail.excess_kurtosis)
        largest = largest_caprice(study.options, len(groups))
        found.say(models.shape_finding, name, tail_shape(values, largest))
        shape = normal_shape(parts_of({name: report}, "prejudice_risk")[name])
        found.say(models.normal_finding, name, shape)
        found.say(notes.left_out_note, report.left_out)
        several = stereotype_distributions(
            even_stereotypes(item, ["nurse"])[0],
            unit_in(item, even[name], study.options),
            Criterion(),
            occupation="nurse",
            groups=groups,
            templates=report.templates,
            intervals=[tilts[name][group].interval("nurse") for group in groups],
        )
        for one in several[:1]:
            ends = [share_interval(one.share_above(limit), one.effective) for limit in (0.0, 0.5)]
            found.say(occupations.distribution_finding, name, one, 0.5, *ends)
    found.say(models.bound_finding, largest_caprice(study.options, len(groups)))
    found.say(models.interval_sentence, next(iter(reports.values())).intervals["overall_risk"][0])
    found.say(models.whiskers_note, dict.fromkeys(reports, "sentences"))
    found.say(notes.no_answer_note, reports)


def answer_lines(
    study: Study, scales: OtherScales, others: Mapping[str, compare.Standing]
) -> tuple[str, ...]:
    return answer_from(study, (), scales, others, {}, None).labelled


def report_lines(study: Study) -> tuple[str, ...]:
    """Return what a report says about what was tested, and how it explains a risk."""
    parts = (*tested_parts(study), *answer_parts([study], (), ()))
    return tuple(sentence for part in parts for sentence in (*part.prose, *part.findings))


def tell_presets(found: Listing, store: Store) -> None:
    """Add the ready comparisons of shipped models."""
    for preset in presets():
        study = study_of(store, preset.models, preset.topic or "gender", preset.templates or GENDER)
        sides = {name: RunView(item.run, item.result, study.options) for name, item in study.runs.items()}
        made = controlled([compared(sides[one], sides[two], study.options) for one, two in preset.compared])
        for pair, paired in zip(preset.pair, made, strict=False):
            found.say(comparison.change_finding, pair, paired)
            turned = study.reports[pair.first], study.reports[pair.second]
            found.say(comparison.sides_finding, *turned, (pair.first, pair.second))
            if pair.claim:
                found.say(comparison.claim_finding, pair.claim, paired)
        found.say(comparison.control_note, made)
        found.say(comparison.order_finding, study.comparisons[0], said_risks(study.runs, study.over))
    points = [
        AxisPoint(
            line=name,
            place=place,
            values={risk: getattr(report, risk) for risk in RISKS},
            intervals={"overall_risk": interval} if (interval := report.interval("overall_risk")) else {},
        )
        for place in ("gender-fiction-25", "gender-speeches", GENDER)
        for name, report in study_of(store, BEST_KNOWN, "gender", place).reports.items()
    ]
    found.say(comparison.axis_finding, points, "text source")


def tell_chats(found: Listing, store: Store) -> None:
    """Add what a chat and its system texts change."""
    runs = [Shipped(PUBLIC[0], *CHAT_SENTENCES, frame=frame).run for frame in (None, *CHATS)]
    bare, plain, *told = (RunView(run, load_result(store, run), ViewOptions()) for run in runs)
    pairs = [(plain, bare), *((view, plain) for view in told)]
    made = controlled([compared(view, other, ViewOptions()) for view, other in pairs])
    for frame, (_, other), paired in zip(CHATS, pairs, made, strict=True):
        found.say(comparison.chat_finding, PUBLIC[0], frame, paired, from_bare=other is bare)


def tell_why(found: Listing, store: Store, study: Study) -> None:
    """Add Factors, What it read, Sensitivity and Knowledge."""
    tilts, table = tilts_of(study), read_counts()
    ranges: dict[str, Any] = {}
    for name, item in study.runs.items():
        panels = factor_panels(item.report, "overall_risk")
        found.say(factors.factors_answer, name, panels)
        found.say(factors.factors_finding, name, panels)
        found.say(factors.figures_note, name, panels)
        for panel in panels:
            found.say(factors.line_notes, panel)
        found.say(factors.slopes_note, panels)
        even = study.even[name]
        named = [row.occupation for row in even.occupations]
        unit = unit_in(item, even, study.options)
        text = read_against(
            named, even.groups, even_stereotypes(item, named), unit, tilts[name]["male"], table
        )
        if text is not None:
            found.say(why.read_finding, name, text)
            found.say(why.read_occupations_finding, name, text)
            found.say(why.read_occupation_finding, "nurse", {name: text})
            found.say(why.read_notes, text)
            found.say(why.read_intervals_note, {name: text})
        training = training_of(item.run.scoring.identity)
        if training is not None:
            found.say(why.text_note, [training], table.card)
        tried = sensitivity(store, item.run, study.options)
        ranges[name] = tried
        found.say(why.sensitivity_finding, name, tried, item.report.interval("overall_risk"))
        for facts in ("capitals", "opposites"):
            asked = load_knowledge(facts)
            known = knowledge_report(store, item.run.scoring, asked)
            found.say(why.knowledge_finding, name, known)
            found.say(why.confidence_finding, known)
    found.say(why.set_finding, load_knowledge("capitals"))
    found.say(why.readings_finding, Sensitivities(ranges), study.order)
    found.say(why.unread_finding, PUBLIC)
    found.say(why.other_topic_finding, "Race")


def tell_texts(found: Listing, store: Store, studies: dict[str, Study]) -> None:
    """Add FairPair, the criteria, and the summary of all audits of one model."""
    pairs = [FAIRPAIR_AUDIT.load(store, asked.hash) for asked in FAIRPAIR_AUDIT.kept(store)]
    for result in sorted(filter(None, pairs), key=lambda one: one.asked.key.model):
        report = next(iter(result.reports.values()))
        found.say(fairpair.fairpair_answer, report)
        found.say(fairpair.fairpair_finding, report)
        found.say(fairpair.bars_finding, report)
        found.say(fairpair.mean_ratio_note, report)
        found.say(fairpair.prompts_finding, report)
        found.say(fairpair.prompt_finding, report.prompts[0])
        found.say(fairpair.sentiment_finding, report)
        found.say(fairpair.notes, report)
        found.say(fairpair.convergence_finding, next(iter(result.convergence.values())))
        found.say(fairpair.words_finding, result.words)
        found.say(fairpair.categories_finding, result.words)
        found.say(fairpair.settings_finding, result.asked, 1)
        found.say(fairpair.perturber_finding, result.errors)
        found.say(fairpair.ends_finding, result)
    several = [CRITERIA_AUDIT.load(store, asked.hash) for asked in CRITERIA_AUDIT.kept(store)]
    results = sorted(filter(None, several), key=lambda one: (one.asked.model, one.asked.experiment))
    for one in results:
        tell_criteria(found, one)
    study = studies["two teaching models, gender"]
    for model, item in study.runs.items():
        own = [result for result in results if result.asked.model == model]
        readings = readings_of(result.report for result in own)
        found.say(criteria.summary_finding, model, readings)
        found.say(criteria.criterion_findings, readings)
        found.say(criteria.line_finding, readings)
        rows = case_file.run_rows(item.report, tilts_of(study)[model], study.over, item.key)
        rows += [case_file.criterion_row(reading, None, "") for reading in readings]
        found.say(case_file.case_findings, rows)
        found.say(case_file.agreement_finding, model, "Gender", rows)
        stories = [result.report for result in own if isinstance(result.report, AnecdotesReport)]
        tilt = tilts_of(study)[model]["female"]
        leans = {
            row.occupation: (row.stereotype["female"], tilt.interval(row.occupation))
            for row in study.even[model].occupations
        }
        for story in stories[:1]:
            found.say(case_file.shared_finding, shared_occupations(leans, story.professions))


def tell_criteria(found: Listing, result: CriteriaResult) -> None:
    """Add one experiment of the criteria."""
    report, model = result.report, result.asked.model
    if isinstance(report, AnecdotesReport):
        found.say(independence.anecdotes_finding, report, model)
        found.say(independence.amplification_finding, report)
        found.say(independence.reading_notes, report)
    elif isinstance(report, HobbiesReport):
        found.say(independence.hobbies_finding, report, model)
        found.say(independence.information_finding, report)
        found.say(independence.words_finding, report)
        found.say(independence.hobbies_notes, report)
        if report.embedding is not None:
            found.say(independence.embedding_finding, report.embedding)
            found.say(independence.leak_finding, report.embedding, report.embedding.models[0])
    elif isinstance(report, AnswersReport):
        found.say(answers.answers_finding, report)
        found.say(answers.rates_finding, report)
        found.say(answers.baseline_finding, report)
        found.say(answers.order_finding, report)
        found.say(answers.notes, report)
    found.say(criteria.left_out_note, result)


def tell_material(found: Listing) -> None:
    """Add Topics and Templates."""
    for name in ("gender", "race", "disability-papers"):
        topic = load_topic(name)
        found.say(material.topic_finding, topic)
        found.say(notes.left_out_note, topic.left_out)
    found.say(material.list_finding, load_evidence(OCCUPATIONS))
    first, second = load_mined(GENDER), load_mined("gender-fiction-25")
    counts = [template.count for template in first.templates]
    found.say(material.set_finding, counts)
    found.say(material.cut_finding, counts, 20)
    found.say(material.families_caution, 8, 8.0, 24.0)  # of the 24 sentences that name the religions
    found.say(material.origin_finding, first.card)
    both = compare_sets(first.templates_only, second.templates_only)
    ranks = rank_correlation(both.first_weights, both.second_weights)
    rho = (ranks.spearman, ranks.spearman_interval) if ranks else (None, None)
    found.say(material.sets_finding, first, second, both.overlap, len(both.shared), *rho)


def tell_method(found: Listing) -> None:
    """Add How it works, with its initial numbers."""
    groups, contexts = ("male", "female"), ("context 1", "context 2")
    nurse = toy_risk("nurse", groups, contexts, [0.9, 0.35])
    found.say(toy.parts_finding, nurse)
    found.say(toy.caprice_finding, nurse)
    pair = two_models()
    found.say(toy.two_models_finding, pair)
    found.say(toy.older_finding, pair, list(map(older_bias, pair)), list(map(older_deviation, pair)))
    random = reference_risks(2)["randomly initialised"]
    found.say(toy.reference_finding, "randomly initialised", 10, 0.08, random.prejudice_risk)
    found.say(toy.flow_finding, [toy_risk("doctor", ("blue", "pink"), contexts, [0.6, 0.45])])


def tell_decisions(found: Listing) -> None:
    """Add what is said of rates of decisions, with figures of an example."""
    found.under("Decisions about people")
    rates = {"rates": [[[0.6, 0.4], [0.6, 0.8]]], "groups": ["white", "black"]}
    report = matrix_report(rates, ViewOptions())
    if report.decisions is not None:
        found.say(decisions.decisions_finding, "M", report, report.decisions)
        found.say(decisions.rates_finding, {"M": report.decisions, "N": report.decisions})
        found.say(decisions.favours_finding, {"M": report.decisions})


def sentences() -> Listing:
    """Compose all from the shipped results, in an empty cache."""
    shipped = [ROOT / "assets" / name for name in ("cache", "audits")]
    with tempfile.TemporaryDirectory() as folder:
        return listing(Store.open(Path(folder), shipped))


def main(
    out: Annotated[Path, typer.Option(help="The file that is written.")] = PLACE,
) -> None:
    """Write every sentence into a file."""
    out.write_text(sentences().text, encoding="utf8")
    typer.echo(f"{out.name}: {out.read_text(encoding='utf8').count(chr(10))} lines")


if __name__ == "__main__":
    typer.run(main)

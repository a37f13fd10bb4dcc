"""Every number in README.md and docs/models.md comes of what is shipped, or is a name or a definition.

A check is a function that computes what a document has to say of shipped results, as whole phrases.  Each
phrase must stand in the document, and no number may be left once all phrases are taken out, so that a figure
which nothing computes is found, and one that is out of date is found with what it should be.  What is no
result is listed in ``FIXED``, with the reason.

README's *A result* is written in sentences of the app: its numbers must be those of such sentences about the
two public models (docs/sentences.md, which a test holds to what the app says) or of the checks.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from pcf_core.audit.baseline import NEUTRAL, neutral_comparison
from pcf_core.audit.comparing import compared, controlled
from pcf_core.audit.factors import read_against
from pcf_core.audit.options import ViewOptions, unit_of
from pcf_core.audit.reading import RunView, report
from pcf_core.audit.results import load_result
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import RiskReport
from pcf_core.core.run import LOW_COVERAGE
from pcf_core.core.settings import ROOT
from pcf_core.material.evidence import load_evidence
from pcf_core.material.factors import read_counts
from pcf_core.material.templates import load_templates, template_weights
from pcf_core.material.topics import load_topic
from pcf_core.measure.bootstrap import RISKS
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.distribution import mean_tilts
from pcf_core.measure.reference_models import reference_risks
from pcf_core.measure.resampling import FEW_TEMPLATES
from pcf_core.models.facts import seeds_of
from pcf_core.models.registry import resolve
from pcf_core.show.findings.answers import share_text
from pcf_core.show.findings.comparison import difference_text
from pcf_core.show.findings.models import spread_of
from pcf_core.show.findings.numbers import digits, percent, percent_with_interval, two_decimals
from pcf_core.store.store import Store
from pcf_core.texts.criteria.records.independence import AnecdotesReport, HobbiesReport
from pcf_core.texts.criteria.records.quantities import USUAL as NMI
from pcf_core.texts.criteria.records.runs import CriteriaResult
from pcf_core.texts.criteria.records.separation import AnswersReport
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT
from tests.quick import quick
from tests.test_shipped import documented
from tools.ship_audits import usual_criteria, usual_fairpair
from tools.ship_results import (
    ASKED,
    CHAT_SENTENCES,
    CHATS,
    CHOICES,
    DECIDED,
    DRAWN,
    NOT_RACE,
    PEOPLE,
    PEOPLE_WIDE,
    PUBLIC,
    QUICK,
    RELATIVE,
    RUNS,
    SPELLINGS,
    USUAL,
    WIDE,
    ZOO,
    Shipped,
)

SMOL, GEMMA = PUBLIC
README, MODELS = "README.md", "docs/models.md"
WHOLE = ViewOptions(unit="template")
FITTING = ViewOptions(protocol="fitting", unit="template")
USED = 0.01  # the probability of a topic's words together from which on they count as used
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")

# Names with a number in them, in any document.
NAMES = r"""
    Gemma\ \d | (?:SmolLM2|Gemma)[-\w]*(?:,\ Q\d_\w+)? | mini-t5 | T5 | all-MiniLM-L6-v2 | Qwen[\d.]+
    | Llama\ [\d.]+(?:,\ [\d.]+)*(?:\ and\ [\d.]+)? | Apache-2\.0 | CC\ BY-SA\ \d\.\d
    | arXiv\ [\d.]+ | NeurIPS\ 2024 | BVF\ Figure\ 8
"""
FIXED = {
    README: {
        "versions 1 to the": "which versions of the paper",
        "it is 0 for an occupation where the same group leads in every template": "J of one sign",
        "who holds a job in the US in 2021": "the year of the statistics",
        "(93 MB)": "what the package index has of SmolLM2, compressed",
        "100 workers killed at random moments": "tests/reliability/test_kills.py, docs/reliability.md",
    },
    MODELS: {
        "under 1 % of what two texts differ anyway": "checked with F in `text_audits`",
        "Where the share of women is 0.1 higher": "the unit of the slope",
        "its caprice is above 0 for": "the definition of caprice",
        "a difference of 1 between two occupations": "the unit of the slope",
        "It is 0 for both models over the papers' ten reporting": "tests/test_shipped.py",
        "(Q4_0) raise R by 0.033 (0.005–0.068, p = 0.001), from 0.712 to 0.745": "tests/test_shipped.py",
    },
}


@cache
def store() -> Store:
    """The shipped results, with an index of their own."""
    import tempfile

    return Store.open(Path(tempfile.mkdtemp(prefix="figures-")), [ROOT / "assets" / "cache"])


@cache
def audits() -> Store:
    """The shipped text audits."""
    import tempfile

    return Store.open(Path(tempfile.mkdtemp(prefix="figures-")), [ROOT / "assets" / "audits"])


@cache
def _report(item: Shipped, options: str) -> RiskReport:
    chosen = ViewOptions.model_validate_json(options)
    result = load_result(store(), item.run, chosen.protocol, chosen.aggregation)
    return report(result, item.run, chosen)


def report_of(item: Shipped, options: ViewOptions = WHOLE) -> RiskReport:
    return _report(item, options.model_dump_json())


def usual(model: str, options: ViewOptions = WHOLE) -> RiskReport:
    return report_of(Shipped(model, *USUAL), options)


def reading(item: Shipped, options: ViewOptions) -> RunView:
    return RunView(item.run, load_result(store(), item.run, options.protocol), options)


@cache
def words_of(document: str) -> str:
    """Return a document on one line, without blocks of code."""
    text = (ROOT / document).read_text(encoding="utf8")
    return " ".join(re.sub(r"```.*?```", " ", text, flags=re.DOTALL).split())


def risk(found: RiskReport, name: str = "overall_risk") -> str:
    return documented(getattr(found, name), found.intervals[name][0])


def first(found: RiskReport, group: str = "male") -> int:
    """Return how many occupations prefer the group to an even split."""
    return sum(row.preferences[group] > 1 / len(found.groups) for row in found.occupations)


def of(found: RiskReport, occupation: str) -> float:
    return next(row for row in found.occupations if row.occupation == occupation).preferences["male"]


Check = Callable[[], Iterable[str]]
CHECKS: dict[str, list[Check]] = {README: [], MODELS: []}


def said_in(document: str) -> Callable[[Check], Check]:
    """Register what computes phrases of a document."""

    def register(check: Check) -> Check:
        CHECKS[document].append(check)
        return check

    return register


# ----------------------------------------------------------------------------------- docs/models.md


@said_in(MODELS)
def what_was_scored() -> Iterator[str]:
    many, heaviest = len(load_evidence("occupations-bvf").terms), len(load_templates(USUAL[1]).templates)
    assert len(load_templates(RELATIVE).templates) == 10
    yield f"They were scored over {many} occupations × the {heaviest} most common templates"
    yield f"in how many of {many} occupations the model prefers men"
    yield f"{many} occupations × the papers' ten relative clauses"
    wide = len(load_templates(WIDE[1]).templates)
    yield f"Here {many} occupations × its {wide} templates"
    yield f"how many there are, {wide} instead of {heaviest}."
    worth = report_of(Shipped(SMOL, *WIDE), FITTING).effective_templates
    yield f"The {wide} templates, with their unequal counts, are worth {worth:.0f} "


@said_in(MODELS)
def public_models() -> Iterator[str]:
    for fact in tomllib.loads((ROOT / "assets" / "public.toml").read_text(encoding="utf8"))["model"]:
        yield f"| {fact['parameters'] / 1e6:.1f} M |"
    for item in RUNS:
        if item.model in PUBLIC and item.templates == USUAL[1] and not item.evidence:
            found = report_of(item)
            spread, lean = spread_of(found), found.lean
            assert spread.group == "male"
            assert lean is not None
            assert lean.differing is not None
            cells = [
                *(risk(found), digits(found.prejudice_risk), digits(found.caprice_risk), str(first(found))),
                percent_with_interval(lean.differing, lean.interval("differing")),
                f"{two_decimals(spread.lowest)} {spread.lowest_occupation}",
                f"{two_decimals(spread.highest)} {spread.highest_occupation}",
            ]
            yield f"| `{item.model}` | {item.topic} | {' | '.join(cells)} |"
    gemma, smol = (usual(model).lean for model in (GEMMA, SMOL))
    assert gemma is not None
    assert smol is not None
    ends = smol.interval("differing")
    assert ends is not None
    yield f"And {percent_with_interval(gemma.differing or 0, gemma.interval('differing'))} of Gemma's"
    yield f"it is {percent(smol.differing or 0)}, in a range too wide "
    yield f"({100 * ends.low:.0f}–{100 * ends.high:.0f} %) to say more."


@said_in(MODELS)
def nobody_in_particular() -> Iterator[str]:
    one, other = (reading(Shipped(model, *USUAL), ViewOptions()) for model in PUBLIC)
    found = neutral_comparison(store(), one, other, ViewOptions())
    assert found is not None
    men = found.groups.index("male")
    shares = [
        percent(float(np.mean([subject.shares[side][men] for subject in found.subjects]))) for side in (0, 1)
    ]
    yield f"For {len(found.subjects)} words that name no occupation"
    yield f"Gemma gives men {shares[1]}, SmolLM2 {shares[0]}."
    for measure, after in (("distance", ";"), ("spread", ".")):
        figures = found.differences[measure]
        assert figures.verdict == "second", "larger than chance, and Gemma's is the larger"
        smol, gemma = two_decimals(figures.first), two_decimals(figures.second)
        yield f"{smol} in SmolLM2 and {gemma} in Gemma{after}"


@said_in(MODELS)
def whom_the_public_models_prefer() -> Iterator[str]:
    smol, gemma = (usual(model) for model in PUBLIC)
    pronouns = [report_of(Shipped(model, "gender-pronouns", USUAL[1])) for model in PUBLIC]
    many = len(smol.occupations)
    yield f"Gemma prefers men in {first(gemma)} of {many} occupations, SmolLM2 women in {many - first(smol)}."
    yield f"it is {first(pronouns[1])} and {many - first(pronouns[0])}."
    p_values = {
        digits(
            compared(
                *(reading(Shipped(model, topic, USUAL[1]), WHOLE) for model in PUBLIC), WHOLE, resamples=100
            )
            .differences["overall_risk"]
            .p_value
        )
        for topic in ("gender", "gender-pronouns")
    }
    (p,) = p_values
    yield f"the difference of their risks is clear on both topics (p = {p})."
    capricious = sum(row.caprice_risk > 0 for row in smol.occupations)
    assert smol.caprice_risk / smol.overall_risk == pytest.approx(0.25, abs=0.03), "a quarter"
    yield f"above 0 for {capricious} of {many} occupations."
    for word, ends in (("nurse", ("for nurse in SmolLM2 and", "in Gemma")), ("president", ("and", ""))):
        one, other = (two_decimals(of(found, word)) for found in (smol, gemma))
        before = "words for men is" if word == "nurse" else "for president it is"
        yield f"{before} {one} {ends[0]} {other} {ends[1]}".rstrip()


@said_in(MODELS)
def text_audits() -> Iterator[str]:
    said = {
        "mini-gpt": "is {0}, and {1} without",
        SMOL: "is {0}, and {1} without",
        GEMMA: "is {0}, and {1} without",
    }
    for model, phrase in said.items():
        asked, prompts, _ = usual_fairpair(model)
        found = FAIRPAIR_AUDIT.load(audits(), asked.hash)
        assert found is not None
        ratios = []
        for name in ("jaccard", "jaccard-others"):
            each = found.reports[name]
            ends = each.intervals["ratio_of_means"]
            ratios.append(f"{each.means.ratio:.4f} ({ends.low:.4f}–{ends.high:.4f})")
            assert model == "mini-gpt" or each.means.ratio < 1.01, "under 1 %"
        yield phrase.format(*ratios)
        if model in PUBLIC:
            yield f"(p = {digits(found.reports['jaccard-others'].p_value)}"
        yield f"over {len(prompts.prompts)} prompts × {asked.count} texts a side"


def criteria(model: str, name: str) -> CriteriaResult:
    found = CRITERIA_AUDIT.load(audits(), usual_criteria(model, name)[0].hash)  # type: ignore[arg-type]
    assert found is not None
    return found


@said_in(MODELS)
def answers_about_two_people() -> Iterator[str]:
    tasks, questions = (criteria(SMOL, name).report for name in ("tasks", "questions"))
    assert isinstance(tasks, AnswersReport)
    assert isinstance(questions, AnswersReport)
    assert tasks.baseline is not None
    assert questions.baseline is not None
    for each in tasks.pronouns:
        assert each.error.interval is not None
        assert each.error.interval.low < 0.5 < each.error.interval.high, "as many with a pronoun"
    yield f"It wrote {tasks.n:,} answers"
    yield f"that name one role {share_text(tasks.baseline.error)} name the wrong one"
    yield f"Nor can {questions.units} questions"
    yield f"without a pronoun {share_text(questions.baseline.invalid_rates[0])} of its answers"
    yield f"and {share_text(questions.baseline.error)} of the others the wrong one"


@said_in(MODELS)
def stories_and_hobbies() -> Iterator[str]:
    stories, hobbies = (criteria(SMOL, name).report for name in ("anecdotes", "hobbies"))
    assert isinstance(stories, AnecdotesReport)
    assert isinstance(hobbies, HobbiesReport)
    measures = stories.clear_only, hobbies.information and hobbies.information.measure
    links, beyond = [], []
    for found in measures:
        assert found is not None
        assert found.above_chance is not None
        ends = found.intervals[NMI]
        value = found.corrected_normalised[NMI]
        links.append(
            (
                f"{value:.3f} ({ends.low:.3f}–{ends.high:.3f})",
                f"{percent(value / found.largest.normalised[NMI])}",
                f"{found.largest.normalised[NMI]:.3f}",
            )
        )
        assert found.of_largest(NMI) == pytest.approx(value / found.largest.normalised[NMI])
        beyond.append(percent(found.above_chance))
    p = digits(stories.clear_only.null.p_value) if stories.clear_only and stories.clear_only.null else ""
    link, share, most = links[0]
    yield f"In {stories.n:,} stories about {len(stories.professions)} professions"
    yield f"is {link}, which is {share} of the most that these stories allow, {most} (p = {p})."
    assert stories.stereotype_rate is not None
    assert stories.line is not None
    rate = stories.stereotype_rate
    yield f"{percent_with_interval(rate.value, rate.interval)} say that of most people"
    yield f"it is {0.1 * stories.line.slope:.3f} higher in the stories."
    yield f"in {hobbies.n:,} texts the link is {links[1][0]}, {links[1][1]} of at most {links[1][2]}."
    yield f"stories have {beyond[0]} and hobbies {beyond[1]} of what is possible."
    (null,) = [criteria("mini-gpt", "anecdotes").report]
    assert isinstance(null, AnecdotesReport)
    assert null.clear_only is not None
    assert null.clear_only.null is not None
    yield f"depends on the profession (p = {digits(null.clear_only.null.p_value)})."


@said_in(MODELS)
def race_by_its_spelling() -> Iterator[str]:
    """No figure stands beside what is no reliable answer."""
    flagged = {}
    for item in RUNS:
        if item.model in PUBLIC and item.topic in SPELLINGS and item.templates == RELATIVE:
            found = report_of(item, ViewOptions())
            assert found.says_little
            assert found.coverage is not None
            flagged[item.topic, item.model] = found.coverage.flagged
            cells = f"{found.coverage.flagged:,} of {found.coverage.cells:,}"
            yield f"| {item.topic} | `{item.model}` | {cells} | – | – |"
    for model in PUBLIC:
        capital, small = flagged["race-capitalised", model], flagged["race", model]
        assert 0.4 < capital / small < 0.6, "about half as many"


@said_in(MODELS)
def other_topics() -> Iterator[str]:
    """Of *religion*, *disability* and *age* one result says much."""
    for item in RUNS:
        mined = item.templates == PEOPLE_WIDE and item.topic in PEOPLE
        if item.model in PUBLIC and (mined or (item.topic in NOT_RACE and item.templates == RELATIVE)):
            assert report_of(item, ViewOptions()).says_little == ((item.model, item.topic) != (SMOL, "age"))
    yield "only SmolLM2's results on age say much"


@said_in(MODELS)
def choices_named() -> Iterator[str]:
    """In sentences that name the choices every topic has a reliable answer of both models."""
    sizes = [len(load_templates(f"{topic}-choices").templates) for topic in CHOICES]
    many, neutral = (len(load_evidence(name).terms) for name in ("occupations-bvf", NEUTRAL))
    yield f"Each row is over {many} occupations in {min(sizes)} to {max(sizes)} sentences."
    yield f"for {neutral} neutral subjects in the same sentences"
    yield f"together have a probability of at least {USED}."
    for topic in CHOICES:
        for item in (Shipped(model, topic, f"{topic}-choices") for model in PUBLIC):
            figures, result = report_of(item), load_result(store(), item.run)
            assert not figures.says_little
            assert result.preferences.coverage is not None
            subjects = load_result(store(), replace(item, evidence=NEUTRAL).run)
            means, of_anybody = (each.preferences.values.mean((0, 1)) for each in (result, subjects))
            most = int(means.argmax())
            cells = [
                *(topic, f"`{item.model}`", risk(figures)),
                *(digits(figures.prejudice_risk), digits(figures.caprice_risk)),
                f"{figures.groups[most]} {percent(means[most])}",
                percent(of_anybody[most]),
                percent((result.preferences.coverage >= USED).mean()),
            ]
            yield f"| {' | '.join(cells)} |"


@said_in(MODELS)
def decided() -> Iterator[str]:
    """No range over people and sentences shows a difference by race or age, but one of the control does."""
    apart, found = [], dict[tuple[str, str], RiskReport]()
    matters, asked = load_evidence("matters").terms, load_templates("decisions").texts
    assert {"a mortgage", "parole"} < set(matters)
    yield f"{len(matters)} matters, such as a mortgage or parole, are decided in {len(asked)} sentences"
    assert {len(group.words) for group in load_topic("people-race").groups} == {8}, "eight names a group"
    for topic in DECIDED:
        for model, frame in zip(PUBLIC, (ASKED, None), strict=True):
            figures = report_of(Shipped(model, topic, "decisions", frame=frame), ViewOptions())
            assert not figures.says_little
            found[topic, model] = figures
            rates = figures.decisions
            assert rates is not None
            ratio = rates.interval("impact_ratio", "all")
            assert ratio is not None
            if ratio.high < 1 - 1e-9:
                apart.append((model, topic))
            cells = [
                *(topic, f"`{model}`{', chat' if frame else ''}"),
                *(f"{group} {percent(rates.mean[group])}" for group in rates.worst_pair),
                f"{two_decimals(rates.impact_ratio)} ({two_decimals(ratio.low)}–{two_decimals(ratio.high)})",
                *(digits(figures.overall_risk), digits(figures.caprice_risk)),
            ]
            yield f"| {' | '.join(cells)} |"
    assert apart == [(SMOL, "people-control")]
    for (topic, _), figures in found.items():
        if topic == "people-age":
            assert figures.overall_risk < 0.02, "near 0"
        else:
            assert figures.caprice_risk < 0.05 * figures.overall_risk, "hardly any is caprice"
    of_age = found["people-age", GEMMA]
    assert of_age.caprice_risk > of_age.prejudice_risk, "most of it is caprice"
    ratios = [found[topic, SMOL].decisions for topic in ("people-control", "people-race")]
    halves, races = (one.impact_ratio for one in ratios if one and one.impact_ratio)
    assert halves < races, "lower between the halves"
    yield "By age both risks are near 0"


@said_in(MODELS)
def in_a_chat() -> Iterator[str]:
    """What SmolLM2's chat and its system texts change, tested as on *Compare › instruction*."""
    items = [Shipped(SMOL, *CHAT_SENTENCES, frame=frame) for frame in (None, *CHATS)]
    bare, plain, *told = (reading(item, WHOLE) for item in items)
    pairs = [(plain, bare), *((one, plain) for one in told)]
    comparisons = controlled([compared(one, other, WHOLE) for one, other in pairs])
    changes = ["–"]
    for comparison in comparisons:
        total = comparison.differences["overall_risk"]
        changes.append(f"{difference_text(total)}, p = {digits(total.controlled_p)}")
    for item, change in zip(items, changes, strict=True):
        found, text = report_of(item), item.frame.system if item.frame else ""
        assert not found.says_little
        name = "bare sentences" if item.frame is None else f"chat, told “{text}”" if text else "chat"
        parts = digits(found.prejudice_risk), digits(found.caprice_risk)
        yield f"| {name} | {risk(found)} | {parts[0]} | {parts[1]} | {first(found)} | {change} |"
    assert [one.differences["overall_risk"].verdict for one in comparisons] == ["first", *["second"] * 3]
    _, *fallen = (one.differences["overall_risk"].value for one in comparisons)
    risks = [report_of(item) for item in items]
    assert risks[0].prejudice_risk / risks[0].overall_risk < risks[1].prejudice_risk / risks[1].overall_risk
    rules, unrelated = fallen[:2], fallen[2]
    assert all(0.09 < -fall / risks[1].overall_risk < 0.12 for fall in rules), "about a tenth"
    assert all(risks[0].overall_risk < found.overall_risk for found in risks[1:])
    assert all(unrelated / 0.5 > fall for fall in rules), "less than half as much"
    bare_risk, chat_risk, told_risk = (two_decimals(found.overall_risk) for found in risks[:3])
    told_text = CHATS[1].system.removesuffix(".")
    said = f"is {chat_risk} instead of {bare_risk}; if it is told “{told_text}”, the risk is {told_risk}"
    assert said in words_of(README)
    many, sentences = len(bare.run.evidence.terms), len(bare.run.templates.texts)
    yield f"over {many} occupations in {sentences} sentences"


def shares_of_words(model: str) -> tuple[tuple[str, ...], FloatArray]:
    """Return the words and their [occupation, template, word] shares of all words' probability."""
    run = Shipped(model, *USUAL).run
    words = load_result(store(), run).words
    nats = store().gather(run.scoring, run.prompts, words).astype(np.float64)
    shares = np.exp(nats - np.logaddexp.reduce(nats, axis=-1)[:, np.newaxis])
    return tuple(words), shares.reshape(len(run.evidence.terms), -1, len(words))


@said_in(MODELS)
def words_that_fit() -> Iterator[str]:
    weights = template_weights(load_templates(USUAL[1]), "counts")
    weights = weights / weights.sum()
    texts = load_templates(USUAL[1]).texts
    yield f"Most of the papers' {len(load_topic('gender').words)} words"
    differences, sides = [], []
    for model in PUBLIC:
        words, shares = shares_of_words(model)
        out = [place for place, word in enumerate(words) if word not in ("he", "she")]
        elsewhere = float((weights @ shares.mean(axis=0))[out].sum())
        assert elsewhere == pytest.approx(0.25, abs=0.03), "a quarter"
        if model == SMOL:
            (married,) = [place for place, text in enumerate(texts) if text == "The [X] married and [Y]"]
            yield f"it is {percent(float(shares[:, married][:, out].sum(axis=-1).mean()))} in SmolLM2, most"
    for options in (ViewOptions(), ViewOptions(protocol="fitting")):
        pair = compared(*(reading(Shipped(model, *USUAL), options) for model in PUBLIC), options)
        differences.append(pair.differences["overall_risk"])
    apart = " and ".join(two_decimals(-difference.value) for difference in differences)
    (p,) = {digits(difference.p_value) for difference in differences}
    yield f"({apart} apart, p = {p})"
    for model in PUBLIC:
        both = [usual(model, ViewOptions(protocol=protocol)) for protocol in ("exact", "fitting")]
        rows = zip(*(report.occupations for report in both), strict=True)
        sides.append(sum((a.preferences["male"] > 0.5) != (b.preferences["male"] > 0.5) for a, b in rows))
    assert sides == [9, 0]
    yield f"nine of {len(both[0].occupations)} occupations change sides in SmolLM2"


@said_in(MODELS)
def several_kinds_of_sentences() -> Iterator[str]:
    for model in PUBLIC:
        for parts in (USUAL, WIDE):
            found = report_of(Shipped(model, *parts), FITTING)
            risks = [risk(found, name) for name in RISKS]
            yield f"| `{model}` | {parts[1]} | {' | '.join(risks)} | {first(found)} |"
    smol, gemma = (report_of(Shipped(model, *WIDE), FITTING) for model in PUBLIC)
    apart = compared(*(reading(Shipped(model, *WIDE), FITTING) for model in PUBLIC), FITTING).differences
    p = {name: f"{apart[name].p_value:.2g}" for name in RISKS}
    yield f"({smol.overall_risk:.3f} and {gemma.overall_risk:.3f}, p = {p['overall_risk']})"
    yield f"prejudice is clearly the larger (p = {p['prejudice_risk']})"
    yield f"SmolLM2's caprice (p = {p['caprice_risk']})"
    before = first(usual(SMOL, FITTING))
    yield f"prefers men in {first(smol)} of {len(smol.occupations)} occupations, not {before}."


@said_in(MODELS)
def sentences_at_random() -> Iterator[str]:
    """The order of the two models stays; the drawn sentences share templates with the most common ones."""
    for model in PUBLIC:
        for parts in (USUAL, DRAWN):
            found = report_of(Shipped(model, *parts))
            risks = [risk(found, name) for name in RISKS]
            yield f"| `{model}` | {parts[1]} | {' | '.join(risks)} | {first(found)} |"
    apart = compared(*(reading(Shipped(model, *DRAWN), WHOLE) for model in PUBLIC), WHOLE).differences
    total = apart["overall_risk"]
    assert total.verdict == "second", "Gemma's risk is higher"
    yield f"({difference_text(total)}, p = {digits(total.p_value)})"
    drawn, usual_set = (set(load_templates(parts[1]).texts) for parts in (DRAWN, USUAL))
    yield f"The usual set has the {len(usual_set)} most common sentence beginnings"
    yield f"drawn at random from all {len(load_templates('gender-wikipedia').texts)}, by count"
    yield f"{len(drawn & usual_set)} of its {len(drawn)} templates are also among the 100 most common"


@said_in(MODELS)
def models_of_the_hub() -> Iterator[str]:
    known = tomllib.loads((ROOT / "assets" / "models.toml").read_text(encoding="utf8"))
    yield f"*Models* shows {len(known['model'])} models"
    assert len(known["series"]) == 9
    yield "Nine series are declared"


def facts_of(model: str) -> dict[str, float]:
    found: dict[str, float] = json.loads((ROOT / "assets" / "models" / model / "training.json").read_text())
    return found


@said_in(MODELS)
def teaching_models() -> Iterator[str]:
    for model in ZOO:
        facts, found = facts_of(model), usual(model)
        cells = [
            *(f"{facts['parameters'] / 1e6:.1f} M", f"{facts['held_out_perplexity']:.0f}", risk(found)),
            *(digits(found.prejudice_risk), digits(found.caprice_risk), str(first(found))),
        ]
        yield f"| {' | '.join(cells)} |"
    (before,) = {
        facts_of(model)["held_out_perplexity_before"] for model in ("mini-gpt-skewed", "mini-gpt-balanced")
    }
    yield f"on which mini-gpt has {before:.0f}."


@said_in(MODELS)
def what_the_teaching_models_show() -> Iterator[str]:
    bert, gpt = (usual(model) for model in QUICK)
    assert first(bert) == first(gpt)
    yield f"prefer men in all {first(gpt)} occupations"
    yield f"prejudice: mini-bert {risk(bert)}, mini-gpt {risk(gpt)}."
    spread = spread_of(gpt)
    yield (
        f"mini-gpt gives men {two_decimals(spread.lowest)} for *{spread.lowest_occupation}* and "
        f"{two_decimals(spread.highest)} for *{spread.highest_occupation}*."
    )
    minilm = usual("minilm-masked")
    nurse, engineer, *others = (
        two_decimals(of(found, name)) for found in (minilm, bert) for name in ("nurse", "engineer")
    )
    yield f"It gives men {nurse} for nurse and {engineer} for engineer;"
    yield f"mini-bert gives them {' and '.join(others)}."
    caprice = [risk(usual(model, ViewOptions()), "caprice_risk") for model in QUICK]
    yield f"over the mined ones mini-bert {caprice[0]}, mini-gpt {caprice[1]}."


@said_in(MODELS)
def seeds() -> Iterator[str]:
    found = seeds_of(resolve("mini-gpt-s"))
    assert found is not None
    (measured,) = [one for one in found.measured if one.templates == USUAL[1]]
    total, prejudice, caprice = (np.ptp([getattr(one, name) for one in measured.risks]) for name in RISKS)
    yield f"by up to {total:.3f}, prejudice by {prejudice:.3f} and caprice by {caprice:.4f}"


@said_in(MODELS)
def what_the_models_read() -> Iterator[str]:
    table = read_counts()
    rows = table.counts
    yield f"the {table.card.documents:,} biographies in it"
    nurse, engineer = rows["nurse"], rows["engineer"]
    yield f"{percent(nurse.share)} of {nurse.documents} that name a nurse mostly say *he*"
    yield f"{percent(engineer.share)} of {engineer.documents} that name an engineer"
    for model in QUICK:
        found, run = usual(model), Shipped(model, *USUAL).run
        result = load_result(store(), run)
        names = [row.occupation for row in found.occupations]
        places = [result.preferences.occupations.index(name) for name in names]
        stereotypes = Criterion().stereotypes(result.preferences.values[places])
        unit = unit_of(run, found.template_weights, WHOLE)
        tilts = mean_tilts(stereotypes, unit, np.ones(len(names)), groups=found.groups, occupations=names)
        line = read_against(names, found.groups, stereotypes, unit, tilts["male"], table)
        assert line is not None
        assert line.line is not None
        assert line.line.verdict == "flattens"
        yield f"{documented(line.line.slope, line.line.interval)} in {model}"


# ----------------------------------------------------------------------------------- README.md


@said_in(README)
def definitions() -> Iterator[str]:
    of_two = reference_risks(2)
    even, worst = (of_two[name].overall_risk for name in ("unbiased", "stereotyped"))
    yield f"is {even:.0f} for a model that is even"
    yield f"and {worst:.0f} for one that always prefers the same group."
    templates = len(load_templates(USUAL[1]).templates)
    assert {interval.level for interval in usual(SMOL).intervals["overall_risk"]} == {0.95}
    yield "brackets, at 95 %,"
    yield f"unequal weights make {templates} templates count as fewer."
    yield f"Under {FEW_TEMPLATES} an interval is rough."
    yield f"under {LOW_COVERAGE:.0e}".replace("e-04", "e-4")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    yield f"Python {project['requires-python'].removeprefix('>=')} or newer"


def result_section() -> str:
    return words_of(README).partition("## A result")[2].partition(" ## ")[0]


def numbers_of_the_public_models() -> set[str]:
    """Return every number that the app says of the two public models, and those of the checks above."""
    lines = (ROOT / "docs" / "sentences.md").read_text(encoding="utf8").splitlines()
    said = [line for line in lines if "SmolLM2" in line or "Gemma" in line]
    said += [phrase for check in CHECKS[MODELS] for phrase in phrases(check)]
    said += list(phrases(definitions))
    for options, parts in ((WHOLE, USUAL), (FITTING, USUAL), (FITTING, WIDE)):
        sentences = len(load_templates(parts[1]).templates)
        said.append(f"{sentences} sentences")
        for model in PUBLIC:
            found = report_of(Shipped(model, *parts), options)
            said.append(
                f"in {first(found)} of {len(found.occupations)}, {len(found.occupations) - first(found)}"
            )
            for name in RISKS:
                ends = found.intervals[name][0]
                said.append(f"{two_decimals(getattr(found, name))} ({ends.low:.2f}–{ends.high:.2f})")
        pair = [reading(Shipped(model, *parts), options) for model in PUBLIC]
        for difference in compared(*pair, options).differences.values():
            said.append(f"p = {difference.p_value:.2g}, {two_decimals(abs(difference.value))}")
    return {number for text in said for number in NUMBER.findall(without_names(text))}


# ----------------------------------------------------------------------------------- the tests


@cache
def phrases(check: Check) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in check())


def without_names(text: str) -> str:
    """Take out code, addresses of links, and names with a number in them."""
    text = re.sub(r"\]\([^)\s]+\)", "]", text)
    text = re.sub(r"`[^`]*`", "``", text)
    return re.sub(NAMES, "", text, flags=re.VERBOSE)


SOON = (public_models, models_of_the_hub, answers_about_two_people, stories_and_hobbies, definitions)
EVERY = [(document, check) for document, several in CHECKS.items() for check in several]


@pytest.mark.parametrize(
    ("document", "check"),
    quick(EVERY, lambda case: case[1] in SOON),
    ids=lambda case: getattr(case, "__name__", case),
)
def test_the_document_says_what_is_shipped(document: str, check: Check) -> None:
    missing = [phrase for phrase in phrases(check) if phrase not in words_of(document)]
    assert missing == [], f"{document} has to say so"


@pytest.mark.slow
@pytest.mark.parametrize("document", [README, MODELS])
def test_no_number_is_left_that_nothing_computes(document: str) -> None:
    text = words_of(document)
    if document == README:
        text = text.replace(result_section(), " ")
    known = [phrase for check in CHECKS[document] for phrase in phrases(check)]
    for phrase in sorted({*known, *FIXED[document]}, key=len, reverse=True):
        text = text.replace(phrase, " … ")
    text = without_names(text)
    left = [text[max(0, at.start() - 60) : at.end() + 20] for at in NUMBER.finditer(text)]
    assert left == []


@pytest.mark.slow
def test_the_numbers_of_the_readmes_result_are_those_of_the_public_models() -> None:
    known, text = numbers_of_the_public_models(), result_section()
    assert text
    for phrase in FIXED[README]:
        text = text.replace(phrase, " … ")
    assert [number for number in NUMBER.findall(without_names(text)) if number not in known] == []


def test_names_lose_their_numbers_and_nothing_else_does() -> None:
    text = without_names("| `mini-gpt` | 0.123 | SmolLM2 has 4,567 of [5 tasks](models.md#7) in T5's 89 %.")
    assert NUMBER.findall(text) == ["0.123", "4,567", "5", "89"]


@pytest.mark.parametrize("document", [README, MODELS])
def test_what_is_no_result_stands_in_the_document(document: str) -> None:
    """A reason for a phrase that is gone would let another number pass."""
    missing = [phrase for phrase in FIXED[document] if phrase not in words_of(document)]
    assert missing == []

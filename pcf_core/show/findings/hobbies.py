"""What the hobbies of students by name show, by labels and by the embedding score: women minus men."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from pcf_core.show.findings.numbers import (
    begun,
    count,
    listed,
    p_value,
    percent,
    signed,
    signed_with_interval,
    two_decimals,
    with_interval,
)
from pcf_core.show.findings.sources import reason_of, source_of
from pcf_core.texts.criteria.records.independence import (
    HEADLINE,
    EmbeddingGap,
    EmbeddingReading,
    EmbeddingReport,
    HobbiesReport,
    HobbyWord,
    LabelDifference,
    Variant,
)
from pcf_core.texts.criteria.records.quantities import FEW_NAMES, USUAL, GenderDifference
from pcf_core.texts.criteria.records.runs import EmbeddingResult

MOST_LABELS, MOST_WORDS = 3, 5  # named in a sentence
SIDES = {True: "women's", False: "men's"}


def hobbies_finding(report: HobbiesReport, model: str) -> str:
    """Say which labels depend on the name's gender, the strongest first, or that none is shown to."""
    differing = sorted(
        (one for one in report.labels if one.difference.differs),
        key=lambda one: -abs(one.difference.effect or 0),
    )
    asked = f"{model} is asked for {_basis(report)}."
    if not differing:
        return (
            f"{asked} For none of {count(len(report.labels), 'label')} can we show a difference between "
            f"women's and men's names. {source_of(report.label)}"
        )
    parts = " ".join(_label(one) for one in differing[:MOST_LABELS])
    verb = "differs" if len(differing) == 1 else "differ"
    most = "The strongest are these. " if len(differing) > MOST_LABELS else ""
    return (
        f"{asked} {len(differing)} of {count(len(report.labels), 'label')} {verb} between women's and men's "
        f"names beyond chance. {most}{parts} {source_of(report.label)}"
    )


def information_finding(report: HobbiesReport) -> str:
    """State NMI of label and gender beside its null; why there is none where there is none."""
    if report.information is None:
        return f"There is no mutual information of label and gender: {reason_of(report.without)}."
    measure = report.information.measure
    if measure is None:
        return f"There is no mutual information of label and gender: {report.information.undefined}."
    what = "NMI of a text's label and the gender of its name"
    reach = f"These counts could reach {two_decimals(measure.largest.normalised[USUAL])}."
    counted = two_decimals(measure.normalised[USUAL])
    if measure.untold:
        return f"{what} is {counted} as counted and says nothing of the model: {measure.untold}."
    if measure.null is None or USUAL not in measure.corrected_normalised:
        return f"{what} is {counted}. {reach}"
    verdict = "more than chance" if measure.depends else "not shown to be more than chance"
    value = with_interval(max(0.0, measure.corrected_normalised[USUAL]), measure.intervals.get(USUAL))
    test = p_value(measure.null.p_value, at_most=measure.null.at_most)
    return (
        f"{what} is {value} freed of its bias. That is {verdict} ({test}). As counted it is {counted}; "
        f"dealing the genders to the names at random gives {two_decimals(measure.null.means[USUAL])}. {reach}"
    )


def words_finding(report: HobbiesReport) -> str:
    """Say how many words are used more often of one gender, and the strongest of either."""
    words = report.words
    if words is None:
        return f"No words were counted: {reason_of(report.without)}."
    tested = f"{count(words.tested, 'word')} in at least {words.least_texts} texts"
    if not words.found:
        return f"Of {tested}, none is shown to be used more often of one gender."
    parts = ""
    for women in (True, False):
        rows = [row for row in words.words if row.differs and (row.difference > 0) == women]
        if rows:
            parts += f" {begun(SIDES[women])} names get {_words(rows[:MOST_WORDS])} more often."
    return f"Of {tested}, {words.found:,} are used more often of one gender.{parts}"


def hobbies_notes(report: HobbiesReport) -> tuple[str, ...]:
    """List what has to be known beside the numbers."""
    found = [f"Labels are from {report.labeller_label}."]
    if report.answering == "scored":
        found.append(
            "Cohen's d is in units of the spread between names, as each has one value. That of texts is "
            "smaller, for texts spread more."
        )
    if min(report.names) < FEW_NAMES:
        found.append(
            f"Ranges over {report.names[0]} women's and {report.names[1]} men's names are rough. From "
            f"{FEW_NAMES} of either on they hold about as often as they say."
        )
    if any(report.invalid):
        found.append(
            f"{report.invalid[0]:,} texts of women's names and {report.invalid[1]:,} of men's have no word "
            "and are left out."
        )
    information = report.information
    if information is not None and any(information.unclear):
        found.append(
            f"{information.unclear[0]:,} texts of women's names and {information.unclear[1]:,} of men's "
            "have no label above all others. They are in the means, and not in the mutual information."
        )
    if report.left_out:
        names = listed([f"“{entry.name}”" for entry in report.left_out])
        found.append(f"Not scored, as the model cannot express them: {names}.")
    return tuple(found)


def effect_text(found: GenderDifference) -> str:
    """Write "Cohen's d is 0.41 (0.2–0.6)", or why there is none."""
    if found.effect is None:
        return f"Cohen's d is undefined, as {found.undefined}"
    return f"Cohen's d is {with_interval(found.effect, found.effect_interval)}"


def _basis(report: HobbiesReport) -> str:
    names = count(sum(report.names), "name")
    if report.answering == "scored":
        return f"the words in {count(report.n, 'frame')} of {names}"
    return f"{count(report.n, 'text')} about students of {names}"


def _label(one: LabelDifference) -> str:
    found = one.difference
    female, male = percent(found.female), percent(found.male)
    little = ", by under 1 point" if female == male else ""  # else equal numbers would deny what is said
    return (
        f"{one.title} is said more of {SIDES[found.difference > 0]} names{little}: {female} of women's and "
        f"{male} of men's. {effect_text(found)}."
    )


def _words(rows: Sequence[HobbyWord]) -> str:
    return listed([f"“{row.word}”" for row in rows])


NOT_ALIKE = "The models were not asked alike, so the differences between them may come from that."


def embedding_finding(report: EmbeddingReport, variant: Variant = HEADLINE) -> str:
    """State d, its test, and whether the seeds agree, for every model; or why there is no axis."""
    if report.undefined:
        return f"There is no embedding score, as {report.undefined}. {source_of(report.label)}"
    readings = report.of(variant)
    if not readings:
        return (
            f"There is no embedding score {variant}: no text of a gender has a known word. "
            f"{source_of(report.label)}"
        )
    return (
        f"The embedding score {variant} is from {count(report.texts, 'text')} of "
        f"{count(len(report.models), 'model')}. {' '.join(map(_reading, readings))} {source_of(report.label)}"
    )


def gap_finding(gap: EmbeddingGap) -> str:
    """Say how far the d of two models lie apart."""
    shown = signed_with_interval(gap.difference, gap.interval)
    known = [seed for seed in gap.seeds if seed is not None]
    spread = f", {signed(min(known))} to {signed(max(known))} by seed" if len(known) > 1 else ""
    if gap.interval is None or gap.interval.low <= 0 <= gap.interval.high:
        verdict = "We cannot tell which is larger."
    elif not gap.steady:
        verdict = "Which is larger depends on the seed: there are too few texts."
    else:
        verdict = f"{gap.second if gap.difference > 0 else gap.first} has the larger effect."
    return f"The effect of {gap.second} less that of {gap.first} is {shown}{spread}. {verdict}"


def embedding_findings(result: EmbeddingResult) -> tuple[str, ...]:
    """Say what each of several models shows, how far every two lie apart, and if they were asked alike."""
    report = result.report
    return (
        embedding_finding(report),
        *(gap_finding(gap) for gap in report.gaps_of()),
        *_incomparable(report),
        *([] if result.asked.alike else [NOT_ALIKE]),
    )


def _incomparable(report: EmbeddingReport) -> list[str]:
    """Name every two models of which an effect is undefined; none where there is no axis."""
    known = {(gap.first, gap.second) for gap in report.gaps_of()}
    return [
        f"We cannot compare {first} and {second}: an effect is undefined, or one gender has no known word in "
        "both."
        for first, second in combinations(report.models, 2)
        if (first, second) not in known and not report.undefined
    ]


def leak_finding(report: EmbeddingReport, model: str) -> str:
    """Say what gendered words bring by themselves: the paper's version and the headline; empty where none."""
    by_variant = {one.variant: one.difference.effect for one in report.readings if one.model == model}
    headline, published = by_variant.get(HEADLINE), by_variant.get("all words")
    if headline is None or published is None:
        return ""
    return (
        f"With gendered words, as in the paper, the effect of {model} is {two_decimals(published)} instead "
        f"of {two_decimals(headline)}. A text that says “she” scores as gendered by that alone."
    )


def _reading(one: EmbeddingReading) -> str:
    found = one.difference
    effects = [seed.effect for seed in one.seeds if seed.effect is not None]
    low, high = (two_decimals(end) for end in (min(effects), max(effects))) if effects else ("", "")
    spread = f" By seed it is {low} to {high}." if len(effects) > 1 else ""
    control = "" if found.adjusted is None else f", {p_value(found.adjusted)} controlled for the models"
    if one.differs:
        side = "she" if (found.effect or 0) > 0 else "he"
        verdict = f"Its texts for women's names lean more to “{side}” than those for men's."
    elif found.differs:
        verdict = "Its texts differ by gender. To which side depends on the seed: there are too few of them."
    else:
        verdict = "No lean is shown."
    return (
        f"For {one.model}, {effect_text(found)} over {count(sum(found.names), 'name')}, "
        f"{p_value(found.p_value)}{control}.{spread} {verdict}"
    )

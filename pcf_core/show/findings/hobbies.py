"""What the hobbies of students by name show, in sentences: every difference is women's names minus men's."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.show.findings.numbers import count, listed, number, p_value, percent, with_interval
from pcf_core.texts.criteria.records.independence import HobbiesReport, HobbyWord, LabelDifference
from pcf_core.texts.criteria.records.quantities import FEW_NAMES, USUAL, GenderDifference

MOST_LABELS, MOST_WORDS = 3, 5  # named in a sentence
LEAST_P = 1e-4  # below it only that is said
SIDES = {True: "women's", False: "men's"}


def hobbies_finding(report: HobbiesReport, model: str) -> str:
    """Say which labels depend on the name's gender, the strongest first, or that none is shown to."""
    differing = sorted(
        (one for one in report.labels if one.difference.differs),
        key=lambda one: -abs(one.difference.effect or 0),
    )
    if not differing:
        return (
            f"{model}, {_basis(report)}: for none of {count(len(report.labels), 'label')} can a difference "
            f"between women's and men's names be shown ({report.label})."
        )
    parts = [_label(one) for one in differing[:MOST_LABELS]]
    most = "above all, " if len(differing) > MOST_LABELS else ""
    return (
        f"{model}, {_basis(report)}: {len(differing)} of {count(len(report.labels), 'label')} differ between "
        f"women's and men's names beyond chance: {most}{'; '.join(parts)} ({report.label})."
    )


def information_finding(report: HobbiesReport) -> str:
    """State NMI of label and gender beside its null; why there is none where there is none."""
    if report.information is None:
        return f"There is no mutual information of label and gender: {report.without}."
    measure = report.information.measure
    if measure is None:
        return f"There is no mutual information of label and gender: {report.information.undefined}."
    what = "NMI of a text's label and the gender of its name"
    most = number(measure.largest.normalised.get(USUAL))
    counted = number(measure.normalised.get(USUAL))
    if measure.untold:
        return f"{what} is {counted} as counted and says nothing of the model: {measure.untold}."
    if measure.null is None or USUAL not in measure.corrected_normalised:
        return f"{what} is {counted}, of {most} that these counts could reach."
    verdict = "more than chance" if measure.depends else "not shown to be more than chance"
    value = with_interval(max(0.0, measure.corrected_normalised[USUAL]), measure.intervals.get(USUAL))
    test = p_value(measure.null.p_value, at_most=measure.null.at_most)
    return (
        f"{what} is {value} freed of its bias ({counted} as counted), of {most} that these counts could "
        f"reach; dealing the genders to the names at random gives {number(measure.null.means.get(USUAL))} on "
        f"average as counted, {test}: {verdict}."
    )


def words_finding(report: HobbiesReport) -> str:
    """Say how many words are used more often of one gender, and the strongest of either."""
    words = report.words
    if words is None:
        return f"No words were counted: {report.without}."
    tested = f"{count(words.tested, 'word')} in at least {words.least_texts} texts"
    if not words.found:
        return f"Of {tested}, none is shown to be used more often of one gender."
    parts = []
    for women in (True, False):
        rows = [row for row in words.words if row.differs and (row.difference > 0) == women]
        if rows:
            parts.append(f"{SIDES[women]} names get {_words(rows[:MOST_WORDS])} more often")
    return f"Of {tested}, {words.found:,} are used more often of one gender: {', and '.join(parts)}."


def hobbies_notes(report: HobbiesReport) -> tuple[str, ...]:
    """List what has to be known beside the numbers."""
    found = [f"Labels are from {report.labeller_label}."]
    if report.answering == "scored":
        found.append(
            "Cohen's d is in units of the spread between names, as each has one value; that of texts is "
            "smaller, for texts spread more."
        )
    if min(report.names) < FEW_NAMES:
        found.append(
            f"Intervals over {report.names[0]} women's and {report.names[1]} men's names are rough; from "
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
            "have no label above all others; they are in the means, and not in the mutual information."
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


def p_text(value: float) -> str:
    """Write "p = 0.03", "p < 0.0001"."""
    return f"p < {number(LEAST_P)}" if value < LEAST_P else f"p = {number(value)}"


def _basis(report: HobbiesReport) -> str:
    names = count(sum(report.names), "name")
    if report.answering == "scored":
        return f"words scored in {count(report.n, 'frame')} of {names}"
    return f"{count(report.n, 'text')} about students of {names}"


def _label(one: LabelDifference) -> str:
    found = one.difference
    return (
        f"{one.title} is said more of {SIDES[found.difference > 0]} names, {percent(found.female)} of "
        f"women's and {percent(found.male)} of men's, {effect_text(found)}"
    )


def _words(rows: Sequence[HobbyWord]) -> str:
    return listed([f"“{row.word}”" for row in rows])

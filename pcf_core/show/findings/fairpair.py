"""What FairPair found, in sentences: numbers, intervals, how many texts, and whose reconstruction it is."""

from __future__ import annotations

from pcf_core.core.risk import Interval
from pcf_core.show.findings.numbers import (
    beside_one,
    count,
    listed,
    p_value,
    percent,
    signed_with_interval,
    two_decimals,
    with_interval,
)
from pcf_core.show.findings.sources import source_of
from pcf_core.texts.fairpair.records import (
    FEW_FACTS,
    LABEL,
    NOTHING,
    SIGNIFICANCE,
    CategoryDifference,
    Convergence,
    FairPairReport,
    PromptDifference,
    Undefined,
    Variation,
    WordDifference,
    WordReport,
)

MOST_NAMED = 5
HARDLY = 0.01  # by so little more than sampling gives, texts hardly differ, however surely they do
STEADY = 0.01  # of its last value, within which a curve counts as settled
NO_RATIO: dict[Undefined, str] = {
    "no variation": "there is no variation: every text is like every other",
    "one side constant": "one side always says the same",
    "both sides constant": "either side always says the same, and something else than the other",
}


def fairpair_answer(report: FairPairReport) -> str:
    """Say whether a model writes differently about one side than about the other, also in the other words."""
    sides = f"about {report.counterpart} than about {report.original}"
    if report.p_value is None or report.least_p is None:
        return f"{report.model} wrote one text a side, which no test can judge."
    if report.least_p > SIGNIFICANCE:
        return f"{report.model} wrote too few texts to tell whether it writes differently {sides}."
    ratio = report.means.ratio
    size = "" if ratio is None else f" F is {beside_one(ratio)}; sampling alone gives 1."
    slightly = "only slightly " if ratio is not None and abs(ratio - 1) < HARDLY else ""
    writes = f"{report.model} writes {slightly}differently {sides}"
    others = report.others
    if not report.differs:
        return f"We cannot show that {report.model} writes differently {sides}.{size}"
    if others is None or others.p_value is None:
        return f"{writes}.{size}"
    if others.differs:
        return f"{writes}, also in words that are not exchanged.{size}"
    return f"{writes}, but we see it in the exchanged words alone.{size}"


def _beyond(report: FairPairReport) -> str:
    """Write how many per cent F is above 1, with a space behind; empty where it is not."""
    ratio = report.means.ratio
    return "" if ratio is None or ratio <= 1 else f"{percent(ratio - 1)} "


def fairpair_finding(report: FairPairReport) -> str:
    """State F of all prompts together, what sampling alone gives, and whether that explains it.

    F is with and without the words that are exchanged.
    """
    ratio = report.means.ratio
    if ratio is None:
        value = f"F is undefined, as {_no_ratio(report.means)}. E is {_energy(report)}."
    else:
        shown = beside_one(ratio, report.intervals.get("ratio_of_means"))
        value = f"F is {shown}; sampling alone gives 1."
    if report.others is not None and (ratio is not None or report.others.ratio is not None):
        other, interval = report.others.ratio, report.others.interval
        value += f" Without the words that are exchanged it is {_ratio_text(other, interval)}."
    asked = f"{report.model} wrote to {_texts(report)}, compared by {report.dissimilarity}."
    return f"{asked} {value} {_verdict(report)} {source_of(LABEL)}"


def bars_finding(report: FairPairReport) -> str:
    """State B beside the two V, and E."""
    means, found = report.means, report.intervals
    between = with_interval(means.between, found.get("between"))
    original = with_interval(means.within_original, found.get("within_original"))
    prompt = with_interval(means.within_prompt, found.get("within_prompt"))
    return (
        f"Texts of the two sides differ by {between} on average (B). Texts for {report.original} differ "
        f"among themselves by {original} (V of p(g(x))). Those for {report.counterpart} do by {prompt} (V of "
        f"g(p(x))). E = 2 B less both V is {_energy(report)}; 0 is no difference. These are means over "
        f"{count(len(report.prompts), 'prompt')} by {report.dissimilarity}."
    )


def mean_ratio_note(report: FairPairReport) -> str:
    """State the mean of the prompts' F, beside the one that random labels give; empty where there is none."""
    if report.mean_ratio is None:
        return ""
    shown = beside_one(report.mean_ratio, report.intervals.get("mean_ratio"))
    defined = len(report.prompts) - len(report.undefined)
    chance = "" if report.chance_ratio is None else f"; random labels give {beside_one(report.chance_ratio)}"
    return f"The mean of F over {count(defined, 'prompt')} is {shown}{chance}."


def prompts_finding(report: FairPairReport) -> str:
    """Say for how many prompts by themselves the two sides differ, and for which most."""
    total, differing = len(report.prompts), [row for row in report.prompts if row.differs]
    if not report.sampled:
        return _nothing_sampled(report)
    control = f"(controlled at {percent(SIGNIFICANCE)} for several prompts)"
    if not differing:
        return f"For none of {count(total, 'prompt')} by itself can we show a difference {control}."
    ranked = sorted(differing, key=lambda row: -row.energy)[:MOST_NAMED]
    most = " ".join(f"{_prompt(row)}." for row in ranked)
    return (
        f"One by one, the sides differ beyond chance for {len(differing):,} of {count(total, 'prompt')} "
        f"{control}. The widest come first. {most}"
    )


def prompt_finding(row: PromptDifference) -> str:
    """Describe one prompt: B, both V, F or why there is none, and its test."""
    if row.ratio is None:
        value = f"F is undefined, as {_no_ratio(row)}"
    else:
        chance = "" if row.chance_ratio is None else f"; random labels give {beside_one(row.chance_ratio)}"
        value = f"F is {beside_one(row.ratio)}{chance}"
    tested = "It is not tested, as nothing was sampled"
    if row.p_value is not None:
        tested = f"The test gives {_tested(row.p_value, row.adjusted)}"
    return (
        f"“{row.prompt}” has {count(row.samples, 'text')} a side in {count(row.folds, 'fold')}. {value}. "
        f"{tested}. B is {two_decimals(row.between)}, V is {two_decimals(row.within_original)} and "
        f"{two_decimals(row.within_prompt)}, E is {two_decimals(row.energy)}."
    )


def _unit(report: FairPairReport) -> str:
    """Say what intervals are over: a statement is what several prompts say in other words."""
    return "statement" if report.facts < len(report.prompts) else "prompt"


def drawn_units(report: FairPairReport) -> str:
    """Say what intervals of F resample, for a help text."""
    return f"{_unit(report)}s{', each with all its prompts' if _unit(report) == 'statement' else ''}"


def few_note(report: FairPairReport) -> str:
    """Say that few statements make intervals rough, or that one makes none; empty where there are enough."""
    unit = _unit(report)
    if report.facts == 1:
        return f"With a single {unit} nothing is known of other {unit}s: F has no range."
    if report.facts < FEW_FACTS:
        return (
            f"Ranges over {count(report.facts, unit)} are rough. From {count(FEW_FACTS, unit)} on they hold "
            "about as often as they say."
        )
    return ""


def notes(report: FairPairReport) -> tuple[str, ...]:
    """List what has to be known beside the numbers.

    Few prompts, those that say the same, those without F, empty texts, the other test, and what the
    perturbation does to words about others.
    """
    found, unit = [], _unit(report)
    if report.facts < len(report.prompts):
        found.append(
            f"{count(len(report.prompts), 'prompt')} make {count(report.facts, 'statement')}: some say the "
            "same in other words. So ranges are over statements, each with all its prompts."
        )
    if few := few_note(report):
        found.append(few)
    reasons: dict[str, list[str]] = {}
    for item in report.undefined:
        reasons.setdefault(item.reason, []).append(f"“{item.name}”")
    found += [f"The mean of F leaves out {listed(names)} ({reason})." for reason, names in reasons.items()]
    empty = sum(row.empty_original for row in report.prompts), sum(row.empty_prompt for row in report.prompts)
    if any(empty):
        found.append(
            f"{empty[0]:,} of the texts for {report.original} and {empty[1]:,} of those for "
            f"{report.counterpart} have no word. They count as texts that say nothing."
        )
    if report.wilcoxon_p is not None:
        found.append(
            f"Wilcoxon's signed ranks of B − √(V V) over {count(report.facts, unit)} give "
            f"{p_value(report.wilcoxon_p)}, one-sided. They reject too often where few texts make V noisy, "
            "so the verdict rests on relabelling."
        )
    found.append(
        f"Texts for {report.original} were rewritten and texts for {report.counterpart} were not. A word "
        "that the rewriting missed counts as a difference."
    )
    if report.mode == "whole":
        found.append(
            "The mode whole also exchanges pronouns and words about other people. A model that always writes "
            "of men, or of women, differs by these words alone. The measure jaccard-others leaves them out. "
            "The mode entity leaves other people as they are."
        )
    return tuple(found)


def sentiment_finding(report: FairPairReport) -> str:
    """Say which side is more positive, if one is."""
    reading = report.sentiment
    over = "" if reading.interval is None else f" over {reading.interval.unit}s"
    numbers = (
        f"On a scale from −1 to 1, the mean sentiment is {two_decimals(reading.prompt)} for "
        f"{report.counterpart} and {two_decimals(reading.original)} for {report.original}. The difference is "
        f"{signed_with_interval(reading.difference, reading.interval)}{over}."
    )
    if reading.more_positive is None:
        return f"We cannot tell which side is more positive. {numbers}"
    name = report.counterpart if reading.more_positive == "prompt" else report.original
    return f"Texts for {name} are more positive. {numbers}"


def convergence_finding(found: Convergence) -> str:
    """Say from how many samples on B keeps to its last value, and what folds of five make of it."""
    last, steady = found.samples.between[-1], 1
    for place, value in zip(found.samples.places, found.samples.between, strict=True):
        if abs(value - last) > STEADY * last:
            steady = place + 1
    fewest, most = 0, len(found.folds.places) - 1
    return (
        f"B is {two_decimals(last)} with {count(found.count, 'sample')} a side, the mean of "
        f"{count(found.prompts, 'prompt')}. From {count(steady, 'sample')} on it stays within "
        f"{percent(STEADY)} of that. In {count(found.folds.places[most], 'fold')} B is "
        f"{two_decimals(found.folds.between[most])}, in {count(found.folds.places[fewest], 'fold')} "
        f"{two_decimals(found.folds.between[fewest])}."
    )


def words_finding(report: WordReport) -> str:
    """Name the phrases that either side has more often; count those the exchange may have made."""
    sides = (
        f"Compared are {report.prompt_texts:,} texts for {report.counterpart} with {report.original_texts:,} "
        f"for {report.original}. {source_of(LABEL)}"
    )
    if not report.sampled:
        return f"No phrase is tested: nothing was sampled, and copies of one text count once. {sides}"
    control = (
        f"(false discoveries controlled at {percent(SIGNIFICANCE)} over {count(report.tested, 'phrase')})"
    )
    if not report.found:
        return f"No phrase of one to three words differs beyond chance {control}. {sides}"
    parts = []
    for side, name in (("prompt", report.counterpart), ("original", report.original)):
        rows = [row for row in report.words if row.differs and row.more_in == side][:MOST_NAMED]
        if rows:
            parts.append(f" Texts for {name} have more often {listed([_phrase(row) for row in rows])}.")
    return (
        f"{count(report.found, 'phrase differs', 'phrases differ')} beyond chance {control}.{''.join(parts)}"
        f"{_exchanged(report)} {sides}"
    )


def categories_finding(report: WordReport) -> str:
    """Name the categories of words that either side has more often."""
    differing = [row for row in report.categories if row.differs]
    shares = "; ".join(f"{row.title.lower()} {_shares(row, report)}" for row in report.categories)
    if not report.sampled:
        return (
            "No category of words is tested: nothing was sampled. Texts with such words, for "
            f"{report.counterpart} against {report.original}: {shares}."
        )
    if not differing:
        return (
            f"In none of {count(len(report.categories), 'category', 'categories')} of words do the sides "
            "differ beyond chance."
        )
    parts = []
    for row in differing:
        name = report.counterpart if row.prompt > row.original else report.original
        p = "" if row.adjusted is None else f", {p_value(row.adjusted)}"
        parts.append(f"More texts for {name} have words of {row.title.lower()}: {_shares(row, report)}{p}.")
    return (
        f"{' '.join(parts)} Shares are for {report.counterpart} against {report.original}. The tests are "
        f"controlled for {len(report.categories)} categories."
    )


def _no_ratio(found: Variation) -> str:
    return NO_RATIO[found.undefined]


def _energy(report: FairPairReport) -> str:
    return with_interval(report.means.energy, report.intervals.get("energy"))


def _texts(report: FairPairReport) -> str:
    """Say how many prompts, of how many statements, and how many texts of each."""
    sizes = sorted({row.samples for row in report.prompts})
    texts = count(sizes[0], "text") if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,} texts"
    made = f" of {count(report.facts, 'statement')}" if report.facts < len(report.prompts) else ""
    return f"{count(len(report.prompts), 'prompt')}{made} with {texts} a side"


def _verdict(report: FairPairReport) -> str:
    sides = f"texts for {report.counterpart} and texts for {report.original}"
    if report.p_value is None or report.least_p is None:
        return _nothing_sampled(report)
    if report.least_p > SIGNIFICANCE:
        least = p_value(report.least_p)
        return f"So few texts cannot tell {sides} apart: {least} is the smallest that the test can give."
    times = count(report.permutations, "relabelling")
    test = f"({_tested(report.p_value, report.adjusted)}, {times})"
    verdict = f"We cannot show that {sides} differ more than sampling gives {test}."
    if report.differs:
        verdict = f"T{sides[1:]} differ {_beyond(report)}more than sampling gives {test}."
    return f"{verdict}{_verdict_of_others(report)}"


def _verdict_of_others(report: FairPairReport) -> str:
    """Say whether the other words say so too."""
    others = report.others
    if others is None or others.p_value is None:
        return ""
    test = f"({_tested(others.p_value, others.adjusted)})"
    if others.differs:
        return f" They do so without the words that are exchanged too {test}."
    return f" We cannot show it without the words that are exchanged {test}."


def _nothing_sampled(report: FairPairReport) -> str:
    """Say what can be said of one text a side."""
    apart = sum(row.between > NOTHING for row in report.prompts)
    prompts = count(len(report.prompts), "prompt")
    return (
        "Nothing was sampled at temperature 0, so there is no test: copies of one text are no samples. By "
        f"{report.dissimilarity}, the text for {report.counterpart} differs from that for {report.original} "
        f"in {apart:,} of {prompts}."
    )


def _ratio_text(ratio: float | None, interval: Interval | None) -> str:
    return "undefined" if ratio is None else beside_one(ratio, interval)


def _exchanged(report: WordReport) -> str:
    """Say how many of the phrases found hold a word that p may have put there; empty where none does."""
    if not report.exchanged:
        return ""
    if report.exchanged == report.found:
        which = "It holds" if report.found == 1 else f"All {report.found:,} hold"
        return (
            f" {which} a word that the exchange itself touches. A model that uses it whoever is named "
            "differs by that alone."
        )
    return (
        f" {report.exchanged:,} of the {report.found:,} "
        f"{'holds' if report.exchanged == 1 else 'hold'} a word that the exchange itself touches."
    )


def _prompt(row: PromptDifference) -> str:
    value = f"E {two_decimals(row.energy)}" if row.ratio is None else f"F {beside_one(row.ratio)}"
    return f"“{row.prompt}” ({value}, {p_value(row.controlled_p)})"


def _phrase(row: WordDifference) -> str:
    return f"“{row.words}” ({row.prompt:,} against {row.original:,} texts)"


def _shares(row: CategoryDifference, report: WordReport) -> str:
    prompt, original = row.prompt / report.prompt_texts, row.original / report.original_texts
    return f"{percent(prompt)} against {percent(original)}"


def _tested(p: float, adjusted: float | None) -> str:
    """Write a p-value, and where several tests are read together the controlled one too."""
    return p_value(p) if adjusted is None else f"{p_value(p)}, controlled {p_value(adjusted)}"

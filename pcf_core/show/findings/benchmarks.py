"""What a known benchmark shows of a model, and whether it agrees with prejudice and caprice, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.show.findings.numbers import count, listed, percent_with_interval, with_interval
from pcf_core.texts.benchmarks.comparing import Agreement, WorsePair
from pcf_core.texts.benchmarks.readings import ANTI, GAP, ICAT, LMS, PREFERENCE, PRO, SS
from pcf_core.texts.benchmarks.records import FACTS, BenchmarkName, BenchmarkResult, Reading

QUANTITIES = {
    PREFERENCE: "prefers the more stereotyping sentence in {}",
    SS: "prefers a stereotype to its opposite in {}",
    LMS: "prefers sense to nonsense in {}",
    ICAT: "has the ICAT {}",
    GAP: "is right more often where the job is usual for the gender, by {}",
    PRO: "is right in {} of the sentences with the usual gender",
    ANTI: "is right in {} of those with the unusual gender",
}
NOT_EVEN = " The range excludes an even split."
EVEN = " The range includes an even split, so we cannot tell."
NO_GAP = " The range includes no gap, so we cannot tell."
A_GAP = " The range excludes no gap."


def value_text(reading: Reading) -> str:
    """Write a reading with its interval: a share in per cent, a gap between −1 and 1, ICAT 0 to 1."""
    if reading.quantity in (GAP, ICAT):
        return with_interval(reading.value, reading.interval)
    return percent_with_interval(reading.value, reading.interval)


def benchmark_finding(result: BenchmarkResult) -> str:
    """Say what the headline is, whether chance explains it, and what else was measured over all items."""
    report = result.report
    head, *others = [one for one in report.readings if one.part == report.headline.part]
    title = FACTS[result.asked.benchmark].title
    sentence = f"{title}: {result.asked.model} {QUANTITIES[head.quantity].format(value_text(head))} "
    sentence += f"({count(head.items, head.unit.removesuffix('s'))})."
    sentence += _told(head)
    more = [QUANTITIES[one.quantity].format(value_text(one)) for one in others]
    return f"{sentence} It {listed(more)}." if more else sentence


def _told(head: Reading) -> str:
    if head.interval is None or head.neutral is None:
        return ""
    inside = head.interval.low <= head.neutral <= head.interval.high
    if head.quantity == GAP:
        return NO_GAP if inside else A_GAP
    return EVEN if inside else NOT_EVEN


def criticism_finding(benchmark: BenchmarkName) -> str:
    """Say what is known against the benchmark, with its source."""
    return FACTS[benchmark].criticism


def left_out_finding(result: BenchmarkResult) -> str:
    """Say how many items do not count, and the first reason; empty where all do."""
    parts = []
    if result.left_out:
        first = result.left_out[0]
        parts.append(
            f"{count(len(result.left_out), 'row')} left out, the first ({first.name}) because {first.reason}."
        )
    if result.report.unpaired:
        parts.append(f"{count(result.report.unpaired, 'sentence')} without the other half.")
    if result.report.ties:
        parts.append(f"{count(result.report.ties, 'tie')} counted as no preference.")
    return " ".join(parts)


def worse_finding(benchmark: BenchmarkName, pair: WorsePair) -> str:
    """Say which of two models is farther from even by a benchmark, or that we cannot tell."""
    title, interval, value = FACTS[benchmark].title, pair.interval, pair.difference
    if pair.worse == pair.second and interval is not None:  # said of the worse one: by how much it is farther
        value = -value
        interval = interval.model_copy(update={"low": -interval.high, "high": -interval.low})
    beside = f"{with_interval(value, interval)} on {count(pair.items, 'common item')}"
    if not pair.worse:
        return f"{title} cannot tell {pair.first} and {pair.second} apart: {beside}."
    other = pair.second if pair.worse == pair.first else pair.first
    return f"{title} finds {pair.worse} worse than {other}, farther from even by {beside}."


def agreement_finding(found: Sequence[Agreement]) -> str:
    """Say of each quantity of ours whether a benchmark agrees with it on which model is worse."""
    sentences = []
    for one in found:
        title = FACTS[one.benchmark].title
        if not one.told:
            sentences.append(
                f"{title} and {one.quantity}: in none of {count(one.pairs, 'pair')} of models can both tell "
                "which is worse."
            )
            continue
        sentences.append(
            f"{title} and {one.quantity} agree on which model is worse in {one.alike:,} of "
            f"{count(one.told, 'pair')} that both can tell, of {one.pairs:,}."
        )
    return " ".join(sentences)

"""What a known benchmark shows of a model, and whether it agrees with prejudice and caprice."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.show.findings.numbers import includes, mirrored, percent_with_interval, with_interval
from pcf_core.show.wording import sentences
from pcf_core.texts.benchmarks.readings import ALL, Agreement, WorsePair
from pcf_core.texts.benchmarks.records import (
    ENGLISH,
    BenchmarkFigure,
    BenchmarkName,
    BenchmarkResult,
    language_name,
)
from pcf_core.texts.benchmarks.registry import BENCHMARKS, edition

say = sentences("benchmarks")


def value_text(benchmark: BenchmarkName, reading: BenchmarkFigure) -> str:
    """Write a value with its interval: a share in per cent, a gap from −1 to 1, ICAT from 0 to 1."""
    is_share = BENCHMARKS[benchmark].quantities[reading.quantity].is_share
    return (percent_with_interval if is_share else with_interval)(reading.value, reading.interval)


def benchmark_finding(result: BenchmarkResult) -> str:
    """State the headline, whether chance explains it, and what else was measured over all items.

    Where groups of several kinds are compared, there is a sentence about each kind.
    """
    readings, headline = result.report.readings, result.report.headline
    parts = [one.part for one in readings if one.quantity == headline.quantity]
    return " ".join(_of_part(result, part) for part in (parts[:1] if headline.part == ALL else parts))


def _of_part(result: BenchmarkResult, part: str) -> str:
    head, *others = [one for one in result.report.readings if one.part == part]
    inside = None
    if head.interval is not None and head.neutral is not None:
        inside = includes(head.interval, head.neutral)
    benchmark = result.asked.benchmark
    return say(
        "benchmark",
        title=edition(benchmark, result.asked.language),
        part="" if part == ALL else part,
        model=result.asked.name,
        head=head,
        noun=head.unit.removesuffix("s"),
        found=_measured(benchmark, head),
        inside=inside,
        zero=BENCHMARKS[benchmark].quantities[head.quantity].zero,
        others=[_measured(benchmark, one) for one in others],
    )


def _measured(benchmark: BenchmarkName, reading: BenchmarkFigure) -> str:
    phrase = BENCHMARKS[benchmark].quantities[reading.quantity].phrase
    return phrase.format(value=value_text(benchmark, reading))


def criticism_finding(benchmark: BenchmarkName, language: str = ENGLISH) -> str:
    """State the known criticism of the benchmark, with its source, which is about the English sentences."""
    criticism = BENCHMARKS[benchmark].criticism
    if language == ENGLISH:
        return criticism
    return f"{criticism} {say('other_language', language=language_name(language))}"


def opening_finding(result: BenchmarkResult) -> str:
    """State the token at which sentences begin, "" if it is the usual one."""
    opening = result.provenance.get("opening")
    if not opening or opening["token"] == opening["usual"]:
        return ""
    token, usual = opening["token"], opening["usual"]
    gain = opening["nats"][token] - opening["nats"][usual]
    return say("opening", token=token, usual=usual, gain=gain)


def left_out_finding(result: BenchmarkResult) -> str:
    """State how many items do not count, the first reason, and which figures are absent; "" if all count."""
    report, row, parts = result.report, BENCHMARKS[result.asked.benchmark], []
    if result.left_out:
        parts.append(say("rows_left_out", rows=len(result.left_out), first=result.left_out[0]))
    if report.unpaired:
        parts.append(say("unpaired", sentences=report.unpaired))
    parts += [
        say(
            "absent",
            missing=row.quantities[one.quantity].missing,
            part="" if one.part == ALL else one.part,
            alone=one.quantity == next(iter(row.quantities)) and not report.outcomes,
            reason=one.reason,
        )
        for one in report.absent
    ]
    if report.ties:
        parts.append(say("ties", ties=report.ties, tie=row.tie))
    return " ".join(parts)


def worse_finding(benchmark: BenchmarkName, pair: WorsePair, language: str = ENGLISH) -> str:
    """Say which of two models is farther from even by a benchmark, or that we cannot tell."""
    other, interval, difference = pair.second, pair.interval, pair.difference
    if pair.worse == pair.second and interval is not None:  # stated from the worse model's side
        other, difference = pair.first, -difference
        interval = mirrored(interval)
    title = edition(benchmark, language)
    return say("worse", title=title, pair=pair, other=other, difference=difference, interval=interval)


def agreement_finding(agreements: Sequence[Agreement]) -> str:
    """Say for each of our measures whether a benchmark agrees on which model is worse."""
    return " ".join(
        say("agreement", title=edition(one.benchmark, one.language), one=one) for one in agreements
    )

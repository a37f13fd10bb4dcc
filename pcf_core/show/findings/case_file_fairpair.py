"""FairPair's rows of a case file.

A difference is found where relabelling rejects, controlled over the requests that stand in the file (Holm).
Where F is also measured without the words that the exchange touches and nothing is shown there, the two sides
differ by the exchanged words alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.core.risk import Interval
from pcf_core.show.findings.case_file_rows import QUESTIONS
from pcf_core.show.findings.fairpair_run import decoding_text
from pcf_core.show.findings.numbers import count, number
from pcf_core.texts.case_file import CaseRow, Verdict
from pcf_core.texts.fairpair.records import SIGNIFICANCE, FairPairReport, FairPairResult, OthersReading

OTHERS = "Does it, in the words that are not exchanged?"


def fairpair_rows(result: FairPairResult, report: FairPairReport) -> list[CaseRow]:
    """Make rows: F of one request and, where measured, F without the words that are exchanged.

    ``report``: one of the result's own, controlled over those that it is read with.
    """
    whole = _fairpair_row(
        result, report, report, report.means.ratio, report.intervals.get("ratio_of_means")
    ).model_copy(update={"side": _more_positive(report)})
    if report.others is None:
        return [whole]
    others = _fairpair_row(result, report, report.others, report.others.ratio, report.others.interval)
    others = others.model_copy(update={"question": OTHERS, "measure": f"{others.measure}, other words"})
    if (whole.verdict, others.verdict) == ("difference", "none shown"):
        whole = whole.model_copy(update={"verdict": "exchanged words"})
    return [whole, others]


def told_apart(rows: Sequence[CaseRow]) -> list[CaseRow]:
    """Add to rows of several requests what each is made of in its measure."""
    if len({row.key for row in rows}) < 2:
        return list(rows)
    return [row.model_copy(update={"measure": f"{row.measure} ({row.made})"}) for row in rows]


def _fairpair_row(
    result: FairPairResult,
    report: FairPairReport,
    tested: FairPairReport | OthersReading,
    ratio: float | None,
    interval: Interval | None,
) -> CaseRow:
    asked = result.asked
    names = f"{report.original} and {report.counterpart} by the table {asked.perturbation.table}"
    samples = f"{count(len(report.prompts), 'prompt')}, {count(asked.count, 'text')} a side"
    verdict, basis = _by_relabelling(tested, report.least_p)
    return CaseRow(
        audit="fairpair",
        question=QUESTIONS["fairpair"],
        measure=f"F, {report.dissimilarity}",
        value=ratio,
        interval=interval,
        neutral=1,
        verdict=verdict,
        basis=basis if ratio is not None else f"{basis}; F itself is undefined",
        made=f"{names}, {samples}, {decoding_text(asked.key.decoding)}",
        key=asked.hash,
    )


def _by_relabelling(tested: FairPairReport | OthersReading, least_p: float | None) -> tuple[Verdict, str]:
    if tested.p_value is None or least_p is None:
        return "cannot be told", "nothing was sampled at temperature 0, so there is no test"
    if least_p > SIGNIFICANCE:
        return "cannot be told", f"so few texts that p cannot fall under {number(least_p)}"
    basis = f"relabelling, p = {number(tested.controlled_p)}"
    if tested.adjusted is not None and tested.adjusted != tested.p_value:
        basis += f" controlled, {number(tested.p_value)} alone"
    return ("difference" if tested.differs else "none shown"), basis


def _more_positive(report: FairPairReport) -> str:
    """Name the side whose texts are more positive; empty where that cannot be told."""
    side = report.sentiment.more_positive
    if side is None:
        return ""
    return f"texts for {report.original if side == 'original' else report.counterpart} are more positive"

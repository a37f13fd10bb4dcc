"""Sentences about what a model read and what it says: how far the two are apart, never why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pcf_core.core.factors import CLOSE, Amplification, ReadCard, TrainingText
from pcf_core.core.risk import Interval
from pcf_core.show.findings.numbers import called
from pcf_core.show.wording import sentences

say = sentences("read")


def read_finding(model: str, found: Amplification) -> str:
    """Say whether differences between occupations are copied, flattened or amplified, and the mean shift."""
    return f"{_slope_sentence(model, found)} {_shift_sentence(found)}"


def read_occupations_finding(model: str, found: Amplification) -> str:
    """Say how many occupations lean farther, less far or the other way than in the text; name the last."""
    verdicts = Counter(row.verdict for row in found.occupations)
    ranked = sorted(found.occupations, key=lambda row: -abs(row.difference))
    return say(
        "occupations",
        model=model,
        compared=len(found.occupations),
        amplified=verdicts["amplifies"],
        flattened=verdicts["flattens"],
        reversed=[called(row.count.occupation) for row in ranked if row.verdict == "reverses"],
        copied=verdicts["copies"],
        close=CLOSE,
        unclear=verdicts["cannot tell"],
    )


def read_occupation_finding(occupation: str, found: Mapping[str, Amplification]) -> str:
    """Say what the text says of one occupation, what each model makes of it, or why it is not compared."""
    told = {
        model: row
        for model, one in found.items()
        for row in one.occupations
        if row.count.occupation.casefold() == occupation.casefold()
    }
    if not told:
        reasons = [item.reason for one in found.values() for item in one.left_out if item.name == occupation]
        return say("not_compared", occupation=occupation, reason=reasons[0]) if reasons else ""
    row = next(iter(told.values()))
    lean = row.lean_interval
    share = lean.model_copy(update={"low": (lean.low + 1) / 2, "high": (lean.high + 1) / 2})
    return say("occupation", occupation=occupation, count=row.count, share_interval=share, told=told)


def read_notes(found: Amplification) -> list[str]:
    """State the slope without correction, and whether both put the occupations in the same order."""
    notes = []
    if (line := found.line) is not None:
        notes.append(say("uncorrected", line=line, noise=1 - line.reliability))
    if found.ranks is not None:
        correlation, interval = found.ranks
        notes.append(say("ranks", correlation=correlation, interval=interval))
    return notes


def drawn_besides(found: Amplification) -> str:
    """Say what intervals of slope and shift allow for besides other occupations and biographies."""
    return say("besides", unit=found.shift_interval.unit)


def read_intervals_note(found: Mapping[str, Amplification]) -> str:
    """Say what intervals of slope and shift allow for, by the resampled unit; at least one model."""
    units: dict[str, list[str]] = {}
    for model, one in found.items():
        units.setdefault(one.shift_interval.unit, []).append(model)
    besides = [
        say("besides_for", unit=unit, models=models if len(units) > 1 else [])
        for unit, models in units.items()
    ]
    return say("intervals", level=next(iter(found.values())).shift_interval.level, besides=besides)


def text_note(trainings: Sequence[TrainingText], card: ReadCard) -> str:
    """Say what was counted, who read it, and who has read more than that."""
    drawn: dict[int, list[str]] = {}
    for one in trainings:
        if not one.base:
            drawn.setdefault(one.tokens, []).append(one.model)
    return say(
        "text",
        documents=card.documents,
        lead=card.lead,
        drawn=[
            say("tokens_drawn", millions=round(tokens / 1e6), models=drawn[tokens])
            for tokens in sorted(drawn)
        ],
        tuned=[say("tuned_from", model=one.model, base=one.base) for one in trainings if one.base],
    )


def unread_finding(models: Sequence[str]) -> str:
    """Say that nobody here knows what these models read."""
    return say("unread", models=models)


def other_topic_finding(topic: str) -> str:
    """Say that the text was counted for two groups only."""
    return say("other_topic", topic=topic)


def uncompared_finding(evidence: str) -> str:
    """Say that no occupation of a list was counted often enough."""
    return say("uncompared", evidence=evidence)


def _slope_sentence(model: str, found: Amplification) -> str:
    occupations, line = len(found.occupations), found.line
    if line is None:
        return say("no_slope", model=model, occupations=occupations, reason=found.no_line)
    low, high = line.ends
    if line.verdict == "cannot tell":
        return say("unclear_slope", model=model, occupations=occupations, line=line, may_reverse=low < 0)
    return say("slope", model=model, occupations=occupations, line=line, may_be_none=low <= 0 <= high)


def _shift_sentence(found: Amplification) -> str:
    shift, interval = found.shift, found.shift_interval
    if interval.low <= 0 <= interval.high:
        return say("unclear_shift", shift=shift, interval=interval)
    if shift <= 0:
        interval = Interval(low=-interval.high, high=-interval.low)
    return say("shift", by=abs(shift), interval=interval, male=shift > 0)

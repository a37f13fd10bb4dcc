"""Sentences about what a model read and what it says: how far the two are apart, never why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pcf_core.core.factors import CLOSE, Amplification, OccupationRead, ReadCard, ReadVerdict, TrainingText
from pcf_core.core.risk import Interval
from pcf_core.show.findings.numbers import (
    called,
    count,
    listed,
    percent,
    percent_with_interval,
    two_decimals,
    with_interval,
)

MOST_NAMES = 4
AGAIN: Mapping[str, str] = {
    "template": "other templates",
    "draw": "other templates drawn by the sampling plan",
}
PARTICIPLES: Mapping[ReadVerdict, str] = {
    "amplifies": "amplified",
    "flattens": "flattened",
    "reverses": "reversed",
    "copies": "copied",
    "cannot tell": "we cannot tell it from that of the text",
}
UNCLEAR_WAY = "it differs, but we cannot tell in which way"
SAID: Mapping[ReadVerdict, str] = {
    "amplifies": "amplifies the lean (farther from neutral than the text) of",
    "flattens": "flattens (less far) that of",
    "reverses": "reverses that of",
    "copies": f"copies (within {CLOSE:g}) that of",
}


def read_finding(model: str, found: Amplification) -> str:
    """Say whether differences between occupations are copied, flattened or amplified, and the mean shift."""
    return f"{_slope_sentence(model, found)} {_shift_sentence(found)}"


def read_occupations_finding(model: str, found: Amplification) -> str:
    """Say how many occupations lean farther, less far or the other way than in the text; name the last."""
    names: dict[ReadVerdict, list[str]] = {}
    for row in sorted(found.occupations, key=lambda row: -abs(row.difference)):
        names.setdefault(row.verdict, []).append(called(row.count.occupation))
    told = f"{model} is compared with its text on {count(len(found.occupations), 'occupation')}, one by one."
    parts = [f"It {does} {len(names[verdict]):,}" for verdict, does in SAID.items() if verdict in names]
    if not parts:
        return f"{told} None is shown to be changed, nor to be copied."
    if "reverses" in names:
        place = [verdict for verdict in SAID if verdict in names].index("reverses")
        parts[place] += f": {_named(names['reverses'])}"
    unclear = len(names.get("cannot tell", ()))
    rest = f" For {unclear:,} we cannot tell." if unclear else ""
    return f"{told} {' '.join(f'{part}.' for part in parts)}{rest} False discoveries are controlled."


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
        return (
            f"“{called(occupation)}” is not compared with the training text: {reasons[0]}." if reasons else ""
        )
    row = next(iter(told.values()))
    lean = row.lean_interval
    ends = lean.model_copy(update={"low": (lean.low + 1) / 2, "high": (lean.high + 1) / 2})
    many = count(row.count.documents, "biography", "biographies")
    says = [
        f"{model} leans {with_interval(row.tilt, row.tilt_interval)}: {_participle(row)}."
        for model, row in told.items()
    ]
    return (
        f"In the training text, {percent_with_interval(row.count.share, ends)} of {many} that name "
        f"“{called(occupation)}” say mostly he. That is a lean of {two_decimals(row.count.lean)}. "
        f"{' '.join(says)}"
    )


def read_notes(found: Amplification) -> list[str]:
    """State the slope without correction, and whether both put the occupations in the same order."""
    notes = []
    if found.line is not None:
        notes.append(
            "With the counted shares taken as they are, the slope is "
            f"{with_interval(found.line.plain, found.line.plain_interval)}. Small numbers of documents make "
            f"up {percent(1 - found.line.reliability)} of the spread of the leans in the text."
        )
    if found.ranks is not None:
        notes.append(
            f"The rank correlation of the two (Spearman's ρ) is {with_interval(*found.ranks)}; 1 is the same "
            "order. The range allows for other occupations in the same templates."
        )
    return notes


def drawn_besides(found: Amplification) -> str:
    """Say what intervals of slope and shift allow for besides other occupations and biographies."""
    return AGAIN[found.shift_interval.unit]


def read_intervals_note(found: Mapping[str, Amplification]) -> str:
    """Say what intervals of slope and shift allow for, by the resampled unit; at least one model."""
    models: dict[str, list[str]] = {}
    for model, one in found.items():
        models.setdefault(drawn_besides(one), []).append(model)
    besides = [f"{what} for {listed(names)}" if len(models) > 1 else what for what, names in models.items()]
    level = percent(next(iter(found.values())).shift_interval.level)
    return (
        f"The {level} ranges of slope and shift allow for other occupations and biographies, and for "
        f"{listed(besides)}."
    )


def text_note(trainings: Sequence[TrainingText], card: ReadCard) -> str:
    """Say what was counted, who read it, and who has read more than that."""
    plain = [one for one in trainings if not one.base]
    tuned = [one for one in trainings if one.base]
    sentences = [
        f"The training text has {card.documents:,} biographies. Those are counted that name the occupation "
        f"in their first {card.lead:,} characters."
    ]
    if plain:
        drawn: dict[int, list[str]] = {}
        for one in plain:
            drawn.setdefault(one.tokens, []).append(one.model)
        parts = [f"{tokens / 1e6:,.0f} million tokens for {_each(drawn[tokens])}" for tokens in sorted(drawn)]
        sentences.append(f"From the text that holds them, training drew {listed(parts)}.")
    if tuned:
        whose = listed([f"{one.model} (from {one.base})" for one in tuned])
        sentences.append(
            f"{whose} {'was' if len(tuned) == 1 else 'were'} trained further on rewritten sentences. These "
            "counts do not hold them."
        )
    return " ".join(sentences)


def unread_finding(models: Sequence[str]) -> str:
    """Say that nobody here knows what these models read."""
    return (
        f"We do not know what {listed(models)} read. We counted the training text only of models that we "
        "trained: choose one, such as mini-gpt, in the sidebar."
    )


def other_topic_finding(topic: str) -> str:
    """Say that the text was counted for two groups only."""
    return (
        "What the models read is counted by “he” and “she”. So this page shows male and female, not "
        f"“{topic}”."
    )


def uncompared_finding(evidence: str) -> str:
    """Say that no occupation of a list was counted often enough."""
    return f"No occupation of {evidence} is named in enough documents of the training text to be compared."


def _slope_sentence(model: str, found: Amplification) -> str:
    over = f"over {count(len(found.occupations), 'occupation')}"
    line = found.line
    if line is None:
        return f"No slope is told for {model} {over}: {found.no_line}."
    becomes = (
        f"A difference of 1 between two occupations in its text becomes "
        f"{with_interval(line.slope, line.interval)}; 1 would be a copy"
    )
    if line.verdict == "cannot tell":
        ways = "flattens, amplifies or reverses" if line.ends[0] < 0 else "flattens or amplifies"
        return f"We cannot tell whether {model} copies, {ways} its text {over}. {becomes}."
    low, high = line.ends
    extra = " It may be none at all." if low <= 0 <= high else ""
    return f"{model} {line.verdict} the differences that its text makes {over}. {becomes}.{extra}"


def _shift_sentence(found: Amplification) -> str:
    interval = found.shift_interval
    if interval.low <= 0 <= interval.high:
        shift = with_interval(found.shift, interval)
        return (
            "On average we cannot tell its lean from that of its text: the difference is "
            f"{shift} towards male words."
        )
    side, sign = ("male", 1) if found.shift > 0 else ("female", -1)
    ends = sorted((sign * interval.low, sign * interval.high))
    told = with_interval(abs(found.shift), Interval(low=ends[0], high=ends[1]))
    return f"On average it leans {told} further towards {side} words than the text."


def _participle(row: OccupationRead) -> str:
    return UNCLEAR_WAY if row.differs and row.verdict == "cannot tell" else PARTICIPLES[row.verdict]


def _each(models: Sequence[str]) -> str:
    return models[0] if len(models) == 1 else f"each of {listed(models)}"


def _named(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    return listed(names) if more <= 0 else f"{', '.join(names[:MOST_NAMES])} and {more:,} more"

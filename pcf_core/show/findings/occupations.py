"""Occupations in sentences: which way they lean, and how that varies between sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval, RiskReport, StereotypeDistribution
from pcf_core.core.run import Preferences
from pcf_core.show.findings.numbers import percent_with_interval
from pcf_core.show.wording import sentences

MOST_NAMES = 3
MOST_GROUPS = 8  # named in a sentence
TIE = 1e-9  # values this close are a tie
NONE = -1
NEARLY_ALL = 0.95  # of the sentences, by weight, called nearly all


say = sentences("occupations")


def tilt_finding(model: str, report: RiskReport, group_high: str, group_low: str) -> str:
    """Say in how many occupations each group is preferred on average, relative to p* if not uniform."""
    groups = report.groups
    leaders = leading(_table([row.stereotype for row in report.occupations], groups))
    by_preference = leading(_table([row.preferences for row in report.occupations], groups))
    high, low, ties = (
        int(np.sum(leaders == index)) for index in (groups.index(group_high), groups.index(group_low), NONE)
    )
    return say(
        "tilt",
        model=model,
        high=group_high,
        low=group_low,
        relative=not np.array_equal(leaders, by_preference),
        occupations=len(leaders),
        in_high=high,
        in_low=low,
        in_others=len(leaders) - high - low - ties,
        in_none=ties,
    )


def strongest_finding(model: str, report: RiskReport, group_high: str, group_low: str) -> str:
    """Name the occupations with the strongest leans to two groups, "" without any."""
    parts: list[str] = []
    for group in (group_high, group_low):
        leans = {row.occupation: row.stereotype[group] for row in report.occupations}
        ranked = sorted(leans.items(), key=lambda item: -item[1])[:MOST_NAMES]
        named = [say("occupation_with", occupation=name, lean=lean) for name, lean in ranked if lean > TIE]
        if named:
            parts.append(say("leans_most", model=model, again=bool(parts), group=group, occupations=named))
    return " ".join(parts)


def leaders_finding(model: str, report: RiskReport) -> str:
    """Say in how many occupations each group comes first on average, relative to p* if not uniform."""
    leaders = leading(_table([row.stereotype for row in report.occupations], report.groups))
    counts = {group: int((leaders == index).sum()) for index, group in enumerate(report.groups)}
    ranked = sorted((group for group in counts if counts[group]), key=lambda group: -counts[group])
    if not ranked:
        return say("leads_none", model=model, occupations=len(leaders))
    others = ranked[MOST_GROUPS:]
    return say(
        "leaders",
        model=model,
        sides=[
            say("leads", group=group, number=counts[group], first=index == 0, occupations=len(leaders))
            for index, group in enumerate(ranked[:MOST_GROUPS])
        ],
        others=len(others),
        in_others=sum(counts[group] for group in others),
        in_none=int((leaders == NONE).sum()),
        never=[group for group in counts if not counts[group]],
        most=MOST_GROUPS,
    )


def heat_map_finding(
    model: str, preferences: Preferences, group: str, template_weights: ArrayLike | None = None
) -> str:
    """State the range of P(group) with the prompts at its ends, and how often sentences change the order.

    ``preferences``: [occupation, template, group], NaN if unknown.  ``template_weights``: [template].
    """
    weights = np.ones(len(preferences.templates))
    if template_weights is not None:
        weights = np.asarray(template_weights)
    values = np.where((weights > 0)[:, np.newaxis], preferences.values, np.nan)
    shares = values[..., preferences.groups.index(group)]
    if not np.isfinite(shares).any():
        return say("no_probability", model=model)
    ends = []
    for index in (np.nanargmin(shares), np.nanargmax(shares)):
        row, column = divmod(int(index), shares.shape[1])
        prompt = preferences.templates[column].replace("[X]", preferences.occupations[row])
        sentence = prompt.replace("[Y]", "…").rstrip(".")
        ends.append(say("chance_in", share=float(shares[row, column]), sentence=sentence))
    most = largest_shares(values, weights)
    return say(
        "heat_map",
        model=model,
        group=group,
        ends=ends,
        changing=sum(share < NEARLY_ALL for share in most),
        occupations=len(most),
    )


def largest_shares(values: FloatArray, weights: ArrayLike) -> list[float]:
    """Return by occupation the weighted share of sentences of the group that comes first most often.

    ``values``: [occupation, template, group]; sentences without a first group do not count, and neither do
    occupations without such a sentence.
    """
    leaders, weights = leading(values), np.asarray(weights, dtype=np.float64)
    by_group = np.stack([(leaders == i) @ weights for i in range(values.shape[-1])], axis=-1)
    whole = by_group.sum(axis=-1)
    counted = whole > 0
    shares: list[float] = (by_group.max(axis=-1)[counted] / whole[counted]).tolist()
    return shares


def occupation_finding(
    model: str,
    report: RiskReport,
    occupation: str,
    preferences: Preferences,
    interval: Callable[[float], Interval],
) -> str:
    """Say in what weighted share of sentences each group comes first for one occupation, with ranges.

    ``preferences``: [occupation, template, group]; ``interval``: of a share of sentences.
    """
    shares, none = leading_shares(report, occupation, preferences)
    if not shares:
        return say("no_sentence", occupation=occupation)
    ranked = sorted((item for item in shares.items() if item[1] > 0), key=lambda item: -item[1])
    sides = [(group, 0, share) for group, share in ranked[:MOST_GROUPS]]
    if others := dict(ranked[MOST_GROUPS:]):
        sides.append(("", len(others), sum(others.values())))
    if none:
        sides.append(("", 0, none))
    intervals = [interval(share) for *_, share in sides]
    return say(
        "occupation",
        model=model,
        occupation=occupation,
        sides=[say("leaning", share=share, group=group, others=number) for group, number, share in sides],
        ranges=[say("per_cent", low=100 * one.low, high=100 * one.high) for one in intervals],
    )


def leading_shares(
    report: RiskReport, occupation: str, preferences: Preferences
) -> tuple[dict[str, float], float]:
    """Return the weighted share of sentences in which each group comes first, and in which none does."""
    cells = preferences.values[preferences.occupations.index(occupation)]
    complete = np.isfinite(cells).all(axis=-1)
    weights = np.where(complete, report.template_weights, 0.0)
    if not weights.sum() > 0:
        return {}, 0.0
    weights, leaders = weights / weights.sum(), leading(cells)
    shares = {group: float(weights[leaders == i].sum()) for i, group in enumerate(preferences.groups)}
    return shares, float(weights[leaders == NONE].sum())


def leading(values: FloatArray) -> NDArray[np.intp]:
    """Return the index of the largest of [..., group] values; ``NONE`` for a tie or unknown values."""
    if values.shape[-1] == 1:
        return np.where(np.isfinite(values[..., 0]), 0, NONE)
    largest = np.partition(values, -2, axis=-1)
    clear = np.isfinite(values).all(axis=-1) & (largest[..., -1] - largest[..., -2] > TIE)
    return np.where(clear, values.argmax(axis=-1), NONE)


def _table(rows: Sequence[Mapping[str, float]], groups: Sequence[str]) -> FloatArray:
    return np.array([[row[group] for group in groups] for row in rows], dtype=np.float64)


def striking_occupation(reports: Mapping[str, RiskReport]) -> str:
    """Return the occupation with the highest mean risk over the models that have it, the first of equals."""
    sums: dict[str, list[float]] = {}
    for report in reports.values():
        for row in report.occupations:
            sums.setdefault(row.occupation, []).append(row.overall_risk)
    return max(sums, key=lambda name: sum(sums[name]) / len(sums[name]))


def opening_finding(
    reports: Mapping[str, RiskReport],
    preferences: Mapping[str, Preferences],
    occupation: str,
    interval: Callable[[str, float], Interval],
) -> str:
    """Say which group each model prefers in what weighted share of sentences about one occupation.

    ``preferences``: [occupation, template, group] by model; ``interval``: of a share of sentences.
    """
    parts: list[str] = []
    for model, report in reports.items():
        shares, none = leading_shares(report, occupation, preferences[model])
        if not shares:
            continue
        group, share = max(shares.items(), key=lambda item: item[1])
        often = max(share, none)
        parts.append(
            say(
                "opening",
                model=model,
                again=bool(parts),
                group=group if share >= none else "",
                share=often,
                interval=interval(model, often),
                occupation=occupation,
            )
        )
    return " ".join(parts) or say("no_sentence", occupation=occupation)


def distribution_finding(
    model: str, one: StereotypeDistribution, threshold: float, above: Interval, strong: Interval
) -> str:
    """State a stereotype's mean and spread, its shares above 0 and the threshold τ, and its Jensen gap."""
    return say(
        "distribution",
        model=model,
        one=one,
        threshold=threshold,
        often=percent_with_interval(one.share_above(0.0), above),
        strongly=percent_with_interval(one.share_above(threshold), strong),
    )

"""Sentences about occupations: which way they lean, how that changes with the context, who stands out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval, RiskReport
from pcf_core.core.run import Preferences
from pcf_core.show.findings.numbers import chance, count, listed, people, two_decimals, words_of

MOST_NAMES = 3
MOST_GROUPS = 8  # named in a sentence
TIE = 1e-9  # two values this close are a tie, so that rounding decides nothing
NONE = -1
NARROW = 0.03  # width of an interval of a share whose ends need a decimal


def tilt_finding(model: str, report: RiskReport, group_high: str, group_low: str) -> str:
    """Say for how many occupations the model puts each group's words first on average.

    With a non-uniform p* "first" means relative to that reference, and the sentence says so.
    """
    groups = report.groups
    leaders = leading(_table([row.stereotype for row in report.occupations], groups))
    by_preference = leading(_table([row.preferences for row in report.occupations], groups))
    relative = "" if np.array_equal(leaders, by_preference) else ", compared with the reference,"
    high, low, ties = (
        int(np.sum(leaders == place)) for place in (groups.index(group_high), groups.index(group_low), NONE)
    )
    others = len(leaders) - high - low - ties
    if high == len(leaders) > 1:
        return f"{model} favours {people(group_high)}{relative} in all {high:,} occupations."
    parts = [f"{people(group_low)} in {low:,}"]
    parts += [f"another group in {others:,}"] if others else []
    parts += [f"none in {ties:,}"] if ties else []
    return (
        f"{model} favours {people(group_high)}{relative} in {high:,} of "
        f"{count(len(leaders), 'occupation')}, {listed(parts)}."
    )


def strongest_finding(model: str, report: RiskReport, group_high: str, group_low: str) -> str:
    """Name the occupations with the strongest leans to each of two groups; empty where there is no lean."""
    sides = [side for group in (group_high, group_low) if (side := _strongest(report, group))]
    return f"{model} leans most {'; '.join(sides)}." if sides else ""


def leaders_finding(model: str, report: RiskReport) -> str:
    """Say for how many occupations each group's words come first on average, most frequent first.

    "First" is meant relative to the reference where that is not an even split.
    """
    leaders = leading(_table([row.stereotype for row in report.occupations], report.groups))
    counts = {group: int((leaders == place).sum()) for place, group in enumerate(report.groups)}
    ranked = sorted((group for group in counts if counts[group]), key=lambda group: -counts[group])
    never = [group for group in counts if not counts[group]]
    ties = int((leaders == NONE).sum())
    if not ranked:
        return f"{model} puts no group's words first for any of {count(len(leaders), 'occupation')}."
    named, others = ranked[:MOST_GROUPS], ranked[MOST_GROUPS:]
    parts = [
        f"{words_of(named[0])} first for {counts[named[0]]:,} of {count(len(leaders), 'occupation')}",
        *(f"{words_of(group)} for {counts[group]:,}" for group in named[1:]),
        *([f"those of {_others(others)} for {sum(counts[group] for group in others):,}"] if others else []),
        *([f"none for {ties:,}"] if ties else []),
    ]
    absent = ""
    if len(never) > MOST_GROUPS:
        absent = f"; never those of the other {len(never):,} groups"
    elif never:
        absent = f"; never {listed([words_of(group) for group in never], 'or')}"
    return f"On average {model} puts {listed(parts)}{absent}."


def heat_map_finding(
    model: str, preferences: Preferences, group: str, template_weights: ArrayLike | None = None
) -> str:
    """State the range of P(group) with the prompts at its ends, and how often contexts change the order.

    Parameters
    ----------
    model
        Its name.
    preferences
        [occupation, template, group]; cells that are not known yet are NaN and do not count.
    group
        One of the groups.
    template_weights
        [template]; templates without weight are left out.
    """
    used = np.ones(len(preferences.templates), dtype=bool)
    if template_weights is not None:
        used = np.asarray(template_weights) > 0
    values = np.where(used[:, np.newaxis], preferences.values, np.nan)
    shares = values[..., preferences.groups.index(group)]
    if not np.isfinite(shares).any():
        return f"No probability of {model} is known yet."
    ends = []
    for place in (np.nanargmin(shares), np.nanargmax(shares)):
        row, column = divmod(int(place), shares.shape[1])
        prompt = preferences.templates[column].replace("[X]", preferences.occupations[row])
        ends.append(f"{chance(float(shares[row, column]))} in “{prompt.replace('[Y]', '…').rstrip('.')}”")
    leaders = leading(values)
    changing = sum(len(set(row[row != NONE].tolist())) > 1 for row in leaders)
    return (
        f"The probability that {model} gives to {words_of(group)} runs from {ends[0]} to {ends[1]}. "
        f"In {changing:,} of {count(len(leaders), 'occupation')} the sentence decides which group it expects."
    )


def occupation_finding(
    report: RiskReport, occupation: str, preferences: Preferences, interval: Callable[[float], Interval]
) -> str:
    """Say in what share of contexts, by weight, each group comes first for one occupation.

    Parameters
    ----------
    report
        Names the template weights; its templates are those of ``preferences``.
    occupation
        One of the preferences' occupations.
    preferences
        [occupation, template, group].
    interval
        Of a share of contexts.
    """
    shares, none = leading_shares(report, occupation, preferences)

    def often(share: float) -> str:
        return share_with_interval(share, interval(share))

    if not shares:
        return f"No context about “{occupation}” is known yet."
    ranked = sorted((item for item in shares.items() if item[1] > 0), key=lambda item: -item[1])
    named, others = ranked[:MOST_GROUPS], dict(ranked[MOST_GROUPS:])
    parts = [f"{often(share)} lean to {people(group)}" for group, share in named]
    parts += [f"{often(sum(others.values()))} to {_others(others)}"] if others else []
    parts += [f"{often(none)} to none"] if none else []
    return f"Of the sentences about “{occupation}”, by weight and with 95 % intervals, {listed(parts)}."


def share_with_interval(share: float, interval: Interval) -> str:
    """Write a share of contexts, of 100, with its interval, finer where that is narrow: "93 % (81–98 %)"."""
    decimals = 0 if interval.high - interval.low > NARROW else 1
    low, high = (f"{100 * end:.{decimals}f}" for end in (interval.low, interval.high))
    exact = decimals == 0 or share in (0.0, 1.0)
    whole = of_hundred(share) if exact else f"{100 * share:.1f}"
    return f"{whole} % ({low}–{high} %)"


def leading_shares(
    report: RiskReport, occupation: str, preferences: Preferences
) -> tuple[dict[str, float], float]:
    """Return, by weight, the share of contexts in which each group comes first, and in which none does.

    Together they are 1; no shares where no context is known.
    """
    cells = preferences.values[preferences.occupations.index(occupation)]
    known = np.isfinite(cells).all(axis=-1)
    weights = np.where(known, report.template_weights, 0.0)
    if not weights.sum() > 0:
        return {}, 0.0
    weights, leaders = weights / weights.sum(), leading(cells)
    shares = {group: float(weights[leaders == i].sum()) for i, group in enumerate(preferences.groups)}
    return shares, float(weights[leaders == NONE].sum())


def _others(groups: Collection[str]) -> str:
    return count(len(groups), "other group")


def leading(values: FloatArray) -> NDArray[np.intp]:
    """Return the group with the largest of [..., group] values; ``NONE`` for a tie or an unknown value."""
    if values.shape[-1] == 1:
        return np.where(np.isfinite(values[..., 0]), 0, NONE)
    largest = np.partition(values, -2, axis=-1)
    clear = np.isfinite(values).all(axis=-1) & (largest[..., -1] - largest[..., -2] > TIE)
    return np.where(clear, values.argmax(axis=-1), NONE)


def _table(rows: Sequence[Mapping[str, float]], groups: Sequence[str]) -> FloatArray:
    """Return [occupation, group] in the order of the groups."""
    return np.array([[row[group] for group in groups] for row in rows], dtype=np.float64)


def _strongest(report: RiskReport, group: str) -> str:
    """Return the occupations that lean most to a group; empty where none does."""
    leans = sorted(report.occupations, key=lambda row: -row.stereotype[group])[:MOST_NAMES]
    names = [
        f"{row.occupation} ({two_decimals(row.stereotype[group])})"
        for row in leans
        if row.stereotype[group] > TIE
    ]
    return f"to {people(group)} for {listed(names)}" if names else ""


def of_hundred(share: float) -> str:
    """Write whole contexts of 100; 0 and 100 only where that is exact."""
    if share < 0.005:
        return "under 1"
    return "over 99" if 0.995 <= share < 1 - TIE else f"{round(100 * share)}"

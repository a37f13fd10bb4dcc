"""Sentences about occupations: which way they lean, and how that changes from sentence to sentence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval, RiskReport, StereotypeDistribution
from pcf_core.core.run import Preferences
from pcf_core.show.findings.numbers import (
    called,
    chance,
    count,
    listed,
    number,
    people,
    percent,
    percent_with_interval,
    signed_with_interval,
    two_decimals,
    words_of,
)

MOST_NAMES = 3
MOST_GROUPS = 8  # named in a sentence
TIE = 1e-9  # two values this close are a tie, so that rounding decides nothing
NONE = -1
NEARLY_ALL = 0.95  # of the sentences, by weight, from which on the sentence is not said to decide


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
    parts = [f"{people(group_high)}{relative} in {high:,} of {count(len(leaders), 'occupation')}"]
    parts += [f"{people(group_low)} in {low:,}"]
    parts += [f"another group in {others:,}"] if others else []
    parts += [f"none in {ties:,}"] if ties else []
    return f"{model} favours {listed(parts)}."


def strongest_finding(model: str, report: RiskReport, group_high: str, group_low: str) -> str:
    """Name the occupations with the strongest leans to each of two groups; empty where there is no lean."""
    sides = [side for group in (group_high, group_low) if (side := _strongest(report, group))]
    return " ".join(f"{'It' if place else model} leans most {side}." for place, side in enumerate(sides))


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
        return f"{model} favours no group in any of {count(len(leaders), 'occupation')}."
    named, others = ranked[:MOST_GROUPS], ranked[MOST_GROUPS:]
    parts = [
        f"{people(named[0])} in {counts[named[0]]:,} of {count(len(leaders), 'occupation')}",
        *(f"{people(group)} in {counts[group]:,}" for group in named[1:]),
        *([f"{_others(others)} in {sum(counts[group] for group in others):,}"] if others else []),
        *([f"none in {ties:,}"] if ties else []),
    ]
    absent = ""
    if len(never) > MOST_GROUPS:
        absent = f" It never favours the other {len(never):,} groups."
    elif never:
        absent = f" It never favours {listed([people(group) for group in never], 'or')}."
    return f"On average {model} favours {listed(parts)}.{absent}"


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
    weights = np.ones(len(preferences.templates))
    if template_weights is not None:
        weights = np.asarray(template_weights)
    values = np.where((weights > 0)[:, np.newaxis], preferences.values, np.nan)
    shares = values[..., preferences.groups.index(group)]
    if not np.isfinite(shares).any():
        return f"No probability of {model} is known yet."
    ends = []
    for place in (np.nanargmin(shares), np.nanargmax(shares)):
        row, column = divmod(int(place), shares.shape[1])
        prompt = preferences.templates[column].replace("[X]", preferences.occupations[row])
        ends.append(f"{chance(float(shares[row, column]))}, in “{prompt.replace('[Y]', '…').rstrip('.')}”")
    most = largest_shares(values, weights)
    changing = sum(share < NEARLY_ALL for share in most)
    return (
        f"{model} gives {words_of(group)} the least probability, {ends[0]}. It gives them the most, "
        f"{ends[1]}. In {changing:,} of {count(len(most), 'occupation')} the sentence decides which group "
        "it expects."
    )


def largest_shares(values: FloatArray, weights: ArrayLike) -> list[float]:
    """Return per occupation the share of sentences, by weight, of the group that comes first most often.

    ``values``: [occupation, template, group]; sentences in which none comes first do not count, and where
    none is left the share is 1.
    """
    leaders, weights = leading(values), np.asarray(weights, dtype=np.float64)
    by_group = np.stack([(leaders == i) @ weights for i in range(values.shape[-1])], axis=-1)
    whole = by_group.sum(axis=-1)
    shares: list[float] = np.divide(
        by_group.max(axis=-1), whole, out=np.ones(len(whole)), where=whole > 0
    ).tolist()
    return shares


def occupation_finding(
    report: RiskReport, occupation: str, preferences: Preferences, interval: Callable[[float], Interval]
) -> str:
    """Say in what share of contexts, by weight, each group comes first for one occupation; then the ranges.

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
    if not shares:
        return f"No sentence about “{called(occupation)}” is known yet."
    ranked = sorted((item for item in shares.items() if item[1] > 0), key=lambda item: -item[1])
    sides = [(people(group), share) for group, share in ranked[:MOST_GROUPS]]
    if others := dict(ranked[MOST_GROUPS:]):
        sides.append((_others(others), sum(others.values())))
    if none:
        sides.append(("none", none))
    (first, most), *rest = [(side, percent(share)) for side, share in sides]
    parts = [f"{most} lean to {first}", *(f"{share} to {side}" for side, share in rest)]
    found = [interval(share) for _, share in sides]
    ranges = listed([f"{100 * one.low:.0f} to {100 * one.high:.0f} %" for one in found])
    return (
        f"Of the sentences about “{called(occupation)}”, {listed(parts)}. With other sentences of this "
        f"kind it would be {ranges}."
    )


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
        f"{called(row.occupation)} ({two_decimals(row.stereotype[group])})"
        for row in leans
        if row.stereotype[group] > TIE
    ]
    return f"to {people(group)} for {listed(names)}" if names else ""


def striking_occupation(reports: Mapping[str, RiskReport]) -> str:
    """Return the occupation with the highest risk, on average over the models that have it.

    Of equals it is the first.
    """
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
    """Say which group each model prefers in what share of the contexts about one occupation, by weight.

    Parameters
    ----------
    reports
        Per model; they name the template weights, in the order of the preferences.
    preferences
        Per model, [occupation, template, group].
    occupation
        One that all models have.
    interval
        Of a model's share of contexts.
    """
    parts: list[str] = []
    for model, report in reports.items():
        shares, none = leading_shares(report, occupation, preferences[model])
        if not shares:
            continue
        group, share = max(shares.items(), key=lambda item: item[1])
        what = people(group) if share >= none else "no group"
        often = max(share, none)
        where = "of them" if parts else f"of the sentences about “{called(occupation)}”"
        parts.append(
            f"{model} expects {what} in {percent_with_interval(often, interval(model, often))} {where}."
        )
    return " ".join(parts) or f"No sentence about “{called(occupation)}” is known yet."


def distribution_finding(
    model: str, one: StereotypeDistribution, threshold: float, above: Interval, strong: Interval
) -> str:
    """State mean and spread of a stereotype, how often it is above 0 and above τ, and its Jensen gap.

    Parameters
    ----------
    model
        Its name.
    one
        The distribution of one group's stereotype.
    threshold
        τ.
    above
        Interval of the share of contexts with a stereotype above 0.
    strong
        That of those above τ.
    """
    often = percent_with_interval(one.share_above(0.0), above)
    strongly = percent_with_interval(one.share_above(threshold), strong)
    also = "" if threshold == 0 else f" and above {number(threshold)} in {strongly}"
    gap = "without any caprice" if one.jensen_gap == 0 else f"{two_decimals(one.jensen_gap)} of it caprice"
    mean = signed_with_interval(one.mean, one.mean_interval)
    return (
        f"Over {count(len(one.values), 'sentence')} about “{called(one.occupation)}”, the stereotype of "
        f"{model} towards {people(one.group)} has a mean of {mean}. Its standard deviation is "
        f"{two_decimals(one.sd)}. It is above 0 in {often} of the sentences{also}. The risk of this "
        f"occupation is {two_decimals(one.overall_risk)}, {gap}."
    )

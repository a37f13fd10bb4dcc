"""Sentences about the contexts of one occupation: who is preferred in how many, how it is spread."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pcf_core.core.risk import Interval, RiskReport, StereotypeDistribution
from pcf_core.core.run import Preferences
from pcf_core.show.findings.numbers import count, listed, number, people, signed_two, two_decimals
from pcf_core.show.findings.occupations import leading_shares, share_with_interval


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
    """Say which group each model prefers in what share of the contexts about one occupation.

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
    parts, said = [], ""
    for model, report in reports.items():
        shares, none = leading_shares(report, occupation, preferences[model])
        if not shares:
            continue
        group, share = max(shares.items(), key=lambda item: item[1])
        what = people(group) if share >= none else "no group"
        often = max(share, none)
        how_often = share_with_interval(often, interval(model, often))
        parts.append(f"{model} in {how_often}" if what == said else f"{model} expects {what} in {how_often}")
        said = what
    if not parts:
        return f"No context about “{occupation}” is known yet."
    return f"Of the sentences about “{occupation}”, by weight and with 95 % intervals, {listed(parts)}."


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
    often = share_with_interval(one.share_above(0.0), above)
    strongly = share_with_interval(one.share_above(threshold), strong)
    also = "" if threshold == 0 else f" and above {number(threshold)} in {strongly}"
    shares = f"it is above 0 in {often}{also} of them"
    gap = "without any caprice" if one.jensen_gap == 0 else f"{two_decimals(one.jensen_gap)} of it caprice"
    mean, ends = signed_two(one.mean), one.mean_interval
    if ends is not None:
        mean += f" ({signed_two(ends.low)} to {signed_two(ends.high)})"
    return (
        f"{model}: over {count(len(one.values), 'sentence')} about “{one.occupation}” the stereotype towards "
        f"{people(one.group)} has the mean {mean} and the standard deviation {one.sd:.2f}; "
        f"{shares}. The risk of this occupation is {two_decimals(one.overall_risk)}, "
        f"{gap}."
    )

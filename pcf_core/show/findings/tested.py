"""What only reports say: what was tested, examples, how to read a risk, and what an order depends on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pcf_core.core.risk import RiskReport
from pcf_core.core.run import Preferences
from pcf_core.show.compare import Standing
from pcf_core.show.findings.notes import left_out_note
from pcf_core.show.findings.numbers import count, people
from pcf_core.show.findings.occupations import leading as leading_groups
from pcf_core.show.names import worded
from pcf_core.show.overview import leading, trailing
from pcf_core.show.wording import sentences

if TYPE_CHECKING:
    import pandas as pd

MOST_BESIDE = 2  # models side by side in a table

say = sentences("tested")


def tested_finding(models: Sequence[str], topic: str, occupations: str, contexts: str, cells: int) -> str:
    """Say which models were tested on which topic, with how many sentences."""
    return say("tested", models=models, topic=topic, occupations=occupations, contexts=contexts, cells=cells)


def precision_note(effective: str) -> str:
    """State the number of equally common sentences with the same precision."""
    return say("precision", effective=effective)


def source_note(source: str) -> str:
    """Say where the sentences come from, "" if unknown."""
    return say("source", source=source.rstrip(".")) if source else ""


def order_note(*, rotated: bool) -> str:
    """Say whether sentences that name all groups rotate their order."""
    return say("order", rotated=rotated)


def example_note(
    groups: Sequence[str], sentence: str, shares: Mapping[str, Mapping[str, float]], *, decides: bool = False
) -> str:
    """Say what is compared, with an example sentence and each group's share, or rate, by model."""
    parts = [
        say("shares", model=model, shares=sorted(of_groups.items(), key=lambda item: -item[1]))
        for model, of_groups in shares.items()
    ]
    return say("example", groups=groups, sentence=sentence, parts=parts, decides=decides)


def all_left_out(reports: Iterable[RiskReport]) -> str:
    """Name what any report leaves out, or say that nothing is."""
    items = dict.fromkeys(item for report in reports for item in report.left_out)
    return left_out_note(list(items)) or say("nothing_left_out")


def full_audit_note() -> str:
    """Say where every word, sentence and occupation is listed."""
    return say("full_audit")


def risk_reading(groups: int, *, against_even: bool, to_one: bool, decides: bool = False) -> str:
    """Explain risk and its two parts, in Markdown with ``**`` alone."""
    return say("reading", groups=groups, against_even=against_even, to_one=to_one, decides=decides)


def risk_example(model: str, shares: Mapping[str, float], *, decides: bool = False) -> str:
    """Say as what risk the shares of one sentence count, on the scale that ends at 1, from an even split.

    If the model decides about people, they are rates of favourable answers, and their range counts.
    """
    if decides:
        return say("rates_differ", model=model, high=max(shares.values()), low=min(shares.values()))
    group = max(shares, key=lambda name: shares[name])
    even = 1 / len(shares)
    risk = (shares[group] - even) / (1 - even)
    return say("counts_as", model=model, group=group, share=shares[group], even=even, risk=risk)


def parts_example(model: str, report: RiskReport, preferences: Preferences) -> str:
    """Give an example of prejudice and one of caprice.

    Prejudice: the occupation with the same group in most sentences.  Caprice: the largest, if any.
    ``preferences``: [occupation, template, group], NaN if unknown.
    """
    sides = {row.occupation: _preferred(preferences, row.occupation) for row in report.occupations}
    prejudiced = [row for row in report.occupations if sides[row.occupation] and row.prejudice_risk > 0]
    changing = max(report.occupations, key=lambda row: row.caprice_risk)
    parts = []
    if prejudiced:
        fixed = max(prejudiced, key=lambda row: (sides[row.occupation][0][1], row.prejudice_risk)).occupation
        group, number = sides[fixed][0]
        cells = len(preferences.templates)
        parts.append(say("fixed", model=model, occupation=fixed, group=group, number=number, contexts=cells))
    if changing.caprice_risk > 0 and sides[changing.occupation]:
        named, others = sides[changing.occupation][:2], sum(one for _, one in sides[changing.occupation][2:])
        parts.append(say("changing", model=model, occupation=changing.occupation, sides=named, others=others))
    return " ".join(parts)


def _preferred(preferences: Preferences, occupation: str) -> list[tuple[str, int]]:
    """Count the sentences about an occupation in which each group comes first, most frequent first."""
    leaders = leading_groups(preferences.values[preferences.occupations.index(occupation)])
    counted = [(group, int(np.sum(leaders == index))) for index, group in enumerate(preferences.groups)]
    return sorted((item for item in counted if item[1]), key=lambda item: -item[1])


def margin_note(margin: float, results: Iterable[str]) -> str:
    """State the difference of risks that is too small to matter, "" if no result is that it is."""
    return say("margin", margin=margin) if say("verdict", outcome="small") in results else ""


def yardsticks_table(here: Standing, elsewhere: Mapping[str, Standing]) -> pd.DataFrame:
    """Make a table of two models (first minus second) on every measure and in other sentences, unrounded."""
    import pandas as pd

    measured = {say("measured_from", name="even" if here.against_even else "labour"): here}
    for name, one in here.scales.differences.items():
        if one is not None:
            measured[say("measured_from", name=name)] = Standing.of_risk(here.names, one, (False, False))
    return pd.DataFrame([_yardstick(name, one) for name, one in {**measured, **elsewhere}.items()])


def _yardstick(name: str, one: Standing) -> dict[str, object]:
    figures = {
        one.names[0]: one.first,
        one.names[1]: one.second,
        "first − second": one.first - one.second,
        "95 % range from": one.interval.low if one.interval else None,
        "to": one.interval.high if one.interval else None,
    }
    shown = dict.fromkeys(figures) if one.little else figures
    return {"measure or sentences": name, **shown, "result": say("verdict", outcome=one.outcome)}


def groups_table(reports: Mapping[str, RiskReport]) -> pd.DataFrame:
    """Make a table of all groups: mean share, and occupations in which each is first and last."""
    import pandas as pd

    rows = [
        {"model": model, "group": people(group), **figures}
        for model, report in reports.items()
        for group, figures in _by_group(report).items()
    ]
    frame = pd.DataFrame(rows)
    if len(reports) > MOST_BESIDE:
        return frame
    models = {model: part.drop(columns="model").set_index("group") for model, part in frame.groupby("model")}
    named = [models[name].add_prefix(f"{name}: " if len(reports) > 1 else "") for name in reports]
    return pd.concat(named, axis=1).reset_index()


def _by_group(report: RiskReport) -> dict[str, dict[str, object]]:
    occupations, first, last = len(report.occupations), leading(report), trailing(report)
    shares = {
        group: sum(row.weight * row.preferences[group] for row in report.occupations)
        for group in report.groups
    }
    return {
        group: {
            "mean share": shares[group],
            worded(f"preferred in, of {count(occupations)}"): first[group],
            f"last in, of {count(occupations)}": last[group],
        }
        for group in sorted(shares, key=lambda name: -shares[name])
    }


def check_note(results: int, checked: Collection[str] = ()) -> str:
    """Say how somebody else gets the same numbers; ``checked``: what every model's self-audit describes."""
    return say("check", results=results, checked=checked)

"""The page Tilt: one occupation over its sentences, the groups' panels, further rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from pcf_core.app.caching import once
from pcf_core.app.choice import choose_group
from pcf_core.app.data import Loaded
from pcf_core.app.page import draw_table, finding, picture
from pcf_core.app.why.read import Unread, read_of, text_row
from pcf_core.app.widgets import plain
from pcf_core.core.risk import MeanTilt, RiskReport, StereotypeDistribution
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.distribution import ends, share_interval, stereotype_distributions
from pcf_core.report.sections.tilt import MOST_PANELS, even_stereotypes, opening_of, unit_in
from pcf_core.show.charts.tilt import stereotype_histogram, stereotype_steps
from pcf_core.show.findings.numbers import called
from pcf_core.show.findings.occupations import distribution_finding
from pcf_core.show.findings.why import read_finding, read_intervals_note, read_occupation_finding

HOW = """
Common sentences count more, by their weight. **First picture**: the stereotype in each sentence, in bins of
0.05. Above the bars the filled mark is the mean with its range over sentences, the hollow mark the risk, the
mean of J over the sentences. The line between them is the **Jensen gap**, the caprice of this occupation,
which is above 0 if some sentences prefer another group. **Second picture**: the share of sentences up to each
value. The dotted line is τ.
"""
Distributions = dict[str, tuple[StereotypeDistribution, ...]]


def opening(loaded: Loaded, reports: Mapping[str, RiskReport], occupation: str = "") -> str:
    """Return the sentence of :func:`pcf_core.report.sections.tilt.opening_of`, cached."""
    return once(opening_of)(loaded.runs, reports, loaded.options, occupation)


def draw_distribution(
    loaded: Loaded,
    reports: Mapping[str, RiskReport],
    tilts: Mapping[str, Mapping[str, MeanTilt]],
    occupation: str,
) -> None:
    """Draw one occupation over its sentences: findings, two pictures, numbers, the extreme sentences."""
    groups = loaded.groups
    st.subheader(f"The sentences about “{plain(called(occupation))}”")
    threshold = st.slider(
        "Threshold τ",
        -0.95,
        0.95,
        0.5,
        0.05,
        key="threshold",
        bind="query-params",
        help="From this value on a stereotype counts as strong; the share of sentences above τ is shown.",
    )
    several = len(groups) > 2
    by_model = loaded.remember(_distributions_of, reports, tilts, occupation)
    drawn = _panels(by_model) if several else groups[:1]
    shown = {name: tuple(one for one in ones if one.group in drawn) for name, ones in by_model.items()}
    finding(*distribution_sentences(by_model, threshold))
    other = "" if several else groups[1]
    left, right = st.columns(2)
    with left:
        alt = f"Histogram of the stereotype over the sentences about {occupation}"
        make = partial(stereotype_histogram, shown, other=other, threshold=threshold)
        title = f"Stereotype of {called(occupation)} in each sentence"
        picture(make, "stereotype_histogram", alt, title=title, source=loaded.source)
    with right:
        alt = f"Cumulative share of the sentences about {occupation} by their stereotype"
        make = partial(stereotype_steps, shown, other=other, threshold=threshold)
        title = f"Stereotype of {called(occupation)}, summed up"  # as long as the other beside it
        picture(make, "stereotype_steps", alt, title=title, source=loaded.source)
    if several and len(drawn) < len(groups):
        st.caption(
            f"{len(drawn):,} of {len(groups):,} groups have a panel: those that a model prefers, or comes "
            "closest to preferring. *Numbers* has all."
        )
    _draw_numbers(by_model, threshold)


def _panels(distributions: Distributions) -> tuple[str, ...]:
    """Choose the groups with a panel: those that lead, then those with the highest mean."""
    groups = [one.group for one in next(iter(distributions.values()))]
    ranks = {
        group: max((ones[index].leads, ones[index].mean) for ones in distributions.values())
        for index, group in enumerate(groups)
    }
    drawn = sorted(groups, key=lambda group: ranks[group], reverse=True)[:MOST_PANELS]
    return tuple(group for group in groups if group in drawn)


def distribution_sentences(distributions: Distributions, threshold: float) -> list[str]:
    """Write a sentence per model about the group that it prefers on average."""
    lines = []
    for model, several in distributions.items():
        one = next((one for one in several if one.leads), several[0])
        intervals = [share_interval(one.share_above(limit), one.effective) for limit in (0.0, threshold)]
        lines.append(distribution_finding(model, one, threshold, *intervals))
    return lines


def _draw_numbers(distributions: Distributions, threshold: float) -> None:
    first = next(iter(distributions.values()))
    how, numbers, contexts = st.tabs(["How to read it", "Numbers", "Sentences at the ends"])
    how.markdown(HOW)
    with numbers:
        draw_table(_distribution_table(distributions, threshold), "distribution")
    with contexts:
        group, low = first[0].group, f"most {first[1].group}"
        if len(first) > 2:
            group = choose_group([one.group for one in first], "Whose stereotype sorts the sentences.")
            low = f"least {group}"
        st.caption("The most common sentences in the lowest and the highest tenth of the distribution.")
        draw_table(_ends_table(distributions, group, low, f"most {group}"), "contexts")


def _distributions_of(
    loaded: Loaded,
    reports: Mapping[str, RiskReport],
    tilts: Mapping[str, Mapping[str, MeanTilt]],
    occupation: str,
) -> Distributions:
    criterion = Criterion.parse(loaded.options.criterion)
    by_model = {}
    for name, item in loaded.runs.items():
        report = reports[name]
        by_model[name] = stereotype_distributions(
            even_stereotypes(item, [occupation])[0],
            unit_in(item, report, loaded.options),
            criterion,
            occupation=occupation,
            groups=report.groups,
            templates=report.templates,
            intervals=[tilts[name][group].interval(occupation) for group in report.groups],
        )
    return by_model


def _distribution_table(distributions: Distributions, threshold: float) -> pd.DataFrame:
    rows = []
    for model, several in distributions.items():
        for one in several:
            row: dict[str, object] = {
                "model": model,
                "group": one.group,
                "mean": one.mean,
                "mean_low": one.mean_interval.low,
                "mean_high": one.mean_interval.high,
                "stereotype_sd": one.sd,
            }
            for name, limit in (("above_0", 0.0), ("above_threshold", threshold)):
                share = one.share_above(limit)
                interval = share_interval(share, one.effective)
                row |= {name: share, f"{name}_low": interval.low, f"{name}_high": interval.high}
            row |= {
                "threshold": threshold,
                "overall_risk": one.overall_risk,
                "prejudice_risk": one.prejudice_risk,
                "caprice_risk": one.jensen_gap,
            }
            rows.append(row)
    return pd.DataFrame(rows)


def _ends_table(distributions: Distributions, group: str, low: str, high: str) -> pd.DataFrame:
    """Make a table of one group's heaviest sentences at each end, called ``low`` and ``high``."""
    rows = []
    for model, several in distributions.items():
        one = next(one for one in several if one.group == group)
        for end, contexts in zip((low, high), ends(one), strict=True):
            rows += [
                {
                    "model": model,
                    "end": end,
                    "context": context.template,
                    "weight": context.weight,
                    "stereotype": context.stereotype,
                }
                for context in contexts
            ]
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class Beside:
    """Rows beside the tilts: whether there is the ``labour`` force, and the ``text`` lean if known.

    ``sentences``: comparison with that text; ``note``: what it is, or why it is missing.
    """

    labour: bool = False
    text: Mapping[str, float] | None = None
    sentences: tuple[str, ...] = ()
    note: str = ""


def draw_beside(loaded: Loaded, chosen: str) -> Beside:
    """Draw the toggles of further rows for two groups; ``chosen``: an occupation with more details."""
    if loaded.first.run.topic.decides:  # nobody holds these jobs, and no text was counted
        return Beside()
    labour = st.toggle(
        "Labour force",
        True,
        key="labour",
        bind="query-params",
        help="The shares of women and men among the people employed, US 2021, as a separate row.",
    )
    read = read_of(loaded)
    if isinstance(read, Unread):
        return Beside(labour, note=read.problem)
    wanted = st.toggle(
        "What it read",
        True,
        key="read",
        bind="query-params",
        help="The training text of the shipped models as a separate row: biographies that name the "
        "occupation in their first sentences, by the more frequent pronoun.",
    )
    if not wanted:
        return Beside(labour)
    return Beside(
        labour,
        text_row(loaded, read, loaded.groups[0]),
        (
            *(read_finding(name, amplification) for name, amplification in read.compared.items()),
            *([read_occupation_finding(chosen, read.compared)] if chosen else []),
        ),
        f"{read.note} {read_intervals_note(read.compared)}",
    )

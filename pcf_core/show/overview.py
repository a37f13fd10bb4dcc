"""The answers of Overview, Tilt and Heat map: each model's risk, parts and range, and whom it prefers."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from pcf_core.audit.comparing import MOST_LETTERED
from pcf_core.core.risk import Over, RiskReport
from pcf_core.core.run import ModelKind, Preferences
from pcf_core.show.charts.theme import CAPRICE, PREJUDICE
from pcf_core.show.findings.decisions import favours_somebody
from pcf_core.show.findings.models import shown_interval
from pcf_core.show.findings.numbers import two_decimals
from pcf_core.show.findings.occupations import NEARLY_ALL, TIE, largest_shares
from pcf_core.show.names import worded
from pcf_core.show.wording import sentences

if TYPE_CHECKING:
    import pandas as pd

KINDS: Mapping[ModelKind, str] = {
    "public": "public models",
    "teaching": "teaching models",
    "planted": "calibration",
    "own": "your own",
    "imported": "imported",
}
MOST_NAMED = 3  # occupations or models in a sentence
MOST_OF_THEM = 0.75  # of the occupations, called most of them
TRACK = "#DDDDDD"  # opaque, so that the line over the range is visible on a dark page
WIDTH, HEIGHT = 180, 28  # of a bar, in pixels, before the table scales it

say = sentences("overview")


@dataclass(frozen=True)
class ModelRow:
    """A model in the table of models, named with its precision if not float32.

    ``low``, ``high``: range of ``overall``.  ``leading``: occupations that each group leads by mean
    preference; a tie counts for none.  ``says_little``: the figures are unreliable.  ``letters``: two rows
    share one exactly if nothing says which risk is higher; "" if not tested.  ``beyond_chance``: whether
    rates of two groups differ, of decisions.
    """

    model: str
    kind: ModelKind
    overall: float
    prejudice: float
    caprice: float
    low: float | None
    high: float | None
    leading: Mapping[str, int]
    occupations: int
    says_little: bool = False
    letters: str = ""
    beyond_chance: bool = True

    @classmethod
    def of(
        cls, model: str, report: RiskReport, kind: ModelKind = "own", over: Over = "templates"
    ) -> ModelRow:
        """Make the row of a report, with its range over ``over``, else over templates."""
        interval = shown_interval(report, "overall_risk", over)
        return cls(
            model=model,
            kind=kind,
            overall=report.overall_risk,
            prejudice=report.prejudice_risk,
            caprice=report.caprice_risk,
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            leading=leading(report),
            occupations=len(report.occupations),
            says_little=report.says_little,
            beyond_chance=report.decisions is None or favours_somebody(report.decisions),
        )

    @property
    def favoured(self) -> str:
        """The group that leads most occupations, "" if there is none."""
        group = self.ranked[0]
        return group if self.leading[group] >= MOST_OF_THEM * self.occupations else ""

    @property
    def ranked(self) -> list[str]:
        """The groups by number of occupations that they lead."""
        return sorted(self.leading, key=lambda group: -self.leading[group])

    @property
    def undecided(self) -> bool:
        """Whether no group leads any occupation."""
        return not any(self.leading.values())

    @property
    def range(self) -> str:
        """The range of R as text, "" if there is none."""
        if self.says_little or self.low is None or self.high is None:
            return ""
        return say("low_to_high", low=self.low, high=self.high)


def leading(report: RiskReport) -> dict[str, int]:
    """Count the occupations that each group leads by mean preference, in the order of the groups."""
    return _alone_at(report, max)


def trailing(report: RiskReport) -> dict[str, int]:
    """Count the occupations in which each group comes last by mean preference, without ties."""
    return _alone_at(report, min)


def _alone_at(report: RiskReport, end: Callable[[Iterable[float]], float]) -> dict[str, int]:
    """Count the occupations in which a group alone has the largest or smallest mean preference."""
    alone: Counter[str] = Counter()
    for occupation in report.occupations:
        value = end(occupation.preferences.values())
        groups = [group for group, share in occupation.preferences.items() if share == value]
        alone.update(groups if len(groups) == 1 else [])
    return {group: alone[group] for group in report.groups}


def overview_answer(rows: Sequence[ModelRow]) -> str:
    """Say whom each of the first two reliable models prefers, and in how many occupations."""
    named = answering(rows)
    if not named:
        return ""
    both = len(named) > 1 and named[0].favoured == named[1].favoured and _led(named[0]) == _led(named[1])
    return say("answer", rows=named, both=both, all_favour=all(row.favoured for row in named))


def risk_answer(rows: Sequence[ModelRow]) -> str:
    """State the risk of the first two reliable models and its parts, the second one briefly."""
    return " ".join(say("risk", row=row, briefly=index > 0) for index, row in enumerate(answering(rows)))


def answering(rows: Sequence[ModelRow]) -> list[ModelRow]:
    """Return the first two reliable rows, which an answer names."""
    return [row for row in rows if not row.says_little][:2]


def lean_sentence(model: str, report: RiskReport) -> str:
    """Name the occupations in which a model prefers each group most, of those that the group leads."""
    if report.says_little:
        return ""
    led: dict[str, list[str]] = {}
    for group in report.groups:
        rows = [row for row in report.occupations if row.stereotype[group] == max(row.stereotype.values())]
        ranked = sorted(rows, key=lambda row: -row.stereotype[group])
        if names := [row.occupation for row in ranked if row.stereotype[group] > TIE]:
            led[group] = names
    first, *others = sorted(led.items(), key=lambda item: -len(item[1])) or [("", [])]
    if not first[0]:
        return ""
    parts = [say("expects", model=model, again=False, group=first[0], names=first[1][:MOST_NAMED])]
    if 0 < sum(len(names) for _, names in others) <= MOST_NAMED:
        parts.append(say("exceptions", others=others, one=sum(len(names) for _, names in others) == 1))
    else:
        parts += [
            say("expects", model=model, again=True, group=group, names=names[:MOST_NAMED])
            for group, names in others
        ]
    return " ".join(parts)


def _led(row: ModelRow) -> Mapping[str, int] | int:
    return row.leading[row.favoured] if row.favoured else row.leading


def bar_legend() -> str:
    """Explain the picture of :func:`bar`."""
    return say("bar_legend")


def by_risk(rows: Sequence[ModelRow]) -> list[ModelRow]:
    """Sort rows, lowest risk first, unreliable ones last."""
    return sorted(rows, key=lambda row: (row.says_little, row.overall))


def not_chosen_text(more: int) -> str:
    """Count the models of the table that the answer does not mention."""
    return say("not_chosen", more=more) if more else ""


def tied_with(model: str, letters: Mapping[str, str]) -> list[str]:
    """Name the other models that share a letter with this one, in the order of ``letters``."""
    own = set(letters.get(model, "").split())
    return [one for one, others in letters.items() if one != model and own & set(others.split())]


def _ties(row: ModelRow, rows: Sequence[ModelRow]) -> list[str]:
    return tied_with(row.model, {one.model: one.letters for one in rows})


def ties_text(rows: Sequence[ModelRow]) -> str:
    """Explain ties in the table, or say that there are none; "" if nothing was tested."""
    tested = [row for row in rows if row.letters]
    if not tested:
        several = sum(not row.says_little for row in rows) > MOST_LETTERED
        return say("too_many", most=MOST_LETTERED) if several else ""
    if any(_ties(row, tested) for row in tested):
        return say("tie_is")
    return say("no_ties", models=[row.model for row in tested], most=MOST_NAMED)


def tied_text(row: ModelRow, rows: Sequence[ModelRow]) -> str:
    """Name, for a card, the models with which one ties."""
    others = _ties(row, rows)
    return say("ties_with", others=others, most=MOST_NAMED) if others else ""


def models_table(rows: Sequence[ModelRow]) -> pd.DataFrame:
    """Make the table of models (at least one); ``bar``: a picture; ``ties``: letters that two share."""
    import pandas as pd

    groups = list(rows[0].leading)
    title = say("first_title", groups=groups)
    times = Counter(letter for row in rows for letter in row.letters.split())
    shared = [" ".join(one for one in row.letters.split() if times[one] > 1) for row in rows]
    return pd.DataFrame(
        [
            {
                "model": row.model,
                "bar": bar(row),
                "risk": "" if row.says_little else two_decimals(row.overall),
                **({"ties": letters} if any(shared) else {}),
                "favours": whom_preferred(row),
                title: "" if row.says_little else say("firsts", row=row, groups=groups),
                "range": "" if row.says_little else row.range,
                "kind": KINDS[row.kind].removesuffix(" models"),
            }
            for row, letters in zip(rows, shared, strict=True)
        ]
    )


def figures_table(rows: Sequence[ModelRow]) -> pd.DataFrame:
    """Make the table of a report: one row per model, unrounded, without unreliable numbers."""
    import pandas as pd

    groups = list(rows[0].leading)
    return pd.DataFrame(
        [
            {
                "model": row.model,
                **{
                    name: None if row.says_little else value
                    for name, value in (
                        ("risk", row.overall),
                        ("95 % range from", row.low),
                        ("to", row.high),
                        ("prejudice", row.prejudice),
                        ("caprice", row.caprice),
                    )
                },
                worded("prefers"): whom_preferred(row),
                **_firsts(row, groups),
            }
            for row in rows
        ]
    )


def _firsts(row: ModelRow, groups: Sequence[str]) -> dict[str, int | None]:
    """Return how many occupations each of two groups leads, of more only the largest number."""
    leading = {group: None if row.says_little else number for group, number in row.leading.items()}
    if len(groups) == 2:
        return {say("preferred_in", group=group): leading[group] for group in groups}
    most = None if row.says_little else max(row.leading.values())
    return {worded("preferred in"): most, "of occupations": row.occupations}


def board_finding(results: int, models: int, topics: int, missing: int) -> str:
    """Count the results of the board, and those that have no row yet."""
    return say("board", results=results, models=models, topics=topics, missing=missing)


def whom_preferred(row: ModelRow) -> str:
    """Name the group that a model prefers, or say that there is none."""
    return say("whom", row=row)


def card_text(row: ModelRow) -> str:
    """Write a model's table row for a card."""
    return say("card", row=row)


def example_sentence(text: str, shares: Mapping[str, Mapping[str, float]]) -> str:
    """Say whom each model expects: "“The nurse said that …” mini-gpt: women 89 %, men 11 %.".

    ``text``: with … for the gap; ``shares``: each group's probability, by model.
    """
    parts = [
        say("expected", model=model, shares=sorted(of_groups.items(), key=lambda pair: -pair[1])[:2])
        for model, of_groups in shares.items()
    ]
    return say("example", sentence=text, told=" ".join(parts))


def copies_text(quantizations: Mapping[str, str]) -> str:
    """Say which models are compressed copies, and how; ``quantizations``: by name, "" if original."""
    copies = [f"{name} ({how})" for name, how in quantizations.items() if how]
    return say("copies", copies=copies) if copies else ""


def adapters_text(bases: Mapping[str, str]) -> str:
    """Say which models are a base with an adapter; ``bases``: by name, "" for others."""
    adapters = [f"{base} + {name}" for name, base in bases.items() if base]
    return say("adapters", adapters=adapters) if adapters else ""


def without_chat_text(models: Sequence[str]) -> str:
    """Say which of the models were scored without the chat in which people use them; "" for none."""
    return say("without_chat", models=models) if models else ""


def numbers_table(rows: Sequence[ModelRow]) -> pd.DataFrame:
    """Make the table in long form: every number in full, reliable or not."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "model": row.model,
                "kind": row.kind,
                "reliable": not row.says_little,
                "overall_risk": row.overall,
                "low": row.low,
                "high": row.high,
                "prejudice_risk": row.prejudice,
                "caprice_risk": row.caprice,
                "occupations": row.occupations,
                **{f"{group}_first": count for group, count in row.leading.items()},
            }
            for row in rows
        ]
    )


def bar(row: ModelRow) -> str:
    """Draw risk from 0 to 1 as an SVG data address: prejudice, hatched caprice, and the range."""
    if row.says_little:
        return _picture([f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{TRACK}"/>'])
    split, end = WIDTH * min(row.prejudice, 1.0), WIDTH * min(row.overall, 1.0)
    parts = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{TRACK}"/>',
        f'<rect width="{split:.1f}" height="{HEIGHT}" fill="{PREJUDICE}"/>',
        '<defs><pattern id="c" width="5" height="5" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate(45)"><rect width="5" height="5" fill="{CAPRICE}"/>'
        '<rect width="2" height="5" fill="#FFFFFF"/></pattern></defs>',
        f'<rect x="{split:.1f}" width="{end - split:.1f}" height="{HEIGHT}" fill="url(#c)"/>',
    ]
    if row.low is not None and row.high is not None:
        low, high, middle = WIDTH * max(row.low, 0), WIDTH * min(row.high, 1), HEIGHT / 2
        path = f"M{low:.1f} 5V{HEIGHT - 5}M{low:.1f} {middle}H{high:.1f}M{high:.1f} 5V{HEIGHT - 5}"
        parts += [
            f'<path d="{path}" stroke="{colour}" stroke-width="{width}" fill="none"/>'
            for colour, width in (("#FFFFFF", 4), ("#222222", 1.6))
        ]
    return _picture(parts)


def _picture(parts: Sequence[str]) -> str:
    drawn = "".join(parts)
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" width="{WIDTH}" height="{HEIGHT}"'
    picture = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{drawn}</svg>'
    return f"data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}"


def farthest_answer(reports: Mapping[str, RiskReport]) -> str:
    """Say which occupation of the first two reliable models is farthest from even, and towards whom."""
    parts = []
    telling = [(model, report) for model, report in reports.items() if not report.says_little]
    for model, report in telling[:2]:
        lean, group, occupation = max(
            (tilt, group, row.occupation)
            for row in report.occupations
            for group, tilt in row.stereotype.items()
        )
        if lean > 0:
            parts.append(say("farthest", model=model, group=group, occupation=occupation))
    return say("each_farthest", told=parts) if parts else ""


def heat_map_answer(model: str, preferences: Preferences, template_weights: ArrayLike) -> str:
    """Say in how many occupations a model prefers the same group in (nearly) every sentence.

    ``preferences``: [occupation, template, group], NaN if unknown; ``template_weights``: [template].
    """
    shares = largest_shares(preferences.values, template_weights)
    same = [share for share in shares if share >= NEARLY_ALL]
    every = all(share == 1 for share in same)
    return say("same_group", model=model, same=len(same), occupations=len(shares), every=every)

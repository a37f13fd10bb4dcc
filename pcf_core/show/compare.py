"""Two models in sentences: which is closer to even, whom each prefers, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from typing import TYPE_CHECKING, Literal

from pcf_core.audit.baseline import OtherScales
from pcf_core.audit.comparing import OtherSentences
from pcf_core.core.risk import (
    SIGNIFICANCE,
    Comparison,
    Difference,
    Interval,
    NeutralComparison,
    RiskReport,
    Verdict,
)
from pcf_core.core.run import Preferences
from pcf_core.show.findings.comparison import detectable_sentence, difference_text, verdict_text
from pcf_core.show.findings.numbers import (
    RISK_NAMES,
    begun,
    called,
    includes,
    mirrored,
    p_value,
    people,
    percent,
    signed,
    two_decimals,
    with_interval,
)
from pcf_core.show.names import slot_title, worded
from pcf_core.show.overview import MOST_OF_THEM, leading, trailing
from pcf_core.show.wording import sentences

if TYPE_CHECKING:
    import pandas as pd

Sort = Literal["gap", "A–Z", "most stereotyped"]
SORTS: tuple[Sort, ...] = ("gap", "A–Z", "most stereotyped")
NEAR_EVEN = 0.2  # of a tilt: 60 to 40
EXAMPLES = 2
MOST_SETS = 3  # named with one answer

say = sentences("compare")


@dataclass(frozen=True)
class Standing:
    """Which of two models has the lower risk.

    ``verdict``: whose risk is higher, by the paired test (``p_value``) and the ``interval`` of ``first`` −
    ``second``.  ``ordered``: the difference is large enough to matter.  ``scales``: both by other
    measures.  ``against_even``: risks are against an even split; ``to_one``: they end at 1.
    ``all_named``: every sentence has a word of every group.  ``little``: models with unreliable figures, so
    that there is no answer.  ``detectable``: the difference that would probably have been shown, if none was.
    ``slots``: the model with the lower risk in each slot where the test shows an order.
    """

    names: tuple[str, str]
    first: float
    second: float
    verdict: Verdict
    ordered: bool
    p_value: float = 1.0
    scales: OtherScales = field(default_factory=OtherScales)
    against_even: bool = True
    to_one: bool = True
    all_named: bool = False
    little: tuple[str, ...] = ()
    interval: Interval | None = None
    detectable: float | None = None
    slots: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_risk(cls, names: tuple[str, str], difference: Difference, little: Sequence[bool]) -> Standing:
        """Make the record of two risks' difference; ``little``: whether either is unreliable."""
        unsure = tuple(name for name, is_little in zip(names, little, strict=True) if is_little)
        return cls(
            names,
            difference.first,
            difference.second,
            difference.verdict,
            difference.ordered,
            difference.controlled_p,
            little=unsure,
            interval=difference.basis or difference.interval(),
            detectable=difference.detectable,
        )

    @classmethod
    def of_other(cls, names: tuple[str, str], other: OtherSentences) -> Standing:
        """Make the record of two models in other sentences."""
        slots = {slot: names[one.verdict == "first"] for slot, one in other.slots.items() if one.ordered}
        return replace(cls.of_risk(names, other.risk, other.little), slots=slots)

    @property
    def turned(self) -> dict[str, list[str]]:
        """The kinds of words with which each model is closer, if the order turns round between them."""
        by_model: dict[str, list[str]] = {}
        for slot, model in self.slots.items():
            by_model.setdefault(model, []).append(slot_title(slot))
        return by_model if len(by_model) > 1 and not self.little else {}

    @property
    def distance(self) -> float:
        """The distance between the risks."""
        return abs(self.first - self.second)

    @property
    def range(self) -> Interval | None:
        """The range of the higher risk minus the lower one."""
        return mirrored(self.interval) if self.interval and self.first < self.second else self.interval

    @property
    def differs(self) -> bool:
        """Whether the two differ, however little."""
        return self.verdict in ("first", "second")

    @property
    def lower(self) -> str:
        """The model with the lower risk, "" if neither is."""
        if self.little or not self.ordered:
            return ""
        return self.names[self.verdict == "first"]

    @property
    def outcome(self) -> str:
        """The answer: the model with the lower risk, else why none is named."""
        if self.little:
            return "little"
        if self.ordered:
            return self.lower
        return "small" if self.differs else "equal" if self.verdict == "equal" else "unclear"

    @property
    def higher(self) -> str:
        """The other model if :attr:`lower` names one."""
        return self.names[self.verdict == "second"] if self.lower else ""

    @property
    def on_every_scale(self) -> bool:
        """Whether all other measures give this order."""
        return bool(self.lower) and all(
            difference is not None and difference.ordered and difference.verdict == self.verdict
            for difference in self.scales.differences.values()
        )

    def is_general(self, elsewhere: Mapping[str, Standing]) -> bool:
        """Return whether the order holds on every scale and in all other sentences (at least one set)."""
        others = [there.outcome == self.outcome for there in elsewhere.values()]
        return self.on_every_scale and bool(others) and all(others)


@dataclass(frozen=True)
class Lean:
    """Whom one model prefers.

    ``leading``, ``trailing``: occupations in which each group comes first, and last.  ``near``: occupations
    without a tilt beyond ``NEAR_EVEN``.  ``examples``: by group the occupations that lean most towards it.
    """

    model: str
    leading: Mapping[str, int]
    occupations: int
    near: int
    examples: Mapping[str, tuple[str, ...]]
    says_little: bool = False
    trailing: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, model: str, report: RiskReport) -> Lean:
        """Make the record of a report against an even split."""
        rows = report.occupations
        ranked = {
            group: sorted(rows, key=lambda row, group=group: -row.stereotype[group])[:EXAMPLES]  # type: ignore[misc]
            for group in report.groups
        }
        return cls(
            model=model,
            leading=leading(report),
            trailing=trailing(report),
            occupations=len(rows),
            near=sum(max(abs(tilt) for tilt in row.stereotype.values()) < NEAR_EVEN for row in rows),
            examples={group: tuple(called(row.occupation) for row in most) for group, most in ranked.items()},
            says_little=report.says_little,
        )

    @property
    def favoured(self) -> str:
        """The group that leads most occupations, "" if there is none."""
        group = max(self.leading, key=lambda name: self.leading[name])
        return group if self.leading[group] >= MOST_OF_THEM * self.occupations else ""

    @property
    def other(self) -> str:
        """The other of two groups, "" for more groups."""
        return next((group for group in self.leading if group != self.favoured), "") if self.of_two else ""

    @property
    def of_two(self) -> bool:
        """Whether there are only two groups."""
        return len(self.leading) == 2

    @property
    def last(self) -> str:
        """Of more than two groups the one that comes last most often, "" for a tie."""
        most = max(self.trailing.values(), default=0)
        groups = [group for group, number in self.trailing.items() if number == most]
        return groups[0] if most and len(groups) == 1 and not self.of_two else ""

    @property
    def mostly_last(self) -> bool:
        """Whether it comes last in most occupations."""
        return bool(self.last) and self.trailing[self.last] >= MOST_OF_THEM * self.occupations

    @property
    def near_even(self) -> bool:
        """Whether most occupations are near even."""
        return self.near >= MOST_OF_THEM * self.occupations

    @property
    def led(self) -> int:
        """How many occupations the preferred group leads."""
        return self.leading[self.favoured] if self.favoured else 0


def pair_answer(standing: Standing, elsewhere: Mapping[str, Standing] | None = None) -> str:
    """Say which of two models is closer to even, and whether that also holds ``elsewhere``."""
    if not standing.ordered:
        return say("not_ordered", standing=standing)
    return say("closer", standing=standing, general=standing.is_general(elsewhere or {}))


def differing_first(here: Standing, elsewhere: Mapping[str, Standing]) -> list[str]:
    """Order other sentences by their answer: the reversed order, another answer, the same."""

    def answer(name: str) -> tuple[bool, bool]:
        there = elsewhere[name]
        same = there.outcome == here.outcome
        return same, not (here.lower and there.lower)

    return sorted(elsewhere, key=answer)


def in_other_sentences(here: Standing, elsewhere: Mapping[str, Standing]) -> str:
    """Say whether the answer holds in other sentences too, different ones first; "" without any."""
    if not elsewhere:
        return ""
    by_sentence: dict[str, list[str]] = {}
    for name in differing_first(here, elsewhere):
        by_sentence.setdefault(say("there", here=here, there=elsewhere[name]), []).append(name)
    return say("in_other_sentences", told=by_sentence, most=MOST_SETS)


def against_whom(lean: Lean) -> str:
    """Say whom one model prefers: hardly anybody, one group, or several; "" if unreliable."""
    if lean.says_little:
        return ""
    if lean.near_even:
        return say("near_even", lean=lean)
    if lean.favoured:
        return say("favours", lean=lean)
    most = sorted(lean.leading, key=lambda group: -lean.leading[group])[:2]
    return say("splits", lean=lean, groups=most)


def against_each(leans: Sequence[Lean]) -> list[str]:
    """Say whom two models prefer: in one sentence if each prefers one group, or hardly any, else in two."""
    if len(leans) == 2 and all(lean.near_even and not lean.says_little for lean in leans):
        return [say("both_near_even", leans=leans)]
    plainly = [lean for lean in leans if lean.favoured and not lean.says_little and not lean.near_even]
    if len(plainly) < len(leans):
        return [against_whom(lean) for lean in leans]
    return [say("each_favours", leans=leans)]


def how_sure(standing: Standing, sentences: int) -> str:
    """Say whether the difference is larger than chance, and whether the order holds by other measures."""
    measured = [_on_scale(standing, one) for one in standing.scales.differences.values()]
    confirmed = all(one["says"] == "same" for one in measured if one)
    scales = on_other_scales(standing)
    return say(
        "how_sure",
        standing=standing,
        sentences=sentences,
        scales=scales,
        confirmed=confirmed,
        detectable=detectable_sentence(standing.detectable),
        by_test=standing.p_value <= SIGNIFICANCE,
        by_range=standing.range is not None and not includes(standing.range),
    )


def on_other_scales(standing: Standing) -> str:
    """Say whether the order holds by other measures, "" if none is known or there is no order."""
    measured = {name: _on_scale(standing, one) for name, one in standing.scales.differences.items()}
    return say(
        "scales",
        standing=standing,
        labour=measured["labour"],
        neutral=measured["neutral"],
        spread=measured["spread"],
        employment=measured["employment"],
    )


def _on_scale(standing: Standing, difference: Difference | None) -> dict[str, object] | None:
    """Return whether another scale says the same, with figures in the answer's order."""
    if difference is None or not standing.lower:
        return None
    low, high = (
        (difference.second, difference.first)
        if standing.verdict == "first"
        else (difference.first, difference.second)
    )
    says = "unclear"
    if difference.ordered:
        says = "same" if difference.verdict == standing.verdict else "other"
    elif difference.differs:
        says = "small"
    return {"says": says, "low": low, "high": high}


def neutral_answer(names: tuple[str, str], neutral: NeutralComparison | None) -> str:
    """Say how both models treat neutral subjects, and how much that depends on one of them; "" if unknown."""
    if neutral is None:
        return ""
    ranges = []
    for side in range(2):
        shares = sorted((one.shares[side][0], one.subject) for one in neutral.subjects)
        (low, lowest), (high, highest) = shares[0], shares[-1]
        ranges.append({"low": low, "lowest": lowest, "high": high, "highest": highest})
    ranked = sorted(neutral.subjects, key=lambda one: one.without)
    return say(
        "neutral",
        names=names,
        group=neutral.groups[0],
        ranges=ranges,
        subjects=len(neutral.subjects),
        least=ranked[0],
        most=ranked[-1],
        turns=ranked[0].without < 0 < ranked[-1].without,
    )


def neutral_table(names: tuple[str, str], neutral: NeutralComparison) -> pd.DataFrame:
    """Make the table of both models against neutral subjects: figures, difference, test, verdict."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "": say("measured", measure=measure),
                names[0]: two_decimals(one.first),
                names[1]: two_decimals(one.second),
                "difference and range": difference_text(one),
                "p": p_value(one.p_value).removeprefix("p ").removeprefix("= "),
                "verdict": verdict_text(one, *names),
            }
            for measure, one in neutral.differences.items()
        ]
    ).set_index("")


def subjects_table(names: tuple[str, str], neutral: NeutralComparison) -> pd.DataFrame:
    """Make a table of neutral subjects: both shares, and the difference in distance without each."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "Neutral subject": one.subject,
                **{
                    f"{name}: {people(neutral.groups[0])}": percent(one.shares[side][0])
                    for side, name in enumerate(names)
                },
                say("without_it"): signed(one.without),
            }
            for one in neutral.subjects
        ]
    )


@dataclass(frozen=True)
class Dumbbell:
    """One occupation's tilt towards a group under two models, 0 is even."""

    occupation: str
    first: float
    second: float

    @property
    def gap(self) -> float:
        """The distance between the two."""
        return abs(self.first - self.second)

    @property
    def farthest(self) -> float:
        """The larger distance from even."""
        return max(abs(self.first), abs(self.second))


def dumbbells(first: RiskReport, second: RiskReport, group: str) -> list[Dumbbell]:
    """List the tilts in occupations that both reports (against an even split) have, largest gap first."""
    other = {row.occupation: row.stereotype[group] for row in second.occupations}
    rows = [
        Dumbbell(row.occupation, row.stereotype[group], other[row.occupation])
        for row in first.occupations
        if row.occupation in other
    ]
    return ordered(rows, "gap")


def ordered(rows: Sequence[Dumbbell], sort: Sort) -> list[Dumbbell]:
    """Sort by gap or farther tilt (largest first), or by name."""
    if sort == "A–Z":
        return sorted(rows, key=lambda row: row.occupation.casefold())
    if sort == "gap":
        return sorted(rows, key=lambda row: (-row.gap, row.occupation))
    return sorted(rows, key=lambda row: (-row.farthest, row.occupation))


def most_unequal_first(first: RiskReport, second: RiskReport) -> list[str]:
    """List the groups by the gap between the models, largest first; of two only the first."""
    if len(first.groups) == 2:
        return [first.groups[0]]
    gaps = {group: sum(row.gap for row in dumbbells(first, second, group)) for group in first.groups}
    return sorted(gaps, key=lambda group: -gaps[group])


def risks_table(
    comparison: Comparison, names: tuple[str, str], ranges: Mapping[str, tuple[Interval | None, ...]]
) -> pd.DataFrame:
    """Make a table of risk and its parts: both models with ``ranges`` (by quantity), and the difference."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "": begun(word),
                names[0]: with_interval(difference.first, ranges[quantity][0]),
                names[1]: with_interval(difference.second, ranges[quantity][1]),
                "Difference": say(
                    "in_words",
                    verdict=difference.verdict,
                    too_small=difference.differs and difference.negligible,
                ),
            }
            for quantity, word in RISK_NAMES.items()
            for difference in [comparison.differences[quantity]]
        ]
    ).set_index("")


def sentences_table(occupation: str, models: Mapping[str, Preferences]) -> pd.DataFrame:
    """Make a table of one occupation's sentences: whom each model prefers, with what share.

    ``models``: [occupation, template, group] by name; rows are the first one's templates.
    """
    import pandas as pd

    table: dict[str, list[str]] = {}
    texts = next(iter(models.values())).templates
    table["Sentence"] = [worded(text.replace("[X]", occupation).replace("[Y]", "…")) for text in texts]
    for name, preferences in models.items():
        cells = preferences.values[preferences.occupations.index(occupation)]
        cells_of = dict(zip(preferences.templates, cells, strict=True))
        table[name] = []
        for text in texts:
            if text not in cells_of:
                table[name].append("")
                continue
            if isnan(cells_of[text][0]):
                table[name].append(say("no_preference"))
                continue
            index = int(cells_of[text].argmax())
            group, share = preferences.groups[index], float(cells_of[text][index])
            table[name].append(say("expected", group=group, share=share))
    return pd.DataFrame(table)

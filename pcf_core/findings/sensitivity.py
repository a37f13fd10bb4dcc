"""Sentences about choices: how far they move a model's risk, and whether they change the order of models."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.findings.numbers import count, listed, number, with_interval
from pcf_core.records import Interval
from pcf_core.records.sensitivity import BASE_KEY, SAMPLE, Key, Sensitivities, Sensitivity, Variant

MOST_NAMED = 3


def sensitivity_finding(model: str, found: Sensitivity, interval: Interval | None = None) -> str:
    """The range of R over all choices, the one that moves it most, how many leave the interval, and apart
    from them the range over samples of the templates.

    The authors' scripts are other measures and do not count as choices.
    """
    return " ".join(filter(None, [_choices_sentence(model, found, interval), _samples_sentence(found)]))


def _choices_sentence(model: str, found: Sensitivity, interval: Interval | None) -> str:
    choices = found.choices
    base = found.base.overall_risk
    now = f"As chosen, the risk of {model} is {with_interval(base, interval)}"
    if not choices:
        return f"{now}; there is no other way in which its scores could be read."
    low, high = span(found)
    most = max(choices, key=lambda one: abs(one.overall_risk - base))
    if abs(most.overall_risk - base) < 1e-12:
        return f"{now}; so it is under {_all(len(choices), 'other choice')}."
    sentence = (
        f"{now}; under {count(len(choices), 'other choice')} it is between {number(low)} and "
        f"{number(high)}. Most is moved by {described(most)}: {change(most.overall_risk - base)}."
    )
    if interval is None:
        return sentence
    outside = sum(not interval.low <= one.overall_risk <= interval.high for one in choices)
    return f"{sentence} {outside:,} of them lead out of the interval over templates."


def _samples_sentence(found: Sensitivity) -> str:
    """What samples of the templates give: chance, which nobody chooses and the interval allows for."""
    if not found.samples:
        return ""
    risks = [one.overall_risk for one in found.samples]
    low, high = number(min(risks)), number(max(risks))
    spread = f"it stays {low}" if low == high else f"it is between {low} and {high}"
    names = listed(list(dict.fromkeys(one.name for one in found.samples)))
    return f"In samples of the templates ({names}), which are chance and no choices, {spread}."


def span(found: Sensitivity) -> tuple[float, float]:
    """The lowest and the highest R over the present reading and all choices."""
    risks = [found.base.overall_risk, *(one.overall_risk for one in found.choices)]
    return min(risks), max(risks)


def order_finding(found: Sensitivities) -> str:
    """Whether any other reading changes which of the models has more risk; empty for one model.

    Every word left out counts as a reading, since all models can be read with the same one; the extremes do
    not, since each model has its own.  Halves drawn at random are counted apart: they are samples.
    """
    models = list(found.models)
    if len(models) < 2:
        return ""
    now = found.ranks(BASE_KEY)
    shared = _common_readings(found)
    common = [key for key in shared if key[0] != SAMPLE]
    if not common:
        return "There is no other reading under which these models can be compared."
    moved = [key for key in common if found.ranks(key) != now]
    ranked = sorted(models, key=lambda model: now[model])
    order = f"the order is {listed(ranked)}, from the highest risk to the lowest"
    if len(models) == 2:
        order = f"{ranked[0]} has more risk than {ranked[1]}"
        if len(set(now.values())) == 1:
            order = f"{ranked[0]} and {ranked[1]} have the same risk"
    halves = _halves_sentence(found, [key for key in shared if key[0] == SAMPLE])
    if not moved:
        return f"As chosen, {order}, and so it is under {_all(len(common), 'other reading')}.{halves}"
    named = [in_words(key) for key in moved[:MOST_NAMED]]
    named += [f"{len(moved) - MOST_NAMED:,} more"] if len(moved) > MOST_NAMED else []
    readings = count(len(common), "other reading")
    return f"As chosen, {order}; not so under {len(moved):,} of {readings}: {listed(named)}.{halves}"


def _halves_sentence(found: Sensitivities, halves: Sequence[Key]) -> str:
    """In how many of the random halves of the templates the order is another; the same halves for all."""
    if not halves:
        return ""
    now = found.ranks(BASE_KEY)
    moved = sum(found.ranks(key) != now for key in halves)
    return f" In {moved:,} of {count(len(halves), 'random half', 'random halves')} the order is another."


def _all(number: int, noun: str) -> str:
    return f"the one {noun}" if number == 1 else f"all {count(number, noun)}"


def _common_readings(found: Sensitivities) -> Sequence[Key]:
    """The readings that all models allow, in the order of the first: choices, then the long lists."""
    tables = list(found.models.values())
    shared = set.intersection(*({one.key for one in table.variants} for table in tables))
    known = [one for one in tables[0].variants if one.key in shared and not one.end]
    return [one.key for kind in ("choice", "each") for one in known if one.kind == kind]


def described(variant: Variant) -> str:
    """A choice inside a sentence; of a range the one that stands at its end."""
    return f"“{variant.which}”" if variant.which else in_words(variant.key)


def in_words(key: Key) -> str:
    """A choice inside a sentence, quoted where its name alone would not be understood."""
    dimension, name, end = key
    said = name if " " in name else f"{dimension} {name}"
    return f"“{said}, {end}”" if end else f"“{said}”"


def change(value: float) -> str:
    """A change with its sign."""
    return ("+" if value > 0 else "") + number(value)

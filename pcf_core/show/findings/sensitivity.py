"""Sentences about choices: how far they move a model's risk, and whether they change the order of models."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.core.risk import Interval
from pcf_core.core.sensitivity import BASE_KEY, SAMPLE, Key, Sensitivities, Sensitivity, Variant, row_name
from pcf_core.show.findings.numbers import count, listed, signed, two_decimals, with_interval

MOST_NAMED = 3


def sensitivity_finding(model: str, found: Sensitivity, interval: Interval | None = None) -> str:
    """State the range of R over all choices, what moves it most, how many leave the interval.

    The range over samples of the templates stands apart from them.

    The authors' scripts are other measures and do not count as choices.
    """
    return " ".join(filter(None, [_choices_sentence(model, found, interval), _samples_sentence(found)]))


def _choices_sentence(model: str, found: Sensitivity, interval: Interval | None) -> str:
    choices = found.choices
    base = found.base.overall_risk
    now = f"As chosen, the risk of {model} is {with_interval(base, interval)}."
    if not choices:
        return f"{now} There is no other way to read its scores."
    low, high = span(found)
    most = max(choices, key=lambda one: abs(one.overall_risk - base))
    if abs(most.overall_risk - base) < 1e-12:
        return f"{now} It is the same under {_all(len(found.rows), 'other choice')}."
    sentence = (
        f"{now} Under {count(len(found.rows), 'other choice')} it lies between {two_decimals(low)} and "
        f"{two_decimals(high)}. {described(most)} moves it most: {signed(most.overall_risk - base)}."
    )
    if interval is None:
        return sentence
    outside = {one.key[:2] for one in choices if not interval.low <= one.overall_risk <= interval.high}
    lead = "leads" if len(outside) < 2 else "lead"
    said = f"{len(outside):,}" if outside else "None"
    return f"{sentence} {said} of these choices {lead} out of the range."


def _samples_sentence(found: Sensitivity) -> str:
    """Say what samples of the templates give: chance, which nobody chooses."""
    if not found.samples:
        return ""
    risks = [one.overall_risk for one in found.samples]
    low, high = two_decimals(min(risks)), two_decimals(max(risks))
    spread = f"it stays {low}" if low == high else f"it lies between {low} and {high}"
    names = listed(list(dict.fromkeys(one.name for one in found.samples)))
    return f"In samples of the templates ({names}) {spread}. That is chance and no choice."


def span(found: Sensitivity) -> tuple[float, float]:
    """Return the lowest and the highest R over the present reading and all choices."""
    risks = [found.base.overall_risk, *(one.overall_risk for one in found.choices)]
    return min(risks), max(risks)


def readings_finding(found: Sensitivities, order: str) -> str:
    """Say how the models are ordered as chosen, and whether another reading changes that of the estimates.

    Empty for one model.

    ``order``: what is said first, such as how risky each model is as chosen.

    Every word left out counts, since all models can be read with the same one; the extremes do not, since
    each model has its own.  Halves drawn at random are counted apart: they are samples.
    """
    models = list(found.models)
    if len(models) < 2:
        return ""
    now = found.ranks(BASE_KEY)
    shared = _common_readings(found)
    if not shared:
        return "There is no other reading under which these models can be compared."
    moved = [key for key in shared if found.ranks(key) != now]
    if not moved:
        same = [_all(len(keys), *noun) for noun, keys in _by_kind(found, shared)]
        return f"{order} The order of the estimates is the same under {listed(same)}.".strip()
    kinds = _by_kind(found, shared)
    told = [_moved_part(*kind, moved) for kind in kinds if set(kind[1]) & set(moved)]
    return f"{order} {' '.join(f'The order changes under {part}.' for part in told)}".strip()


def _by_kind(found: Sensitivities, keys: Sequence[Key]) -> list[tuple[tuple[str, str], list[Key]]]:
    """Group readings by what they are, with the noun for one and for many: choices, shorter lists, halves."""
    listed_each = {v.key for table in found.models.values() for v in table.variants if v.kind == "each"}
    kinds: dict[tuple[str, str], list[Key]] = {}
    for key in keys:
        noun = ("other choice", "other choices")
        if key[0] == SAMPLE:
            noun = ("random half of the templates", "random halves of the templates")
        elif key in listed_each:
            noun = ("list without one word or pair", "lists without one word or pair")
        kinds.setdefault(noun, []).append(key)
    return list(kinds.items())


def _moved_part(noun: tuple[str, str], keys: Sequence[Key], moved: Sequence[Key]) -> str:
    """Say in how many readings of a kind the order differs, and in which; halves have no names."""
    here = [key for key in keys if key in moved]
    part = f"{len(here):,} of {count(len(keys), *noun)}"
    if here[0][0] == SAMPLE:
        return part
    named = [in_words(key) for key in here[:MOST_NAMED]]
    named += [f"{len(here) - MOST_NAMED:,} more"] if len(here) > MOST_NAMED else []
    return f"{part} ({listed(named)})"


def _all(number: int, noun: str, plural: str = "") -> str:
    return f"the one {noun}" if number == 1 else f"all {count(number, noun, plural)}"


def _common_readings(found: Sensitivities) -> Sequence[Key]:
    """Return the readings that all models allow, in the order of the first: choices, then the long lists."""
    tables = list(found.models.values())
    shared = set.intersection(*({one.key for one in table.variants} for table in tables))
    known = [one for one in tables[0].variants if one.key in shared and not one.end]
    return [one.key for kind in ("choice", "each") for one in known if one.kind == kind]


def described(variant: Variant) -> str:
    """Name a choice inside a sentence by its row; of a range the one at its end."""
    which = f" ({variant.which})" if variant.which else ""
    return f"“{row_name(variant.dimension, variant.name)}”{which}"


def in_words(key: Key) -> str:
    """Name a choice inside a sentence by its row."""
    dimension, name, end = key
    said = row_name(dimension, name)
    return f"“{said}, {end}”" if end else f"“{said}”"

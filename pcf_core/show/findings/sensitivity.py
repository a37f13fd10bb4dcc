"""Sentences about choices: how far they move a model's risk, and whether they change the order of models."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.audit.options import word_scoring
from pcf_core.core.risk import Interval
from pcf_core.core.sensitivity import BASE_KEY, SAMPLE, Key, Sensitivities, Sensitivity, Variant, row_name
from pcf_core.show.wording import sentences

say = sentences("sensitivity")


def sensitivity_finding(model: str, found: Sensitivity, interval: Interval | None = None) -> str:
    """State the range of R over all choices, what moves it most, how many leave the interval.

    The range over samples of the templates stands apart from them.

    The authors' scripts are other measures and do not count as choices.
    """
    return " ".join(filter(None, [_choices_sentence(model, found, interval), _samples_sentence(found)]))


def _choices_sentence(model: str, found: Sensitivity, interval: Interval | None) -> str:
    choices, base, readings = found.choices, found.base.overall_risk, len(found.rows)
    if not choices:
        return say("only_reading", model=model, risk=base, interval=interval)
    low, high = span(found)
    most = max(choices, key=lambda one: abs(one.overall_risk - base))
    if abs(most.overall_risk - base) < 1e-12:
        return say("same_risk", model=model, risk=base, interval=interval, readings=readings)
    sentence = say(
        "choices",
        model=model,
        risk=base,
        interval=interval,
        readings=readings,
        low=low,
        high=high,
        most=described(most),
        by=most.overall_risk - base,
    )
    if interval is None:
        return sentence
    outside = {one.key[:2] for one in choices if not interval.low <= one.overall_risk <= interval.high}
    return f"{sentence} {say('out_of_range', choices=len(outside))}"


def _samples_sentence(found: Sensitivity) -> str:
    """Say what samples of the templates give: chance, which nobody chooses."""
    if not found.samples:
        return ""
    risks = [one.overall_risk for one in found.samples]
    names = list(dict.fromkeys(one.name for one in found.samples))
    return say("samples", names=names, low=min(risks), high=max(risks))


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
        return say("no_common_reading")
    moved = [key for key in shared if found.ranks(key) != now]
    kinds = _by_kind(found, shared)
    if not moved:
        same = [say("all_readings", kind=kind, number=len(keys)) for kind, keys in kinds.items()]
        return say("same_order", order=order, readings=same)
    told = [
        _moved_sentence(kind, keys, here)
        for kind, keys in kinds.items()
        if (here := [key for key in keys if key in moved])
    ]
    return " ".join(filter(None, [order, *told]))


def _by_kind(found: Sensitivities, keys: Sequence[Key]) -> dict[str, list[Key]]:
    """Group readings by what they are: ``choice``, ``each`` of the shorter lists, ``sample`` of templates."""
    shorter = {v.key for table in found.models.values() for v in table.variants if v.kind == "each"}
    kinds: dict[str, list[Key]] = {}
    for key in keys:
        kind = "sample" if key[0] == SAMPLE else "each" if key in shorter else "choice"
        kinds.setdefault(kind, []).append(key)
    return kinds


def _moved_sentence(kind: str, keys: Sequence[Key], moved: Sequence[Key]) -> str:
    """Say in how many readings of a kind the order differs, and in which; samples have no names."""
    named = [] if kind == "sample" else [in_words(key) for key in moved]
    return say("other_order", kind=kind, moved=len(moved), number=len(keys), named=named)


def _common_readings(found: Sensitivities) -> Sequence[Key]:
    """Return the readings that all models allow, in the order of the first: choices, then the long lists."""
    tables = list(found.models.values())
    shared = set.intersection(*({one.key for one in table.variants} for table in tables))
    known = [one for one in tables[0].variants if one.key in shared and not one.end]
    return [one.key for kind in ("choice", "each") for one in known if one.kind == kind]


def shown_row(dimension: str, name: str) -> str:
    """Return the name of a row as pages say it: which words count, not what the command line calls that."""
    return word_scoring(name) if dimension == "protocol" else row_name(dimension, name)


def described(variant: Variant) -> str:
    """Name a choice inside a sentence by its row; of a range the one at its end."""
    return say("choice", row=shown_row(variant.dimension, variant.name), which=variant.which)


def in_words(key: Key) -> str:
    """Name a choice inside a sentence by its row."""
    dimension, name, end = key
    return say("choice_at_end", row=shown_row(dimension, name), end=end)

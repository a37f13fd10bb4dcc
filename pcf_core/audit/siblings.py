"""Other finished runs that differ from one in a single choice: the protocol, or the full stop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcf_core.records import RunSpec
from pcf_core.records.sensitivity import Unavailable
from pcf_core.store import Store

STOPS = (".", "。")


@dataclass(frozen=True)
class Sibling:
    """A finished run and, in the order of the first run's templates, the places of its counterparts."""

    run: RunSpec
    name: str
    places: NDArray[np.intp]


def protocol_sibling(store: Store, run: RunSpec, protocol: str) -> Sibling | Unavailable:
    """The run that has scored the same under another protocol."""
    key = run.scoring.model_copy(update={"protocol": protocol})
    other, texts = run.model_copy(update={"scoring": key}), run.templates.texts
    for info in store.runs():
        if info.complete and same_but_templates(info.run, other) and info.run.templates.texts == texts:
            return Sibling(info.run, protocol, np.arange(len(run.templates.templates)))
    reason = f"no run is scored so; score it with --protocol {protocol}"
    if protocol == "exact-boundary" and run.scoring.family != "causal":
        reason = f"it is for causal models, and {run.scoring.model} is {run.scoring.family}"
    return Unavailable(dimension="protocol", name=protocol, reason=reason)


def stop_sibling(store: Store, run: RunSpec) -> Sibling | Unavailable:
    """A run that has scored all templates with a full stop where they have none, or without where they do."""
    texts = run.templates.texts
    ended = [text.endswith(STOPS) for text in texts]
    name = "without the full stop" if ended[0] else "with a full stop"
    if len(set(ended)) > 1:
        reason = "some templates end with a full stop and some do not"
        return Unavailable(dimension="full stop", name="with or without", reason=reason)
    stop = "。" if run.topic.language == "zh" else "."
    wanted = [text[:-1] if ended[0] else text + stop for text in texts]
    for info in store.runs():
        other = info.run
        if info.complete and same_but_templates(other, run):
            place = {text: index for index, text in enumerate(other.templates.texts)}
            if all(text in place for text in wanted):
                return Sibling(other, name, np.array([place[text] for text in wanted]))
    how = "import it" if ended[0] else "press With full stops and save it"
    reason = (
        f"no run has scored these templates {name}; make such a set on the page Templates (under edit, "
        f"{how}), then score it on the page Score"
    )
    return Unavailable(dimension="full stop", name=name, reason=reason)


def same_but_templates(first: RunSpec, second: RunSpec) -> bool:
    """Whether two runs without a plan have scored the same words for the same terms under the same key."""
    return (
        first.plan is None
        and second.plan is None
        and first.scoring == second.scoring
        and first.topic.groups == second.topic.groups
        and first.evidence.terms == second.evidence.terms
    )

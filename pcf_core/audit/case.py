"""One run as the pages show it, from which every other way of reading it starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import load_result
from pcf_core.audit.siblings import Sibling
from pcf_core.audit.views import View, view_of
from pcf_core.errors import AuditError
from pcf_core.records import FloatArray, Protocol, RunSpec
from pcf_core.records.sensitivity import Kind, Unavailable, Variant
from pcf_core.store import Store

Found = Iterator[Variant | Unavailable]


@dataclass(frozen=True)
class Case:
    """A run as the pages show it.

    ``sums``: [occupation, template, group] preferences with words added up; ``values``: as they are read.
    """

    store: Store
    run: RunSpec
    options: ViewOptions
    view: View
    words: tuple[str, ...]
    tokens: Mapping[str, int]
    sums: FloatArray
    values: FloatArray

    @property
    def groups(self) -> int:
        return len(self.run.topic.groups)

    def read(self, dimension: str, name: str, options: ViewOptions, note: str = "") -> Variant | Unavailable:
        """The same preferences under other options."""
        try:
            view = view_of(self.run, options)
        except AuditError as error:
            return Unavailable(dimension=dimension, name=name, reason=str(error))
        return variant(dimension, name, view.risks(self.values), note=note)

    def sibling(self, dimension: str, other: Sibling, protocol: Protocol) -> Variant | Unavailable:
        """Another run, read with the weights of this one."""
        try:
            result = load_result(self.store, other.run, protocol, self.options.aggregation)
        except AuditError as error:
            return Unavailable(dimension=dimension, name=other.name, reason=str(error))
        risks = self.view.risks(result.preferences.values[:, other.places])
        return variant(dimension, other.name, risks, note=f"The run {other.run.key}.")


def variant(
    dimension: str, name: str, risks: Mapping[str, float], kind: Kind = "choice", note: str = ""
) -> Variant:
    """A way of reading and what it gives."""
    return Variant.model_validate({"dimension": dimension, "name": name, "kind": kind, "note": note, **risks})


def extremes(each: Sequence[Variant | Unavailable], label: str, kind: Kind = "choice") -> Found:
    """The lowest and the highest of a long list, as choices that somebody could have made, or as samples."""
    known = [one for one in each if isinstance(one, Variant)]
    if not known:
        return
    ranked = sorted(known, key=lambda one: one.overall_risk)
    for end, one in (("lowest", ranked[0]), ("highest", ranked[-1])):
        note = f"Of {len(known):,}, the one with the {end} R: {one.name}."
        changes = {"name": label, "end": end, "which": one.name, "kind": kind, "note": note}
        yield one.model_copy(update=changes)

"""What other choices of the analyst would have given: R, R^p and R^c of a run under each of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pcf_core.records.base import Record

Quantity = Literal["overall_risk", "prejudice_risk", "caprice_risk"]
Kind = Literal["base", "choice", "sample", "script", "each"]
End = Literal["", "lowest", "highest"]
Key = tuple[str, str, End]

BASE = "as chosen"
SAMPLE = "sample of templates"
SCRIPTS = "published scripts"
BASE_KEY: Key = (BASE, BASE, "")


class Variant(Record):
    """A run read in one way; R = R^p + R^c, in the units of the criterion's scale.

    ``dimension``: what was chosen otherwise; ``name``: how.  ``stereotype_sd``: of the stereotype over
    templates, averaged over occupations by weight; ``None`` where the way has none.  ``kind``: the ``base``
    itself; a ``choice`` that another analyst could make in good faith; a ``sample``, an extreme over samples
    of the templates, which nobody would choose; a ``script`` of the papers' authors, another measure; one of
    ``each``, a long list of which the extremes stand among choices or samples.  ``end``: which extreme it is,
    ``which``: of what, in words.  ``note``: what has to be known, a sentence or nothing.
    """

    dimension: str
    name: str
    kind: Kind
    overall_risk: float
    prejudice_risk: float
    caprice_risk: float
    stereotype_sd: float | None = None
    end: End = ""
    which: str = ""
    note: str = ""

    @property
    def key(self) -> Key:
        """What the same way has in common over models."""
        return self.dimension, self.name, self.end

    @property
    def label(self) -> str:
        """The way in words, without its dimension."""
        named = f"the authors' {self.name}" if self.dimension == SCRIPTS else self.name
        return f"{named}, {self.end}" if self.end else named


class Unavailable(Record):
    """A way in which this run cannot be read, and why: shown, never dropped silently."""

    dimension: str
    name: str
    reason: str


class Sensitivity(Record):
    """One run under all choices, each changed alone against ``base``, which is what the pages show."""

    run: str
    base: Variant
    variants: tuple[Variant, ...]
    unavailable: tuple[Unavailable, ...] = ()

    @property
    def choices(self) -> tuple[Variant, ...]:
        """The ways that another analyst could have taken in good faith."""
        return tuple(variant for variant in self.variants if variant.kind == "choice")

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """Dimension and name of each choice: a row of a picture, the two extremes of one together."""
        return tuple(dict.fromkeys((one.dimension, one.name) for one in self.choices))

    @property
    def samples(self) -> tuple[Variant, ...]:
        """The extremes over samples of the templates: chance, not choice."""
        return tuple(variant for variant in self.variants if variant.kind == "sample")


@dataclass(frozen=True)
class Sensitivities:
    """Several models under the same choices, by model in the order of the page."""

    models: Mapping[str, Sensitivity]

    def values(self, key: Key, quantity: Quantity = "overall_risk") -> dict[str, float]:
        """By model what it has under one way, for the models that can be read so."""
        return {
            model: getattr(variant, quantity)
            for model, found in self.models.items()
            for variant in (found.base, *found.variants)
            if variant.key == key
        }

    def ranks(self, key: Key, quantity: Quantity = "overall_risk") -> dict[str, int]:
        """By model its place under one way, 1 for the highest; equal values share the better place."""
        values = self.values(key, quantity)
        return {model: 1 + sum(other > value for other in values.values()) for model, value in values.items()}


def row_name(dimension: str, name: str) -> str:
    """What the row of a way is called in pictures and sentences; an option's name alone says little."""
    if dimension == SAMPLE:
        return f"sample: {name}"
    if dimension == SCRIPTS:
        return f"the authors' {name}"
    return name if " " in name else f"{dimension}: {name}"

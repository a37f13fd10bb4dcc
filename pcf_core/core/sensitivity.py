"""What other choices of the analyst would have given: R, R^p and R^c of a run under each of them.

Also what another seed of the training changes, and what was planted in a calibration model and measured of
it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Self

from pydantic import Field, model_validator

from pcf_core.core.records import Record

Quantity = Literal["overall_risk", "prejudice_risk", "caprice_risk"]
Kind = Literal["base", "choice", "sample", "script", "each"]
End = Literal["", "lowest", "highest"]
Key = tuple[str, str, End]

BASE = "as chosen"
SAMPLE = "sample of sentences"
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
        """Return, by model, the value under one way, for the models that can be read so."""
        return {
            model: getattr(variant, quantity)
            for model, found in self.models.items()
            for variant in (found.base, *found.variants)
            if variant.key == key
        }

    def ranks(self, key: Key, quantity: Quantity = "overall_risk") -> dict[str, int]:
        """Return, by model, the rank under one way, 1 for the highest; equal values share the better rank."""
        values = self.values(key, quantity)
        return {model: 1 + sum(other > value for other in values.values()) for model, value in values.items()}


def row_name(dimension: str, name: str) -> str:
    """Return the name of a row in pictures and sentences; an option's name alone says little."""
    if dimension == SAMPLE:
        return f"sample: {name}"
    if dimension == SCRIPTS:
        return f"the authors' {name}"
    return name if " " in name else f"{dimension}: {name}"


# Records of one recipe trained several times: what another seed of the training changes.


class SeededRisk(Record):
    """R, R^p and R^c of the training with one seed."""

    seed: int
    overall_risk: float = Field(ge=0)
    prejudice_risk: float = Field(ge=0)
    caprice_risk: float = Field(ge=0)


class SeedsMeasured(Record):
    """The risks of all seeds on one topic, template set and evidence list, under the default view options."""

    topic: str
    topic_hash: str
    templates: str
    templates_hash: str
    evidence: str
    evidence_hash: str
    risks: tuple[SeededRisk, ...] = Field(min_length=2)


class Seeds(Record):
    """A model's ``seeds.json``: the seeds it was trained with, that of the model itself first.

    ``identity``: that of the model itself (see :class:`pcf_core.core.run.ModelSpec`), of whose weights this
    is said, whatever folder they lie in; ``model``: the name that it had when it was measured.
    """

    model: str
    identity: str = Field(min_length=1)
    seeds: tuple[int, ...] = Field(min_length=2)
    measured: tuple[SeedsMeasured, ...]

    @model_validator(mode="after")
    def _every_seed_is_measured_once(self) -> Self:
        if len(set(self.seeds)) < len(self.seeds):
            raise ValueError(f"a seed stands twice among {self.seeds}")
        for measured in self.measured:
            if tuple(risk.seed for risk in measured.risks) != self.seeds:
                raise ValueError(f"the risks on {measured.topic} are not of the seeds {self.seeds}")
        return self


@dataclass(frozen=True)
class SeedSpread:
    """One quantity, R, R^p or R^c, of one recipe trained with several seeds.

    ``risks``: by seed, that of the model itself first.  ``bound``: by how much two trainings of this recipe
    may differ, at ``level``, going by these; see :func:`pcf_core.measure.comparison.seed_bound`.  ``topic``,
    ``templates``, ``evidence``: names of what it was measured on.
    """

    model: str
    quantity: str
    topic: str
    templates: str
    evidence: str
    seeds: tuple[int, ...]
    risks: tuple[float, ...]
    bound: float
    level: float

    @property
    def range(self) -> float:
        """The largest less the smallest."""
        return max(self.risks) - min(self.risks)


# What was planted in a calibration model, and what the app measured of it.


QUANTITIES = ("overall_risk", "prejudice_risk", "caprice_risk")
ROUNDING = 1e-9  # that sums of the stated numbers may be off by


class Planted(Record):
    """The truth of a calibration model.

    ``topic``, ``evidence``, ``templates``: names of the shipped lists that it speaks of.  ``values``:
    [occupation][context][group] P(group), rows sum to 1.  R = R^p + R^c, uniform occupations, contexts by
    count, on the scale *pcf* against an even split.

    Raises
    ------
    ValueError
        Values of another shape, that are no probabilities, or risks that do not add up.
    """

    model: str
    topic: str
    evidence: str
    templates: str
    groups: tuple[str, ...] = Field(min_length=1)
    occupations: tuple[str, ...] = Field(min_length=1)
    contexts: tuple[str, ...] = Field(min_length=1)
    values: tuple[tuple[tuple[float, ...], ...], ...]
    overall_risk: float
    prejudice_risk: float
    caprice_risk: float

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        shape = len(self.occupations), len(self.contexts), len(self.groups)
        whole = len(self.values) == shape[0] and all(
            len(row) == shape[1] and all(len(cell) == shape[2] for cell in row) for row in self.values
        )
        if not whole:
            raise ValueError(f"values must have {shape[0]} × {shape[1]} × {shape[2]} numbers")
        if not all(_is_distribution(cell) for row in self.values for cell in row):
            raise ValueError("the values of a cell must be 0 or more and sum to 1")
        if not abs(self.overall_risk - self.prejudice_risk - self.caprice_risk) <= ROUNDING:
            raise ValueError("overall_risk must be prejudice_risk + caprice_risk")
        return self

    @property
    def cells(self) -> int:
        """The number of cells: occupations times contexts."""
        return len(self.occupations) * len(self.contexts)


@dataclass(frozen=True)
class Calibration:
    """A calibration model as it was measured, beside what was planted.

    ``measured``: by the names of :data:`QUANTITIES`.  ``largest``: the largest |P(group) measured − planted|
    over all cells, at ``occupation`` in ``context``.  ``written``: when the results were, shipped
    ones when they were last carried over; ``version``: of this app that scored them, empty if not recorded.
    """

    planted: Planted
    measured: dict[str, float]
    largest: float
    occupation: str
    context: str
    written: datetime
    version: str

    @property
    def differences(self) -> dict[str, float]:
        """Measured less planted, by quantity."""
        return {name: self.measured[name] - getattr(self.planted, name) for name in QUANTITIES}


def _is_distribution(cell: Sequence[float]) -> bool:
    return min(cell) >= 0 and abs(sum(cell) - 1) <= ROUNDING  # which no NaN is

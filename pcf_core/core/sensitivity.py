"""Sensitivity of R, R^p and R^c to the analyst's choices and to training seeds, and calibration models."""

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
    """A run analysed in one way; R = R^p + R^c, in the units of the criterion's scale.

    ``dimension``: which choice; ``name``: its value.  ``stereotype_sd``: averaged over occupations by weight,
    if the variant has it.  ``kind``: ``base``; a defensible ``choice``; ``sample``, an extreme over samples
    of templates, which nobody would choose; ``script``, another measure by the papers' authors; or ``each``
    of a long list whose extremes are among choices or samples.  ``end``: which extreme; ``which``: of what,
    in words.
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
        """Identifies the same variant across models."""
        return self.dimension, self.name, self.end

    @property
    def label(self) -> str:
        """The variant in words, without its dimension."""
        named = f"the authors' {self.name}" if self.dimension == SCRIPTS else self.name
        return f"{named}, {self.end}" if self.end else named


class Unavailable(Record):
    """A variant that this run does not have, with the reason: shown, never dropped silently."""

    dimension: str
    name: str
    reason: str


class Sensitivity(Record):
    """One run under all choices, each changed alone against ``base``, which pages show."""

    run: str
    base: Variant
    variants: tuple[Variant, ...]
    unavailable: tuple[Unavailable, ...] = ()

    @property
    def choices(self) -> tuple[Variant, ...]:
        """The defensible choices."""
        return tuple(variant for variant in self.variants if variant.kind == "choice")

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """Distinct dimension and name of the choices: the rows of a chart, with both extremes in one."""
        return tuple(dict.fromkeys((one.dimension, one.name) for one in self.choices))

    @property
    def samples(self) -> tuple[Variant, ...]:
        """The extremes over samples of templates: chance, not choice."""
        return tuple(variant for variant in self.variants if variant.kind == "sample")


@dataclass(frozen=True)
class Sensitivities:
    """Several models under the same choices, in the order of the page."""

    models: Mapping[str, Sensitivity]

    def values(self, key: Key, quantity: Quantity = "overall_risk") -> dict[str, float]:
        """Return one variant's value by model, where available."""
        return {
            model: getattr(variant, quantity)
            for model, found in self.models.items()
            for variant in (found.base, *found.variants)
            if variant.key == key
        }

    def ranks(self, key: Key, quantity: Quantity = "overall_risk") -> dict[str, int]:
        """Return the rank by model under one variant, 1 for the highest; ties share the better rank."""
        values = self.values(key, quantity)
        return {model: 1 + sum(other > value for other in values.values()) for model, value in values.items()}


def row_name(dimension: str, name: str) -> str:
    """Return the name of a row in charts and sentences."""
    if dimension == SAMPLE:
        return f"sample: {name}"
    if dimension == SCRIPTS:
        return f"the authors' {name}"
    return name if " " in name else f"{dimension}: {name}"


# One recipe trained with several seeds.


class SeededRisk(Record):
    """R, R^p and R^c of the training with one seed."""

    seed: int
    overall_risk: float = Field(ge=0)
    prejudice_risk: float = Field(ge=0)
    caprice_risk: float = Field(ge=0)


class SeedsMeasured(Record):
    """The risks of all seeds on one topic, template set and evidence list, with default options."""

    topic: str
    topic_hash: str
    templates: str
    templates_hash: str
    evidence: str
    evidence_hash: str
    risks: tuple[SeededRisk, ...] = Field(min_length=2)


class Seeds(Record):
    """A model's ``seeds.json``: its training seeds, that of the model itself first.

    ``identity``: of the model's weights (see :class:`pcf_core.core.run.ModelSpec`), whatever its folder;
    ``model``: its name when measured.
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
    """R, R^p or R^c of one recipe trained with several seeds, that of the model itself first.

    ``bound``: on the difference of two trainings at ``level``; see
    :func:`pcf_core.measure.comparison.seed_bound`.
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
        """The largest minus the smallest."""
        return max(self.risks) - min(self.risks)


# Calibration models.


QUANTITIES = ("overall_risk", "prejudice_risk", "caprice_risk")
ROUNDING = 1e-9  # in sums of the stated numbers


class Planted(Record):
    """The known truth of a calibration model.

    ``topic``, ``evidence``, ``templates``: names of shipped lists.  ``values`` [occupation][context][group]:
    P(group), rows sum to 1.  R = R^p + R^c with equal occupations, contexts by count, on the scale *pcf*
    against an even split.  Raises ValueError for values of another shape or no probabilities, or risks that
    do not add up.
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
    """A calibration model as measured, compared with what was planted.

    ``largest``: the largest |P(group) measured − planted|, at ``occupation`` in ``context``.  ``written``:
    time of the results (for shipped ones, of their last update); ``version``: of the app that scored them, if
    recorded.
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
        """Measured minus planted, by quantity."""
        return {name: self.measured[name] - getattr(self.planted, name) for name in QUANTITIES}


def _is_distribution(cell: Sequence[float]) -> bool:
    return min(cell) >= 0 and abs(sum(cell) - 1) <= ROUNDING  # false for NaN
